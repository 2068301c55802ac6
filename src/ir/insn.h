/* One decoded instruction: 64 bytes, fixed, everything an executor or a scheduler needs in one cache line.
 * A PC is an index into the module's code array; all functions of a module share that array. */
#ifndef HEDDLE_IR_INSN_H
#define HEDDLE_IR_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ir/types.h"

enum ir_op {
#define U(id, ...) IR_##id,
#define B(id, ...) IR_##id,
#define T(id, ...) IR_##id,
#define A(id, ...) IR_##id,
#define M(id, ...) IR_##id,
#include "ir/ops.def"
    IR_NOPS
};

/* What kind of unit executes it. */
enum ir_class {
#define CLASS(id, ...)  IR_C_##id,
#define ACCESS(id, ...) IR_C_##id,
#include "ir/classes.def"
    IR_NCLASSES
};

/* clang-format off */
/* Modifiers, in insn.mods. The two rounding-mode bits and RNA come first so that "mods == 0" is the plain,
 * round-to-nearest, no-flush, no-saturate case that executors run without looking. */
enum ir_round { IR_RN, IR_RZ, IR_RM, IR_RP, IR_RNA };
enum {
    IR_M_RND = 7,         /* mask: enum ir_round */
    IR_M_FTZ = 1 << 3,    /* subnormal inputs and results become zero of the same sign */
    IR_M_SAT = 1 << 4,    /* floats clamp to [0, 1]; integer conversions clamp to the destination */
    IR_M_CC_IN = 1 << 5,  /* adds the carry bit */
    IR_M_CC_OUT = 1 << 6, /* sets the carry bit */
    IR_M_CC = IR_M_CC_IN | IR_M_CC_OUT,
    IR_M_RINT = 1 << 7,  /* cvt between floats of one type: round to an integral value */
    IR_M_SYNC = 1 << 8,  /* warp operation waits for the threads of its member mask (last operand) */
    IR_M_UNI = 1 << 9,   /* .uni: the compiler promises no divergence */
    IR_M_RELU = 1 << 10, /* negative results clamp to zero; NaN becomes the canonical NaN */
    IR_M_NAN = 1 << 11,  /* min, max: NaN if either input is */
    IR_M_XSGN = 1 << 12, /* min, max: .xorsign.abs */
    IR_M_VOLATILE = 1 << 13
};

enum ir_cmp { /* integers use EQ..GE (lo, ls, hi, hs are LT.. on an unsigned type); floats all */
    IR_EQ, IR_NE, IR_LT, IR_LE, IR_GT, IR_GE, /* ordered: false with a NaN */
    IR_EQU, IR_NEU, IR_LTU, IR_LEU, IR_GTU, IR_GEU, /* unordered: true with a NaN */
    IR_NUM, IR_NAN
};
enum ir_bop { IR_BOP_NONE, IR_BOP_OR, IR_BOP_AND, IR_BOP_XOR };
enum ir_testp { IR_TP_FINITE, IR_TP_INFINITE, IR_TP_NUMBER, IR_TP_NOTANUMBER, IR_TP_NORMAL, IR_TP_SUBNORMAL };
enum ir_prmt { IR_PRMT_DEFAULT, IR_PRMT_F4E, IR_PRMT_B4E, IR_PRMT_RC8, IR_PRMT_ECL, IR_PRMT_ECR, IR_PRMT_RC16 };
enum ir_atom {
    IR_AT_ADD, IR_AT_MIN, IR_AT_MAX, IR_AT_AND, IR_AT_OR, IR_AT_XOR, IR_AT_EXCH, IR_AT_CAS, IR_AT_INC, IR_AT_DEC
};
/* MBAR sub, which is none of enum ir_atom. CP: by cp.async.mbarrier.arrive, on behalf of the copies before it. */
enum ir_mbar {
    IR_MBAR_INIT = 16, IR_MBAR_INVAL, IR_MBAR_EXPECT_TX, IR_MBAR_COMPLETE_TX, IR_MBAR_ARRIVE, IR_MBAR_ARRIVE_TX,
    IR_MBAR_DROP, IR_MBAR_DROP_TX, IR_MBAR_CP, IR_MBAR_CP_NOINC
};
enum { IR_MBAR_PARITY = 1, IR_MBAR_TRY = 2 }; /* MBAR_WAIT sub, bits */
/* An mbarrier in memory, and the state that an arrival returns: arrivals of a phase, arrivals it still waits for, bytes it
 * still waits for (signed), whether it is initialised, the phase. */
enum {
    IR_MBAR_PENDING_AT = 20, IR_MBAR_TX_AT = 40, IR_MBAR_TX_BITS = 21, IR_MBAR_VALID_AT = 61, IR_MBAR_PHASE_AT = 62,
    IR_MBAR_COUNTS = (1 << 20) - 1
};
enum ir_bulk { IR_BULK_IN, IR_BULK_OUT, IR_BULK_SHARED }; /* to shared memory, from it, within it */
#define IR_CP_ALL 0xffffffffu
/* Conversions of pairs of narrow floats: the format, and whether negative numbers become 0. */
enum ir_narrow { IR_E4M3, IR_E5M2, IR_E2M1, IR_E2M3, IR_E3M2, IR_NARROW_FORMAT = 7, IR_NARROW_RELU = 8 };
enum ir_vote { IR_VOTE_ALL, IR_VOTE_ANY, IR_VOTE_UNI };
enum ir_shfl { IR_SHFL_UP, IR_SHFL_DOWN, IR_SHFL_BFLY, IR_SHFL_IDX };
enum ir_sys { IR_SYS_VPRINTF, IR_SYS_MALLOC, IR_SYS_FREE, IR_SYS_ASSERTFAIL };
enum ir_mark { /* MARK sub; BRA sub, NONE for most */
    IR_MK_NONE,
#define MARK(id, ...) IR_MK_##id,
#include "ir/marks.def"
    IR_NMARKS
};
/* RV_F*: what is computed. */
enum ir_rvf {
    IR_RVF_ADD, IR_RVF_SUB, IR_RVF_MUL, IR_RVF_DIV, IR_RVF_SQRT, IR_RVF_MADD, IR_RVF_MSUB, IR_RVF_NMSUB, IR_RVF_NMADD,
    IR_RVF_FROM_D, IR_RVF_FROM_S, IR_RVF_FROM_W, IR_RVF_FROM_WU, IR_RVF_FROM_L, IR_RVF_FROM_LU,
    IR_RVF_TO_W, IR_RVF_TO_WU, IR_RVF_TO_L, IR_RVF_TO_LU,
    IR_RVF_SGNJ, IR_RVF_SGNJN, IR_RVF_SGNJX, IR_RVF_MIN, IR_RVF_MAX, IR_RVF_EQ, IR_RVF_LT, IR_RVF_LE, IR_RVF_CLASS,
    IR_RVF_MV_X, IR_RVF_MV_F
};
/* 64-bit rows of a module of machine code: x1 to x31 are rows 1 to 31, row 0 takes what is written to x0 and is never read; f0
 * to f31 follow; then fcsr, and the address and value of a thread's reservation. */
enum { IR_RV_SP = 2, IR_RV_F = 32, IR_RV_FCSR = 64, IR_RV_RES_ADDR, IR_RV_RES_VALUE, IR_RV_ROWS };
enum ir_nop { IR_NOP_PLAIN, IR_NOP_NANOSLEEP, IR_NOP_PMEVENT, IR_NOP_HINT };

/* State spaces. FRAME is the thread's local memory relative to its current call frame: .local variables, and the
 * .param variables of device functions, which are nothing else. GENERIC addresses name any space by window. */
enum ir_space {
    IR_SP_GENERIC, IR_SP_GLOBAL, IR_SP_SHARED, IR_SP_LOCAL, IR_SP_CONST, IR_SP_PARAM, IR_SP_FRAME, IR_NSPACES
};
extern const char *const ir_space_name[IR_NSPACES];

/* Cache operator or memory-order of an access, in insn.cop; functionally all alike. */
enum ir_cop { IR_COP_CA, IR_COP_CG, IR_COP_CS, IR_COP_LU, IR_COP_CV, IR_COP_WB, IR_COP_WT, IR_COP_NC, IR_COP_ORDERED };

/* Memory order of an access, in insn.order; with IR_ORDER_CTA it holds for the threads of the block only. WEAK: none was
 * written; a volatile access is that and has IR_M_VOLATILE, an atomic without one is relaxed. MEMBAR has only the bit. */
enum ir_order { IR_WEAK, IR_RELAXED, IR_ACQUIRE, IR_RELEASE, IR_ACQ_REL, IR_ORDER = 7, IR_ORDER_CTA = 8 };

/* Special registers. SREG(id, ptx name, bits) */
#define IR_SREGS(SREG)                                                                                                 \
    SREG(TID_X, "%tid.x", 32) SREG(TID_Y, "%tid.y", 32) SREG(TID_Z, "%tid.z", 32)                                      \
    SREG(NTID_X, "%ntid.x", 32) SREG(NTID_Y, "%ntid.y", 32) SREG(NTID_Z, "%ntid.z", 32)                                \
    SREG(CTAID_X, "%ctaid.x", 32) SREG(CTAID_Y, "%ctaid.y", 32) SREG(CTAID_Z, "%ctaid.z", 32)                          \
    SREG(NCTAID_X, "%nctaid.x", 32) SREG(NCTAID_Y, "%nctaid.y", 32) SREG(NCTAID_Z, "%nctaid.z", 32)                    \
    SREG(LANEID, "%laneid", 32) SREG(WARPID, "%warpid", 32) SREG(NWARPID, "%nwarpid", 32)                              \
    SREG(SMID, "%smid", 32) SREG(NSMID, "%nsmid", 32) SREG(GRIDID, "%gridid", 64)                                      \
    SREG(LANEMASK_EQ, "%lanemask_eq", 32) SREG(LANEMASK_LE, "%lanemask_le", 32) SREG(LANEMASK_LT, "%lanemask_lt", 32)  \
    SREG(LANEMASK_GE, "%lanemask_ge", 32) SREG(LANEMASK_GT, "%lanemask_gt", 32)                                        \
    SREG(CLOCK, "%clock", 32) SREG(CLOCK_HI, "%clock_hi", 32) SREG(CLOCK64, "%clock64", 64)                            \
    SREG(GLOBALTIMER, "%globaltimer", 64) SREG(GLOBALTIMER_LO, "%globaltimer_lo", 32)                                  \
    SREG(GLOBALTIMER_HI, "%globaltimer_hi", 32) SREG(TOTAL_SMEM, "%total_smem_size", 32)                               \
    SREG(AGGR_SMEM, "%aggr_smem_size", 32) SREG(DYNAMIC_SMEM, "%dynamic_smem_size", 32)                                \
    SREG(RESERVED_SMEM, "%reserved_smem_offset_begin", 32)                                                             \
    SREG(ENVREG1, "%envreg1", 32) SREG(ENVREG2, "%envreg2", 32) /* address of the grid's workspace, high and low */   \
    SREG(ZERO, "%zero", 32) /* %pm, other %envreg, %clusterid... of a machine without them */                                \
    SREG(ONE, "%one", 32)   /* %nclusterid..., %cluster_nctaid...: a cluster is one block */
enum ir_sreg {
#define SREG(id, name, bits) IR_SR_##id,
    IR_SREGS(SREG)
#undef SREG
        IR_NSREGS
};
extern const char *const ir_sreg_name[IR_NSREGS];

/* An operand: what it is in the top bits, an index below.
 * bit 31 constant (index into the module's 32- or 64-bit constants, replicated over the lanes at load)
 * bits 30..29 file: 32-bit, 64-bit, predicate, none
 * bit 28 predicate is negated; bits 27..0 register (virtual after the front end, a row after colouring). */
typedef uint32_t ir_opnd;
enum ir_file { IR_FILE_32, IR_FILE_64, IR_FILE_P, IR_FILE_NONE };
#define IR_O_CONST 0x80000000u
#define IR_O_NEG   0x10000000u
#define IR_O_INDEX 0x0fffffffu
#define IR_NONE    0x60000000u
#define IR_PT      ((uint32_t)IR_FILE_P << 29) /* predicate 0: always true, never written */
static inline ir_opnd ir_reg(enum ir_file f, uint32_t index) {
    return (uint32_t)f << 29 | index;
}
static inline ir_opnd ir_const(enum ir_file f, uint32_t index) {
    return IR_O_CONST | (uint32_t)f << 29 | index;
}
static inline enum ir_file ir_file(ir_opnd o) {
    return (enum ir_file)(o >> 29 & 3);
}
static inline uint32_t ir_index(ir_opnd o) {
    return o & IR_O_INDEX;
}
static inline bool ir_is_const(ir_opnd o) {
    return o >> 31;
}

/* insn.flags, set by cfg: first, last instruction of its block; not of the program, but of the form that runs; has Tesla's
 * synchronisation flag, ".s" */
enum { IR_F_LEADER = 1, IR_F_ENDS = 2, IR_F_ADDED = 4, IR_F_SYNC = 8 };
#define IR_NOPC 0xffffffffu

struct ir_insn {
    uint16_t op;    /* enum ir_op */
    uint16_t guard; /* predicate index (virtual, then row); bit 15: negated. 0: always */
    uint16_t mods;  /* IR_M_* */
    uint8_t nd, ns; /* o[0..nd) are written, o[nd..nd+ns) are read */
    uint8_t sub;    /* the operation's own choice: comparison, atomic, shuffle mode ... */
    union {
        uint8_t bop;   /* setp, set, lop3.pred: enum ir_bop; BRA with sources: enum ir_cmp, ..U unsigned */
        uint8_t order; /* ld, st, atom, membar: enum ir_order */
    };
    uint8_t space;  /* enum ir_space */
    union {
        uint8_t vec; /* elements of a vector access: 1, 2, 4 */
        uint8_t reg; /* MARK: register of the mechanism */
    };
    uint8_t dtype;  /* enum ir_type, where the row's destination type leaves a choice (set, cvt.pack, tex) */
    uint8_t cop;    /* enum ir_cop */
    uint8_t flags;  /* IR_F_* */
    uint8_t guard_hi; /* bits 15..22 of a virtual guard predicate; 0 after colouring */
    union {
        int32_t disp;    /* address displacement */
        uint32_t target; /* branch target PC; MARK: the PC it speaks of, or IR_NOPC */
        uint32_t ext;    /* index of the instruction's words in module->ext */
        uint32_t imm;    /* IR_V_* fields of a video instruction; CP_WAIT: groups; WMMA_AT: IR_AT_* */
    };
    uint32_t block; /* block number, module-wide (cfg) */
    uint32_t rpc;   /* branches: first PC of the block where their threads meet, IR_NOPC: the function's end (cfg/pdom.c) */
    uint32_t line;  /* line in the PTX text */
    ir_opnd o[8];
};
_Static_assert(sizeof(struct ir_insn) == 64, "an instruction is one cache line");
enum { IR_GUARD_NEG = 0x8000, IR_GUARD_INDEX = 0x7fff };

/* Words in module->ext. CALL, CALL_IND, SYS:
 *   [FUNC] callee (index into funcs; for CALL_IND the number of allowed targets, 0: any)
 *   [FRAME] bytes the caller's frame occupies: where the callee's frame begins
 *   [NARGS] n; [NRETS] m; then n triples {caller frame offset, callee frame offset, bytes} copied in,
 *   then m triples {callee frame offset, caller frame offset, bytes} copied back; CALL_IND: then the target functions.
 * Callee frame layout, the same for every function of one prototype: return values first, then parameters, each at
 * its own alignment, then the function's .local variables and the .param variables it declares for calls it makes.
 * Instructions that read more operands than o has room for (ir_has_more): two words of their own, [MORE_COUNT] n, then
 * from [MORE] n operands.
 * TEX, SULD, SUST, SURED: [KIND] IR_TEX_* | [COORD] type of the coordinates | n | [HANDLE] operand, and n - 1 operands
 *   in the order array index (if any), x, y, z, and level of detail (if any). dtype is the texel or element type.
 * MMA_*: two words and the operands, see mma.h.
 * BRX: count, then target PCs. */
enum { IR_MORE_COUNT = 2, IR_MORE };
enum { IR_CALL_FUNC, IR_CALL_FRAME, IR_CALL_NARGS, IR_CALL_NRETS, IR_CALL_COPIES };
/* Returns the functions that an indirect call is limited to, IR_CALL_FUNC of them, from its words. */
static inline const uint32_t *ir_call_list(const uint32_t *words) {
    return words + IR_CALL_COPIES + 3 * ((size_t)words[IR_CALL_NARGS] + words[IR_CALL_NRETS]);
}
enum { IR_TEX_KIND, IR_TEX_COORD, IR_TEX_HANDLE = IR_MORE, IR_TEX_COORDS };
enum ir_tex { /* TEX ext[KIND] */
    IR_TEX_1D, IR_TEX_2D, IR_TEX_3D, IR_TEX_CUBE, IR_TEX_A1D, IR_TEX_A2D, IR_TEX_ACUBE,
    IR_TEX_GEOM = 7, IR_TEX_LEVEL = 8, /* has a level of detail */
    IR_TEX_FORMATTED = 16 /* sust.p, sured.p: x counts texels, which have the surface's format */
};
enum ir_clamp { IR_CLAMP_TRAP, IR_CLAMP_CLAMP, IR_CLAMP_ZERO }; /* coordinates outside a surface */
enum ir_query {
    IR_Q_WIDTH, IR_Q_HEIGHT, IR_Q_DEPTH, IR_Q_CHANNEL_TYPE, IR_Q_CHANNEL_ORDER, IR_Q_NORMALIZED, IR_Q_ARRAY_SIZE,
    IR_Q_LEVELS, IR_Q_SAMPLES, IR_Q_UNNORMALIZED, IR_Q_FILTER, IR_Q_ADDRESS_0, IR_Q_ADDRESS_1, IR_Q_ADDRESS_2,
    IR_Q_LAYOUT, IR_NQUERIES
};

/* Video instructions. cop: IR_V_*_SIGNED bits; mods IR_M_SAT; sub: enum ir_video; ns == 3: c is used.
 * VIDEO (one value): imm holds, from bit 0, asel:3 bsel:3 dsel:3 (0-3 bytes b0-b3, 4 h0, 5 h1, 6 the whole word), then
 * the comparison of vset:4 at bit 9, the shift of vmad:4 at bit 13 (0, 7, 15), its negations at bits 17 (product), 18 (c)
 * and plus-one at bit 19, and .wrap of vshl, vshr at bit 20. bop: what happens with c: enum ir_video_c.
 * VIDEO2, VIDEO4 (two halves, four bytes): imm holds asel, 4 x 3 bits from bit 0 (which of the 4 or 8 parts of {b,a} goes
 * to that place), bsel from bit 12, the write mask from bit 24 and the comparison from bit 28; bop IR_VC_ADD: accumulate. */
enum { IR_V_A_SIGNED = 1, IR_V_B_SIGNED = 2, IR_V_D_SIGNED = 4 };
enum ir_video_c { IR_VC_NONE, IR_VC_ADD, IR_VC_MIN, IR_VC_MAX, IR_VC_MERGE };
enum ir_video { IR_V_ADD, IR_V_SUB, IR_V_ABSDIFF, IR_V_MIN, IR_V_MAX, IR_V_SHL, IR_V_SHR, IR_V_MAD, IR_V_SET, IR_V_AVRG };

/* clang-format on */

struct ir_op_info {
    const char *id;   /* "ADD_U32" */
    const char *name; /* "add" */
    /* Enum ir_type: destination, first source (the look-up type), others or NONE. */
    uint8_t dtype, type, btype, ctype;
    uint8_t cls;   /* enum ir_class */
    uint8_t kind;  /* 'U' 'B' 'T' 'A' 'M' */
    uint16_t mods; /* modifiers the operation understands */
};
extern const struct ir_op_info ir_ops[IR_NOPS];
struct ir_mark_info {
    const char *name;
    bool flow; /* which threads run next may depend on it */
};
extern const struct ir_mark_info ir_marks[IR_NMARKS];
/* Whether threads that execute it may go on at either of two places: by its guard, or by registers that it compares. */
static inline bool ir_is_conditional(const struct ir_insn *i) {
    return i->guard || (i->op == IR_BRA && i->ns);
}
/* Whether it is that mark, by itself or as a branch. */
static inline bool ir_is_mark(const struct ir_insn *i, enum ir_mark mark) {
    return (i->op == IR_MARK || i->op == IR_BRA) && i->sub == mark;
}
/* Whether it reads operands that are words of the module: ir_more (program.h) has them. */
static inline bool ir_has_more(const struct ir_insn *i) {
    return (i->op >= IR_TEX && i->op <= IR_SURED) || (i->op >= IR_MMA_F16 && i->op <= IR_MMA_F64);
}
/* Whether all threads of a warp execute it together. */
static inline bool ir_is_tensor(const struct ir_insn *i) {
    return i->op >= IR_LDMATRIX && i->op <= IR_MMA_F64;
}
/* What people call it: "if" for a branch that is one. */
const char *ir_insn_name(const struct ir_insn *i);
extern const char *const ir_class_name[IR_NCLASSES]; /* the id: "ALU" */

#endif
