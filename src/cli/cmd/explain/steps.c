/* From commits to steps.
 *
 * A step is a commit with a thread that is explained. Most steps only go on to the next instruction: those are gathered, for
 * each set of threads by itself since several may run in turn, until the code or the threads change or something happens. What
 * happened is told by the outcome, which is the same for all mechanisms, and by the mechanism's own words; then its tables
 * follow, if other threads are together in them than before. Steps are told in the order of first issues, so that whatever began
 * before a group goes before it. */
#include <string.h>

#include "cli/cmd/explain/explain.h"

enum { SMALL_TABLES = 1024 }; /* bytes; printing them costs the host a few microseconds */

bool explain_eventful(const struct sm_commit *c) {
    const struct mech_outcome *o = c->outcome;
    return o->nsides > 1 || o->exited.n || o->waiting.n || *c->event;
}

static void forget_tables(struct explain_group *g) {
    if (g->after) explain_tables_free(g->after);
    xfree(g->after);
    g->after = NULL;
}

/* The first n groups, which are those that began first. */
static void show_groups(struct explain_view *v, size_t n) {
    for (size_t i = 0; i < n; i++) {
        v->show(v, &(struct explain_step){.group = &v->groups.v[i], .tables = v->groups.v[i].after});
        forget_tables(&v->groups.v[i]);
    }
    if (!n) return;
    v->groups.n -= n;
    memmove(v->groups.v, v->groups.v + n, v->groups.n * sizeof *v->groups.v);
}

/* The step goes on where a group of its threads left off. Any other group of one of its threads is complete. */
static struct explain_group *open_group(struct explain_view *v, const struct explain_group *step) {
    struct explain_group *found = NULL;
    size_t complete = 0;
    for (size_t i = 0; i < v->groups.n; i++) {
        const struct explain_group *g = &v->groups.v[i];
        if (!lanes_meet(&g->lanes, &step->lanes)) continue;
        const bool goes_on = !v->every && step->first == g->last + 1 && g->to == step->first &&
                             !cfg_rewrite_added(v->form, g->last) &&
                             !cfg_rewrite_added(v->form, step->first) &&
                             v->ir->code.v[g->last].block == v->ir->code.v[step->first].block &&
                             lanes_equal(&g->lanes, &step->lanes);
        if (!goes_on) complete = i + 1;
    }
    show_groups(v, complete);
    for (size_t i = 0; i < v->groups.n; i++)
        if (lanes_meet(&v->groups.v[i].lanes, &step->lanes)) found = &v->groups.v[i];
    return found;
}

static void add_step(struct explain_view *v, const struct explain_group *step) {
    struct explain_group *g = open_group(v, step);
    if (!g) {
        VEC_PUSH(&v->groups, *step);
        g = &v->groups.v[v->groups.n - 1];
    }
    g->last = step->last;
    g->to = step->to;
    g->committed = step->committed;
    forget_tables(g);
    if (v->keep_tables) g->after = explain_tables_copy(&v->tables);
}

static void add_threads(const struct explain_view *v, struct explain_lanes *l, const struct mech_set *set) {
    for (uint32_t i = 0; i < set->n; i++) lanes_add(v, l, set->p[i].warp, set->p[i].mask);
}

static struct explain_group step_of(const struct explain_view *v, const struct sm_commit *c) {
    const struct mech_outcome *o = c->outcome;
    struct explain_group step = {.first = o->pc,
                                 .last = o->pc,
                                 .to = o->nsides == 1 && !explain_eventful(c) ? o->side[0].pc : IR_NOPC,
                                 .issued = c->issued,
                                 .committed = c->cycle};
    for (uint32_t k = 0; k < o->nsides; k++) add_threads(v, &step.lanes, &o->side[k].set);
    add_threads(v, &step.lanes, &o->exited);
    add_threads(v, &step.lanes, &o->waiting);
    return step;
}

/* True: the block is on this SM now; v->base is where. */
static bool find_block(struct explain_view *v, const struct sm *s) {
    const uint32_t n = sm_warps(s);
    for (v->base = 0; v->base < n; v->base++) {
        const struct exec_warp *w = sm_warp(s, v->base);
        if (w && w->block->index == v->block) return true;
    }
    return false;
}

/* Reads the tables; false: who is together in them is as it was. */
static bool explain_steps_look(struct explain_view *v, struct sm *s) {
    const struct explain_tables before = v->tables;
    v->tables = v->spare;
    v->spare = before;
    explain_read_tables(v, sm_mech(s), &v->tables);
    return !explain_same_key(&v->tables, &v->spare);
}

/* A step that something happened in, or that changed the tables, stands alone, behind all that began before it. */
static void explain_steps_tell(struct explain_view *v, const struct sm_commit *c,
                               const struct explain_group *step) {
    const bool mine = lanes_any(&step->lanes), changed = explain_steps_look(v, c->sm);
    if (changed || (mine && (explain_eventful(c) || v->all_tables))) {
        show_groups(v, v->groups.n);
        v->show(
            v, &(struct explain_step){
                   .group = mine ? step : NULL, .commit = c, .tables = &v->tables, .first = !v->spare.key.n});
    } else if (mine) {
        add_step(v, step);
    }
}

/* All threads have exited: no table will have them any more. */
static bool all_gone(struct explain_view *v, const struct sm_commit *c) {
    uint32_t left = 0;
    add_threads(v, &v->gone, &c->outcome->exited);
    for (uint32_t k = 0; k < EXPLAIN_WORDS; k++) left |= lanes_chosen(v, k) & ~v->gone.word[k];
    return !left;
}

/* A commit of others may have changed the tables. Small ones are read to know; large ones only where the splits tell, which
 * leaves out what others do in a table of the whole block (tbc) until a thread explained commits. */
static bool may_change(struct explain_view *v, struct sm *s) {
    const uint64_t before = v->fingerprint;
    v->fingerprint = explain_fingerprint(v, s);
    return v->fingerprint != before || v->tables.raw.len <= SMALL_TABLES;
}

void explain_commit(void *view, const struct sm_commit *c) {
    struct explain_view *v = view;
    if (v->more || v->full || v->done || !find_block(v, c->sm)) return;
    const struct explain_group step = step_of(v, c);
    const bool mine = lanes_any(&step.lanes);
    v->more = mine && v->steps == v->most;
    if (v->more) return;
    v->steps += mine;
    if (may_change(v, c->sm) || mine) explain_steps_tell(v, c, &step);
    v->done = mine && all_gone(v, c);
}

void explain_end(struct explain_view *v) {
    show_groups(v, v->groups.n);
}

void explain_free(struct explain_view *v) {
    for (size_t i = 0; i < v->groups.n; i++) forget_tables(&v->groups.v[i]);
    VEC_FREE(&v->groups);
    explain_tables_free(&v->tables);
    explain_tables_free(&v->spare);
    sb_free(&v->out);
}
