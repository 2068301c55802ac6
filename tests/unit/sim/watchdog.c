/* Launches that never end are found out, in either mode and under every mechanism, within a second; launches that end are never
 * called deadlocks, however long they take and whatever they seem to wait for. */
#include <stdio.h>

#include "kernels/harness.h"
#include "mech/mech.h"

struct test {
    const char *body;
    uint32_t grid, block;
    const uint32_t *word;   /* what the buffer holds at first; NULL: zeros */
    const char *option[16]; /* key, value, ..., NULL */
    const char *funcs;      /* before the kernel; NULL: none */
};
enum { WORDS = 4 };
static const uint32_t TAKEN[WORDS] = {1, 0, 0, 0}, LARGE[WORDS] = {7, 7, 7, 7};

/* mech NULL: functional. A kernel of one buffer %a0 of four words, %r0 is the thread. */
static hd_status launch(const char *mech, const struct test *t, struct rig *r, uint32_t after[WORDS]) {
    hd_option o[16] = {{"run.mode", mech ? "timed" : "functional"}, {"run.mech", mech ? mech : "pdom"}};
    size_t n = 2;
    for (const char *const *p = t->option; *p; p += 2) o[n++] = (hd_option){p[0], p[1]};
    memset(r, 0, sizeof *r);
    if (hd_device_open(&(hd_config){.options = o, .noptions = n, .file = "tiny"}, &r->dev))
        fail_msg("%s", r->dev ? hd_error(r->dev) : "no memory");
    char text[4096];
    snprintf(
        text, sizeof text,
        ".version 7.0\n.target sm_70\n.address_size 64\n%s.visible .entry k(.param .u64 out)\n{\n"
        "\t.local .align 4 .b8 own[16];\n\t.reg .b64 %%a<4>;\n\t.reg .b32 %%r<8>;\n\t.reg .pred %%p<4>;\n"
        "\tld.param.u64 %%a0, [out];\n\tmov.u32 %%r0, %%tid.x;\n%s\tret;\n}\n",
        t->funcs ? t->funcs : "", t->body);
    MUST(r, hd_module_load(r->dev, "watchdog.ptx", text, strlen(text), &r->mod));
    uint64_t d = rig_zero(r, WORDS * 4);
    if (t->word) MUST(r, hd_copy_in(r->dev, d, t->word, WORDS * 4));
    hd_status st =
        rig_launch(r, "k", LAUNCH(.grid = {t->grid ? t->grid : 1}, .block = {t->block}), ARGS(PTR(d)));
    if (after) rig_out(r, d, after, WORDS * 4);
    return st;
}

/* Who loops is found without asking the mechanism, so one of each family has to do: a stack, none, regrouping, barriers,
 * tables of splits, priorities. */
static const char *const families[] = {"pdom", "mimd", "dwf", "harp", "mp", "minpc"};
enum { FAMILIES = sizeof families / sizeof *families };

/* In every mode; a mechanism that does not promise progress may be to blame, and then says so. */
static void ends(const struct test *t) {
    struct rig r;
    if (launch(NULL, t, &r, NULL)) fail_msg("functional: %s", hd_error(r.dev));
    rig_close(&r);
    for (size_t m = 0; m < FAMILIES; m++) {
        if (launch(families[m], t, &r, NULL)) fail_msg("%s: %s", families[m], hd_error(r.dev));
        rig_close(&r);
    }
}

static void fails(const char *mech, const struct test *t, const char *text) {
    struct rig r;
    const hd_status st = launch(mech, t, &r, NULL);
    if (st != HD_FAULT || !strstr(hd_error(r.dev), text))
        fail_msg("%s: %s: %s", mech ? mech : "functional", hd_status_name(st), hd_error(r.dev));
    rig_close(&r);
}

static void never_ends(const struct test *t, const char *functional, const char *timed) {
    fails(NULL, t, functional);
    for (size_t m = 0; m < FAMILIES; m++) fails(families[m], t, timed);
}

static const char POLLS[] = "program deadlock: every thread polls memory that no thread will change",
                  SPINS[] = "program deadlock: threads spin, also when every thread gets its turn";

/* ---- launches that never end ---- */

static void a_branch_to_itself(void **state) {
    (void)state;
    never_ends(&(struct test){.body = "L:\n\tbra L;\n", .grid = 3, .block = 64},
               "endless loop: no other thread can end it", SPINS);
}

static void counting_for_ever(void **state) {
    (void)state;
    never_ends(&(struct test){.body = "L:\n\tadd.u32 %r1, %r1, 1;\n\tbra L;\n", .grid = 1, .block = 40},
               "endless loop", SPINS);
}

static void polling_by_plain_loads(void **state) {
    (void)state;
    never_ends(
        &(struct test){.body = "L:\n\tld.global.u32 %r1, [%a0];\n\tsetp.eq.u32 %p0, %r1, 0;\n\t@%p0 bra L;\n",
                       .grid = 2,
                       .block = 40},
        POLLS, SPINS);
}

static const char COUNTED[] = /* a spin lock that counts its attempts, in local memory and in a register */
    "L:\n\tld.local.u32 %r2, [own+4];\n\tadd.u32 %r2, %r2, 1;\n\tst.local.u32 [own+4], %r2;\n\tadd.u32 %r3, "
    "%r3, 2;\n"
    "\tatom.global.cas.b32 %r1, [%a0], 0, 1;\n\tsetp.ne.u32 %p0, %r1, 0;\n\t@%p0 bra L;\n"
    "\tatom.global.exch.b32 %r1, [%a0], 0;\n\tld.local.u32 %r2, [own+4];\n\tst.global.u32 [%a0+4], %r2;\n"
    "\tst.global.u32 [%a0+8], %r3;\n";

static void a_lock_that_nobody_gives_back(void **state) {
    (void)state;
    never_ends(&(struct test){.body = COUNTED, .block = 8, .word = TAKEN}, POLLS, SPINS);
}

static void some_threads_poll_while_others_wait_at_a_barrier(void **state) {
    (void)state;
    never_ends(
        &(struct test){
            "\tsetp.lt.u32 %p1, %r0, 32;\n\t@%p1 bra B;\nL:\n\tld.volatile.global.u32 %r1, [%a0];\n"
            "\tsetp.eq.u32 %p0, %r1, 0;\n\t@%p0 bra L;\nB:\n\tbar.sync 0;\n",
            .grid = 1, .block = 64},
        POLLS, SPINS);
}

static void polling_with_a_back_off(void **state) {
    (void)state;
    never_ends(
        &(struct test){
            "\tmov.u32 %r2, 1;\nL:\n\tmov.u32 %r3, 0;\nD:\n\tadd.u32 %r3, %r3, 1;\n\tsetp.lt.u32 %p1, "
            "%r3, %r2;\n\t@%p1 bra D;\n\tshl.b32 %r2, %r2, 1;\n\tmin.u32 %r2, %r2, 64;\n"
            "\tatom.global.exch.b32 %r1, [%a0], 1;\n\tsetp.ne.u32 %p0, %r1, 0;\n\t@%p0 bra L;\n",
            .grid = 1, .block = 8, .word = TAKEN},
        POLLS, SPINS);
}

/* ---- launches that never end, whose threads meet or write on the way ---- */

static const char LIVELOCK[] =
    "program livelock: every thread goes round a loop that no thread will ever let it leave";

/* Polls a word that stays 0, with something done in each turn. */
#define POLL(what) \
    "L:\n" what "\tld.volatile.global.u32 %r1, [%a0];\n\tsetp.eq.u32 %p0, %r1, 0;\n\t@%p0 bra L;\n"

/* One that goes on for a while, doing the same, and ends. */
#define COUNT(what) "C:\n" what "\tadd.u32 %r7, %r7, 1;\n\tsetp.lt.u32 %p3, %r7, 3000;\n\t@%p3 bra C;\n"

static void livelocks(const char *body) {
    never_ends(&(struct test){.body = body, .grid = 2, .block = 40}, LIVELOCK, SPINS);
}

static void goes_on(const char *body) {
    ends(&(struct test){.body = body, .grid = 2, .block = 40});
}

#define VOTE "\tsetp.ne.u32 %p1, %r0, 99;\n\tvote.sync.all.pred %p2, %p1, -1;\n"
#define EXCHANGE                                                                      \
    "\tshfl.sync.bfly.b32 %r2, %r0, 1, 31, -1;\n\tmatch.any.sync.b32 %r3, %r2, -1;\n" \
    "\tadd.u32 %r4, %r4, %r3;\n"

static void polling_with_votes(void **state) {
    (void)state;
    livelocks(POLL(VOTE));
    goes_on(COUNT(VOTE));
}

/* The vote itself decides, and never as they hope. */
static void polling_by_a_vote(void **state) {
    (void)state;
    livelocks("L:\n\tld.volatile.global.u32 %r1, [%a0];\n\tsetp.ne.u32 %p1, %r1, 0;\n"
              "\tvote.sync.any.pred %p0, %p1, -1;\n\t@!%p0 bra L;\n");
    /* a lane that counts makes it true in the end */
    goes_on("L:\n\tadd.u32 %r1, %r1, %r0;\n\tsetp.gt.u32 %p1, %r1, 9000;\n"
            "\tvote.sync.any.pred %p0, %p1, -1;\n\t@!%p0 bra L;\n");
}

static void polling_with_shuffles_and_matches(void **state) {
    (void)state;
    livelocks(POLL(EXCHANGE));
    goes_on(COUNT(EXCHANGE));
    /* what a shuffle brings is what another lane counts */
    goes_on("\tsetp.eq.u32 %p1, %r0, 3;\nL:\n\t@%p1 add.u32 %r1, %r1, 1;\n"
            "\tshfl.sync.idx.b32 %r2, %r1, 3, 31, -1;\n\tsetp.lt.u32 %p0, %r2, 2000;\n"
            "\tsetp.lt.and.u32 %p0, %r0, 32, %p0;\n\t@%p0 bra L;\n");
}

static void polling_with_the_warp_in_step(void **state) {
    (void)state;
    livelocks(POLL("\tbar.warp.sync -1;\n"));
    goes_on(COUNT("\tbar.warp.sync -1;\n"));
}

static void polling_that_asks_who_runs_beside_it(void **state) {
    (void)state;
    livelocks(POLL("\tactivemask.b32 %r2;\n\tpopc.b32 %r3, %r2;\n\tadd.u32 %r4, %r4, %r3;\n"));
    goes_on(COUNT("\tactivemask.b32 %r2;\n\tpopc.b32 %r3, %r2;\n\tadd.u32 %r4, %r4, %r3;\n"));
}

static void polling_with_a_barrier(void **state) {
    (void)state;
    livelocks(POLL("\tbar.sync 0;\n"));
    livelocks("L:\n\tbar.sync 1;\n\tbra L;\n");
    goes_on(COUNT("\tbar.sync 0;\n"));
    /* whether they go on is what the barrier says */
    livelocks("\tsetp.eq.u32 %p1, %r0, 40;\nL:\n\tbar.red.or.pred %p0, 0, %p1;\n\t@!%p0 bra L;\n");
    goes_on("L:\n\tadd.u32 %r1, %r1, %r0;\n\tsetp.gt.u32 %p1, %r1, 30000;\n"
            "\tbar.red.or.pred %p0, 0, %p1;\n\t@!%p0 bra L;\n");
}

/* One for each thread: 1 while it tries, 0 between. */
static const char TRYING[] =
    "\t.shared .align 4 .b8 flag[256];\n\tmov.u32 %r5, flag;\n\tmad.lo.u32 %r5, %r0, 4, %r5;\nL:\n"
    "\tst.shared.u32 [%r5], 1;\n\tld.volatile.global.u32 %r1, [%a0];\n\tst.shared.u32 [%r5], 0;\n"
    "\tld.shared.u32 %r2, [%r5];\n\tadd.u32 %r1, %r1, %r2;\n\tsetp.eq.u32 %p0, %r1, 0;\n\t@%p0 bra L;\n";

static void polling_that_writes_a_word_of_its_own(void **state) {
    (void)state;
    livelocks(TRYING);
    /* counts there until it is enough */
    goes_on("\t.shared .align 4 .b8 flag[256];\n\tmov.u32 %r5, flag;\n\tmad.lo.u32 %r5, %r0, 4, %r5;\nL:\n"
            "\tld.shared.u32 %r2, [%r5];\n\tadd.u32 %r2, %r2, 1;\n\tst.shared.u32 [%r5], %r2;\n"
            "\tsetp.lt.u32 %p0, %r2, 3000;\n\t@%p0 bra L;\n");
}

/* How often it was tried is added up where all threads see it, but none of them looks. */
static void polling_that_counts_attempts_in_global_memory(void **state) {
    (void)state;
    livelocks(POLL("\tred.global.add.u32 [%a0+4], 1;\n\tst.global.u32 [%a0+8], %r0;\n"));
    /* one looks */
    goes_on("L:\n\tatom.global.add.u32 %r1, [%a0+4], 1;\n\tsetp.lt.u32 %p0, %r1, 30000;\n\t@%p0 bra L;\n");
    goes_on("\tsetp.ne.u32 %p1, %r0, 0;\nL:\n\t@!%p1 red.global.add.u32 [%a0+4], 1;\n"
            "\tld.volatile.global.u32 %r1, [%a0+4];\n\tsetp.lt.u32 %p0, %r1, 2000;\n\t@%p0 bra L;\n");
}

/* The count goes through a function, by parameters in memory. */
static void polling_that_counts_in_a_function(void **state) {
    (void)state;
    static const char next[] = ".func (.param .u32 to) next(.param .u32 from)\n{\n\t.reg .b32 %x;\n"
                               "\tld.param.u32 %x, [from];\n\tadd.u32 %x, %x, 1;\n\tst.param.u32 [to], %x;\n"
                               "\tret;\n}\n";
    static const char call[] =
        "L:\n\t{\n\t.param .u32 a;\n\t.param .u32 b;\n\tst.param.u32 [a], %r3;\n\tcall.uni (b), next, (a);\n"
        "\tld.param.u32 %r3, [b];\n\t}\n";
    char body[1024];
    struct test t = {.body = body, .grid = 2, .block = 40, .funcs = next};
    snprintf(body, sizeof body,
             "%s\tld.volatile.global.u32 %%r1, [%%a0];\n\tsetp.eq.u32 %%p0, %%r1, 0;\n\t@%%p0 bra L;\n"
             "\tst.global.u32 [%%a0+4], %%r3;\n",
             call);
    never_ends(&t, LIVELOCK, SPINS);
    snprintf(body, sizeof body, "%s\tsetp.lt.u32 %%p0, %%r3, 3000;\n\t@%%p0 bra L;\n", call);
    ends(&t);
}

/* Long enough for every block to be followed several times, and farther each time. */
static void meeting_for_long(void **state) {
    (void)state;
    static const char *const what[] = {"bar.sync 0;", "bar.warp.sync -1;", "bar.red.popc.u32 %r2, 0, %p1;",
                                       "red.shared.add.u32 [%r5], 1;"};
    for (size_t k = 0; k < sizeof what / sizeof *what; k++) {
        char body[512];
        struct rig r;
        const struct test t = {.body = body, .grid = 3, .block = 40};
        snprintf(
            body, sizeof body,
            "\t.shared .align 4 .b8 word[4];\n\tmov.u32 %%r5, word;\nL:\n\t%s\n\tadd.u32 %%r1, %%r1, 1;\n"
            "\tsetp.lt.u32 %%p0, %%r1, 60000;\n\t@%%p0 bra L;\n",
            what[k]);
        if (launch(NULL, &t, &r, NULL)) fail_msg("%s: %s", what[k], hd_error(r.dev));
        rig_close(&r);
    }
}

/* ---- whose fault it is ---- */

static void a_counted_spin_lock_under_a_stack_is_simt_induced(void **state) {
    (void)state;
    const struct test t = {.body = COUNTED, .block = 8};
    fails("pdom", &t, "SIMT-induced deadlock: with every thread on its own, as under mimd, they finish");
    struct rig r;
    assert_int_equal(launch("mimd", &t, &r, NULL), HD_OK);
    rig_close(&r);
    assert_int_equal(launch(NULL, &t, &r, NULL), HD_OK);
    rig_close(&r);
}

/* The one that holds the lock would set it free after a million turns of a loop: more than is tried. */
static void what_was_not_seen_to_end_is_not_blamed_on_the_mechanism(void **state) {
    (void)state;
    const struct test t = {
        "L:\n\tatom.global.cas.b32 %r1, [%a0], 0, 1;\n\tsetp.ne.u32 %p0, %r1, 0;\n\t@%p0 bra L;\n"
        "D:\n\tadd.u32 %r2, %r2, 1;\n\tsetp.lt.u32 %p0, %r2, 100000000;\n\t@%p0 bra D;\n"
        "\tatom.global.exch.b32 %r1, [%a0], 0;\n",
        .grid = 1, .block = 8};
    fails("pdom", &t, "is not known: with every thread on its own, they were not seen to finish");
}

static void the_verdict_leaves_memory_as_the_launch_did(void **state) {
    (void)state;
    const struct test t = {.body = COUNTED, .block = 8};
    uint32_t after[WORDS];
    struct rig r;
    assert_int_equal(launch("pdom", &t, &r, after), HD_FAULT);
    assert_int_equal(after[0], 1);
    assert_int_equal(after[1], 0);
    rig_close(&r);
}

/* ---- launches that end ---- */

static void a_reduction_that_changes_nothing(void **state) {
    (void)state;
    ends(&(struct test){
        "L:\n\tred.global.max.u32 [%a0], 5;\n\tadd.u32 %r1, %r1, 1;\n\tsetp.lt.u32 %p0, %r1, 5000;\n"
        "\t@%p0 bra L;\n",
        .grid = 1, .block = 8, .word = LARGE});
}

static void polling_that_gives_up(void **state) {
    (void)state;
    ends(&(struct test){
        "L:\n\tld.volatile.global.u32 %r2, [%a0];\n\tadd.u32 %r1, %r1, 1;\n\tsetp.lt.u32 %p0, %r1, "
        "5000;\n\t@%p0 bra L;\n",
        .grid = 1, .block = 8});
}

static void attempts_bounded_by_a_counter_in_local_memory(void **state) {
    (void)state;
    ends(&(struct test){
        "L:\n\tatom.global.cas.b32 %r2, [%a0], 0, 1;\n\tld.local.u32 %r1, [own+8];\n\tadd.u32 %r1, %r1, "
        "1;\n\tst.local.u32 [own+8], %r1;\n\tsetp.lt.u32 %p0, %r1, 3000;\n\t@%p0 bra L;\n",
        .grid = 1, .block = 8, .word = TAKEN});
}

static void waiting_for_the_clock(void **state) {
    (void)state;
    ends(&(struct test){
        "\tmov.u32 %r1, %clock;\nL:\n\tmov.u32 %r2, %clock;\n\tsub.u32 %r2, %r2, %r1;\n\tsetp.lt.u32 "
        "%p0, %r2, 100000;\n\t@%p0 bra L;\n",
        .grid = 1, .block = 8});
}

/* The state of every thread repeats a thousand times before the outer loop goes on. */
static void an_inner_loop_that_begins_again(void **state) {
    (void)state;
    ends(&(struct test){
        "O:\n\tmov.u32 %r2, 0;\nL:\n\tadd.u32 %r2, %r2, 1;\n\tand.b32 %r2, %r2, 7;\n\tadd.u32 %r3, %r3, "
        "1;\n\tsetp.lt.u32 %p0, %r3, 2000;\n\t@%p0 bra L;\n\tmov.u32 %r3, 0;\n\tadd.u32 %r4, %r4, 1;\n"
        "\tsetp.lt.u32 %p1, %r4, 10;\n\t@%p1 bra O;\n",
        .grid = 1, .block = 40});
}

/* Threads poll for long while one computes: the unit it needs is busy, its clock fast, the watchdog impatient. */
static void work_that_is_under_way_for_long(void **state) {
    (void)state;
    static const char body[] =
        "\tsetp.ne.u32 %p1, %r0, 0;\n\t@%p1 bra L;\n\tmov.u32 %r2, 1000000;\nD:\n\tdiv.u32 %r2, %r2, 3;\n"
        "\tdiv.u32 %r2, %r2, 5;\n\tsetp.gt.u32 %p0, %r2, 0;\n\t@%p0 bra D;\n\tst.volatile.global.u32 [%a0], "
        "1;\n"
        "\tbra E;\nL:\n\tld.volatile.global.u32 %r1, [%a0];\n\tsetp.eq.u32 %p0, %r1, 0;\n\t@%p0 bra L;\nE:\n";
    struct test t = {
        .body = body,
        .block = 40,
        .option = {"clock.core", "100000", "interval.idiv", "10000", "gpu.watchdog", "10", "sm.blocks", "1"}};
    struct rig r;
    for (size_t m = 0; mech_list[m]; m++) {
        const struct mech_ops *mech = mech_list[m];
        const hd_status st =
            launch(mech->name, &t, &r, NULL); /* a stack may run the pollers first, for ever */
        if (st && (mech->caps & MECH_PROGRESS || !strstr(hd_error(r.dev), "SIMT-induced deadlock")))
            fail_msg("%s: %s", mech->name, hd_error(r.dev));
        rig_close(&r);
    }
    t.body =
        "D:\n\tdiv.u32 %r2, %r0, 3;\n\tadd.u32 %r1, %r1, 1;\n\tsetp.lt.u32 %p0, %r1, 3;\n\t@%p0 bra D;\n";
    ends(&t);
}

/* Each block waits for the other in a loop of barriers; one has a few slow instructions to go before it writes what the
 * other waits for. Followed by itself, each goes round for ever. */
static void what_is_written_before_the_loop_counts(void **state) {
    (void)state;
    static const char body[] =
        "\tmov.u32 %r2, %ctaid.x;\n\tsetp.eq.u32 %p1, %r2, 0;\n\t@%p1 bra A;\n\tmov.u32 %r3, 1000000;\n"
        "D:\n\tdiv.u32 %r3, %r3, 9;\n\tsetp.gt.u32 %p0, %r3, 0;\n\t@%p0 bra D;\n"
        "\tst.volatile.global.u32 [%a0], 1;\n"
        "B:\n\tbar.sync 0;\n\tld.volatile.global.u32 %r1, [%a0+4];\n\tsetp.eq.u32 %p0, %r1, 0;\n\t@%p0 bra "
        "B;\n"
        "\tbra E;\n"
        "A:\n\tbar.sync 0;\n\tld.volatile.global.u32 %r1, [%a0];\n\tsetp.eq.u32 %p0, %r1, 0;\n\t@%p0 bra A;\n"
        "\tst.volatile.global.u32 [%a0+4], 1;\nE:\n";
    ends(&(struct test){
        .body = body, .grid = 2, .block = 8, .option = {"latency.idiv", "3000", "gpu.watchdog", "10"}});
}

/* No thread runs for several windows: every warp is on its way back from memory, and those that ran have exited. */
static void warps_that_are_away_for_longer_than_the_watchdog(void **state) {
    (void)state;
    const struct test t = {.body = "\tst.global.u32 [%a0], 1;\n",
                           .block = 64,
                           .option = {"dwf.pool", "1", "dwf.spill_cycles", "3000", "gpu.watchdog", "10"}};
    struct rig r;
    if (launch("dwf", &t, &r, NULL)) fail_msg("%s", hd_error(r.dev));
    rig_close(&r);
}

/* No thread takes the long arm; these mechanisms walk through it all the same. */
static void an_arm_that_is_walked_with_nobody_in_it(void **state) {
    (void)state;
    static const char *const walkers[] = {"chap", "pomp", "takahashi"};
    enum { INSTRUCTIONS = 64 };
    struct sb body = {0};
    sb_add(&body, "\tsetp.ge.u32 %%p0, %%r0, 100;\n\t@!%%p0 bra E;\n");
    for (int k = 0; k < INSTRUCTIONS; k++) sb_add(&body, "\tdiv.u32 %%r1, %%r1, 3;\n");
    sb_add(&body, "E:\n\tst.global.u32 [%%a0], 1;\n");
    const struct test t = {
        .body = body.text, .block = 8, .option = {"latency.idiv", "100", "gpu.watchdog", "10"}};
    for (size_t k = 0; k < sizeof walkers / sizeof *walkers; k++) {
        struct rig r;
        if (launch(walkers[k], &t, &r, NULL)) fail_msg("%s: %s", walkers[k], hd_error(r.dev));
        rig_close(&r);
    }
    sb_free(&body);
}

/* Threads for which %p1 holds do some work and raise a flag that all others poll for. */
#define POLLED(first, work)                                                                                  \
    first "\t@%p1 bra W;\nL:\n\tld.volatile.global.u32 %r1, [%a0];\n\tsetp.eq.u32 %p0, %r1, 0;\n\t@%p0 bra " \
          "L;\n"                                                                                             \
          "\tbra E;\nW:\n" work "\tst.volatile.global.u32 [%a0], 1;\nE:\n"
#define ONE_WARP      "\tsetp.lt.u32 %p1, %r0, 8;\n"
#define PART(bit, to) "\tand.b32 %r2, %r0, " bit ";\n\tsetp.eq.u32 %p2, %r2, 0;\n\t@%p2 bra " to ";\n"
/* Three branches that part the warp, one within the other. */
#define STEP   "\tadd.u32 %r3, %r3, 1;\n"
#define NESTED PART("1", "J") PART("2", "K") PART("4", "M") STEP "M:\n" STEP "K:\n" STEP "J:\n"
/* Odd threads wait in front of where they meet the even ones, which wait there for them. */
#define ARMS PART("1", "J") "\tbar.warp.sync 255;\nJ:\n\t@!%p2 bra S;\n\tbar.warp.sync 255;\nS:\n"
/* A block is compacted into warps that come one after the other. Thread 60 is in one of the last. */
#define COMPACTED                                                    \
    POLLED("\tmov.u32 %r1, %ctaid.x;\n\tsetp.eq.u32 %p1, %r1, 1;\n", \
           PART("1", "J") "\tadd.u32 %r3, %r3, 1;\nJ:\n\tsetp.ne.u32 %p2, %r0, 60;\n\t@%p2 bra E;\n")

/* Threads that are to raise the flag are held by a clock of the mechanism for longer than the watchdog has patience. */
static void threads_that_a_clock_holds_while_others_poll(void **state) {
    (void)state;
    static const struct {
        const char *mech;
        struct test t;
    } held[] = {
        {"dwf",
         {.body = POLLED("\tsetp.eq.u32 %p1, %r0, 63;\n", ""),
          .block = 64,
          .option = {"dwf.pool", "1", "dwf.spill_cycles", "3000", "gpu.watchdog", "10"}}},
        {"mp",
         {.body = POLLED("\tsetp.eq.u32 %p1, %r0, 63;\n", ""),
          .block = 64,
          .option = {"mp.max_splits", "1", "mp.spill_cycles", "30000", "gpu.watchdog", "10"}}},
        {"mp",
         {.body = POLLED(ONE_WARP, NESTED),
          .block = 16,
          .option = {"mp.max_rt", "1", "mp.spill_cycles", "30000", "gpu.watchdog", "10"}}},
        {"mp", {.body = POLLED(ONE_WARP, ARMS), .block = 16, .option = {"gpu.watchdog", "10"}}},
        {"mp-basic", {.body = POLLED(ONE_WARP, ARMS), .block = 16, .option = {"gpu.watchdog", "10"}}},
        {"volta", {.body = POLLED(ONE_WARP, ARMS), .block = 16, .option = {"gpu.watchdog", "10"}}},
        {"dpe",
         {.body = POLLED(ONE_WARP, NESTED),
          .block = 16,
          .option = {"dpe.entries", "1", "dpe.spill_cycles", "30000", "gpu.watchdog", "10"}}},
        {"tesla",
         {.body = POLLED(ONE_WARP, NESTED),
          .block = 16,
          .option = {"tesla.cached", "1", "tesla.spill_cycles", "30000", "gpu.watchdog", "10"}}},
        {"tbc",
         {.body = COMPACTED,
          .grid = 2,
          .block = 64,
          .option = {"tbc.compact_cycles", "1000", "sm.threads", "128", "gpu.watchdog", "10"}}},
        {"capri",
         {.body = COMPACTED,
          .grid = 2,
          .block = 64,
          .option = {"capri.compact_cycles", "1000", "sm.threads", "128", "gpu.watchdog", "10"}}},
    };
    for (size_t k = 0; k < sizeof held / sizeof *held; k++) {
        struct rig r;
        if (launch(held[k].mech, &held[k].t, &r, NULL))
            fail_msg("%s, %zu: %s", held[k].mech, k, hd_error(r.dev));
        rig_close(&r);
    }
}

/* ---- launches of which nothing is known ---- */

static void count_warnings(void *user, hd_log_level level, const char *text) {
    if (level == HD_LOG_WARNING && strstr(text, "no block has ended for")) ++*(uint32_t *)user;
}

static void a_launch_that_takes_long_is_mentioned_once(void **state) {
    (void)state;
    static const char *const mode[] = {"functional", "timed"}, *const after[] = {"100000", "0", "1000000000"};
    static const char text[] = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n"
                               "\t.reg .b32 %r;\n\t.reg .pred %p;\nL:\n\tadd.u32 %r, %r, 1;\n"
                               "\tsetp.lt.u32 %p, %r, 200000;\n\t@%p bra L;\n\tret;\n}\n";
    for (int k = 0; k < 6; k++) {
        hd_option o[] = {{"run.mode", mode[k % 2]}, {"exec.warn_insts", after[k / 2]}};
        struct rig r = {0};
        uint32_t warnings = 0;
        if (hd_device_open(&(hd_config){.options = o, .noptions = 2, .file = "tiny"}, &r.dev))
            fail_msg("no device");
        hd_set_log(r.dev, count_warnings, &warnings);
        MUST(&r, hd_module_load(r.dev, "long.ptx", text, 0, &r.mod));
        for (uint32_t n = 1; n <= 2; n++) { /* once each launch */
            MUST(&r, rig_launch(&r, "k", LAUNCH(.grid = {1}, .block = {k % 2 ? 8 : 64}), NULL, 0));
            assert_int_equal(warnings, k < 2 ? n : 0);
        }
        rig_close(&r);
    }
}

/* The threads are followed through a thousand instructions before they have executed a hundred themselves, across the marks
 * that a structured mechanism adds; none of that is counted as theirs. */
static void what_is_followed_is_not_counted(void **state) {
    (void)state;
    hd_option o[] = {
        {"run.mode", "timed"}, {"run.mech", "chap"}, {"latency.idiv", "100"}, {"gpu.watchdog", "10"}};
    static const char text[] =
        ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n"
        "\t.reg .b32 %r<3>;\n\t.reg .pred %p<3>;\nL:\n\tdiv.u32 %r1, %r1, 3;\n"
        "\tsetp.eq.u32 %p1, %r1, 0;\n\t@%p1 bra E;\n\tadd.u32 %r2, %r2, 1;\nE:\n"
        "\tadd.u32 %r0, %r0, 1;\n\tsetp.lt.u32 %p0, %r0, 100;\n\t@%p0 bra L;\n\tret;\n}\n";
    struct rig r = {0};
    uint32_t warnings = 0;
    if (hd_device_open(&(hd_config){.options = o, .noptions = 4, .file = "tiny"}, &r.dev))
        fail_msg("no device");
    hd_set_log(r.dev, count_warnings, &warnings);
    MUST(&r, hd_module_load(r.dev, "marks.ptx", text, 0, &r.mod));
    MUST(&r, rig_launch(&r, "k", LAUNCH(.grid = {1}, .block = {8}), NULL, 0));
    assert_int_equal(warnings, 0);
    rig_close(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_branch_to_itself),
        cmocka_unit_test(counting_for_ever),
        cmocka_unit_test(polling_by_plain_loads),
        cmocka_unit_test(a_lock_that_nobody_gives_back),
        cmocka_unit_test(some_threads_poll_while_others_wait_at_a_barrier),
        cmocka_unit_test(polling_with_a_back_off),
        cmocka_unit_test(polling_with_votes),
        cmocka_unit_test(polling_by_a_vote),
        cmocka_unit_test(polling_with_shuffles_and_matches),
        cmocka_unit_test(polling_with_the_warp_in_step),
        cmocka_unit_test(polling_that_asks_who_runs_beside_it),
        cmocka_unit_test(polling_with_a_barrier),
        cmocka_unit_test(polling_that_writes_a_word_of_its_own),
        cmocka_unit_test(polling_that_counts_attempts_in_global_memory),
        cmocka_unit_test(polling_that_counts_in_a_function),
        cmocka_unit_test(meeting_for_long),
        cmocka_unit_test(a_counted_spin_lock_under_a_stack_is_simt_induced),
        cmocka_unit_test(what_was_not_seen_to_end_is_not_blamed_on_the_mechanism),
        cmocka_unit_test(the_verdict_leaves_memory_as_the_launch_did),
        cmocka_unit_test(a_reduction_that_changes_nothing),
        cmocka_unit_test(polling_that_gives_up),
        cmocka_unit_test(attempts_bounded_by_a_counter_in_local_memory),
        cmocka_unit_test(waiting_for_the_clock),
        cmocka_unit_test(an_inner_loop_that_begins_again),
        cmocka_unit_test(work_that_is_under_way_for_long),
        cmocka_unit_test(what_is_written_before_the_loop_counts),
        cmocka_unit_test(warps_that_are_away_for_longer_than_the_watchdog),
        cmocka_unit_test(threads_that_a_clock_holds_while_others_poll),
        cmocka_unit_test(an_arm_that_is_walked_with_nobody_in_it),
        cmocka_unit_test(a_launch_that_takes_long_is_mentioned_once),
        cmocka_unit_test(what_is_followed_is_not_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
