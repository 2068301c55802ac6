/* Writing tapes and following them (exec/tape/tape.h): executors that take the place of the image's for one launch, as those of
 * the race check do.
 *
 * Recording runs the instruction and then tells its columns for each lane. Atomics run lane by lane, in the order that they
 * have anyway, to know of each whether it changed memory. A replay fills in the outcome that the instruction would have left:
 * addresses, and registers that the plan wants. It touches no memory but that of calls, which copy arguments that are
 * never read, and of matrices. Branches and jumps of machine code, which registers decide, go where the tape says.
 * Addresses come from a file that may be damaged: each is checked against what the space can have. */
#include "exec/livelock/follow.h"
#include "exec/tape/impl.h"

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

/* The trace, or the plan, does not fit the program. Schedulers that do not look at the outcome of arithmetic look at the limit. */
#define TAPE_FAULT(w, ...)           \
    do {                             \
        exec_note((w), __VA_ARGS__); \
        (w)->block->grid->most = 0;  \
    } while (0)

/* ---- record ---- */

static void tape_put(const struct exec_warp *w, uint32_t lane, uint32_t column, uint64_t v) {
    w->block->grid->launch->tape->put(w->block->tapes, thread_of(w, lane), column, v);
}

static void put_written(const struct exec_warp *w, const struct ir_insn *i, const struct site *t,
                        uint32_t column, uint32_t lane) {
    FOR_LANES(k, t->written) tape_put(w, lane, column++, opnd_get(&w->x, i->o[k], lane));
}

static void record_access(const struct exec_warp *w, const struct ir_insn *i, const struct site *t,
                          uint32_t mask) {
    const uint32_t own = t->kind == SITE_ACCESS;
    FOR_LANES(l, mask) {
        if (own) tape_put(w, l, t->column, w->x.out->access.addr[l]);
        put_written(w, i, t, t->column + own, l);
    }
}

static void record_loose(const struct exec_warp *w, const struct ir_insn *i, const struct site *t,
                         uint32_t mask) {
    const struct exec_out *o = w->x.out;
    FOR_LANES(l, mask) {
        const bool accesses = o->access.mask >> l & 1;
        tape_put(w, l, t->column, accesses ? o->access.bytes : 0);
        if (accesses) tape_put(w, l, t->column + 1, o->access.addr[l]);
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
        tape_put(w, l, t->column, x->out->access.addr[l]);
        tape_put(w, l, t->column + 1, !w->spun);
        put_written(w, i, t, t->column + 2, l);
        changed |= !w->spun;
    }
    w->spun = before || !changed;
    x->out->access.mask = mask;
}

static void record_branch(struct exec_ctx *x, const struct ir_insn *i, const struct site *t, uint32_t mask) {
    struct exec_warp *w = x->warp;
    w->block->grid->image->fn[i->op](x, i, mask);
    const uint32_t taken = x->out->flow == EXEC_JUMP ? x->out->taken : 0;
    FOR_LANES(l, mask) tape_put(w, l, t->column, taken >> l & 1);
}

/* Before it is executed: a call may write the register that it goes by. */
static void record_jump(struct exec_ctx *x, const struct ir_insn *i, const struct site *t, uint32_t mask) {
    struct exec_warp *w = x->warp;
    FOR_LANES(l, mask) tape_put(w, l, t->column, opnd_get(x, site_target(i), l));
    w->block->grid->image->fn[i->op](x, i, mask);
}

static void unplanned(struct exec_warp *w, const struct ir_insn *i, uint32_t mask) {
    TAPE_FAULT(
        w, i, (uint32_t)__builtin_ctz(mask), EXEC_F_TAPE,
        "nothing in the program says that the kernel gets here: it can be neither recorded nor replayed");
}

static void record_exec(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    struct exec_warp *w = x->warp;
    const struct site *t = site_of(w, i);
    switch (t->kind) {
    case SITE_NONE: unplanned(w, i, mask); return;
    case SITE_BRANCH: record_branch(x, i, t, mask); return;
    case SITE_JUMP: record_jump(x, i, t, mask); return;
    default: break;
    }
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

static bool tape_get(struct exec_warp *w, const struct ir_insn *i, uint32_t lane, uint32_t column,
                     uint64_t *v) {
    const struct exec_tape *t = w->block->grid->launch->tape;
    void *tapes = w->block->tapes;
    if (tapes && t->get(tapes, thread_of(w, lane), column, v)) return true;
    TAPE_FAULT(w, i, lane, EXEC_F_TAPE, "%s", t->why(t->user, tapes));
    return false;
}

static bool get_written(struct exec_warp *w, const struct ir_insn *i, const struct site *t, uint32_t column,
                        uint32_t lane) {
    FOR_LANES(k, t->written) {
        uint64_t v;
        if (!tape_get(w, i, lane, column++, &v)) return false;
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
    if (!tape_get(w, i, lane, column, addr)) return false;
    const bool aligned = i->op == IR_TEX || !(*addr & (bytes - 1));
    if (aligned && possible(w, w->x.out->access.space, *addr, bytes)) return true;
    TAPE_FAULT(w, i, lane, EXEC_F_TAPE, "the trace has an access of %u bytes at 0x%llx here", bytes,
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
        if (!get_address(w, i, l, t->column, w->x.out->access.bytes) ||
            !tape_get(w, i, l, t->column + 1, &v) || !get_written(w, i, t, t->column + 2, l))
            return false;
        changed |= v;
    }
    if (!changed) w->spun = true;
    return true;
}

/* Leaves an outcome like that of executors of textures, surfaces and copies: lanes outside access nothing. */
static bool replay_loose(struct exec_warp *w, const struct ir_insn *i, const struct site *t, uint32_t mask) {
    struct exec_out *o = w->x.out;
    o->access.mask = 0;
    o->access.space = i->op == IR_CP_ASYNC ? (enum ir_space)i->space : IR_SP_GLOBAL;
    o->access.found = IR_SP_GENERIC;
    o->access.store = i->op == IR_SUST || i->op == IR_SURED;
    FOR_LANES(l, mask) {
        uint64_t bytes;
        if (!tape_get(w, i, l, t->column, &bytes)) return false;
        if (bytes > 16 || (bytes & (bytes - 1))) {
            TAPE_FAULT(w, i, l, EXEC_F_TAPE, "the trace has an access of %llu bytes here",
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

static bool replay_branch(struct exec_warp *w, const struct ir_insn *i, const struct site *t, uint32_t mask) {
    uint32_t taken = 0;
    FOR_LANES(l, mask) {
        uint64_t v;
        if (!tape_get(w, i, l, t->column, &v)) return false;
        taken |= (uint32_t)(v & 1) << l;
    }
    if (taken) out_jump(w->x.out, taken, i->target);
    return true;
}

/* Could a thread go there? A kernel's last return goes to address 0. */
static bool leads_somewhere(const struct exec_warp *w, const struct ir_insn *i, uint32_t lane, uint64_t v) {
    const struct ir_module *m = w->block->grid->module;
    const uint32_t *words = i->op == IR_RET ? NULL : m->ext.v + i->ext;
    uint64_t disp = 0;
    if (i->op == IR_BRX) disp = (uint64_t)(int32_t)words[1 + words[0]];
    if (i->op == IR_CALL_IND) disp = (uint64_t)(int32_t)ir_call_list(words)[words[IR_CALL_FUNC]];
    const uint64_t to = (v + disp) & ~UINT64_C(1);
    return ir_binary_pc(m->binary, to) != IR_NOPC || (i->op == IR_RET && !to && !w->depth[lane]);
}

static void replay_jump(struct exec_ctx *x, const struct ir_insn *i, const struct site *t, uint32_t mask) {
    struct exec_warp *w = x->warp;
    FOR_LANES(l, mask) {
        uint64_t v;
        if (!tape_get(w, i, l, t->column, &v)) return;
        if (!leads_somewhere(w, i, l, v)) {
            TAPE_FAULT(w, i, l, EXEC_F_TAPE, "the trace has a jump to 0x%llx here", (unsigned long long)v);
            return;
        }
        opnd_put(x, site_target(i), l, v);
    }
    w->block->grid->image->fn[i->op](x, i, mask);
}

static bool tape_waits(const struct ir_insn *i) {
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
    switch (t->kind) {
    case SITE_NONE: unplanned(w, i, mask); return;
    case SITE_BRANCH: replay_branch(w, i, t, mask); return;
    case SITE_JUMP: replay_jump(x, i, t, mask); return;
    case SITE_LOOSE: replay_loose(w, i, t, mask); return;
    default: break;
    }
    if (t->kind != SITE_SKIP) begin_access(x, i, mask);
    if (t->kind == SITE_ATOM) {
        replay_atom(w, i, t, mask);
        return;
    }
    if (tape_waits(i)) w->spun = true;
    FOR_LANES(l, mask)
    if (!replay_lane(w, i, t, l)) return;
}

/* ---- a launch ---- */

static bool always_runs(uint16_t op, bool machine) {
    const uint8_t cls = ir_ops[op].cls;
    if (machine && cls == IR_C_BRANCH) return false;
    return (cls == IR_C_BRANCH && op != IR_SYS) || cls == IR_C_BAR || cls == IR_C_CTRL || cls == IR_C_MARK ||
           (op >= IR_MOV_P && op <= IR_NOT_P);
}

void tape_begin(struct exec_grid *g) {
    exec_fn *const instead = g->launch->tape->replay ? replay_exec : record_exec;
    exec_fn **fn = pages_raw(g->pages, IR_NOPS * sizeof *fn);
    for (uint16_t op = 0; op < IR_NOPS; op++)
        fn[op] = always_runs(op, g->module->binary) ? g->image->fn[op] : instead;
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
