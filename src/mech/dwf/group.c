/* Warps by PC, for the majority and minority policies (DWF 4.3, 4.4).
 *
 * Ready warps of one PC are a group: a list in order of arrival and the number of their threads. Groups are in a heap by
 * that number. Majority: the root is popped into the majority entry, all of whose warps issue, those that arrive meanwhile
 * included, before the next is popped. Minority: the first warp of the smallest group issues, each time.
 *
 * majority = heap is the hardware of 4.4: so many entries, found by PC through the MHeap LUT, which is told of every swap.
 * A group whose LUT entry is evicted gets no more warps; its PC may have a second one. A warp that arrives, or the root that is
 * popped, costs a core cycle for every swap; two ports do this for two at once ("one swap per cycle per warp", 4.4). What is
 * left after the scheduler cycle in which it began (W / SIMD width core cycles, 4.4.3) holds issue back until it is done. A
 * new PC that finds the heap full spills the smallest group, or itself if it is no larger.
 *
 * majority = pipelined is the heap that 4.4 names and does not evaluate. Every level is a memory of its own: an operation
 * passes the root's level first and is on the next a cycle later, so that the root is right, and another operation can
 * begin, every core cycle, however many swaps are under way below. A warp that arrives at an entry in the middle goes down
 * the path to it. So any operation takes a core cycle, one that swaps nothing too, and the heap is balanced for issue when
 * the last one has left the root. Threads that arrive in one cycle at one entry are one operation (NTHD of 4.4.1). The text
 * does not say how the MHeap LUT is told of swaps on all levels at once: it is.
 *
 * Where a warp of the pool gets more threads, its group is known and counts them, LUT or not; hardware would count them in
 * a new entry. A warp that cannot issue after all (scoreboard, busy unit) leaves its group, and its swaps are charged too. */
#include <inttypes.h>

#include "base/alloc.h"
#include "mech/dwf/dwf.h"

bool dwf_groups_init(struct mech *m, struct err *e) {
    struct dwf *d = m->self;
    const uint32_t groups = m->pool->cap + m->env.schedulers; /* a warp each, and empty majority entries */
    const size_t pcs = m->env.module->code.n + 1;
    if (!d->grouped) return true;
    d->group = PAGES_NEW(m->env.pages, struct dwf_group, groups);
    for (uint32_t g = 0; g < groups; g++) d->group[g].head = g + 1 < groups ? g + 1 : DWF_NONE;
    for (uint32_t k = 0; k < m->env.schedulers; k++) {
        struct dwf_sched *q = &d->q[k];
        q->majority = DWF_NONE;
        q->cap = d->real_heap ? dwf_params(m)->heap : m->pool->cap;
        q->heap = PAGES_NEW(m->env.pages, uint32_t, q->cap);
        if (d->real_heap && !lookup_init(&q->mlut, m->env.pages, "dwf.heap_lut", dwf_params(m)->heap_lut,
                                         dwf_params(m)->heap_lut_ways, e))
            return false;
        if (d->real_heap) continue;
        q->by_pc = pages_raw(m->env.pages, pcs * sizeof *q->by_pc);
        for (size_t pc = 0; pc < pcs; pc++) q->by_pc[pc] = DWF_NONE;
    }
    return true;
}

/* ---- the heap ---- */

/* An operation of so many swaps takes a port for so many cycles. A warp's swaps follow each other; those of as many warps as
 * there are ports go on beside each other. The port of a pipelined heap is its root. */
static void charge(struct mech *m, struct dwf_sched *q, uint32_t swaps, uint32_t cycles) {
    const struct dwf *d = m->self;
    const uint64_t now = *m->env.now;
    const uint32_t ports = d->pipelined ? 1 : dwf_params(m)->heap_ports;
    uint64_t *port = q->busy, from = dwf_balanced(d, q);
    if (!d->real_heap) return;
    dwf_counts(m)->heap_swaps += swaps;
    if (!cycles) return;
    for (uint32_t k = 1; k < ports; k++)
        if (q->busy[k] < *port) port = &q->busy[k];
    *port = (*port < now ? now : *port) + cycles;
    if (q->busy_all < *port) q->busy_all = *port;
    if (from < now) from = now;
    const uint64_t until = dwf_balanced(d, q);
    if (until > from) dwf_counts(m)->heap_stalls += until - from;
}

/* Whether group a belongs nearer to the root than b. */
static bool above(const struct dwf *d, uint32_t a, uint32_t b) {
    const uint32_t x = d->group[a].threads, y = d->group[b].threads;
    return d->policy == DWF_DMAJ ? x > y : x < y;
}

static void set_at(struct dwf *d, struct dwf_sched *q, uint32_t at, uint32_t g) {
    q->heap[at] = g;
    d->group[g].at = at;
    if (d->group[g].lut != DWF_NONE) q->mlut.e[d->group[g].lut].value = at;
}

static void dwf_group_swap(struct dwf *d, struct dwf_sched *q, uint32_t a, uint32_t b) {
    const uint32_t g = q->heap[a];
    set_at(d, q, a, q->heap[b]);
    set_at(d, q, b, g);
}

static uint32_t sift_up(struct dwf *d, struct dwf_sched *q, uint32_t at) {
    uint32_t swaps = 0;
    for (; at && above(d, q->heap[at], q->heap[(at - 1) / 2]); at = (at - 1) / 2, swaps++)
        dwf_group_swap(d, q, at, (at - 1) / 2);
    return swaps;
}

static uint32_t sift_down(struct dwf *d, struct dwf_sched *q, uint32_t at) {
    uint32_t swaps = 0;
    for (uint32_t kid; (kid = 2 * at + 1) < q->n; at = kid, swaps++) {
        if (kid + 1 < q->n && above(d, q->heap[kid + 1], q->heap[kid])) kid++;
        if (!above(d, q->heap[kid], q->heap[at])) break;
        dwf_group_swap(d, q, at, kid);
    }
    return swaps;
}

/* The group there goes to its place; in so many swaps. */
static uint32_t sift(struct dwf *d, struct dwf_sched *q, uint32_t at) {
    const uint32_t up = sift_up(d, q, at);
    return up ? up : sift_down(d, q, at);
}

/* The number of threads of the group there has changed. */
static void rebalance(struct mech *m, struct dwf_sched *q, uint32_t at) {
    struct dwf *d = m->self;
    struct dwf_group *gr = &d->group[q->heap[at]];
    const bool first = gr->updated != *m->env.now + 1;
    const uint32_t swaps = sift(d, q, at);
    gr->updated = *m->env.now + 1;
    charge(m, q, swaps, d->pipelined ? first : swaps);
}

/* Takes a group out of the heap. It can no longer be found there by its PC. */
static void unheap(struct mech *m, struct dwf_sched *q, uint32_t g) {
    struct dwf *d = m->self;
    struct dwf_group *gr = &d->group[g];
    const uint32_t at = gr->at, last = q->heap[--q->n];
    uint32_t swaps = 0;
    if (gr->lut != DWF_NONE) lookup_drop(&q->mlut, gr->lut);
    if (q->by_pc) q->by_pc[gr->pc] = DWF_NONE;
    gr->at = gr->lut = DWF_NONE;
    if (last != g) {
        set_at(d, q, at, last);
        swaps = sift(d, q, at);
    }
    charge(m, q, swaps, d->pipelined ? 1 : swaps);
}

static void free_group(struct dwf *d, uint32_t g) {
    d->group[g].head = d->free_group;
    d->free_group = g;
}

/* ---- groups ---- */

static uint32_t dwf_group_find(struct mech *m, struct dwf_sched *q, uint32_t pc) {
    struct dwf *d = m->self;
    if (q->majority != DWF_NONE && d->group[q->majority].pc == pc) return q->majority;
    if (!d->real_heap) return q->by_pc[pc];
    const uint32_t e = lookup_find(&q->mlut, pc);
    if (e != LOOKUP_NONE) return q->heap[q->mlut.e[e].value];
    dwf_counts(m)->heap_lut_misses++;
    return DWF_NONE;
}

/* Room for a group of so many threads in a full heap; false: all others are as large. The smallest is a leaf. */
static bool dwf_group_make_room(struct mech *m, struct dwf_sched *q, uint32_t threads) {
    struct dwf *d = m->self;
    uint32_t least = q->heap[q->n / 2];
    for (uint32_t k = q->n / 2 + 1; k < q->n; k++)
        if (d->group[q->heap[k]].threads < d->group[least].threads) least = q->heap[k];
    if (threads <= d->group[least].threads) return false;
    for (uint32_t id = d->group[least].head, next; id != DWF_NONE; id = next) {
        next = d->w[id].next;
        dwf_spill(m, split_at(m->pool, id));
        dwf_counts(m)->heap_spills++;
    }
    return true;
}

static void enter_lut(struct mech *m, struct dwf_sched *q, uint32_t g) {
    struct dwf *d = m->self;
    uint32_t old;
    d->group[g].lut = lookup_put(&q->mlut, d->group[g].pc, d->group[g].at, &old);
    if (old == LOOKUP_NONE) return;
    d->group[q->heap[old]].lut = DWF_NONE;
    dwf_counts(m)->heap_lut_evictions++;
}

/* A new group at the end of the heap, without warps, not in its place yet. */
static uint32_t new_group(struct mech *m, struct dwf_sched *q, uint32_t pc) {
    struct dwf *d = m->self;
    const uint32_t g = d->free_group;
    CHECK(g != DWF_NONE && q->n < q->cap);
    d->free_group = d->group[g].head;
    d->group[g] = (struct dwf_group){.pc = pc, .head = DWF_NONE, .tail = DWF_NONE, .lut = DWF_NONE};
    set_at(d, q, q->n++, g);
    if (q->n > dwf_counts(m)->heap_max) dwf_counts(m)->heap_max = q->n;
    if (d->real_heap)
        enter_lut(m, q, g);
    else
        q->by_pc[pc] = g;
    return g;
}

bool dwf_group_put(struct mech *m, struct mech_split *s) {
    struct dwf *d = m->self;
    struct dwf_sched *q = &d->q[s->sched];
    struct dwf_warp *w = &d->w[s->id];
    uint32_t g = dwf_group_find(m, q, s->pc);
    if (g == DWF_NONE) {
        if (q->n == q->cap && !dwf_group_make_room(m, q, s->threads)) return false;
        g = new_group(m, q, s->pc);
    }
    struct dwf_group *gr = &d->group[g];
    w->group = g;
    w->next = DWF_NONE;
    w->prev = gr->tail;
    *(gr->tail == DWF_NONE ? &gr->head : &d->w[gr->tail].next) = s->id;
    gr->tail = s->id;
    w->counted = s->threads;
    gr->threads += s->threads;
    if (gr->at != DWF_NONE) rebalance(m, q, gr->at);
    return true;
}

void dwf_group_take(struct mech *m, struct mech_split *s) {
    struct dwf *d = m->self;
    struct dwf_sched *q = &d->q[s->sched];
    struct dwf_warp *w = &d->w[s->id];
    const uint32_t g = w->group;
    struct dwf_group *gr = &d->group[g];
    *(w->prev == DWF_NONE ? &gr->head : &d->w[w->prev].next) = w->next;
    *(w->next == DWF_NONE ? &gr->tail : &d->w[w->next].prev) = w->prev;
    gr->threads -= w->counted;
    w->group = DWF_NONE;
    if (g == q->majority) return;
    if (gr->head != DWF_NONE) {
        rebalance(m, q, gr->at);
    } else {
        unheap(m, q, g);
        free_group(d, g);
    }
}

/* Threads of the groups of its PC in the heap, once s is there. */
static uint32_t threads_with(const struct dwf *d, const struct dwf_sched *q, const struct mech_split *s) {
    uint32_t threads = s->threads;
    for (uint32_t k = 0; k < q->n; k++)
        if (d->group[q->heap[k]].pc == s->pc) threads += d->group[q->heap[k]].threads;
    return threads;
}

struct mech_split *dwf_group_last(const struct mech *m, struct mech_split *s) {
    const struct dwf *d = m->self;
    const struct dwf_sched *q = &d->q[s->sched];
    const bool majority = q->majority != DWF_NONE && d->group[q->majority].pc == s->pc;
    if (!q->n) return s;
    uint32_t last = q->heap[q->n / 2];
    for (uint32_t k = q->n / 2 + 1; k < q->n; k++)
        if (above(d, last, q->heap[k])) last = q->heap[k];
    const struct dwf_group *gr = &d->group[last];
    const uint32_t mine = threads_with(d, q, s);
    const bool ahead = d->policy == DWF_DMAJ ? mine > gr->threads : mine < gr->threads;
    if (!majority && (gr->pc == s->pc || !ahead)) return s;
    return split_at(m->pool, gr->tail);
}

void dwf_group_grew(struct mech *m, struct mech_split *s) {
    struct dwf *d = m->self;
    struct dwf_warp *w = &d->w[s->id];
    struct dwf_group *gr = &d->group[w->group];
    gr->threads += s->threads - w->counted;
    w->counted = s->threads;
    if (gr->at != DWF_NONE) rebalance(m, &d->q[s->sched], gr->at);
}

struct mech_split *dwf_group_first(struct mech *m, uint32_t sched) {
    struct dwf *d = m->self;
    struct dwf_sched *q = &d->q[sched];
    if (d->policy == DWF_DMIN) return split_at(m->pool, d->group[q->heap[0]].head);
    if (q->majority == DWF_NONE || d->group[q->majority].head == DWF_NONE) {
        if (q->majority != DWF_NONE) free_group(d, q->majority);
        q->majority = q->heap[0];
        unheap(m, q, q->majority);
        mech_event(m, "majority pc %" PRIu32 " with %" PRIu32 " threads", d->group[q->majority].pc,
                   d->group[q->majority].threads);
    }
    return split_at(m->pool, d->group[q->majority].head);
}
