/* The tables of any mechanism, for the threads that are explained.
 *
 * Mechanisms print their tables with common words: sets of threads as "w3:0000000f w4:00000001" (mech/lib/set.h), places as "pc 12"
 * or "rpc 12"; an entry is a line, and indented lines after it belong to it. That is all this file knows. A line is left out when
 * it has sets and none of them has a thread that is explained, an entry when that is so of all its sets.
 *
 * Printing them costs the host far more than a commit does, and most commits are of other threads. A fingerprint of the splits
 * says cheaply whether one of those can have changed anything for the threads explained. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "cli/cmd/explain/explain.h"
#include "mech/lib/order.h"
#include "mech/lib/split.h"

void explain_pc(const struct explain_view *v, uint32_t pc, struct sb *out) {
    const uint32_t old = explain_old_pc(v, pc);
    sb_add(out, "%" PRIu32, old);
    if (old < v->program->code.n) sb_add(out, " (B%" PRIu32 ")", v->program->code.v[old].block);
    const char *added = cfg_rewrite_added(v->form, pc);
    if (added) sb_add(out, " %s", added);
}

/* ---- words ---- */

static bool explain_tables_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Up to nine digits at p; how many. */
static size_t explain_tables_number(const char *p, uint32_t *value) {
    size_t n = 0;
    *value = 0;
    for (; n < 9 && explain_tables_digit(p[n]); n++) *value = *value * 10 + (uint32_t)(p[n] - '0');
    return n;
}

/* "w3:0000000f" at p; its length, or 0. */
static size_t piece(const char *p, uint32_t *slot, uint32_t *mask) {
    if (*p != 'w') return 0;
    size_t n = 1 + explain_tables_number(p + 1, slot);
    if (n == 1 || p[n++] != ':') return 0;
    *mask = 0;
    for (size_t end = n + 8; n < end; n++) {
        const char *hex = "0123456789abcdef", *d = p[n] ? strchr(hex, p[n]) : NULL;
        if (!d) return 0;
        *mask = *mask << 4 | (uint32_t)(d - hex);
    }
    return n;
}

/* Pieces separated by one space or plus are one set. Returns how much of the text it is. */
static size_t read_set(const struct explain_view *v, const char *p, struct explain_lanes *set) {
    uint32_t slot, mask;
    size_t n = 0, next;
    do {
        const size_t gap = n > 0;
        next = piece(p + n + gap, &slot, &mask);
        if (next && !n) *set = (struct explain_lanes){0};
        if (next) lanes_add(v, set, slot, mask);
        if (next) n += gap + next;
    } while (next && (p[n] == ' ' || p[n] == '+'));
    return n;
}

/* The number of "pc 12", and of "rpc 12"; the text before it is `before` long. */
static size_t read_place(const char *p, size_t before, uint32_t *pc) {
    if (before < 3 || !explain_tables_digit(*p) || memcmp(p - 3, "pc ", 3) != 0) return 0;
    const size_t n = explain_tables_number(p, pc);
    return explain_tables_digit(p[n]) ? 0 : n;
}

/* ---- lines ---- */

static void add_token(struct explain_tables *t, enum explain_token_kind kind, const char *text, size_t n,
                      size_t index) {
    if (kind == EXPLAIN_TEXT && !n) return;
    VEC_PUSH(&t->tokens, (struct explain_token){kind, text, n, (uint32_t)index});
}

/* Who is together: those of the set that are explained, and how many others. */
static uint64_t set_hash(const struct explain_view *v, uint64_t h, const struct explain_lanes *set) {
    const uint32_t from = v->first / 32, to = (v->first + v->count - 1) / 32;
    h = hash_bytes(h, set->word + from, (to - from + 1) * sizeof *set->word);
    return hash_bytes(h, &set->others, sizeof set->others);
}

/* Adds the line at p, and its hash to the key if it is one of the threads explained; returns what follows it. */
static const char *read_line(const struct explain_view *v, const char *p, struct explain_tables *t) {
    struct explain_line l = {.first = t->tokens.n};
    const char *text = p, *begin = p;
    uint64_t hash = HASH_START;
    while (*p && *p != '\n') {
        struct explain_lanes set;
        uint32_t pc;
        const size_t lanes = read_set(v, p, &set),
                     place = lanes ? 0 : read_place(p, (size_t)(p - begin), &pc);
        if (!lanes && !place) {
            p++;
            continue;
        }
        add_token(t, EXPLAIN_TEXT, text, (size_t)(p - text), 0);
        add_token(t, lanes ? EXPLAIN_SET : EXPLAIN_PC, p, lanes + place, lanes ? t->sets.n : pc);
        text = p += lanes + place;
        if (!lanes) continue;
        VEC_PUSH(&t->sets, set);
        hash = set_hash(v, hash, &set);
        l.sets = true;
        l.mine |= lanes_any(&set);
    }
    add_token(t, EXPLAIN_TEXT, text, (size_t)(p - text), 0);
    l.end = t->tokens.n;
    VEC_PUSH(&t->lines, l);
    if (l.mine) VEC_PUSH(&t->key, hash);
    return *p ? p + 1 : p;
}

/* An entry: a line and the indented ones after it. */
static const char *read_entry(const struct explain_view *v, const char *p, struct explain_tables *t) {
    const size_t from = t->lines.n;
    size_t kept = from;
    bool sets = false, mine = false;
    do {
        p = read_line(v, p, t);
    } while (*p == ' ');
    for (size_t i = from; i < t->lines.n; i++) {
        const struct explain_line l = t->lines.v[i];
        sets |= l.sets;
        mine |= l.mine;
        if (l.mine || !l.sets) t->lines.v[kept++] = l;
    }
    t->lines.n = mine || !sets ? kept : from;
    return p;
}

static int by_value(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

void explain_read_tables(const struct explain_view *v, const struct mech *m, struct explain_tables *t) {
    t->raw.len = t->tokens.n = t->sets.n = t->lines.n = t->key.n = 0;
    sb_add(&t->raw, "%s", "");
    order_settle(m->order, m->env.schedulers);
    if (m->ops->state) m->ops->state(m, &t->raw);
    for (const char *p = t->raw.text; *p;) p = read_entry(v, p, t);
    /* Lines may trade places without any thread noticing. */
    if (t->key.n) qsort(t->key.v, t->key.n, sizeof *t->key.v, by_value);
}

bool explain_same_key(const struct explain_tables *a, const struct explain_tables *b) {
    return a->key.n == b->key.n && (!a->key.n || !memcmp(a->key.v, b->key.v, a->key.n * sizeof *a->key.v));
}

/* The lines that are left, and what they are made of. */
struct explain_tables *explain_tables_copy(const struct explain_tables *t) {
    struct explain_tables *copy = xcalloc(1, sizeof *copy);
    sb_addn(&copy->raw, t->raw.text, t->raw.len);
    for (size_t i = 0; i < t->lines.n; i++) {
        struct explain_line l = t->lines.v[i];
        const size_t first = copy->tokens.n;
        for (size_t k = l.first; k < l.end; k++) {
            struct explain_token token = t->tokens.v[k];
            token.text = copy->raw.text + (token.text - t->raw.text);
            if (token.kind == EXPLAIN_SET) {
                VEC_PUSH(&copy->sets, t->sets.v[token.index]);
                token.index = (uint32_t)copy->sets.n - 1;
            }
            VEC_PUSH(&copy->tokens, token);
        }
        l.first = first;
        l.end = copy->tokens.n;
        VEC_PUSH(&copy->lines, l);
    }
    return copy;
}

void explain_tables_free(struct explain_tables *t) {
    sb_free(&t->raw);
    VEC_FREE(&t->tokens);
    VEC_FREE(&t->sets);
    VEC_FREE(&t->lines);
    VEC_FREE(&t->key);
}

/* ---- without printing ---- */

/* Hashes which splits these lanes are in, and which other lanes are. */
static uint64_t splits_hash(uint64_t h, const struct split_pool *p, uint32_t slot, uint32_t lanes) {
    uint32_t before = SPLIT_NONE;
    FOR_LANES(l, lanes) {
        const uint32_t id = p->holder[slot * 32 + l];
        h = hash_bytes(h, &id, sizeof id);
        if (id == SPLIT_NONE || id == before) continue;
        const struct mech_set *set = &split_known(p, id)->set;
        h = hash_bytes(h, set->p, set->n * sizeof *set->p);
        before = id;
    }
    return h;
}

uint64_t explain_fingerprint(const struct explain_view *v, struct sm *s) {
    const struct split_pool *p = sm_mech(s)->pool;
    uint64_t h = HASH_START;
    for (uint32_t k = v->first / 32; k <= (v->first + v->count - 1) / 32; k++) {
        const struct exec_warp *w = sm_warp(s, v->base + k);
        if (!w) continue;
        const uint32_t mine = lanes_chosen(v, k), waits[] = {w->blocked & mine, w->released & mine};
        h = hash_bytes(h, waits, sizeof waits);
        h = splits_hash(h, p, v->base + k, mine);
    }
    return h;
}
