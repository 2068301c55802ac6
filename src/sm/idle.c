/* Every cycle of every scheduler in exactly one class (DWF Figure 6.3), from the first cycle a block is resident to the
 * last: the packet it issued, by size; a stall; nothing ready, because of memory or for another reason; a packet without
 * threads. A packet is in its class for all the cycles it holds the issue port. So the classes add up to schedulers times
 * cycles, which is checked whenever a block ends.
 *
 * Cycles in which a scheduler issues nothing are put into a class when what decides it (a stall, a load on its way)
 * changes: a tick costs nothing for those of which nothing does, and sleeping gives the same numbers as ticking. With an
 * account they are put there at every tick, for it has more classes. In cycles where no scheduler works the resident
 * threads are counted by what they wait for (HARP Figure 5), when the next tick comes: by the state the last one left. */
#include <string.h>

#include "sm/impl.h"

static void count_residents(struct sm *s) {
    s->residents.live = s->residents.blocked = 0;
    for (uint32_t k = 0; k < s->nblocks; k++) {
        if (!s->blocks[k].threads) continue;
        s->residents.live += s->blocks[k].b.live;
        s->residents.blocked += s->blocks[k].b.blocked;
    }
    s->residents_known = true;
}

void idle_waits(const struct sm *s, struct sm_idle_stats *out) {
    out->dependency += s->census.dependency * s->waited;
    out->barrier += s->census.barrier * s->waited;
    out->inactive_path += s->census.inactive_path * s->waited;
    out->reconvergence += s->census.reconvergence * s->waited;
}

void idle_census(struct sm *s) {
    struct mech_census c = {0};
    if (!s->residents_known) count_residents(s);
    s->mech->ops->census(s->mech, &c);
    const uint32_t live = s->residents.live, held = s->residents.blocked + c.inactive_path + c.reconvergence;
    const struct sm_census now = {live > held ? live - held : 0, s->residents.blocked, c.inactive_path,
                                  c.reconvergence};
    s->census_known = true;
    if (!memcmp(&now, &s->census, sizeof now)) return; /* as mostly */
    idle_waits(s, &s->stats.idle);
    s->waited = 0;
    s->census = now;
}

void idle_check(const struct sm *s) {
    const struct sm_warp_stats *t = &s->stats.warp;
    uint64_t sum = t->w0_mem + t->w0_idle + t->stall + t->empty + stat_total(t->issued, SM_SIZES), ahead = 0;
    for (uint32_t k = 0; k < s->schedulers; k++) ahead += s->sched[k].counted - s->counted;
    CHECK(sum == s->stats.sm.cycles * s->schedulers + ahead);
}

void idle_classes(struct sm *s, uint64_t until) {
    for (uint32_t k = 0; k < s->schedulers; k++) {
        struct sm_sched *c = &s->sched[k];
        if (c->counted >= until) continue;
        if (s->charge) waits_count(s, k, until - c->counted);
        idle_count(s, c, until);
    }
}

void idle_account_all(struct sm *s, uint64_t until) {
    if (s->active) idle_classes(s, until);
    idle_account(s, until, false);
}
