/* One DRAM channel and its controller (004 5.1.3): queue, FCFS or FR-FCFS, banks with open rows, every constraint of Table
 * 5.1, data-bus pipelining by CL/WL and burst. And the address decoder. */
#ifndef HEDDLE_MEM_DRAM_H
#define HEDDLE_MEM_DRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct opt_dram;

struct dram_place {
    uint32_t chip, bank;
    uint64_t row, column;
};
struct dram_map; /* from the masks, or interleaved */
struct dram_map *dram_map_new(const struct opt_dram *o, struct err *e); /* checks that masks do not overlap, chips fit ... */
void dram_map_free(struct dram_map *m);
struct dram_place dram_decode(const struct dram_map *m, uint64_t addr);

struct dram;
struct dram *dram_new(const struct opt_dram *o);
void dram_free(struct dram *d);
bool dram_room(const struct dram *d);
void dram_push(struct dram *d, struct dram_place at, uint32_t bytes, bool write, uint32_t message); /* needs dram_room */
bool dram_pop(struct dram *d, uint32_t *message); /* served: read data is out, or the write has been taken */
void dram_cycle(struct dram *d);                  /* one cycle of the command clock */
bool dram_busy(const struct dram *d);             /* holds a request (or must refresh) */
/* Cycles (>= 1) that may be skipped by dram_skip because nothing can happen in them; 0: tick it. */
uint64_t dram_quiet(const struct dram *d);
void dram_skip(struct dram *d, uint64_t cycles);

struct dram_stats {
    uint64_t cycles, reads, writes, activates, precharges, refreshes, row_hits, row_misses, row_conflicts, busy_cycles, bytes;
    uint64_t latency_sum, latency_count, latency_max, latency_hist[16];
};
void dram_get_stats(const struct dram *d, struct dram_stats *s);

#endif
