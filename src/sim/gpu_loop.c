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
 * Blocks go to SMs round robin as room frees up, or, with gpu.dispatch = one_at_a_time, an SM is filled again only when
 * it is empty (DWF 6.1). Within a window an SM that has room for a block stops there; when all have come to the end, or
 * stopped, those that stopped get their blocks in the order of time and go on. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/gpu_run.h"

enum { CHECK_CYCLES = 4096 }; /* between looks at limits, the watchdog and the progress callback */

void gpu_at_init(struct gpu_run *r, uint32_t i) {
    r->at[i] =
        (struct gpu_at){.next = SM_NEVER, .stopped = SM_NEVER, .code_misses = UINT64_MAX, .grid = r->grid};
    r->at[i].grid.pages = pages_part(r->grid.pages); /* its own, for it may need more while others run */
    r->at[i].grid.failure = &r->at[i].failure;
    r->at[i].grid.most = UINT64_MAX; /* run_limited sets it where that may be too much */
}

/* ---- blocks to SMs ---- */

/* Whether the SM gets a block when it is its turn. */
static bool takes(const struct gpu_run *r, uint32_t i) {
    const bool whole = r->gpu->options->gpu.dispatch == GPU_ONE_AT_A_TIME;
    return (!whole || r->at[i].filling) && sm_room(r->sm[i]);
}

/* Offers a block to each SM that stopped in this cycle (at the start: to all) in turn, round after round, until none takes
 * one. An SM that takes one is ticked at `first`. */
static void dispatch(struct gpu_run *r, uint64_t now, uint64_t first) {
    const bool start = now == first;
    uint32_t refused = 0;
    if (r->gpu->options->gpu.dispatch == GPU_ONE_AT_A_TIME)
        for (uint32_t i = 0; i < r->nsms; i++) r->at[i].filling = !r->at[i].resident;
    while (refused < r->nsms && r->next_block < r->grid.blocks) {
        const uint32_t i = r->turn;
        struct gpu_at *a = &r->at[i];
        r->turn = i + 1 < r->nsms ? i + 1 : 0;
        const bool taken = (start || (a->stopped == now && !a->early)) && takes(r, i);
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

static bool check(struct gpu_run *r, struct err *e) {
    uint64_t now = r->gpu->now, most = (uint64_t)r->gpu->options->gpu.max_cycles;
    r->checked = now;
    if (most && now - r->start >= most) return out_of_cycles(r, e);
    return gpu_watch(r, e) && keep_going(r, e);
}

static uint64_t check_every(const struct gpu_run *r) {
    const struct opt_gpu *o = &r->gpu->options->gpu;
    const uint64_t window = gpu_watch_window(r);
    uint64_t every =
        window / ((window + CHECK_CYCLES - 1) / CHECK_CYCLES) + 1; /* a whole number of times a window */
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

/* It may have room for a block that there is, or it was the last that it had. */
static bool must_stop(const struct gpu_run *r, const struct gpu_at *a, uint32_t i, uint32_t ended) {
    if (r->next_block == r->grid.blocks) return a->busy && !sm_busy(r->sm[i]);
    return ended && (r->gpu->options->gpu.dispatch != GPU_ONE_AT_A_TIME || !a->resident);
}

/* Its instructions are in the launch's count. */
static void count_insts(struct gpu_run *r, struct gpu_at *a) {
    r->grid.insts += a->grid.insts - a->counted;
    a->counted = a->grid.insts;
}

/* Accesses of a window longer than a cycle are put off until its end. */
static void put_off(struct gpu_at *a, bool off) {
    if (off && !a->log) a->log = exec_log_new();
    a->grid.log = off ? a->log : NULL;
}

/* What memory has for the SM in this cycle. False: data that it asked for in this window, before which it stops. */
static bool tell(struct gpu_run *r, uint32_t i, uint64_t now) {
    struct gpu_at *a = &r->at[i];
    a->told = now;
    mem_sm_advance(r->gpu->mem, i, now);
    if (!mem_sm_early(r->gpu->mem, i) || !a->grid.log) return true;
    a->stopped = a->next = now;
    a->early = true;
    return false;
}

/* All cycles before `until`, or up to one after which it stops. */
void gpu_run_sm(struct gpu_run *r, uint32_t hand, uint32_t i, uint64_t until) {
    struct gpu_at *a = &r->at[i];
    struct mem *mem = r->gpu->mem;
    if (r->hands > 1) sm_use(r->sm[i], r->hand[hand].common, r->hand[hand].branch);
    for (uint64_t news; smaller(a->next, news = mem_sm_next(mem, i)) < until;) {
        const uint64_t now = smaller(a->next, news);
        uint32_t ended = 0;
        if (news == now && !tell(r, i, now)) return;
        if (now < a->next && !mem_sm_called(mem, i)) continue;
        a->ticked = now;
        if (!sm_tick(r->sm[i], now, &ended, &a->fault)) {
            a->faulted = now;
            return;
        }
        a->next = larger(sm_next(r->sm[i]), now + 1);
        a->resident -= ended;
        a->ended += ended;
        if (must_stop(r, a, i, ended)) {
            a->stopped = now;
            return;
        }
    }
}

/* The same in lockstep with the launch's bound on instructions near: nobody may go beyond it. */
static void run_limited(struct gpu_run *r, uint32_t i, uint64_t until) {
    struct gpu_at *a = &r->at[i];
    a->grid.most = a->grid.insts + (r->grid.most - r->grid.insts);
    gpu_run_sm(r, 0, i, until);
    count_insts(r, a);
}

/* ---- a window ---- */

/* The SM with the first fault, of two in one cycle the lower one; nsms: there is none. */
static uint32_t first_fault(const struct gpu_run *r, const uint64_t *who) {
    uint32_t first = r->nsms;
    FOR_BITMAP(i, who, r->wake.words) {
        if (!r->at[i].fault.code) continue;
        if (first == r->nsms || r->at[i].faulted < r->at[first].faulted) first = i;
    }
    return first;
}

static uint64_t fault_at(const struct gpu_run *r, const uint64_t *who) {
    const uint32_t sm = first_fault(r, who);
    return sm < r->nsms ? r->at[sm].faulted : SM_NEVER;
}

/* The first cycle before or after which SMs stopped that are to go on; SM_NEVER: there are none. */
struct stop {
    uint64_t at;
    bool early;
};

static struct stop first_stop(const struct gpu_run *r, const uint64_t *who) {
    struct stop s = {SM_NEVER, false};
    FOR_BITMAP(i, who, r->wake.words) {
        const struct gpu_at *a = &r->at[i];
        if (a->last || a->stopped > s.at || (a->stopped == s.at && !a->early)) continue;
        s = (struct stop){a->stopped, a->early};
    }
    return s;
}

/* What is put off and was issued before this cycle happens; all SMs have run those cycles. Accesses of SMs that have run more
 * stay in their logs. */
static void run_logs_before(struct gpu_run *r, const uint64_t *who, uint64_t now) {
    uint32_t n = 0;
    FOR_BITMAP(i, who, r->wake.words) if (r->at[i].log) r->logs[n++] = r->at[i].log;
    if (now) exec_logs_run(r->logs, n, now - 1, n);
}

static void go_on_early(struct gpu_run *r, const uint64_t *who, uint64_t now, uint64_t until) {
    run_logs_before(r, who, now);
    FOR_BITMAP(i, who, r->wake.words) {
        struct gpu_at *a = &r->at[i];
        if (a->stopped != now || !a->early) continue;
        a->early = false;
        a->stopped = SM_NEVER;
        gpu_run_sm(r, 0, i, until);
    }
}

/* Those that stopped in this cycle get what blocks there are. One that has none left to run stays where it is: this may
 * be the end of the launch. */
static void go_on(struct gpu_run *r, const uint64_t *who, uint64_t now, uint64_t until) {
    if (r->next_block < r->grid.blocks) dispatch(r, now, now + 1);
    FOR_BITMAP(i, who, r->wake.words) {
        struct gpu_at *a = &r->at[i];
        if (a->stopped != now || a->last || a->early) continue;
        a->last = !sm_busy(r->sm[i]) && r->next_block == r->grid.blocks;
        if (a->last) {
            r->nbusy -= a->busy;
            a->busy = false;
            continue;
        }
        a->stopped = SM_NEVER;
        gpu_run_sm(r, 0, i, until);
    }
}

/* SMs that have run their last block: to the end of the window, or, if they were the last of all, to the cycle in which the
 * last of them did, or was told anything by memory, which was not quiet before then. Returns the cycle after that. */
static uint64_t end_window(struct gpu_run *r, const uint64_t *who, uint64_t until) {
    uint64_t last = 0;
    FOR_BITMAP(i, who, r->wake.words) {
        const struct gpu_at *a = &r->at[i];
        last = larger(last, a->last ? a->stopped : a->told);
    }
    if (!r->nbusy && last + 1 < until) {
        until = last + 1;
        gpu_wake_rewind(&r->wake, r->nsms, last);
    }
    FOR_BITMAP(k, who, r->wake.words) {
        struct gpu_at *a = &r->at[k];
        if (!a->last) continue;
        a->last = false;
        a->stopped = SM_NEVER;
        gpu_run_sm(r, 0, k, until);
    }
    return until;
}

/* What the SMs of the window have put off happens in the order of time, up to the first fault, or, where nobody stores what
 * another one accesses, one SM after the other. */
static void run_logs(struct gpu_run *r, const uint64_t *who, uint64_t fault, uint32_t sm) {
    uint32_t n = 0, at = UINT32_MAX;
    FOR_BITMAP(i, who, r->wake.words) {
        if (i == sm) at = n;
        put_off(&r->at[i], false);
        if (r->at[i].log) r->logs[n++] = r->at[i].log;
    }
    gpu_hands_logs(r, n, fault, at);
}

static bool collect(struct gpu_run *r, const uint64_t *who, bool put_off_some, struct err *e) {
    const uint32_t bad = first_fault(r, who);
    const struct gpu_at *fault = bad < r->nsms ? &r->at[bad] : NULL;
    if (put_off_some) run_logs(r, who, fault ? fault->faulted : SM_NEVER, bad);
    FOR_BITMAP(i, who, r->wake.words) {
        struct gpu_at *a = &r->at[i];
        r->done += a->ended;
        a->ended = 0;
        count_insts(r, a);
        mem_collect(r->gpu->mem, i);
        gpu_wake_set(&r->wake, i, smaller(a->next, mem_sm_next(r->gpu->mem, i)));
    }
    if (!fault) return true;
    r->gpu->now = fault->faulted;
    if (r->launch->exec->failure) *r->launch->exec->failure = fault->failure;
    err_set(e, fault->fault.code, "%s", err_text(&fault->fault));
    return false;
}

/* What a tick looks at first is at the front of an SM: the host fetches it while another one is ticked. */
static void ask_ahead(const struct sm *sm) {
    for (int line = 0; line < 6; line++) __builtin_prefetch((const char *)sm + 64 * line);
}

/* One cycle of each, in order. */
static void step(struct gpu_run *r, uint32_t n, uint64_t until) {
    for (uint32_t k = 0; k < n; k++) {
        if (k + 1 < n) ask_ahead(r->sm[r->list[k + 1]]);
        if (r->limited)
            run_limited(r, r->list[k], until);
        else
            gpu_run_sm(r, 0, r->list[k], until);
    }
}

/* SMs that stopped go on as far as they can. Returns where the window ended. */
static uint64_t resume(struct gpu_run *r, const uint64_t *who, uint64_t until) {
    for (struct stop s; (s = first_stop(r, who)).at != SM_NEVER && s.at <= fault_at(r, who);)
        (s.early ? go_on_early : go_on)(r, who, s.at, until);
    return end_window(r, who, until);
}

/* The SMs that are due and those memory has something for. *until: where it ended. */
static bool window(struct gpu_run *r, uint64_t *until, struct err *e) {
    uint64_t *who = r->wake.due;
    const uint64_t *news = mem_news(r->gpu->mem), done = r->done;
    const bool off = *until > r->gpu->now + 1;
    bool stopped = false;
    uint32_t n = 0;
    for (uint32_t w = 0; w < r->wake.words; w++) who[w] |= news[w];
    FOR_BITMAP(i, who, r->wake.words) {
        r->list[n++] = i;
        if (off) put_off(&r->at[i], true);
    }
    if (off)
        gpu_hands_run(r, n, *until);
    else
        step(r, n, *until);
    for (uint32_t k = 0; k < n; k++) stopped |= r->at[r->list[k]].stopped != SM_NEVER;
    if (stopped) *until = resume(r, who, *until);
    return collect(r, who, off, e) && (r->done == done || keep_going(r, e));
}

/* ---- the loop ---- */

/* The next cycle at which anything happens; SM_NEVER: nothing will. */
static uint64_t next_event(const struct gpu_run *r, uint64_t until) {
    uint64_t next = smaller(mem_run_next(r->gpu->mem), gpu_wake_next(&r->wake));
    if (mem_quiet(r->gpu->mem) >= until) next = smaller(next, mem_quiet(r->gpu->mem));
    return larger(next, until);
}

static bool finished(const struct gpu_run *r) {
    return r->done == r->grid.blocks && !r->nbusy && mem_idle(r->gpu->mem, r->gpu->now);
}

/* The first cycle that is not in the window that begins now. */
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
    return larger(until, now + 1);
}

/* The last cycle in which anything happened. */
static uint64_t last_event(const struct gpu_run *r) {
    uint64_t last = mem_ran(r->gpu->mem);
    for (uint32_t i = 0; i < r->nsms; i++) last = larger(last, larger(r->at[i].ticked, r->at[i].told));
    return last;
}

bool gpu_loop(struct gpu_run *r, struct err *e) {
    struct gpu *g = r->gpu;
    const uint64_t every = check_every(r), *interval = &r->launch->series->interval;
    gpu_windows_init(r);
    r->most_insts = r->windows.data * r->nsms * (uint64_t)g->options->machine.sm.schedulers * MECH_WIDEST;
    dispatch(r, g->now, g->now);
    for (;;) {
        uint64_t until = window_end(r, every);
        mem_run(g->mem, g->now, false);
        if (until > g->now + 1) mem_run(g->mem, until - 1, true);
        mem_begin(g->mem, g->now);
        gpu_wake_advance(&r->wake, g->now, until);
        if (!window(r, &until, e)) return false;
        const bool look = g->now - r->checked >= every;
        g->now = until - 1;
        if (finished(r)) break;
        if (look && !check(r, e)) return false;
        mem_run(g->mem, g->now, false);
        uint64_t next = next_event(r, until);
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
