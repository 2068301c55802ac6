/* Generated kernels through every mechanism there is, in all its variants, on many machines. */
#ifndef HEDDLE_TESTS_DIFF_SWEEP_H
#define HEDDLE_TESTS_DIFF_SWEEP_H

#include "check.h"

/* Machines of every kind: the configurations, warps of 4 to 64, both ways to issue, each order, each part ideal, hardly any
 * resources. Ends with a NULL name. */
extern const struct diff_machine diff_machines[];
size_t diff_nmachines(void);

/* A way to run a mechanism: its options as in diff_machine. */
struct diff_variant {
    const char *mech;
    const char *option[14];
};
/* Variant n of a mechanism, 0 being its defaults, without options; NULL: it has no more. */
const struct diff_variant *diff_variant(const char *mech, size_t n);

/* Makes the kernel of a seed and runs it without time: that is where the number of instructions comes from. */
bool diff_begin(struct diff_case *c, uint64_t seed, struct sb *why);

/* Runs `count` kernels, those of the seeds first, first + step, ... that are not large, each under every mechanism of
 * mech_list, machines in turn: every other kernel with a variant of the mechanism, the others with options of it drawn at
 * random. Every eighth run is audited, with HEDDLE_DIFF_AUDIT every one. What is done with a kernel follows from its seed
 * and step; one alone is run whatever its size. False: why has up to five failures. *runs: those that were not refused. */
bool diff_sweep(uint64_t first, uint64_t step, uint64_t count, uint64_t *runs, struct sb *why);
/* Runs large kernels, seeds one by one. */
bool diff_sweep_large(uint64_t first, uint64_t count, struct sb *why);

#endif
