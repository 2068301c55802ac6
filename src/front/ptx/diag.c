/* Diagnostics. A place is a pointer into the text; line and column are counted only when something is reported, so that
 * the way without errors pays nothing. Unsupported instructions are gathered by form: a file with ten thousand of one
 * form gives one report with a count. */
#include "front/ptx/diag.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW = 100, BEFORE_CARET = 60 }; /* columns of a line that are shown */

void diag_init(struct diag *d, const struct ir_module *m) {
    *d = (struct diag){.m = m};
}

void diag_free(struct diag *d) {
    sb_free(&d->out);
    sb_free(&d->warned);
    VEC_FREE(&d->refused);
    xfree(d->slots);
    d->slots = NULL;
}

struct place {
    const char *name; /* name of the text */
    size_t line, col;
    const char *begin, *end; /* bounds of the line */
};

static struct place find_place(struct diag *d, const char *at) {
    bool on = d->seen_line && d->seen_line <= at;
    struct place pl = {.line = on ? d->seen_number : 1, .begin = on ? d->seen_line : d->m->text};
    const char *end = d->m->text + d->m->text_len;
    for (const char *p = pl.begin; (p = memchr(p, '\n', (size_t)(at - p))); pl.begin = ++p) pl.line++;
    d->seen_line = pl.begin;
    d->seen_number = pl.line;
    pl.end = at < end ? memchr(at, '\n', (size_t)(end - at)) : end;
    if (!pl.end) pl.end = end;
    if (d->m->parts.n && pl.end > at && !pl.end[-1]) pl.end--; /* the NUL between two texts */
    pl.col = (size_t)(at - pl.begin) + 1;
    const struct ir_place here = ir_place(d->m, (uint32_t)pl.line);
    pl.name = here.name;
    pl.line = here.line;
    return pl;
}

static void add_excerpt(struct sb *out, const struct place *pl, const char *at) {
    const char *from = pl->begin, *to = pl->end;
    if (at - from > BEFORE_CARET && to - from > WINDOW) from = at - BEFORE_CARET;
    if (to - from > WINDOW) to = from + WINDOW;
    sb_add(out, "    %s", from > pl->begin ? "..." : "");
    for (const char *p = from; p < to; p++) {
        unsigned char c = (unsigned char)*p;
        if (c == '\r') continue;
        sb_addn(out, c == '\t' ? " " : c < 32 || c > 126 ? "?" : p, 1);
    }
    sb_add(out, "%s\n    %*s^\n", to < pl->end ? "..." : "", (int)(at - from) + (from > pl->begin ? 3 : 0),
           "");
}

static void add_report(struct diag *d, struct sb *out, const char *at, const char *kind, const char *fmt,
                       va_list ap) {
    struct place pl = find_place(d, at);
    sb_add(out, "%s:%zu:%zu: %s: ", pl.name, pl.line, pl.col, kind);
    sb_addv(out, fmt, ap);
    sb_addn(out, "\n", 1);
    add_excerpt(out, &pl, at);
}

void diag_where(struct diag *d, const char *at, char *out, size_t size) {
    const struct place pl = find_place(d, at);
    snprintf(out, size, "%s:%zu", pl.name, pl.line);
}

void diag_add(struct diag *d, const char *at, const char *fmt, ...) {
    if (d->errors++ >= DIAG_MAX) return;
    va_list ap;
    va_start(ap, fmt);
    add_report(d, &d->out, at, "error", fmt, ap);
    va_end(ap);
    if (d->errors == DIAG_MAX) sb_add(&d->out, "%s: error: too many errors, giving up\n", d->m->name);
}

void diag_warn(struct diag *d, const char *at, const char *fmt, ...) {
    if (d->warnings++ >= DIAG_MAX) return;
    va_list ap;
    va_start(ap, fmt);
    add_report(d, &d->warned, at, "warning", fmt, ap);
    va_end(ap);
}

static uint32_t hash_form(uint32_t func, const char *s, size_t n) {
    uint32_t h = 2166136261u ^ func;
    for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)s[i]) * 16777619u;
    return h;
}

static void diag_rehash(struct diag *d) {
    d->nslots = d->nslots ? d->nslots * 2 : 64;
    xfree(d->slots);
    d->slots = xcalloc(d->nslots, sizeof *d->slots);
    for (size_t k = 0; k < d->refused.n; k++) {
        size_t i = d->refused.v[k].hash & (d->nslots - 1);
        while (d->slots[i]) i = (i + 1) & (d->nslots - 1);
        d->slots[i] = (uint32_t)k + 1;
    }
}

static bool ptx_diag_refuse(struct diag *d, const struct diag_refused *one) {
    const uint32_t func = one->func;
    const char *at = one->at;
    const size_t len = one->len;
    if (d->refused.n * 2 >= d->nslots) diag_rehash(d);
    uint32_t h = hash_form(func, at, len);
    size_t i = h & (d->nslots - 1);
    for (; d->slots[i]; i = (i + 1) & (d->nslots - 1)) {
        struct diag_refused *r = &d->refused.v[d->slots[i] - 1];
        if (r->hash == h && r->func == func && r->len == len && r->call == one->call &&
            !memcmp(r->form, at, len)) {
            r->count++;
            return false;
        }
    }
    d->slots[i] = (uint32_t)d->refused.n + 1;
    VEC_PUSH(&d->refused, *one);
    d->refused.v[d->refused.n - 1].hash = h;
    return false;
}

bool diag_refuse(struct diag *d, uint32_t func, const char *at, size_t len, const char *why) {
    return ptx_diag_refuse(
        d, &(struct diag_refused){.at = at, .form = at, .len = len, .why = why, .func = func, .count = 1});
}

bool diag_refuse_call(struct diag *d, uint32_t func, const char *at, size_t len, const char *why) {
    return ptx_diag_refuse(
        d, &(struct diag_refused){
               .at = at, .form = at, .len = len, .why = why, .call = true, .func = func, .count = 1});
}

void diag_move_refused(struct diag *d, uint32_t from, uint32_t to) {
    for (size_t i = 0; i < d->refused.n; i++)
        if (d->refused.v[i].func == from) d->refused.v[i].func = to;
}

bool diag_failed(const struct diag *d) {
    return d->errors;
}

bool diag_full(const struct diag *d) {
    return d->errors >= DIAG_MAX;
}

static struct place add_refused(struct diag *d, struct sb *out, const struct diag_refused *r) {
    struct place pl = find_place(d, r->at);
    sb_add(out, "%s:%zu:%zu: error: %s %.*s is ", pl.name, pl.line, pl.col,
           r->call ? "function" : "instruction", (int)(r->len < 120 ? r->len : 120), r->form);
    if (!r->call) sb_add(out, "not supported%s", *r->why ? ": " : "");
    sb_add(out, "%s", r->why);
    if (r->count > 1) sb_add(out, " (%u times in this function)", r->count);
    sb_addn(out, "\n", 1);
    add_excerpt(out, &pl, r->at);
    return pl;
}

void diag_report(struct diag *d, struct err *e) {
    for (size_t i = 0; i < d->refused.n && i < DIAG_MAX_REFUSED; i++)
        add_refused(d, &d->out, &d->refused.v[i]);
    if (d->refused.n > DIAG_MAX_REFUSED)
        sb_add(&d->out, "%s: error: %zu more kinds of instructions are not supported\n", d->m->name,
               d->refused.n - DIAG_MAX_REFUSED);
    err_set(e, ERR_INPUT, "%s", d->out.text ? d->out.text : "");
}

static void hand_over_one(struct diag *d, struct ir_module *m, const struct diag_refused *r,
                          struct ir_refused *out) {
    struct sb text = {0};
    struct place pl = add_refused(d, &text, r);
    *out = (struct ir_refused){.form = arena_strndup(&m->mem, r->form, r->len),
                               .why = r->why,
                               .text = sb_keep(&text, &m->mem),
                               .line = (uint32_t)pl.line,
                               .col = (uint32_t)pl.col,
                               .count = r->count,
                               .call = r->call};
}

static int diag_by_place(const void *a, const void *b) {
    const uintptr_t x = (uintptr_t)((const struct diag_refused *)a)->at,
                    y = (uintptr_t)((const struct diag_refused *)b)->at;
    return (x > y) - (x < y);
}

/* Beyond DIAG_MAX_REFUSED a function is still refused, by an entry it shares with others. */
static void hand_over_rest(struct diag *d, struct ir_module *m) {
    struct sb text = {0};
    sb_add(&text, "%s: error: %zu more kinds of instructions are not supported\n", d->m->name,
           d->refused.n - DIAG_MAX_REFUSED);
    struct ir_refused *rest = ARENA_NEW(&m->mem, struct ir_refused, 1);
    *rest = (struct ir_refused){.form = "", .why = "", .text = sb_keep(&text, &m->mem), .count = 1};
    for (size_t i = DIAG_MAX_REFUSED; i < d->refused.n; i++) {
        struct ir_func *f = &m->funcs.v[d->refused.v[i].func];
        if (f->nrefused) continue;
        f->refused = rest;
        f->nrefused = 1;
    }
}

/* In the order of the text those of a function lie together; calls were found when all of it was read. */
void diag_hand_over(struct diag *d, struct ir_module *m) {
    if (d->refused.n) qsort(d->refused.v, d->refused.n, sizeof *d->refused.v, diag_by_place);
    m->warnings = sb_keep(&d->warned, &m->mem);
    size_t n = d->refused.n < DIAG_MAX_REFUSED ? d->refused.n : DIAG_MAX_REFUSED;
    struct ir_refused *list = ARENA_NEW(&m->mem, struct ir_refused, n);
    for (size_t i = 0; i < n; i++) {
        struct ir_func *f = &m->funcs.v[d->refused.v[i].func];
        hand_over_one(d, m, &d->refused.v[i], &list[i]);
        if (!f->nrefused++) f->refused = &list[i];
    }
    if (d->refused.n > n) hand_over_rest(d, m);
}
