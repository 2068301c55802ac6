/* See sweep.h. */
#include "sweep.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bits.h"
#include "mech/mech.h"

#define TINY   "configs/tiny.ini"
#define FERMI  "configs/harp-fermi.ini"
#define TURING "configs/turing-rtx2060.ini"

const struct diff_machine diff_machines[] = {
    {"tiny", TINY, {NULL}},
    {"harp-fermi", FERMI, {NULL}},
    {"turing-rtx2060", TURING, {"gpu.sms", "3"}},
    {"dwf-8800gtx", "configs/dwf-8800gtx.ini", {NULL}},
    {"mp-fermi", "configs/mp-fermi.ini", {NULL}},
    {"sl-tesla", "configs/sl-tesla.ini", {NULL}},
    {"warps of 4", TINY, {"sm.warp_size", "4", "sm.simd_width", "4"}},
    {"warps of 16", TINY, {"sm.warp_size", "16", "sm.simd_width", "8"}},
    {"warps of 32, scoreboard", TINY, {"sm.warp_size", "32", "sm.issue", "scoreboard"}},
    {"warps of 64", TINY, {"sm.warp_size", "64", "sm.simd_width", "16"}},
    {"warps of 64, scoreboard", FERMI, {"sm.warp_size", "64", "sm.issue", "scoreboard"}},
    {"warps of 4, scoreboard", FERMI, {"sm.warp_size", "4", "sm.simd_width", "4", "sm.issue", "scoreboard"}},
    {"greedy", TINY, {"sm.order", "gto", "sm.issue", "scoreboard"}},
    {"two-level", TINY, {"sm.order", "two_level", "sm.order_active", "2"}},
    {"oldest, register banks", TINY, {"sm.order", "oldest", "sm.register_banks", "true"}},
    {"lowest PC first", TINY, {"sm.order", "pc", "sm.issue", "scoreboard"}},
    {"fetch", TINY, {"sm.ideal_fetch", "false", "l1i.ideal", "false", "l1i.sets", "2", "l1i.ways", "1"}},
    {"one block at a time", TINY, {"gpu.dispatch", "one_at_a_time", "gpu.sms", "2"}},
    {"ideal memory", TINY, {"memory.ideal", "true"}},
    {"ideal L1", TINY, {"l1d.ideal", "true"}},
    {"ideal L2", TINY, {"l2.ideal", "true"}},
    {"no L2", TINY, {"l2.present", "false"}},
    {"constants by word, two levels",
     TINY,
     {"sm.constant_by", "word", "l15c.present", "true", "l1c.sets", "1", "l1c.ways", "1"}},
    {"ideal crossbar", TINY, {"noc.ideal", "true"}},
    {"ideal DRAM", TINY, {"dram.ideal", "true"}},
    {"write-back, allocating L1", TINY, {"l1d.write", "back", "l1d.allocate", "true"}},
    {"ways given at the fill",
     TINY,
     {"l1d.reserve", "fill", "l1d.write", "back", "l1d.allocate", "true", "l1d.sets", "2", "l1d.ways", "1",
      "l2.reserve", "fill", "memory.stores", "wait"}},
    {"sectors, random",
     FERMI,
     {"l1d.line", "128", "l1d.sector", "32", "l1d.replace", "random", "l1d.ports", "2"}},
    {"parts of warps",
     FERMI,
     {"sm.coalesce", "simd", "sm.shared_lanes", "16", "sm.shared_banks", "16", "l1d.sector", "32"}},
    {"hardly any resources",
     TINY,
     {"l1d.mshrs", "1", "l1d.merges", "1", "l2.mshrs", "1", "l2.merges", "1", "dram.queue", "1",
      "sm.lsu_queue", "1", "noc.input_buffer", "8", "noc.output_buffer", "8"}},
    {"four clocks, FR-FCFS, refresh",
     FERMI,
     {"clock.noc", "613", "clock.l2", "391", "clock.dram", "1777", "dram.policy", "frfcfs", "dram.tREFI",
      "500"}},
    {NULL, NULL, {NULL}},
};

enum {
    /* Instructions of threads in a kernel that is not large: the third that is would take most of the time. */
    MOST_INSTS = 32768,
    MOST_FAILURES = 5,
    MOST_MECHANISMS = 64,
    SELDOM = 50,
    AUDITED = 8 /* one run of so many; with HEDDLE_DIFF_AUDIT all of them */
};

size_t diff_nmachines(void) {
    return sizeof diff_machines / sizeof *diff_machines - 1;
}

bool diff_begin(struct diff_case *c, uint64_t seed, struct sb *why) {
    static const struct diff_machine functional = {.name = "functional"};
    diff_make(c, seed);
    return diff_run(c, &functional, NULL, why);
}

/* ---- options ---- */

enum { MOST_OPTIONS = 64, TRIES = 4 };
struct options {
    const char *at[MOST_OPTIONS]; /* names and values in turn, then NULL */
    size_t n;
    char text[MOST_OPTIONS][32];
    size_t ntext;
};

static void add(struct options *o, const char *name, const char *value) {
    CHECK(o->n + 2 < MOST_OPTIONS);
    o->at[o->n++] = name;
    o->at[o->n++] = value;
    o->at[o->n] = NULL;
}

/* Tables are small, so that they are full; most have a number of entries that is a power of two. */
static int64_t draw_number(const struct mech_param *p, struct rng *rng) {
    const int64_t small[] = {p->low, p->low + 1, 1 << rng_below(rng, 4), 1 << rng_below(rng, 9), p->def};
    const int64_t x = small[rng_below(rng, sizeof small / sizeof *small)];
    return x < p->low ? p->low : x > p->high ? p->high : x;
}

static const char *draw_value(const struct mech_param *p, struct rng *rng, char *text, size_t bytes) {
    if (p->kind == OPTION_ENUM) return p->choices[rng_below(rng, (uint64_t)p->high + 1)].name;
    if (p->kind == OPTION_BOOL) return rng_below(rng, 2) ? "true" : "false";
    snprintf(text, bytes, "%" PRId64, draw_number(p, rng));
    return text;
}

/* About half of the mechanism's parameters, each from its row; the others keep their defaults. */
static void draw(struct options *o, const struct mech_ops *mech, struct rng *rng) {
    for (const struct mech_param *p = mech->params; p && p->key; p++) {
        if (rng_below(rng, 2)) continue;
        char *name = o->text[o->ntext++], *text = o->text[o->ntext++];
        snprintf(name, sizeof o->text[0], "%s.%s", mech->name, p->key);
        add(o, name, draw_value(p, rng, text, sizeof o->text[0]));
    }
}

static void vary(struct options *o, const char *mech, uint64_t turn) {
    size_t n = 1;
    while (diff_variant(mech, n)) n++;
    const struct diff_variant *v = diff_variant(mech, turn % n);
    for (size_t k = 0; v->option[k]; k += 2) add(o, v->option[k], v->option[k + 1]);
}

/* With an edge from every exit to the end stacks wait there, and rightly deadlock if others meet before. */
static void draw_exits(struct options *o, const struct diff_case *c, struct rng *rng) {
    if (!rng_below(rng, 8) && !c->kernel.leaves) add(o, "cfg.exits", "edges");
}

/* ---- runs ---- */

/* Where and whether audited does not depend on the variant's turn: in time each of them meets each machine. The watchdog is as
 * impatient as it can be: all these kernels end, so whatever it calls a deadlock is none. Of options drawn at random not all
 * go together. */
static bool run(struct diff_case *c, const struct mech_ops *mech, uint64_t turn, struct rng *rng,
                struct sb *why) {
    const struct diff_machine *machine = &diff_machines[rng_below(rng, diff_nmachines())];
    const char *audit = rng_below(rng, AUDITED) && !getenv("HEDDLE_DIFF_AUDIT") ? "false" : "true";
    bool good;
    c->drawn = turn % 2;
    for (int k = 0; k == 0 || (k < TRIES && c->drawn && c->refused); k++) {
        struct options o = {.n = 0};
        add(&o, "run.mode", "timed");
        add(&o, "run.mech", mech->name);
        add(&o, "run.audit", audit);
        add(&o, "gpu.watchdog", "1");
        draw_exits(&o, c, rng);
        if (c->drawn)
            draw(&o, mech, rng);
        else
            vary(&o, mech->name, turn / 2);
        good = diff_run(c, machine, o.at, why);
    }
    return good;
}

/* A mechanism that refuses kernels runs some: of many, with neither calls nor indirect branches, one in so many at
 * least. */
static bool all_ran(const uint64_t *ran, uint64_t kernels, struct sb *why) {
    bool good = true;
    for (size_t m = 0; mech_list[m]; m++) {
        if (ran[m] >= kernels / SELDOM) continue;
        sb_add(why, "%s ran %llu of %llu kernels\n", mech_list[m]->name, (unsigned long long)ran[m],
               (unsigned long long)kernels);
        good = false;
    }
    return good;
}

/* Every mechanism for a kernel that is small enough, or large enough. */
static bool every(uint64_t first, uint64_t step, uint64_t count, bool large, uint64_t *runs, struct sb *why) {
    uint64_t ran[MOST_MECHANISMS] = {0};
    unsigned failed = 0;
    uint64_t done = 0;
    for (uint64_t seed = first; done < count && failed < MOST_FAILURES; seed += step) {
        struct diff_case c;
        struct rng rng = {seed};
        bool began = diff_begin(&c, seed, why);
        bool wanted = began && (count == 1 || (c.insts > MOST_INSTS) == large);
        failed += !began;
        for (size_t m = 0; wanted && mech_list[m]; m++) {
            failed += !run(&c, mech_list[m], seed / step, &rng, why);
            ran[m] += !c.refused;
            *runs += !c.refused;
        }
        done += wanted;
        diff_free(&c);
    }
    return !failed && all_ran(ran, done, why);
}

bool diff_sweep(uint64_t first, uint64_t step, uint64_t count, uint64_t *runs, struct sb *why) {
    *runs = 0;
    return every(first, step, count, false, runs, why);
}
bool diff_sweep_large(uint64_t first, uint64_t count, struct sb *why) {
    uint64_t runs = 0;
    return every(first, 1, count, true, &runs, why);
}
