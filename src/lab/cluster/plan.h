/* A sweep over a cluster, as it lies on the disk: the folder DB.d beside the database, from which any process can take it up.
 *
 *   plan.json         the command, and the points it is to run; written once
 *   round-R.json      tasks of the R-th submission, the positions of their points in the plan, and Slurm's job numbers
 *   round-R-K.sh      the script of its K-th array
 *   shard-R-T-S       what task T has done; S: how often Slurm started it before
 *   log-J_T.txt       what Slurm and the task said
 *   lock              who attends to it */
#ifndef HEDDLE_LAB_CLUSTER_PLAN_H
#define HEDDLE_LAB_CLUSTER_PLAN_H

#include "lab/sweep/sweep.h"

struct sweep_plan {
    const char *db, *folder; /* absolute */
    const char *cwd;         /* where the command was given */
    const char *program;     /* heddle */
    const char *version;     /* version of points */
    const char *sbatch;      /* words for it; "" */
    const char **words;      /* words of the command line that span the points */
    size_t nwords;
    unsigned jobs;                   /* points at a time, of each task */
    size_t per_task;                 /* points; 0: as many as last long enough */
    size_t retries;                  /* retries of a point that was killed */
    uint64_t sweep;                  /* as in shards */
    size_t all;                      /* points of the sweep, each once; all - n were stored before */
    size_t before[STORE_KILLED + 1]; /* by state */
    size_t n;                        /* points to run; by their position: */
    size_t *point;                   /* place of each among the points that the words span */
    uint64_t *key;                   /* key of each */
    struct arena mem;
};

struct sweep_plan_task {
    const size_t *positions;
    size_t n;
};
struct sweep_plan_job {
    uint64_t id;         /* number that Slurm gave it */
    size_t first, tasks; /* its array's */
};
struct sweep_plan_round {
    VEC(struct sweep_plan_task) tasks;
    VEC(struct sweep_plan_job) jobs;
    struct arena mem;
};

/* The folder of a database, in p->mem: also when there is none. */
bool sweep_plan_place(struct sweep_plan *p, const char *db, struct err *e);
bool sweep_plan_there(const struct sweep_plan *p);
bool sweep_plan_write(struct cli *c, const struct sweep_plan *p, struct err *e);
bool sweep_plan_read(struct sweep_plan *p, struct err *e); /* p->folder */
void sweep_plan_free(struct sweep_plan *p);
void sweep_plan_remove(const struct sweep_plan *p); /* the folder, with all that is ours in it */

/* The points that the words span; o is theirs, and is released by opts_free. */
bool sweep_read_plan(struct sweep *s, const struct sweep_plan *p, struct opts *o, struct err *e);

/* Rounds count from 1. *there false: it has no such round. */
bool sweep_plan_write_round(struct cli *c, const struct sweep_plan *p, size_t number,
                            const struct sweep_plan_round *r, struct err *e);
bool sweep_plan_read_round(const struct sweep_plan *p, size_t number, struct sweep_plan_round *r, bool *there,
                           struct err *e);
void sweep_plan_free_round(struct sweep_plan_round *r);

/* "FOLDER/shard-R-T-S" */
const char *sweep_plan_shard(const struct sweep_plan *p, size_t round, size_t task, size_t start,
                             struct arena *mem);
const char *sweep_plan_log(const struct sweep_plan *p, uint64_t job, size_t index, struct arena *mem);
const char *sweep_plan_file(const struct sweep_plan *p, struct arena *mem, const char *form, ...)
    __attribute__((format(printf, 3, 4)));

/* Who attends to a sweep: one process, since only one may write the database. The lock of one that is gone, or that has not
 * been renewed for two minutes, is taken over. */
bool sweep_plan_lock(const struct sweep_plan *p, struct err *e);
void sweep_plan_renew(const struct sweep_plan *p);
void sweep_plan_unlock(const struct sweep_plan *p);
/* Asks the process that attends to the sweep to cancel it. */
bool sweep_plan_ask_cancel(const struct sweep_plan *p, struct err *e);
bool sweep_plan_cancel_asked(const struct sweep_plan *p);
const char *sweep_plan_locked_by(const struct sweep_plan *p, struct arena *mem); /* "host 1234", or NULL */

#endif
