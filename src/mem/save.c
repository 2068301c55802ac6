/* The memory system between two launches, kept for another process (base/transfer.h).
 *
 * Then nothing is on its way: queues, miss registers, crossbar buffers and DRAM queues are empty, as mem_new makes them. What
 * is left is what decides how the next launch goes: the lines of the caches and their order of use, open rows and the cycles
 * until which banks are busy, where round robins stand, the random generators, the clocks, and the counters, which go on. */
#include "base/alloc.h"
#include "base/transfer.h"
#include "mem/impl.h"

/* Saves or restores a line; what an empty place was last used for is never asked. */
static void move_line(struct cache *c, uint32_t slot, struct transfer *t) {
    struct cache_line *l = &c->line[slot];
    const uint64_t grains = c->grains < 64 ? ((uint64_t)1 << c->grains) - 1 : UINT64_MAX;
    TRANSFER(t, c->tag[slot]);
    TRANSFER(t, c->stamp[slot]);
    TRANSFER(t, l->valid);
    TRANSFER(t, l->dirty);
    transfer_check(t, c->tag[slot] && c->tag[slot] - 1 <= UINT64_MAX >> c->line_shift, "a cache's tag");
    transfer_check(t, c->stamp[slot] && c->stamp[slot] <= c->clock, "a cache line's age");
    transfer_check(t, !(l->valid & ~grains) && !(l->dirty & ~l->valid), "what a cache line holds");
    if (t->in) l->entry = CACHE_NONE;
}

static void move_lines(struct cache *c, struct transfer *t) {
    const uint32_t slots = c->places; /* nothing is on its way */
    uint32_t at = 0;
    if (t->in)
        for (uint32_t i = 0; c->used && i < slots; i++)
            if (c->tag[i]) cache_drop(c, i);
    const uint64_t used = transfer_count(t, c->used, slots, "the lines of a cache");
    for (uint64_t n = 0; n < used; n++, at++) {
        while (!t->in && !c->tag[at]) at++;
        uint32_t place = at;
        TRANSFER(t, place);
        transfer_check(t, place >= at && place < slots, "a cache line's place");
        if (!transfer_good(t)) return;
        move_line(c, at = place, t);
    }
    c->used = (uint32_t)used;
}

static void move_level(struct level *l, struct transfer *t) {
    struct cache *c = &l->tags;
    transfer_same(t, c->places, "the number of lines of a cache");
    TRANSFER(t, c->clock);
    TRANSFER(t, c->rng.state);
    if (c->tag) move_lines(c, t);
    TRANSFER(t, l->cycle);
    TRANSFER(t, l->taken);
    TRANSFER(t, l->first);
    TRANSFER(t, l->banks);
    TRANSFER(t, l->stats);
}

static void move_port(struct mem *m, uint32_t number, struct transfer *t) {
    TRANSFER(t, m->port[number].turn);
    TRANSFER(t, m->port_due[number]);
    transfer_check(t, m->port[number].turn < PORT_QUEUES, "a port's turn");
}

static void move_slice(struct slice *s, struct transfer *t) {
    move_level(&s->level, t);
    TRANSFER(t, s->ran);
    s->refused = transfer_flag(t, s->refused);
    TRANSFER(t, s->dram_at);
    dram_transfer(s->dram, t);
}

static void move_clocks(struct mem *m, struct transfer *t) {
    TRANSFER(t, m->now);
    TRANSFER(t, m->clock.due);
    TRANSFER(t, m->clock.ran);
    TRANSFER(t, m->slice_due);
    TRANSFER(t, m->dram_due);
    TRANSFER(t, m->xbar_at);
    TRANSFER(t, m->xbar_due);
}

static void move_sm_port(const struct mem *m, struct sm_port *f, struct transfer *t) {
    f->calls.called = transfer_flag(t, f->calls.called);
    TRANSFER(t, f->load);
    for (int path = 0; path < MEM_NPATHS; path++) move_level(&f->l1[path].level, t);
    if (m->o.l15c.present) move_level(&f->l15.level, t);
}

void mem_transfer(struct mem *m, struct transfer *t) {
    mem_use(m, m->sms);
    CHECK(mem_idle(m, MEM_NEVER));
    transfer_same(t, m->sms, "the number of SMs");
    transfer_same(t, m->slices, "the number of memory channels");
    transfer_same(t, m->ports, "the number of crossbar ports");
    move_clocks(m, t);
    TRANSFER(t, m->quiet);
    for (uint32_t i = 0; i < m->sms; i++) move_sm_port(m, &m->sm_port[i], t);
    for (uint32_t i = 0; i < m->ports; i++) move_port(m, i, t);
    for (uint32_t i = 0; i < m->slices; i++) move_slice(&m->slice[i], t);
    for (int way = 0; way < XBAR_WAYS; way++) xbar_transfer(m->xbar[way], t);
}
