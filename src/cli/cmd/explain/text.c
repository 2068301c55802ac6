/* Steps as lines of text: cycles, PCs, lanes, block of code and instruction; below them what happened, and the tables. */
#include <inttypes.h>
#include <string.h>

#include "cli/cmd/explain/explain.h"

/* Columns that a line of what happened leaves blank. */
enum { CYCLES = 12, PCS = 9, CODE = 34 };

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

static void explain_text_pad(struct sb *out, size_t from, size_t width) {
    sb_add(out, "%*s", out->len - from < width ? (int)(width - (out->len - from)) : 0, "");
}

/* A mark or branch that the program does not have: guard, name, and the place it speaks of. */
static void print_added(const struct explain_view *v, const struct ir_insn *i, struct sb *out) {
    const uint32_t row = i->guard & IR_GUARD_INDEX;
    if (row) sb_add(out, "@%sp%" PRIu32 " ", i->guard & IR_GUARD_NEG ? "!" : "", row);
    sb_add(out, "%s", ir_insn_name(i));
    if (i->target == IR_NOPC) return;
    sb_add(out, " ");
    explain_pc(v, i->target, out);
}

void explain_insn(const struct explain_view *v, uint32_t pc, struct sb *out) {
    const struct ir_insn *i = &v->ir->code.v[pc];
    if (!cfg_rewrite_added(v->form, pc))
        ir_print_insn(out, v->program, explain_old_pc(v, pc));
    else if (i->op == IR_MARK || i->op == IR_BRA)
        print_added(v, i, out);
    else
        ir_print_insn(out, v->ir, pc);
}

static void print_group(struct explain_view *v, const struct explain_group *g) {
    struct sb *out = &v->out;
    const struct ir_insn *code = v->ir->code.v;
    size_t at = out->len;
    add_range(out, "", "", g->issued, g->committed);
    explain_text_pad(out, at, CYCLES);
    at = out->len;
    add_range(out, "", "", explain_old_pc(v, g->first), explain_old_pc(v, g->last));
    explain_text_pad(out, at, PCS);
    lanes_draw(v, &g->lanes, out);
    sb_add(out, "  B%" PRIu32 "  ", v->program->code.v[explain_old_pc(v, g->first)].block);
    at = out->len;
    if (g->first == g->last)
        explain_insn(v, g->first, out);
    else
        sb_add(out, "%" PRIu32 " instructions", g->last - g->first + 1);
    explain_text_pad(out, at, CODE);
    add_range(out, "  line ", "  lines ", code[g->first].line, code[g->last].line);
    add_source(v->ir, g->last, out);
    if (g->to != IR_NOPC && g->to != g->last + 1) {
        sb_add(out, "  -> ");
        explain_pc(v, g->to, out);
    }
    sb_add(out, "\n");
}

/* ---- what happened ---- */

static void print_fate(struct explain_view *v, const struct mech_set *set, const char *what, uint32_t pc) {
    const struct explain_lanes l = lanes_of(v, set);
    if (!lanes_any(&l)) return;
    sb_add(&v->out, "%*s%s", CYCLES + PCS, "", term_on(v->term, TERM_CYAN));
    lanes_draw(v, &l, &v->out);
    sb_add(&v->out, "  %s", what);
    if (pc != IR_NOPC) explain_pc(v, pc, &v->out);
    sb_add(&v->out, "%s\n", term_on(v->term, TERM_PLAIN));
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

static void print_token(struct explain_view *v, const struct explain_tables *t,
                        const struct explain_token *k) {
    switch (k->kind) {
    case EXPLAIN_TEXT: sb_addn(&v->out, k->text, k->n); break;
    case EXPLAIN_SET: lanes_draw(v, &t->sets.v[k->index], &v->out); break;
    case EXPLAIN_PC: explain_pc(v, k->index, &v->out); break;
    }
}

static void print_tables(struct explain_view *v, const struct explain_tables *t) {
    for (size_t i = 0; i < t->lines.n; i++) {
        sb_add(&v->out, "%*s%s", CYCLES, "", term_on(v->term, TERM_DIM));
        for (size_t k = t->lines.v[i].first; k < t->lines.v[i].end; k++) print_token(v, t, &t->tokens.v[k]);
        sb_add(&v->out, "%s\n", term_on(v->term, TERM_PLAIN));
    }
}

void explain_show_text(struct explain_view *v, const struct explain_step *s) {
    if (s->group)
        print_group(v, s->group);
    else
        sb_add(&v->out, "%-*" PRIu64 "%s\n", CYCLES, s->commit->cycle,
               s->first ? "begins with:" : "other threads change this:");
    if (s->commit) print_events(v, s->commit);
    if (s->tables) print_tables(v, s->tables);
}
