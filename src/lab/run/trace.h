/* Programs that were written down, and runs of them: a trace file (front/trace) between devices and the disk. */
#ifndef HEDDLE_LAB_RUN_TRACE_H
#define HEDDLE_LAB_RUN_TRACE_H

#include "front/trace/hdt.h"
#include "lab/run/subject.h"
#include "sim/observe/tape.h"

/* ---- recording: all launches of a device, which are run functionally ---- */
struct lab_recorder;
struct lab_recorder *lab_recorder_new(bool (*write)(void *user, const void *data, size_t n), void *user);
void lab_record(struct lab_recorder *r, hd_device *dev);
/* After the last launch, the device may be closed: the end of the file. */
bool lab_recorder_finish(struct lab_recorder *r, struct hdt_sizes *sizes, struct err *e);
/* Kernels that another machine might have led elsewhere, a line each with the reason. */
const char *lab_recorder_doubts(const struct lab_recorder *r);
void lab_recorder_free(struct lab_recorder *r); /* NULL is fine */

/* ---- replay ---- */
bool lab_is_trace(const char *path); /* by how the file begins */
struct lab_trace {
    const char *path;
    uint64_t digest;          /* digest of the end of the file, which has where everything is */
    struct lab_script script; /* a subject's: runs all launches. Its user is this */
};
/* Looks whether the file can be read and what it holds can be loaded; nothing of it stays open. path must outlive it. */
bool lab_trace_open(struct lab_trace *t, const char *path, struct err *e);
/* What sim_follow takes, for the launch that a file was told to follow (hdt_follow). */
struct sim_followed lab_followed(struct hdt *file, const char *doubt);
/* The program of the first launch, loaded. */
bool lab_trace_module(const struct lab_trace *t, hd_device *dev, hd_module **mod, struct err *e);

#endif
