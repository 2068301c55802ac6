/* Lanes over time: which threads of an SM issued when, in memory that does not grow with the run.
 *
 * Two levels. Cells: time in at most `bins` bins of 1 << shift cycles, one row for each SM and one for each warp of the SM
 * that is looked at closely; a cell has how often the row issued, for how many threads, and a PC that was frequent. When
 * time runs past the last bin, neighbouring bins are added together and each is twice as long. Close-ups: time is also in
 * equal windows, each of which keeps its first issues one by one. */
#ifndef HEDDLE_SIM_OBSERVE_DENSITY_H
#define HEDDLE_SIM_OBSERVE_DENSITY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"

struct density_options {
    uint32_t sm;      /* the one whose warps have rows and whose issues are kept */
    uint32_t bins;    /* at most; a power of two. 0: nothing is recorded */
    uint32_t windows; /* at most; a power of two from 2 to bins */
    uint32_t issues;  /* that each window keeps */
};

/* One warp's part of an issue. */
struct density_issue {
    uint64_t cycle;
    uint32_t warp, mask, pc;
};

struct density_cell {
    uint64_t issues, threads;
    uint32_t pc; /* the one of most issues if it has more than half of them; otherwise one that is frequent */
    uint32_t votes; /* of pc, in the majority vote of Boyer and Moore */
};

struct density_track {
    struct density_cell *cells; /* bins of them; NULL: it never issued */
};

struct density_window {
    uint64_t end; /* from its begin to here every issue is kept */
    bool full;    /* later ones of it are not */
    VEC(struct density_issue) issues;
};

struct density {
    struct density_options o;
    uint32_t shift;                /* a bin is 1 << shift cycles */
    uint64_t end;                  /* the first cycle after the last issue */
    uint64_t issues;               /* pieces that were told: all SMs */
    VEC(struct density_track) sms; /* by SM: a packet is one issue */
    VEC(struct density_track) warps;
    VEC(struct density_window) windows; /* each density_stride() cycles long */
};

void density_init(struct density *l, const struct density_options *o);
void density_free(struct density *l);

/* One packet of an SM: so many threads in all, at this PC. Cycles never go back. */
void density_packet(struct density *l, uint64_t cycle, uint32_t sm, uint32_t threads, uint32_t pc);
/* One warp's part of a packet of the SM that is looked at; told after its packet. */
void density_piece(struct density *l, const struct density_issue *i);

/* Cycles of a window. */
uint64_t density_stride(const struct density *l);
/* Bins that the run got to. */
uint32_t density_used(const struct density *l);

#endif
