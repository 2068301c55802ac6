/* `heddle reproduce --html`: the score, then paper by paper every claim with the paper's value and ours as bars, a verdict in
 * colour and in words, and the values by workload behind a line that opens. report/html.h writes the page. */
#include "cli/reproduce.h"
#include "report/html.h"
#include "report/table.h"

typedef void cell(const struct claim_result *r, struct sb *out);

/* ---- marks and bars ---- */

static enum html_mark mark_of(enum claim_verdict v) {
    switch (v) {
    case VERDICT_THIRD:
    case VERDICT_AGREES: return HTML_GOOD;
    case VERDICT_OFF: return HTML_FAIR;
    case VERDICT_SIGN:
    case VERDICT_NO_EFFECT: return HTML_BAD;
    default: return HTML_NONE;
    }
}

/* The bars of a claim with their texts; released together. */
struct bars {
    VEC(struct html_bar) bar;
    struct arena mem;
};

static const char *keep(struct bars *b, struct sb *text) {
    const char *kept = arena_strndup(&b->mem, text->len ? text->text : "", text->len);
    sb_free(text);
    return kept;
}

static void bars_free(struct bars *b) {
    VEC_FREE(&b->bar);
    arena_free(&b->mem);
}

static void whole_bar(const struct claim_result *r, struct bars *b) {
    struct sb theirs = {0}, ours = {0};
    struct html_bar bar = {.our = r->ours, .has_our = r->there, .mark = mark_of(r->verdict)};
    bar.has_their = reproduce_paper_number(r, &bar.their);
    reproduce_paper(r, &theirs);
    reproduce_ours(r, &ours);
    bar.theirs = keep(b, &theirs);
    bar.ours = keep(b, &ours);
    VEC_PUSH(&b->bar, bar);
}

static void value_bars(const struct claim_result *r, struct bars *b) {
    for (size_t k = 0; k < r->values.n; k++) {
        const struct claim_value *v = &r->values.v[k];
        struct sb theirs = {0}, ours = {0};
        reproduce_value_paper(r, v, &theirs);
        reproduce_value_ours(r, v, &ours);
        VEC_PUSH(&b->bar, (struct html_bar){.label = v->workload,
                                            .theirs = keep(b, &theirs),
                                            .ours = keep(b, &ours),
                                            .their = v->paper,
                                            .our = v->ours,
                                            .has_their = v->has_paper,
                                            .has_our = v->there,
                                            .mark = mark_of(v->verdict)});
    }
}

/* ---- a claim ---- */

static void add_cell(const char *class, cell *write, const struct claim_result *r, struct sb *out) {
    struct sb text = {0};
    write(r, &text);
    sb_add(out, "<div class=\"%s\">", class);
    if (text.len) html_text(out, text.text);
    sb_add(out, "</div>");
    sb_free(&text);
}

static void add_chart(const struct claim_result *r, struct sb *out) {
    struct bars b = {0};
    sb_add(out, "<div>");
    if (r->there && r->claim->values) {
        value_bars(r, &b);
        html_columns(out, b.bar.v, b.bar.n);
    } else if (r->there) {
        whole_bar(r, &b);
        html_pair(out, &b.bar.v[0], b.bar.v, b.bar.n);
    }
    sb_add(out, "</div>");
    bars_free(&b);
}

/* Of a table: a sign for each value, and how many are right. */
static void add_verdict(const struct claim_result *r, struct sb *out) {
    struct sb text = {0};
    reproduce_verdict(r, &text);
    sb_add(out, "<div>");
    if (r->there && r->claim->values) {
        sb_add(out, "<span class=\"signs\">");
        for (size_t k = 0; k < r->values.n; k++) html_mark(out, mark_of(r->values.v[k].verdict), NULL);
        sb_add(out, "</span><br>");
        if (text.len) html_text(out, text.text);
    } else {
        html_mark(out, mark_of(r->verdict), text.len ? text.text : NULL);
    }
    sb_add(out, "<br><span class=\"soft\">");
    html_text(out, claim_basis_names[r->claim->basis]);
    sb_add(out, "</span></div>\n");
    sb_free(&text);
}

static void value_row(const struct claim_result *r, const struct bars *b, size_t k, struct sb *out) {
    const struct claim_value *v = &r->values.v[k];
    sb_add(out, "<tr><td>");
    html_text(out, v->workload);
    sb_add(out, "</td><td class=\"n\">");
    html_text(out, b->bar.v[k].theirs);
    sb_add(out, "</td><td class=\"n\">");
    html_text(out, b->bar.v[k].ours);
    sb_add(out, "</td><td>");
    html_pair(out, &b->bar.v[k], b->bar.v, b->bar.n);
    sb_add(out, "</td><td>");
    if (v->verdict) html_mark(out, mark_of(v->verdict), claim_verdict_names[v->verdict]);
    if (v->why) html_text(out, v->why);
    sb_add(out, "</td></tr>\n");
}

static void add_values(const struct claim_result *r, struct sb *out) {
    struct bars b = {0};
    if (!r->values.n || claim_waits(r->claim)) return;
    value_bars(r, &b);
    sb_add(out, "<details><summary>By workload: ");
    html_add(out, "%s, on %s", r->claim->how, r->claim->config);
    sb_add(out, "</summary>\n<table><tr><th>workload</th><th class=\"n\">paper</th><th class=\"n\">ours</th>"
                "<th></th><th></th></tr>\n");
    for (size_t k = 0; k < r->values.n; k++) value_row(r, &b, k, out);
    sb_add(out, "</table></details>\n");
    bars_free(&b);
}

static void add_note(const char *text, struct sb *out) {
    if (!text) return;
    sb_add(out, "<p class=\"note\">");
    html_text(out, text);
    sb_add(out, "</p>\n");
}

static void add_claim(const struct claim_result *r, struct sb *out) {
    sb_add(out, "<article class=\"claim\" id=\"");
    html_text(out, r->claim->id);
    sb_add(out, "\"><div>");
    html_text(out, r->claim->what);
    sb_add(out, "<br><span class=\"id\">");
    html_add(out, "%s", r->claim->id);
    sb_add(out, "</span> <span class=\"soft\">");
    html_text(out, r->claim->source);
    sb_add(out, "</span></div>");
    add_chart(r, out);
    add_cell("n", reproduce_paper, r, out);
    add_cell("n", reproduce_ours, r, out);
    add_verdict(r, out);
    add_note(r->note.len ? r->note.text : NULL, out);
    add_note(claim_note(r->claim), out);
    add_values(r, out);
    sb_add(out, "</article>\n");
}

/* ---- the page ---- */

static void add_score(const struct reproduce *r, struct sb *out) {
    struct table t;
    reproduce_score(r, &t);
    sb_add(out, "<section class=\"score\"><h2>Score</h2>\n");
    html_table(out, &t);
    sb_add(out,
           "<p class=\"soft\">Predictions alone. By value: each program's value of a table counts one; by "
           "claim: a table counts one, by the share of its values that are right. Shares and counts have "
           "no sign, directions and bounds no size.</p></section>\n");
    table_free(&t);
}

static void add_legend(struct sb *out) {
    static const struct {
        enum html_mark mark;
        const char *term, *text;
    } words[] = {
        {HTML_GOOD, "within a third, agrees", "of the paper's number; with its direction or bound"},
        {HTML_FAIR, "off", "the sign is right or there is none, the size is not within a third"},
        {HTML_BAD, "sign differs, no effect", "another sign or direction, beyond a bound; 0.0 here"},
        {HTML_NONE, "nothing to compare", "the paper has reasons for both directions, or there is no value"},
    };
    sb_add(out, "<dl>");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        sb_add(out, "<dt>");
        html_mark(out, words[i].mark, words[i].term);
        sb_add(out, "</dt><dd>");
        html_text(out, words[i].text);
        sb_add(out, "</dd>");
    }
    sb_add(out,
           "</dl>\n<p class=\"soft\">Bars: the paper's value is an outline, ours is filled; each claim has a "
           "scale of its own.</p>\n");
}

static void add_paper(const struct reproduce *r, const struct claim_paper *p, struct sb *out) {
    bool any = false;
    for (size_t i = 0; i < r->claims.n; i++) {
        const struct claim_result *c = &r->claims.results[i];
        if (!claim_of_paper(c->claim, p)) continue;
        if (!any) {
            sb_add(out, "<h2>");
            html_text(out, p->name);
            sb_add(out, "</h2>\n<p class=\"soft\">");
            html_text(out, p->title);
            sb_add(out,
                   "</p>\n<div class=\"claim head\"><div>claim</div><div>paper, ours</div><div class=\"n\">"
                   "paper</div><div class=\"n\">ours</div><div>verdict, basis</div></div>\n");
        }
        any = true;
        add_claim(c, out);
    }
}

void reproduce_html(const struct reproduce *r, struct sb *out) {
    html_begin(out, "The papers' claims and heddle's figures");
    sb_add(out, "<h1>The papers&#39; claims, and what comes out here</h1>\n<p class=\"soft\">");
    html_add(out, "heddle %d.%d.%d, size %s, %zu claims", HD_VERSION_MAJOR, HD_VERSION_MINOR,
             HD_VERSION_PATCH, work_size_names[r->claims.size], r->claims.n);
    sb_add(out, "</p>\n");
    add_score(r, out);
    add_legend(out);
    for (const struct claim_paper *p = claim_papers; p->prefix; p++) add_paper(r, p, out);
    html_end(out);
}
