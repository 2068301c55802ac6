/* Whole kernels: recursion, calls and branches through tables, odd control flow, what the simulator serves
 * (printf, malloc, assertions). The CPU computes what each thread must have. */
#include "kernels/harness.h"

static uint32_t fib(uint32_t n) {
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
static uint32_t ackermann(uint32_t m, uint32_t n) {
    if (m == 0) return n + 1;
    return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

static void every_thread_recurses_to_its_own_depth(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, "recursion.ptx");
    uint32_t got[80], want[80];
    for (uint32_t i = 0; i < 80; i++) want[i] = fib(i % 40 % 13);
    uint64_t d = rig_zero(&r, sizeof got);
    RUN(&r, "fibonacci", LAUNCH(.grid = {2}, .block = {40}), PTR(d));
    rig_out(&r, d, got, sizeof got);
    same_u32("fib", got, want, 80);
    assert_true(rig_stat(&r, "exec.calls") > 80);

    for (uint32_t i = 0; i < 24; i++) want[i] = ackermann(i % 3, i / 3);
    RUN(&r, "ackermann_kernel", LAUNCH(.block = {24}), PTR(d));
    rig_out(&r, d, got, sizeof got);
    same_u32("ackermann", got, want, 24);
    rig_close(&r);
}

static void mutual_recursion_counts_through_a_pointer_into_the_frame(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, "recursion.ptx");
    uint32_t got[64], want[64];
    for (uint32_t i = 0; i < 64; i++) want[i] = (i + 1) << 1 | (i % 2 == 0);
    uint64_t d = rig_zero(&r, sizeof got);
    RUN(&r, "mutual", LAUNCH(.block = {64}), PTR(d));
    rig_out(&r, d, got, sizeof got);
    same_u32("even", got, want, 64);
    rig_close(&r);
}

struct node {
    int32_t left, right, value;
};
static int32_t tree_sum(const struct node *t, int32_t i, int32_t depth) {
    if (i < 0) return 0;
    return t[i].value * depth + tree_sum(t, t[i].left, depth + 1) + tree_sum(t, t[i].right, depth + 1);
}

static void trees_are_walked_recursively(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, "recursion.ptx");
    struct node t[63];
    int32_t root[40], got[40], want[40];
    for (int i = 0; i < 63; i++) /* a heap with some branches cut */
        t[i] = (struct node){i % 5 == 2 || 2 * i + 1 > 62 ? -1 : 2 * i + 1, 2 * i + 2 > 62 ? -1 : 2 * i + 2,
                             i * i - 40};
    for (int i = 0; i < 40; i++) {
        root[i] = i * 3 % 64 - 1;
        want[i] = tree_sum(t, root[i], 1);
    }
    uint64_t dt = rig_in(&r, t, sizeof t), dr = rig_in(&r, root, sizeof root), d = rig_zero(&r, sizeof got);
    RUN(&r, "tree", LAUNCH(.block = {40}), PTR(d), PTR(dt), PTR(dr));
    rig_out(&r, d, got, sizeof got);
    same_u32("sum", got, want, 40);
    rig_close(&r);
}

static void each_lane_calls_its_own_function(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, "recursion.ptx");
    int32_t choice[96], got[96], want[96];
    for (int i = 0; i < 96; i++) {
        choice[i] = i < 32 ? i : i < 64 ? 2 : i / 3;
        int c = choice[i] & 3;
        want[i] = c == 0 ? i + 7 : c == 1 ? i - 7 : c == 2 ? i * 7 : (int32_t)fib((uint32_t)i % 8) + 7;
    }
    uint64_t dc = rig_in(&r, choice, sizeof choice), d = rig_zero(&r, sizeof got);
    RUN(&r, "indirect", LAUNCH(.grid = {2}, .block = {48}), PTR(d), PTR(dc));
    rig_out(&r, d, got, sizeof got);
    same_u32("result", got, want, 96);
    rig_close(&r);
}

struct big {
    int32_t v[9];
    float f;
};

static void structs_pass_by_value_into_and_out_of_functions(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, "recursion.ptx");
    struct big b = {{1, 2, 3, 4, 5, 6, 7, 8, 9}, 21.25f};
    int32_t got[36], want[36];
    for (int i = 0; i < 36; i++) {
        want[i] = 0;
        for (int k = 0; k < 9; k++) want[i] = want[i] * 10 + b.v[(k + i) % 9];
        want[i] += 42;
    }
    uint64_t d = rig_zero(&r, sizeof got);
    RUN(&r, "struct_calls", LAUNCH(.block = {36}), PTR(d), hd_arg_bytes(&b, sizeof b));
    rig_out(&r, d, got, sizeof got);
    same_u32("digits", got, want, 36);
    rig_close(&r);
}

static void endless_recursion_is_a_stack_overflow(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, "recursion.ptx");
    hd_arg a = PTR(rig_zero(&r, 4));
    rig_fails(&r, "overflow", LAUNCH(.block = {1}), &a, 1, HD_FAULT, TEXTS("stack", "overflow", "(0,0,0)"));
    rig_close(&r);
}

/* ---- by hand: branches.ptx ---- */

static void indexed_branches_take_every_target(void **state) {
    (void)state;
    static const uint32_t table[] = {10, 21, 132, 100, 0, 0};
    struct rig r;
    rig_open(&r, "branches.ptx");
    uint32_t in[64], got[64], want[64];
    for (uint32_t i = 0; i < 64; i++) {
        in[i] = i < 32 ? i * 7 % 6 : 2; /* the first warp diverges, the second does not */
        want[i] = table[in[i]];
    }
    uint64_t din = rig_in(&r, in, sizeof in), d = rig_zero(&r, sizeof got);
    RUN(&r, "switch_table", LAUNCH(.block = {64}), PTR(d), PTR(din));
    rig_out(&r, d, got, sizeof got);
    same_u32("case", got, want, 64);
    rig_close(&r);
}

static void calls_by_prototype_and_by_target_list(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, "branches.ptx");
    uint32_t got[40], want[40];
    for (uint32_t i = 0; i < 40; i++) want[i] = (i > 20 ? i * i : 2 * i) + (i & 1 ? i * i : 2 * i);
    uint64_t d = rig_zero(&r, sizeof got);
    RUN(&r, "indirect_calls", LAUNCH(.block = {40}), PTR(d));
    rig_out(&r, d, got, sizeof got);
    same_u32("sum", got, want, 40);
    rig_close(&r);
}

static uint32_t two_entries(uint32_t i) {
    uint32_t a = 0, b = i;
    if (i & 1) goto B;
A:
    a += 3;
    if (a > 40) return b;
B:
    b *= 5;
    a++;
    b += a;
    if (a < 50) goto A;
    return b;
}

static void a_loop_with_two_entries(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, "branches.ptx");
    uint32_t got[50], want[50];
    for (uint32_t i = 0; i < 50; i++) want[i] = two_entries(i);
    uint64_t d = rig_zero(&r, sizeof got);
    RUN(&r, "irreducible", LAUNCH(.block = {50}), PTR(d));
    rig_out(&r, d, got, sizeof got);
    same_u32("value", got, want, 50);
    rig_close(&r);
}

static void a_jump_from_one_arm_into_the_other(void **state) {
    (void)state;
    static const uint32_t value[] = {11, 111, 107, 107};
    struct rig r;
    rig_open(&r, "branches.ptx");
    uint32_t got[50], want[50];
    for (uint32_t i = 0; i < 50; i++) want[i] = value[i & 3] * 2 + (i & 3);
    uint64_t d = rig_zero(&r, sizeof got);
    RUN(&r, "across", LAUNCH(.block = {50}), PTR(d));
    rig_out(&r, d, got, sizeof got);
    same_u32("value", got, want, 50);
    rig_close(&r);
}

static void threads_exit_from_within_an_endless_loop(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, "branches.ptx");
    uint32_t got[70], want[70];
    for (uint32_t i = 0; i < 70; i++) want[i] = i + 1;
    uint64_t d = rig_zero(&r, sizeof got);
    RUN(&r, "exits_inside", LAUNCH(.block = {70}), PTR(d));
    rig_out(&r, d, got, sizeof got);
    same_u32("rounds", got, want, 70);
    rig_close(&r);
}

/* By whole texels, as tex1Dfetch does: past the end is zero. */
static void a_bound_texture_reference_is_read(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, "branches.ptx");
    float texel[32], got[40], want[40];
    for (int i = 0; i < 32; i++) texel[i] = (float)i * 1.5f;
    for (int i = 0; i < 40; i++) want[i] = i < 32 ? texel[i] : 0;
    hd_texture t = {.addr = rig_in(&r, texel, sizeof texel),
                    .width = 32,
                    .texel = HD_TEXEL_F32,
                    .channels = 1,
                    .mode = {HD_CLAMP, HD_CLAMP, HD_CLAMP}};
    uint64_t handle = 0, d = rig_zero(&r, sizeof got);
    MUST(&r, hd_texture_new(r.dev, &t, &handle));
    MUST(&r, hd_texture_bind(r.mod, "pixels", handle));
    RUN(&r, "texref", LAUNCH(.block = {40}), PTR(d));
    rig_out(&r, d, got, sizeof got);
    same_u32("texel", got, want, 40);
    rig_close(&r);
}

/* ---- served by the simulator ---- */

static void kernels_print_in_thread_order(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, "system.ptx");
    RUN(&r, "print", LAUNCH(.grid = {2}, .block = {2}), hd_arg_s32(3));
    assert_string_equal(r.printed, "thread 0:   0.00 [text] -1 %\n"
                                   "thread 1:   1.50 [text] -2 %\n"
                                   "thread 2:   3.00 [text] -3 %\n");
    rig_close(&r);
}

static void threads_allocate_and_free(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, "system.ptx");
    uint32_t got[100], want[100] = {0};
    for (uint32_t i = 0; i < 100; i++)
        for (uint32_t k = 0; k <= i % 7; k++) want[i] += i + k;
    uint64_t d = rig_zero(&r, sizeof got);
    RUN(&r, "lists", LAUNCH(.grid = {2}, .block = {50}), PTR(d));
    rig_out(&r, d, got, sizeof got);
    same_u32("sum", got, want, 100);
    uint64_t null[4] = {0}, pointer[4];
    MUST(&r, hd_set(r.dev, d, 0xff, sizeof pointer));
    RUN(&r, "malloc_fails", LAUNCH(.block = {4}), PTR(d));
    rig_out(&r, d, pointer, sizeof pointer);
    same_u64("pointer", pointer, null, 4);
    rig_close(&r);
}

static void a_failed_assertion_stops_the_launch(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, "system.ptx");
    int32_t in[64] = {0};
    in[45] = -1;
    hd_arg a = PTR(rig_in(&r, in, sizeof in));
    rig_fails(&r, "assertion", LAUNCH(.grid = {2}, .block = {32}), &a, 1, HD_FAULT,
              TEXTS("in[i] >= 0", "system.cu", "44", "assertion", "(1,0,0)", "(13,0,0)"));
    in[45] = 0;
    MUST(&r, hd_copy_in(r.dev, a.v.u, in, sizeof in));
    RUN(&r, "assertion", LAUNCH(.grid = {2}, .block = {32}), a); /* the device is usable after a fault */
    rig_close(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_thread_recurses_to_its_own_depth),
        cmocka_unit_test(mutual_recursion_counts_through_a_pointer_into_the_frame),
        cmocka_unit_test(trees_are_walked_recursively),
        cmocka_unit_test(each_lane_calls_its_own_function),
        cmocka_unit_test(structs_pass_by_value_into_and_out_of_functions),
        cmocka_unit_test(endless_recursion_is_a_stack_overflow),
        cmocka_unit_test(indexed_branches_take_every_target),
        cmocka_unit_test(calls_by_prototype_and_by_target_list),
        cmocka_unit_test(a_loop_with_two_entries),
        cmocka_unit_test(a_jump_from_one_arm_into_the_other),
        cmocka_unit_test(threads_exit_from_within_an_endless_loop),
        cmocka_unit_test(a_bound_texture_reference_is_read),
        cmocka_unit_test(kernels_print_in_thread_order),
        cmocka_unit_test(threads_allocate_and_free),
        cmocka_unit_test(a_failed_assertion_stops_the_launch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
