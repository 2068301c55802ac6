/* Tapes on a device: the plan of a kernel is made once, and launches get it with the tape. */
#include "sim/observe/tape.h"

#include <string.h>

#include "exec/warp.h"
#include "sim/device/internal.h"

void sim_record(hd_device *dev, const struct sim_recorder *r) {
    dev->recorder = r;
}

uint64_t sim_window(enum ir_space space) {
    return exec_window(space);
}

/* Made during a call on the device, and the device's. */
static bool plan_of(hd_kernel *k, struct err *e) {
    if (!k->plan) k->plan = exec_plan_new(k->mod->ir, k->func, e);
    return k->plan != NULL;
}

static hd_status find_plan(hd_kernel *k) {
    struct err e = {0};
    const hd_status s = plan_of(k, &e) ? HD_OK : sim_fail(k->mod->dev, &e);
    if (!s) err_free(&e);
    return s;
}

static hd_status ask_plan(hd_kernel *k) {
    SIM_CALL(k->mod->dev, find_plan(k));
}

bool sim_plan(hd_kernel *k, const struct exec_plan **plan, struct err *e) {
    const hd_status s = ask_plan(k);
    *plan = k->plan;
    return !s || err_set(e, s == HD_MEMORY ? ERR_MEMORY : ERR_INPUT, "%s", hd_error(k->mod->dev));
}

bool sim_recorded_run(hd_kernel *k, const struct exec_launch *x, struct stats *s, struct err *e) {
    hd_device *dev = k->mod->dev;
    const struct sim_recorder *r = dev->recorder;
    struct exec_launch with = *x;
    if (!plan_of(k, e)) return false;
    struct sim_recorded l = {.mod = k->mod,
                             .kernel = k->info.name,
                             .shared = x->dynamic_shared,
                             .cooperative = x->cooperative,
                             .plan = k->plan,
                             .used_bytes = s->mem.used_bytes,
                             .copied = dev->warm.v,
                             .ncopied = dev->warm.n};
    memcpy(l.grid, x->grid, sizeof l.grid);
    memcpy(l.block, x->block, sizeof l.block);
    with.tape = &r->tape;
    with.plan = k->plan;
    struct ledger_point *p = ledger_step_out();
    const bool begun = r->begin(r->user, &l, e);
    ledger_adopt(p);
    if (!begun || !exec_run(&with, &s->exec, e)) return false;
    p = ledger_step_out();
    const bool good = r->end(r->user, s->exec.thread_insts, e);
    ledger_adopt(p);
    return good;
}

static hd_status observe_tape_follow(hd_kernel *k, const hd_launch *l, const struct sim_followed *f) {
    hd_device *dev = k->mod->dev;
    hd_status s = sim_ready(dev);
    if (!s) s = sim_supported(k);
    if (!s && dev->races)
        s = sim_refuse(dev, "a trace has no values: races are looked for when a program is executed");
    if (!s) s = find_plan(k);
    if (s) return s;
    for (size_t i = 0; i < f->ncopied && dev->options.memory.memory.warm_l2; i++)
        VEC_PUSH(&dev->warm, f->copied[i]);
    if (*f->doubt && !k->doubted)
        sim_log(dev, HD_LOG_WARNING,
                "kernel %s: %s; the threads of this replay go where they went when it was recorded, and "
                "execution on this machine might lead them elsewhere",
                k->info.name, f->doubt);
    if (*f->doubt) k->doubted = true;
    uint8_t *params = xcalloc(1, (size_t)k->info.param_bytes + 1);
    dev->followed = f;
    s = sim_launch(k, l, params);
    dev->followed = NULL;
    xfree(params);
    return s;
}

hd_status sim_follow(hd_kernel *k, const hd_launch *l, const struct sim_followed *f) {
    SIM_CALL(k ? k->mod->dev : NULL, observe_tape_follow(k, l, f));
}
