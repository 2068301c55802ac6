/* One benchmark: inputs, a run on the simulated device, the same on the CPU, and whether they agree. */
#ifndef HEDDLE_BENCH_JOB_H
#define HEDDLE_BENCH_JOB_H

#include <stdbool.h>
#include <stddef.h>

#include "heddle.h"

enum { JOB_BUFFERS = 6, JOB_KERNELS = 2 };

/* A buffer on both sides. Results are compared between host (written by the CPU) and device. */
struct job_buffer {
    void *host, *fresh; /* fresh: what it holds before each run */
    size_t bytes;
    uint64_t dev;
    bool result, real; /* compared afterwards; as floats with a tolerance */
};

struct job {
    hd_device *dev;
    hd_kernel *kernel[JOB_KERNELS];
    uint32_t scale;
    struct job_buffer buf[JOB_BUFFERS];
};

struct job_code {
    const char *file, *kernel;
};
struct job_kind {
    const char *name;
    struct job_code code[JOB_KERNELS];
    uint32_t full, quick; /* scale, for the whole and the quick functional benchmark; 0: not part of it */
    bool uniform;         /* counts towards the uniform figure, not the divergent one */
    bool (*make)(struct job *);
    hd_status (*device)(struct job *); /* as many launches as it takes */
    void (*cpu)(struct job *);
};

extern const struct job_kind job_kinds[];
extern const size_t job_nkinds;

const struct job_kind *job_find(const char *name); /* NULL: none */
/* A device of that configuration with the job's kernels from dir and its buffers. False: hd_error(j->dev) says why, unless
 * there is no device; close it in either case. */
bool job_open(struct job *j, const struct job_kind *kind, uint32_t scale, const char *dir,
              const hd_config *config);
void job_close(struct job *j);
bool job_refresh(struct job *j);                        /* both sides as before the first run */
bool job_verify(const struct job *j);                   /* what the last runs on both sides left agrees */
double job_stat(const struct job *j, const char *name); /* over all launches since it was opened */

double bench_now(void); /* processor time of this thread, seconds */
double bench_peak_mb(void);

#endif
