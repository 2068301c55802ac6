/* Static ELF files of 64 bits for RISC-V: segments, functions, sections of debugging information. Nothing in a file is
 * trusted: every offset is checked against its length. */
#ifndef HEDDLE_FRONT_RISCV_ELF_H
#define HEDDLE_FRONT_RISCV_ELF_H

#include "base/alloc.h"
#include "base/err.h"

struct rv_segment {
    uint64_t address, bytes; /* in memory */
    const uint8_t *data;
    uint64_t filled; /* bytes of data; the rest is zero */
    bool code, writable;
};

struct rv_symbol {
    uint64_t address, bytes;
    const char *name; /* in the file */
    bool function, global;
};

struct rv_bytes {
    const uint8_t *v;
    uint64_t n;
};

struct rv_range {
    uint64_t from, to;
};

struct rv_elf {
    const uint8_t *data;
    uint64_t bytes, entry;
    uint64_t headers, nheaders; /* address of the program headers in memory, 0: they are not; and how many */
    VEC(struct rv_segment) segments; /* ascending, apart from each other */
    VEC(struct rv_symbol) symbols;   /* functions and objects, by address, then by size, the larger first */
    VEC(struct rv_range) code;       /* where instructions are, ascending */
    uint64_t kernels[2];             /* [from, to) of the section that holds the kernels */
    uint64_t global_pointer;         /* what gp holds in its code, 0: it does not say */
    struct rv_bytes debug_line, debug_line_str, debug_str;
};

/* Whether the bytes begin as an ELF file for RISC-V does. */
bool rv_elf_is(const void *data, size_t n);
/* name is used in messages. data must outlive the result. Freed by rv_elf_free, after an error too. */
bool rv_elf_read(struct rv_elf *f, const char *name, const void *data, size_t n, struct err *e);
void rv_elf_free(struct rv_elf *f);
/* The bytes in [address, address + n) as the file has them, or NULL: not all of them are in one segment's data. */
const uint8_t *rv_elf_at(const struct rv_elf *f, uint64_t address, uint64_t n);

#endif
