/* The log of a run: one JSON object a line, each written whole by a process that used the runtime. Statistics come by
 * name, those that are 0 left out; counters become the counters they were, so that sums, ratios, tables and pages are
 * those of every other command. A line that is cut short, as when a process is killed while it writes, is counted and
 * left out. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd/cuda/cuda.h"
#include "sim/file.h"
#include "value/demangle.h"

/* ---- statistics ---- */

static bool set_own_counter(struct stats *s, const struct mech_ops *mech, const char *name, uint64_t v) {
    const size_t n = mech ? strlen(mech->name) : 0;
    if (!mech || !mech->counters || strncmp(name, mech->name, n) != 0 || name[n] != '.') return false;
    for (size_t k = 0; mech->counters[k].key; k++)
        if (!strcmp(mech->counters[k].key, name + n + 1)) {
            s->div.extra[k] = v;
            s->mech = mech;
            return true;
        }
    return false;
}

static void set_counter(struct stats *s, const struct mech_ops *mech, const char *name, double value) {
    const uint64_t v = value > 0 ? (uint64_t)value : 0;
    if (set_own_counter(s, mech, name, v)) return;
    for (int i = 0; i < STAT_COUNT; i++)
        if (stat_is_counter((enum stat_id)i) && !strcmp(stat_rows[i].name, name)) {
            memcpy((char *)s + stat_rows[i].offset, &v, sizeof v);
            return;
        }
}

static void read_stats(const struct cuda_run *r, json_t *all, bool timed, struct stats *s) {
    const char *name;
    json_t *value;
    if (timed) s->mech = r->mech;
    json_object_foreach(all, name, value) set_counter(s, r->mech, name, json_number_value(value));
}

/* ---- lines ---- */

static const char *cuda_log_text_of(const json_t *o, const char *name) {
    const char *text = json_string_value(json_object_get(o, name));
    return text ? text : "";
}

static size_t process_of(struct cuda_run *r, const json_t *o) {
    const int64_t pid = json_integer_value(json_object_get(o, "pid"));
    for (size_t i = r->processes.n; i-- > 0;)
        if (r->processes.v[i].pid == pid) return i;
    VEC_PUSH(&r->processes, (struct cuda_process){.pid = pid, .program = ""});
    return r->processes.n - 1;
}

static size_t cuda_log_kernel_of(struct cuda_run *r, const char *name) {
    for (size_t i = 0; i < r->kernels.n; i++)
        if (!strcmp(r->kernels.v[i].name, name)) return i;
    VEC_PUSH(&r->kernels, (struct cuda_kernel){.name = arena_strdup(&r->mem, name)});
    return r->kernels.n - 1;
}

static void read_extent(const json_t *o, const char *name, uint32_t d[3]) {
    const json_t *a = json_object_get(o, name);
    for (size_t i = 0; i < 3; i++) d[i] = (uint32_t)json_integer_value(json_array_get(a, i));
}

static const char *cuda_log_keep(struct cuda_run *r, const char *text) {
    return *text ? arena_strdup(&r->mem, text) : NULL;
}

static void add_launch(struct cuda_run *r, const json_t *o) {
    struct cuda_launch l = {.process = process_of(r, o),
                            .kernel = cuda_log_kernel_of(r, cuda_log_text_of(o, "kernel")),
                            .number = (uint64_t)json_integer_value(json_object_get(o, "n")),
                            .nth = (uint64_t)json_integer_value(json_object_get(o, "nth")),
                            .stream = (uint64_t)json_integer_value(json_object_get(o, "stream")),
                            .timed = !strcmp(cuda_log_text_of(o, "mode"), "timed")};
    struct cuda_kernel *k = &r->kernels.v[l.kernel];
    const char *status = cuda_log_text_of(o, "status");
    const bool failed = *status && strcmp(status, "ok") != 0;
    read_extent(o, "grid", l.shape.grid);
    read_extent(o, "block", l.shape.block);
    l.shape.shared_bytes = (uint32_t)json_integer_value(json_object_get(o, "shared"));
    read_stats(r, json_object_get(o, "stats"), l.timed, &l.stats);
    l.status = failed ? cuda_log_keep(r, status) : "ok";
    l.error = failed ? cuda_log_keep(r, cuda_log_text_of(o, "error")) : NULL;
    k->launches++, r->nlaunches++;
    k->timed += l.timed, r->timed += l.timed;
    k->failed += failed, r->failed += failed;
    k->refused += failed && !strcmp(cuda_log_text_of(o, "by"), "mechanism");
    if (failed && !k->error) k->error = l.error ? l.error : l.status;
    stats_join(&k->stats, &l.stats);
    stats_join(&r->total, &l.stats);
    if (r->cuda->each) VEC_PUSH(&r->launches, l);
}

/* A process that takes another program's place (exec) starts again under its number. */
static void add_start(struct cuda_run *r, const json_t *o) {
    VEC_PUSH(&r->processes,
             (struct cuda_process){.pid = json_integer_value(json_object_get(o, "pid")),
                                   .program = arena_strdup(&r->mem, cuda_log_text_of(o, "program"))});
}

static void add_race(struct cuda_run *r, const json_t *o) {
    struct sb readable = {0};
    demangle_text(cuda_log_text_of(o, "text"), &readable);
    r->races += !json_is_true(json_object_get(o, "same_value"));
    VEC_PUSH(&r->notes, sb_keep(&readable, &r->mem));
}

static void add_line(struct cuda_run *r, const json_t *o) {
    const char *event = cuda_log_text_of(o, "event");
    if (!strcmp(event, "start"))
        add_start(r, o);
    else if (!strcmp(event, "launch"))
        add_launch(r, o);
    else if (!strcmp(event, "end"))
        r->processes.v[process_of(r, o)].ended = true;
    else if (!strcmp(event, "profile"))
        cuda_profile_read(r, o);
    else if (!strcmp(event, "race"))
        add_race(r, o);
    else if (*cuda_log_text_of(o, "text"))
        VEC_PUSH(&r->notes, arena_strdup(&r->mem, cuda_log_text_of(o, "text")));
}

/* Processes that ran at the same time wrote by turns. */
static int by_process(const void *a, const void *b) {
    const struct cuda_launch *x = a, *y = b;
    if (x->process != y->process) return x->process < y->process ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

bool cuda_read_log(struct cuda_run *r, struct err *e) {
    struct sb text = {0};
    if (!file_read(r->log, &text, e)) {
        sb_free(&text);
        return false;
    }
    for (const char *p = text.text ? text.text : ""; *p;) {
        const size_t n = strcspn(p, "\n");
        json_t *o = json_loadb(p, n, 0, NULL);
        if (json_is_object(o))
            add_line(r, o);
        else
            r->broken += n > 0;
        json_decref(o);
        p += n + (p[n] == '\n');
    }
    sb_free(&text);
    cuda_profile_sort(r);
    if (r->launches.n) qsort(r->launches.v, r->launches.n, sizeof *r->launches.v, by_process);
    return true;
}
