/* Structured code for people: who is held back, where, in what state, how much storage that is; and the audit, which keeps
 * masks, counters and PCs beside each other and asserts that all three store the same, and what the threads' own branches
 * say. */
#include <inttypes.h>

#include "base/alloc.h"
#include "mech/lib/order.h"
#include "mech/lib/split.h"
#include "mech/structured/structured.h"

/* ---- who waits where ---- */

struct look { /* at levels, innermost first */
    const struct structured_home *h;
    uint32_t way, calls;
    uint32_t conditional, loop; /* masks below */
    uint32_t levels;            /* left so far */
    struct mask seen;           /* active, or found */
    structured_see_fn *see;
    void *user;
};

static void structured_counted(const struct structured_home *h, uint32_t value, struct mask *out) {
    FOR_MASK(t, &h->live) if (h->counters.c[t] == value) out->w[t / 32] |= 1u << t % 32;
}

/* Notes the threads that are active when one level more is left; `stored`: what the mask stack has. */
static void see_level(struct look *l, const struct mask *stored, uint32_t depth, uint32_t pc) {
    struct mask who = {0};
    l->levels++;
    if (l->way == STRUCTURED_MASKS)
        who = *stored;
    else
        structured_counted(l->h, l->levels, &who);
    mask_minus(&who, &l->seen);
    mask_plus(&l->seen, &who);
    if (mask_any(&who)) l->see(l->user, &who, structured_place(depth, pc), l->levels);
}

static void see_open(struct look *l, const struct structured_level *v) {
    const struct structured_masks *k = &l->h->masks;
    const bool masks = l->way == STRUCTURED_MASKS;
    if (v->kind == LEVEL_LOOP) {
        const struct structured_loop *loop = masks ? &k->loop[--l->loop] : NULL;
        see_level(l, masks ? &loop->continued : NULL, l->calls, v->end);
        see_level(l, masks ? &loop->entered : NULL, l->calls, v->end + 1);
        return;
    }
    const bool other = v->kind == LEVEL_IF && !v->second && v->other != IR_NOPC;
    l->calls -= v->kind == LEVEL_CALL;
    see_level(l, masks ? &k->conditional[--l->conditional] : NULL, l->calls,
              v->kind == LEVEL_CALL ? v->pc + 1
              : other               ? v->other + 1
                                    : v->end);
}

static void see_pcs(const struct structured_home *h, structured_see_fn *see, void *user) {
    struct mask left = h->live;
    mask_minus(&left, &h->pcs.active);
    FOR_MASK(t, &left) {
        struct mask one = {0};
        one.w[t / 32] = 1u << t % 32;
        see(user, &one, h->pcs.at[t], 0);
    }
}

void structured_waits(const struct structured_home *h, uint32_t way, structured_see_fn *see, void *user) {
    if (way == STRUCTURED_PCS) {
        see_pcs(h, see, user);
        return;
    }
    struct look l = {.h = h,
                     .way = way,
                     .calls = h->calls,
                     .conditional = h->masks.nconditional,
                     .loop = h->masks.nloop,
                     .seen = h->active,
                     .see = see,
                     .user = user};
    for (uint32_t k = h->n; k-- > 0;) see_open(&l, &h->level[k]);
}

void structured_census(const struct mech *m, struct mech_census *c) {
    const struct structured *w = m->self;
    *c = (struct mech_census){.inactive_path = w->pending, .reconvergence = w->off - w->pending};
}

struct put {
    mech_place_fn *fn;
    void *user;
    uint32_t first;
};

static void put_place(void *user, const struct mask *who, uint64_t place, uint32_t levels) {
    const struct put *p = user;
    (void)levels;
    for (uint32_t k = 0; k < MASK_WORDS; k++)
        if (who->w[k]) p->fn(p->user, p->first + k, who->w[k], (uint32_t)place);
}

void structured_places(const struct mech *m, mech_place_fn *put, void *user) {
    const struct structured *w = m->self;
    FOR_SPLITS(s, m->pool) {
        const struct structured_home *h = &w->home[s->own[STRUCTURED_HOME]];
        struct put p = {put, user, h->first};
        structured_waits(h, w->way, put_place, &p);
    }
}

/* ---- state ---- */

static void print_mask(const struct structured_home *h, const struct mask *mask, struct sb *out) {
    struct mech_set set;
    mask_set(mask, h->first, &set);
    set_print(&set, out);
}

static void print_masks(const struct structured_home *h, struct sb *out) {
    static const char *const name[] = {[LEVEL_IF] = "if", [LEVEL_LOOP] = "loop", [LEVEL_CALL] = "call"};
    uint32_t conditional = 0, loop = 0;
    for (uint32_t k = 0; k < h->n; k++) {
        const struct structured_level *v = &h->level[k];
        sb_add(out, "  %s at %" PRIu32 ": ", name[v->kind], v->pc);
        if (v->kind != LEVEL_LOOP) {
            print_mask(h, &h->masks.conditional[conditional++], out);
        } else {
            print_mask(h, &h->masks.loop[loop].entered, out);
            sb_add(out, " continued ");
            print_mask(h, &h->masks.loop[loop++].continued, out);
        }
        sb_add(out, "\n");
    }
}

/* A number for each thread of the warp, "-" for one that is gone. */
static void print_counters(const struct mech *m, const struct structured_home *h, struct sb *out) {
    const uint32_t w = m->env.warp_size, from = w < 32 ? h->run->own[STRUCTURED_HOME] * w % 32 : 0;
    sb_add(out, "  counters");
    for (uint32_t t = from; t < from + w; t++)
        if (h->live.w[t / 32] >> t % 32 & 1)
            sb_add(out, " %" PRIu32, h->counters.c[t]);
        else
            sb_add(out, " -");
    sb_add(out, "\n");
}

/* The threads that wait, by PC. */
static void print_pcs(const struct structured_home *h, struct sb *out) {
    struct mask left = h->live;
    mask_minus(&left, &h->pcs.active);
    FOR_MASK(t, &left) {
        struct mask here = {0};
        bool first = true;
        FOR_MASK(u, &left) {
            if (h->pcs.at[u] != h->pcs.at[t]) continue;
            first &= u >= t;
            here.w[u / 32] |= 1u << u % 32;
        }
        if (!first) continue;
        sb_add(out, "  pc %" PRIu32 " ", (uint32_t)h->pcs.at[t]);
        print_mask(h, &here, out);
        sb_add(out, "\n");
    }
}

void structured_state(const struct mech *m, struct sb *out) {
    const struct structured *w = m->self;
    FOR_SPLITS(s, m->pool) {
        const struct structured_home *h = &w->home[s->own[STRUCTURED_HOME]];
        sb_add(out, "warp %" PRIu32 ": ", s->own[STRUCTURED_HOME]);
        split_print(s, out);
        if (mask_any(&h->waiting)) {
            sb_add(out, ", waiting at a barrier ");
            print_mask(h, &h->waiting, out);
        }
        sb_add(out, "\n");
        if (w->way == STRUCTURED_MASKS) print_masks(h, out);
        if (w->way == STRUCTURED_COUNTS) print_counters(m, h, out);
        if (w->way == STRUCTURED_PCS) print_pcs(h, out);
    }
}

/* ---- storage ---- */

enum { PC_BITS = 32 };

/* What stores activity is O(n), O(log n) and O(1) in the number of levels. */
uint64_t structured_bits(const struct mech *m, uint32_t levels) {
    const struct structured *w = m->self;
    const uint64_t threads = m->env.warp_size;
    switch (w->way) {
    case STRUCTURED_MASKS: return threads * (1 + (uint64_t)levels);
    case STRUCTURED_COUNTS: return threads * bits_for((uint64_t)levels + 1);
    default: return threads * PC_BITS;
    }
}

void structured_storage(const struct mech *m, struct mech_storage *out) {
    static const char *const name[] = {
        [STRUCTURED_MASKS] = "masks", [STRUCTURED_COUNTS] = "counters", [STRUCTURED_PCS] = "thread_pc"};
    const struct structured *w = m->self;
    const uint64_t fit = (uint64_t)m->env.warps * 32 / m->env.warp_size, warps = fit ? fit : 1;
    const uint32_t levels = structured_params(m)->depth;
    const uint64_t rows = w->way == STRUCTURED_MASKS ? 1 + (uint64_t)levels : 1;
    storage_add(out, (struct mech_array){.name = name[w->way],
                                         .entries = warps * rows,
                                         .bits = structured_bits(m, levels) / rows});
    storage_add(out, (struct mech_array){.name = "warp_pc", .entries = warps, .bits = PC_BITS});
}

/* ---- audit ---- */

/* What the masks say of threads that wait holds for their counters, their PCs, and where their own branches took them. */
static void audit_wait(void *user, const struct mask *who, uint64_t place, uint32_t levels) {
    const struct structured_home *h = user;
    FOR_MASK(t, who) {
        CHECK(h->counters.c[t] == levels);
        CHECK(h->pcs.at[t] == place);
        CHECK(h->own_pc[t] == (uint32_t)place);
    }
}

static void tally_wait(void *user, const struct mask *who, uint64_t place, uint32_t levels) {
    struct mask *seen = user;
    (void)place, (void)levels;
    FOR_MASK(t, who) CHECK(!(seen->w[t / 32] >> t % 32 & 1));
    mask_plus(seen, who);
}

/* Every thread that lives is active or waits somewhere. */
static void audit_whole(const struct structured_home *h, uint32_t way) {
    struct mask all = h->active;
    structured_waits(h, way, tally_wait, &all);
    CHECK(mask_equal(&all, &h->live));
}

static void audit_activity(struct structured_home *h) {
    CHECK(mask_equal(&h->active, &h->masks.active));
    CHECK(mask_equal(&h->active, &h->counters.active));
    CHECK(mask_equal(&h->active, &h->pcs.active));
    structured_waits(h, STRUCTURED_MASKS, audit_wait, h);
    audit_whole(h, STRUCTURED_MASKS);
    audit_whole(h, STRUCTURED_COUNTS);
    FOR_MASK(t, &h->active) CHECK(h->own_pc[t] == h->run->pc);
}

static void structured_audit_home(const struct mech *m, const struct mech_split *s) {
    const struct structured *w = m->self;
    struct structured_home *h = &w->home[s->own[STRUCTURED_HOME]];
    struct mask there = {0}, present = {0};
    CHECK(h->run == s && h->nlive == mask_count(&h->live));
    mask_put(&there, h->first, &s->set);
    CHECK(mask_equal(&there, &h->active));
    for (uint32_t k = 0; k < h->words && h->first + k < m->pool->slots; k++)
        FOR_LANES(l, m->pool->present[h->first + k])
    present.w[k] |= (uint32_t)(split_home_of(m->pool, h->first + k, l) == s->own[STRUCTURED_HOME]) << l;
    CHECK(mask_equal(&present, &h->live));
    if (s->in_flight) return;
    CHECK(order_parked(s) == mask_any(&h->waiting));
    const uint8_t what = w->tables->what[s->pc];
    CHECK(!w->skip || s->threads || what == STRUCTURED_ELSE || what == STRUCTURED_ENDIF ||
          what == STRUCTURED_ENDLOOP);
    if (m->env.audit) audit_activity(h);
}

void structured_audit(const struct mech *m) {
    const struct structured *w = m->self;
    uint32_t off = 0, pending = 0;
    split_audit(m, false);
    FOR_SPLITS(s, m->pool) {
        const struct structured_home *h = &w->home[s->own[STRUCTURED_HOME]];
        structured_audit_home(m, s);
        off += h->off;
        pending += h->pending;
    }
    CHECK(off == w->off && pending == w->pending);
}
