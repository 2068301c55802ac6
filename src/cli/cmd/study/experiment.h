/* What 'heddle study factors' and 'heddle study sensitivity' share: the response, the programs and the machine that a command line
 * asks for, the runs, and how they end. */
#ifndef HEDDLE_CLI_CMD_STUDY_EXPERIMENT_H
#define HEDDLE_CLI_CMD_STUDY_EXPERIMENT_H

#include "cli/cmd/study/study.h"
#include "cli/stop.h"
#include "lab/factors.h"
#include "report/table.h"
#include "subject/machine.h"
#include "subject/subject.h"

struct study_experiment {
    struct cli *cli;
    const struct factor_preset *preset; /* NULL: none */
    const char *json, *csv, *db;
    bool data_on_stdout, quiet, markdown;
    struct machine machine;
    VEC(struct subject) subjects;
    VEC(struct lab_subject) programs;
    VEC(const char *) names; /* names of the programs */
    VEC(struct factor) factors;
    struct experiment *x; /* what is run */
    struct progress progress;
    struct stop stop;
    struct arena mem;
};

/* All but the factors; fills of x what is the caller's. */
bool study_experiment_options(struct study_experiment *s, const struct opts *o, struct experiment *x,
                              struct err *e);
/* The factors of an option that may be given several times. */
bool study_experiment_factors(struct study_experiment *s, const struct opts *o, const char *option,
                              struct err *e);
/* Reads and tries the programs, and checks the factors. */
bool study_experiment_prepare(struct study_experiment *s, struct err *e);
/* Opens the store and runs what is planned; run is experiment_run of x, or what calls it. */
bool study_experiment_run(struct study_experiment *s, bool (*run)(void *user, struct err *e), void *user,
                          struct err *e);
/* What became of a run that failed: it was stopped, or as cli_fail. */
enum cli_exit study_experiment_failed(const struct study_experiment *s, const struct err *e);
/* Files and text (cli.h); then warns of programs that do not count; a wrong result is an error. */
enum cli_exit study_experiment_results(const struct study_experiment *s,
                                       bool (*add_json)(const void *of, struct sb *out, struct err *e),
                                       void (*add_csv)(const void *of, struct sb *out),
                                       void (*add_text)(const void *of, struct sb *out), const void *of,
                                       struct err *e);
void study_experiment_free(struct study_experiment *s);

/* ---- for the reports ---- */

/* "gpu.ipc of harp over that of pdom on harp-fermi, arithmetic mean over 13 programs" */
void study_experiment_title(const struct study_experiment *s, struct sb *out);
/* Digits behind the point that show values of that size to four places. */
int study_experiment_digits(double size);
/* The table in Markdown or not; then it is freed. */
void study_experiment_table(const struct study_experiment *s, struct table *t, struct sb *out);

#endif
