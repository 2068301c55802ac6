/* Would it have finished with every thread on its own? Once a launch is lost to the watchdog its blocks are continued from
 * where they stand, without time, under the fairest schedule there is: each thread in turn runs for a quantum. If all
 * resident threads come to their end, the mechanism's order was the cause. If none can run, or each that can is in a loop
 * that only another could end, the program is. After MOST_STEPS instructions without either nothing has been learned.
 *
 * Device memory is put back afterwards: it holds what the launch has written. What the continuation prints is dropped; it
 * ends where it would allocate. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "sim/gpu/run.h"

enum { QUANTUM = 64, MOST_STEPS = 20000000, FIRST_PROOF = 16, FOLLOW = 1 << 12 };

struct walk {
    struct gpu_run *r;
    struct exec_warp **warp;
    struct exec_stand *at; /* where the threads of each go on */
    uint32_t n;
    uint64_t steps;
    bool failed; /* a fault, or a thread that is nowhere */
};

static void gpu_verdict_gather(struct walk *k) {
    for (uint32_t i = 0; i < k->r->nsms; i++) {
        uint32_t warps = sm_warps(k->r->sm[i]);
        uint32_t(*pc)[EXEC_LANES] = xcalloc(warps, sizeof *pc);
        sm_places(k->r->sm[i], pc[0]);
        k->at = xrealloc(k->at, (k->n + warps) * sizeof *k->at);
        k->warp = xrealloc(k->warp, (k->n + warps) * sizeof(struct exec_warp *));
        for (uint32_t s = 0; s < warps; s++) {
            struct exec_warp *w = sm_warp(k->r->sm[i], s);
            if (!w) continue;
            FOR_LANES(l, exec_can_run(w)) k->failed |= pc[s][l] == IR_NOPC;
            memcpy(k->at[k->n].pc, pc[s], sizeof pc[s]);
            k->warp[k->n++] = w;
        }
        xfree(pc);
    }
}

/* Lanes of any warp that an event set free. */
static void gpu_verdict_take_released(struct walk *k) {
    for (uint32_t i = 0; i < k->n; i++) {
        struct exec_warp *w = k->warp[i];
        FOR_LANES(l, w->released) k->at[i].pc[l] = w->wait_pc[l] + 1;
        w->released = 0;
    }
}

/* One instruction of one thread. False: it cannot go on by itself. */
static bool gpu_verdict_step(struct walk *k, uint32_t n, uint32_t lane) {
    struct exec_out *o = k->warp[n]->x.out;
    struct exec_stand *p = &k->at[n];
    uint32_t bit = 1u << lane, pc = p->pc[lane];
    const struct ir_insn *i = &gpu_module(k->r->launch)->code.v[pc];
    if (i->op == IR_SYS && (i->sub == IR_SYS_MALLOC || i->sub == IR_SYS_FREE)) return !(k->failed = true);
    o->woke = false;
    exec_step(k->warp[n], pc, bit);
    k->steps++;
    if (o->flow == EXEC_FAULT) k->failed = true;
    p->pc[lane] = pc + 1;
    if (o->flow == EXEC_JUMP && o->taken & bit) p->pc[lane] = o->target;
    if (o->flow == EXEC_EACH && o->taken & bit) p->pc[lane] = o->pc[lane];
    if (o->flow != EXEC_NEXT) gpu_verdict_take_released(k);
    return !k->failed && exec_can_run(k->warp[n]) & bit;
}

/* Every thread once. True: one of them ran. */
static bool gpu_verdict_turn(struct walk *k) {
    bool ran = false;
    for (uint32_t i = 0; i < k->n && !k->failed; i++)
        for (uint32_t l = 0; l < EXEC_LANES && !k->failed; l++) {
            if (!(exec_can_run(k->warp[i]) >> l & 1)) continue;
            ran = true;
            for (uint32_t q = 0; q < QUANTUM && gpu_verdict_step(k, i, l); q++) continue;
        }
    return ran;
}

static bool all_ended(const struct walk *k) {
    for (uint32_t i = 0; i < k->n; i++)
        if (k->warp[i]->live) return false;
    return true;
}

static bool all_loop(struct walk *k) {
    for (uint32_t i = 0; i < k->n; i++) k->at[i].run = exec_can_run(k->warp[i]);
    const enum exec_loop does = gpu_watchdog_alone(&k->r->watchdog, k->warp, k->at, k->n, FOLLOW);
    if (does != EXEC_MEETS) return does != EXEC_LEAVES;
    exec_joint_begin(k->r->watchdog.joint);
    return gpu_watchdog_joint(&k->r->watchdog, k->warp, k->at, k->n, FOLLOW);
}

/* Proofs are tried after 16, 32, 64, ... turns. */
static enum gpu_verdict gpu_verdict_walk(struct walk *k) {
    bool ran = true, spins = false;
    for (uint64_t t = 1, proof = FIRST_PROOF; ran && !spins && !k->failed && k->steps < MOST_STEPS; t++) {
        ran = gpu_verdict_turn(k);
        if (t < proof) continue;
        proof *= 2;
        spins = !k->failed && all_loop(k);
    }
    if (k->failed) return GPU_UNKNOWN;
    if (all_ended(k)) return GPU_WOULD_END;
    return !ran ? GPU_WOULD_BLOCK : spins ? GPU_WOULD_SPIN : GPU_UNKNOWN;
}

static void no_print(void *user, const char *text, size_t n) {
    (void)user, (void)text, (void)n;
}

enum gpu_verdict gpu_judge(struct gpu_run *r) {
    struct walk k = {.r = r};
    struct exec_launch silent = *r->grid.launch;
    struct exec_mem_copy *memory = exec_mem_keep(r->grid.mem);
    if (!memory) return GPU_UNKNOWN;
    gpu_watchdog_begin(r);
    silent.print = no_print;
    r->grid.launch = &silent;
    gpu_verdict_gather(&k);
    const enum gpu_verdict v = k.failed ? GPU_UNKNOWN : gpu_verdict_walk(&k);
    r->grid.launch = r->launch->exec;
    exec_mem_put_back(r->grid.mem, memory);
    xfree(k.at);
    xfree(k.warp);
    return v;
}
