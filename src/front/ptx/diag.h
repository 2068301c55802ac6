/* Diagnostics of a PTX text, or of several that are linked: "file:line:col: error: ...", the line, a caret. Collected, not printed.
 *
 * Errors and warnings are about the text; an error means that there is no module. An instruction that is not supported is
 * neither: it is gathered under the function that holds it, and the module loads without that function. */
#ifndef HEDDLE_FRONT_PTX_DIAG_H
#define HEDDLE_FRONT_PTX_DIAG_H

#include "base/alloc.h"
#include "base/err.h"
#include "ir/program.h"

/* Syntax and meaning errors stop at DIAG_MAX; unsupported instructions are gathered apart, and all kinds of them are
 * listed, up to a number only a text that is no program reaches. */
enum { DIAG_MAX = 20, DIAG_MAX_REFUSED = 2000 };

struct diag_refused {
    const char *at; /* first place */
    const char *form;
    size_t len;
    const char *why; /* "" or a reason */
    bool call;       /* form is a function that nothing defines, and why says so */
    uint32_t func;   /* the function it is in */
    uint32_t hash, count;
};

struct diag {
    const struct ir_module *m; /* its name, text and parts */
    struct sb out, warned;
    unsigned errors, warnings;
    /* Start of the line of the latest report, and its number: the next is usually later. */
    const char *seen_line;
    size_t seen_number;
    VEC(struct diag_refused) refused;
    uint32_t *slots; /* hash of function and form to index + 1 */
    size_t nslots;
};

void diag_init(struct diag *d, const struct ir_module *m);
void diag_free(struct diag *d);
/* at points into the text. diag_error is false, so that "return diag_error(...)" reads well; a macro, so that the
 * compiler sees it and can tell what is initialised on the other path. */
void diag_add(struct diag *d, const char *at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
#define diag_error(d, at, ...) (diag_add((d), (at), __VA_ARGS__), false)
void diag_warn(struct diag *d, const char *at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* "file:line" of a place. */
void diag_where(struct diag *d, const char *at, char *out, size_t size);
/* An instruction of that function that is read as such but not supported, named by its form (text from at). why may be
 * "". False, like diag_error. */
bool diag_refuse(struct diag *d, uint32_t func, const char *at, size_t len, const char *why);
/* Refuses a call, by the name of the function, which why says is not defined. */
bool diag_refuse_call(struct diag *d, uint32_t func, const char *at, size_t len, const char *why);
/* The instructions are another function's. */
void diag_move_refused(struct diag *d, uint32_t from, uint32_t to);
bool diag_failed(const struct diag *d); /* there were errors */
bool diag_full(const struct diag *d);   /* no use in going on */
/* The text of a load that failed: errors as they were found, then the refused instructions. */
void diag_report(struct diag *d, struct err *e);
/* What a load that succeeded leaves with the module: its warnings, and each function's refused instructions. */
void diag_hand_over(struct diag *d, struct ir_module *m);

#endif
