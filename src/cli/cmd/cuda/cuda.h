/* One `heddle cuda`: a compiled CUDA program that is started with the runtime library of runtime/ before any other, once
 * for each machine, and what its processes wrote down about their launches. Shared by cuda*.c; docs/cuda-programs.md is
 * for users. */
#ifndef HEDDLE_CLI_CMD_CUDA_CUDA_H
#define HEDDLE_CLI_CMD_CUDA_CUDA_H

#include <jansson.h>
#include <signal.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "cli/profile_tables.h"
#include "sim/stats.h"
#include "subject/machines.h"

struct cuda;

/* A process that used the runtime. */
struct cuda_process {
    int64_t pid;
    const char *program;
    bool ended; /* it said so itself: else it was killed, or runs on */
};

/* Launches of one kernel, in a run. */
struct cuda_kernel {
    const char *name; /* as the PTX has it */
    size_t launches, timed, failed;
    size_t refused;     /* failed launches that the mechanism refused */
    const char *error;  /* error of the first launch that failed; NULL: none did */
    struct stats stats; /* totals of all launches */
};

struct cuda_launch {
    size_t process, kernel; /* places among the run's processes and kernels */
    uint64_t number;        /* number of the launch in the process, from 1 */
    /* Number among the launches of its kernel in the process, from 1; 0: it did not start. */
    uint64_t nth;
    uint64_t stream;
    hd_launch shape;
    bool timed;
    const char *status, *error; /* "ok" and NULL, or what became of it */
    struct stats stats;
};

/* The program on one machine. */
struct cuda_run {
    const struct cuda *cuda;
    const char *name; /* in tables: of the mechanism, of the configuration, or of both */
    const char *config, *mech_name;
    const struct mech_ops *mech; /* NULL: functional */
    VEC(char *) env;
    const char *log; /* file */

    pid_t pid;        /* 0: not started */
    bool over;        /* it has been waited for: */
    int wait_status;  /* as of waitpid */
    double seconds;   /* from start to end on the host */
    int in, out, err; /* pipes of a program whose output is captured; -1: none, or closed */
    size_t fed;       /* bytes of standard input that it has got */
    struct sb out_text, err_text;

    VEC(struct cuda_process) processes;
    VEC(struct cuda_kernel) kernels;         /* in the order of their first launches */
    VEC(struct cuda_launch) launches;        /* one for each launch, if struct cuda.each */
    size_t nlaunches, timed, failed, broken; /* broken: lines of the log that could not be read */
    struct stats total;
    size_t races;                 /* pairs of instructions, but for those that stored the same value */
    struct profile_shown profile; /* profile of all processes */
    bool sourceless;              /* a module of it does not say its source */
    VEC(const char *) notes;      /* what the runtime wants to be said: races, ... */
    struct arena mem;
};

struct cuda {
    struct cli *cli;
    struct opts opts;    /* options of the command line, of the options file and of the environment */
    const char *path;    /* path of the program */
    VEC(char *) words;   /* its name and arguments; ends with NULL */
    const char *library; /* directory */
    VEC(struct machines) machines;
    struct machine functional_machine;
    VEC(struct cuda_run) runs;
    const char *json, *csv, *html, *output, *report; /* NULL: not asked for */
    bool functional, quiet, each, launches, profile;
    unsigned jobs;
    bool hidden;               /* what the program prints is thrown away */
    off_t input_at;            /* where standard input was; -1: it cannot be repeated */
    enum cli_exit page_status; /* status of --report */
    const char *captured;      /* file of --capture; NULL: none */
    /* What was there before: the same afterwards means that there was no such launch. */
    struct stat before_capture;
    const char *dir;          /* temporary; NULL: none */
    sigset_t held, before;    /* signals that are held back while the program runs, and the mask before */
    void (*pipe_before)(int); /* what SIGPIPE did */
    bool holding;             /* they are */
    int signal;               /* the signal that came; 0: none */
    struct progress progress;
    struct term term; /* where tables go */
    struct arena mem;
};

/* cuda.c: no program runs any more. Signals end heddle as they do in other commands, and nothing temporary is left for that
 * case. */
void cuda_let_go(struct cuda *c);
void cuda_run_free(struct cuda_run *r);
/* c->dir, a temporary directory. */
bool cuda_make_directory(struct cuda *c, struct err *e);
void cuda_remove_directory(struct cuda *c);

/* program.c: finds the program and the library, and refuses what cannot be simulated. */
bool cuda_find_program(struct cuda *c, const char *word, struct err *e);
bool cuda_find_library(struct cuda *c, struct err *e);

/* options.c: options from all places, machines, and the environment of each run. */
bool cuda_read_options(struct cuda *c, const struct opts *o, struct err *e);
bool cuda_make_runs(struct cuda *c, struct err *e);

/* env.c: what a run finds in its environment. */
bool cuda_environment(struct cuda *c, struct cuda_run *r, const struct machine *m, struct err *e);

/* run.c: starts the runs and waits for them. False: one could not be started. */
bool cuda_simulate(struct cuda *c, struct err *e);
/* What a shell would call the end of it: an exit status, or 128 and a signal. */
int cuda_exit_status(const struct cuda_run *r);

/* log.c: what the processes of a run wrote. */
bool cuda_read_log(struct cuda_run *r, struct err *e);

/* report.c, compare.c: the tables of one run, and of several. */
void cuda_report(const struct cuda *c, struct sb *out);
void cuda_compare(const struct cuda *c, struct sb *out);
/* A kernel of a run by the name of another run's; NULL: it was not launched there. */
const struct cuda_kernel *cuda_kernel(const struct cuda_run *r, const char *name);
/* Cycles of the first run over those of this one; 0: there is nothing to compare. kernel NULL: of all launches. */
double cuda_speedup(const struct cuda *c, size_t run, const char *kernel);
/* The geometric mean over kernels, and of how many. */
double cuda_mean(const struct cuda *c, size_t run, size_t *kernels);

/* profile.c: from the log, to be sorted when it is read; for people, of all runs; as JSON. */
void cuda_profile_read(struct cuda_run *r, const json_t *line);
void cuda_profile_sort(struct cuda_run *r);
void cuda_profile(const struct cuda *c, struct sb *out);
json_t *cuda_profile_json(const struct cuda_run *r);

/* page.c: --report. False: there is no page, and why. */
bool cuda_page(struct cuda *c, struct err *e);

/* files.c: everything as JSON and CSV; html.c: as a page. */
bool cuda_json(const struct cuda *c, struct sb *out, struct err *e);
void cuda_csv(const struct cuda *c, struct sb *out);
void cuda_html(const struct cuda *c, struct sb *out);

#endif
