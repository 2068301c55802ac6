/* Writing tapes and following them (exec/tape.h): executors that take the place of the image's for one launch, as those of
 * the race check do.
 *
 * Recording runs the instruction and then tells its columns for each lane. Atomics run lane by lane, in the order that they
 * have anyway, to know of each whether it changed memory. A replay fills in the outcome that the instruction would have left:
 * addresses, and registers that the plan wants. It touches no memory but that of calls, which copy arguments that nobody
 * reads, and of matrices. Addresses come from a file that may be damaged: each is checked against what the space can have. */
#include "exec/follow.h"
#include "exec/tape_impl.h"

static const struct site *site_of(const struct exec_warp *w, const struct ir_insn *i) {
    const struct exec_launch *l = w->block->grid->launch;
    const uint32_t pc = insn_pc(w, i);
    return &l->plan->site[l->old_pc ? l->old_pc[pc] : pc];
}

static uint32_t thread_of(const struct exec_warp *w, uint32_t lane) {
    return w->index * EXEC_LANES + lane;
}

/* Bytes that each lane accesses. */
static uint32_t bytes_of(const struct ir_insn *i) {
    if (i->op == IR_ATOM_B128) return 16;
    return ir_ops[i->op].cls == IR_C_ATOM ? ir_type_bytes[ir_ops[i->op].type] : follow_bytes(i);
}

/* ---- record ---- */

static void put(const struct exec_warp *w, uint32_t lane, uint32_t column, uint64_t v) {
    w->block->grid->launch->tape->put(w->block->tapes, thread_of(w, lane), column, v);
}

static void put_written(const struct exec_warp *w, const struct ir_insn *i, const struct site *t,
                        uint32_t column, uint32_t lane) {
    FOR_LANES(k, t->written) put(w, lane, column++, opnd_get(&w->x, i->o[k], lane));
}

static void record_access(const struct exec_warp *w, const struct ir_insn *i, const struct site *t,
                          uint32_t mask) {
    const uint32_t own = t->kind == SITE_ACCESS;
    FOR_LANES(l, mask) {
        if (own) put(w, l, t->column, w->x.out->access.addr[l]);
        put_written(w, i, t, t->column + own, l);
    }
}

static void record_loose(const struct exec_warp *w, const struct ir_insn *i, const struct site *t,
                         uint32_t mask) {
    const struct exec_out *o = w->x.out;
    FOR_LANES(l, mask) {
        const bool accesses = o->access.mask >> l & 1;
        put(w, l, t->column, accesses ? o->access.bytes : 0);
        if (accesses) put(w, l, t->column + 1, o->access.addr[l]);
        put_written(w, i, t, t->column + 2, l);
    }
}

static void record_atom(struct exec_ctx *x, const struct ir_insn *i, const struct site *t, uint32_t mask) {
    struct exec_warp *w = x->warp;
    const bool before = w->spun;
    bool changed = false;
    FOR_LANES(l, mask) {
        w->spun = false;
        w->block->grid->image->fn[i->op](x, i, 1u << l);
        if (x->out->flow == EXEC_FAULT) return;
        put(w, l, t->column, x->out->access.addr[l]);
        put(w, l, t->column + 1, !w->spun);
        put_written(w, i, t, t->column + 2, l);
        changed |= !w->spun;
    }
    w->spun = before || !changed;
    x->out->access.mask = mask;
}

static void record_exec(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    struct exec_warp *w = x->warp;
    const struct site *t = site_of(w, i);
    if (t->kind == SITE_ATOM) {
        record_atom(x, i, t, mask);
        return;
    }
    w->block->grid->image->fn[i->op](x, i, mask);
    if (x->out->flow == EXEC_FAULT) return;
    if (t->kind == SITE_LOOSE)
        record_loose(w, i, t, mask);
    else if (t->kind != SITE_RUN && (t->kind == SITE_ACCESS || t->written))
        record_access(w, i, t, mask);
}

/* ---- replay ---- */

static bool get(struct exec_warp *w, const struct ir_insn *i, uint32_t lane, uint32_t column, uint64_t *v) {
    const struct exec_tape *t = w->block->grid->launch->tape;
    void *tapes = w->block->tapes;
    if (tapes && t->get(tapes, thread_of(w, lane), column, v)) return true;
    exec_note(w, i, lane, EXEC_F_TAPE, "%s", t->why(t->user, tapes));
    return false;
}

static bool get_written(struct exec_warp *w, const struct ir_insn *i, const struct site *t, uint32_t column,
                        uint32_t lane) {
    FOR_LANES(k, t->written) {
        uint64_t v;
        if (!get(w, i, lane, column++, &v)) return false;
        if (ir_file(i->o[k]) == IR_FILE_P)
            exec_set_pred(&w->x, i->o[k], 1u << lane, (uint32_t)(v & 1) << lane);
        else
            opnd_put(&w->x, i->o[k], lane, v);
    }
    return true;
}

/* Could a program have made this access? */
static bool possible(const struct exec_warp *w, enum ir_space said, uint64_t addr, uint32_t bytes) {
    const struct exec_grid *g = w->block->grid;
    const enum ir_space space = exec_decode(said, &addr);
    uint64_t size;
    switch (space) {
    case IR_SP_SHARED: size = g->shared_bytes; break;
    case IR_SP_LOCAL:
    case IR_SP_FRAME: size = g->stack_limit; break;
    case IR_SP_PARAM: size = g->func->param_bytes; break;
    case IR_SP_CONST: size = EXEC_MAX_CONST; break;
    default: size = EXEC_MEM_END;
    }
    return addr <= size && bytes <= size - addr;
}

static bool get_address(struct exec_warp *w, const struct ir_insn *i, uint32_t lane, uint32_t column,
                        uint32_t bytes) {
    uint64_t *addr = &w->x.out->access.addr[lane];
    if (!get(w, i, lane, column, addr)) return false;
    const bool aligned = i->op == IR_TEX || !(*addr & (bytes - 1));
    if (aligned && possible(w, w->x.out->access.space, *addr, bytes)) return true;
    exec_note(w, i, lane, EXEC_F_TAPE, "the trace has an access of %u bytes at 0x%llx here", bytes,
              (unsigned long long)*addr);
    return false;
}

static void begin_access(const struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    struct exec_out *o = x->out;
    o->access.mask = mask;
    o->access.bytes = bytes_of(i);
    o->access.space = (enum ir_space)i->space;
    o->access.found = IR_SP_GENERIC;
    o->access.store = follow_is_store(i) || ir_ops[i->op].cls == IR_C_ATOM;
}

static bool replay_lane(struct exec_warp *w, const struct ir_insn *i, const struct site *t, uint32_t lane) {
    uint32_t column = t->column;
    if (t->kind == SITE_STATIC) w->x.out->access.addr[lane] = follow_address(w, i, lane);
    if (t->kind == SITE_ACCESS && !get_address(w, i, lane, column++, w->x.out->access.bytes)) return false;
    return get_written(w, i, t, column, lane);
}

static bool replay_atom(struct exec_warp *w, const struct ir_insn *i, const struct site *t, uint32_t mask) {
    bool changed = false;
    FOR_LANES(l, mask) {
        uint64_t v;
        if (!get_address(w, i, l, t->column, w->x.out->access.bytes) || !get(w, i, l, t->column + 1, &v) ||
            !get_written(w, i, t, t->column + 2, l))
            return false;
        changed |= v;
    }
    if (!changed) w->spun = true;
    return true;
}

/* As executors of textures, surfaces and copies leave it: lanes outside access nothing. */
static bool replay_loose(struct exec_warp *w, const struct ir_insn *i, const struct site *t, uint32_t mask) {
    struct exec_out *o = w->x.out;
    o->access.mask = 0;
    o->access.space = i->op == IR_CP_ASYNC ? (enum ir_space)i->space : IR_SP_GLOBAL;
    o->access.found = IR_SP_GENERIC;
    o->access.store = i->op == IR_SUST || i->op == IR_SURED;
    FOR_LANES(l, mask) {
        uint64_t bytes;
        if (!get(w, i, l, t->column, &bytes)) return false;
        if (bytes > 16 || (bytes & (bytes - 1))) {
            exec_note(w, i, l, EXEC_F_TAPE, "the trace has an access of %llu bytes here",
                      (unsigned long long)bytes);
            return false;
        }
        if (bytes) {
            o->access.mask |= 1u << l;
            o->access.bytes = (uint32_t)bytes;
            if (!get_address(w, i, l, t->column + 1, (uint32_t)bytes)) return false;
        }
        if (!get_written(w, i, t, t->column + 2, l)) return false;
    }
    return true;
}

static bool waits(const struct ir_insn *i) {
    return i->nd && ir_ops[i->op].cls == IR_C_LDST &&
           (i->mods & IR_M_VOLATILE || i->cop == IR_COP_CV || i->cop == IR_COP_ORDERED);
}

static void replay_exec(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    struct exec_warp *w = x->warp;
    const struct site *t = site_of(w, i);
    if (i->flags & IR_F_ADDED || t->kind == SITE_RUN) {
        w->block->grid->image->fn[i->op](x, i, mask);
        return;
    }
    if (t->kind == SITE_SKIP && !t->written) return;
    if (t->kind == SITE_LOOSE) {
        replay_loose(w, i, t, mask);
        return;
    }
    if (t->kind != SITE_SKIP) begin_access(x, i, mask);
    if (t->kind == SITE_ATOM) {
        replay_atom(w, i, t, mask);
        return;
    }
    if (waits(i)) w->spun = true;
    FOR_LANES(l, mask)
    if (!replay_lane(w, i, t, l)) return;
}

/* ---- a launch ---- */

static bool always_runs(uint16_t op) {
    const uint8_t cls = ir_ops[op].cls;
    return (cls == IR_C_BRANCH && op != IR_SYS) || cls == IR_C_BAR || cls == IR_C_CTRL || cls == IR_C_MARK ||
           (op >= IR_MOV_P && op <= IR_NOT_P);
}

void tape_begin(struct exec_grid *g) {
    exec_fn *const instead = g->launch->tape->replay ? replay_exec : record_exec;
    exec_fn **fn = pages_raw(g->pages, IR_NOPS * sizeof *fn);
    for (uint16_t op = 0; op < IR_NOPS; op++) fn[op] = always_runs(op) ? g->image->fn[op] : instead;
    g->fn = fn;
}

void tape_block_start(struct exec_block *b) {
    const struct exec_tape *t = b->grid->launch->tape;
    b->tapes = t->start(t->user, b->index);
}

void tape_block_end(struct exec_block *b, bool complete) {
    if (b->tapes) b->grid->launch->tape->end(b->tapes, complete);
    b->tapes = NULL;
}
