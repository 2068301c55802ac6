/* The result of `heddle reproduce` for programs: JSON and CSV. */
#include "cli/cmd/reproduce/reproduce.h"
#include "cli/stats_json.h"
#include "report/csv.h"

/* ---- JSON ---- */

/* A number, a word, or both of a bound; nothing where the paper has none. */
static void set_paper(json_t *o, enum claim_way way, bool number, double paper) {
    if (number) json_object_set_new(o, "paper", json_real(paper));
    if (way) json_object_set_new(o, number ? "bound" : "paper", json_string(claim_way_names[way]));
}

static void set_verdict(json_t *o, enum claim_verdict v) {
    if (v) json_object_set_new(o, "verdict", json_string(claim_verdict_names[v]));
}

static json_t *value_json(const struct claim_value *v) {
    json_t *o = json_pack("{s:s}", "workload", v->workload);
    if (v->there) json_object_set_new(o, "ours", json_real(v->ours));
    set_paper(o, v->way, v->has_paper, v->paper);
    set_verdict(o, v->verdict);
    if (v->why) json_object_set_new(o, "error", json_string(v->why));
    return o;
}

static json_t *claim_json(const struct claim_result *r) {
    const struct claim *c = r->claim;
    const char *waits = claim_waits(c), *remark = claim_note(c);
    json_t *o =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "claim", c->id, "what", c->what, "source", c->source,
                  "basis", claim_basis_names[c->basis], "how", c->how, "config", c->config);
    json_t *values = json_array();
    double paper;
    const bool number = reproduce_paper_number(r, &paper);
    set_paper(o, c->way, number, paper);
    if (waits) json_object_set_new(o, "waits_for", json_string(waits));
    if (r->there) json_object_set_new(o, "ours", json_real(r->ours));
    set_verdict(o, r->verdict);
    if (r->note.len) json_object_set_new(o, "note", json_string(r->note.text));
    if (remark) json_object_set_new(o, "remark", json_string(remark));
    for (size_t k = 0; !waits && k < r->values.n; k++)
        json_array_append_new(values, value_json(&r->values.v[k]));
    json_object_set_new(o, "workloads", values);
    return o;
}

static json_t *part_json(const struct claim_part *p) {
    return json_pack("{s:f, s:f}", "right", p->right, "of", p->of);
}

static json_t *score_json(const struct reproduce *r, enum claim_basis basis,
                          const struct claim_paper *paper) {
    struct claim_score s;
    claim_score(r->claims.results, r->claims.n, basis, paper, &s);
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I}", "sign", part_json(&s.sign), "sign_by_claim",
                     part_json(&s.sign_claims), "sign_moved", part_json(&s.sign_moved), "sign_moved_by_claim",
                     part_json(&s.sign_moved_claims), "within_a_third", part_json(&s.size),
                     "within_a_third_by_claim", part_json(&s.size_claims), "claims", (json_int_t)s.claims,
                     "not_checked", (json_int_t)s.unchecked);
}

static json_t *scores_json(const struct reproduce *r, enum claim_basis basis) {
    json_t *score = json_object();
    json_object_set_new(score, "all", score_json(r, basis, NULL));
    for (const struct claim_paper *p = claim_papers; p->prefix; p++)
        json_object_set_new(score, p->prefix, score_json(r, basis, p));
    return score;
}

json_t *reproduce_tree(const struct reproduce *r) {
    json_t *root = json_object(), *claims = json_array();
    for (size_t i = 0; i < r->claims.n; i++) json_array_append_new(claims, claim_json(&r->claims.results[i]));
    json_object_set_new(root, "size", json_string(work_size_names[r->claims.size]));
    json_object_set_new(root, "isa", json_string(work_isa_names[r->claims.isa]));
    json_object_set_new(root, "left_out", json_integer((json_int_t)r->left_out));
    json_object_set_new(root, "score", scores_json(r, CLAIM_PREDICTED));
    json_object_set_new(root, "score_chosen", scores_json(r, CLAIM_CHOSEN));
    json_object_set_new(root, "claims", claims);
    return root;
}

bool reproduce_json(const struct reproduce *r, struct sb *out, struct err *e) {
    return stats_json_text(reproduce_tree(r), out, e);
}

/* ---- CSV ---- */

static void csv_number(struct sb *out, bool there, double v) {
    if (there)
        csv_cell(out, "%.12g", v);
    else
        csv_cell(out, "%s", "");
}

static void reproduce_data_csv_row(struct sb *out, const struct claim *c, const char *workload) {
    csv_cell(out, "%s", c->id);
    csv_cell(out, "%s", c->what);
    csv_cell(out, "%s", c->source);
    csv_cell(out, "%s", claim_basis_names[c->basis]);
    csv_cell(out, "%s", workload);
}

static void csv_end(struct sb *out, enum claim_way way, bool has_paper, double paper, bool there, double ours,
                    enum claim_verdict v) {
    if (way && !has_paper)
        csv_cell(out, "%s", claim_way_names[way]);
    else
        csv_number(out, has_paper, paper);
    csv_number(out, there, ours);
    csv_cell(out, "%s", claim_verdict_names[v]);
    csv_end_row(out);
}

void reproduce_csv(const struct reproduce *r, struct sb *out) {
    static const char *const head[] = {"claim",    "what",  "source", "basis",
                                       "workload", "paper", "ours",   "verdict"};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++) csv_cell(out, "%s", head[i]);
    csv_end_row(out);
    for (size_t i = 0; i < r->claims.n; i++) {
        const struct claim_result *c = &r->claims.results[i];
        double paper;
        const bool number = reproduce_paper_number(c, &paper);
        reproduce_data_csv_row(out, c->claim, "");
        csv_end(out, c->claim->way, number, paper, c->there, c->ours, c->verdict);
        for (size_t k = 0; k < c->values.n; k++) {
            const struct claim_value *v = &c->values.v[k];
            reproduce_data_csv_row(out, c->claim, v->workload);
            csv_end(out, v->way, v->has_paper, v->paper, v->there, v->ours, v->verdict);
        }
    }
}
