/* The memory system of the machine behind the SMs' load/store units: caches, miss registers, crossbar, L2, DRAM. It knows
 * addresses and cycles, never instructions, and moves no data: values are exec's business.
 *
 * An SM asks for one line (or some sectors of it) at a time and gives a tag; it learns at once when a hit will be there, or
 * later, through mem_done, that a miss has come back. Time on this side is core cycles; the other clocks are inside.
 *
 * In a core cycle mem_advance comes first, then mem_done and mem_ask of that cycle. Cycles up to mem_next may be left out
 * where no SM asks (one that was refused asks again in the next cycle, or when it is called: mem_stuck).
 *
 * Windows. What an SM asks in a cycle leaves its caches some cycles later (mem_window says how many at least), so the memory
 * behind them can run that many cycles first and each SM the same cycles then, one after the other or in threads of the
 * host: mem_run; for each SM mem_sm_advance to each cycle that mem_sm_next says, its mem_done and mem_ask; mem_collect. Every
 * cycle is as it would have been with mem_advance. Of what is below only functions with an argument `sm` may be called for
 * several SMs at the same time. */
#ifndef HEDDLE_MEM_MEM_H
#define HEDDLE_MEM_MEM_H

#include "base/err.h"
#include "mem/options.h"
#include "mem/stats.h"

#include <stdint.h>

#define MEM_NEVER UINT64_MAX

enum mem_path { MEM_L1D, MEM_L1T, MEM_L1C, MEM_L1I, MEM_NPATHS };
enum mem_kind { MEM_READ, MEM_WRITE, MEM_ATOMIC };

struct mem;
struct mem *mem_new(const struct mem_options *o, uint32_t sms, struct err *e);
void mem_free(struct mem *m);

enum mem_answer {
    MEM_HIT, /* *when is the cycle the data is there */
    MEM_WAIT, /* a miss (or a merge with one; of a write only with memory.stores = wait): mem_done will give the tag back */
    MEM_POSTED, /* a write that needs no answer has been taken; *when is now if it hit, else MEM_NEVER */
    MEM_BUSY    /* no miss register, queue entry or port: try again next cycle */
};
/* One line request of an SM through one of its first-level caches at cycle now. addr is the first byte, bytes never cross
 * the line of that cache. */
struct mem_request {
    uint64_t addr;
    uint32_t bytes;
    uint8_t path, kind; /* enum mem_path, enum mem_kind */
};
struct mem_reply {
    uint64_t when;
    enum mem_answer answer;
};
struct sm_port; /* what the memory system has of an SM, as long as m lives */
struct sm_port *mem_sm_port(const struct mem *m, uint32_t sm);
struct mem_reply mem_request(struct sm_port *f, const struct mem_request *q, uint32_t tag, uint64_t now);
/* Answers a request that is kept nowhere. */
static inline enum mem_answer mem_ask(const struct mem *m, uint32_t sm, enum mem_path path,
                                      enum mem_kind kind, uint64_t addr, uint32_t bytes, uint32_t tag,
                                      uint64_t now, uint64_t *when) {
    const struct mem_request q = {addr, bytes, (uint8_t)path, (uint8_t)kind};
    const struct mem_reply r = mem_request(mem_sm_port(m, sm), &q, tag, now);
    *when = r.when;
    return r.answer;
}
/* Whether the line of that first-level cache is there or on its way, all of it. No access: nothing is counted or moved. */
bool mem_holds(const struct mem *m, uint32_t sm, enum mem_path path, uint64_t addr);
uint64_t mem_misses(const struct mem *m, uint32_t sm, enum mem_path path); /* ever, of that cache */
/* Takes one tag whose data has come back for this SM by cycle now; false when there is none. */
bool mem_take_done(struct sm_port *f, uint32_t *tag);
static inline bool mem_done(const struct mem *m, uint32_t sm, uint64_t now, uint32_t *tag) {
    (void)now;
    return mem_take_done(mem_sm_port(m, sm), tag);
}
/* The SM must be woken: mem_done would give it a tag, or a request it was refused may now be taken. It must until mem_done
 * has given it the last, or said that there is none. */
bool mem_sm_called(const struct mem *m, uint32_t sm);
/* What an SM looks at in every cycle; where it is found, as long as m lives. */
struct mem_calls {
    uint64_t next_arrival; /* the next cycle at which it has an answer */
    /* The next cycle at which its second-level constant cache has something to do; MEM_NEVER: none. */
    uint64_t own;
    bool called;     /* set by mem_sm_called */
    bool early;      /* set by mem_sm_early */
    uint8_t refused; /* paths whose last request was, a bit each */
};
const struct mem_calls *mem_sm_calls(const struct mem *m, uint32_t sm);
/* The request that was refused last on this path would be refused in every cycle until the SM is called. So it need not ask
 * before; mem_skipped then counts the refusals of the cycles it has not asked in. */
bool mem_stuck(const struct mem *m, uint32_t sm, enum mem_path path);
void mem_skipped(struct mem *m, uint32_t sm, enum mem_path path, uint64_t cycles);
/* Lets everything up to core cycle now happen. */
void mem_advance(struct mem *m, uint64_t now);
/* The next core cycle at which mem_advance has something to do: MEM_NEVER when all is quiet. */
uint64_t mem_next(const struct mem *m);
/* True when every request has been answered and every write has reached its place by that cycle. */
bool mem_idle(const struct mem *m, uint64_t now);
/* Lets everything up to core cycle now happen of which no SM is told: writes that are not waited for. False: there are
 * none. */
bool mem_settle(struct mem *m, uint64_t now);

/* ---- windows ---- */
/* Cycles, at least, from an ask that misses on one of these paths (a bit each) until any part but the SM notices. */
uint64_t mem_window(const struct mem *m, uint32_t paths);
/* The memory's side up to core cycle `until`; ahead: it stops when it has nothing left, for then it may be told the time
 * later. */
void mem_run(struct mem *m, uint64_t until, bool ahead);
/* Runs the memory's side while SMs run, which must not ask for anything that leaves them before `until`. */
void mem_run_ahead(struct mem *m, uint64_t until);
/* What that found goes to the SMs. Returns the first cycle it is about, MEM_NEVER if there is nothing. */
uint64_t mem_deliver(struct mem *m);
uint32_t mem_under_way(const struct mem *m); /* messages on that side */
void mem_begin(struct mem *m, uint64_t now); /* a window begins with this cycle */
uint64_t mem_run_next(const struct mem *m);  /* the next core cycle at which that side has something to do */
uint64_t mem_ran(const struct mem *m);       /* the last at which it had */
uint64_t mem_quiet(const struct mem *m);     /* the core cycle by which it last had nothing left */
/* The SMs that have been told something, 64 to a word, until mem_collect finds that they know. */
const uint64_t *mem_unread(const struct mem *m);
/* An SM's side: the next cycle at which it has something to do; all it has up to a cycle. */
uint64_t mem_sm_next(const struct mem *m, uint32_t sm);
/* As mem_sm_next, with c that SM's calls. */
static inline uint64_t mem_calls_next(const struct mem_calls *c, const struct mem *m, uint32_t sm) {
    if (c->refused) return mem_sm_next(m, sm);
    return c->next_arrival < c->own ? c->next_arrival : c->own;
}
void mem_sm_advance(struct mem *m, uint32_t sm, uint64_t cycle);
/* Since this was asked last: data that the SM has asked for in this window has come, with what others had asked for. */
bool mem_sm_early(struct mem *m, uint32_t sm);
/* What the SM has asked for goes to the memory's side. */
void mem_collect(struct mem *m, uint32_t sm);
void mem_at(struct mem *m, uint64_t now); /* the time is now: for mem_flush and counters */

/* At the start of a launch: SMs from that number on will ask for nothing. They cost nothing then, in time, and all that is
 * counted of them stays so. At first all are used. */
void mem_use(struct mem *m, uint32_t sms);
/* At the end of a launch: first-level caches are emptied (DWF 2.2) and then, with memory.flush_l2, what they have written into
 * L2 having arrived there, L2. What is dirty is written below as ordinary traffic from the cycle after the last mem_advance
 * on. */
void mem_flush(struct mem *m);
void mem_flush_l2(struct mem *m);
/* Between launches: the host has written these bytes, and L2 has the sectors they touch, clean. It takes no time, and what
 * has to make room is gone without traffic. */
void mem_warm(struct mem *m, uint64_t addr, uint64_t bytes);

/* Out of an idle memory system, or into one of the same options: what is kept of it between launches (save.c). In, what is
 * in err is why it cannot be used. */
struct transfer;
void mem_transfer(struct mem *m, struct transfer *t);

/* ---- lane addresses to lines (coalesce.c) ---- */
struct mem_line {
    uint64_t addr;  /* first byte asked for within the line, rounded down to its sector */
    uint32_t bytes; /* from there */
    uint32_t lanes; /* how many lane accesses it serves */
};
/* Distinct lines (or sectors) touched by n accesses of `bytes` at addr[]; out has room for 2 n (an access is
 * aligned, or no longer than a line). Returns how many, in order of first use. Up to 256 accesses, 32 sectors to a
 * line; sector 0: one. */
uint32_t mem_coalesce(const uint64_t *addr, uint32_t n, uint32_t bytes, uint32_t line, uint32_t sector,
                      struct mem_line *out);
/* Cycles n shared-memory accesses (of active lanes) take: the largest number of different words one bank must give; accesses
 * wider than a bank go in groups that have banks enough, one group after the other. Up to 256 accesses, 256 banks. */
uint32_t mem_bank_cycles(const uint64_t *addr, uint32_t n, uint32_t bytes, uint32_t banks,
                         uint32_t bank_bytes);

/* ---- counters ---- */
void mem_get_stats(const struct mem *m, struct mem_stats *s); /* since mem_new; maxima since the last */
/* Reads the statistics of one SM's first-level data cache while the machine runs. */
void mem_get_l1d(const struct mem *m, uint32_t sm, struct mem_cache_stats *s);
void mem_restart_stats(struct mem *m); /* start of a launch */

#endif
