/* The pipeline of the host core, as times. Each instruction is told once, in program order, and its cycles follow from those of
 * the ones before it:
 *
 *   fetch      in order, fetch_width a cycle, when an entry of the fetch queue is free and its line is there; a taken branch is the
 *              last of its cycle, and behind a mispredicted one fetch goes on `mispredict` cycles after it has executed
 *   dispatch   the cycle after fetch or later, in order, decode_width a cycle, when the window (and for loads and stores the
 *              load/store queue) has room; registers are renamed, so that only a value's producer is waited for
 *   issue      the cycle after dispatch or later, out of order, issue_width a cycle, when all operands and a unit are there
 *   commit     the cycle after execution or later, in order, commit_width a cycle
 *
 * A load or store is two operations: an integer unit computes its address, then it accesses memory. A load waits until the
 * addresses of all earlier stores are known and takes its value from the youngest of those in the queue that overlaps it.
 *
 * Stages of one cycle run from the last to the first, as in sim-outorder: room that commit makes is there for the dispatch of the
 * same cycle. It differs from sim-outorder in three ways. Wrong paths are not fetched: they only take time. An older
 * instruction always gets a unit before a younger one, even a unit that it needs later. The predictor and the caches see
 * instructions in program order. */
#include "cpu/cpu.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "cpu/parts.h"

/* Kinds of units; NONE takes part of the issue width only. */
enum pool { INT_ALU, INT_MULT, FP_ALU, FP_MULT, MEM_PORT, NONE, POOLS };

static const struct {
    uint8_t pool, latency, interval;
} works[] = {
#define WORK(id, pool_, latency_, interval_) [CPU_##id] = {pool_, latency_, interval_},
#include "cpu/units.def"
};

/* A unit that an instruction of the window holds in the cycles [from, until). */
struct use {
    uint64_t from, until; /* equal: it holds none */
    uint8_t pool, unit;
    bool issued; /* it counts against the issue width in its first cycle */
};
enum { USES = 3 }; /* at most of one instruction: its address, its access, a store's port at commit */

/* A stage that takes so many instructions a cycle, in order. */
struct stage {
    uint64_t cycle; /* cycle of the last instruction */
    uint64_t taken; /* instructions taken in that cycle */
    uint64_t width;
};

struct queued { /* a load or store */
    uint64_t commit;
    /* known: since when a store's address and data are there. bytes: 0 for a load. */
    uint64_t addr, bytes, known;
};

struct cpu {
    struct opt_cpu o;
    struct cpu_stats stats;
    struct cpu_predictor *predictor;
    struct cpu_memory *memory;
    struct stage fetch, dispatch, commit;
    uint64_t fetch_from;      /* the next instruction is not fetched before */
    uint64_t *dispatched;     /* when the last fetch_queue instructions were dispatched */
    uint64_t *committed;      /* when the last `window` instructions committed */
    struct use *uses;         /* USES units of each of these */
    struct queued *lsq;       /* the last `lsq` loads and stores */
    uint64_t insts, accesses; /* so far */
    uint64_t stores_known;    /* when the addresses of all stores so far are known */
    uint64_t units[POOLS];    /* a bit for each unit */
    uint64_t ready[CPU_REGISTERS];
    unsigned nuses; /* entries of uses for the instruction at hand */
};

static uint64_t cpu_later(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static uint64_t first_bits(int64_t n) {
    return UINT64_MAX >> (64 - n);
}

struct cpu *cpu_new(const struct cpu_options *options) {
    const struct opt_cpu *o = &options->cpu;
    struct cpu *c = xcalloc(1, sizeof *c);
    c->o = *o;
    c->predictor = cpu_predictor_new(o);
    c->memory = cpu_memory_new(o, &c->stats);
    c->fetch.width = (uint64_t)o->fetch_width;
    c->dispatch.width = (uint64_t)o->decode_width;
    c->commit.width = (uint64_t)o->commit_width;
    c->dispatched = xcalloc((size_t)o->fetch_queue, sizeof *c->dispatched);
    c->committed = xcalloc((size_t)o->window, sizeof *c->committed);
    c->uses = xcalloc((size_t)o->window, USES * sizeof *c->uses);
    c->lsq = xcalloc((size_t)o->lsq, sizeof *c->lsq);
    c->units[INT_ALU] = first_bits(o->int_alus);
    c->units[INT_MULT] = first_bits(o->int_mults);
    c->units[FP_ALU] = first_bits(o->fp_alus);
    c->units[FP_MULT] = first_bits(o->fp_mults);
    c->units[MEM_PORT] = first_bits(o->mem_ports);
    return c;
}

void cpu_free(struct cpu *c) {
    if (!c) return;
    cpu_predictor_free(c->predictor);
    cpu_memory_free(c->memory);
    xfree(c->dispatched);
    xfree(c->committed);
    xfree(c->uses);
    xfree(c->lsq);
    xfree(c);
}

/* ---- stages in order ---- */

/* The first cycle, not before `earliest`, in which the stage can take another instruction. */
static uint64_t stage_next(const struct stage *s, uint64_t earliest) {
    return cpu_later(earliest, s->taken < s->width ? s->cycle : s->cycle + 1);
}

static void stage_take(struct stage *s, uint64_t cycle) {
    s->taken = cycle == s->cycle ? s->taken + 1 : 1;
    s->cycle = cycle;
}

static uint64_t *dispatch_slot(struct cpu *c) {
    return &c->dispatched[c->insts % (uint64_t)c->o.fetch_queue];
}

static uint64_t *commit_slot(struct cpu *c) {
    return &c->committed[c->insts % (uint64_t)c->o.window];
}

static struct queued *lsq_slot(struct cpu *c) {
    return &c->lsq[c->accesses % (uint64_t)c->o.lsq];
}

static bool in_lsq(const struct cpu_insn *i) {
    return i->work == CPU_LOAD || i->work == CPU_STORE;
}

static uint64_t cpu_fetch(struct cpu *c, const struct cpu_insn *i) {
    uint64_t at = stage_next(&c->fetch, cpu_later(c->fetch_from, *dispatch_slot(c)));
    const uint64_t wait = cpu_memory_fetch(c->memory, i->addr, at);
    if (wait > (uint64_t)c->o.l1_latency) at += wait;
    stage_take(&c->fetch, at);
    return at;
}

static uint64_t cpu_dispatch(struct cpu *c, const struct cpu_insn *i, uint64_t fetched) {
    uint64_t room = *commit_slot(c);
    if (in_lsq(i)) room = cpu_later(room, lsq_slot(c)->commit);
    const uint64_t at = stage_next(&c->dispatch, cpu_later(fetched + 1, room));
    stage_take(&c->dispatch, at);
    *dispatch_slot(c) = at;
    return at;
}

/* ---- units ---- */

/* Whether an operation can begin in that cycle; *unit: on which. */
static bool cpu_begins(const struct cpu *c, const struct use *want, uint8_t *unit) {
    uint64_t busy = 0, issued = 0;
    for (const struct use *u = c->uses, *end = u + (size_t)c->o.window * USES; u < end; u++) {
        if (u->pool == want->pool && u->from < want->until && want->from < u->until)
            busy |= UINT64_C(1) << u->unit;
        issued += u->issued && u->from == want->from && u->until != u->from;
    }
    if (want->issued && issued >= (uint64_t)c->o.issue_width) return false;
    const uint64_t free_units = c->units[want->pool] & ~busy;
    *unit = free_units ? (uint8_t)__builtin_ctzll(free_units) : 0;
    return want->pool == NONE || free_units;
}

/* Takes a unit for `cycles` from the first cycle in which there is one. Returns that cycle. */
static uint64_t cpu_take(struct cpu *c, enum pool pool, uint64_t earliest, uint64_t cycles, bool issued) {
    struct use u = {.from = earliest, .until = earliest + cycles, .pool = (uint8_t)pool, .issued = issued};
    while (!cpu_begins(c, &u, &u.unit)) u.from++, u.until++;
    c->uses[c->insts % (uint64_t)c->o.window * USES + c->nuses++] = u;
    return u.from;
}

static uint64_t cpu_issue(struct cpu *c, enum pool pool, uint64_t earliest, uint64_t interval) {
    return cpu_take(c, pool, earliest, interval, true);
}

static uint64_t cpu_operands(const struct cpu *c, const struct cpu_insn *i, unsigned first,
                             uint64_t earliest) {
    for (unsigned k = first; k < i->nfrom; k++) earliest = cpu_later(earliest, c->ready[i->from[k]]);
    return earliest;
}

/* ---- loads and stores ---- */

static bool overlaps(const struct queued *q, const struct cpu_insn *i) {
    return q->bytes && q->addr < i->data + i->bytes && i->data < q->addr + q->bytes;
}

/* The youngest store in the queue that the load overlaps; NULL: there is none. */
static const struct queued *store_before(const struct cpu *c, const struct cpu_insn *i) {
    const uint64_t size = (uint64_t)c->o.lsq, n = c->accesses < size ? c->accesses : size;
    for (uint64_t back = 1; back <= n; back++) {
        const struct queued *q = &c->lsq[(c->accesses - back) % size];
        if (overlaps(q, i)) return q;
    }
    return NULL;
}

/* Cycle in which the address is known. */
static uint64_t compute_address(struct cpu *c, const struct cpu_insn *i, uint64_t earliest) {
    if (i->nfrom) earliest = cpu_later(earliest, c->ready[i->from[0]]);
    return cpu_issue(c, INT_ALU, earliest, 1) + 1;
}

/* Cycle in which the value is there. */
static uint64_t cpu_load(struct cpu *c, const struct cpu_insn *i, uint64_t earliest) {
    const struct queued *store = store_before(c, i);
    earliest = cpu_later(compute_address(c, i, earliest), c->stores_known);
    if (store) earliest = cpu_later(earliest, store->known);
    const uint64_t at = cpu_issue(c, MEM_PORT, cpu_operands(c, i, 1, earliest), 1);
    const bool forwarded = store && store->commit > at;
    c->stats.loads++;
    c->stats.forwards += forwarded;
    *lsq_slot(c) = (struct queued){0};
    return at + (forwarded ? 1 : cpu_memory_access(c->memory, i->data, false, at));
}

/* Cycle in which address and data are there. */
static uint64_t cpu_store(struct cpu *c, const struct cpu_insn *i, uint64_t earliest) {
    const uint64_t address = compute_address(c, i, earliest);
    c->stores_known = cpu_later(c->stores_known, address);
    c->stats.stores++;
    const uint64_t known = cpu_operands(c, i, 1, address);
    *lsq_slot(c) = (struct queued){.addr = i->data, .bytes = i->bytes, .known = known};
    return cpu_issue(c, NONE, known, 1);
}

/* ---- execution, commit ---- */

/* Cycle in which the result can be used. */
static uint64_t cpu_execute(struct cpu *c, const struct cpu_insn *i, uint64_t earliest) {
    if (i->work == CPU_LOAD) return cpu_load(c, i, earliest);
    if (i->work == CPU_STORE) return cpu_store(c, i, earliest);
    return cpu_issue(c, works[i->work].pool, cpu_operands(c, i, 0, earliest), works[i->work].interval) +
           works[i->work].latency;
}

static void cpu_commit(struct cpu *c, const struct cpu_insn *i, uint64_t done) {
    uint64_t at = stage_next(&c->commit, done + 1);
    if (i->work == CPU_STORE) {
        at = cpu_take(c, MEM_PORT, at, 1, false);
        cpu_memory_access(c->memory, i->data, true, at);
    }
    stage_take(&c->commit, at);
    *commit_slot(c) = at;
    if (!in_lsq(i)) return;
    lsq_slot(c)->commit = at;
    c->accesses++;
}

/* Where fetch goes on behind a branch. */
static void cpu_follow(struct cpu *c, const struct cpu_insn *i, uint64_t fetched, uint64_t done) {
    const bool right = cpu_predict(c->predictor, i);
    c->stats.branches++;
    c->stats.mispredicts += !right;
    if (!right)
        c->fetch_from = done + (uint64_t)c->o.mispredict;
    else if (i->next != i->after)
        c->fetch_from = fetched + 1;
}

void cpu_step(struct cpu *c, const struct cpu_insn *i) {
    const uint64_t fetched = cpu_fetch(c, i), dispatched = cpu_dispatch(c, i, fetched);
    memset(&c->uses[c->insts % (uint64_t)c->o.window * USES], 0, USES * sizeof *c->uses);
    c->nuses = 0;
    const uint64_t done = cpu_execute(c, i, dispatched + 1);
    c->ready[i->to] = done;
    cpu_commit(c, i, done);
    if (i->flow != CPU_NEXT) cpu_follow(c, i, fetched, done);
    c->insts++;
}

uint64_t cpu_drain(struct cpu *c) {
    const uint64_t end = c->insts ? c->commit.cycle + 1 : 0;
    c->fetch_from = cpu_later(c->fetch_from, end);
    return end;
}

struct cpu_stats cpu_get_stats(const struct cpu *c) {
    struct cpu_stats s = c->stats;
    s.insts = c->insts;
    s.cycles = c->insts ? c->commit.cycle + 1 : 0;
    return s;
}
