/* A kernel with everything its launch needs, apart from any device: what can be run again and again, on any
 * machine, and always begins with the same memory. */
#ifndef HEDDLE_LAB_RUN_PROGRAM_H
#define HEDDLE_LAB_RUN_PROGRAM_H

#include <heddle.h>

#include "base/err.h"
#include "sim/sim.h"

/* A place that gets an address when there is a device: 8 bytes at an offset. */
struct lab_link {
    uint64_t offset;
    size_t buffer;      /* number of the argument or buffer, unless: */
    const char *symbol; /* the variable of the module; NULL: none */
};

struct lab_arg {
    const char *text;       /* as the user wrote it, for messages */
    hd_arg value;           /* what the kernel gets, unless it is an address that a device has yet to say: */
    uint64_t bytes;         /* size of a new buffer; 0: none */
    uint64_t addr;          /* where it shall lie; 0: anywhere */
    const uint8_t *initial; /* its contents; NULL: zeros */
    const char *symbol;     /* the variable of the module, instead of a buffer; NULL: none */
    const struct lab_link *links; /* addresses in a struct by value; of a pointer the one it is */
    size_t nlinks;
};

/* Bytes that a variable of the module holds before the launch. */
struct lab_var {
    const char *text; /* as the user wrote it */
    const char *symbol;
    uint64_t offset, bytes;
    const uint8_t *data;
    const struct lab_link *links; /* offsets within data */
    size_t nlinks;
};

/* Where a .global variable of the module shall lie. */
struct lab_place {
    const char *symbol;
    uint64_t addr;
};

struct lab_program {
    const char *file, *text; /* the PTX */
    const char *module;      /* what its lines are called in messages; NULL: file */
    size_t text_bytes;
    const char *kernel;
    hd_launch launch;
    /* Arguments of the kernel, and behind them buffers that are reached through others. */
    const struct lab_arg *args;
    size_t nargs, nbuffers;
    const struct lab_var *vars;
    size_t nvars;
    const struct lab_place *places; /* where addresses of .global variables are among the data */
    size_t nplaces;
    uint64_t identity; /* its lab_subject_hash, where contents are not always there; 0: it is not said */
};

/* The error a device's call left, if it left one. dev may be NULL when there was no memory for it. */
bool lab_check(const hd_device *dev, hd_status s, struct err *e);

/* hd_device_open; *dev is NULL or for the caller to close in either case. */
bool lab_open(const hd_config *config, hd_device **dev, struct err *e);

/* Loads the text and puts variables where they shall lie; the same and finds the kernel. */
bool lab_module(hd_device *dev, const struct lab_program *p, hd_module **mod, struct err *e);
bool lab_load(hd_device *dev, const struct lab_program *p, hd_module **mod, hd_kernel **k, struct err *e);

/* Makes the buffers, labels them, looks the symbols up: out[nargs + nbuffers], all zero, is what hd_run takes and where the
 * buffers behind the arguments are. Release with lab_unbind in either case. */
bool lab_bind(hd_device *dev, hd_module *mod, const struct lab_program *p, hd_arg *out, struct err *e);
void lab_unbind(const struct lab_program *p, hd_arg *out);
/* Copies the initial contents in, of buffers and variables. */
bool lab_fill(hd_device *dev, hd_module *mod, const struct lab_program *p, const hd_arg *bound,
              struct err *e);

#endif
