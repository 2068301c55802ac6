/* The race check: what counts as order and what does not, one small kernel for each, and what a report says. */
#include "exec/race/races.h"

#include "rig.h"

/* %t thread, %b block, %rd0 and %rd1 the two parameters; %s the thread's word of s, %rd2 its word of p over the grid. */
#define KERNEL(body)                                                                                \
    HEAD ".visible .entry k(.param .u64 p, .param .u64 q) {\n.shared .align 4 .b8 s[8192];\n"       \
         ".shared .align 4 .b8 flag[4];\n"                                                          \
         ".reg .u64 %rd<9>; .reg .u32 %t, %b, %n, %s, %r<19>; .reg .pred %p<9>;\n"                  \
         "ld.param.u64 %rd0, [p];\nld.param.u64 %rd1, [q];\n"                                       \
         "mov.u32 %t, %tid.x;\nmov.u32 %b, %ctaid.x;\nmov.u32 %n, %ntid.x;\n"                       \
         "mov.u32 %r1, s;\nshl.b32 %s, %t, 2;\nadd.u32 %s, %s, %r1;\nmad.lo.u32 %r2, %b, %n, %t;\n" \
         "mul.wide.u32 %rd2, %r2, 4;\nadd.u64 %rd2, %rd2, %rd0;\n" body "\nDONE: ret;\n}\n"

struct found {
    struct rig rig;
    struct exec_races *races;
    const struct exec_race **v;
    size_t n;
};

static struct found look(const char *text, uint32_t grid, uint32_t block, enum exec_races_mode mode) {
    struct found f = {.rig = rig_load(text), .races = exec_races_new(mode, UINT64_C(64) << 20)};
    const uint64_t params[] = {rig_buf(&f.rig, 1 << 16, "p"), rig_buf(&f.rig, 1 << 12, "q")};
    f.rig.launch.races = f.races;
    rig_ok(&f.rig, "k", grid, block, params);
    f.v = exec_races_found(f.races, &f.n);
    return f;
}

static void drop(struct found *f) {
    free(f->v);
    exec_races_free(f->races);
    rig_free(&f->rig);
}

static void expect(const char *text, uint32_t grid, uint32_t block, enum exec_races_mode mode, size_t races) {
    struct found f = look(text, grid, block, mode);
    if (f.n != races && f.n)
        print_message("%zu, the first: line %u %s, line %u %s\n", f.n, f.v[0]->side[0].line,
                      f.v[0]->side[0].text, f.v[0]->side[1].line, f.v[0]->side[1].text);
    assert_int_equal(f.n, races);
    drop(&f);
}
#define NONE(text, grid, block) expect(text, grid, block, EXEC_RACES_ON, 0)
#define SOME(text, grid, block) expect(text, grid, block, EXEC_RACES_ON, 1)

/* ---- barriers ---- */

/* Each thread writes its word and reads that of the thread `away` beside it. */
#define NEIGHBOUR(between, away)                                        \
    KERNEL("st.shared.u32 [%s], %t;\n" between "add.u32 %r3, %t, " away \
           ";\nand.b32 %r3, %r3, 255;\nshl.b32 %r3, %r3, 2;\n"          \
           "add.u32 %r3, %r3, %r1;\nld.shared.u32 %r4, [%r3];\nst.global.u32 [%rd2], %r4;")

static void a_barrier_orders_the_block(void **state) {
    (void)state;
    NONE(NEIGHBOUR("bar.sync 0;\n", "77"), 2, 256);
    SOME(NEIGHBOUR("", "77"), 2, 256);
    NONE(NEIGHBOUR("", "0"), 2, 256); /* its own word */
}

/* The reduction of every textbook, with and without the barrier in its loop. */
#define REDUCTION(between)                                                                                   \
    KERNEL(                                                                                                  \
        "st.shared.u32 [%s], %t;\nbar.sync 0;\nmov.u32 %r3, 128;\nL: setp.ge.u32 %p1, %t, %r3;\n@%p1 bra "   \
        "SKIP;\n"                                                                                            \
        "shl.b32 %r4, %r3, 2;\nadd.u32 %r4, %r4, %s;\nld.shared.u32 %r5, [%r4];\nld.shared.u32 %r6, [%s];\n" \
        "add.u32 %r6, %r6, %r5;\nst.shared.u32 [%s], %r6;\nSKIP: " between                                   \
        "shr.u32 %r3, %r3, 1;\nsetp.ne.u32 %p2, %r3, 0;\n@%p2 bra L;\n")

/* A copy is a store of its thread; mbarriers order who arrives before who waits. */
#define COPIED(before, after)                                                                              \
    HEAD ".visible .entry k(.param .u64 p, .param .u64 q) {\n.shared .align 16 .b8 sh[1088];\n.reg .b64 "  \
         "%a, %d; .reg .b32 %t, %r<6>; .reg .pred %p;\nld.param.u64 %a, [p]; mov.u32 %t, %tid.x; setp.ne." \
         "u32 %p, %t, 0; @%p bra go; mbarrier.init.shared.b64 [sh+1024], 256;\ngo: bar.sync 0; mov.u32 "   \
         "%r1, sh; mad.lo.u32 %r2, %t, 4, %r1; cp.async.ca.shared.global [%r2], [%a], 4;\n" before         \
         "add.u32 %r3, %t, 77; and.b32 %r3, %r3, 255; mad.lo.u32 %r3, %r3, 4, %r1;\n" after                \
         "ld.shared.u32 %r4, [%r3]; ret;\n}\n"

static void copies_are_ordered_by_barriers_and_mbarriers(void **state) {
    (void)state;
    SOME(COPIED("cp.async.wait_all;\n", ""), 1, 256);
    NONE(COPIED("cp.async.wait_all; bar.sync 0;\n", ""), 1, 256);
    NONE(COPIED("cp.async.mbarrier.arrive.noinc.shared.b64 [sh+1024];\n",
                "wait: mbarrier.try_wait.parity.shared.b64 %p, [sh+1024], 0; @!%p bra wait;\n"),
         1, 256);
    SOME(COPIED("cp.async.mbarrier.arrive.noinc.shared.b64 [sh+1024];\n", ""), 1, 256);
    NONE(COPIED("barrier.cluster.arrive;\n", "barrier.cluster.wait;\n"), 1, 256);
}

static void a_reduction_without_barriers_races(void **state) {
    (void)state;
    NONE(REDUCTION("bar.sync 0;\n"), 3, 256);
    struct found f = look(REDUCTION(""), 1, 256, EXEC_RACES_ON);
    assert_int_equal(f.n, 1); /* the store of one round, the load of another */
    assert_int_equal(f.v[0]->kind, EXEC_RACE_READ_WRITE);
    assert_true(f.v[0]->shared && !f.v[0]->same_value);
    assert_string_equal(f.v[0]->object, "s");
    drop(&f);
}

/* One barrier a round is enough for two buffers in turn, and too few for one. */
#define ROUNDS(mask)                                                                                        \
    KERNEL(                                                                                                 \
        "mov.u32 %r3, 0;\nL: and.b32 %r4, %r3, " mask ";\nshl.b32 %r4, %r4, 10;\nadd.u32 %r5, %s, %r4;\n"   \
        "add.u32 %r6, %t, %r3;\nst.shared.u32 [%r5], %r6;\nbar.sync 0;\nsub.u32 %r7, 255, %t;\nshl.b32 "    \
        "%r7, %r7, 2;\n"                                                                                    \
        "add.u32 %r7, %r7, %r4;\nadd.u32 %r7, %r7, %r1;\nld.shared.u32 %r8, [%r7];\nadd.u32 %r3, %r3, 1;\n" \
        "setp.lt.u32 %p1, %r3, 6;\n@%p1 bra L;\n")

static void double_buffering_needs_one_barrier_a_round(void **state) {
    (void)state;
    NONE(ROUNDS("1"), 1, 256);
    SOME(ROUNDS("0"), 1, 256);
}

/* Warps 0 and 1 produce and arrive; 2 and 3 wait and consume. Then the other way round through barrier 2. */
#define PRODUCER(back)                                                                      \
    KERNEL("setp.ge.u32 %p1, %t, 64;\nmov.u32 %r9, 0;\n@%p1 bra CONSUME;\n"                 \
           "P: add.u32 %r3, %t, %r9;\nst.shared.u32 [%s], %r3;\nbar.arrive 1, 128;\n" back  \
           "add.u32 %r9, %r9, 1;\nsetp.lt.u32 %p2, %r9, 3;\n@%p2 bra P;\nbra DONE;\n"       \
           "CONSUME: sub.u32 %r4, 127, %t;\nshl.b32 %r4, %r4, 2;\nadd.u32 %r4, %r4, %r1;\n" \
           "C: bar.sync 1, 128;\nld.shared.u32 %r5, [%r4];\nbar.arrive 2, 128;\n"           \
           "add.u32 %r9, %r9, 1;\nsetp.lt.u32 %p2, %r9, 3;\n@%p2 bra C;\n")

static void named_barriers_order_producers_and_consumers(void **state) {
    (void)state;
    NONE(PRODUCER("bar.sync 2, 128;\n"), 2, 128);
}

/* A thread that only arrives learns nothing: here no thread waits for the consumers. */
static void arriving_does_not_wait(void **state) {
    (void)state;
    SOME(KERNEL("setp.ge.u32 %p1, %t, 32;\n@%p1 bra CONSUME;\nst.shared.u32 [%s], %t;\nbar.arrive 1, 64;\n"
                "st.shared.u32 [%s], %n;\nbra END;\nCONSUME: sub.u32 %r4, 63, %t;\nshl.b32 %r4, %r4, 2;\n"
                "add.u32 %r4, %r4, %r1;\nbar.sync 1, 64;\nld.shared.u32 %r5, [%r4];\nEND: bar.sync 0;"),
         1, 64);
}

/* Two halves of the block with a barrier each do not know of each other. */
static void a_barrier_of_some_warps_orders_only_those(void **state) {
    (void)state;
#define HALVES(away)                                                                                         \
    KERNEL("st.shared.u32 [%s], %t;\nshr.u32 %r3, %t, 6;\nadd.u32 %r3, %r3, 1;\nbar.sync %r3, 64;\nxor.b32 " \
           "%r4, %t, " away ";\nshl.b32 %r4, %r4, 2;\nadd.u32 %r4, %r4, %r1;\nld.shared.u32 %r5, [%r4];\n")
    NONE(HALVES("32"), 1, 128);
    SOME(HALVES("64"), 1, 128);
}

/* Warp 1 leaves; the barrier of the rest could not complete before. */
static void a_thread_that_has_exited_is_before_the_barrier(void **state) {
    (void)state;
    NONE(KERNEL("st.shared.u32 [%s], %t;\nsetp.ge.u32 %p1, %t, 32;\n@%p1 exit;\nbar.sync 0;\nld.shared.u32 "
                "%r3, [%s+128];"),
         1, 64);
}

/* ---- warps ---- */

#define EXCHANGE(kind, between)                                                                      \
    KERNEL("st" kind ".shared.u32 [%s], %t;\n" between "xor.b32 %r3, %t, 1;\nshl.b32 %r3, %r3, 2;\n" \
           "add.u32 %r3, %r3, %r1;\nld" kind ".shared.u32 %r4, [%r3];\nst.global.u32 [%rd2], %r4;\n")

static void lanes_of_a_warp_are_ordered_by_warpsync_only(void **state) {
    (void)state;
    NONE(EXCHANGE("", "bar.warp.sync 0xffffffff;\n"), 1, 64);
    SOME(EXCHANGE("", ""), 1, 64);
    SOME(EXCHANGE("", "shfl.sync.idx.b32 %r9, %t, 0, 31, 0xffffffff;\n"), 1, 64);
    SOME(EXCHANGE("", "membar.gl;\n"), 1, 64);
}

/* Pairs that meet by a mask of their own; a mask of other pairs is no help. */
static void warpsync_orders_the_lanes_of_its_mask(void **state) {
    (void)state;
#define MASKED(mask)                                                                                  \
    "and.b32 %r5, %t, 31;\nshr.u32 %r5, %r5, 1;\nshl.b32 %r5, %r5, 1;\nshl.b32 %r5, " mask ", %r5;\n" \
    "bar.warp.sync %r5;\n"
    NONE(EXCHANGE("", MASKED("3")), 1, 32);
    SOME(EXCHANGE("", "and.b32 %r5, %t, 1;\nshl.b32 %r5, 0x55555555, %r5;\nbar.warp.sync %r5;\n"), 1, 32);
}

/* Lanes that come to the same bar.warp.sync from two sides of a branch wait for each other, and are then ordered. */
static void warpsync_orders_lanes_that_meet_from_different_places(void **state) {
    (void)state;
    NONE(KERNEL("and.b32 %r3, %t, 1;\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra EVEN;\nst.shared.u32 [%s], %t;\n"
                "bar.warp.sync 0xffffffff;\nbra DONE;\nEVEN: bar.warp.sync 0xffffffff;\nld.shared.u32 %r4, "
                "[%s+4];"),
         1, 32);
}

/* Programs from before Volta: lanes take each step together. Volatile accesses do not make that so. */
static void in_lockstep_every_instruction_orders_a_warp(void **state) {
    (void)state;
    expect(EXCHANGE("", ""), 1, 64, EXEC_RACES_LOCKSTEP, 0);
    SOME(EXCHANGE(".volatile", ""), 1, 64);
    expect(EXCHANGE(".volatile", ""), 1, 64, EXEC_RACES_LOCKSTEP, 0);
    expect(NEIGHBOUR("", "77"), 1, 256, EXEC_RACES_LOCKSTEP, 1); /* other warps are other warps */
    expect(NEIGHBOUR("bar.sync 0;\n", "77"), 1, 256, EXEC_RACES_LOCKSTEP, 0);
    expect(REDUCTION("bar.sync 0;\n"), 1, 256, EXEC_RACES_LOCKSTEP, 0);
    expect(KERNEL("st.shared.u32 [flag], %t;"), 1, 32, EXEC_RACES_LOCKSTEP, 1); /* one step, many values */
}

static void two_lanes_of_one_store_race_unless_the_value_is_the_same(void **state) {
    (void)state;
    struct found f = look(KERNEL("st.shared.u32 [flag], %t;"), 1, 32, EXEC_RACES_ON);
    assert_int_equal(f.n, 1);
    assert_int_equal(f.v[0]->kind, EXEC_RACE_WRITE_WRITE);
    assert_false(f.v[0]->same_value);
    assert_int_equal(f.v[0]->count, 31);
    assert_string_equal(f.v[0]->object, "flag");
    assert_int_equal(f.v[0]->offset, 0);
    drop(&f);
    f = look(KERNEL("st.shared.u32 [flag], %n;"), 2, 64, EXEC_RACES_ON);
    assert_int_equal(f.n, 1);
    assert_true(f.v[0]->same_value);
    drop(&f);
}

/* ---- how wide ---- */

static void adjacent_bytes_do_not_race(void **state) {
    (void)state;
    NONE(KERNEL("add.u32 %r3, %r1, %t;\nst.shared.u8 [%r3], %t;\ncvt.u64.u32 %rd3, %r2;\nadd.u64 %rd3, %rd3, "
                "%rd0;\n"
                "st.global.u8 [%rd3], %t;"),
         2, 64);
    /* a word over four bytes that others wrote */
    SOME(KERNEL("add.u32 %r3, %r1, %t;\nst.shared.u8 [%r3], %t;\nsetp.eq.u32 %p1, %t, 0;\n"
                "@%p1 ld.shared.u32 %r4, [s+8];"),
         1, 32);
    NONE(KERNEL("st.shared.u32 [%s], %t;\nbar.sync 0;\nadd.u32 %r3, %r1, %t;\nld.shared.u8 %r4, [%r3];"), 1,
         64);
}

static void vectors_and_doubles_cover_all_their_words(void **state) {
    (void)state;
    NONE(KERNEL("shl.b32 %r3, %t, 4;\nadd.u32 %r3, %r3, %r1;\nst.shared.v4.u32 [%r3], {%t, %t, %t, %t};"), 1,
         64);
    SOME(KERNEL("shl.b32 %r3, %t, 3;\nadd.u32 %r3, %r3, %r1;\nand.b32 %r4, %t, 1;\nsetp.eq.u32 %p1, %r4, 0;\n"
                "@%p1 st.shared.v4.u32 [%r3], {%t, %t, %t, %t};\n@!%p1 st.shared.u32 [%r3+4], %n;"),
         1, 64);
}

/* ---- atomics ---- */

static void a_histogram_needs_atomics(void **state) {
    (void)state;
#define COUNT(op) KERNEL("and.b32 %r3, %t, 7;\nmul.wide.u32 %rd3, %r3, 4;\nadd.u64 %rd3, %rd3, %rd1;\n" op)
    NONE(COUNT("red.global.add.u32 [%rd3], 1;"), 4, 64);
    NONE(COUNT("atom.global.add.u32 %r4, [%rd3], 1;"), 4, 64);
    struct found f =
        look(COUNT("ld.global.u32 %r4, [%rd3];\nadd.u32 %r4, %r4, %t;\nst.global.u32 [%rd3], %r4;"), 4, 64,
             EXEC_RACES_ON);
    assert_int_equal(f.n, 2); /* load and store, store and store */
    assert_string_equal(f.v[0]->object, "q");
    drop(&f);
}

static void an_atomic_races_with_a_plain_access(void **state) {
    (void)state;
#define MIXED(then)                                                     \
    KERNEL("red.shared.add.u32 [flag], 1;\n" then                       \
           "setp.eq.u32 %p1, %t, 0;\n@%p1 ld.shared.u32 %r3, [flag];\n" \
           "@%p1 st.global.u32 [%rd2], %r3;")
    NONE(MIXED("bar.sync 0;\n"), 2, 64);
    struct found f = look(MIXED(""), 2, 64, EXEC_RACES_ON);
    assert_int_equal(f.n, 1);
    assert_int_equal(f.v[0]->kind, EXEC_RACE_ATOMIC_PLAIN);
    drop(&f);
    SOME(KERNEL("setp.eq.u32 %p1, %t, 0;\n@%p1 st.shared.u32 [flag], %n;\nred.shared.add.u32 [flag], 1;"), 1,
         64);
}

/* ---- fences and flags ---- */

/* Block 0 writes data and sets a flag; block 1 waits for the flag and reads. %rd3: the flag. */
#define FLAG(fence, set, wait, after)                                                                      \
    KERNEL(                                                                                                \
        "mul.wide.u32 %rd4, %t, 4;\nadd.u64 %rd4, %rd4, %rd0;\nsetp.ne.u32 %p1, %b, 0;\n@%p1 bra WAIT;\n"  \
        "st.global.u32 [%rd4], %t;\nbar.sync 0;\nsetp.ne.u32 %p2, %t, 0;\n@%p2 bra DONE;\n" fence "\n" set \
        "\nbra DONE;\n"                                                                                    \
        "WAIT: setp.ne.u32 %p2, %t, 0;\n@%p2 bra GO;\nL: " wait                                            \
        " %r5, [%rd1];\nsetp.eq.u32 %p3, %r5, 0;\n@%p3 bra L;\n" after                                     \
        "\nGO: bar.sync 0;\nsub.u32 %r6, 63, %t;\nmul.wide.u32 %rd5, %r6, 4;\nadd.u64 %rd5, %rd5, %rd0;\n" \
        "ld.global.u32 %r7, [%rd5];")
#define SET(how) "st." how "global.u32 [%rd1], 1;"

static void a_flag_orders_what_was_fenced(void **state) {
    (void)state;
    NONE(FLAG("membar.gl;", SET("volatile."), "ld.volatile.global.u32", "membar.gl;"), 2, 64);
    NONE(FLAG("membar.gl;", SET("volatile."), "ld.volatile.global.u32", ""), 2, 64);
    NONE(FLAG("", SET("release.gpu."), "ld.acquire.gpu.global.u32", ""), 2, 64);
    NONE(FLAG("fence.acq_rel.gpu;", SET("relaxed.gpu."), "ld.relaxed.gpu.global.u32", "fence.acq_rel.gpu;"),
         2, 64);
    NONE(FLAG("membar.gl;", "atom.global.exch.b32 %r8, [%rd1], 1;", "ld.volatile.global.u32", ""), 2, 64);
    NONE(FLAG("", "red.release.gpu.global.add.u32 [%rd1], 1;", "ld.acquire.gpu.global.u32", ""), 2, 64);
    NONE(FLAG("membar.gl;", SET("volatile."), "ld.volatile.global.u32", "atom.global.or.b32 %r5, [%rd1], 0;"),
         2, 64);
}

static void a_flag_without_a_fence_orders_nothing(void **state) {
    (void)state;
    SOME(FLAG("", SET("volatile."), "ld.volatile.global.u32", "membar.gl;"), 2, 64);
    SOME(FLAG("", SET("relaxed.gpu."), "ld.acquire.gpu.global.u32", ""), 2, 64);
    SOME(FLAG("membar.cta;", SET("volatile."), "ld.volatile.global.u32", ""), 2, 64);
    SOME(FLAG("", SET("release.cta."), "ld.acquire.gpu.global.u32", ""), 2, 64);
    /* a plain flag is itself a race, and orders nothing */
    expect(FLAG("membar.gl;", SET(""), "ld.volatile.global.u32", ""), 2, 64, EXEC_RACES_ON, 2);
}

/* threadFenceReduction: the last block to take a ticket sums up what all wrote. */
#define LAST_BLOCK(fence)                                                                                  \
    KERNEL(                                                                                                \
        "mov.u32 %r9, 0;\nst.shared.u32 [%s], %t;\nbar.sync 0;\nsetp.ne.u32 %p1, %t, 0;\n@%p1 bra JOIN;\n" \
        "mul.wide.u32 %rd3, %b, 4;\nadd.u64 %rd3, %rd3, %rd0;\nld.shared.u32 %r3, [s+4];\nst.global.u32 "  \
        "[%rd3], %r3;\n" fence                                                                             \
        "mov.u32 %r4, %nctaid.x;\natom.global.inc.u32 %r5, [%rd1], %r4;\nsub.u32 %r4, %r4, 1;\n"           \
        "st.shared.u32 [flag], 0;\nsetp.eq.u32 %p2, %r5, %r4;\n@%p2 st.shared.u32 [flag], 1;\n"            \
        "JOIN: bar.sync 0;\nld.shared.u32 %r6, [flag];\nsetp.eq.u32 %p3, %r6, 0;\n@%p3 bra DONE;\n"        \
        "mov.u32 %r7, %nctaid.x;\nsetp.ge.u32 %p4, %t, %r7;\n@%p4 bra DONE;\nmul.wide.u32 %rd4, %t, 4;\n"  \
        "add.u64 %rd4, %rd4, %rd0;\nld.global.u32 %r8, [%rd4];\n")

static void the_last_block_may_read_what_all_wrote(void **state) {
    (void)state;
    NONE(LAST_BLOCK("membar.gl;\n"), 20, 64);
    SOME(LAST_BLOCK(""), 20, 64);
}

/* A lock: one thread of each block adds to a plain counter. */
#define LOCK(after, before)                                                                        \
    KERNEL("setp.ne.u32 %p1, %t, 0;\n@%p1 bra DONE;\nL: atom.global.cas.b32 %r3, [%rd1], 0, "      \
           "1;\nsetp.ne.u32 %p2, %r3, 0;\n"                                                        \
           "@%p2 bra L;\n" after                                                                   \
           "ld.global.u32 %r4, [%rd0];\nadd.u32 %r4, %r4, 1;\nst.global.u32 [%rd0], %r4;\n" before \
           "atom.global.exch.b32 %r5, [%rd1], 0;\n")

static void a_lock_needs_fences(void **state) {
    (void)state;
    NONE(LOCK("membar.gl;\n", "membar.gl;\n"), 20, 64);
    struct found f = look(LOCK("", ""), 20, 64, EXEC_RACES_ON);
    assert_true(f.n >= 2);
    drop(&f);
}

/* Every thread of the block through one lock: lanes have clocks of their own. */
static void lanes_take_a_lock_in_turn(void **state) {
    (void)state;
    NONE(KERNEL("mov.u32 %r9, 0;\nL: atom.shared.cas.b32 %r3, [flag], 0, 1;\nsetp.ne.u32 %p2, %r3, 0;\n@%p2 "
                "bra L;\n"
                "membar.cta;\nld.shared.u32 %r4, [s];\nadd.u32 %r4, %r4, 1;\nst.shared.u32 [s], "
                "%r4;\nmembar.cta;\n"
                "atom.shared.exch.b32 %r5, [flag], 0;\n"),
         2, 96);
}

/* A barrier of the whole grid, made of an atomic counter, as cooperative groups do it. */
static void a_barrier_of_the_grid_orders_all_blocks(void **state) {
    (void)state;
#define GRID(fence)                                                                                        \
    KERNEL("st.global.u32 [%rd2], %t;\nbar.sync 0;\nsetp.ne.u32 %p1, %t, 0;\n@%p1 bra JOIN;\n" fence       \
           "atom.global.add.u32 %r3, [%rd1], 1;\nmov.u32 %r4, %nctaid.x;\nL: ld.volatile.global.u32 %r5, " \
           "[%rd1];\n"                                                                                     \
           "setp.lt.u32 %p2, %r5, %r4;\n@%p2 bra L;\nmembar.gl;\nJOIN: bar.sync 0;\nxor.b32 %r6, %b, 1;\n" \
           "mad.lo.u32 %r6, %r6, %n, %t;\nmul.wide.u32 %rd3, %r6, 4;\nadd.u64 %rd3, %rd3, "                \
           "%rd0;\nld.global.u32 %r7, [%rd3];")
    NONE(GRID("membar.gl;\n"), 8, 64);
    SOME(GRID(""), 8, 64);
}

/* ---- launches, memory, reports ---- */

static void launches_are_ordered(void **state) {
    (void)state;
    struct found f =
        look(KERNEL("setp.eq.u32 %p1, %t, 0;\n@%p1 st.global.u32 [%rd2], %b;"), 4, 32, EXEC_RACES_ON);
    const uint64_t params[] = {rig_buf(&f.rig, 1 << 16, "p2"), rig_buf(&f.rig, 1 << 12, "q2")};
    for (int k = 0; k < 2; k++) rig_ok(&f.rig, "k", 4 - (uint32_t)k, 32, params);
    assert_int_equal(f.n, 0);
    drop(&f);
}

static void what_malloc_gives_again_is_new(void **state) {
    (void)state;
    NONE(HEAD ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n"
              ".visible .entry k(.param .u64 p, .param .u64 q) {\n.reg .u64 %rd<4>; .reg .u32 %r1;\n"
              "{ .param .b64 a; .param .b64 r; st.param.b64 [a], 64; call (r), malloc, (a); ld.param.b64 "
              "%rd1, [r]; }\n"
              "mov.u32 %r1, %tid.x;\nst.u32 [%rd1], %r1;\n"
              "{ .param .b64 a; st.param.b64 [a], %rd1; call free, (a); }\nret;\n}\n",
         64, 1);
}

static void a_report_names_both_accesses(void **state) {
    (void)state;
    struct found f = look(
        HEAD ".file 1 \"k.cu\"\n.visible .entry k(.param .u64 p, .param .u64 q) {\n"
             ".reg .u64 %rd1; .reg .u32 %r<3>;\nld.param.u64 %rd1, [p];\nmov.u32 %r1, %ctaid.x;\n"
             ".loc 1 7 1\nst.global.u32 [%rd1+8], %r1;\n.loc 1 9 1\nld.global.u32 %r2, [%rd1+8];\nret;\n}\n",
        2, 1, EXEC_RACES_ON);
    assert_int_equal(f.n, 2);
    const struct exec_race *race = f.v[0]->kind == EXEC_RACE_READ_WRITE ? f.v[0] : f.v[1];
    assert_int_equal(race->kind, EXEC_RACE_READ_WRITE);
    assert_int_equal(race->side[0].access, EXEC_RACE_READ);
    assert_int_equal(race->side[0].line, 12);
    assert_string_equal(race->side[0].source, "k.cu");
    assert_int_equal(race->side[0].source_line, 9);
    assert_string_equal(race->side[0].text, "ld.global.u32 %r2, [%rd1+8];");
    assert_int_equal(race->side[0].block[0], 0);
    assert_int_equal(race->side[1].access, EXEC_RACE_WRITE);
    assert_int_equal(race->side[1].source_line, 7);
    assert_int_equal(race->side[1].block[0], 1);
    assert_string_equal(race->kernel, "k");
    assert_string_equal(race->object, "p");
    assert_int_equal(race->offset, 8);
    assert_false(race->shared);
    drop(&f);
}

static void beyond_the_bound_accesses_are_counted_not_kept(void **state) {
    (void)state;
    struct found f = {.rig = rig_load(KERNEL("st.global.u32 [%rd2], %t;")),
                      .races = exec_races_new(EXEC_RACES_ON, 4096)};
    const uint64_t params[] = {rig_buf(&f.rig, 1 << 16, "p"), rig_buf(&f.rig, 1 << 12, "q")};
    f.rig.launch.races = f.races;
    rig_ok(&f.rig, "k", 2, 64, params);
    assert_int_equal(exec_races_unseen(f.races), 128);
    assert_int_equal(exec_races_omitted(f.races), 0);
    drop(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_barrier_orders_the_block),
        cmocka_unit_test(copies_are_ordered_by_barriers_and_mbarriers),
        cmocka_unit_test(a_reduction_without_barriers_races),
        cmocka_unit_test(double_buffering_needs_one_barrier_a_round),
        cmocka_unit_test(named_barriers_order_producers_and_consumers),
        cmocka_unit_test(arriving_does_not_wait),
        cmocka_unit_test(a_barrier_of_some_warps_orders_only_those),
        cmocka_unit_test(a_thread_that_has_exited_is_before_the_barrier),
        cmocka_unit_test(lanes_of_a_warp_are_ordered_by_warpsync_only),
        cmocka_unit_test(warpsync_orders_the_lanes_of_its_mask),
        cmocka_unit_test(warpsync_orders_lanes_that_meet_from_different_places),
        cmocka_unit_test(in_lockstep_every_instruction_orders_a_warp),
        cmocka_unit_test(two_lanes_of_one_store_race_unless_the_value_is_the_same),
        cmocka_unit_test(adjacent_bytes_do_not_race),
        cmocka_unit_test(vectors_and_doubles_cover_all_their_words),
        cmocka_unit_test(a_histogram_needs_atomics),
        cmocka_unit_test(an_atomic_races_with_a_plain_access),
        cmocka_unit_test(a_flag_orders_what_was_fenced),
        cmocka_unit_test(a_flag_without_a_fence_orders_nothing),
        cmocka_unit_test(the_last_block_may_read_what_all_wrote),
        cmocka_unit_test(a_lock_needs_fences),
        cmocka_unit_test(lanes_take_a_lock_in_turn),
        cmocka_unit_test(a_barrier_of_the_grid_orders_all_blocks),
        cmocka_unit_test(launches_are_ordered),
        cmocka_unit_test(what_malloc_gives_again_is_new),
        cmocka_unit_test(a_report_names_both_accesses),
        cmocka_unit_test(beyond_the_bound_accesses_are_counted_not_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
