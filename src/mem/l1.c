/* The SMs' side: mem_ask and mem_done, the first-level caches' queues, the ports of the crossbar.
 *
 * A request that cannot be answered here is looked up like any other, so it leaves the cache `latency` cycles after the ask;
 * the answer goes to those who wait without passing the cache again. A port sends one message and takes one answer in a core
 * cycle; the queues behind it (four caches of each of its SMs) take turns, and one whose channel has no room is passed over.
 * Answers are always taken, which is what keeps the whole free of deadlock: see docs/memory.md.
 *
 * A line of a first-level cache may be longer than one of L2: it is asked for in pieces, each within one L2 line and so on
 * one channel. Atomics are performed in L2; the L1 line is dropped. */
#include "base/alloc.h"
#include "base/bitmap.h"
#include "mem/impl.h"

static uint32_t port_of(const struct mem *m, uint32_t sm) {
    return sm / (uint32_t)m->o.noc.sms_per_port;
}

/* ---- asking ---- */

void l1_send(struct mem *m, const struct source *from, enum mem_kind kind, uint64_t addr, uint32_t bytes,
             uint32_t entry) {
    uint32_t i = msg_new(&m->pool), number = port_of(m, from->sm);
    struct port *p = &m->port[number];
    m->pool.v[i] = (struct msg){.addr = addr,
                                .when = from->ready,
                                .bytes = bytes,
                                .id = entry,
                                .slice = dram_decode(m->map, addr).chip,
                                .sm = (uint16_t)from->sm,
                                .path = from->path,
                                .kind = (uint8_t)kind};
    if (!from->cache->out.n) {
        bitmap_set(p->holding, (from->sm - p->first) * MEM_NPATHS + from->path);
        p->queues++;
    }
    QUEUE_PUT(&from->cache->out, m->pool.v, i);
    if (from->ready < p->due) p->due = from->ready;
    bitmap_set(m->sending, number);
    clock_at(&m->clock, CLOCK_CORE, p->due);
}

/* To the next level: a second-level constant cache where the SM has one, else the crossbar. */
static void send(struct mem *m, const struct source *from, enum mem_kind kind, uint64_t addr, uint32_t bytes,
                 uint32_t entry) {
    if (from->path == MEM_L1C && kind == MEM_READ && m->l15)
        l15_send(m, from, addr, bytes, entry);
    else
        l1_send(m, from, kind, addr, bytes, entry);
}

static void send_grains(struct mem *m, const struct source *from, enum mem_kind kind, uint64_t line,
                        uint64_t grains, uint32_t entry) {
    while (grains) {
        uint32_t bytes;
        uint64_t addr = cache_run(&from->cache->level.tags, line, &grains, from->cache->below, &bytes);
        send(m, from, kind, addr, bytes, entry);
    }
}

/* A write or an atomic may cross lines of L2 when those are shorter. Returns what level_fill will make of the answers. */
static uint64_t send_range(struct mem *m, const struct source *from, enum mem_kind kind, uint64_t addr,
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

static void wait(struct mem *m, const struct source *from, const struct level_effect *x, uint32_t tag,
                 uint64_t now) {
    uint32_t i = msg_new(&m->pool);
    m->pool.v[i] = (struct msg){.when = now, .id = tag, .sm = (uint16_t)from->sm};
    mshr_wait(&from->cache->level.mshr, &m->pool, x->entry, i, x->wait);
}

/* What the access causes below: evictions first, so that a line fetched again is not overtaken by its old self. */
static void carry_out(struct mem *m, const struct source *from, const struct level_access *a,
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

static bool queue_room(const struct mem *m, uint32_t sm, enum mem_path path, const struct l1 *c) {
    return mem_queue_room(m, &c->level, path == MEM_L1C && m->l15 ? &m->l15[sm].in : &c->out);
}

/* A refusal that need not be worked out again. */
static bool still_refused(struct l1 *c, enum mem_kind kind, uint64_t addr, uint32_t bytes) {
    if (!c->refused || c->refused_addr != addr || c->refused_bytes != bytes || c->refused_kind != kind)
        return false;
    c->level.stats.busy++;
    return true;
}

static enum mem_answer refuse(struct l1 *c, const struct level_access *a) {
    c->refused = true;
    c->refused_kind = a->kind;
    c->refused_bytes = a->bytes;
    c->refused_addr = a->addr;
    return MEM_BUSY;
}

enum mem_answer mem_ask(struct mem *m, uint32_t sm, enum mem_path path, enum mem_kind kind, uint64_t addr,
                        uint32_t bytes, uint32_t tag, uint64_t now, uint64_t *when) {
    struct l1 *c = &m->l1[(size_t)sm * MEM_NPATHS + path];
    if (m->o.memory.ideal) return perfect(c, kind, addr, bytes, now, when);
    uint64_t index = addr >> c->level.tags.line_shift;
    if (!level_open(&c->level, index, now) || still_refused(c, kind, addr, bytes)) return MEM_BUSY;
    struct level_access a = {kind, addr, bytes, index, queue_room(m, sm, path, c)};
    struct source from = {c, sm, (uint8_t)path, now + c->level.shape.latency};
    struct level_effect x;
    enum level_what what = (kind == MEM_ATOMIC ? level_bypass : level_do)(&c->level, &a, &x);
    if (what == LEVEL_REFUSED) return refuse(c, &a);
    c->refused = false;
    if (what == LEVEL_HIT && kind == MEM_READ) {
        *when = from.ready;
        return MEM_HIT;
    }
    carry_out(m, &from, &a, &x);
    if (kind == MEM_WRITE) {
        *when = what == LEVEL_HIT ? now : MEM_NEVER;
        return MEM_POSTED;
    }
    if (kind == MEM_ATOMIC) x.wait = send_range(m, &from, kind, addr, bytes, x.entry);
    wait(m, &from, &x, tag, now);
    return MEM_WAIT;
}

bool mem_holds(const struct mem *m, uint32_t sm, enum mem_path path, uint64_t addr) {
    const struct cache *c = &m->l1[(size_t)sm * MEM_NPATHS + path].level.tags;
    const uint64_t line = addr >> c->line_shift;
    const uint32_t slot = cache_find(c, line, line);
    if (slot == CACHE_NONE) return false;
    const uint64_t all = cache_touched(c, line << c->line_shift, 1u << c->line_shift);
    return !(all & ~(c->line[slot].valid | c->line[slot].pending));
}

bool mem_stuck(const struct mem *m, uint32_t sm, enum mem_path path) {
    return m->l1[(size_t)sm * MEM_NPATHS + path].refused;
}

void mem_skipped(struct mem *m, uint32_t sm, enum mem_path path, uint64_t cycles) {
    m->l1[(size_t)sm * MEM_NPATHS + path].level.stats.busy += cycles;
}

/* ---- answers ---- */

static void account(struct mem *m, uint64_t asked_at, uint64_t cycle) {
    uint64_t took = cycle - asked_at;
    m->load.latency_sum += took;
    m->load.count++;
    m->load.latency_max = stat_larger(m->load.latency_max, took);
}

void l1_lift(struct mem *m, struct l1 *c, uint32_t sm) {
    if (c->refused) bitmap_set(m->called, sm);
    c->refused = false;
}

void l1_fill(struct mem *m, uint32_t i, uint64_t cycle) {
    const struct msg *got = &m->pool.v[i];
    struct l1 *c = &m->l1[(size_t)got->sm * MEM_NPATHS + got->path];
    struct queue *done = &m->done[got->sm];
    struct queue ready = {0};
    level_fill(&c->level, &m->pool, got->id, got->addr, got->bytes, &ready);
    l1_lift(m, c, got->sm);
    if (ready.n) bitmap_set(m->called, got->sm);
    msg_free(&m->pool, i);
    while (ready.n) {
        uint32_t w = QUEUE_TAKE(&ready, m->pool.v);
        account(m, m->pool.v[w].when, cycle);
        QUEUE_PUT(done, m->pool.v, w);
    }
}

static void receive(struct mem *m, uint32_t number, uint64_t cycle) {
    uint32_t i;
    CHECK(xbar_pop(m->xbar[XBAR_BACK], number, &i));
    if (m->l15 && m->pool.v[i].path == MEM_L1C && m->pool.v[i].kind == MEM_READ)
        l15_fill(m, i, cycle);
    else
        l1_fill(m, i, cycle);
}

void l1_landed(struct mem *m) {
    const uint64_t *landed = xbar_landed(m->xbar[XBAR_BACK]);
    uint64_t any = 0;
    for (uint32_t w = 0; w < m->port_words; w++) any |= m->landed[w] = landed[w];
    if (any) clock_wake(&m->clock, CLOCK_CORE, CLOCK_NOC);
}

bool mem_done(struct mem *m, uint32_t sm, uint64_t now, uint32_t *tag) {
    (void)now;
    struct queue *q = &m->done[sm];
    if (!q->n) {
        bitmap_clear(m->called, sm);
        return false;
    }
    uint32_t i = QUEUE_TAKE(q, m->pool.v);
    *tag = m->pool.v[i].id;
    msg_free(&m->pool, i);
    return true;
}

const uint64_t *mem_called(const struct mem *m) {
    return m->called;
}

/* ---- requests leave ---- */

static bool leave(struct mem *m, uint32_t number, struct l1 *c, uint64_t cycle) {
    const struct msg *r = &m->pool.v[c->out.head];
    uint32_t to = r->slice, sm = r->sm, bytes = r->kind == MEM_READ ? 0 : r->bytes;
    if (r->when > cycle || !xbar_room(m->xbar[XBAR_TO_MEMORY], number, to, bytes)) return false;
    mem_push(m, XBAR_TO_MEMORY, number, to, bytes, QUEUE_TAKE(&c->out, m->pool.v), CLOCK_CORE);
    l1_lift(m, c, sm);
    return true;
}

/* The first queue at or after q, around, that holds something; one does. */
static uint32_t holding_from(const struct port *p, uint32_t q) {
    uint32_t w = q / 64 % (PORT_QUEUES / 64);
    uint64_t bits = p->holding[w] & UINT64_MAX << q % 64;
    while (!bits) bits = p->holding[w = (w + 1) % (PORT_QUEUES / 64)];
    return w * 64 + (uint32_t)__builtin_ctzll(bits);
}

/* One request leaves, the first that is ready and has room in the crossbar. What is ready but finds no room there waits for
 * credits (l1_freed); an ideal crossbar has none, and is asked in every cycle. */
static void port_send(struct mem *m, uint32_t number, uint64_t cycle) {
    struct port *p = &m->port[number];
    bool sent = false;
    p->due = MEM_NEVER;
    p->blocked = false;
    for (uint32_t left = p->queues, q = p->turn; left; left--, q++) {
        q = holding_from(p, q);
        struct l1 *c = &m->l1[(size_t)p->first * MEM_NPATHS + q];
        bool tried = !sent;
        if (!sent && leave(m, number, c, cycle)) {
            sent = true;
            tried = false;
            p->turn = (q + 1) % PORT_QUEUES;
            if (!c->out.n) {
                bitmap_clear(p->holding, q);
                p->queues--;
                continue;
            }
        }
        uint64_t when = m->pool.v[c->out.head].when;
        if (when <= cycle && tried && !m->o.noc.ideal)
            p->blocked = true;
        else if (when < p->due)
            p->due = when;
    }
    if (!p->queues) bitmap_clear(m->sending, number);
    if (p->due <= cycle) p->due = cycle + 1;
}

void l1_freed(struct mem *m) {
    const uint64_t *freed = xbar_freed(m->xbar[XBAR_TO_MEMORY]);
    for (uint32_t w = 0; w < m->port_words; w++)
        for (uint64_t left = freed[w] & m->sending[w]; left; left &= left - 1) {
            struct port *p = &m->port[w * 64 + (uint32_t)__builtin_ctzll(left)];
            if (!p->blocked) continue;
            p->blocked = false;
            uint64_t k = clock_wake(&m->clock, CLOCK_CORE, CLOCK_NOC);
            if (k < p->due) p->due = k;
        }
}

void l1_cycle(struct mem *m, uint64_t cycle) {
    const uint64_t *landed = xbar_landed(m->xbar[XBAR_BACK]);
    FOR_BITMAP(r, m->landed, m->port_words) receive(m, r, cycle);
    uint64_t due = m->l15 ? l15_cycle(m, cycle) : MEM_NEVER, more = 0;
    FOR_BITMAP(s, m->sending, m->port_words) {
        if (m->port[s].due <= cycle) port_send(m, s, cycle);
        if (m->port[s].due < due) due = m->port[s].due;
    }
    for (uint32_t w = 0; w < m->port_words; w++) more |= m->landed[w] &= landed[w];
    m->clock.due[CLOCK_CORE] = more ? cycle + 1 : due;
}

void l1_flush(struct mem *m, struct l1 *c, uint32_t sm, uint8_t path) {
    struct source from = {c, sm, path, m->now + 1};
    c->refused = false;
    uint32_t slots = c->level.tags.used ? c->level.tags.sets * c->level.tags.ways : 0;
    for (uint32_t s = 0; s < slots; s++) {
        if (!c->level.tags.tag[s]) continue;
        uint64_t line, dirty = level_empty(&c->level, s, &line);
        send_grains(m, &from, MEM_WRITE, line, dirty, 0);
    }
}
