/* From commits to lines.
 *
 * A step is a commit with a thread that is explained. Most steps only go on to the next instruction: those are gathered, for
 * each set of threads by itself since several may run in turn, until the code or the threads change or something happens. What
 * happened is told by the outcome, which is the same for all mechanisms, and by the mechanism's own words; then its tables
 * follow, if other threads are together in them than before. Lines are in the order of first issues, so that whatever began
 * before a group goes before it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/explain.h"

/* ---- a line ---- */

static void add_range(struct sb *out, const char *one, const char *several, uint64_t a, uint64_t b) {
    if (a == b)
        sb_add(out, "%s%" PRIu64, one, a);
    else
        sb_add(out, "%s%" PRIu64 "-%" PRIu64, several, a, b);
}

static void add_source(const struct ir_module *m, uint32_t pc, struct sb *out) {
    const struct ir_srcloc *s = pc < m->src.n ? &m->src.v[pc] : NULL;
    if (!s || !s->line || !s->file || s->file >= m->files.n || !m->files.v[s->file]) return;
    const char *file = m->files.v[s->file], *slash = strrchr(file, '/');
    sb_add(out, ", %s:%" PRIu32, slash ? slash + 1 : file, s->line);
}

static void pad(struct sb *out, size_t from, size_t width) {
    sb_add(out, "%*s", out->len - from < width ? (int)(width - (out->len - from)) : 0, "");
}

/* Columns that a line of what happened leaves blank. */
enum { CYCLES = 12, PCS = 9, CODE = 34 };

/* A mark or branch that the program does not have: guard, name, and the place it speaks of. */
static void print_added(struct explain_view *v, const struct ir_insn *i) {
    const uint32_t row = i->guard & IR_GUARD_INDEX;
    if (row) sb_add(&v->out, "@%sp%" PRIu32 " ", i->guard & IR_GUARD_NEG ? "!" : "", row);
    sb_add(&v->out, "%s", ir_insn_name(i));
    if (i->target == IR_NOPC) return;
    sb_add(&v->out, " ");
    explain_pc(v, i->target, &v->out);
}

/* As in the program, with its labels. */
static void print_insn(struct explain_view *v, uint32_t pc) {
    const struct ir_insn *i = &v->ir->code.v[pc];
    if (!cfg_rewrite_added(v->form, pc))
        ir_print_insn(&v->out, v->program, explain_old_pc(v, pc));
    else if (i->op == IR_MARK || i->op == IR_BRA)
        print_added(v, i);
    else
        ir_print_insn(&v->out, v->ir, pc);
}

static void print_group(struct explain_view *v, const struct explain_group *g) {
    struct sb *out = &v->out;
    const struct ir_insn *code = v->ir->code.v;
    size_t at = out->len;
    add_range(out, "", "", g->issued, g->committed);
    pad(out, at, CYCLES);
    at = out->len;
    add_range(out, "", "", explain_old_pc(v, g->first), explain_old_pc(v, g->last));
    pad(out, at, PCS);
    lanes_draw(v, &g->lanes, out);
    sb_add(out, "  B%" PRIu32 "  ", v->program->code.v[explain_old_pc(v, g->first)].block);
    at = out->len;
    if (g->first == g->last)
        print_insn(v, g->first);
    else
        sb_add(out, "%" PRIu32 " instructions", g->last - g->first + 1);
    pad(out, at, CODE);
    add_range(out, "  line ", "  lines ", code[g->first].line, code[g->last].line);
    add_source(v->ir, g->last, out);
    if (g->to != IR_NOPC && g->to != g->last + 1) {
        sb_add(out, "  -> ");
        explain_pc(v, g->to, out);
    }
    sb_add(out, "\n");
}

/* The first n groups, which are those that began first. */
static void print_groups(struct explain_view *v, size_t n) {
    for (size_t i = 0; i < n; i++) print_group(v, &v->groups.v[i]);
    if (!n) return;
    v->groups.n -= n;
    memmove(v->groups.v, v->groups.v + n, v->groups.n * sizeof *v->groups.v);
}

/* ---- what happened ---- */

static void print_tables(struct explain_view *v, const struct sb *text) {
    for (const char *p = text->text; p && *p;) {
        const size_t n = strcspn(p, "\n");
        sb_add(&v->out, "%*s%s%.*s%s\n", CYCLES, "", term_on(v->term, TERM_DIM), (int)n, p,
               term_on(v->term, TERM_PLAIN));
        p += n + (p[n] == '\n');
    }
}

static struct explain_lanes lanes_of(const struct explain_view *v, const struct mech_set *set) {
    struct explain_lanes l = {0};
    for (uint32_t k = 0; k < set->n; k++) lanes_add(v, &l, set->p[k].warp, set->p[k].mask);
    return l;
}

static void print_fate(struct explain_view *v, const struct mech_set *set, const char *what, uint32_t pc) {
    const struct explain_lanes l = lanes_of(v, set);
    if (!lanes_any(&l)) return;
    sb_add(&v->out, "%*s%s", CYCLES + PCS, "", term_on(v->term, TERM_CYAN));
    lanes_draw(v, &l, &v->out);
    sb_add(&v->out, "  %s", what);
    if (pc != IR_NOPC) explain_pc(v, pc, &v->out);
    sb_add(&v->out, "%s\n", term_on(v->term, TERM_PLAIN));
}

static bool eventful(const struct sm_commit *c) {
    const struct mech_outcome *o = c->outcome;
    return o->nsides > 1 || o->exited.n || o->waiting.n || *c->event;
}

static void print_events(struct explain_view *v, const struct sm_commit *c) {
    const struct mech_outcome *o = c->outcome;
    for (uint32_t k = 0; k < o->nsides && (o->nsides > 1 || o->exited.n || o->waiting.n); k++)
        print_fate(v, &o->side[k].set, "go to ", o->side[k].pc);
    print_fate(v, &o->exited, "exit", IR_NOPC);
    print_fate(v, &o->waiting, "wait", IR_NOPC);
    if (*c->event)
        sb_add(&v->out, "%*s%s%s: %s%s\n", CYCLES, "", term_on(v->term, TERM_CYAN), sm_mech(c->sm)->ops->name,
               c->event, term_on(v->term, TERM_PLAIN));
}

/* ---- steps ---- */

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
    print_groups(v, complete);
    for (size_t i = 0; i < v->groups.n; i++)
        if (lanes_meet(&v->groups.v[i].lanes, &step->lanes)) found = &v->groups.v[i];
    return found;
}

static void add_step(struct explain_view *v, const struct explain_group *step) {
    struct explain_group *g = open_group(v, step);
    if (!g) {
        VEC_PUSH(&v->groups, *step);
        return;
    }
    g->last = step->last;
    g->to = step->to;
    g->committed = step->committed;
}

static struct explain_group step_of(const struct explain_view *v, const struct sm_commit *c) {
    const struct mech_outcome *o = c->outcome;
    struct explain_group step = {.first = o->pc,
                                 .last = o->pc,
                                 .to = o->nsides == 1 && !eventful(c) ? o->side[0].pc : IR_NOPC,
                                 .issued = c->issued,
                                 .committed = c->cycle};
    for (uint32_t k = 0; k < o->nsides; k++)
        for (uint32_t i = 0; i < o->side[k].set.n; i++)
            lanes_add(v, &step.lanes, o->side[k].set.p[i].warp, o->side[k].set.p[i].mask);
    for (uint32_t i = 0; i < o->exited.n; i++)
        lanes_add(v, &step.lanes, o->exited.p[i].warp, o->exited.p[i].mask);
    for (uint32_t i = 0; i < o->waiting.n; i++)
        lanes_add(v, &step.lanes, o->waiting.p[i].warp, o->waiting.p[i].mask);
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

/* A step that something happened in, or that changed the tables, stands alone, behind all that began before it. */
static void show_step(struct explain_view *v, const struct sm_commit *c, const struct explain_group *step) {
    const bool mine = lanes_any(&step->lanes);
    struct sb text = {0}, key = {0};
    explain_tables(v, sm_mech(c->sm), &text, &key);
    const bool changed = strcmp(key.text ? key.text : "", v->key.text ? v->key.text : "") != 0;
    if (changed || (mine && (eventful(c) || v->tables))) {
        print_groups(v, v->groups.n);
        if (mine)
            print_group(v, step);
        else
            sb_add(&v->out, "%-*" PRIu64 "%s\n", CYCLES, c->cycle,
                   v->key.len ? "other threads change this:" : "begins with:");
        print_events(v, c);
        print_tables(v, &text);
    } else if (mine) {
        add_step(v, step);
    }
    sb_free(&v->key);
    v->key = key;
    sb_free(&text);
}

void explain_commit(void *view, const struct sm_commit *c) {
    struct explain_view *v = view;
    if (v->more || !find_block(v, c->sm)) return;
    const struct explain_group step = step_of(v, c);
    if (lanes_any(&step.lanes)) {
        v->more = v->steps == v->most;
        if (v->more) return;
        v->steps++;
    }
    show_step(v, c, &step);
}

void explain_end(struct explain_view *v) {
    print_groups(v, v->groups.n);
}

void explain_free(struct explain_view *v) {
    VEC_FREE(&v->groups);
    sb_free(&v->key);
    sb_free(&v->out);
}
