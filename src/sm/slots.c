/* Every lane slot of every issue in exactly one kind. An issue has a slot for each lane of the machine's warp. A thread that
 * runs has one: it is active, or its guard is false. The others are idle, and each is named after the thread that would be
 * there had threads never parted:
 *
 * - If all running threads are of one home warp, the lane's own thread: it does not exist (a ragged block), has exited, or
 *   has parted from the running ones (it is on another path, waits for them, or has gone ahead).
 * - The packet may take fewer beats than a warp has lanes for (large warps): the lowest idle lanes are meant.
 * - Of a packet with threads of several home warps (dynamic warp formation, MIMD), the home warp of its first thread stands
 *   for all. Home lanes of running threads are taken, and the idle slots are the lanes left over; where threads have left
 *   their home lanes there may be more of those than slots, and the lowest are meant. A thread of the home warp that runs
 *   has its home lane taken, so no idle slot is named after it.
 * - A mechanism may lay the threads of each warp out on the lanes in another way (SWI's shuffles). What is taken is then the
 *   lane, and the thread that would be there is the first warp's with that lane. */
#include <string.h>

#include "mech/lib/split.h"
#include "sm/impl.h"

static inline struct mech_piece first_piece(const struct mech_packet *p) {
    struct mech_split *const *split = p->split;
    while (!(*split)->set.n) split++;
    return (*split)->set.p[0];
}

/* The home warp of the packet's first thread. */
static inline struct sm_home first_home(const struct sm *s) {
    const struct mech_piece p = first_piece(&s->common->packet);
    const uint32_t size = s->mech->env.warp_size;
    if (size < SM_LANES) return (struct sm_home){p.warp, (uint32_t)__builtin_ctz(p.mask) & ~(size - 1), 1};
    return (struct sm_home){s->mech->pool->first[p.warp], 0, size / SM_LANES};
}

/* Home lanes of a piece that are taken: its lanes, of narrow warps one part above the other. */
static inline uint32_t home_lanes(uint32_t mask, uint32_t size) {
    for (uint32_t n = SM_LANES / 2; n >= size; n /= 2) mask |= mask >> n;
    return mask & lanes_below(size);
}

/* How the mechanism lays out the threads of a home warp: thread l on lane l ^ this. */
static uint32_t layout(const struct sm *s, uint32_t warp, uint32_t lane) {
    const struct mech *m = s->mech;
    return m->ops->shuffle ? m->ops->shuffle(m, split_home_of(m->pool, warp, lane)) : 0;
}

/* ---- parts of a warp ---- */

/* Lanes of word `word` of a machine warp's lanes that are in part k; of warps narrower than a word, of all in it. */
static uint32_t part_lanes(uint32_t size, uint32_t word, uint32_t width, uint32_t k) {
    if (width >= SM_LANES) return word / (width / SM_LANES) == k ? ~0u : 0;
    if (size > SM_LANES && k * width / SM_LANES != word) return 0;
    uint32_t lanes = lanes_below(width) << k * width % SM_LANES;
    for (uint32_t by = size; by < SM_LANES; by *= 2) lanes |= lanes << by;
    return lanes;
}

uint32_t slots_part(const struct sm *s, uint32_t warp, uint32_t mask, uint32_t width, uint32_t k) {
    const struct mech *m = s->mech;
    const uint32_t size = m->env.warp_size, word = size > SM_LANES ? warp - m->pool->first[warp] : 0;
    if (!m->ops->shuffle) return mask & part_lanes(size, word, width, k);
    uint32_t here = 0;
    for (uint32_t left = mask; left;) {
        const uint32_t home = split_next_part(m->pool, &left);
        const uint32_t by = layout(s, warp, (uint32_t)__builtin_ctz(home));
        here |= home & part_lanes(size, word, width, k ^ by / width);
    }
    return here;
}

static bool has_part(const struct sm *s, uint32_t width, uint32_t k) {
    const struct mech_packet *p = &s->common->packet;
    for (uint32_t i = 0; i < p->n; i++)
        for (uint32_t j = 0; j < p->split[i]->set.n; j++)
            if (slots_part(s, p->split[i]->set.p[j].warp, p->split[i]->set.p[j].mask, width, k)) return true;
    return false;
}

/* However a home warp is laid out, as many of its parts have a thread. Threads that have left their home lanes (DWF without
 * lane conflicts, MIMD) may need more parts than their homes do. */
uint32_t slots_vacant(const struct sm *s, uint32_t threads) {
    const struct mech_packet *p = &s->common->packet;
    const uint32_t width = (uint32_t)s->o->sm.simd_width, parts = s->mech->env.warp_size / width;
    const uint32_t least = (threads + width - 1) / width;
    uint32_t n = 0;
    if (p->beats) return 0; /* none is without threads */
    for (uint32_t k = 0; k < parts; k++) n += has_part(s, width, k);
    return parts - (n < least ? least : n);
}

/* ---- idle lanes ---- */

/* h: the home warp in whose lanes they are counted. */
static void take_lanes(const struct sm *s, const struct sm_home *h, const struct mech_set *set,
                       uint32_t *taken) {
    const uint32_t size = s->mech->env.warp_size;
    const uint32_t *first = s->mech->pool->first;
    for (uint32_t k = 0; k < set->n; k++) {
        const struct mech_piece p = set->p[k];
        const uint32_t by = layout(s, p.warp, (uint32_t)__builtin_ctz(p.mask)) ^ layout(s, h->warp, h->shift);
        const uint32_t word = size > SM_LANES ? p.warp - first[p.warp] : 0;
        taken[word ^ by / SM_LANES] |= (uint32_t)bits_exchange(home_lanes(p.mask, size), by % SM_LANES);
    }
}

/* The lowest n of these lanes; returns how many that are. */
static uint32_t lowest(uint32_t *lanes, uint32_t n) {
    uint32_t here = bits_count(*lanes);
    for (; here > n; here--) *lanes &= ~(1u << (31 - (uint32_t)__builtin_clz(*lanes)));
    return here;
}

/* The home lanes that n idle slots stand for; returns how many there are: fewer where a packet took more beats than its
 * warp has lanes for. */
static uint32_t idle_lanes(const struct sm *s, const struct sm_home *h, uint32_t n, uint32_t *idle) {
    const struct mech_packet *p = &s->common->packet;
    uint32_t taken[SM_HOME_WORDS] = {0}, found = 0;
    for (uint32_t k = 0; k < p->n; k++) take_lanes(s, h, &p->split[k]->set, taken);
    for (uint32_t w = 0; w < h->words; w++) {
        idle[w] = ~taken[w] & lanes_below(s->mech->env.warp_size);
        found += lowest(&idle[w], n - found);
    }
    return found;
}

/* Lanes of the home warp that run in the packet. */
static void running_lanes(const struct sm *s, const struct sm_home *h, uint32_t *running) {
    const struct mech_packet *p = &s->common->packet;
    const uint32_t all = lanes_below(s->mech->env.warp_size);
    memset(running, 0, h->words * sizeof *running);
    for (uint32_t k = 0; k < p->n; k++)
        for (uint32_t i = 0; i < p->split[k]->set.n; i++) {
            const struct mech_piece at = p->split[k]->set.p[i];
            if (at.warp >= h->warp && at.warp - h->warp < h->words)
                running[at.warp - h->warp] |= at.mask >> h->shift & all;
        }
}

/* To the cause of each, and to the instruction that suffers it. */
static void charge_idle(struct sm *s, const struct sm_home *h, const uint32_t *idle, const uint32_t *live,
                        uint32_t place) {
    uint32_t running[SM_HOME_WORDS], n;
    running_lanes(s, h, running);
    const struct sm_charged *c = charge_lanes(s, h, running, idle, live, &n);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t to = c[k].place;
        if (to == ACCOUNT_NONE) to = paths_decided(s, h, running);
        struct sm_cost *cause = sm_cost(s, to == ACCOUNT_NONE ? place : to);
        cause->caused[LANE_PARTED] += c[k].parted;
        cause->caused[LANE_EXITED] += c[k].exited;
    }
}

static void count_kinds(struct sm *s, uint32_t place, uint32_t absent, uint32_t exited, uint32_t parted) {
    s->stats.lane.absent += absent;
    s->stats.lane.exited += exited;
    s->stats.lane.parted += parted;
    if (!s->charge) return;
    struct sm_cost *c = sm_cost(s, place);
    c->lanes[LANE_ABSENT] += absent;
    c->lanes[LANE_EXITED] += exited;
    c->lanes[LANE_PARTED] += parted;
}

static __attribute__((noinline)) void count_idle(struct sm *s, uint32_t n, uint32_t place) {
    const struct sm_home home = first_home(s), *h = &home;
    uint32_t idle[SM_HOME_WORDS], there[SM_HOME_WORDS], live[SM_HOME_WORDS], exited = 0;
    uint32_t absent = n - idle_lanes(s, h, n, idle);
    for (uint32_t w = 0; w < h->words; w++) {
        const struct sm_warp *at = &s->warps[h->warp + w];
        const bool has = home_has(s, h, w);
        there[w] = idle[w] & (has ? at->exist >> h->shift : 0);
        live[w] = idle[w] & (has ? at->w->live >> h->shift : 0);
        absent += bits_count(idle[w] & ~there[w]);
        exited += bits_count(there[w] & ~live[w]);
    }
    if (s->charge) charge_idle(s, h, there, live, place);
    count_kinds(s, place, absent, exited, n - absent - exited);
}

/* Lanes of the running threads; *twice: those that two of them have. */
static inline uint32_t slots_running(const struct mech_packet *p, uint32_t *twice) {
    uint32_t taken = 0;
    *twice = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        const struct mech_set *set = &p->split[i]->set;
        for (const struct mech_piece *at = set->p; at < set->p + set->n; at++) {
            *twice |= taken & at->mask;
            taken |= at->mask;
        }
    }
    return taken;
}

/* Does count_idle's work where a warp has 32 threads and nothing is charged. */
static inline void count_idle_plain(struct sm *s, uint32_t n) {
    const struct mech_packet *p = &s->common->packet;
    const struct sm_warp *w = &s->warps[first_piece(p).warp];
    uint32_t gone = ~w->w->live, twice, absent = 0, exited = 0;
    if (gone) {
        uint32_t idle = ~slots_running(p, &twice);
        if (twice && gone & idle) lowest(&idle, n);
        gone &= idle;
        if (w->absent) absent = bits_count(gone & ~w->exist);
        if (gone) exited = bits_count(gone) - absent;
    }
    s->stats.lane.absent += absent;
    s->stats.lane.exited += exited;
    s->stats.lane.parted += n - absent - exited;
}

/* Counts idle lanes of a machine warp narrower than 32 threads (HARP's are as wide as the SIMD unit): several share a
 * word. */
static inline void count_idle_narrow(struct sm *s, uint32_t n) {
    const struct sm_home h = first_home(s);
    const struct sm_warp *w = &s->warps[h.warp];
    const uint32_t size = s->mech->env.warp_size;
    uint32_t twice, absent = 0, exited = 0;
    uint32_t idle = ~home_lanes(slots_running(&s->common->packet, &twice), size) & lanes_below(size);
    uint32_t gone = idle & ~(w->w->live >> h.shift);
    if (gone) {
        lowest(&idle, n);
        gone &= idle;
        if (w->absent) absent = bits_count(gone & ~(w->exist >> h.shift));
        exited = bits_count(gone) - absent;
    }
    s->stats.lane.absent += absent;
    s->stats.lane.exited += exited;
    s->stats.lane.parted += n - absent - exited;
}

void slots_count(struct sm *s, uint32_t n, uint32_t place) {
    const struct mech_packet *p = &s->common->packet;
    const bool as_laid = !p->beats && (p->n == 1 || !s->mech->ops->shuffle);
    if (as_laid && s->plain_slots)
        count_idle_plain(s, n);
    else if (as_laid && !s->charge && s->mech->env.warp_size < SM_LANES)
        count_idle_narrow(s, n);
    else
        count_idle(s, n, place);
}
