/* The lowering half: from an instruction as written to instructions of the intermediate form.
 *
 * What executors may rely on, where insn.h and ops.def leave it open:
 *  - LD: o = d0..d(vec-1), address; all destinations are of one file. Signed rows sign-extend to the destination's file,
 *    unsigned ones zero-extend. ST: o = address, s0..s(vec-1), all of the type's file; the low bits are stored.
 *  - Address operands are of either file, whatever the module's address size (32-bit addresses are usual for .shared
 *    and .local); a 32-bit one is zero-extended. IR_SP_FRAME has IR_NONE as address and everything in disp. Kernel
 *    parameters: IR_SP_PARAM, a constant 0 as base and the offset in disp, or a register that holds the offset.
 *  - ATOM: o = d or IR_NONE, address, b[, c]; nd = 1 always. cas: b compare, c new value.
 *  - SETP: o = p, q|NONE, a, b, c (c is IR_PT, bop IR_BOP_NONE when not written); nd = 2. SET: o = d, a, b, c.
 *  - SHFL: o = d, p|NONE, a, b, c[, mask]; nd = 2. MATCH_ALL: o = d, p|NONE, a, mask. MATCH_ANY: o = d, a, mask.
 *    ELECT: o = d|NONE, p|NONE, mask. VOTE, BALLOT: o = d, a[, mask]. REDUX: o = d, a, mask. WARPSYNC: o = mask.
 *    The mask is there exactly when IR_M_SYNC is set.
 *  - BAR_SYNC, BAR_ARRIVE: o = barrier, count|NONE. BAR_RED_*: o = d, barrier, count|NONE, p; sub IR_VOTE_ALL/ANY.
 *  - LOP3: o = d, a, b, c; sub = table. LOP3_P: o = d|NONE, p, a, b, c, q; nd = 2.
 *  - BFI: o = d, a, b, c, length. CVT_PACK: o = d, a, b, c (constant 0 when not written). UNPACK*: nd = 2 or 4, each
 *    destination may be IR_NONE. PACK4: four sources. SLCT: o = d, a, b, c. CVT_*X2_F32: o = d, a (upper), b (lower).
 *  - TEX: o = d0..d3, IR_NONE where there is none; nd = 4; vec = how many were written; mods 0.
 *  - VIDEO*: o = d, a, b[, c]; ns is 2 or 3. vmad always has c. When part of d is kept (mask, merge) c is that word.
 *  - PREFETCH: o = address, space. NOP has no operands. BRX: o = index. CALL_IND: o = address of the function.
 *  - FRAME_*: o = d, disp. CVTA: o = d, a; ISSPACEP: o = p, a. SREG: o = d.
 *  - Sources of CVT may carry junk above their type's width when the register was declared wider: cast first.
 *  - A register declared with 16 bits is always zero-extended in its 32-bit register.
 *  - TRAP and BRKPT are followed by other instructions; a function's last instruction is RET, EXIT, BRA or BRX. */
#ifndef HEDDLE_FRONT_PTX_LOWER_H
#define HEDDLE_FRONT_PTX_LOWER_H

#include "front/ptx/parse.h"

/* ---- lower.c ---- */

/* A new instruction, guarded as the statement; the pointer holds until the next one. */
struct ir_insn *lower_emit(struct ptx *p, int op);
/* A new instruction without guard: values for temporaries, harmless when not needed. A guarded definition would
 * keep the temporary alive from the start of the function. */
struct ir_insn *lower_emit_always(struct ptx *p, int op);
void lower_opnds(struct ir_insn *i, unsigned nd, unsigned ns, const ir_opnd *o);

ir_opnd lower_temp(struct ptx *p, enum ir_file f);
ir_opnd lower_const(struct ptx *p, enum ir_file f, uint64_t v);
enum ir_file lower_file(unsigned type); /* register file for a type */
enum ir_file lower_addr_file(const struct ptx *p);
enum ir_type lower_addr_type(const struct ptx *p);

bool lower_unsupported(struct ptx *p, struct stmt *s, const char *why);
bool lower_count(struct ptx *p, struct stmt *s, unsigned min, unsigned max); /* operands */
const struct mod *lower_mod(const struct stmt *s, uint64_t cls); /* the first of that class, or NULL */
static inline bool lower_has(const struct stmt *s, uint64_t cls) {
    return s->classes & cls;
}
bool lower_has_id(const struct stmt *s, enum mod_id id);
/* Exactly one, and known to the operations. */
bool lower_one_type(struct ptx *p, struct stmt *s, enum ir_type *t);

/* A source of exactly that type; wide: the register may be wider than the type (st, cvt). */
bool lower_src(struct ptx *p, const struct opnd *o, enum ir_type t, ir_opnd *out);
bool lower_src_wide(struct ptx *p, const struct opnd *o, enum ir_type t, ir_opnd *out);
/* A destination of exactly that type; _ gives a temporary that is never read. */
bool lower_dst(struct ptx *p, const struct opnd *o, enum ir_type t, ir_opnd *out);
/* Optional destination: _ or an absent operand (NULL) gives IR_NONE. */
bool lower_dst_or_none(struct ptx *p, const struct opnd *o, enum ir_type t, ir_opnd *out);
/* The register as it was declared; an error when the operand is none. */
bool lower_reg(struct ptx *p, const struct opnd *o);
bool lower_imm(struct ptx *p, const struct opnd *o, uint64_t max, uint64_t *out); /* a constant in [0, max] */
bool lower_pred(struct ptx *p, const struct opnd *o, ir_opnd *out); /* a predicate source, ! allowed */

/* ---- lower_addr.c ---- */
/* What lower_address leaves between a displacement and 2^31, so that the parts of one access, which lie behind each other,
 * have displacements too. The farthest part of a matrix is 512 bytes behind its first. */
enum { ADDR_ROOM = 4096 };
struct addr {
    ir_opnd base;
    int32_t disp; /* at most INT32_MAX - ADDR_ROOM */
    enum ir_space space;
};
/* space: as written, IR_SP_GENERIC when it was not; a symbol's own space then counts. */
bool lower_address(struct ptx *p, const struct opnd *o, enum ir_space space, struct addr *out);
/* Where a variable of the frame or a kernel's parameter, with what is added to it, lies in its memory; false if that is
 * no displacement. */
bool lower_offset(const struct opnd *o, int32_t *out);
/* The value of a symbol's address (mov, cvta, call). */
bool lower_symbol(struct ptx *p, const struct opnd *o, enum ir_file f, ir_opnd *out);
ir_opnd lower_reloc(struct ptx *p, enum ir_reloc_kind kind, uint32_t symbol, int64_t addend, enum ir_file f);

/* ---- func.c ---- */
void lower_label_ref(struct ptx *p, const struct tok *name, uint32_t at, bool in_ext);

/* ---- handlers, one per FORM ---- */
#define FORM(name, handler, nsrc, classes) bool lower_##handler(struct ptx *p, struct stmt *s);
#include "front/ptx/forms.def"

#endif
