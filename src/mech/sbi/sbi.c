/* Simultaneous branch and warp interweaving (Brunie, Collange & Diamos, "Simultaneous Branch and Warp Interweaving for
 * Sustained GPU Performance", ISCA 2012): two instructions in one issue, on lanes that do not overlap. HARP 2.3 and Table 2
 * describe it. One choice of what goes into a packet, with three switches:
 *
 * - sbi: the two lowest contexts of a warp, CPC1 and CPC2 (splits.c), which are of one warp and so on lanes of their own.
 * - swi: CPC1 of a warp, and CPC1 of another whose lanes are free. A warp's threads are laid out on the lanes by the
 *   number of the warp, so that warps that diverge alike fit beside each other.
 * - sbi+swi: the warp's own CPC2 if it can go, else another warp.
 *
 * The order of the SM chooses who leads a packet. Who goes beside it is searched among the `ways` warps of the scheduler that
 * follow the leader's, in turn: of those that are ready and fit, the one with most threads (best fit), the first of
 * equals. Cascade: the search needs to know the leader, so the leader is chosen a cycle before, and kept meanwhile;
 * choosing the next overlaps with the search. If a unit it needs was taken by the packet before, it is let go and another
 * leads.
 *
 * Choices, since HARP is silent and we do not have the paper's text: CPC2 issues beside CPC1 only (`alone` lets it lead);
 * beside a leader of another warp goes a CPC1, never a CPC2; the sets of the limited search; one packet has two
 * instructions at most, of any units, as the SM takes them; a warp that is not divergent is not issued twice at once (the
 * authors' second front end could do so). All the lane shuffles are t ^ x(w) for thread t of warp w. */
#include "mech/sbi/sbi.h"
#include "base/alloc.h"
#include "base/bits.h"
#include "mech/lib/order.h"
#include "mech/lib/set.h"

/* ---- making ---- */

static void sbi_make_tables(struct mech *m) {
    struct sbi *f = m->self;
    const uint32_t homes = split_homes(&m->env), w = m->env.warp_size;
    const uint32_t warps = homes / (w > 32 ? w / 32 : 1) / (m->env.whole_blocks ? 1 : m->env.schedulers);
    f->half = (warps + 1) / 2;
    f->words = (w + 63) / 64;
    f->home = PAGES_NEW(m->env.pages, struct sbi_home, homes);
    f->sched = PAGES_NEW(m->env.pages, struct sbi_sched, m->env.schedulers);
    for (uint32_t k = 0; k < m->env.schedulers; k++)
        f->sched[k].home = PAGES_NEW(m->env.pages, uint32_t, homes);
    sorted_create(m, &f->sorted);
}

static bool create_sbi(struct mech *m, struct err *e) {
    (void)e;
    const struct sbi_params *p = sbi_params(m);
    struct sbi_counts *c = sbi_counts(m);
    *(struct sbi *)m->self = (struct sbi){.branches = true,
                                          .constraint = p->constraint,
                                          .alone = p->alone,
                                          .pairs_branch = &c->pairs_branch,
                                          .blocked_by_sync = &c->blocked_by_sync};
    sbi_make_tables(m);
    return true;
}

static bool create_swi(struct mech *m, struct err *e) {
    (void)e;
    const struct swi_params *p = swi_params(m);
    struct swi_counts *c = swi_counts(m);
    *(struct sbi *)m->self = (struct sbi){.others = true,
                                          .cascade = p->cascade,
                                          .ways = p->ways,
                                          .lanes = p->lanes,
                                          .pairs_warp = &c->pairs_warp,
                                          .searches = &c->searches};
    sbi_make_tables(m);
    return true;
}

static bool create_both(struct mech *m, struct err *e) {
    (void)e;
    const struct sbi_swi_params *p = sbi_swi_params(m);
    struct sbi_swi_counts *c = sbi_swi_counts(m);
    *(struct sbi *)m->self = (struct sbi){.branches = true,
                                          .others = true,
                                          .constraint = p->constraint,
                                          .alone = p->alone,
                                          .cascade = p->cascade,
                                          .ways = p->ways,
                                          .lanes = p->lanes,
                                          .pairs_branch = &c->pairs_branch,
                                          .blocked_by_sync = &c->blocked_by_sync,
                                          .pairs_warp = &c->pairs_warp,
                                          .searches = &c->searches};
    sbi_make_tables(m);
    return true;
}

/* ---- who leads ---- */

/* Chooses, by the scheduler's order, the split that leads a cycle later. It is then in no order and not yet the SM's. */
static void choose_next(struct mech *m, uint32_t sched) {
    const struct sbi *f = m->self;
    struct sbi_sched *q = &f->sched[sched];
    q->chosen = order_pick(m->order, sched, *m->env.now);
    if (!q->chosen) return;
    q->chosen->in_flight = false;
    q->chosen->own[SBI_CHOSEN] = true;
    q->since = *m->env.now;
}

static struct mech_split *lead_cascaded(struct mech *m, uint32_t sched) {
    const struct sbi *f = m->self;
    struct sbi_sched *q = &f->sched[sched];
    struct mech_split *s = q->chosen;
    if (!s) choose_next(m, sched);
    if (!s || q->since == *m->env.now) return NULL;
    q->chosen = NULL;
    if (m->env.when(m->env.sm, s) <= *m->env.now) {
        s->own[SBI_CHOSEN] = false;
        s->in_flight = true;
        return s;
    }
    sbi_unchoose(m, s);
    return order_pick(m->order, sched, *m->env.now);
}

/* ---- who goes beside it ---- */

/* The other hot split of the leader's warp; NULL: none, or it cannot. */
static struct mech_split *own_partner(struct mech *m, const struct sbi_home *h,
                                      const struct mech_split *lead) {
    const struct sbi *f = m->self;
    struct mech_split *s = h->hot[!lead->own[SBI_SLOT]];
    if (!s || sbi_busy(s)) return NULL;
    if (h->held && s == sbi_second(h)) {
        ++*f->blocked_by_sync;
        return NULL;
    }
    return m->env.when(m->env.sm, s) <= *m->env.now ? s : NULL;
}

static bool sbi_apart(const struct sbi *f, const struct sbi_lane_set *a, const struct sbi_lane_set *b) {
    uint64_t both = 0;
    for (uint32_t k = 0; k < f->words; k++) both |= a->w[k] & b->w[k];
    return !both;
}

/* A split of another warp for the lanes that the leader's leaves free. */
static struct mech_split *other_partner(const struct mech *m, const struct sbi_home *h,
                                        const struct mech_split *lead) {
    const struct sbi *f = m->self;
    const struct sbi_sched *q = &f->sched[h->sched];
    const struct sbi_lane_set *taken = &h->lanes[lead->own[SBI_SLOT]];
    const uint32_t n = f->ways && f->ways < q->n ? f->ways : q->n - 1,
                   room = m->env.warp_size - lead->threads;
    struct mech_split *best = NULL;
    uint32_t most = 0;
    for (uint32_t k = 0, at = h->member; k < n && most < room; k++) {
        at = at + 1 < q->n ? at + 1 : 0;
        const struct sbi_home *c = &f->home[q->home[at]];
        struct mech_split *s = sbi_first(c);
        if (!s || !sbi_apart(f, taken, &c->lanes[c->first]) || s->threads <= most) continue;
        if (!order_ready(m->order, s)) continue;
        best = s;
        most = s->threads;
    }
    return best;
}

static void add_partner(struct mech *m, struct mech_packet *p, struct mech_split *s, uint64_t *pairs) {
    struct sbi_home *h = sbi_home_of(m, s);
    order_take(m->order, s);
    if (s == sbi_second(h)) sbi_note_second(m, h, 0, 0);
    p->split[p->n++] = s;
    sbi_counts(m)->lanes_added += s->threads;
    ++*pairs;
}

static void sbi_fill(struct mech *m, struct mech_packet *p) {
    const struct sbi *f = m->self;
    const struct mech_split *lead = p->split[0];
    const struct sbi_home *h = sbi_home_of(m, lead);
    struct mech_split *s = f->branches ? own_partner(m, h, lead) : NULL;
    if (s) {
        add_partner(m, p, s, f->pairs_branch);
        return;
    }
    if (!f->others || lead->threads == m->env.warp_size) return;
    ++*f->searches;
    s = other_partner(m, h, lead);
    if (s) add_partner(m, p, s, f->pairs_warp);
}

/* ---- the interface ---- */

static bool sbi_select(struct mech *m, uint32_t sched, struct mech_packet *p) {
    const struct sbi *f = m->self;
    struct mech_split *s = f->cascade ? lead_cascaded(m, sched) : order_pick(m->order, sched, *m->env.now);
    if (!s) return false;
    split_issue(m, p, s);
    sbi_fill(m, p);
    if (f->cascade) choose_next(m, sched);
    return true;
}

static uint64_t sbi_next(const struct mech *m, uint32_t sched) {
    const struct sbi *f = m->self;
    return f->sched[sched].chosen ? f->sched[sched].since + 1 : MECH_NEVER;
}

#define SBI_OPS                                                                                       \
    .source = "Brunie et al., ISCA 2012; HARP 2.3", .caps = MECH_ANY_CODE | MECH_AT_HOME,             \
    .self_bytes = sizeof(struct sbi), .start = sbi_start, .select = sbi_select, .commit = sbi_commit, \
    .release = sbi_release, .census = sbi_census, .places = sbi_places, .state = sbi_state,           \
    .storage = sbi_storage, .audit = sbi_audit

extern const struct mech_ops mech_sbi, mech_swi, mech_sbi_swi;
const struct mech_ops mech_sbi = {
    .name = "sbi",
    .title = "Simultaneous branch interweaving",
    .form = CFG_FORM_REGIONS,
    .params = MECH_PARAM_ROWS(SBI_PARAMS),
    .counters = MECH_COUNTER_ROWS(SBI_COUNTERS),
    .create = create_sbi,
    SBI_OPS,
};
const struct mech_ops mech_swi = {
    .name = "swi",
    .title = "Simultaneous warp interweaving",
    .params = MECH_PARAM_ROWS(SWI_PARAMS),
    .counters = MECH_COUNTER_ROWS(SWI_COUNTERS),
    .create = create_swi,
    .shuffle = sbi_shuffle,
    .next = sbi_next,
    SBI_OPS,
};
const struct mech_ops mech_sbi_swi = {
    .name = "sbi+swi",
    .title = "Branch and warp interweaving",
    .form = CFG_FORM_REGIONS,
    .params = MECH_PARAM_ROWS(SBI_SWI_PARAMS),
    .counters = MECH_COUNTER_ROWS(SBI_SWI_COUNTERS),
    .create = create_both,
    .shuffle = sbi_shuffle,
    .next = sbi_next,
    SBI_OPS,
};
