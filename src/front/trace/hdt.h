/* Trace files: programs, their launches, and what every thread did in them (exec/tape/tape.h says what is in a tape).
 *
 * A file is written in one go, front to back, and read at any place: a reader has the tapes of those blocks in memory that
 * run, and of each thread the part it is in, whatever the size of the file. docs/traces.md has the format. */
#ifndef HEDDLE_FRONT_TRACE_HDT_H
#define HEDDLE_FRONT_TRACE_HDT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { HDT_MAGIC_BYTES = 8 };
bool hdt_is(const void *data, size_t n); /* do these bytes begin a trace? */

/* A text of a program: several are linked. */
struct hdt_text {
    const char *name, *text;
    size_t bytes;
};
struct hdt_program {
    const char *name;
    const struct hdt_text *texts;
    size_t ntexts;
};
struct hdt_range {
    uint64_t addr, bytes;
};
struct hdt_launch {
    uint32_t program; /* its number */
    const char *kernel;
    uint32_t grid[3], block[3], shared;
    bool cooperative;
    uint64_t used_bytes;            /* bytes of device memory in use */
    const struct hdt_range *copied; /* by the host since the launch before */
    size_t ncopied;
    const char *doubt; /* why another machine might lead threads elsewhere; "": no reason is known */
    uint32_t columns;
    const bool *bits; /* by column: 0 and 1 only. Written; of one that is read, NULL */
    uint64_t insts;   /* thread instructions; known at its end */
};

/* ---- writing ---- */
struct hdt_writer;
struct hdt_writer *hdt_writer_new(bool (*write)(void *user, const void *data, size_t n), void *user);
void hdt_writer_free(struct hdt_writer *w); /* NULL is fine */
/* False: the file could not be written, which stays so. */
bool hdt_add_program(struct hdt_writer *w, const struct hdt_program *p, uint32_t *number);
bool hdt_begin_launch(struct hdt_writer *w, const struct hdt_launch *l);
bool hdt_end_launch(struct hdt_writer *w, uint64_t insts);
bool hdt_finish(struct hdt_writer *w);
struct hdt_sizes {
    uint64_t launches, insts, bytes; /* thread instructions; of the file */
};
struct hdt_sizes hdt_written(const struct hdt_writer *w);
/* As of struct exec_tape; user is the writer, and a launch is under way. */
void *hdt_put_start(void *user, uint64_t block);
void hdt_put(void *tapes, uint32_t thread, uint32_t column, uint64_t value);
void hdt_put_end(void *tapes, bool complete);

/* ---- reading ---- */
struct hdt_source {
    const char *name; /* for messages */
    uint64_t bytes;
    /* All n bytes from there on; false: they cannot be had. From several threads at a time. */
    bool (*read)(void *user, uint64_t at, void *data, size_t n);
    void *user;
};
struct hdt;
struct hdt *hdt_open(const struct hdt_source *s, struct err *e);
void hdt_close(struct hdt *t); /* NULL is fine */
uint32_t hdt_programs(const struct hdt *t);
uint32_t hdt_launches(const struct hdt *t);
/* What they have belongs to the trace; of a program until the next is asked for, and so of launches. */
const struct hdt_program *hdt_program(struct hdt *t, uint32_t number, struct err *e);
const struct hdt_launch *hdt_launch(struct hdt *t, uint32_t number, struct err *e);
/* The launch that was asked for last begins; bits: of its columns. */
bool hdt_follow(struct hdt *t, const bool *bits, uint32_t columns, struct err *e);
/* As of struct exec_tape; user is the trace. */
void *hdt_get_start(void *user, uint64_t block);
bool hdt_get(void *tapes, uint32_t thread, uint32_t column, uint64_t *value);
void hdt_get_end(void *tapes, bool complete);
const char *hdt_get_why(void *user, void *tapes);

#endif
