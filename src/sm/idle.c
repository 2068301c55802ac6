/* Every cycle of every scheduler in exactly one class (DWF Figure 6.3), from the first cycle a block is resident to the
 * last: the packet it issued, by size; a stall; nothing ready, because of memory or for another reason; a packet without
 * threads. A packet is in its class for all the cycles it holds the issue port. So the classes add up to schedulers times
 * cycles, which is checked whenever a block ends.
 *
 * Cycles in which nothing issues are put into a class when the next tick comes, by the state the last one left: nothing
 * changes in between, so sleeping through them gives the same numbers as ticking. In cycles where no scheduler works the
 * resident threads are counted by what they wait for (HARP Figure 5). */
#include "sm/impl.h"

static void take_census(struct sm *s) {
    struct mech_census c = {0};
    uint32_t live = 0, blocked = 0;
    for (uint32_t k = 0; k < s->nblocks; k++) {
        if (!s->blocks[k].threads) continue;
        live += s->blocks[k].b.live;
        blocked += s->blocks[k].b.blocked;
    }
    s->mech->ops->census(s->mech, &c);
    const uint32_t held = blocked + c.inactive_path + c.reconvergence;
    s->census.dependency = live > held ? live - held : 0;
    s->census.barrier = blocked;
    s->census.inactive_path = c.inactive_path;
    s->census.reconvergence = c.reconvergence;
    s->census_known = true;
}

void idle_check(const struct sm *s) {
    const struct sm_warp_stats *t = &s->stats.warp;
    uint64_t sum = t->w0_mem + t->w0_idle + t->stall + t->empty + stat_total(t->issued, SM_SIZES), ahead = 0;
    for (uint32_t k = 0; k < s->schedulers; k++) ahead += s->sched[k].counted - s->counted;
    CHECK(sum == t->cycles + ahead);
}

void idle_account(struct sm *s, uint64_t until) {
    const uint32_t n = s->schedulers;
    uint64_t busy_until = 0;
    bool stalled = false;
    if (!s->active) return;
    for (uint32_t k = 0; k < n; k++) {
        struct sm_sched *c = &s->sched[k];
        if (c->counted > busy_until) busy_until = c->counted;
        stalled |= c->stalled;
        if (c->counted >= until) continue;
        if (s->charge) waits_count(s, k, until - c->counted);
        *(c->stalled ? &s->stats.warp.stall
          : c->loads ? &s->stats.warp.w0_mem
                     : &s->stats.warp.w0_idle) += until - c->counted;
        c->counted = until;
    }
    if (until > s->counted) {
        s->stats.sm.cycles += until - s->counted;
        s->stats.warp.cycles += (until - s->counted) * n;
        s->counted = until;
    }
    if (stalled || busy_until >= until) return;
    if (!s->census_known) take_census(s);
    s->stats.idle.dependency += s->census.dependency * (until - busy_until);
    s->stats.idle.barrier += s->census.barrier * (until - busy_until);
    s->stats.idle.inactive_path += s->census.inactive_path * (until - busy_until);
    s->stats.idle.reconvergence += s->census.reconvergence * (until - busy_until);
}
