/* Errors and growing text. A call that can fail on input returns bool (true: fine) and takes a struct err * last;
 * on false the error holds a code and a text that names the place and the reason. */
#ifndef HEDDLE_BASE_ERR_H
#define HEDDLE_BASE_ERR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct arena;

/* Growing text. Zero-initialise; text is NULL until something was added, NUL-terminated after. */
struct sb {
    char *text;
    size_t len, cap;
};
void sb_add(struct sb *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void sb_addv(struct sb *s, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0), nonnull(2)));
void sb_addn(struct sb *s, const char *text, size_t n);
void sb_free(struct sb *s);
char *sb_keep(struct sb *s, struct arena *mem); /* moves the text to mem; "" when nothing was added */

enum err_code {
    ERR_OK,
    ERR_INPUT,  /* bad PTX, option, file or argument: the user must fix it */
    ERR_FAULT,  /* the simulated program failed */
    ERR_MEMORY, /* no memory for what the input asked for */
    ERR_LIMIT,  /* a bound the user set was reached (--max-insts) */
    ERR_REFUSED /* the chosen mechanism cannot run this kernel */
};

struct err {
    enum err_code code;
    struct sb text;
};

/* Replaces what is there. Returns false, so that "return err_set(...)" reads well. */
bool err_set(struct err *e, enum err_code code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
const char *err_text(const struct err *e); /* "" when none */
void err_free(struct err *e);

/* The entry of names (NULL-terminated) fewest edits from word (swapped neighbours are one), or NULL when none is near. */
const char *nearest_name(const char *word, const char *const *names);
/* "there is no probe 'latency.l3' (did you mean 'latency.l2'?)": an ERR_INPUT about a word that is not among the names. */
bool err_no_such(struct err *e, const char *what, const char *word, const char *const *names);

#endif
