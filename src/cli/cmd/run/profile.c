/* The profile of a run, for people (profile_tables.h) and as JSON. */
#include <string.h>

#include "cli/cmd/run/run.h"
#include "cli/profile_tables.h"
#include "sim/device/checkpoint.h"
#include "sim/sim.h"

static void run_profile_gather(hd_module *mod, struct profile_shown *p) {
    hd_profile_kind kind;
    hd_profile_row row;
    for (size_t i = 0; i < SM_LANE_KINDS + SM_WAITS && !hd_profile_kind_at(mod, i, &kind); i++)
        *(kind.waits ? &p->waits[i - SM_LANE_KINDS] : &p->lanes[i]) = kind.slots;
    (void)hd_profile_slots(mod, &p->slots);
    for (int by = HD_PROFILE_BRANCHES; by <= HD_PROFILE_FUNCTIONS; by++)
        for (size_t i = 0, n = hd_profile_count(mod, (hd_profile_by)by); i < n; i++)
            if (!hd_profile_at(mod, (hd_profile_by)by, i, &row)) VEC_PUSH(&p->by[by], row);
}

void run_profile(const struct run *r, struct sb *out) {
    struct profile_shown p = {0};
    run_profile_gather(r->mod, &p);
    profile_tables(&r->cli->term, &p, out);
    profile_shown_free(&p);
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

static json_t *run_profile_row_json(const struct profile_row *p, bool branch) {
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
    for (size_t i = 0; i < rows->n; i++)
        json_array_append_new(all, run_profile_row_json(&rows->v[i], branches));
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
    sim_note(r->dev, out, sizeof *out); /* a replay takes it from here, as it has no profile before its end */
    r->slots.all = before.all + out->all;
    for (int i = 0; i < SM_LANE_KINDS; i++) r->slots.lanes[i] = before.lanes[i] + out->lanes[i];
    for (int i = 0; i < SM_WAITS; i++) r->slots.waits[i] = before.waits[i] + out->waits[i];
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
