/* One `heddle sweep`: the axes the command line spans, the points on them, and what became of them. Shared by sweep*.c. */
#ifndef HEDDLE_LAB_SWEEP_SWEEP_H
#define HEDDLE_LAB_SWEEP_SWEEP_H

#include "cli/stop.h"
#include "lab/store/cost.h"
#include "lab/sweep/run.h"
#include "subject/subject.h"
#include "value/expr.h"
#include "value/list.h"

/* Axes that move together, a column for each, and a row for each step: one option with its list of values, several that are
 * zipped, a file of points. The points of a sweep are the cross product of its groups. */
struct sweep_group {
    const char *from; /* "--set sm.warp_size" or the file's name, for messages */
    /* "workload", "size", "config", "mech", the key of an option, an argument of programs. */
    const char *const *keys;
    size_t nkeys, nrows;
    const char **cells;    /* row by row; NULL: this row leaves the axis as it is without the group */
    const unsigned *lines; /* line of each row in a file; NULL: it is no file */
    unsigned rank;         /* groups of a lower one change more slowly */
};

struct sweep;
struct sweep_command; /* a CUDA program with its words */
struct sweep_variant;

/* What the command gives to its sweeps. */
struct sweep_host {
    const struct opt *options; /* options of `heddle sweep`: a plan holds the words of a command line */
    /* The point's CUDA program, in words that may have {NAME} in them; first: of its subject. */
    bool (*add_program)(struct sweep *s, const char *text, struct params *params, bool first,
                        struct sweep_variant *v, struct err *e);
    void (*free_program)(struct sweep_command *k);
};

/* A file or a CUDA program with the values that axes give it. */
struct sweep_variant {
    const hd_option *values; /* values of all names of the sweep */
    bool read;
    struct subject subject;
    pthread_mutex_t lock;          /* guards the inputs of a kernel */
    int held;                      /* runs that need the inputs now */
    struct sweep_command *command; /* the CUDA program; NULL: it is a file */
    struct lab_subject lab;
    const hd_option *arguments; /* the values that it uses */
    size_t narguments;
};

/* What a point is of. */
struct sweep_subject {
    const char *name; /* on the axis "workload" */
    const struct workload *workload;
    const char *file;    /* a file, perhaps with a kernel; or NULL */
    const char *command; /* words of a CUDA program; or NULL */
    VEC(struct sweep_variant *) variants;
    bool *used;    /* by name: some variant uses it; NULL: there is no variant yet, and then */
    bool *may_use; /* by name: its text shows that it may use it; NULL: not asked for */
};

struct sweep {
    struct cli *cli;
    const struct sweep_host *host;
    const struct opts *opts;
    const char *db;
    bool quiet, dry_run;
    uint32_t part, parts; /* --shard; 0: all */
    VEC(struct sweep_subject) subjects;
    VEC(struct sweep_group) groups;
    VEC(const char *) names;             /* axes that are arguments of programs, sorted */
    bool all_count;                      /* which of them a file uses may differ from variant to variant */
    VEC(const struct sweep_expr *) skip; /* --skip-where */
    VEC(struct lab_point) points;
    size_t before[STORE_KILLED + 1]; /* by state: points that are not among these */
    VEC(size_t) number;              /* by point: of its combination */
    size_t left_out;                 /* combinations that --skip-where holds for */
    struct lab_cost *costs;          /* costs of points that are to run, in their order */
    size_t ncosts;
    struct lab_sweep lab;
    struct progress progress;
    struct stop stop;
    struct arena mem;
};

/* axes.c: the options that say which axes there are. Depends on nothing but them and the files they name. */
bool sweep_axes(struct sweep *s, const struct opts *o, struct err *e);
/* The group and column of an axis; NULL: there is none of that name. */
const struct sweep_group *sweep_axis(const struct sweep *s, const char *key, size_t *column);
/* The file of points among the groups, or NULL. */
const struct sweep_group *sweep_file(const struct sweep *s);

/* What an axis says something about. */
enum sweep_key_kind { SWEEP_OWN /* workload, size, config, mech */, SWEEP_SETTING, SWEEP_ARGUMENT };
enum sweep_key_kind sweep_key_kind(const char *key);

/* subjects.c: workloads, and files and CUDA programs in the variants that axes give them. A name is that of a workload,
 * with or without @, of a file, perhaps with a kernel, or "$ " and the words of a program. */
bool sweep_add_subject(struct sweep *s, const char *name, struct err *e);
struct sweep_subject *sweep_subject(const struct sweep *s, const char *name); /* NULL: it was not added */
/* Refuses options of launches where there is no file, and sizes where there is no workload. */
bool sweep_check_options(const struct sweep *s, struct err *e);
/* The axes that are arguments; then that each is used by something. */
bool sweep_read_names(struct sweep *s, struct err *e);
bool sweep_check_names(const struct sweep *s, struct err *e);
/* The variant of a file with these values, of all s->names in their order; a value may be NULL. NULL: why not. */
const struct sweep_variant *sweep_variant(struct sweep *s, struct sweep_subject *of, const hd_option *values,
                                          struct err *e);
/* Conditions are asked before a variant is read: which axes may say something about a subject. */
void sweep_guess_names(struct sweep *s);
bool sweep_uses(const struct sweep *s, const struct sweep_subject *of, const char *name);
void sweep_free_subjects(struct sweep *s);

/* points.c: the points on them, in an order that depends on nothing else. */
bool sweep_conditions(struct sweep *s, struct err *e);
bool sweep_points(struct sweep *s, struct err *e);
/* Puts before what is wrong with a point which one it is: its line in a file, or its place on the axes. Returns false. */
bool sweep_blame(struct sweep *s, size_t point, struct err *e);
void sweep_free(struct sweep *s);

/* cost.c: fills s->costs. */
bool sweep_costs(struct sweep *s, struct err *e);
/* The cost of a point, all of them asked for in order from *next 0 on; NULL: it is not to run. */
const struct lab_cost *sweep_cost(const struct sweep *s, size_t point, size_t *next);
void sweep_cost_total(const struct sweep *s, struct sb *out);

/* report.c */
void sweep_list(const struct sweep *s, struct sb *out); /* --dry-run */
/* The line at the end, and on standard error what is wrong with which point. */
enum cli_exit sweep_report(const struct sweep *s, struct sb *out);

/* options.c: what the options say, but for the points; then the points, with their ids. */
bool sweep_read_options(struct sweep *s, const struct opts *o, struct err *e);
bool sweep_work_out(struct sweep *s, struct err *e);

/* shard.c */
/* Opens the shard of s->part instead of s->db, with which points are left to its own. */
bool sweep_open_shard(struct sweep *s, struct err *e);
/* The points that differ, each once, in the order in which they were asked for; for the caller to free. */
size_t *sweep_unique(const struct lab_sweep *lab, size_t *n);
/* A name for the sweep of these points. */
uint64_t sweep_hash(const struct lab_sweep *lab, const size_t *points, size_t n);
/* Leaves these, ascending, of the points, with their ids if there are any. */
void sweep_choose(struct sweep *s, const size_t *points, size_t n);
const char *sweep_host(struct arena *mem); /* this host's name */

#endif
