/* The splits of a warp under SBI and SWI: which threads run together, and what waits for what.
 *
 * A warp's threads are in *contexts* {PC, mask} sorted by key, the deepest call and then the lowest PC first, as under
 * min(SP:PC). The two lowest are hot (CPC1 and CPC2 of the paper; SWI by itself has one) and are splits of the pool. The
 * others lie in the cold table (mech/lib/sorted.h), in no split. Contexts with one key are one: that is how paths meet. A hot
 * split that is under way keeps its place and the key of its instruction until it is committed, and no thread joins it
 * meanwhile.
 *
 * The constraint: a SYNC mark at a reconvergence point R names the start D of its region (cfg/form.h). A split that has come to
 * R waits, before it executes the mark, while another has its PC in [D, R). The one it waits for has the lower key, so
 * the split with the lowest key of a warp never waits, and the constraint by itself cannot make a warp stand still.
 * Threads at a barrier do not count: they might wait there for those at R.
 *
 * Choices where we know of no text: a split of a deeper call holds all threads at a SYNC mark of the same warp, wherever it was
 * called from; the cold table is sorted at once (in hardware it takes cycles in the background). */
#include "base/alloc.h"
#include "base/bits.h"
#include "mech/lib/order.h"
#include "mech/lib/set.h"
#include "mech/sbi/sbi.h"

/* ---- lanes ---- */

static uint32_t shuffle_of(const struct mech *m, uint32_t home) {
    const struct sbi *f = m->self;
    const uint32_t all = m->env.warp_size - 1, number = split_rank(m->pool, home);
    switch ((enum sbi_lanes)f->lanes) {
    case SBI_IDENTITY: return 0;
    case SBI_MIRROR_ODD: return number & 1 ? all : 0;
    case SBI_MIRROR_HALF: return number >= f->half ? all : 0;
    case SBI_XOR: return number & all;
    case SBI_XOR_REV: break;
    }
    uint32_t reversed = 0;
    for (uint32_t bit = 1, to = m->env.warp_size >> 1; to; bit <<= 1, to >>= 1)
        reversed |= number & bit ? to : 0;
    return reversed;
}

uint32_t sbi_shuffle(const struct mech *m, uint32_t home) {
    const struct sbi *f = m->self;
    return f->home[home].shuffle;
}

void sbi_lanes_of(const struct mech *m, const struct sbi_home *h, const struct mech_set *set,
                  struct sbi_lane_set *out) {
    const struct sbi *f = m->self;
    uint64_t word[SBI_WORDS] = {0};
    for (uint32_t k = 0; k < set->n; k++) {
        const struct mech_piece p = set->p[k];
        const uint32_t lane = split_lane_of(m->pool, p.warp, (uint32_t)__builtin_ctz(p.mask));
        word[lane / 64] |= ((uint64_t)(p.mask >> __builtin_ctz(p.mask))) << lane % 64;
    }
    for (uint32_t k = 0; k < f->words; k++)
        out->w[k ^ h->shuffle / 64] = bits_exchange(word[k], h->shuffle % 64);
}

/* ---- who may issue ---- */

bool sbi_held(const struct mech *m, uint64_t key, uint64_t lower) {
    const struct sbi *f = m->self;
    const struct ir_insn *i = &m->env.module->code.v[sorted_place(key)];
    if (!f->constraint || i->op != IR_MARK || i->sub != IR_MK_SYNC || i->target == IR_NOPC) return false;
    if (sorted_depth(lower) != sorted_depth(key)) return true;
    return sorted_place(lower) >= i->target && sorted_place(lower) < sorted_place(key);
}

static void put_in_order(struct mech *m, struct mech_split *s, bool may) {
    if (may && !order_holds(s))
        order_add(m->order, s);
    else if (!may && !order_parked(s))
        order_remove(m->order, s);
}

void sbi_note_second(struct mech *m, struct sbi_home *h, uint32_t passive, uint32_t waits) {
    struct sbi *f = m->self;
    f->passive += passive - h->passive;
    f->waits += waits - h->waits;
    h->passive = passive;
    h->waits = waits;
}

/* The hot splits have their threads and keys. */
static void sbi_splits_schedule(struct mech *m, struct sbi_home *h) {
    const struct sbi *f = m->self;
    if (!h->hot[0] || !h->hot[1]) {
        h->first = !h->hot[0];
        h->held = false;
        if (h->passive | h->waits) sbi_note_second(m, h, 0, 0);
        if (sbi_first(h) && !sbi_busy(sbi_first(h))) put_in_order(m, sbi_first(h), true);
        return;
    }
    /* If both keys are equal, the split under way counts as lower: it is ahead by an instruction. */
    h->first = h->key[1] < h->key[0] || (h->key[1] == h->key[0] && sbi_busy(h->hot[1]));
    struct mech_split *first = sbi_first(h), *second = sbi_second(h);
    h->held = sbi_held(m, h->key[!h->first], h->key[h->first]);
    if (!sbi_busy(first)) put_in_order(m, first, true);
    if (sbi_busy(second)) {
        sbi_note_second(m, h, 0, 0);
        return;
    }
    put_in_order(m, second, f->alone && !h->held);
    if (!f->alone && !h->held) m->env.when(m->env.sm, second); /* its instruction is fetched */
    sbi_note_second(m, h, h->held || f->alone ? 0 : second->threads, h->held ? second->threads : 0);
}

/* ---- hot and cold ---- */

/* Lists these threads, which are bound to no split, as able to run from `key`. */
static void sbi_splits_stand(struct mech *m, struct sbi_home *h, const struct mech_set *set, uint64_t key) {
    struct sbi *f = m->self;
    split_unbind(m->pool, set);
    sorted_stand(&f->sorted, &h->cold, set, key);
}

/* A hot split that is not busy goes back among the others. */
static void cool(struct mech *m, struct sbi_home *h, uint32_t k) {
    struct mech_split *s = h->hot[k];
    order_remove(m->order, s);
    sbi_splits_stand(m, h, &s->set, h->key[k]);
    s->set.n = s->threads = 0;
}

/* The lowest of the cold table becomes hot split k, which has no threads or is not there. */
static void heat(struct mech *m, struct sbi_home *h, uint32_t k) {
    struct sbi *f = m->self;
    struct mech_set set;
    h->key[k] = h->cold.limit;
    sorted_take(&f->sorted, &h->cold, &set);
    if (!h->hot[k]) {
        struct mech_split *s = h->hot[k] = split_new(m, h->sched, 0);
        s->age = h->age;
        s->own[SBI_HOME] = (uint32_t)(h - f->home);
        s->own[SBI_SLOT] = k;
    }
    h->hot[k]->pc = sorted_place(h->key[k]);
    split_assign(m->pool, h->hot[k], &set);
    sbi_counts(m)->merges += sorted_meet(m, &f->sorted, &set, h->hot[k]->pc);
    if (f->others) sbi_lanes_of(m, h, &set, &h->lanes[k]);
}

/* ---- the scheduler's list ---- */

static void sbi_splits_renumber(struct sbi *f, struct sbi_sched *q, uint32_t from) {
    for (uint32_t k = from; k < q->n; k++) f->home[q->home[k]].member = k;
}

static void join_list(struct sbi *f, uint32_t home) {
    struct sbi_sched *q = &f->sched[f->home[home].sched];
    uint32_t at = q->n++;
    for (; at && q->home[at - 1] > home; at--) q->home[at] = q->home[at - 1];
    q->home[at] = home;
    sbi_splits_renumber(f, q, at);
}

static void leave_list(struct sbi *f, const struct sbi_home *h) {
    struct sbi_sched *q = &f->sched[h->sched];
    q->n--;
    for (uint32_t k = h->member; k < q->n; k++) q->home[k] = q->home[k + 1];
    sbi_splits_renumber(f, q, h->member);
}

/* ---- going on ---- */

/* Threads have come to the cold table, or hot splits have lost theirs: the lowest keys become hot. */
static void arrange(struct mech *m, struct sbi_home *h) {
    struct sbi *f = m->self;
    const uint32_t slots = f->branches ? SBI_HOT : 1;
    for (uint32_t k = 0; k < slots; k++) {
        struct mech_split *s = h->hot[k];
        if (s && s->threads && !sbi_busy(s) && h->cold.limit <= h->key[k]) cool(m, h, k);
    }
    for (uint32_t k = 0; k < slots; k++) {
        struct mech_split *s = h->hot[k];
        if (s && (s->threads || sbi_busy(s))) continue;
        if (h->cold.standing.n) {
            heat(m, h, k);
        } else if (s) {
            split_free(m, s);
            h->hot[k] = NULL;
        }
    }
    const uint32_t hot = (uint32_t)(h->hot[0] != NULL) + (h->hot[1] != NULL);
    const uint32_t contexts = hot + h->cold.standing.n;
    if (contexts > sbi_counts(m)->contexts_max) sbi_counts(m)->contexts_max = contexts;
    sbi_splits_schedule(m, h);
    if (!contexts && !h->cold.blocked.n) leave_list(f, h);
}

/* Every thread of s is where the outcome says; s is left without threads. */
static void sbi_splits_scatter(struct mech *m, struct sbi_home *h, struct mech_split *s,
                               const struct mech_outcome *o) {
    struct sbi *f = m->self;
    const uint64_t key = h->key[s->own[SBI_SLOT]];
    if (o->exited.n) split_exit(m->pool, s, &o->exited);
    if (o->nsides > 1) sorted_diverge(m, &f->sorted, o);
    if (o->waiting.n) {
        split_unbind(m->pool, &o->waiting);
        sorted_block(&h->cold, &o->waiting, sorted_move(key, o->pc + 1));
    }
    for (uint32_t k = 0; k < o->nsides; k++) {
        const struct mech_side *side = &o->side[k];
        const struct mech_piece p = side->set.p[0];
        const uint32_t depth = o->depth_change
                                   ? m->env.depth(m->env.sm, p.warp, (uint32_t)__builtin_ctz(p.mask))
                                   : sorted_depth(key);
        sbi_splits_stand(m, h, &side->set, sorted_key(depth, side->pc));
    }
    s->set.n = s->threads = 0;
}

/* True if split k can go on at `key` without meeting another split of the warp or passing one in the order of keys. */
static bool sbi_splits_goes_on(const struct sbi_home *h, uint32_t k, uint64_t key) {
    const struct mech_split *other = h->hot[!k];
    return key < h->cold.limit && !(other && h->key[!k] == key && !sbi_busy(other));
}

void sbi_commit(struct mech *m, struct mech_split *s, const struct mech_outcome *o) {
    struct sbi_home *h = sbi_home_of(m, s);
    const uint32_t k = s->own[SBI_SLOT];
    s->in_flight = false;
    if (o->nsides == 1 && !o->exited.n && !o->waiting.n && !o->depth_change) {
        const uint64_t key = sorted_move(h->key[k], o->side[0].pc);
        if (sbi_splits_goes_on(h, k, key)) {
            h->key[k] = key;
            s->pc = o->side[0].pc;
            sbi_splits_schedule(m, h);
            return;
        }
    }
    sbi_splits_scatter(m, h, s, o);
    arrange(m, h);
}

void sbi_unchoose(struct mech *m, struct mech_split *s) {
    struct sbi_home *h = sbi_home_of(m, s);
    const uint32_t k = s->own[SBI_SLOT];
    s->own[SBI_CHOSEN] = false;
    if (sbi_splits_goes_on(h, k, h->key[k])) {
        sbi_splits_schedule(m, h);
        return;
    }
    sbi_splits_stand(m, h, &s->set, h->key[k]);
    s->set.n = s->threads = 0;
    arrange(m, h);
}

void sbi_start(struct mech *m, struct mech_split *s, uint32_t home) {
    struct sbi *f = m->self;
    struct sbi_home *h = &f->home[home];
    const struct mech_piece p = s->set.p[0];
    const uint32_t depth = m->env.depth(m->env.sm, p.warp, (uint32_t)__builtin_ctz(p.mask));
    *h = (struct sbi_home){.hot = {s}, .key = {sorted_key(depth, s->pc)}, .age = s->age, .sched = s->sched};
    h->shuffle = f->others ? shuffle_of(m, home) : 0;
    s->own[SBI_HOME] = home;
    sorted_start(m, &f->sorted, &h->cold, home, &s->set);
    if (f->others) sbi_lanes_of(m, h, &s->set, &h->lanes[0]);
    join_list(f, home);
    sbi_splits_schedule(m, h);
}

void sbi_release(struct mech *m, const struct mech_set *set, uint32_t pc) {
    struct sbi *f = m->self;
    for (int pass = 0; pass < 2; pass++) /* all of a warp stand before the lowest are taken */
        for (uint32_t k = 0; k < set->n; k++)
            for (uint32_t left = set->p[k].mask; left;) {
                const uint32_t warp = set->p[k].warp, lane = (uint32_t)__builtin_ctz(left);
                const uint32_t here = split_next_part(m->pool, &left);
                struct sbi_home *h = &f->home[split_home_of(m->pool, warp, lane)];
                if (pass)
                    arrange(m, h);
                else
                    sorted_unblock(&f->sorted, &h->cold, warp, here, pc);
            }
}
