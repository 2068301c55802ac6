/* Runs a generated kernel on a device and compares what it leaves with what the CPU computed. */
#ifndef HEDDLE_TESTS_DIFF_CHECK_H
#define HEDDLE_TESTS_DIFF_CHECK_H

#include "gen.h"
#include "heddle.h"

/* A machine: options, "section.key" and "value" in turn, ending with NULL. */
struct diff_machine {
    const char *name;
    const char *option[24];
};

/* A kernel with its text and the memory it must leave. */
struct diff_case {
    struct gen_kernel kernel;
    struct sb text;
    struct gen_memory want;
};
void diff_make(struct diff_case *c, uint64_t seed);
void diff_free(struct diff_case *c);

/* Runs the case on a machine with further options (the same form, or NULL). False: `why` has the seed, the options and the
 * first difference or error, and the kernel has been written to build/diff-SEED.ptx. */
bool diff_run(const struct diff_case *c, const struct diff_machine *m, const char *const *more,
              struct sb *why);

/* How many kernels to try: HEDDLE_DIFF_COUNT, or the test's own number. The first seed: HEDDLE_DIFF_SEED, or 0; when it is
 * given alone, only that one is tried. */
struct diff_range {
    uint64_t first, count;
};
struct diff_range diff_range(uint64_t count);

#endif
