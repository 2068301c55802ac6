/* The list of mechanisms, and what is the same for all of them: making one, waking its splits, saying what it cannot run. */
#include "mech/mech.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "mech/lib/order.h"
#include "mech/lib/set.h"
#include "mech/lib/split.h"

#define MECH(name) extern const struct mech_ops mech_##name;
#include "mech/mech.def"

const struct mech_ops *const mech_list[] = {
#define MECH(name) &mech_##name,
#include "mech/mech.def"
    NULL};

const struct mech_ops *mech_find(const char *name) {
    for (const struct mech_ops *const *m = mech_list; *m; m++)
        if (!strcmp((*m)->name, name)) return *m;
    return NULL;
}

const char *mech_near(const char *name) {
    const char *names[sizeof mech_list / sizeof *mech_list] = {0};
    for (size_t i = 0; mech_list[i]; i++) names[i] = mech_list[i]->name;
    return nearest_name(name, names);
}

void mech_own_join(struct mech_stats *to, const struct mech_stats *from, const struct mech_counter *own) {
    for (size_t k = 0; own && own[k].key; k++)
        to->extra[k] = stat_join(own[k].how, to->extra[k], from->extra[k]);
}

/* ---- one of them ---- */

static bool check_env(const struct mech_ops *ops, const struct mech_env *env, struct err *e) {
    if (!env->warps || !env->schedulers || !env->order_groups)
        return err_set(e, ERR_INPUT, "%s: an SM without %s", ops->name,
                       !env->warps        ? "room for a warp"
                       : !env->schedulers ? "schedulers"
                                          : "an active set for its order");
    return true;
}

/* The most pieces that a split can have: those of a machine warp, or one for each thread. */
static uint32_t most_pieces(const struct mech_ops *ops, uint32_t warp_size) {
    if (ops->caps & MECH_AT_HOME) return warp_size > 32 ? warp_size / 32 : 1;
    return ops->width && warp_size < MECH_PIECES ? warp_size : MECH_PIECES;
}

/* Options to the mechanism's struct of parameters. */
static void read_params(const struct mech_ops *ops, const int64_t *param, uint32_t value[MECH_PARAMETERS]) {
    for (uint32_t k = 0; ops->params && ops->params[k].key; k++) {
        CHECK(k < MECH_PARAMETERS);
        value[k] = (uint32_t)param[k];
    }
}

uint32_t mech_width(const struct mech_ops *ops, const int64_t *param, uint32_t warp_size,
                    uint32_t simd_width) {
    uint32_t value[MECH_PARAMETERS] = {0};
    if (!ops->width) return warp_size;
    read_params(ops, param, value);
    return ops->width(value, warp_size, simd_width);
}

enum cfg_form mech_form(const struct mech_ops *ops, const int64_t *param) {
    uint32_t value[MECH_PARAMETERS] = {0};
    if (!ops->form_by) return ops->form;
    read_params(ops, param, value);
    return ops->form_by(value);
}

static bool check_width(const struct mech_ops *ops, uint32_t width, struct err *e) {
    return (is_pow2(width) && width <= MECH_WIDEST) ||
           err_set(e, ERR_INPUT, "%s: a warp of %" PRIu32 " threads: it must be a power of two up to %d",
                   ops->name, width, MECH_WIDEST);
}

bool mech_prepare(const struct mech_ops *ops, const int64_t *param, struct mech_program p, struct arena *mem,
                  const void **tables, struct err *e) {
    uint32_t value[MECH_PARAMETERS] = {0};
    *tables = NULL;
    if (!ops->prepare) return true;
    read_params(ops, param, value);
    p.params = value;
    p.warp_size = mech_width(ops, param, p.warp_size, p.simd_width);
    *tables = ops->prepare(&p, mem, e);
    return *tables != NULL;
}

/* Every home warp of the block becomes a split. */
static void launch_homes(struct mech *m, const struct mech_block *b) {
    struct split_home home;
    split_launch(m->pool, b);
    for (uint32_t k = 0; split_home_at(m->pool, b, k, &home); k++) {
        struct mech_split *s = split_new(m, home.sched, b->pc);
        split_assign(m->pool, s, &home.set);
        m->ops->start(m, s, home.id);
    }
}

static void start_at_once(struct mech *m, struct mech_split *s, uint32_t home) {
    (void)home;
    order_add(m->order, s);
}

static bool select_one(struct mech *m, uint32_t sched, struct mech_packet *p) {
    struct mech_split *s = order_pick(m->order, sched, *m->env.now);
    if (!s) return false;
    split_issue(m, p, s);
    return true;
}

static void wake_split(struct mech *m, struct mech_split *s, uint32_t warp, uint32_t mask) {
    (void)warp, (void)mask;
    order_wake(m->order, s);
}

static void none_held(const struct mech *m, struct mech_census *c) {
    (void)m;
    *c = (struct mech_census){0};
}

static void audit_splits(const struct mech *m) {
    split_audit(m, true);
}

/* What the mechanism says, and what it leaves out. */
static const struct mech_ops *mech_complete(const struct mech_ops *ops, const void *params,
                                            struct pages *pages) {
    struct mech_ops *o = PAGES_NEW(pages, struct mech_ops, 1);
    *o = *ops;
    if (o->selects && !o->selects(params)) o->select = NULL;
    if (!o->launch) o->launch = launch_homes;
    if (!o->start) o->start = start_at_once;
    if (!o->select) o->select = select_one;
    if (!o->release) o->release = split_release;
    if (!o->wake) o->wake = wake_split;
    if (!o->census) o->census = none_held;
    if (!o->state) o->state = split_state;
    if (!o->audit) o->audit = audit_splits;
    return o;
}

struct mech *mech_new(const struct mech_ops *ops, const struct mech_env *env, struct err *e) {
    const uint32_t width = mech_width(ops, env->param, env->warp_size, env->simd_width);
    if (!check_env(ops, env, e) || !check_width(ops, width, e)) return NULL;
    struct mech *m = PAGES_NEW(env->pages, struct mech, 1);
    uint32_t *params = PAGES_NEW(env->pages, uint32_t, MECH_PARAMETERS);
    read_params(ops, env->param, params);
    m->params = params;
    m->ops = mech_complete(ops, params, env->pages);
    m->env = *env;
    m->env.warp_size = width;
    if (!(ops->caps & MECH_STEADY)) m->env.recheck = NULL;
    m->pool = split_pool_new(&m->env, most_pieces(ops, width));
    m->order = order_new(&m->env, m->pool);
    m->wakes = m->ops->select != select_one || m->ops->next ? NULL : order_wakes(m->order);
    m->self = pages_get(env->pages, ops->self_bytes);
    return !ops->create || ops->create(m, e) ? m : NULL;
}

/* Lanes of `mask` that belong to s: those of its set, and perhaps others that wait with it. */
static uint32_t mech_lanes_of(const struct mech *m, const struct mech_split *s, uint32_t warp,
                              uint32_t mask) {
    const bool one = s->set.n == 1 && s->set.p[0].warp == warp; /* piece, as mostly */
    uint32_t here = mask & (one ? s->set.p[0].mask : set_mask(&s->set, warp));
    FOR_LANES(l, mask & ~here) here |= (uint32_t)(m->pool->holder[warp * 32 + l] == s->id) << l;
    return here;
}

/* Neighbouring lanes are nearly always in the same split: it is told once, of all of them. */
void mech_wake(struct mech *m, uint32_t warp, uint32_t mask) {
    while (mask) {
        struct mech_split *s = split_of(m->pool, warp, (uint32_t)__builtin_ctz(mask));
        if (!s) {
            mask &= mask - 1;
            continue;
        }
        const uint32_t here = mech_lanes_of(m, s, warp, mask);
        mask &= ~here;
        m->ops->wake(m, s, warp, here);
    }
}

void mech_wake_empty(struct mech *m, uint32_t id) {
    struct mech_split *s = split_at(m->pool, id);
    if (s && !s->threads) order_wake(m->order, s);
}

uint64_t mech_next(const struct mech *m, uint32_t sched) {
    uint64_t at = order_next(m->order, sched);
    if (!m->ops->next) return at;
    uint64_t own = m->ops->next(m, sched);
    return own < at ? own : at;
}

void mech_event(struct mech *m, const char *fmt, ...) {
    if (!m->env.tracing) return;
    char text[160];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    m->env.event(m->env.sm, text);
}

void mech_places(const struct mech *m, mech_place_fn *put, void *user) {
    if (m->ops->places) m->ops->places(m, put, user);
    FOR_SPLITS(s, m->pool)
    for (uint32_t k = 0; !s->in_flight && k < s->set.n; k++)
        put(user, s->set.p[k].warp, s->set.p[k].mask, s->pc);
}

/* ---- refusals ---- */

struct walk { /* over the functions a kernel can reach, up to one that cannot run */
    const struct mech_ops *ops;
    const struct ir_module *module;
    const struct cfg *cfg;
    bool fine;
    struct err *e;
};

static bool mech_refuse(const struct walk *w, uint32_t func, uint32_t line, const char *what, struct err *e) {
    const struct ir_place at = ir_place(w->module, line);
    return err_set(e, ERR_INPUT, "%s:%" PRIu32 ": mechanism %s cannot run %s: %s", at.name, at.line,
                   w->ops->name, w->module->funcs.v[func].name, what);
}

static bool mech_runs(const struct walk *w, uint32_t func, struct err *e) {
    const struct ir_func *f = &w->module->funcs.v[func];
    const struct cfg_func *shape = &w->cfg->funcs[func];
    if (f->recursive && !(w->ops->caps & MECH_RECURSION))
        return mech_refuse(w, func, f->line, "it may call itself", e);
    const unsigned need = shape->structure == CFG_IRREDUCIBLE    ? MECH_UNSTRUCTURED | MECH_IRREDUCIBLE
                          : shape->structure == CFG_UNSTRUCTURED ? MECH_UNSTRUCTURED
                                                                 : 0;
    if (need & ~w->ops->caps) {
        uint32_t line =
            shape->why == CFG_NONE ? f->line : w->module->code.v[w->cfg->blocks[shape->why].first].line;
        return mech_refuse(w, func, line, shape->why_text, e);
    }
    for (uint32_t pc = f->entry; pc < f->end; pc++) {
        const struct ir_insn *i = &w->module->code.v[pc];
        if ((i->op == IR_CALL || i->op == IR_CALL_IND) && !(w->ops->caps & MECH_CALLS))
            return mech_refuse(w, func, i->line, "a call of a function", e);
        if ((i->op == IR_BRX || i->op == IR_CALL_IND) && !(w->ops->caps & MECH_INDIRECT))
            return mech_refuse(w, func, i->line, i->op == IR_BRX ? "an indirect branch" : "an indirect call",
                               e);
    }
    return true;
}

static bool mech_visit(void *user, uint32_t func) {
    struct walk *w = user;
    return w->fine = w->fine && mech_runs(w, func, w->e);
}

bool mech_can_run(const struct mech_ops *ops, const struct ir_module *m, const struct cfg *c, uint32_t func,
                  struct err *e) {
    if (!(MECH_ANY_CODE & ~ops->caps)) return true;
    struct walk w = {.ops = ops, .module = m, .cfg = c, .fine = true, .e = e};
    ir_follow(m, func, mech_visit, &w);
    return w.fine;
}
