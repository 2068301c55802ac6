/* Where a launch stands that is stopped on request: how far it came, and for each SM the source line that most of its warps
 * stand on. A warp stands where most of its threads do; of lines with as many warps or threads, on the first. */
#include <inttypes.h>

#include "sim/gpu/run.h"

/* The compiler gives some instructions no source line: they count as part of the last one before them in their block that
 * has one, if there is one. */
static uint32_t with_line(const struct ir_module *m, uint32_t pc) {
    uint32_t at = pc;
    while (at && at < m->src.n && !m->src.v[at].line && m->code.v[at - 1].block == m->code.v[pc].block) at--;
    return at < m->src.n && m->src.v[at].line ? at : pc;
}

/* The PC that the user knows; IR_NOPC: the thread has exited, or its next instruction is not known. */
static uint32_t thread_at(const struct gpu_run *r, const struct exec_warp *w, uint32_t lane,
                          const uint32_t *pc) {
    const struct rewrite *form = r->launch->form;
    const uint32_t at = w->blocked >> lane & 1 ? w->wait_pc[lane] : pc[lane];
    if (!(w->live >> lane & 1) || at >= gpu_module(r->launch)->code.n) return IR_NOPC;
    return with_line(r->launch->module, form ? form->old_pc[at] : at);
}

static bool gpu_where_same_line(const struct ir_module *m, uint32_t a, uint32_t b) {
    const bool known = a < m->src.n && b < m->src.n && m->src.v[a].line && m->src.v[b].line;
    if (known) return m->src.v[a].line == m->src.v[b].line && m->src.v[a].file == m->src.v[b].file;
    return m->code.v[a].line == m->code.v[b].line;
}

/* The PC among these whose line is that of the most of them, and of how many; IR_NOPC: there is none. */
static uint32_t commonest(const struct ir_module *m, const uint32_t *pc, uint32_t n, uint32_t *most) {
    uint32_t best = IR_NOPC;
    *most = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t alike = 0;
        if (pc[i] == IR_NOPC) continue;
        for (uint32_t k = 0; k < n; k++) alike += pc[k] != IR_NOPC && gpu_where_same_line(m, pc[i], pc[k]);
        if (alike < *most || (alike == *most && pc[i] >= best)) continue;
        *most = alike;
        best = pc[i];
    }
    return best;
}

/* One PC for each warp that has threads. */
static uint32_t warps_at(const struct gpu_run *r, uint32_t sm, uint32_t *at) {
    const struct ir_module *m = r->launch->module;
    const uint32_t warps = sm_warps(r->sm[sm]);
    uint32_t *pc = xcalloc((size_t)warps * EXEC_LANES, sizeof *pc), n = 0, most;
    sm_places(r->sm[sm], pc);
    for (uint32_t slot = 0; slot < warps; slot++) {
        const struct exec_warp *w = sm_warp(r->sm[sm], slot);
        uint32_t lane[EXEC_LANES];
        if (!w || !w->live) continue;
        for (uint32_t l = 0; l < EXEC_LANES; l++) lane[l] = thread_at(r, w, l, pc + slot * EXEC_LANES);
        at[n++] = commonest(m, lane, EXEC_LANES, &most);
    }
    xfree(pc);
    return n;
}

static void add_sm(const struct gpu_run *r, uint32_t sm, struct sb *out) {
    const struct ir_module *m = r->launch->module;
    uint32_t *at = xcalloc(sm_warps(r->sm[sm]), sizeof *at), most;
    const uint32_t warps = warps_at(r, sm, at), pc = commonest(m, at, warps, &most);
    sb_add(out, "\n  SM %" PRIu32 ": ", sm);
    if (!r->at[sm].resident)
        sb_add(out, "no block");
    else
        sb_add(out, "%" PRIu32 " block%s, %" PRIu32 " warp%s", r->at[sm].resident,
               r->at[sm].resident == 1 ? "" : "s", warps, warps == 1 ? "" : "s");
    if (pc != IR_NOPC) {
        sb_add(out, ", %" PRIu32 " at ", most);
        exec_describe_pc(m, pc, out);
    }
    xfree(at);
}

bool gpu_stopped(const struct gpu_run *r, struct err *e) {
    struct sb text = {0};
    for (uint32_t i = 0; i < r->nsms; i++) add_sm(r, i, &text);
    err_set(e, ERR_LIMIT,
            "stopped on request after %" PRIu64 " of %" PRIu64 " blocks of kernel %s, %" PRIu64
            " cycles, %" PRIu64 " thread instructions%s",
            r->done, r->grid.blocks, r->grid.func->name, r->gpu->now - r->start, r->grid.insts, text.text);
    sb_free(&text);
    return false;
}
