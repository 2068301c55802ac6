/* The timed machine's main loop.
 *
 * Time jumps: an SM says when it next has something to do, the memory system likewise, and the clock goes to the earliest of
 * them; SMs that sleep are not called, or even looked at (gpu_wake.h). Where nothing has anything to do ever again, or nothing
 * moved for gpu.watchdog cycles, the launch ends with a report (deadlock.c).
 *
 * Windows. What SMs ask of memory leaves their caches some cycles later, so memory runs these cycles first and then each SM
 * runs them alone: its state stays in the host's caches, and an SM costs what it does, however many there are. What happens
 * is what would happen cycle by cycle. A window of one cycle is lockstep: the same code, for launches in which SMs have more
 * in common than memory (gpu_window.c).
 *
 * With several threads and much for memory to do, a window is run in two halves: while the SMs run one of them, memory runs
 * the next, which what they ask in it cannot touch yet.
 *
 * Blocks go to SMs round robin as room frees up. With gpu.dispatch = one_at_a_time an SM that is empty takes an even share of
 * them, one behind the other, as if they were one block (DWF 5 and 7: a core has one block, of all its threads). Within a window an SM that has room for a block stops there; when all have come to the end, or
 * stopped, those that stopped get their blocks in the order of time and go on. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/gpu/run.h"

enum { CHECK_CYCLES = 4096 }; /* cycles between looks at limits, the watchdog and the progress callback */
enum { SHORT = 16 };          /* windows of fewer cycles are not halved */
enum { LOADED = 64 };         /* windows in which memory has fewer messages under way are not halved either */

void gpu_at_init(struct gpu_run *r, uint32_t i) {
    r->at[i] =
        (struct gpu_at){.next = SM_NEVER, .stopped = SM_NEVER, .code_misses = UINT64_MAX, .grid = r->grid};
    /* a part of its own, for it may need more while others run */
    r->at[i].grid.pages = pages_part(r->grid.pages);
    r->at[i].grid.failure = &r->at[i].failure;
    r->at[i].grid.most = UINT64_MAX; /* advance_limited sets it where that may be too much */
}

/* ---- blocks to SMs ---- */

static bool one_at_a_time(const struct gpu_run *r) {
    return r->gpu->options->gpu.dispatch == GPU_ONE_AT_A_TIME;
}

/* The blocks that an SM gets at once when it is empty. */
static uint64_t gpu_loop_share(const struct gpu_run *r) {
    return (r->grid.blocks + r->nsms - 1) / r->nsms;
}

/* Offers a block to each SM that stopped in this cycle (at the start: to all) in turn, round after round, until none takes
 * one. An SM that takes one is ticked at `first`. */
static void gpu_loop_dispatch(struct gpu_run *r, uint64_t now, uint64_t first) {
    const bool start = now == first, whole = one_at_a_time(r);
    uint32_t refused = 0;
    for (uint32_t i = 0; i < r->nsms; i++)
        r->at[i].takes = !whole ? 1 : r->at[i].resident ? 0 : gpu_loop_share(r);
    while (refused < r->nsms && r->next_block < r->grid.blocks) {
        const uint32_t i = r->turn;
        struct gpu_at *a = &r->at[i];
        const bool taken = (start || (a->stopped == now && !a->early)) && a->takes && sm_room(r->sm[i]);
        if (taken && whole) a->takes--;
        if (!taken || !whole || !a->takes) r->turn = i + 1 < r->nsms ? i + 1 : 0;
        refused = taken ? 0 : refused + 1;
        if (!taken) continue;
        sm_start(r->sm[i], r->next_block++, now);
        a->resident++;
        a->next = first;
        r->nbusy += !a->busy;
        a->busy = true;
        gpu_windows_begin(r, i);
        if (start) gpu_wake_set(&r->wake, i, first);
    }
}

/* ---- looks at the whole, now and then ---- */

static bool out_of_cycles(const struct gpu_run *r, struct err *e) {
    return err_set(e, ERR_LIMIT,
                   "kernel %s stopped after %" PRIu64 " cycles (gpu.max_cycles is %" PRId64 "): %" PRIu64
                   " of %" PRIu64 " blocks have ended",
                   r->grid.func->name, r->gpu->now - r->start, r->gpu->options->gpu.max_cycles, r->done,
                   r->grid.blocks);
}

static bool keep_going(const struct gpu_run *r, struct err *e) {
    const struct exec_launch *l = r->launch->exec;
    if (!l->progress || l->progress(l->user, r->done, r->grid.blocks, r->grid.insts)) return true;
    return gpu_stopped(r, e);
}

static bool gpu_loop_check(struct gpu_run *r, struct err *e) {
    uint64_t now = r->gpu->now, most = (uint64_t)r->gpu->options->gpu.max_cycles;
    r->checked = now;
    if (most && now - r->start >= most) return out_of_cycles(r, e);
    return gpu_watchdog(r, e) && keep_going(r, e);
}

static uint64_t check_every(const struct gpu_run *r) {
    const struct opt_gpu *o = &r->gpu->options->gpu;
    const uint64_t window = gpu_watchdog_window(r);
    /* a whole number of looks in each watchdog window */
    uint64_t every = window / ((window + CHECK_CYCLES - 1) / CHECK_CYCLES) + 1;
    if (o->max_cycles && (uint64_t)o->max_cycles < every) every = (uint64_t)o->max_cycles;
    return every;
}

/* Ends an interval of the time series. */
void gpu_sample(struct gpu_run *r) {
    struct sm_stats s;
    struct mech_stats m;
    uint64_t now = r->gpu->now;
    gpu_sum(r, &s, &m);
    series_add(r->launch->series,
               (struct series_sample){.launch = r->launch->number,
                                      .cycle = now - r->start,
                                      .cycles = now - r->sampled,
                                      .unfinished = exec_grid_threads(&r->grid) - gpu_exited(r)},
               &r->last, &s, r->thread_insts);
    r->last = s;
    r->sampled = now;
}

/* ---- an SM ---- */

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}
static uint64_t smaller(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* True if the SM must stop after this tick: it may have room for a waiting block, or it has run its last one. */
static bool must_stop(const struct gpu_run *r, const struct gpu_at *a, uint32_t i, uint32_t ended) {
    if (r->next_block == r->grid.blocks) return !a->resident && a->busy && !sm_busy(r->sm[i]);
    return ended && (!one_at_a_time(r) || !a->resident);
}

/* Adds the SM's instructions to the launch's count. */
static void count_insts(struct gpu_run *r, struct gpu_at *a) {
    r->grid.insts += a->grid.insts - a->counted;
    a->counted = a->grid.insts;
}

/* Gives the SM a log: in windows longer than a cycle, global accesses are deferred to the window's end. */
static struct exec_deferred *defer_accesses(struct gpu_at *a) {
    if (!a->deferred) a->deferred = exec_deferred_new();
    return a->grid.deferred = a->deferred;
}

/* Takes what memory has for the SM in this cycle. False: among it is data that the SM asked for in this window, so it
 * must stop before this cycle. */
static inline bool take_arrivals(struct gpu_run *r, uint32_t i, const struct mem_calls *calls, uint64_t now) {
    struct gpu_at *a = &r->at[i];
    a->answered = now;
    mem_sm_advance(r->gpu->mem, i, now);
    if (!calls->early || !mem_sm_early(r->gpu->mem, i) || !a->grid.deferred) return true;
    a->stopped = a->next = now;
    a->early = true;
    return false;
}

/* Runs an SM in all cycles before `until`, or up to the one after which it stops. */
void gpu_advance_sm(struct gpu_run *r, uint32_t worker, uint32_t i, uint64_t until) {
    struct gpu_at *a = &r->at[i];
    struct mem *mem = r->gpu->mem;
    if (r->nworkers > 1) sm_use(r->sm[i], r->worker[worker].common, r->worker[worker].branch);
    if (a->fault.code || a->stopped != SM_NEVER) return;
    const struct mem_calls *calls = mem_sm_calls(mem, i);
    for (uint64_t arrival; smaller(a->next, arrival = mem_calls_next(calls, mem, i)) < until;) {
        const uint64_t now = smaller(a->next, arrival);
        uint32_t ended = 0;
        if (arrival == now && !take_arrivals(r, i, calls, now)) return;
        if (now < a->next && !calls->called) continue;
        const uint64_t next = sm_run(r->sm[i], now, until, &ended, &a->fault);
        a->ticked = sm_ticked(r->sm[i]);
        if (next == SM_FAULT) {
            a->faulted = a->ticked;
            return;
        }
        a->next = next;
        a->resident -= ended;
        a->ended += ended;
        if (must_stop(r, a, i, ended)) {
            a->stopped = a->ticked;
            return;
        }
    }
}

/* Advances an SM in lockstep while the launch is near its bound on instructions, which no SM may exceed. */
static void advance_limited(struct gpu_run *r, uint32_t i, uint64_t until) {
    struct gpu_at *a = &r->at[i];
    a->grid.most = a->grid.insts + (r->grid.most - r->grid.insts);
    gpu_advance_sm(r, 0, i, until);
    count_insts(r, a);
}

/* ---- a window ---- */

/* The k-th SM of the window. */
static struct gpu_at *nth(const struct gpu_run *r, uint32_t k) {
    return &r->at[r->list[k]];
}

/* Place in the list of the SM that faulted first, of two in one cycle the lower one; r->n: none did. */
static uint32_t first_fault(const struct gpu_run *r) {
    uint32_t first = r->n;
    for (uint32_t k = 0; k < r->n; k++)
        if (nth(r, k)->fault.code && (first == r->n || nth(r, k)->faulted < nth(r, first)->faulted))
            first = k;
    return first;
}

static uint64_t fault_at(const struct gpu_run *r) {
    const uint32_t k = first_fault(r);
    return k < r->n ? nth(r, k)->faulted : SM_NEVER;
}

/* The first cycle at which SMs stopped that are to go on; SM_NEVER: there is none. early: before the cycle, else after
 * it. */
struct stop {
    uint64_t at;
    bool early;
};

static struct stop first_stop(const struct gpu_run *r) {
    struct stop s = {SM_NEVER, false};
    for (uint32_t k = 0; k < r->n; k++) {
        const struct gpu_at *a = nth(r, k);
        if (a->last || a->stopped > s.at || (a->stopped == s.at && !a->early)) continue;
        s = (struct stop){a->stopped, a->early};
    }
    return s;
}

/* Lets SMs go on that stopped for early data. All SMs have run the cycles before this one, so what was deferred in them
 * can be executed, which gives the SMs their data. Accesses of SMs that have run further stay in their logs. */
static void go_on_early(struct gpu_run *r, uint64_t now, uint64_t until) {
    if (now) exec_deferred_run_all(r->deferred, r->n, now - 1, r->n);
    for (uint32_t k = 0; k < r->n; k++) {
        struct gpu_at *a = nth(r, k);
        if (a->stopped != now || !a->early) continue;
        a->early = false;
        a->stopped = SM_NEVER;
        gpu_advance_sm(r, 0, r->list[k], until);
    }
}

/* Gives waiting blocks to SMs that stopped in this cycle, and lets them go on. An SM without a block left stays where
 * it is, since this may be the end of the launch. */
static void gpu_loop_go_on(struct gpu_run *r, uint64_t now, uint64_t until) {
    if (r->next_block < r->grid.blocks) gpu_loop_dispatch(r, now, now + 1);
    for (uint32_t k = 0; k < r->n; k++) {
        struct gpu_at *a = nth(r, k);
        if (a->stopped != now || a->last || a->early) continue;
        a->last = !sm_busy(r->sm[r->list[k]]) && r->next_block == r->grid.blocks;
        if (a->last) {
            r->nbusy -= a->busy;
            a->busy = false;
            continue;
        }
        a->stopped = SM_NEVER;
        gpu_advance_sm(r, 0, r->list[k], until);
    }
}

/* Runs SMs that have ended their last block to the end of the window. If they were the last of all, the window ends
 * with the last cycle in which one of them ran or memory had something for it. Returns the cycle after that. */
static uint64_t end_window(struct gpu_run *r, uint64_t until) {
    uint64_t last = 0;
    for (uint32_t k = 0; k < r->n; k++) {
        const struct gpu_at *a = nth(r, k);
        last = larger(last, a->last ? a->stopped : a->answered);
    }
    if (!r->nbusy && last + 1 < until) {
        until = last + 1;
        gpu_wake_rewind(&r->wake, r->nsms, last);
    }
    for (uint32_t k = 0; k < r->n; k++) {
        struct gpu_at *a = nth(r, k);
        if (!a->last) continue;
        a->last = false;
        a->stopped = SM_NEVER;
        gpu_advance_sm(r, 0, r->list[k], until);
    }
    return until;
}

/* Notes when each SM of the list is due: when it or memory has something for it to do. */
static void gpu_loop_wake(struct gpu_run *r) {
    for (uint32_t k = 0; k < r->n; k++)
        gpu_wake_set(&r->wake, r->list[k], smaller(nth(r, k)->next, mem_sm_next(r->gpu->mem, r->list[k])));
}

/* Executes the deferred accesses, and passes the SMs' requests to memory. */
static void gpu_loop_collect(struct gpu_run *r, bool off) {
    if (off) gpu_workers_flush(r, first_fault(r));
    for (uint32_t k = 0; k < r->n; k++) {
        struct gpu_at *a = nth(r, k);
        r->done += a->ended;
        a->ended = 0;
        a->grid.deferred = NULL;
        count_insts(r, a);
        mem_collect(r->gpu->mem, r->list[k]);
    }
    gpu_loop_wake(r);
}

static bool fault_error(const struct gpu_run *r, struct err *e) {
    const struct gpu_at *a = nth(r, first_fault(r));
    r->gpu->now = a->faulted;
    if (r->launch->exec->failure) *r->launch->exec->failure = a->failure;
    return err_set(e, a->fault.code, "%s", err_text(&a->fault));
}

/* Lets the host fetch the fields that a tick reads first, which lie at the beginning of an SM, while another SM is
 * ticked. */
static void ask_ahead(const struct sm *sm) {
    for (int line = 0; line < 6; line++) __builtin_prefetch((const char *)sm + 64 * line);
}

/* Runs one cycle of each SM in the list, in order. */
static void advance_in_lockstep(struct gpu_run *r, uint64_t until) {
    for (uint32_t k = 0; k < r->n; k++) {
        if (k + 1 < r->n) ask_ahead(r->sm[r->list[k + 1]]);
        if (r->limited)
            advance_limited(r, r->list[k], until);
        else
            gpu_advance_sm(r, 0, r->list[k], until);
    }
}

/* Lets SMs that stopped go on as far as they can. */
static void gpu_loop_resume(struct gpu_run *r, uint64_t until) {
    for (struct stop s; (s = first_stop(r)).at != SM_NEVER && s.at <= fault_at(r);)
        (s.early ? go_on_early : gpu_loop_go_on)(r, s.at, until);
}

/* Lists the SMs that are due and those for which memory has something. keep: SMs of the present list stay in it. */
static void list_sms(struct gpu_run *r, uint64_t from, uint64_t until, bool keep) {
    const uint64_t *unread = mem_unread(r->gpu->mem);
    gpu_wake_advance(&r->wake, from, until);
    for (uint32_t w = 0; w < r->wake.words; w++) r->wake.due[w] |= unread[w];
    for (uint32_t k = 0; keep && k < r->n; k++) bitmap_set(r->wake.due, r->list[k]);
    r->n = 0;
    FOR_BITMAP(i, r->wake.due, r->wake.words) r->list[r->n++] = i;
}

/* Runs the SMs of the list as far as they can go before `until`, and memory meanwhile up to `ahead`. False: all reached
 * `until` without a stop. */
static bool run_list(struct gpu_run *r, bool off, uint64_t until, uint64_t ahead) {
    bool stopped = false;
    for (uint32_t k = 0; off && k < r->n; k++) r->deferred[k] = defer_accesses(nth(r, k));
    if (off)
        gpu_workers_run(r, until, ahead);
    else
        advance_in_lockstep(r, until);
    for (uint32_t k = 0; k < r->n; k++) stopped |= nth(r, k)->stopped != SM_NEVER;
    if (stopped) gpu_loop_resume(r, until);
    return stopped;
}

/* Runs SMs that have ended their last block up to the middle of the window, so that their requests before it reach
 * memory in time. */
static void half_end(struct gpu_run *r) {
    for (uint32_t k = 0; k < r->n; k++) {
        struct gpu_at *a = nth(r, k);
        const uint64_t stopped = a->stopped;
        if (!a->last) continue;
        a->stopped = SM_NEVER;
        gpu_advance_sm(r, 0, r->list[k], r->half);
        a->stopped = stopped;
    }
}

/* Runs the first half of a window while memory runs the second one. The list made for the second half has the same SMs
 * and perhaps more. False: an SM faulted or the last block of all ended; then all is as if the window was not halved. */
static bool first_half(struct gpu_run *r, uint64_t until) {
    const bool stopped = run_list(r, true, r->half, until), on = first_fault(r) == r->n && r->nbusy;
    mem_deliver(r->gpu->mem);
    if (on) {
        if (stopped) half_end(r);
        gpu_loop_collect(r, true);
    }
    list_sms(r, r->half, until, true);
    return on;
}

/* Runs all SMs up to *until, and sets *until to where the window ended. Memory ends as if the window had been halved
 * wherever that can be seen, since results must not depend on the number of host threads. */
static bool run_window(struct gpu_run *r, uint64_t *until, struct err *e) {
    struct mem *mem = r->gpu->mem;
    const uint64_t now = r->gpu->now, done = r->done;
    const bool off = *until > now + 1, halved = r->half && r->nworkers > 1 && mem_under_way(mem) >= LOADED;
    if (off) mem_run(mem, (halved ? r->half : *until) - 1, true);
    mem_begin(mem, now);
    list_sms(r, now, halved ? r->half : *until, false);
    const bool memory_ahead = halved && first_half(r, *until);
    r->memory_next = memory_ahead ? mem_run_next(mem) : MEM_NEVER;
    if (run_list(r, off, *until, memory_ahead ? r->ahead : 0)) *until = end_window(r, *until);
    gpu_loop_collect(r, off);
    const bool faulted = first_fault(r) < r->n;
    if (r->half && (faulted || !r->nbusy)) {
        r->memory_next = smaller(r->memory_next, mem_run_next(mem));
        mem_run_ahead(mem, r->ahead - 1);
    }
    return faulted ? fault_error(r, e) : r->done == done || keep_going(r, e);
}

/* ---- the loop ---- */

/* The next cycle in which anything happens, even if it is only what memory has done ahead of it. SM_NEVER: nothing
 * will. */
static uint64_t next_event(const struct gpu_run *r, uint64_t until) {
    uint64_t next = smaller(smaller(r->memory_next, mem_run_next(r->gpu->mem)), gpu_wake_next(&r->wake));
    if (mem_quiet(r->gpu->mem) >= until) next = smaller(next, mem_quiet(r->gpu->mem));
    return larger(next, until);
}

static bool finished(const struct gpu_run *r) {
    return r->done == r->grid.blocks && !r->nbusy && mem_idle(r->gpu->mem, r->gpu->now);
}

/* The first cycle after the window that begins now. */
static uint64_t window_end(struct gpu_run *r, uint64_t every) {
    const uint64_t now = r->gpu->now, look = r->checked + every, interval = r->launch->series->interval;
    enum gpu_lockstep why;
    uint64_t length = gpu_window(r, &why);
    r->limited = r->grid.most - r->grid.insts < r->most_insts;
    if (r->limited) why = GPU_LOCKSTEP_LIMIT;
    if (!r->nbusy) why = GPU_LOCKSTEP_END;
    if (why) length = 1;
    r->lockstep[why]++;
    uint64_t until = smaller(now + length, larger(look, now + 1));
    if (interval) until = smaller(until, r->sampled + interval);
    until = larger(until, now + 1);
    const bool halves = !why && r->windows.settled && until - now >= SHORT;
    r->half = halves ? now + (until - now) / 2 : 0;
    r->ahead = halves ? smaller(r->half + r->windows.data, larger(look, until)) : 0;
    return until;
}

/* The last cycle in which anything happened. */
static uint64_t last_event(const struct gpu_run *r) {
    uint64_t last = mem_ran(r->gpu->mem);
    for (uint32_t i = 0; i < r->nsms; i++) last = larger(last, larger(r->at[i].ticked, r->at[i].answered));
    return last;
}

bool gpu_loop(struct gpu_run *r, struct err *e) {
    struct gpu *g = r->gpu;
    const uint64_t every = check_every(r), *interval = &r->launch->series->interval;
    gpu_windows_init(r);
    r->most_insts = r->windows.data * r->nsms * (uint64_t)g->options->machine.sm.schedulers * MECH_WIDEST;
    gpu_loop_dispatch(r, g->now, g->now);
    for (;;) {
        uint64_t until = window_end(r, every);
        mem_run(g->mem, g->now, false);
        if (!run_window(r, &until, e)) return false;
        const bool look = g->now - r->checked >= every;
        g->now = until - 1;
        if (finished(r)) break;
        if (look && !gpu_loop_check(r, e)) return false;
        mem_run(g->mem, g->now, false);
        uint64_t next = smaller(next_event(r, until), mem_deliver(g->mem));
        if (next == SM_NEVER) {
            g->now = last_event(r);
            return gpu_deadlock(r, 0, e);
        }
        if (*interval && next > r->sampled + *interval) next = r->sampled + *interval;
        g->now = next;
        if (*interval && next == r->sampled + *interval) gpu_sample(r);
    }
    mem_at(g->mem, g->now);
    return true;
}
