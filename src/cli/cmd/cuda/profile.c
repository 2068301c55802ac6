/* The profile of a program: the runtime writes a line for each module when it is unloaded, or when the process ends. Rows of
 * the same line of the same kernel are added up over processes and over modules that were loaded more than once. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd/cuda/cuda.h"
#include "cli/cmd/run/run.h"

static const char *const list_names[] = {[HD_PROFILE_BRANCHES] = "branches",
                                         [HD_PROFILE_PTX] = "ptx",
                                         [HD_PROFILE_SOURCE] = "source",
                                         [HD_PROFILE_FUNCTIONS] = "functions"};
enum { LISTS = sizeof list_names / sizeof *list_names };

/* ---- reading ---- */

static uint64_t cuda_profile_number(const json_t *o, const char *name) {
    return (uint64_t)json_integer_value(json_object_get(o, name));
}

static const char *cuda_profile_text_of(struct cuda_run *r, const json_t *o, const char *name) {
    const char *text = json_string_value(json_object_get(o, name));
    return text ? arena_strdup(&r->mem, text) : NULL;
}

static hd_profile_cost read_cost(const json_t *o) {
    return (hd_profile_cost){cuda_profile_number(o, "slots"), cuda_profile_number(o, "suffers"),
                             cuda_profile_number(o, "causes")};
}

static hd_profile_row read_row(struct cuda_run *r, const json_t *o) {
    const char *function = cuda_profile_text_of(r, o, "function"), *file = cuda_profile_text_of(r, o, "file"),
               *text = cuda_profile_text_of(r, o, "text");
    return (hd_profile_row){.function = function ? function : "",
                            .file = file ? file : "",
                            .line = (uint32_t)cuda_profile_number(o, "line"),
                            .text = text ? text : "",
                            .source = cuda_profile_text_of(r, o, "source"),
                            .source_line = (uint32_t)cuda_profile_number(o, "source_line"),
                            .executions = cuda_profile_number(o, "executions"),
                            .lanes = cuda_profile_number(o, "lanes"),
                            .divergences = cuda_profile_number(o, "divergences"),
                            .sides = cuda_profile_number(o, "sides"),
                            .reconvergences = cuda_profile_number(o, "reconvergences"),
                            .reconvergence_cycles = cuda_profile_number(o, "reconvergence_cycles"),
                            .own = read_cost(json_object_get(o, "own")),
                            .with_calls = read_cost(json_object_get(o, "with_calls"))};
}

static bool cuda_profile_same(const hd_profile_row *a, const hd_profile_row *b) {
    return a->line == b->line && a->source_line == b->source_line && !strcmp(a->function, b->function) &&
           !strcmp(a->text, b->text) && !strcmp(a->file, b->file) &&
           !strcmp(a->source ? a->source : "", b->source ? b->source : "");
}

static void add_cost(hd_profile_cost *to, const hd_profile_cost *c) {
    to->slots += c->slots;
    to->suffers += c->suffers;
    to->causes += c->causes;
}

static void add_counts(hd_profile_row *to, const hd_profile_row *b) {
    to->executions += b->executions;
    to->lanes += b->lanes;
    to->divergences += b->divergences;
    to->sides += b->sides;
    to->reconvergences += b->reconvergences;
    to->reconvergence_cycles += b->reconvergence_cycles;
    add_cost(&to->own, &b->own);
    add_cost(&to->with_calls, &b->with_calls);
}

/* The rows of one line of the log are apart from each other: only those before it, `old` of them, are looked through. */
static void cuda_profile_add_row(struct profile_rows_shown *rows, size_t old, const hd_profile_row *row) {
    for (size_t i = 0; i < old; i++)
        if (cuda_profile_same(&rows->v[i], row)) {
            add_counts(&rows->v[i], row);
            return;
        }
    VEC_PUSH(rows, *row);
}

void cuda_profile_read(struct cuda_run *r, const json_t *o) {
    struct profile_shown *p = &r->profile;
    const json_t *lanes = json_object_get(o, "lanes"), *waits = json_object_get(o, "waits");
    p->slots += cuda_profile_number(o, "slots");
    for (int k = 0; k < SM_LANE_KINDS; k++) p->lanes[k] += cuda_profile_number(lanes, lane_kinds[k].key);
    for (int k = 0; k < SM_WAITS; k++) p->waits[k] += cuda_profile_number(waits, wait_kinds[k].key);
    r->sourceless |= !json_array_size(json_object_get(o, "source"));
    for (size_t by = 0; by < LISTS; by++) {
        const json_t *list = json_object_get(o, list_names[by]);
        const size_t old = p->by[by].n;
        for (size_t i = 0; i < json_array_size(list); i++) {
            const hd_profile_row row = read_row(r, json_array_get(list, i));
            cuda_profile_add_row(&p->by[by], old, &row);
        }
    }
}

/* ---- showing ---- */

static int by_causes(const void *a, const void *b) {
    const hd_profile_row *x = a, *y = b;
    if (x->own.causes != y->own.causes) return x->own.causes < y->own.causes ? 1 : -1;
    if (x->executions != y->executions) return x->executions < y->executions ? 1 : -1;
    const int order = strcmp(x->function, y->function);
    return order ? order : x->line < y->line ? -1 : x->line > y->line;
}

void cuda_profile_sort(struct cuda_run *r) {
    struct profile_rows_shown *branches = &r->profile.by[HD_PROFILE_BRANCHES];
    if (branches->n) qsort(branches->v, branches->n, sizeof *branches->v, by_causes);
}

/* Where a module does not say its source, lines are those of the PTX. */
void cuda_profile(const struct cuda *c, struct sb *out) {
    for (size_t i = 0; i < c->runs.n; i++) {
        const struct cuda_run *r = &c->runs.v[i];
        struct profile_shown shown = r->profile;
        if (c->runs.n > 1)
            sb_add(out, "\n%sProfile: %s%s\n", term_on(&c->term, TERM_BOLD), r->name,
                   term_on(&c->term, TERM_PLAIN));
        if (r->sourceless) shown.by[HD_PROFILE_SOURCE].n = 0;
        if (r->profile.slots)
            profile_tables(&c->term, &shown, out);
        else
            sb_add(out, "  no profile: no process that ended by itself had a timed launch\n");
    }
}

/* ---- JSON ---- */

static json_t *cost_json(const hd_profile_cost *c) {
    return json_pack("{s:I, s:I, s:I}", "slots", (json_int_t)c->slots, "suffers", (json_int_t)c->suffers,
                     "causes", (json_int_t)c->causes);
}

static json_t *cuda_profile_row_json(const hd_profile_row *p) {
    json_t *o =
        json_pack("{s:s, s:I, s:s}", "function", p->function, "line", (json_int_t)p->line, "text", p->text);
    const struct {
        const char *key;
        uint64_t value;
    } counts[] = {{"executions", p->executions},
                  {"divergences", p->divergences},
                  {"sides", p->sides},
                  {"reconvergences", p->reconvergences},
                  {"reconvergence_cycles", p->reconvergence_cycles}};
    json_object_set_new(o, "source",
                        p->source && p->source_line
                            ? json_pack("{s:s, s:I}", "file", p->source, "line", (json_int_t)p->source_line)
                            : json_null());
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        json_object_set_new(o, counts[i].key, json_integer((json_int_t)counts[i].value));
    json_object_set_new(o, "own", cost_json(&p->own));
    json_object_set_new(o, "with_calls", cost_json(&p->with_calls));
    return o;
}

json_t *cuda_profile_json(const struct cuda_run *r) {
    struct run_slots slots = {.all = r->profile.slots};
    json_t *o = json_object();
    memcpy(slots.lanes, r->profile.lanes, sizeof slots.lanes);
    memcpy(slots.waits, r->profile.waits, sizeof slots.waits);
    json_object_set_new(o, "slots", run_slots_json(&slots));
    for (size_t by = 0; by < LISTS; by++) {
        json_t *all = json_array();
        for (size_t i = 0; i < r->profile.by[by].n; i++)
            json_array_append_new(all, cuda_profile_row_json(&r->profile.by[by].v[i]));
        json_object_set_new(o, list_names[by], all);
    }
    return o;
}
