/* Control flow: branches, calls, returns, exits.
 *
 * Register rows are static per function: a call costs nothing but a frame, unless the callee may already be
 * active in the thread (func->recursive). Then its rows, of the calling lanes alone, go to the thread's
 * hidden stack and come back at the return; results travel through frame memory, so restoring every row loses
 * nothing. Frames and hidden stack together are bounded by the stack limit, which also bounds the depth: a
 * call is charged FRAME_COST at least. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "exec/impl.h"

enum { FRAME_COST = 64 };

void bra_exec(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    out_jump(x->out, mask, i->target);
}

void brx_exec(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    struct exec_warp *w = x->warp;
    const uint32_t *words = w->block->grid->module->ext.v + i->ext;
    FOR_LANES(l, mask) {
        uint32_t index = (uint32_t)opnd_get(x, i->o[0], l);
        if (index >= words[0]) {
            exec_note(w, i, l, EXEC_F_CALL,
                      "branch index %" PRIu32 " is outside the table of %" PRIu32 " targets", index,
                      words[0]);
            return;
        }
        x->out->pc[l] = words[1 + index];
    }
    out_jump_each(x->out, mask);
}

/* ---- local memory and the stacks ---- */

bool local_reserve(struct exec_warp *w, uint32_t sp) {
    if (sp <= w->local_cap) return true;
    uint32_t cap = w->local_cap * 2 > sp ? w->local_cap * 2 : sp;
    cap = (cap + 63) & ~63u;
    uint32_t stride = cap + 64; /* not a power of two: the lanes' frames would share one cache set */
    uint8_t *local = try_alloc((size_t)stride * EXEC_LANES);
    if (!local) return false;
    for (size_t l = 0; w->local && l < EXEC_LANES; l++)
        memcpy(local + l * stride, w->local + l * w->local_stride, w->local_cap);
    xfree(w->local);
    w->local = local;
    w->local_cap = cap;
    w->local_stride = stride;
    return true;
}

/* The rows of a function for one lane: their size on the hidden stack, and the two directions of moving them. A
 * function's predicate rows begin one behind its base, because row 0 is used by no function. */
static uint32_t rows_bytes(const struct ir_func *f) {
    return f->nrow[IR_FILE_64] * 8 + f->nrow[IR_FILE_32] * 4 + f->nrow[IR_FILE_P];
}

static void save_rows(const struct exec_ctx *x, const struct ir_func *f, uint32_t lane, uint8_t *to) {
    const uint64_t *r64 = x->r64[0] + (size_t)f->base[IR_FILE_64] * EXEC_LANES + lane;
    const uint32_t *r32 = x->r32[0] + (size_t)f->base[IR_FILE_32] * EXEC_LANES + lane;
    const uint32_t *pred = x->pred + f->base[IR_FILE_P] + 1;
    for (size_t r = 0; r < f->nrow[IR_FILE_64]; r++, to += 8) memcpy(to, &r64[r * EXEC_LANES], 8);
    for (size_t r = 0; r < f->nrow[IR_FILE_32]; r++, to += 4) memcpy(to, &r32[r * EXEC_LANES], 4);
    for (size_t r = 0; r < f->nrow[IR_FILE_P]; r++) *to++ = pred[r] >> lane & 1;
}

static void load_rows(const struct exec_ctx *x, const struct ir_func *f, uint32_t lane, const uint8_t *from) {
    uint64_t *r64 = x->r64[0] + (size_t)f->base[IR_FILE_64] * EXEC_LANES + lane;
    uint32_t *r32 = x->r32[0] + (size_t)f->base[IR_FILE_32] * EXEC_LANES + lane;
    uint32_t *pred = x->pred + f->base[IR_FILE_P] + 1;
    for (size_t r = 0; r < f->nrow[IR_FILE_64]; r++, from += 8) memcpy(&r64[r * EXEC_LANES], from, 8);
    for (size_t r = 0; r < f->nrow[IR_FILE_32]; r++, from += 4) memcpy(&r32[r * EXEC_LANES], from, 4);
    for (size_t r = 0; r < f->nrow[IR_FILE_P]; r++)
        pred[r] = (pred[r] & ~(1u << lane)) | (uint32_t)*from++ << lane;
}

static void stack_overflow(struct exec_warp *w, const struct ir_insn *i, uint32_t lane,
                           const struct ir_func *f) {
    exec_note(w, i, lane, EXEC_F_STACK,
              "the call stack is full: %s is called at depth %" PRIu32 ", and a thread has %" PRIu32
              " bytes for frames and saved registers (exec.stack_bytes)",
              f->name, w->depth[lane], w->block->grid->stack_limit);
}

/* What one thread's stacks hold if it calls f with a frame at base. */
static bool ctrl_fits(const struct exec_warp *w, uint32_t lane, const struct ir_func *f, uint64_t base) {
    const struct exec_stack *s = &w->stack[lane];
    uint64_t need = base + f->frame_bytes + s->nsaved + (uint64_t)FRAME_COST * (w->depth[lane] + 1);
    if (f->recursive) need += rows_bytes(f);
    return need <= w->block->grid->stack_limit;
}

void call_push(struct exec_warp *w, uint32_t lane, const struct ir_func *f, struct exec_frame frame) {
    struct exec_stack *s = &w->stack[lane];
    w->called = true;
    if (w->depth[lane] == s->cap) {
        s->cap = s->cap * 2 + 4;
        s->frame = xrealloc(s->frame, s->cap * sizeof *s->frame);
    }
    frame.saved = s->nsaved;
    s->frame[w->depth[lane]++] = frame;
    if (!f->recursive) return;
    uint32_t bytes = rows_bytes(f);
    if (s->nsaved + bytes > s->saved_cap) {
        s->saved_cap = (s->nsaved + bytes) * 2;
        s->saved = xrealloc(s->saved, s->saved_cap);
    }
    save_rows(&w->x, f, lane, s->saved + s->nsaved);
    s->nsaved += bytes;
}

/* Argument and result copies: offsets come from the front end, but an indirect call may name a function of
 * another shape, so both frames are checked. Caller and callee frames do not overlap. */
static bool copy_words(uint8_t *local, const uint32_t *t, uint32_t n, uint32_t from, uint32_t from_end,
                       uint32_t to, uint32_t to_end) {
    for (uint32_t k = 0; k < n; k++, t += 3) {
        if ((uint64_t)from + t[0] + t[2] > from_end || (uint64_t)to + t[1] + t[2] > to_end) return false;
        memcpy(local + to + t[1], local + from + t[0], t[2]);
    }
    return true;
}

static bool ctrl_enter(struct exec_warp *w, const struct ir_insn *i, uint32_t lane, uint32_t func) {
    const struct ir_module *m = w->block->grid->module;
    const struct ir_func *f = &m->funcs.v[func];
    const uint32_t *words = m->ext.v + i->ext;
    uint64_t base = (uint64_t)w->frame[lane] + ((words[IR_CALL_FRAME] + 15) & ~15u);
    if (!ctrl_fits(w, lane, f, base)) return stack_overflow(w, i, lane, f), false;
    uint32_t sp = (uint32_t)base + f->frame_bytes;
    if (!local_reserve(w, sp > w->sp[lane] ? sp : w->sp[lane])) {
        exec_note(w, i, lane, EXEC_F_MEMORY, "the host has no memory for the local memory of this warp");
        return false;
    }
    uint8_t *local = w->local + (size_t)lane * w->local_stride;
    if (!copy_words(local, words + IR_CALL_COPIES, words[IR_CALL_NARGS], w->frame[lane], w->sp[lane],
                    (uint32_t)base, sp)) {
        exec_note(w, i, lane, EXEC_F_CALL, "call of %s with arguments it does not take", f->name);
        return false;
    }
    if (w->block->grid->lists_calls) note_entered(w->block->grid->image, func);
    call_push(w, lane, f, (struct exec_frame){insn_pc(w, i) + 1, i->ext, func, w->frame[lane], 0});
    w->frame[lane] = (uint32_t)base;
    w->sp[lane] = sp;
    return true;
}

void call_exec(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    struct exec_warp *w = x->warp;
    const struct ir_module *m = w->block->grid->module;
    uint32_t func = m->ext.v[i->ext + IR_CALL_FUNC];
    FOR_LANES(l, mask) {
        if (!ctrl_enter(w, i, l, func)) return;
    }
    out_jump(x->out, mask, m->funcs.v[func].entry);
}

/* The function a pointer names, or -1. Only those whose address the program takes: the registers of no other one are
 * sure to have been provided for. */
static int64_t ctrl_callee(const struct ir_module *m, uint64_t addr, const uint32_t *words) {
    uint64_t index = (addr - EXEC_WIN_FUNC) / 16;
    if (addr < EXEC_WIN_FUNC || addr % 16 || index >= m->funcs.n) return -1;
    const struct ir_func *f = &m->funcs.v[index];
    const uint32_t allowed = words[IR_CALL_FUNC];
    if (f->kernel || !f->defined || (!allowed && !f->address_taken)) return -1;
    const uint32_t *t = ir_call_list(words);
    for (uint32_t k = 0; k < allowed; k++)
        if (t[k] == index) return (int64_t)index;
    return allowed ? -1 : (int64_t)index;
}

void call_ind_exec(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    struct exec_warp *w = x->warp;
    const struct ir_module *m = w->block->grid->module;
    FOR_LANES(l, mask) {
        uint64_t addr = opnd_get(x, i->o[0], l);
        int64_t func = ctrl_callee(m, addr, m->ext.v + i->ext);
        if (func < 0) {
            exec_note(w, i, l, EXEC_F_CALL,
                      "indirect call of 0x%" PRIx64 ", which is not a function it may call", addr);
            return;
        }
        if (!ctrl_enter(w, i, l, (uint32_t)func)) return;
        x->out->pc[l] = m->funcs.v[func].entry;
    }
    out_jump_each(x->out, mask);
}

/* Undoes ctrl_enter(): results back to the caller's frame, rows back from the hidden stack. */
static void ctrl_leave(struct exec_warp *w, uint32_t lane) {
    const struct ir_module *m = w->block->grid->module;
    struct exec_stack *s = &w->stack[lane];
    const struct exec_frame *f = &s->frame[--w->depth[lane]];
    const struct ir_func *func = &m->funcs.v[f->func];
    const uint32_t *words = m->ext.v + f->ext;
    const uint32_t *rets = words + IR_CALL_COPIES + 3 * (size_t)words[IR_CALL_NARGS];
    uint8_t *local = w->local + (size_t)lane * w->local_stride;
    uint32_t callee_frame = w->frame[lane], callee_end = w->sp[lane];
    uint32_t depth = w->depth[lane];
    const struct ir_func *caller = depth ? &m->funcs.v[s->frame[depth - 1].func] : w->block->grid->func;
    w->frame[lane] = f->base;
    w->sp[lane] = f->base + caller->frame_bytes;
    copy_words(local, rets, words[IR_CALL_NRETS], callee_frame, callee_end, f->base, w->sp[lane]);
    if (func->recursive) load_rows(&w->x, func, lane, s->saved + f->saved);
    s->nsaved = f->saved;
    w->x.out->pc[lane] = f->ret;
}

/* Removes lanes that have exited. Threads that waited only for these lanes are set free. */
void lanes_retire(struct exec_warp *w, uint32_t lanes) {
    struct exec_block *b = w->block;
    w->live &= ~lanes;
    w->nlive = (uint8_t)bits_count(w->live);
    b->live -= bits_count(lanes);
    if (w->arrives) bar_leave(w, lanes);
    if (w->blocked & ~w->bar_wait) warp_recheck(w);
    bar_recheck(b);
}

void exit_exec(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    (void)i;
    out_jump(x->out, 0, 0);
    x->out->exited = mask;
    lanes_retire(x->warp, mask);
}

void ret_exec(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    struct exec_warp *w = x->warp;
    uint32_t back = 0;
    FOR_LANES(l, mask) {
        if (!w->depth[l]) continue;
        ctrl_leave(w, l);
        back |= 1u << l;
    }
    if (!back) {
        exit_exec(x, i, mask);
        return;
    }
    out_jump_each(x->out, back);
    if (back == mask) return;
    x->out->exited = mask & ~back;
    lanes_retire(w, mask & ~back);
}

/* brkpt without a debugger traps too, as on hardware. */
void trap_exec(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    exec_note(x->warp, i, (uint32_t)__builtin_ctz(mask), EXEC_F_TRAP, "%s",
              i->op == IR_TRAP ? "trap" : "breakpoint");
}
