/* What the environment says about how to run: HEDDLE_CONFIG, HEDDLE_MECH, HEDDLE_SET, HEDDLE_MODE, HEDDLE_TIMED, HEDDLE_LOG,
 * HEDDLE_PROGRESS, HEDDLE_RACES, HEDDLE_PROFILE, HEDDLE_CAPTURE, or a file with all of these, HEDDLE_FILE (docs/cuda-programs.md). */
#ifndef CUDA_SETTINGS_H
#define CUDA_SETTINGS_H

#include <stddef.h>
#include <stdint.h>

#include "heddle.h"

/* A kernel that is timed while the rest is not: every launch, or the nth of that kernel. */
struct cu_timed {
    char *kernel;
    uint64_t nth; /* from 1; 0: every */
};

struct cu_settings {
    char *config, *mech, *log;
    int timed; /* -1: the device decides; 0 functional; 1 timed */
    int races, progress, profile;
    hd_option *options; /* options of HEDDLE_SET; keys and values are ours */
    size_t noptions;
    struct cu_timed *kernels;
    size_t nkernels;
    struct cu_timed capture; /* HEDDLE_CAPTURE, KERNEL[:N]=FILE; nth is never 0 */
    char *capture_file;      /* NULL: none */
};

/* Reads the environment. -1 and one line in `why` when a value is wrong. */
int cu_settings_read(struct cu_settings *s, char *why, size_t bytes);
void cu_settings_free(struct cu_settings *s);
/* Whether t names that kernel, whichever launch. */
int cu_settings_means(const struct cu_timed *t, const char *kernel);
/* Whether the nth launch of a kernel is timed by HEDDLE_TIMED. */
int cu_settings_timed(const struct cu_settings *s, const char *kernel, uint64_t nth);
#endif
