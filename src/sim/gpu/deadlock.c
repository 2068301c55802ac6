/* The report of a launch in which nothing moves any more (rule 5 of the mechanisms): what every thread waits for, and whose
 * fault it is where that can be told: the blocks are continued with every thread on its own (verdict.c). If they are seen
 * to end, the deadlock is SIMT-induced; if they are found never to, it is the program's, unless blocks that have not begun
 * may be what they wait for: the machine is too small then. The report is written before, of the state the machine was in. */
#include <inttypes.h>

#include "sim/gpu/run.h"

struct held { /* threads of the whole machine */
    uint64_t inactive, reconvergence;
};

static struct held count_held(const struct gpu_run *r) {
    struct held h = {0};
    for (uint32_t i = 0; i < r->nsms; i++) {
        struct mech_census c = {0};
        const struct mech *m = sm_mech(r->sm[i]);
        m->ops->census(m, &c);
        h.inactive += c.inactive_path;
        h.reconvergence += c.reconvergence;
    }
    return h;
}

static void add_held(const struct gpu_run *r, struct sb *out) {
    struct held h = count_held(r);
    uint64_t n = h.inactive + h.reconvergence;
    if (!n) return;
    sb_add(out,
           "\n  mechanism %s holds %" PRIu64 " thread%s that could run: %" PRIu64
           " on a path that waits for its turn, %" PRIu64 " at a reconvergence point",
           r->launch->mech->name, n, n == 1 ? "" : "s", h.inactive, h.reconvergence);
}

static const char *verdict_text(const struct gpu_run *r, enum gpu_verdict v) {
    bool more = r->next_block < r->grid.blocks;
    switch (v) {
    case GPU_WOULD_END:
        return "SIMT-induced deadlock: with every thread on its own, as under mimd, they finish";
    case GPU_WOULD_SPIN:
        return more ? "deadlock: threads spin, also when every thread gets its turn; if they wait for a "
                      "block that has not begun, the machine is too small"
                    : "program deadlock: threads spin, also when every thread gets its turn";
    case GPU_WOULD_BLOCK:
        return "program deadlock: every thread that is left waits at a barrier or for its warp, under any "
               "mechanism";
    case GPU_UNKNOWN: break;
    }
    return "deadlock: whether the program or the mechanism is the cause is not known: with every thread on "
           "its "
           "own, they were not seen to finish";
}

static void add_sms(const struct gpu_run *r, struct sb *out) {
    enum { SHOWN = 4 };
    uint32_t busy = 0;
    for (uint32_t i = 0; i < r->nsms; i++) {
        if (!sm_busy(r->sm[i]) || busy++ >= SHOWN) continue;
        sb_add(out, "\n");
        sm_describe(r->sm[i], out);
        while (out->len && out->text[out->len - 1] == '\n') out->text[--out->len] = '\0';
    }
    if (busy > SHOWN) sb_add(out, "\n... and %" PRIu32 " more SMs", busy - SHOWN);
}

bool gpu_deadlock(struct gpu_run *r, uint64_t idle, struct err *e) {
    struct sb text = {0};
    for (uint32_t i = 0; i < r->nsms; i++)
        sm_account(r->sm[i], r->gpu->now); /* by the state they are in, not the judge's */
    sb_add(&text, "\n  kernel %s, cycle %" PRIu64 ": ", r->grid.func->name, r->gpu->now - r->start);
    if (idle)
        sb_add(&text, "no thread has made progress for %" PRIu64 " cycles (gpu.watchdog is %" PRId64 ")",
               idle, r->gpu->options->gpu.watchdog);
    else
        sb_add(&text, "nothing is under way that could wake a thread");
    sb_add(&text, "; %" PRIu64 " of %" PRIu64 " blocks have ended, %" PRIu64 " not begun", r->done,
           r->grid.blocks, r->grid.blocks - r->next_block);
    add_held(r, &text);
    add_sms(r, &text);
    exec_failed(&r->grid, EXEC_F_DEADLOCK, NULL, 0, 0);
    err_set(e, ERR_FAULT, "%s%s", verdict_text(r, gpu_judge(r)), text.text);
    sb_free(&text);
    return false;
}
