/* From what a step said about each piece to the outcome the mechanism is told at commit.
 *
 * While an op is under way the next PCs of its threads are nodes {PC, warp, lanes}; none means that all go to one PC, as
 * after most instructions. Released threads (the last arrival at a barrier sets the others free) travel with the op
 * that released them and come back to the mechanism when it commits. A thread can be released by an op that commits before
 * the one with which the thread itself began to wait: it is then kept until that one has committed too. */
#include <string.h>

#include "mech/lib/set.h"
#include "sm/impl.h"

static void add_side(struct sm *s, struct sm_op *op, uint32_t pc, uint32_t warp, uint32_t mask) {
    if (mask) op->sides = node_take(s, pc, warp, mask, op->sides);
}

/* Lanes with a PC each, grouped. */
static void sides_each(struct sm *s, struct sm_op *op, uint32_t warp, uint32_t left) {
    const uint32_t *pc = s->env.grid->out.pc;
    while (left) {
        const uint32_t to = pc[__builtin_ctz(left)];
        uint32_t here = 0;
        FOR_LANES(l, left) here |= (uint32_t)(pc[l] == to) << l;
        add_side(s, op, to, warp, here);
        left &= ~here;
    }
}

/* Threads of the block that a barrier or their warp has set free. */
static void collect_released(struct sm *s, struct sm_op *op, uint32_t block) {
    struct exec_block *b = &s->blocks[block].b;
    for (uint32_t k = 0; k < b->nwarps; k++) {
        struct exec_warp *w = &b->warps[k];
        uint32_t left = w->released;
        w->released = 0;
        while (left) {
            const uint32_t pc = w->wait_pc[__builtin_ctz(left)];
            uint32_t here = 0;
            FOR_LANES(l, left) here |= (uint32_t)(w->wait_pc[l] == pc) << l;
            op->freed = node_take(s, pc + 1, block * s->block_warps + k, here, op->freed);
            left &= ~here;
        }
    }
}

void outcome_note(struct sm *s, struct sm_op *op, uint32_t k) {
    const struct exec_out *o = &s->env.grid->out;
    const struct mech_set *set = &op->split->set;
    const struct mech_piece p = set->p[k];
    if (o->flow == EXEC_NEXT) {
        add_side(s, op, op->pc + 1, p.warp, p.mask);
        return;
    }
    if (o->flow == EXEC_JUMP && o->taken == p.mask && set->n == 1 && sm_insn(s, op->pc)->op == IR_BRA) {
        op->to = o->target;
        return;
    }
    if (op->sides == SM_NONE)
        for (uint32_t before = 0; before < k; before++)
            add_side(s, op, op->pc + 1, set->p[before].warp, set->p[before].mask);
    add_side(s, op, op->pc + 1, p.warp, p.mask & ~(o->taken | o->exited | o->waiting));
    add_side(s, op, SM_EXITED, p.warp, p.mask & o->exited);
    add_side(s, op, SM_BLOCKED, p.warp, p.mask & o->waiting);
    if (o->flow == EXEC_EACH)
        sides_each(s, op, p.warp, p.mask & o->taken);
    else
        add_side(s, op, sm_insn(s, op->pc)->op == IR_MARK ? SM_MARKED : o->target, p.warp, p.mask & o->taken);
    if (o->woke) collect_released(s, op, s->warps[p.warp].block);
}

/* Threads whose wait began and ended within this op, because a later piece was the last to arrive, simply go on. */
static void reunite(struct sm *s, struct sm_op *op, struct sm_node *freed) {
    for (uint32_t k = op->sides; k != SM_NONE; k = s->nodes.v[k].next) {
        struct sm_node *n = &s->nodes.v[k];
        if (n->pc != SM_BLOCKED || n->warp != freed->warp || freed->pc != op->pc + 1) continue;
        const uint32_t both = n->mask & freed->mask;
        n->mask &= ~both;
        freed->mask &= ~both;
        add_side(s, op, op->pc + 1, freed->warp, both);
    }
}

void outcome_settle(struct sm *s, struct sm_op *op) {
    if (op->split->set.n == 1) return;
    for (uint32_t k = op->freed; k != SM_NONE; k = s->nodes.v[k].next) reunite(s, op, &s->nodes.v[k]);
}

/* ---- commit ---- */

/* The side of that PC, kept in order of PCs. */
static struct mech_set *outcome_side_at(struct sm *s, uint32_t pc) {
    struct mech_outcome *o = &s->common->outcome;
    struct mech_side *sides = s->common->sides;
    uint32_t k = o->nsides;
    while (k && sides[k - 1].pc > pc) k--;
    if (k && sides[k - 1].pc == pc) return &sides[k - 1].set;
    CHECK(o->nsides < MECH_SIDES);
    for (uint32_t j = o->nsides++; j > k; j--) {
        sides[j].pc = sides[j - 1].pc;
        sides[j].set.n = sides[j - 1].set.n;
        memcpy(sides[j].set.p, sides[j - 1].set.p, sides[j].set.n * sizeof *sides[j].set.p);
    }
    sides[k].pc = pc;
    sides[k].set.n = 0;
    return &sides[k].set;
}

static inline struct mech_outcome *outcome_begin(struct sm *s, uint32_t pc) {
    struct mech_outcome *o = &s->common->outcome;
    o->insn = sm_insn(s, pc);
    o->pc = pc;
    o->nsides = o->exited.n = o->waiting.n = o->marked.n = 0;
    o->side = s->common->sides;
    o->depth_change = sm_code(s, pc)->depth_change;
    return o;
}

/* All threads of the split that ran the instruction at pc, if it has any, go to one. */
static void describe_next(struct sm *s, const struct mech_split *split, uint32_t pc, uint32_t to) {
    outcome_begin(s, pc)->nsides = split->set.n != 0;
    s->common->sides[0].pc = to;
    set_copy(&s->common->sides[0].set, &split->set);
}

static void describe_sides(struct sm *s, const struct sm_op *op) {
    struct mech_outcome *o = outcome_begin(s, op->pc);
    for (uint32_t k = op->sides; k != SM_NONE; k = s->nodes.v[k].next) {
        const struct sm_node *n = &s->nodes.v[k];
        if (!n->mask) continue;
        if (n->pc == SM_MARKED) set_add(&o->marked, n->warp, n->mask);
        struct mech_set *to = n->pc == SM_EXITED ? &o->exited
                              : n->pc == SM_BLOCKED
                                  ? &o->waiting
                                  : outcome_side_at(s, n->pc == SM_MARKED ? op->pc + 1 : n->pc);
        set_add(to, n->warp, n->mask);
    }
}

static void count_branch(struct sm *s) {
    const struct mech_outcome *o = &s->common->outcome;
    const uint32_t ways = o->nsides + (o->exited.n > 0);
    if (!s->env.branch || ways < 2) return;
    sm_code(s, o->pc); /* another thread of the host may have issued it */
    s->env.branch[o->pc].divergences++;
    s->env.branch[o->pc].sides += ways;
}

static void hand_over(struct sm *s, uint32_t pc) {
    s->mech->ops->release(s->mech, &s->common->freed, pc);
    if (s->charge) charge_released(s, &s->common->freed, pc);
}

/* Hands threads back that are free and have been seen waiting; one call per PC. */
static void outcome_release(struct sm *s, uint32_t nodes) {
    while (nodes != SM_NONE) {
        uint32_t pc = SM_NONE;
        s->common->freed.n = 0;
        for (uint32_t k = nodes; k != SM_NONE; k = s->nodes.v[k].next) {
            struct sm_node *n = &s->nodes.v[k];
            if (!n->mask || (pc != SM_NONE && n->pc != pc)) continue;
            struct sm_warp *w = &s->warps[n->warp];
            pc = n->pc;
            w->due |= n->mask & ~w->waiting;
            const uint32_t now = n->mask & w->waiting;
            w->waiting &= ~now;
            n->mask = 0;
            if (now) set_add(&s->common->freed, n->warp, now);
        }
        if (pc == SM_NONE) return;
        if (s->common->freed.n) hand_over(s, pc);
    }
}

/* Threads begin to wait; some may be free already. */
static void outcome_wait(struct sm *s, uint32_t pc) {
    const struct mech_set *set = &s->common->outcome.waiting;
    s->common->freed.n = 0;
    for (uint32_t k = 0; k < set->n; k++) {
        struct sm_warp *w = &s->warps[set->p[k].warp];
        const uint32_t free = w->due & set->p[k].mask;
        w->waiting |= set->p[k].mask & ~free;
        w->due &= ~free;
        if (free) set_add(&s->common->freed, set->p[k].warp, free);
    }
    if (s->common->freed.n) hand_over(s, pc + 1);
}

/* There is an observer. said: length of the mechanism's remarks before the commit; they are parted by "; ". */
static void show_commit(struct sm *s, const struct sm_op *op, size_t said) {
    const struct sm_observer *o = s->env.observer;
    if (!o->commit) return;
    const char *event = s->event.len > said ? s->event.text + said : "";
    if (said && *event) event += 2;
    o->commit(o->user, &(struct sm_commit){s, op->issued, s->now, &s->common->outcome, event});
}

/* The split is the mechanism's again. */
static void hand_back(struct sm *s, struct sm_op *op) {
    struct mech_split *split = op->split;
    op->split = NULL;
    s->census_known = false;
    if (s->charge) waits_changed(s);
    s->mech->ops->commit(s->mech, split, &s->common->outcome);
}

/* Threads part, exit, wait or set others free. */
static void outcome_commit_sides(struct sm *s, struct sm_op *op) {
    const struct mech_outcome *o = &s->common->outcome;
    const uint32_t sides = op->sides, freed = op->freed;
    describe_sides(s, op);
    count_branch(s);
    op->sides = op->freed = SM_NONE;
    nodes_give(s, sides);
    hand_back(s, op);
    if (s->charge) charge_outcome(s, op->place);
    if (o->waiting.n) outcome_wait(s, o->pc);
    if (freed != SM_NONE) {
        outcome_release(s, freed);
        nodes_give(s, freed);
    }
}

void outcome_tell(struct sm *s, struct mech_split *split, uint32_t to) {
    const struct mech_ops *m = s->mech->ops;
    if (!m->advance || !m->advance(s->mech, split, to)) {
        describe_next(s, split, split->pc, to);
        m->commit(s->mech, split, &s->common->outcome);
    }
    outcome_look_ahead(s, split);
}

static void commit_next(struct sm *s, struct sm_op *op) {
    describe_next(s, op->split, op->pc, op->to);
    hand_back(s, op);
    if (s->charge) charge_outcome(s, op->place);
}

void outcome_commit(struct sm *s, struct sm_op *op) {
    struct mech_split *split = op->split;
    const size_t said = s->event.len;
    if (s->unobserved && op->sides == SM_NONE && split->set.n && sm_code(s, op->pc)->moves) {
        op->split = NULL;
        outcome_move(s, split, op->to);
        return;
    }
    if (op->sides != SM_NONE)
        outcome_commit_sides(s, op);
    else
        commit_next(s, op);
    outcome_look_ahead(s, split);
    if (s->env.observer) show_commit(s, op, said);
    if (s->common->outcome.exited.n) sm_threads_ended(s, &s->common->outcome.exited);
    if (s->env.audit) s->mech->ops->audit(s->mech);
}

void outcome_offer(struct sm *s, struct sm_op *op, uint32_t nodes) {
    if (!s->mech->ops->memory) return;
    const uint32_t k = s->nodes.v[nodes].op;
    s->common->ready.n = 0;
    for (; nodes != SM_NONE && s->nodes.v[nodes].op == k; nodes = s->nodes.v[nodes].next)
        set_add(&s->common->ready, s->nodes.v[nodes].warp, s->nodes.v[nodes].mask);
    if (s->mech->ops->memory(s->mech, op->split, &s->common->ready)) s->census_known = false;
}
