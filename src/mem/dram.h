/* One DRAM channel and its controller (DWF 5.1.3): queue, FCFS or FR-FCFS, banks with open rows, every constraint of Table
 * 5.1, data-bus pipelining by CL/WL and burst. And the address decoder. */
#ifndef HEDDLE_MEM_DRAM_H
#define HEDDLE_MEM_DRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "mem/stats.h"

struct opt_dram;

struct dram_place {
    uint32_t chip, bank; /* below dram.channels, dram.banks */
    uint64_t row, column;
};
struct dram_map; /* from the masks, or interleaved */
/* NULL with an error when the masks are not numbers, overlap, are not all given or name more chips or banks than there are,
 * or when refreshes would leave no time for anything else. */
struct dram_map *dram_map_new(const struct opt_dram *o, struct err *e);
void dram_map_free(struct dram_map *m);
/* The address bits that choose the channel; 0 where no masks are given. */
uint64_t dram_chip_bits(const struct dram_map *m);
struct dram_place dram_decode(const struct dram_map *m, uint64_t addr);
uint32_t dram_channel(const struct dram_map *m, uint64_t addr); /* its chip alone */
/* Without masks: its place among the bytes of its channel. */
uint64_t dram_local(const struct dram_map *m, uint64_t addr);

struct dram;
struct dram *dram_new(const struct opt_dram *o);
void dram_free(struct dram *d);
bool dram_room(const struct dram *d);
/* Needs dram_room. */
void dram_push(struct dram *d, struct dram_place at, uint32_t bytes, bool write, uint32_t message);
bool dram_pop(struct dram *d, uint32_t *message); /* served: read data is out, or write data is in */
void dram_cycle(struct dram *d);                  /* one cycle of the command clock */
bool dram_busy(const struct dram *d);             /* holds a request that has not been popped */
/* Cycles in which nothing happens: no command, no request served. 0: tick it; UINT64_MAX: nothing ever will. */
uint64_t dram_quiet(const struct dram *d);
/* Has the effect of so many calls of dram_cycle, whatever happens in them, at the cost of what happens in them. */
void dram_skip(struct dram *d, uint64_t cycles);

void dram_get_stats(const struct dram *d, struct dram_stats *s);
void dram_restart_stats(struct dram *d); /* maxima begin anew */
/* Saves or restores what is kept between launches of a channel that is not dram_busy (save.c). */
struct transfer;
void dram_transfer(struct dram *d, struct transfer *t);

#endif
