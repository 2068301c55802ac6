/* Linux as a single-threaded RISC-V program sees it: enough of its system calls for C programs that compute, read and write.
 * Private to the files linux*.c and main.c. */
#ifndef HEDDLE_SIM_RISCV_HOST_LINUX_H
#define HEDDLE_SIM_RISCV_HOST_LINUX_H

#include "exec/core.h"
#include "sim/riscv_host/linux_place.h"
#include "sim/riscv_host/main.h"

struct host;
struct linux {
    struct exec_mem *mem;
    struct exec_core *core;
    struct host *host; /* times main; NULL: it takes no time */
    const struct ir_binary *binary;
    struct sim_main *main;
    VEC(int) files;         /* by the program's number: the host's; -1: closed */
    struct linux_rule rule; /* which files it may use */
    bool warned;            /* that one was refused */
    uint64_t random;        /* state of the generator */
    bool ended;
    int status;
    const char *why; /* it did something that cannot be done; NULL: it did not */
};

/* The stack with arguments, environment and auxiliary vector, and sp. */
bool linux_begin(struct linux *k, struct err *e);
/* The call that the core stopped at: arguments and result are its registers. */
void linux_call(struct linux *k);
void linux_end(struct linux *k);

/* A handler: the arguments a0 to a5; gives the result, or an error number negated. */
typedef int64_t linux_fn(struct linux *k, const uint64_t *a);
#define CALL(number, name) linux_fn call_##name;
#define NOTHING(number, name)
#include "sim/riscv_host/linux.def"

/* The program's bytes, or NULL; a string that ends within its memory, or NULL. */
void *linux_bytes(const struct linux *k, uint64_t addr, uint64_t n);
const char *linux_string(const struct linux *k, uint64_t addr);
/* Reads n bytes of a file of the program from there on, for mmap: 0, or an error number negated. */
int64_t linux_file_at(const struct linux *k, uint64_t fd, void *to, uint64_t n, uint64_t at);

#endif
