/* Rows for registers: a linear scan over the code that knows the holes in a register's life.
 *
 * Registers are taken in the order in which their life begins. A row holds the segments of the registers it
 * was given, those that are over forgotten; a register takes the first row that is free now and whose later
 * segments miss all of its own. An event queue keeps track of which rows are free, so that busy ones are
 * never looked at, and after TRIES free rows that do not fit a new one is opened: near-linear, and at worst a
 * few rows more than are needed. The three files are coloured apart. Predicate row 0 is IR_PT, so predicate
 * rows start at 1. */
#include <stdlib.h>

#include "base/bound.h"
#include "cfg/live.h"

enum { TRIES = 64 };

struct row {
    VEC(struct live_segment) left; /* not over yet, the next one last */
    uint32_t due;                  /* time of its one event that counts; others are old */
};

struct event {
    uint32_t time, row;
};

struct scan {
    const struct live *l;
    VEC(struct row) rows;
    VEC(uint64_t) free;       /* a bit per row */
    uint32_t full;            /* the words before this one have no bit set */
    VEC(struct event) events; /* heap, earliest first: a row's state changes */
    struct live_segment *merged;
};

/* ---- event queue ---- */

static bool colour_earlier(struct event a, struct event b) {
    return a.time != b.time ? a.time < b.time : a.row < b.row;
}

static void push_event(struct scan *s, struct event e) {
    VEC_PUSH(&s->events, e);
    size_t k = s->events.n - 1;
    for (; k && colour_earlier(e, s->events.v[(k - 1) / 2]); k = (k - 1) / 2)
        s->events.v[k] = s->events.v[(k - 1) / 2];
    s->events.v[k] = e;
}

static struct event pop_event(struct scan *s) {
    struct event top = s->events.v[0], last = s->events.v[--s->events.n];
    size_t k = 0, n = s->events.n;
    for (size_t child; (child = 2 * k + 1) < n; k = child) {
        if (child + 1 < n && colour_earlier(s->events.v[child + 1], s->events.v[child])) child++;
        if (!colour_earlier(s->events.v[child], last)) break;
        s->events.v[k] = s->events.v[child];
    }
    s->events.v[k] = last;
    return top;
}

/* ---- rows ---- */

/* Forgets what is over at `now`, notes whether the row is free, and when that changes. */
static void colour_refresh(struct scan *s, uint32_t r, uint32_t now) {
    struct row *row = &s->rows.v[r];
    while (row->left.n && row->left.v[row->left.n - 1].end <= now) row->left.n--;
    uint64_t bit = (uint64_t)1 << r % 64, *word = &s->free.v[r / 64];
    const struct live_segment *next = row->left.n ? &row->left.v[row->left.n - 1] : NULL;
    bool busy = next && next->start <= now;
    *word = busy ? *word & ~bit : *word | bit;
    if (!busy && r / 64 < s->full) s->full = r / 64;
    uint32_t due = !next ? CFG_NONE : busy ? next->end : next->start;
    if (due != row->due && due != CFG_NONE) push_event(s, (struct event){due, r});
    row->due = due;
}

static void colour_advance(struct scan *s, uint32_t now) {
    while (s->events.n && s->events.v[0].time <= now) {
        struct event e = pop_event(s);
        if (s->rows.v[e.row].due == e.time) colour_refresh(s, e.row, now);
    }
}

static uint32_t open_row(struct scan *s) {
    if (s->rows.n % 64 == 0) VEC_PUSH(&s->free, 0);
    VEC_PUSH(&s->rows, (struct row){.due = CFG_NONE});
    return (uint32_t)s->rows.n - 1;
}

/* Whether [start, end) misses all that the row still holds. */
static bool misses(const struct row *row, struct live_segment x) {
    size_t at; /* they descend */
    BOUND(at, 0, row->left.n, row->left.v[at].start >= x.end);
    return at == row->left.n || row->left.v[at].end <= x.start;
}

static bool colour_fits(const struct row *row, const struct live_segment *x, uint32_t n) {
    for (uint32_t k = 0; k < n; k++)
        if (!misses(row, x[k])) return false;
    return true;
}

static uint32_t choose_row(struct scan *s, const struct live_segment *x, uint32_t n) {
    uint32_t tries = 0;
    while (s->full < s->free.n && !s->free.v[s->full]) s->full++;
    for (uint32_t word = s->full; word < s->free.n && tries < TRIES; word++)
        for (uint64_t bits = s->free.v[word]; bits && tries < TRIES; bits &= bits - 1, tries++) {
            uint32_t r = word * 64 + (uint32_t)__builtin_ctzll(bits);
            if (colour_fits(&s->rows.v[r], x, n)) return r;
        }
    return open_row(s);
}

/* Merges n ascending segments into the row's descending ones, from the near end. */
static void occupy(struct scan *s, uint32_t r, const struct live_segment *x, uint32_t n) {
    struct row *row = &s->rows.v[r];
    size_t old = row->left.n, at = 0;
    VEC_RESERVE(&row->left, old + n);
    if (n == 1) { /* fits before all that is left */
        row->left.v[row->left.n++] = x[0];
    } else {
        s->merged = xrealloc(s->merged, (old + n) * sizeof *s->merged);
        size_t a = 0;
        for (uint32_t b = n; a < old || b > 0;)
            s->merged[at++] =
                b == 0 || (a < old && row->left.v[a].start > x[b - 1].start) ? row->left.v[a++] : x[--b];
        for (size_t k = 0; k < at; k++) row->left.v[k] = s->merged[k];
        row->left.n = at;
    }
    colour_refresh(s, r, x[0].start);
}

/* ---- one file ---- */

/* The file's registers that are ever alive, by the start of their life. */
static uint32_t *by_start(const struct live *l, enum ir_file f, uint32_t *n) {
    struct arena *mem = &l->w->mem;
    uint32_t lo = l->first[f], hi = l->first[f + 1];
    uint32_t *start = ARENA_NEW(mem, uint32_t, l->points + 1), *order = ARENA_NEW(mem, uint32_t, hi - lo);
    *n = 0;
    for (uint32_t r = lo; r < hi; r++)
        if (l->range[r] < l->range[r + 1]) {
            start[l->segments.v[l->range[r]].start + 1]++;
            ++*n;
        }
    for (uint32_t p = 0; p < l->points; p++) start[p + 1] += start[p];
    for (uint32_t r = lo; r < hi; r++)
        if (l->range[r] < l->range[r + 1]) order[start[l->segments.v[l->range[r]].start]++] = r;
    return order;
}

static void colour_file(const struct live *l, enum ir_file f, uint32_t *row_of) {
    struct scan s = {.l = l};
    uint32_t n;
    const uint32_t *order = by_start(l, f, &n);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t r = order[k], nseg = l->range[r + 1] - l->range[r];
        const struct live_segment *x = l->segments.v + l->range[r];
        colour_advance(&s, x[0].start);
        uint32_t row = choose_row(&s, x, nseg);
        occupy(&s, row, x, nseg);
        row_of[r] = row + (f == IR_FILE_P);
    }
    l->w->fn->nrow[f] = (uint32_t)s.rows.n;
    for (size_t r = 0; r < s.rows.n; r++) VEC_FREE(&s.rows.v[r].left);
    VEC_FREE(&s.rows);
    VEC_FREE(&s.free);
    VEC_FREE(&s.events);
    xfree(s.merged);
}

/* ---- results ---- */

static ir_opnd to_row(const struct live *l, ir_opnd o, const uint32_t *row_of) {
    uint32_t r = live_register(l, o);
    return r == CFG_NONE ? o : (o & ~IR_O_INDEX) | row_of[r];
}

static void rename_code(const struct live *l, const uint32_t *row_of) {
    struct work *w = l->w;
    for (uint32_t pc = w->fn->entry; pc < w->fn->end; pc++) {
        struct ir_insn *i = &w->m->code.v[pc];
        uint32_t g = live_guard(l, i);
        if (g != CFG_NONE) i->guard = (uint16_t)((i->guard & IR_GUARD_NEG) | row_of[g]);
        i->guard_hi = 0;
        for (int k = 0; k < i->nd + i->ns; k++) i->o[k] = to_row(l, i->o[k], row_of);
        uint32_t n, *more = ir_more(w->m, i, &n);
        for (uint32_t k = 0; k < n; k++) more[k] = to_row(l, more[k], row_of);
    }
}

bool colour_analyse(struct work *w, struct err *e) {
    struct live l = {.w = w};
    live_analyse(&l);
    uint32_t *row_of = ARENA_NEW(&w->mem, uint32_t, l.first[LIVE_FILES]);
    for (int f = 0; f < LIVE_FILES; f++) colour_file(&l, (enum ir_file)f, row_of);
    pressure_analyse(&l);
    w->fn->regs = w->fn->nrow[IR_FILE_32] + 2 * w->fn->nrow[IR_FILE_64];
    bool ok = w->fn->nrow[IR_FILE_P] <= IR_GUARD_INDEX;
    if (ok)
        rename_code(&l, row_of);
    else
        err_set(e, ERR_INPUT, "%s:%u: error: function %s needs more than %d predicates at once", w->m->name,
                w->fn->line, w->fn->name, IR_GUARD_INDEX);
    VEC_FREE(&l.segments);
    return ok;
}
