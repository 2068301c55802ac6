/* What `heddle reproduce` shows: claims and figures as a table for people, as Markdown for a page, as JSON and CSV. */
#include <jansson.h>
#include <string.h>

#include "cli/help.h"
#include "cli/reproduce.h"
#include "cli/stats_json.h"
#include "report/csv.h"
#include "report/table.h"

static bool per_cent(const struct claim *c) {
    return c->kind != CLAIM_VALUES;
}

/* A gain or loss has a sign, a share has none. */
static bool is_share(const struct claim *c) {
    return c->kind == CLAIM_OF_PEAK || c->kind == CLAIM_STALLED || c->kind == CLAIM_AREA ||
           c->kind == CLAIM_VALUES || c->kind == CLAIM_GRID;
}

static const char *const way_names[] = {
    [CLAIM_RISES] = "rises", [CLAIM_FALLS] = "falls", [CLAIM_STAYS] = "stays", [CLAIM_EITHER] = "either"};

static void add_number(const struct claim *c, double v, struct sb *out) {
    if (c->kind == CLAIM_CHANGE) {
        sb_add(out, "%s (%+.1f points)", way_names[claim_went(v)], v);
        return;
    }
    sb_add(out, is_share(c) ? "%.1f" : "%+.1f", v);
    if (per_cent(c)) sb_add(out, " %%");
}

static double paper_mean(const struct claim_result *r) {
    double sum = 0;
    size_t n = 0;
    for (size_t k = 0; k < r->values.n; k++) {
        if (!r->values.v[k].has_paper) continue;
        sum += r->values.v[k].paper;
        n++;
    }
    return n ? sum / (double)n : r->claim->paper;
}

/* The paper's number, or the way it says. */
static void add_paper(const struct claim_result *r, struct sb *out) {
    if (r->claim->kind == CLAIM_CHANGE)
        sb_add(out, "%s", way_names[r->claim->way]);
    else
        add_number(r->claim, paper_mean(r), out);
}

/* "mu +12.3, mp -1.0": ours, and the paper's where it has one. */
static void add_values(const struct claim_result *r, struct sb *out) {
    for (size_t k = 0; k < r->values.n; k++) {
        const struct claim_value *v = &r->values.v[k];
        sb_add(out, "%s%s ", k ? ", " : "", v->workload);
        if (!v->there)
            sb_add(out, "-");
        else
            sb_add(out, is_share(r->claim) ? "%.1f" : "%+.1f", v->ours);
        if (v->has_paper) sb_add(out, " (%g)", v->paper);
    }
}

static void add_ours(const struct claim_result *r, struct sb *out) {
    const char *waits = claim_waits(r->claim);
    if (waits)
        sb_add(out, "waits for %s", waits);
    else if (r->there)
        add_number(r->claim, r->ours, out);
    else
        sb_add(out, "no value");
}

/* ---- for people ---- */

void reproduce_list(const struct reproduce *r, struct sb *out) {
    struct table t;
    table_init(&t, "llrll");
    TABLE_HEAD(&t, "claim", "what", "paper", "source", "waits for");
    for (size_t i = 0; i < r->chosen.n; i++) {
        const struct claim *c = r->chosen.v[i];
        const char *waits = claim_waits(c);
        struct sb paper = {0};
        if (c->values)
            sb_add(&paper, "%s", c->values);
        else
            add_paper(&(struct claim_result){.claim = c}, &paper);
        table_cell(&t, "%s", c->id);
        table_cell(&t, "%s", c->what);
        table_cell(&t, "%s", paper.text);
        table_cell(&t, "%s", c->source);
        table_cell(&t, "%s", waits ? waits : "");
        table_end_row(&t);
        sb_free(&paper);
    }
    table_print(&t, 0, out);
    table_free(&t);
}

static void add_row(const struct claim_result *r, struct table *t) {
    struct sb paper = {0}, ours = {0};
    add_paper(r, &paper);
    add_ours(r, &ours);
    table_cell(t, "%s", r->claim->id);
    table_cell(t, "%s", r->claim->what);
    table_cell(t, "%s", paper.text);
    table_cell(t, "%s", ours.text);
    table_end_row(t);
    sb_free(&paper);
    sb_free(&ours);
}

/* Words that fit into the line, the rest below it. */
static void add_wrapped(struct sb *out, const char *text, int width, int indent) {
    int column = width;
    while (*text) {
        int n = (int)strcspn(text, " ");
        if (column + 1 + n > width) {
            sb_add(out, "%s%*s", out->len && out->text[out->len - 1] != '\n' ? "\n" : "", indent, "");
            column = indent;
        } else {
            sb_add(out, " ");
            column++;
        }
        sb_addn(out, text, (size_t)n);
        column += n;
        text += n + (text[n] == ' ');
    }
    sb_add(out, "\n");
}

static void add_details(const struct reproduce *r, const struct claim_result *c, struct sb *out) {
    struct sb values = {0};
    if (claim_waits(c->claim)) return;
    sb_add(out, "%s%s%s  %s; %s\n", term_on(&r->cli->term, TERM_BOLD), c->claim->id,
           term_on(&r->cli->term, TERM_PLAIN), c->claim->source, c->claim->how);
    add_values(c, &values);
    if (values.len) add_wrapped(out, values.text, r->cli->term.width, 4);
    if (c->note.len) add_wrapped(out, c->note.text, r->cli->term.width, 4);
    sb_free(&values);
}

static bool all_wait(const struct reproduce *r) {
    for (size_t i = 0; i < r->claims.n; i++)
        if (!claim_waits(r->claims.results[i].claim)) return false;
    return true;
}

void reproduce_report(const struct reproduce *r, struct sb *out) {
    struct table t;
    table_init(&t, "llrr");
    TABLE_HEAD(&t, "claim", "what", "paper", "ours");
    for (size_t i = 0; i < r->claims.n; i++) add_row(&r->claims.results[i], &t);
    table_print(&t, 0, out);
    table_free(&t);
    if (all_wait(r)) return;
    sb_add(out, "\nBy workload (size %s):\n", work_size_names[r->claims.size]);
    for (size_t i = 0; i < r->claims.n; i++) add_details(r, &r->claims.results[i], out);
}

/* ---- for a page ---- */

static void markdown_details(const struct claim_result *c, struct sb *out) {
    if (claim_waits(c->claim)) return;
    struct sb item = {0};
    sb_add(&item, "- `%s`, %s: ", c->claim->id, c->claim->how);
    add_values(c, &item);
    sb_add(&item, ".");
    if (c->note.len) sb_add(&item, " *%s*", c->note.text);
    help_wrap(out, item.text, 0, 2, HELP_PAGE_WIDTH);
    sb_free(&item);
}

void reproduce_markdown(const struct reproduce *r, struct sb *out) {
    sb_add(out, "| claim | what | source | paper | ours |\n|---|---|---|---:|---:|\n");
    for (size_t i = 0; i < r->claims.n; i++) {
        const struct claim_result *c = &r->claims.results[i];
        sb_add(out, "| `%s` | %s | %s | ", c->claim->id, c->claim->what, c->claim->source);
        add_paper(c, out);
        sb_add(out, " | ");
        add_ours(c, out);
        sb_add(out, " |\n");
    }
    sb_add(out, "\nBy workload (size %s):\n\n", work_size_names[r->claims.size]);
    for (size_t i = 0; i < r->claims.n; i++) markdown_details(&r->claims.results[i], out);
}

/* ---- for programs ---- */

static json_t *value_json(const struct claim_value *v) {
    json_t *o = json_pack("{s:s}", "workload", v->workload);
    if (v->there) json_object_set_new(o, "ours", json_real(v->ours));
    if (v->has_paper) json_object_set_new(o, "paper", json_real(v->paper));
    if (v->why) json_object_set_new(o, "error", json_string(v->why));
    return o;
}

static json_t *claim_json(const struct claim_result *r) {
    const struct claim *c = r->claim;
    const char *waits = claim_waits(c);
    json_t *o = json_pack("{s:s, s:s, s:s, s:s, s:s}", "claim", c->id, "what", c->what, "source", c->source,
                          "how", c->how, "config", c->config);
    json_object_set_new(o, "paper",
                        c->kind == CLAIM_CHANGE ? json_string(way_names[c->way]) : json_real(paper_mean(r)));
    json_t *values = json_array();
    if (waits) json_object_set_new(o, "waits_for", json_string(waits));
    if (r->there) json_object_set_new(o, "ours", json_real(r->ours));
    if (r->note.len) json_object_set_new(o, "note", json_string(r->note.text));
    for (size_t k = 0; !waits && k < r->values.n; k++)
        json_array_append_new(values, value_json(&r->values.v[k]));
    json_object_set_new(o, "workloads", values);
    return o;
}

bool reproduce_json(const struct reproduce *r, struct sb *out, struct err *e) {
    json_t *root = json_object(), *claims = json_array();
    for (size_t i = 0; i < r->claims.n; i++) json_array_append_new(claims, claim_json(&r->claims.results[i]));
    json_object_set_new(root, "size", json_string(work_size_names[r->claims.size]));
    json_object_set_new(root, "claims", claims);
    return stats_json_text(root, out, e);
}

static void csv_number(struct sb *out, bool there, double v) {
    if (there)
        csv_cell(out, "%.12g", v);
    else
        csv_cell(out, "%s", "");
}

void reproduce_csv(const struct reproduce *r, struct sb *out) {
    static const char *const head[] = {"claim", "what", "source", "workload", "paper", "ours"};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++) csv_cell(out, "%s", head[i]);
    csv_end_row(out);
    for (size_t i = 0; i < r->claims.n; i++) {
        const struct claim_result *c = &r->claims.results[i];
        for (size_t k = 0; k <= c->values.n; k++) {
            const struct claim_value *v = k ? &c->values.v[k - 1] : NULL;
            csv_cell(out, "%s", c->claim->id);
            csv_cell(out, "%s", c->claim->what);
            csv_cell(out, "%s", c->claim->source);
            csv_cell(out, "%s", v ? v->workload : "");
            if (!v && c->claim->kind == CLAIM_CHANGE)
                csv_cell(out, "%s", way_names[c->claim->way]);
            else
                csv_number(out, !v || v->has_paper, v ? v->paper : paper_mean(c));
            csv_number(out, v ? v->there : c->there, v ? v->ours : c->ours);
            csv_end_row(out);
        }
    }
}
