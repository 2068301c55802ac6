/* What the writer and the reader of traces must agree about. */
#ifndef HEDDLE_FRONT_TRACE_IMPL_H
#define HEDDLE_FRONT_TRACE_IMPL_H

#include "front/trace/pack.h"
#include "front/trace/table.h"
#include "front/trace/track.h"

#define HDT_MAGIC "HDTRACE1" /* the last is the version of the format */
enum {
    HDT_TAIL = 16,   /* where the directory is, and the magic again */
    HDT_PART = 1024, /* a tape is read by so many bytes at a time */
    HDT_GROUP = 32   /* tapes of so many neighbours are read together; the first parts of a block are one */
};

#endif
