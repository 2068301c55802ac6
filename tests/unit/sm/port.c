/* Replay (SL 4.2) on the SM: of 32 threads each issue of an access serves one line, or those who find their banks free. So a
 * load issues as often as it wants lines, or as its busiest bank has words; who is served later repeats it each time before. */
#include "mech/minpc/minpc.h"
#include "unit/sm/rig.h"

enum { ROWS = 16 };

/* min(SP:PC) with minpc.replay. */
struct replaying {
    struct mech_ops ops;
    struct mech_param row[ROWS];
};

static void replaying(struct replaying *r, struct machine *x) {
    r->ops = *mech_find("minpc");
    for (int k = 0; k < ROWS; k++) {
        r->row[k] = r->ops.params[k];
        if (!r->row[k].key) break;
        if (!strcmp(r->row[k].key, "replay")) r->row[k].def = 1;
    }
    r->ops.params = r->row;
    x->mech = &r->ops;
    x->audit = true;
}

static uint64_t counter(const struct machine *x, const char *key) {
    const struct mech_counter *c = mech_find("minpc")->counters;
    for (uint32_t k = 0; c[k].key; k++)
        if (!strcmp(c[k].key, key)) return x->ms.extra[k];
    fail_msg("minpc has no counter %s", key);
    return 0;
}

/* The access took `turns` issues, each but the last serving `each` of the 32 threads. */
static void expect_turns(const struct machine *x, uint32_t turns, uint32_t each) {
    uint64_t repeated = 0;
    for (uint32_t k = 1; k < turns; k++) repeated += 32 - k * each;
    assert_int_equal(counter(x, "replays"), turns - 1);
    assert_int_equal(counter(x, "replayed"), repeated);
}

/* Thread t reads the word at byte t * stride. */
static struct machine global_load(uint32_t stride, const char *guard) {
    struct sb text = {0};
    sb_add(&text,
           HEAD
           ".visible .entry k(.param .u64 p) {\n.reg .u64 %%a, %%o; .reg .u32 %%t, %%b; .reg .pred %%p;\n"
           "ld.param.u64 %%a, [p]; mov.u32 %%t, %%tid.x; mul.wide.u32 %%o, %%t, %u; add.u64 %%a, %%a, "
           "%%o;\nand.b32 %%b, %%t, 1; setp.eq.u32 %%p, %%b, 1;\n%s ld.global.u32 %%b, [%%a];\n"
           "add.u32 %%b, %%b, 1; exit;\n}\n",
           stride, guard);
    struct machine x = machine_load(text.text);
    sb_free(&text);
    return x;
}

static void each_issue_of_a_load_serves_a_line(void **state) {
    (void)state;
    for (int scoreboard = 0; scoreboard < 2; scoreboard++)
        for (uint32_t stride = 4; stride <= 256; stride *= 2) {
            struct machine x = global_load(stride, "");
            struct replaying r;
            replaying(&r, &x);
            x.o.sm.issue = scoreboard ? SM_SCOREBOARD : SM_BARREL;
            const uint64_t p = rig_buf(&x.r, 32 * 256, "in");
            const uint32_t line = (uint32_t)x.m.l1d.line, each = stride < line ? line / stride : 1;
            machine_ok(&x, NULL, "k", 1, 32, &p);
            expect_turns(&x, each < 32 ? 32 / each : 1, each);
            machine_free(&x);
        }
}

/* Half of the threads do not load, so they do not lose either: 16 lines, and the even threads wait for no other. */
static void who_does_not_access_memory_repeats_nothing(void **state) {
    (void)state;
    struct machine x = global_load(256, "@%p");
    struct replaying r;
    replaying(&r, &x);
    const uint64_t p = rig_buf(&x.r, 32 * 256, "in");
    machine_ok(&x, NULL, "k", 1, 32, &p);
    assert_int_equal(counter(&x, "replays"), 15);
    assert_int_equal(counter(&x, "replayed"), 15 * 16 / 2);
    machine_free(&x);
}

/* With a stride of 2^k words 2^k threads want different words of one bank, until there is one bank for all. */
static void each_issue_serves_a_word_of_each_bank(void **state) {
    (void)state;
    for (uint32_t stride = 1; stride <= 32; stride *= 2) {
        struct machine x = shared_load(SHARED_READ, 1, stride);
        struct replaying r;
        replaying(&r, &x);
        assert_int_equal(x.o.sm.shared_banks, 32);
        machine_ok(&x, NULL, "k", 1, 32, NULL);
        expect_turns(&x, stride, 32 / stride);
        machine_free(&x);
    }
}

/* All threads at one word, in shared memory, repeat nothing. */
static void one_word_serves_everybody(void **state) {
    (void)state;
    struct machine x = shared_load(SHARED_READ, 1, 0);
    struct replaying r;
    replaying(&r, &x);
    machine_ok(&x, NULL, "k", 1, 32, NULL);
    assert_int_equal(counter(&x, "replays"), 0);
    machine_free(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_issue_of_a_load_serves_a_line),
        cmocka_unit_test(who_does_not_access_memory_repeats_nothing),
        cmocka_unit_test(each_issue_serves_a_word_of_each_bank),
        cmocka_unit_test(one_word_serves_everybody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
