/* The tables of any mechanism, for the threads that are explained.
 *
 * Mechanisms print their tables with common words: sets of threads as "w3:0000000f w4:00000001" (mech/set.h), places as "pc 12"
 * or "rpc 12"; an entry is a line, and indented lines after it belong to it. That is all this file knows: an entry is shown
 * when one of its sets has a thread that is explained, or when it has no set at all. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/explain.h"

void explain_pc(const struct explain_view *v, uint32_t pc, struct sb *out) {
    sb_add(out, "%" PRIu32, pc);
    if (pc < v->ir->code.n) sb_add(out, " (B%" PRIu32 ")", v->ir->code.v[pc].block);
}

struct entry {
    struct sb text, key;
    bool sets, mine;
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
static size_t add_set(const struct explain_view *v, const char *p, struct entry *e) {
    struct explain_lanes l = {0};
    uint32_t slot, mask;
    size_t n = 0, next;
    while ((next = piece(p + n + (n && (p[n] == ' ' || p[n] == '+')), &slot, &mask))) {
        n += next + (n > 0);
        lanes_add(v, &l, slot, mask);
    }
    if (!n) return 0;
    e->sets = true;
    e->mine |= lanes_any(&l);
    lanes_draw(v, &l, &e->text);
    lanes_draw(v, &l, &e->key);
    sb_add(&e->key, " ");
    return n;
}

/* "pc 12", and the "pc 12" of "rpc 12". */
static size_t add_place(const struct explain_view *v, const char *p, struct entry *e) {
    uint32_t pc;
    if (strncmp(p, "pc ", 3) != 0 || !digit(p[3])) return 0;
    size_t n = 3 + number(p + 3, &pc);
    if (digit(p[n])) return 0;
    sb_add(&e->text, "pc ");
    explain_pc(v, pc, &e->text);
    return n;
}

static const char *add_line(const struct explain_view *v, const char *p, struct entry *e) {
    while (*p && *p != '\n') {
        size_t n = add_set(v, p, e);
        if (!n) n = add_place(v, p, e);
        if (!n) sb_add(&e->text, "%c", *p);
        p += n ? n : 1;
    }
    sb_add(&e->text, "\n");
    sb_add(&e->key, "\n");
    return *p ? p + 1 : p;
}

static int by_text(const void *a, const void *b) {
    const struct sb *x = a, *y = b;
    return strcmp(x->text, y->text);
}

/* Entries may trade places without any thread noticing: the key has them sorted. */
static void join_keys(struct sb *keys, size_t n, struct sb *out) {
    if (n) qsort(keys, n, sizeof *keys, by_text);
    for (size_t i = 0; i < n; i++) {
        sb_add(out, "%s", keys[i].text);
        sb_free(&keys[i]);
    }
}

void explain_tables(const struct explain_view *v, const struct mech *m, struct sb *text, struct sb *key) {
    struct sb all = {0};
    VEC(struct sb) keys = {0};
    if (m->ops->state) m->ops->state(m, &all);
    for (const char *p = all.text; p && *p;) {
        struct entry e = {0};
        do p = add_line(v, p, &e);
        while (*p == ' ');
        if (e.mine || !e.sets) {
            sb_add(text, "%s", e.text.text);
            VEC_PUSH(&keys, e.key);
        } else {
            sb_free(&e.key);
        }
        sb_free(&e.text);
    }
    join_keys(keys.v, keys.n, key);
    VEC_FREE(&keys);
    sb_free(&all);
}
