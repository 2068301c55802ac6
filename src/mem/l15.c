/* The second-level constant cache of an SM, which hardware has behind the 2 KB of its first level (l15c.present).
 *
 * What l1c misses is looked up here when it has left l1c's pipeline, in order, `ports` a cycle; one that cannot be taken
 * holds back those behind it. A hit is in l1c `latency` cycles later. A miss leaves for the crossbar then, through the queue
 * l1c has for that, and its answer goes to those who wait in both caches without passing either again. Only reads come here:
 * constants are not written. Where refused, it tries again in the next cycle; which resource was missing is not asked. */
#include "base/bitmap.h"
#include "mem/impl.h"

static void due_at(struct mem *m, uint32_t sm, uint64_t cycle) {
    struct l15 *c = &m->l15[sm];
    if (cycle < c->due) c->due = cycle;
    bitmap_set(m->l15_busy, sm);
    clock_at(&m->clock, CLOCK_CORE, cycle);
}

void l15_send(struct mem *m, const struct source *from, uint64_t addr, uint32_t bytes, uint32_t entry) {
    uint32_t i = msg_new(&m->pool);
    m->pool.v[i] = (struct msg){.addr = addr,
                                .when = from->ready,
                                .bytes = bytes,
                                .id = entry,
                                .sm = (uint16_t)from->sm,
                                .path = from->path,
                                .kind = MEM_READ};
    QUEUE_PUT(&m->l15[from->sm].in, m->pool.v, i);
    due_at(m, from->sm, from->ready);
}

static void fetch(struct mem *m, uint32_t sm, const struct level_effect *x, uint64_t line, uint64_t ready) {
    struct source from = {&m->l1[(size_t)sm * MEM_NPATHS + MEM_L1C], sm, MEM_L1C, ready};
    for (uint64_t grains = x->fetch; grains;) {
        uint32_t bytes;
        uint64_t addr = cache_run(&m->l15[sm].level.tags, line, &grains, (uint32_t)m->o.l2.line, &bytes);
        l1_send(m, &from, MEM_READ, addr, bytes, x->entry);
    }
}

/* Looks up the oldest request; false: refused. */
static bool look_up(struct mem *m, uint32_t sm, uint64_t cycle) {
    struct l15 *c = &m->l15[sm];
    struct l1 *first = &m->l1[(size_t)sm * MEM_NPATHS + MEM_L1C];
    const struct msg r = m->pool.v[c->in.head];
    uint64_t line = r.addr >> c->level.tags.line_shift, ready = cycle + c->level.shape.latency;
    if (!level_open(&c->level, line, cycle)) return false;
    struct level_access a = {MEM_READ, r.addr, r.bytes, line, mem_queue_room(m, &c->level, &first->out)};
    struct level_effect x;
    enum level_what what = level_do(&c->level, &a, &x);
    if (what == LEVEL_REFUSED) return false;
    uint32_t i = QUEUE_TAKE(&c->in, m->pool.v);
    l1_lift(m, first, sm);
    if (what == LEVEL_HIT) {
        m->pool.v[i].when = ready;
        QUEUE_PUT(&c->hits, m->pool.v, i);
        return true;
    }
    mshr_wait(&c->level.mshr, &m->pool, x.entry, i, x.wait);
    fetch(m, sm, &x, line, ready);
    return true;
}

void l15_fill(struct mem *m, uint32_t i, uint64_t cycle) {
    const struct msg got = m->pool.v[i];
    struct queue ready = {0};
    level_fill(&m->l15[got.sm].level, &m->pool, got.id, got.addr, got.bytes, &ready);
    msg_free(&m->pool, i);
    while (ready.n) l1_fill(m, QUEUE_TAKE(&ready, m->pool.v), cycle);
}

/* The head of a queue may leave in this cycle. */
static bool ripe(const struct mem *m, const struct queue *q, uint64_t cycle) {
    return q->n && m->pool.v[q->head].when <= cycle;
}

static uint64_t head_at(const struct mem *m, const struct queue *q, uint64_t soonest) {
    if (!q->n) return MEM_NEVER;
    uint64_t when = m->pool.v[q->head].when;
    return when > soonest ? when : soonest;
}

static void one(struct mem *m, uint32_t sm, uint64_t cycle) {
    struct l15 *c = &m->l15[sm];
    while (ripe(m, &c->hits, cycle)) l1_fill(m, QUEUE_TAKE(&c->hits, m->pool.v), cycle);
    for (uint32_t n = 0; n < c->level.shape.ports && ripe(m, &c->in, cycle); n++)
        if (!look_up(m, sm, cycle)) break;
    uint64_t hit = head_at(m, &c->hits, cycle + 1), in = head_at(m, &c->in, cycle + 1);
    c->due = hit < in ? hit : in;
    if (c->due == MEM_NEVER) bitmap_clear(m->l15_busy, sm);
}

uint64_t l15_cycle(struct mem *m, uint64_t cycle) {
    uint64_t due = MEM_NEVER;
    FOR_BITMAP(sm, m->l15_busy, bitmap_words(m->sms)) {
        if (m->l15[sm].due <= cycle) one(m, sm, cycle);
        if (m->l15[sm].due < due) due = m->l15[sm].due;
    }
    return due;
}

void l15_flush(struct l15 *c) {
    const struct cache *t = &c->level.tags;
    for (uint32_t s = 0; t->used && s < t->sets * t->ways; s++) {
        uint64_t line;
        if (t->tag[s]) level_empty(&c->level, s, &line);
    }
}
