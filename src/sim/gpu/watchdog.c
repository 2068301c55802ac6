/* Does the launch still get anywhere? Only what is certain ends it: a program that would finish is never called a deadlock,
 * however long it takes.
 *
 * Threads are looked at in windows of a quarter of gpu.watchdog. A window is over when every thread that is not blocked has
 * issued in it, or could have: it has no instruction, operand or fetch under way, is not held by a clock of the mechanism
 * (its `clocked`), and the window was long enough for every thread of the SM to have the slowest unit once. Then each thread
 * that did issue is followed alone, on a copy (exec/livelock/loop.h), or, if one meets others or writes memory, all those of a block
 * together (exec/livelock/joint.h). If one of them is not in a loop that only another thread could end, there is
 * progress, or none can be excluded. If all of them are, nothing will change until one of the others runs, and those
 * the mechanism has passed over for the whole window. Four such windows on end are a deadlock: of the program if no
 * thread was passed over, and as verdict.c finds otherwise.
 *
 * A window in which a thread exited, or in which no live thread ran, is progress: nothing is known of loops, for all of no
 * threads are in one. Threads do not run while an arm is walked that no thread takes (structured/walker.c), or while
 * all warps are on their way back from memory (dwf/pool.c). Where nothing is under way at all, gpu_loop.c finds that.
 *
 * Following threads in vain may take FREE steps each time, and a sixty-fourth of what the launch has executed since; how
 * far one is followed grows with each attempt, so that long loops are found too, later. Together, each thread of a block
 * is followed for a thirty-second of that, and all of them for one step in JOINT_SHARE instructions of the launch: such a
 * step costs the host about as much as simulating ten instructions. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "sim/gpu/run.h"

enum { ROUNDS = 4, SHARE = 64, FREE = 1024, JOINT_SHARE = 2048 };

/* Has every thread of the SM run, or only been passed over? */
static bool settled(const struct sm *s) {
    for (uint32_t slot = 0; slot < sm_warps(s); slot++) {
        const struct exec_warp *w = sm_warp(s, slot);
        const uint32_t rest = w ? exec_can_run(w) & ~sm_ran(s, slot) : 0;
        if (rest && rest & sm_under_way(s, slot)) return false;
    }
    return true;
}

/* Where the threads of an SM stand that have run. False: one is nowhere. */
static bool stands(const struct sm *s, struct exec_warp **warp, struct exec_stand *at) {
    uint32_t(*pc)[EXEC_LANES] = xcalloc(sm_warps(s), sizeof *pc);
    bool all = true;
    sm_places(s, pc[0]);
    for (uint32_t slot = 0; slot < sm_warps(s); slot++) {
        warp[slot] = sm_warp(s, slot);
        at[slot].run = warp[slot] ? exec_can_run(warp[slot]) & sm_ran(s, slot) : 0;
        memcpy(at[slot].pc, pc[slot], sizeof at[slot].pc);
        FOR_LANES(l, at[slot].run) all &= pc[slot][l] != IR_NOPC;
    }
    xfree(pc);
    return all;
}

enum exec_loop gpu_watchdog_alone(struct gpu_watchdog *k, struct exec_warp *const *w,
                                  const struct exec_stand *at, uint32_t n, uint64_t follow) {
    for (uint32_t s = 0; s < n; s++) FOR_LANES(l, at[s].run) {
            const enum exec_loop does = exec_loops(k->looper, w[s], l, at[s].pc[l], follow);
            if (does == EXEC_LEAVES || does == EXEC_MEETS) return does;
        }
    return EXEC_POLLS;
}

/* The warps of a block are next to each other. */
bool gpu_watchdog_joint(struct gpu_watchdog *k, struct exec_warp *const *w, const struct exec_stand *at,
                        uint32_t n, uint64_t follow) {
    for (uint32_t s = 0; s < n; s++) {
        if (!w[s] || w[s]->index) continue;
        struct exec_block *b = w[s]->block;
        if (b->live && exec_joint_loops(k->joint, b, &at[s], follow * b->live) == EXEC_LEAVES) return false;
    }
    return true;
}

/* How far each thread may be followed together with its block; too little to go round a loop is nothing. */
static uint64_t joint_follow(const struct gpu_run *r) {
    enum { SHORTEST = 6 };
    const uint64_t allowed = r->grid.insts / JOINT_SHARE / r->grid.threads,
                   wanted = r->watchdog.follow / EXEC_FOLLOW_TOGETHER;
    const uint64_t least = allowed < wanted ? allowed : wanted;
    return least < SHORTEST ? 0 : least;
}

static bool some_run(const struct exec_stand *at, uint32_t n) {
    for (uint32_t s = 0; s < n; s++)
        if (at[s].run) return true;
    return false;
}

static bool is_stuck(struct gpu_run *r) {
    struct gpu_watchdog *k = &r->watchdog;
    const uint32_t per_sm = sm_warps(r->sm[0]), n = r->nsms * per_sm;
    struct exec_warp **warp = xcalloc(n, sizeof(struct exec_warp *));
    struct exec_stand *at = xcalloc(n, sizeof *at);
    bool known = true;
    for (uint32_t i = 0; i < r->nsms && known; i++)
        known = stands(r->sm[i], warp + i * per_sm, at + i * per_sm);
    const bool ran = known && some_run(at, n);
    enum exec_loop does = ran ? gpu_watchdog_alone(k, warp, at, n, k->follow) : EXEC_LEAVES;
    if (does == EXEC_MEETS) {
        const uint64_t follow = joint_follow(r);
        exec_joint_begin(k->joint);
        does = follow && gpu_watchdog_joint(k, warp, at, n, follow) ? EXEC_POLLS : EXEC_LEAVES;
    }
    xfree(warp);
    xfree(at);
    return does != EXEC_LEAVES;
}

uint64_t gpu_watchdog_window(const struct gpu_run *r) {
    const uint64_t patience = (uint64_t)r->gpu->options->gpu.watchdog / ROUNDS + 1;
    const uint64_t turn = sm_turn(r->sm[0], r->launch->classes);
    return patience > turn ? patience : turn;
}

void gpu_watchdog_begin(struct gpu_run *r) {
    struct gpu_watchdog *k = &r->watchdog;
    if (k->window) return;
    k->window = gpu_watchdog_window(r);
    k->opened = k->since = r->start;
    k->follow = EXEC_FOLLOW_FIRST;
    k->looper = exec_looper_new(&r->grid);
    k->joint = exec_joint_new(&r->grid);
}

static bool window_over(struct gpu_run *r) {
    const struct gpu_watchdog *k = &r->watchdog;
    if (r->gpu->now - k->opened < k->window || r->grid.insts < k->look_at) return false;
    for (uint32_t i = 0; i < r->nsms; i++)
        if (!settled(r->sm[i])) return false;
    return true;
}

/* steps: of threads alone; together: of all of a block. */
static void found_progress(struct gpu_run *r, uint64_t steps, uint64_t together) {
    struct gpu_watchdog *k = &r->watchdog;
    k->since = r->gpu->now;
    k->rounds = 0;
    k->look_at = r->grid.insts + (steps > FREE ? SHARE * (steps - FREE) : 0) + JOINT_SHARE * together;
    if (k->follow < EXEC_FOLLOW_MOST) k->follow *= 2;
}

static bool gpu_watchdog_give_up(struct gpu_run *r, struct err *e) {
    for (uint32_t i = 0; i < r->nsms; i++)
        for (uint32_t slot = 0; slot < sm_warps(r->sm[i]); slot++)
            sm_loops(r->sm[i], slot, sm_ran(r->sm[i], slot));
    return gpu_deadlock(r, r->gpu->now - r->watchdog.since, e);
}

bool gpu_watchdog(struct gpu_run *r, struct err *e) {
    struct gpu_watchdog *k = &r->watchdog;
    gpu_watchdog_begin(r);
    if (!window_over(r)) return true;
    const uint64_t alone_before = exec_loop_steps(k->looper), joint_before = exec_joint_steps(k->joint);
    const uint64_t exited_before = k->exited;
    k->exited = gpu_exited(r);
    if (k->exited != exited_before || !is_stuck(r))
        found_progress(r, exec_loop_steps(k->looper) - alone_before,
                       exec_joint_steps(k->joint) - joint_before);
    else if (++k->rounds == ROUNDS)
        return gpu_watchdog_give_up(r, e);
    k->opened = r->gpu->now;
    for (uint32_t i = 0; i < r->nsms; i++) sm_forget(r->sm[i]);
    return true;
}
