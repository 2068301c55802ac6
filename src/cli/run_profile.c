/* The profile of a run: where all lane slots went, then the branches that cost most and the lines and functions that suffer
 * most, each as a share of all slots, so that the figures of a column can be compared with each other and with the time of
 * the whole run. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/demangle.h"
#include "cli/kinds.h"
#include "cli/run.h"
#include "report/bar.h"
#include "report/table.h"
#include "report/text.h"
#include "sim/sim.h"

enum { MOST_ROWS = 10, BAR_WIDTH = 10, MOST_TEXT = 34 };

static double ratio(uint64_t a, uint64_t b) {
    return b ? (double)a / (double)b : 0;
}

static void count_cell(struct table *t, uint64_t v) {
    struct sb text = {0};
    text_grouped(&text, v);
    table_cell(t, "%s", text.text);
    sb_free(&text);
}

static void share_cell(struct table *t, uint64_t v, uint64_t all) {
    if (v)
        table_cell(t, "%.1f %%", 100 * ratio(v, all));
    else
        table_cell(t, "%s", "");
}

static void bar_cell(struct table *t, uint64_t v, uint64_t all, bool utf8) {
    struct sb bar = {0};
    bar_add(&bar, (double)v, (double)all, BAR_WIDTH, utf8);
    table_cell(t, "%s", bar.text ? bar.text : "");
    sb_free(&bar);
}

/* A line of the PTX text without the blanks and the semicolon around it. */
static void code_cell(struct table *t, const char *text, uint32_t line) {
    while (--line && text) text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL;
    struct sb code = {0};
    if (text) text += strspn(text, " \t");
    size_t n = text ? strcspn(text, ";\n\r") : 0;
    for (size_t i = 0; i < n; i++)
        if (text[i] != '\t' || (i && text[i - 1] != ' ')) sb_addn(&code, text[i] == '\t' ? " " : text + i, 1);
    table_cell(t, "%.*s", MOST_TEXT, code.text ? code.text : "");
    sb_free(&code);
}

static void source_cell(struct table *t, const struct profile_row *p) {
    const char *slash = p->file ? strrchr(p->file, '/') : NULL;
    if (p->file && p->source_line)
        table_cell(t, "%s:%" PRIu32, slash ? slash + 1 : p->file, p->source_line);
    else
        table_cell(t, "%s", "");
}

static void heading(const struct run *r, const char *text, struct sb *out) {
    sb_add(out, "\n%s%s%s\n", term_on(&r->cli->term, TERM_BOLD), text, term_on(&r->cli->term, TERM_PLAIN));
}

static void end_table(struct table *t, size_t rows, struct sb *out) {
    table_print(t, 2, out);
    if (rows > MOST_ROWS) sb_add(out, "  ... %zu more: --json has all\n", rows - MOST_ROWS);
    table_free(t);
}

/* ---- all slots ---- */

static void slot_row(const struct run *r, struct table *t, const char *name, uint64_t v, uint64_t all) {
    if (!v) return;
    table_cell(t, "%s", name);
    table_cell(t, "%.1f %%", 100 * ratio(v, all));
    bar_cell(t, v, all, r->cli->term.utf8);
    table_end_row(t);
}

static void print_slots(const struct run *r, const struct profile *p, struct sb *out) {
    struct table t;
    heading(r, "Lane slots", out);
    table_init(&t, "lrl");
    for (int k = 0; k < SM_LANE_KINDS; k++) slot_row(r, &t, lane_kinds[k].name, p->lanes[k], p->slots);
    for (int k = 0; k < SM_WAITS; k++) slot_row(r, &t, wait_kinds[k].name, p->waits[k], p->slots);
    end_table(&t, 0, out);
}

/* ---- branches ---- */

static void branch_row(const struct run *r, struct table *t, const struct profile_row *p, uint64_t all) {
    bar_cell(t, profile_causes(&p->own), all, r->cli->term.utf8);
    table_cell(t, "%.1f %%", 100 * ratio(profile_causes(&p->own), all));
    count_cell(t, p->count.executions);
    table_cell(t, "%.1f %%", 100 * ratio(p->count.divergences, p->count.executions));
    if (p->count.divergences)
        table_cell(t, "%.2f", ratio(p->count.sides, p->count.divergences));
    else
        table_cell(t, "%s", "-");
    if (p->count.reconvergences)
        count_cell(t, p->count.reconvergence_cycles / p->count.reconvergences);
    else
        table_cell(t, "%s", p->count.divergences ? "never" : "-");
    table_cell(t, "%" PRIu32, p->line);
    code_cell(t, sim_module_ir(r->mod)->text, p->line);
    source_cell(t, p);
    table_end_row(t);
}

static void print_branches(const struct run *r, const struct profile *p, struct sb *out) {
    struct table t;
    heading(r, "Branches, by the lane slots lost because threads part there", out);
    if (!p->branches.n) {
        sb_add(out, "  none was executed\n");
        return;
    }
    table_init(&t, "lrrrrrrll");
    TABLE_HEAD(&t, "", "causes", "executed", "divergent", "sides", "reconverge", "line", "PTX", "source");
    for (size_t i = 0; i < p->branches.n && i < MOST_ROWS; i++)
        branch_row(r, &t, &p->branches.v[i], p->slots);
    end_table(&t, p->branches.n, out);
}

/* ---- lines and functions ---- */

static int by_suffering(const void *a, const void *b) {
    const struct profile_row *x = a, *y = b;
    const uint64_t sx = profile_suffers(&x->own), sy = profile_suffers(&y->own);
    return sx < sy ? 1 : sx > sy ? -1 : x->pc < y->pc ? -1 : x->pc > y->pc;
}

static struct profile_row *sorted(const struct profile_rows *rows) {
    struct profile_row *v = xcalloc(rows->n, sizeof *v);
    memcpy(v, rows->v, rows->n * sizeof *v);
    qsort(v, rows->n, sizeof *v, by_suffering);
    return v;
}

/* What it suffers and causes; with calls only where that is another figure. */
static void cost_cells(const struct run *r, struct table *t, const struct profile_row *p, uint64_t all) {
    const uint64_t own = profile_slots(&p->own), calls = profile_slots(&p->calls);
    bar_cell(t, profile_suffers(&p->own), all, r->cli->term.utf8);
    share_cell(t, profile_suffers(&p->own), all);
    share_cell(t, profile_causes(&p->own), all);
    share_cell(t, own, all);
    share_cell(t, calls != own ? calls : 0, all);
    share_cell(t, calls != own ? profile_suffers(&p->calls) : 0, all);
}

static void print_lines(const struct run *r, const struct profile *p, struct sb *out) {
    const struct profile_rows *rows = p->source.n ? &p->source : &p->ptx;
    if (!rows->n) return;
    struct profile_row *v = sorted(rows);
    struct table t;
    heading(r, "Lines, by the lane slots they lose while they issue or are waited for", out);
    table_init(&t, "lrrrrrrll");
    TABLE_HEAD(&t, "", "suffers", "causes", "slots", "slots with calls", "suffers with calls", "line", "PTX",
               "source");
    for (size_t i = 0; i < rows->n && i < MOST_ROWS; i++) {
        cost_cells(r, &t, &v[i], p->slots);
        table_cell(&t, "%" PRIu32, v[i].line);
        code_cell(&t, sim_module_ir(r->mod)->text, v[i].line);
        source_cell(&t, &v[i]);
        table_end_row(&t);
    }
    end_table(&t, rows->n, out);
    xfree(v);
}

static void print_functions(const struct run *r, const struct profile *p, struct sb *out) {
    if (p->functions.n < 2) return;
    struct profile_row *v = sorted(&p->functions);
    struct table t;
    heading(r, "Functions", out);
    table_init(&t, "lrrrrrl");
    TABLE_HEAD(&t, "", "suffers", "causes", "slots", "slots with calls", "suffers with calls", "function");
    for (size_t i = 0; i < p->functions.n && i < MOST_ROWS; i++) {
        cost_cells(r, &t, &v[i], p->slots);
        demangle_cell(&t, v[i].func);
        table_end_row(&t);
    }
    end_table(&t, p->functions.n, out);
    xfree(v);
}

void run_profile(const struct run *r, struct sb *out) {
    struct profile p = {0};
    sim_profile(r->mod, &p);
    print_slots(r, &p, out);
    print_branches(r, &p, out);
    print_lines(r, &p, out);
    print_functions(r, &p, out);
    profile_free(&p);
}

/* ---- JSON ---- */

static json_t *cost_json(const struct profile_cost *c) {
    json_t *o = json_object(), *lanes = json_object();
    for (int k = 0; k < SM_LANE_KINDS; k++)
        json_object_set_new(lanes, lane_kinds[k].key, json_integer((json_int_t)c->lanes[k]));
    json_object_set_new(o, "slots", json_integer((json_int_t)profile_slots(c)));
    json_object_set_new(o, "suffers", json_integer((json_int_t)profile_suffers(c)));
    json_object_set_new(o, "causes", json_integer((json_int_t)profile_causes(c)));
    json_object_set_new(o, "lanes", lanes);
    json_object_set_new(o, "waits", json_integer((json_int_t)profile_waits(c)));
    json_object_set_new(o, "caused",
                        json_pack("{s:I, s:I, s:I}", "parted", (json_int_t)c->parted, "exited",
                                  (json_int_t)c->exited, "waits", (json_int_t)c->held));
    return o;
}

static json_t *row_json(const struct profile_row *p, bool branch) {
    json_t *o = json_object();
    const struct {
        const char *key;
        uint64_t value;
    } counts[] = {{"executions", p->count.executions},
                  {"divergences", p->count.divergences},
                  {"sides", p->count.sides},
                  {"reconvergences", p->count.reconvergences},
                  {"reconvergence_cycles", p->count.reconvergence_cycles}};
    if (branch) json_object_set_new(o, "pc", json_integer(p->pc));
    json_object_set_new(o, "function", json_string(p->func));
    json_object_set_new(o, "line", json_integer(p->line));
    json_object_set_new(o, "source",
                        p->file && p->source_line
                            ? json_pack("{s:s, s:I}", "file", p->file, "line", (json_int_t)p->source_line)
                            : json_null());
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        json_object_set_new(o, counts[i].key, json_integer((json_int_t)counts[i].value));
    json_object_set_new(o, "own", cost_json(&p->own));
    json_object_set_new(o, "with_calls", cost_json(&p->calls));
    return o;
}

static json_t *rows_json(const struct profile_rows *rows, bool branches) {
    json_t *all = json_array();
    for (size_t i = 0; i < rows->n; i++) json_array_append_new(all, row_json(&rows->v[i], branches));
    return all;
}

json_t *run_slots_json(const struct run_slots *s) {
    json_t *o = json_object(), *lanes = json_object(), *waits = json_object();
    for (int k = 0; k < SM_LANE_KINDS; k++)
        json_object_set_new(lanes, lane_kinds[k].key, json_integer((json_int_t)s->lanes[k]));
    for (int k = 0; k < SM_WAITS; k++)
        json_object_set_new(waits, wait_kinds[k].key, json_integer((json_int_t)s->waits[k]));
    json_object_set_new(o, "all", json_integer((json_int_t)s->all));
    json_object_set_new(o, "lanes", lanes);
    json_object_set_new(o, "waits", waits);
    return o;
}

static struct run_slots slots_of(const struct profile *p) {
    struct run_slots s = {.all = p->slots};
    memcpy(s.lanes, p->lanes, sizeof s.lanes);
    memcpy(s.waits, p->waits, sizeof s.waits);
    return s;
}

/* The profile is of all launches so far: one of them is what it added. */
void run_profile_launch(struct run *r, hd_kernel *k, struct run_slots *out) {
    struct profile p = {0};
    sim_profile(sim_kernel_module(k), &p);
    const struct run_slots now = slots_of(&p), before = r->slots;
    profile_free(&p);
    out->all = now.all - before.all;
    for (int i = 0; i < SM_LANE_KINDS; i++) out->lanes[i] = now.lanes[i] - before.lanes[i];
    for (int i = 0; i < SM_WAITS; i++) out->waits[i] = now.waits[i] - before.waits[i];
    r->slots = now;
}

json_t *run_profile_json(const struct run *r) {
    struct profile p = {0};
    json_t *o = json_object();
    sim_profile(r->mod, &p);
    const struct run_slots slots = slots_of(&p);
    json_object_set_new(o, "slots", run_slots_json(&slots));
    json_object_set_new(o, "branches", rows_json(&p.branches, true));
    json_object_set_new(o, "ptx", rows_json(&p.ptx, false));
    json_object_set_new(o, "source", rows_json(&p.source, false));
    json_object_set_new(o, "functions", rows_json(&p.functions, false));
    profile_free(&p);
    return o;
}
