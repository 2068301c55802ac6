/* The bodies of the public handles, and what the files of this folder share. */
#ifndef HEDDLE_SIM_DEVICE_INTERNAL_H
#define HEDDLE_SIM_DEVICE_INTERNAL_H

#include "base/ledger.h"
#include "sim/gpu/gpu.h"
#include "sim/observe/trace.h"
#include "sim/sim.h"

/* Apart from the device, so that calls on a const handle can change it too. */
struct sim_life {
    struct ledger ledger;    /* everything that was allocated during calls on the device */
    struct workers *workers; /* threads that launches are run with; NULL: none yet */
    bool lost; /* the host's memory ran out during one: what the device holds may be half made */
};

struct hd_device {
    struct sim_life *life;
    struct options options;
    struct exec_mem *mem;  /* NULL: opening failed, only hd_error and hd_device_close do anything */
    struct err *err;       /* apart, so that calls on a const handle can leave a reason too */
    bool running;          /* a launch is under way: callbacks may look, not change */
    hd_module *modules;    /* newest first */
    VEC(uint64_t) buffers; /* what hd_alloc gave out and hd_free may take back, ascending */
    uint64_t allocations;  /* ever made, for their names */
    uint64_t launches;     /* ever made, for %gridid */
    uint64_t workspace;    /* of cooperative launches; 0: there was none yet */
    uint64_t const_end;    /* first address of the .const window not given to a module yet */
    struct stats last, total;
    struct exec_failure failure; /* failure of the last launch */
    const hd_kernel *failed;     /* the kernel of that launch; NULL: it is gone */
    VEC(struct gpu_range) warm;  /* with memory.warm_l2: what the host has copied since the last launch */
    struct gpu *gpu;             /* the timed machine, made by the first timed launch */
    struct storage storage;      /* of its mechanism */
    struct watch watch;
    struct series series;
    struct trace *trace;
    struct exec_races *races;       /* with run.races */
    const struct exec_race **found; /* what it found, in order; nfound of them */
    size_t nfound;
    bool races_warned;
    const struct sim_recorder *recorder; /* of launches (tape.h); NULL: they are not recorded */
    const struct sim_followed *followed; /* by the launch under way; NULL: it executes its program */
    struct journal *journal;             /* of what the host learned (checkpoint.c); NULL: none is kept */
    hd_log_fn *log;
    hd_print_fn *print;
    hd_progress_fn *progress;
    void *log_user, *print_user, *progress_user;
    struct {
        uint64_t done, since; /* blocks that have ended, and the thread instruction the last one ended at */
        bool warned;
    } patience; /* of the launch under way: launch.c */
};

struct hd_kernel {
    hd_module *mod;
    uint32_t func;
    hd_kernel_info info;
    struct gpu_tables tables;
    struct exec_plan *plan; /* of its tapes; NULL: not asked for yet */
    bool doubted;           /* that the plan has doubts was said */
};

struct hd_module {
    hd_device *dev;
    hd_module *next;
    struct ir_module *ir;
    struct cfg *cfg;
    struct exec_image *image;
    struct hd_kernel *kernels;
    size_t nkernels;
    uint64_t const_base, const_bytes; /* its part of the .const window */
    struct rewrite *form[CFG_FORMS];  /* made when they are first wanted, or NULL */
    uint32_t classes[CFG_FORMS];      /* of the instructions of each, a bit each; 0: not known yet */
    struct sm_branch *branch;         /* by PC, over its timed launches; NULL: there was none */
    struct sample_classes *samples;   /* with run.sample: sample.h; NULL: there is none yet */
    struct sm_account *account;       /* of its launches that were profiled; NULL: there was none */
    struct profile profile;           /* of both, when it was last asked for, */
    uint64_t profile_at;              /* after so many launches of the device; 0: never */
    const char *profile_text; /* where the line of the row that was asked for last begins, NULL: none was, */
    uint32_t profile_line;    /* and that line */
    struct arena mem;         /* kernels and their parameter lists */
};

/* .const variables have addresses of their own space, which would collide with those of buffers. hd_module_symbol gives them
 * out moved into this window, where each module has a part to itself: there they are memory like any other. */
#define SIM_CONST_WINDOW 0x4000000000000000u

/* Every call that may allocate is made inside a recovery point: if the host's memory runs out in it, the device is lost and
 * the call returns HD_MEMORY. */
#define SIM_CALL(device, call)                                         \
    const hd_device *sim_dev = device;                                 \
    struct ledger_point sim_point;                                     \
    if (!sim_enter(sim_dev, &sim_point)) return sim_no_entry(sim_dev); \
    if (setjmp(sim_point.at)) return sim_lose(sim_dev);                \
    hd_status sim_result = call;                                       \
    ledger_leave(&sim_point);                                          \
    return sim_result
bool sim_enter(const hd_device *dev, struct ledger_point *p); /* false: there is no device, or it is lost */
hd_status sim_no_entry(const hd_device *dev);
hd_status sim_lose(const hd_device *dev);
/* Takes the module off its device. */
void sim_unload(hd_module *mod);

/* HD_OK when the handle's device may be used and changed now. */
hd_status sim_ready(const hd_device *dev);
/* Takes the error over as the device's last one, logs it, and gives its status. */
hd_status sim_fail(const hd_device *dev, struct err *e);
/* Fails a call for a bad argument. */
hd_status sim_refuse(const hd_device *dev, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void sim_log(const hd_device *dev, hd_log_level level, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* module.c: the variable that holds an address of the .const window; *base is where it begins. */
const struct ir_var *sim_const_find(const hd_device *dev, uint64_t addr, uint64_t *base);

/* memory.c: an error of the call when [addr, addr+bytes) is not where callers may put memory; addr 0 is anywhere. */
hd_status sim_check_place(const hd_device *dev, uint64_t bytes, uint64_t addr);

/* module.c: an error of the call when the kernel cannot run. */
hd_status sim_supported(const hd_kernel *k);

/* machine.c: makes x a launch whose blocks are all resident, or says why they cannot be. */
hd_status sim_cooperate(const hd_kernel *k, const hd_launch *l, struct exec_launch *x);

/* launch.c: makes the timed machine if there is none yet; passes on what a kernel prints. */
bool sim_machine(hd_device *dev, struct err *e);
void sim_print(const hd_device *dev, const char *text, size_t n);

/* checkpoint.c: what a journal is told of; without one, nothing happens. What the host tells the device, in pieces. */
void sim_journal_input(hd_device *dev, const void *data, uint64_t n);
void sim_printed(hd_device *dev, const char *text, size_t n); /* by the launch under way */
void sim_warned(const hd_device *dev, const char *text);
/* Copies to the host; in a replay, what was copied then. */
bool sim_copied(hd_device *dev, void *to, const void *from, uint64_t n, struct err *e);
/* Around a launch that is simulated; instead of it, in a replay; after either has been counted. */
void sim_launch_begins(hd_device *dev);
void sim_launch_ended(hd_device *dev, struct stats *s, bool good);
bool sim_replay_launch(hd_device *dev, struct stats *s, struct err *e);
bool sim_replay_ended(hd_device *dev, struct err *e);
void sim_journal_free(hd_device *dev);
/* checkpoint_state.c: counters of a launch of the device, out or in. */
struct transfer;
void sim_move_stats(const hd_device *dev, struct stats *s, struct transfer *t);
/* launch.c: a launch on the timed machine, which is made if there is none. */
bool sim_run_timed(hd_kernel *k, const struct exec_launch *x, struct stats *s, struct err *e);

/* arguments.c: what a launch is given, checked and laid out as its kernel finds it, in info.param_bytes. */
bool sim_pack_args(const hd_kernel *k, const hd_arg *args, size_t nargs, uint8_t *block, struct err *e);

/* launch.c: with packed parameters, of a kernel that is supported, on a device that is ready. */
hd_status sim_launch(hd_kernel *k, const hd_launch *l, const void *params);
/* tape.c: a functional launch, written down. */
bool sim_recorded_run(hd_kernel *k, const struct exec_launch *x, struct stats *s, struct err *e);

/* races.c: after a launch; when the device is closed. */
void sim_races_update(hd_device *dev);
void sim_races_free(hd_device *dev);

/* frames.c: local memory one thread needs when it starts in each function, calls included, each recursion once. */
void sim_local_bytes(const struct ir_module *m, uint64_t *bytes);

#endif
