/* One instruction of one thread of a block that is followed (joint.c), with what depends on what.
 *
 * The graph (flow.h) has a node for each instruction, not for each register: registers are shared by values that have
 * nothing to do with each other, and a value that does not matter must not seem to because of that. Which instruction's
 * value a register holds is kept by thread. Threads share the nodes: what matters to one then does to all, which is on the
 * safe side. Memory has a node for each byte. */
#include "exec/livelock/joint_impl.h"

struct at { /* a thread and its instruction */
    struct joint_warp *m;
    const struct ir_insn *i;
    uint32_t lane, pc;
};

/* ---- registers ---- */

static uint32_t *def_of(const struct exec_joint *k, const struct at *a, uint32_t row_node) {
    return &a->m->def[(size_t)(row_node - k->node.row[0]) * EXEC_LANES + a->lane];
}

static bool is_row(ir_opnd o) {
    return !ir_is_const(o) && ir_file(o) != IR_FILE_NONE;
}

static void reads(struct exec_joint *k, const struct at *a, ir_opnd o, uint32_t node) {
    if (is_row(o)) flow_depends(&k->flow, node, *def_of(k, a, k->node.row[ir_file(o)] + ir_index(o)));
}

static void reads_sources(struct exec_joint *k, const struct at *a, uint32_t from, uint32_t node) {
    const struct ir_insn *i = a->i;
    for (uint32_t n = i->nd + from; n < (uint32_t)i->nd + i->ns; n++) reads(k, a, i->o[n], node);
    if (i->mods & IR_M_CC_IN) flow_depends(&k->flow, node, *def_of(k, a, k->node.carry));
}

static void joint_step_writes(struct exec_joint *k, const struct at *a) {
    const struct ir_insn *i = a->i;
    for (uint32_t n = 0; n < i->nd; n++)
        if (is_row(i->o[n])) *def_of(k, a, k->node.row[ir_file(i->o[n])] + ir_index(i->o[n])) = a->pc;
    if (i->mods & IR_M_CC_OUT) *def_of(k, a, k->node.carry) = a->pc;
}

/* ---- memory ---- */

static uint32_t thread_of(const struct at *a) {
    return a->m->w->index * EXEC_LANES + a->lane;
}

static struct joint_cell *joint_step_touch(struct exec_joint *k, const struct at *a, const uint8_t *p,
                                           bool global) {
    uint32_t *known = flow_table_at(&k->cell_of, (uint64_t)(uintptr_t)p);
    if (!*known) {
        VEC_PUSH(&k->cells, (struct joint_cell){p, flow_add(&k->flow), thread_of(a), *p, false, global});
        *known = (uint32_t)k->cells.n;
    }
    struct joint_cell *c = &k->cells.v[*known - 1];
    if (c->thread != thread_of(a)) c->thread = JOINT_MANY;
    return c;
}

static void touch_all(struct exec_joint *k, const struct at *a, const uint8_t *p, uint32_t bytes,
                      enum ir_space space, bool load, bool store) {
    for (uint32_t b = 0; b < bytes; b++) {
        const uint32_t node = joint_step_touch(k, a, p + b, space == IR_SP_GLOBAL)->node;
        if (load) flow_depends(&k->flow, a->pc, node);
        if (store) flow_depends(&k->flow, node, a->pc);
    }
}

static void note_changes(struct exec_joint *k, const struct at *a, uint8_t *p, const uint8_t *old,
                         uint32_t bytes, bool local) {
    for (uint32_t b = 0; b < bytes; b++) {
        if (p[b] == old[b]) continue;
        joint_step_touch(k, a, p + b, false)->changed = true;
        if (!local) VEC_PUSH(&k->undo, (struct joint_undo){p + b, old[b]});
    }
}

static bool access_step(struct exec_joint *k, const struct at *a) {
    const struct ir_insn *i = a->i;
    const bool atom = ir_ops[i->op].cls == IR_C_ATOM, store = atom || follow_is_store(i);
    const uint32_t bytes = follow_bytes(i);
    uint64_t addr = follow_address(a->m->w, i, a->lane);
    enum exec_fault_kind why;
    uint8_t old[64];
    uint8_t *p = resolve_lane(a->m->w, (enum ir_space)i->space, addr, bytes, a->lane, store, &why);
    if (!p || bytes > sizeof old) return false;
    const enum ir_space space = exec_decode((enum ir_space)i->space, &addr);
    const bool local = space == IR_SP_LOCAL || space == IR_SP_FRAME;
    reads(k, a, i->o[i->nd], k->node.decides);
    reads_sources(k, a, 1, a->pc);
    if (space != IR_SP_PARAM && space != IR_SP_CONST) touch_all(k, a, p, bytes, space, atom || !store, store);
    memcpy(old, p, bytes);
    exec_step(a->m->w, a->pc, 1u << a->lane);
    if (store) note_changes(k, a, p, old, bytes, local);
    joint_step_writes(k, a);
    return true;
}

/* ---- meetings ---- */

/* True if the barrier needs all threads of the block. A barrier with a smaller count, or one at which some threads only
 * arrive, may be completed by different threads in another schedule. */
static bool whole_block(const struct exec_joint *k, const struct at *a) {
    const struct ir_insn *i = a->i;
    const bool red = i->op == IR_BAR_RED_P || i->op == IR_BAR_RED_U32;
    if (i->op == IR_BAR_ARRIVE) return false;
    if (i->ns <= (red ? 2 : 1)) return true;
    const uint64_t count = opnd_get(&a->m->w->x, i->o[i->nd + 1], a->lane);
    return !count || count == (uint64_t)k->nwarps * EXEC_LANES;
}

static void receives(struct exec_joint *k, const struct at *a) {
    flow_depends(&k->flow, a->pc, k->node.brought + a->i->op);
    joint_step_writes(k, a);
}

/* Threads that a meeting set free go on, with what it gave them. */
static void joint_step_take_released(struct exec_joint *k) {
    for (uint32_t n = 0; n < k->nwarps; n++) {
        struct joint_warp *m = &k->warp[n];
        FOR_LANES(l, m->w->released) {
            const uint32_t pc = m->w->wait_pc[l];
            m->at.pc[l] = pc + 1;
            m->at.run |= 1u << l;
            receives(k, &(struct at){m, &k->g->module->code.v[pc], l, pc});
        }
        m->w->released = 0;
    }
}

static bool joint_step_meet(struct exec_joint *k, const struct at *a) {
    const struct ir_insn *i = a->i;
    const bool barrier = ir_ops[i->op].cls == IR_C_BAR && i->op != IR_WARPSYNC;
    if (i->op == IR_CLUSTER_ARRIVE || i->op == IR_CLUSTER_WAIT) return false;
    if (barrier && !whole_block(k, a)) return false;
    reads_sources(k, a, 0, k->node.brought + i->op);
    reads_sources(k, a, 0, a->pc);
    if (barrier) { /* which one, and the count */
        reads(k, a, i->o[i->nd], k->node.decides);
        if (i->ns > 1) reads(k, a, i->o[i->nd + 1], k->node.decides);
    } else if (i->mods & IR_M_SYNC) { /* with whom */
        reads(k, a, i->o[i->nd + i->ns - 1], k->node.decides);
    } else {
        flow_depends(&k->flow, a->pc, k->node.co_runners);
    }
    receives(k, a);
    exec_step(a->m->w, a->pc, 1u << a->lane);
    return true;
}

/* ---- calls ---- */

/* Arguments and results are copied from frame to frame. The frames are there: the thread has been in this call before, or
 * the attempt ends. */
static bool copies(struct exec_joint *k, const struct at *a, const uint32_t *t, uint32_t n, uint64_t from,
                   uint64_t to) {
    const struct exec_warp *w = a->m->w;
    for (uint32_t c = 0; c < n; c++, t += 3) {
        if (from + t[0] + t[2] > w->local_cap || to + t[1] + t[2] > w->local_cap) return false;
        const uint8_t *local = w->local + (size_t)a->lane * w->local_stride;
        for (uint32_t b = 0; b < t[2]; b++) {
            const uint8_t *src = local + from + t[0] + b, *dst = local + to + t[1] + b;
            const uint32_t source = joint_step_touch(k, a, src, false)->node;
            struct joint_cell *cell = joint_step_touch(k, a, dst, false);
            cell->changed |= *src != *dst;
            flow_depends(&k->flow, cell->node, source);
        }
    }
    return true;
}

static bool is_recursive(const struct exec_joint *k, const struct at *a) {
    const struct exec_warp *w = a->m->w;
    return k->g->module->funcs.v[w->stack[a->lane].frame[w->depth[a->lane] - 1].func].recursive;
}

/* A recursive function's registers come back from the hidden stack: that is not followed. */
static bool call_step(struct exec_joint *k, const struct at *a) {
    struct exec_warp *w = a->m->w;
    const uint32_t *words = k->g->module->ext.v + a->i->ext;
    const uint8_t *local = w->local;
    const uint64_t from = w->frame[a->lane], to = from + ((words[IR_CALL_FRAME] + 15) & ~15u);
    if (!copies(k, a, words + IR_CALL_COPIES, words[IR_CALL_NARGS], from, to)) return false;
    reads_sources(k, a, 0, k->node.decides);
    exec_step(w, a->pc, 1u << a->lane);
    return w->x.out->flow != EXEC_FAULT && w->local == local && !is_recursive(k, a);
}

static bool return_step(struct exec_joint *k, const struct at *a) {
    struct exec_warp *w = a->m->w;
    if (is_recursive(k, a)) return false;
    const struct exec_frame *f = &w->stack[a->lane].frame[w->depth[a->lane] - 1];
    const uint32_t *words = k->g->module->ext.v + f->ext;
    if (!copies(k, a, words + IR_CALL_COPIES + 3 * (size_t)words[IR_CALL_NARGS], words[IR_CALL_NRETS],
                w->frame[a->lane], f->base))
        return false;
    exec_step(w, a->pc, 1u << a->lane);
    return true;
}

/* ---- all others ---- */

static void plain_step(struct exec_joint *k, const struct at *a) {
    const struct ir_insn *i = a->i;
    reads_sources(k, a, 0, ir_ops[i->op].cls == IR_C_BRANCH ? k->node.decides : a->pc);
    if (follow_is_clock(i)) flow_depends(&k->flow, a->pc, k->node.clock);
    uint32_t n;
    const uint32_t *more = ir_more(k->g->module, i, &n);
    for (uint32_t o = 0; o < n; o++) reads(k, a, more[o], k->node.decides); /* a texture's: what is touched */
    k->textures |= ir_ops[i->op].cls == IR_C_TEX;
    joint_step_writes(k, a);
    exec_step(a->m->w, a->pc, 1u << a->lane);
}

static bool joint_step_execute(struct exec_joint *k, const struct at *a) {
    const enum ir_class cls = (enum ir_class)ir_ops[a->i->op].cls;
    if (follow_ends(a->m->w, a->i, a->lane) || follow_is_untracked(a->i)) return false;
    if (follow_is_access(a->i) || cls == IR_C_ATOM) return access_step(k, a);
    if (cls == IR_C_WARP || cls == IR_C_BAR) return joint_step_meet(k, a);
    if (a->i->op == IR_CALL || a->i->op == IR_CALL_IND) return call_step(k, a);
    if (a->i->op == IR_RET) return return_step(k, a);
    plain_step(k, a);
    return true;
}

bool joint_step(struct exec_joint *k, struct joint_warp *m, uint32_t lane) {
    const struct exec_out *o = m->w->x.out;
    const uint32_t pc = m->at.pc[lane], bit = 1u << lane;
    const struct ir_insn *i = &k->g->module->code.v[pc];
    const struct at a = {m, i, lane, pc};
    if (i->guard) reads(k, &a, ir_reg(IR_FILE_P, i->guard & IR_GUARD_INDEX), k->node.decides);
    m->at.pc[lane] = pc + 1;
    if (i->guard && !exec_guard(&m->w->x, i, bit)) return true;
    if (!joint_step_execute(k, &a) || o->flow == EXEC_FAULT) return false;
    m->at.pc[lane] = follow_next(o, pc, lane);
    if (o->flow != EXEC_NEXT) joint_step_take_released(k);
    return true;
}
