/* Votes, shuffles, matches, reductions and barriers, one test per row of ops.def: by all lanes, and by the
 * members of a mask alone while the other lanes take another path. */
#include "base/bits.h"
#include "ir/insn.h"
#include "kernels/snippet.h"

enum { WARPS = 2, LANES = 32 * WARPS };

/* What a lane brings: read from its slot into %r10, %d10 and %p10. */
struct lane_in {
    uint32_t r;
    uint32_t pred;
    uint64_t d;
    uint32_t b, pad[11]; /* %r12 */
};
_Static_assert(sizeof(struct lane_in) == SLOT, "a slot");
struct lane_out {
    uint32_t r, pred, ran, pad[13];
};
_Static_assert(sizeof(struct lane_out) == SLOT, "a slot");

static const uint32_t masks[] = {0xffffffff, 0x0000ffff, 0xaaaaaaaa, 0x80000001, 0x00100000, 0x7ff0f00e};
enum { NMASKS = sizeof masks / sizeof *masks };

static void lanes_init(struct lane_in *in, uint64_t seed, uint64_t range) {
    struct rng rng = {seed};
    memset(in, 0, LANES * sizeof *in);
    for (int i = 0; i < LANES; i++) {
        in[i].r = (uint32_t)rng_below(&rng, range);
        in[i].d = (uint64_t)in[i].r << 32 | in[i].r;
        in[i].pred = (uint32_t)rng_next(&rng) & 1;
        in[i].b = (uint32_t)rng_below(&rng, 64);
    }
}

/* Runs op by the lanes of mask; it leaves %r20 and %p20. The other lanes go elsewhere and meet the rest at
 * the end. */
static void by_members(const char *op, uint32_t mask, const struct lane_in *in, struct lane_out *out) {
    struct snippet s = {.block = LANES};
    sb_add(
        &s.code,
        "ld.global.u32 %%r10, [%%in];\nld.global.u32 %%r11, [%%in+4];\nld.global.u64 %%d10, [%%in+8];\n"
        "ld.global.u32 %%r12, [%%in+16];\nsetp.ne.u32 %%p10, %%r11, 0;\nmov.u32 %%r20, 0;\nsetp.ne.u32 "
        "%%p20, %%r20, 0;\n"
        "mov.u32 %%r13, %u;\nshr.u32 %%r14, %%r13, %%lane;\nand.b32 %%r14, %%r14, 1;\nsetp.eq.u32 %%p1, "
        "%%r14, 0;\n"
        "@%%p1 bra OTHERS;\n%s\nselp.u32 %%r21, 1, 0, %%p20;\nmov.u32 %%r22, 1;\nbra.uni MEET;\n"
        "OTHERS:\nmov.u32 %%r20, 0;\nmov.u32 %%r21, 0;\nmov.u32 %%r22, 0;\nMEET:\n"
        "st.global.u32 [%%out], %%r20;\nst.global.u32 [%%out+4], %%r21;\nst.global.u32 [%%out+8], %%r22;\n",
        mask, op);
    snippet_run(&s, in, out);
}

typedef struct lane_out reference(const struct lane_in *warp, uint32_t lane, uint32_t mask);

/* Checks a warp operation under every mask; in: NULL for random ones of that range. */
static void check_warp(const char *op, reference *f, uint64_t range) {
    static struct lane_in in[LANES];
    static struct lane_out got[LANES];
    for (int m = 0; m < NMASKS; m++) {
        lanes_init(in, (uint64_t)m + range, range);
        by_members(op, masks[m], in, got);
        for (uint32_t i = 0; i < LANES; i++) {
            struct lane_out want = {0};
            if (masks[m] >> i % 32 & 1) want = f(in + i / 32 * 32, i % 32, masks[m]);
            if (got[i].r != want.r || got[i].pred != want.pred)
                fail_msg("%s, mask 0x%x, thread %u: got 0x%x and %u, want 0x%x and %u", op, masks[m], i,
                         got[i].r, got[i].pred, want.r, want.pred);
        }
    }
}

static uint32_t voters(const struct lane_in *w, uint32_t mask) {
    uint32_t v = 0;
    FOR_LANES(l, mask) v |= w[l].pred << l;
    return v;
}
#define REF(name, R, P)                                                                  \
    static struct lane_out name(const struct lane_in *w, uint32_t lane, uint32_t mask) { \
        (void)w, (void)lane, (void)mask;                                                 \
        return (struct lane_out){.r = (R), .pred = (P)};                                 \
    }
REF(ref_all, 0, voters(w, mask) == mask)
REF(ref_any, 0, voters(w, mask) != 0)
REF(ref_uni, 0, voters(w, mask) == mask || voters(w, mask) == 0)
REF(ref_none, 0, voters(w, mask) == 0)
REF(ref_ballot, voters(w, mask), 0)
REF(ref_members, mask, 0)

static void test_VOTE(void **state) {
    (void)state;
    check_warp("vote.sync.all.pred %p20, %p10, %r13;", ref_all, 7);
    check_warp("vote.sync.any.pred %p20, %p10, %r13;", ref_any, 7);
    check_warp("vote.sync.uni.pred %p20, %p10, %r13;", ref_uni, 7);
    check_warp("vote.sync.all.pred %p20, !%p10, %r13;", ref_none, 7);
    check_warp("vote.all.pred %p20, %p10;", ref_all, 7); /* without .sync: the lanes that are here */
}
static void test_BALLOT(void **state) {
    (void)state;
    check_warp("vote.sync.ballot.b32 %r20, %p10, %r13;", ref_ballot, 9);
    check_warp("vote.ballot.sync.b32 %r20, %p10, %r13;", ref_ballot, 9); /* as CUB writes it */
    check_warp("vote.ballot.b32 %r20, %p10;", ref_ballot, 9);
}
static void test_ACTIVEMASK(void **state) {
    (void)state;
    check_warp("activemask.b32 %r20;", ref_members, 3);
}

/* Thread l holds elements 2 (l % 4) and the next of row l / 4; afterwards of column l / 4. */
static void test_MOVMATRIX(void **state) {
    (void)state;
    static uint32_t in[32][SLOT / 4], got[32][SLOT / 4];
    struct snippet s = {0};
    struct rng rng = {3};
    for (int l = 0; l < 32; l++) in[l][0] = (uint32_t)rng_next(&rng);
    sb_add(&s.code, "ld.global.u32 %%r10, [%%in];\nmovmatrix.sync.aligned.m8n8.trans.b16 %%r20, %%r10;\n"
                    "st.global.u32 [%%out], %%r20;\n");
    snippet_run(&s, in, got);
    for (uint32_t row = 0; row < 8; row++)
        for (uint32_t col = 0; col < 8; col++)
            assert_int_equal(got[4 * row + col / 2][0] >> 16 * (col % 2) & 0xffff,
                             in[4 * col + row / 2][0] >> 16 * (row % 2) & 0xffff);
}

/* ---- shuffles: every mode, width and offset; the reference is the manual's pseudocode ---- */

struct shfl {
    const char *mode;
    uint32_t b, c;
};

static uint32_t shfl_source(const struct shfl *s, uint32_t lane, bool *in_range) {
    uint32_t b = s->b & 31, clamp = s->c & 31, seg = s->c >> 8 & 31;
    uint32_t max = (lane & seg) | (clamp & ~seg), min = lane & seg;
    int j = 0;
    if (!strcmp(s->mode, "up"))
        *in_range = (j = (int)lane - (int)b) >= (int)max;
    else if (!strcmp(s->mode, "down"))
        *in_range = (j = (int)(lane + b)) <= (int)max;
    else if (!strcmp(s->mode, "bfly"))
        *in_range = (j = (int)(lane ^ b)) <= (int)max;
    else
        *in_range = (j = (int)(min | (b & ~seg))) <= (int)max;
    return *in_range ? (uint32_t)j : lane;
}

static void shfl_case(const struct shfl *s, uint32_t mask) {
    static struct lane_in in[LANES];
    static struct lane_out got[LANES];
    char op[80];
    lanes_init(in, s->b, 1u << 31);
    snprintf(op, sizeof op, "shfl.sync.%s.b32 %%r20|%%p20, %%r10, %u, %u, %%r13;", s->mode, s->b, s->c);
    by_members(op, mask, in, got);
    for (uint32_t i = 0; i < LANES; i++) {
        bool ok = false;
        uint32_t from = shfl_source(s, i % 32, &ok);
        if (!(mask >> i % 32 & 1)) continue;
        /* PTX leaves it undefined what a lane that does not take part gives: 0 here */
        uint32_t want = mask >> from & 1 ? in[i / 32 * 32 + from].r : 0;
        if (got[i].r != want || got[i].pred != ok)
            fail_msg("%s, mask 0x%x, thread %u: got 0x%x and %u, want 0x%x and %u", op, mask, i, got[i].r,
                     got[i].pred, want, ok);
    }
}

static void test_SHFL_U32(void **state) {
    (void)state;
    static const char *const modes[] = {"up", "down", "bfly", "idx"};
    static const uint32_t offsets[] = {0, 1, 5, 16, 31};
    for (int m = 0; m < 4; m++)
        for (uint32_t width = 2; width <= 32; width *= 4) {
            uint32_t seg = (32 - width) << 8, c = m == 0 ? seg : seg | 31;
            for (size_t o = 0; o < sizeof offsets / sizeof *offsets; o++)
                shfl_case(&(struct shfl){modes[m], offsets[o], c}, o & 1 ? masks[2] : masks[0]);
        }
    shfl_case(&(struct shfl){"down", 3, 20}, ~0u); /* a clamp inside the warp */
    shfl_case(&(struct shfl){"up", 3, 4 | 24 << 8}, ~0u);
    shfl_case(&(struct shfl){"idx", 45, 31}, ~0u); /* only five bits of the lane count */
}

/* The offset may differ from lane to lane, and the predicate may be absent. */
static struct lane_out ref_gather(const struct lane_in *w, uint32_t lane, uint32_t mask) {
    uint32_t from = w[lane].b & 31;
    (void)mask;
    return (struct lane_out){.r = w[from].r};
}
static void shuffles_gather_by_register(void **state) {
    (void)state;
    static struct lane_in in[LANES];
    static struct lane_out got[LANES];
    lanes_init(in, 5, 1u << 31);
    by_members("shfl.sync.idx.b32 %r20, %r10, %r12, 31, 0xffffffff;", ~0u, in, got);
    for (uint32_t i = 0; i < LANES; i++)
        assert_int_equal(got[i].r, ref_gather(in + i / 32 * 32, i % 32, ~0u).r);
}

/* ---- match, redux, elect ---- */

static uint32_t equal_lanes(const struct lane_in *w, uint32_t lane, uint32_t mask, bool wide) {
    uint32_t same = 0;
    FOR_LANES(l, mask) same |= (uint32_t)(wide ? w[l].d == w[lane].d : w[l].r == w[lane].r) << l;
    return same;
}
REF(ref_any32, equal_lanes(w, lane, mask, false), 0)
REF(ref_any64, equal_lanes(w, lane, mask, true), 0)
REF(ref_all32, equal_lanes(w, lane, mask, false) == mask ? mask : 0,
    equal_lanes(w, lane, mask, false) == mask)
REF(ref_all64, equal_lanes(w, lane, mask, true) == mask ? mask : 0, equal_lanes(w, lane, mask, true) == mask)

static void test_MATCH_ANY_U32(void **state) {
    (void)state;
    check_warp("match.any.sync.b32 %r20, %r10, %r13;", ref_any32, 4);
}
static void test_MATCH_ANY_U64(void **state) {
    (void)state;
    check_warp("match.any.sync.b64 %r20, %d10, %r13;", ref_any64, 4);
}
static void test_MATCH_ALL_U32(void **state) {
    (void)state;
    check_warp("match.all.sync.b32 %r20|%p20, %r10, %r13;", ref_all32, 1);
    check_warp("match.all.sync.b32 %r20|%p20, %r10, %r13;", ref_all32, 3);
}
static void test_MATCH_ALL_U64(void **state) {
    (void)state;
    check_warp("match.all.sync.b64 %r20|%p20, %d10, %r13;", ref_all64, 1);
    check_warp("match.all.sync.b64 %r20|%p20, %d10, %r13;", ref_all64, 3);
}

#define FOLD(name, T, start, step)                                                       \
    static struct lane_out name(const struct lane_in *w, uint32_t lane, uint32_t mask) { \
        T a = (start);                                                                   \
        (void)lane;                                                                      \
        FOR_LANES(l, mask) {                                                             \
            T v = (T)w[l].r;                                                             \
            a = (step);                                                                  \
        }                                                                                \
        return (struct lane_out){.r = (uint32_t)a};                                      \
    }
FOLD(fold_add, uint32_t, 0, a + v)
FOLD(fold_min, uint32_t, ~0u, v < a ? v : a)
FOLD(fold_max, uint32_t, 0, v > a ? v : a)
FOLD(fold_min_s, int32_t, INT32_MAX, v < a ? v : a)
FOLD(fold_max_s, int32_t, INT32_MIN, v > a ? v : a)
FOLD(fold_and, uint32_t, ~0u, a &v)
FOLD(fold_or, uint32_t, 0, a | v)
FOLD(fold_xor, uint32_t, 0, a ^ v)

static void test_REDUX_U32(void **state) {
    (void)state;
    const uint64_t any = (uint64_t)1 << 32;
    check_warp("redux.sync.add.u32 %r20, %r10, %r13;", fold_add, any);
    check_warp("redux.sync.min.u32 %r20, %r10, %r13;", fold_min, any);
    check_warp("redux.sync.max.u32 %r20, %r10, %r13;", fold_max, any);
    check_warp("redux.sync.and.b32 %r20, %r10, %r13;", fold_and, 15);
    check_warp("redux.sync.or.b32 %r20, %r10, %r13;", fold_or, any);
    check_warp("redux.sync.xor.b32 %r20, %r10, %r13;", fold_xor, any);
}
static void test_REDUX_S32(void **state) {
    (void)state;
    const uint64_t any = (uint64_t)1 << 32;
    check_warp("redux.sync.add.s32 %r20, %r10, %r13;", fold_add, any);
    check_warp("redux.sync.min.s32 %r20, %r10, %r13;", fold_min_s, any);
    check_warp("redux.sync.max.s32 %r20, %r10, %r13;", fold_max_s, any);
}

REF(ref_elect, (uint32_t)__builtin_ctz(mask), lane == (uint32_t)__builtin_ctz(mask))
static void test_ELECT(void **state) {
    (void)state;
    check_warp("elect.sync %r20|%p20, %r13;", ref_elect, 3);
}

/* A lane's store before the barrier is seen by its neighbour after it, though half of them took a longer way. */
static void test_WARPSYNC(void **state) {
    (void)state;
    static uint32_t in[LANES][16], got[LANES][16];
    struct snippet s = {.block = LANES};
    sb_add(&s.decls, ".shared .u32 sh[%d];\n", LANES);
    sb_add(
        &s.code,
        "mov.u64 %%d1, sh;\nmul.wide.u32 %%d2, %%ti, 4;\nadd.u64 %%d1, %%d1, %%d2;\nand.b32 %%r2, %%ti, "
        "1;\n"
        "setp.eq.u32 %%p1, %%r2, 0;\n@%%p1 bra EVEN;\nmul.lo.u32 %%r3, %%ti, 3;\nadd.u32 %%r3, %%r3, 5;\n"
        "st.volatile.shared.u32 [%%d1], %%r3;\nbar.warp.sync 0xffffffff;\nbra.uni JOIN;\n"
        "EVEN:\nst.volatile.shared.u32 [%%d1], %%ti;\nbar.warp.sync 0xffffffff;\nJOIN:\n"
        "xor.b32 %%r4, %%ti, 1;\nmov.u64 %%d1, sh;\nmul.wide.u32 %%d2, %%r4, 4;\nadd.u64 %%d1, %%d1, %%d2;\n"
        "ld.volatile.shared.u32 %%r5, [%%d1];\nst.global.u32 [%%out], %%r5;\n");
    snippet_run(&s, in, got);
    for (uint32_t i = 0; i < LANES; i++) assert_int_equal(got[i][0], i & 1 ? i - 1 : (i + 1) * 3 + 5);
}

/* ---- block barriers ---- */

static const char neighbour[] = /* tid of the thread 32 further on, through shared memory */
    "mov.u64 %d1, sh;\nmul.wide.u32 %d2, %ti, 4;\nadd.u64 %d2, %d1, %d2;\nst.shared.u32 [%d2], %ti;\n"
    "BARRIER\n"
    "add.u32 %r2, %ti, 32;\nrem.u32 %r2, %r2, 96;\nmul.wide.u32 %d2, %r2, 4;\nadd.u64 %d2, %d1, %d2;\n"
    "ld.shared.u32 %r3, [%d2];\nst.global.u32 [%out], %r3;\n";

static void exchange(const char *barrier) {
    static uint32_t in[96][16], got[96][16];
    struct snippet s = {.block = 96};
    const char *mark = strstr(neighbour, "BARRIER");
    sb_add(&s.decls, ".shared .u32 sh[96];\n");
    sb_addn(&s.code, neighbour, (size_t)(mark - neighbour));
    sb_add(&s.code, "%s%s", barrier, mark + strlen("BARRIER"));
    snippet_run(&s, in, got);
    for (uint32_t i = 0; i < 96; i++) assert_int_equal(got[i][0], (i + 32) % 96);
}
static void test_BAR_SYNC(void **state) {
    (void)state;
    exchange("bar.sync 0;");
    exchange("barrier.sync.aligned 3;");
    exchange("bar.sync 15, 96;");
    exchange("mov.u32 %r8, 2;\nmov.u32 %r9, 96;\nbarrier.sync %r8, %r9;");
    exchange("bar.cta.sync 1;");
    /* the warps reach it at different places in the code */
    exchange("setp.lt.u32 %p1, %ti, 64;\n@%p1 bra LOW;\nbar.sync 0;\nbra.uni GO;\nLOW: bar.sync 0;\nGO:");
}

/* Counts are of whole warps: lanes the block does not have, and those that left, count with their warp. */
static void counted_barriers_count_whole_warps(void **state) {
    (void)state;
    static uint32_t in[40][16], got[40][16];
    struct snippet s = {.block = 40};
    sb_add(&s.code,
           "setp.eq.u32 %%p1, %%ti, 5;\n@%%p1 exit;\nbar.sync 1, 64;\nst.global.u32 [%%out], %%ti;\n");
    snippet_run(&s, in, got);
    for (uint32_t i = 0; i < 40; i++) assert_int_equal(got[i][0], i == 5 ? 0 : i);
}

/* The first warp produces, announces it and goes on; the second waits. Barrier 1 counts both. */
static void test_BAR_ARRIVE(void **state) {
    (void)state;
    static uint32_t in[64][16], got[64][16];
    struct snippet s = {.block = 64};
    sb_add(&s.decls, ".shared .u32 sh[32];\n");
    sb_add(&s.code,
           "mov.u64 %%d1, sh;\nmul.wide.u32 %%d2, %%lane, 4;\nadd.u64 %%d2, %%d1, %%d2;\n"
           "setp.ge.u32 %%p1, %%ti, 32;\n@!%%p1 bra CONSUME;\nmul.lo.u32 %%r2, %%ti, 7;\n"
           "st.shared.u32 [%%d2], %%r2;\nbar.arrive 1, 64;\nst.global.u32 [%%out], %%ti;\nbra.uni END;\n"
           "CONSUME:\nbar.sync 1, 64;\nld.shared.u32 %%r3, [%%d2];\nst.global.u32 [%%out], %%r3;\nEND:\n");
    snippet_run(&s, in, got);
    for (uint32_t i = 0; i < 64; i++) assert_int_equal(got[i][0], i < 32 ? (i + 32) * 7 : i);
}

/* Threads bring tid < %r3 (0, some, all): and, or, popc over the block. */
static void block_reduction(const char *form, const char *dest, const char *move, uint32_t limit,
                            uint32_t want) {
    static uint32_t in[80][16], got[80][16];
    struct snippet s = {.block = 80};
    sb_add(&s.code, "setp.lt.u32 %%p1, %%ti, %u;\n%s %s, 0, %%p1;\n%sst.global.u32 [%%out], %%r4;\n", limit,
           form, dest, move);
    snippet_run(&s, in, got);
    for (int i = 0; i < 80; i++)
        if (got[i][0] != want)
            fail_msg("%s with %u of 80: thread %d got %u, want %u", form, limit, i, got[i][0], want);
}
static void test_BAR_RED_P(void **state) {
    (void)state;
    const char *move = "selp.u32 %r4, 1, 0, %p2;\n";
    for (uint32_t limit = 0; limit <= 80; limit += 20) {
        block_reduction("bar.red.and.pred", "%p2", move, limit, limit == 80);
        block_reduction("bar.red.or.pred", "%p2", move, limit, limit > 0);
        block_reduction("barrier.cta.red.aligned.or.pred", "%p2", move, limit, limit > 0);
    }
}
static void test_BAR_RED_U32(void **state) {
    (void)state;
    for (uint32_t limit = 0; limit <= 80; limit += 16)
        block_reduction("bar.red.popc.u32", "%r4", "", limit, limit);
}

#define ROWS_ALU    SKIP
#define ROWS_LDST   SKIP
#define ROWS_ATOM   SKIP
#define ROWS_TEX    SKIP
#define ROWS_WARP   TEST
#define ROWS_BAR    TEST
#define ROWS_BRANCH SKIP
#define ROWS_CTRL   SKIP

/* Machine code has tests of its own: exec/machine.c. */
#define R(...)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shuffles_gather_by_register),
        cmocka_unit_test(counted_barriers_count_whole_warps),
#include "ir/ops.def"
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
