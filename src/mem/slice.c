/* The memory's side: a slice of L2 and the DRAM channel behind it.
 *
 * In an L2 cycle a slice takes what DRAM returned, looks up requests from the crossbar (in order: one that cannot be taken
 * holds back those behind it), and sends on what has been `latency` cycles in the cache: hits to the crossbar, misses and
 * evictions to DRAM. Each of these happens at most `ports` times in a cycle. Answers to those that waited for DRAM go to the
 * crossbar at once, before the hits.
 *
 * Consecutive lines of a slice are not consecutive lines of memory, so the set is chosen by the line's number among those of
 * its channel: else with 8 channels only some sets would ever be used.
 *
 * A cycle in which nothing moves changes nothing, so the next one would not either: the slice sleeps until a queue's head is
 * ready, DRAM is done with a request, a request lands at an empty door or the crossbar returns credits. A request at the door
 * is refused in each of these cycles all the same, and so it is counted when the slice runs again.
 *
 * Without an L2 (l2.present = false) a slice is the controller's front door: a request goes from the crossbar to DRAM in the
 * cycle that finds a place in the controller's queue, and what comes back is the answer. Nothing is merged or kept. An atomic
 * is a read with a write of its bytes behind it. While answers find no room, nothing is taken.
 *
 * What waits for what: a request needs room in the queues to the crossbar back and to DRAM, and for DRAM's returns only the
 * former; answers are always taken by the SMs. So nothing waits in a circle, however small the queues are. */
#include "base/alloc.h"
#include "mem/impl.h"

static void slice_wake(struct mem *m, struct slice *s, enum clock_id by) {
    uint64_t k = clock_wake(&m->clock, CLOCK_L2, by);
    if (k < m->slice_due[s->number]) m->slice_due[s->number] = k;
}

/* The line's number among the lines of its channel: the address without the bits, or the turns, of the other channels. */
static uint64_t line_index(const struct mem *m, const struct slice *s, uint64_t addr) {
    uint64_t local = addr;
    for (uint64_t bits = m->chip_bits, low; bits; bits &= low) {
        low = ((uint64_t)1 << (63 - __builtin_clzll(bits))) - 1;
        local = (local >> 1 & ~low) | (local & low);
    }
    if (!m->chip_bits && m->slices > 1) local = dram_local(m->map, addr);
    return local >> s->level.tags.line_shift;
}

/* ---- to DRAM ---- */

static void put_below(struct mem *m, struct slice *s, uint32_t i) {
    if (!s->below.n) s->below_at = m->pool.v[i].when;
    QUEUE_PUT(&s->below, m->pool.v, i);
}

static void queue_below(struct mem *m, struct slice *s, enum mem_kind kind, uint64_t addr, uint32_t bytes,
                        uint32_t entry, uint64_t when) {
    uint32_t i = msg_new(&m->pool);
    m->pool.v[i] =
        (struct msg){.addr = addr, .when = when, .bytes = bytes, .id = entry, .kind = (uint8_t)kind};
    put_below(m, s, i);
}

static void queue_grains(struct mem *m, struct slice *s, enum mem_kind kind, uint64_t line, uint64_t grains,
                         uint32_t entry, uint64_t when) {
    while (grains) {
        uint32_t bytes;
        uint64_t addr = cache_run(&s->level.tags, line, &grains, s->level.shape.line, &bytes);
        queue_below(m, s, kind, addr, bytes, entry, when);
    }
}

static void slice_catch_up(struct slice *s, uint64_t cycles) {
    if (s->dram_at < cycles) dram_skip(s->dram, cycles - s->dram_at);
    s->dram_at = cycles;
}

/* This and the like: how many went. */
static uint32_t send_below(struct mem *m, struct slice *s, uint64_t cycle) {
    uint32_t n = 0;
    for (; n < s->level.shape.ports && s->below_at <= cycle; n++) {
        const struct msg *r = &m->pool.v[s->below.head];
        if (!dram_room(s->dram)) break;
        uint64_t next = clock_wake(&m->clock, CLOCK_DRAM, CLOCK_L2);
        slice_catch_up(s, next - 1);
        dram_push(s->dram, dram_decode(m->map, r->addr), r->bytes, r->kind == MEM_WRITE, s->below.head);
        QUEUE_TAKE(&s->below, m->pool.v);
        s->below_at = s->below.n ? m->pool.v[s->below.head].when : CLOCK_ASLEEP;
        s->in_dram++;
        if (next < m->dram_due[s->number]) m->dram_due[s->number] = next;
    }
    return n;
}

void slice_dram_cycle(struct mem *m, struct slice *s, uint64_t cycle) {
    slice_catch_up(s, cycle);
    uint32_t i;
    while (dram_pop(s->dram, &i)) {
        s->in_dram--;
        QUEUE_PUT(&s->returned, m->pool.v, i);
        slice_wake(m, s, CLOCK_DRAM);
    }
    uint64_t quiet = s->in_dram ? dram_quiet(s->dram) : UINT64_MAX;
    m->dram_due[s->number] = quiet == UINT64_MAX ? CLOCK_ASLEEP : cycle + 1 + quiet;
}

/* What goes to make room for a line that has come leaves for DRAM like what goes for one that is asked for. */
static void slice_fill(struct mem *m, struct slice *s, const struct msg *r, uint64_t cycle) {
    uint64_t line = 0;
    const uint64_t dirty = level_fill(&s->level, &m->pool, r->id, r->addr, r->bytes, &s->answers, &line);
    queue_grains(m, s, MEM_WRITE, line, dirty, 0, cycle + s->level.shape.latency);
}

static void take_return(struct mem *m, struct slice *s, uint32_t i, uint64_t cycle) {
    const struct msg r = m->pool.v[i];
    if (r.kind != MEM_WRITE && !m->o.l2.present) {
        QUEUE_PUT(&s->answers, m->pool.v, i);
        return;
    }
    if (r.kind == MEM_READ) slice_fill(m, s, &r, cycle);
    msg_free(&m->pool, i);
}

static uint32_t take_returns(struct mem *m, struct slice *s, uint64_t cycle) {
    uint32_t n = 0;
    for (; n < s->level.shape.ports && s->returned.n; n++) {
        if (!mem_queue_room(&s->level, s->answers.n)) break;
        take_return(m, s, QUEUE_TAKE(&s->returned, m->pool.v), cycle);
    }
    return n;
}

/* ---- from the crossbar ---- */

static bool at_door(const struct mem *m, const struct slice *s) {
    return m->waiting >> s->number & 1;
}

/* It has all it wants: its answer leaves when it has passed the cache. */
static void slice_hit(struct mem *m, struct slice *s, uint32_t i, uint64_t when) {
    m->pool.v[i].when = when;
    if (!s->hits.n) s->hit_at = when;
    QUEUE_PUT(&s->hits, m->pool.v, i);
}

static void carry_out(struct mem *m, struct slice *s, uint32_t i, const struct level_effect *x,
                      uint64_t when) {
    const struct msg r = m->pool.v[i];
    if (x->evict) queue_grains(m, s, MEM_WRITE, x->evict_line, x->evict, 0, when);
    if (x->forward) queue_below(m, s, MEM_WRITE, r.addr, r.bytes, 0, when);
    if (x->fetch) queue_grains(m, s, MEM_READ, r.addr >> s->level.tags.line_shift, x->fetch, x->entry, when);
    if (r.kind == MEM_WRITE) {
        msg_free(&m->pool, i);
    } else if (x->wait) {
        mshr_wait(&s->level.mshr, &m->pool, x->entry, i, x->wait);
    } else {
        slice_hit(m, s, i, when);
    }
}

/* The request at its door is no longer there. */
static void take_in(struct mem *m, const struct slice *s) {
    uint32_t i;
    CHECK(xbar_pop(m->xbar[XBAR_TO_MEMORY], s->number, &i));
    m->waiting &= *m->arrived[XBAR_TO_MEMORY];
}

static bool accept(struct mem *m, struct slice *s, uint64_t cycle) {
    uint32_t i;
    CHECK(xbar_peek(m->xbar[XBAR_TO_MEMORY], s->number, &i));
    const struct msg *r = &m->pool.v[i];
    struct level *l = &s->level;
    const uint64_t index = line_index(m, s, r->addr), when = cycle + l->shape.latency;
    if (!level_open(l, index, cycle)) return false;
    if (!mem_queue_room(l, s->hits.n)) {
        l->stats.busy++;
        return false;
    }
    const struct level_found found = level_find(l, r->addr, r->bytes, index);
    if (level_hit(l, r->kind, index, found)) {
        take_in(m, s);
        slice_hit(m, s, i, when);
        return true;
    }
    const struct level_access a = {r->kind, r->addr, r->bytes, index, mem_queue_room(l, s->below.n)};
    struct level_effect x = {.entry = CACHE_NONE};
    if (level_miss(l, &a, found, &x) == LEVEL_REFUSED) return false;
    take_in(m, s);
    carry_out(m, s, i, &x, when);
    return true;
}

/* Without an L2. */
static bool accept_direct(struct mem *m, struct slice *s, uint64_t cycle) {
    uint32_t i;
    if (s->below.n || s->returned.n || !dram_room(s->dram)) return false;
    CHECK(xbar_peek(m->xbar[XBAR_TO_MEMORY], s->number, &i));
    take_in(m, s);
    m->pool.v[i].when = cycle;
    const struct msg r = m->pool.v[i];
    put_below(m, s, i);
    if (r.kind == MEM_ATOMIC) queue_below(m, s, MEM_WRITE, r.addr, r.bytes, 0, cycle);
    send_below(m, s, cycle);
    return true;
}

static uint32_t accept_some(struct mem *m, struct slice *s, uint64_t cycle) {
    uint32_t n = 0;
    while (at_door(m, s) && n < s->level.shape.ports &&
           (m->o.l2.present ? accept(m, s, cycle) : accept_direct(m, s, cycle)))
        n++;
    return n;
}

void slice_landed(struct mem *m) {
    uint64_t landed = *m->arrived[XBAR_TO_MEMORY];
    for (uint64_t left = landed & ~m->waiting; left; left &= left - 1)
        slice_wake(m, &m->slice[__builtin_ctzll(left)], CLOCK_NOC);
    m->waiting |= landed;
}

/* ---- to the crossbar ---- */

/* The first of a queue, which may leave. */
static bool slice_answer(struct mem *m, struct slice *s, struct queue *q) {
    const struct msg *r = &m->pool.v[q->head];
    uint32_t to = r->sm / (uint32_t)m->o.noc.sms_per_port;
    if (!mem_push(m, XBAR_BACK, s->number, to, r->bytes, q->head, CLOCK_L2)) return false;
    QUEUE_TAKE(q, m->pool.v);
    return true;
}

static bool answer_hit(struct mem *m, struct slice *s) {
    if (!slice_answer(m, s, &s->hits)) return false;
    s->hit_at = s->hits.n ? m->pool.v[s->hits.head].when : CLOCK_ASLEEP;
    return true;
}

/* Answers that waited for DRAM go first. Hits cannot starve: their queue full, no request is taken that could miss. */
static uint32_t send_answers(struct mem *m, struct slice *s, uint64_t cycle) {
    uint32_t n = 0;
    while (n < s->level.shape.ports &&
           ((s->answers.n && slice_answer(m, s, &s->answers)) || (s->hit_at <= cycle && answer_hit(m, s))))
        n++;
    return n;
}

/* Slices whose answers found no room try again. Where answers only are not ready yet there is nothing to do, but the L2's
 * clock runs all the same: the machine looks at its watchdog in cycles in which some clock does, and reports say which. */
void slice_freed(struct mem *m) {
    uint64_t freed = *m->freed[XBAR_BACK];
    bool some = false;
    for (; freed; freed &= freed - 1) {
        struct slice *s = &m->slice[__builtin_ctzll(freed)];
        some |= s->answers.n || s->hits.n;
        if (s->blocked) slice_wake(m, s, CLOCK_NOC);
    }
    if (some) clock_wake(&m->clock, CLOCK_L2, CLOCK_NOC);
}

/* ---- a cycle ---- */

/* When the head of a queue may leave, if that is not now. */
static uint64_t head_due(uint64_t when, uint64_t cycle) {
    return when > cycle ? when : CLOCK_ASLEEP;
}

static bool has_work(const struct mem *m, const struct slice *s, uint64_t cycle) {
    return at_door(m, s) || s->returned.n || s->answers.n || s->hit_at <= cycle || s->below_at <= cycle;
}

/* Everything that can move does; how much it was. */
static uint32_t slice_move(struct mem *m, struct slice *s, uint64_t cycle) {
    const uint32_t returned = s->returned.n ? take_returns(m, s, cycle) : 0,
                   taken = at_door(m, s) ? accept_some(m, s, cycle) : 0,
                   below = s->below_at <= cycle ? send_below(m, s, cycle) : 0;
    s->refused = at_door(m, s) && !taken && m->o.l2.present;
    return returned + taken + below + send_answers(m, s, cycle);
}

/* An ideal crossbar gives no credits back: there, what waits for room asks in every cycle. */
void slice_cycle(struct mem *m, struct slice *s, uint64_t cycle) {
    if (s->refused) s->level.stats.busy += cycle - s->ran - 1;
    const bool again = (slice_move(m, s, cycle) || m->o.noc.ideal) && has_work(m, s, cycle);
    s->ran = cycle;
    s->blocked = !again && (s->answers.n || s->hit_at <= cycle);
    const uint64_t hit = head_due(s->hit_at, cycle), below = head_due(s->below_at, cycle);
    m->slice_due[s->number] = again ? cycle + 1 : hit < below ? hit : below;
}

uint64_t slice_refusals(const struct mem *m, const struct slice *s) {
    return s->refused ? clock_elapsed(&m->clock, CLOCK_L2, m->now) - s->ran : 0;
}

void slice_warm(struct mem *m, struct slice *s, uint64_t addr, uint32_t bytes) {
    struct cache *t = &s->level.tags;
    const uint64_t line = addr >> t->line_shift, index = line_index(m, s, addr);
    uint32_t slot = cache_find(t, index, line);
    if (slot == CACHE_NONE) {
        slot = cache_victim(t, index);
        CHECK(slot != CACHE_NONE); /* nothing is on its way */
        cache_place(t, slot, line);
    }
    const uint64_t grains = cache_touched(t, addr, bytes);
    t->line[slot].valid |= grains;
    t->line[slot].dirty &= ~grains;
    cache_use(t, slot);
}

void slice_flush(struct mem *m, struct slice *s) {
    uint32_t slots = s->level.tags.used ? s->level.tags.slots : 0;
    for (uint32_t i = 0; i < slots; i++) {
        if (!s->level.tags.tag[i]) continue;
        uint64_t line, dirty = level_empty(&s->level, i, &line);
        queue_grains(m, s, MEM_WRITE, line, dirty, 0, 0);
    }
    if (!s->below.n) return;
    uint64_t k = clock_elapsed(&m->clock, CLOCK_L2, m->now) + 1;
    if (k < m->slice_due[s->number]) m->slice_due[s->number] = k;
    clock_at(&m->clock, CLOCK_L2, k);
}
