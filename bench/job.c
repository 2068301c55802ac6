/* See job.h. */
#include "job.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

double bench_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
double bench_peak_mb(void) {
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)u.ru_maxrss / 1024;
}

const struct job_kind *job_find(const char *name) {
    for (size_t k = 0; k < job_nkinds; k++)
        if (!strcmp(job_kinds[k].name, name)) return &job_kinds[k];
    return NULL;
}

static bool load(struct job *j, int k, const struct job_code *code, const char *dir) {
    char path[512];
    hd_module *mod = NULL;
    snprintf(path, sizeof path, "%s/%s", dir, code->file);
    return !hd_module_load_file(j->dev, path, &mod) && !hd_module_kernel(mod, code->kernel, &j->kernel[k]);
}

bool job_open(struct job *j, const struct job_kind *kind, uint32_t scale, const char *dir,
              const hd_config *config) {
    *j = (struct job){.scale = scale};
    if (hd_device_open(config, &j->dev)) return false;
    for (int k = 0; k < JOB_KERNELS && kind->code[k].file; k++)
        if (!load(j, k, &kind->code[k], dir)) return false;
    return kind->make(j);
}

void job_close(struct job *j) {
    for (int k = 0; k < JOB_BUFFERS; k++) {
        free(j->buf[k].host);
        free(j->buf[k].fresh);
    }
    hd_device_close(j->dev);
}

bool job_refresh(struct job *j) {
    for (int k = 0; k < JOB_BUFFERS; k++) {
        struct job_buffer *b = &j->buf[k];
        if (!b->bytes) continue;
        memcpy(b->host, b->fresh, b->bytes);
        if (hd_copy_in(j->dev, b->dev, b->fresh, b->bytes)) return false;
    }
    return true;
}

/* Floats may differ by rounding: 1e-3 relative, or absolute below 1. */
static bool agree(const struct job_buffer *b, const void *got) {
    if (!b->real) return !memcmp(b->host, got, b->bytes);
    const float *want = b->host, *have = got;
    for (size_t i = 0; i < b->bytes / sizeof *want; i++)
        if (!(fabsf(want[i] - have[i]) <= 1e-3f * fmaxf(1, fabsf(want[i])))) return false;
    return true;
}
bool job_verify(const struct job *j) {
    bool ok = true;
    for (int k = 0; k < JOB_BUFFERS && ok; k++) {
        const struct job_buffer *b = &j->buf[k];
        if (!b->result) continue;
        void *got = malloc(b->bytes);
        ok = got && !hd_copy_out(j->dev, got, b->dev, b->bytes) && agree(b, got);
        free(got);
    }
    return ok;
}

double job_stat(const struct job *j, const char *name) {
    double v = 0;
    return hd_stat(j->dev, 1, name, &v) ? 0 : v;
}
