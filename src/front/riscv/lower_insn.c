/* One machine instruction to one of ours. Registers are rows with fixed numbers (ir/insn.h): x0 is read as the constant 0, and
 * what is written to it goes to row 0, which is never read.
 *
 * Which jumps are calls and returns follows the hints of the architecture: jal and jalr that write ra or t0 call, jalr to the
 * address in one of them without writing it returns. A direct jump out of the function, a tail call or a way to its cold part,
 * goes by its address. */
#include "front/riscv/lower.h"

enum { RA = 1, T0 = 5 };

/* ---- operands ---- */

static ir_opnd source_x(uint32_t r) {
    return r ? ir_reg(IR_FILE_64, r) : ir_const(IR_FILE_64, 0);
}
static ir_opnd dest_x(uint32_t r) {
    return ir_reg(IR_FILE_64, r);
}
static ir_opnd reg_f(uint32_t r) {
    return ir_reg(IR_FILE_64, IR_RV_F + r);
}

static ir_opnd lower_insn_constant(struct lower *l, uint64_t v) {
    if (!v) return ir_const(IR_FILE_64, 0);
    VEC_PUSH(&l->m->k64, v);
    return ir_const(IR_FILE_64, (uint32_t)l->m->k64.n - 1);
}

static struct ir_insn lower_insn_make(uint16_t op, unsigned nd, unsigned ns, ir_opnd a, ir_opnd b,
                                      ir_opnd c) {
    return (struct ir_insn){.op = op,
                            .nd = (uint8_t)nd,
                            .ns = (uint8_t)ns,
                            .vec = 1,
                            .o = {a, b, c, IR_NONE, IR_NONE, IR_NONE, IR_NONE, IR_NONE}};
}

/* ---- control flow ---- */

static uint32_t lower_insn_words(struct lower *l, uint32_t first, uint32_t second) {
    VEC_PUSH(&l->m->ext, first);
    VEC_PUSH(&l->m->ext, second);
    return (uint32_t)l->m->ext.n - 2;
}

struct ir_insn rv_jump_out(struct lower *l, uint64_t addr) {
    struct ir_insn x = lower_insn_make(IR_BRX, 0, 1, lower_insn_constant(l, addr), IR_NONE, IR_NONE);
    x.ext = lower_insn_words(l, 0, 0);
    return x;
}

/* The PC of an address of the function; IR_NOPC: it is elsewhere. */
static uint32_t pc_within(const struct lower *l, uint64_t addr) {
    const uint32_t i = addr >= l->fn->from && addr < l->fn->to ? rv_code_at(l->c, addr) : RV_NONE;
    return i == RV_NONE ? IR_NOPC : l->pc + (i - l->fn->first);
}

static struct ir_insn lower_insn_branch(struct lower *l, const struct rv_insn *i, uint64_t addr) {
    struct ir_insn x = lower_insn_make(IR_BRA, 0, 2, source_x(i->rs1), source_x(i->rs2), IR_NONE);
    x.bop = rv_rows[i->id].sub;
    x.target = pc_within(l, addr);
    if (x.target != IR_NOPC) return x;
    VEC_PUSH(&l->out, (uint32_t)l->m->code.n);
    VEC_PUSH(&l->out_to, addr);
    return x;
}

/* Words of a call: the function, or how many an indirect one is limited to, and which; then the displacement. */
static uint32_t lower_insn_call_words(struct lower *l, uint32_t func, bool indirect, uint32_t limited_to,
                                      int32_t disp) {
    const uint32_t at = (uint32_t)l->m->ext.n;
    VEC_PUSH(&l->m->ext, indirect ? limited_to != RV_NONE : func);
    for (int k = IR_CALL_FRAME; k < IR_CALL_COPIES; k++) VEC_PUSH(&l->m->ext, 0);
    if (indirect && limited_to != RV_NONE) VEC_PUSH(&l->m->ext, limited_to);
    VEC_PUSH(&l->m->ext, (uint32_t)disp);
    return at;
}

static struct ir_insn call_by(struct lower *l, const struct rv_insn *i, ir_opnd to, uint32_t limited_to,
                              int32_t disp) {
    struct ir_insn x = lower_insn_make(IR_CALL_IND, 1, 1, dest_x(i->rd), to, IR_NONE);
    x.ext = lower_insn_call_words(l, 0, true, limited_to, disp);
    x.vec = i->length;
    return x;
}

static struct ir_insn jump_or_call(struct lower *l, const struct rv_insn *i, uint64_t addr) {
    const uint32_t f = rv_code_func(l->c, addr);
    if (!i->rd) {
        struct ir_insn x = lower_insn_make(IR_BRA, 0, 0, IR_NONE, IR_NONE, IR_NONE);
        x.target = pc_within(l, addr);
        return x.target == IR_NOPC ? rv_jump_out(l, addr) : x;
    }
    if (f == RV_NONE || l->c->funcs.v[f].from != addr)
        return call_by(l, i, lower_insn_constant(l, addr), RV_NONE, 0);
    struct ir_insn x = lower_insn_make(IR_CALL, 1, 0, dest_x(i->rd), IR_NONE, IR_NONE);
    x.ext = lower_insn_call_words(l, f, false, RV_NONE, 0);
    x.vec = i->length;
    return x;
}

static struct ir_insn jump_by_register(struct lower *l, const struct rv_insn *i, uint32_t k) {
    uint64_t v;
    if (i->rd) {
        const bool direct = rv_known(l->c, l->fn, k, i->rs1, &v);
        const uint32_t f = direct ? rv_code_func(l->c, v + (uint64_t)(int64_t)i->imm) : RV_NONE;
        const bool starts = f != RV_NONE && l->c->funcs.v[f].from == v + (uint64_t)(int64_t)i->imm;
        return call_by(l, i, source_x(i->rs1), starts ? f : RV_NONE, i->imm);
    }
    if ((i->rs1 == RA || i->rs1 == T0) && !i->imm)
        return lower_insn_make(IR_RET, 0, 1, source_x(i->rs1), IR_NONE, IR_NONE);
    struct ir_insn x = lower_insn_make(IR_BRX, 0, 1, source_x(i->rs1), IR_NONE, IR_NONE);
    l->targets.v.n = 0;
    rv_jump_table(l->c, l->fn, k, &l->targets);
    x.ext = (uint32_t)l->m->ext.n;
    VEC_PUSH(&l->m->ext, (uint32_t)l->targets.v.n);
    for (size_t n = 0; n < l->targets.v.n; n++)
        VEC_PUSH(&l->m->ext, l->pc + (l->targets.v.v[n] - l->fn->first));
    VEC_PUSH(&l->m->ext, (uint32_t)i->imm);
    return x;
}

/* ---- memory ---- */

static struct ir_insn lower_insn_load(const struct rv_insn *i, ir_opnd d) {
    struct ir_insn x = lower_insn_make(rv_rows[i->id].op, 1, 1, d, source_x(i->rs1), IR_NONE);
    x.disp = i->imm;
    return x;
}

static struct ir_insn lower_insn_store(const struct rv_insn *i, ir_opnd v) {
    struct ir_insn x = lower_insn_make(rv_rows[i->id].op, 0, 2, source_x(i->rs1), v, IR_NONE);
    x.disp = i->imm;
    return x;
}

static uint8_t order_of(const struct rv_insn *i) {
    static const uint8_t order[4] = {IR_RELAXED, IR_RELEASE, IR_ACQUIRE, IR_ACQ_REL};
    return order[i->word >> 25 & 3];
}

static struct ir_insn atomic(const struct rv_insn *i) {
    const struct rv_row *row = &rv_rows[i->id];
    const bool result = i->rd || row->format == RV_F_LR || row->op == IR_RV_SC_W || row->op == IR_RV_SC_D;
    struct ir_insn x = result
                           ? lower_insn_make(row->op, 1, 2, dest_x(i->rd), source_x(i->rs1), source_x(i->rs2))
                           : lower_insn_make(row->op, 0, 2, source_x(i->rs1), source_x(i->rs2), IR_NONE);
    if (row->format == RV_F_LR) {
        x.ns = 1;
        x.o[2] = IR_NONE;
    }
    x.sub = row->sub;
    x.order = order_of(i);
    return x;
}

/* ---- control and status registers ---- */

enum {
    CSR_FCSR = 3,
    CSR_CYCLE = 0xc00,
    CSR_TIME,
    CSR_INSTRET,
    CSR_SPMD = 0xcc0,
    CSR_LANE = 0xccc,
    CSR_WARP,
    CSR_SM
};
enum { CSR_SHARED = 0xccf };

static struct ir_insn lower_insn_special(const struct rv_insn *i, enum ir_sreg which) {
    struct ir_insn x = lower_insn_make(IR_SREG_U64, 1, 0, dest_x(i->rd), IR_NONE, IR_NONE);
    x.sub = (uint8_t)which;
    return x;
}

static struct ir_insn lower_insn_trap(void) {
    return lower_insn_make(IR_TRAP, 0, 0, IR_NONE, IR_NONE, IR_NONE);
}

/* Reads a register that can only be read: time, and where a thread is in its launch. */
static struct ir_insn read_only(const struct rv_insn *i) {
    const uint32_t csr = (uint32_t)i->imm;
    if (rv_rows[i->id].sub == 0 || i->rs1) return lower_insn_trap();
    if (csr >= CSR_SPMD && csr < CSR_LANE) return lower_insn_special(i, IR_SR_TID_X + (csr - CSR_SPMD));
    switch (csr) {
    case CSR_CYCLE:
    case CSR_TIME:
    case CSR_INSTRET: return lower_insn_special(i, IR_SR_CLOCK64);
    case CSR_LANE: return lower_insn_special(i, IR_SR_LANEID);
    case CSR_WARP: return lower_insn_special(i, IR_SR_WARPID);
    case CSR_SM: return lower_insn_special(i, IR_SR_SMID);
    case CSR_SHARED: break;
    default: return lower_insn_trap();
    }
    struct ir_insn x = lower_insn_make(IR_CVTA_U64, 1, 1, dest_x(i->rd), ir_const(IR_FILE_64, 0), IR_NONE);
    x.space = IR_SP_SHARED;
    return x;
}

static struct ir_insn csr(const struct rv_insn *i) {
    const bool by_imm = rv_rows[i->id].format == RV_F_CSRI;
    if (i->imm < 1 || i->imm > CSR_FCSR) return read_only(i);
    struct ir_insn x =
        lower_insn_make(IR_RV_CSR, 1, !by_imm, dest_x(i->rd), by_imm ? IR_NONE : source_x(i->rs1), IR_NONE);
    x.disp = i->imm;
    x.sub = rv_rows[i->id].sub;
    x.vec = i->rs1; /* the immediate */
    x.cop = x.sub && !i->rs1;
    return x;
}

/* ---- all ---- */

static struct ir_insn lower_insn_immediate(struct lower *l, const struct rv_insn *i, uint64_t addr) {
    struct ir_insn x = lower_insn_make(rv_rows[i->id].op, 1, 1, dest_x(i->rd), source_x(i->rs1), IR_NONE);
    x.disp = i->imm;
    if (i->id != RV_AUIPC && i->id != RV_LUI) return x;
    const uint64_t v = (uint64_t)(int64_t)i->imm + (i->id == RV_AUIPC ? addr : 0);
    x.o[1] = ir_const(IR_FILE_64, 0);
    x.disp = (int32_t)v;
    if ((uint64_t)(int64_t)x.disp == v) return x;
    return lower_insn_make(IR_MOV_U64, 1, 1, dest_x(i->rd), lower_insn_constant(l, v), IR_NONE);
}

static struct ir_insn floating(const struct rv_insn *i) {
    const struct rv_row *row = &rv_rows[i->id];
    const uint8_t f = row->format;
    const bool to_x = f == RV_F_XFF || f == RV_F_XF || f == RV_F_XF0, from_x = f == RV_F_FX || f == RV_F_FX0;
    const unsigned ns = f == RV_F_FFFF ? 3 : f == RV_F_FFF || f == RV_F_FFF0 || f == RV_F_XFF ? 2 : 1;
    struct ir_insn x =
        lower_insn_make(row->op, 1, ns, to_x ? dest_x(i->rd) : reg_f(i->rd),
                        from_x ? source_x(i->rs1) : reg_f(i->rs1), ns > 1 ? reg_f(i->rs2) : IR_NONE);
    if (ns == 3) x.o[3] = reg_f(i->rs3);
    x.sub = row->sub;
    x.bop = i->rm;
    return x;
}

struct ir_insn rv_lower_insn(struct lower *l, uint32_t k) {
    const struct rv_insn *i = &l->c->insn.v[k];
    if (i->id == RV_NROWS) return lower_insn_trap();
    const struct rv_row *row = &rv_rows[i->id];
    const uint64_t addr = l->c->addr.v[k], target = addr + (uint64_t)(int64_t)i->imm;
    switch ((enum rv_format)row->format) {
    case RV_F_R: return lower_insn_make(row->op, 1, 2, dest_x(i->rd), source_x(i->rs1), source_x(i->rs2));
    case RV_F_I:
    case RV_F_SH6:
    case RV_F_SH5:
    case RV_F_U: return lower_insn_immediate(l, i, addr);
    case RV_F_LD: return lower_insn_load(i, dest_x(i->rd));
    case RV_F_FLD: return lower_insn_load(i, reg_f(i->rd));
    case RV_F_ST: return lower_insn_store(i, source_x(i->rs2));
    case RV_F_FST: return lower_insn_store(i, reg_f(i->rs2));
    case RV_F_BR: return lower_insn_branch(l, i, target);
    case RV_F_J: return jump_or_call(l, i, target);
    case RV_F_JR: return jump_by_register(l, i, k);
    case RV_F_LR:
    case RV_F_AMO: return atomic(i);
    case RV_F_CSR:
    case RV_F_CSRI: return csr(i);
    case RV_F_I0: return lower_insn_make(row->op, 1, 1, dest_x(i->rd), source_x(i->rs1), IR_NONE);
    case RV_F_FENCE: return lower_insn_make(row->op, 0, 0, IR_NONE, IR_NONE, IR_NONE);
    case RV_F_NONE:
        if (row->op == IR_BAR_SYNC)
            return lower_insn_make(row->op, 0, 2, ir_const(IR_FILE_32, 0), IR_NONE, IR_NONE);
        return lower_insn_make(row->op, 0, 0, IR_NONE, IR_NONE, IR_NONE);
    default: return floating(i);
    }
}
