/* Two rounds of independent tasks. First every subject once without time: what it leaves is the reference. Then every subject
 * under every machine, each on a device of its own; what it leaves is compared in place by the same task, so that only the
 * references are ever held.
 *
 * Compared are, of a program, the buffers of the arguments and all .global variables. A device gives the same addresses for
 * the same requests, so that pointers in memory agree too. A workload checks itself; what it checked must have the digest of
 * the reference. */
#include "lab/run/compare.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "lab/run/pool.h"

/* A piece of memory a program ends with. */
struct region {
    size_t arg;
    const char *symbol; /* in the reference's arena; NULL: argument arg */
    uint64_t addr, bytes;
    uint8_t *data;
};

struct lab_reference {
    struct lab_outcome out;
    VEC(struct region) regions;
    struct arena mem;
};

struct round {
    struct lab_comparison *c;
    _Atomic uint32_t *done; /* by task, in thousandths */
    size_t ntasks;
};

/* One run of a task, as its hooks see it. */
struct task {
    const struct lab_comparison *comparison;
    const struct lab_subject *subject;
    struct lab_reference *reference;
    struct lab_cell *cell; /* NULL: it is the reference that runs */
    _Atomic uint32_t *done;
    size_t launched;
};

/* ---- references ---- */

static bool lab_compare_keep(struct lab_reference *r, hd_device *dev, struct region g, struct err *e) {
    g.data = try_alloc(g.bytes);
    if (!g.data)
        return err_set(e, ERR_MEMORY, "no memory to keep %llu bytes for comparison",
                       (unsigned long long)g.bytes);
    VEC_PUSH(&r->regions, g);
    return lab_check(dev, hd_copy_out(dev, g.data, g.addr, g.bytes), e);
}

static bool keep_arguments(struct lab_reference *r, hd_device *dev, const struct lab_program *p,
                           const hd_arg *args, struct err *e) {
    for (size_t i = 0; i < p->nargs + p->nbuffers; i++) {
        struct region g = {.arg = i, .addr = args[i].v.u, .bytes = p->args[i].bytes};
        if (g.bytes && !lab_compare_keep(r, dev, g, e)) return false;
    }
    return true;
}

static bool keep_variables(struct lab_reference *r, hd_device *dev, hd_module *mod, struct err *e) {
    const struct ir_module *ir = sim_module_ir(mod);
    for (size_t i = 0; i < ir->vars.n; i++) {
        const struct ir_var *v = &ir->vars.v[i];
        struct region g = {0};
        if (v->kind != IR_VAR_DATA || v->space != IR_SP_GLOBAL || !v->bytes || v->external) continue;
        if (hd_module_symbol(mod, v->name, &g.addr, &g.bytes) || !g.bytes) continue;
        g.symbol = arena_strdup(&r->mem, v->name);
        if (!lab_compare_keep(r, dev, g, e)) return false;
    }
    return true;
}

static void reference_free(struct lab_reference *r) {
    for (size_t i = 0; i < r->regions.n; i++) free(r->regions.v[i].data);
    VEC_FREE(&r->regions);
    arena_free(&r->mem);
    lab_outcome_free(&r->out);
}

/* ---- comparing ---- */

static uint64_t word_at(const uint8_t *data, uint64_t at, uint64_t bytes) {
    uint64_t w = 0;
    for (uint64_t i = 0; i < 8 && at + i < bytes; i++) w |= (uint64_t)data[at + i] << (8 * i);
    return w;
}

static uint64_t first_difference(const uint8_t *a, const uint8_t *b, uint64_t n) {
    uint64_t i = 0;
    while (i < n && a[i] == b[i]) i++;
    return i;
}

static bool compare_region(hd_device *dev, const struct region *g, struct lab_difference *d, struct err *e) {
    uint8_t *data = try_alloc(g->bytes);
    if (!data) return err_set(e, ERR_MEMORY, "no memory to compare %llu bytes", (unsigned long long)g->bytes);
    bool fine = lab_check(dev, hd_copy_out(dev, data, g->addr, g->bytes), e);
    if (fine && memcmp(data, g->data, g->bytes) != 0) {
        uint64_t at = first_difference(data, g->data, g->bytes), word = at / 8 * 8;
        *d = (struct lab_difference){.any = true,
                                     .arg = g->arg,
                                     .symbol = g->symbol,
                                     .offset = at,
                                     .have = word_at(data, word, g->bytes),
                                     .want = word_at(g->data, word, g->bytes)};
    }
    free(data);
    return fine;
}

static bool compare_memory(hd_device *dev, const struct lab_reference *r, struct lab_difference *d,
                           struct err *e) {
    for (size_t i = 0; i < r->regions.n && !d->any; i++)
        if (!compare_region(dev, &r->regions.v[i], d, e)) return false;
    return true;
}

/* ---- tasks ---- */

static bool enough(const struct lab_comparison *c) {
    return c->stop && c->stop(c->user);
}

/* How many launches a run has is known from the reference; of the reference itself, not. */
static int lab_compare_on_progress(void *user, uint64_t done, uint64_t all) {
    struct task *t = user;
    size_t launches = t->reference->out.launches;
    double launch = (double)done / (double)(all ? all : 1);
    if (launches) atomic_store(t->done, (uint32_t)(1000 * ((double)t->launched + launch) / (double)launches));
    return !enough(t->comparison);
}

static void lab_compare_on_opened(void *user, hd_device *dev) {
    hd_set_progress(dev, lab_compare_on_progress, user);
}

static void on_launched(void *user, hd_kernel *k, const hd_launch *l) {
    struct task *t = user;
    (void)k, (void)l;
    t->launched++;
}

/* Compares a script's buffers. They are made in the same order in every run, so they have the same addresses. */
static void on_buffers(void *user, hd_device *dev, const struct lab_buffer *b, size_t n) {
    struct task *t = user;
    struct lab_reference *r = t->reference;
    for (size_t i = 0; !t->cell && i < n; i++) {
        struct region g = {.addr = b[i].addr, .bytes = b[i].bytes};
        g.symbol = arena_strdup(&r->mem, b[i].name);
        if (!lab_compare_keep(r, dev, g, &r->out.err)) return;
    }
}

static void lab_compare_on_ended(void *user, hd_device *dev, hd_module *mod, const hd_arg *args) {
    struct task *t = user;
    struct lab_reference *r = t->reference;
    if (t->cell)
        compare_memory(dev, r, &t->cell->difference, &t->cell->out.err);
    else if (!t->subject->workload && !r->out.err.code &&
             (t->subject->script || keep_arguments(r, dev, t->subject->program, args, &r->out.err)))
        keep_variables(r, dev, mod, &r->out.err);
}

static void lab_compare_run(struct task *t, const hd_config *config) {
    const struct lab_hooks hooks = {.opened = lab_compare_on_opened,
                                    .after = on_launched,
                                    .buffers = on_buffers,
                                    .ended = lab_compare_on_ended,
                                    .user = t,
                                    .no_digest = true};
    struct lab_outcome *out = t->cell ? &t->cell->out : &t->reference->out;
    if (enough(t->comparison))
        err_set(&out->err, ERR_LIMIT, "stopped before it began");
    else
        lab_run(t->subject, config, &hooks, out);
    if (t->cell) t->cell->stopped = out->err.code == ERR_LIMIT && enough(t->comparison);
    if (t->cell && t->subject->workload && !out->err.code)
        t->cell->difference.any = out->digest != t->reference->out.digest;
    atomic_store(t->done, 1000);
}

static void run_reference(void *user, size_t task) {
    struct round *r = user;
    struct task t = {.comparison = r->c,
                     .subject = &r->c->subjects[task],
                     .reference = &r->c->references[task],
                     .done = &r->done[task]};
    lab_compare_run(&t, &r->c->reference);
}

static void run_cell(void *user, size_t task) {
    struct round *r = user;
    size_t subject = task / r->c->nmachines, machine = task % r->c->nmachines;
    struct task t = {.comparison = r->c,
                     .subject = &r->c->subjects[subject],
                     .reference = &r->c->references[subject],
                     .cell = &r->c->cells[task],
                     .done = &r->done[task]};
    lab_compare_run(&t, &r->c->machines[machine].config);
}

static void lab_compare_on_tick(void *user) {
    struct round *r = user;
    uint64_t sum = 0;
    for (size_t i = 0; i < r->ntasks; i++) sum += atomic_load(&r->done[i]);
    if (r->c->tick) r->c->tick(r->c->user, (double)sum / (1000.0 * (double)r->ntasks));
}

static void run_round(struct lab_comparison *c, size_t n, void (*task)(void *, size_t), bool tick) {
    struct round r = {.c = c, .done = xcalloc(n + 1, sizeof *r.done), .ntasks = n};
    struct lab_tasks tasks = {.n = n, .run = task, .tick = tick ? lab_compare_on_tick : NULL, .user = &r};
    lab_run_tasks(&tasks, c->jobs);
    free(r.done);
}

static bool reference_failed(const struct lab_comparison *c, size_t subject, struct err *e) {
    const struct err *failed = &c->references[subject].out.err;
    struct sb name = {0};
    if (!failed->code) return false;
    lab_subject_name(&c->subjects[subject], &name);
    err_set(e, failed->code, "%s: %s", name.text, err_text(failed));
    sb_free(&name);
    return true;
}

/* A run that the host had no memory for says nothing about its mechanism: there is no comparison then. */
static bool memory_failed(const struct lab_comparison *c, size_t subject, size_t machine, struct err *e) {
    const struct err *failed = &c->cells[subject * c->nmachines + machine].out.err;
    struct sb name = {0};
    if (failed->code != ERR_MEMORY) return false;
    lab_subject_name(&c->subjects[subject], &name);
    err_set(e, ERR_MEMORY, "%s under %s: %s", name.text, c->machines[machine].name, err_text(failed));
    sb_free(&name);
    return true;
}

bool lab_compare(struct lab_comparison *c, struct err *e) {
    c->references = xcalloc(c->nsubjects + 1, sizeof *c->references);
    c->cells = xcalloc(c->nsubjects * c->nmachines + 1, sizeof *c->cells);
    run_round(c, c->nsubjects, run_reference, false);
    for (size_t i = 0; i < c->nsubjects; i++)
        if (reference_failed(c, i, e)) return false;
    run_round(c, c->nsubjects * c->nmachines, run_cell, true);
    for (size_t i = 0; i < c->nsubjects; i++)
        for (size_t m = 0; m < c->nmachines; m++)
            if (memory_failed(c, i, m, e)) return false;
    return true;
}

void lab_compare_free(struct lab_comparison *c) {
    for (size_t i = 0; c->references && i < c->nsubjects; i++) reference_free(&c->references[i]);
    for (size_t i = 0; c->cells && i < c->nsubjects * c->nmachines; i++) lab_outcome_free(&c->cells[i].out);
    free(c->references);
    free(c->cells);
}

const struct lab_cell *lab_cell(const struct lab_comparison *c, size_t subject, size_t machine) {
    return &c->cells[subject * c->nmachines + machine];
}

bool lab_cell_right(const struct lab_cell *cell) {
    return !cell->out.err.code && !cell->difference.any;
}
