/* Two rounds of independent tasks. First every program once without time: its final memory is the reference.
 * Then every program under every machine, each on a device of its own; the memory it leaves is compared in
 * place by the same task, so that only the references are ever held.
 *
 * Compared are the buffers of the arguments and all .global variables. A device gives the same addresses for
 * the same requests, so that pointers in memory agree too. */
#include "lab/compare.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lab/pool.h"

/* A piece of memory a program ends with. */
struct region {
    size_t arg;
    const char *symbol; /* in the reference's arena; NULL: argument arg */
    uint64_t addr, bytes;
    uint8_t *data;
};

struct lab_reference {
    VEC(struct region) regions;
    struct arena mem;
    struct err err;
};

struct work {
    struct lab_comparison *c;
    _Atomic uint32_t *done; /* by task of the round, in thousandths */
    size_t ntasks;
};

/* One run: what it needs while it lasts. */
struct trial {
    hd_device *dev;
    hd_module *mod;
    hd_kernel *kernel;
    hd_arg *args;
    double seconds;
};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- one run ---- */

static void no_print(void *user, const char *text, size_t n) {
    (void)user, (void)text, (void)n;
}

static int on_progress(void *user, uint64_t done, uint64_t all) {
    atomic_store((_Atomic uint32_t *)user, (uint32_t)(1000.0 * (double)done / (double)(all ? all : 1)));
    return 1;
}

static bool trial_run(struct trial *t, const struct lab_program *p, const hd_config *config,
                      _Atomic uint32_t *done, struct err *e) {
    t->args = xcalloc(p->nargs + 1, sizeof *t->args);
    if (!lab_open(config, &t->dev, e)) return false;
    hd_set_print(t->dev, no_print, NULL);
    hd_set_progress(t->dev, on_progress, done);
    if (!lab_load(t->dev, p, &t->mod, &t->kernel, e) ||
        !lab_bind(t->dev, t->mod, p->args, p->nargs, t->args, e) ||
        !lab_fill(t->dev, p->args, p->nargs, t->args, e))
        return false;
    double start = now();
    hd_status s = hd_run(t->kernel, &p->launch, t->args, p->nargs);
    t->seconds = now() - start;
    return lab_check(t->dev, s, e);
}

static void trial_end(struct trial *t) {
    hd_device_close(t->dev);
    free(t->args);
}

/* ---- references ---- */

static bool keep(struct lab_reference *r, const struct trial *t, struct region g, struct err *e) {
    g.data = try_alloc(g.bytes);
    if (!g.data)
        return err_set(e, ERR_MEMORY, "no memory to keep %llu bytes for comparison",
                       (unsigned long long)g.bytes);
    VEC_PUSH(&r->regions, g);
    return lab_check(t->dev, hd_copy_out(t->dev, g.data, g.addr, g.bytes), e);
}

static bool keep_arguments(struct lab_reference *r, const struct trial *t, const struct lab_program *p,
                           struct err *e) {
    for (size_t i = 0; i < p->nargs; i++) {
        struct region g = {.arg = i, .addr = t->args[i].v.u, .bytes = p->args[i].bytes};
        if (g.bytes && !keep(r, t, g, e)) return false;
    }
    return true;
}

static bool keep_variables(struct lab_reference *r, const struct trial *t, struct err *e) {
    const struct ir_module *ir = sim_module_ir(t->mod);
    for (size_t i = 0; i < ir->vars.n; i++) {
        const struct ir_var *v = &ir->vars.v[i];
        struct region g = {0};
        if (v->kind != IR_VAR_DATA || v->space != IR_SP_GLOBAL || !v->bytes || v->external) continue;
        if (hd_module_symbol(t->mod, v->name, &g.addr, &g.bytes) || !g.bytes) continue;
        g.symbol = arena_strndup(&r->mem, v->name, strlen(v->name));
        if (!keep(r, t, g, e)) return false;
    }
    return true;
}

static void reference_free(struct lab_reference *r) {
    for (size_t i = 0; i < r->regions.n; i++) free(r->regions.v[i].data);
    VEC_FREE(&r->regions);
    arena_free(&r->mem);
    err_free(&r->err);
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

static bool compare_region(const struct trial *t, const struct region *g, struct lab_difference *d,
                           struct err *e) {
    uint8_t *data = try_alloc(g->bytes);
    if (!data) return err_set(e, ERR_MEMORY, "no memory to compare %llu bytes", (unsigned long long)g->bytes);
    bool fine = lab_check(t->dev, hd_copy_out(t->dev, data, g->addr, g->bytes), e);
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

static bool compare_memory(const struct trial *t, const struct lab_reference *r, struct lab_difference *d,
                           struct err *e) {
    for (size_t i = 0; i < r->regions.n && !d->any; i++)
        if (!compare_region(t, &r->regions.v[i], d, e)) return false;
    return true;
}

/* ---- tasks ---- */

static void run_reference(void *user, size_t task) {
    struct work *w = user;
    struct lab_reference *r = &w->c->references[task];
    const struct lab_program *p = &w->c->programs[task];
    struct trial t = {0};
    if (trial_run(&t, p, &w->c->reference, &w->done[task], &r->err) && keep_arguments(r, &t, p, &r->err))
        keep_variables(r, &t, &r->err);
    trial_end(&t);
    atomic_store(&w->done[task], 1000);
}

static void run_cell(void *user, size_t task) {
    struct work *w = user;
    size_t program = task / w->c->nmachines, machine = task % w->c->nmachines;
    struct lab_cell *cell = &w->c->cells[task];
    struct trial t = {0};
    if (trial_run(&t, &w->c->programs[program], &w->c->machines[machine].config, &w->done[task],
                  &cell->err)) {
        cell->stats = *sim_stats(t.dev, false);
        cell->seconds = t.seconds;
        compare_memory(&t, &w->c->references[program], &cell->difference, &cell->err);
    }
    trial_end(&t);
    atomic_store(&w->done[task], 1000);
}

static void on_tick(void *user) {
    struct work *w = user;
    uint64_t sum = 0;
    for (size_t i = 0; i < w->ntasks; i++) sum += atomic_load(&w->done[i]);
    if (w->c->tick) w->c->tick(w->c->user, (double)sum / (1000.0 * (double)w->ntasks));
}

static void run_round(struct lab_comparison *c, size_t n, void (*run)(void *, size_t), bool tick) {
    struct work w = {.c = c, .done = xcalloc(n + 1, sizeof *w.done), .ntasks = n};
    struct lab_tasks tasks = {.n = n, .run = run, .tick = tick ? on_tick : NULL, .user = &w};
    lab_run_tasks(&tasks, c->jobs);
    free(w.done);
}

bool lab_compare(struct lab_comparison *c, struct err *e) {
    c->references = xcalloc(c->nprograms + 1, sizeof *c->references);
    c->cells = xcalloc(c->nprograms * c->nmachines + 1, sizeof *c->cells);
    run_round(c, c->nprograms, run_reference, false);
    for (size_t i = 0; i < c->nprograms; i++)
        if (c->references[i].err.code)
            return err_set(e, c->references[i].err.code, "%s", err_text(&c->references[i].err));
    run_round(c, c->nprograms * c->nmachines, run_cell, true);
    return true;
}

void lab_compare_free(struct lab_comparison *c) {
    for (size_t i = 0; c->references && i < c->nprograms; i++) reference_free(&c->references[i]);
    for (size_t i = 0; c->cells && i < c->nprograms * c->nmachines; i++) err_free(&c->cells[i].err);
    free(c->references);
    free(c->cells);
}

const struct lab_cell *lab_cell(const struct lab_comparison *c, size_t program, size_t machine) {
    return &c->cells[program * c->nmachines + machine];
}
