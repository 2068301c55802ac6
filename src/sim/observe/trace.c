/* The trace of issues as text, and what it shares with the timeline: the observer, and text gathered into large pieces
 * before it goes to the sink. */
#include "sim/observe/trace.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/ledger.h"
#include "sim/observe/timeline.h"

/* Cycles over which the timeline's counters are means, where no time series says otherwise. */
enum { COUNTER_WINDOW = 128 };

struct trace {
    struct sm_observer observer;
    struct out lines;
    struct timeline *timeline; /* NULL: not wanted */
    struct density density;
    uint32_t width; /* of a row of lanes, as timeline.c has its tracks */
    void (*commit)(void *user, const struct sm_commit *c);
    void *commit_user;
    struct watch_steps steps;
    uint64_t commits;
    const struct ir_module *module;
    const struct rewrite *form; /* of it, that runs; NULL: none */
    uint64_t start;
};

/* ---- text to a sink ---- */

void out_flush(struct out *o) {
    struct ledger_point *p = ledger_step_out();
    if (o->text.len) o->sink.write(o->sink.user, o->text.text, o->text.len);
    ledger_adopt(p);
    o->text.len = 0;
}

void out_end_line(struct out *o) {
    enum { PIECE = 1 << 16 };
    sb_add(&o->text, "\n");
    if (o->text.len >= PIECE) out_flush(o);
}

void out_free(struct out *o) {
    out_flush(o);
    sb_free(&o->text);
}

/* ---- one line per issue ---- */

/* The PC that the user knows. */
static uint32_t original(const struct trace *t, uint32_t pc) {
    return t->form ? t->form->old_pc[pc] : pc;
}

static bool is_added(const struct trace *t, uint32_t pc) {
    return t->form && t->form->insert[pc] != REWRITE_ORIGINAL;
}

static void trace_add_insn(const struct trace *t, uint32_t pc, struct sb *out) {
    if (is_added(t, pc))
        ir_print_insn(out, t->form->m, pc);
    else
        ir_print_insn(out, t->module, original(t, pc));
}

static void add_split(const struct trace *t, const struct mech_split *s, struct sb *out) {
    sb_add(out, " %" PRIu32 " ", original(t, s->pc));
    if (!s->set.n) sb_add(out, "-");
    for (uint32_t k = 0; k < s->set.n; k++)
        sb_add(out, "%sw%" PRIu32 ":%08" PRIx32, k ? "+" : "", s->set.p[k].warp, s->set.p[k].mask);
}

static void trace_line(struct trace *t, uint64_t cycle, uint32_t sm, uint32_t sched,
                       const struct mech_packet *p, const char *event) {
    struct sb *out = &t->lines.text;
    uint32_t threads = 0;
    sb_add(out, "%" PRIu64 " %" PRIu32 " %" PRIu32, cycle - t->start, sm, sched);
    for (uint32_t k = 0; k < p->n; k++) {
        if (k) sb_add(out, " |");
        add_split(t, p->split[k], out);
        threads += p->split[k]->threads;
    }
    sb_add(out, " %" PRIu32 "  ", threads);
    trace_add_insn(t, p->split[0]->pc, out);
    if (p->n > 1) sb_add(out, " ...");
    if (event && *event) sb_add(out, "  ; %s", event);
    out_end_line(&t->lines);
}

/* ---- lanes ---- */

static void pieces(struct trace *t, uint64_t cycle, const struct mech_set *set, uint32_t pc) {
    const uint32_t parts = EXEC_LANES / t->width, lanes = ~0u >> (EXEC_LANES - t->width);
    for (uint32_t i = 0; i < set->n; i++)
        for (uint32_t part = 0; part < parts; part++) {
            const uint32_t mask = set->p[i].mask >> part * t->width & lanes;
            if (mask)
                density_piece(&t->density,
                              &(struct density_issue){cycle, set->p[i].warp * parts + part, mask, pc});
        }
}

static void add_density(struct trace *t, uint64_t cycle, uint32_t sm, const struct mech_packet *p) {
    uint32_t threads = 0;
    for (uint32_t k = 0; k < p->n; k++) threads += p->split[k]->threads;
    density_packet(&t->density, cycle, sm, threads, original(t, p->split[0]->pc));
    for (uint32_t k = 0; k < p->n && sm == t->density.o.sm; k++)
        pieces(t, cycle, &p->split[k]->set, original(t, p->split[k]->pc));
}

static void on_issue(void *user, uint64_t cycle, uint32_t sm, uint32_t sched, const struct mech_packet *p,
                     const char *event) {
    struct trace *t = user;
    if (t->lines.sink.write) trace_line(t, cycle, sm, sched, p, event);
    if (t->density.o.bins) add_density(t, cycle, sm, p);
    if (t->timeline) timeline_issue(t->timeline, cycle, sm, p);
}

static void on_block(void *user, uint64_t cycle, uint32_t sm, uint64_t block, bool begins) {
    struct trace *t = user;
    if (t->lines.sink.write) {
        sb_add(&t->lines.text, "%" PRIu64 " %" PRIu32 " - block %" PRIu64 " %s", cycle - t->start, sm, block,
               begins ? "begins" : "ends");
        out_end_line(&t->lines);
    }
    if (t->timeline) timeline_block(t->timeline, cycle, sm, block, begins);
    struct ledger_point *p = ledger_step_out();
    if (t->steps.block) t->steps.block(t->steps.user, block, begins);
    ledger_adopt(p);
}

/* ---- thread by thread ---- */

static void set_steps(const struct trace *t, const struct sm_commit *c, const struct mech_set *set) {
    for (uint32_t k = 0; k < set->n; k++) {
        const struct exec_warp *w = sm_warp(c->sm, set->p[k].warp);
        const struct watch_step s = {t->commits, w->block->index, w->index * EXEC_LANES, set->p[k].mask,
                                     original(t, c->outcome->pc)};
        t->steps.step(t->steps.user, &s);
    }
}

static void commit_steps(struct trace *t, const struct sm_commit *c) {
    const struct mech_outcome *o = c->outcome;
    if (is_added(t, o->pc)) return;
    t->commits++;
    for (uint32_t k = 0; k < o->nsides; k++) set_steps(t, c, &o->side[k].set);
    set_steps(t, c, &o->exited);
    set_steps(t, c, &o->waiting);
}

static void on_commit(void *user, const struct sm_commit *c) {
    struct trace *t = user;
    struct ledger_point *p = ledger_step_out();
    if (t->commit) t->commit(t->commit_user, c);
    if (t->steps.step) commit_steps(t, c);
    ledger_adopt(p);
}

/* ---- life ---- */

struct trace *trace_new(const struct watch *w) {
    if (!w->trace.write && !w->timeline.write && !w->commit && !w->steps.step && !w->density.bins)
        return NULL;
    struct trace *t = xcalloc(1, sizeof *t);
    t->observer = (struct sm_observer){.user = t, .issue = on_issue, .block = on_block};
    if (w->commit || w->steps.step) t->observer.commit = on_commit;
    t->observer.quiet = !w->trace.write && !t->observer.commit;
    if (w->density.bins) density_init(&t->density, &w->density);
    t->steps = w->steps;
    t->commit = w->commit;
    t->commit_user = w->commit_user;
    t->lines.sink = w->trace;
    if (w->timeline.write)
        t->timeline = timeline_new(w->timeline, w->interval ? w->interval : COUNTER_WINDOW);
    return t;
}

void trace_free(struct trace *t) {
    if (!t) return;
    if (t->lines.sink.write) out_free(&t->lines);
    if (t->timeline) timeline_free(t->timeline);
    if (t->density.o.bins) density_free(&t->density);
    xfree(t);
}

void trace_launch(struct trace *t, const struct timeline_launch *l) {
    t->module = l->module;
    t->form = l->form;
    t->start = l->start;
    t->width = l->warp_size < EXEC_LANES ? l->warp_size : EXEC_LANES;
    if (t->timeline) timeline_launch(t->timeline, l);
    if (t->lines.sink.write) {
        sb_add(&t->lines.text,
               "# kernel %s: cycle, SM, scheduler, PC, warp:mask ..., threads, instruction ; mechanism",
               l->kernel);
        out_end_line(&t->lines);
    }
}

void trace_launch_end(struct trace *t, uint64_t now) {
    if (t->timeline) timeline_end_launch(t->timeline, now);
    if (t->lines.sink.write) out_flush(&t->lines);
}

const struct density *trace_density(const struct trace *t) {
    return t->density.o.bins ? &t->density : NULL;
}

const struct sm_observer *trace_observer(const struct trace *t) {
    return &t->observer;
}
