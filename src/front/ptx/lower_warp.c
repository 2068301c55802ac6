/* Warp and block operations. Modifiers are taken in any order: vote.ballot.sync and vote.sync.ballot are both written. */
#include "front/ptx/lower.h"

/* With .sync the last operand is the member mask; without, there is none. Returns how many operands must be there. */
static bool member_mask(struct ptx *p, struct stmt *s, unsigned n, ir_opnd *o, unsigned *ns) {
    bool sync = lower_has(s, MC_SYNC);
    if (!lower_count(p, s, n + sync, n + sync)) return false;
    if (sync && !lower_src(p, &s->o[n], IR_T_U32, &o[(*ns)++])) return false;
    return true;
}

static void lower_warp_finish(struct ptx *p, struct stmt *s, int op, unsigned nd, unsigned n,
                              const ir_opnd *o, uint8_t sub) {
    struct ir_insn *i = lower_emit(p, op);
    lower_opnds(i, nd, n - nd, o);
    i->sub = sub;
    if (lower_has(s, MC_SYNC)) i->mods |= IR_M_SYNC;
}

bool lower_activemask(struct ptx *p, struct stmt *s) {
    ir_opnd d;
    if (s->ntypes != 1 || s->types[0] != IR_T_U32) return lower_unsupported(p, s, "");
    if (!lower_count(p, s, 1, 1) || !lower_dst(p, &s->o[0], IR_T_U32, &d)) return false;
    lower_opnds(lower_emit(p, IR_ACTIVEMASK), 1, 0, &d);
    return true;
}

bool lower_vote(struct ptx *p, struct stmt *s) {
    const struct mod *m = lower_mod(s, MC_VOTE);
    ir_opnd o[3];
    unsigned n = 2;
    bool ballot = m && m->id == MOD_BALLOT;
    enum ir_type d = ballot ? IR_T_U32 : IR_T_P;
    if (!m || s->ntypes != 1 || s->types[0] != d) return lower_unsupported(p, s, "");
    if (!member_mask(p, s, 2, o, &n) || !lower_dst(p, &s->o[0], d, &o[0]) || !lower_pred(p, &s->o[1], &o[1]))
        return false;
    lower_warp_finish(p, s, ballot ? IR_BALLOT : IR_VOTE, 1, n, o, ballot ? 0 : m->value);
    return true;
}

bool lower_shfl(struct ptx *p, struct stmt *s) {
    const struct mod *m = lower_mod(s, MC_SHFL);
    ir_opnd o[6];
    unsigned n = 5;
    if (!m || s->ntypes != 1 || ir_type_bytes[s->types[0] < IR_NTYPES ? s->types[0] : 0] != 4)
        return lower_unsupported(p, s, "");
    if (!member_mask(p, s, 4, o, &n)) return false;
    if (!lower_dst(p, &s->o[0], IR_T_U32, &o[0]) || !lower_dst_or_none(p, s->o[0].second, IR_T_P, &o[1]))
        return false;
    if (!lower_src(p, &s->o[1], (enum ir_type)s->types[0], &o[2])) return false;
    if (!lower_src(p, &s->o[2], IR_T_U32, &o[3]) || !lower_src(p, &s->o[3], IR_T_U32, &o[4])) return false;
    lower_warp_finish(p, s, IR_SHFL_U32, 2, n, o, m->value);
    return true;
}

bool lower_match(struct ptx *p, struct stmt *s) {
    const struct mod *m = lower_mod(s, MC_VOTE);
    enum ir_type t;
    ir_opnd o[4];
    unsigned k = 0;
    if (!lower_one_type(p, s, &t)) return false;
    bool all = m && m->id == MOD_ALL, any = m && m->id == MOD_ANY;
    if ((!all && !any) || !lower_has(s, MC_SYNC) || (t != IR_T_U32 && t != IR_T_U64))
        return lower_unsupported(p, s, "");
    if (!lower_count(p, s, 3, 3) || !lower_dst(p, &s->o[0], IR_T_U32, &o[k++])) return false;
    if (!all && s->o[0].second)
        return diag_error(&p->diag, s->o[0].at, "match.any has no second destination");
    if (all && !lower_dst_or_none(p, s->o[0].second, IR_T_P, &o[k++])) return false;
    unsigned nd = k;
    if (!lower_src(p, &s->o[1], t, &o[k++]) || !lower_src(p, &s->o[2], IR_T_U32, &o[k++])) return false;
    lower_warp_finish(p, s, ptx_find_op(p, all ? "match.all" : "match.any", t), nd, k, o, 0);
    return true;
}

bool lower_redux(struct ptx *p, struct stmt *s) {
    const struct mod *m = lower_mod(s, MC_ATOM);
    enum ir_type t;
    ir_opnd o[3];
    if (!lower_one_type(p, s, &t)) return false;
    const bool f = t == IR_T_F32;
    if (!m || m->value > IR_AT_XOR || !lower_has(s, MC_SYNC) || (t != IR_T_U32 && t != IR_T_S32 && !f) ||
        (f ? m->value != IR_AT_MIN && m->value != IR_AT_MAX : lower_has(s, MC_ABS | MC_NAN)))
        return lower_unsupported(p, s, "");
    if (!lower_count(p, s, 3, 3) || !lower_dst(p, &s->o[0], t, &o[0])) return false;
    if (!lower_src(p, &s->o[1], t, &o[1]) || !lower_src(p, &s->o[2], IR_T_U32, &o[2])) return false;
    lower_warp_finish(p, s, ptx_find_op(p, "redux", t), 1, 3, o, m->value);
    struct ir_insn *i = &p->m->code.v[p->m->code.n - 1];
    if (lower_has(s, MC_NAN)) i->mods |= IR_M_NAN;
    if (lower_has(s, MC_ABS)) i->mods |= IR_M_XSGN;
    return true;
}

bool lower_elect(struct ptx *p, struct stmt *s) {
    ir_opnd o[3];
    if (!lower_has(s, MC_SYNC)) return lower_unsupported(p, s, "");
    if (!lower_count(p, s, 2, 2)) return false;
    if (!s->o[0].second) return diag_error(&p->diag, s->o[0].at, "expected d|p as destination");
    if (!lower_dst_or_none(p, &s->o[0], IR_T_U32, &o[0]) || !lower_dst(p, s->o[0].second, IR_T_P, &o[1]))
        return false;
    if (!lower_src(p, &s->o[1], IR_T_U32, &o[2])) return false;
    lower_warp_finish(p, s, IR_ELECT, 2, 3, o, 0);
    return true;
}

/* ---- barriers ---- */

static bool barrier_sync(struct ptx *p, struct stmt *s, bool arrive) {
    ir_opnd o[2] = {IR_NONE, IR_NONE};
    if (!lower_count(p, s, arrive ? 2 : 1, 2) || !lower_src(p, &s->o[0], IR_T_U32, &o[0])) return false;
    if (s->nops == 2 && !lower_src(p, &s->o[1], IR_T_U32, &o[1])) return false;
    lower_opnds(lower_emit(p, arrive ? IR_BAR_ARRIVE : IR_BAR_SYNC), 0, 2, o);
    return true;
}

/* bar.red.popc.u32 d, a{, b}, c;  bar.red.op.pred p, a{, b}, c; */
static bool barrier_red(struct ptx *p, struct stmt *s) {
    const struct mod *bop = lower_mod(s, MC_BOOL);
    bool popc = lower_has(s, MC_POPC);
    enum ir_type d = popc ? IR_T_U32 : IR_T_P;
    ir_opnd o[4] = {IR_NONE, IR_NONE, IR_NONE, IR_NONE};
    if (s->ntypes != 1 || s->types[0] != d || popc == (bop != NULL) || (bop && bop->id == MOD_XOR))
        return lower_unsupported(p, s, "");
    if (!lower_count(p, s, 3, 4) || !lower_dst(p, &s->o[0], d, &o[0]) ||
        !lower_src(p, &s->o[1], IR_T_U32, &o[1]))
        return false;
    if (s->nops == 4 && !lower_src(p, &s->o[2], IR_T_U32, &o[2])) return false;
    if (!lower_pred(p, &s->o[s->nops - 1], &o[3])) return false;
    struct ir_insn *i = lower_emit(p, popc ? IR_BAR_RED_U32 : IR_BAR_RED_P);
    lower_opnds(i, 1, 3, o);
    i->sub = bop && bop->id == MOD_OR ? IR_VOTE_ANY : IR_VOTE_ALL;
    return true;
}

/* barrier.cluster.arrive{.sem}{.aligned};  barrier.cluster.wait{.acquire}{.aligned}; */
static bool barrier_cluster(struct ptx *p, struct stmt *s) {
    const bool arrive = lower_has_id(s, MOD_ARRIVE);
    if (arrive == lower_has_id(s, MOD_WAIT) || s->ntypes) return lower_unsupported(p, s, "");
    if (!lower_count(p, s, 0, 0)) return false;
    lower_emit(p, arrive ? IR_CLUSTER_ARRIVE : IR_CLUSTER_WAIT);
    return true;
}

bool lower_bar(struct ptx *p, struct stmt *s) {
    const struct mod *scope = lower_mod(s, MC_SCOPE);
    if (scope && scope->id == MOD_CLUSTER) return barrier_cluster(p, s);
    if (lower_has(s, MC_SEM | MC_WORD)) return lower_unsupported(p, s, "");
    bool red = lower_has_id(s, MOD_RED), arrive = lower_has_id(s, MOD_ARRIVE),
         warp = lower_has_id(s, MOD_WARP);
    if ((scope && scope->id != MOD_CTA) || red + arrive + lower_has(s, MC_SYNC) != 1)
        return lower_unsupported(p, s, "");
    if (red) return barrier_red(p, s);
    if (s->ntypes || lower_has(s, MC_BOOL | MC_POPC) || (warp && arrive)) return lower_unsupported(p, s, "");
    if (!warp) return barrier_sync(p, s, arrive);
    ir_opnd mask;
    if (!lower_count(p, s, 1, 1) || !lower_src(p, &s->o[0], IR_T_U32, &mask)) return false;
    lower_warp_finish(p, s, IR_WARPSYNC, 0, 1, &mask, 0);
    return true;
}
