/* The load/store unit: memory instructions in order, one line (l1x.ports of them) a cycle.
 *
 * A memory instruction reaches the memory stage depth - 1 cycles after issue, so a hit of latency 1 takes as long as an
 * addition. There it joins the queue; while the queue is full it stays where it is and its scheduler's pipeline with it
 * (the stalls of DWF Figure 6.3). The instruction at the head sends its requests; one the memory system cannot take is
 * tried again in the next cycle, and everything behind it waits. Stores are posted: no thread waits for an answer,
 * except to those that miss with memory.stores = wait (DWF 5.1.1 makes no difference between loads and stores).
 *
 * Write-back (DWF 5.1.1) has two inputs, the pipeline and the threads that missed and have returned. The latter go first:
 * with sm.writeback so many in a cycle, in which the pipeline stands still. Here that is a cycle more until the next
 * issue, not one more for every instruction under way; a pipeline that issued nothing lately has nothing to hold up.
 *
 * Where memory says that trying again is in vain until it calls, the unit sleeps. A scheduler that is stalled then stays
 * so, and one that will be has to be ticked when its port is free, for its stalls to be counted from there. */
#include "mech/lib/order.h"
#include "mech/lib/split.h"
#include "sm/impl.h"

void lsu_issue(struct sm *s, uint32_t entry, uint32_t sched, uint64_t arrival) {
    struct queue *pipe = &s->sched[sched].pipe;
    s->entries.v[entry].arrival = arrival;
    if (!pipe->n && arrival < s->pipe_at) s->pipe_at = arrival;
    s->pipes |= 1u << sched;
    QUEUE_PUT(pipe, s->entries.v, entry);
    s->lsu_waiting++;
}

/* All of an op's requests have been answered: it writes back, now or when the pipeline has it there. */
void lsu_complete(struct sm *s, uint32_t k) {
    struct sm_op *op = &s->ops.v[k];
    if (op->lines) idle_loaded(s, &s->sched[op->sched]);
    if (op->async && async_ended(s, k)) return;
    if (!op->split) {
        if (op->overlap) score_clear_op(s, k);
        op_give(s, k);
    } else {
        event_push(s, op->ready > s->now ? op->ready : s->now, k, k);
    }
}

/* Takes these lanes off the op's entry of the scoreboard, if their split waits for other lanes of it and is not to be asked
 * again before: it has its next instruction at hand, which needs the rows, and its mechanism does not hear of single lanes.
 * Asked, it would be found waiting as before. */
static inline bool clear_unheard(struct sm *s, uint32_t warp, uint32_t mask, uint32_t op) {
    struct sm_warp *w = &s->warps[warp];
    if (s->env.mech->wake || !s->exact_rows || w->nscore >= SM_FEW_SCORES) return false;
    const struct mech_split *split = split_of(s->mech->pool, warp, (uint32_t)__builtin_ctz(mask));
    if (!split || split->wake != MECH_NEVER || split->set.n != 1 || !order_has(split)) return false;
    const uint32_t lanes = split->set.p[0].mask;
    const struct sm_code *c = &s->common->code[split->pc];
    if (mask & ~lanes || !c->known || (s->fetched && s->fetched[split->id].line != c->line)) return false;
    for (struct sm_score *e = w->score; e < w->score + w->nscore; e++) {
        if (e->op != op || !(e->written & c->used) || !(e->mask & lanes & ~mask)) continue;
        e->mask &= ~mask;
        return true;
    }
    return false;
}

/* Threads served by a request: their registers are there, their op has one answer less to wait for. */
static void answered_op(struct sm *s, uint32_t k, uint32_t first) {
    struct sm_op *op = &s->ops.v[k];
    op->unanswered--;
    if (!op->split && !op->overlap)
        for (uint32_t n = first; n != SM_NONE && s->nodes.v[n].op == k; n = s->nodes.v[n].next)
            if (!op->unanswered || !clear_unheard(s, s->nodes.v[n].warp, s->nodes.v[n].mask, k))
                score_clear(s, s->nodes.v[n].warp, s->nodes.v[n].mask, k);
    if (!op->unanswered)
        lsu_complete(s, k);
    else if (op->split && !op->overlap)
        outcome_offer(s, op, first);
}

static __attribute__((noinline)) void answered_any(struct sm *s, uint32_t r) {
    struct sm_request *q = &s->requests.v[r];
    if (s->charge) waits_changed(s);
    if (q->path == SM_FETCH) {
        fetch_arrived(s, q);
    } else {
        for (uint32_t n = q->nodes, op = SM_NONE; n != SM_NONE; n = s->nodes.v[n].next) {
            if (s->nodes.v[n].op == op) continue; /* nodes of one op follow one another */
            op = s->nodes.v[n].op;
            answered_op(s, op, n);
        }
    }
    request_give(s, r);
}

/* True if lanes of a load got data while the load waits for more, and the mechanism need not hear of it. Most answers
 * are like this. */
static inline bool answered_unheard(struct sm *s, uint32_t r) {
    if (s->requests.v[r].nodes != r || s->charge) return false;
    const struct sm_node *n = &s->nodes.v[r];
    struct sm_op *op = &s->ops.v[n->op];
    if (op->unanswered < 2 || op->split || op->overlap || !clear_unheard(s, n->warp, n->mask, n->op))
        return false;
    op->unanswered--;
    return true;
}

void lsu_answered(struct sm *s, uint32_t r) {
    if (answered_unheard(s, r))
        request_give_own(s, r);
    else
        answered_any(s, r);
}

/* The pipeline of the scheduler stands still for a cycle, if there is anything in it. */
static void hold_pipeline(struct sm *s, uint32_t sched) {
    struct sm_sched *c = &s->sched[sched];
    if (!s->active || c->port < s->now) return;
    idle_until(s, c, c->port + 1);
    s->stats.warp.stall++;
    if (s->charge) waits_stalled(s, sched, 1);
}

/* Some threads of an op have their data and pass write-back, so many in a cycle. */
static void return_threads(struct sm *s, struct sm_op *op, uint32_t threads) {
    struct sm_sched *c = &s->sched[op->sched];
    for (uint32_t most = (uint32_t)s->o->sm.writeback, n; threads; threads -= n) {
        if (c->return_at < s->now || c->returned == most) {
            c->return_at = c->return_at < s->now ? s->now : c->return_at + 1;
            c->returned = 0;
            hold_pipeline(s, op->sched);
        }
        n = threads < most - c->returned ? threads : most - c->returned;
        c->returned += n;
    }
    if (op->ready < c->return_at) op->ready = c->return_at;
}

void lsu_returned(struct sm *s, uint32_t r) {
    const struct sm_request *q = &s->requests.v[r];
    for (uint32_t n = q->path == SM_FETCH ? SM_NONE : q->nodes; n != SM_NONE; n = s->nodes.v[n].next)
        if (!s->ops.v[s->nodes.v[n].op].async) /* a copy goes to shared memory */
            return_threads(s, &s->ops.v[s->nodes.v[n].op], bits_count(s->nodes.v[n].mask));
}

/* A posted store has been accepted. Only its own op waits for it, until its write-back at the earliest. */
static void posted(struct sm *s, uint32_t r) {
    uint32_t op = SM_NONE;
    for (uint32_t n = s->requests.v[r].nodes; n != SM_NONE; n = s->nodes.v[n].next) {
        if (s->nodes.v[n].op == op) continue;
        op = s->nodes.v[n].op;
        if (!--s->ops.v[op].unanswered) {
            if (s->ops.v[op].ready <= s->now) s->ops.v[op].ready = s->now + 1;
            lsu_complete(s, op);
        }
    }
    request_give(s, r);
}

/* An access is one of each thread that the request serves, as the thesis counts (DWF Tables 6.2, 6.3). */
static void count_data(struct sm *s, const struct sm_request *q, bool hit) {
    if (q->path != MEM_L1D) return;
    s->stats.sm.l1d_accesses += q->threads;
    if (!hit) s->stats.sm.l1d_waits += q->threads;
}

/* False: not taken, try again in the next cycle. */
static bool lsu_send(struct sm *s, uint32_t r) {
    const struct sm_request *q = &s->requests.v[r];
    const uint32_t answer = r | SM_EVENT_REQUEST;
    if (q->path == SM_SHARED) {
        s->lsu_busy = s->now + q->held;
        event_push(s, s->now + q->held - 1 + (uint64_t)s->o->sm.shared_latency, answer, answer);
        return true;
    }
    if (q->path == SM_PARAM) {
        event_push(s, s->now + (uint64_t)s->env.mem_options->l1c.latency, answer, answer);
        return true;
    }
    const struct mem_reply reply = mem_request(s->sm_port, &q->ask, r, s->now);
    switch (reply.answer) {
    case MEM_HIT:
        count_data(s, q, true);
        event_push(s, reply.when > s->now ? reply.when : s->now + 1, answer, answer);
        return true;
    case MEM_WAIT: count_data(s, q, false); return true;
    case MEM_POSTED:
        count_data(s, q, reply.when != MEM_NEVER);
        posted(s, r);
        return true;
    default: return false;
    }
}

static inline bool is_full(const struct sm *s) {
    return s->queue.n >= (uint32_t)s->o->sm.lsu_queue;
}

/* Instructions that are at the memory stage join the queue while it has room. */
static void lsu_arrive(struct sm *s) {
    s->pipe_at = SM_NEVER;
    FOR_LANES(k, s->pipes) {
        struct queue *pipe = &s->sched[k].pipe;
        while (lsu_blocked(s, k) && !is_full(s))
            QUEUE_PUT(&s->queue, s->entries.v, QUEUE_TAKE(pipe, s->entries.v));
        if (!pipe->n)
            s->pipes &= ~(1u << k);
        else if (s->entries.v[pipe->head].arrival < s->pipe_at)
            s->pipe_at = s->entries.v[pipe->head].arrival;
    }
    s->jammed = is_full(s);
}

/* What the ports of each path have taken in this cycle, a byte each. */
static inline bool take_port(const struct sm *s, uint64_t *taken, uint32_t path) {
    const uint32_t most = path < MEM_NPATHS ? s->ports[path] : 1;
    if ((*taken >> (8 * path) & 255) >= most) return false;
    *taken += UINT64_C(1) << (8 * path);
    return true;
}

void lsu_cycle(struct sm *s) {
    uint64_t taken = 0;
    if (!s->lsu_waiting) return;
    s->stuck = s->jammed = false;
    if (s->pipe_at <= s->now) lsu_arrive(s);
    while (s->queue.n && s->lsu_busy <= s->now) {
        struct sm_entry *e = &s->entries.v[s->queue.head];
        const uint32_t r = e->first, next = s->requests.v[r].next;
        const uint8_t path = s->requests.v[r].path;
        if (!take_port(s, &taken, path)) return;
        if (!lsu_send(s, r)) {
            s->stuck = mem_stuck(s->env.mem, s->env.index, (enum mem_path)path);
            s->refusals_counted = s->now;
            return;
        }
        e->first = next;
        if (next != SM_NONE) {
            if (s->one_port && s->requests.v[next].path == path) return;
            continue;
        }
        POOL_GIVE(&s->entries, QUEUE_TAKE(&s->queue, s->entries.v));
        s->lsu_waiting--;
    }
}

void lsu_account(struct sm *s, uint64_t until) {
    if (!s->stuck || until <= s->refusals_counted + 1) return;
    const struct sm_request *q = &s->requests.v[s->entries.v[s->queue.head].first];
    mem_skipped(s->env.mem, s->env.index, (enum mem_path)q->path, until - s->refusals_counted - 1);
    s->refusals_counted = until - 1;
}

/* While the queue is full and stays so: the next instruction to arrive behind which a pipeline will stand still. */
static uint64_t next_stalled(const struct sm *s) {
    uint64_t next = SM_NEVER;
    for (uint32_t k = 0; k < s->schedulers; k++) {
        const struct queue *pipe = &s->sched[k].pipe;
        const uint64_t at = pipe->n ? s->entries.v[pipe->head].arrival : SM_NEVER;
        if (at > s->now && at < next) next = at;
    }
    return next;
}

uint64_t lsu_next(const struct sm *s) {
    if (!s->lsu_waiting) return SM_NEVER;
    if (lsu_sends(s)) return s->now + 1;
    const bool sends = s->queue.n && !s->stuck;
    uint64_t next = sends ? s->lsu_busy : SM_NEVER;
    const uint64_t arrival = s->stuck && is_full(s) ? next_stalled(s) : s->pipe_at;
    if (arrival < next) next = arrival;
    return next > s->now ? next : s->now + 1;
}
