/* Numbers, words and scores of claims as `heddle reproduce` writes them, whatever the form of its output. */
#include <math.h>

#include "cli/cmd/reproduce/reproduce.h"
#include "report/table.h"

static bool per_cent(const struct claim *c) {
    return c->kind != CLAIM_COUNT && c->kind != CLAIM_STATIC && c->kind != CLAIM_RANK &&
           c->kind != CLAIM_CHANGE;
}

const char *reproduce_unit(const struct claim *c) {
    return c->kind == CLAIM_CHANGE ? "points" : per_cent(c) ? "%" : "";
}

/* A gain or loss has a sign, a share has none. Shares below one have the digits that the papers give them. */
static void add_plain(const struct claim *c, double v, struct sb *out) {
    if (claim_signed(c))
        sb_add(out, "%+.1f", v);
    else
        sb_add(out, fabs(v) < 0.995 && fabs(v) > 0 && per_cent(c) ? "%.2f" : "%.1f", v);
}

static void reproduce_cells_add_number(const struct claim *c, double v, struct sb *out) {
    if (c->kind == CLAIM_CHANGE && !c->values) {
        sb_add(out, "%s (%+.1f points)", claim_way_names[claim_went(v)], v);
        return;
    }
    add_plain(c, v, out);
    if (*reproduce_unit(c)) sb_add(out, " %s", reproduce_unit(c));
}

static bool is_bound(const struct claim *c) {
    return c->way == CLAIM_AT_LEAST || c->way == CLAIM_AT_MOST;
}

bool reproduce_paper_number(const struct claim_result *r, double *paper) {
    double sum = 0;
    size_t n = 0;
    for (size_t k = 0; k < r->values.n; k++) {
        if (!r->values.v[k].has_paper) continue;
        sum += r->values.v[k].paper;
        n++;
    }
    *paper = n ? sum / (double)n : r->claim->paper;
    return r->claim->values ? n > 0 : !r->claim->way || is_bound(r->claim);
}

void reproduce_paper(const struct claim_result *r, struct sb *out) {
    const struct claim *c = r->claim;
    double paper;
    const bool number = reproduce_paper_number(r, &paper);
    if (is_bound(c) && paper == 0) {
        sb_add(out, c->way == CLAIM_AT_LEAST ? "never below" : "never above");
        return;
    }
    sb_add(out, "%s%s", claim_way_names[c->way], is_bound(c) ? " " : "");
    if (number)
        reproduce_cells_add_number(c, paper, out);
    else if (c->values)
        sb_add(out, "by program");
}

void reproduce_ours(const struct claim_result *r, struct sb *out) {
    const char *waits = claim_waits(r->claim);
    if (waits)
        sb_add(out, "waits for %s", waits);
    else if (r->there)
        reproduce_cells_add_number(r->claim, r->ours, out);
    else
        sb_add(out, "no value");
}

/* Adds the verdict; of a claim with several values, how many of them are right. */
void reproduce_verdict(const struct claim_result *r, struct sb *out) {
    struct claim_tally t;
    if (!r->claim->values) {
        sb_add(out, "%s", claim_verdict_names[r->verdict]);
        return;
    }
    claim_tally(r, &t);
    if (t.sign.of > 0) sb_add(out, "sign %.0f of %.0f", t.sign.right, t.sign.of);
    if (t.size.of > 0)
        sb_add(out, "%s%.0f of %.0f within a third", out->len ? ", " : "", t.size.right, t.size.of);
}

void reproduce_value_paper(const struct claim_result *r, const struct claim_value *v, struct sb *out) {
    if (v->way)
        sb_add(out, "%s", claim_way_names[v->way]);
    else if (v->has_paper)
        sb_add(out, claim_signed(r->claim) ? "%+g" : "%g", v->paper);
}

void reproduce_value_ours(const struct claim_result *r, const struct claim_value *v, struct sb *out) {
    if (v->there)
        add_plain(r->claim, v->ours, out);
    else
        sb_add(out, "-");
}

/* Claims count by the share of their values: they may be no whole number. */
void reproduce_part(const struct claim_part *p, struct sb *out) {
    if (!(p->of > 0)) {
        sb_add(out, "-");
        return;
    }
    sb_add(out, fabs(p->right - round(p->right)) < 1e-9 ? "%.0f" : "%.1f", p->right);
    sb_add(out, " of %.0f (%.0f %%)", p->of, 100 * p->right / p->of);
}

static void score_row(const struct reproduce *r, enum claim_basis basis, const struct claim_paper *paper,
                      struct table *t) {
    struct claim_score s;
    claim_score(r->claims.results, r->claims.n, basis, paper, &s);
    if (!s.claims) return;
    const struct claim_part *const parts[] = {&s.sign, &s.sign_claims, &s.sign_moved, &s.sign_moved_claims,
                                              &s.size, &s.size_claims};
    table_cell(t, "%s, %s", claim_basis_names[basis], paper ? paper->name : "all");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct sb text = {0};
        reproduce_part(parts[i], &text);
        table_cell(t, "%s", text.text);
        sb_free(&text);
    }
    table_cell(t, "%zu", s.unchecked);
    table_end_row(t);
}

void reproduce_score(const struct reproduce *r, struct table *t) {
    table_init(t, "lrrrrrrr");
    TABLE_HEAD(t, "score", "sign right, by value", "by claim", "without even and stays", "by claim",
               "within a third, by value", "by claim", "not checked");
    for (enum claim_basis basis = CLAIM_PREDICTED; basis <= CLAIM_CHOSEN; basis++) {
        score_row(r, basis, NULL, t);
        for (const struct claim_paper *p = claim_papers; p->prefix; p++) score_row(r, basis, p, t);
    }
}
