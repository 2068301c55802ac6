/* The papers' claims and our figures for them: which runs a claim needs, what they add up to, and how far that is from what
 * the paper says. */
#ifndef HEDDLE_LAB_CLAIMS_H
#define HEDDLE_LAB_CLAIMS_H

#include "lab/store.h"

/* How values by workload become the claim's number, in per cent unless said. */
enum claim_kind {
    CLAIM_OVER,     /* harmonic mean of a over that of b, less 1 */
    CLAIM_OF_PEAK,  /* harmonic mean of a, as a share of the peak: a thread instruction a lane and cycle */
    CLAIM_MEAN,     /* mean of a / b, less 1 */
    CLAIM_HARMONIC, /* harmonic mean of a / b, less 1 */
    CLAIM_BEST,     /* largest a / b, less 1 */
    CLAIM_WORST,    /* smallest a / b, less 1 */
    CLAIM_GAP,      /* mean of a / b less mean of c / d */
    CLAIM_STALLED,  /* largest share of threads that divergence stalls while a has nothing to issue */
    CLAIM_VALUES,   /* the mean of a; not in per cent */
    CLAIM_CHANGE,   /* mean of a less b, both shares, in percentage points; the paper says which way */
    CLAIM_ORACLE,   /* mean of the gain over pdom in the study of reconvergence */
    CLAIM_GRID,     /* cells of SL's Table 1 that are as in the paper; by scheme in the place of workloads */
    CLAIM_AREA      /* not computed: there is no model of area yet */
};

/* Which way the paper says that something goes; EITHER where it has reasons for both. */
enum claim_way { CLAIM_UNSAID, CLAIM_RISES, CLAIM_FALLS, CLAIM_STAYS, CLAIM_EITHER };

enum { CLAIM_MACHINES = 4 };
struct claim_machine {
    const char *mech,
        *settings; /* mech NULL: none; settings: "key=value key=value" on top of the configuration */
};
struct claim {
    const char *id, *source, *what;
    enum claim_kind kind;
    const char *config, *workloads; /* names, a blank between them */
    struct claim_machine machine[CLAIM_MACHINES];
    const char *stat;
    double paper;
    const char *how;    /* the number is made */
    const char *values; /* the paper's, by workload; NULL: it gives one for all */
    enum claim_way way; /* the paper's, of a CHANGE */
};
extern const struct claim claim_list[]; /* the last has no id */

/* What a claim waits for: a mechanism that is not there; NULL: nothing. */
const char *claim_waits(const struct claim *c);
/* Which way our number of a CHANGE goes: changes below half a percentage point are none. */
enum claim_way claim_went(double points);
/* Whether that is what the paper says. */
bool claim_agrees(const struct claim *c, double points);
/* Whether a name asks for that claim: its id, or the part of it before the point. */
bool claim_named(const struct claim *c, const char *name);

struct claim_value {
    const char *workload;
    bool there;
    double ours;
    double paper; /* where has_paper */
    bool has_paper;
    const char *why; /* it is not there */
};
struct claim_result {
    const struct claim *claim;
    bool there; /* false: it waits, or no workload ran */
    double ours;
    VEC(struct claim_value) values;
    struct sb note; /* sentences: why the sign differs, what could not be run */
};

struct claim_progress {
    size_t done, points; /* runs that are stored, and all of them */
    double part;         /* of the work, 0 to 1 */
};
struct claims {
    const struct claim *const *list;
    size_t n;
    enum work_size size;
    struct store *store;
    unsigned jobs; /* host threads; 0: one per core */
    /* About ten times a second; false: stop, after which claims_run fails. May be NULL. */
    bool (*tick)(void *user, const struct claim_progress *p);
    void *user;
    struct claim_result *results;   /* claims_run: by claim */
    struct claim_progress progress; /* and how far it came */
    size_t wrong; /* runs whose results were not the CPU's, and studies that failed: no claim has them */
    struct arena mem;
};

/* Runs what is missing in the store and works all claims out. False: an error of the store, an option that does not exist, or
 * stopped. Release with claims_free in either case. */
bool claims_run(struct claims *c, struct err *e);
void claims_free(struct claims *c);

#endif
