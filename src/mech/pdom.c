/* PDOM: a reconvergence stack per warp, joins at immediate post-dominators (DWF 3.2, Table 3.1; HARP 2.1 calls it SBR).
 *
 * A home warp has one split for life, the threads of the top of its stack; mech/lib/stack.c has the rules. All threads of the
 * warp are bound to that split, whether on top or not, so that whatever happens to one wakes it. A thread that waits at a
 * barrier holds the others of the top until it is released: the warp is one instruction stream. Threads of one warp that
 * wait for each other on different sides of a branch therefore wait for ever, which is what such hardware does.
 *
 * Deviations: Table 3.1 pushes an entry for threads that are already at the reconvergence point and lets them pop at once;
 * here they are not pushed. A branch that joins where its entry joins replaces it, which keeps loops from stacking up. */
#include "mech/pdom.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "mech/lib/declare.h"
#include "mech/lib/order.h"
#include "mech/lib/set.h"
#include "mech/lib/split.h"

#define PARAMS(INT, BOOL, ENUM)                                                                           \
    ENUM(side, STACK_SIDE,                                                                                \
         "Which side of a divergent branch runs first: the taken one, the fall-through, or the one with " \
         "most threads.")
MECH_PARAMS(pdom, PARAMS)

/* split.own. JOIN: where the top of the stack joins its siblings, if the next instruction can lead there: IR_NOPC if that
 * takes a return. As long as the threads of the top stay together and do not come there, their PC is in the split alone and
 * the stack is left alone: it learns the PC when it is needed. */
enum { HOME, JOIN };
_Static_assert((int)JOIN < (int)PDOM_KNOWN, "the rest is others'");

void pdom_create(struct mech *m, enum stack_side side) {
    struct pdom *p = m->self;
    p->side = side;
    p->words = m->env.warp_size > 32 ? m->env.warp_size / 32 : 1;
    p->stack = stacks_new(m->env.pages, split_homes(&m->env));
}

void pdom_start(struct mech *m, struct mech_split *s, uint32_t home) {
    struct pdom *p = m->self;
    s->own[HOME] = home;
    s->own[JOIN] = IR_NOPC;
    stack_start(m, &p->stack[home], s->set.p[0].warp, p->words, 2 * m->env.warp_size, &s->set, s->pc);
    order_add(m->order, s);
}

/* The split follows the top of its stack. */
static void mech_pdom_follow(struct mech *m, struct mech_split *s, const struct stack *st, bool changed) {
    if (!st->n) {
        s->set.n = s->threads = 0;
        split_free(m, s);
        return;
    }
    const struct stack_entry *top = &st->e[st->n - 1];
    s->pc = top->pc;
    s->own[JOIN] = top->depth == top->rdepth ? top->rpc : IR_NOPC;
    if (changed) {
        s->own[PDOM_KNOWN] = 0;
        stack_top(st, &s->set);
        s->threads = set_count(&s->set);
    }
    if (stack_blocked(st))
        order_remove(m->order, s);
    else
        order_add(m->order, s);
}

bool pdom_advance(struct mech *m, struct mech_split *s, uint32_t to) {
    if (to == s->own[JOIN]) return false;
    s->pc = to;
    order_add(m->order, s);
    return true;
}

void pdom_commit(struct mech *m, struct mech_split *s, const struct mech_outcome *o) {
    struct pdom *p = m->self;
    const bool together = o->nsides == 1 && !o->exited.n && !o->waiting.n && !o->depth_change;
    if (together && pdom_advance(m, s, o->side[0].pc)) return;
    struct stack *st = &p->stack[s->own[HOME]];
    p->inactive -= st->inactive;
    p->joining -= st->joining;
    if (o->exited.n) split_exit(m->pool, NULL, &o->exited);
    bool changed = stack_commit(m, st, o, o->insn->rpc, p->side);
    p->inactive += st->inactive;
    p->joining += st->joining;
    mech_pdom_follow(m, s, st, changed);
}

static void release_lanes(struct mech *m, uint32_t warp, uint32_t mask, uint32_t pc) {
    struct pdom *p = m->self;
    struct mech_split *s = split_of(m->pool, warp, (uint32_t)__builtin_ctz(mask));
    struct stack *st = &p->stack[s->own[HOME]];
    bool changed = false;
    CHECK(st->e[st->n - 1].pc == pc);
    p->inactive -= st->inactive;
    p->joining -= st->joining;
    bool go = stack_release(m, st, warp, mask, &changed);
    p->inactive += st->inactive;
    p->joining += st->joining;
    if (go) mech_pdom_follow(m, s, st, changed);
}

void pdom_release(struct mech *m, const struct mech_set *set, uint32_t pc) {
    for (uint32_t k = 0; k < set->n; k++)
        for (uint32_t left = set->p[k].mask; left;)
            release_lanes(m, set->p[k].warp, split_next_part(m->pool, &left), pc);
}

void pdom_census(const struct mech *m, struct mech_census *c) {
    const struct pdom *p = m->self;
    *c = (struct mech_census){.inactive_path = p->inactive, .reconvergence = p->joining};
}

void pdom_places(const struct mech *m, mech_place_fn *put, void *user) {
    const struct pdom *p = m->self;
    FOR_SPLITS(s, m->pool) stack_places(&p->stack[s->own[HOME]], put, user);
}

void pdom_state(const struct mech *m, struct sb *out) {
    const struct pdom *p = m->self;
    FOR_SPLITS(s, m->pool) {
        sb_add(out, "warp %" PRIu32 ": ", s->own[HOME]);
        split_print(s, out);
        sb_add(out, "\n");
        stack_print(&p->stack[s->own[HOME]], s->pc, out);
    }
}

void pdom_storage(const struct mech *m, struct mech_storage *out) {
    uint64_t w = m->env.warp_size, warps = (uint64_t)m->env.warps * 32 / w;
    storage_add(out, (struct mech_array){
                         .name = "stack", .entries = (warps ? warps : 1) * 2 * w, .bits = 32 + 32 + w});
}

void pdom_audit(const struct mech *m) {
    const struct pdom *p = m->self;
    const struct split_pool *pool = m->pool;
    split_audit(m, false);
    FOR_SPLITS(s, pool) {
        const struct stack *st = &p->stack[s->own[HOME]];
        uint32_t present[STACK_WORDS] = {0};
        struct mech_set top;
        for (uint32_t k = 0; k < st->words && st->first + k < pool->slots; k++)
            FOR_LANES(l, pool->present[st->first + k])
        present[k] |= (uint32_t)(split_home_of(pool, st->first + k, l) == s->own[HOME]) << l;
        stack_audit(st, present);
        stack_top(st, &top);
        CHECK(set_equal(&top, &s->set));
    }
}

static bool mech_pdom_create(struct mech *m, struct err *e) {
    (void)e;
    pdom_create(m, (enum stack_side)pdom_params(m)->side);
    return true;
}

extern const struct mech_ops mech_pdom;
const struct mech_ops mech_pdom = {
    .name = "pdom",
    .title = "Post-dominator stack",
    .source = "DWF 3.2, Table 3.1",
    .caps = MECH_ANY_CODE | MECH_AT_HOME | MECH_STEADY,
    .params = MECH_PARAM_ROWS(PARAMS),
    .self_bytes = sizeof(struct pdom),
    .create = mech_pdom_create,
    .start = pdom_start,
    .commit = pdom_commit,
    .advance = pdom_advance,
    .refuses = 1 + JOIN,
    .release = pdom_release,
    .census = pdom_census,
    .places = pdom_places,
    .state = pdom_state,
    .storage = pdom_storage,
    .audit = pdom_audit,
};
