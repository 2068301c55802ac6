/* The profile of a run: the branches that cost most, as a profiler shows the hottest lines. Lanes lost come
 * first: they are the issue slots that divergence left unused. */
#include <inttypes.h>
#include <string.h>

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

static void row(struct table *t, const struct ir_module *ir, const struct profile_row *p, uint64_t all,
                bool utf8) {
    struct sb bar = {0};
    bar_add(&bar, (double)p->count.lanes_lost, (double)all, BAR_WIDTH, utf8);
    table_cell(t, "%s", bar.text ? bar.text : "");
    count_cell(t, p->count.lanes_lost);
    count_cell(t, p->count.executions);
    table_cell(t, "%.1f %%", 100 * ratio(p->count.divergences, p->count.executions));
    table_cell(t, "%.2f", ratio(p->count.sides, p->count.divergences));
    if (p->count.reconvergences)
        count_cell(t, p->count.reconvergence_cycles / p->count.reconvergences);
    else
        table_cell(t, "%s", p->count.divergences ? "never" : "-");
    table_cell(t, "%" PRIu32, p->line);
    code_cell(t, ir->text, p->line);
    source_cell(t, p);
    sb_free(&bar);
}

static void print(const struct run *r, const struct profile *p, struct sb *out) {
    uint64_t all = 0;
    struct table t;
    table_init(&t, "lrrrrrrll");
    TABLE_HEAD(&t, "", "lanes lost", "executed", "divergent", "sides", "reconverge", "line", "PTX", "source");
    for (size_t i = 0; i < p->rows.n; i++) all += p->rows.v[i].count.lanes_lost;
    for (size_t i = 0; i < p->rows.n && i < MOST_ROWS; i++)
        row(&t, sim_module_ir(r->mod), &p->rows.v[i], all, r->cli->term.utf8);
    table_print(&t, 2, out);
    if (p->rows.n > MOST_ROWS) sb_add(out, "  ... %zu more: --json has all\n", p->rows.n - MOST_ROWS);
    table_free(&t);
}

void run_profile(const struct run *r, struct sb *out) {
    struct profile p = {0};
    sim_profile(r->mod, &p);
    sb_add(out, "\n%sBranches%s\n", term_on(&r->cli->term, TERM_BOLD), term_on(&r->cli->term, TERM_PLAIN));
    if (p.rows.n)
        print(r, &p, out);
    else
        sb_add(out, "  none was executed\n");
    profile_free(&p);
}

static json_t *row_json(const struct profile_row *p) {
    json_t *o = json_object();
    const struct {
        const char *key;
        uint64_t value;
    } counts[] = {{"executions", p->count.executions},
                  {"divergences", p->count.divergences},
                  {"sides", p->count.sides},
                  {"lanes_lost", p->count.lanes_lost},
                  {"reconvergences", p->count.reconvergences},
                  {"reconvergence_cycles", p->count.reconvergence_cycles}};
    json_object_set_new(o, "pc", json_integer(p->pc));
    json_object_set_new(o, "function", json_string(p->func));
    json_object_set_new(o, "line", json_integer(p->line));
    json_object_set_new(o, "source",
                        p->file && p->source_line
                            ? json_pack("{s:s, s:I}", "file", p->file, "line", (json_int_t)p->source_line)
                            : json_null());
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        json_object_set_new(o, counts[i].key, json_integer((json_int_t)counts[i].value));
    return o;
}

json_t *run_profile_json(const struct run *r) {
    struct profile p = {0};
    json_t *all = json_array();
    sim_profile(r->mod, &p);
    for (size_t i = 0; i < p.rows.n; i++) json_array_append_new(all, row_json(&p.rows.v[i]));
    profile_free(&p);
    return all;
}
