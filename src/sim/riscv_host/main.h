/* Programs that are machine code for a whole system: main runs on a scalar core, and what it launches on the device. */
#ifndef HEDDLE_SIM_RISCV_HOST_MAIN_H
#define HEDDLE_SIM_RISCV_HOST_MAIN_H

#include "sim/sim.h"

struct sim_main {
    const char *const *argv; /* argc of them; the first is the program's name */
    size_t argc;
    /* The host's files that it may use (--files); NULL: it reads any and writes in the current folder. */
    const char *files;
    uint64_t max_insts; /* of the core; 0: no bound */
    /* A launch, outside of any call on the device; false: the program is to stop. */
    bool (*launch)(void *user, hd_kernel *k, const hd_launch *l, const hd_arg *args, size_t nargs);
    /* What the program writes to its standard output (1) and standard error (2). */
    void (*write)(void *user, int fd, const void *data, size_t n);
    /* Receives one line when the program was refused something; NULL: not wanted. */
    void (*warn)(void *user, const char *text);
    void *user;
    /* What became of it. */
    bool stopped;    /* by launch */
    int status;      /* as its parent sees it: the exit status */
    uint64_t insts;  /* of the core */
    uint64_t output; /* a hash of what it wrote to its standard output */
};

/* Whether the module is such a program. */
bool sim_has_main(const hd_module *mod);
/* Runs it from its entry to its end. A module can be run once: its variables stay as they are then. */
hd_status sim_main_run(hd_module *mod, struct sim_main *m);

#endif
