/* Instructions as text: one exact line per kind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
/* cmocka wants the four above first */
#include <cmocka.h>

#include "base/bits.h"
#include "cfg/cfg.h"
#include "ir/mma.h"
#include "ir/print.h"

#define R(k)  ir_reg(IR_FILE_32, k)
#define RD(k) ir_reg(IR_FILE_64, k)
#define P(k)  ir_reg(IR_FILE_P, k)
#define K(k)  ir_const(IR_FILE_32, k)
#define KD(k) ir_const(IR_FILE_64, k)

enum { ONE, MINUS_ONE, BIG, FLOAT_HALF, FLOAT_TWO, FLOAT_NAN, HALF_ONE, ADDRESS32 };
enum { DOUBLE_TENTH, ADDRESS, GENERIC, FUNCTION, ZERO };
enum { EXT_CALL = 0, EXT_BRX = 4, EXT_TEX = 7, EXT_IND = 13, EXT_MMA = 18 };

static struct ir_module *sample(void) {
    struct ir_module *m = ir_module_new("test");
    const uint32_t k32[] = {1, UINT32_MAX, 0x12345678, f32_bits(0.5f), f32_bits(2.0f), 0x7fc00000, 0x3c00, 0};
    const uint64_t k64[] = {f64_bits(0.1), 0, 0, 0, 0};
    const uint32_t ext[] = {0,
                            0,
                            0,
                            0,
                            2,
                            0,
                            1,
                            IR_TEX_A2D | IR_TEX_LEVEL,
                            IR_T_F32,
                            3,
                            RD(9),
                            R(4),
                            K(FLOAT_HALF),
                            1,
                            0,
                            0,
                            0,
                            0,
                            8 | 8 << 8 | 16 << 16,
                            IR_MT_U8 | IR_MT_S8 << 8 | IR_MT_S32 << 16 | (uint32_t)IR_MT_S32 << 24,
                            4,
                            R(3),
                            R(4),
                            R(5),
                            R(6)};
    for (size_t k = 0; k < sizeof k32 / sizeof *k32; k++) VEC_PUSH(&m->k32, k32[k]);
    for (size_t k = 0; k < sizeof k64 / sizeof *k64; k++) VEC_PUSH(&m->k64, k64[k]);
    for (size_t k = 0; k < sizeof ext / sizeof *ext; k++) VEC_PUSH(&m->ext, ext[k]);
    VEC_PUSH(&m->vars, (struct ir_var){.name = "table", .space = IR_SP_GLOBAL});
    VEC_PUSH(&m->funcs, (struct ir_func){.name = "helper", .defined = true});
    VEC_PUSH(&m->relocs,
             (struct ir_reloc){.kind = IR_RELOC_VAR, .bytes = 8, .constant = ADDRESS, .addend = 8});
    VEC_PUSH(&m->relocs,
             (struct ir_reloc){.kind = IR_RELOC_VAR, .bytes = 8, .constant = GENERIC, .generic = true});
    VEC_PUSH(&m->relocs, (struct ir_reloc){.kind = IR_RELOC_FUNC, .bytes = 8, .constant = FUNCTION});
    VEC_PUSH(&m->relocs, (struct ir_reloc){.kind = IR_RELOC_VAR, .bytes = 4, .constant = ADDRESS32});
    VEC_PUSH(&m->relocs, (struct ir_reloc){.kind = IR_RELOC_VAR, .bytes = 4, .constant = IR_NOPC});
    return m;
}

static void expect(struct ir_module *m, struct ir_insn i, const char *text) {
    struct ir_names names;
    struct sb plain = {0}, named = {0};
    m->code.n = 0;
    VEC_PUSH(&m->code, i);
    ir_print_insn(&plain, m, 0);
    ir_names_init(&names, m);
    ir_print_named(&named, m, &names, 0);
    assert_string_equal(plain.text, text);
    assert_string_equal(named.text, text);
    ir_names_free(&names);
    sb_free(&plain);
    sb_free(&named);
}
#define LINE(text, ...) expect(m, (struct ir_insn){__VA_ARGS__}, text)

static void arithmetic(void **state) {
    (void)state;
    struct ir_module *m = sample();
    LINE("add.u32 r1, r2, 1", .op = IR_ADD_U32, .nd = 1, .ns = 2, .o = {R(1), R(2), K(ONE)});
    LINE("@p3 add.u32 r1, r2, 0xffffffff", .op = IR_ADD_U32, .guard = 3, .nd = 1, .ns = 2,
         .o = {R(1), R(2), K(MINUS_ONE)});
    LINE("max.s32 r1, r2, -1", .op = IR_MAX_S32, .nd = 1, .ns = 2, .o = {R(1), R(2), K(MINUS_ONE)});
    LINE("xor.u32 r1, r2, 0x12345678", .op = IR_XOR_U32, .nd = 1, .ns = 2, .o = {R(1), R(2), K(BIG)});
    LINE("mul.wide.s32 rd1, r2, r3", .op = IR_MUL_WIDE_S32, .nd = 1, .ns = 2, .o = {RD(1), R(2), R(3)});
    LINE("add.cc.u32 r1, r2, r3", .op = IR_ADDC_U32, .mods = IR_M_CC_OUT, .nd = 1, .ns = 2,
         .o = {R(1), R(2), R(3)});
    LINE("addc.u32 r1, r2, r3", .op = IR_ADDC_U32, .mods = IR_M_CC_IN, .nd = 1, .ns = 2,
         .o = {R(1), R(2), R(3)});
    LINE("madc.lo.cc.u32 r1, r2, r3, r4", .op = IR_MADC_LO_U32, .mods = IR_M_CC, .nd = 1, .ns = 3,
         .o = {R(1), R(2), R(3), R(4)});
    LINE("add.rz.ftz.sat.f32 r1, r2, 0.5", .op = IR_ADD_F32, .mods = IR_RZ | IR_M_FTZ | IR_M_SAT, .nd = 1,
         .ns = 2, .o = {R(1), R(2), K(FLOAT_HALF)});
    LINE("fma.rn.f32 r1, r2, 2.0, 0x7fc00000", .op = IR_FMA_F32, .nd = 1, .ns = 3,
         .o = {R(1), R(2), K(FLOAT_TWO), K(FLOAT_NAN)});
    LINE("mul.f64 rd1, rd2, 0.1", .op = IR_MUL_F64, .nd = 1, .ns = 2, .o = {RD(1), RD(2), KD(DOUBLE_TENTH)});
    LINE("add.f16 r1, r2, 0x3c00", .op = IR_ADD_F16, .nd = 1, .ns = 2, .o = {R(1), R(2), K(HALF_ONE)});
    LINE("min.NaN.f32 r1, r2, r3", .op = IR_MIN_F32, .mods = IR_M_NAN, .nd = 1, .ns = 2,
         .o = {R(1), R(2), R(3)});
    LINE("sqrt.rn.f32 r1, r2", .op = IR_SQRT_F32, .nd = 1, .ns = 1, .o = {R(1), R(2)});
    LINE("ex2.approx.ftz.f32 r1, r2", .op = IR_EX2_APPROX_F32, .mods = IR_M_FTZ, .nd = 1, .ns = 1,
         .o = {R(1), R(2)});
    LINE("dp2a.hi.u32.s32 r1, r2, r3, r4", .op = IR_DP2A_US, .sub = 1, .nd = 1, .ns = 3,
         .o = {R(1), R(2), R(3), R(4)});
    LINE("lop3.b32 r1, r2, r3, r4, 0x96", .op = IR_LOP3_U32, .sub = 0x96, .nd = 1, .ns = 3,
         .o = {R(1), R(2), R(3), R(4)});
    LINE("lop3.or.b32 r1|p2, r2, r3, r4, 0x0f, !p5", .op = IR_LOP3_P_U32, .sub = 15, .bop = IR_BOP_OR,
         .nd = 2, .ns = 4, .o = {R(1), P(2), R(2), R(3), R(4), P(5) | IR_O_NEG});
    LINE("prmt.b32.rc8 r1, r2, r3, r4", .op = IR_PRMT_U32, .sub = IR_PRMT_RC8, .nd = 1, .ns = 3,
         .o = {R(1), R(2), R(3), R(4)});
    LINE("bfind.shiftamt.s32 r1, r2", .op = IR_BFIND_S32, .sub = 1, .nd = 1, .ns = 1, .o = {R(1), R(2)});
    LINE("vadd.s32.u32.s32.sat r1, r2.b1, r3.h0, r4", .op = IR_VIDEO, .sub = IR_V_ADD, .mods = IR_M_SAT,
         .cop = IR_V_D_SIGNED | IR_V_B_SIGNED, .imm = 1 | 4 << 3 | 6 << 6, .nd = 1, .ns = 3,
         .o = {R(1), R(2), R(3), R(4)});
    ir_module_free(m);
}

static void comparison_and_moves(void **state) {
    (void)state;
    struct ir_module *m = sample();
    LINE("@!p1 setp.lt.s32 p2|p3, r4, -1", .op = IR_SETP_S32, .guard = 1 | IR_GUARD_NEG, .sub = IR_LT,
         .nd = 2, .ns = 2, .o = {P(2), P(3), R(4), K(MINUS_ONE)});
    LINE("setp.gtu.and.ftz.f32 p1, r2, 2.0, !p3", .op = IR_SETP_F32, .sub = IR_GTU, .bop = IR_BOP_AND,
         .mods = IR_M_FTZ, .nd = 2, .ns = 3, .o = {P(1), IR_NONE, R(2), K(FLOAT_TWO), P(3) | IR_O_NEG});
    LINE("setp.ge.u32 p1, r2, r3", .op = IR_SETP_U32, .sub = IR_GE, .nd = 2, .ns = 3,
         .o = {P(1), IR_NONE, R(2), R(3), IR_PT});
    LINE("set.eq.f32.u32 r1, r2, r3", .op = IR_SET_U32, .sub = IR_EQ, .dtype = IR_T_F32, .nd = 1, .ns = 2,
         .o = {R(1), R(2), R(3)});
    LINE("selp.u32 r1, r2, 1, p4", .op = IR_SELP_U32, .nd = 1, .ns = 3, .o = {R(1), R(2), K(ONE), P(4)});
    LINE("slct.u32.f32 r1, r2, r3, r4", .op = IR_SLCT_U32_F32, .nd = 1, .ns = 3,
         .o = {R(1), R(2), R(3), R(4)});
    LINE("testp.subnormal.f64 p1, rd2", .op = IR_TESTP_F64, .sub = IR_TP_SUBNORMAL, .nd = 1, .ns = 1,
         .o = {P(1), RD(2)});
    LINE("mov.u64 rd1, table+8", .op = IR_MOV_U64, .nd = 1, .ns = 1, .o = {RD(1), KD(ADDRESS)});
    LINE("mov.u64 rd1, generic(table)", .op = IR_MOV_U64, .nd = 1, .ns = 1, .o = {RD(1), KD(GENERIC)});
    LINE("mov.u32 r1, table", .op = IR_MOV_U32, .nd = 1, .ns = 1, .o = {R(1), K(ADDRESS32)});
    LINE("and.pred p1, pt, !p2", .op = IR_AND_P, .nd = 1, .ns = 2, .o = {P(1), IR_PT, P(2) | IR_O_NEG});
    LINE("mov.b64 rd1, {r2, r3}", .op = IR_PACK_2X32, .nd = 1, .ns = 2, .o = {RD(1), R(2), R(3)});
    LINE("mov.b32 {r1, _}, r3", .op = IR_UNPACK_2X16, .nd = 2, .ns = 1, .o = {R(1), IR_NONE, R(3)});
    LINE("mov.u32 r1, %tid.x", .op = IR_SREG_U32, .sub = IR_SR_TID_X, .nd = 1, .o = {R(1)});
    LINE("mov.u64 rd1, frame+16", .op = IR_FRAME_U64, .disp = 16, .nd = 1, .o = {RD(1)});
    LINE("cvt.rn.f32.s32 r1, r2", .op = IR_CVT_F32_S32, .nd = 1, .ns = 1, .o = {R(1), R(2)});
    LINE("cvt.rzi.ftz.s32.f32 r1, r2", .op = IR_CVT_S32_F32, .mods = IR_RZ | IR_M_FTZ, .nd = 1, .ns = 1,
         .o = {R(1), R(2)});
    LINE("cvt.f64.f32 rd1, r2", .op = IR_CVT_F64_F32, .nd = 1, .ns = 1, .o = {RD(1), R(2)});
    LINE("cvt.sat.u8.s32 r1, r2", .op = IR_CVT_U8_S32, .mods = IR_M_SAT, .nd = 1, .ns = 1, .o = {R(1), R(2)});
    LINE("cvt.rn.relu.f16x2.f32 r1, r2, r3", .op = IR_CVT_F16X2_F32, .mods = IR_M_RELU, .nd = 1, .ns = 2,
         .o = {R(1), R(2), R(3)});
    ir_module_free(m);
}

static void memory(void **state) {
    (void)state;
    struct ir_module *m = sample();
    LINE("ld.global.nc.v2.u32 {r1, r2}, [rd3+16]", .op = IR_LD_U32, .space = IR_SP_GLOBAL, .cop = IR_COP_NC,
         .vec = 2, .disp = 16, .nd = 2, .ns = 1, .o = {R(1), R(2), RD(3)});
    LINE("ld.volatile.shared.s8 r1, [r2-4]", .op = IR_LD_S8, .space = IR_SP_SHARED, .mods = IR_M_VOLATILE,
         .vec = 1, .disp = -4, .nd = 1, .ns = 1, .o = {R(1), R(2)});
    LINE("ld.u64 rd1, [table+8]", .op = IR_LD_U64, .vec = 1, .nd = 1, .ns = 1, .o = {RD(1), KD(ADDRESS)});
    LINE("ld.frame.u32 r1, [4]", .op = IR_LD_U32, .space = IR_SP_FRAME, .vec = 1, .disp = 4, .nd = 1, .ns = 1,
         .o = {R(1), IR_NONE});
    LINE("ld.param.u32 r1, [0]", .op = IR_LD_U32, .space = IR_SP_PARAM, .vec = 1, .nd = 1, .ns = 1,
         .o = {R(1), KD(ZERO)});
    LINE("st.local.u16 [rd3], r4", .op = IR_ST_U16, .space = IR_SP_LOCAL, .vec = 1, .ns = 2,
         .o = {RD(3), R(4)});
    LINE("st.global.cs.v4.u32 [rd3], {r4, r5, r6, 1}", .op = IR_ST_U32, .space = IR_SP_GLOBAL,
         .cop = IR_COP_CS, .vec = 4, .ns = 5, .o = {RD(3), R(4), R(5), R(6), K(ONE)});
    LINE("atom.shared.cas.u32 r1, [r2+4], r3, r4", .op = IR_ATOM_U32, .space = IR_SP_SHARED, .sub = IR_AT_CAS,
         .disp = 4, .nd = 1, .ns = 3, .o = {R(1), R(2), R(3), R(4)});
    LINE("red.global.add.f32 [rd2], 2.0", .op = IR_ATOM_F32, .space = IR_SP_GLOBAL, .ns = 2,
         .o = {RD(2), K(FLOAT_TWO)});
    LINE("cvta.to.global.u64 rd1, rd2", .op = IR_CVTA_U64, .space = IR_SP_GLOBAL, .sub = 1, .nd = 1, .ns = 1,
         .o = {RD(1), RD(2)});
    LINE("isspacep.shared p1, rd2", .op = IR_ISSPACEP_U64, .space = IR_SP_SHARED, .nd = 1, .ns = 1,
         .o = {P(1), RD(2)});
    LINE("tex.level.a2d.v4.s32.f32 {r1, r2, r3, _}, [rd9, {r4, 0.5}]", .op = IR_TEX, .dtype = IR_T_S32,
         .ext = EXT_TEX, .nd = 4, .o = {R(1), R(2), R(3), IR_NONE});
    LINE("membar", .op = IR_MEMBAR);
    LINE("nanosleep r1", .op = IR_NOP, .sub = IR_NOP_NANOSLEEP, .ns = 1, .o = {R(1)});
    ir_module_free(m);
}

static void warp_block_and_control(void **state) {
    (void)state;
    struct ir_module *m = sample();
    LINE("shfl.sync.bfly.b32 r1|p2, r3, 1, 1, 0xffffffff", .op = IR_SHFL_U32, .mods = IR_M_SYNC,
         .sub = IR_SHFL_BFLY, .nd = 2, .ns = 4, .o = {R(1), P(2), R(3), K(ONE), K(ONE), K(MINUS_ONE)});
    LINE("vote.any.pred p1, !p2", .op = IR_VOTE, .sub = IR_VOTE_ANY, .nd = 1, .ns = 1,
         .o = {P(1), P(2) | IR_O_NEG});
    LINE("vote.sync.ballot.b32 r1, p2, r3", .op = IR_BALLOT, .mods = IR_M_SYNC, .nd = 1, .ns = 2,
         .o = {R(1), P(2), R(3)});
    LINE("match.any.sync.b64 r1, rd2, r3", .op = IR_MATCH_ANY_U64, .mods = IR_M_SYNC, .nd = 1, .ns = 2,
         .o = {R(1), RD(2), R(3)});
    LINE("redux.sync.max.s32 r1, r2, r3", .op = IR_REDUX_S32, .mods = IR_M_SYNC, .sub = IR_AT_MAX, .nd = 1,
         .ns = 2, .o = {R(1), R(2), R(3)});
    LINE("ldmatrix.m8n8.x2.trans.shared.b16 {r1, r2}, [r3+16]", .op = IR_LDMATRIX, .vec = 2, .sub = 1,
         .space = IR_SP_SHARED, .disp = 16, .nd = 2, .ns = 1, .o = {R(1), R(2), R(3)});
    LINE("stmatrix.m8n8.x1.b16 [rd3], {r1}", .op = IR_STMATRIX, .vec = 1, .ns = 2, .o = {RD(3), R(1)});
    LINE("movmatrix.m8n8.trans.b16 {r1}, r2", .op = IR_MOVMATRIX, .nd = 1, .ns = 1, .o = {R(1), R(2)});
    LINE("mma.m8n8k16.row.col.satfinite.s32.u8.s8.s32 {r1, r2}, {r3}, {r4}, {r5, r6}", .op = IR_MMA_INT,
         .mods = IR_M_SAT, .ext = EXT_MMA, .nd = 2, .o = {R(1), R(2)});
    LINE("bar.sync 1", .op = IR_BAR_SYNC, .ns = 2, .o = {K(ONE), IR_NONE});
    LINE("bar.red.or.pred p1, 1, !p2", .op = IR_BAR_RED_P, .sub = IR_VOTE_ANY, .nd = 1, .ns = 3,
         .o = {P(1), K(ONE), IR_NONE, P(2) | IR_O_NEG});
    LINE("bar.warp.sync 0xffffffff", .op = IR_WARPSYNC, .mods = IR_M_SYNC, .ns = 1, .o = {K(MINUS_ONE)});
    LINE("@p1 bra @0", .op = IR_BRA, .guard = 1);
    LINE("bra.uni @7", .op = IR_BRA, .mods = IR_M_UNI, .target = 7);
    LINE("ssy @7", .op = IR_MARK, .sub = IR_MK_SSY, .target = 7);
    LINE("bssy b3, @7", .op = IR_MARK, .sub = IR_MK_BSSY, .reg = 3, .target = 7);
    LINE("@p1 break b15", .op = IR_MARK, .sub = IR_MK_BREAK, .reg = 15, .target = IR_NOPC, .guard = 1);
    LINE("@!p1 if @7", .op = IR_BRA, .sub = IR_MK_IF, .target = 7, .guard = IR_GUARD_NEG | 1);
    LINE("bra @7 .s", .op = IR_BRA, .target = 7, .flags = IR_F_SYNC);
    LINE("sync", .op = IR_MARK, .sub = IR_MK_SYNC, .target = IR_NOPC);
    LINE("brx.idx r1, {@0, @1}", .op = IR_BRX, .ext = EXT_BRX, .ns = 1, .o = {R(1)});
    LINE("call helper", .op = IR_CALL, .ext = EXT_CALL);
    LINE("call rd1, {helper}", .op = IR_CALL_IND, .ext = EXT_IND, .ns = 1, .o = {RD(1)});
    LINE("call vprintf", .op = IR_SYS, .sub = IR_SYS_VPRINTF, .ext = EXT_CALL);
    LINE("@!pt ret", .op = IR_RET, .guard = IR_GUARD_NEG);
    LINE("exit", .op = IR_EXIT);
    LINE("@p98304 exit", .op = IR_EXIT, .guard_hi = 3);
    ir_module_free(m);
}

/* No operation is without text, and none reads operands it does not have. */
static void every_operation_prints(void **state) {
    (void)state;
    struct ir_module *m = sample();
    for (uint16_t op = 0; op < IR_NOPS; op++) {
        struct sb out = {0};
        m->code.n = 0;
        VEC_PUSH(&m->code,
                 (struct ir_insn){.op = op, .sub = 255, .bop = 255, .cop = 255, .space = 255, .dtype = 255});
        ir_print_insn(&out, m, 0);
        assert_true(out.len > 0);
        sb_free(&out);
    }
    ir_module_free(m);
}

static struct ir_module *loop_kernel(void) {
    struct ir_module *m = sample();
    const struct ir_insn code[] = {
        {.op = IR_SREG_U32, .sub = IR_SR_TID_X, .nd = 1, .o = {R(5)}},
        {.op = IR_ADD_U32, .nd = 1, .ns = 2, .o = {R(5), R(5), K(MINUS_ONE)}},
        {.op = IR_SETP_U32, .sub = IR_NE, .nd = 2, .ns = 2, .o = {P(3), IR_NONE, R(5), K(ONE)}},
        {.op = IR_BRA, .guard = 3, .target = 1},
        {.op = IR_RET},
        {.op = IR_EXIT},
    };
    for (size_t k = 0; k < sizeof code / sizeof *code; k++) VEC_PUSH(&m->code, code[k]);
    m->funcs.v[0] =
        (struct ir_func){.name = "k", .kernel = true, .defined = true, .end = 6, .nvirt = {6, 1, 4}};
    m->relocs.n = 0;
    return m;
}

static void a_function_prints_with_its_blocks(void **state) {
    (void)state;
    struct ir_module *m = loop_kernel();
    struct err e = {0};
    struct ir_param params[] = {{.name = "out", .type = IR_T_U64, .bytes = 8, .pointer = true},
                                {.name = "s", .bytes = 12, .offset = 8}};
    m->funcs.v[0].params = params;
    m->funcs.v[0].nparams = 2;
    struct cfg *c = cfg_analyse(m, CFG_EXITS_MAIN, &e);
    assert_non_null(c);
    struct sb out = {0};
    cfg_print(&out, m, c, 0);
    assert_string_equal(out.text,
                        "kernel k\n"
                        "  param 0: out u64 pointer at 0\n"
                        "  param 1: s 12 bytes at 8\n"
                        "  registers: 1 (1 live at once; with calls 1): 1 x 32, 0 x 64, 1 predicates\n"
                        "  shared: 0 bytes\n"
                        "  local: 0 bytes\n"
                        "  blocks: 4, loops: 1, instructions: 6\n"
                        "  control flow: structured\n"
                        "  loop at B1: depth 1, 1 blocks, 1 exits\n"
                        "B0: preds -; succs B1; ipdom B1; priority 0\n"
                        "      0  mov.u32 r0, %tid.x\n"
                        "B1: preds B0 B1; succs B2 B1; ipdom B2; loop B1; priority 1\n"
                        "      1  add.u32 r0, r0, 0xffffffff\n"
                        "      2  setp.ne.u32 p1, r0, 1\n"
                        "      3  @p1 bra B1\n"
                        "B2: preds B1; succs -; ipdom end; priority 2\n"
                        "      4  ret\n"
                        "B3: preds -; succs -; unreachable\n"
                        "      5  exit\n");
    sb_free(&out);
    cfg_dot(&out, m, c, 0, false);
    assert_string_equal(out.text, "digraph \"k\" {\n"
                                  "  node [shape=record, fontname=monospace, fontsize=10];\n"
                                  "  B0 [label=\"{B0  (0..0)|mov.u32 r0, %tid.x\\l}\"];\n"
                                  "  B1 [label=\"{B1  (1..3)|@p1 bra B1\\l}\"];\n"
                                  "  B2 [label=\"{B2  (4..4)|ret\\l}\"];\n"
                                  "  B3 [label=\"{B3  (5..5)|exit\\l}\", style=dashed, fontcolor=gray];\n"
                                  "  B0 -> B1;\n"
                                  "  B1 -> B2;\n"
                                  "  B1 -> B1 [style=dashed, color=blue];\n"
                                  "  B1 -> B2 [style=dotted, color=gray, constraint=false];\n"
                                  "}\n");
    sb_free(&out);
    cfg_free(c);
    ir_module_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic),
        cmocka_unit_test(comparison_and_moves),
        cmocka_unit_test(memory),
        cmocka_unit_test(warp_block_and_control),
        cmocka_unit_test(every_operation_prints),
        cmocka_unit_test(a_function_prints_with_its_blocks),
    };
    return cmocka_run_group_tests_name("ir/print", tests, NULL, NULL);
}
