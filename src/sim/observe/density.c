/* Lanes over time. Bins and windows are both halved in number whenever time has outgrown them, so that a bin never straddles
 * two windows and a run of any length costs the same memory; an issue costs a few additions. */
#include "sim/observe/density.h"

void density_init(struct density *l, const struct density_options *o) {
    CHECK(o->bins && !(o->bins & (o->bins - 1)));
    CHECK(o->windows > 1 && !(o->windows & (o->windows - 1)) && o->windows <= o->bins);
    *l = (struct density){.o = *o};
    for (uint32_t w = 0; w < o->windows; w++) VEC_PUSH(&l->windows, (struct density_window){0});
}

static void free_rows(struct density_track *v, size_t n) {
    for (size_t i = 0; i < n; i++) xfree(v[i].cells);
}

void density_free(struct density *l) {
    free_rows(l->sms.v, l->sms.n);
    free_rows(l->warps.v, l->warps.n);
    for (size_t w = 0; w < l->windows.n; w++) VEC_FREE(&l->windows.v[w].issues);
    VEC_FREE(&l->sms);
    VEC_FREE(&l->warps);
    VEC_FREE(&l->windows);
}

uint64_t density_stride(const struct density *l) {
    return (uint64_t)(l->o.bins / l->o.windows) << l->shift;
}

uint32_t density_used(const struct density *l) {
    return (uint32_t)((l->end + ((uint64_t)1 << l->shift) - 1) >> l->shift);
}

/* ---- twice as long ---- */

static struct density_cell both(const struct density_cell *a, const struct density_cell *b) {
    const struct density_cell *more = b->votes > a->votes || !a->issues ? b : a, *less = more == a ? b : a;
    return (struct density_cell){a->issues + b->issues, a->threads + b->threads, more->pc,
                                 a->pc == b->pc ? a->votes + b->votes : more->votes - less->votes};
}

static void halve_rows(const struct density *l, struct density_track *v, size_t n) {
    for (size_t i = 0; i < n; i++) {
        struct density_cell *c = v[i].cells;
        for (uint32_t k = 0; c && k < l->o.bins; k++)
            c[k] = k < l->o.bins / 2 ? both(&c[2 * k], &c[2 * k + 1]) : (struct density_cell){0};
    }
}

static void density_keep(const struct density *l, struct density_window *w, const struct density_issue *i) {
    if (w->full) return;
    if (w->issues.n < l->o.issues) {
        VEC_PUSH(&w->issues, *i);
        return;
    }
    /* What came in this cycle goes too, so that a cycle is shown whole or not at all. */
    w->full = true;
    w->end = i->cycle;
    while (w->issues.n && w->issues.v[w->issues.n - 1].cycle == i->cycle) w->issues.n--;
}

/* The second of two windows goes on where the first ended, if that kept all it had. */
static void density_join(const struct density *l, struct density_window *a, struct density_window *b) {
    for (size_t i = 0; i < b->issues.n; i++) density_keep(l, a, &b->issues.v[i]);
    if (!a->full && b->full) {
        a->full = true;
        a->end = b->end;
    }
    VEC_FREE(&b->issues);
}

static void halve_windows(struct density *l) {
    const uint32_t n = l->o.windows;
    for (uint32_t w = 0; w < n / 2; w++) {
        struct density_window one = l->windows.v[2 * w];
        density_join(l, &one, &l->windows.v[2 * w + 1]);
        l->windows.v[w] = one;
    }
    for (uint32_t w = n / 2; w < n; w++) l->windows.v[w] = (struct density_window){0};
}

static void density_reach(struct density *l, uint64_t cycle) {
    while (cycle >> l->shift >= l->o.bins) {
        halve_rows(l, l->sms.v, l->sms.n);
        halve_rows(l, l->warps.v, l->warps.n);
        halve_windows(l);
        l->shift++;
    }
    if (cycle >= l->end) l->end = cycle + 1;
}

/* ---- issues ---- */

static void density_count(const struct density *l, struct density_track *row, uint64_t cycle,
                          uint32_t threads, uint32_t pc) {
    if (!row->cells) row->cells = xcalloc(l->o.bins, sizeof *row->cells);
    struct density_cell *c = &row->cells[cycle >> l->shift];
    c->issues++;
    c->threads += threads;
    if (c->votes && c->pc != pc) {
        c->votes--;
    } else {
        c->pc = pc;
        c->votes++;
    }
}

void density_packet(struct density *l, uint64_t cycle, uint32_t sm, uint32_t threads, uint32_t pc) {
    density_reach(l, cycle);
    while (l->sms.n <= sm) VEC_PUSH(&l->sms, (struct density_track){0});
    density_count(l, &l->sms.v[sm], cycle, threads, pc);
    l->issues++;
}

void density_piece(struct density *l, const struct density_issue *i) {
    while (l->warps.n <= i->warp) VEC_PUSH(&l->warps, (struct density_track){0});
    density_count(l, &l->warps.v[i->warp], i->cycle, (uint32_t)__builtin_popcount(i->mask), i->pc);
    density_keep(l, &l->windows.v[i->cycle / density_stride(l)], i);
}
