/* What the watchdog wants to know of threads. Where every one goes on, for those who want to continue without this machine
 * (its verdict): what the mechanism holds, it knows; of an instruction under way the outcome is known here, and it counts
 * over what the mechanism last heard. Who ran; and who could not, because something of his is under way. */
#include "mech/lib/set.h"
#include "mech/lib/split.h"
#include "sm/impl.h"

struct places {
    const struct sm *s;
    uint32_t *pc;
};

static void sm_places_put(void *user, uint32_t warp, uint32_t mask, uint32_t pc) {
    const struct places *p = user;
    FOR_LANES(l, mask) p->pc[warp * SM_LANES + l] = pc;
}

/* Threads that wait have been released already if nothing blocks them. */
static void put_node(const struct places *p, const struct sm_op *op, const struct sm_node *n) {
    const struct exec_warp *w = p->s->warps[n->warp].w;
    if (n->pc == SM_EXITED || !w) return;
    FOR_LANES(l, n->mask)
    p->pc[n->warp * SM_LANES + l] = n->pc == SM_BLOCKED  ? w->wait_pc[l] + 1
                                    : n->pc == SM_MARKED ? op->pc + 1
                                                         : n->pc;
}

static void put_op(struct places *p, const struct sm_op *op) {
    const struct mech_set *set = &op->split->set;
    for (uint32_t k = 0; op->sides == SM_NONE && k < set->n; k++)
        sm_places_put(p, set->p[k].warp, set->p[k].mask, op->to);
    for (uint32_t k = op->sides; k != SM_NONE; k = p->s->nodes.v[k].next) put_node(p, op, &p->s->nodes.v[k]);
    for (uint32_t k = op->freed; k != SM_NONE; k = p->s->nodes.v[k].next) put_node(p, op, &p->s->nodes.v[k]);
}

static void put_held(struct places *p) {
    for (uint32_t k = 0; k < p->s->nwarps * SM_LANES; k++) p->pc[k] = IR_NOPC;
    mech_places(p->s->mech, sm_places_put, p);
}

void places_held(const struct sm *s, uint32_t *pc) {
    struct places p = {s, pc};
    put_held(&p);
    for (uint32_t k = 0; k < s->ops.pool.used; k++) {
        const struct mech_split *split = s->ops.v[k].split;
        for (uint32_t i = 0; split && i < split->set.n; i++)
            sm_places_put(&p, split->set.p[i].warp, split->set.p[i].mask, IR_NOPC);
    }
}

void sm_places(const struct sm *s, uint32_t *pc) {
    struct places p = {s, pc};
    put_held(&p);
    for (uint32_t k = 0; k < s->ops.pool.used; k++)
        if (s->ops.v[k].split) put_op(&p, &s->ops.v[k]);
}

uint32_t sm_warps(const struct sm *s) {
    return s->nwarps;
}

struct exec_warp *sm_warp(const struct sm *s, uint32_t slot) {
    return s->warps[slot].w;
}

/* ---- who runs ---- */

uint32_t sm_ran(const struct sm *s, uint32_t slot) {
    return s->warps[slot].ran;
}

void sm_forget(struct sm *s) {
    for (uint32_t k = 0; k < s->nwarps; k++) s->warps[k].ran = 0;
}

static uint32_t lanes_in_flight(const struct sm *s, uint32_t slot) {
    uint32_t lanes = 0;
    for (uint32_t k = 0; k < s->ops.pool.used; k++) {
        const struct mech_split *split = s->ops.v[k].split;
        for (uint32_t i = 0; split && i < split->set.n; i++)
            if (split->set.p[i].warp == slot) lanes |= split->set.p[i].mask;
    }
    return lanes;
}

/* Lanes for which an instruction is being fetched. A split fetches for the threads of its set only, not for those that
 * wait on its stack. */
static uint32_t lanes_fetching(const struct sm *s, uint32_t slot, uint32_t live) {
    uint32_t lanes = 0;
    FOR_LANES(l, s->fetched ? live : 0) {
        const struct mech_split *split = split_of(s->mech->pool, slot, l);
        if (split && s->fetched[split->id].ready > s->now) lanes |= set_mask(&split->set, slot) & 1u << l;
    }
    return lanes;
}

static uint32_t lanes_clocked(const struct sm *s, uint32_t slot, uint32_t live) {
    uint32_t lanes = 0;
    FOR_LANES(l, s->mech->ops->clocked ? live : 0)
    lanes |= (uint32_t)s->mech->ops->clocked(s->mech, slot, l) << l;
    return lanes;
}

uint32_t sm_under_way(const struct sm *s, uint32_t slot) {
    const struct sm_warp *w = &s->warps[slot];
    uint32_t lanes = lanes_in_flight(s, slot) | lanes_fetching(s, slot, w->w->live);
    lanes |= lanes_clocked(s, slot, w->w->live & ~lanes);
    for (uint32_t k = 0; k < w->nscore; k++)
        if (w->score[k].ready > s->now) lanes |= w->score[k].mask;
    return lanes;
}

uint64_t sm_turn(const struct sm *s, uint32_t classes) {
    uint64_t slowest = 1;
    FOR_LANES(c, classes) if (s->interval[c] > slowest) slowest = s->interval[c];
    return slowest * s->beats * s->nwarps * SM_LANES;
}

void sm_loops(struct sm *s, uint32_t slot, uint32_t lanes) {
    s->warps[slot].loops = lanes;
}
