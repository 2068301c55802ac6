/* An SM's side: mem_ask and mem_done, the first-level caches, what comes back to them.
 *
 * A request that cannot be answered here is looked up like any other, so it leaves the cache `latency` cycles after the ask;
 * the answer goes to those who wait without passing the cache again. Answers are always taken, which is what keeps the whole
 * free of deadlock: see docs/memory.md.
 *
 * A line of a first-level cache may be longer than one of L2: it is asked for in pieces, each within one L2 line and so on
 * one channel. Atomics are performed in L2; the L1 line is dropped.
 *
 * Nothing here looks at, or changes, what belongs to the memory's side or to another SM. */
#include "base/alloc.h"
#include "base/bitmap.h"
#include "mem/impl.h"

/* ---- asking ---- */

void l1_send(const struct mem *m, const struct source *from, enum mem_kind kind, uint64_t addr,
             uint32_t bytes, uint32_t entry) {
    VEC_PUSH(&from->front->out, (struct msg){.addr = addr,
                                             .when = from->ready,
                                             .bytes = bytes,
                                             .id = entry,
                                             .slice = dram_channel(m->map, addr),
                                             .sm = (uint16_t)from->sm,
                                             .path = from->path,
                                             .kind = (uint8_t)kind});
    from->cache->queued++;
}

/* To the next level: a second-level constant cache where the SM has one, else the crossbar. */
static void send(const struct mem *m, const struct source *from, enum mem_kind kind, uint64_t addr,
                 uint32_t bytes, uint32_t entry) {
    if (from->path == MEM_L1C && kind == MEM_READ && m->o.l15c.present)
        l15_send(from, addr, bytes, entry);
    else
        l1_send(m, from, kind, addr, bytes, entry);
}

static void send_grains(const struct mem *m, const struct source *from, enum mem_kind kind, uint64_t line,
                        uint64_t grains, uint32_t entry) {
    while (grains) {
        uint32_t bytes;
        uint64_t addr = cache_run(&from->cache->level.tags, line, &grains, from->cache->below, &bytes);
        send(m, from, kind, addr, bytes, entry);
    }
}

/* A write or an atomic may cross lines of L2 when those are shorter. Returns what level_fill will make of the answers. */
static uint64_t send_range(const struct mem *m, const struct source *from, enum mem_kind kind, uint64_t addr,
                           uint32_t bytes, uint32_t entry) {
    uint32_t line = (uint32_t)m->o.l2.line;
    uint64_t pieces = 0;
    while (bytes) {
        uint32_t left = line - (uint32_t)(addr & (line - 1)), here = bytes < left ? bytes : left;
        send(m, from, kind, addr, here, entry);
        pieces |= cache_grain(&from->cache->level.tags, addr);
        addr += here;
        bytes -= here;
    }
    return pieces;
}

static void wait(const struct source *from, const struct level_effect *x, uint32_t tag, uint64_t now) {
    struct msg_pool *p = &from->front->pool;
    uint32_t i = msg_new(p);
    p->v[i] = (struct msg){.when = now, .id = tag};
    mshr_wait(&from->cache->level.mshr, p, x->entry, i, x->wait);
}

/* What the access causes below: evictions first, so that a line fetched again is not overtaken by its old self. */
static void carry_out(const struct mem *m, const struct source *from, const struct level_access *a,
                      const struct level_effect *x) {
    uint64_t line = a->addr >> from->cache->level.tags.line_shift;
    if (x->evict) send_grains(m, from, MEM_WRITE, x->evict_line, x->evict, 0);
    if (x->forward) send_range(m, from, MEM_WRITE, a->addr, a->bytes, 0);
    if (x->fetch) send_grains(m, from, MEM_READ, line, x->fetch, x->entry);
}

static enum mem_answer perfect(struct l1 *c, enum mem_kind kind, uint64_t addr, uint32_t bytes, uint64_t now,
                               uint64_t *when) {
    struct mem_cache_stats *s = &c->level.stats;
    level_count_sectors(&c->level, cache_touched(&c->level.tags, addr, bytes), 0, 0);
    s->accesses++;
    s->hits++;
    if (kind == MEM_READ)
        s->reads++;
    else if (kind == MEM_WRITE)
        s->writes++;
    else
        s->atomics++;
    *when = kind == MEM_WRITE ? now : now + c->level.shape.latency;
    return kind == MEM_WRITE ? MEM_POSTED : MEM_HIT;
}

static bool queue_room(const struct mem *m, const struct front *f, enum mem_path path) {
    const struct l1 *c = &f->l1[path];
    return mem_queue_room(&c->level, path == MEM_L1C && m->o.l15c.present ? f->l15.in.n : c->queued);
}

/* A refusal that need not be worked out again. */
static bool still_refused(struct l1 *c, enum mem_kind kind, uint64_t addr, uint32_t bytes) {
    if (c->refused_addr != addr || c->refused_bytes != bytes || c->refused_kind != kind) return false;
    c->level.stats.busy++;
    return true;
}

static enum mem_answer refuse(struct front *f, enum mem_path path, const struct level_access *a) {
    struct l1 *c = &f->l1[path];
    f->refused |= (uint8_t)(1u << path);
    c->refused_kind = a->kind;
    c->refused_bytes = a->bytes;
    c->refused_addr = a->addr;
    return MEM_BUSY;
}

enum mem_answer mem_ask(struct mem *m, uint32_t sm, enum mem_path path, enum mem_kind kind, uint64_t addr,
                        uint32_t bytes, uint32_t tag, uint64_t now, uint64_t *when) {
    struct front *f = &m->front[sm];
    struct l1 *c = &f->l1[path];
    if (m->o.memory.ideal) return perfect(c, kind, addr, bytes, now, when);
    if (f->noticed < f->told.left.n) l1_notice(f, now + 1);
    uint64_t index = addr >> c->level.tags.line_shift;
    if (!level_open(&c->level, index, now)) return MEM_BUSY;
    if (f->refused >> path & 1 && still_refused(c, kind, addr, bytes)) return MEM_BUSY;
    struct level_access a = {kind, addr, bytes, index, queue_room(m, f, path)};
    struct level_effect x;
    enum level_what what = (kind == MEM_ATOMIC ? level_bypass : level_do)(&c->level, &a, &x);
    if (what == LEVEL_REFUSED) return refuse(f, path, &a);
    f->refused &= (uint8_t) ~(1u << path);
    if (what == LEVEL_HIT && kind == MEM_READ) {
        *when = now + c->level.shape.latency;
        return MEM_HIT;
    }
    const struct source from = {f, c, sm, (uint8_t)path, now + c->level.shape.latency};
    carry_out(m, &from, &a, &x);
    if (kind == MEM_WRITE) {
        *when = what == LEVEL_HIT ? now : MEM_NEVER;
        return MEM_POSTED;
    }
    if (kind == MEM_ATOMIC) x.wait = send_range(m, &from, kind, addr, bytes, x.entry);
    wait(&from, &x, tag, now);
    return MEM_WAIT;
}

bool mem_holds(const struct mem *m, uint32_t sm, enum mem_path path, uint64_t addr) {
    const struct cache *c = &m->front[sm].l1[path].level.tags;
    const uint64_t line = addr >> c->line_shift;
    const uint32_t slot = cache_find(c, line, line);
    if (slot == CACHE_NONE) return false;
    const uint64_t here = c->line[slot].valid | c->line[slot].pending;
    return here == cache_bits(0, c->grains - 1);
}

uint64_t mem_misses(const struct mem *m, uint32_t sm, enum mem_path path) {
    return m->front[sm].l1[path].level.stats.misses;
}

bool mem_stuck(const struct mem *m, uint32_t sm, enum mem_path path) {
    return m->front[sm].refused >> path & 1;
}

void mem_skipped(struct mem *m, uint32_t sm, enum mem_path path, uint64_t cycles) {
    m->front[sm].l1[path].level.stats.busy += cycles;
}

/* ---- answers ---- */

static void account(struct mem_load_stats *load, uint64_t asked_at, uint64_t cycle) {
    uint64_t took = cycle - asked_at;
    load->latency_sum += took;
    load->count++;
    load->latency_max = stat_larger(load->latency_max, took);
}

void l1_lift(struct front *f, uint8_t path) {
    if (!(f->refused >> path & 1)) return;
    f->called = true;
    f->refused &= (uint8_t) ~(1u << path);
}

void l1_notice(struct front *f, uint64_t before) {
    for (; f->noticed < f->told.left.n && f->told.left.v[f->noticed].cycle < before; f->noticed++) {
        const uint8_t path = f->told.left.v[f->noticed].path;
        f->l1[path].queued--;
        l1_lift(f, path);
    }
    if (f->noticed == f->told.left.n) f->noticed = f->told.left.n = 0;
}

void l1_fill(const struct mem *m, struct front *f, const struct answer *a, uint64_t cycle) {
    struct l1 *c = &f->l1[a->path];
    struct queue ready = {0};
    level_fill(&c->level, &f->pool, a->entry, a->addr, a->bytes, &ready);
    l1_lift(f, a->path);
    f->called |= ready.n != 0;
    while (ready.n) {
        uint32_t w = QUEUE_TAKE(&ready, f->pool.v);
        account(&f->load, f->pool.v[w].when, cycle);
        f->early |= a->path == MEM_L1D && f->pool.v[w].when >= m->from;
        QUEUE_PUT(&f->done, f->pool.v, w);
    }
}

bool mem_done(struct mem *m, uint32_t sm, uint64_t now, uint32_t *tag) {
    (void)now;
    struct front *f = &m->front[sm];
    if (!f->done.n) {
        f->called = false;
        return false;
    }
    uint32_t i = QUEUE_TAKE(&f->done, f->pool.v);
    *tag = f->pool.v[i].id;
    msg_free(&f->pool, i);
    return true;
}

/* ---- time ---- */

static uint64_t next_news(const struct front *f) {
    return f->read < f->told.in.n ? f->told.in.v[f->read].cycle : MEM_NEVER;
}

/* The next departure that matters now. */
static uint64_t next_left(const struct front *f) {
    return f->refused && f->noticed < f->told.left.n ? f->told.left.v[f->noticed].cycle : MEM_NEVER;
}

uint64_t mem_sm_next(const struct mem *m, uint32_t sm) {
    const struct front *f = &m->front[sm];
    const uint64_t news = next_news(f), left = next_left(f), first = news < left ? news : left;
    return first < f->l15.due ? first : f->l15.due;
}

static void take_answer(const struct mem *m, struct front *f, const struct news *n) {
    const struct answer a = {n->addr, n->bytes, n->id, n->path};
    if (n->path == MEM_L1C && m->o.l15c.present)
        l15_fill(m, f, &a, n->cycle);
    else
        l1_fill(m, f, &a, n->cycle);
}

/* Of a cycle: answers first, then what l15 does in it, then what has left. */
void mem_sm_advance(struct mem *m, uint32_t sm, uint64_t cycle) {
    struct front *f = &m->front[sm];
    for (uint64_t at; (at = mem_sm_next(m, sm)) <= cycle;) {
        for (; next_news(f) == at; f->read++) take_answer(m, f, &f->told.in.v[f->read]);
        if (f->l15.due <= at) l15_cycle(m, sm, at);
        if (next_left(f) <= at) l1_notice(f, at + 1);
    }
    if (f->read == f->told.in.n) f->read = f->told.in.n = 0;
}

bool mem_sm_early(struct mem *m, uint32_t sm) {
    const bool early = m->front[sm].early;
    m->front[sm].early = false;
    return early;
}

bool mem_sm_called(const struct mem *m, uint32_t sm) {
    return m->front[sm].called;
}

const bool *mem_sm_calls(const struct mem *m, uint32_t sm) {
    return &m->front[sm].called;
}

void l1_flush(struct mem *m, uint32_t sm, uint8_t path) {
    struct front *f = &m->front[sm];
    struct l1 *c = &f->l1[path];
    struct source from = {f, c, sm, path, m->now + 1};
    l1_notice(f, MEM_NEVER);
    f->refused &= (uint8_t) ~(1u << path);
    uint32_t slots = c->level.tags.used ? c->level.tags.sets * c->level.tags.ways : 0;
    for (uint32_t s = 0; s < slots; s++) {
        if (!c->level.tags.tag[s]) continue;
        uint64_t line, dirty = level_empty(&c->level, s, &line);
        send_grains(m, &from, MEM_WRITE, line, dirty, 0);
    }
}
