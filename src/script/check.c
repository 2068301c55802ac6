/* Checks: a condition, elements against what they should be, or within a range. One that fails ends the run as a wrong result:
 * it names the first element, what it is and what it should be, and how many are wrong. */
#include <math.h>
#include <stdlib.h>

#include "script/state.h"

/* Elements of one type, and how far from what is wanted they may be. */
struct elements {
    const uint8_t *have, *want; /* want NULL: from lo to hi */
    enum ir_type type;
    double within, relative, lo, hi;
};

static bool script_check_wrong(struct script_state *st, struct script_at at, const char *text) {
    script_error(st->s, at, st->e, "check failed: %s", text);
    st->e->code = ERR_FAULT;
    st->stage->out->wrong = true;
    return false;
}

static bool script_check_holds(const struct elements *x, uint64_t i) {
    const size_t width = ir_type_bytes[x->type];
    const uint64_t have = array_element(x->have, i, width);
    const double h = script_real(x->type, have);
    if (!x->want) return h >= x->lo && h <= x->hi;
    const uint64_t want = array_element(x->want, i, width);
    if (have == want) return true;
    const double w = script_real(x->type, want);
    if (ir_type_float(x->type) && (h == w || (isnan(h) && isnan(w))))
        return true; /* 0 and -0; NaN has many bits */
    return (x->within > 0 || x->relative > 0) && fabs(h - w) <= x->within + x->relative * fabs(w);
}

static void script_check_describe(const struct elements *x, uint64_t i, struct sb *out) {
    const size_t width = ir_type_bytes[x->type];
    arg_format(out, x->type, array_element(x->have, i, width));
    if (x->want) {
        sb_add(out, ", not ");
        arg_format(out, x->type, array_element(x->want, i, width));
    } else {
        sb_add(out, ", not from %g to %g", x->lo, x->hi);
    }
}

static bool script_check_compare(struct script_state *st, const struct script_statement *s,
                                 const struct script_part *p, const struct elements *x) {
    uint64_t bad = 0, first = 0;
    for (uint64_t i = 0; i < p->count; i++)
        if (!script_check_holds(x, i) && !bad++) first = i;
    st->stage->out->checked += p->count;
    if (!bad) return true;
    struct sb text = {0};
    sb_add(&text, "%s[%llu] is ", st->s->buffers.v[s->target.buffer].name,
           (unsigned long long)(p->first + first));
    script_check_describe(x, first, &text);
    if (p->count > 1)
        sb_add(&text, " (%llu of %llu elements are wrong)", (unsigned long long)bad,
               (unsigned long long)p->count);
    script_check_wrong(st, s->at, text.text);
    sb_free(&text);
    return false;
}

static bool script_check_limits(struct script_state *st, const struct script_statement *s,
                                struct elements *x) {
    if (s->range) return eval_real(st, s->lo, &x->lo) && eval_real(st, s->hi, &x->hi);
    return (!s->within || eval_real(st, s->within, &x->within)) &&
           (!s->relative || eval_real(st, s->relative, &x->relative));
}

static bool check_elements(struct script_state *st, const struct script_statement *s) {
    struct script_part p;
    struct elements x = {0};
    uint8_t *have = NULL, *want = NULL;
    if (!target_part(st, &s->target, &p)) return false;
    uint64_t count = p.count;
    x.type = p.m->type;
    bool fine = script_check_limits(st, s, &x) && (have = part_read(st, &p, s->at)) &&
                (s->range || (want = contents_make(st, &s->contents, x.type, p.first, &count)));
    x.have = have;
    x.want = want;
    fine = fine && script_check_compare(st, s, &p, &x);
    free(have);
    free(want);
    return fine;
}

bool run_check(struct script_state *st, const struct script_statement *s) {
    bool true_now;
    if (!s->expr) return check_elements(st, s);
    if (!eval_true(st, s->expr, &true_now)) return false;
    st->stage->out->checked++;
    return true_now || script_check_wrong(st, s->at, "the condition does not hold");
}
