/* Arithmetic, logic and bit operations. Nearly all of them are one row of ops.def: the instruction's name, with the
 * modifiers that make it another operation (.lo, .approx, .wrap ...), and its type find the row; the row says the types
 * of its operands and which other modifiers it understands. What does not fit that scheme follows below. */
#include <stdio.h>
#include <string.h>

#include "front/ptx/lower.h"

enum { NAME_MAX_LEN = 48 };
/* Modifiers that are part of an operation's name. */
#define MC_NAMING (MC_PART | MC_APPROX | MC_WRAP)

static void op_name(const struct stmt *s, enum ir_type t, char *name) {
    char base[24];
    snprintf(base, sizeof base, "%.*s", (int)s->base_len, s->at);
    /* Since sm_20 a floating-point mad is fma. */
    if (!strcmp(base, "mad") && ir_type_float(t)) strcpy(base, "fma");
    size_t n = (size_t)snprintf(name, NAME_MAX_LEN, "%s", base);
    if (lower_has(s, MC_CC) && base[strlen(base) - 1] != 'c')
        n += (size_t)snprintf(name + n, NAME_MAX_LEN - n, "c");
    for (unsigned i = 0; i < s->nmods && n < NAME_MAX_LEN - 16; i++)
        if (s->mods[i]->classes & MC_NAMING)
            n += (size_t)snprintf(name + n, NAME_MAX_LEN - n, ".%s", s->mods[i]->text);
}

static uint16_t op_mods(const struct stmt *s, enum ir_type t) {
    const struct mod *rnd = lower_mod(s, MC_RND);
    uint16_t m = rnd ? rnd->value : 0;
    bool bf16 = t == IR_T_BF16 || t == IR_T_BF16X2; /* flushing makes no difference there */
    if (lower_has(s, MC_FTZ) && !bf16) m |= IR_M_FTZ;
    if (lower_has(s, MC_SAT)) m |= IR_M_SAT;
    if (lower_has(s, MC_RELU)) m |= IR_M_RELU;
    if (lower_has(s, MC_NAN)) m |= IR_M_NAN;
    if (lower_has(s, MC_XSGN)) m |= IR_M_XSGN;
    if ((s->form->classes & MC_CC) && s->at[s->base_len - 1] == 'c') m |= IR_M_CC_IN; /* addc subc madc */
    if (lower_has(s, MC_CC)) m |= IR_M_CC_OUT;
    return m;
}

/* .sat and .relu of integers are operations of their own. */
static int lower_arith_find_row(struct ptx *p, char *name, enum ir_type t, uint16_t *mods) {
    static const struct {
        uint16_t mod;
        const char *suffix;
    } named[] = {{IR_M_SAT, ".sat"}, {IR_M_RELU, ".relu"}};
    int op = ptx_find_op(p, name, t);
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        if (!(*mods & named[i].mod) || (op >= 0 && (ir_ops[op].mods & named[i].mod))) continue;
        strcat(name, named[i].suffix);
        op = ptx_find_op(p, name, t);
        *mods &= (uint16_t)~named[i].mod;
    }
    return op;
}

static bool emit_row(struct ptx *p, struct stmt *s, int op, uint16_t mods, unsigned nsrc) {
    const struct ir_op_info *row = &ir_ops[op];
    bool open = row->kind == 'A'; /* such a row gives only its first type */
    uint8_t types[3] = {row->type, open ? row->type : row->btype, open ? row->type : row->ctype};
    ir_opnd o[4];
    if (!lower_count(p, s, nsrc + 1, nsrc + 1)) return false;
    for (unsigned i = 0; i < nsrc; i++)
        if (!lower_src(p, &s->o[i + 1], (enum ir_type)types[i], &o[i + 1])) return false;
    if (!lower_dst(p, &s->o[0], (enum ir_type)row->dtype, &o[0])) return false;
    struct ir_insn *i = lower_emit(p, op);
    lower_opnds(i, 1, nsrc, o);
    i->mods = mods;
    i->sub = lower_has(s, MC_SHIFTAMT);
    return true;
}

/* add, sub, mul, fma of .f32x2: each half by itself. */
static bool arith_f32x2(struct ptx *p, struct stmt *s) {
    const unsigned n = s->form->nsrc;
    ir_opnd half[4][2], o[4], d, whole;
    char name[NAME_MAX_LEN];
    op_name(s, IR_T_F32, name);
    const int op = ptx_find_op(p, name, IR_T_F32);
    const uint16_t mods = op_mods(s, IR_T_F32);
    if (op < 0 || lower_has(s, MC_SAT | MC_APPROX) || mods & ~ir_ops[op].mods)
        return lower_unsupported(p, s, "");
    if (!lower_count(p, s, n + 1, n + 1)) return false;
    for (unsigned k = 1; k <= n; k++) {
        if (!lower_src(p, &s->o[k], IR_T_U64, &whole)) return false;
        for (int h = 0; h < 2; h++) half[k][h] = lower_temp(p, IR_FILE_32);
        lower_opnds(lower_emit_always(p, IR_UNPACK_2X32), 2, 1, (ir_opnd[]){half[k][0], half[k][1], whole});
    }
    if (!lower_dst(p, &s->o[0], IR_T_U64, &d)) return false;
    for (int h = 0; h < 2; h++) {
        o[0] = half[0][h] = lower_temp(p, IR_FILE_32);
        for (unsigned k = 1; k <= n; k++) o[k] = half[k][h];
        struct ir_insn *i = lower_emit_always(p, op);
        lower_opnds(i, 1, n, o);
        i->mods = mods;
    }
    lower_opnds(lower_emit(p, IR_PACK_2X32), 1, 2, (ir_opnd[]){d, half[0][0], half[0][1]});
    return true;
}

static unsigned row_sources(int op, unsigned otherwise) {
    switch (ir_ops[op].kind) {
    case 'U': return 1;
    case 'B': return 2;
    case 'T': return 3;
    default: return otherwise;
    }
}

static bool arith_named(struct ptx *p, struct stmt *s, char *name, enum ir_type t) {
    uint16_t mods = op_mods(s, t);
    int op = lower_arith_find_row(p, name, t, &mods);
    if (op < 0) return lower_unsupported(p, s, "");
    if (mods & ~ir_ops[op].mods) return lower_unsupported(p, s, "");
    return emit_row(p, s, op, mods, row_sources(op, s->form->nsrc));
}

/* Divisions and the like say how exact they are to be. */
static bool precision_given(struct ptx *p, struct stmt *s, enum ir_type t) {
    if (!(s->form->classes & MC_APPROX) || !ir_type_float(t) || lower_has(s, MC_APPROX | MC_RND)) return true;
    if (!(s->form->classes & MC_RND)) return lower_unsupported(p, s, "it needs .approx");
    return lower_unsupported(p, s, "it needs a rounding mode or .approx");
}

bool lower_arith(struct ptx *p, struct stmt *s) {
    enum ir_type t;
    char name[NAME_MAX_LEN];
    if (s->ntypes == 1 && s->types[0] == PT_F32X2) return arith_f32x2(p, s);
    if (!lower_one_type(p, s, &t) || !precision_given(p, s, t)) return false;
    op_name(s, t, name);
    return arith_named(p, s, name, t);
}

/* min and max of three values are operations of their own. */
bool lower_minmax(struct ptx *p, struct stmt *s) {
    enum ir_type t;
    char name[NAME_MAX_LEN];
    if (!lower_one_type(p, s, &t)) return false;
    if (lower_has(s, MC_XSGN) != lower_has(s, MC_ABS)) return lower_unsupported(p, s, "");
    op_name(s, t, name);
    if (s->nops == 4) strcat(name, "3");
    return arith_named(p, s, name, t);
}

bool lower_prmt(struct ptx *p, struct stmt *s) {
    enum ir_type t;
    const struct mod *mode = lower_mod(s, MC_PRMT);
    if (!lower_one_type(p, s, &t)) return false;
    if (t != IR_T_U32) return lower_unsupported(p, s, "");
    if (!emit_row(p, s, IR_PRMT_U32, 0, 3)) return false;
    p->m->code.v[p->m->code.n - 1].sub = mode ? mode->value : IR_PRMT_DEFAULT;
    return true;
}

bool lower_bfi(struct ptx *p, struct stmt *s) {
    enum ir_type t;
    ir_opnd o[5];
    if (!lower_one_type(p, s, &t)) return false;
    int op = ptx_find_op(p, "bfi", t);
    if (op < 0) return lower_unsupported(p, s, "");
    if (!lower_count(p, s, 5, 5) || !lower_dst(p, &s->o[0], t, &o[0])) return false;
    for (unsigned i = 1; i < 5; i++)
        if (!lower_src(p, &s->o[i], i < 3 ? t : IR_T_U32, &o[i])) return false;
    lower_opnds(lower_emit(p, op), 1, 4, o);
    return true;
}

/* lop3.b32 d, a, b, c, lut;  lop3.BoolOp.b32 d|p, a, b, c, lut, q; */
bool lower_lop3(struct ptx *p, struct stmt *s) {
    const struct mod *bop = lower_mod(s, MC_BOOL);
    ir_opnd o[6];
    uint64_t lut;
    unsigned k = 0;
    if (s->ntypes != 1 || s->types[0] != IR_T_U32 || (bop && bop->id == MOD_XOR))
        return lower_unsupported(p, s, "");
    if (!lower_count(p, s, bop ? 6 : 5, bop ? 6 : 5)) return false;
    if (bop && !s->o[0].second) return diag_error(&p->diag, s->o[0].at, "expected d|p as destination");
    if (!lower_imm(p, &s->o[4], 255, &lut)) return false;
    if (bop ? !lower_dst_or_none(p, &s->o[0], IR_T_U32, &o[k++]) : !lower_dst(p, &s->o[0], IR_T_U32, &o[k++]))
        return false;
    if (bop && !lower_dst(p, s->o[0].second, IR_T_P, &o[k++])) return false;
    for (unsigned i = 1; i < 4; i++)
        if (!lower_src(p, &s->o[i], IR_T_U32, &o[k++])) return false;
    if (bop && !lower_pred(p, &s->o[5], &o[k++])) return false;
    struct ir_insn *i = lower_emit(p, bop ? IR_LOP3_P_U32 : IR_LOP3_U32);
    lower_opnds(i, bop ? 2 : 1, bop ? 4 : 3, o);
    i->sub = (uint8_t)lut;
    if (bop) i->bop = bop->id == MOD_OR ? IR_BOP_OR : IR_BOP_AND;
    return true;
}

/* dp4a.atype.btype d, a, b, c;  dp2a.mode.atype.btype: the row is named by b's type. */
bool lower_dot(struct ptx *p, struct stmt *s) {
    const struct mod *half = lower_mod(s, MC_PART);
    char name[16];
    if (s->ntypes != 2 || s->types[1] >= IR_NTYPES || s->types[0] >= IR_NTYPES)
        return lower_unsupported(p, s, "");
    if ((s->base_len == 4 && s->at[2] == '2') != (half != NULL)) return lower_unsupported(p, s, "");
    snprintf(name, sizeof name, "%.4s.%s", s->at, ir_type_name[s->types[1]]);
    int op = ptx_find_op(p, name, (enum ir_type)s->types[0]);
    if (op < 0) return lower_unsupported(p, s, "");
    if (!emit_row(p, s, op, 0, 3)) return false;
    p->m->code.v[p->m->code.n - 1].sub = half && half->id == MOD_HI;
    return true;
}

/* A row over the bits, for floats only. */
bool lower_copysign(struct ptx *p, struct stmt *s) {
    enum ir_type t;
    if (!lower_one_type(p, s, &t)) return false;
    if (t != IR_T_F32 && t != IR_T_F64) return lower_unsupported(p, s, "");
    return emit_row(p, s, t == IR_T_F32 ? IR_COPYSIGN_F32 : IR_COPYSIGN_F64, 0, 2);
}

bool lower_testp(struct ptx *p, struct stmt *s) {
    const struct mod *test = lower_mod(s, MC_TESTP);
    enum ir_type t;
    if (!test) return lower_unsupported(p, s, "");
    if (!lower_one_type(p, s, &t)) return false;
    int op = ptx_find_op(p, "testp", t);
    if (op < 0) return lower_unsupported(p, s, "");
    if (!emit_row(p, s, op, 0, 1)) return false;
    p->m->code.v[p->m->code.n - 1].sub = test->value;
    return true;
}
