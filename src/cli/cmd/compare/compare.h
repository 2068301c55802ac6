/* One `heddle compare`: what the command line asked for, and what became of it. Shared by compare*.c. */
#ifndef HEDDLE_CLI_CMD_COMPARE_COMPARE_H
#define HEDDLE_CLI_CMD_COMPARE_COMPARE_H

#include <jansson.h>

#include "cli/stop.h"
#include "lab/run/compare.h"
#include "subject/machines.h"
#include "subject/subject.h"

/* What the race check says of a subject that left other memory somewhere. */
struct compare_race {
    const struct cli *cli;
    size_t races; /* pairs of instructions */
    struct sb text;
    json_t *json; /* NULL: there was no reason to look */
};

struct compare {
    struct cli *cli;
    VEC(struct subject) subjects;
    struct machines machines;
    struct machine functional; /* the reference */
    VEC(struct lab_subject) lab_subjects;
    const struct opts *opts;
    const char *json, *csv, *html;
    bool quiet, host, markdown, data_on_stdout;
    struct lab_comparison lab;
    struct compare_race *races; /* by subject */
    struct progress progress;
    struct stop stop;
};

/* Cycles of the first machine over those of this one; 0 where either did not end. */
double compare_speedup(const struct compare *c, size_t subject, size_t machine);
/* Over all subjects that ended under both, and how many those are. */
double compare_mean(const struct compare *c, size_t machine, size_t *subjects);
bool compare_ended(const struct compare *c, size_t subject, size_t machine);
/* The mechanism cannot run it. */
bool compare_refused(const struct compare *c, size_t subject, size_t machine);
/* It ended, with a wrong result. */
bool compare_wrong(const struct compare *c, size_t subject, size_t machine);
/* What became of a run, in a word for tables and files: ok, wrong, refused, failed, stopped. */
const char *compare_status(const struct compare *c, size_t subject, size_t machine);

/* report.c: the table; what is wrong, in words. */
void compare_report(const void *of, struct sb *out); /* Adds the table; of is a struct compare. */
/* "argument 1 (buf:u32[64]), element 3: 7, functional 5" */
void compare_difference(const struct compare *c, size_t subject, const struct lab_difference *d,
                        struct sb *out);
/* "diverge" or "@bfs" */
void compare_title(const struct compare *c, size_t subject, struct sb *out);
/* "examples/collatz.ptx, 4 blocks of 256 threads" or "tiny, 14 launches" */
void compare_what(const struct compare *c, size_t subject, struct sb *out);

/* As compare_title; where several programs have one kernel's name it is the file. */
void compare_column(const struct compare *c, size_t subject, struct sb *out);
struct table;
/* "mechanism", and a column for each program from the first on. */
void compare_heading(const struct compare *c, size_t first, struct table *t);
/* Prints the table and frees it. */
void compare_print_table(const struct compare *c, struct table *t, struct sb *out);
/* host.c: the whole program, with main on the host core; nothing where main takes no time. */
void compare_host(const struct compare *c, size_t subject, struct sb *out);
const char *compare_style(const struct compare *c, enum term_style s); /* none in Markdown */

/* What a comparison shows of statistics: titles of the columns, and their cells; shown false: they are not known. */
struct stats;
void compare_stat_titles(struct table *t);
void compare_stat_cells(struct table *t, const struct stats *s, bool shown);

/* programs.c: cycles of the first program over those of another under one mechanism, 0 where either did not end; the
 * table of them, where the programs are comparable. */
double compare_ratio(const struct compare *c, size_t subject, size_t machine);
void compare_programs(const struct compare *c, struct sb *out);

/* files.c */
bool compare_json(const void *of, struct sb *out, struct err *e);
void compare_csv(const void *of, struct sb *out);

/* races.c: looks for races where there is a reason to; says what it found. */
void compare_races(struct compare *c);
void compare_races_verdict(const struct compare *c, size_t subject);
void compare_races_free(struct compare *c);

/* html.c */
void compare_html(const void *of, struct sb *out);

#endif
