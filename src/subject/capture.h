/* A launch that was taken out of a CUDA program (heddle cuda --capture): the module's PTX, the kernel's arguments,
 * shape, and all device memory as it was, each allocation at its address, so that pointers in it still point.
 * runtime/runtime/snapshot.c writes the file. */
#ifndef HEDDLE_SUBJECT_CAPTURE_H
#define HEDDLE_SUBJECT_CAPTURE_H

#include "base/alloc.h"
#include "lab/run/program.h"

struct capture_buffer {
    const char *name; /* "m1", "m2", ... by address */
    uint64_t addr, bytes;
    const uint8_t *data; /* in `bytes` below */
};

struct capture {
    const char *kernel, *module; /* module: what lines of the PTX are called in messages */
    const char *program;         /* it is of, and which launch: "./walks, launch 3" */
    hd_launch launch;
    VEC(hd_arg) params;
    VEC(struct capture_buffer) buffers;
    VEC(struct lab_var) vars;
    VEC(struct lab_place) places;
    struct sb bytes; /* the file as it was before it was compressed */
};

bool capture_is(const char *data, size_t n);
/* Reads the file's bytes, in *text, which becomes the PTX. Other strings are in mem, or in the capture. Release with
 * capture_free in either case. */
bool capture_read(struct capture *k, const char *file, struct sb *text, struct arena *mem, struct err *e);
void capture_free(struct capture *k);

#endif
