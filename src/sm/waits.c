/* Every scheduler cycle without an issue belongs to one reason: what most of the scheduler's threads wait for, counted when
 * the cycles began (of reasons with as many, the first in enum sm_wait). A thread
 *
 * - of an instruction under way waits for memory if a line has yet to come, else for the pipeline;
 * - of a split that could be scheduled waits for what holds back its next instruction longest: a load, another result, the
 *   instruction itself, a busy unit; if nothing does, for a place in a table or an active set;
 * - may wait at a barrier or .sync instruction;
 * - else is held by the mechanism, until threads from which it parted have caught up or have made way: a wait for
 *   reconvergence. Such cycles are charged to the place where most of these threads parted from those that are not held.
 *
 * While the load/store unit takes nothing more, no thread is asked: the scheduler waits for that. The place that
 * suffers the wait is that of the split with most of the waiting threads; of a full load/store unit, the last
 * instruction issued.
 *
 * The threads are looked at when something has changed: an issue, a commit, an answer of memory, or a tick for which the SM
 * had asked. Ticks in between change nothing, so that sleeping through them gives the same. */
#include <string.h>

#include "mech/lib/order.h"
#include "mech/lib/split.h"
#include "sm/impl.h"

struct verdict { /* of one scheduler */
    uint32_t threads[SM_WAITS], most[SM_WAITS],
        place[SM_WAITS]; /* most: threads of the split at that place */
    enum sm_wait why;
    uint32_t cause; /* WAIT_RECONVERGENCE */
    uint32_t last;  /* place of the last instruction it issued */
};

struct tally {
    uint32_t place, threads;
};

struct sm_waits {
    bool changed, known; /* since the last tick that counts; the verdicts are those of that tick */
    uint64_t at, due;    /* that tick; when the SM wants to be ticked next */
    struct verdict *sched;
    uint32_t *busy; /* by slot: lanes that are under way or could be scheduled */
    uint32_t ntally;
    struct tally tally[MECH_WIDEST];
};

void waits_init(struct sm *s) {
    struct sm_waits *w = PAGES_NEW(s->env.grid->pages, struct sm_waits, 1);
    w->sched = PAGES_NEW(s->env.grid->pages, struct verdict, s->schedulers);
    w->busy = PAGES_NEW(s->env.grid->pages, uint32_t, s->nwarps);
    for (uint32_t k = 0; k < s->schedulers; k++) w->sched[k].last = charge_pc(s, s->env.grid->func->entry);
    s->waits = w;
}

void waits_changed(struct sm *s) {
    s->waits->changed = true;
}

void waits_ticked(struct sm *s) {
    struct sm_waits *w = s->waits;
    if (!w->changed && s->now < w->due) return;
    w->changed = w->known = false;
    w->at = s->now;
    w->due = sm_next(s);
}

void waits_issued(struct sm *s, uint32_t sched, uint32_t place, uint32_t beats, uint32_t extra) {
    struct sm_cost *c = sm_cost(s, place);
    c->issues++;
    c->cycles += beats;
    c->waits[WAIT_STRUCTURE] += extra;
    s->env.account->waits[WAIT_STRUCTURE] += extra;
    s->waits->sched[sched].last = place;
    s->waits->changed = true;
}

/* ---- what splits wait for ---- */

static void waits_vote(struct sm *s, uint32_t sched, enum sm_wait why, uint32_t threads, uint32_t place) {
    struct verdict *v = &s->waits->sched[sched];
    v->threads[why] += threads;
    if (threads <= v->most[why]) return;
    v->most[why] = threads;
    v->place[why] = place;
}

static void make_busy(struct sm *s, const struct mech_set *set) {
    for (uint32_t k = 0; k < set->n; k++) s->waits->busy[set->p[k].warp] |= set->p[k].mask;
}

static void ask_ops(struct sm *s) {
    for (uint32_t k = 0; k < s->ops.pool.used; k++) {
        const struct sm_op *op = &s->ops.v[k];
        if (!op->split) continue;
        const bool line = op->lines && op->unanswered;
        waits_vote(s, op->split->sched, line ? WAIT_MEMORY : WAIT_DEPENDENCY, op->split->threads, op->place);
        make_busy(s, &op->split->set);
    }
}

/* The result that the split waits for longest, if any: until when, and whether it comes from the memory system. */
static uint64_t awaited(const struct sm *s, const struct mech_split *split, const struct sm_code *c,
                        bool *line) {
    uint64_t when = 0;
    for (uint32_t p = 0; p < split->set.n; p++) {
        const struct sm_warp *w = &s->warps[split->set.p[p].warp];
        for (uint32_t k = 0; k < w->nscore; k++) {
            const struct sm_score *e = &w->score[k];
            if (!(e->mask & split->set.p[p].mask) || !(e->written & c->used) || e->ready < when) continue;
            if (!s->exact_rows && !code_depends(s, split->pc, e->pc)) continue;
            *line |= e->ready == SM_NEVER && s->ops.v[e->op].lines;
            when = e->ready;
        }
    }
    return when;
}

static enum sm_wait reason(struct sm *s, const struct mech_split *split) {
    const struct sm_code *c = sm_code(s, split->pc);
    const struct sm_fetched *f = s->fetched ? &s->fetched[split->id] : NULL;
    const uint64_t unit = s->unit[split->sched][c->unit];
    const uint64_t fetch = !f ? 0 : f->line == c->line ? f->ready : SM_NEVER;
    bool line = false;
    const uint64_t result = s->scoreboard ? awaited(s, split, c, &line) : 0;
    if (line) return WAIT_MEMORY;
    if (result > s->waits->at && result >= unit && result >= fetch) return WAIT_DEPENDENCY;
    return fetch > s->waits->at && fetch >= unit ? WAIT_FETCH : WAIT_STRUCTURE;
}

/* Counts threads that are not at a barrier. */
static uint32_t count_free(const struct sm *s, const struct mech_set *set) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < set->n; k++) n += bits_count(set->p[k].mask & ~s->warps[set->p[k].warp].waiting);
    return n;
}

static void ask_splits(struct sm *s) {
    const bool ordered = order_used(s->mech->order); /* then a split in none is held */
    FOR_SPLITS(split, s->mech->pool) {
        if (split->in_flight || (ordered && order_parked(split))) continue;
        const uint32_t n = count_free(s, &split->set);
        if (!n) continue;
        waits_vote(s, split->sched, reason(s, split), n, charge_split_place(s, split));
        make_busy(s, &split->set);
    }
}

/* ---- what the others wait for ---- */

static uint32_t home_sched(const struct sm *s, const struct sm_home *h) {
    const struct mech_env *e = &s->mech->env;
    const uint32_t block = s->warps[h->warp].block, first = block * s->block_warps;
    if (e->whole_blocks) return block % e->schedulers;
    if (e->warp_size < SM_LANES) return split_home_of(s->mech->pool, h->warp, h->shift) % e->schedulers;
    return (first / h->words + (h->warp - first) / h->words) % e->schedulers;
}

/* Splits the idle lanes of a word of a home warp into those at barriers and those held by the mechanism. */
static void split_word(const struct sm *s, const struct sm_home *h, uint32_t word, uint32_t *waiting,
                       uint32_t *held) {
    const uint32_t slot = h->warp + word;
    *waiting = *held = 0;
    if (!home_has(s, h, word)) return;
    const uint32_t all = lanes_below(s->mech->env.warp_size), here = s->mech->pool->present[slot];
    *waiting = (s->warps[slot].waiting & here) >> h->shift & all;
    *held = (here & ~s->waits->busy[slot] & ~s->warps[slot].waiting) >> h->shift & all;
}

static void ask_home(struct sm *s, const struct sm_home *h) {
    const uint32_t sched = home_sched(s, h);
    for (uint32_t w = 0; w < h->words; w++) {
        uint32_t waiting, held;
        split_word(s, h, w, &waiting, &held);
        s->waits->sched[sched].threads[WAIT_RECONVERGENCE] += bits_count(held);
        if (!waiting) continue;
        const uint32_t warp = h->warp + w, lane = h->shift + (uint32_t)__builtin_ctz(waiting);
        waits_vote(s, sched, WAIT_BARRIER, bits_count(waiting),
                   charge_place(s, warp, lane, s->warps[warp].w->wait_pc[lane]));
    }
}

/* The home warps that are there, one after the other; false: no more. */
static bool next_home(const struct sm *s, struct sm_home *h) {
    const uint32_t size = s->mech->env.warp_size;
    if (!h->words) { /* the first */
        *h = (struct sm_home){0, 0, size > SM_LANES ? size / SM_LANES : 1};
    } else if (h->shift + size < SM_LANES) {
        h->shift += size;
    } else { /* a block's last may have fewer slots */
        const uint32_t end = (h->warp / s->block_warps + 1) * s->block_warps;
        h->shift = 0;
        h->warp = h->warp + h->words < end ? h->warp + h->words : end;
    }
    while (h->warp < s->nwarps && !s->warps[h->warp].w)
        h->warp = (h->warp / s->block_warps + 1) * s->block_warps;
    return h->warp < s->nwarps;
}

/* ---- whom those who are held wait for ---- */

static void add_tally(struct sm_waits *w, uint32_t place, uint32_t threads) {
    uint32_t k = 0;
    while (k < w->ntally && w->tally[k].place != place) k++;
    if (k == MECH_WIDEST) return;
    if (k == w->ntally) w->tally[w->ntally++] = (struct tally){place, 0};
    w->tally[k].threads += threads;
}

/* Held threads parted from those of their home warp that can run; if none can, from those at a barrier, or from each other. */
static void blame_home(struct sm *s, const struct sm_home *h) {
    uint32_t held[SM_HOME_WORDS], waiting[SM_HOME_WORDS], busy[SM_HOME_WORDS], any_busy = 0, any_waiting = 0,
                                                                               n;
    for (uint32_t w = 0; w < h->words; w++) {
        split_word(s, h, w, &waiting[w], &held[w]);
        busy[w] = home_has(s, h, w) ? s->waits->busy[h->warp + w] >> h->shift : 0;
        busy[w] &= lanes_below(s->mech->env.warp_size);
        any_busy |= busy[w];
        any_waiting |= waiting[w];
    }
    const struct sm_charged *c = charge_lanes(s, h,
                                              any_busy      ? busy
                                              : any_waiting ? waiting
                                                            : held,
                                              held, held, &n);
    for (uint32_t k = 0; k < n; k++)
        if (c[k].place != ACCOUNT_NONE) add_tally(s->waits, c[k].place, c[k].parted);
}

static uint32_t find_cause(struct sm *s, uint32_t sched) {
    struct sm_waits *w = s->waits;
    struct sm_home h = {0};
    struct tally best = {charge_pc(s, s->env.grid->func->entry), 0};
    w->ntally = 0;
    while (next_home(s, &h))
        if (home_sched(s, &h) == sched) blame_home(s, &h);
    for (uint32_t k = 0; k < w->ntally; k++) {
        const struct tally *t = &w->tally[k];
        if (t->threads > best.threads || (t->threads == best.threads && t->place < best.place)) best = *t;
    }
    return best.place;
}

/* ---- verdicts ---- */

static void waits_judge(struct sm *s) {
    struct sm_waits *w = s->waits;
    struct sm_home h = {0};
    for (uint32_t k = 0; k < s->schedulers; k++)
        w->sched[k] = (struct verdict){.why = WAIT_NOBODY, .last = w->sched[k].last};
    memset(w->busy, 0, s->nwarps * sizeof *w->busy);
    ask_ops(s);
    ask_splits(s);
    while (next_home(s, &h)) ask_home(s, &h);
    for (uint32_t k = 0; k < s->schedulers; k++) {
        struct verdict *v = &w->sched[k];
        uint32_t most = 0;
        for (int r = 0; r < SM_WAITS; r++)
            if (v->threads[r] > most) {
                most = v->threads[r];
                v->why = (enum sm_wait)r;
            }
        if (v->why == WAIT_RECONVERGENCE) v->cause = find_cause(s, k);
    }
    w->known = true;
}

void waits_stalled(struct sm *s, uint32_t sched, uint64_t cycles) {
    s->env.account->waits[WAIT_STRUCTURE] += cycles;
    sm_cost(s, s->waits->sched[sched].last)->waits[WAIT_STRUCTURE] += cycles;
}

void waits_count(struct sm *s, uint32_t sched, uint64_t cycles) {
    struct sm_waits *w = s->waits;
    struct sm_account *a = s->env.account;
    const struct verdict *v = &w->sched[sched];
    if (s->sched[sched].stalled) {
        waits_stalled(s, sched, cycles);
        return;
    }
    if (!w->known) waits_judge(s);
    a->waits[v->why] += cycles;
    if (v->why == WAIT_RECONVERGENCE)
        sm_cost(s, v->cause)->waits_caused += cycles;
    else if (v->why != WAIT_NOBODY)
        sm_cost(s, v->place[v->why])->waits[v->why] += cycles;
}
