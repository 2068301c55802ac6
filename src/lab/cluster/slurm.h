/* Slurm, by its programs: sbatch, squeue, sacct, scancel, scontrol, in their forms for other programs. */
#ifndef HEDDLE_LAB_CLUSTER_SLURM_H
#define HEDDLE_LAB_CLUSTER_SLURM_H

#include <stdint.h>

#include "base/alloc.h"
#include "base/err.h"

/* What Slurm says of one task of an array. */
struct slurm_task {
    uint64_t job, index;
    bool ended;
    const char *state;  /* "RUNNING", "TIMEOUT", ... */
    const char *reason; /* why, as Slurm says it; or "" */
    const char *node;   /* "" where it has none */
};
struct slurm_tasks {
    VEC(struct slurm_task) v;
    struct arena mem;
};

struct slurm_job {
    const char *script, *name, *output, *args; /* a file; the last: words for sbatch, or NULL */
    unsigned cores;
    size_t tasks; /* 0 to tasks - 1 */
};
/* Submits an array; *id: its number. The message has what sbatch says. */
bool slurm_submit(const struct slurm_job *j, uint64_t *id, struct err *e);
/* All tasks of these arrays that Slurm still knows of. False: it does not answer now. */
bool slurm_ask(const uint64_t *jobs, size_t n, struct slurm_tasks *out, struct err *e);
bool slurm_cancel(const uint64_t *jobs, size_t n, struct err *e);
/* How many tasks an array may have. */
size_t slurm_largest_array(void);
void slurm_tasks_free(struct slurm_tasks *t);

/* What squeue and sacct print, into out; lines of another form are left out. */
void slurm_read_queue(const char *text, struct slurm_tasks *out);
void slurm_read_accounts(const char *text, struct slurm_tasks *out);
/* Words of "--time 10 --comment 'a b'", as a shell parts them; false: a quote that does not end. */
struct slurm_words {
    VEC(const char *) v; /* ends with no NULL */
};
bool slurm_split(const char *text, struct arena *mem, struct slurm_words *out, struct err *e);

/* Why a point did not end, in words: from what Slurm says of its task (or NULL), what the task itself said last, and what
 * Slurm wrote into its log. */
const char *slurm_why(const struct slurm_task *t, const char *said, const char *log, struct arena *mem);
#endif
