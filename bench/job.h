/* One benchmark: inputs, a run on the simulated device, the same on the CPU, and whether they agree. */
#ifndef HEDDLE_BENCH_JOB_H
#define HEDDLE_BENCH_JOB_H

#include <stdbool.h>
#include <stddef.h>

#include "heddle.h"

enum { JOB_BUFFERS = 6 };

/* A buffer on both sides. Results are compared between host (written by the CPU) and device. */
struct job_buffer {
    void *host, *fresh; /* fresh: what it holds before each run */
    size_t bytes;
    uint64_t dev;
    bool result, real; /* compared afterwards; as floats with a tolerance */
};

struct job {
    hd_device *dev;
    hd_kernel *kernel;
    uint32_t scale;
    struct job_buffer buf[JOB_BUFFERS];
    double insts, warp_insts; /* of one device run */
};

struct job_kind {
    const char *name, *file, *kernel;
    uint32_t full, quick; /* scale, for the whole and the quick benchmark */
    bool uniform;         /* counts towards the uniform figure, not the divergent one */
    bool (*make)(struct job *);
    hd_status (*device)(struct job *);
    void (*cpu)(struct job *);
};

extern const struct job_kind job_kinds[];
extern const size_t job_nkinds;

#endif
