/* The tables of any mechanism, for the threads that are explained.
 *
 * Mechanisms print their tables with common words: sets of threads as "w3:0000000f w4:00000001" (mech/set.h), places as "pc 12"
 * or "rpc 12"; an entry is a line, and indented lines after it belong to it. That is all this file knows. A line is left out when
 * it has sets and none of them has a thread that is explained, an entry when that is so of all its sets. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/explain.h"

void explain_pc(const struct explain_view *v, uint32_t pc, struct sb *out) {
    const uint32_t old = explain_old_pc(v, pc);
    sb_add(out, "%" PRIu32, old);
    if (old < v->program->code.n) sb_add(out, " (B%" PRIu32 ")", v->program->code.v[old].block);
    const char *added = cfg_rewrite_added(v->form, pc);
    if (added) sb_add(out, " %s", added);
}

struct line {
    struct sb text, key;
    bool sets, mine; /* it has sets of threads; one of them has a thread that is explained */
};

struct tables {
    struct sb *text;
    VEC(struct sb) keys; /* of lines */
};

static bool digit(char c) {
    return c >= '0' && c <= '9';
}

/* Up to nine digits at p; how many. */
static size_t number(const char *p, uint32_t *value) {
    size_t n = 0;
    *value = 0;
    for (; n < 9 && digit(p[n]); n++) *value = *value * 10 + (uint32_t)(p[n] - '0');
    return n;
}

/* "w3:0000000f" at p; its length, or 0. */
static size_t piece(const char *p, uint32_t *slot, uint32_t *mask) {
    if (*p != 'w') return 0;
    size_t n = 1 + number(p + 1, slot);
    if (n == 1 || p[n++] != ':') return 0;
    *mask = 0;
    for (size_t end = n + 8; n < end; n++) {
        const char *hex = "0123456789abcdef", *d = p[n] ? strchr(hex, p[n]) : NULL;
        if (!d) return 0;
        *mask = *mask << 4 | (uint32_t)(d - hex);
    }
    return n;
}

/* Pieces parted by one space or plus are one set. Returns how much of the text it is. */
static size_t add_set(const struct explain_view *v, const char *p, struct line *l) {
    struct explain_lanes set = {0};
    uint32_t slot, mask;
    size_t n = 0, next;
    do {
        const size_t gap = n > 0;
        next = piece(p + n + gap, &slot, &mask);
        if (next) lanes_add(v, &set, slot, mask);
        if (next) n += gap + next;
    } while (next && (p[n] == ' ' || p[n] == '+'));
    if (!n) return 0;
    l->sets = true;
    l->mine |= lanes_any(&set);
    lanes_draw(v, &set, &l->text);
    lanes_draw(v, &set, &l->key);
    sb_add(&l->key, " ");
    return n;
}

/* "pc 12", and the "pc 12" of "rpc 12". */
static size_t add_place(const struct explain_view *v, const char *p, struct line *l) {
    uint32_t pc;
    if (strncmp(p, "pc ", 3) != 0 || !digit(p[3])) return 0;
    size_t n = 3 + number(p + 3, &pc);
    if (digit(p[n])) return 0;
    sb_add(&l->text, "pc ");
    explain_pc(v, pc, &l->text);
    return n;
}

static const char *add_line(const struct explain_view *v, const char *p, struct line *l) {
    while (*p && *p != '\n') {
        size_t n = add_set(v, p, l);
        if (!n) n = add_place(v, p, l);
        if (!n) sb_add(&l->text, "%c", *p);
        p += n ? n : 1;
    }
    sb_add(&l->text, "\n");
    sb_add(&l->key, "\n");
    return *p ? p + 1 : p;
}

/* An entry: a line and the indented ones after it. */
static const char *add_entry(const struct explain_view *v, const char *p, struct tables *t) {
    struct sb entry = {0};
    bool sets = false, mine = false;
    do {
        struct line l = {0};
        p = add_line(v, p, &l);
        if (l.mine || !l.sets) sb_add(&entry, "%s", l.text.text);
        if (l.mine)
            VEC_PUSH(&t->keys, l.key);
        else
            sb_free(&l.key);
        sets |= l.sets;
        mine |= l.mine;
        sb_free(&l.text);
    } while (*p == ' ');
    if (mine || !sets) sb_add(t->text, "%s", entry.text);
    sb_free(&entry);
    return p;
}

static int by_text(const void *a, const void *b) {
    const struct sb *x = a, *y = b;
    return strcmp(x->text, y->text);
}

/* Lines may trade places without any thread noticing: the key has them sorted. */
static void join_keys(struct tables *t, struct sb *out) {
    if (t->keys.n) qsort(t->keys.v, t->keys.n, sizeof *t->keys.v, by_text);
    for (size_t i = 0; i < t->keys.n; i++) {
        sb_add(out, "%s", t->keys.v[i].text);
        sb_free(&t->keys.v[i]);
    }
    VEC_FREE(&t->keys);
}

void explain_tables(const struct explain_view *v, const struct mech *m, struct sb *text, struct sb *key) {
    struct sb all = {0};
    struct tables t = {.text = text};
    if (m->ops->state) m->ops->state(m, &all);
    for (const char *p = all.text; p && *p;) p = add_entry(v, p, &t);
    join_keys(&t, key);
    sb_free(&all);
}
