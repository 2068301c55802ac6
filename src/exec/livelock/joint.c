/* Threads of a block that can never leave the loops they are in, though they meet in them or write memory.
 *
 * All threads of the block that run are followed on a copy, in rounds: each in turn until it is where it began, or meets
 * others.
 * If after some rounds everything is as it was at the anchor, it will be so again and again. So it would under any other
 * schedule. What a thread does next depends on its own state, on memory, and on what the others bring to barriers, votes
 * and shuffles; which threads meet there is said by the program. So as long as no thread changes memory that another one
 * uses, the order of steps of different threads makes no difference: each does the same in any order (Kahn, 1974: "The
 * semantics of a simple language for parallel programming", for processes that meet in channels). None of them exits in
 * the rounds between, so none ever will. All this has to hold from where the threads were met, not only from the anchor
 * on: what one of them writes before its loop may be what another waits for. The proof ends, without a result, at a
 * step that
 *   - exits, fails or calls the system, or is of a whole warp's matrices;
 *   - arrives at a barrier that not the whole block waits at, since who comes first then completes it;
 *   - calls a recursive function.
 *
 * The same state means the state that matters, as in loop.c: what decides where threads go, which addresses they use and
 * whom they meet, and what that is computed from. A value that matters to no thread may change: a count of attempts in
 * a register, in local memory, or in a global word that all threads add to. Memory that matters may change too, if only
 * one thread uses it: a flag that says "I am trying". Where time or the threads that happen to run together
 * (activemask, votes without .sync) matter, nothing is proved.
 *
 * Blocks are followed one after the other, each as if the others stood still. That holds if none changes a byte of
 * global memory that matters to another, which is checked over all blocks that were looked at.
 *
 * The anchor moves on after 1, 2, 4, ... rounds (Brent, see loop.c). */
#include "exec/livelock/joint_impl.h"

enum {
    TURN = 4096,       /* steps of one thread in a round, at most */
    BYTES_A_STEP = 512 /* kept at the cost of a step */
};

struct exec_joint *exec_joint_new(const struct exec_grid *g) {
    struct exec_joint *k = xcalloc(1, sizeof *k);
    struct joint_nodes *n = &k->node;
    k->g = g;
    uint32_t next = (uint32_t)g->module->code.n;
    for (int f = 0; f < 3; f++) {
        k->rows[f] = g->func->total_rows[f] + (f == IR_FILE_P);
        n->row[f] = next;
        next += k->rows[f];
    }
    n->carry = next++;
    k->nrows = next - n->row[0];
    n->brought = next;
    next += IR_NOPS;
    n->decides = next++;
    n->co_runners = next++;
    n->clock = next++;
    n->all = next;
    k->reg_bytes = (size_t)k->rows[IR_FILE_64] * EXEC_LANES * 8 +
                   (size_t)k->rows[IR_FILE_32] * EXEC_LANES * 4 + (size_t)k->rows[IR_FILE_P] * 4;
    return k;
}

static void kept_free(struct joint_kept *s) {
    xfree(s->regs);
    VEC_FREE(&s->local);
    VEC_FREE(&s->frames);
}

void exec_joint_free(struct exec_joint *k) {
    if (!k) return;
    for (uint32_t n = 0; n < k->room; n++) {
        xfree(k->warp[n].def);
        xfree(k->warp[n].def_then);
        kept_free(&k->warp[n].before);
        kept_free(&k->warp[n].anchor);
    }
    xfree(k->warp);
    flow_free(&k->flow);
    flow_table_free(&k->cell_of);
    flow_table_free(&k->use_of);
    VEC_FREE(&k->cells);
    VEC_FREE(&k->undo);
    VEC_FREE(&k->uses);
    xfree(k);
}

uint64_t exec_joint_steps(const struct exec_joint *k) {
    return k->steps;
}

void exec_joint_begin(struct exec_joint *k) {
    flow_table_clear(&k->use_of);
    k->uses.n = 0;
    k->looked = 0;
}

/* ---- rounds ---- */

static void drop_anchor(struct exec_joint *k) {
    k->block_anchor = *k->block;
    for (size_t c = 0; c < k->cells.n; c++) k->cells.v[c].held = *k->cells.v[c].at;
    for (uint32_t n = 0; n < k->nwarps; n++) {
        struct joint_warp *m = &k->warp[n];
        joint_keep(k, m, &m->anchor);
        memcpy(m->def_then, m->def, (size_t)k->nrows * EXEC_LANES * sizeof *m->def);
        for (uint32_t l = 0; l < EXEC_LANES; l++)
            m->stop[l] = joint_can_run(m) >> l & 1 ? m->at.pc[l] : IR_NOPC;
    }
    k->steps += k->nwarps * k->reg_bytes / BYTES_A_STEP;
}

static bool is_meeting(const struct ir_insn *i) {
    return ir_ops[i->op].cls == IR_C_WARP || ir_ops[i->op].cls == IR_C_BAR;
}

/* False: the thread cannot be followed, or not for so long. A turn also ends where others wait: otherwise the one that comes
 * last would get ahead of them, a different one each time, and states would be the same again only after all had. */
static bool joint_turn(struct exec_joint *k, struct joint_warp *m, uint32_t lane) {
    const struct ir_insn *code = k->g->module->code.v;
    for (uint32_t n = 0, pc = IR_NOPC; n < TURN; n++) {
        if (!k->left) return false;
        pc = m->at.pc[lane];
        k->left--;
        k->steps++;
        if (!joint_step(k, m, lane)) return false;
        if (is_meeting(&code[pc]) || m->at.pc[lane] == m->stop[lane]) break;
    }
    return true;
}

/* Every thread that can run, once. False: one cannot be followed, or there is none. */
static bool go_round(struct exec_joint *k) {
    bool ran = false;
    for (uint32_t n = 0; n < k->nwarps; n++)
        for (uint32_t l = 0; l < EXEC_LANES; l++) {
            if (!(joint_can_run(&k->warp[n]) >> l & 1)) continue;
            if (!joint_turn(k, &k->warp[n], l)) return false;
            ran = true;
        }
    return ran;
}

static bool livelock_joint_follow(struct exec_joint *k) {
    uint64_t since = 0, reach = 1;
    drop_anchor(k);
    while (go_round(k)) {
        if (joint_same(k)) return true;
        if (++since < reach) continue;
        since = 0;
        reach *= 2;
        drop_anchor(k);
    }
    return false;
}

/* ---- blocks ---- */

static void by_block(uint32_t *who, uint32_t block) {
    if (*who != block) *who = *who ? JOINT_MANY : block;
}

/* False: a block changes what matters to another. */
static bool note_uses(struct exec_joint *k, bool *reads_global) {
    bool apart = true;
    const uint32_t block = ++k->looked;
    *reads_global = k->textures;
    for (size_t n = 0; n < k->cells.n; n++) {
        const struct joint_cell *c = &k->cells.v[n];
        if (!c->global) continue;
        uint32_t *known = flow_table_at(&k->use_of, (uint64_t)(uintptr_t)c->at);
        if (!*known) {
            VEC_PUSH(&k->uses, (struct joint_use){0});
            *known = (uint32_t)k->uses.n;
        }
        struct joint_use *u = &k->uses.v[*known - 1];
        if (c->changed) by_block(&u->changes, block);
        if (flow_marked(&k->flow, c->node)) by_block(&u->depends, block);
        *reads_global |= flow_marked(&k->flow, c->node) != 0;
        apart &= !u->changes || !u->depends || (u->changes == u->depends && u->changes != JOINT_MANY);
    }
    return apart;
}

static void joint_make_room(struct exec_joint *k, uint32_t nwarps) {
    struct joint_warp *old = k->warp;
    k->warp = xaligned(_Alignof(struct joint_warp), nwarps * sizeof *k->warp);
    if (old) memcpy(k->warp, old, k->room * sizeof *old);
    xfree(old);
    k->room = nwarps;
}

static void joint_begin(struct exec_joint *k, struct exec_block *b, const struct exec_stand *at,
                        uint64_t most) {
    if (k->room < b->nwarps) joint_make_room(k, b->nwarps);
    k->block = b;
    k->nwarps = b->nwarps;
    k->left = most;
    k->undo.n = k->cells.n = 0;
    k->textures = false;
    flow_reset(&k->flow, k->node.all);
    flow_table_clear(&k->cell_of);
    k->block_before = *b;
    for (uint32_t n = 0; n < b->nwarps; n++) {
        struct joint_warp *m = &k->warp[n];
        m->w = &b->warps[n];
        m->at = at[n];
        if (!m->def) m->def = xmalloc((size_t)k->nrows * EXEC_LANES * sizeof *m->def);
        if (!m->def_then) m->def_then = xmalloc((size_t)k->nrows * EXEC_LANES * sizeof *m->def_then);
        for (size_t r = 0; r < (size_t)k->nrows * EXEC_LANES; r++)
            m->def[r] = k->node.row[0] + (uint32_t)(r / EXEC_LANES);
        joint_keep(k, m, &m->before);
        FOR_LANES(l, m->w->released) m->at.pc[l] = m->w->wait_pc[l] + 1;
        m->at.run |= m->w->released;
        m->w->released = 0;
    }
}

static void livelock_joint_put_back(struct exec_joint *k) {
    for (size_t n = k->undo.n; n-- > 0;) *k->undo.v[n].at = k->undo.v[n].held;
    for (uint32_t n = 0; n < k->nwarps; n++) joint_put_back(k, &k->warp[n]);
    k->block->live = k->block_before.live;
    k->block->blocked = k->block_before.blocked;
    memcpy(k->block->bar, k->block_before.bar, sizeof k->block->bar);
}

enum exec_loop exec_joint_loops(struct exec_joint *k, struct exec_block *b, const struct exec_stand *at,
                                uint64_t most) {
    struct exec_grid *g = b->grid;
    const uint64_t clock = g->clock, barriers = g->barriers, insts = g->insts; /* marks are taken off it */
    const uint32_t run_start = g->run_start;
    struct exec_deferred *const log = g->deferred;
    bool reads_global = false;
    g->deferred = NULL;
    joint_begin(k, b, at, most);
    const bool loops = livelock_joint_follow(k) && note_uses(k, &reads_global);
    livelock_joint_put_back(k);
    g->clock = clock;
    g->barriers = barriers;
    g->insts = insts;
    g->run_start = run_start;
    g->deferred = log;
    return !loops ? EXEC_LEAVES : reads_global ? EXEC_POLLS : EXEC_ENDLESS;
}
