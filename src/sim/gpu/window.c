/* How many cycles each SM may run alone.
 *
 * What an SM asks of memory in a cycle leaves its first-level cache `latency` cycles later, and a row that a global access
 * fills is not there before (exec/deferred/deferred.h puts the access off until the window is over). So a window may be as long as the
 * shortest latency of the caches that an SM can miss.
 *
 * The instruction cache is fast, but a kernel's code is soon in it. While an SM may still have to fetch some, a window is as
 * long as its latency; once all of the code the kernel can reach is there, or on its way, nothing in it will be replaced, and
 * it counts no more.
 *
 * Some launches are run cycle by cycle, since more than memory depends on the order of the SMs: the reasons are in the table
 * of gpu_window.h, and counted. */
#include "sim/gpu/window.h"

#include "base/alloc.h"
#include "exec/deferred/deferred.h"
#include "sim/gpu/run.h"

enum { INSN_BYTES = 8 }; /* of an instruction in memory, as in the SM */

static enum gpu_lockstep lockstep(const struct gpu_run *r, const struct exec_reach *x) {
    const struct gpu_launch *l = r->launch;
    if (l->trace) return GPU_LOCKSTEP_TRACE;
    if (l->account) return GPU_LOCKSTEP_PROFILE;
    if (x->why) return GPU_LOCKSTEP_UNDEFERRABLE;
    if (x->has_global_atomics && l->mech->asks_spinning) return GPU_LOCKSTEP_SPINNING;
    return GPU_LOCKSTEP_NONE;
}

/* The lines of code of the functions that the kernel can reach, in no order, some of them twice. Behind a function that it calls
 * the SM fetches `ahead` lines more (sm/fetch.c), whatever they are. */
static void find_code(struct gpu_windows *w, const struct exec_reach *x, const struct ir_module *m,
                      uint32_t line, uint64_t ahead) {
    const uint64_t end = ((uint64_t)m->code.n * INSN_BYTES - 1) / line;
    for (uint32_t k = 0; k < x->nfuncs; k++) {
        const struct ir_func *f = &m->funcs.v[x->func[k]];
        if (!f->defined || f->entry == f->end) continue;
        uint64_t last =
            ((uint64_t)f->end * INSN_BYTES - 1) / line + (k ? ahead : 0); /* the first is the kernel */
        if (last > end) last = end;
        for (uint64_t n = (uint64_t)f->entry * INSN_BYTES / line; n <= last; n++)
            VEC_PUSH(&w->code, n * line);
    }
}

void gpu_windows_init(struct gpu_run *r) {
    const struct options *o = r->gpu->options;
    const struct mem_options *mem = &o->memory;
    struct gpu_windows *w = &r->windows;
    struct exec_reach x;
    exec_reach(&r->grid, &x);
    w->why = lockstep(r, &x);
    const uint32_t paths = 1u << MEM_L1D | (uint32_t)x.textures << MEM_L1T | (uint32_t)x.constants << MEM_L1C;
    w->data = mem_window(r->gpu->mem, paths);
    if (w->data > GPU_WAKE_SLOTS) w->data = GPU_WAKE_SLOTS;
    w->fetch = w->data;
    if (!w->why && !o->machine.sm.ideal_fetch && !mem->memory.ideal && !mem->l1i.ideal) {
        const uint64_t fetch = mem_window(r->gpu->mem, 1u << MEM_L1I);
        if (fetch < w->fetch) w->fetch = fetch;
        find_code(w, &x, gpu_module(r->launch), (uint32_t)mem->l1i.line, (uint64_t)o->machine.sm.prefetch);
    }
    if (!w->why && w->data == 1) w->why = GPU_LOCKSTEP_CACHE;
    w->fetching = xcalloc(r->wake.words, sizeof *w->fetching);
    exec_reach_free(&x);
}

void gpu_windows_free(struct gpu_windows *w) {
    VEC_FREE(&w->code);
    xfree(w->fetching);
}

void gpu_windows_begin(struct gpu_run *r, uint32_t sm) {
    if (r->windows.fetch < r->windows.data && r->at[sm].code < r->windows.code.n)
        bitmap_set(r->windows.fetching, sm);
}

/* Has the SM got all of the code? A line that was there may have been replaced while others came: once the last one is
 * there all are looked at again. */
static bool has_code(struct gpu_run *r, uint32_t sm) {
    const struct gpu_windows *w = &r->windows;
    size_t *n = &r->at[sm].code;
    const uint64_t misses = mem_misses(r->gpu->mem, sm, MEM_L1I);
    if (misses == r->at[sm].code_misses) return false; /* as before */
    r->at[sm].code_misses = misses;
    for (bool again = *n > 0;; again = false, *n = 0) {
        while (*n < w->code.n && mem_holds(r->gpu->mem, sm, MEM_L1I, w->code.v[*n])) ++*n;
        if (*n < w->code.n || !again) return *n == w->code.n;
    }
}

uint64_t gpu_window(struct gpu_run *r, enum gpu_lockstep *why) {
    struct gpu_windows *w = &r->windows;
    *why = w->why;
    w->settled = false;
    if (w->why) return 1;
    uint64_t fetching = 0;
    FOR_BITMAP(i, w->fetching, r->wake.words) {
        if (has_code(r, i))
            bitmap_clear(w->fetching, i);
        else
            fetching = 1;
    }
    w->settled = !fetching;
    if (!fetching) return w->data;
    if (w->fetch == 1) *why = GPU_LOCKSTEP_CODE;
    return w->fetch;
}
