/* The report of a launch in which nothing moves any more (rule 5 of the mechanisms): what every thread waits for, and whose
 * fault it is where that can be told.
 *
 * SIMT-induced: threads that no barrier holds are held by the mechanism, on a path that waits for its turn or at a
 * reconvergence point, while those that run spin or wait for them. Under a mechanism that runs every thread they would go
 * on. A deadlock of the program: every thread that is left runs or waits at a barrier, so that another order would change
 * nothing. Blocks that have not begun yet may also be what the running ones wait for: the machine is too small then. */
#include <inttypes.h>

#include "sim/gpu_run.h"

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

static void add_verdict(const struct gpu_run *r, struct sb *out) {
    struct held h = count_held(r);
    const struct mech_ops *mech = options_mech(r->gpu->options, NULL);
    uint64_t waiting = r->grid.blocks - r->next_block;
    if (h.inactive + h.reconvergence)
        sb_add(out,
               "SIMT-induced deadlock: %" PRIu64
               " thread%s could go on, but mechanism %s holds them (%" PRIu64
               " on a path that waits for its turn, %" PRIu64
               " at a reconvergence point) behind threads that wait for them; a mechanism that runs every "
               "thread, such as "
               "mimd, may finish",
               h.inactive + h.reconvergence, h.inactive + h.reconvergence == 1 ? "" : "s", mech->name,
               h.inactive, h.reconvergence);
    else if (waiting)
        sb_add(out,
               "deadlock: every thread on the machine runs or waits at a barrier; %" PRIu64
               " block%s not begun, and if they are waited for, the machine is too small",
               waiting, waiting == 1 ? " has" : "s have");
    else
        sb_add(out, "program deadlock: every thread that is left spins or waits at a barrier that cannot "
                    "complete; no mechanism can "
                    "help");
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
    add_verdict(r, &text);
    sb_add(&text, "\n  kernel %s, cycle %" PRIu64 ": ", r->grid.func->name, r->gpu->now - r->start);
    if (idle)
        sb_add(&text, "no thread has made progress for %" PRIu64 " cycles (gpu.watchdog)", idle);
    else
        sb_add(&text, "nothing is under way that could wake a thread");
    sb_add(&text, "; %" PRIu64 " of %" PRIu64 " blocks have ended", r->done, r->grid.blocks);
    add_sms(r, &text);
    err_set(e, ERR_FAULT, "%s", text.text);
    sb_free(&text);
    return false;
}
