/* Would it have finished with every thread on its own? Once a launch is lost to the watchdog its blocks are continued from
 * where they stand, without time, under the fairest schedule there is: each thread in turn runs for a quantum. If all
 * resident threads come to their end, the mechanism's order was the cause. If none can run, or they still spin when every
 * one has had its turn TURNS times, the program is.
 *
 * This changes registers and memory of a launch that has failed: memory is then what the program would have made of it. What
 * it prints is dropped. */
#include <stdlib.h>

#include "base/bits.h"
#include "sim/gpu_run.h"

enum { QUANTUM = 64, TURNS = 4096, MOST_STEPS = 20000000 };

struct place { /* a warp and where its threads go on */
    struct exec_warp *w;
    uint32_t pc[EXEC_LANES];
};

struct walk {
    struct gpu_run *r;
    struct place *at;
    uint32_t n;
    uint64_t steps;
    bool failed; /* a fault, or a thread that is nowhere */
};

static uint32_t runnable(const struct place *p) {
    return p->w->live & ~p->w->blocked;
}

static void gather(struct walk *k) {
    for (uint32_t i = 0; i < k->r->nsms; i++) {
        uint32_t warps = sm_warps(k->r->sm[i]);
        uint32_t(*pc)[EXEC_LANES] = xcalloc(warps, sizeof *pc);
        sm_places(k->r->sm[i], pc[0]);
        k->at = xrealloc(k->at, (k->n + warps) * sizeof *k->at);
        for (uint32_t s = 0; s < warps; s++) {
            struct place p = {.w = sm_warp(k->r->sm[i], s)};
            if (!p.w) continue;
            for (uint32_t l = 0; l < EXEC_LANES; l++) p.pc[l] = pc[s][l];
            FOR_LANES(l, runnable(&p)) k->failed |= p.pc[l] == IR_NOPC;
            k->at[k->n++] = p;
        }
        free(pc);
    }
}

/* Lanes of any warp that an event set free. */
static void take_released(struct walk *k) {
    for (uint32_t i = 0; i < k->n; i++) {
        struct exec_warp *w = k->at[i].w;
        FOR_LANES(l, w->released) k->at[i].pc[l] = w->wait_pc[l] + 1;
        w->released = 0;
    }
}

/* One instruction of one thread. False: it cannot go on by itself. */
static bool step(struct walk *k, struct place *p, uint32_t lane) {
    struct exec_out *o = &k->r->grid.out;
    uint32_t bit = 1u << lane, pc = p->pc[lane];
    o->woke = false;
    exec_step(p->w, pc, bit);
    k->steps++;
    if (o->flow == EXEC_FAULT) k->failed = true;
    p->pc[lane] = pc + 1;
    if (o->flow == EXEC_JUMP && o->taken & bit) p->pc[lane] = o->target;
    if (o->flow == EXEC_EACH && o->taken & bit) p->pc[lane] = o->pc[lane];
    if (o->flow != EXEC_NEXT) take_released(k);
    return !k->failed && runnable(p) & bit;
}

/* Every thread once. True: one of them ran. */
static bool turn(struct walk *k) {
    bool ran = false;
    for (uint32_t i = 0; i < k->n && !k->failed; i++)
        for (uint32_t l = 0; l < EXEC_LANES && !k->failed; l++) {
            if (!(runnable(&k->at[i]) >> l & 1)) continue;
            ran = true;
            for (uint32_t q = 0; q < QUANTUM && step(k, &k->at[i], l); q++) continue;
        }
    return ran;
}

static bool all_ended(const struct walk *k) {
    for (uint32_t i = 0; i < k->n; i++)
        if (k->at[i].w->live) return false;
    return true;
}

static void no_print(void *user, const char *text, size_t n) {
    (void)user, (void)text, (void)n;
}

enum gpu_verdict gpu_judge(struct gpu_run *r) {
    struct walk k = {.r = r};
    struct exec_launch silent = *r->grid.launch;
    enum gpu_verdict v = GPU_UNKNOWN;
    silent.print = no_print;
    r->grid.launch = &silent;
    gather(&k);
    bool ran = true;
    for (uint32_t t = 0; t < TURNS && ran && !k.failed && k.steps < MOST_STEPS; t++) ran = turn(&k);
    if (!k.failed) v = all_ended(&k) ? GPU_WOULD_END : ran ? GPU_WOULD_SPIN : GPU_WOULD_BLOCK;
    r->grid.launch = r->launch->exec;
    free(k.at);
    return v;
}
