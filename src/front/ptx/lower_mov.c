/* mov: registers, constants, addresses, special registers, and packing or unpacking of {...}. */
#include "front/ptx/lower.h"

/* Row and element type for a packed value of that width in n parts, or -1. */
static int pack_row(enum ir_type whole, unsigned n, bool pack, enum ir_type *part) {
    unsigned bytes = ir_type_bytes[whole];
    if (n != 2 && n != 4) return -1;
    *part = bytes / n == 4 ? IR_T_U32 : bytes / n == 2 ? IR_T_U16 : IR_T_U8;
    if (bytes == 8 && n == 2) return pack ? IR_PACK_2X32 : IR_UNPACK_2X32;
    if (bytes == 8) return pack ? IR_PACK_4X16 : IR_UNPACK_4X16;
    if (bytes == 4 && n == 2) return pack ? IR_PACK_2X16 : IR_UNPACK_2X16;
    if (bytes == 4) return pack ? IR_PACK_4X8 : IR_UNPACK_4X8;
    return -1;
}

/* A vector register stands for the list of its elements. */
static unsigned parts_of(const struct opnd *v, struct opnd *parts) {
    if (v->kind == OPND_VEC) {
        for (unsigned i = 0; i < v->nelem && i < 4; i++) parts[i] = v->elem[i];
        return v->nelem;
    }
    for (unsigned i = 0; i < v->nvec && i < 4; i++) {
        parts[i] = *v;
        parts[i].nvec = 1;
        parts[i].reg += i;
    }
    return v->nvec;
}

static bool no_pack(struct ptx *p, const struct opnd *o, enum ir_type t, unsigned n) {
    return diag_error(&p->diag, o->at, "a %u-bit value has no %u parts", ir_type_bytes[t] * 8u, n);
}

static bool lower_mov_pack(struct ptx *p, struct stmt *s, enum ir_type t) {
    struct opnd parts[4];
    enum ir_type part;
    ir_opnd o[5];
    unsigned n = parts_of(&s->o[1], parts);
    int op = pack_row(t, n, true, &part);
    if (op < 0) return no_pack(p, &s->o[1], t, n);
    if (!lower_dst(p, &s->o[0], t, &o[0])) return false;
    for (unsigned i = 0; i < n; i++)
        if (!(part == IR_T_U8 ? lower_src_wide : lower_src)(p, &parts[i], part, &o[i + 1])) return false;
    lower_opnds(lower_emit(p, op), 1, n, o);
    return true;
}

static bool lower_mov_unpack(struct ptx *p, struct stmt *s, enum ir_type t) {
    struct opnd parts[4];
    enum ir_type part;
    ir_opnd o[5];
    unsigned n = parts_of(&s->o[0], parts);
    int op = pack_row(t, n, false, &part);
    if (op < 0) return no_pack(p, &s->o[0], t, n);
    for (unsigned i = 0; i < n; i++) {
        /* Bytes go to registers of 16 bits: there are none of 8. */
        bool byte = part == IR_T_U8 && parts[i].kind == OPND_REG && parts[i].bits != 8;
        if (!lower_dst_or_none(p, &parts[i], byte ? IR_T_U16 : part, &o[i])) return false;
    }
    if (!lower_src(p, &s->o[1], t, &o[n])) return false;
    lower_opnds(lower_emit(p, op), n, 1, o);
    return true;
}

/* A special register or frame address is written to the destination at once when the widths agree. */
static bool direct(struct ptx *p, struct stmt *s, enum ir_type t, ir_opnd d) {
    const struct opnd *a = &s->o[1];
    unsigned bits = ir_type_bytes[t] * 8u;
    bool sreg = a->kind == OPND_SREG && a->bits == bits;
    bool frame = a->kind == OPND_SYM && a->sym->kind == SYM_FRAME && bits >= 32;
    if (!sreg && !frame) return false;
    int32_t disp = 0;
    if (frame && !lower_offset(a, &disp)) return false;
    struct ir_insn *i = lower_emit(p, sreg         ? (bits == 64 ? IR_SREG_U64 : IR_SREG_U32)
                                      : bits == 64 ? IR_FRAME_U64
                                                   : IR_FRAME_U32);
    if (sreg)
        i->sub = a->sreg;
    else
        i->disp = disp;
    lower_opnds(i, 1, 0, &d);
    return true;
}

static bool is_vector(const struct opnd *o) {
    return o->kind == OPND_VEC || (o->kind == OPND_REG && o->nvec > 1);
}

/* Registers of 128 bits are two of 64. */
static bool mov_128(struct ptx *p, struct stmt *s) {
    struct opnd to[4], from[4];
    ir_opnd d[2], a[2];
    if (!lower_count(p, s, 2, 2)) return false;
    if (!is_vector(&s->o[0]) || !is_vector(&s->o[1]) || parts_of(&s->o[0], to) != 2 ||
        parts_of(&s->o[1], from) != 2)
        return diag_error(&p->diag, s->o[0].at, "expected registers of 128 bits, or two of 64");
    for (int k = 0; k < 2; k++)
        if (!lower_dst(p, &to[k], IR_T_U64, &d[k]) || !lower_src(p, &from[k], IR_T_U64, &a[k])) return false;
    const bool crossed = d[0] == a[1];
    const ir_opnd first = crossed ? lower_temp(p, IR_FILE_64) : d[0];
    lower_opnds(lower_emit(p, IR_MOV_U64), 1, 1, (ir_opnd[]){first, a[0]});
    lower_opnds(lower_emit(p, IR_MOV_U64), 1, 1, (ir_opnd[]){d[1], a[1]});
    if (crossed) lower_opnds(lower_emit(p, IR_MOV_U64), 1, 1, (ir_opnd[]){d[0], first});
    return true;
}

bool lower_mov(struct ptx *p, struct stmt *s) {
    enum ir_type t;
    ir_opnd o[2];
    if (s->ntypes == 1 && s->types[0] == PT_B128) return mov_128(p, s);
    if (!lower_one_type(p, s, &t) || !lower_count(p, s, 2, 2)) return false;
    if (t != IR_T_P && ir_type_bytes[t] < 2) return lower_unsupported(p, s, "");
    if (t != IR_T_P && is_vector(&s->o[1])) return lower_mov_pack(p, s, t);
    if (t != IR_T_P && is_vector(&s->o[0])) return lower_mov_unpack(p, s, t);
    if (!lower_dst(p, &s->o[0], t, &o[0])) return false;
    if (t != IR_T_P && direct(p, s, t, o[0])) return true;
    if (!lower_src(p, &s->o[1], t, &o[1])) return false;
    lower_opnds(lower_emit(p, t == IR_T_P                   ? IR_MOV_P
                              : lower_file(t) == IR_FILE_64 ? IR_MOV_U64
                                                            : IR_MOV_U32),
                1, 1, o);
    return true;
}
