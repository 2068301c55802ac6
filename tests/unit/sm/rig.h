/* What the SM's tests share: a kernel from PTX text, options with their defaults, and a machine of one SM that either ticks
 * every cycle, jumps to the next event or is let run. */
#ifndef TESTS_SM_RIG_H
#define TESTS_SM_RIG_H

#include "cfg/rewrite.h"
#include "sm/sm.h"
#include "unit/defaults.h"
#include "unit/exec/rig.h"

struct machine {
    struct rig r;
    struct sm_options o;
    struct mem_options m;
    const struct mech_ops *mech; /* a test's own; NULL: by name */
    const void *tables;          /* tables of the mechanism; NULL: what its prepare makes */
    const struct rewrite *form;  /* what runs instead of the module; NULL: the module */
    const struct sm_observer *observer;
    bool audit;
    bool tick_all;     /* tick every cycle instead of jumping */
    bool stretch;      /* or run in one call as far as it goes, where memory is ideal */
    uint64_t most;     /* cycles before giving up */
    struct sm_stats s; /* statistics of the last run */
    struct mech_stats ms;
    uint64_t exited;
    struct mem_stats mem;
    uint64_t cycles;
    struct sb described; /* sm_describe when it gave up */
    uint32_t ran;        /* lanes of warp 0 that issued in the second half of the time it had */
    struct sm_branch *branch;
    struct sm_account *account; /* account of the last run, if profile */
    bool profile;
    uint64_t *thread_insts;
};

/* The defaults, but one SM and a memory in which everything hits. */
static inline void machine_defaults(struct machine *x) {
#define BEGIN(section, title)
#define END(section)
#define OPT(section, name, kind, initial, limits, unit, help)                                        \
    default_set(&(struct option_row)OPTION_ROW(struct sm_options, section.name, section, name, kind, \
                                               initial, unit, help, limits),                         \
                &x->o);
#include "sm/options.def"
#undef OPT
#define OPT(section, name, kind, initial, limits, unit, help)                                         \
    default_set(&(struct option_row)OPTION_ROW(struct mem_options, section.name, section, name, kind, \
                                               initial, unit, help, limits),                          \
                &x->m);
#include "mem/options.def"
#undef OPT
#undef BEGIN
#undef END
    x->m.memory.ideal = true;
    x->most = 2000000;
}

static inline struct machine machine_load(const char *text) {
    struct machine x = {.r = rig_load(text)};
    machine_defaults(&x);
    return x;
}

static inline void machine_free(struct machine *x) {
    free(x->branch);
    account_free(x->account);
    sb_free(&x->described);
    rig_free(&x->r);
}

static inline uint64_t machine_cycle(struct machine *x, struct sm *sm, struct mem *mem, uint64_t now) {
    if (x->tick_all) return now + 1;
    uint64_t next = sm_next(sm), other = mem_next(mem);
    if (other < next) next = other;
    return next > now ? next : now + 1;
}

static inline bool machine_loop(struct machine *x, struct sm *sm, struct mem *mem, uint64_t blocks) {
    uint64_t started = 0;
    uint32_t ended = 0;
    uint64_t now = 0;
    bool half = false;
    while (started < blocks && sm_room(sm)) sm_start(sm, started++, now);
    for (; ended < blocks || sm_busy(sm) || !mem_idle(mem, MEM_NEVER); now = machine_cycle(x, sm, mem, now)) {
        if (now > x->most) {
            sm_describe(sm, &x->described);
            x->ran = sm_ran(sm, 0);
            return err_set(&x->r.err, ERR_LIMIT, "no end");
        }
        if (!half && now > x->most / 2) sm_forget(sm);
        half = now > x->most / 2;
        mem_advance(mem, now);
        const uint64_t until = x->stretch ? SM_NEVER : now + 1;
        if (sm_run(sm, now, until, &ended, &x->r.err) == SM_FAULT) return false;
        now = sm_ticked(sm);
        while (started < blocks && sm_room(sm)) sm_start(sm, started++, now);
        if (ended == blocks && !x->cycles) x->cycles = now;
    }
    return true;
}

/* Runs a kernel under a mechanism; parameters are 64-bit each. */
static inline bool machine_run(struct machine *x, const char *mech, const char *kernel, uint32_t grid,
                               uint32_t block, const uint64_t *params) {
    struct rig *r = &x->r;
    rig_aim(r, kernel, grid, block, params);
    struct exec_grid g;
    r->launch.form = x->form ? x->form->m : NULL;
    const struct ir_module *module = x->form ? x->form->m : r->m;
    if (!exec_grid_init(&g, &r->launch, &r->err)) fail_msg("%s", err_text(&r->err));
    struct mem *mem = mem_new(&x->m, 1, &r->err);
    if (!mem) fail_msg("%s", err_text(&r->err));
    const struct mech_ops *ops = x->mech ? x->mech : mech_find(mech);
    assert_non_null(ops);
    int64_t param[MECH_PARAMETERS] = {0};
    for (int k = 0; ops->params && ops->params[k].key; k++) param[k] = ops->params[k].def;
    struct arena made = {0};
    const void *tables = x->tables;
    const struct mech_program program = {.module = module,
                                         .cfg = x->form ? x->form->cfg : r->cfg,
                                         .func = r->launch.func,
                                         .warp_size = (uint32_t)x->o.sm.warp_size,
                                         .simd_width = (uint32_t)x->o.sm.simd_width};
    if (!tables && !mech_prepare(ops, param, program, &made, &tables, &r->err))
        fail_msg("%s", err_text(&r->err));
    free(x->branch);
    x->branch = calloc(module->code.n, sizeof *x->branch);
    account_free(x->account);
    x->account = x->profile ? account_new((uint32_t)r->m->code.n) : NULL;
    struct sm_env env = {.sms = 1,
                         .watchdog = 200000,
                         .options = &x->o,
                         .mem_options = &x->m,
                         .mem = mem,
                         .grid = &g,
                         .module = module,
                         .cfg = x->form ? x->form->cfg : r->cfg,
                         .common = sm_common_new(),
                         .mech = ops,
                         .mech_params = param,
                         .mech_tables = tables,
                         .branch = x->branch,
                         .account = x->account,
                         .account_pc = x->form ? x->form->old_pc : NULL,
                         .thread_insts = x->thread_insts,
                         .observer = x->observer,
                         .audit = x->audit};
    sm_common_begin(env.common, module);
    struct sm *sm = sm_new(&env, &r->err);
    x->cycles = 0;
    bool ok = sm && machine_loop(x, sm, mem, g.blocks);
    if (sm) {
        sm_get_stats(sm, &x->s, &x->ms);
        x->exited = sm_exited(sm);
    }
    mem_get_stats(mem, &x->mem);
    sm_free(sm);
    sm_common_free(env.common);
    arena_free(&made);
    mem_free(mem);
    exec_grid_free(&g);
    return ok;
}

static inline void machine_ok(struct machine *x, const char *mech, const char *kernel, uint32_t grid,
                              uint32_t block, const uint64_t *params) {
    if (!machine_run(x, mech, kernel, grid, block, params))
        fail_msg("%s\n%s", err_text(&x->r.err), x->described.text ? x->described.text : "");
}

/* One warp: n times, thread t goes to word t * stride of shared memory, whose address is in %r1, by the instruction insn. */
static inline struct machine shared_load(const char *insn, uint32_t n, uint32_t stride) {
    struct sb text = {0};
    sb_add(&text,
           HEAD ".visible .entry k() {\n.reg .u32 %%r<4>; .shared .u32 a[1024];\n"
                "mov.u32 %%r3, a; mov.u32 %%r1, %%laneid; mad.lo.u32 %%r1, %%r1, %u, %%r3;\n",
           4 * stride);
    for (uint32_t i = 0; i < n; i++) sb_add(&text, "%s\n", insn);
    sb_add(&text, "exit;\n}\n");
    struct machine x = machine_load(text.text);
    sb_free(&text);
    return x;
}
#define SHARED_READ "ld.shared.u32 %r2, [%r1];"
#define SHARED_ADD  "atom.shared.add.u32 %r2, [%r1], 1;"

#endif
