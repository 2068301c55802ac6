/* A trace that is being read, for the files that do. */
#ifndef HEDDLE_FRONT_TRACE_READ_H
#define HEDDLE_FRONT_TRACE_READ_H

#include <pthread.h>
#include <zstd.h>

#include "front/trace/hdt.h"
#include "front/trace/impl.h"

enum { SPARE_MOST = 64 };

struct hdt {
    struct hdt_source source;
    uint64_t *programs, *launches; /* where they are */
    uint32_t nprograms, nlaunches;
    struct hdt_program program; /* the program that was asked for last */
    uint8_t *program_data;      /* texts of that program */
    struct hdt_text *texts;
    struct hdt_launch launch; /* the launch that was asked for last */
    uint8_t *launch_data;
    struct hdt_range *copied;
    uint32_t number;      /* number of that launch */
    uint64_t blocks_at;   /* where it says where its blocks are */
    bool *bits;           /* which columns of that launch are bits */
    pthread_mutex_t lock; /* guards what follows: blocks of several SMs may be read at once */
    ZSTD_DCtx *spare[SPARE_MOST];
    uint32_t nspare;
    char why[160]; /* a block could not be read: the first reason; "": none */
};

ZSTD_DCtx *read_take(struct hdt *t); /* NULL: no memory */
void read_give(struct hdt *t, ZSTD_DCtx *z);
uint8_t *read_packed(struct hdt *t, uint64_t at, size_t n, size_t raw, const char **why);
/* A piece with its head. *next: behind it. NULL: *why. */
uint8_t *read_piece(struct hdt *t, uint64_t at, enum piece kind, struct unpack *u, uint64_t *next,
                    const char **why);

#endif
