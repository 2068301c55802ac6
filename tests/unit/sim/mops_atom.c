/* Atomics and texture reads, one test per row of ops.def. Each atomic runs on a cell per thread with edge
 * values (old value returned, new value left), as atom and as red, in every space, and then on one cell for all. */
#include <math.h>

#include "base/bits.h"
#include "ir/insn.h"
#include "kernels/snippet.h"

enum { N = 64 };
typedef uint64_t combine(uint64_t old, uint64_t b, uint64_t c);

struct atom_case {
    const char *form; /* "add.u32" */
    unsigned bytes;
    combine *f;
    bool cas, contended; /* contended: the final value does not depend on the order */
    const uint64_t *edge;
    unsigned nedge;
};

static const uint64_t edge_int[] = {0,
                                    1,
                                    2,
                                    0x7fff,
                                    0x8000,
                                    0xffff,
                                    0x7fffffff,
                                    0x80000000,
                                    0xffffffff,
                                    0xfffffffe,
                                    0x100000000,
                                    0x7fffffffffffffff,
                                    0x8000000000000000,
                                    0xffffffffffffffff};
static const uint64_t edge_f16[] = {0x0000, 0x8000, 0x3c00, 0xbc00, 0x7bff,
                                    0x7c00, 0xfc00, 0x0001, 0x3555, 0x4248};
static const uint64_t edge_bf16[] = {0x0000, 0x8000, 0x3f80, 0xbf80, 0x7f7f,
                                     0x7f80, 0xff80, 0x3eab, 0x4049, 0x4f80};
static const uint64_t edge_f16x2[] = {0x3c000000, 0xbc003c00, 0x7bff7bff, 0x00013555, 0x42488000, 0x7c00fc00};
static const uint64_t edge_bf16x2[] = {0x3f800000, 0xbf803f80, 0x7f7f7f7f,
                                       0x3eab4049, 0x4f808000, 0x7f80ff80};
static const uint64_t edge_f32[] = {0,          0x80000000, 0x3f800000, 0xbf800000,
                                    0x7f7fffff, 0x7f800000, 0x3eaaaaab, 0x4b800001};
static const uint64_t edge_f64[] = {0,
                                    0x8000000000000000,
                                    0x3ff0000000000000,
                                    0xbff0000000000000,
                                    0x7fefffffffffffff,
                                    0x7ff0000000000000,
                                    0x3fd5555555555555,
                                    0x4340000000000001,
                                    1};
#define EDGE(e) e, sizeof(e) / sizeof *(e)

/* The thread's old value, operand and second operand: pairs of edges, then random ones. */
static void operands(const struct atom_case *k, uint64_t (*in)[8]) {
    struct rng rng = {k->bytes};
    uint64_t mask = k->bytes == 8 ? ~(uint64_t)0 : ((uint64_t)1 << 8 * k->bytes) - 1;
    for (unsigned i = 0; i < N; i++) {
        in[i][0] = k->edge[rng_below(&rng, k->nedge)] & mask;
        in[i][1] = k->edge[rng_below(&rng, k->nedge)] & mask;
        in[i][2] = k->edge[rng_below(&rng, k->nedge)] & mask;
        if (k->cas && i % 2) in[i][1] = in[i][0]; /* so that half of them succeed */
    }
}

/* sfx: state space or "" for generic; the cell's address goes to %d1. */
static void cell_address(struct snippet *s, const char *sfx, bool shared, bool one, const char *bits) {
    if (shared) {
        sb_add(&s->decls, ".shared .align 8 .b64 cell[%d];\n", N);
        sb_add(&s->code, "mov.u64 %%d1, cell;\nmul.wide.u32 %%d2, %%ti, %d;\nadd.u64 %%d1, %%d1, %%d2;\n",
               one ? 0 : 8);
        sb_add(&s->code, "ld.global.b%s %%%s5, [%s];\nst.shared.b%s [%%d1], %%%s5;\nbar.sync 0;\n", bits,
               !strcmp(bits, "64") ? "d" : "r", one ? "%ain" : "%in", bits, !strcmp(bits, "64") ? "d" : "r");
        if (!*sfx) sb_add(&s->code, "cvta.shared.u64 %%d1, %%d1;\n");
    } else {
        sb_add(&s->code, "mov.u64 %%d1, %s;\n", one ? "%ain" : "%in");
        if (!*sfx) sb_add(&s->code, "cvta.global.u64 %%d1, %%d1;\n");
    }
}

static void atom_code(struct snippet *s, const struct atom_case *k, const char *sfx, bool red) {
    const char *bits = k->bytes == 8 ? "64" : k->bytes == 4 ? "32" : "16";
    const char *r = k->bytes == 8 ? "d" : k->bytes == 4 ? "r" : "h";
    sb_add(&s->code, "ld.global.b%s %%%s11, [%%in+8];\nld.global.b%s %%%s12, [%%in+16];\n", bits, r, bits, r);
    if (red)
        sb_add(&s->code, "red%s.%s [%%d1], %%%s11;\n", sfx, k->form, r);
    else if (k->cas)
        sb_add(&s->code, "atom%s.%s %%%s10, [%%d1], %%%s11, %%%s12;\n", sfx, k->form, r, r, r);
    else
        sb_add(&s->code, "atom%s.%s %%%s10, [%%d1], %%%s11;\n", sfx, k->form, r, r);
    if (!red) sb_add(&s->code, "st.global.b%s [%%out], %%%s10;\n", bits, r);
    sb_add(&s->code, "bar.sync 0;\nld%s.b%s %%%s13, [%%d1];\nst.global.b%s [%%out+8], %%%s13;\n", sfx, bits,
           r, bits, r);
}

static void atom_one(const struct atom_case *k, const char *sfx, bool shared, bool red, bool one) {
    static uint64_t in[N][8], got[N][8];
    struct snippet s = {.block = N};
    const char *bits = k->bytes == 8 ? "64" : k->bytes == 4 ? "32" : "16";
    memset(in, 0, sizeof in);
    operands(k, in);
    cell_address(&s, sfx, shared, one, bits);
    atom_code(&s, k, sfx, red);
    uint64_t all = in[0][0], mask = k->bytes == 8 ? ~(uint64_t)0 : ((uint64_t)1 << 8 * k->bytes) - 1;
    for (int i = 0; i < N; i++) all = k->f(all, in[i][1], in[i][2]) & mask;
    snippet_run(&s, in, got);
    for (int i = 0; i < N; i++) {
        uint64_t want = one ? all : k->f(in[i][0], in[i][1], in[i][2]) & mask;
        if ((!red && !one && got[i][0] != in[i][0]) || got[i][1] != want)
            fail_msg("%s%s.%s%s%s: old 0x%llx, operands 0x%llx 0x%llx: got 0x%llx and 0x%llx, want 0x%llx",
                     red ? "red" : "atom", sfx, k->form, shared ? " in shared" : "",
                     one ? " (contended)" : "", (unsigned long long)in[i][0], (unsigned long long)in[i][1],
                     (unsigned long long)in[i][2], (unsigned long long)got[i][0],
                     (unsigned long long)got[i][1], (unsigned long long)want);
    }
}

static void atom_rows(const struct atom_case *cases, size_t n) {
    static const char *const spaces[] = {".global", ".shared", "", ""};
    for (size_t c = 0; c < n; c++)
        for (int sp = 0; sp < 4; sp++)
            for (int red = 0; red < 2; red++) {
                bool no_red = cases[c].cas || strstr(cases[c].form, "exch");
                if (red && no_red) continue;
                atom_one(&cases[c], spaces[sp], sp & 1, red, false);
                if (cases[c].contended) atom_one(&cases[c], spaces[sp], sp & 1, red, true);
            }
}
#define ATOM_ROWS(...)                                  \
    do {                                                \
        (void)state;                                    \
        const struct atom_case cases[] = {__VA_ARGS__}; \
        atom_rows(cases, sizeof cases / sizeof *cases); \
    } while (0)

/* ---- references ---- */
#define REF(name, ...)                                         \
    static uint64_t name(uint64_t o, uint64_t b, uint64_t c) { \
        (void)o;                                               \
        (void)b;                                               \
        (void)c;                                               \
        return __VA_ARGS__;                                    \
    }
REF(add, o + b)
REF(min_u, o < b ? o : b)
REF(max_u, o > b ? o : b)
REF(min_s32, (int32_t)o < (int32_t)b ? o : b)
REF(max_s32, (int32_t)o > (int32_t)b ? o : b)
REF(min_s64, (int64_t)o < (int64_t)b ? o : b)
REF(max_s64, (int64_t)o > (int64_t)b ? o : b)
REF(and_, o &b)
REF(or_, o | b)
REF(xor_, o ^ b)
REF(exch, b)
REF(cas, o == b ? c : o)
REF(inc, o >= b ? 0 : o + 1)
REF(dec, o == 0 || o > b ? b : o - 1)
REF(add_f32, f32_bits(f32_from((uint32_t)o) + f32_from((uint32_t)b)))
REF(add_f64, f64_bits(f64_from(o) + f64_from(b)))

/* A short float of e exponent and m fraction bits, to double and back (ties to even). Sums of two are exact
 * in double. */
static double from_short(uint32_t v, int e, int m) {
    int exp = (int)(v >> m & ((1u << e) - 1)), bias = (1 << (e - 1)) - 1;
    double frac = (double)(v & ((1u << m) - 1));
    double a = exp == (1 << e) - 1 ? (frac != 0 ? (double)NAN : (double)INFINITY)
               : exp               ? ldexp(frac + (double)(1u << m), exp - bias - m)
                                   : ldexp(frac, 1 - bias - m);
    return v >> (e + m) ? -a : a;
}
static uint32_t to_short(double v, int e, int m) {
    int bias = (1 << (e - 1)) - 1, emin = 1 - bias;
    uint32_t sign = signbit(v) ? 1u << (e + m) : 0, inf = ((1u << e) - 1) << m;
    double a = fabs(v);
    if (isnan(v)) return (1u << (e + m)) - 1; /* the hardware's NaN: all ones but the sign */
    int x = a < ldexp(1, emin) ? emin : isinf(a) ? bias + 1 : ilogb(a);
    if (x > bias) return sign | inf;
    uint32_t bits = (uint32_t)(x - emin) * (1u << m) + (uint32_t)nearbyint(ldexp(a, m - x));
    return sign | (bits > inf ? inf : bits);
}
static uint64_t add_short(uint64_t o, uint64_t b, int e, int m) {
    return to_short(from_short((uint32_t)o & 0xffff, e, m) + from_short((uint32_t)b & 0xffff, e, m), e, m);
}
REF(add_f16, add_short(o, b, 5, 10))
REF(add_bf16, add_short(o, b, 8, 7))
REF(add_f16x2, add_short(o, b, 5, 10) | add_short(o >> 16, b >> 16, 5, 10) << 16)
REF(add_bf16x2, add_short(o, b, 8, 7) | add_short(o >> 16, b >> 16, 8, 7) << 16)

static void test_ATOM_U16(void **state) {
    ATOM_ROWS({"cas.b16", 2, cas, true, false, EDGE(edge_int)});
}
static void test_ATOM_U32(void **state) {
    ATOM_ROWS(
        {"add.u32", 4, add, false, true, EDGE(edge_int)}, {"min.u32", 4, min_u, false, true, EDGE(edge_int)},
        {"max.u32", 4, max_u, false, true, EDGE(edge_int)}, {"and.b32", 4, and_, false, true, EDGE(edge_int)},
        {"or.b32", 4, or_, false, true, EDGE(edge_int)}, {"xor.b32", 4, xor_, false, true, EDGE(edge_int)},
        {"exch.b32", 4, exch, false, false, EDGE(edge_int)}, {"cas.b32", 4, cas, true, false, EDGE(edge_int)},
        {"inc.u32", 4, inc, false, false, EDGE(edge_int)}, {"dec.u32", 4, dec, false, false, EDGE(edge_int)});
}
static void test_ATOM_S32(void **state) {
    ATOM_ROWS({"add.s32", 4, add, false, true, EDGE(edge_int)},
              {"min.s32", 4, min_s32, false, true, EDGE(edge_int)},
              {"max.s32", 4, max_s32, false, true, EDGE(edge_int)});
}
static void test_ATOM_U64(void **state) {
    ATOM_ROWS(
        {"add.u64", 8, add, false, true, EDGE(edge_int)}, {"min.u64", 8, min_u, false, true, EDGE(edge_int)},
        {"max.u64", 8, max_u, false, true, EDGE(edge_int)}, {"and.b64", 8, and_, false, true, EDGE(edge_int)},
        {"or.b64", 8, or_, false, true, EDGE(edge_int)}, {"xor.b64", 8, xor_, false, true, EDGE(edge_int)},
        {"exch.b64", 8, exch, false, false, EDGE(edge_int)},
        {"cas.b64", 8, cas, true, false, EDGE(edge_int)});
}
static void test_ATOM_S64(void **state) {
    ATOM_ROWS({"min.s64", 8, min_s64, false, true, EDGE(edge_int)},
              {"max.s64", 8, max_s64, false, true, EDGE(edge_int)});
}
static void test_ATOM_F16(void **state) {
    ATOM_ROWS({"add.noftz.f16", 2, add_f16, false, false, EDGE(edge_f16)});
}
static void test_ATOM_BF16(void **state) {
    ATOM_ROWS({"add.noftz.bf16", 2, add_bf16, false, false, EDGE(edge_bf16)});
}
static void test_ATOM_F16X2(void **state) {
    ATOM_ROWS({"add.noftz.f16x2", 4, add_f16x2, false, false, EDGE(edge_f16x2)});
}
static void test_ATOM_BF16X2(void **state) {
    ATOM_ROWS({"add.noftz.bf16x2", 4, add_bf16x2, false, false, EDGE(edge_bf16x2)});
}
static void test_ATOM_F32(void **state) {
    ATOM_ROWS({"add.f32", 4, add_f32, false, false, EDGE(edge_f32)});
}
static void test_ATOM_F64(void **state) {
    ATOM_ROWS({"add.f64", 8, add_f64, false, false, EDGE(edge_f64)});
}

/* ---- textures: geometry by coordinate type by result type; kernels_textures.c has filters and address modes
 * ---- */

struct tex_form {
    const char *geom, *coords; /* %%s: coordinate register stem */
    uint32_t h, d;
    int expect; /* which texel the coordinates name */
};

static void tex_case(const struct tex_form *g, const char *type, hd_texel texel, const char *coord,
                     int channels) {
    struct rig r;
    struct sb t = {0};
    uint32_t texels[256], got[4];
    const char *reg = type[0] == 'f' ? "%f" : "%r", *at = coord[0] == 'f' ? "%x" : "%i";
    sb_add(
        &t,
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 "
        "tex)\n{\n"
        ".reg .u64 %%d<4>;\n.reg .b32 %%r<8>;\n.reg .f32 %%f<8>, %%x<4>;\n.reg .s32 %%i<4>, %%l;\n"
        "ld.param.u64 %%d0, [out];\nld.param.u64 %%d1, [tex];\nmov.u32 %%l, 1;\nmov.f32 %%f7, 0f00000000;\n");
    for (int k = 1; k < 4; k++) sb_add(&t, "mov.u32 %%i%d, %d;\ncvt.rn.f32.s32 %%x%d, %%i%d;\n", k, k, k, k);
    sb_add(&t, "tex.%s.v4.%s.%s {%s0, %s1, %s2, %s3}, [%%d1, {", g->geom, type, coord, reg, reg, reg, reg);
    for (const char *c = g->coords; *c; c++) *c == '@' ? sb_add(&t, "%s", at) : sb_addn(&t, c, 1);
    sb_add(&t, "}]%s;\nst.global.v4.b32 [%%d0], {%s0, %s1, %s2, %s3};\nret;\n}\n",
           !strncmp(g->geom, "level.", 6) ? ", %f7" : "", reg, reg, reg, reg);
    rig_text(&r, g->geom, t.text);
    for (uint32_t i = 0; i < 256; i++) texels[i] = type[0] == 'f' ? f32_bits((float)i) : i - 5;
    hd_texture tex = {.addr = rig_in(&r, texels, sizeof texels),
                      .width = 4,
                      .height = g->h,
                      .depth = g->d,
                      .texel = texel,
                      .channels = (uint32_t)channels,
                      .mode = {HD_CLAMP, HD_CLAMP, HD_CLAMP}};
    uint64_t handle = 0, d = rig_zero(&r, sizeof got);
    MUST(&r, hd_texture_new(r.dev, &tex, &handle));
    RUN(&r, "k", LAUNCH(.block = {1}), PTR(d), hd_arg_u64(handle));
    rig_out(&r, d, got, sizeof got);
    same_u32(g->geom, got, texels + g->expect * channels, (size_t)channels);
    rig_close(&r);
    sb_free(&t);
}

/* x, y, z are 1, 2, 3 and the layer 1, of a texture 4 wide */
static void test_TEX(void **state) {
    (void)state;
    static const struct tex_form forms[] = {
        {"1d", "@1", 0, 0, 1},
        {"2d", "@1, @2", 3, 0, 2 * 4 + 1},
        {"3d", "@1, @2, @3, @3", 3, 4, (3 * 3 + 2) * 4 + 1},
        {"a1d", "%l, @1", 0, 3, 4 + 1},
        {"a2d", "%l, @1, @2, @2", 3, 3, (3 + 2) * 4 + 1},
        {"level.2d", "@1, @2", 3, 0, 2 * 4 + 1},
    };
    for (size_t g = 0; g < sizeof forms / sizeof *forms; g++)
        for (int channels = 1; channels <= 4; channels *= 2)
            for (int coord = 0; coord < 2; coord++) {
                const char *c = coord ? "f32" : "s32";
                if (!coord && forms[g].geom[0] == 'l') continue; /* a level goes with float coordinates */
                tex_case(&forms[g], "f32", HD_TEXEL_F32, c, channels);
                tex_case(&forms[g], "u32", HD_TEXEL_U32, c, channels);
                tex_case(&forms[g], "s32", HD_TEXEL_S32, c, channels);
            }
}

#define ROWS_ALU    SKIP
#define ROWS_LDST   SKIP
#define ROWS_ATOM   TEST
#define ROWS_TEX    TEST
#define ROWS_WARP   SKIP
#define ROWS_BAR    SKIP
#define ROWS_BRANCH SKIP
#define ROWS_CTRL   SKIP

/* Machine code has tests of its own: exec/machine.c. */
#define R(...)

int main(void) {
    const struct CMUnitTest tests[] = {
#include "ir/ops.def"
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
