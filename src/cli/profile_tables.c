/* The tables of a profile: where all lane slots went, then the branches that cost most and the lines and functions that suffer
 * most, each as a share of all slots, so that the figures of a column can be compared with each other and with the time of
 * the whole run. */
#include "cli/profile_tables.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/bar.h"
#include "report/table.h"
#include "report/text.h"
#include "value/demangle.h"

enum { MOST_ROWS = 10, BAR_WIDTH = 10, MOST_TEXT = 34 };

static double ratio(uint64_t a, uint64_t b) {
    return b ? (double)a / (double)b : 0;
}

static void profile_tables_count_cell(struct table *t, uint64_t v) {
    struct sb text = {0};
    text_grouped(&text, v);
    table_cell(t, "%s", text.text);
    sb_free(&text);
}

static void profile_tables_share_cell(struct table *t, uint64_t v, uint64_t all) {
    if (v)
        table_cell(t, "%.1f %%", 100 * ratio(v, all));
    else
        table_cell(t, "%s", "");
}

static void profile_tables_bar_cell(struct table *t, uint64_t v, uint64_t all, bool utf8) {
    struct sb bar = {0};
    bar_add(&bar, (double)v, (double)all, BAR_WIDTH, utf8);
    table_cell(t, "%s", bar.text ? bar.text : "");
    sb_free(&bar);
}

/* A line of the PTX text without the blanks and the semicolon around it. */
static void code_cell(struct table *t, const char *text) {
    struct sb code = {0}, readable = {0};
    if (text) text += strspn(text, " \t");
    size_t n = text ? strcspn(text, ";\n\r") : 0;
    for (size_t i = 0; i < n; i++)
        if (text[i] != '\t' || (i && text[i - 1] != ' ')) sb_addn(&code, text[i] == '\t' ? " " : text + i, 1);
    demangle_text(code.text ? code.text : "", &readable);
    table_cell(t, "%.*s", MOST_TEXT, readable.text);
    sb_free(&readable);
    sb_free(&code);
}

static void source_cell(struct table *t, const hd_profile_row *p) {
    const char *slash = p->source ? strrchr(p->source, '/') : NULL;
    if (p->source && p->source_line)
        table_cell(t, "%s:%" PRIu32, slash ? slash + 1 : p->source, p->source_line);
    else
        table_cell(t, "%s", "");
}

static void profile_tables_heading(const struct term *term, const char *text, struct sb *out) {
    sb_add(out, "\n%s%s%s\n", term_on(term, TERM_BOLD), text, term_on(term, TERM_PLAIN));
}

static void end_table(struct table *t, size_t rows, struct sb *out) {
    table_print(t, 2, out);
    if (rows > MOST_ROWS) sb_add(out, "  ... %zu more: --json has all\n", rows - MOST_ROWS);
    table_free(t);
}

/* ---- all slots ---- */

static void slot_row(const struct term *term, struct table *t, const char *name, uint64_t v, uint64_t all) {
    if (!v) return;
    table_cell(t, "%s", name);
    table_cell(t, "%.1f %%", 100 * ratio(v, all));
    profile_tables_bar_cell(t, v, all, term->utf8);
    table_end_row(t);
}

static void print_slots(const struct term *term, const struct profile_shown *p, struct sb *out) {
    struct table t;
    profile_tables_heading(term, "Lane slots", out);
    table_init(&t, "lrl");
    for (int k = 0; k < SM_LANE_KINDS; k++) slot_row(term, &t, lane_kinds[k].name, p->lanes[k], p->slots);
    for (int k = 0; k < SM_WAITS; k++) slot_row(term, &t, wait_kinds[k].name, p->waits[k], p->slots);
    end_table(&t, 0, out);
}

/* ---- branches ---- */

static void branch_row(const struct term *term, struct table *t, const hd_profile_row *p, uint64_t all) {
    profile_tables_bar_cell(t, p->own.causes, all, term->utf8);
    table_cell(t, "%.1f %%", 100 * ratio(p->own.causes, all));
    profile_tables_count_cell(t, p->executions);
    table_cell(t, "%.1f %%", 100 * ratio(p->divergences, p->executions));
    if (p->divergences)
        table_cell(t, "%.2f", ratio(p->sides, p->divergences));
    else
        table_cell(t, "%s", "-");
    if (p->reconvergences)
        profile_tables_count_cell(t, p->reconvergence_cycles / p->reconvergences);
    else
        table_cell(t, "%s", p->divergences ? "never" : "-");
    table_cell(t, "%" PRIu32, p->line);
    code_cell(t, p->text);
    source_cell(t, p);
    table_end_row(t);
}

static void print_branches(const struct term *term, const struct profile_shown *p, struct sb *out) {
    struct table t;
    profile_tables_heading(term, "Branches, by the lane slots lost to their divergence", out);
    if (!p->by[HD_PROFILE_BRANCHES].n) {
        sb_add(out, "  none was executed\n");
        return;
    }
    table_init(&t, "lrrrrrrll");
    TABLE_HEAD(&t, "", "causes", "executed", "divergent", "sides", "reconverge", "line", "PTX", "source");
    for (size_t i = 0; i < p->by[HD_PROFILE_BRANCHES].n && i < MOST_ROWS; i++)
        branch_row(term, &t, &p->by[HD_PROFILE_BRANCHES].v[i], p->slots);
    end_table(&t, p->by[HD_PROFILE_BRANCHES].n, out);
}

/* ---- lines and functions ---- */

/* Pointers into rows that are in the order of the program: those that suffer the same stay in it. */
static int by_suffering(const void *a, const void *b) {
    const hd_profile_row *x = *(const hd_profile_row *const *)a, *y = *(const hd_profile_row *const *)b;
    const uint64_t sx = x->own.suffers, sy = y->own.suffers;
    return sx < sy ? 1 : sx > sy ? -1 : x < y ? -1 : x > y;
}

static const hd_profile_row **sorted(const struct profile_rows_shown *rows) {
    const hd_profile_row **v = xcalloc(rows->n, sizeof *v);
    for (size_t i = 0; i < rows->n; i++) v[i] = &rows->v[i];
    qsort(v, rows->n, sizeof *v, by_suffering);
    return v;
}

/* What it suffers and causes; with calls only where that is another figure. */
static void cost_cells(const struct term *term, struct table *t, const hd_profile_row *p, uint64_t all) {
    const uint64_t own = p->own.slots, calls = p->with_calls.slots;
    profile_tables_bar_cell(t, p->own.suffers, all, term->utf8);
    profile_tables_share_cell(t, p->own.suffers, all);
    profile_tables_share_cell(t, p->own.causes, all);
    profile_tables_share_cell(t, own, all);
    profile_tables_share_cell(t, calls != own ? calls : 0, all);
    profile_tables_share_cell(t, calls != own ? p->with_calls.suffers : 0, all);
}

static void print_lines(const struct term *term, const struct profile_shown *p, struct sb *out) {
    const struct profile_rows_shown *rows =
        p->by[HD_PROFILE_SOURCE].n ? &p->by[HD_PROFILE_SOURCE] : &p->by[HD_PROFILE_PTX];
    if (!rows->n) return;
    const hd_profile_row **v = sorted(rows);
    struct table t;
    profile_tables_heading(term, "Lines, by the lane slots they lose while they issue or are waited for",
                           out);
    table_init(&t, "lrrrrrrll");
    TABLE_HEAD(&t, "", "suffers", "causes", "slots", "slots with calls", "suffers with calls", "line", "PTX",
               "source");
    for (size_t i = 0; i < rows->n && i < MOST_ROWS; i++) {
        cost_cells(term, &t, v[i], p->slots);
        table_cell(&t, "%" PRIu32, v[i]->line);
        code_cell(&t, v[i]->text);
        source_cell(&t, v[i]);
        table_end_row(&t);
    }
    end_table(&t, rows->n, out);
    xfree(v);
}

static void print_functions(const struct term *term, const struct profile_shown *p, struct sb *out) {
    if (p->by[HD_PROFILE_FUNCTIONS].n < 2) return;
    const hd_profile_row **v = sorted(&p->by[HD_PROFILE_FUNCTIONS]);
    struct table t;
    profile_tables_heading(term, "Functions", out);
    table_init(&t, "lrrrrrl");
    TABLE_HEAD(&t, "", "suffers", "causes", "slots", "slots with calls", "suffers with calls", "function");
    for (size_t i = 0; i < p->by[HD_PROFILE_FUNCTIONS].n && i < MOST_ROWS; i++) {
        cost_cells(term, &t, v[i], p->slots);
        demangle_cell(&t, v[i]->function);
        table_end_row(&t);
    }
    end_table(&t, p->by[HD_PROFILE_FUNCTIONS].n, out);
    xfree(v);
}

void profile_tables(const struct term *term, const struct profile_shown *p, struct sb *out) {
    print_slots(term, p, out);
    print_branches(term, p, out);
    print_lines(term, p, out);
    print_functions(term, p, out);
}

void profile_shown_free(struct profile_shown *p) {
    for (size_t i = 0; i < sizeof p->by / sizeof *p->by; i++) VEC_FREE(&p->by[i]);
}
