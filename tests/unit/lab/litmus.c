/* Forward progress, cell by cell: which litmus kernels end under which mechanisms, where that follows from what the mechanism is;
 * what the kernels must leave, by the functional engine; and how each kind of end is told from the others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "lab/litmus.h"
#include "mech/mech.h"

/* ---- the grid ---- */

/* One letter for each kernel of litmus.def, in its order: e ends, d deadlock, g goes on, r refused, . not said. */
/* clang-format off */
static const struct expected {
    const char *mech, *cells;
} expected[] = {
    /* lock-warp -inside -moved -call -warps -blocks two-locks, flag-falls -taken handshake meet-inside relay, barriers */
    /* Every thread gets its turn. Whether two who are in step get out of it is another matter (two-locks). */
    {"nrec",                  "eeeeee. eeeee eee"},
    {"mimd",                  "eeeeee. eeeee eee"},
    {"mp",                    "eeeeee. eeeee eee"},
    {"mp-basic",              "eeeeee. eeeee eee"},
    /* Who yields holds up no thread at a barrier; without that, fairness ends what two sides wait for, and not what
     * those behind a join are needed for. */
    {"volta",                 "eeeeee. eeeee eee"},
    {"volta:place=merge",     "eeeeee. eeeee eee"},
    {"volta:interleave=any",  "eeeeee. eeeee eee"},
    {"volta:yield=false",     "deeeee. eeeed eee"},
    /* A stack: who left a loop waits for who is in it; the side that is first runs to the join; at a barrier the whole of it
     * stands. In lockstep no thread gets both locks. */
    {"pdom",                  "deeeeeg deded dde"},
    {"pdom:side=fallthrough", "deeeeeg edded dde"},
    /* As pdom, with 128 threads, or a block, in the place of a warp: now warps wait for each other too. */
    {"lwm",                   "deeedeg deded dde"},
    {"tbc",                   "deeedeg deded dde"},
    /* As tbc, but warps that do not diverge go on. */
    {"capri",                 "deeeeeg deded dde"},
    /* Both sides of the newest branch run. */
    {"dpe",                   "deeeeeg eeeed eee"},
    /* Diverged threads in a table, where those behind a loop wait for those in it. */
    {"harp",                  "deeeee. eeeed eee"},
    /* Splits that stop at the join, and such that do not. */
    {"dws:branch=stack",      "deeeee. eeeed eee"},
    {"dws:branch=pc",         "eeeeee. eeeee eee"},
    /* The lowest PC runs: those in a loop before those behind it, a side at lower addresses before one at higher. Who waits
     * at a barrier is out of the choice. */
    {"minpc",                 "dedeeeg edded eee"},
    {"swi",                   "dedeeeg edded eee"},
    /* The two lowest run. The second stops at a join for the first, though it was on another side all the time (handshake). */
    {"sbi",                   "dedeee. eeded eee"},
    {"sbi+swi",               "dedeee. eeded eee"},
    {"sbi:constraint=false",  "eeeeee. eeeee eee"},
    /* The lowest PC again, with blocks in topological order: a critical section comes before the end of the loop wherever it
     * lies. */
    {"tf",                    "deeeeeg edded eee"},
    {"tf:kind=sandybridge",   "deeeeeg edded eee"},
    {"lorie-strong",          "deereeg edded eee"},
    /* The lower of two places is first, for a warp's stacks and for a control unit of its own. */
    {"sympa13",               "dedreeg edded eee"},
    {"takahashi",             "dedreeg edded eee"},
    {"takahashi:dup=true",    "dedreeg edded eee"},
    /* Nested code, walked from its first instruction to its last, then-parts first, however activity is stored; at a barrier
     * the walk stands. */
    {"chap",                  "deereeg edded dde"},
    {"amd",                   "deeeeeg edded dde"},
    {"pomp",                  "deeeeeg edded dde"},
    {"gma",                   "deereeg edded dde"},
    {"sandybridge",           "deereeg edded dde"},
    {"sandybridge:skip=false", "deereeg edded dde"},
    /* A stack of tokens: as pdom's, whose taken side is first too. */
    {"tesla",                 "deeeeeg deded dde"},
    {"tesla:loops=ssy",       "deeeeeg deded dde"},
    /* Barriers that do not hold who yields. */
    {"volta",                 "eeeeee. eeeee eee"},
    {"volta:place=merge",     "eeeeee. eeeee eee"},
    {"volta:interleave=any",  "eeeeee. eeeee eee"},
    {"volta:interleave=stall", "eeeeee. eeeee eee"},
    {"volta:yield=false",     "deeeee. eeeed eee"},
};
/* clang-format on */

/* A watchdog that gives up sooner than the machine's would: mechanisms that let go after a while do so within it. */
static enum litmus_end run_under(const struct litmus *l, const char *mech, struct litmus_cell *cell) {
    hd_option options[5] = {
        {"run.mech", NULL}, {"run.mode", "timed"}, {"gpu.watchdog", "50000"}, {"gpu.max_cycles", "400000"}};
    char name[32], key[64] = "", value[32] = "";
    size_t n = strcspn(mech, ":");
    snprintf(name, sizeof name, "%.*s", (int)n, mech);
    options[0].value = name;
    if (mech[n]) {
        const char *text = mech + n + 1, *equals = strchr(text, '=');
        snprintf(key, sizeof key, "%s.%.*s", name, (int)(equals - text), text);
        snprintf(value, sizeof value, "%s", equals + 1);
        options[4] = (hd_option){key, value};
    }
    litmus_run(l, &(hd_config){.options = options, .noptions = mech[n] ? 5 : 4}, cell);
    return cell->end;
}

static const char *letter(enum litmus_end end) {
    static const char *const letters[] = {
        [LITMUS_ENDS] = "e",   [LITMUS_DEADLOCK] = "d", [LITMUS_REFUSED] = "r", [LITMUS_GOES_ON] = "g",
        [LITMUS_NO_END] = "N", [LITMUS_WRONG] = "W",    [LITMUS_FAILED] = "F"};
    return letters[end];
}

/* The row of a mechanism as text, '.' where `like` has one. */
static void row_of(const char *mech, const char *like, char *row) {
    for (const struct litmus *l = litmus_list; l->name; l++, like++, row++) {
        struct litmus_cell cell;
        if (*like == ' ') *row++ = *like++;
        assert_true(*like);
        *row = *like == '.' ? '.' : *letter(run_under(l, mech, &cell));
        if (*like != '.') err_free(&cell.err);
    }
    assert_int_equal(*like, 0);
    *row = 0;
}

static void outcomes_that_follow_from_the_mechanism(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        char row[64];
        row_of(expected[i].mech, expected[i].cells, row);
        if (strcmp(row, expected[i].cells) != 0)
            fail_msg("%s: %s, not %s", expected[i].mech, row, expected[i].cells);
    }
}

/* Whatever the mechanism: no wrong result, no deadlock that would be the program's, and who promises progress keeps it. */
static void every_mechanism_has_an_honest_outcome(void **state) {
    (void)state;
    for (const struct mech_ops *const *m = mech_list; *m; m++)
        for (const struct litmus *l = litmus_list; l->name; l++) {
            struct litmus_cell cell;
            const bool livelock = !strcmp(l->name, "two-locks");
            run_under(l, (*m)->name, &cell);
            if (cell.end > LITMUS_GOES_ON || (cell.end == LITMUS_GOES_ON && !livelock) ||
                ((*m)->caps & MECH_PROGRESS && cell.end == LITMUS_DEADLOCK))
                fail_msg("%s under %s: %s: %s", l->name, (*m)->name, litmus_end_names[cell.end],
                         err_text(&cell.err));
            err_free(&cell.err);
        }
}

/* The watchdog does not depend on when it looks: here it always came while the warp waited for its next instruction. */
static void found_while_instructions_are_fetched(void **state) {
    const hd_option options[] = {{"run.mode", "timed"}, {"run.mech", "pdom"}, {"gpu.max_cycles", "400000"}};
    struct litmus_cell cell;
    struct err e = {0};
    (void)state;
    litmus_run(litmus_find("flag-falls", &e),
               &(hd_config){.file = "sl-tesla", .options = options, .noptions = 3}, &cell);
    assert_int_equal(cell.end, LITMUS_DEADLOCK);
    err_free(&cell.err);
}

/* ---- the kernels ---- */

/* It lets the group with the lowest PC run first, and is in step in two-locks as minpc is. */
static void the_functional_engine_leaves_what_they_must(void **state) {
    const hd_option functional[] = {{"run.mode", "functional"}, {"exec.max_insts", "1000000"}};
    (void)state;
    for (const struct litmus *l = litmus_list; l->name; l++) {
        struct litmus_cell cell;
        litmus_run(l, &(hd_config){.options = functional, .noptions = 2}, &cell);
        const bool livelock = !strcmp(l->name, "two-locks");
        if (cell.end != (livelock ? LITMUS_GOES_ON : LITMUS_ENDS))
            fail_msg("%s: %s", l->name, err_text(&cell.err));
        err_free(&cell.err);
    }
}

/* `heddle run workloads/litmus/NAME.ptx` launches what the study does. */
static void files_say_how_they_are_launched(void **state) {
    (void)state;
    for (const struct litmus *l = litmus_list; l->name; l++) {
        char line[160];
        snprintf(line, sizeof line,
                 "// heddle: --grid %u --block %u --arg 'buf:u32[%d]' --arg 'buf:u32[%u]'\n", l->grid,
                 l->block, LITMUS_STATE, l->grid * l->block + 1);
        if (strncmp(l->ptx, line, strlen(line)) != 0) fail_msg("%s does not begin with %s", l->name, line);
    }
}

static void kernels_by_name(void **state) {
    struct err e = {0};
    (void)state;
    assert_ptr_equal(litmus_find("lock-warp", &e), &litmus_list[0]);
    assert_null(litmus_find("lock-wrap", &e));
    assert_string_equal(err_text(&e), "there is no litmus kernel 'lock-wrap' (did you mean 'lock-warp'?)");
    err_free(&e);
}

/* ---- ends of other kinds ---- */

#define KERNEL(body)                                                                               \
    ".version 7.0\n.target sm_70\n.address_size 64\n"                                              \
    ".visible .entry litmus(.param .u64 state, .param .u64 out) { .reg .b64 %o, %s; .reg .b32 %r;" \
    ".reg .pred %p; ld.param.u64 %o, [out]; ld.param.u64 %s, [state];\n" body "}\n"

static void end_of(const char *text, uint32_t threads, enum litmus_end want, const char *reason) {
    const struct litmus l = {
        .name = "test", .grid = 1, .block = threads, .count = 7, .ptx = text, .ptx_bytes = strlen(text)};
    struct litmus_cell cell;
    assert_int_equal(run_under(&l, "mimd", &cell), want);
    if (!strstr(err_text(&cell.err), reason)) fail_msg("%s", err_text(&cell.err));
    err_free(&cell.err);
}

static void other_ends(void **state) {
    (void)state;
    end_of(KERNEL("st.global.u32 [%o], 7; st.global.u32 [%o+4], 1; ret;"), 1, LITMUS_ENDS, "");
    end_of(KERNEL("st.global.u32 [%o], 8; ret;"), 1, LITMUS_WRONG, "out[0] is 8, not 7");
    end_of(KERNEL("st.global.u32 [%o], 7; ret;"), 1, LITMUS_WRONG, "out[1] of thread 0 is 0, not 1");
    end_of(KERNEL("L: ld.volatile.global.u32 %r, [%s]; setp.eq.u32 %p, %r, 0; @%p bra L; ret;"), 1,
           LITMUS_NO_END, "program deadlock");
    end_of(KERNEL("ld.global.u32 %r, [0]; st.global.u32 [%o], %r; ret;"), 1, LITMUS_FAILED, "null-pointer");
    end_of(KERNEL("L: atom.global.exch.b32 %r, [%s], 1; setp.ge.u32 %p, %r, 0; @%p bra L; ret;"), 2,
           LITMUS_NO_END, "deadlock");
    end_of("nonsense", 1, LITMUS_FAILED, "nonsense");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outcomes_that_follow_from_the_mechanism),
        cmocka_unit_test(every_mechanism_has_an_honest_outcome),
        cmocka_unit_test(found_while_instructions_are_fetched),
        cmocka_unit_test(the_functional_engine_leaves_what_they_must),
        cmocka_unit_test(files_say_how_they_are_launched),
        cmocka_unit_test(kernels_by_name),
        cmocka_unit_test(other_ends),
    };
    return cmocka_run_group_tests_name("lab/litmus", tests, NULL, NULL);
}
