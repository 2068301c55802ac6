/* One `heddle run`: what the command line asked for, and what became of it. Shared by the files run*.c. */
#ifndef HEDDLE_CLI_CMD_RUN_RUN_H
#define HEDDLE_CLI_CMD_RUN_RUN_H

#include <jansson.h>

#include "cli/cmd/run/checkpoint_file.h"
#include "cli/outfile.h"
#include "cli/stop.h"
#include "sim/sim.h"
#include "subject/machine.h"
#include "subject/subject.h"

struct run_print {
    uint64_t arg, count; /* count 0: not said */
};
struct run_dump {
    uint64_t arg;
    const char *path;
};

/* Where lane slots went (sim/observe/profile.h), without the lines. */
struct run_slots {
    uint64_t all, lanes[SM_LANE_KINDS], waits[SM_WAITS];
};

/* A launch that ended, or, of a run that was stopped, the one that did not. */
struct run_launch {
    const char *kernel;
    hd_launch shape;
    double seconds; /* host time */
    struct stats stats;
    struct run_slots slots; /* slots of a run with a profile */
};

/* --checkpoint and --resume. */
struct run_checkpoint {
    const char *path;   /* path of the file that is written; NULL: none is */
    uint64_t launches;  /* launches between two checkpoints */
    double seconds;     /* seconds between two checkpoints, if launches is 0 */
    const char *resume; /* the file that the run goes on from; NULL: it begins anew */
    struct sb identity; /* what makes it this run: rows of name and value, each ends in NUL */
    struct checkpoint from;
    struct checkpoint_journal journal;
    uint64_t saved, tried; /* launches in the newest file; when one was last to be written */
    double saved_at;       /* when one was last to be written, in seconds of the host's clock */
};

struct run {
    struct cli *cli;
    /* from the command line */
    const struct opts *opts;
    struct subject subject;
    struct machine machine;
    const char *json, *series, *trace, *timeline; /* files; NULL: not wanted */
    const char *races;                            /* "on", "lockstep" or NULL */
    bool functional, quiet, host, profile, annotate;
    bool data_on_stdout; /* "-" was given for an output: nothing else may go there */
    uint64_t interval, threads;
    VEC(struct run_print) prints;
    VEC(struct run_dump) dumps;
    /* the simulation */
    hd_device *dev;
    hd_module *mod;
    const hd_arg *args; /* as the device takes them: addresses of buffers */
    VEC(struct run_launch) launches;
    double started;       /* the launch that runs */
    hd_kernel *under_way; /* kernel of the launch that runs; NULL: none runs */
    hd_launch shape;
    bool partial;           /* it was stopped: the last of launches did not end */
    struct run_slots slots; /* slots of the launches that ended */
    struct lab_outcome outcome;
    size_t nraces;
    bool reported;
    struct err failed; /* what went wrong with the results */
    struct watch watch;
    struct outfiles watched;        /* trace and timeline, written while it runs */
    struct outfiles written;        /* all others, given their names when all is well */
    VEC(const char *) script_paths; /* paths of a script's files */
    struct run_checkpoint checkpoint;
    struct stop stop;
    struct progress progress;
    struct arena mem; /* names of kernels */
};

/* options.c: fills the first part from the options; run_read_outputs when the file has been read, which
 * may bring arguments of its own. */
bool run_read_options(struct run *r, const struct opts *o, struct err *e);
bool run_read_outputs(struct run *r, const struct opts *o, struct err *e);

/* checkpoint.c: reads the options; what makes the run this one, and reads the file it goes on from; when the device is
 * open; after each launch; when it was stopped; at the end. */
bool run_checkpoint_options(struct run *r, const struct opts *o, struct err *e);
bool run_checkpoint_prepare(struct run *r, const hd_config *config, struct err *e);
void run_checkpoint_begin(struct run *r);
void run_checkpoint_launched(struct run *r);
void run_checkpoint_stopped(const struct run *r);
void run_checkpoint_free(struct run *r);

/* script.c: what a script does besides launches; user is the run. */
void run_script_print(void *user, const char *text, size_t n);
bool run_script_write(void *user, const char *path, const void *data, size_t bytes, struct err *e);
bool run_script_stop(void *user);

/* watch.c: opens the files for what is recorded while it runs, fills r->watch. */
bool run_watch(struct run *r, struct err *e);
/* When the device is closed: completes the files, also those of a run that failed. */
bool run_watch_end(struct run *r, struct err *e);

/* report.c: what is shown and written after the last launch. */
void run_report(const struct run *r, struct sb *out);
/* A line's name at the left; the same with a number after it. */
void run_label(const struct run *r, struct sb *out, const char *name);
void run_count(const struct run *r, struct sb *out, const char *name, uint64_t v);
/* timed.c: the part of the report that only a timed run has. */
void run_timed_report(const struct run *r, const struct stats *s, struct sb *out);
/* launches.c: one by one, or by kernel where there are many. */
void run_launches(const struct run *r, struct sb *out);

/* json.c */
bool run_json(const struct run *r, struct sb *out, struct err *e);

/* series.c, profile.c: for people and as JSON; of one launch, counted from 0, and of all. */
void run_series(const struct run *r, struct sb *out);
json_t *run_series_json(const struct run *r, size_t launch);
void run_profile(const struct run *r, struct sb *out);
json_t *run_profile_json(const struct run *r);
/* The slots of the launch that just ended, beyond those before it; and as JSON. */
void run_profile_launch(struct run *r, hd_kernel *k, struct run_slots *out);
json_t *run_slots_json(const struct run_slots *s);
/* annotate.c: the source with what its lines cost in the margin. */
void run_annotate(const struct run *r, struct sb *out);

#endif
