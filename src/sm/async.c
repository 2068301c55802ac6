/* Asynchronous copies in time, and what waits for them.
 *
 * Values were there when the copy issued (exec/access/async.c); here is when it is over. A copy's requests go through the load/store
 * unit like those of a load, but belong to an op of their own, so that its threads go on at once. Until the last answer
 * there is a record of it in its block's list, with the group or the mbarrier that it counts for:
 *   cp.async.wait_group      waits for the records of its threads' groups
 *   cp.async.mbarrier.arrive is a record too, that is over when the copies of its threads before it are
 *   mbarrier.test_wait, try_wait that say "over" wait for the records of that mbarrier and phase. So a phase that threads have
 *     arrived for, but whose bytes are still under way, is not seen as incomplete: the wait takes as long as they take. A loop
 *     around test_wait goes round once where hardware would go round until then.
 * A try_wait that says "not over" is suspended until a phase of some mbarrier of the block is, or for sm.try_wait cycles.
 * The write into shared memory at the end of a copy is not charged to the banks. */
#include <string.h>

#include "sm/impl.h"

enum { COPY, TIE, SLEEP };

#define IS_TIE 0x80000000u /* in sm_link.waiter: a record waits, not an op */

static struct sm_async *async_record(const struct sm *s, uint32_t k) {
    return &s->asyncs.v[k - 1];
}

/* Numbers of records are indices plus one: 0 is none. */
static uint32_t add_record(struct sm *s, uint32_t warp, uint32_t mask, uint8_t kind) {
    const uint32_t k = POOL_TAKE(&s->asyncs) + 1;
    struct sm_block *b = &s->blocks[s->warps[warp].block];
    *async_record(s, k) = (struct sm_async){.kind = kind,
                                            .warp = warp,
                                            .mask = mask,
                                            .block = s->warps[warp].block,
                                            .bar = SM_NONE,
                                            .links = SM_NONE,
                                            .next = b->asyncs};
    b->asyncs = k;
    return k;
}

static void remove_record(struct sm *s, uint32_t k) {
    const struct sm_async *a = async_record(s, k);
    uint32_t *at = a->block == SM_NONE ? NULL : &s->blocks[a->block].asyncs;
    while (at && *at != k) at = &async_record(s, *at)->next;
    if (at) *at = a->next;
    POOL_GIVE(&s->asyncs, k - 1);
}

void async_forget(struct sm *s, uint32_t block) {
    for (uint32_t k = s->blocks[block].asyncs, next; k; k = next) {
        next = async_record(s, k)->next;
        async_record(s, k)->block = SM_NONE;
    }
    s->blocks[block].asyncs = 0;
}

static void link_to(struct sm *s, uint32_t k, uint32_t waiter) {
    const uint32_t l = POOL_TAKE(&s->links);
    s->links.v[l] = (struct sm_link){waiter, async_record(s, k)->links};
    async_record(s, k)->links = l;
}

static void is_over(struct sm *s, uint32_t k) {
    uint32_t l = async_record(s, k)->links;
    remove_record(s, k);
    for (uint32_t next; l != SM_NONE; l = next) {
        const uint32_t waiter = s->links.v[l].waiter;
        next = s->links.v[l].next;
        POOL_GIVE(&s->links, l);
        if (!(waiter & IS_TIE)) {
            if (!--s->ops.v[waiter].unanswered) lsu_complete(s, waiter);
        } else if (!--async_record(s, waiter & ~IS_TIE)->left) {
            is_over(s, waiter & ~IS_TIE);
        }
    }
}

bool async_ended(struct sm *s, uint32_t op) {
    uint32_t k = s->ops.v[op].async;
    s->ops.v[op].async = 0;
    if (async_record(s, k)->kind == SLEEP) {
        remove_record(s, k);
        return false;
    }
    op_give(s, op);
    for (uint32_t next; k; k = next) {
        next = async_record(s, k)->of_op;
        is_over(s, k);
    }
    return true;
}

/* ---- copies ---- */

static struct sm_async *add_copy(struct sm *s, uint32_t op, uint32_t warp, uint32_t mask, uint32_t group) {
    const uint32_t k = add_record(s, warp, mask, COPY);
    struct sm_async *a = async_record(s, k);
    a->group = group;
    a->of_op = s->ops.v[op].async;
    s->ops.v[op].async = k;
    return a;
}

/* One record for lanes of one group, as nearly always all are. */
static void copied(struct sm *s, uint32_t op, uint32_t warp) {
    const uint32_t *group = s->warps[warp].w->cp_group[0];
    for (uint32_t left = s->env.grid->out.access.mask, here; left; left &= ~here) {
        const uint32_t g = group[__builtin_ctz(left)];
        here = 0;
        FOR_LANES(l, left) here |= (uint32_t)(group[l] == g) << l;
        add_copy(s, op, warp, here, g);
    }
}

/* Requests are made for as many lines as a packet may have: 256 KiB of 128-byte lines for one thread. */
static void bulk_copied(struct sm *s, uint32_t op, const struct ir_insn *i, uint32_t warp) {
    const struct exec_warp *w = s->warps[warp].w;
    struct exec_out *o = &s->env.grid->out;
    const uint32_t lanes = bits_count(o->access.mask) * s->ops.v[op].split->set.n;
    const uint32_t most = lanes ? SM_PACKET / lanes * s->line[MEM_L1D] : 0;
    if (o->access.bytes > most) o->access.bytes = most;
    const bool bar = ir_file(i->o[3]) != IR_FILE_NONE;
    FOR_LANES(l, o->access.mask) {
        struct sm_async *a = add_copy(s, op, warp, 1u << l, w->cp_group[1][l]);
        a->bulk = true;
        if (!bar) continue;
        a->bar = (uint32_t)(ir_file(i->o[3]) == IR_FILE_64 ? exec_row64(&w->x, i->o[3])[l]
                                                           : exec_row32(&w->x, i->o[3])[l]);
        a->phase = o->phase[l];
    }
}

/* Moves the requests made for `op` to a new op for which only a record waits. */
static void detach(struct sm *s, uint32_t op) {
    const uint32_t d = POOL_TAKE_SIZED(&s->ops);
    struct sm_op *from = &s->ops.v[op];
    s->ops.v[d] = *from;
    s->ops.v[d].split = NULL;
    s->ops.v[d].overlap = true; /* it has no rows to clear */
    if (from->lines) idle_load(s, &s->sched[from->sched]);
    from->async = from->unanswered = 0;
    from->memory = from->lines = from->overlap = false;
    const uint32_t entry = s->common->gather.entry;
    for (uint32_t r = s->entries.v[entry].first; r != SM_NONE; r = s->requests.v[r].next)
        for (uint32_t n = s->requests.v[r].nodes; n != SM_NONE; n = s->nodes.v[n].next)
            if (s->nodes.v[n].op == op) s->nodes.v[n].op = d;
}

/* ---- waits ---- */

static void async_hold(struct sm *s, uint32_t op, uint32_t k) {
    link_to(s, k, op);
    s->ops.v[op].unanswered++;
    s->ops.v[op].held = true;
}

/* True if the lanes still wait for copies: a lane may leave its last `most` groups unfinished. */
static bool is_awaited(const struct sm *s, const struct sm_async *a, uint32_t lanes, uint32_t most) {
    const uint32_t *group = s->warps[a->warp].w->cp_group[a->bulk];
    if (most == IR_CP_ALL) return true;
    FOR_LANES(l, lanes)
    if (group[l] - a->group > most) return true; /* of copies that are not committed yet: 0 */
    return false;
}

static void wait_for_groups(struct sm *s, uint32_t op, const struct ir_insn *i, uint32_t warp,
                            uint32_t mask) {
    for (uint32_t k = s->blocks[s->warps[warp].block].asyncs; k; k = async_record(s, k)->next) {
        const struct sm_async *a = async_record(s, k);
        if (a->kind != COPY || a->warp != warp || !(a->mask & mask) || a->bulk != i->sub) continue;
        if (is_awaited(s, a, a->mask & mask, i->imm)) async_hold(s, op, k);
    }
}

static uint32_t bar_address(const struct sm *s, uint32_t lane) {
    uint64_t addr = s->env.grid->out.access.addr[lane];
    exec_decode(s->env.grid->out.access.space, &addr);
    return (uint32_t)addr;
}

/* The mbarrier hears of the lanes' copies when they are over. */
static void tie(struct sm *s, uint32_t warp, uint32_t lanes, uint32_t bar, uint8_t phase) {
    uint32_t t = 0;
    for (uint32_t k = s->blocks[s->warps[warp].block].asyncs; k; k = async_record(s, k)->next) {
        const struct sm_async *a = async_record(s, k);
        if (a->kind != COPY || a->bulk || a->warp != warp || !(a->mask & lanes)) continue;
        if (!t) {
            t = add_record(s, warp, lanes, TIE);
            async_record(s, t)->bar = bar;
            async_record(s, t)->phase = phase;
        }
        async_record(s, t)->left++;
        link_to(s, k, t | IS_TIE);
    }
}

static void tie_lanes(struct sm *s, uint32_t warp) {
    const struct exec_out *o = &s->env.grid->out;
    for (uint32_t left = o->access.mask, here; left; left &= ~here) {
        const uint32_t first = (uint32_t)__builtin_ctz(left), bar = bar_address(s, first);
        here = 0;
        FOR_LANES(l, left)
        here |= (uint32_t)(bar_address(s, l) == bar && o->phase[l] == o->phase[first]) << l;
        tie(s, warp, here, bar, o->phase[first]);
    }
}

/* Puts threads to sleep until an mbarrier changes or their time is over. */
static void sleep(struct sm *s, uint32_t op, uint32_t warp, uint32_t mask) {
    if (s->ops.v[op].async) return; /* another piece of the split does */
    const uint32_t k = add_record(s, warp, mask, SLEEP), r = request_take(s), answer = r | SM_EVENT_REQUEST;
    async_record(s, k)->request = r;
    async_record(s, k)->of_op = op;
    s->ops.v[op].async = k;
    s->ops.v[op].unanswered++;
    s->ops.v[op].held = true;
    s->requests.v[r].path = SM_SHARED;
    s->requests.v[r].nodes = node_take(s, op, warp, mask, SM_NONE);
    event_push(s, s->now + (uint64_t)s->o->sm.try_wait, answer, answer);
}

static void async_wake(struct sm *s, uint32_t block) {
    for (uint32_t k = s->blocks[block].asyncs, next; k; k = next) {
        const struct sm_async *a = async_record(s, k);
        next = a->next;
        struct sm_request *q = &s->requests.v[a->request];
        const uint32_t op = a->of_op;
        if (a->kind != SLEEP || q->nodes == SM_NONE) continue;
        if (s->nodes.v[q->nodes].op != op) continue; /* its time is over; another op has the request now */
        nodes_give(s, q->nodes);
        q->nodes = SM_NONE; /* when its time comes no thread waits for it */
        if (!--s->ops.v[op].unanswered) lsu_complete(s, op);
    }
}

/* Some mbarrier that the lanes acted on is in another phase than before. */
static bool phase_is_over(const struct sm *s, uint32_t warp) {
    const struct exec_out *o = &s->env.grid->out;
    FOR_LANES(l, o->access.mask) {
        uint64_t v;
        memcpy(&v, s->warps[warp].w->block->shared + bar_address(s, l), sizeof v);
        if ((uint8_t)(v >> IR_MBAR_PHASE_AT) != o->phase[l]) return true;
    }
    return false;
}

static void changed(struct sm *s, const struct ir_insn *i, uint32_t warp) {
    if (i->sub == IR_MBAR_INIT || i->sub == IR_MBAR_INVAL) return;
    if (i->sub >= IR_MBAR_CP) tie_lanes(s, warp);
    if (phase_is_over(s, warp)) async_wake(s, s->warps[warp].block);
}

static void tested(struct sm *s, uint32_t op, const struct ir_insn *i, uint32_t warp) {
    const struct exec_out *o = &s->env.grid->out;
    const uint32_t over = exec_pred(&s->warps[warp].w->x, i->o[0]) & o->access.mask;
    if (!over && i->sub & IR_MBAR_TRY) sleep(s, op, warp, o->access.mask);
    for (uint32_t k = s->blocks[s->warps[warp].block].asyncs; over && k; k = async_record(s, k)->next) {
        const struct sm_async *a = async_record(s, k);
        bool awaited = false;
        if (a->bar == SM_NONE) continue;
        FOR_LANES(l, over) awaited |= bar_address(s, l) == a->bar && o->phase[l] == a->phase;
        if (awaited) async_hold(s, op, k);
    }
}

void async_ran(struct sm *s, uint32_t op, const struct ir_insn *i, uint32_t warp, uint32_t mask) {
    switch (i->op) {
    case IR_MBAR: changed(s, i, warp); break;
    case IR_MBAR_WAIT: tested(s, op, i, warp); break;
    case IR_CP_ASYNC: copied(s, op, warp); break;
    case IR_CP_BULK:
        bulk_copied(s, op, i, warp);
        if (ir_file(i->o[3]) != IR_FILE_NONE) async_wake(s, s->warps[warp].block);
        break;
    case IR_CP_WAIT:
        mask = i->guard ? exec_guard(&s->warps[warp].w->x, i, mask) : mask;
        wait_for_groups(s, op, i, warp, mask);
        break;
    default: break;
    }
}

void async_built(struct sm *s, uint32_t k) {
    struct sm_op *op = &s->ops.v[k];
    if (op->held) {
        op->memory = op->overlap = true;
        op->lines |= !op->async; /* what it waits for comes from the memory system */
    } else if (op->async) {
        detach(s, k);
    }
}
