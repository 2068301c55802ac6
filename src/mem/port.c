/* Where SMs and crossbars meet: requests leave the SMs' queues, answers become news for them.
 *
 * A port sends one message and takes one answer in a core cycle; the queues behind it (four caches of each of its SMs) take
 * turns, and one whose channel has no room is passed over. What an SM learns of it, it learns when it comes to that cycle
 * itself: of answers by the news, of requests that have left when it asks again. */
#include "base/alloc.h"
#include "base/bitmap.h"
#include "mem/impl.h"

static uint32_t port_of(const struct mem *m, uint32_t sm) {
    return sm / (uint32_t)m->o.noc.sms_per_port;
}

/* ---- what SMs have sent ---- */

static void queue_request(struct mem *m, uint32_t number, const struct msg *r) {
    struct port *p = &m->port[number];
    const uint32_t i = msg_new(&m->pool), q = r->sm * (uint32_t)MEM_NPATHS + r->path;
    m->pool.v[i] = *r;
    if (!m->out[q].n) {
        bitmap_set(p->holding, q - p->first * MEM_NPATHS);
        p->queues++;
    }
    QUEUE_PUT(&m->out[q], m->pool.v, i);
    if (r->when < m->port_due[number]) m->port_due[number] = r->when;
}

void port_collect(struct mem *m, uint32_t sm) {
    struct sm_port *f = &m->sm_port[sm];
    if (!f->out.n) return;
    const uint32_t number = port_of(m, sm);
    for (size_t k = 0; k < f->out.n; k++) queue_request(m, number, &f->out.v[k]);
    f->out.n = 0;
    bitmap_set(m->sending, number);
    clock_at(&m->clock, CLOCK_CORE, m->port_due[number]);
}

/* ---- answers ---- */

/* Where to write down what the SM is to know of that cycle: it is told at once, or, while it runs, when that is over. */
static struct inbox *inbox_for(struct mem *m, uint32_t sm, uint64_t cycle) {
    if (!m->sms_running) {
        bitmap_set(m->unread, sm);
        return &m->sm_port[sm].inbox;
    }
    if (!bitmap_any(m->undelivered, bitmap_words(m->sms))) m->soonest = cycle;
    bitmap_set(m->undelivered, sm);
    return &m->sm_port[sm].undelivered;
}

static void receive(struct mem *m, uint32_t number, uint64_t cycle) {
    uint32_t i;
    CHECK(xbar_pop(m->xbar[XBAR_BACK], number, &i));
    const struct msg *r = &m->pool.v[i];
    struct inbox *to = inbox_for(m, r->sm, cycle);
    if (!m->sms_running && cycle < m->sm_port[r->sm].calls.next_arrival)
        m->sm_port[r->sm].calls.next_arrival = cycle;
    VEC_PUSH(
        &to->responses,
        (struct response){.cycle = cycle, .addr = r->addr, .bytes = r->bytes, .id = r->id, .path = r->path});
    msg_free(&m->pool, i);
}

void port_landed(struct mem *m) {
    const uint64_t *landed = m->arrived[XBAR_BACK];
    uint64_t any = 0;
    for (uint32_t w = 0; w < m->port_words; w++) any |= m->landed[w] = landed[w];
    if (any) clock_wake(&m->clock, CLOCK_CORE, CLOCK_NOC);
}

/* ---- requests leave ---- */

static bool port_leave(struct mem *m, uint32_t number, struct queue *out, uint64_t cycle) {
    const struct msg *r = &m->pool.v[out->head];
    const uint32_t bytes = r->kind == MEM_READ ? 0 : r->bytes;
    if (r->when > cycle || !mem_push(m, XBAR_TO_MEMORY, number, r->slice, bytes, out->head, CLOCK_CORE))
        return false;
    struct inbox *to = inbox_for(m, r->sm, cycle);
    VEC_PUSH(&to->credits, (struct credit){cycle, r->path});
    QUEUE_TAKE(out, m->pool.v);
    return true;
}

/* The first queue at or after q, around, that holds something; one does. */
static uint32_t holding_from(const struct port *p, uint32_t q, uint32_t words) {
    if (words == 1) {
        const uint64_t behind = q < 64 ? p->holding[0] & UINT64_MAX << q : 0;
        return (uint32_t)__builtin_ctzll(behind ? behind : p->holding[0]);
    }
    uint32_t w = q / 64 < words ? q / 64 : 0;
    uint64_t bits = p->holding[w] & UINT64_MAX << q % 64;
    while (!bits) bits = p->holding[w = w + 1 < words ? w + 1 : 0];
    return w * 64 + (uint32_t)__builtin_ctzll(bits);
}

/* One request leaves, the first that is ready and has room in the crossbar. What is ready but finds no room there waits for
 * credits (port_freed); an ideal crossbar has none, and is asked in every cycle. */
static void port_send(struct mem *m, uint32_t number, uint64_t cycle) {
    struct port *p = &m->port[number];
    uint64_t due = MEM_NEVER;
    bool sent = false;
    p->blocked = false;
    for (uint32_t left = p->queues, q = p->turn; left; left--, q++) {
        q = holding_from(p, q, m->queue_words);
        struct queue *out = &m->out[(size_t)p->first * MEM_NPATHS + q];
        bool tried = !sent;
        if (!sent && port_leave(m, number, out, cycle)) {
            sent = true;
            tried = false;
            p->turn = (q + 1) % PORT_QUEUES;
            if (!out->n) {
                bitmap_clear(p->holding, q);
                p->queues--;
                continue;
            }
        }
        uint64_t when = m->pool.v[out->head].when;
        if (when <= cycle && tried && !m->o.noc.ideal)
            p->blocked = true;
        else if (when < due)
            due = when;
    }
    if (!p->queues) bitmap_clear(m->sending, number);
    m->port_due[number] = due > cycle ? due : cycle + 1;
}

void port_freed(struct mem *m) {
    const uint64_t *freed = m->freed[XBAR_TO_MEMORY];
    for (uint32_t w = 0; w < m->port_words; w++)
        for (uint64_t left = freed[w] & m->sending[w]; left; left &= left - 1) {
            const uint32_t number = w * 64 + (uint32_t)__builtin_ctzll(left);
            if (!m->port[number].blocked) continue;
            m->port[number].blocked = false;
            uint64_t k = clock_wake(&m->clock, CLOCK_CORE, CLOCK_NOC);
            if (k < m->port_due[number]) m->port_due[number] = k;
        }
}

void port_cycle(struct mem *m, uint64_t cycle) {
    const uint64_t *landed = m->arrived[XBAR_BACK];
    FOR_BITMAP(r, m->landed, m->port_words) receive(m, r, cycle);
    uint64_t due = MEM_NEVER, more = 0;
    FOR_BITMAP(s, m->sending, m->port_words) {
        if (m->port_due[s] <= cycle) port_send(m, s, cycle);
        if (m->port_due[s] < due) due = m->port_due[s];
    }
    for (uint32_t w = 0; w < m->port_words; w++) more |= m->landed[w] &= landed[w];
    m->clock.due[CLOCK_CORE] = more ? cycle + 1 : due;
}
