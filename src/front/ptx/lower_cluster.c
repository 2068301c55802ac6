/* Clusters of one block, and what tells a machine how to run rather than what to compute: griddepcontrol (launches follow one
 * another, so that dependents find everything done), setmaxnreg, createpolicy. */
#include "front/ptx/lower.h"

static bool hint(struct ptx *p) {
    lower_emit(p, IR_NOP)->sub = IR_NOP_HINT;
    return true;
}

bool lower_griddepcontrol(struct ptx *p, struct stmt *s) {
    if (s->unknown_mod || !(lower_has_id(s, MOD_WAIT) || lower_has_id(s, MOD_LAUNCH_DEPENDENTS)))
        return lower_unsupported(p, s, "");
    return lower_count(p, s, 0, 0) && hint(p);
}

bool lower_setmaxnreg(struct ptx *p, struct stmt *s) {
    uint64_t n;
    return lower_count(p, s, 1, 1) && lower_imm(p, &s->o[0], 256, &n) && hint(p);
}

static bool lower_cluster_move(struct ptx *p, enum ir_type t, ir_opnd d, ir_opnd a) {
    lower_opnds(lower_emit(p, t == IR_T_U64 ? IR_MOV_U64 : IR_MOV_U32), 1, 1, (ir_opnd[]){d, a});
    return true;
}

/* A policy is a number that accesses hand back as a hint. */
bool lower_createpolicy(struct ptx *p, struct stmt *s) {
    ir_opnd d;
    if (s->ntypes != 1 || s->types[0] != IR_T_U64) return lower_unsupported(p, s, "");
    if (!lower_count(p, s, 1, 4) || !lower_dst(p, &s->o[0], IR_T_U64, &d)) return false;
    return lower_cluster_move(p, IR_T_U64, d, lower_const(p, IR_FILE_64, 0));
}

/* The address that a shared variable has in block b of the cluster: there is one block. */
bool lower_mapa(struct ptx *p, struct stmt *s) {
    enum ir_type t;
    ir_opnd d, a, rank;
    if (!lower_one_type(p, s, &t)) return false;
    if (t != IR_T_U32 && t != IR_T_U64) return lower_unsupported(p, s, "");
    if (!lower_count(p, s, 3, 3) || !lower_dst(p, &s->o[0], t, &d) || !lower_src(p, &s->o[1], t, &a) ||
        !lower_src(p, &s->o[2], IR_T_U32, &rank))
        return false;
    return lower_cluster_move(p, t, d, a);
}

bool lower_getctarank(struct ptx *p, struct stmt *s) {
    enum ir_type t;
    ir_opnd d, a;
    if (!lower_one_type(p, s, &t)) return false;
    if (t != IR_T_U32 && t != IR_T_U64) return lower_unsupported(p, s, "");
    if (!lower_count(p, s, 2, 2) || !lower_dst(p, &s->o[0], IR_T_U32, &d) || !lower_src(p, &s->o[1], t, &a))
        return false;
    return lower_cluster_move(p, IR_T_U32, d, lower_const(p, IR_FILE_32, 0));
}
