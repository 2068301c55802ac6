/* One measurement of the timed machine, in a process of its own. */
#ifndef HEDDLE_BENCH_TIMED_H
#define HEDDLE_BENCH_TIMED_H

#include "bench.h"
#include "heddle.h"

struct timed_case {
    const char *job; /* by the name of its job_kind */
    uint32_t scale;
    const char *machine, *mech;
    hd_option option; /* one more; key NULL: none */
    uint32_t threads; /* threads of the host; where the library has no such option, one is all there is */
    uint32_t runs;    /* at most; 0: up to three, fewer if they are long */
};
struct timed {
    double seconds, insts, warp_insts, cycles, peak_mb; /* processor time of the fastest run */
    double wall;   /* wall-clock time of the fastest run, which several threads share */
    double issues; /* warp_insts, but one of a large warp is as many as its slots are warps of 32 */
    double host;   /* instructions of the host in the launches of one run; 0: not counted */
};
/* Runs it by that bench program, or this one if it is NULL. False: it failed, or left other results than the CPU; standard
 * error says which. */
bool timed_measure(const struct bench *b, const char *program, const struct timed_case *c, struct timed *t);
/* Runs it once and counts the host's instructions: by the processor's counter, or under callgrind where there is
 * none. Both missing, t->host is 0; says so once, on standard error. */
bool timed_count(struct bench *b, const char *program, const struct timed_case *c, struct timed *t);

/* Whether the library can use several threads of the host for one launch. */
bool timed_threads(void);

/* What the processes above run: measures the case that the command line describes (bench --case ...) and prints one line. */
int case_main(const struct bench *b, int argc, char **argv);

/* The nine kernels of the table. */
struct timed_kind {
    const char *name;
    uint32_t full, quick, counted; /* scale; counted: for instructions of the host */
    double peer;                   /* million thread instructions per second of GPGPU-Sim */
};
extern const struct timed_kind timed_kinds[];
extern const size_t timed_nkinds;
#define TIMED_MACHINE "turing-rtx2060"

/* Ratios, of which the table shows the geometric mean and the extremes. */
struct mean {
    double logs, least, most;
    int n;
};
void mean_add(struct mean *m, double ratio); /* one that is 0 was not measured */
double mean_of(const struct mean *m);        /* 0: of none */

#endif
