/* Limit studies: what no mechanism can beat, from what threads did. They look at a run and compute; nothing is scheduled
 * anew. */
#ifndef HEDDLE_LAB_STUDY_H
#define HEDDLE_LAB_STUDY_H

#include <stdatomic.h>

#include "base/alloc.h"
#include "lab/run/subject.h"

/* Kernels by name, in the order of first launches: modules may go while rows that name their kernels stay. */
struct study_kernels {
    VEC(const char *) names;
    struct arena mem;
};
/* The place of k's name, which is the last when it was not there. */
size_t study_kernel(struct study_kernels *s, hd_kernel *k);
void study_kernels_free(struct study_kernels *s);

/* ---- oracle-lanes (HARP 3.2, Figure 4) ---- */

/* The fewest issues that could have run a kernel if threads of a block may be regrouped at will but keep their lanes. Issues
 * of the run itself are those of the machine's own mechanism. */
struct lanes_row {
    const char *kernel;
    uint64_t launches, insts; /* launches; instructions of threads */
    uint64_t issues, fewest;
};
struct study_lanes {
    uint32_t width;             /* lanes of a warp */
    VEC(struct lanes_row) rows; /* by kernel */
    struct lanes_row total;
    struct study_kernels kernels;
};
/* machine: a timed one. False: the run failed. Release with study_lanes_free in either case. */
bool study_lanes(const struct lab_subject *s, const hd_config *machine, struct study_lanes *out,
                 struct err *e);
void study_lanes_free(struct study_lanes *s);
/* Active share of the lanes of so many issues. */
double study_activity(const struct study_lanes *s, const struct lanes_row *r, uint64_t issues);

/* ---- oracle-reconvergence (DWF 3.3, Figure 3.4) ---- */

/* Threads of which traces are taken, and of which of them form a warp. */
enum { STUDY_THREADS = 128, STUDY_WARP = 4 };

/* Issues of the first STUDY_THREADS threads of every launch, in warps of STUDY_WARP by number, with ideal memory: without
 * reconvergence, with that at post-dominators, and with the best alignment of their traces. */
struct reconvergence_row {
    const char *kernel;
    uint64_t launches, threads, insts;
    uint64_t nrec, pdom, oracle;
};
struct study_reconvergence {
    VEC(struct reconvergence_row) rows; /* by kernel */
    struct reconvergence_row total;
    struct study_kernels kernels;
};
/* machine: its warps become STUDY_WARP wide and its memory ideal. stop: another thread may set it, and the study then fails
 * soon; or NULL. Release with study_reconvergence_free in either case. */
bool study_reconvergence(const struct lab_subject *s, const hd_config *machine, const atomic_bool *stop,
                         struct study_reconvergence *out, struct err *e);
void study_reconvergence_free(struct study_reconvergence *s);

/* ---- alignment (align.c), for the study and its tests ---- */

/* A stretch of instructions that threads run in one go: n from pc on. */
struct align_token {
    uint32_t pc, n;
};
struct align_text {
    VEC(struct align_token) tokens;
};
/* Appends to out the shortest text that a and b are both parts of, tokens kept whole: what two threads run together when
 * they wait for each other wherever that pays. */
void align_merge(const struct align_text *a, const struct align_text *b, struct align_text *out);
uint64_t align_length(const struct align_text *t); /* in instructions */
/* The best of all pairings of four texts, joined pairs joined again. */
uint64_t align_four(const struct align_text t[STUDY_WARP]);

#endif
