/* Instructions as text, close to PTX: "@!p1 setp.lt.s32 p2|p3, r4, 17". Most operations are their name,
 * modifiers and type, then the operands; the rest are printed by a function each, found by class of operation. */
#include "ir/print.h"

#include <string.h>

#include "ir/mma.h"

struct printer {
    struct sb *out;
    const struct ir_module *m;
    const struct ir_names *names;
    const struct ir_insn *i;
    const struct ir_op_info *op;
};

static const char *const round_name[8] = {"rn", "rz", "rm", "rp", "rna", "r?", "r?", "r?"};
static const char *const cmp_name[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                       "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
static const char *const bop_name[] = {"", ".or", ".and", ".xor"};
static const char *const testp_name[] = {"finite", "infinite", "number", "notanumber", "normal", "subnormal"};
static const char *const prmt_name[] = {"", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"};
static const char *const atom_name[] = {"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"};
static const char *const vote_name[] = {"all", "any", "uni"};
static const char *const shfl_name[] = {"up", "down", "bfly", "idx"};
static const char *const sys_name[] = {"vprintf", "malloc", "free", "__assertfail"};
static const char *const nop_name[] = {"nop", "nanosleep", "pmevent", "hint"};
static const char *const cop_name[] = {"", ".cg", ".cs", ".lu", ".cv", "", ".wt", ".nc", ".ordered"};
static const char *const geom_name[] = {"1d", "2d", "3d", "cube", "a1d", "a2d", "acube", "?"};
static const char *const clamp_name[] = {"trap", "clamp", "zero"};
static const char *const query_name[] = {"width",         "height",
                                         "depth",         "channel_data_type",
                                         "channel_order", "normalized_coords",
                                         "array_size",    "num_mipmap_levels",
                                         "num_samples",   "force_unnormalized_coords",
                                         "filter_mode",   "addr_mode_0",
                                         "addr_mode_1",   "addr_mode_2",
                                         "memory_layout"};
static const char *const video_name[] = {"vadd", "vsub", "vabsdiff", "vmin", "vmax",
                                         "vshl", "vshr", "vmad",     "vset", "vavrg"};
static const char *const video_c_name[] = {"", ".add", ".min", ".max", ".merge"};
static const char *const part_name[] = {".b0", ".b1", ".b2", ".b3", ".h0", ".h1", "", ""};

#define NAME(table, k) ((size_t)(k) < sizeof(table) / sizeof *(table) ? (table)[k] : "?")
#define SAY(...)       sb_add(p->out, __VA_ARGS__)

/* ---- operands ---- */

/* The type a source constant is shown in: the row's where it says, and never of another width than the
 * operand's. */
static enum ir_type source_type(const struct printer *p, int k) {
    const uint8_t types[] = {p->op->type, p->op->btype, p->op->ctype};
    bool elementwise = p->op->kind == 'U' || p->op->kind == 'B' || p->op->kind == 'T';
    enum ir_type t = (enum ir_type)(elementwise ? types[k < 3 ? k : 2] : p->op->type);
    ir_opnd o = p->i->o[p->i->nd + k];
    if (ir_file(o) == IR_FILE_64) return ir_type_bytes[t] == 8 ? t : IR_T_U64;
    return ir_type_bytes[t] == 8 ? IR_T_U32 : t;
}

static void ir_print_operand(struct printer *p, ir_opnd o, enum ir_type t) {
    ir_print_opnd(p->out, p->m, p->names, o, t);
}

static void ir_print_source(struct printer *p, int k) {
    ir_print_operand(p, p->i->o[p->i->nd + k], source_type(p, k));
}

/* Sources from..to, each after a comma but the first unless something stands before them. */
static void sources(struct printer *p, int from, int to, bool comma) {
    for (int k = from; k < to; k++) {
        if (ir_file(p->i->o[p->i->nd + k]) == IR_FILE_NONE && !ir_is_const(p->i->o[p->i->nd + k])) continue;
        SAY("%s", comma ? ", " : " ");
        ir_print_source(p, k);
        comma = true;
    }
}

/* Destinations as "a", "a|b" or "{a, b}"; whether there were any. */
static bool destinations(struct printer *p, bool braces) {
    int n = p->i->nd;
    if (!braces && n == 2 && p->i->o[1] == IR_NONE) n = 1;
    if (!n) return false;
    SAY(" %s", braces ? "{" : "");
    for (int k = 0; k < n; k++) {
        if (k) SAY("%s", braces ? ", " : "|");
        ir_print_operand(p, p->i->o[k], IR_T_NONE);
    }
    if (braces) SAY("}");
    return true;
}

static void all_operands(struct printer *p) {
    sources(p, 0, p->i->ns, destinations(p, false));
}

static void ir_address(struct printer *p, int k) {
    ir_print_address(p->out, p->m, p->names, p->i->o[p->i->nd + k], p->i->disp);
}

static void braced_sources(struct printer *p, int from, int to) {
    SAY("{");
    for (int k = from; k < to; k++) {
        if (k > from) SAY(", ");
        ir_print_source(p, k);
    }
    SAY("}");
}

/* ---- modifiers ---- */

static void flags(struct printer *p) {
    static const struct {
        uint16_t bit;
        const char *name;
    } names[] = {{IR_M_FTZ, ".ftz"},
                 {IR_M_SAT, ".sat"},
                 {IR_M_RELU, ".relu"},
                 {IR_M_NAN, ".NaN"},
                 {IR_M_XSGN, ".xorsign.abs"}};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (p->i->mods & names[k].bit) SAY("%s", names[k].name);
}

static void rounding(struct printer *p, bool always, const char *suffix) {
    if (always || p->i->mods & IR_M_RND) SAY(".%s%s", round_name[p->i->mods & IR_M_RND], suffix);
}

static const char *type_name(unsigned t) {
    return t == IR_T_NONE || t >= IR_NTYPES ? "" : ir_type_name[t];
}

static void type(struct printer *p, unsigned t) {
    if (t != IR_T_NONE) SAY(".%s", type_name(t));
}

static void space(struct printer *p) {
    if (p->i->space != IR_SP_GENERIC && p->i->space < IR_NSPACES) SAY(".%s", ir_space_name[p->i->space]);
}

static const char *bits(const struct printer *p, bool of_destination) {
    return ir_type_bytes[of_destination ? p->op->dtype : p->op->type] == 8 ? "b64" : "b32";
}

/* ---- arithmetic ---- */

static void print_plain(struct printer *p) {
    bool divides = p->op->cls == IR_C_FDIV32 || p->op->cls == IR_C_FDIV64 || !strcmp(p->op->name, "fma");
    SAY("%s", p->op->name);
    if (p->op->mods & IR_M_RND) rounding(p, divides, "");
    flags(p);
    if (p->op->type != IR_T_NONE) type(p, p->op->type);
    all_operands(p);
}

/* The name ends in the second operand's type, which PTX writes after the first's: "dp2a.s32" of u32 is
 * dp2a.u32.s32. */
static void print_two_types(struct printer *p) {
    const char *dot = strrchr(p->op->name, '.');
    SAY("%.*s", (int)(dot - p->op->name), p->op->name);
    if (p->i->op >= IR_DP2A_UU && p->i->op <= IR_DP2A_SS) SAY("%s", p->i->sub ? ".hi" : ".lo");
    flags(p);
    SAY(".%s%s", type_name(p->op->type), dot);
    all_operands(p);
}

static void print_carry(struct printer *p) {
    size_t base = strcspn(p->op->name, ".") - 1; /* without the c of addc */
    SAY("%.*s%s%s", (int)base, p->op->name, p->i->mods & IR_M_CC_IN ? "c" : "", p->op->name + base + 1);
    if (p->i->mods & IR_M_CC_OUT) SAY(".cc");
    type(p, p->op->type);
    all_operands(p);
}

/* Without a boolean operation the predicate to combine with, if given, means nothing. */
static void print_compare(struct printer *p) {
    int shown = p->i->bop == IR_BOP_NONE && p->i->ns > 2 ? 2 : p->i->ns;
    SAY("%s.%s%s", p->op->name, NAME(cmp_name, p->i->sub), NAME(bop_name, p->i->bop));
    flags(p);
    if (p->op->dtype != IR_T_P) type(p, p->i->dtype);
    type(p, p->op->type);
    sources(p, 0, shown, destinations(p, false));
}

static void print_lop3(struct printer *p) {
    int inputs = p->i->ns < 3 ? p->i->ns : 3;
    SAY("lop3%s.b32", NAME(bop_name, p->i->bop));
    sources(p, 0, inputs, destinations(p, false));
    SAY(", 0x%02x", p->i->sub);
    sources(p, inputs, p->i->ns, true);
}

static void print_cvt(struct printer *p) {
    bool to_float = ir_type_float((enum ir_type)p->op->dtype),
         from_float = ir_type_float((enum ir_type)p->op->type);
    bool narrows = ir_type_bytes[p->op->dtype] < ir_type_bytes[p->op->type] || p->i->op >= IR_CVT_F16X2_F32;
    bool to_integral = (from_float && !to_float) || p->i->mods & IR_M_RINT;
    SAY("cvt");
    if (p->i->op == IR_CVT_PACK)
        SAY(".pack");
    else
        rounding(p, to_integral || (to_float && (!from_float || narrows)), to_integral ? "i" : "");
    flags(p);
    if (p->i->op == IR_CVT_TF32_F32)
        SAY(".tf32");
    else
        type(p, p->i->op == IR_CVT_PACK ? p->i->dtype : p->op->dtype);
    type(p, p->op->type);
    all_operands(p);
}

static void print_narrow(struct printer *p) {
    static const char *const names[] = {"e4m3x2", "e5m2x2", "e2m1x2", "e2m3x2", "e3m2x2"};
    const struct ir_insn *i = p->i;
    const char *narrow = NAME(names, i->sub & IR_NARROW_FORMAT),
               *relu = i->sub & IR_NARROW_RELU ? ".relu" : "";
    if (i->op == IR_CVT_F16X2_NARROW)
        SAY("cvt.rn%s.f16x2.%s", relu, narrow);
    else
        SAY("cvt.rn.satfinite%s.%s.%s", relu, narrow,
            i->op == IR_CVT_NARROW_F32     ? "f32"
            : i->op == IR_CVT_NARROW_F16X2 ? "f16x2"
                                           : "bf16x2");
    all_operands(p);
}

static void print_pack(struct printer *p) {
    SAY("mov.%s", bits(p, true));
    SAY("%s", destinations(p, false) ? ", " : " ");
    braced_sources(p, 0, p->i->ns);
}

static void print_unpack(struct printer *p) {
    SAY("mov.%s", bits(p, false));
    sources(p, 0, p->i->ns, destinations(p, true));
}

static void print_video(struct printer *p) {
    const struct ir_insn *i = p->i;
    bool one = i->op == IR_VIDEO;
    SAY("%s%s", NAME(video_name, i->sub), one ? "" : i->op == IR_VIDEO2 ? "2" : "4");
    SAY(".%c32.%c32.%c32", i->cop & IR_V_D_SIGNED ? 's' : 'u', i->cop & IR_V_A_SIGNED ? 's' : 'u',
        i->cop & IR_V_B_SIGNED ? 's' : 'u');
    if (i->sub == IR_V_SET) SAY(".%s", NAME(cmp_name, i->imm >> (one ? 9 : 28) & 15));
    flags(p);
    SAY("%s", NAME(video_c_name, i->bop));
    bool comma = destinations(p, false);
    if (one) SAY("%s", part_name[i->imm >> 6 & 7]);
    for (int k = 0; k < i->ns; k++) {
        SAY("%s", comma ? ", " : " ");
        ir_print_source(p, k);
        if (one && k < 2) SAY("%s", part_name[i->imm >> 3 * k & 7]);
        comma = true;
    }
}

/* Operations whose choice `sub` stands between name and type. */
static void print_chosen(struct printer *p) {
    switch (p->i->op) {
    case IR_TESTP_F32:
    case IR_TESTP_F64: SAY("testp.%s", NAME(testp_name, p->i->sub)); break;
    case IR_PRMT_U32:
        SAY("prmt.b32%s", NAME(prmt_name, p->i->sub));
        all_operands(p);
        return;
    default: SAY("bfind%s", p->i->sub ? ".shiftamt" : ""); break;
    }
    type(p, p->op->type);
    all_operands(p);
}

/* ---- special values, memory ---- */

static void print_special(struct printer *p) {
    const struct ir_insn *i = p->i;
    switch (i->op) {
    case IR_CVTA_U32:
    case IR_CVTA_U64:
        SAY("cvta%s", i->sub ? ".to" : "");
        space(p);
        type(p, p->op->type);
        all_operands(p);
        return;
    case IR_ISSPACEP_U32:
    case IR_ISSPACEP_U64:
        SAY("isspacep");
        space(p);
        all_operands(p);
        return;
    case IR_TXQ:
        SAY("%s.%s.b32", i->cop ? "suq" : "txq", NAME(query_name, i->sub));
        SAY("%s[", destinations(p, false) ? ", " : " ");
        ir_print_source(p, 0);
        SAY("]");
        return;
    default: break;
    }
    SAY("mov.%s", type_name(p->op->type));
    SAY("%s", destinations(p, false) ? ", " : " ");
    if (i->op == IR_SREG_U32 || i->op == IR_SREG_U64)
        SAY("%s", NAME(ir_sreg_name, i->sub));
    else
        SAY("frame%+d", i->disp);
}

static void print_access(struct printer *p) {
    const struct ir_insn *i = p->i;
    bool store = p->op->dtype == IR_T_NONE, prefetch = i->op == IR_PREFETCH;
    SAY("%s%s", p->op->name, i->mods & IR_M_VOLATILE ? ".volatile" : "");
    space(p);
    SAY("%s", NAME(cop_name, i->cop));
    if (i->vec > 1) SAY(".v%u", i->vec);
    if (!prefetch) type(p, p->op->type);
    SAY("%s", !store && destinations(p, i->vec > 1) ? ", " : " ");
    if (i->ns) ir_address(p, 0);
    if (!store || i->ns < 2) return;
    SAY(", ");
    if (i->vec > 1)
        braced_sources(p, 1, i->ns);
    else
        ir_print_source(p, 1);
}

static void print_atom(struct printer *p) {
    const struct ir_insn *i = p->i;
    bool returns = i->nd && i->o[0] != IR_NONE;
    SAY("%s", returns ? "atom" : "red");
    space(p);
    SAY(".%s", NAME(atom_name, i->sub));
    type(p, p->op->type);
    SAY("%s", returns && destinations(p, false) ? ", " : " ");
    if (!i->ns) return;
    ir_address(p, 0);
    sources(p, 1, i->ns, true);
}

static void print_mbar(struct printer *p) {
    static const char *const names[] = {"init",        "inval",
                                        "expect_tx",   "complete_tx",
                                        "arrive",      "arrive.expect_tx",
                                        "arrive_drop", "arrive_drop.expect_tx"};
    const struct ir_insn *i = p->i;
    if (i->op == IR_MBAR_WAIT)
        SAY("mbarrier.%s%s", i->sub & IR_MBAR_TRY ? "try_wait" : "test_wait",
            i->sub & IR_MBAR_PARITY ? ".parity" : "");
    else if (i->sub >= IR_MBAR_CP)
        SAY("cp.async.mbarrier.arrive%s", i->sub == IR_MBAR_CP_NOINC ? ".noinc" : "");
    else
        SAY("mbarrier.%s", NAME(names, i->sub - IR_MBAR_INIT));
    space(p);
    SAY(".b64%s", i->o[0] != IR_NONE && destinations(p, false) ? ", " : " ");
    ir_address(p, 0);
    sources(p, 1, i->ns, true);
}

static void print_copy(struct printer *p) {
    const struct ir_insn *i = p->i;
    SAY("cp.async%s.shared.global [", i->cop == IR_COP_CG ? ".cg" : ".ca");
    ir_print_source(p, 0);
    SAY("+");
    ir_print_source(p, 3);
    SAY("], ");
    ir_address(p, 1);
    SAY(", %u, ", i->sub);
    ir_print_source(p, 2);
}

static void print_bulk(struct printer *p) {
    static const char *const ways[] = {"shared.global", "global.shared", "shared.shared"};
    const struct ir_insn *i = p->i;
    SAY("cp%s.async.bulk.%s", i->cop ? ".reduce" : "", NAME(ways, i->sub));
    if (i->cop) SAY(".%s.%s", NAME(atom_name, i->cop - 1), type_name(i->dtype));
    all_operands(p);
}

static void print_group(struct printer *p) {
    const struct ir_insn *i = p->i;
    SAY("cp.async%s", i->sub ? ".bulk" : "");
    if (i->op == IR_CP_COMMIT)
        SAY(".commit_group");
    else if (i->imm == IR_CP_ALL)
        SAY(".wait_all");
    else
        SAY(".wait_group %u", i->imm);
}

/* "[handle, {x, y}]" */
static void ir_print_coordinates(struct printer *p) {
    const uint32_t *w = p->m->ext.v + p->i->ext;
    SAY("[");
    ir_print_operand(p, w[IR_TEX_HANDLE], IR_T_U64);
    SAY(", {");
    for (uint32_t k = 0; k + 1 < w[IR_MORE_COUNT]; k++) {
        if (k) SAY(", ");
        ir_print_operand(p, w[IR_TEX_COORDS + k], (enum ir_type)w[IR_TEX_COORD]);
    }
    SAY("}]");
}

static void print_surface(struct printer *p) {
    const uint32_t *w = p->m->ext.v + p->i->ext;
    const bool load = p->i->op == IR_SULD;
    SAY("%s.%s", p->op->name, w[IR_TEX_KIND] & IR_TEX_FORMATTED ? "p" : "b");
    if (p->i->op == IR_SURED) SAY(".%s", NAME(atom_name, p->i->sub));
    SAY(".%s", geom_name[w[IR_TEX_KIND] & IR_TEX_GEOM]);
    if (p->i->vec > 1) SAY(".v%u", p->i->vec);
    type(p, p->i->dtype);
    SAY(".%s", NAME(clamp_name, p->i->cop));
    SAY("%s", load && destinations(p, p->i->vec > 1) ? ", " : " ");
    ir_print_coordinates(p);
    if (load) return;
    SAY(", ");
    if (p->i->vec > 1)
        braced_sources(p, 0, p->i->ns);
    else
        ir_print_source(p, 0);
}

static void print_tex(struct printer *p) {
    const uint32_t *w = p->m->ext.v + p->i->ext;
    if (p->i->op != IR_TEX) {
        print_surface(p);
        return;
    }
    if (p->i->sub)
        SAY("tld4.%c.%s.v4", "rgba"[(p->i->sub - 1u) & 3], geom_name[w[IR_TEX_KIND] & IR_TEX_GEOM]);
    else
        SAY("tex%s.%s.v4", w[IR_TEX_KIND] & IR_TEX_LEVEL ? ".level" : "",
            geom_name[w[IR_TEX_KIND] & IR_TEX_GEOM]);
    type(p, p->i->dtype);
    type(p, w[IR_TEX_COORD]);
    destinations(p, true);
    SAY(", ");
    ir_print_coordinates(p);
}

/* ---- warp, block, control ---- */

static void print_warp(struct printer *p) {
    const char *sync = p->i->mods & IR_M_SYNC ? ".sync" : "";
    switch (p->i->op) {
    case IR_VOTE: SAY("vote%s.%s.pred", sync, NAME(vote_name, p->i->sub)); break;
    case IR_BALLOT: SAY("vote%s.ballot.b32", sync); break;
    case IR_SHFL_U32: SAY("shfl%s.%s.b32", sync, NAME(shfl_name, p->i->sub)); break;
    case IR_REDUX_U32:
    case IR_REDUX_S32:
    case IR_REDUX_F32:
        SAY("redux%s.%s%s%s.%s", sync, NAME(atom_name, p->i->sub), p->i->mods & IR_M_XSGN ? ".abs" : "",
            p->i->mods & IR_M_NAN ? ".NaN" : "", type_name(p->op->type));
        break;
    case IR_ACTIVEMASK: SAY("activemask.b32"); break;
    case IR_ELECT: SAY("elect%s", sync); break;
    default: SAY("%s%s.%s", p->op->name, sync, bits(p, false)); break; /* match */
    }
    all_operands(p);
}

static void print_barrier(struct printer *p) {
    SAY("%s", p->op->name);
    if (p->i->op == IR_BAR_RED_P) SAY(".%s.pred", p->i->sub == IR_VOTE_ANY ? "or" : "and");
    if (p->i->op == IR_BAR_RED_U32) SAY(".u32");
    all_operands(p);
}

static void print_targets(struct printer *p) {
    const uint32_t *w = p->m->ext.v + p->i->ext;
    all_operands(p);
    SAY(", {");
    for (uint32_t k = 0; k < w[0]; k++) {
        if (k) SAY(", ");
        ir_print_label(p->out, p->m, w[1 + k]);
    }
    SAY("}");
}

static void print_indirect(struct printer *p) {
    const uint32_t *w = p->m->ext.v + p->i->ext;
    const uint32_t *targets = ir_call_list(w);
    all_operands(p);
    if (!w[IR_CALL_FUNC]) return;
    SAY(", {");
    for (uint32_t k = 0; k < w[IR_CALL_FUNC]; k++) SAY("%s%s", k ? ", " : "", p->m->funcs.v[targets[k]].name);
    SAY("}");
}

static void print_control(struct printer *p) {
    const struct ir_insn *i = p->i;
    SAY("%s%s", ir_insn_name(i), i->mods & IR_M_UNI ? ".uni" : "");
    switch (i->op) {
    case IR_BRA:
        SAY(" ");
        ir_print_label(p->out, p->m, i->target);
        break;
    case IR_BRX: print_targets(p); break;
    case IR_CALL: SAY(" %s", p->m->funcs.v[p->m->ext.v[i->ext + IR_CALL_FUNC]].name); break;
    case IR_CALL_IND: print_indirect(p); break;
    case IR_SYS: SAY(" %s", NAME(sys_name, i->sub)); break;
    default: break;
    }
}

/* "bssy b3, B7", "sync" */
static void print_mark(struct printer *p) {
    const struct ir_insn *i = p->i;
    const bool barrier = i->sub >= IR_MK_BSSY && i->sub <= IR_MK_BREAK;
    SAY("%s", ir_insn_name(i));
    if (barrier) SAY(" b%u", i->reg);
    if (i->target == IR_NOPC) return;
    SAY("%s", barrier ? ", " : " ");
    ir_print_label(p->out, p->m, i->target);
}

static void print_nop(struct printer *p) {
    SAY("%s", NAME(nop_name, p->i->sub));
    all_operands(p);
}

/* ---- matrices ---- */

static void ir_print_registers(struct printer *p, const uint32_t *o, uint32_t n, enum ir_type t) {
    SAY("{");
    for (uint32_t k = 0; k < n; k++) {
        if (k) SAY(", ");
        ir_print_operand(p, o[k], t);
    }
    SAY("}");
}

static void print_mma(struct printer *p) {
    uint32_t n;
    const uint32_t *o = ir_more(p->m, p->i, &n);
    const struct ir_mma s = ir_mma_of(p->m->ext.v + p->i->ext, p->i->sub);
    const struct ir_frag a = ir_frag_a(&s), b = ir_frag_b(&s);
    const bool quads = s.flags & IR_MMA_QUADS;
    const uint32_t na = quads ? 2 : ir_frag_regs(&a), nb = quads ? 2 : ir_frag_regs(&b);
    const enum ir_type t = s.d == IR_MT_F64 ? IR_T_F64 : s.d == IR_MT_F32 ? IR_T_F32 : IR_T_U32;
    const enum ir_type from = s.d == IR_MT_F64 ? IR_T_F64 : IR_T_U32;
    SAY("mma.m%un%uk%u.%s.%s%s.%s.%s.%s.%s", s.m, s.n, s.k, s.flags & IR_MMA_A_COL ? "col" : "row",
        s.flags & IR_MMA_B_ROW ? "row" : "col", p->i->mods & IR_M_SAT ? ".satfinite" : "", ir_mma_name[s.d],
        ir_mma_name[s.a], ir_mma_name[s.b], ir_mma_name[s.c]);
    if (p->i->mods & IR_M_RND) SAY(".%s", round_name[p->i->mods & IR_M_RND]);
    if (s.a == IR_MT_B1) SAY(s.flags & IR_MMA_AND ? ".and.popc" : ".xor.popc");
    SAY(" ");
    ir_print_registers(p, p->i->o, p->i->nd, t);
    if (n < na + nb) return; /* no instruction of a program */
    SAY(", ");
    ir_print_registers(p, o, na, from);
    SAY(", ");
    ir_print_registers(p, o + na, nb, from);
    SAY(", ");
    ir_print_registers(p, o + na + nb, n - na - nb, t);
}

static void print_matrix(struct printer *p) {
    const struct ir_insn *i = p->i;
    SAY("%s.m8n8", p->op->name);
    if (i->op != IR_MOVMATRIX) SAY(".x%u", i->vec);
    if (i->sub || i->op == IR_MOVMATRIX) SAY(".trans");
    if (i->op != IR_MOVMATRIX) space(p);
    SAY(".b16 ");
    if (!i->ns) return;
    if (i->nd) ir_print_registers(p, i->o, i->nd, IR_T_U32);
    if (i->nd) SAY(", ");
    if (i->op == IR_MOVMATRIX)
        ir_print_source(p, 0);
    else
        ir_address(p, 0);
    if (i->op == IR_STMATRIX) SAY(", ");
    if (i->op == IR_STMATRIX) ir_print_registers(p, i->o + 1, i->ns - 1u, IR_T_U32);
}

/* ---- which function prints which operation ---- */

typedef void print_fn(struct printer *p);

static print_fn *const class_printer[IR_NCLASSES] = {
    [IR_C_LDST] = print_access,    [IR_C_ATOM] = print_atom,   [IR_C_TEX] = print_tex,
    [IR_C_WARP] = print_warp,      [IR_C_BAR] = print_barrier, [IR_C_CVT] = print_cvt,
    [IR_C_BRANCH] = print_control, [IR_C_MARK] = print_mark,
};

static const struct {
    uint16_t first, last;
    print_fn *print;
} op_printer[] = {
    {IR_ADDC_U32, IR_MADC_HI_S64, print_carry},
    {IR_BFIND_U32, IR_BFIND_S64, print_chosen},
    {IR_DP4A_UU, IR_DP2A_SS, print_two_types},
    {IR_LOP3_U32, IR_LOP3_P_U32, print_lop3},
    {IR_PRMT_U32, IR_PRMT_U32, print_chosen},
    {IR_VIDEO, IR_VIDEO4, print_video},
    {IR_TESTP_F32, IR_TESTP_F64, print_chosen},
    {IR_SETP_U16, IR_SET_F64, print_compare},
    {IR_SLCT_U32_S32, IR_SLCT_U64_F32, print_two_types},
    {IR_PACK_2X16, IR_PACK_4X16, print_pack},
    {IR_UNPACK_2X16, IR_UNPACK_4X16, print_unpack},
    {IR_SREG_U32, IR_ISSPACEP_U64, print_special},
    {IR_CVT_NARROW_F32, IR_CVT_F16X2_NARROW, print_narrow},
    {IR_MBAR, IR_MBAR_WAIT, print_mbar},
    {IR_CP_ASYNC, IR_CP_ASYNC, print_copy},
    {IR_CP_BULK, IR_CP_BULK, print_bulk},
    {IR_CP_COMMIT, IR_CP_WAIT, print_group},
    {IR_NOP, IR_NOP, print_nop},
    {IR_LDMATRIX, IR_MOVMATRIX, print_matrix},
    {IR_MMA_F16, IR_MMA_F64, print_mma},
};

static print_fn *find_printer(const struct ir_insn *i) {
    for (size_t k = 0; k < sizeof op_printer / sizeof *op_printer; k++)
        if (i->op >= op_printer[k].first && i->op <= op_printer[k].last) return op_printer[k].print;
    print_fn *by_class = class_printer[ir_ops[i->op].cls];
    return by_class ? by_class : print_plain;
}

/* Machine code is shown as its own assembly, behind the address. */
static void print_machine(struct sb *out, const struct ir_module *m, uint32_t pc) {
    const char *line = m->text + m->binary->text[pc], *colon = strchr(line, ':');
    const char *at = colon ? colon + 1 + strspn(colon + 1, " ") : line;
    sb_addn(out, at, strcspn(at, "\n"));
}

void ir_print_named(struct sb *out, const struct ir_module *m, const struct ir_names *names, uint32_t pc) {
    const struct ir_insn *i = &m->code.v[pc];
    if (m->binary && !(i->flags & IR_F_ADDED)) {
        print_machine(out, m, pc);
        return;
    }
    struct printer p = {out, m, names, i, &ir_ops[i->op]};
    uint32_t guard = (i->guard & IR_GUARD_INDEX) | (uint32_t)i->guard_hi << 15;
    if (i->guard || guard) {
        sb_add(out, "@");
        ir_print_opnd(out, m, names, ir_reg(IR_FILE_P, guard) | (i->guard & IR_GUARD_NEG ? IR_O_NEG : 0),
                      IR_T_P);
        sb_add(out, " ");
    }
    find_printer(i)(&p);
    if (i->flags & IR_F_SYNC) sb_add(out, " .s");
}

void ir_print_insn(struct sb *out, const struct ir_module *m, uint32_t pc) {
    ir_print_named(out, m, NULL, pc);
}
