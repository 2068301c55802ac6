/* An SM's side: mem_request and mem_done, the first-level caches, what comes back to them.
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

void l1_send(const struct source *from, enum mem_kind kind, uint64_t addr, uint32_t bytes, uint32_t entry) {
    struct sm_port *f = from->sm_port;
    VEC_PUSH(&f->out, (struct msg){.addr = addr,
                                   .when = from->ready,
                                   .bytes = bytes,
                                   .id = entry,
                                   .slice = dram_channel(f->mem->map, addr),
                                   .sm = (uint16_t)f->sm,
                                   .path = from->path,
                                   .kind = (uint8_t)kind});
    from->cache->queued++;
}

/* To the next level: a second-level constant cache where the SM has one, else the crossbar. */
static void mem_l1_send(const struct source *from, enum mem_kind kind, uint64_t addr, uint32_t bytes,
                        uint32_t entry) {
    if (from->path == MEM_L1C && kind == MEM_READ && from->sm_port->mem->o.l15c.present)
        l15_send(from, addr, bytes, entry);
    else
        l1_send(from, kind, addr, bytes, entry);
}

static void send_grains(const struct source *from, enum mem_kind kind, uint64_t line, uint64_t grains,
                        uint32_t entry) {
    while (grains) {
        uint32_t bytes;
        uint64_t addr = cache_run(&from->cache->level.tags, line, &grains, from->cache->below, &bytes);
        mem_l1_send(from, kind, addr, bytes, entry);
    }
}

/* A write or an atomic may cross lines of L2 when those are shorter. Returns what level_fill will make of the answers. */
static uint64_t send_range(const struct source *from, enum mem_kind kind, uint64_t addr, uint32_t bytes,
                           uint32_t entry) {
    uint32_t line = (uint32_t)from->sm_port->mem->o.l2.line;
    uint64_t pieces = 0;
    while (bytes) {
        uint32_t left = line - (uint32_t)(addr & (line - 1)), here = bytes < left ? bytes : left;
        mem_l1_send(from, kind, addr, here, entry);
        pieces |= cache_grain(&from->cache->level.tags, addr);
        addr += here;
        bytes -= here;
    }
    return pieces;
}

static void l1_wait(const struct source *from, const struct level_effect *x, uint32_t tag, uint64_t now) {
    struct msg_pool *p = &from->sm_port->pool;
    uint32_t i = msg_new(p);
    p->v[i] = (struct msg){.when = now, .id = tag};
    mshr_wait(&from->cache->level.mshr, p, x->entry, i, x->wait);
}

/* What the access causes below: evictions first, so that a line fetched again is not overtaken by its old self. */
static void carry_out(const struct source *from, const struct level_access *a, const struct level_effect *x) {
    uint64_t line = a->addr >> from->cache->level.tags.line_shift;
    if (x->evict) send_grains(from, MEM_WRITE, x->evict_line, x->evict, 0);
    if (x->forward) send_range(from, MEM_WRITE, a->addr, a->bytes, 0);
    if (x->fetch) send_grains(from, MEM_READ, line, x->fetch, x->entry);
}

#define RARE __attribute__((noinline)) /* kept out of the way of reads that hit */

static RARE struct mem_reply perfect(struct l1 *c, const struct mem_request *q, uint64_t now) {
    struct mem_cache_stats *s = &c->level.stats;
    level_count_sectors(&c->level, cache_touched(&c->level.tags, q->addr, q->bytes), 0, 0);
    s->accesses++;
    s->hits++;
    *(q->kind == MEM_READ ? &s->reads : q->kind == MEM_WRITE ? &s->writes : &s->atomics) += 1;
    if (q->kind == MEM_WRITE) return (struct mem_reply){now, MEM_POSTED};
    return (struct mem_reply){now + c->level.shape.latency, MEM_HIT};
}

static bool queue_room(const struct sm_port *f, uint32_t path) {
    const struct l1 *c = f->at[path];
    return mem_queue_room(&c->level, path == MEM_L1C && f->mem->o.l15c.present ? f->l15.in.n : c->queued);
}

static const struct mem_reply busy = {MEM_NEVER, MEM_BUSY};

static struct mem_reply l1_refuse(struct sm_port *f, const struct mem_request *q) {
    struct l1 *c = f->at[q->path];
    f->calls.refused |= (uint8_t)(1u << q->path);
    c->refused = *q;
    return busy;
}

/* Where some request has been refused: is this the one, and its refusal need not be worked out again? What has left the
 * queues since may have changed that. */
static RARE bool still_refused(struct sm_port *f, const struct mem_request *q, uint64_t now) {
    struct l1 *c = f->at[q->path];
    l1_notice(f, now + 1);
    if (!(f->calls.refused >> q->path & 1) || c->refused.addr != q->addr || c->refused.bytes != q->bytes ||
        c->refused.kind != q->kind)
        return false;
    c->level.stats.busy++;
    return true;
}

/* What its cache cannot answer by itself. */
static RARE struct mem_reply ask_below(struct sm_port *f, const struct mem_request *q, uint32_t tag,
                                       uint64_t now, struct level_found found) {
    struct l1 *c = f->at[q->path];
    struct level *l = &c->level;
    if (f->noticed < f->inbox.credits.n) l1_notice(f, now + 1);
    const struct level_access a = {(enum mem_kind)q->kind, q->addr, q->bytes, q->addr >> l->tags.line_shift,
                                   queue_room(f, q->path)};
    const struct source from = {f, c, q->path, now + l->shape.latency};
    struct level_effect x;
    const enum level_what what =
        q->kind == MEM_ATOMIC ? level_bypass(l, &a, &x) : level_miss(l, &a, found, &x);
    if (what == LEVEL_REFUSED) return l1_refuse(f, q);
    f->calls.refused &= (uint8_t) ~(1u << q->path);
    if (what == LEVEL_HIT && q->kind == MEM_READ) /* an ideal cache hits */
        return (struct mem_reply){from.ready, MEM_HIT};
    carry_out(&from, &a, &x);
    if (q->kind == MEM_WRITE && !x.wait)
        return (struct mem_reply){what == LEVEL_HIT ? now : MEM_NEVER, MEM_POSTED};
    if (q->kind == MEM_ATOMIC) x.wait = send_range(&from, MEM_ATOMIC, q->addr, q->bytes, x.entry);
    l1_wait(&from, &x, tag, now);
    return (struct mem_reply){MEM_NEVER, MEM_WAIT};
}

struct sm_port *mem_sm_port(const struct mem *m, uint32_t sm) {
    return &m->sm_port[sm];
}

/* Not the first of its cycle, or behind one that was refused, or the like. */
static RARE struct mem_reply ask_again(struct sm_port *f, const struct mem_request *q, uint32_t tag,
                                       uint64_t now) {
    struct l1 *c = f->at[q->path];
    if (f->mem->o.memory.ideal) return perfect(c, q, now);
    const uint64_t index = q->addr >> c->level.tags.line_shift;
    if (!level_open(&c->level, index, now)) return busy;
    if (f->calls.refused && still_refused(f, q, now)) return busy;
    const struct level_found found = level_find(&c->level, q->addr, q->bytes, index);
    if (!level_hit(&c->level, (enum mem_kind)q->kind, index, found)) return ask_below(f, q, tag, now, found);
    f->calls.refused &= (uint8_t) ~(1u << q->path);
    return (struct mem_reply){now + c->level.shape.latency, MEM_HIT};
}

/* What has left the queues matters to those who were refused or will need one, not to a read that hits. */
struct mem_reply mem_request(struct sm_port *f, const struct mem_request *q, uint32_t tag, uint64_t now) {
    struct level *l = &f->at[q->path]->level;
    if (l->cycle == now || f->calls.refused || f->mem->o.memory.ideal) return ask_again(f, q, tag, now);
    level_begin(l, now);
    const uint64_t index = q->addr >> l->tags.line_shift;
    const struct level_found found = level_find(l, q->addr, q->bytes, index);
    if (!level_hit(l, (enum mem_kind)q->kind, index, found)) return ask_below(f, q, tag, now, found);
    return (struct mem_reply){now + l->shape.latency, MEM_HIT};
}

bool mem_holds(const struct mem *m, uint32_t sm, enum mem_path path, uint64_t addr) {
    const struct level *l = &m->sm_port[sm].l1[path].level;
    const struct cache *c = &l->tags;
    const uint64_t line = addr >> c->line_shift;
    const uint32_t slot = level_slot(l, line, line);
    if (slot == CACHE_NONE) return false;
    const uint64_t here = c->line[slot].valid | c->line[slot].pending;
    return here == cache_bits(0, c->grains - 1);
}

uint64_t mem_misses(const struct mem *m, uint32_t sm, enum mem_path path) {
    return m->sm_port[sm].l1[path].level.stats.misses;
}

bool mem_stuck(const struct mem *m, uint32_t sm, enum mem_path path) {
    return m->sm_port[sm].calls.refused >> path & 1;
}

void mem_skipped(struct mem *m, uint32_t sm, enum mem_path path, uint64_t cycles) {
    m->sm_port[sm].l1[path].level.stats.busy += cycles;
}

/* ---- answers ---- */

static void account(struct mem_load_stats *load, uint64_t asked_at, uint64_t cycle) {
    uint64_t took = cycle - asked_at;
    load->latency_sum += took;
    load->count++;
    load->latency_max = stat_larger(load->latency_max, took);
}

void l1_lift(struct sm_port *f, uint8_t path) {
    if (!(f->calls.refused >> path & 1)) return;
    f->calls.called = true;
    f->calls.refused &= (uint8_t) ~(1u << path);
}

void l1_notice(struct sm_port *f, uint64_t before) {
    for (; f->noticed < f->inbox.credits.n && f->inbox.credits.v[f->noticed].cycle < before; f->noticed++) {
        const uint8_t path = f->inbox.credits.v[f->noticed].path;
        f->l1[path].queued--;
        l1_lift(f, path);
    }
    if (f->noticed == f->inbox.credits.n) f->noticed = f->inbox.credits.n = 0;
}

void l1_fill(const struct mem *m, struct sm_port *f, const struct answer *a, uint64_t cycle) {
    struct l1 *c = f->at[a->path];
    const struct queue before = f->done;
    uint64_t line = 0;
    const uint64_t dirty = level_fill(&c->level, &f->pool, a->entry, a->addr, a->bytes, &f->done, &line);
    if (dirty) {
        const struct source from = {f, c, a->path, cycle + c->level.shape.latency};
        send_grains(&from, MEM_WRITE, line, dirty, 0);
    }
    if (f->calls.refused) l1_lift(f, a->path);
    if (f->done.n == before.n) return;
    f->calls.called = true;
    const struct msg *v = f->pool.v;
    for (uint32_t w = before.n ? v[before.tail].next : f->done.head; w != MSG_NONE; w = v[w].next) {
        account(&f->load, v[w].when, cycle);
        f->calls.early |= a->path == MEM_L1D && v[w].when >= m->from;
    }
}

bool mem_take_done(struct sm_port *f, uint32_t *tag) {
    if (f->done.n < 2) f->calls.called = false;
    if (!f->done.n) return false;
    const uint32_t i = QUEUE_TAKE(&f->done, f->pool.v);
    *tag = f->pool.v[i].id;
    msg_free(&f->pool, i);
    return true;
}

/* ---- time ---- */

static uint64_t next_response(const struct sm_port *f) {
    return f->read < f->inbox.responses.n ? f->inbox.responses.v[f->read].cycle : MEM_NEVER;
}

/* The next departure that matters now. */
static uint64_t next_credit(const struct sm_port *f) {
    return f->calls.refused && f->noticed < f->inbox.credits.n ? f->inbox.credits.v[f->noticed].cycle
                                                               : MEM_NEVER;
}

uint64_t mem_sm_next(const struct mem *m, uint32_t sm) {
    const struct sm_port *f = &m->sm_port[sm];
    const uint64_t left = next_credit(f), first = f->calls.next_arrival < left ? f->calls.next_arrival : left;
    return first < f->calls.own ? first : f->calls.own;
}

static void take_response(const struct mem *m, struct sm_port *f, const struct response *n) {
    const struct answer a = {n->addr, n->bytes, n->id, n->path};
    if (n->path == MEM_L1C && m->o.l15c.present)
        l15_fill(m, f, &a, n->cycle);
    else
        l1_fill(m, f, &a, n->cycle);
}

/* Runs an SM's side up to a cycle: answers first, then what l15 does in it, then what has left. */
void mem_sm_advance(struct mem *m, uint32_t sm, uint64_t cycle) {
    struct sm_port *f = &m->sm_port[sm];
    for (uint64_t at; (at = mem_calls_next(&f->calls, m, sm)) <= cycle;) {
        for (; f->calls.next_arrival == at; f->calls.next_arrival = next_response(f))
            take_response(m, f, &f->inbox.responses.v[f->read++]);
        if (f->calls.own <= at) l15_cycle(m, sm, at);
        if (next_credit(f) <= at) l1_notice(f, at + 1);
    }
    if (f->read == f->inbox.responses.n) f->read = f->inbox.responses.n = 0;
}

bool mem_sm_early(struct mem *m, uint32_t sm) {
    const bool early = m->sm_port[sm].calls.early;
    m->sm_port[sm].calls.early = false;
    return early;
}

bool mem_sm_called(const struct mem *m, uint32_t sm) {
    return m->sm_port[sm].calls.called;
}

const struct mem_calls *mem_sm_calls(const struct mem *m, uint32_t sm) {
    return &m->sm_port[sm].calls;
}

void l1_flush(struct mem *m, uint32_t sm, uint8_t path) {
    struct sm_port *f = &m->sm_port[sm];
    struct l1 *c = &f->l1[path];
    struct source from = {f, c, path, m->now + 1};
    l1_notice(f, MEM_NEVER);
    f->calls.refused &= (uint8_t) ~(1u << path);
    for (uint32_t s = 0; c->level.tags.used && s < c->level.tags.slots; s++) {
        if (!c->level.tags.tag[s]) continue;
        uint64_t line, dirty = level_empty(&c->level, s, &line);
        send_grains(&from, MEM_WRITE, line, dirty, 0);
    }
}
