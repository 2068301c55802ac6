/* Tokens with expectations, and everything at module scope. An error is reported where it is found; the reader then
 * goes on where the next thing begins, so that one load reports as much as it can: behind the next ';' or at a '}' in a
 * function, at the next declaration at module scope. Names that a declaration in error would have made are remembered
 * (SYM_REFUSED): their uses are no errors of their own. */
#include "front/ptx/parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FILES = 1 << 20, KNOWN_MAJOR = 9, KNOWN_MINOR = 0 };

bool ptx_accept(struct ptx *p, int kind) {
    if (p->t.kind != kind) return false;
    ptx_next(p);
    return true;
}

bool ptx_is_word(const struct ptx *p, const char *word) {
    return p->t.kind == TOK_DOT && !strncmp(p->t.s, word, p->t.len) && !word[p->t.len];
}

bool ptx_accept_word(struct ptx *p, const char *word) {
    if (!ptx_is_word(p, word)) return false;
    ptx_next(p);
    return true;
}

bool ptx_unexpected(struct ptx *p, const char *expected) {
    const struct tok *t = &p->t;
    if (t->kind == TOK_BAD) return diag_error(&p->diag, t->at, "expected %s, found %s", expected, t->why);
    if (t->kind == TOK_END)
        return diag_error(&p->diag, t->at, "expected %s, found the end of the text", expected);
    int n = (int)(p->lex.p - t->at);
    return diag_error(&p->diag, t->at, "expected %s, found '%.*s'", expected, n < 60 ? n : 60, t->at);
}

bool ptx_expect(struct ptx *p, int kind, const char *where) {
    if (ptx_accept(p, kind)) return true;
    char what[96];
    snprintf(what, sizeof what, "'%c' %s", kind, where);
    return ptx_unexpected(p, what);
}

bool ptx_name(struct ptx *p, struct tok *name, const char *what) {
    if (p->t.kind != TOK_ID) return ptx_unexpected(p, what);
    *name = p->t;
    ptx_next(p);
    return true;
}

/* A '}' that closes a '{' met on the way, or that ',' ';' ']' follows, belongs to a vector, not to a scope. */
static bool closes_vector(const struct ptx *p, unsigned *depth) {
    struct lexer ahead = p->lex;
    struct tok next;
    if (*depth) return (*depth)--;
    lex_next(&ahead, &next);
    return next.kind == ',' || next.kind == ';' || next.kind == ']';
}

void ptx_resync(struct ptx *p) {
    unsigned depth = 0;
    for (; p->t.kind != TOK_END; ptx_next(p)) {
        if (ptx_accept(p, ';')) return;
        if (!depth && p->t.kind == TOK_ID && lex_at_colon(&p->lex)) return; /* a label */
        if (p->t.kind == '{') depth++;
        if (p->t.kind == '}' && !closes_vector(p, &depth)) return;
    }
}

/* The token begins something at module scope. The first words stand nowhere else; the others do inside declarations too,
 * but not at the start of a line. */
static bool begins_declaration(const struct ptx *p) {
    static const char *const anywhere[] = {"version", "target", "address_size", "alias", "extern",
                                           "visible", "weak",   "common",       "entry", "func"};
    static const char *const line_start[] = {"global", "const", "shared", "tex"};
    if (p->t.kind != TOK_DOT) return false;
    for (size_t i = 0; i < sizeof anywhere / sizeof *anywhere; i++)
        if (ptx_is_word(p, anywhere[i])) return true;
    const char *c = p->t.at;
    while (c > p->m->text && (c[-1] == ' ' || c[-1] == '\t')) c--;
    if (c > p->m->text && c[-1] != '\n') return false;
    for (size_t i = 0; i < sizeof line_start / sizeof *line_start; i++)
        if (ptx_is_word(p, line_start[i])) return true;
    return false;
}

void ptx_resync_head(struct ptx *p) {
    while (p->t.kind != TOK_END && p->t.kind != '{' && p->t.kind != ';' && !begins_declaration(p))
        ptx_next(p);
}

void ptx_refuse_names(struct ptx *p, const char *from) {
    struct lexer x = {.p = from, .end = p->lex.end, .line = p->t.line};
    struct tok t, next;
    bool is_new;
    for (lex_next(&x, &t); t.kind != TOK_END && t.at < p->t.at; t = next) {
        lex_next(&x, &next);
        if (t.kind != TOK_ID) continue;
        struct sym *sym = names_add(&p->names, &t, next.kind == '<', &is_new);
        if (!is_new) continue;
        sym->kind = SYM_REFUSED;
        sym->count = UINT32_MAX; /* whatever the range was, it had that element */
    }
}

bool ptx_skip_braces(struct ptx *p) {
    uint32_t depth = 0;
    const char *at = p->t.at;
    do {
        if (p->t.kind == '{')
            depth++;
        else if (p->t.kind == '}')
            depth--;
        else if (p->t.kind == TOK_END)
            return diag_error(&p->diag, at, "this '{' has no matching '}'");
        ptx_next(p);
    } while (depth);
    return true;
}

bool ptx_number(struct ptx *p, const char *what, uint64_t max, uint64_t *out) {
    const char *at = p->t.at;
    struct value v;
    if (!ptx_expr(p, &v)) return false;
    if (v.kind != VAL_INT) return diag_error(&p->diag, at, "%s must be an integer", what);
    if ((!v.uns && (int64_t)v.u < 0) || v.u > max)
        return diag_error(&p->diag, at, "%s must be between 0 and %llu", what, (unsigned long long)max);
    *out = v.u;
    return true;
}

/* ---- directives that stand alone ---- */

/* "7.0" would be a number with a fraction: the digits are read from the text. */
static bool ptx_parse_version(struct ptx *p) {
    const char *s = p->t.at;
    char *end;
    unsigned long major = strtoul(s, &end, 10);
    if (end == s || *end != '.' || end[1] < '0' || end[1] > '9')
        return ptx_unexpected(p, "a version such as 7.0");
    unsigned long minor = strtoul(end + 1, &end, 10);
    if (major > KNOWN_MAJOR)
        return diag_error(&p->diag, s, "PTX version %lu.%lu is newer than %d.%d, the latest supported", major,
                          minor, KNOWN_MAJOR, KNOWN_MINOR);
    if (major == KNOWN_MAJOR && minor > KNOWN_MINOR)
        diag_warn(&p->diag, s, "PTX version %lu.%lu is newer than %d.%d, the latest known", major, minor,
                  KNOWN_MAJOR, KNOWN_MINOR);
    p->m->version_major = (uint32_t)major;
    p->m->version_minor = (uint32_t)minor;
    p->lex.p = end;
    ptx_next(p);
    return true;
}

static bool target(struct ptx *p) {
    do {
        struct tok t = {0};
        if (!ptx_name(p, &t, "a target such as sm_70")) return false;
        if (t.len < 5 || memcmp(t.s, "sm_", 3)) continue;
        p->m->sm = (uint32_t)strtoul(t.s + 3, NULL, 10);
        if (p->m->sm < 20)
            return diag_error(&p->diag, t.at, "target %.*s is older than sm_20, the first supported",
                              (int)t.len, t.s);
    } while (ptx_accept(p, ','));
    return true;
}

static bool address_size(struct ptx *p) {
    const char *at = p->t.at;
    uint64_t n = 0;
    if (!ptx_number(p, "the address size", 64, &n)) return false;
    if (n != 32 && n != 64) {
        p->m->address_bits = 64; /* most likely, and better than an error for every address */
        return diag_error(&p->diag, at, "the address size is 32 or 64");
    }
    if (p->m->code.n > p->part.code || p->m->funcs.n > p->part.funcs || p->m->vars.n > p->part.vars)
        return diag_error(&p->diag, at, ".address_size must come before all declarations");
    p->m->address_bits = (uint32_t)n;
    return true;
}

static bool plain_int(struct ptx *p, const char *what, uint64_t max, uint64_t *out) {
    if (p->t.kind != TOK_INT) return ptx_unexpected(p, what);
    if (p->t.u > max)
        return diag_error(&p->diag, p->t.at, "%s must be at most %llu", what, (unsigned long long)max);
    *out = p->t.u;
    ptx_next(p);
    return true;
}

bool ptx_file(struct ptx *p) {
    uint64_t n = 0;
    if (!plain_int(p, "a file number", MAX_FILES, &n)) return false;
    if (p->t.kind != TOK_STR) return ptx_unexpected(p, "a file name in quotes");
    /* A table as long as the text at most, whatever number is claimed. */
    if (n <= p->m->text_len) {
        n += p->part.file;
        while (p->m->files.n <= n) VEC_PUSH(&p->m->files, NULL);
        p->m->files.v[n] = arena_strndup(&p->m->mem, p->t.s, p->t.len);
    }
    ptx_next(p);
    uint64_t ignored;
    while (ptx_accept(p, ','))
        if (!plain_int(p, "a number", UINT64_MAX, &ignored)) return false;
    return true;
}

/* .loc file line column [, function_name label [+ n], inlined_at file line column]: the innermost place is kept. */
bool ptx_loc(struct ptx *p) {
    uint64_t v[3], ignored;
    for (int i = 0; i < 3; i++)
        if (!plain_int(p, "a number of .loc", UINT32_MAX, &v[i])) return false;
    if (v[0] && v[0] <= UINT32_MAX - p->part.file) v[0] += p->part.file;
    p->b.loc = (struct ir_srcloc){(uint32_t)v[0], (uint32_t)v[1], (uint32_t)v[2]};
    while (ptx_accept(p, ',')) {
        struct tok word = {0}, label;
        if (!ptx_name(p, &word, "function_name or inlined_at")) return false;
        if (word.len == 13 && !memcmp(word.s, "function_name", 13)) {
            if (!ptx_name(p, &label, "a label")) return false;
            if (ptx_accept(p, '+') && !plain_int(p, "an offset", UINT64_MAX, &ignored)) return false;
        } else {
            for (int i = 0; i < 3; i++)
                if (!plain_int(p, "a number of inlined_at", UINT64_MAX, &ignored)) return false;
        }
    }
    return true;
}

bool ptx_pragma(struct ptx *p) {
    do {
        if (p->t.kind != TOK_STR) return ptx_unexpected(p, "a string after .pragma");
        ptx_next(p);
    } while (ptx_accept(p, ','));
    return ptx_expect(p, ';', "after .pragma");
}

bool ptx_section(struct ptx *p) {
    if (p->t.kind != TOK_DOT && p->t.kind != TOK_ID) return ptx_unexpected(p, "a section name");
    ptx_next(p);
    if (p->t.kind != '{') return ptx_unexpected(p, "'{' after the section name");
    return ptx_skip_braces(p);
}

/* ---- the module ---- */

static struct linkage linkage(struct ptx *p) {
    struct linkage l = {0};
    for (;;) {
        if (ptx_accept_word(p, "extern"))
            l.external = true;
        else if (ptx_accept_word(p, "visible"))
            l.visible = true;
        else if (ptx_accept_word(p, "weak"))
            l.weak = true;
        else if (ptx_accept_word(p, "common"))
            l.common = true;
        else
            return l;
    }
}

static bool directive(struct ptx *p) {
    static const struct {
        const char *word;
        bool (*read)(struct ptx *);
    } plain[] = {{"version", ptx_parse_version},
                 {"target", target},
                 {"address_size", address_size},
                 {"file", ptx_file},
                 {"loc", ptx_loc},
                 {"pragma", ptx_pragma},
                 {"section", ptx_section},
                 {"alias", ptx_alias}};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (ptx_accept_word(p, plain[i].word)) return plain[i].read(p);
    struct linkage link = linkage(p);
    if (ptx_accept_word(p, "entry")) return ptx_function(p, true, link);
    if (ptx_accept_word(p, "func")) return ptx_function(p, false, link);
    if (ptx_is_word(p, "reg"))
        return diag_error(&p->diag, p->t.at, "registers are declared inside functions");
    if (ptx_is_word(p, "local"))
        return diag_error(&p->diag, p->t.at, ".local variables outside functions are not supported");
    if (p->t.kind != TOK_DOT) return ptx_unexpected(p, "a directive such as .entry, .func or .global");
    return ptx_var_decl(p, link);
}

/* After an error at module scope: past the rest of the declaration, with its initialiser if it has one, or to the next.
 * Braces that ',' ';' or '}' follows are an initialiser's. */
static void resync_module(struct ptx *p) {
    while (p->t.kind != TOK_END && p->t.kind != ';' && !begins_declaration(p)) {
        bool brace = p->t.kind == '{' || p->t.kind == '}';
        if (p->t.kind == '{')
            ptx_skip_braces(p);
        else
            ptx_next(p);
        if (brace && p->t.kind != ',' && p->t.kind != ';' && p->t.kind != '}') return;
    }
    ptx_accept(p, ';');
}

static void skip_to_declaration(struct ptx *p) {
    while (p->t.kind != TOK_END && !begins_declaration(p)) ptx_next(p);
}

/* What is no declaration at all, such as the rest of a function behind a '}' too many: one error for the whole of it. */
static void skip_stray(struct ptx *p) {
    ptx_unexpected(p, "a directive such as .entry, .func or .global");
    skip_to_declaration(p);
}

void ptx_module(struct ptx *p) {
    ptx_next(p);
    if (!ptx_is_word(p, "version")) {
        ptx_unexpected(p, ".version at the beginning");
        if (p->t.kind != TOK_DOT) skip_to_declaration(p);
    }
    while (p->t.kind != TOK_END && !diag_full(&p->diag)) {
        const char *from = p->t.at;
        if (ptx_accept(p, ';')) continue;
        if (p->t.kind != TOK_DOT) {
            skip_stray(p);
        } else if (!directive(p)) {
            resync_module(p);
            ptx_refuse_names(p, from);
        }
    }
    if (!p->m->version_major && !diag_failed(&p->diag))
        ptx_unexpected(p, "a PTX module (.version, .target, ...)");
}
