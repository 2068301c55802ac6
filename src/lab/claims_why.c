/* Why our number has the other sign: a sentence from the statistics. The workload that pulls hardest against the paper is
 * named, with what changed between the two machines it was run on: how full issues are, how often there is none and
 * why, how busy memory is. */
#include <math.h>

#include "lab/claims_impl.h"

/* What a sentence can say of a run. */
static const struct {
    const char *words, *part, *whole; /* whole NULL: the statistic is a share itself */
} aspects[] = {
    {"lanes of issued warps", "sm.lane_activity", NULL},
    {"slots idle for memory", "warp.w0_mem", "warp.cycles"},
    {"slots idle otherwise", "warp.w0_idle", "warp.cycles"},
    {"use of the DRAM", "dram.utilisation", NULL},
    {"L1D hits", "l1d.hits", "l1d.accesses"},
};
enum { ASPECTS = sizeof aspects / sizeof *aspects };

static bool claims_why_share(struct claims_work *w, size_t claim, size_t workload, int machine, size_t aspect,
                             double *value) {
    double whole = 1;
    if (!claims_stat(w, claim, workload, machine, aspects[aspect].part, value)) return false;
    if (aspects[aspect].whole && !claims_stat(w, claim, workload, machine, aspects[aspect].whole, &whole))
        return false;
    *value = whole > 0 ? 100 * *value / whole : 0;
    return true;
}

/* How far a value is on the wrong side; of a table, whose values each have a side of their own, how far it is from none. */
static double wrongness(const struct claim *c, double ours) {
    if (c->values) return fabs(ours);
    if (c->way == CLAIM_STAYS || c->way == CLAIM_EVEN) return fabs(ours);
    if (c->way == CLAIM_AT_MOST) return ours;
    return c->paper > 0 || c->way == CLAIM_RISES || c->way == CLAIM_AT_LEAST ? -ours : ours;
}

static size_t culprit(const struct claim_result *r) {
    size_t worst = r->values.n;
    for (size_t k = 0; k < r->values.n; k++) {
        if (!r->values.v[k].there || (r->claim->values && r->values.v[k].verdict != VERDICT_SIGN)) continue;
        if (worst == r->values.n ||
            wrongness(r->claim, r->values.v[k].ours) > wrongness(r->claim, r->values.v[worst].ours))
            worst = k;
    }
    return worst;
}

static void add_aspects(struct claims_work *w, size_t claim, size_t workload, struct sb *out) {
    for (size_t i = 0; i < ASPECTS; i++) {
        double a, b;
        if (!claims_why_share(w, claim, workload, 0, i, &a) ||
            !claims_why_share(w, claim, workload, 1, i, &b))
            continue;
        if (fabs(a - b) < 0.5) continue;
        sb_add(out, "%s %s %.1f %% instead of %.1f %%", out->len ? "," : "", aspects[i].words, a, b);
    }
}

static void add_sign(struct claims_work *w, size_t claim) {
    struct claim_result *r = &w->c->results[claim];
    size_t k = culprit(r);
    struct sb facts = {0};
    if (k == r->values.n) return;
    sb_add(&r->note, "The sign differs, most of all by %s (%+.1f%s)", r->values.v[k].workload,
           r->values.v[k].ours, r->claim->kind == CLAIM_CHANGE || r->claim->kind == CLAIM_RANK ? "" : " %");
    if (r->claim->machine[1].mech && !r->claim->factor) {
        add_aspects(w, claim, k, &facts);
        sb_add(&r->note, ", where %s has", r->claim->machine[0].mech);
        if (facts.len)
            sb_add(&r->note, "%s", facts.text);
        else
            sb_add(&r->note, " lanes, idle slots and memory used as");
        sb_add(&r->note, " under %s", r->claim->machine[1].mech);
        if (r->claim->machine[1].settings[0]) sb_add(&r->note, " with %s", r->claim->machine[1].settings);
    }
    sb_add(&r->note, ".");
    sb_free(&facts);
}

void claims_explain(struct claims_work *w, size_t claim) {
    struct claim_result *r = &w->c->results[claim];
    if (r->verdict == VERDICT_SIGN || r->claim->values) add_sign(w, claim);
    for (size_t k = 0; k < r->values.n; k++)
        if (!r->values.v[k].there)
            sb_add(&r->note, "%s%s has no value: %s.", r->note.len ? " " : "", r->values.v[k].workload,
                   r->values.v[k].why ? r->values.v[k].why : "it did not run");
}
