/* Uniformity: what is promised is about threads that execute an instruction *together*, in lockstep: they came to it as
 * one group that diverged and met again only at post-dominators, or earlier at places diverge.c lists, the same number of
 * times round each loop. Such a group never diverges at a branch without the bit. A mechanism that puts threads of different
 * rounds of a loop together (DWF, and all that merge by PC alone) can see them diverge at a loop counter that every
 * round has the same for all.
 *
 * Forward data flow over register rows, predicates, the carry bit and the bytes of the call frame, with strong updates, so
 * rows that several values share do not mix: one bit each, "may differ between threads of the group". It differs
 *   - from the start: tid, lane numbers and masks, clocks, frame addresses, whatever was never written;
 *   - loaded from anywhere but kernel parameters and .const at an address that does not differ: others may store meanwhile,
 *     and not all threads need load at once;
 *   - atomics, textures, shuffles, match.any, elect, activemask, votes without member mask (who votes depends on who
 *     happens to run). Votes, ballots, match.all and redux with a member mask that does not differ give all members the
 *     same, but to each warp its own; bar.red without a count gives the whole block the same;
 *   - a result of operands that differ, or written under a guard that differs;
 *   - where threads that diverged may meet: all that was written since (diverge.c).
 * %warpid is one per warp and differs within a block. `.uni` is a promise about the threads of a warp, and believed there.
 *
 * Machine code: registers differ at the start of a function that is not a kernel, and after every call.
 *
 * Calls: arguments flow into the callee's frame, results out of it, over all its calls together; an indirect call without
 * list may reach every function whose address is taken. Optimistic to a fixpoint over the module, which makes recursion
 * the same case. Frame bytes are followed only where no address of them is taken. A function that is never called, and
 * one too large (MOST_WORDS, the visits of diverge.c), has everything differ. */
#include "cfg/uniform.h"

#include <stdlib.h>
#include <string.h>

#include "cfg/diverge.h"

enum { MOST_BYTES = 1024, MOST_WORDS = 1 << 23 };

/* One function. A state is a row of `words` words, a bit for everything that holds a value. */
struct flow {
    struct work w;
    struct diverge d;
    /* Where each file begins, the carry, frame bytes; the end. */
    uint32_t first[3], carry, frame, bits, words;
    uint64_t *in;   /* by block, at its start; row n: at the return */
    uint64_t *defs; /* by block: what it writes */
    bool *queued, *reached, *diverged, *calls;
    bool dirty, lost; /* lost: too large, everything differs */
    bool believes;    /* in .uni */
    VEC(uint32_t) callers;
};

struct uniform {
    const struct ir_module *m;
    uint8_t scope; /* the bit that is being found */
    struct flow *flow;
    uint8_t *out;
    uint64_t *state;     /* while a block is walked through */
    VEC(uint32_t) taken; /* functions whose address is taken */
};

static bool bit_get(const uint64_t *s, uint32_t bit) {
    return s[bit / 64] >> bit % 64 & 1;
}
static void bit_put(uint64_t *s, uint32_t bit, bool v) {
    s[bit / 64] = (s[bit / 64] & ~((uint64_t)1 << bit % 64)) | (uint64_t)v << bit % 64;
}
static bool uniform_merge(uint64_t *to, const uint64_t *from, uint32_t words) {
    uint64_t grown = 0;
    for (uint32_t k = 0; k < words; k++) {
        grown |= from[k] & ~to[k];
        to[k] |= from[k];
    }
    return grown;
}
static uint64_t *uniform_row(const struct flow *f, uint64_t *rows, uint32_t v) {
    return rows + (size_t)v * f->words;
}

/* ---- what an operand is ---- */

/* The bit of a register, CFG_NONE: a constant, no operand or the true predicate. */
static uint32_t bit_of(const struct flow *f, ir_opnd o) {
    enum ir_file file = ir_file(o);
    if (ir_is_const(o) || file == IR_FILE_NONE || (file == IR_FILE_P && !ir_index(o))) return CFG_NONE;
    uint32_t at = ir_index(o) - f->w.fn->base[file] - (file == IR_FILE_P);
    CHECK(at < f->w.fn->nrow[file]);
    return f->first[file] + at;
}

static bool uniform_differs(const struct flow *f, const uint64_t *s, ir_opnd o) {
    uint32_t bit = bit_of(f, o);
    return bit != CFG_NONE && bit_get(s, bit);
}

static bool guard_differs(const struct flow *f, const uint64_t *s, const struct ir_insn *i) {
    return uniform_differs(f, s, ir_reg(IR_FILE_P, i->guard & IR_GUARD_INDEX));
}

/* Frame bytes [at, at + n); what is not followed differs. */
static bool bytes_differ(const struct flow *f, const uint64_t *s, int64_t at, uint64_t n) {
    if (at < 0 || (uint64_t)at + n > f->bits - f->frame) return true;
    for (uint64_t k = 0; k < n; k++)
        if (bit_get(s, f->frame + (uint32_t)((uint64_t)at + k))) return true;
    return false;
}

static bool sources_differ(const struct flow *f, const uint64_t *s, const struct ir_insn *i) {
    for (int k = i->nd; k < i->nd + i->ns; k++)
        if (uniform_differs(f, s, i->o[k])) return true;
    return i->mods & IR_M_CC_IN && bit_get(s, f->carry);
}

static bool sreg_differs(const struct uniform *u, uint8_t sreg) {
    switch (sreg) {
    case IR_SR_NTID_X:
    case IR_SR_NTID_Y:
    case IR_SR_NTID_Z:
    case IR_SR_CTAID_X:
    case IR_SR_CTAID_Y:
    case IR_SR_CTAID_Z:
    case IR_SR_NCTAID_X:
    case IR_SR_NCTAID_Y:
    case IR_SR_NCTAID_Z:
    case IR_SR_NWARPID:
    case IR_SR_SMID:
    case IR_SR_NSMID:
    case IR_SR_GRIDID:
    case IR_SR_TOTAL_SMEM:
    case IR_SR_AGGR_SMEM:
    case IR_SR_DYNAMIC_SMEM:
    case IR_SR_RESERVED_SMEM:
    case IR_SR_ENVREG1:
    case IR_SR_ENVREG2:
    case IR_SR_ZERO:
    case IR_SR_ONE: return false;
    case IR_SR_WARPID: return u->scope == CFG_VARIES_BLOCK;
    default: return true;
    }
}

/* Bytes of one element of an access. */
static uint32_t element_bytes(const struct ir_insn *i) {
    return ir_type_bytes[ir_ops[i->op].type];
}

static bool load_differs(const struct flow *f, const uint64_t *s, const struct ir_insn *i) {
    if (i->space == IR_SP_FRAME) return bytes_differ(f, s, i->disp, (uint64_t)i->vec * element_bytes(i));
    return (i->space != IR_SP_PARAM && i->space != IR_SP_CONST) || sources_differ(f, s, i);
}

/* What an instruction writes. */
static bool result_differs(const struct uniform *u, const struct flow *f, const uint64_t *s,
                           const struct ir_insn *i) {
    if (ir_ops[i->op].kind != 'M') return sources_differ(f, s, i);
    switch (i->op) {
    case IR_SREG_U32:
    case IR_SREG_U64: return sreg_differs(u, i->sub);
    case IR_CVTA_U32:
    case IR_CVTA_U64:
    case IR_ISSPACEP_U32:
    case IR_ISSPACEP_U64: return sources_differ(f, s, i);
    case IR_LD_U8:
    case IR_LD_S8:
    case IR_LD_U16:
    case IR_LD_S16:
    case IR_LD_U32:
    case IR_LD_S32:
    case IR_LD_BOX32:
    case IR_LD_U64: return load_differs(f, s, i);
    case IR_RV_FP32:
    case IR_RV_FP64:
    case IR_RV_FDIV32:
    case IR_RV_FDIV64:
    case IR_RV_FCVT32:
    case IR_RV_FCVT64:
    case IR_RV_FBITS32:
    case IR_RV_FBITS64:
        return sources_differ(f, s, i) || uniform_differs(f, s, ir_reg(IR_FILE_64, IR_RV_FCSR));
    case IR_VOTE:
    case IR_BALLOT:
    case IR_REDUX_U32:
    case IR_REDUX_S32:
    case IR_REDUX_F32:
    case IR_MATCH_ALL_U32:
    case IR_MATCH_ALL_U64:
        return u->scope == CFG_VARIES_BLOCK || !(i->mods & IR_M_SYNC) ||
               uniform_differs(f, s, i->o[i->nd + i->ns - 1]);
    case IR_BAR_RED_P:
    case IR_BAR_RED_U32: return uniform_differs(f, s, i->o[1]) || ir_file(i->o[2]) != IR_FILE_NONE;
    default: return true;
    }
}

/* ---- one instruction ---- */

/* A write under a guard leaves the old value where the guard does not hold. */
static void uniform_write(uint64_t *s, uint32_t bit, const struct ir_insn *i, bool v) {
    if (bit != CFG_NONE) bit_put(s, bit, v || (i->guard && bit_get(s, bit)));
}

static void write_bytes(const struct flow *f, uint64_t *s, int64_t at, uint64_t n, const struct ir_insn *i,
                        bool v) {
    for (uint64_t k = 0; k < n; k++) {
        int64_t byte = at + (int64_t)k;
        if (byte >= 0 && byte < (int64_t)(f->bits - f->frame))
            uniform_write(s, f->frame + (uint32_t)byte, i, v);
    }
}

static bool is_store(const struct ir_insn *i) {
    return i->op == IR_ST_U8 || i->op == IR_ST_U16 || i->op == IR_ST_U32 || i->op == IR_ST_U64;
}

static void uniform_store(const struct flow *f, uint64_t *s, const struct ir_insn *i, bool guard) {
    uint32_t bytes = element_bytes(i);
    for (int k = 1; k < i->ns; k++)
        write_bytes(f, s, (int64_t)i->disp + (int64_t)(k - 1) * bytes, bytes, i,
                    guard || uniform_differs(f, s, i->o[i->nd + k]));
}

static void apply(const struct uniform *u, const struct flow *f, uint64_t *s, const struct ir_insn *i) {
    bool guard = guard_differs(f, s, i);
    if (is_store(i)) {
        if (i->space == IR_SP_FRAME) uniform_store(f, s, i, guard);
        return;
    }
    if (i->op == IR_RV_CSR && sources_differ(f, s, i))
        uniform_write(s, bit_of(f, ir_reg(IR_FILE_64, IR_RV_FCSR)), i, true);
    if (!i->nd && !(i->mods & IR_M_CC_OUT)) return;
    bool v = guard || result_differs(u, f, s, i);
    for (int k = 0; k < i->nd; k++) uniform_write(s, bit_of(f, i->o[k]), i, v);
    if (ir_ops[i->op].kind != 'M' && i->mods & IR_M_CC_OUT) uniform_write(s, f->carry, i, v);
}

/* ---- calls ---- */

static const uint32_t *uniform_call_words(const struct uniform *u, const struct ir_insn *i) {
    return u->m->ext.v + i->ext;
}

/* The functions a call may reach, *n of them. */
static const uint32_t *callees(const struct uniform *u, const struct ir_insn *i, uint32_t *n) {
    const uint32_t *w = uniform_call_words(u, i);
    *n = 0;
    if (i->op == IR_SYS) return NULL;
    *n = 1;
    if (i->op == IR_CALL) return w + IR_CALL_FUNC;
    if ((*n = w[IR_CALL_FUNC])) return ir_call_list(w);
    *n = (uint32_t)u->taken.n;
    return u->taken.v;
}

static void uniform_touch(struct flow *f, uint32_t v) {
    f->dirty = f->queued[v] = true;
}

/* Arguments into the callee's frame at its entry. */
static void uniform_pass(struct flow *f, const uint64_t *s, const uint32_t *copy, uint32_t n,
                         struct flow *callee) {
    if (!callee->w.n || callee->lost) return;
    for (uint32_t k = 0; k < n; k++, copy += 3)
        for (uint32_t b = 0; b < copy[2]; b++) {
            uint64_t to = (uint64_t)copy[1] + b;
            if (to >= callee->bits - callee->frame) break;
            uint32_t bit = callee->frame + (uint32_t)to;
            if (bit_get(callee->in, bit) || !bytes_differ(f, s, (int64_t)copy[0] + b, 1)) continue;
            bit_put(callee->in, bit, true);
            uniform_touch(callee, 0);
        }
}

static bool result_byte(struct flow *callee, uint32_t at) {
    return !callee->w.n || callee->lost || at >= callee->bits - callee->frame ||
           bit_get(uniform_row(callee, callee->in, callee->w.n), callee->frame + at);
}

static bool is_promised(const struct flow *f, const struct ir_insn *i) {
    return f->believes && i->mods & IR_M_UNI;
}

static bool call_diverges(const struct flow *f, const uint64_t *s, const struct ir_insn *i) {
    if (is_promised(f, i)) return false;
    return guard_differs(f, s, i) || (i->op == IR_CALL_IND && uniform_differs(f, s, i->o[i->nd]));
}

/* A call of machine code leaves results in registers that all functions share: any of them may differ then. */
static void lose_registers(const struct flow *f, uint64_t *s) {
    for (uint32_t r = 0; r < f->w.fn->nrow[IR_FILE_64]; r++) bit_put(s, f->first[IR_FILE_64] + r, true);
}

static void uniform_call(struct uniform *u, struct flow *f, uint64_t *s, const struct ir_insn *i) {
    if (u->m->binary) {
        lose_registers(f, s);
        return;
    }
    const uint32_t *w = uniform_call_words(u, i), *args = w + IR_CALL_COPIES,
                   *rets = args + 3 * (size_t)w[IR_CALL_NARGS];
    uint32_t n;
    const uint32_t *to = callees(u, i, &n);
    bool diverges = call_diverges(f, s, i);
    for (uint32_t k = 0; k < n; k++) uniform_pass(f, s, args, w[IR_CALL_NARGS], &u->flow[to[k]]);
    for (uint32_t r = 0; r < w[IR_CALL_NRETS]; r++, rets += 3)
        for (uint32_t b = 0; b < rets[2]; b++) {
            bool v = diverges || i->op == IR_SYS;
            for (uint32_t k = 0; k < n && !v; k++) v = result_byte(&u->flow[to[k]], rets[0] + b);
            write_bytes(f, s, (int64_t)rets[1] + b, 1, i, v);
        }
    bit_put(s, f->carry, true);
}

static bool is_call(const struct ir_insn *i) {
    return i->op == IR_CALL || i->op == IR_CALL_IND || i->op == IR_SYS;
}

/* ---- blocks ---- */

struct met {
    struct flow *f;
    uint64_t *what;
};

static void uniform_meet(void *user, uint32_t join, const uint32_t *blocks, uint32_t n) {
    struct met *x = user;
    struct flow *f = x->f;
    memset(x->what, 0, f->words * sizeof *x->what);
    for (uint32_t k = 0; k < n; k++)
        if (blocks[k] < f->w.n) uniform_merge(x->what, uniform_row(f, f->defs, blocks[k]), f->words);
    if (uniform_merge(uniform_row(f, f->in, join), x->what, f->words) && join < f->w.n)
        uniform_touch(f, join);
}

/* Everything of a function differs from here on. */
static void uniform_give_up(struct flow *f) {
    f->lost = f->dirty = true;
}

/* Whether threads may diverge at the end of a block, the state there given. */
static bool block_diverges(const struct flow *f, const uint64_t *s, uint32_t v) {
    const struct ir_insn *i = &f->w.m->code.v[f->w.b[v].end - 1];
    if (i->op == IR_CALL || i->op == IR_CALL_IND) return call_diverges(f, s, i);
    if (!insn_ends_block(i) || is_promised(f, i) || diverge_ways(&f->d, v) < 2) return false;
    return guard_differs(f, s, i) || (i->op == IR_BRX && uniform_differs(f, s, i->o[0])) ||
           (i->op == IR_BRA && i->ns && sources_differ(f, s, i));
}

static void uniform_diverge(struct uniform *u, struct flow *f, uint32_t v) {
    if (f->diverged[v]) return;
    f->diverged[v] = true;
    struct met x = {f, u->state + f->words};
    if (!is_call(&f->w.m->code.v[f->w.b[v].end - 1]) && !diverge_joins(&f->d, v, uniform_meet, &x))
        uniform_give_up(f);
}

static void walk_block(struct uniform *u, struct flow *f, uint32_t v) {
    uint64_t *s = u->state;
    memcpy(s, uniform_row(f, f->in, v), f->words * sizeof *s);
    for (uint32_t pc = f->w.b[v].first; pc < f->w.b[v].end; pc++) {
        const struct ir_insn *i = &u->m->code.v[pc];
        if (pc + 1 == f->w.b[v].end && block_diverges(f, s, v)) uniform_diverge(u, f, v);
        if (is_call(i))
            uniform_call(u, f, s, i);
        else
            apply(u, f, s, i);
    }
    for (uint32_t k = f->d.g.sfirst[v]; k < f->d.g.sfirst[v + 1]; k++) {
        uint32_t to = f->d.g.succ[k];
        bool grown = uniform_merge(uniform_row(f, f->in, to), s, f->words);
        if (to < f->w.n && (grown || !f->reached[to])) f->queued[to] = f->reached[to] = true;
    }
}

/* ---- functions ---- */

static void callers_again(struct uniform *u, struct flow *f) {
    for (size_t k = 0; k < f->callers.n; k++) {
        struct flow *caller = &u->flow[f->callers.v[k]];
        for (uint32_t v = 0; v < caller->w.n && !caller->lost; v++)
            if (caller->calls[v] && caller->reached[v]) uniform_touch(caller, v);
    }
}

/* A function that was given up passes on arguments and results that differ. */
static void uniform_lose(struct uniform *u, struct flow *f) {
    uint64_t *s = u->state;
    if (f->in) memset(s, 0xff, f->words * sizeof *s);
    for (uint32_t pc = f->w.fn->entry; pc < f->w.fn->end; pc++) {
        const struct ir_insn *i = &u->m->code.v[pc];
        uint32_t n = 0;
        const uint32_t *to = is_call(i) ? callees(u, i, &n) : NULL;
        for (uint32_t k = 0; k < n; k++) {
            struct flow *callee = &u->flow[to[k]];
            if (!callee->w.n || callee->lost) continue;
            for (uint32_t b = callee->frame; b < callee->bits; b++) bit_put(callee->in, b, true);
            uniform_touch(callee, 0);
        }
    }
    callers_again(u, f);
}

static void uniform_settle(struct uniform *u, struct flow *f) {
    f->dirty = false;
    bool more = !f->lost;
    uint64_t *end = f->lost ? NULL : uniform_row(f, f->in, f->w.n), *was = u->state + 2 * (size_t)f->words;
    if (end) memcpy(was, end, f->words * sizeof *was);
    while (more && !f->lost) {
        more = false;
        for (uint32_t k = 0; k < f->w.nrpo && !f->lost; k++) {
            uint32_t v = f->w.rpo[k];
            if (!f->queued[v]) continue;
            f->queued[v] = false;
            more = true;
            walk_block(u, f, v);
        }
    }
    f->dirty = false;
    if (f->lost)
        uniform_lose(u, f);
    else if (memcmp(was, end, f->words * sizeof *was))
        callers_again(u, f);
}

/* ---- making and ending ---- */

/* How many bytes of the frame are followed: all, or where an address into it is taken, results and parameters. */
static uint32_t bytes_followed(const struct uniform *u, const struct ir_func *fn) {
    uint32_t own = 0, bytes = u->m->binary ? 0 : fn->frame_bytes;
    for (uint32_t k = 0; !fn->kernel && k < fn->nparams; k++)
        if (fn->params[k].offset + fn->params[k].bytes > own)
            own = fn->params[k].offset + fn->params[k].bytes;
    for (uint32_t k = 0; !fn->kernel && k < fn->nrets; k++)
        if (fn->rets[k].offset + fn->rets[k].bytes > own) own = fn->rets[k].offset + fn->rets[k].bytes;
    for (uint32_t pc = fn->entry; pc < fn->end; pc++) {
        const struct ir_insn *i = &u->m->code.v[pc];
        if (i->op != IR_FRAME_U32 && i->op != IR_FRAME_U64) continue;
        if (i->disp < (int64_t)own) return 0;
        bytes = own;
    }
    return bytes < MOST_BYTES ? bytes : MOST_BYTES;
}

/* What a block writes, whatever the values: a walk from a state without bits in which every result differs. */
static void find_defs(const struct uniform *u, struct flow *f, uint32_t v) {
    uint64_t *s = uniform_row(f, f->defs, v);
    for (uint32_t pc = f->w.b[v].first; pc < f->w.b[v].end; pc++) {
        const struct ir_insn *i = &u->m->code.v[pc];
        for (int k = 0; k < i->nd; k++) uniform_write(s, bit_of(f, i->o[k]), i, true);
        if (i->mods & IR_M_CC_OUT || is_call(i)) bit_put(s, f->carry, true);
        if (is_store(i) && i->space == IR_SP_FRAME)
            write_bytes(f, s, i->disp, (uint64_t)(i->ns - 1) * element_bytes(i), i, true);
        if (!is_call(i)) continue;
        f->calls[v] = true;
        if (u->m->binary) {
            lose_registers(f, s);
            continue;
        }
        const uint32_t *w = uniform_call_words(u, i),
                       *ret = w + IR_CALL_COPIES + 3 * (size_t)w[IR_CALL_NARGS];
        for (uint32_t r = 0; r < w[IR_CALL_NRETS]; r++, ret += 3) write_bytes(f, s, ret[1], ret[2], i, true);
    }
}

static void uniform_begin(struct uniform *u, struct flow *f) {
    const struct ir_func *fn = f->w.fn;
    f->believes = u->scope == CFG_VARIES_WARP;
    if (!f->w.n) return;
    f->first[IR_FILE_64] = fn->nrow[IR_FILE_32];
    f->first[IR_FILE_P] = f->first[IR_FILE_64] + fn->nrow[IR_FILE_64];
    f->carry = f->first[IR_FILE_P] + fn->nrow[IR_FILE_P];
    f->frame = f->carry + 1;
    f->bits = f->frame + bytes_followed(u, fn);
    f->words = f->bits / 64 + 1;
    f->queued = ARENA_NEW(&f->w.mem, bool, f->w.n);
    f->reached = ARENA_NEW(&f->w.mem, bool, f->w.n);
    f->diverged = ARENA_NEW(&f->w.mem, bool, f->w.n);
    f->calls = ARENA_NEW(&f->w.mem, bool, f->w.n);
    diverge_init(&f->d, &f->w);
    if ((uint64_t)f->words * (f->w.n + 1) > MOST_WORDS) {
        uniform_give_up(f);
        return;
    }
    f->in = ARENA_NEW(&f->w.mem, uint64_t, (size_t)f->words * (f->w.n + 1));
    f->defs = ARENA_NEW(&f->w.mem, uint64_t, (size_t)f->words * f->w.n);
    for (uint32_t v = 0; v < f->w.n; v++) find_defs(u, f, v);
    for (uint32_t b = 0; b < f->bits; b++) bit_put(f->in, b, true);
    if (u->m->binary && fn->kernel) /* the launch has filled them, the same for all threads */
        for (uint32_t r = 0; r <= IR_RV_FCSR; r++) bit_put(f->in, f->first[IR_FILE_64] + r, false);
    f->reached[0] = true;
    uniform_touch(f, 0);
}

static void list_calls(struct uniform *u) {
    for (uint32_t k = 0; k < u->m->funcs.n; k++)
        if (u->m->funcs.v[k].defined && u->m->funcs.v[k].address_taken) VEC_PUSH(&u->taken, k);
    for (uint32_t k = 0; k < u->m->funcs.n; k++) {
        const struct ir_func *fn = &u->m->funcs.v[k];
        for (uint32_t pc = fn->entry; pc < fn->end; pc++) {
            const struct ir_insn *i = &u->m->code.v[pc];
            uint32_t n = 0;
            const uint32_t *to = is_call(i) ? callees(u, i, &n) : NULL;
            for (uint32_t t = 0; t < n; t++)
                if (!u->flow[to[t]].callers.n || u->flow[to[t]].callers.v[u->flow[to[t]].callers.n - 1] != k)
                    VEC_PUSH(&u->flow[to[t]].callers, k);
        }
    }
}

/* Parameters of a function that is called are what its calls pass, until then alike. */
static void clear_params(struct flow *f) {
    const struct ir_func *fn = f->w.fn;
    if (fn->kernel || !f->callers.n || !f->in) return;
    for (uint32_t k = 0; k < fn->nparams; k++)
        for (uint32_t b = fn->params[k].offset; b < fn->params[k].offset + fn->params[k].bytes; b++)
            if (b < f->bits - f->frame) bit_put(f->in, f->frame + b, false);
}

static bool can_diverge(const struct flow *f, uint32_t v) {
    const struct ir_insn *i = &f->w.m->code.v[f->w.b[v].end - 1];
    if (!insn_ends_block(i) || is_promised(f, i) || f->w.number[v] == CFG_NONE) return false;
    bool call = i->op == IR_CALL || i->op == IR_CALL_IND;
    return (ir_is_conditional(i) || i->op == IR_BRX || i->op == IR_CALL_IND) &&
           (call || diverge_ways(&f->d, v) > 1);
}

/* Notes the branches that may diverge. In a program without values every branch may. */
static void uniform_note(struct uniform *u, struct flow *f) {
    for (uint32_t v = 0; v < f->w.n; v++)
        if (f->lost || u->m->replays_only ? can_diverge(f, v) : f->diverged[v])
            u->out[f->w.b[v].end - 1] |= u->scope;
}

static void uniform_analyse(struct uniform *u, const struct cfg *c) {
    uint32_t n = (uint32_t)u->m->funcs.n, words = 1;
    u->flow = xcalloc(n + 1, sizeof *u->flow);
    for (uint32_t k = 0; k < n; k++) {
        work_reopen(&u->flow[k].w, u->m, c, k);
        uniform_begin(u, &u->flow[k]);
        if (u->flow[k].words > words) words = u->flow[k].words;
    }
    u->state = xcalloc(3 * (size_t)words, sizeof *u->state);
    list_calls(u);
    for (uint32_t k = 0; k < n; k++) clear_params(&u->flow[k]);
    for (bool more = true; more;) {
        more = false;
        for (uint32_t k = 0; k < n; k++) {
            if (!u->flow[k].dirty) continue;
            more = true;
            uniform_settle(u, &u->flow[k]);
        }
    }
    for (uint32_t k = 0; k < n; k++) {
        uniform_note(u, &u->flow[k]);
        VEC_FREE(&u->flow[k].callers);
        arena_free(&u->flow[k].w.mem);
    }
    VEC_FREE(&u->taken);
    xfree(u->state);
    xfree(u->flow);
}

uint8_t *cfg_uniform(const struct ir_module *m, const struct cfg *c) {
    uint8_t *out = xcalloc(m->code.n + 1, 1);
    struct uniform warp = {.m = m, .scope = CFG_VARIES_WARP, .out = out};
    struct uniform block = {.m = m, .scope = CFG_VARIES_BLOCK, .out = out};
    uniform_analyse(&warp, c);
    uniform_analyse(&block, c);
    return out;
}
