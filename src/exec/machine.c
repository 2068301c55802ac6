/* What machine code does that PTX does not: jumps to addresses in registers, calls that leave
 * the return address in a register, reservations, control and status registers.
 *
 * A call writes the address behind it to its register and also counts as a call for the mechanism: a frame is pushed
 * that says where it returns to. A return looks for the frame of the address it goes to, which nearly always is the
 * last one; frames above it are dropped, as longjmp does. An address that no frame has is a plain jump. With no frame
 * at all, a return to address 0 ends the thread: that is where threads of a launch come from.
 *
 * A store-conditional succeeds if the word still has the value that the load-reserved of that address read, even if it
 * was written since. */
#include <inttypes.h>

#include "exec/impl.h"

/* ---- jumps ---- */

/* The instruction at an address; IR_NOPC: a fault, reported. */
static uint32_t pc_at(struct exec_warp *w, const struct ir_insn *i, uint32_t lane, uint64_t addr) {
    const uint32_t pc = ir_binary_pc(w->block->grid->module->binary, addr & ~UINT64_C(1));
    if (pc == IR_NOPC)
        exec_note(w, i, lane, EXEC_F_CALL, "jump to 0x%" PRIx64 ", where there is no instruction", addr);
    return pc;
}

static void machine_brx(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    struct exec_warp *w = x->warp;
    const uint32_t *words = w->block->grid->module->ext.v + i->ext;
    const uint64_t disp = (uint64_t)(int32_t)words[1 + words[0]];
    FOR_LANES(l, mask) {
        if ((x->out->pc[l] = pc_at(w, i, l, opnd_get(x, i->o[0], l) + disp)) == IR_NOPC) return;
    }
    out_jump_each(x->out, mask);
}

/* ---- calls ---- */

enum { MOST_CALLS = 1 << 20 };

static bool exec_machine_enter(struct exec_warp *w, const struct ir_insn *i, uint32_t lane,
                               const struct ir_func *f) {
    const struct ir_module *m = w->block->grid->module;
    if (w->depth[lane] >= MOST_CALLS) {
        exec_note(w, i, lane, EXEC_F_STACK,
                  "the call stack is full: a thread may be %d calls deep, and no option changes that",
                  MOST_CALLS);
        return false;
    }
    const uint32_t func = f ? (uint32_t)(f - m->funcs.v) : 0;
    if (w->block->grid->lists_calls) note_entered(w->block->grid->image, func);
    call_push(w, lane, &m->funcs.v[func],
              (struct exec_frame){insn_pc(w, i) + 1, i->ext, func, w->frame[lane], 0});
    return true;
}

/* The address behind a call, which has the length of the machine instruction in vec. */
static uint64_t link_of(const struct ir_module *m, uint32_t pc) {
    return m->binary->addr[pc] + m->code.v[pc].vec;
}

static void machine_call(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    struct exec_warp *w = x->warp;
    const struct ir_module *m = w->block->grid->module;
    const struct ir_func *f = &m->funcs.v[m->ext.v[i->ext + IR_CALL_FUNC]];
    const uint64_t link = link_of(m, insn_pc(w, i));
    FOR_LANES(l, mask) {
        if (!exec_machine_enter(w, i, l, f)) return;
        opnd_put(x, i->o[0], l, link);
    }
    out_jump(x->out, mask, f->entry);
}

static void machine_call_ind(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    struct exec_warp *w = x->warp;
    const struct ir_module *m = w->block->grid->module;
    const uint32_t *words = m->ext.v + i->ext;
    const uint64_t disp = (uint64_t)(int32_t)ir_call_list(words)[words[IR_CALL_FUNC]];
    const uint64_t link = link_of(m, insn_pc(w, i));
    FOR_LANES(l, mask) {
        const uint32_t pc = pc_at(w, i, l, opnd_get(x, i->o[1], l) + disp);
        if (pc == IR_NOPC || !exec_machine_enter(w, i, l, ir_func_at(m, pc))) return;
        x->out->pc[l] = pc;
        opnd_put(x, i->o[0], l, link);
    }
    out_jump_each(x->out, mask);
}

/* The call that returns to an address, as its number from below plus one; 0: none. */
static uint32_t find_call(const struct exec_warp *w, uint32_t lane, uint64_t addr) {
    const struct ir_module *m = w->block->grid->module;
    uint32_t depth = w->depth[lane];
    while (depth && link_of(m, w->stack[lane].frame[depth - 1].ret - 1) != addr) depth--;
    return depth;
}

static void machine_ret(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    struct exec_warp *w = x->warp;
    uint32_t gone = 0;
    FOR_LANES(l, mask) {
        const uint64_t to = opnd_get(x, i->o[0], l) & ~UINT64_C(1);
        const uint32_t call = find_call(w, l, to);
        if (call) {
            w->depth[l] = call - 1;
            x->out->pc[l] = w->stack[l].frame[call - 1].ret;
        } else if (!to && !w->depth[l]) {
            gone |= 1u << l;
        } else if ((x->out->pc[l] = pc_at(w, i, l, to)) == IR_NOPC) {
            return;
        }
    }
    if (mask & ~gone)
        out_jump_each(x->out, mask & ~gone);
    else
        out_jump(x->out, 0, 0);
    x->out->exited = gone;
    if (gone) lanes_retire(w, gone);
}

void machine_executors(exec_fn *fn[IR_NOPS], exec_fn *bra) {
    fn[IR_BRA] = bra;
    fn[IR_BRX] = machine_brx;
    fn[IR_CALL] = machine_call;
    fn[IR_CALL_IND] = machine_call_ind;
    fn[IR_RET] = machine_ret;
}

/* ---- reservations ---- */

void rv_lr_exec(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    const uint32_t bytes = ir_type_bytes[ir_ops[i->op].type];
    uint8_t *at[EXEC_LANES];
    if (!resolve(x, i, i->o[1], mask, bytes, true, at)) return;
    FOR_LANES(l, mask) {
        uint64_t v = 0;
        memcpy(&v, at[l], bytes);
        if (bytes == 4) v = (uint64_t)(int32_t)v;
        x->r64[0][(size_t)IR_RV_RES_ADDR * EXEC_LANES + l] = x->out->access.addr[l];
        x->r64[0][(size_t)IR_RV_RES_VALUE * EXEC_LANES + l] = v;
        opnd_put(x, i->o[0], l, v);
    }
    x->warp->spun = true;
}

void rv_sc_exec(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    const uint32_t bytes = ir_type_bytes[ir_ops[i->op].type];
    uint8_t *at[EXEC_LANES];
    bool changed = false;
    if (!resolve(x, i, i->o[1], mask, bytes, true, at)) return;
    FOR_LANES(l, mask) {
        uint64_t *reserved = &x->r64[0][(size_t)IR_RV_RES_ADDR * EXEC_LANES + l], old = 0;
        const uint64_t expected = x->r64[0][(size_t)IR_RV_RES_VALUE * EXEC_LANES + l],
                       v = opnd_get(x, i->o[2], l);
        memcpy(&old, at[l], bytes);
        const bool good = *reserved == x->out->access.addr[l] && !memcmp(&old, &expected, bytes);
        *reserved = 0;
        if (good) memcpy(at[l], &v, bytes);
        changed |= good;
        opnd_put(x, i->o[0], l, !good);
    }
    if (!changed) x->warp->spun = true;
}

/* ---- control and status ---- */

enum { FFLAGS = 1, FRM = 2, FCSR = 3 };

void rv_csr_exec(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    const uint32_t shift = i->disp == FRM ? 5 : 0;
    const uint64_t field = i->disp == FFLAGS ? 0x1f : i->disp == FRM ? 7 : 0xff;
    uint64_t *row = x->r64[0] + (size_t)IR_RV_FCSR * EXEC_LANES;
    FOR_LANES(l, mask) {
        const uint64_t old = row[l] >> shift & field, v = (i->ns ? opnd_get(x, i->o[1], l) : i->vec) & field;
        const uint64_t new = i->sub == 0 ? v : i->sub == 1 ? old | v : old & ~v;
        if (!i->cop) row[l] = (row[l] & ~(field << shift)) | new << shift;
        opnd_put(x, i->o[0], l, old);
    }
}

/* The core that runs main does these itself: a thread of a launch has no system and cannot launch. */
void rv_host_exec(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    exec_note(x->warp, i, (uint32_t)__builtin_ctz(mask), EXEC_F_TRAP, "%s",
              i->op == IR_RV_ECALL ? "a thread of a launch cannot call the system"
                                   : "a thread of a launch cannot launch");
}

/* A module has the build for this host in its place (exec/image.c). */
void rv_fp_exec(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    x->warp->block->grid->image->fn[i->op](x, i, mask);
}
