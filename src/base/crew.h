/* Threads of the host that work for one caller, together with it: it calls, all do their part, it goes on. The threads live
 * from call to call, and wait awake for a short while, since calls follow one another within microseconds. */
#ifndef HEDDLE_BASE_CREW_H
#define HEDDLE_BASE_CREW_H

#include <stdint.h>

struct crew;
/* Makes a crew of n members, the caller included, or of fewer if the host grants no more threads. NULL: there is
 * not even memory. The crew belongs to no ledger: it outlives a call that runs out of memory. */
struct crew *crew_new(uint32_t n);
void crew_free(struct crew *c);           /* NULL is fine */
uint32_t crew_size(const struct crew *c); /* NULL: 1 */
/* The caller calls work(user, 0), and each other member that comes in time work(user, its number): the work is shared out by
 * taking it, so that it is done however many come. Returns when all have. Where one runs out of memory, the caller
 * does, once all have returned. */
void crew_run(struct crew *c, void (*work)(void *user, uint32_t member), void *user);
uint32_t crew_cores(void); /* cores of the host that this process may use, at least 1 */

#endif
