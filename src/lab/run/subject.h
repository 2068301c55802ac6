/* What an experiment runs, a workload at a size, one kernel of a file or a script of launches, and what one run of it leaves. */
#ifndef HEDDLE_LAB_RUN_SUBJECT_H
#define HEDDLE_LAB_RUN_SUBJECT_H

#include "lab/run/program.h"
#include "sim/sim.h"
#include "workloads/workload.h"

/* A run as a script sees it: a device with the module loaded. */
struct lab_stage {
    hd_device *dev;
    hd_module *mod;
    const struct lab_hooks *hooks;
    struct lab_outcome *out; /* wrong, checked and digest are the script's to fill */
    void *run;               /* private */
};
/* Launches that are made by code outside of the laboratory. */
struct lab_script {
    const char *name;        /* name of the script, for messages */
    const char *file, *text; /* the PTX; text NULL: run loads what it needs and says stage->mod */
    size_t text_bytes;
    uint64_t identity; /* a hash of all that decides what it does, apart from the PTX and the machine */
    bool (*run)(const void *user, struct lab_stage *stage, struct err *e);
    const void *user;
};

struct lab_hooks;
struct lab_outcome;
/* A program in a process of its own, which has devices of its own. */
struct lab_command {
    uint64_t identity; /* a hash of all that decides what it does, apart from the machine */
    /* Fills out, which is empty; ERR_MEMORY: the host could not run it, which is no result. Of the hooks, stop alone. */
    void (*run)(const void *user, const hd_config *config, const struct lab_hooks *hooks,
                struct lab_outcome *out);
    const void *user;
};

struct lab_subject {
    const char *name;                /* in tables, where it is not that of lab_subject_name; or NULL */
    const struct workload *workload; /* NULL: command */
    enum work_size size;
    const struct lab_command *command; /* NULL: script; it has a name */
    const struct lab_script *script;   /* NULL: program */
    const struct lab_program *program;
    /* Called before and after a program's inputs are copied to a device, by any thread: they must be there in
     * between. NULL: they always are. */
    bool (*hold)(void *holder, bool begin, struct err *e);
    void *holder;
};

struct lab_outcome {
    struct err err;     /* why it did not run to its end, or what its check found; ERR_OK: all is well */
    bool wrong;         /* it ended, but the check failed */
    struct stats total; /* totals of all launches, as far as it came */
    size_t launches;
    double seconds;   /* host time within launches */
    uint64_t digest;  /* digest of the results, which is equal under every machine */
    uint64_t checked; /* values of a workload that were compared with the CPU's */
};

/* A buffer of a script. */
struct lab_buffer {
    const char *name;
    uint64_t addr, bytes;
};

/* What a caller wants to see of a run; each may be NULL. The device is the run's own and closed at its end. */
struct lab_hooks {
    void (*opened)(void *user, hd_device *dev);                   /* nothing is loaded yet */
    void (*before)(void *user, hd_kernel *k, const hd_launch *l); /* each launch */
    /* Each that ended: sim_stats(dev, false) are its own. */
    void (*after)(void *user, hd_kernel *k, const hd_launch *l);
    /* All is over and well, memory still there. args: of a program, as it was launched; NULL of a workload. */
    void (*ended)(void *user, hd_device *dev, hd_module *mod, const hd_arg *args);
    /* Whatever became of it: the last look at an opened device. */
    void (*closing)(void *user, hd_device *dev);
    /* What a script prints, a file it writes, its buffers before `ended`, and whether it is to stop. */
    void (*print)(void *user, const char *text, size_t n);
    bool (*write)(void *user, const char *path, const void *data, size_t bytes, struct err *e);
    void (*buffers)(void *user, hd_device *dev, const struct lab_buffer *b, size_t n);
    bool (*stop)(void *user);
    void *user;
    bool no_digest; /* for a program: no digest is made, as reading large buffers back takes time */
};

/* Opens a device of that configuration and runs it there. hooks may be NULL. Release with lab_outcome_free. */
void lab_run(const struct lab_subject *s, const hd_config *config, const struct lab_hooks *hooks,
             struct lab_outcome *out);
void lab_outcome_free(struct lab_outcome *o);

/* A launch of a script: statistics, times and hooks as of any other. */
bool lab_stage_launch(struct lab_stage *s, hd_kernel *k, const hd_launch *l, const hd_arg *args, size_t nargs,
                      struct err *e);

/* A launch of a script that follows tapes. */
struct sim_followed;
bool lab_stage_follow(struct lab_stage *s, hd_kernel *k, const hd_launch *l, const struct sim_followed *f,
                      struct err *e);

/* A hash of all that decides what it does, apart from the machine. */
uint64_t lab_subject_hash(const struct lab_subject *s);

/* "@bfs", "FILE:kernel" or "FILE:script", for messages and tables. */
void lab_subject_name(const struct lab_subject *s, struct sb *out);

/* By name, without the @; NULL: the error has the nearest. */
const struct workload *lab_workload(const char *name, struct err *e);
/* What its kernels are compiled to, by name; and the build of a workload for it, or NULL and an error that says which have one. */
bool lab_isa(const char *name, enum work_isa *isa, struct err *e);
const struct workload *lab_build(const struct workload *w, enum work_isa isa, struct err *e);
/* "tiny", "small" or "paper" */
bool lab_size(const char *text, enum work_size *size, struct err *e);

#endif
