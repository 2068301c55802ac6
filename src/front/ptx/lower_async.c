/* Asynchronous copies and mbarriers.
 *
 *   cp.async.ca|.cg.shared.global [to], [from], size{, src-size | ignore-src}{, policy};
 *   cp.async.commit_group;  cp.async.wait_group n;  cp.async.wait_all;  cp.async.mbarrier.arrive{.noinc}.b64 [bar];
 *   cp.async.bulk.to.from.mbarrier::complete_tx::bytes [to], [from], size, [bar]{, policy};
 *   cp.async.bulk.global.shared::cta.bulk_group [to], [from], size{, policy};  and its commit_group, wait_group{.read} n
 *   cp.reduce.async.bulk ... the same with .op.type
 *   mbarrier.OP{.sem.scope}{.space}.b64 ...
 * Copies by tensor maps, to several blocks, and of masked bytes are refused. */
#include "front/ptx/lower.h"

static bool lower_async_has(const struct stmt *s, enum mod_id id) {
    return lower_has_id(s, id);
}

/* The k-th state space that is written, or GENERIC. */
static enum ir_space space_at(const struct stmt *s, unsigned k) {
    for (unsigned i = 0; i < s->nmods; i++)
        if (s->mods[i]->classes & MC_SPACE && !k--) return (enum ir_space)s->mods[i]->value;
    return IR_SP_GENERIC;
}

/* An address as one operand: the displacement added by an instruction of its own, where there is one. */
static bool whole_address(struct ptx *p, const struct opnd *o, enum ir_space space, ir_opnd *out) {
    struct addr a;
    if (!lower_address(p, o, space, &a)) return false;
    *out = a.base;
    if (!a.disp) return true;
    const enum ir_file f = ir_file(a.base);
    *out = lower_temp(p, f);
    lower_opnds(lower_emit_always(p, f == IR_FILE_64 ? IR_ADD_U64 : IR_ADD_U32), 1, 2,
                (ir_opnd[]){*out, a.base, lower_const(p, f, (uint64_t)(int64_t)a.disp)});
    return true;
}

static bool lower_async_group(struct ptx *p, struct stmt *s, bool bulk) {
    uint64_t n = IR_CP_ALL;
    const bool commit = lower_async_has(s, MOD_COMMIT_GROUP), all = lower_async_has(s, MOD_WAIT_ALL);
    if (!lower_count(p, s, commit || all ? 0 : 1, commit || all ? 0 : 1)) return false;
    if (!commit && !all && !lower_imm(p, &s->o[0], IR_CP_ALL - 1, &n)) return false;
    struct ir_insn *i = lower_emit(p, commit ? IR_CP_COMMIT : IR_CP_WAIT);
    i->sub = bulk;
    i->imm = commit ? 0 : (uint32_t)n;
    return true;
}

/* ---- cp.async ---- */

/* src-size, ignore-src, or nothing: everything is read. */
static bool bytes_read(struct ptx *p, struct stmt *s, unsigned nops, uint64_t size, ir_opnd *out) {
    *out = lower_const(p, IR_FILE_32, size);
    if (nops == 3) return true;
    const struct opnd *o = &s->o[3];
    const bool pred = o->kind == OPND_REG && ir_file(o->reg) == IR_FILE_P;
    return pred ? lower_pred(p, o, out) : lower_src(p, o, IR_T_U32, out);
}

static bool lower_async_copy(struct ptx *p, struct stmt *s) {
    const struct mod *cop = lower_mod(s, MC_COP);
    const bool hint = lower_has(s, MC_HINT);
    struct addr to, from;
    uint64_t size;
    ir_opnd o[4], policy;
    if (!cop || cop->value > IR_COP_CG || space_at(s, 0) != IR_SP_SHARED || space_at(s, 1) != IR_SP_GLOBAL)
        return lower_unsupported(p, s, "");
    if (!lower_count(p, s, 3 + hint, 4 + hint)) return false;
    const unsigned nops = s->nops - hint;
    if (!lower_address(p, &s->o[0], IR_SP_SHARED, &to) || !lower_address(p, &s->o[1], IR_SP_GLOBAL, &from) ||
        !lower_imm(p, &s->o[2], 16, &size))
        return false;
    if (size != 16 && (cop->value == IR_COP_CG || (size != 4 && size != 8)))
        return diag_error(&p->diag, s->o[2].at, "cp.async copies %s bytes",
                          cop->value == IR_COP_CG ? "16" : "4, 8 or 16");
    if (!bytes_read(p, s, nops, size, &o[2]) || (hint && !lower_src(p, &s->o[nops], IR_T_U64, &policy)))
        return false;
    o[0] = to.base;
    o[1] = from.base;
    o[3] = lower_const(p, IR_FILE_32, (uint32_t)to.disp);
    struct ir_insn *i = lower_emit(p, IR_CP_ASYNC);
    lower_opnds(i, 0, 4, o);
    i->sub = (uint8_t)size;
    i->space = IR_SP_GLOBAL;
    i->disp = from.disp;
    i->cop = cop->value;
    return true;
}

static void set_mbar(struct ir_insn *i, const struct addr *a, unsigned sub, unsigned order) {
    i->sub = (uint8_t)sub;
    i->space = (uint8_t)a->space;
    i->disp = a->disp;
    i->order = (uint8_t)(order | IR_ORDER_CTA);
}

static bool copies_arrive(struct ptx *p, struct stmt *s) {
    struct addr a;
    if (!lower_count(p, s, 1, 1) || !lower_address(p, &s->o[0], space_at(s, 0), &a)) return false;
    struct ir_insn *i = lower_emit(p, IR_MBAR);
    lower_opnds(i, 1, 1, (ir_opnd[]){IR_NONE, a.base});
    set_mbar(i, &a, lower_async_has(s, MOD_NOINC) ? IR_MBAR_CP_NOINC : IR_MBAR_CP, IR_RELEASE);
    return true;
}

/* ---- bulk copies ---- */

static int lower_async_direction(const struct stmt *s) {
    const enum ir_space to = space_at(s, 0), from = space_at(s, 1);
    if (to == IR_SP_SHARED && from == IR_SP_GLOBAL) return IR_BULK_IN;
    if (to == IR_SP_GLOBAL && from == IR_SP_SHARED) return IR_BULK_OUT;
    return to == IR_SP_SHARED && from == IR_SP_SHARED ? IR_BULK_SHARED : -1;
}

static bool reduction(const struct stmt *s, uint8_t *op, uint8_t *type) {
    const struct mod *m = lower_mod(s, MC_ATOM);
    if (!m || m->value > IR_AT_XOR || s->ntypes != 1 || s->types[0] >= IR_NTYPES) return false;
    const enum ir_type t = (enum ir_type)s->types[0];
    const bool half = t == IR_T_F16 || t == IR_T_BF16;
    *op = (uint8_t)(m->value + 1);
    *type = (uint8_t)t;
    if (ir_type_float(t))
        return half ? m->value <= IR_AT_MAX : m->value == IR_AT_ADD && ir_type_bytes[t] >= 4;
    return ir_type_bytes[t] >= 4;
}

static bool bulk(struct ptx *p, struct stmt *s, bool reduces) {
    const int way = lower_async_direction(s);
    const bool bar = lower_async_has(s, MOD_COMPLETE_TX_BYTES), hint = lower_has(s, MC_HINT);
    uint8_t op = 0, type = 0;
    ir_opnd o[4] = {IR_NONE, IR_NONE, IR_NONE, IR_NONE}, policy;
    if (way < 0 || bar == lower_async_has(s, MOD_BULK_GROUP) || (way == IR_BULK_OUT) == bar ||
        (reduces && (way == IR_BULK_IN || !reduction(s, &op, &type))))
        return lower_unsupported(p, s, "");
    const unsigned n = 3u + bar;
    if (!lower_count(p, s, n + hint, n + hint)) return false;
    if (!whole_address(p, &s->o[0], space_at(s, 0), &o[0]) ||
        !whole_address(p, &s->o[1], space_at(s, 1), &o[1]) || !lower_src(p, &s->o[2], IR_T_U32, &o[2]))
        return false;
    if (bar && !whole_address(p, &s->o[3], IR_SP_SHARED, &o[3])) return false;
    if (hint && !lower_src(p, &s->o[n], IR_T_U64, &policy)) return false;
    struct ir_insn *i = lower_emit(p, IR_CP_BULK);
    lower_opnds(i, 0, 4, o);
    i->sub = (uint8_t)way;
    i->space = way == IR_BULK_SHARED ? IR_SP_SHARED : IR_SP_GLOBAL;
    i->cop = op;
    i->dtype = type;
    return true;
}

/* cp.async.bulk.prefetch.L2.global [from], size{, policy}; */
static bool bulk_prefetch(struct ptx *p, struct stmt *s) {
    const bool hint = lower_has(s, MC_HINT);
    struct addr a;
    ir_opnd size, policy;
    if (!lower_count(p, s, 2 + hint, 2 + hint) || !lower_address(p, &s->o[0], IR_SP_GLOBAL, &a) ||
        !lower_src(p, &s->o[1], IR_T_U32, &size) || (hint && !lower_src(p, &s->o[2], IR_T_U64, &policy)))
        return false;
    lower_emit(p, IR_NOP)->sub = IR_NOP_HINT;
    return true;
}

bool lower_cp(struct ptx *p, struct stmt *s) {
    const bool in_bulk = lower_async_has(s, MOD_BULK);
    if (s->unknown_mod || !lower_async_has(s, MOD_ASYNC)) return lower_unsupported(p, s, "");
    if (lower_async_has(s, MOD_COMMIT_GROUP) || lower_async_has(s, MOD_WAIT_GROUP) ||
        lower_async_has(s, MOD_WAIT_ALL))
        return lower_async_group(p, s, in_bulk);
    if (in_bulk && lower_async_has(s, MOD_PREFETCH)) return bulk_prefetch(p, s);
    if (in_bulk) return bulk(p, s, lower_async_has(s, MOD_REDUCE));
    return lower_async_has(s, MOD_MBARRIER) ? copies_arrive(p, s) : lower_async_copy(p, s);
}

/* ---- mbarriers ---- */

/* mbarrier.arrive{_drop}{.expect_tx | .noComplete} state, [bar]{, n}; */
static bool mbar_arrive(struct ptx *p, struct stmt *s, bool drop) {
    const bool tx = lower_async_has(s, MOD_EXPECT_TX);
    struct addr a;
    ir_opnd o[3];
    if (!lower_count(p, s, 2 + tx, 3) || !lower_dst_or_none(p, &s->o[0], IR_T_U64, &o[0]) ||
        !lower_address(p, &s->o[1], space_at(s, 0), &a))
        return false;
    o[1] = a.base;
    o[2] = lower_const(p, IR_FILE_32, 1);
    if (s->nops == 3 && !lower_src(p, &s->o[2], IR_T_U32, &o[2])) return false;
    struct ir_insn *i = lower_emit(p, IR_MBAR);
    lower_opnds(i, 1, 2, o);
    set_mbar(i, &a, drop ? (tx ? IR_MBAR_DROP_TX : IR_MBAR_DROP) : (tx ? IR_MBAR_ARRIVE_TX : IR_MBAR_ARRIVE),
             lower_async_has(s, MOD_RELAXED) ? IR_RELAXED : IR_RELEASE);
    return true;
}

/* mbarrier.test_wait{.parity} p, [bar], state;  mbarrier.try_wait{.parity} p, [bar], state{, time}; */
static bool mbar_wait(struct ptx *p, struct stmt *s) {
    const bool try = lower_async_has(s, MOD_TRY_WAIT), parity = lower_async_has(s, MOD_PARITY);
    struct addr a;
    ir_opnd o[3], time;
    if (!lower_count(p, s, 3, 3 + try) || !lower_dst(p, &s->o[0], IR_T_P, &o[0]) ||
        !lower_address(p, &s->o[1], space_at(s, 0), &a) ||
        !lower_src(p, &s->o[2], parity ? IR_T_U32 : IR_T_U64, &o[2]))
        return false;
    if (s->nops == 4 && !lower_src(p, &s->o[3], IR_T_U32, &time)) return false;
    o[1] = a.base;
    struct ir_insn *i = lower_emit(p, IR_MBAR_WAIT);
    lower_opnds(i, 1, 2, o);
    set_mbar(i, &a, (parity ? IR_MBAR_PARITY : 0u) | (try ? IR_MBAR_TRY : 0u),
             lower_async_has(s, MOD_RELAXED) ? IR_RELAXED : IR_ACQUIRE);
    return true;
}

/* Instructions that return nothing: [bar], and a number but for inval. */
static bool mbar_plain(struct ptx *p, struct stmt *s, enum ir_mbar what) {
    const bool number = what != IR_MBAR_INVAL;
    struct addr a;
    ir_opnd o[3] = {IR_NONE, IR_NONE, IR_NONE};
    if (!lower_count(p, s, 1 + number, 1 + number) || !lower_address(p, &s->o[0], space_at(s, 0), &a))
        return false;
    o[1] = a.base;
    if (number && !lower_src(p, &s->o[1], IR_T_U32, &o[2])) return false;
    struct ir_insn *i = lower_emit(p, IR_MBAR);
    lower_opnds(i, 1, 1 + number, o);
    set_mbar(i, &a, what, IR_RELAXED);
    return true;
}

static bool mbar_pending(struct ptx *p, struct stmt *s) {
    ir_opnd o[2];
    if (!lower_count(p, s, 2, 2) || !lower_dst(p, &s->o[0], IR_T_U32, &o[0]) ||
        !lower_src(p, &s->o[1], IR_T_U64, &o[1]))
        return false;
    lower_opnds(lower_emit(p, IR_MBAR_PENDING), 1, 1, o);
    return true;
}

bool lower_mbarrier(struct ptx *p, struct stmt *s) {
    if (s->unknown_mod || s->ntypes != 1 || s->types[0] != IR_T_U64) return lower_unsupported(p, s, "");
    if (lower_async_has(s, MOD_INIT)) return mbar_plain(p, s, IR_MBAR_INIT);
    if (lower_async_has(s, MOD_INVAL)) return mbar_plain(p, s, IR_MBAR_INVAL);
    if (lower_async_has(s, MOD_TEST_WAIT) || lower_async_has(s, MOD_TRY_WAIT)) return mbar_wait(p, s);
    if (lower_async_has(s, MOD_PENDING_COUNT)) return mbar_pending(p, s);
    if (lower_async_has(s, MOD_ARRIVE)) return mbar_arrive(p, s, false);
    if (lower_async_has(s, MOD_ARRIVE_DROP)) return mbar_arrive(p, s, true);
    if (lower_async_has(s, MOD_EXPECT_TX)) return mbar_plain(p, s, IR_MBAR_EXPECT_TX);
    if (lower_async_has(s, MOD_COMPLETE_TX)) return mbar_plain(p, s, IR_MBAR_COMPLETE_TX);
    return lower_unsupported(p, s, "");
}
