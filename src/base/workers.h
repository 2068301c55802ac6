/* A pool of host threads that share the work of one caller. The caller takes part itself and goes on when all are done. The
 * threads live from call to call and spin for a short while before they sleep, since calls are microseconds apart. */
#ifndef HEDDLE_BASE_WORKERS_H
#define HEDDLE_BASE_WORKERS_H

#include <stdint.h>

struct workers;
/* Makes a pool of n workers, of which the caller is number 0. The pool is smaller where the host grants fewer threads, and
 * NULL where there is no memory for it. It belongs to no ledger, so it outlives a call that runs out of memory. */
struct workers *workers_new(uint32_t n);
void workers_free(struct workers *pool);           /* NULL is fine */
uint32_t workers_size(const struct workers *pool); /* NULL: 1 */
/* Calls work(user, 0) on the calling thread, and work(user, number) on each worker that wakes up in time. `work` must take
 * pieces of the work until none is left: then all of it is done even if no other worker comes. Returns when every worker
 * has. If one of them ran out of memory, the call then ends as the caller's own allocation failure. */
void workers_run(struct workers *pool, void (*work)(void *user, uint32_t worker), void *user);
uint32_t workers_cores(void); /* cores of the host that this process may use, at least 1 */

#endif
