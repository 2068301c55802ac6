/* One DRAM channel: the request scheduler and the access timing model of DWF 5.1.3.
 *
 * The scheduler gives requests to free banks: in order of arrival, the oldest one blocking the rest while its bank is busy
 * (FCFS), or for each free bank the oldest one to its open row, else the oldest (FR-FCFS). A bank with a request wants one
 * command: precharge when another row is open, activate when none is, else a column access; a request takes as many column
 * accesses as it has bursts of bus_bytes * burst. Each cycle the banks are asked round robin and the first command that
 * nothing forbids is issued. The row stays open; the bank is free again with the request's last column access.
 *
 * Table 5.1's counters are kept as the cycle at which each would reach zero, so that time can jump. The delay queue
 * before the data bus is a cycle too: data of a column access is on the bus `burst` cycles from tCL (read) or tWL (write) on,
 * and a column access whose data would meet another's waits. That is the thesis's queue with bursts of any length, and the
 * reason why tCCD below the burst length does not exceed the bus.
 *
 * Refresh (not in the thesis): every tREFI cycles the controller stops giving out requests and commands, precharges all banks
 * at once when their tRAS allows, refreshes like an activate of every bank, and goes on tRFC later.
 *
 * A request holds its place of the queue from push to pop. */
#include "mem/dram.h"

#include "base/alloc.h"
#include "base/bits.h"
#include "base/queue.h"
#include "base/transfer.h"
#include "mem/options.h"

#include <stdlib.h>

#define NONE  UINT32_MAX
#define NEVER UINT64_MAX

struct request {
    uint64_t row;
    uint64_t came, done; /* cycles: pushed, data complete */
    uint64_t accesses;   /* column accesses still to issue */
    uint32_t bank, bytes, message, next;
    bool write;
};

enum command { ACTIVATE, PRECHARGE, READ, WRITE, COMMANDS };

struct bank {
    uint64_t row;                                  /* when open */
    uint64_t activate_at, column_at, precharge_at; /* first cycles the bank's own constraints allow */
    uint64_t wanted;                               /* the row of the request being serviced */
    uint32_t request;                              /* the request being serviced */
    bool write;                                    /* the request being serviced is a write */
    enum command command;                          /* the command it needs next */
    uint64_t at;                                   /* when the bank itself allows that command */
    struct queue waiting;                          /* FR-FCFS: requests for this bank, oldest first */
};

struct timing {
    uint64_t RRD, CCD, WTR, RTW, RCD, RAS, RP, RC, CL, WL, REFI, RFC, burst;
};

struct dram {
    bool ideal, first_ready;
    uint32_t banks, next_bank; /* next_bank: where the round robin goes on */
    uint64_t access_bytes, room;
    struct timing t;
    uint64_t now;

    POOL(struct request) requests;
    struct queue fifo;   /* FCFS: requests without a bank, oldest first */
    struct queue flight; /* all commands issued, in the order their data completes */
    struct queue served; /* complete, to be popped */

    struct bank *bank;
    uint64_t open;            /* banks with an open row */
    uint64_t serving;         /* banks with a request */
    uint64_t needs[COMMANDS]; /* by the command it needs next */
    uint64_t wanted_banks;    /* FR-FCFS: banks with requests waiting */
    bool dispatchable;        /* something came or a bank became free since the scheduler last looked */

    uint64_t activate_at, read_at, write_at, column_at; /* first cycles the chip's constraints allow */
    uint64_t bus_free;                                  /* first cycle of the data bus not given away */
    uint64_t issue_at;                                  /* no bank's command can be issued before */
    bool refreshing;
    uint64_t refresh_at, refresh_due; /* the refresh's next step; when this or the next one begins */
    struct dram_stats stats;
};

static uint64_t dram_later(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}
static uint64_t dram_sooner(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

struct dram *dram_new(const struct opt_dram *o) {
    CHECK(o->banks >= 1 && o->banks <= 64);
    struct dram *d = xcalloc(1, sizeof *d);
    d->ideal = o->ideal;
    d->first_ready = o->policy == MEM_FRFCFS;
    d->banks = (uint32_t)o->banks;
    d->room = (uint64_t)o->queue;
    d->t = (struct timing){
        .RRD = (uint64_t)o->tRRD,
        .CCD = (uint64_t)o->tCCD,
        .WTR = (uint64_t)o->tWTR,
        .RTW = (uint64_t)o->tRTW,
        .RCD = (uint64_t)o->tRCD,
        .RAS = (uint64_t)o->tRAS,
        .RP = (uint64_t)o->tRP,
        .RC = (uint64_t)o->tRC,
        .CL = (uint64_t)o->tCL,
        .WL = (uint64_t)o->tWL,
        .REFI = (uint64_t)o->tREFI,
        .RFC = (uint64_t)o->tRFC,
        .burst = (uint64_t)o->burst,
    };
    d->access_bytes = (uint64_t)o->bus_bytes * d->t.burst;
    d->issue_at = NEVER;
    d->refresh_at = d->refresh_due = d->t.REFI && !d->ideal ? d->t.REFI : NEVER;
    d->bank = xcalloc(d->banks, sizeof *d->bank);
    return d;
}

void dram_free(struct dram *d) {
    if (!d) return;
    POOL_FREE(&d->requests);
    xfree(d->bank);
    xfree(d);
}

/* ---- requests ---- */

static void dram_append(struct dram *d, struct queue *q, uint32_t at) {
    QUEUE_PUT(q, d->requests.v, at);
}

static uint32_t dram_take(struct dram *d, struct queue *q) {
    return QUEUE_TAKE(q, d->requests.v);
}

static uint64_t accesses_of(const struct dram *d, uint32_t bytes) {
    uint64_t n = (bytes + d->access_bytes - 1) / d->access_bytes;
    return n ? n : 1;
}

/* An ideal channel has no queue; only a receiver that does not pop makes it refuse. */
bool dram_room(const struct dram *d) {
    return (d->ideal ? d->served.n : POOL_TAKEN(&d->requests)) < d->room;
}

void dram_push(struct dram *d, struct dram_place place, uint32_t bytes, bool write, uint32_t message) {
    CHECK(dram_room(d) && place.bank < d->banks);
    struct request r = {.row = place.row,
                        .came = d->now,
                        .accesses = accesses_of(d, bytes),
                        .bank = place.bank,
                        .bytes = bytes,
                        .message = message,
                        .write = write};
    if (d->ideal) r.done = d->now + d->t.CL;
    const uint32_t at = POOL_TAKE(&d->requests);
    d->requests.v[at] = r;
    if (d->ideal) {
        dram_append(d, &d->flight, at);
        return;
    }
    if (d->first_ready) {
        dram_append(d, &d->bank[r.bank].waiting, at);
        d->wanted_banks |= UINT64_C(1) << r.bank;
    } else
        dram_append(d, &d->fifo, at);
    d->dispatchable = true;
}

/* Element k is for less than 2^(k+4) cycles. */
static void count_latency(struct dram_stats *s, uint64_t cycles) {
    s->latency_sum += cycles;
    s->latency_count++;
    s->latency_max = dram_later(s->latency_max, cycles);
    unsigned bits = cycles ? 64 - (unsigned)__builtin_clzll(cycles) : 0;
    s->latency[bits <= 4 ? 0 : bits - 4 < DRAM_LATENCIES ? bits - 4 : DRAM_LATENCIES - 1]++;
}

/* Requests whose data is complete by now. */
static void dram_serve(struct dram *d) {
    while (d->flight.n && d->requests.v[d->flight.head].done <= d->now) {
        uint32_t at = dram_take(d, &d->flight);
        const struct request *r = &d->requests.v[at];
        *(r->write ? &d->stats.writes : &d->stats.reads) += 1;
        d->stats.bytes += r->bytes;
        if (!d->ideal) d->stats.busy_cycles += accesses_of(d, r->bytes) * d->t.burst;
        count_latency(&d->stats, r->done - r->came);
        dram_append(d, &d->served, at);
    }
}

bool dram_pop(struct dram *d, uint32_t *message) {
    if (!d->served.n) return false;
    const uint32_t at = dram_take(d, &d->served);
    *message = d->requests.v[at].message;
    POOL_GIVE(&d->requests, at);
    return true;
}

/* ---- the scheduler ---- */

/* What the bank's request needs next. */
static void dram_need(struct dram *d, uint32_t bank) {
    struct bank *b = &d->bank[bank];
    const uint64_t bit = UINT64_C(1) << bank;
    d->needs[b->command] &= ~bit;
    if (!(d->open & bit)) {
        b->command = ACTIVATE;
        b->at = b->activate_at;
    } else if (b->row != b->wanted) {
        b->command = PRECHARGE;
        b->at = b->precharge_at;
    } else {
        b->command = b->write ? WRITE : READ;
        b->at = b->column_at;
    }
    d->needs[b->command] |= bit;
}

static void dram_dispatch(struct dram *d, uint32_t at) {
    const struct request *r = &d->requests.v[at];
    struct bank *b = &d->bank[r->bank];
    bool open = d->open >> r->bank & 1;
    *(!open ? &d->stats.row_misses : b->row == r->row ? &d->stats.row_hits : &d->stats.row_conflicts) += 1;
    b->request = at;
    b->wanted = r->row;
    b->write = r->write;
    d->serving |= UINT64_C(1) << r->bank;
    d->issue_at = d->now;
    dram_need(d, r->bank);
}

/* Takes the oldest request to the open row out of the bank's queue, else the oldest. */
static uint32_t first_ready(struct dram *d, uint32_t bank) {
    struct bank *b = &d->bank[bank];
    uint32_t before = NONE, at = b->waiting.head;
    if (d->open >> bank & 1)
        while (at != NONE && d->requests.v[at].row != b->row) {
            before = at;
            at = d->requests.v[at].next;
        }
    if (at == NONE || before == NONE)
        at = dram_take(d, &b->waiting);
    else {
        d->requests.v[before].next = d->requests.v[at].next;
        if (b->waiting.tail == at) b->waiting.tail = before;
        b->waiting.n--;
    }
    if (!b->waiting.n) d->wanted_banks &= ~(UINT64_C(1) << bank);
    return at;
}

static void dram_schedule(struct dram *d) {
    d->dispatchable = false;
    for (uint64_t left = d->wanted_banks & ~d->serving; left; left &= left - 1)
        dram_dispatch(d, first_ready(d, (uint32_t)__builtin_ctzll(left)));
    while (d->fifo.n && !(d->serving >> d->requests.v[d->fifo.head].bank & 1))
        dram_dispatch(d, dram_take(d, &d->fifo));
}

/* ---- commands ---- */

/* The first cycle at which the data bus is free for a column access that many cycles ahead of its data. */
static uint64_t bus_at(const struct dram *d, uint64_t ahead) {
    return d->bus_free > ahead ? d->bus_free - ahead : 0;
}

/* The first cycle at which the chip and its bus allow the command, whatever the bank says. */
static inline uint64_t chip_at(const struct dram *d, enum command c) {
    switch (c) {
    case ACTIVATE: return d->activate_at;
    case READ: return dram_later(dram_later(d->column_at, d->read_at), bus_at(d, d->t.CL));
    case WRITE: return dram_later(dram_later(d->column_at, d->write_at), bus_at(d, d->t.WL));
    default: return 0;
    }
}

static void activate(struct dram *d, uint32_t bank) {
    struct bank *b = &d->bank[bank];
    b->row = b->wanted;
    b->column_at = d->now + d->t.RCD;
    b->precharge_at = d->now + d->t.RAS;
    b->activate_at = dram_later(b->activate_at, d->now + d->t.RC);
    d->activate_at = d->now + d->t.RRD;
    d->open |= UINT64_C(1) << bank;
    d->stats.activates++;
}

static void precharge(struct dram *d, uint32_t bank) {
    struct bank *b = &d->bank[bank];
    b->activate_at = dram_later(b->activate_at, d->now + d->t.RP);
    d->open &= ~(UINT64_C(1) << bank);
    d->stats.precharges++;
}

static void column_access(struct dram *d, uint32_t bank) {
    struct request *r = &d->requests.v[d->bank[bank].request];
    d->column_at = d->now + d->t.CCD;
    if (r->write)
        d->read_at = d->now + d->t.WTR;
    else
        d->write_at = d->now + d->t.RTW;
    d->bus_free = d->now + (r->write ? d->t.WL : d->t.CL) + d->t.burst;
    if (--r->accesses) return;
    r->done = d->bus_free;
    dram_append(d, &d->flight, d->bank[bank].request);
    d->serving &= ~(UINT64_C(1) << bank);
    d->needs[d->bank[bank].command] &= ~(UINT64_C(1) << bank);
    d->dispatchable = d->wanted_banks || d->fifo.n;
}

static void command(struct dram *d, uint32_t bank) {
    switch (d->bank[bank].command) {
    case ACTIVATE: activate(d, bank); break;
    case PRECHARGE: precharge(d, bank); break;
    default: column_access(d, bank); break;
    }
    if (d->bank[bank].command < READ) dram_need(d, bank);
    d->next_bank = bank + 1 < d->banks ? bank + 1 : 0;
}

/* The first of the banks that itself allows its command now, or NONE. */
static inline uint32_t first_of(const struct dram *d, uint64_t banks) {
    for (; banks; banks &= banks - 1)
        if (d->bank[__builtin_ctzll(banks)].at <= d->now) return (uint32_t)__builtin_ctzll(banks);
    return NONE;
}

/* The first cycle after this one in which a command can be issued. Of a kind of command that is when the chip allows it and
 * the first of the banks does. */
static uint64_t soonest(const struct dram *d) {
    const uint64_t next = d->now + 1;
    uint64_t soonest = NEVER;
    for (enum command c = 0; c < COMMANDS && soonest > next; c++) {
        if (!d->needs[c]) continue;
        const uint64_t chip = dram_later(chip_at(d, c), next);
        uint64_t bank = NEVER;
        for (uint64_t left = d->needs[c]; left && bank > chip; left &= left - 1)
            bank = dram_sooner(bank, d->bank[__builtin_ctzll(left)].at);
        soonest = dram_sooner(soonest, dram_later(bank, chip));
    }
    return soonest;
}

/* Issues the first command that is ready, round robin, and learns when the next one will be. */
static void dram_issue(struct dram *d) {
    uint64_t allowed = 0;
    for (enum command c = 0; c < COMMANDS; c++)
        if (d->needs[c] && chip_at(d, c) <= d->now) allowed |= d->needs[c];
    const uint64_t behind = allowed >> d->next_bank << d->next_bank;
    uint32_t bank = first_of(d, behind);
    if (bank == NONE) bank = first_of(d, allowed & ~behind);
    if (bank != NONE) command(d, bank);
    d->issue_at = soonest(d);
}

/* A refresh has changed what the banks with a request need. */
static void need_all(struct dram *d) {
    for (uint64_t left = d->serving; left; left &= left - 1) dram_need(d, (uint32_t)__builtin_ctzll(left));
}

/* One step of a refresh that is due: waits until all banks allow the next command, and issues it. */
static void dram_refresh(struct dram *d) {
    uint64_t at = 0;
    d->refreshing = true;
    for (uint32_t b = 0; b < d->banks; b++)
        if (!d->open)
            at = dram_later(at, d->bank[b].activate_at);
        else if (d->open >> b & 1)
            at = dram_later(at, d->bank[b].precharge_at);
    d->refresh_at = dram_later(at, d->now + 1);
    if (at > d->now) return;
    if (d->open) {
        for (uint64_t left = d->open; left; left &= left - 1) precharge(d, (uint32_t)__builtin_ctzll(left));
        need_all(d);
        return;
    }
    for (uint32_t b = 0; b < d->banks; b++) d->bank[b].activate_at = d->now + d->t.RFC;
    need_all(d);
    d->stats.refreshes++;
    d->refreshing = false;
    d->refresh_due += d->t.REFI;
    d->refresh_at = d->refresh_due;
    d->issue_at = d->now + 1; /* banks that waited for a column access have to activate again */
}

/* ---- time ---- */

void dram_cycle(struct dram *d) {
    if (d->now >= d->refresh_at)
        dram_refresh(d);
    else if (!d->refreshing) {
        if (d->dispatchable) dram_schedule(d);
        if (d->now >= d->issue_at) dram_issue(d);
    }
    d->now++;
    dram_serve(d);
}

bool dram_busy(const struct dram *d) {
    return POOL_TAKEN(&d->requests);
}

uint64_t dram_quiet(const struct dram *d) {
    uint64_t next = d->refresh_at;
    if (!d->refreshing) next = d->dispatchable ? d->now : dram_sooner(next, d->issue_at);
    if (d->flight.n) next = dram_sooner(next, d->requests.v[d->flight.head].done - 1);
    if (next == NEVER) return NEVER;
    return next > d->now ? next - d->now : 0;
}

void dram_skip(struct dram *d, uint64_t cycles) {
    while (cycles) {
        uint64_t quiet = dram_sooner(dram_quiet(d), cycles);
        d->now += quiet;
        cycles -= quiet;
        if (!cycles) return;
        dram_cycle(d);
        cycles--;
    }
}

void dram_get_stats(const struct dram *d, struct dram_stats *s) {
    *s = d->stats;
    s->cycles = d->now;
}

void dram_restart_stats(struct dram *d) {
    dram_stats_restart(&d->stats);
}

/* ---- kept between launches ---- */

static void move_bank(struct bank *b, struct transfer *t) {
    TRANSFER(t, b->row);
    TRANSFER(t, b->activate_at);
    TRANSFER(t, b->column_at);
    TRANSFER(t, b->precharge_at);
}

/* The constraints of the whole chip, and the refresh. */
static void move_chip(struct dram *d, struct transfer *t) {
    uint64_t *const at[] = {&d->activate_at, &d->read_at,  &d->write_at,   &d->column_at,
                            &d->bus_free,    &d->issue_at, &d->refresh_at, &d->refresh_due};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) TRANSFER(t, *at[i]);
    d->dispatchable = transfer_flag(t, d->dispatchable);
    d->refreshing = transfer_flag(t, d->refreshing);
}

void dram_transfer(struct dram *d, struct transfer *t) {
    CHECK(!dram_busy(d));
    transfer_same(t, d->banks, "the number of banks");
    TRANSFER(t, d->now);
    TRANSFER(t, d->next_bank);
    TRANSFER(t, d->open);
    transfer_check(t, d->next_bank < d->banks, "a channel's turn");
    transfer_check(t, d->banks == 64 || d->open >> d->banks == 0, "the open banks of a channel");
    for (uint32_t b = 0; b < d->banks; b++) move_bank(&d->bank[b], t);
    move_chip(d, t);
    TRANSFER(t, d->stats);
}
