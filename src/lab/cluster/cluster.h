/* One sweep over a cluster while a process attends to it: what is in the database, what Slurm is at, what is left.
 * Shared by submit.c, watch.c and status.c. */
#ifndef HEDDLE_LAB_CLUSTER_CLUSTER_H
#define HEDDLE_LAB_CLUSTER_CLUSTER_H

#include "lab/cluster/plan.h"
#include "lab/cluster/slurm.h"
#include "lab/store/cost.h"

/* A task of some round. */
struct cluster_task {
    size_t round, number; /* number of the round, and of the task in it */
    uint64_t job;         /* 0: was never submitted */
    size_t index;         /* within its array */
    const size_t *positions;
    size_t n;
    bool open;      /* it may still run points */
    bool active;    /* it runs, as Slurm says */
    uint64_t seen;  /* bytes of its shards that have been looked at */
    size_t running; /* points it was at when last looked at */
};

struct cluster {
    struct sweep s; /* its points are those of the plan, in that order */
    struct sweep_plan p;
    struct opts opts;                    /* options of the plan's command, when it was taken up */
    struct lab_cost *costs;              /* by position: how long they take, as far as is known */
    double estimated;                    /* when that was, by term_seconds */
    VEC(struct sweep_plan_round) rounds; /* the first is 1 */
    VEC(struct cluster_task) tasks;
    bool *done;         /* by position: in the database */
    bool *flying;       /* by position: of an open task */
    size_t ndone, nbad; /* points of the plan that are in the database, and those of them that are not ok */
    size_t moved;       /* points that were found killed */
    size_t mark;        /* ndone and moved at the last submission */
    size_t fruitless;   /* submissions in a row that changed nothing */
    size_t refused;     /* submissions in a row that did not work */
    bool cancelling;    /* it is being cancelled, so that tasks end without a message */
    size_t *by_key;     /* positions in the order of keys */
    double submitted;   /* when, by term_seconds */
    bool warned;        /* a warning was given that Slurm does not answer */
    struct arena mem;
};

/* submit.c */
/* The points that are missing and not under way, cut into tasks, go to Slurm as another round. */
bool cluster_submit(struct cluster *c, struct err *e);

/* How long the points take, from what is in the database by now. */
bool cluster_estimate(struct cluster *c, struct err *e);

/* watch.c */
/* Fills in what follows from c->p, c->s and the rounds on disk. */
bool cluster_begin(struct cluster *c, struct err *e);
/* Asks Slurm, reads shards that have grown; with write into the database, else only c->done. Then, with write, what was killed
 * is noted, and what is at its end of tries stored as killed. */
bool cluster_look(struct cluster *c, bool write, struct err *e);
/* Takes a round over: it belongs to c from then on. */
void cluster_add_round(struct cluster *c, const struct sweep_plan_round *r);
/* Attends to it until all points are there or a signal comes. */
enum cli_exit cluster_watch(struct cluster *c, struct err *e);
/* Ends its tasks, takes what they have done, and removes the plan. */
bool cluster_cancel(struct cluster *c, struct err *e);
size_t cluster_running(const struct cluster *c);
double cluster_left(const struct cluster *c); /* seconds; < 0: nothing can be told */
/* Releases all of it; dies of a signal that came. */
enum cli_exit cluster_end(struct cluster *c, enum cli_exit status);

/* submit.c: heddle sweep --slurm. status.c: status, resume, cancel, and what the jobs of the cluster run: task.c. */
enum cli_exit cluster_sweep(struct cli *cli, const struct sweep_host *host, const struct opts *o);
bool cluster_is_verb(const struct opts *o);
enum cli_exit cluster_verb(struct cli *cli, const struct sweep_host *host, const struct opts *o);
enum cli_exit cluster_task(struct cli *cli, const struct sweep_host *host, const struct opts *o);

#endif
