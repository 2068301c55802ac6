/* Measuring a machine by micro-benchmarks, as hardware is measured: a loop of copies of one operation. What the loop itself, the
 * launch and cold caches take must not count, so each figure comes from four runs, of two bodies c < d and two numbers of rounds
 * m < n: (T(d,n) - T(d,m)) - (T(c,n) - T(c,m)) is the time of (d - c)(n - m) operations and nothing else, where an operation takes
 * the same time each round. Streams are measured by rounds alone: what a loop adds there is hidden behind the transfer. */
#include "lab/probe.h"

#include <inttypes.h>
#include <string.h>

#include "lab/probe_text.h"
#include "lab/run/subject.h"

enum { SHORT = 128, LONG = 256, BLOCK = 256, FEW = 2, MANY = 8, STREAM_COPIES = 4 };

const struct probe probe_list[] = {
#define PROBE(name, kind, text, parameter, unit, what) {name, unit, what, PROBE_##kind, text, parameter},
#include "lab/probes.def"
    {0}};

const struct probe *probe_find(const char *name, struct err *e) {
    VEC(const char *) names = {0};
    const struct probe *p = probe_list;
    for (; p->name && strcmp(p->name, name) != 0; p++) VEC_PUSH(&names, p->name);
    VEC_PUSH(&names, NULL);
    if (!p->name) err_no_such(e, "probe", name, names.v);
    VEC_FREE(&names);
    return p->name ? p : NULL;
}

/* ---- runs ---- */

struct probing {
    const hd_config *machine;
    uint32_t sms, threads;     /* SMs of the machine; threads of an SM, in whole blocks */
    uint64_t l1, l2;           /* bytes of an SM's L1, of all of L2; 0: there is none, or it is ideal */
    uint32_t line;             /* the longer of theirs */
    uint32_t l1c, l15c, cline; /* bytes of the constant caches, the longest line */
    double mhz;
    bool one_sm; /* measured on one SM */
    uint32_t grid, block;
    uint64_t data; /* bytes */
    struct err *err;
};

#define CACHE_BYTES(c) ((c).ideal ? 0 : (uint64_t)((c).sets * (c).ways * (c).line))

static bool probe_look(struct probing *p) {
    hd_device *dev = NULL;
    const bool fine = lab_open(p->machine, &dev, p->err);
    if (fine) {
        const struct options *o = sim_options(dev);
        const struct mem_options *m = &o->memory;
        p->sms = (uint32_t)o->gpu.sms;
        p->threads = (uint32_t)o->machine.sm.threads / BLOCK * BLOCK;
        p->l1 = CACHE_BYTES(m->l1d);
        p->l2 = m->l2.present ? CACHE_BYTES(m->l2) * (uint64_t)m->dram.channels : 0;
        p->line = (uint32_t)(m->l1d.line > m->l2.line ? m->l1d.line : m->l2.line);
        p->l1c = (uint32_t)CACHE_BYTES(m->l1c);
        p->l15c = m->l15c.present ? (uint32_t)CACHE_BYTES(m->l15c) : 0;
        p->cline = (uint32_t)(m->l1c.line > m->l15c.line ? m->l1c.line : m->l15c.line);
        p->mhz = m->clock.core;
        if (p->threads == 0) p->threads = BLOCK;
    }
    hd_device_close(dev);
    return fine;
}

/* One run of the kernel; cycles of its launch. */
static bool lab_probe_run(const struct probing *p, const struct probe_kernel *k, uint32_t rounds,
                          struct stats *out) {
    struct sb text = {0};
    VEC(hd_option) options = {0};
    struct lab_outcome outcome;
    probe_text(k, &text);
    for (size_t i = 0; i < p->machine->noptions; i++) VEC_PUSH(&options, p->machine->options[i]);
    if (p->one_sm) VEC_PUSH(&options, ((hd_option){"gpu.sms", "1"}));
    const struct lab_arg args[] = {{.text = "data", .bytes = p->data ? p->data : 64},
                                   {.text = "rounds", .value = hd_arg_u32(rounds)}};
    const struct lab_program program = {.file = "probe",
                                        .text = text.text,
                                        .text_bytes = text.len,
                                        .kernel = "probe",
                                        .launch = {.grid = {p->grid, 1, 1}, .block = {p->block, 1, 1}},
                                        .args = args,
                                        .nargs = 2};
    lab_run(&(struct lab_subject){.program = &program},
            &(hd_config){.options = options.v, .noptions = options.n, .file = p->machine->file},
            &(struct lab_hooks){.no_digest = true}, &outcome);
    const bool fine = !outcome.err.code;
    if (fine)
        *out = outcome.total;
    else
        err_set(p->err, outcome.err.code, "%s", err_text(&outcome.err));
    lab_outcome_free(&outcome);
    VEC_FREE(&options);
    sb_free(&text);
    return fine;
}

/* Cycles of m more rounds after the first m. */
static bool more_rounds(const struct probing *p, const struct probe_kernel *k, uint32_t m, double *cycles) {
    struct stats first, both;
    if (!lab_probe_run(p, k, m, &first) || !lab_probe_run(p, k, 2 * m, &both)) return false;
    *cycles = (double)both.gpu.cycles - (double)first.gpu.cycles;
    return true;
}

/* Cycles of one operation. */
static bool probe_each(const struct probing *p, struct probe_kernel *k, uint32_t m, double *cycles) {
    double of_short, of_long;
    k->copies = SHORT;
    if (!more_rounds(p, k, m, &of_short)) return false;
    k->copies = LONG;
    if (!more_rounds(p, k, m, &of_long)) return false;
    *cycles = (of_long - of_short) / (double)((LONG - SHORT) * m);
    return true;
}

static bool no_such(const struct probing *p, const char *what) {
    return err_set(p->err, ERR_REFUSED, "the machine has no %s, or an ideal one", what);
}

/* ---- the kinds ---- */

static bool chain(struct probing *p, const struct probe *of, double *value) {
    struct probe_kernel k = {.operation = of->text, .registers = 1};
    p->grid = 1, p->block = of->parameter;
    return probe_each(p, &k, FEW, value);
}

static bool rate(struct probing *p, const struct probe *of, double *value) {
    struct probe_kernel k = {.operation = of->text, .registers = 8, .together = true};
    double cycles;
    p->one_sm = true, p->grid = p->threads / BLOCK, p->block = BLOCK;
    if (!probe_each(p, &k, MANY, &cycles)) return false;
    *value = p->threads / cycles;
    return true;
}

/* A ring that the level holds and the one before it does not: lines are used in turn, so that a cache they do not fit in has
 * none of them. */
static bool chase(struct probing *p, const struct probe *of, double *value) {
    struct probe_kernel k = {.registers = 1, .ring = 16, .step = 8};
    struct sb text = {0};
    uint32_t rounds = FEW;
    /* The cache it does not fit in. */
    const uint64_t above = of->parameter == PROBE_DRAM && p->l2 ? p->l2 : p->l1;
    if (of->parameter != PROBE_SHARED && !p->l1) return no_such(p, "L1");
    if (of->parameter == PROBE_L2 && p->l2 <= 2 * p->l1) return no_such(p, "L2 that is larger than twice L1");
    if (of->parameter == PROBE_L2 || of->parameter == PROBE_DRAM) {
        k.step = p->line;
        k.ring = (uint32_t)(2 * above / p->line);
        if (of->parameter == PROBE_L2) rounds = k.ring / SHORT + 1;
    }
    if (of->parameter == PROBE_SHARED) k.shared = true, k.shared_bytes = k.ring * k.step;
    sb_add(&text, "%s %%rd0, [%%rd0];", of->text);
    k.operation = text.text;
    p->grid = p->block = 1, p->data = (uint64_t)k.ring * k.step;
    const bool fine = probe_each(p, &k, rounds, value);
    sb_free(&text);
    return fine;
}

/* A load and the addition that makes the next address of what it brought, less the addition. */
static bool probe_constant(struct probing *p, const struct probe *of, double *value) {
    static const char prepare[] = "    mov.u64 %rd1, constants;\n    mov.u64 %rd2, 0;\n";
    struct probe_kernel k = {.registers = 1, .constants = 1, .apart = 64, .prepare = prepare};
    double both, add;
    if (!p->l1c) return no_such(p, "constant cache");
    if (of->parameter == 2) {
        if (p->l15c <= 2 * p->l1c)
            return no_such(p, "second-level constant cache larger than twice the first");
        k.apart = p->cline, k.constants = 2 * p->l1c / p->cline;
    }
    p->grid = p->block = 1;
    k.operation = "ld.const.u64 %rd2, [%rd1]; add.u64 %rd1, %rd1, %rd2;";
    if (!probe_each(p, &k, k.constants / SHORT + FEW, &both)) return false;
    k.operation = "add.u64 %rd1, %rd1, %rd2;";
    if (!probe_each(p, &k, FEW, &add)) return false;
    *value = both - add;
    return true;
}

/* Measures bank conflicts of a warp of 32 threads. */
static bool banks(struct probing *p, uint32_t ways, double *cycles) {
    struct probe_kernel k = {
        .operation = "ld.shared.u32 %r$, [%rd0];", .registers = 8, .shared = true, .together = true};
    struct sb prepare = {0};
    k.shared_bytes = 32 * 4 * ways;
    sb_add(&prepare,
           "    and.b32 %%r12, %%r14, 31;\n    mul.wide.u32 %%rd1, %%r12, %u;\n    add.u64 %%rd0, %%rd0, "
           "%%rd1;\n",
           4 * ways);
    k.prepare = prepare.text;
    p->one_sm = true, p->grid = p->threads / BLOCK, p->block = BLOCK;
    const bool fine = probe_each(p, &k, MANY, cycles);
    sb_free(&prepare);
    *cycles /= p->threads / 32;
    return fine;
}

static bool stream_l1(struct probing *p, double *value) {
    struct probe_kernel k = {.operation = "ld.global.u32 %r$, [%rd0];",
                             .registers = 8,
                             .together = true,
                             .prepare = "    mul.wide.u32 %rd1, %r14, 4;\n    add.u64 %rd0, %rd0, %rd1;\n"};
    double cycles;
    if (!p->l1) return no_such(p, "L1");
    p->one_sm = true, p->grid = p->threads / BLOCK, p->block = BLOCK, p->data = BLOCK * 4;
    if (!probe_each(p, &k, MANY, &cycles)) return false;
    *value = 4 * p->threads / cycles;
    return true;
}

/* All threads of the machine read 16 bytes each, behind each other, then the next; at `bytes`, a power of two, from the
 * beginning. */
static bool stream(struct probing *p, uint64_t bytes, double *value) {
    const uint32_t threads = p->sms * p->threads, of_round = threads * 16 * STREAM_COPIES;
    struct sb prepare = {0};
    double cycles;
    sb_add(&prepare,
           "    mov.u32 %%r12, %%ctaid.x;\n    mad.lo.u32 %%r12, %%r12, %u, %%r14;\n    shl.b32 %%r12, "
           "%%r12, 4;\n"
           "    and.b32 %%r12, %%r12, %" PRIu64
           ";\n    cvt.u64.u32 %%rd2, %%r12;\n    add.u64 %%rd1, %%rd0, %%rd2;\n",
           BLOCK, bytes - 1);
    struct probe_kernel k = {.copies = STREAM_COPIES, .registers = 1, .prepare = prepare.text};
    struct sb text = {0};
    sb_add(&text,
           "ld.global.v4.u32 {%%r0, %%r1, %%r2, %%r3}, [%%rd1]; add.u32 %%r12, %%r12, %u; and.b32 %%r12, "
           "%%r12, %" PRIu64 "; cvt.u64.u32 %%rd2, %%r12; add.u64 %%rd1, %%rd0, %%rd2;",
           threads * 16, bytes - 1);
    k.operation = text.text;
    p->grid = threads / BLOCK, p->block = BLOCK, p->data = bytes;
    const bool fine = more_rounds(p, &k, FEW, &cycles);
    *value = FEW * (double)of_round / cycles;
    sb_free(&text);
    sb_free(&prepare);
    return fine;
}

static bool streams(struct probing *p, const struct probe *of, double *value) {
    uint64_t bytes = 1 << 16;
    switch (of->parameter) {
    case PROBE_SHARED:
        if (!banks(p, 1, value)) return false;
        *value = 32 * 4 / *value;
        return true;
    case PROBE_L1: return stream_l1(p, value);
    case PROBE_L2:
        if (p->l2 <= 2 * p->l1) return no_such(p, "L2 that is larger than twice L1");
        while (2 * bytes <= p->l2 / 2) bytes *= 2;
        return stream(p, bytes, value);
    default:
        while (bytes < (uint64_t)p->sms * p->threads * 16 * STREAM_COPIES * 2 * FEW) bytes *= 2;
        if (!stream(p, bytes, value)) return false;
        *value *= p->mhz / 1000;
        return true;
    }
}

static bool resident(struct probing *p, double *value) {
    const struct probe_kernel k = {.operation = "add.u32 %r0, %r0, %r1;", .copies = 1, .registers = 1};
    struct stats s;
    p->grid = 1, p->block = BLOCK;
    if (!lab_probe_run(p, &k, 1, &s)) return false;
    *value = (double)s.gpu.resident_blocks * BLOCK;
    return true;
}

bool probe_run(const struct probe *of, const hd_config *machine, double *value, struct err *e) {
    struct probing p = {.machine = machine, .err = e};
    if (!probe_look(&p)) return false;
    switch (of->kind) {
    case PROBE_CHAIN: return chain(&p, of, value);
    case PROBE_RATE: return rate(&p, of, value);
    case PROBE_CHASE: return chase(&p, of, value);
    case PROBE_CONSTANT: return probe_constant(&p, of, value);
    case PROBE_BANKS: return banks(&p, of->parameter, value);
    case PROBE_STREAM: return streams(&p, of, value);
    default: return resident(&p, value);
    }
}
