/* One measurement of the timed machine. */
#ifndef HEDDLE_BENCH_TIMED_H
#define HEDDLE_BENCH_TIMED_H

#include "bench.h"
#include "heddle.h"

struct timed_case {
    const char *job; /* by the name of its job_kind */
    uint32_t scale;
    const char *machine, *mech;
    hd_option option; /* one more; key NULL: none */
};
struct timed {
    double seconds, insts, warp_insts, cycles, peak_mb; /* of the fastest of up to three runs */
    double issues; /* warp_insts, but one of a large warp is as many as its slots are warps of 32 */
};
/* Runs it in a process of its own, so that its peak memory is its own. False: it failed, or left other results than the
 * CPU; standard error says which. */
bool timed_measure(const struct bench *b, const struct timed_case *c, struct timed *t);

#endif
