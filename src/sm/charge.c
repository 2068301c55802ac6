/* Idle lanes charged to their cause. For every pair of threads of a home warp the SM keeps where the two last parted: the
 * instruction, with its calls, at whose commit they went different ways. It is written by means every mechanism has in
 * common, so none has to care:
 *
 * - an outcome that sends threads of one home warp different ways: to different PCs, to exit, to wait while others go on;
 * - the same of threads that are not together, at a branch to which both come by the same path, one after the other (paths.c);
 * - a load whose first threads go on with their data before the others;
 * - a barrier or .sync that releases some and not others;
 * - a mechanism that takes a split apart for reasons of its own (split_divide), at the instruction it stands at: under MIMD
 *   threads part so at the instruction that one can issue and the other cannot.
 *
 * An idle lane of an issue is charged to the place where its thread last parted from any of the running threads of its home
 * warp: had that not happened, it would be with them. Where two never parted, a mechanism has regrouped them and given the
 * place of one to a third thread (DWF): it is the branch at which a running thread last saw others go another way, so that
 * there were places to give, or before any branch the instruction being issued. Exited threads are charged likewise: the
 * place is where they left while others went on, be it the exit itself or the branch towards it.
 *
 * What lanes were charged to is remembered for each home warp as long as the same threads run and none part. */
#include <string.h>

#include "mech/lib/split.h"
#include "sm/impl.h"

/* What the idle lanes of a home warp were charged to when last asked. */
struct list {
    uint64_t stamp; /* of the last parting then; 0: nothing is known */
    uint32_t running[SM_HOME_WORDS], idle[SM_HOME_WORDS], live[SM_HOME_WORDS];
    uint32_t n;
    struct sm_charged *item; /* a lane each at the most */
};

struct sm_charge {
    uint32_t size, homes; /* size: lanes of a machine warp */
    uint64_t stamp;       /* counts partings */
    uint64_t **last;      /* by home: [lane][lane], stamp << 32 | place; NULL: no thread was there yet */
    uint64_t *latest;     /* by home: stamp of its last parting */
    struct list *list;    /* by home */
};

/* ---- places ---- */

uint32_t charge_pc(const struct sm *s, uint32_t pc) {
    return s->env.account_pc ? s->env.account_pc[pc] : pc;
}

/* The place a thread's calls lead to, when it is at pc: the chain of calls from the kernel down. */
uint32_t charge_place(const struct sm *s, uint32_t warp, uint32_t lane, uint32_t pc) {
    struct sm_account *a = s->env.account;
    const struct exec_warp *w = s->warps[warp].w;
    uint32_t up = ACCOUNT_NONE, func = ACCOUNT_NONE;
    for (uint32_t k = 0; k < w->depth[lane]; k++) {
        const struct exec_frame *f = &w->stack[lane].frame[k];
        uint32_t again = up, in = func;
        while (again != ACCOUNT_NONE && in != f->func) {
            const struct sm_place p = a->places.v[again];
            again = p.up;
            in = p.func;
        }
        up = again != ACCOUNT_NONE ? again : account_place(a, charge_pc(s, f->ret - 1), up, func);
        func = f->func;
    }
    return account_place(a, charge_pc(s, pc), up, func);
}

uint32_t charge_split_place(const struct sm *s, const struct mech_split *split) {
    if (!split->set.n) return charge_pc(s, split->pc);
    const struct mech_piece p = split->set.p[0];
    return charge_place(s, p.warp, (uint32_t)__builtin_ctz(p.mask), split->pc);
}

/* Threads that went on with their data before the others of a load come to the next instruction without a commit. */
uint32_t charge_issued(struct sm *s, const struct mech_split *split) {
    apart_issued(s, &split->set);
    paths_arrive(s, &split->set, split->pc);
    return charge_split_place(s, split);
}

/* ---- making ---- */

static void hear_divided(void *sm, const struct mech_split *rest, const struct mech_split *part) {
    struct sm *s = sm;
    const struct mech_set *sets[] = {&rest->set, &part->set};
    charge_parted(s, charge_split_place(s, part), sets, 2);
}

void charge_init(struct sm *s) {
    struct pages *p = s->env.grid->pages;
    struct sm_charge *c = PAGES_NEW(p, struct sm_charge, 1);
    c->size = s->mech->env.warp_size;
    c->homes = split_homes(&s->mech->env);
    c->last = PAGES_NEW(p, uint64_t *, c->homes);
    c->latest = PAGES_NEW(p, uint64_t, c->homes);
    c->list = PAGES_NEW(p, struct list, c->homes);
    s->env.account->width = (uint32_t)s->o->sm.simd_width;
    s->charge = c;
    s->mech->env.divided = hear_divided;
    paths_init(s);
    apart_init(s);
}

void charge_block(struct sm *s, const struct mech_block *b) {
    struct sm_charge *c = s->charge;
    struct split_home home;
    const size_t pairs = (size_t)c->size * c->size;
    for (uint32_t k = 0; split_home_at(s->mech->pool, b, k, &home); k++) {
        uint64_t **last = &c->last[home.id];
        struct list *list = &c->list[home.id];
        if (*last)
            memset(*last, 0, pairs * sizeof **last);
        else
            *last = PAGES_NEW(s->env.grid->pages, uint64_t, pairs);
        if (!list->item) list->item = PAGES_NEW(s->env.grid->pages, struct sm_charged, c->size);
        list->stamp = 0;
    }
    paths_block(s, b);
    apart_block(s, b);
}

/* ---- partings ---- */

/* Threads of two pieces, where they have a home in common. */
static void part_pieces(const struct sm *s, const struct mech_piece *a, const struct mech_piece *b,
                        uint64_t what) {
    struct sm_charge *c = s->charge;
    const struct split_pool *pool = s->mech->pool;
    const uint32_t first = pool->first[a->warp], size = c->size;
    if (pool->first[b->warp] != first || !b->mask) return;
    const uint32_t at = (a->warp - first) * SM_LANES, bt = (b->warp - first) * SM_LANES;
    FOR_LANES(i, a->mask) {
        const uint32_t home = split_home_of(pool, a->warp, i), lane = (at + i) & (size - 1);
        const uint32_t theirs = b->mask & lanes_beside(i, size); /* all, of wide warps */
        uint64_t *last = c->last[home];
        FOR_LANES(j, theirs) {
            const uint32_t other = (bt + j) & (size - 1);
            last[(size_t)lane * size + other] = last[(size_t)other * size + lane] = what;
        }
        if (theirs) c->latest[home] = c->stamp;
    }
}

void charge_parted(struct sm *s, uint32_t place, const struct mech_set *const *sets, uint32_t n) {
    const uint64_t what = ++s->charge->stamp << 32 | place;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = i + 1; k < n; k++)
            for (uint32_t p = 0; p < sets[i]->n; p++)
                for (uint32_t q = 0; q < sets[k]->n; q++)
                    part_pieces(s, &sets[i]->p[p], &sets[k]->p[q], what);
}

void charge_lanes_parted(struct sm *s, uint32_t home, uint32_t word, uint32_t lanes, const uint32_t *others,
                         uint64_t parting) {
    struct sm_charge *c = s->charge;
    const uint32_t size = c->size;
    uint64_t *last = c->last[home];
    for (uint32_t w = 0; w * SM_LANES < size; w++) FOR_LANES(j, others[w])
    FOR_LANES(i, lanes) {
        const uint32_t lane = word * SM_LANES + i, other = w * SM_LANES + j;
        last[(size_t)lane * size + other] = last[(size_t)other * size + lane] = parting;
    }
    c->latest[home] = c->stamp;
}

void charge_outcome(struct sm *s, uint32_t place) {
    const struct mech_outcome *o = &s->common->outcome;
    const struct mech_set *sets[MECH_SIDES + 2];
    uint32_t n = 0;
    for (uint32_t k = 0; k < o->nsides; k++) sets[n++] = &o->side[k].set;
    if (o->exited.n) sets[n++] = &o->exited;
    if (o->waiting.n) sets[n++] = &o->waiting;
    if (n > 1) charge_parted(s, place, sets, n);
    apart_diverged(s);
    paths_commit(s, ++s->charge->stamp << 32 | place);
}

/* Threads of `set`, that waited at pc - 1, have been released; others of their warps wait on. */
void charge_released(struct sm *s, const struct mech_set *set, uint32_t pc) {
    if (!set->n) return;
    paths_arrive(s, set, pc);
    const uint32_t first = (uint32_t)__builtin_ctz(set->p[0].mask);
    const uint64_t what = ++s->charge->stamp << 32 | charge_place(s, set->p[0].warp, first, pc - 1);
    const uint32_t span = s->charge->size > SM_LANES ? s->charge->size / SM_LANES : 1;
    for (uint32_t k = 0; k < set->n; k++) {
        const uint32_t from = s->mech->pool->first[set->p[k].warp];
        const uint32_t end = (s->warps[from].block + 1) * s->block_warps;
        for (uint32_t w = from; w < from + span && w < end; w++) {
            const struct mech_piece rest = {w, s->warps[w].waiting};
            part_pieces(s, &set->p[k], &rest, what);
        }
    }
}

/* ---- charging ---- */

/* The last parting of a lane's thread from any of the running ones; 0: it never parted from them. */
static uint64_t last_parting(const struct sm_charge *c, uint32_t home, const uint32_t *running,
                             uint32_t words, uint32_t lane) {
    const uint64_t *last = c->last[home] + (size_t)lane * c->size;
    uint64_t most = 0;
    for (uint32_t w = 0; w < words; w++)
        FOR_LANES(l, running[w]) if (last[w * SM_LANES + l] > most) most = last[w * SM_LANES + l];
    return most;
}

static void add_charge(struct list *l, uint32_t place, bool live) {
    uint32_t k = 0;
    while (k < l->n && l->item[k].place != place) k++;
    if (k == l->n) l->item[l->n++] = (struct sm_charged){.place = place};
    *(live ? &l->item[k].parted : &l->item[k].exited) += 1;
}

static bool charge_same(const uint32_t *a, const uint32_t *b, uint32_t words) {
    return !memcmp(a, b, words * sizeof *a);
}

const struct sm_charged *charge_lanes(const struct sm *s, const struct sm_home *h, const uint32_t *running,
                                      const uint32_t *idle, const uint32_t *live, uint32_t *n) {
    const struct sm_charge *c = s->charge;
    const uint32_t home = split_home_of(s->mech->pool, h->warp, h->shift), words = h->words;
    struct list *l = &c->list[home];
    *n = l->n;
    if (l->stamp == c->latest[home] + 1 && charge_same(l->running, running, words) &&
        charge_same(l->idle, idle, words) && charge_same(l->live, live, words))
        return l->item;
    l->stamp = c->latest[home] + 1;
    memcpy(l->running, running, words * sizeof *running);
    memcpy(l->idle, idle, words * sizeof *idle);
    memcpy(l->live, live, words * sizeof *live);
    l->n = 0;
    for (uint32_t w = 0; w < words; w++) FOR_LANES(b, idle[w]) {
            const uint64_t what = last_parting(c, home, running, words, w * SM_LANES + b);
            add_charge(l, what ? (uint32_t)what : ACCOUNT_NONE, live[w] >> b & 1);
        }
    *n = l->n;
    return l->item;
}
