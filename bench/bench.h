/* What the parts of the benchmark share. */
#ifndef HEDDLE_BENCH_BENCH_H
#define HEDDLE_BENCH_BENCH_H

#include <jansson.h>
#include <stdbool.h>

/* How instructions of the host are counted: by the first means that works. */
enum bench_counts { COUNT_UNKNOWN, COUNT_COUNTER, COUNT_CALLGRIND, COUNT_NOT };

struct bench {
    bool quick, instructions; /* small inputs; instructions of the host only, no times */
    const char *only, *part, *json, *dir, *configs, *against;
    char self[512]; /* this program */
    enum bench_counts counts;
    json_t *rows, *timed, *mechs; /* results: functional, timed, of each mechanism */
};
bool bench_wants(const struct bench *b, const char *name);

bool timed_run(struct bench *b);     /* timed.c; false: something failed */
bool mechs_run(struct bench *b);     /* mechs.c; likewise */
bool against_timed(struct bench *b); /* against.c; likewise */
bool against_mechs(struct bench *b);

#endif
