/* How far our numbers are from the papers', and how many predictions came out.
 *
 * A gain or loss has a sign and a size, a share or count only a size, a way ("falls") or bound ("never below") only a sign:
 * the score has a part for each. Numbers are compared as they are printed, to a tenth of a per cent: 0.04 % is no gain. A
 * table of values by program would outweigh everything else if only values were counted, and would hide how many of them
 * fail if only claims were: both are. */
#include <math.h>

#include "lab/claims.h"

static const double printed = 0.05; /* half of the last digit that is shown */

enum claim_way claim_went(double change) {
    return change >= 0.5 ? CLAIM_RISES : change <= -0.5 ? CLAIM_FALLS : CLAIM_STAYS;
}

/* ---- one number ---- */

static bool as_said(enum claim_way way, double paper, double ours) {
    switch (way) {
    case CLAIM_EVEN: return fabs(ours) < 5;
    case CLAIM_AT_LEAST: return ours >= paper - (paper != 0 ? 0 : printed);
    case CLAIM_AT_MOST: return ours <= paper + (paper != 0 ? 0 : printed);
    default: return way == claim_went(ours);
    }
}

enum claim_verdict claim_judge(const struct claim *c, enum claim_way way, double paper, double ours) {
    if (way == CLAIM_EITHER || !isfinite(ours)) return VERDICT_NONE;
    if (way != CLAIM_UNSAID) return as_said(way, paper, ours) ? VERDICT_AGREES : VERDICT_SIGN;
    if (fabs(ours - paper) <= (paper != 0 ? fabs(paper) / 3 : printed)) return VERDICT_THIRD;
    if (!claim_signed(c)) return VERDICT_OFF;
    if (fabs(ours) < printed) return VERDICT_NO_EFFECT;
    return ours * paper < 0 ? VERDICT_SIGN : VERDICT_OFF;
}

void claim_judge_result(struct claim_result *r) {
    const struct claim *c = r->claim;
    r->verdict = VERDICT_NONE;
    if (r->there && !c->values) r->verdict = claim_judge(c, c->way, c->paper, r->ours);
    for (size_t k = 0; k < r->values.n; k++) {
        struct claim_value *v = &r->values.v[k];
        const bool said = v->has_paper || v->way;
        v->verdict = v->there && said ? claim_judge(c, v->way, v->paper, v->ours) : VERDICT_NONE;
    }
}

/* ---- all of them ---- */

static void claims_verdict_count(struct claim_part *part, bool counts, bool right) {
    part->of += counts;
    part->right += counts && right;
}

/* A mechanism that does nothing at all is right wherever the paper sees no change: those are also left out of a count. */
static void count_one(const struct claim *c, enum claim_way way, enum claim_verdict v,
                      struct claim_tally *t) {
    if (v == VERDICT_NONE) return;
    const bool has_sign = way || claim_signed(c), right = v != VERDICT_SIGN && v != VERDICT_NO_EFFECT;
    claims_verdict_count(&t->sign, has_sign, right);
    claims_verdict_count(&t->sign_moved, has_sign && way != CLAIM_EVEN && way != CLAIM_STAYS, right);
    claims_verdict_count(&t->size, !way, v == VERDICT_THIRD);
}

void claim_tally(const struct claim_result *r, struct claim_tally *t) {
    *t = (struct claim_tally){0};
    if (!r->claim->values) count_one(r->claim, r->claim->way, r->verdict, t);
    for (size_t k = 0; k < r->values.n; k++)
        count_one(r->claim, r->values.v[k].way, r->values.v[k].verdict, t);
}

static void claims_verdict_add(const struct claim_part *part, struct claim_part *values,
                               struct claim_part *claims) {
    values->right += part->right;
    values->of += part->of;
    if (!(part->of > 0)) return;
    claims->right += part->right / part->of;
    claims->of++;
}

void claim_score(const struct claim_result *results, size_t n, enum claim_basis basis,
                 const struct claim_paper *paper, struct claim_score *score) {
    *score = (struct claim_score){0};
    for (size_t i = 0; i < n; i++) {
        struct claim_tally t;
        const struct claim *c = results[i].claim;
        if (c->basis != basis || c->way == CLAIM_EITHER || (paper && !claim_of_paper(c, paper))) continue;
        claim_tally(&results[i], &t);
        claims_verdict_add(&t.sign, &score->sign, &score->sign_claims);
        claims_verdict_add(&t.sign_moved, &score->sign_moved, &score->sign_moved_claims);
        claims_verdict_add(&t.size, &score->size, &score->size_claims);
        score->claims++;
        score->unchecked += !(t.sign.of + t.size.of > 0);
    }
}
