/* Claims that no point of a sweep answers: the oracle of DWF 3.3, SL's Table 1 scheme by scheme, and what programs are before
 * anything runs. Each workload or scheme is a task of its own. */
#include <string.h>

#include "lab/claims_impl.h"
#include "lab/run/pool.h"
#include "lab/run/program.h"
#include "lab/study.h"
#include "lab/table1.h"

bool claims_is_study(const struct claim *c) {
    return c->kind == CLAIM_ORACLE || c->kind == CLAIM_GRID || c->kind == CLAIM_STATIC;
}

static void run_oracle(struct claims_work *w, struct claims_study *s) {
    struct study_reconvergence r;
    const struct lab_subject subject = {.workload = workload_find(s->value->workload), .size = w->c->size};
    s->fine = study_reconvergence(&subject, &(hd_config){.file = s->config}, &w->stop, &r, &s->err);
    if (s->fine && r.total.oracle) s->result = 100 * ((double)r.total.pdom / (double)r.total.oracle - 1);
    study_reconvergence_free(&r);
}

static void run_scheme(struct claims_study *s) {
    struct table1_row row;
    table1_run(s->scheme, &row);
    s->fine = !row.err.code;
    s->result = 100.0 * table1_agrees(&row) / TABLE1_COLUMNS;
    if (!s->fine) err_set(&s->err, row.err.code, "%s", err_text(&row.err));
    table1_free(&row);
}

/* Instructions of all kernels of a workload, as they are written. */
static void run_static(struct claims_study *s) {
    const struct workload *work = workload_find(s->value->workload);
    hd_device *dev;
    hd_module *mod = NULL;
    hd_kernel *k;
    hd_kernel_info info;
    s->fine = lab_open(&(hd_config){.file = s->config}, &dev, &s->err) &&
              lab_check(dev, hd_module_load(dev, work->name, work->code, work->code_bytes, &mod), &s->err);
    for (size_t i = 0; s->fine && (k = hd_module_kernel_at(mod, i)); i++)
        if (hd_kernel_get_info(k, &info) == HD_OK) s->result += info.instructions;
    hd_device_close(dev);
}

static void run_study(void *user, size_t task) {
    struct claims_work *w = user;
    struct claims_study *s = &w->studies.v[task];
    if (atomic_load(&w->stop)) return;
    if (s->scheme)
        run_scheme(s);
    else if (s->kind == CLAIM_STATIC)
        run_static(s);
    else
        run_oracle(w, s);
}

static void on_study_tick(void *user) {
    struct claims_work *w = user;
    if (!claims_tick(w->c, &w->sweep.progress)) atomic_store(&w->stop, true);
}

bool claims_studies(struct claims_work *w, struct err *e) {
    for (size_t i = 0; i < w->c->n; i++) {
        struct claim_result *r = &w->c->results[i];
        const bool grid = r->claim->kind == CLAIM_GRID;
        for (size_t k = 0; claims_is_study(r->claim) && !claim_waits(r->claim) && k < r->values.n; k++)
            VEC_PUSH(&w->studies, (struct claims_study){.value = &r->values.v[k],
                                                        .config = r->claim->config,
                                                        .kind = r->claim->kind,
                                                        .scheme = grid ? &table1_schemes[k] : NULL});
    }
    lab_run_tasks(&(struct lab_tasks){.n = w->studies.n, .run = run_study, .tick = on_study_tick, .user = w},
                  w->c->jobs);
    for (size_t i = 0; i < w->studies.n; i++) {
        struct claims_study *s = &w->studies.v[i];
        s->value->there = s->fine;
        s->value->ours = s->result;
        w->c->wrong += !s->fine && s->err.code;
        if (!s->fine && s->err.code)
            s->value->why = arena_strndup(&w->c->mem, err_text(&s->err), strcspn(err_text(&s->err), "\n"));
        err_free(&s->err);
    }
    VEC_FREE(&w->studies);
    return !atomic_load(&w->stop) || claims_stopped(e);
}
