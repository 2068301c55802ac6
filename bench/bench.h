/* What the parts of the benchmark share. */
#ifndef HEDDLE_BENCH_BENCH_H
#define HEDDLE_BENCH_BENCH_H

#include <jansson.h>
#include <stdbool.h>

struct bench {
    bool quick;
    const char *only, *part, *json, *dir, *configs;
    json_t *rows, *timed, *mechs; /* results: functional, timed, of each mechanism */
};
bool bench_wants(const struct bench *b, const char *name);

bool timed_run(struct bench *b); /* timed.c; false: something failed */
bool mechs_run(struct bench *b); /* mechs.c; likewise */

#endif
