/* The memory system as a whole: making, the clocks, counters.
 *
 * mem_advance runs the due cycles of the four clocks in order of time (clock.h) up to a core cycle. A clock is due only when
 * one of its parts has something to do, and a part is called only in cycles in which it has: the crossbars while a message is
 * inside, an L2 slice or a port when it can move something, a DRAM channel at the cycle it says. One that can move nothing
 * sleeps until a queue's head is ready or until the part that can change that wakes it: what it waits for changes only
 * when a message lands, when the crossbar returns credits to it (xbar_freed) or when DRAM is done with a request. So
 * an idle memory costs nothing and a waiting one costs its events. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/bitmap.h"
#include "mem/impl.h"

/* ---- making ---- */

enum { L15 = MEM_NPATHS, SM_CACHES }; /* behind the first-level caches, if there is one */

static uint32_t shapes(const struct mem *m, struct cache_shape s[SM_CACHES]) {
    const uint32_t grain = (uint32_t)m->o.l2.line;
    s[MEM_L1D] = CACHE_SHAPE("l1d", &m->o.l1d, grain);
    s[MEM_L1D].stores_wait = m->o.memory.stores == MEM_STORES_WAIT;
    s[MEM_L1T] = CACHE_SHAPE("l1t", &m->o.l1t, grain);
    s[MEM_L1C] = CACHE_SHAPE("l1c", &m->o.l1c, mem_below_l1c(&m->o));
    s[MEM_L1I] = CACHE_SHAPE("l1i", &m->o.l1i, grain);
    s[L15] = CACHE_SHAPE("l15c", &m->o.l15c, grain);
    return m->o.l15c.present ? SM_CACHES : L15;
}

/* The tags of all SMs are one array of untouched pages, those of an SM together: one that is never used costs none. */
static bool make_fronts(struct mem *m, struct err *e) {
    struct cache_shape s[SM_CACHES];
    struct rng seeds = {(uint64_t)m->o.memory.seed}, l15_seeds = {(uint64_t)m->o.memory.seed + 1};
    const uint32_t n = shapes(m, s);
    size_t each = 0;
    for (uint32_t k = 0; k < n; k++) each += level_bytes(&s[k]);
    char *at = m->tags = try_pages(m->sms * each);
    if (!at) return err_set(e, ERR_MEMORY, "no memory for the tags of the caches of %u SMs", m->sms);
    m->sm_port = xaligned(64, m->sms * sizeof *m->sm_port);
    m->out = xcalloc((size_t)m->sms * MEM_NPATHS, sizeof *m->out);
    for (uint32_t i = 0; i < m->sms; i++) {
        struct sm_port *f = &m->sm_port[i];
        f->mem = m;
        f->sm = i;
        f->calls.next_arrival = f->calls.own = MEM_NEVER;
        for (uint32_t k = 0; k < n; at += level_bytes(&s[k++])) {
            if (k < L15) f->at[k] = &f->l1[k];
            if (k < L15) f->l1[k].below = k == MEM_L1C ? mem_below_l1c(&m->o) : (uint32_t)m->o.l2.line;
            struct level *l = k < L15 ? &f->l1[k].level : &f->l15.level;
            level_init_in(l, &s[k], rng_next(k < L15 ? &seeds : &l15_seeds), at);
            mem_queue_size(m, l);
        }
    }
    return true;
}

static bool make_slices(struct mem *m, struct err *e) {
    struct rng seeds = {~(uint64_t)m->o.memory.seed};
    struct cache_shape shape = CACHE_SHAPE("l2", &m->o.l2, 0);
    m->slice = xcalloc(m->slices, sizeof *m->slice);
    for (uint32_t i = 0; i < m->slices; i++) {
        struct slice *s = &m->slice[i];
        *s = (struct slice){.number = i, .hit_at = CLOCK_ASLEEP, .below_at = CLOCK_ASLEEP};
        m->slice_due[i] = m->dram_due[i] = CLOCK_ASLEEP;
        s->hits = s->answers = s->below = s->returned = (struct queue){0};
        if (!m->o.l2.present)
            s->level.shape.ports = UINT32_MAX;
        else if (!level_init(&s->level, &shape, rng_next(&seeds), e))
            return false;
        mem_queue_size(m, &s->level);
        s->dram = dram_new(&m->o.dram);
    }
    return true;
}

static void make_ports(struct mem *m) {
    uint32_t each = (uint32_t)m->o.noc.sms_per_port;
    m->port = xcalloc(m->ports, sizeof *m->port);
    for (uint32_t i = 0; i < m->ports; i++) m->port[i] = (struct port){.first = i * each};
    m->port_due = xcalloc(m->ports, sizeof *m->port_due);
    for (uint32_t i = 0; i < m->ports; i++) m->port_due[i] = MEM_NEVER;
    uint64_t seed = (uint64_t)m->o.memory.seed;
    m->xbar[XBAR_TO_MEMORY] = xbar_new(&m->o.noc, XBAR_TO_MEMORY, m->ports, m->slices, seed);
    m->xbar[XBAR_BACK] = xbar_new(&m->o.noc, XBAR_BACK, m->slices, m->ports, seed + 1);
    for (int way = 0; way < XBAR_WAYS; way++) {
        m->arrived[way] = xbar_landed(m->xbar[way]);
        m->freed[way] = xbar_freed(m->xbar[way]);
        m->xbar_due[way] = CLOCK_ASLEEP;
    }
}

static bool mem_make(struct mem *m, struct err *e) {
    if (!(m->map = dram_map_new(&m->o.dram, e))) return false;
    m->chip_bits = dram_chip_bits(m->map);
    if (!make_fronts(m, e) || !make_slices(m, e)) return false;
    make_ports(m);
    return true;
}

struct mem *mem_new(const struct mem_options *o, uint32_t sms, struct err *e) {
    if (!sms || sms > PORT_WORDS * 64) {
        err_set(e, ERR_INPUT, "a machine has 1 to %d SMs, not %u", PORT_WORDS * 64, sms);
        return NULL;
    }
    if (!mem_options_check(o, e)) return NULL;
    struct mem *m = xaligned(_Alignof(struct mem), sizeof *m);
    uint32_t each = (uint32_t)o->noc.sms_per_port;
    m->o = *o;
    m->sms = m->used = sms;
    m->ports = (sms + each - 1) / each;
    m->port_words = bitmap_words(m->ports);
    m->queue_words = bitmap_words(each * MEM_NPATHS);
    m->slices = (uint32_t)o->dram.channels;
    clock_init(&m->clock, &m->o.clock);
    if (mem_make(m, e)) return m;
    mem_free(m);
    return NULL;
}

static void free_sm_port(struct sm_port *f) {
    POOL_FREE(&f->pool);
    VEC_FREE(&f->inbox.responses);
    VEC_FREE(&f->inbox.credits);
    VEC_FREE(&f->undelivered.responses);
    VEC_FREE(&f->undelivered.credits);
    VEC_FREE(&f->out);
}

void mem_free(struct mem *m) {
    if (!m) return;
    for (uint32_t i = 0; m->sm_port && i < m->sms; i++) free_sm_port(&m->sm_port[i]);
    for (uint32_t i = 0; m->slice && i < m->slices; i++) {
        level_free(&m->slice[i].level);
        dram_free(m->slice[i].dram);
    }
    xbar_free(m->xbar[XBAR_TO_MEMORY]);
    xbar_free(m->xbar[XBAR_BACK]);
    dram_map_free(m->map);
    POOL_FREE(&m->pool);
    xfree(m->sm_port);
    xfree(m->tags);
    xfree(m->out);
    xfree(m->port);
    xfree(m->port_due);
    xfree(m->slice);
    xfree(m);
}

/* ---- time ---- */

static void xbar_run(struct mem *m, int way, uint64_t cycle) {
    mem_noc_catch_up(m, way, cycle - 1);
    xbar_cycle(m->xbar[way]);
    m->xbar_at[way] = cycle;
    uint64_t quiet = xbar_quiet(m->xbar[way]);
    m->xbar_due[way] = quiet == UINT64_MAX ? CLOCK_ASLEEP : cycle + 1 + quiet;
    if (way == XBAR_TO_MEMORY) {
        slice_landed(m);
        port_freed(m);
    } else {
        port_landed(m);
        slice_freed(m);
    }
}

static void noc_cycle(struct mem *m, uint64_t cycle) {
    for (int way = 0; way < 2; way++)
        if (m->xbar_due[way] <= cycle) xbar_run(m, way, cycle);
    uint64_t *due = m->xbar_due;
    m->clock.due[CLOCK_NOC] = due[XBAR_TO_MEMORY] < due[XBAR_BACK] ? due[XBAR_TO_MEMORY] : due[XBAR_BACK];
}

static void l2_cycle(struct mem *m, uint64_t cycle) {
    uint64_t due = CLOCK_ASLEEP;
    for (uint32_t i = 0; i < m->slices; i++) {
        if (m->slice_due[i] <= cycle) slice_cycle(m, &m->slice[i], cycle);
        if (m->slice_due[i] < due) due = m->slice_due[i];
    }
    m->clock.due[CLOCK_L2] = due;
}

static void dram_all(struct mem *m, uint64_t cycle) {
    uint64_t due = CLOCK_ASLEEP;
    for (uint32_t i = 0; i < m->slices; i++) {
        if (m->dram_due[i] <= cycle) slice_dram_cycle(m, &m->slice[i], cycle);
        if (m->dram_due[i] < due) due = m->dram_due[i];
    }
    m->clock.due[CLOCK_DRAM] = due;
}

static void run_clock(struct mem *m, enum clock_id id) {
    uint64_t cycle = m->clock.ran[id] = m->clock.due[id];
    if (id == CLOCK_CORE)
        port_cycle(m, cycle);
    else if (id == CLOCK_DRAM)
        dram_all(m, cycle);
    else if (id == CLOCK_L2)
        l2_cycle(m, cycle);
    else
        noc_cycle(m, cycle);
}

void mem_collect(struct mem *m, uint32_t sm) {
    if (m->sm_port[sm].read == m->sm_port[sm].inbox.responses.n) bitmap_clear(m->unread, sm);
    port_collect(m, sm);
}

uint64_t mem_window(const struct mem *m, uint32_t paths) {
    const struct mem_options *o = &m->o;
    const uint64_t latency[MEM_NPATHS] = {[MEM_L1D] = (uint64_t)o->l1d.latency,
                                          [MEM_L1T] = (uint64_t)o->l1t.latency,
                                          [MEM_L1C] =
                                              (uint64_t)(o->l15c.present ? o->l15c.latency : o->l1c.latency),
                                          [MEM_L1I] = (uint64_t)o->l1i.latency};
    uint64_t least = MEM_NEVER;
    for (int path = 0; path < MEM_NPATHS; path++)
        if (paths >> path & 1 && latency[path] < least) least = latency[path];
    return least;
}

void mem_run(struct mem *m, uint64_t until, bool ahead) {
    for (enum clock_id id; (id = clock_pick(&m->clock, until)) != CLOCKS;) {
        const bool some = POOL_TAKEN(&m->pool);
        if (ahead && !some) return;
        run_clock(m, id);
        if (some && !POOL_TAKEN(&m->pool)) m->quiet = clock_core(&m->clock, id, m->clock.ran[id]);
    }
}

uint64_t mem_ran(const struct mem *m) {
    uint64_t last = 0;
    for (enum clock_id i = 0; i < CLOCKS; i++) {
        const uint64_t at = clock_core(&m->clock, i, m->clock.ran[i]);
        if (at > last) last = at;
    }
    return last;
}

uint64_t mem_quiet(const struct mem *m) {
    return POOL_TAKEN(&m->pool) ? 0 : m->quiet;
}

void mem_begin(struct mem *m, uint64_t now) {
    m->from = now;
}

void mem_run_ahead(struct mem *m, uint64_t until) {
    m->sms_running = true;
    mem_run(m, until, true);
    m->sms_running = false;
}

uint32_t mem_under_way(const struct mem *m) {
    return (uint32_t)POOL_TAKEN(&m->pool);
}

uint64_t mem_deliver(struct mem *m) {
    bool any = false;
    FOR_BITMAP(i, m->undelivered, bitmap_words(m->sms)) {
        struct sm_port *f = &m->sm_port[i];
        any = true;
        bitmap_clear(m->undelivered, i);
        bitmap_set(m->unread, i);
        for (size_t k = 0; k < f->undelivered.responses.n; k++)
            VEC_PUSH(&f->inbox.responses, f->undelivered.responses.v[k]);
        if (f->read < f->inbox.responses.n) f->calls.next_arrival = f->inbox.responses.v[f->read].cycle;
        for (size_t k = 0; k < f->undelivered.credits.n; k++)
            VEC_PUSH(&f->inbox.credits, f->undelivered.credits.v[k]);
        f->undelivered.responses.n = f->undelivered.credits.n = 0;
    }
    return any ? m->soonest : MEM_NEVER;
}

const uint64_t *mem_unread(const struct mem *m) {
    return m->unread;
}

void mem_at(struct mem *m, uint64_t now) {
    m->now = now;
}

void mem_advance(struct mem *m, uint64_t now) {
    for (uint32_t i = 0; i < m->used; i++) mem_collect(m, i);
    mem_run(m, now, false);
    for (uint32_t i = 0; i < m->used; i++) {
        mem_sm_advance(m, i, now);
        mem_collect(m, i);
    }
    m->now = now;
}

bool mem_settle(struct mem *m, uint64_t now) {
    mem_run(m, now, false);
    m->now = now;
    if (POOL_TAKEN(&m->pool)) return true;
    mem_advance(m, now); /* lets requests leave */
    return false;
}

uint64_t mem_run_next(const struct mem *m) {
    return clock_next(&m->clock);
}

uint64_t mem_next(const struct mem *m) {
    uint64_t next = clock_next(&m->clock);
    for (uint32_t i = 0; i < m->used; i++) {
        const struct sm_port *f = &m->sm_port[i];
        const uint64_t own = mem_sm_next(m, i);
        if (own < next) next = own;
        for (size_t k = 0; k < f->out.n; k++)
            if (f->out.v[k].when < next) next = f->out.v[k].when;
    }
    return next;
}

static bool sm_port_idle(const struct sm_port *f) {
    return !POOL_TAKEN(&f->pool) && f->read == f->inbox.responses.n && !f->undelivered.responses.n &&
           !f->out.n;
}

bool mem_idle(const struct mem *m, uint64_t now) {
    if (POOL_TAKEN(&m->pool) || m->quiet > now) return false;
    for (uint32_t i = 0; i < m->used; i++)
        if (!sm_port_idle(&m->sm_port[i])) return false;
    return true;
}

void mem_flush(struct mem *m) {
    for (uint32_t i = 0; i < m->used; i++) {
        for (uint8_t path = 0; path < MEM_NPATHS; path++) l1_flush(m, i, path);
        if (m->o.l15c.present) l15_flush(&m->sm_port[i].l15);
        port_collect(m, i);
    }
}

void mem_flush_l2(struct mem *m) {
    for (uint32_t i = 0; m->o.memory.flush_l2 && i < m->slices; i++) slice_flush(m, &m->slice[i]);
}

void mem_warm(struct mem *m, uint64_t addr, uint64_t bytes) {
    const uint32_t line = (uint32_t)m->o.l2.line;
    while (m->o.l2.present && bytes) {
        uint32_t left = line - (uint32_t)(addr & (line - 1)), here = bytes < left ? (uint32_t)bytes : left;
        slice_warm(m, &m->slice[dram_channel(m->map, addr)], addr, here);
        addr += here;
        bytes -= here;
    }
}

/* ---- counters ---- */

void mem_restart_stats(struct mem *m) {
    for (uint32_t i = 0; i < m->used; i++) mem_load_stats_restart(&m->sm_port[i].load);
    for (uint32_t i = 0; i < m->slices; i++) dram_restart_stats(m->slice[i].dram);
}

static void join_sm_port(struct mem_stats *s, const struct sm_port *f) {
    mem_cache_stats_join(&s->l1d, &f->l1[MEM_L1D].level.stats);
    mem_cache_stats_join(&s->l1t, &f->l1[MEM_L1T].level.stats);
    mem_cache_stats_join(&s->l1c, &f->l1[MEM_L1C].level.stats);
    mem_cache_stats_join(&s->l1i, &f->l1[MEM_L1I].level.stats);
    mem_cache_stats_join(&s->l15c, &f->l15.level.stats);
    mem_load_stats_join(&s->load, &f->load);
}

void mem_use(struct mem *m, uint32_t sms) {
    while (m->used > sms) {
        struct sm_port *f = &m->sm_port[--m->used];
        mem_load_stats_restart(&f->load);
        join_sm_port(&m->unused, f);
    }
    for (; m->used < sms; m->used++) {
        struct mem_stats one = {0};
        join_sm_port(&one, &m->sm_port[m->used]);
        mem_stats_since(&m->unused, &one);
    }
}

static void join_slice(struct mem_stats *s, const struct mem *m, const struct slice *at) {
    struct dram_stats d;
    mem_cache_stats_join(&s->l2, &at->level.stats);
    s->l2.busy += slice_refusals(m, at);
    dram_get_stats(at->dram, &d);
    dram_stats_join(&s->dram, &d);
}

/* Parts that sleep have not counted their cycles yet: those are read off the clocks. */
static void count_cycles(struct mem_stats *s, const struct mem *m) {
    s->dram.cycles = clock_elapsed(&m->clock, CLOCK_DRAM, m->now) * m->slices;
    s->noc.cycles = clock_elapsed(&m->clock, CLOCK_NOC, m->now);
    s->noc.port_cycles[XBAR_TO_MEMORY] = s->noc.cycles * m->slices;
    s->noc.port_cycles[XBAR_BACK] = s->noc.cycles * m->ports;
}

void mem_get_l1d(const struct mem *m, uint32_t sm, struct mem_cache_stats *s) {
    *s = m->sm_port[sm].l1[MEM_L1D].level.stats;
}

void mem_get_stats(const struct mem *m, struct mem_stats *s) {
    *s = m->unused;
    for (uint32_t i = 0; i < m->used; i++) join_sm_port(s, &m->sm_port[i]);
    for (uint32_t i = 0; i < m->slices; i++) join_slice(s, m, &m->slice[i]);
    for (int way = 0; way < XBAR_WAYS; way++) {
        struct xbar_stats x;
        xbar_get_stats(m->xbar[way], &x);
        xbar_stats_join(&s->noc, &x);
    }
    count_cycles(s, m);
}
