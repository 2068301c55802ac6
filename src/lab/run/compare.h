/* Programs and workloads under several machines, and the check that all of them computed the same: how a machine schedules
 * threads must never change what a program means. */
#ifndef HEDDLE_LAB_RUN_COMPARE_H
#define HEDDLE_LAB_RUN_COMPARE_H

#include "lab/run/subject.h"

struct lab_machine {
    const char *name;
    hd_config config;
};

/* What a run left otherwise than the functional one. Of a program the first byte, in the order of arguments and then of
 * variables; of a workload, whose checks held under both, only that there is one. */
struct lab_difference {
    bool any;
    size_t arg;          /* the argument whose buffer it is in, unless: */
    const char *symbol;  /* a variable of the module, by name; NULL: none */
    uint64_t offset;     /* place of that byte */
    uint64_t have, want; /* the 8 aligned bytes around it, little-endian; past the end 0 */
};

struct lab_reference;

/* One subject under one machine. */
struct lab_cell {
    struct lab_outcome out;
    struct lab_difference difference;
    bool stopped; /* before its end, or before it began: out.err says so */
};

struct lab_comparison {
    const struct lab_subject *subjects;
    const struct lab_machine *machines;
    size_t nsubjects, nmachines;
    hd_config reference;                   /* a machine that computes without time */
    unsigned jobs;                         /* host threads; 0: one per core */
    void (*tick)(void *user, double done); /* about ten times a second; done: part of the work, 0 to 1 */
    bool (*stop)(void *user);              /* true: enough; asked by any thread; NULL: never */
    void *user;
    struct lab_cell *cells;           /* lab_compare: [subject][machine] */
    struct lab_reference *references; /* by subject; holds the names in cells */
};

/* Runs everything; false when a reference run fails or is stopped, whose error then is e. What fails or is stopped under a
 * machine is in its cell. Release with lab_compare_free in either case. */
bool lab_compare(struct lab_comparison *c, struct err *e);
void lab_compare_free(struct lab_comparison *c);
const struct lab_cell *lab_cell(const struct lab_comparison *c, size_t subject, size_t machine);
/* It ran to its end and left what it should have. */
bool lab_cell_right(const struct lab_cell *cell);

#endif
