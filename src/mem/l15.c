/* The second-level constant cache of an SM, which hardware has behind the 2 KB of its first level (l15c.present).
 *
 * What l1c misses is looked up here when it has left l1c's pipeline, in order, `ports` a cycle; one that cannot be taken
 * holds back those behind it. A hit is in l1c `latency` cycles later. A miss leaves for the crossbar then, through the queue
 * l1c has for that, and its answer goes to those who wait in both caches without passing either again. Only reads come here:
 * constants are not written. Where refused, it tries again in the next cycle; which resource was missing is not asked. */
#include "mem/impl.h"

void l15_send(const struct source *from, uint64_t addr, uint32_t bytes, uint32_t entry) {
    struct sm_port *f = from->sm_port;
    uint32_t i = msg_new(&f->pool);
    f->pool.v[i] = (struct msg){.addr = addr, .when = from->ready, .bytes = bytes, .id = entry};
    QUEUE_PUT(&f->l15.in, f->pool.v, i);
    if (from->ready < f->calls.own) f->calls.own = from->ready;
}

static void l15_fetch(const struct mem *m, uint32_t sm, const struct level_effect *x, uint64_t line,
                      uint64_t ready) {
    struct sm_port *f = &m->sm_port[sm];
    struct source from = {f, &f->l1[MEM_L1C], MEM_L1C, ready};
    for (uint64_t grains = x->fetch; grains;) {
        uint32_t bytes;
        uint64_t addr = cache_run(&f->l15.level.tags, line, &grains, (uint32_t)m->o.l2.line, &bytes);
        l1_send(&from, MEM_READ, addr, bytes, x->entry);
    }
}

static void l15_answer(const struct mem *m, struct sm_port *f, uint32_t i, uint64_t cycle) {
    const struct msg *r = &f->pool.v[i];
    const struct answer a = {r->addr, r->bytes, r->id, MEM_L1C};
    msg_free(&f->pool, i);
    l1_fill(m, f, &a, cycle);
}

/* Looks up the oldest request; false: refused. */
static bool l15_look_up(const struct mem *m, uint32_t sm, uint64_t cycle) {
    struct sm_port *f = &m->sm_port[sm];
    struct l15 *c = &f->l15;
    const struct msg r = f->pool.v[c->in.head];
    uint64_t line = r.addr >> c->level.tags.line_shift, ready = cycle + c->level.shape.latency;
    if (!level_open(&c->level, line, cycle)) return false;
    struct level_access a = {MEM_READ, r.addr, r.bytes, line,
                             mem_queue_room(&c->level, f->l1[MEM_L1C].queued)};
    struct level_effect x;
    enum level_what what = level_do(&c->level, &a, &x);
    if (what == LEVEL_REFUSED) return false;
    uint32_t i = QUEUE_TAKE(&c->in, f->pool.v);
    l1_lift(f, MEM_L1C);
    if (what == LEVEL_HIT) {
        f->pool.v[i].when = ready;
        QUEUE_PUT(&c->hits, f->pool.v, i);
        return true;
    }
    mshr_wait(&c->level.mshr, &f->pool, x.entry, i, x.wait);
    l15_fetch(m, sm, &x, line, ready);
    return true;
}

void l15_fill(const struct mem *m, struct sm_port *f, const struct answer *a, uint64_t cycle) {
    struct queue ready = {0};
    uint64_t line; /* nothing is dirty here */
    level_fill(&f->l15.level, &f->pool, a->entry, a->addr, a->bytes, &ready, &line);
    while (ready.n) l15_answer(m, f, QUEUE_TAKE(&ready, f->pool.v), cycle);
}

/* The head of a queue may leave in this cycle. */
static bool ripe(const struct sm_port *f, const struct queue *q, uint64_t cycle) {
    return q->n && f->pool.v[q->head].when <= cycle;
}

static uint64_t head_at(const struct sm_port *f, const struct queue *q, uint64_t soonest) {
    if (!q->n) return MEM_NEVER;
    uint64_t when = f->pool.v[q->head].when;
    return when > soonest ? when : soonest;
}

void l15_cycle(const struct mem *m, uint32_t sm, uint64_t cycle) {
    struct sm_port *f = &m->sm_port[sm];
    struct l15 *c = &f->l15;
    l1_notice(f, cycle);
    while (ripe(f, &c->hits, cycle)) l15_answer(m, f, QUEUE_TAKE(&c->hits, f->pool.v), cycle);
    for (uint32_t n = 0; n < c->level.shape.ports && ripe(f, &c->in, cycle); n++)
        if (!l15_look_up(m, sm, cycle)) break;
    uint64_t hit = head_at(f, &c->hits, cycle + 1), in = head_at(f, &c->in, cycle + 1);
    f->calls.own = hit < in ? hit : in;
}

void l15_flush(struct l15 *c) {
    const struct cache *t = &c->level.tags;
    for (uint32_t s = 0; t->used && s < t->slots; s++) {
        uint64_t line;
        if (t->tag[s]) level_empty(&c->level, s, &line);
    }
}
