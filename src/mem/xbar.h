/* A crossbar in one direction (DWF 5.1.2): finite input and output buffers kept by credits, messages cut into flits, a
 * parallel iterative matching allocator with passes and input speed-up. It moves numbers, not data. */
#ifndef HEDDLE_MEM_XBAR_H
#define HEDDLE_MEM_XBAR_H

#include <stdbool.h>
#include <stdint.h>

#include "mem/stats.h"

struct opt_noc;
struct xbar;

/* way: XBAR_TO_MEMORY or XBAR_BACK, for its counters. */
struct xbar *xbar_new(const struct opt_noc *o, uint32_t way, uint32_t inputs, uint32_t outputs,
                      uint64_t seed);
void xbar_free(struct xbar *x);
/* The input has credits for the message. */
bool xbar_room(const struct xbar *x, uint32_t input, uint32_t output, uint32_t bytes);
/* False: there is no xbar_room. */
bool xbar_push(struct xbar *x, uint32_t input, uint32_t output, uint32_t bytes, uint32_t message);
/* Takes a message that has arrived whole, and returns its credits; peek leaves it there. */
bool xbar_pop(struct xbar *x, uint32_t output, uint32_t *message);
bool xbar_peek(const struct xbar *x, uint32_t output, uint32_t *message);
/* The outputs with a message that has arrived whole, 64 to a word. */
const uint64_t *xbar_landed(const struct xbar *x);
/* The inputs that got credits back in the last xbar_cycle: only for these may xbar_room have become true, unless the
 * crossbar is ideal. */
const uint64_t *xbar_freed(const struct xbar *x);
/* One cycle of its own clock. */
void xbar_cycle(struct xbar *x);
/* A cycle may change something: a message is inside and not yet at its output. */
bool xbar_busy(const struct xbar *x);
/* Cycles in which nothing will happen, all messages being on the wire; UINT64_MAX: nothing is inside. Skipping no more of
 * them is the same as so many calls of xbar_cycle. */
uint64_t xbar_quiet(const struct xbar *x);
void xbar_skip(struct xbar *x, uint64_t cycles);

/* In the elements of its way. An ideal crossbar occupies no port; flits the allocator let through that a full output buffer
 * held back are stalls. */
void xbar_get_stats(const struct xbar *x, struct xbar_stats *s);
/* Saves or restores what is kept between launches of a crossbar with nothing inside (save.c). */
struct transfer;
void xbar_transfer(struct xbar *x, struct transfer *t);

#endif
