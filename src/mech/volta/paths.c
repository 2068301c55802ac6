/* Decides which path of a warp runs, and when another one does.
 *
 * `off`: one split of a warp is current, and only that is in the order; the others that could run stand in a list. A split that
 * yields or has to make room goes to its end; who comes from a branch, a barrier or a .sync goes to its front, so that paths are
 * run as a stack would. `stall`: a current split that waits for an event, or is in flight with an access that leaves the SM,
 * makes room; when its data is there it is in the list again. `any`: all are in the order.
 *
 * Fairness counts issues of the warp, not cycles: who waits for a split that stalls waits for nothing that a switch would
 * bring about, and no clock of its own can disagree with the machine's. A split that has been ready for `fair` issues runs
 * next, so each gets its turn after at most that many issues for each path of the warp. */
#include <string.h>

#include "mech/lib/order.h"
#include "mech/lib/set.h"
#include "mech/volta/volta.h"

/* ---- the list ---- */

static void list_remove(struct volta_home *h, uint32_t id) {
    uint32_t k = 0;
    while (k < h->nlist && h->list[k] != id) k++;
    CHECK(k < h->nlist);
    memmove(&h->list[k], &h->list[k + 1], (--h->nlist - k) * sizeof *h->list);
}

static void list_put(struct mech *m, struct volta_home *h, uint32_t id, uint32_t at) {
    CHECK(h->nlist < m->env.warp_size);
    memmove(&h->list[at + 1], &h->list[at], (h->nlist++ - at) * sizeof *h->list);
    h->list[at] = id;
}

/* When the one that has been ready for longest is due. */
static void find_due(const struct mech *m, struct volta_home *h) {
    const uint32_t fair = volta_params(m)->fair;
    h->due = UINT64_MAX;
    for (uint32_t k = 0; fair && k < h->nlist; k++) {
        const struct mech_split *s = split_known(m->pool, h->list[k]);
        const uint64_t since = h->issues - (uint32_t)((uint32_t)h->issues - s->own[VOLTA_STAMP]);
        if (s->own[VOLTA_STATUS] == VOLTA_READY && since + fair < h->due) h->due = since + fair;
    }
}

static bool is_listed(const struct volta *v, enum volta_status status) {
    return v->interleave == VOLTA_ANY ? status == VOLTA_RUNS
                                      : status == VOLTA_READY || status == VOLTA_STALLED;
}

static uint32_t *volta_paths_counted(struct volta *v, uint32_t status) {
    return status == VOLTA_BLOCKED                            ? &v->blocked
           : status == VOLTA_READY || status == VOLTA_STALLED ? &v->standing
                                                              : NULL;
}

/* `at`: where in the list, if it is to be there and was not. */
static void volta_paths_change(struct mech *m, struct mech_split *s, enum volta_status now, uint32_t at) {
    struct volta *v = m->self;
    struct volta_home *h = volta_home_of(m, s);
    const enum volta_status was = (enum volta_status)s->own[VOLTA_STATUS];
    uint32_t *left = volta_paths_counted(v, was), *entered = volta_paths_counted(v, now);
    if (left) *left -= s->threads;
    if (entered) *entered += s->threads;
    if (is_listed(v, was) && !is_listed(v, now)) list_remove(h, s->id);
    if (!is_listed(v, was) && is_listed(v, now)) list_put(m, h, s->id, at);
    if (h->current == s->id && now != VOLTA_RUNS) h->current = SPLIT_NONE;
    s->own[VOLTA_STATUS] = now;
    if (v->interleave != VOLTA_ANY) find_due(m, h);
}

void volta_set_status(struct mech *m, struct mech_split *s, enum volta_status now) {
    if (now != VOLTA_RUNS) order_remove(m->order, s);
    volta_paths_change(m, s, now, volta_home_of(m, s)->nlist);
}

void volta_join(struct mech *m, struct mech_split *into, struct mech_split *from) {
    struct volta *v = m->self;
    uint32_t *grows;
    volta_paths_change(m, from, VOLTA_WAITS, 0);
    grows = volta_paths_counted(v, into->own[VOLTA_STATUS]);
    if (grows) *grows += from->threads;
    volta_home_of(m, from)->splits--;
    split_merge(m, into, from);
}

/* ---- the current one ---- */

static struct mech_split *next_ready(const struct mech *m, const struct volta_home *h) {
    for (uint32_t k = 0; k < h->nlist; k++) {
        struct mech_split *s = split_known(m->pool, h->list[k]);
        if (s->own[VOLTA_STATUS] == VOLTA_READY) return s;
    }
    return NULL;
}

static void volta_paths_run(struct mech *m, struct volta_home *h, struct mech_split *s) {
    volta_paths_change(m, s, VOLTA_RUNS, h->nlist);
    h->current = s->id;
    order_add(m->order, s);
    h->fresh = s->wake != MECH_NEVER;
}

/* The current one waits for an event, and another could run. */
static bool makes_room(const struct mech *m, const struct volta_home *h, const struct mech_split *s) {
    const struct volta *v = m->self;
    return v->interleave == VOLTA_STALL && s->wake == MECH_NEVER && next_ready(m, h);
}

static void stall(struct mech *m, struct mech_split *s) {
    volta_counts(m)->stall_switches++;
    volta_set_status(m, s, VOLTA_STALLED);
}

void volta_settle(struct mech *m, struct volta_home *h) {
    for (struct mech_split *s; h->current == SPLIT_NONE && (s = next_ready(m, h));) {
        volta_paths_run(m, h, s);
        if (makes_room(m, h, s)) stall(m, s);
    }
}

void volta_ready(struct mech *m, struct mech_split *s, bool last) {
    const struct volta *v = m->self;
    struct volta_home *h = volta_home_of(m, s);
    s->own[VOLTA_STAMP] = (uint32_t)h->issues;
    if (v->interleave == VOLTA_ANY) {
        volta_paths_change(m, s, VOLTA_RUNS, h->nlist);
        order_add(m->order, s);
        return;
    }
    order_remove(m->order, s);
    volta_paths_change(m, s, VOLTA_READY, last ? h->nlist : 0);
}

/* The one that has been ready for longest runs, whatever is in front of it. */
static void force(struct mech *m, struct volta_home *h, struct mech_split *s) {
    volta_counts(m)->forced_switches++;
    struct mech_split *longest = NULL;
    for (uint32_t k = 0; k < h->nlist; k++) {
        struct mech_split *t = split_known(m->pool, h->list[k]);
        if (t->own[VOLTA_STATUS] != VOLTA_READY) continue;
        if (!longest ||
            (uint32_t)h->issues - t->own[VOLTA_STAMP] > (uint32_t)h->issues - longest->own[VOLTA_STAMP])
            longest = t;
    }
    volta_ready(m, s, true);
    volta_paths_run(m, h, longest);
    if (makes_room(m, h, longest)) stall(m, longest);
    volta_settle(m, h);
}

/* Others of the warp at the PC of s become part of it. */
static void volta_paths_meet(struct mech *m, struct volta_home *h, struct mech_split *s) {
    for (uint32_t k = h->nlist; k-- > 0;) {
        struct mech_split *t = split_known(m->pool, h->list[k]);
        if (t == s || t->in_flight || t->pc != s->pc || t->own[VOLTA_DEPTH] != s->own[VOLTA_DEPTH]) continue;
        volta_counts(m)->met_at_pc++;
        split_reconverged(m, s->pc);
        order_remove(m->order, t);
        volta_join(m, s, t);
        volta_unify(m, h, &s->set);
    }
}

void volta_go_on(struct mech *m, struct mech_split *s) {
    const struct volta *v = m->self;
    struct volta_home *h = volta_home_of(m, s);
    if (v->at_pc && h->nlist) volta_paths_meet(m, h, s);
    if (v->interleave == VOLTA_ANY) {
        order_add(m->order, s);
    } else if (h->current != s->id) { /* it was stalled, and in flight */
        volta_ready(m, s, false);
        volta_settle(m, h);
    } else if (h->issues >= h->due) {
        force(m, h, s);
    } else {
        order_add(m->order, s);
        h->fresh = false;
        if (makes_room(m, h, s)) {
            stall(m, s);
            volta_settle(m, h);
        }
    }
}

/* ---- accesses that take long, where a split is in flight until they are back ---- */

static bool may_stall(const struct mech *m, const struct volta_home *h, const struct mech_split *s) {
    const struct ir_insn *i = &m->env.module->code.v[s->pc];
    const uint8_t cls = ir_ops[i->op].cls;
    if (h->pending || !next_ready(m, h)) return false;
    if (cls == IR_C_TEX || i->op == IR_CP_WAIT) return true;
    return (cls == IR_C_LDST || cls == IR_C_ATOM) && i->space != IR_SP_SHARED && i->space != IR_SP_PARAM &&
           i->space != IR_SP_CONST;
}

/* Lets splits make room that were not committed in the cycle in which they issued. */
static void look_at_pending(struct mech *m) {
    struct volta *v = m->self;
    const uint32_t n = v->npending;
    uint32_t kept = 0;
    v->look = MECH_NEVER;
    for (uint32_t k = 0; k < n; k++) {
        struct volta_home *h = &v->home[v->pending[k]];
        struct mech_split *s = h->current == SPLIT_NONE ? NULL : split_known(m->pool, h->current);
        if (h->issued == *m->env.now) {
            v->pending[kept++] = v->pending[k];
            v->look = *m->env.now + 1;
            continue;
        }
        h->pending = false;
        if (!s || !s->in_flight || !next_ready(m, h)) continue;
        volta_counts(m)->stall_switches++;
        volta_paths_change(m, s, VOLTA_STALLED, h->nlist);
        volta_settle(m, h);
    }
    v->npending = kept;
}

bool volta_select(struct mech *m, uint32_t sched, struct mech_packet *p) {
    struct volta *v = m->self;
    if (*m->env.now >= v->look) look_at_pending(m);
    if (*m->env.now >= v->ring) volta_ring(m);
    struct mech_split *s = order_pick(m->order, sched, *m->env.now);
    if (!s) return false;
    struct volta_home *h = volta_home_of(m, s);
    if (v->interleave == VOLTA_STALL && may_stall(m, h, s)) {
        h->pending = true;
        h->issued = *m->env.now;
        v->pending[v->npending++] = s->own[VOLTA_HOME];
        if (v->look == MECH_NEVER) v->look = *m->env.now + 1;
    }
    split_issue(m, p, s);
    return true;
}

uint64_t volta_next(const struct mech *m, uint32_t sched) {
    const struct volta *v = m->self;
    (void)sched;
    return v->look < v->ring ? v->look : v->ring;
}

void volta_wake(struct mech *m, struct mech_split *s, uint32_t warp, uint32_t mask) {
    struct volta_home *h = volta_home_of(m, s);
    (void)warp, (void)mask;
    if (s->own[VOLTA_STATUS] != VOLTA_STALLED || s->in_flight) {
        order_wake(m->order, s);
        return;
    }
    if (m->env.when(m->env.sm, s) == MECH_NEVER) return;
    volta_ready(m, s, false);
    struct mech_split *now = h->current == SPLIT_NONE ? NULL : split_known(m->pool, h->current);
    if (now && !now->in_flight && !h->fresh && now->wake == MECH_NEVER) stall(m, now);
    volta_settle(m, h);
}
