/* Instruction fetch on a cold cache, with and without prefetch along the stream: closed forms for straight-line code. */
#include "unit/sm/rig.h"

enum {
    PER_LINE = 16,         /* instructions of 8 bytes in a line of 128 */
    ISSUES = PER_LINE * 8, /* cycles of a line's instructions under barrel with a depth of 8 */
    MORE = 60,             /* lines; a multiple of two to five */
    HIT = 2,               /* l1i.latency */
};

/* `lines` lines of additions, each on the result of the one before; the last holds the exit. */
static struct machine straight(uint32_t lines, int64_t prefetch) {
    struct sb text = {0};
    sb_add(&text, "%s", HEAD ".visible .entry k() {\n.reg .u32 %r;\nmov.u32 %r, %laneid;\n");
    for (uint32_t k = 0; k < lines * PER_LINE - 2; k++) sb_add(&text, "add.u32 %%r, %%r, 1;\n");
    sb_add(&text, "exit;\n}\n");
    struct machine x = machine_load(text.text);
    x.o.sm.ideal_fetch = false;
    x.o.sm.prefetch = prefetch;
    x.m.memory.ideal = false;
    x.m.dram.ideal = true;
    x.m.l1i.ideal = false;
    x.m.l1i.line = x.m.l2.line = 128;
    x.m.l1i.latency = HIT;
    x.m.l2.latency = 600; /* longer than a line's instructions take */
    x.m.clock.noc = x.m.clock.l2 = x.m.clock.dram = x.m.clock.core;
    sb_free(&text);
    return x;
}

struct cold {
    uint64_t more; /* cycles that MORE lines take */
    uint64_t miss; /* the longest that one was on its way */
    struct sm_core_stats s;
};

static struct cold cold(int64_t prefetch) {
    uint64_t cycles[2];
    struct cold c = {0};
    for (uint32_t k = 0; k < 2; k++) {
        struct machine x = straight(20 + MORE * k, prefetch);
        machine_ok(&x, "pdom", "k", 1, 32, NULL);
        cycles[k] = x.cycles;
        c.miss = x.mem.load.latency_max;
        c.s = x.s.sm;
        machine_free(&x);
    }
    c.more = cycles[1] - cycles[0];
    return c;
}

static void without_prefetch_every_line_is_waited_for(void **state) {
    (void)state;
    const struct cold c = cold(0);
    assert_int_equal(c.more, MORE * (ISSUES + c.miss));
    assert_int_equal(c.s.fetch_stalls, 20 + MORE);
    assert_int_equal(c.s.prefetches + c.s.useful_prefetches + c.s.late_prefetches, 0);
}

/* N lines ahead: a line is asked for in the cycle after the split has got to the Nth before it. So N + 1 lines take no less
 * than a miss, that cycle and the instructions of one of them; and no less than their own instructions and hits. */
static void a_line_is_asked_for_when_the_split_gets_to_the_nth_before(void **state) {
    (void)state;
    const uint64_t miss = cold(0).miss;
    for (int64_t n = 1; n <= 4; n++) {
        const struct cold c = cold(n);
        const uint64_t lines = (uint64_t)n + 1, late = miss + 1 + ISSUES, own = lines * (ISSUES + HIT);
        assert_int_equal(c.more, MORE / lines * (late > own ? late : own));
        assert_int_equal(c.s.late_prefetches > 0, late > own);
    }
}

static void prefetch_hides_the_misses_of_straight_line_code(void **state) {
    (void)state;
    const struct cold c = cold(8);
    assert_int_equal(c.more, MORE * (ISSUES + HIT));
    assert_int_equal(c.s.prefetches, 20 + MORE - 1); /* all lines but the first, each once */
    assert_int_equal(c.s.useful_prefetches, 20 + MORE - 1);
    assert_int_equal(c.s.late_prefetches, 0);
    assert_int_equal(c.s.fetch_stalls, 1);
}

/* A loop that stays in one line has the rest of the code fetched, once, and never uses it. */
static void lines_nobody_comes_to_are_not_useful(void **state) {
    (void)state;
    struct sb text = {0};
    sb_add(&text, "%s",
           HEAD ".visible .entry k() {\n.reg .u32 %r; .reg .pred %p;\nmov.u32 %r, 0;\n"
                "L: add.u32 %r, %r, 1;\nsetp.lt.u32 %p, %r, 500;\n@%p bra L;\nexit;\n");
    for (uint32_t k = 0; k < 10 * PER_LINE; k++) sb_add(&text, "add.u32 %%r, %%r, 1;\n");
    sb_add(&text, "exit;\n}\n");
    struct machine off = straight(1, 0), x = machine_load(text.text);
    x.o = off.o;
    x.m = off.m;
    x.o.sm.prefetch = 4;
    machine_ok(&x, "pdom", "k", 1, 32, NULL);
    assert_int_equal(x.s.sm.prefetches, 4);
    assert_int_equal(x.s.sm.useful_prefetches, 0);
    sb_free(&text);
    machine_free(&off);
    machine_free(&x);
}

static void sleeping_and_ticking_agree_with_prefetch(void **state) {
    (void)state;
    for (int64_t n = 0; n <= 8; n += 4) {
        struct sm_stats s[2];
        uint64_t cycles[2];
        for (int way = 0; way < 2; way++) {
            struct machine x = straight(12, n);
            x.m.l1i.mshrs = 2; /* refusals too */
            x.tick_all = way;
            machine_ok(&x, "pdom", "k", 4, 96, NULL);
            s[way] = x.s;
            cycles[way] = x.cycles;
            machine_free(&x);
        }
        assert_int_equal(cycles[0], cycles[1]);
        assert_memory_equal(&s[0], &s[1], sizeof s[0]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_prefetch_every_line_is_waited_for),
        cmocka_unit_test(a_line_is_asked_for_when_the_split_gets_to_the_nth_before),
        cmocka_unit_test(prefetch_hides_the_misses_of_straight_line_code),
        cmocka_unit_test(lines_nobody_comes_to_are_not_useful),
        cmocka_unit_test(sleeping_and_ticking_agree_with_prefetch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
