/* A workload: a benchmark with its kernels, inputs, launches, CPU reference and check.
 *
 * workloads.def has one row for each. workloads/NAME/ holds NAME.cu (the kernels, compiled by tools/regen-ptx to the committed
 * NAME.ptx, which is part of the command; of some also by tools/regen-riscv, NAME.riscv...) and NAME.c: one function work_NAME(struct work *), which makes the inputs for
 * w->size, launches, computes the same on the CPU and checks. It uses this header and the public API alone. Its calls need no
 * error handling: after the first failure every later one does nothing (buffers are 0, reads leave zeros), so that the
 * function runs to its end and the caller says what went wrong. Only a loop that waits for the device must ask work_ok. */
#ifndef HEDDLE_WORKLOADS_WORKLOAD_H
#define HEDDLE_WORKLOADS_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <heddle.h>

/* tiny: for tests, well under a second timed; small: a few seconds; paper: the paper's launch, as far as it says. */
enum work_size { WORK_TINY, WORK_SMALL, WORK_PAPER, WORK_SIZES };
/* How far threads of a warp part: workloads.def has the bounds. */
enum work_class { WORK_NONE, WORK_LOW, WORK_MEDIUM, WORK_HIGH };

/* What the kernels are compiled to. RISC-V: by GCC with -O2, and with -O1 and no selects made of branches. */
enum work_isa { WORK_PTX, WORK_RISCV, WORK_RISCV_O1, WORK_ISAS };

struct work;
struct workload {
    const char *name, *origin, *launch, *what; /* launch: the paper's */
    enum work_class class;
    const char *code; /* PTX, or an ELF file */
    size_t code_bytes;
    void (*run)(struct work *w);
    enum work_isa isa;
};
extern const struct workload workload_list[]; /* in the order of workloads.def; the last has no name */
/* Other builds of some of them, with names of their own, "NAME:ISA"; they are in no list of programs. */
extern const struct workload workload_builds[];         /* the last has no name */
const struct workload *workload_find(const char *name); /* from both lists; NULL: none */
/* The build of the same program, NULL: there is none. */
const struct workload *workload_build(const struct workload *w, enum work_isa isa);
extern const char *const work_isa_names[WORK_ISAS];
extern const char *const work_size_names[WORK_SIZES], *const work_class_names[WORK_HIGH + 1];

/* One run of one workload on one device. The caller fills the first part and calls work_run. */
struct work {
    const struct workload *workload;
    enum work_size size;
    uint64_t seed; /* seed of the inputs: another number, other inputs of the same kind */
    hd_device *dev;
    /* Around each launch: before it starts, and after it ended well, when hd_stat has its statistics. May be NULL. */
    void (*before)(struct work *w, hd_kernel *k, const hd_launch *l);
    void (*after)(struct work *w, hd_kernel *k, const hd_launch *l);
    void *user;
    /* Filled by the run. */
    hd_module *mod;
    hd_status status; /* status of the device's first failed call; hd_error(dev) has the reason */
    bool wrong;       /* it ran to the end and a check failed: */
    char why[512];    /* which element, what it is and what it should be */
    /* Hash of all bytes checked: equal under every mechanism when the kernels are free of races. */
    uint64_t digest;
    uint64_t checked; /* values compared with the CPU's, and properties that had to hold */
    uint64_t random;  /* state of the generator */
    void *mem;        /* host memory of the run */
};

/* Loads the kernels and runs it: true when it ended and every check held. */
bool work_run(struct work *w);

/* ---- for the workloads' own code ---- */

bool work_ok(const struct work *w);
/* Picks the value for the size of this run. */
uint32_t work_pick(const struct work *w, uint32_t tiny, uint32_t small, uint32_t paper);

/* A seeded generator: the same inputs in every run of a size and a seed. */
uint32_t work_random(struct work *w);
uint32_t work_below(struct work *w, uint32_t n); /* uniform in [0, n); n > 0 */
float work_uniform(struct work *w, float low, float high);

void *work_host(struct work *w, size_t count, size_t bytes);             /* zeroed; freed after the run */
uint64_t work_buffer(struct work *w, const char *label, uint64_t bytes); /* device memory, zeroed */
/* Allocates device memory and fills it with data. */
uint64_t work_input(struct work *w, const char *label, const void *data, uint64_t bytes);
uint64_t work_symbol(struct work *w, const char *name); /* a variable of the module */
void work_write(struct work *w, uint64_t dst, const void *src, uint64_t bytes);
void work_read(struct work *w, void *dst, uint64_t src, uint64_t bytes);
void work_zero(struct work *w, uint64_t dst, uint64_t bytes);

void work_launch(struct work *w, const char *kernel, const hd_launch *l, const hd_arg *args, size_t nargs);
/* WORK_LAUNCH(w, "add", WORK_SHAPE(.grid = {8}, .block = {256}), hd_arg_ptr(a), hd_arg_u32(n)) */
#define WORK_LAUNCH(w, kernel, shape, ...)                                   \
    work_launch(w, kernel, &(hd_launch)shape, (const hd_arg[]){__VA_ARGS__}, \
                sizeof((const hd_arg[]){__VA_ARGS__}) / sizeof(hd_arg))
#define WORK_SHAPE(...) \
    { __VA_ARGS__ }

/* Checks: what the device holds against what the CPU computed. The first element that differs is reported. A float passes
 * when |have - want| <= absolute + relative * |want|, or both are the same infinity or NaN. */
void work_check_u32(struct work *w, const char *what, uint64_t addr, const uint32_t *want, size_t n);
void work_check_s32(struct work *w, const char *what, uint64_t addr, const int32_t *want, size_t n);
void work_check_u64(struct work *w, const char *what, uint64_t addr, const uint64_t *want, size_t n);
void work_check_f32(struct work *w, const char *what, uint64_t addr, const float *want, size_t n,
                    double relative, double absolute);
void work_check_f64(struct work *w, const char *what, uint64_t addr, const double *want, size_t n,
                    double relative, double absolute);
/* Any other property; bytes (may be NULL) go into the digest. */
void work_expect(struct work *w, bool holds, const void *bytes, size_t n, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

#endif
