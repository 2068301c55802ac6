/* What orders accesses: barriers, bar.warp.sync, fences with the stores and atomics behind them, and nothing else.
 *
 * At a barrier all who wait learn what each of them did before, and what those did who only arrived. Threads that have exited
 * count too where the barrier waits for the whole block: it could not complete before they did.
 *
 * A fence notes what its thread knows at that moment; every later volatile, relaxed or atomic store of the thread leaves that
 * note at the word it writes, and who reads the word by such an access learns it. An atomic keeps the notes that it finds,
 * as release sequences do; a store replaces them. st.release and atom.release fence before, by themselves. That a reader
 * fences too is not asked for: threadFenceReduction of NVIDIA's samples does not. A fence of the block's scope counts for
 * threads of the block only. */
#include "base/alloc.h"
#include "exec/race/impl.h"

/* ---- the threads of a block ---- */

void races_block_free(struct exec_block *b) {
    struct races_block *rb = b->races;
    struct exec_races *r = b->grid ? b->grid->races : NULL;
    if (!rb) return;
    for (uint32_t k = 0; k < r->nunits; k++) {
        clock_drop(r, rb->unit[k].clock);
        for (int s = 0; s < RACES_SCOPES; s++) clock_drop(r, rb->unit[k].fence[s].clock);
    }
    for (uint32_t k = 0; k < EXEC_BARRIERS; k++) clock_drop(r, rb->arrived[k]);
    for (uint32_t k = 0; k < 2; k++) clock_drop(r, rb->cluster[k]);
    for (uint32_t k = 0; k < rb->npages; k++) shadow_free_page(r, &rb->page[k]);
    xfree(rb->unit);
    xfree(rb->page);
    xfree(rb);
    b->races = NULL;
}

void races_block_start(struct exec_block *b) {
    struct exec_races *r = b->grid->races;
    races_block_free(b);
    struct races_block *rb = b->races = xcalloc(1, sizeof *rb);
    rb->index = (uint32_t)b->index;
    rb->unit = xcalloc(r->nunits, sizeof *rb->unit);
    rb->npages = (b->grid->shared_bytes + RACES_PAGE - 1) / RACES_PAGE;
    rb->page = xcalloc(rb->npages, sizeof *rb->page);
    struct races_clock *nothing = clock_new(r);
    for (uint32_t k = 0; k < r->nunits; k++) {
        rb->unit[k].clock = clock_ref(nothing);
        rb->unit[k].epoch = 1;
    }
    clock_drop(r, nothing);
}

/* ---- meeting ---- */

struct units {
    uint32_t n;
    uint16_t v[EXEC_MAX_THREADS];
};

static void add_lanes(const struct exec_races *r, struct units *u, uint32_t warp, uint32_t lanes) {
    if (r->mode == EXEC_RACES_LOCKSTEP && lanes) lanes = 1;
    FOR_LANES(l, lanes) u->v[u->n++] = (uint16_t)races_unit_of(r, warp * EXEC_LANES + l);
}

static void note_epochs(const struct races_block *rb, const struct units *u, struct races_part *p) {
    for (uint32_t k = 0; k < u->n; k++) {
        const uint32_t epoch = rb->unit[u->v[k]].epoch;
        if (p->epoch[u->v[k]] < epoch) p->epoch[u->v[k]] = epoch;
    }
}

/* Lets each unit of `in` learn what all of them know and did, what `others` did up to now, and what `brought` says. */
static void races_order_meet(struct exec_races *r, struct races_block *rb, const struct units *in,
                             const struct units *others, const struct races_clock *brought) {
    struct races_clock *all = NULL;
    const struct races_clock *last = NULL; /* many have the same */
    for (uint32_t k = 0; k < in->n; k++) {
        struct races_clock *c = rb->unit[in->v[k]].clock;
        rb->unit[in->v[k]].clock = NULL;
        if (!all) {
            all = c;
            continue;
        }
        if (c != last) clock_join(r, &all, c);
        last = c;
        clock_drop(r, c);
    }
    clock_join(r, &all, brought);
    struct races_part *p = clock_write(r, &all, rb->index);
    note_epochs(rb, in, p);
    note_epochs(rb, others, p);
    for (uint32_t k = 0; k < in->n; k++) {
        rb->unit[in->v[k]].clock = clock_ref(all);
        rb->unit[in->v[k]].epoch++;
    }
    clock_drop(r, all);
}

void races_barrier(struct exec_block *b, uint32_t id) {
    struct exec_races *r = b->grid->races;
    struct races_block *rb = b->races;
    struct units in = {0}, gone = {0};
    for (uint32_t k = 0; k < b->nwarps; k++) {
        const struct exec_warp *w = &b->warps[k];
        uint32_t lanes = 0, arrived = 0;
        FOR_LANES(l, w->bar_wait) lanes |= (uint32_t)(w->bar_id[l] == id) << l;
        FOR_LANES(l, w->arrives) arrived |= (uint32_t)(w->arrived[l] >> id & 1) << l;
        add_lanes(r, &in, k, lanes);
        const uint32_t dead = r->mode == EXEC_RACES_LOCKSTEP && w->live ? 0 : ~w->live & ~arrived;
        if (!b->bar[id].count) add_lanes(r, &gone, k, dead);
    }
    if (in.n) races_order_meet(r, rb, &in, &gone, rb->arrived[id]);
    clock_drop(r, rb->arrived[id]);
    rb->arrived[id] = NULL;
}

void races_met(struct exec_warp *w, uint32_t group, uint32_t member) {
    struct exec_races *r = w->block->grid->races;
    struct units in = {0}, gone = {0};
    if (r->mode == EXEC_RACES_LOCKSTEP) return;
    add_lanes(r, &in, w->index, group);
    add_lanes(r, &gone, w->index, member & ~w->live);
    races_order_meet(r, w->block->races, &in, &gone, NULL);
    r->met = true;
}

/* ---- fences, and what they publish ---- */

static void fence(struct exec_races *r, struct races_unit *u, bool cta) {
    for (int s = cta ? RACES_CTA : RACES_GPU; s < RACES_SCOPES; s++) {
        clock_drop(r, u->fence[s].clock);
        u->fence[s].clock = clock_ref(u->clock);
        u->fence[s].epoch = u->epoch;
    }
    u->epoch++;
}

static void leave_note(struct exec_races *r, struct races_block *b, uint32_t unit, enum races_scope scope,
                       struct races_clock **to) {
    const struct races_unit *u = &b->unit[unit];
    clock_join(r, to, u->fence[scope].clock);
    struct races_part *p = clock_write(r, to, b->index);
    if (p->epoch[unit] < u->fence[scope].epoch) p->epoch[unit] = u->fence[scope].epoch;
}

void races_publish(struct exec_races *r, struct races_block *b, uint32_t unit, struct races_cell *c,
                   uint8_t order, bool keep) {
    const bool cta = order & IR_ORDER_CTA;
    struct races_unit *u = &b->unit[unit];
    if ((order & IR_ORDER) >= IR_RELEASE) fence(r, u, cta);
    if (!keep) shadow_clear_sync(r, c);
    if (!u->fence[RACES_CTA].clock) return;
    struct races_sync *s = shadow_sync(r, c);
    if (u->fence[RACES_GPU].clock && !cta) leave_note(r, b, unit, RACES_GPU, &s->gpu);
    if (s->block != b->index) {
        clock_drop(r, s->cta);
        s->cta = NULL;
        s->block = b->index;
    }
    leave_note(r, b, unit, RACES_CTA, &s->cta);
}

static void races_order_learn(struct exec_races *r, struct races_unit *u, enum races_scope scope,
                              const struct races_clock *c) {
    if (!c || u->learnt[scope] == c->stamp) return;
    clock_join(r, &u->clock, c);
    u->learnt[scope] = c->stamp;
}

void races_acquire(struct exec_races *r, struct races_block *b, struct races_unit *u,
                   const struct races_sync *s) {
    races_order_learn(r, u, RACES_GPU, s->gpu);
    if (s->block == b->index) races_order_learn(r, u, RACES_CTA, s->cta);
}

/* ---- executors in place of the plain ones ---- */

/* Runs exit, ret and system calls. exit and ret may complete a barrier for other threads, and malloc may return memory
 * that another thread has released. */
void races_release(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    struct exec_grid *g = x->warp->block->grid;
    g->races_released = g->races;
    g->image->fn[i->op](x, i, mask);
    g->races_released = NULL;
}

static void races_order_arrive(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    struct exec_races *r = x->warp->block->grid->races;
    struct races_block *b = x->warp->block->races;
    FOR_LANES(l, mask) {
        const uint32_t id = (uint32_t)opnd_get(x, i->o[i->nd], l);
        const uint32_t unit = races_unit_of(r, x->warp->index * EXEC_LANES + l);
        if (id >= EXEC_BARRIERS) return;
        clock_join(r, &b->arrived[id], b->unit[unit].clock);
        clock_write(r, &b->arrived[id], b->index)->epoch[unit] = b->unit[unit].epoch++;
    }
}

/* When the phase of a cluster's barrier is over, waiting threads learn what all threads did before they arrived. */
void races_cluster(struct exec_block *b) {
    struct exec_races *r = b->grid->races;
    struct races_block *rb = b->races;
    clock_drop(r, rb->cluster[1]);
    rb->cluster[1] = rb->cluster[0];
    rb->cluster[0] = NULL;
    for (uint32_t k = 0; k < b->nwarps; k++) FOR_LANES(l, b->warps[k].bar_wait) {
            if (b->warps[k].bar_id[l] != EXEC_CLUSTER) continue;
            clock_join(r, &rb->unit[races_unit_of(r, k * EXEC_LANES + l)].clock, rb->cluster[1]);
        }
}

void races_cluster_bar(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    struct exec_races *r = x->warp->block->grid->races;
    struct races_block *b = x->warp->block->races;
    const uint32_t over = x->warp->cluster[1];
    FOR_LANES(l, mask) {
        const uint32_t unit = races_unit_of(r, x->warp->index * EXEC_LANES + l);
        if (i->op == IR_CLUSTER_ARRIVE) {
            clock_join(r, &b->cluster[0], b->unit[unit].clock);
            clock_write(r, &b->cluster[0], b->index)->epoch[unit] = b->unit[unit].epoch++;
        } else if (over >> l & 1) {
            clock_join(r, &b->unit[unit].clock, b->cluster[1]);
        }
    }
    races_release(x, i, mask);
}

void races_bar(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    if (i->op == IR_BAR_ARRIVE) races_order_arrive(x, i, mask);
    races_release(x, i, mask);
}

/* Lanes that need not wait for others meet here, the rest when the last one comes (races_met). */
void races_warpsync(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    struct exec_warp *w = x->warp;
    struct exec_races *r = w->block->grid->races;
    const uint32_t member = (uint32_t)opnd_get(x, i->o[i->nd + i->ns - 1], (uint32_t)__builtin_ctz(mask));
    r->met = false;
    races_release(x, i, mask);
    if (!r->met && x->out->flow == EXEC_NEXT) races_met(w, mask, member);
}

void races_fence(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    struct exec_races *r = x->warp->block->grid->races;
    FOR_LANES(l, mask)
    fence(r, &x->warp->block->races->unit[races_unit_of(r, x->warp->index * EXEC_LANES + l)],
          i->order & IR_ORDER_CTA);
}
