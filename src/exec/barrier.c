/* Block barriers: sixteen of them, counting threads.
 *
 * Without a count a barrier waits for every thread of the block that has not exited. With one it waits for
 * that many threads; a warp that takes part counts its exited and missing lanes too, because counts are
 * multiples of the warp size. bar.arrive counts and goes on; a thread that exits after it still counts once.
 * bar.red's operand is summed as threads arrive and the result is written to every waiter when the barrier
 * completes. */
#include <inttypes.h>

#include "exec/impl.h"

static bool exec_barrier_complete(const struct exec_block *b, const struct exec_barrier *bar) {
    uint32_t n = bar->arrived - bar->left;
    if (!bar->count) return n >= b->live;
    FOR_LANES(k, bar->warps) n += EXEC_LANES - bits_count(b->warps[k].live);
    return n >= bar->count;
}

static void write_result(struct exec_warp *w, uint32_t lanes, const struct exec_barrier *bar) {
    const struct ir_insn *code = w->block->grid->module->code.v;
    FOR_LANES(l, lanes) {
        const struct ir_insn *i = &code[w->wait_pc[l]];
        if (i->op == IR_BAR_RED_U32) opnd_put(&w->x, i->o[0], l, bar->popc);
        if (i->op != IR_BAR_RED_P) continue;
        bool yes = i->sub == IR_VOTE_ALL ? bar->popc == bar->npred : bar->popc != 0;
        exec_set_pred(&w->x, i->o[0], 1u << l, yes ? ~0u : 0);
    }
}

static void forget_arrivals(struct exec_block *b, uint32_t id) {
    for (uint32_t k = 0; k < b->nwarps; k++)
        FOR_LANES(l, b->warps[k].arrives) b->warps[k].arrived[l] &= (uint16_t) ~(1u << id);
}

/* True if no thread waits at a barrier other than `id`. Threads that wait at the cluster's barrier have arrived there. */
static bool is_only(const struct exec_block *b, uint32_t id) {
    uint32_t arrived = 0;
    for (uint32_t k = 0; k < EXEC_BARRIERS; k++) arrived += b->bar[k].arrived;
    return arrived == b->bar[id].arrived;
}

static uint32_t waiting_at(const struct exec_warp *w, uint32_t id) {
    uint32_t lanes = 0;
    FOR_LANES(l, w->bar_wait) lanes |= (uint32_t)(w->bar_id[l] == id) << l;
    return lanes;
}

static void exec_barrier_release(struct exec_block *b, uint32_t id) {
    const bool only = is_only(b, id);
    if (b->grid->races_released) races_barrier(b, id);
    for (uint32_t k = 0; k < b->nwarps; k++) {
        struct exec_warp *w = &b->warps[k];
        const uint32_t lanes = only && !w->cluster[0] ? w->bar_wait : waiting_at(w, id);
        if (!lanes) continue;
        if (b->bar[id].npred) write_result(w, lanes, &b->bar[id]);
        w->bar_wait &= ~lanes;
        lanes_go_on(w, lanes);
        w->x.out->woke = true;
    }
    if (b->bar[id].only) forget_arrivals(b, id);
    b->bar[id] = (struct exec_barrier){0};
    b->grid->barriers++;
}

void bar_leave(struct exec_warp *w, uint32_t lanes) {
    FOR_LANES(l, lanes & w->arrives)
    FOR_LANES(id, w->arrived[l]) w->block->bar[id].left++;
}

/* ---- the cluster's barrier, in two halves: all of the block arrive, and wait for it later or not at once ---- */

static void cluster_release(struct exec_warp *w) {
    uint32_t lanes = 0;
    FOR_LANES(l, w->bar_wait) lanes |= (uint32_t)(w->bar_id[l] == EXEC_CLUSTER) << l;
    w->cluster[1] |= w->cluster[0] & ~lanes;
    w->cluster[0] = 0;
    if (!lanes) return;
    w->bar_wait &= ~lanes;
    lanes_go_on(w, lanes);
    w->x.out->woke = true;
}

static void cluster_recheck(struct exec_block *b) {
    uint32_t any = 0;
    for (uint32_t k = 0; k < b->nwarps; k++) {
        if (b->warps[k].live & ~b->warps[k].cluster[0]) return;
        any |= b->warps[k].cluster[0];
    }
    if (!any) return;
    if (b->grid->races_released) races_cluster(b);
    for (uint32_t k = 0; k < b->nwarps; k++) cluster_release(&b->warps[k]);
    b->grid->barriers++;
}

static bool cluster_valid(struct exec_warp *w, const struct ir_insn *i, uint32_t mask) {
    const bool arrive = i->op == IR_CLUSTER_ARRIVE;
    const uint32_t in = w->cluster[0] | w->cluster[1], bad = arrive ? mask & in : mask & ~in;
    if (!bad) return true;
    exec_note(w, i, (uint32_t)__builtin_ctz(bad), EXEC_F_SYNC,
              arrive ? "a thread arrives again at the cluster's barrier before it has waited"
                     : "a thread waits at the cluster's barrier that has not arrived there");
    return false;
}

void cluster_exec(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    struct exec_warp *w = x->warp;
    struct exec_out *o = x->out;
    if (!cluster_valid(w, i, mask)) return;
    out_jump(o, 0, 0);
    if (i->op == IR_CLUSTER_ARRIVE) {
        w->cluster[0] |= mask;
        cluster_recheck(w->block);
    } else {
        const uint32_t blocks = mask & ~w->cluster[1];
        w->cluster[1] &= ~mask;
        FOR_LANES(l, blocks) {
            w->wait_pc[l] = insn_pc(w, i);
            w->bar_id[l] = EXEC_CLUSTER;
        }
        lanes_block(w, blocks);
        w->bar_wait |= blocks;
        o->waiting = blocks;
    }
    if (!o->waiting && !o->woke) o->flow = EXEC_NEXT;
}

void bar_recheck(struct exec_block *b) {
    for (uint32_t id = 0; id < EXEC_BARRIERS; id++)
        if (b->bar[id].arrived && exec_barrier_complete(b, &b->bar[id])) exec_barrier_release(b, id);
    cluster_recheck(b);
}

static bool exec_barrier_valid(struct exec_warp *w, const struct ir_insn *i, uint32_t lane, uint32_t id,
                               uint32_t count) {
    const struct exec_block *b = w->block;
    if (id >= EXEC_BARRIERS) {
        exec_note(w, i, lane, EXEC_F_SYNC, "barrier %" PRIu32 " does not exist: there are %d", id,
                  EXEC_BARRIERS);
        return false;
    }
    if (count % EXEC_LANES || count > b->nwarps * EXEC_LANES) {
        exec_note(w, i, lane, EXEC_F_SYNC,
                  "barrier %" PRIu32 " for %" PRIu32
                  " threads: a count is a multiple of %d and at most the block's %" PRIu32,
                  id, count, EXEC_LANES, b->nwarps * EXEC_LANES);
        return false;
    }
    if (b->bar[id].arrived && b->bar[id].count != (count == b->nwarps * EXEC_LANES ? 0 : count)) {
        exec_note(w, i, lane, EXEC_F_SYNC,
                  "barrier %" PRIu32 " is used with two counts at once: %" PRIu32 " and %" PRIu32
                  " (0: the whole block)",
                  id, b->bar[id].count, count);
        return false;
    }
    return true;
}

static void wait_here(struct exec_warp *w, const struct ir_insn *i, uint32_t lanes, uint32_t id) {
    const uint32_t pc = insn_pc(w, i);
    if (lanes == ~0u) {
        for (uint32_t l = 0; l < EXEC_LANES; l++) w->wait_pc[l] = pc;
        memset(w->bar_id, (int)id, sizeof w->bar_id);
    } else {
        FOR_LANES(l, lanes) {
            w->wait_pc[l] = pc;
            w->bar_id[l] = (uint8_t)id;
        }
    }
    lanes_block(w, lanes);
    w->bar_wait |= lanes;
}

/* Lanes of one warp with the same barrier and count. */
static void exec_barrier_arrive(struct exec_warp *w, const struct ir_insn *i, uint32_t lanes, uint32_t id,
                                uint32_t count) {
    struct exec_block *b = w->block;
    struct exec_barrier *bar = &b->bar[id];
    bar->count = count == b->nwarps * EXEC_LANES ? 0 : count;
    bar->arrived += bits_count(lanes);
    bar->warps |= 1u << w->index;
    if (i->op == IR_BAR_RED_P || i->op == IR_BAR_RED_U32) {
        bar->popc += bits_count(exec_pred(&w->x, i->o[i->nd + i->ns - 1]) & lanes);
        bar->npred += bits_count(lanes);
    }
    if (i->op == IR_BAR_ARRIVE) {
        FOR_LANES(l, lanes) w->arrived[l] |= (uint16_t)(1u << id);
        w->arrives |= lanes;
        bar->only = true;
    } else {
        wait_here(w, i, lanes, id);
    }
    if (exec_barrier_complete(b, bar)) exec_barrier_release(b, id);
}

/* Lanes whose barrier and count are those of the first one: all, where both are written into the instruction. */
static uint32_t same_barrier(const struct exec_ctx *x, ir_opnd ids, ir_opnd counts, uint32_t left,
                             uint32_t id, uint32_t count) {
    if (ir_is_const(ids) && (ir_is_const(counts) || ir_file(counts) == IR_FILE_NONE)) return left;
    uint32_t lanes = 0;
    FOR_LANES(l, left)
    lanes |= (uint32_t)((uint32_t)opnd_get(x, ids, l) == id && (uint32_t)opnd_get(x, counts, l) == count)
             << l;
    return lanes;
}

void bar_exec(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    struct exec_warp *w = x->warp;
    struct exec_out *o = x->out;
    const bool red = i->op == IR_BAR_RED_P || i->op == IR_BAR_RED_U32;
    const ir_opnd counts = i->ns > (red ? 2 : 1) ? i->o[i->nd + 1] : IR_NONE;
    out_jump(o, 0, 0);
    for (uint32_t left = mask; left;) {
        const uint32_t first = (uint32_t)__builtin_ctz(left);
        uint32_t id = (uint32_t)opnd_get(x, i->o[i->nd], first), count = (uint32_t)opnd_get(x, counts, first);
        if (!exec_barrier_valid(w, i, first, id, count)) return;
        const uint32_t lanes = same_barrier(x, i->o[i->nd], counts, left, id, count);
        exec_barrier_arrive(w, i, lanes, id, count);
        left &= ~lanes;
    }
    w->released &= ~mask; /* these simply go on */
    o->waiting = mask & w->blocked;
    if (!o->waiting && !o->woke) o->flow = EXEC_NEXT;
}
