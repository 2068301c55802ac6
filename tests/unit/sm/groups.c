/* Parts of a warp, by closed forms: which beats of an issue have a thread at all (HARP equations 1 and 2), which lanes are
 * coalesced together, which go to shared memory together. */
#include "unit/sm/rig.h"

/* ---- lane activity by SIMD-wide cycles ---- */

/* n additions, of lanes for whom (lane & test) == 0; all run the rest. */
static struct machine additions(uint32_t n, uint32_t test) {
    struct sb text = {0};
    sb_add(&text,
           HEAD ".visible .entry k() {\n.reg .u32 %%r<3>; .reg .pred %%p;\nmov.u32 %%r1, %%laneid;\n"
                "and.b32 %%r2, %%r1, %u; setp.ne.u32 %%p, %%r2, 0; @%%p bra E;\n",
           test);
    for (uint32_t k = 0; k < n; k++) sb_add(&text, "add.u32 %%r1, %%r1, 1;\n");
    sb_add(&text, "E: exit;\n}\n");
    struct machine x = machine_load(text.text);
    sb_free(&text);
    return x;
}

/* What a hundred of the additions take: threads, lanes of the cycles with an active lane, cycles without one. */
struct taken {
    uint64_t threads, slots, vacant;
};
static struct taken hundred(const char *mech, uint32_t threads, uint32_t test, int64_t width) {
    struct taken t[2];
    for (uint32_t k = 0; k < 2; k++) {
        struct machine x = additions(50 + 100 * k, test);
        x.o.sm.simd_width = width;
        machine_ok(&x, mech, "k", 1, threads, NULL);
        t[k] = (struct taken){x.s.sm.thread_insts, x.s.sm.lane_slots - x.s.sm.vacant_slots,
                              x.s.sm.vacant_cycles};
        machine_free(&x);
    }
    return (struct taken){t[1].threads - t[0].threads, t[1].slots - t[0].slots, t[1].vacant - t[0].vacant};
}

/* Equation 2 counts cycles of the SIMD group: 24 threads are 16 and 8 lanes, whether they are one warp or two. */
static void a_part_of_a_warp_without_threads_is_no_cycle(void **state) {
    (void)state;
    static const char *const mechs[] = {"pdom", "dwf", "harp", "lwm", "mimd", "sbi+swi"};
    for (size_t m = 0; m < sizeof mechs / sizeof *mechs; m++)
        for (int64_t width = 4; width <= 32; width *= 2)
            for (uint32_t threads = 4; threads <= 32; threads += 4) {
                const struct taken t = hundred(mechs[m], threads, 0, width);
                const uint64_t parts = (threads + (uint64_t)width - 1) / (uint64_t)width;
                assert_int_equal(t.threads, 100 * threads);
                assert_int_equal(t.slots, 100 * parts * (uint64_t)width);
            }
}

static void beats_of_idle_halves_are_vacant(void **state) {
    (void)state;
    struct taken t = hundred("pdom", 32, 16, 16); /* the lower half: 16 of 16 lanes, and an empty beat */
    assert_int_equal(t.threads, 100 * 16);
    assert_int_equal(t.slots, 100 * 16);
    assert_int_equal(t.vacant, 100);
    t = hundred("pdom", 32, 1, 16); /* every other lane: both halves have some */
    assert_int_equal(t.slots, 100 * 32);
    assert_int_equal(t.vacant, 0);
    t = hundred("pdom", 32, 24, 8); /* lanes 0 to 7: one of four parts */
    assert_int_equal(t.slots, 100 * 8);
    assert_int_equal(t.vacant, 300);
    t = hundred("harp", 32, 16, 16); /* warps as wide as the SIMD group have no such beats */
    assert_int_equal(t.slots, 100 * 16);
    assert_int_equal(t.vacant, 0);
}

/* ---- coalescing ---- */

/* Requests of one load, of thread t at byte t * stride, by lines of 128 bytes, in parts of so many lanes; 0: all. */
static uint64_t requests(const char *mech, const char *type, uint32_t stride, int64_t lanes) {
    struct sb text = {0};
    sb_add(&text,
           HEAD ".visible .entry k(.param .u64 p) {\n.reg .u64 %%a, %%o; .reg .%s %%v; .reg .u32 %%t;\n"
                "ld.param.u64 %%a, [p]; mov.u32 %%t, %%laneid; mul.wide.u32 %%o, %%t, %u;\n"
                "add.u64 %%a, %%a, %%o; ld.global.%s %%v, [%%a];\nexit;\n}\n",
           type, stride, type);
    struct machine x = machine_load(text.text);
    x.m.l1d.line = 128;
    if (lanes) x.o.sm.simd_width = lanes;
    if (lanes) x.o.sm.coalesce = SM_COALESCE_SIMD;
    const uint64_t p = rig_buf(&x.r, 4096, "words");
    machine_ok(&x, mech, "k", 1, 32, &p);
    const uint64_t lines = x.s.sm.memory_lines;
    machine_free(&x);
    sb_free(&text);
    return lines;
}

static void a_line_that_two_parts_want_is_asked_for_twice(void **state) {
    (void)state;
    assert_int_equal(requests("pdom", "u32", 4, 0), 1); /* 128 bytes: a line */
    assert_int_equal(requests("pdom", "u32", 4, 32), 1);
    assert_int_equal(requests("pdom", "u32", 4, 16), 2);
    assert_int_equal(requests("pdom", "u32", 4, 8), 4);
    assert_int_equal(requests("pdom", "u32", 0, 0), 1); /* one word for all */
    assert_int_equal(requests("pdom", "u32", 0, 16), 2);
    assert_int_equal(requests("pdom", "u32", 0, 1), 32);
    assert_int_equal(requests("pdom", "u64", 8, 0), 2); /* a line each: nothing to share */
    assert_int_equal(requests("pdom", "u64", 8, 16), 2);
    assert_int_equal(requests("pdom", "u32", 128, 16), 32);
}

/* What the option is for: HARP's warps are 16 threads wide, so that others must not coalesce more at once. */
static void every_mechanism_asks_alike_by_parts_of_the_simd_width(void **state) {
    (void)state;
    static const char *const mechs[] = {"pdom", "dwf", "harp", "lwm", "mimd", "sbi+swi", "dws"};
    for (size_t m = 0; m < sizeof mechs / sizeof *mechs; m++) {
        assert_int_equal(requests(mechs[m], "u32", 4, 16), 2);
        assert_int_equal(requests(mechs[m], "u32", 0, 16), 2);
        assert_int_equal(requests(mechs[m], "u32", 128, 16), 32);
    }
    assert_int_equal(requests("harp", "u32", 0, 0), 2);
}

/* ---- shared memory ---- */

struct shared {
    uint64_t cycles, conflicts;
};
/* Ten loads of thread t from word t * stride. */
static struct shared loads(const char *mech, uint32_t stride, int64_t banks, int64_t lanes) {
    struct shared s[2];
    for (uint32_t k = 0; k < 2; k++) {
        struct machine x = shared_load(SHARED_READ, 10 + 10 * k, stride);
        x.o.sm.shared_banks = banks;
        x.o.sm.shared_lanes = lanes;
        machine_ok(&x, mech, "k", 1, 32, NULL);
        s[k] = (struct shared){x.cycles, x.s.sm.shared_conflict_cycles};
        machine_free(&x);
    }
    return (struct shared){s[1].cycles - s[0].cycles, s[1].conflicts - s[0].conflicts};
}

/* A load without conflict is back after depth - 1 cycles to the memory stage and 4 there; each cycle the banks need beyond
 * the first is one more. Half warps take turns: that is no conflict. */
static void half_warps_are_served_one_after_the_other(void **state) {
    (void)state;
    const uint64_t none = 10 * (8 - 1 + 4);
    struct shared s = loads("pdom", 1, 32, 0);
    assert_int_equal(s.cycles, none);
    s = loads("pdom", 1, 16, 16); /* words 0 to 15, then 16 to 31, on 16 banks */
    assert_int_equal(s.cycles, none + 10);
    assert_int_equal(s.conflicts, 0);
    s = loads("pdom", 1, 16, 0); /* as many cycles, but as a conflict */
    assert_int_equal(s.cycles, none + 10);
    assert_int_equal(s.conflicts, 10);
    s = loads("pdom", 2, 16, 16); /* two words of each bank in either half */
    assert_int_equal(s.cycles, none + 30);
    assert_int_equal(s.conflicts, 20);
    s = loads("pdom", 0, 16, 16); /* one word for all: once for each half */
    assert_int_equal(s.cycles, none + 10);
    s = loads("pdom", 0, 16, 0);
    assert_int_equal(s.cycles, none);
    s = loads("mimd", 1, 16, 16);
    assert_int_equal(s.cycles, none + 10);
}

/* HARP's two warps of 16: each load is one group, and the second waits for the first. */
static void warps_of_half_the_width_are_one_group_each(void **state) {
    (void)state;
    const struct shared by_halves = loads("harp", 2, 16, 16), at_once = loads("harp", 2, 16, 0);
    assert_int_equal(by_halves.cycles, at_once.cycles);
    assert_int_equal(by_halves.conflicts, 2 * 10);
    assert_int_equal(at_once.conflicts, 2 * 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_of_a_warp_without_threads_is_no_cycle),
        cmocka_unit_test(beats_of_idle_halves_are_vacant),
        cmocka_unit_test(a_line_that_two_parts_want_is_asked_for_twice),
        cmocka_unit_test(every_mechanism_asks_alike_by_parts_of_the_simd_width),
        cmocka_unit_test(half_warps_are_served_one_after_the_other),
        cmocka_unit_test(warps_of_half_the_width_are_one_group_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
