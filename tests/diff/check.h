/* Runs a generated kernel on a device and compares what it leaves with what the CPU computed. */
#ifndef HEDDLE_TESTS_DIFF_CHECK_H
#define HEDDLE_TESTS_DIFF_CHECK_H

#include "gen.h"
#include "heddle.h"

/* A machine: a configuration file or NULL, and over it options, "section.key" and "value" in turn, ending with NULL. */
struct diff_machine {
    const char *name, *file;
    const char *option[24];
};

/* A kernel with its text and the memory it must leave. */
struct diff_case {
    struct gen_kernel kernel;
    struct sb text;
    struct gen_memory want;
    double insts;      /* thread instructions: those of the first run, which all others must have too */
    double lane_slots; /* lane slots of the last timed run */
    bool refused;      /* the mechanism of the last run does not run this kernel */
    bool drawn;        /* the mechanism of the last run may refuse it, as its options were drawn at random */
    /* Where diff_run puts the statistics, "name value" lines, but for those that only one mechanism has; NULL: nowhere. */
    struct sb *stats;
};
void diff_make(struct diff_case *c, uint64_t seed);
void diff_free(struct diff_case *c);

/* Runs the case on a machine with further options (the same form, or NULL). A mechanism that does not run any code may refuse
 * it. If not, memory must be what the CPU computed, the
 * number of thread instructions that of the other runs, and after a timed run the statistics must add up. False: `why` has
 * the seed, the options and the first difference or error, and the kernel has been written to build/diff-SEED.ptx. */
bool diff_run(struct diff_case *c, const struct diff_machine *m, const char *const *more, struct sb *why);

/* The sums that hold after every timed launch. False: why says which does not. */
bool diff_invariants(const hd_device *dev, struct sb *why);

/* How many kernels to try: HEDDLE_DIFF_COUNT, or the test's own number. The first seed: HEDDLE_DIFF_SEED, or 0; when it is
 * given alone, only that one is tried. */
struct diff_range {
    uint64_t first, count;
};
struct diff_range diff_range(uint64_t count);
/* The range for a sweep that takes long: `some` of its kernels, or if HEDDLE_DIFF_ALL is set `all`, that many
 * times: 1 in .ci/run, 3 in make test-long. */
struct diff_range diff_long_range(uint64_t some, uint64_t all);

#endif
