/* Kernel traces as Accel-Sim's tracer (NVBit) and its post-processing write them: kernel-1.traceg, text. A head of lines
 * "-name = value", then for each thread block its warps, and a line for each instruction that a warp has issued:
 *   [line] PC mask destinations [R...] opcode sources [R...] width [format addresses...] [immediate]
 * PC, mask and addresses are hexadecimal. The mask has the lanes that were active and whose predicate held. Format 0 lists an
 * address for each of them, 1 has the first and a stride, 2 the first and what each of the others adds to the one before. */
#ifndef HEDDLE_FRONT_SASS_TRACEG_H
#define HEDDLE_FRONT_SASS_TRACEG_H

#include <stdio.h>

#include "front/sass/sass.h"

struct traceg_kernel {
    const char *name;
    /* lines: each has a source line's number. */
    uint32_t grid[3], block[3], shared, registers, version, tracer, lines;
    uint64_t shared_base, local_base;
};

struct traceg_insn {
    uint64_t pc;
    uint32_t mask;
    const char *opcode;
    uint8_t nd, ns, dest[SASS_DESTS], source[SASS_SOURCES];
    uint32_t bytes;
    uint64_t addr[32]; /* addresses of the lanes in mask, if bytes is not 0 */
};

enum traceg_event { TRACEG_INSN, TRACEG_BLOCK, TRACEG_WARP, TRACEG_BLOCK_END, TRACEG_END, TRACEG_BAD };

struct traceg {
    FILE *file;
    const char *name;
    uint64_t line;
    char *text; /* the line */
    size_t cap;
    struct traceg_kernel kernel;
    bool in_block;
    uint32_t block[3], warp; /* where the reader is */
    uint64_t left;           /* instructions of the warp that are still to come */
    struct traceg_insn insn;
    struct arena mem;
};
/* Reads the head. The file stays the caller's; traceg_close in either case. */
bool traceg_open(struct traceg *t, FILE *file, const char *name, struct err *e);
/* What comes next: an instruction, a block that begins (its place in block), a warp, the block's end, the end of all. */
enum traceg_event traceg_next(struct traceg *t, struct err *e);
void traceg_close(struct traceg *t);
/* "FILE:12: reason" */
bool traceg_fail(const struct traceg *t, struct err *e, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
