/* The papers' claims and our figures for them: which runs a claim needs, what they add up to, and how far that is from what
 * the paper says. */
#ifndef HEDDLE_LAB_CLAIMS_H
#define HEDDLE_LAB_CLAIMS_H

#include "lab/store/store.h"

/* How values by workload become the claim's number, in per cent unless said. */
enum claim_kind {
    CLAIM_OVER,    /* harmonic mean of a over that of b, less 1 */
    CLAIM_OF_PEAK, /* harmonic mean of a, as a share of the peak: a thread instruction a lane and cycle */
    CLAIM_MEAN,    /* mean of a / b, less 1 */
    CLAIM_PAIRS, /* mean of CLAIM_MEAN over pairs of machines, which differ in what the paper does not give */
    CLAIM_HARMONIC, /* harmonic mean of a / b, less 1 */
    CLAIM_BEST,     /* largest a / b, less 1 */
    CLAIM_WORST,    /* smallest a / b, less 1 */
    CLAIM_GAP,      /* mean of a / b less mean of c / d */
    CLAIM_SHARE,    /* mean of a, a share */
    CLAIM_POOLED,   /* a, a share, of all workloads together: each counts by what its share is of */
    CLAIM_MOST,     /* largest a, a share */
    CLAIM_COUNT,    /* mean of a; not in per cent */
    CLAIM_CHANGE,   /* mean of a less b, both shares, in percentage points */
    CLAIM_ORACLE,   /* mean of the gain over pdom in the study of reconvergence */
    CLAIM_GRID,     /* cells of SL's Table 1 that are as in the paper; by scheme in the place of workloads */
    CLAIM_STATIC,   /* mean of the instructions of a program's kernels, as written; not in per cent */
    CLAIM_AREA,     /* what a takes of the chip, or a part of that (claims_area.c) */
    /* Effect of a factor on a / b, by the eight runs of HARP's Table 6, whose machines are a and b of each
     * (claims_effect.c). */
    CLAIM_EFFECT,
    CLAIM_RANK /* the place of that effect among those of all factors, the largest first; not in per cent */
};

/* What a paper says where it gives no number, or a bound. */
enum claim_way {
    CLAIM_UNSAID,
    CLAIM_RISES,
    CLAIM_FALLS,
    CLAIM_STAYS,    /* as it was, to half a per cent */
    CLAIM_EVEN,     /* about as it was: to a twentieth */
    CLAIM_EITHER,   /* it has reasons for both; nothing to check */
    CLAIM_AT_LEAST, /* the number of the claim */
    CLAIM_AT_MOST
};
extern const char *const claim_way_names[];

/* What agreement with the paper would show. Predictions are counted, and apart from them what is chosen. */
enum claim_basis {
    CLAIM_PREDICTED, /* nothing here was fitted to the number */
    /* Nothing was fitted to this number either, but an option or a program of it was settled after its effect had
     * been seen. */
    CLAIM_CHOSEN,
    CLAIM_FITTED,  /* a program or a model was */
    CLAIM_DERIVED, /* not the paper's words: computed from its numbers, or it follows from other claims */
    CLAIM_DEFINITION /* follows from what a mechanism or a program is: nothing is simulated, or nothing can vary */
};
extern const char *const claim_basis_names[];

/* How our number compares; docs/reproduction.md has the rules in words. */
enum claim_verdict {
    VERDICT_NONE,      /* no number, or nothing to compare with */
    VERDICT_SIGN,      /* a gain for a loss, another way than the paper's, beyond its bound */
    VERDICT_NO_EFFECT, /* a gain or loss in the paper that prints as 0.0 here */
    VERDICT_OFF,       /* the sign is right or there is none; the size is not within a third */
    VERDICT_THIRD,     /* within a third of the paper's number */
    VERDICT_AGREES     /* with a way or a bound, which have no size */
};
extern const char *const claim_verdict_names[];

enum { CLAIM_RUNS = 8, CLAIM_MACHINES = 2 * CLAIM_RUNS };
struct claim_machine {
    /* mech NULL: none; settings: "key=value key=value" on top of the configuration. */
    const char *mech, *settings;
};
struct claim {
    const char *id;
    enum claim_basis basis;
    const char *source, *what;
    enum claim_kind kind;
    const char *config, *workloads; /* names, a blank between them */
    struct claim_machine machine[CLAIM_MACHINES];
    /* A statistic, or several and numbers: "idle.reconvergence + idle.inactive_path / idle", worked out from the
     * left; idle is the sum of the four idle.*, l1.hits and l1.accesses those of l1d, l1t and l1c. */
    const char *stat;
    double paper;
    const char *how; /* the number is made */
    /* The paper's by workload, numbers or ways, "-" where it has none; NULL: one for all. */
    const char *values;
    enum claim_way way; /* the paper's, where it gives no number or a bound */
    size_t factor;      /* factor of an effect or a rank, from 1; 0: there is none */
};
extern const struct claim claim_list[]; /* the last has no id */

/* The papers, by the part of ids before the point. */
struct claim_paper {
    const char *prefix, *name, *title;
};
extern const struct claim_paper claim_papers[]; /* the last has no prefix */
bool claim_of_paper(const struct claim *c, const struct claim_paper *p);

/* What a claim waits for: a mechanism that is not there; NULL: nothing. */
const char *claim_waits(const struct claim *c);
/* What a reader should know about it: one sentence, or NULL. */
const char *claim_note(const struct claim *c);
/* Whether a name asks for that claim: its id, or the part of it before the point. */
bool claim_named(const struct claim *c, const char *name);
/* Whether it is about programs, all of which are compiled for that; every claim is for PTX. */
bool claim_built(const struct claim *c, enum work_isa isa);
/* Whether its numbers are gains and losses; those of shares and counts have no sign. */
bool claim_signed(const struct claim *c);

struct claim_value {
    const char *workload;
    bool there;
    double ours;
    double paper; /* where has_paper */
    bool has_paper;
    enum claim_way way;
    enum claim_verdict verdict;
    const char *why; /* it is not there */
};
struct claim_result {
    const struct claim *claim;
    bool there; /* false: it waits, or no workload ran */
    double ours;
    enum claim_verdict verdict; /* verdict on the one number; a claim with values has one for each of them */
    VEC(struct claim_value) values;
    struct sb note; /* sentences: why the sign differs, what could not be run */
};

/* ---- verdicts (claims_verdict.c) ---- */

/* The way in which a change goes, in points or per cent: less than half of one is none. */
enum claim_way claim_went(double change);
/* Our number against what the paper says; paper counts without a way and where the way is a bound. */
enum claim_verdict claim_judge(const struct claim *c, enum claim_way way, double paper, double ours);
/* Gives a result and its values their verdicts. */
void claim_judge_result(struct claim_result *r);

/* Claims that came out, of those that could be checked. */
struct claim_part {
    double right, of;
};
struct claim_score {
    /* Every value of a claim counts one. Without "even" and "stays", which what has no effect meets as well: sign_moved. */
    struct claim_part sign, sign_moved, size;
    /* Every claim counts one: the share of its values that are right. */
    struct claim_part sign_claims, sign_moved_claims, size_claims;
    size_t claims, unchecked; /* claims of that basis, and those without a number */
};
/* Scores the results of one basis and one paper, or NULL: of all papers. */
void claim_score(const struct claim_result *results, size_t n, enum claim_basis basis,
                 const struct claim_paper *paper, struct claim_score *score);
/* Counts the values of one claim, whatever its basis: those with the right sign or way, and within a third. */
struct claim_tally {
    struct claim_part sign, sign_moved, size; /* as in struct claim_score */
};
void claim_tally(const struct claim_result *r, struct claim_tally *t);

struct claim_progress {
    size_t done, points; /* runs that are stored, and all of them */
    double part;         /* part of the work that is done, 0 to 1 */
};
struct claims {
    const struct claim *const *list;
    size_t n;
    enum work_size size;
    enum work_isa isa; /* claims are claim_built for it */
    struct store *store;
    unsigned jobs; /* host threads; 0: one per core */
    /* About ten times a second; false: stop, after which claims_run fails. May be NULL. */
    bool (*tick)(void *user, const struct claim_progress *p);
    void *user;
    struct claim_result *results;   /* claims_run: by claim */
    struct claim_progress progress; /* how far claims_run came */
    size_t wrong; /* runs whose results were not the CPU's, and studies that failed: no claim has them */
    struct arena mem;
};

/* Runs what is missing in the store and works all claims out. False: an error of the store, an option that does not exist, or
 * stopped. Release with claims_free in either case. */
bool claims_run(struct claims *c, struct err *e);
void claims_free(struct claims *c);

#endif
