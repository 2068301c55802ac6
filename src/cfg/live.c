/* Liveness, one register at a time: from every block that reads it before writing it, backwards along the
 * edges to the blocks that write it. Nothing is kept per block, so the cost is the number of blocks the
 * register is alive in, and registers that live within one block, nearly all, cost what it takes to list
 * their uses.
 *
 * Liveness is a thread's: lanes share a row but each is its own thread, and a write under a mask changes the
 * lanes of the mask only. A write under a guard may leave the old value, so it does not end its life. What a
 * callee does is no concern: its rows are others (ir_link). A register read before any write is alive from
 * the function's entry: its value is undefined in PTX, and here that of a row not used otherwise until then.
 *
 * A result may take the row of an operand that dies in the same instruction only where an executor cannot
 * write before it has read: element-wise operations with one result. For all others (written-out and memory
 * kinds, several results) the results live from the moment of reading.
 *
 * A program can be built to have every register alive in every block. The blocks visited for one function are
 * bounded, generously for real code; once that is spent, a register that lives across blocks counts as alive everywhere. */
#include "cfg/live.h"

#include <stdlib.h>

enum occurrence { READ, WRITE_SOME, WRITE };
enum { VISITS_PER_INSN = 64, VISITS_MIN = 1 << 20, VISITS_MAX = 1 << 30 };

struct walk {
    struct live *l;
    /* Occurrences of register r: at[first[r] .. first[r + 1]): instruction << 2 | kind. */
    uint32_t *first, *at;
    /* block: register (plus one) last found alive at its start, at its end; written in it. */
    uint32_t *in, *out, *writes;
    uint32_t *touched, ntouched; /* blocks where the register occurs or is alive */
    uint32_t *seen;
    uint32_t *stack;
    uint64_t visits; /* left */
};

uint32_t live_register(const struct live *l, ir_opnd o) {
    enum ir_file f = ir_file(o);
    if (ir_is_const(o) || f == IR_FILE_NONE || (f == IR_FILE_P && !ir_index(o))) return CFG_NONE;
    CHECK(ir_index(o) < l->first[f + 1] - l->first[f]);
    return l->first[f] + ir_index(o);
}

uint32_t live_guard(const struct live *l, const struct ir_insn *i) {
    return live_register(l, ir_reg(IR_FILE_P, (i->guard & IR_GUARD_INDEX) | (uint32_t)i->guard_hi << 15));
}

/* ---- occurrences ---- */

typedef void note_fn(struct walk *k, uint32_t reg, uint32_t occurrence);

static void note_count(struct walk *k, uint32_t reg, uint32_t occurrence) {
    (void)occurrence;
    if (reg != CFG_NONE) k->first[reg + 2]++;
}

static void note_store(struct walk *k, uint32_t reg, uint32_t occurrence) {
    if (reg != CFG_NONE) k->at[k->first[reg + 1]++] = occurrence;
}

static void note_insn(struct walk *k, const struct ir_insn *i, uint32_t at, note_fn *note) {
    const struct live *l = k->l;
    note(k, live_guard(l, i), at << 2 | READ);
    for (int o = i->nd; o < i->nd + i->ns; o++) note(k, live_register(l, i->o[o]), at << 2 | READ);
    uint32_t n;
    const uint32_t *more = ir_more(l->w->m, i, &n);
    for (uint32_t o = 0; o < n; o++) note(k, live_register(l, more[o]), at << 2 | READ);
    for (int o = 0; o < i->nd; o++)
        note(k, live_register(l, i->o[o]), at << 2 | (insn_guarded(i) ? WRITE_SOME : WRITE));
}

static void list_occurrences(struct walk *k) {
    struct work *w = k->l->w;
    uint32_t nregs = k->l->first[LIVE_FILES], len = w->fn->end - w->fn->entry;
    k->first = ARENA_NEW(&w->mem, uint32_t, nregs + 2);
    for (uint32_t at = 0; at < len; at++) note_insn(k, &w->m->code.v[w->fn->entry + at], at, note_count);
    for (uint32_t r = 2; r < nregs + 2; r++) k->first[r] += k->first[r - 1];
    k->at = ARENA_NEW(&w->mem, uint32_t, k->first[nregs + 1]);
    for (uint32_t at = 0; at < len; at++) note_insn(k, &w->m->code.v[w->fn->entry + at], at, note_store);
}

/* ---- blocks a register is alive in ---- */

static uint32_t live_block_of(const struct walk *k, uint32_t occurrence) {
    const struct work *w = k->l->w;
    return w->m->code.v[w->fn->entry + (occurrence >> 2)].block - w->f->block;
}

static void live_touch(struct walk *k, uint32_t v, uint32_t stamp) {
    if (k->seen[v] == stamp) return;
    k->seen[v] = stamp;
    k->touched[k->ntouched++] = v;
}

/* Touches the blocks the register occurs in and stacks those that read it before they write it. */
static uint32_t find_exposed(struct walk *k, uint32_t reg) {
    uint32_t n = 0, stamp = reg + 1;
    k->ntouched = 0;
    for (uint32_t o = k->first[reg]; o < k->first[reg + 1]; o++) {
        uint32_t v = live_block_of(k, k->at[o]);
        live_touch(k, v, stamp);
        if ((k->at[o] & 3) == WRITE) k->writes[v] = stamp;
        if ((k->at[o] & 3) != READ || k->writes[v] == stamp || k->in[v] == stamp) continue;
        k->in[v] = stamp;
        k->stack[n++] = v;
    }
    return n;
}

/* False when the visits are spent. */
static bool live_spread(struct walk *k, uint32_t reg, uint32_t n) {
    const struct graph *g = &k->l->w->g;
    uint32_t stamp = reg + 1;
    while (n) {
        uint32_t v = k->stack[--n];
        for (uint32_t p = g->pfirst[v]; p < g->pfirst[v + 1]; p++) {
            uint32_t u = g->pred[p];
            if (!k->visits) return false;
            k->visits--;
            k->out[u] = stamp;
            live_touch(k, u, stamp);
            if (k->writes[u] == stamp || k->in[u] == stamp) continue;
            k->in[u] = stamp;
            k->stack[n++] = u;
        }
    }
    return true;
}

static int live_ascending(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void sort_touched(struct walk *k, uint32_t stamp) {
    uint32_t n = k->l->w->n;
    if (k->ntouched < n / 16) {
        if (k->ntouched > 1) qsort(k->touched, k->ntouched, sizeof *k->touched, live_ascending);
        return;
    }
    k->ntouched = 0;
    for (uint32_t v = 0; v < n; v++)
        if (k->seen[v] == stamp) k->touched[k->ntouched++] = v;
}

/* ---- segments ---- */

/* The register's segments begin at `from`; one that meets the last joins it. */
static void live_add_segment(struct live *l, uint32_t from, struct live_segment s) {
    if (s.start >= s.end) return;
    struct live_segment *last = l->segments.n > from ? &l->segments.v[l->segments.n - 1] : NULL;
    if (!last || s.start > last->end)
        VEC_PUSH(&l->segments, s);
    else if (s.end > last->end)
        last->end = s.end;
}

static bool writes_early(const struct ir_insn *i) {
    char kind = (char)ir_ops[i->op].kind;
    return i->nd > 1 || kind == 'A' || kind == 'M';
}

/* The life of a register within one block; *o is its next occurrence, moved past those in the block. */
static void add_block(struct walk *k, uint32_t reg, uint32_t v, uint32_t *o, uint32_t from) {
    struct work *w = k->l->w;
    uint32_t begin = 2 * (w->b[v].first - w->fn->entry), end = 2 * (w->b[v].end - w->fn->entry);
    bool alive = k->in[v] == reg + 1;
    struct live_segment s = {begin, begin};
    for (; *o < k->first[reg + 1] && 2 * (k->at[*o] >> 2) < end; ++*o) {
        uint32_t at = k->at[*o] >> 2, kind = k->at[*o] & 3;
        if (kind == WRITE || !alive) {
            live_add_segment(k->l, from, s);
            s.start = 2 * at + (kind == READ || writes_early(&w->m->code.v[w->fn->entry + at]) ? 0 : 1);
            alive = true;
        }
        s.end = 2 * at + (kind == READ ? 1 : 2);
    }
    if (k->out[v] == reg + 1) s.end = end;
    live_add_segment(k->l, from, s);
}

static void add_register(struct walk *k, uint32_t reg) {
    struct live *l = k->l;
    uint32_t from = (uint32_t)l->segments.n, o = k->first[reg];
    uint32_t exposed = find_exposed(k, reg);
    if (!live_spread(k, reg, exposed)) {
        live_add_segment(l, from, (struct live_segment){0, l->points});
        return;
    }
    sort_touched(k, reg + 1);
    for (uint32_t t = 0; t < k->ntouched; t++) add_block(k, reg, k->touched[t], &o, from);
}

void live_analyse(struct live *l) {
    struct work *w = l->w;
    for (int f = 0; f < LIVE_FILES; f++) l->first[f + 1] = l->first[f] + w->fn->nvirt[f];
    uint32_t nregs = l->first[LIVE_FILES], len = w->fn->end - w->fn->entry;
    l->points = 2 * len;
    struct walk k = {.l = l, .visits = (uint64_t)VISITS_PER_INSN * len + VISITS_MIN};
    if (k.visits > VISITS_MAX) k.visits = VISITS_MAX;
    uint32_t **columns[] = {&k.in, &k.out, &k.writes, &k.touched, &k.seen, &k.stack};
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
        *columns[c] = ARENA_NEW(&w->mem, uint32_t, w->n);
    list_occurrences(&k);
    l->range = ARENA_NEW(&w->mem, uint32_t, nregs + 1);
    for (uint32_t r = 0; r < nregs; r++) {
        l->range[r] = (uint32_t)l->segments.n;
        add_register(&k, r);
    }
    l->range[nregs] = (uint32_t)l->segments.n;
}
