/* Matrices between memory and the registers of a warp: ldmatrix, stmatrix, movmatrix, wmma.load and wmma.store.
 *
 * wmma.load and wmma.store are no machine instructions: ptxas makes address arithmetic, loads and stores of them, and so
 * does this. WMMA_AT says where the rows of a thread begin, and an ordinary access takes what lies side by side. A and B
 * are read a register at a time, whichever way they lie in memory: the fragment follows it (ir/mma.h). C and D have one
 * layout, so that their elements are read one by one, and halves packed, where they are stored by columns. */
#include "front/ptx/lower_mma.h"

/* ---- ldmatrix, stmatrix, movmatrix ---- */

static bool matrix_form(const struct stmt *s) {
    const struct mod *shape = lower_mod(s, MC_SHAPE);
    if (!lower_has(s, MC_SYNC) || !lower_has(s, MC_ALIGNED) || !shape || shape->id != MOD_M8N8) return false;
    for (unsigned j = 0; j < s->nmods; j++)
        if (s->mods[j]->classes & MC_MATRIX && s->mods[j]->id != MOD_TRANS) return false;
    return s->ntypes == 1 && lower_has_id(s, MOD_B16);
}

static const char only_b16[] = "only matrices of 8 rows of 8 16-bit elements are known";

static bool matrix_address(struct ptx *p, struct stmt *s, const struct opnd *o, struct addr *a) {
    const struct mod *space = lower_mod(s, MC_SPACE);
    return lower_address(p, o, space ? (enum ir_space)space->value : IR_SP_GENERIC, a);
}

static void matrix_access(struct ptx *p, struct stmt *s, int op, unsigned nd, unsigned ns, const ir_opnd *o,
                          const struct addr *a) {
    struct ir_insn *i = lower_emit(p, op);
    lower_opnds(i, nd, ns, o);
    i->space = (uint8_t)a->space;
    i->disp = a->disp;
    i->vec = lower_mod(s, MC_MATRICES)->value;
    i->sub = lower_has_id(s, MOD_TRANS);
    if (!nd) i->cop = IR_COP_WB;
}

bool lower_ldmatrix(struct ptx *p, struct stmt *s) {
    const struct mod *x = lower_mod(s, MC_MATRICES);
    struct addr a;
    ir_opnd o[5];
    if (!matrix_form(s) || !x) return lower_unsupported(p, s, only_b16);
    if (!lower_count(p, s, 2, 2) || !mma_registers(p, &s->o[0], x->value, IR_MT_S32, true, o)) return false;
    if (!matrix_address(p, s, &s->o[1], &a)) return false;
    o[x->value] = a.base;
    matrix_access(p, s, IR_LDMATRIX, x->value, 1, o, &a);
    return true;
}

bool lower_stmatrix(struct ptx *p, struct stmt *s) {
    const struct mod *x = lower_mod(s, MC_MATRICES);
    struct addr a;
    ir_opnd o[5];
    if (!matrix_form(s) || !x) return lower_unsupported(p, s, only_b16);
    if (!lower_count(p, s, 2, 2) || !matrix_address(p, s, &s->o[0], &a)) return false;
    if (!mma_registers(p, &s->o[1], x->value, IR_MT_S32, false, o + 1)) return false;
    o[0] = a.base;
    matrix_access(p, s, IR_STMATRIX, 0, x->value + 1u, o, &a);
    return true;
}

bool lower_movmatrix(struct ptx *p, struct stmt *s) {
    ir_opnd o[2];
    if (!matrix_form(s) || !lower_has_id(s, MOD_TRANS)) return lower_unsupported(p, s, only_b16);
    if (!lower_count(p, s, 2, 2) || !lower_dst(p, &s->o[0], IR_T_U32, &o[0])) return false;
    if (!lower_src(p, &s->o[1], IR_T_U32, &o[1])) return false;
    lower_opnds(lower_emit(p, IR_MOVMATRIX), 1, 1, o);
    return true;
}

/* ---- wmma.load, wmma.store ---- */

struct transfer {
    struct ptx *p;
    struct ir_mma m;
    enum ir_mma_type t;
    bool column, store; /* column: the elements of a column lie side by side */
    struct addr a;
    ir_opnd stride;
    ir_opnd reg[MMA_REGS];
};

static uint32_t lg(uint32_t v) {
    return 31 - (uint32_t)__builtin_clz(v);
}

/* Where a thread's part of that row, and of those it has besides, begins. */
static ir_opnd lower_matrix_part(const struct transfer *x, uint32_t row, uint32_t threads, uint32_t per,
                                 bool across) {
    const ir_opnd o[3] = {lower_temp(x->p, IR_FILE_64), x->a.base, x->stride};
    struct ir_insn *i = lower_emit(x->p, IR_WMMA_AT);
    lower_opnds(i, 1, 2, o);
    i->imm = row << IR_AT_OUTER | threads << IR_AT_THREADS | per << IR_AT_PER |
             lg(ir_mma_bits[x->t]) << IR_AT_LG_BITS | (uint32_t)across << IR_AT_ACROSS;
    return o[0];
}

/* Loads or stores n registers at so many bytes behind that address. */
static void lower_matrix_access(const struct transfer *x, unsigned bytes, ir_opnd at, uint32_t behind,
                                unsigned n, const ir_opnd *reg) {
    ir_opnd o[3];
    for (unsigned j = 0; j < n; j++) o[j + x->store] = reg[j];
    o[x->store ? 0 : n] = at;
    const int ld = bytes == 8 ? IR_LD_U64 : bytes == 2 ? IR_LD_U16 : IR_LD_U32;
    const int st = bytes == 8 ? IR_ST_U64 : bytes == 2 ? IR_ST_U16 : IR_ST_U32;
    struct ir_insn *i = lower_emit(x->p, x->store ? st : ld);
    lower_opnds(i, x->store ? 0 : n, x->store ? n + 1 : 1, o);
    i->vec = (uint8_t)n;
    i->space = (uint8_t)x->a.space;
    i->disp = x->a.disp + (int32_t)behind;
    if (x->store) i->cop = IR_COP_WB;
}

static void load_factor(struct transfer *x, const struct ir_frag *f, unsigned written) {
    const uint32_t bytes = x->t == IR_MT_F64 ? 8 : 4, regs = ir_frag_regs(f);
    ir_opnd at[MMA_REGS];
    for (uint32_t pass = 0; pass < f->passes; pass++)
        at[pass] = lower_matrix_part(x, pass * f->rows, f->threads, f->per, false);
    for (uint32_t pass = 0; pass < f->passes; pass++)
        for (uint32_t group = 0; group < f->groups; group++)
            lower_matrix_access(x, bytes, at[pass], group * f->threads * bytes, 1,
                                &x->reg[ir_frag_reg(f, pass, group)]);
    for (uint32_t j = regs; j < written; j++)
        lower_opnds(lower_emit(x->p, IR_MOV_U32), 1, 1, (ir_opnd[]){x->reg[j], x->reg[j % regs]});
}

/* C or D by rows: the two elements of a pair at once. */
static void move_rows(const struct transfer *x) {
    const uint32_t bytes = ir_mma_bits[x->t] / 8;
    ir_opnd at[4];
    for (uint32_t row = 0; row < x->m.m / 8; row++) at[row] = lower_matrix_part(x, 8 * row, 4, 2, false);
    for (uint32_t row = 0; row < x->m.m / 8; row++)
        for (uint32_t col = 0; col < x->m.n / 8; col++) {
            const uint32_t j = ir_acc_at(&x->m, row, col);
            if (x->t == IR_MT_F16)
                lower_matrix_access(x, 4, at[row], 8 * col * bytes, 1, &x->reg[j / 2]);
            else
                lower_matrix_access(x, bytes, at[row], 8 * col * bytes, 2, &x->reg[j]);
        }
}

/* The two elements of a pair lie in neighbouring columns, at these addresses. */
static void move_pair(const struct transfer *x, const ir_opnd at[2], uint32_t behind, uint32_t j) {
    const uint32_t bytes = ir_mma_bits[x->t] / 8;
    if (x->t != IR_MT_F16) {
        for (uint32_t e = 0; e < 2; e++) lower_matrix_access(x, bytes, at[e], behind, 1, &x->reg[j + e]);
        return;
    }
    const ir_opnd half[2] = {lower_temp(x->p, IR_FILE_32), lower_temp(x->p, IR_FILE_32)},
                  both = x->reg[j / 2];
    if (x->store) lower_opnds(lower_emit(x->p, IR_UNPACK_2X16), 2, 1, (ir_opnd[]){half[0], half[1], both});
    for (uint32_t e = 0; e < 2; e++) lower_matrix_access(x, bytes, at[e], behind, 1, &half[e]);
    if (!x->store) lower_opnds(lower_emit(x->p, IR_PACK_2X16), 1, 2, (ir_opnd[]){both, half[0], half[1]});
}

static void move_columns(const struct transfer *x) {
    ir_opnd at[4][2];
    for (uint32_t col = 0; col < x->m.n / 8; col++)
        for (uint32_t e = 0; e < 2; e++) at[col][e] = lower_matrix_part(x, 8 * col + e, 4, 2, true);
    for (uint32_t col = 0; col < x->m.n / 8; col++)
        for (uint32_t row = 0; row < x->m.m / 8; row++)
            move_pair(x, at[col], row * ir_mma_bits[x->t], ir_acc_at(&x->m, row, col));
}

/* ---- what was written ---- */

/* An accumulator's type does not say what the factors are: the first shape of that name whose C has it. */
static bool accumulator_shape(const struct stmt *s, struct transfer *x) {
    static const enum mma_family with_f32[] = {HALF, TF32}, with_s32[] = {INT8, INT4, BITS},
                                 with_f64[] = {F64};
    const bool is_int = x->t == IR_MT_S32, is_double = x->t == IR_MT_F64;
    const enum mma_family *f = is_int ? with_s32 : is_double ? with_f64 : with_f32;
    const unsigned n = is_int ? 3 : is_double ? 1 : x->t == IR_MT_F16 ? 1 : 2;
    if (!is_int && !is_double && x->t != IR_MT_F16 && x->t != IR_MT_F32) return false;
    for (unsigned j = 0; j < n; j++)
        if (mma_shape(s, WMMA, f[j], &x->m)) return true;
    return false;
}

static bool factor_shape(const struct stmt *s, struct transfer *x) {
    enum mma_family f;
    if (!mma_family_of(x->t, &f) || !mma_shape(s, WMMA, f, &x->m)) return false;
    const bool natural = lower_has_id(s, MOD_A) != x->column;
    return natural || (f != INT4 && f != BITS);
}

static bool read_transfer(const struct stmt *s, struct transfer *x) {
    const bool acc = lower_has_id(s, x->store ? MOD_FRAG_D : MOD_FRAG_C);
    const bool factor = lower_has_id(s, MOD_A) || lower_has_id(s, MOD_B);
    if (!lower_has(s, MC_SYNC) || !lower_has(s, MC_ALIGNED) || acc == factor || (factor && x->store))
        return false;
    if (s->ntypes != 1 || !mma_major(s, 0, &x->column)) return false;
    if (lower_has(s, MC_SATFINITE | MC_RND | MC_BOOL | MC_POPC)) return false;
    x->t = mma_type(s, 0);
    x->m.a = x->m.b = x->m.c = x->m.d = x->t;
    return acc ? accumulator_shape(s, x) : factor_shape(s, x);
}

static bool read_address(struct stmt *s, struct transfer *x, const struct opnd *o, uint32_t side) {
    if (!matrix_address(x->p, s, o, &x->a)) return false;
    if (x->a.space != IR_SP_GLOBAL && x->a.space != IR_SP_SHARED && x->a.space != IR_SP_GENERIC)
        return diag_error(&x->p->diag, o->at, "expected an address in global or shared memory");
    x->stride = lower_const(x->p, IR_FILE_32, side);
    return s->nops < 3 || lower_src(x->p, &s->o[2], IR_T_U32, &x->stride);
}

static bool move_accumulator(struct transfer *x, struct stmt *s) {
    const struct opnd *fragment = &s->o[x->store], *address = &s->o[!x->store];
    const unsigned n = ir_mma_acc_regs(&x->m, x->t);
    if (!read_address(s, x, address, x->column ? x->m.m : x->m.n)) return false;
    if (!mma_registers(x->p, fragment, n, x->t, !x->store, x->reg)) return false;
    (x->column ? move_columns : move_rows)(x);
    return true;
}

static const char no_such[] = "no such shape, layout and type together";

bool lower_wmma_load(struct ptx *p, struct stmt *s) {
    struct transfer x = {.p = p};
    if (!read_transfer(s, &x)) return lower_unsupported(p, s, no_such);
    if (!lower_count(p, s, 2, 3)) return false;
    if (lower_has_id(s, MOD_FRAG_C)) return move_accumulator(&x, s);
    const bool a = lower_has_id(s, MOD_A);
    x.m.flags = a ? (x.column ? IR_MMA_A_COL : 0) : x.column ? 0 : IR_MMA_B_ROW;
    const struct ir_frag f = a ? ir_frag_a(&x.m) : ir_frag_b(&x.m);
    if (!read_address(s, &x, &s->o[1], f.inner)) return false;
    if (!mma_registers(p, &s->o[0], mma_written(&f, x.t), x.t, true, x.reg)) return false;
    load_factor(&x, &f, mma_written(&f, x.t));
    return true;
}

bool lower_wmma_store(struct ptx *p, struct stmt *s) {
    struct transfer x = {.p = p, .store = true};
    if (!read_transfer(s, &x)) return lower_unsupported(p, s, no_such);
    return lower_count(p, s, 2, 3) && move_accumulator(&x, s);
}
