/* The state of a block that is followed (joint.c): kept, put back, compared with that at the anchor. */
#include "exec/livelock/joint_impl.h"

static void keep_stacks(const struct exec_warp *w, struct joint_kept *to) {
    uint32_t depth = 0;
    to->frames.n = 0;
    FOR_LANES(l, w->live) depth += w->depth[l];
    VEC_RESERVE(&to->frames, depth + 1);
    FOR_LANES(l, w->live) {
        if (w->depth[l])
            memcpy(to->frames.v + to->frames.n, w->stack[l].frame, w->depth[l] * sizeof *to->frames.v);
        to->frames.n += w->depth[l];
    }
}

static void keep_local(const struct exec_warp *w, struct joint_kept *to) {
    to->local.n = w->local ? (size_t)w->local_cap * EXEC_LANES : 0;
    VEC_RESERVE(&to->local, to->local.n + 1);
    for (size_t l = 0; w->local && l < EXEC_LANES; l++)
        memcpy(to->local.v + l * w->local_cap, w->local + l * w->local_stride, w->local_cap);
}

void joint_keep(const struct exec_joint *k, const struct joint_warp *m, struct joint_kept *to) {
    if (!to->regs) to->regs = xmalloc(k->reg_bytes);
    memcpy(&to->w, m->w, sizeof to->w);
    memcpy(to->regs, m->w->regs, k->reg_bytes);
    to->at = m->at;
    keep_stacks(m->w, to);
    if (to == &m->before) keep_local(m->w, to); /* since the anchor, cells know what it held */
}

/* Stacks and local memory may have moved: they only grow, so there is room for what was on them. */
void joint_put_back(const struct exec_joint *k, struct joint_warp *m) {
    const struct joint_kept *from = &m->before;
    const struct exec_warp now = *m->w;
    struct exec_warp *w = m->w;
    memcpy(w, &from->w, sizeof *w);
    w->local = now.local;
    w->local_cap = now.local_cap;
    w->local_stride = now.local_stride;
    memcpy(w->regs, from->regs, k->reg_bytes);
    for (size_t l = 0; from->local.n && l < EXEC_LANES; l++)
        memcpy(w->local + l * w->local_stride, from->local.v + l * from->w.local_cap, from->w.local_cap);
    for (uint32_t l = 0; l < EXEC_LANES; l++) {
        w->stack[l] = now.stack[l];
        w->stack[l].nsaved = from->w.stack[l].nsaved;
    }
    const struct exec_frame *f = from->frames.v;
    FOR_LANES(l, w->live) {
        if (w->depth[l]) memcpy(w->stack[l].frame, f, w->depth[l] * sizeof *f);
        f += w->depth[l];
    }
}

/* ---- what matters ---- */

/* What decides something, and what that was computed from. Where a row held such a value at the anchor, the one that is in
 * its place now will decide the next turn: it matters too. */
static void joint_state_mark(struct exec_joint *k) {
    size_t marks;
    flow_unmark(&k->flow);
    flow_mark(&k->flow, k->node.decides);
    do {
        marks = k->flow.marks;
        for (uint32_t n = 0; n < k->nwarps; n++)
            for (size_t r = 0; r < k->nrows; r++) FOR_LANES(l, k->warp[n].w->live) {
                    if (flow_marked(&k->flow, k->warp[n].def_then[r * EXEC_LANES + l]))
                        flow_mark(&k->flow, k->warp[n].def[r * EXEC_LANES + l]);
                }
    } while (marks != k->flow.marks);
}

/* Lanes of a row, by its number among those of all files, that hold what matters, or held it at the anchor. */
static uint32_t matters(const struct exec_joint *k, const struct joint_warp *m, uint32_t row) {
    uint32_t lanes = 0;
    FOR_LANES(l, m->w->live) {
        const size_t at = (size_t)row * EXEC_LANES + l;
        lanes |= (uint32_t)(flow_marked(&k->flow, m->def[at]) || flow_marked(&k->flow, m->def_then[at])) << l;
    }
    return lanes;
}

/* ---- has all this been so before? ---- */

static bool same_frames(const struct joint_warp *m) {
    const struct exec_frame *f = m->anchor.frames.v;
    FOR_LANES(l, m->w->live) {
        const uint32_t depth = m->w->depth[l];
        if (depth != m->anchor.w.depth[l] || m->w->frame[l] != m->anchor.w.frame[l] ||
            m->w->sp[l] != m->anchor.w.sp[l] || m->w->stack[l].nsaved != m->anchor.w.stack[l].nsaved ||
            (depth && memcmp(f, m->w->stack[l].frame, depth * sizeof *f)))
            return false;
        f += depth;
    }
    return true;
}

static bool same_waits(const struct joint_warp *m) {
    const struct exec_warp *w = m->w, *was = &m->anchor.w;
    FOR_LANES(l, w->blocked) {
        if (w->wait_pc[l] != was->wait_pc[l]) return false;
        if (w->bar_wait >> l & 1 ? w->bar_id[l] != was->bar_id[l] : w->xchg.member[l] != was->xchg.member[l])
            return false;
    }
    return true;
}

/* Before what matters is known: where all threads are. */
static bool same_places(const struct exec_joint *k) {
    for (uint32_t n = 0; n < k->nwarps; n++) {
        const struct joint_warp *m = &k->warp[n];
        if (m->w->blocked != m->anchor.w.blocked || m->w->bar_wait != m->anchor.w.bar_wait ||
            m->at.run != m->anchor.at.run)
            return false;
        FOR_LANES(l, joint_can_run(m)) if (m->at.pc[l] != m->anchor.at.pc[l]) return false;
        if (!same_waits(m) || !same_frames(m)) return false;
    }
    return true;
}

static bool same_barriers(const struct exec_joint *k) {
    for (uint32_t id = 0; id < EXEC_BARRIERS; id++) {
        const struct exec_barrier *now = &k->block->bar[id], *was = &k->block_anchor.bar[id];
        if (now->arrived != was->arrived || now->count != was->count || now->warps != was->warps)
            return false;
        const bool result = flow_marked(&k->flow, k->node.brought + IR_BAR_RED_P) ||
                            flow_marked(&k->flow, k->node.brought + IR_BAR_RED_U32);
        if (result && (now->popc != was->popc || now->npred != was->npred)) return false;
    }
    return true;
}

static bool same_brought(const struct exec_joint *k, const struct joint_warp *m) {
    const struct ir_insn *code = k->g->module->code.v;
    FOR_LANES(l, m->w->blocked & ~m->w->bar_wait)
    if (m->w->xchg.value[l] != m->anchor.w.xchg.value[l] &&
        flow_marked(&k->flow, k->node.brought + code[m->w->wait_pc[l]].op))
        return false;
    return true;
}

static bool same_rows(const struct exec_joint *k, const struct joint_warp *m) {
    const uint64_t *was64 = (const uint64_t *)(const void *)m->anchor.regs, *r64 = m->w->x.r64[0];
    const uint32_t *was32 = (const uint32_t *)(was64 + (size_t)k->rows[IR_FILE_64] * EXEC_LANES);
    const uint32_t *wasp = was32 + (size_t)k->rows[IR_FILE_32] * EXEC_LANES, *r32 = m->w->x.r32[0];
    const uint32_t *row = k->node.row, first = row[0];
    for (uint32_t r = 0; r < k->rows[IR_FILE_64]; r++)
        FOR_LANES(l, matters(k, m, row[IR_FILE_64] - first + r))
    if (was64[r * EXEC_LANES + l] != r64[r * EXEC_LANES + l]) return false;
    for (uint32_t r = 0; r < k->rows[IR_FILE_32]; r++)
        FOR_LANES(l, matters(k, m, row[IR_FILE_32] - first + r))
    if (was32[r * EXEC_LANES + l] != r32[r * EXEC_LANES + l]) return false;
    for (uint32_t r = 0; r < k->rows[IR_FILE_P]; r++)
        if ((wasp[r] ^ m->w->x.pred[r]) & matters(k, m, row[IR_FILE_P] - first + r)) return false;
    return !((m->anchor.w.carry ^ m->w->carry) & matters(k, m, k->node.carry - first));
}

/* A byte that matters holds what it did at the anchor, and if it was changed, ever, then by the only thread that uses it. */
static bool same_cells(const struct exec_joint *k) {
    for (size_t n = 0; n < k->cells.n; n++) {
        const struct joint_cell *c = &k->cells.v[n];
        if (c->changed && c->global && k->textures) return false;
        if (!flow_marked(&k->flow, c->node)) continue;
        if (*c->at != c->held || (c->changed && c->thread == JOINT_MANY)) return false;
    }
    return true;
}

bool joint_same(struct exec_joint *k) {
    if (!same_places(k)) return false;
    joint_state_mark(k);
    if (flow_marked(&k->flow, k->node.co_runners) || flow_marked(&k->flow, k->node.clock)) return false;
    for (uint32_t n = 0; n < k->nwarps; n++)
        if (!same_rows(k, &k->warp[n]) || !same_brought(k, &k->warp[n])) return false;
    return same_barriers(k) && same_cells(k);
}
