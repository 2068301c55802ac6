/* The state of a device between two launches, out or back in: memory, the timed machine, profiles, the time series. Options,
 * modules, textures and callbacks are not in it: the host program makes them again. */
#include "sim/device/checkpoint_impl.h"
#include "sim/gpu/run.h"
#include "sim/observe/sample.h"

_Static_assert(offsetof(struct stats, mech) + sizeof(void *) == sizeof(struct stats), "counters, then mech");

void sim_move_stats(const hd_device *dev, struct stats *s, struct transfer *t) {
    const int64_t *param;
    transfer_bytes(t, s, offsetof(struct stats, mech));
    s->mech = transfer_flag(t, s->mech != NULL) ? options_mech(&dev->options, &param) : NULL;
}

/* A machine whose last launch failed begins anew with the next one: nothing of it is kept. */
static void move_machine(hd_device *dev, struct transfer *t) {
    struct gpu *g = dev->gpu;
    g->failed = transfer_flag(t, g->failed);
    TRANSFER(t, g->now);
    if (!g->failed) mem_transfer(g->mem, t);
}

static void move_gpu(hd_device *dev, struct transfer *t) {
    if (!transfer_flag(t, dev->gpu != NULL)) return;
    struct err e = {0};
    if (!sim_machine(dev, &e)) transfer_check(t, false, "a machine");
    err_free(&e);
    if (dev->gpu) move_machine(dev, t);
}

/* ---- profiles ---- */

/* The first places are those of the kernel itself, which account_new makes. */
static void move_places(struct sm_account *a, const struct ir_module *m, struct transfer *t) {
    const uint64_t n = transfer_count(t, a->places.n, UINT32_MAX, "the number of places of a profile");
    for (uint64_t k = a->insts; k < n && transfer_good(t); k++) {
        struct sm_place p = t->in ? (struct sm_place){0} : a->places.v[k];
        TRANSFER(t, p);
        transfer_check(t, p.pc < a->insts && p.up < k && p.func < m->funcs.n, "a place of a profile");
        if (t->in && transfer_good(t))
            transfer_check(t, account_place(a, p.pc, p.up, p.func) == k, "a place");
    }
    transfer_check(t, n == a->places.n, "the number of places");
}

static void move_account(hd_module *mod, struct transfer *t) {
    if (!transfer_flag(t, mod->account != NULL)) return;
    if (!mod->account) mod->account = account_new((uint32_t)mod->ir->code.n);
    struct sm_account *a = mod->account;
    TRANSFER(t, a->width);
    TRANSFER(t, a->waits);
    move_places(a, mod->ir, t);
    for (size_t k = 0; k < a->costs.n; k++) TRANSFER(t, a->costs.v[k]);
}

static void move_module(hd_module *mod, struct transfer *t) {
    transfer_same(t, mod->ir->code.n, "the number of instructions of a module");
    mod->profile_at = 0; /* what was asked for before is of other counts */
    if (transfer_flag(t, mod->branch != NULL)) {
        if (!mod->branch) mod->branch = xcalloc(mod->ir->code.n, sizeof *mod->branch);
        transfer_bytes(t, mod->branch, mod->ir->code.n * sizeof *mod->branch);
    }
    move_account(mod, t);
    sample_transfer(mod, t);
}

static void move_modules(hd_device *dev, struct transfer *t) {
    uint64_t n = 0;
    for (const hd_module *mod = dev->modules; mod; mod = mod->next) n++;
    transfer_same(t, n, "the number of modules");
    for (hd_module *mod = dev->modules; mod && transfer_good(t); mod = mod->next) move_module(mod, t);
}

/* ---- the time series ---- */

static void move_series(struct series *s, struct transfer *t) {
    TRANSFER(t, s->interval);
    transfer_same(t, s->threads, "the number of threads that are counted");
    const uint64_t n = transfer_count(t, s->samples.n, UINT32_MAX, "the number of samples");
    if (t->in) s->samples.n = s->counts.n = 0;
    for (uint64_t i = 0; i < n && transfer_good(t); i++) {
        if (t->in) VEC_PUSH(&s->samples, (struct series_sample){0});
        TRANSFER(t, s->samples.v[i]);
    }
    for (uint64_t i = 0; i < n * s->threads && transfer_good(t); i++) {
        if (t->in) VEC_PUSH(&s->counts, 0);
        TRANSFER(t, s->counts.v[i]);
    }
}

void sim_move_state(hd_device *dev, struct transfer *t) {
    transfer_same(t, dev->launches, "the number of launches");
    exec_mem_transfer(dev->mem, true, t);
    move_gpu(dev, t);
    move_modules(dev, t);
    move_series(&dev->series, t);
}
