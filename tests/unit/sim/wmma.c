/* wmma: every shape, type, layout and kind of stride, from memory to memory, against products computed from the matrices as
 * they lie there (tests/ref/mma.c adds). How fragments are laid out is not looked at, but that C and D of one shape have one
 * layout, whatever their type and however they lie in memory, and that halves are there as often as nvcc thinks. */
#include "base/bits.h"
#include "kernels/timed.h"
#include "mech/mech.h"
#include "ref/mma.h"

enum { BYTES = 1 << 13 };

struct matrix {
    const char *type;
    unsigned rows, cols, stride;
    bool column;
    uint8_t *data;
};

static uint64_t get(const struct matrix *x, unsigned row, unsigned col) {
    const unsigned bits = ref_mma_bits(x->type);
    const unsigned at = x->column ? col * x->stride + row : row * x->stride + col;
    uint64_t v = 0;
    const uint32_t byte = x->data[at * bits / 8];
    if (bits < 8) return byte >> at * bits % 8 & ((1u << bits) - 1);
    memcpy(&v, x->data + (size_t)at * bits / 8, bits / 8);
    return v;
}

struct product {
    struct ref_mma s;
    unsigned more; /* added to strides */
    bool c_col, d_col, shared;
};

/* ---- the kernel ---- */

/* Registers of a fragment: the manual's table. */
static unsigned size_of(const struct product *p, char which) {
    const char *type = which == 'a' ? p->s.a : which == 'b' ? p->s.b : which == 'c' ? p->s.c : p->s.d;
    const unsigned elements = which == 'a'   ? p->s.m * p->s.k
                              : which == 'b' ? p->s.k * p->s.n
                                             : p->s.m * p->s.n;
    const unsigned bits = ref_mma_bits(type);
    if (!strcmp(type, "f16") && (which == 'a' || which == 'b')) return 8;
    return elements * bits / 32 / (bits < 32 ? 32 : bits);
}

static void registers(struct sb *t, const struct product *p, char which, const char *prefix) {
    const bool wide = !strcmp(p->s.d, "f64");
    sb_add(t, "{");
    for (unsigned k = 0; k < size_of(p, which); k++)
        sb_add(t, "%s%%%c%s%u", k ? ", " : "", wide ? 'w' : 'r', prefix, k);
    sb_add(t, "}");
}

static unsigned stride_of(const struct product *p, char which) {
    const unsigned side = which == 'a'   ? (p->s.a_col ? p->s.m : p->s.k)
                          : which == 'b' ? (p->s.b_row ? p->s.n : p->s.k)
                                         : ((which == 'c' ? p->c_col : p->d_col) ? p->s.m : p->s.n);
    return side + p->more;
}

static const char *major(bool column) {
    return column ? "col" : "row";
}

static void move(struct sb *t, const struct product *p, char which, bool column, const char *type,
                 unsigned at) {
    const char *space = p->shared ? ".shared" : which == 'b' ? "" : ".global";
    struct sb stride = {0};
    if (p->more) sb_add(&stride, ", %u", stride_of(p, which));
    if (which == 'd') {
        sb_add(t, "wmma.store.d.sync.aligned.%s.m%un%uk%u%s.%s [%%p+%u], ", major(column), p->s.m, p->s.n,
               p->s.k, space, type, at * BYTES);
        registers(t, p, 'd', "d");
    } else {
        sb_add(t, "wmma.load.%c.sync.aligned.%s.m%un%uk%u%s.%s ", which, major(column), p->s.m, p->s.n,
               p->s.k, space, type);
        registers(t, p, which, (char[]){which, 0});
        sb_add(t, ", [%%p+%u]", at * BYTES);
    }
    sb_add(t, "%s;\n", stride.len ? stride.text : "");
    sb_free(&stride);
}

static void multiply(struct sb *t, const struct product *p) {
    const bool half = !strcmp(p->s.a, "f16"), bits = !strcmp(p->s.a, "b1");
    sb_add(t, "wmma.mma.%ssync.aligned.%s.%s.m%un%uk%u.%s",
           bits ? p->s.bits_and ? "and.popc." : "xor.popc." : "", major(p->s.a_col), major(!p->s.b_row),
           p->s.m, p->s.n, p->s.k, p->s.d);
    if (!half) sb_add(t, ".%s.%s", p->s.a, p->s.b);
    sb_add(t, ".%s%s%s ", p->s.c, !strcmp(p->s.a, "f64") ? ".rn" : "", p->s.sat ? ".satfinite" : "");
    for (const char *w = "dabc"; *w; w++) {
        registers(t, p, *w, (char[]){*w, 0});
        sb_add(t, "%s", w[1] ? ", " : ";\n");
    }
}

/* Global or shared memory holds a, b, c and d, BYTES each. Shared memory is filled first and copied back. */
static void kernel_text(struct sb *t, const struct product *p) {
    sb_add(t, ".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n");
    for (const char *c = "abcd"; *c; c++) sb_add(t, ".reg .b32 %%r%c<8>;\n.reg .b64 %%w%c<8>;\n", *c, *c);
    sb_add(t, ".reg .b64 %%p, %%s, %%g;\n.reg .b32 %%v;\n.reg .pred %%q;\n.shared .align 32 .b8 sh[%u];\n",
           4 * BYTES);
    sb_add(t, "ld.param.u64 %%p, [p];\n");
    const char *copy = "mov.u64 %%s, 0;\nL%u:\nadd.u64 %%g, %%p, %%s;\n%s%sadd.u64 %%s, %%s, 4;\n"
                       "setp.lt.u64 %%q, %%s, %u;\n@%%q bra L%u;\n";
    if (p->shared) sb_add(t, "mov.u64 %%p, sh;\n");
    if (p->shared)
        sb_add(t, copy, 1, "ld.param.u64 %g, [p];\nadd.u64 %g, %g, %s;\nld.global.u32 %v, [%g];\n",
               "add.u64 %g, %p, %s;\nst.shared.u32 [%g], %v;\n", 4 * BYTES, 1);
    move(t, p, 'a', p->s.a_col, p->s.a, 0);
    move(t, p, 'b', !p->s.b_row, p->s.b, 1);
    move(t, p, 'c', p->c_col, p->s.c, 2);
    multiply(t, p);
    move(t, p, 'd', p->d_col, p->s.d, 3);
    if (p->shared)
        sb_add(t, copy, 2, "ld.shared.u32 %v, [%g];\n",
               "ld.param.u64 %g, [p];\nadd.u64 %g, %g, %s;\nst.global.u32 [%g], %v;\n", 4 * BYTES, 2);
    sb_add(t, "ret;\n}\n");
}

/* ---- numbers, the reference, the check ---- */

static void fill(uint8_t *data, const char *type, uint64_t seed) {
    struct rng rng = {seed};
    for (size_t k = 0; k < BYTES; k += 8) {
        uint64_t v = rng_next(&rng);
        if (!strcmp(type, "f64")) v = f64_bits((double)((int64_t)v >> 20) * 0x1p-40);
        if (!strcmp(type, "f16")) v = (v & 0x8fff8fff8fff8fff) | 0x3000300030003000;
        if (!strcmp(type, "bf16")) v = (v & 0x83ff83ff83ff83ff) | 0x3c003c003c003c00;
        if (!strcmp(type, "tf32") || !strcmp(type, "f32")) v = (v & 0x83ffffff83ffffff) | 0x3c0000003c000000;
        memcpy(data + k, &v, 8);
    }
}

static void compare(const struct product *p, uint8_t data[4][BYTES], const uint8_t *got) {
    const struct matrix a = {p->s.a, p->s.m, p->s.k, stride_of(p, 'a'), p->s.a_col, data[0]};
    const struct matrix b = {p->s.b, p->s.k, p->s.n, stride_of(p, 'b'), !p->s.b_row, data[1]};
    const struct matrix c = {p->s.c, p->s.m, p->s.n, stride_of(p, 'c'), p->c_col, data[2]};
    struct matrix d = {p->s.d, p->s.m, p->s.n, stride_of(p, 'd'), p->d_col, (uint8_t *)got};
    for (unsigned row = 0; row < p->s.m; row++)
        for (unsigned col = 0; col < p->s.n; col++) {
            uint64_t x[256], y[256];
            for (unsigned k = 0; k < p->s.k; k++) x[k] = get(&a, row, k), y[k] = get(&b, k, col);
            const uint64_t want = ref_mma_sum(&p->s, x, y, p->s.k, get(&c, row, col));
            if (get(&d, row, col) != want)
                fail_msg(
                    "m%un%uk%u %s %s %s %s, %s %s %s %s, strides + %u, (%u, %u): got 0x%llx, want 0x%llx",
                    p->s.m, p->s.n, p->s.k, p->s.d, p->s.a, p->s.b, p->s.c, major(p->s.a_col),
                    major(!p->s.b_row), major(p->c_col), major(p->d_col), p->more, row, col,
                    (unsigned long long)get(&d, row, col), (unsigned long long)want);
        }
}

static void run_on(struct rig *r, const struct product *p, uint8_t data[4][BYTES], uint8_t got[4][BYTES]) {
    struct sb text = {0};
    kernel_text(&text, p);
    if (hd_module_load(r->dev, "wmma.ptx", text.text, 0, &r->mod))
        fail_msg("%s\n%s", hd_error(r->dev), text.text);
    uint64_t addr = rig_in(r, data, 4 * BYTES);
    RUN(r, "k", LAUNCH(.block = {32}), PTR(addr));
    rig_out(r, addr, got, 4 * BYTES);
    sb_free(&text);
}

static void fill_all(const struct product *p, uint8_t data[4][BYTES]) {
    fill(data[0], p->s.a, 1);
    fill(data[1], p->s.b, 2);
    fill(data[2], p->s.c, 3);
    memset(data[3], 0, BYTES);
}

static void check(const struct product *p) {
    static uint8_t data[4][BYTES], got[4][BYTES];
    struct rig r;
    fill_all(p, data);
    rig_device(&r);
    run_on(&r, p, data, got);
    compare(p, data, got[3]);
    rig_close(&r);
}

/* All layouts, dense and with rows farther apart. */
static void check_layouts(struct ref_mma s, bool any_factor) {
    for (unsigned layout = 0; layout < 16; layout++) {
        if (!any_factor && layout & 3) continue;
        struct product p = {.s = s, .c_col = layout & 4, .d_col = layout & 8};
        p.s.a_col = layout & 1, p.s.b_row = layout & 2;
        check(&p);
        p.more = ref_mma_bits(s.a) < 8 ? 128 / ref_mma_bits(s.a) : 16;
        p.shared = layout % 3 == 0;
        check(&p);
    }
}

static const unsigned square_and_long[3][2] = {{16, 16}, {32, 8}, {8, 32}};

static void halves(void **state) {
    (void)state;
    static const char *const acc[] = {"f16", "f32"};
    for (int k = 0; k < 3; k++)
        for (int t = 0; t < 8; t++)
            check_layouts((struct ref_mma){.m = square_and_long[k][0],
                                           .n = square_and_long[k][1],
                                           .k = 16,
                                           .a = "f16",
                                           .b = "f16",
                                           .c = acc[t & 1],
                                           .d = acc[t >> 1 & 1],
                                           .sat = t & 4},
                          true);
}

static void bf16_tf32_and_f64(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++)
        check_layouts((struct ref_mma){.m = square_and_long[k][0],
                                       .n = square_and_long[k][1],
                                       .k = 16,
                                       .a = "bf16",
                                       .b = "bf16",
                                       .c = "f32",
                                       .d = "f32"},
                      true);
    check_layouts(
        (struct ref_mma){.m = 16, .n = 16, .k = 8, .a = "tf32", .b = "tf32", .c = "f32", .d = "f32"}, true);
    check_layouts((struct ref_mma){.m = 8, .n = 8, .k = 4, .a = "f64", .b = "f64", .c = "f64", .d = "f64"},
                  true);
}

static void integers_and_bits(void **state) {
    (void)state;
    static const char *const bytes[] = {"s8", "u8"}, *const nibbles[] = {"s4", "u4"};
    for (int t = 0; t < 4; t++) {
        for (int k = 0; k < 3; k++)
            check_layouts((struct ref_mma){.m = square_and_long[k][0],
                                           .n = square_and_long[k][1],
                                           .k = 16,
                                           .a = bytes[t & 1],
                                           .b = bytes[t & 1],
                                           .c = "s32",
                                           .d = "s32",
                                           .sat = t & 2},
                          true);
        check_layouts((struct ref_mma){.m = 8,
                                       .n = 8,
                                       .k = 32,
                                       .a = nibbles[t & 1],
                                       .b = nibbles[t & 1],
                                       .c = "s32",
                                       .d = "s32",
                                       .sat = t & 2},
                      false);
    }
    for (int t = 0; t < 2; t++)
        check_layouts(
            (struct ref_mma){
                .m = 8, .n = 8, .k = 128, .a = "b1", .b = "b1", .c = "s32", .d = "s32", .bits_and = t},
            false);
}

static void every_mechanism_gives_the_same(void **state) {
    (void)state;
    static uint8_t data[4][BYTES], got[4][BYTES];
    const struct product p = {
        .s = {.m = 32, .n = 8, .k = 16, .a = "f16", .b = "f16", .c = "f16", .d = "f32", .a_col = true},
        .more = 16,
        .c_col = true};
    fill_all(&p, data);
    for (const struct mech_ops *const *m = mech_list; *m; m++) {
        struct rig r;
        timed_device(&r, &(struct timed_machine){.config = "tiny", .mech = (*m)->name});
        run_on(&r, &p, data, got);
        compare(&p, data, got[3]);
        rig_close(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves),
        cmocka_unit_test(bf16_tf32_and_f64),
        cmocka_unit_test(integers_and_bits),
        cmocka_unit_test(every_mechanism_gives_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
