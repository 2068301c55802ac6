/* The timeline: Chrome's trace event format, one JSON object per line. A warp's track has one slice ("X") for each stretch of
 * consecutive issues of the same lanes in one basic block, so that divergence shows as slices that grow narrow (their
 * masks) and alternate. Blocks are asynchronous events, since several overlap on an SM. A slice is written when it ends, which is
 * no later than the next one of its track begins: viewers cannot show slices that overlap. Where a packet has several splits of a
 * warp, their slices may begin together.
 *
 * The format knows time in microseconds only: a core cycle is one, and the name of the first process says so. Viewers take
 * processes and threads of number 0 for the operating system's: the device is process 1, SM s is process s + 2.
 *
 * Counters ("C") are of an SM: means over windows, written at the window's begin when it has ended. Only issues end one, so
 * that it costs nothing to watch an SM that sleeps; after a window without a successor all counters are 0. */
#include "sim/observe/timeline.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "cfg/rewrite.h"

enum { DEVICE = 1, FIRST_SM = 2 }; /* processes */

struct slice { /* the open one of a warp; mask 0: none */
    uint32_t mask, block, pc, last_pc;
    uint32_t line, last_line; /* of the source, lowest and highest; 0: not known */
    uint64_t begun, last;
    bool named; /* the track has its name */
};

struct window { /* of an SM's counters */
    bool open;
    uint64_t begun;
    uint64_t insts, issues;  /* thread instructions, and the issues they are of */
    uint64_t accesses, hits; /* of its first-level data cache, at the end of the window before */
};

struct timeline {
    struct out out;
    bool any; /* an event has been written: a comma goes before the next */
    uint64_t window;
    struct timeline_launch launch;
    /* Lanes of an architectural warp that are a warp of the machine, or part of a wider one. */
    uint32_t width;
    uint32_t nsms;
    struct track {
        VEC(struct slice) warps;
        struct window now;
        uint32_t resident; /* warps */
        bool named;
    } * sms;
};

/* ---- events ---- */

/* Begins an event; the caller adds its fields and ends it with "}" and a line end. */
static struct sb *event(struct timeline *t) {
    sb_add(&t->out.text, t->any ? ",{" : "{");
    t->any = true;
    return &t->out.text;
}

/* A JSON string: names of files and kernels are the user's. */
static void timeline_add_text(struct sb *out, const char *text) {
    sb_add(out, "\"");
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            sb_add(out, "\\%c", c);
        else if (c < 0x20)
            sb_add(out, "\\u%04x", c);
        else
            sb_addn(out, text, 1);
    }
    sb_add(out, "\"");
}

static void timeline_name(struct timeline *t, const char *what, uint32_t process, uint32_t track,
                          const char *word, uint32_t number) {
    sb_add(event(t),
           "\"name\":\"%s\",\"ph\":\"M\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32
           ",\"args\":{\"name\":\"%s %" PRIu32 "\"}}",
           what, process, track, word, number);
    out_end_line(&t->out);
}

static void timeline_count(struct timeline *t, uint32_t sm, uint64_t cycle, const char *counter,
                           double value) {
    sb_add(event(t),
           "\"name\":\"%s\",\"ph\":\"C\",\"ts\":%" PRIu64 ",\"pid\":%" PRIu32
           ",\"tid\":0,\"args\":{\"value\":%.6g}}",
           counter, cycle, sm + FIRST_SM, value);
    out_end_line(&t->out);
}

/* ---- tracks ---- */

static void read_l1(const struct timeline *t, uint32_t sm, uint64_t *accesses, uint64_t *hits) {
    struct mem_cache_stats s = {0};
    if (t->launch.mem) mem_get_l1d(t->launch.mem, sm, &s);
    *accesses = s.accesses;
    *hits = s.hits;
}

static struct track *track_of(struct timeline *t, uint32_t sm) {
    if (sm >= t->nsms) {
        t->sms = xrealloc(t->sms, (sm + 1) * sizeof *t->sms);
        while (t->nsms <= sm) t->sms[t->nsms++] = (struct track){0};
    }
    if (!t->sms[sm].named) timeline_name(t, "process_name", sm + FIRST_SM, 0, "SM", sm);
    t->sms[sm].named = true;
    return &t->sms[sm];
}

static struct slice *slice_of(struct timeline *t, uint32_t sm, uint32_t warp) {
    struct track *k = track_of(t, sm);
    while (k->warps.n <= warp) VEC_PUSH(&k->warps, (struct slice){0});
    struct slice *s = &k->warps.v[warp];
    if (!s->named) timeline_name(t, "thread_name", sm + FIRST_SM, warp + 1, "warp", warp);
    s->named = true;
    return s;
}

/* ---- counters ---- */

static void end_window(struct timeline *t, uint32_t sm, struct window *w, uint64_t end) {
    uint64_t accesses, hits;
    if (!w->open) return;
    /* A run may be stopped in the cycle of a window's first issue, which takes that cycle. */
    const uint64_t cycles = end > w->begun ? end - w->begun : 1;
    read_l1(t, sm, &accesses, &hits);
    timeline_count(t, sm, w->begun, "IPC", (double)w->insts / (double)cycles);
    timeline_count(t, sm, w->begun, "active lanes", w->issues ? (double)w->insts / (double)w->issues : 0);
    if (accesses > w->accesses)
        timeline_count(t, sm, w->begun, "L1D hit rate (%)",
                       100 * (double)(hits - w->hits) / (double)(accesses - w->accesses));
    *w = (struct window){.accesses = accesses, .hits = hits};
}

/* Nothing is issued from here on. */
static void idle_from(struct timeline *t, uint32_t sm, uint64_t cycle) {
    timeline_count(t, sm, cycle, "IPC", 0);
    timeline_count(t, sm, cycle, "active lanes", 0);
}

static void count_issue(struct timeline *t, uint64_t cycle, uint32_t sm, const struct mech_packet *p) {
    struct window *w = &track_of(t, sm)->now;
    const uint64_t begun = cycle - (cycle - t->launch.start) % t->window;
    if (w->open && w->begun != begun) {
        const uint64_t end = w->begun + t->window;
        end_window(t, sm, w, end);
        if (end != begun) idle_from(t, sm, end);
    }
    w->open = true;
    w->begun = begun;
    w->issues++;
    for (uint32_t k = 0; k < p->n; k++) w->insts += p->split[k]->threads;
}

/* ---- slices ---- */

static void add_lines(const struct timeline *t, const struct slice *s, struct sb *out) {
    const struct ir_module *m = t->launch.module;
    const uint32_t file = s->line ? m->src.v[s->pc].file : 0;
    sb_add(out, ",\"ptx_line\":%" PRIu32, m->code.v[s->pc].line);
    if (!s->line) return;
    sb_add(out, ",\"source\":");
    timeline_add_text(out, file < m->files.n && m->files.v[file] ? m->files.v[file] : "source");
    sb_add(out, ",\"line\":%" PRIu32, s->line);
    if (s->last_line != s->line) sb_add(out, ",\"last_line\":%" PRIu32, s->last_line);
}

/* Until the cycle after its last issue, but not beyond `limit` unless it began there. */
static void end_slice(struct timeline *t, uint32_t sm, uint32_t warp, struct slice *s, uint64_t limit) {
    if (!s->mask) return;
    const uint64_t end = s->last >= limit && s->begun < limit ? limit : s->last + 1;
    struct sb *out = event(t);
    sb_add(out,
           "\"name\":\"B%" PRIu32 " x%d\",\"cat\":\"split\",\"ph\":\"X\",\"ts\":%" PRIu64 ",\"dur\":%" PRIu64
           ",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"args\":{\"lanes\":\"%08" PRIx32 "\",\"pc\":%" PRIu32
           ",\"last_pc\":%" PRIu32,
           s->block, __builtin_popcount(s->mask), s->begun, end - s->begun, sm + FIRST_SM, warp + 1, s->mask,
           s->pc, s->last_pc);
    add_lines(t, s, out);
    sb_add(out, "}}");
    out_end_line(&t->out);
    s->mask = 0;
}

/* The source line of a PC if it is of the same file as that of the slice's first; 0: it is not, or is not known. */
static uint32_t timeline_line_of(const struct ir_module *m, uint32_t first, uint32_t pc) {
    const bool known = first < m->src.n && pc < m->src.n && m->src.v[first].file == m->src.v[pc].file;
    return known ? m->src.v[pc].line : 0;
}

/* Some lanes of one warp issue. */
static void observe_timeline_issue(struct timeline *t, uint64_t cycle, uint32_t sm, uint32_t warp,
                                   uint32_t mask, uint32_t pc) {
    const struct ir_module *m = t->launch.module;
    struct slice *s = slice_of(t, sm, warp);
    const uint32_t block = m->code.v[pc].block;
    if (s->mask != mask || s->block != block) {
        const uint32_t line = timeline_line_of(m, pc, pc);
        end_slice(t, sm, warp, s, cycle);
        *s = (struct slice){mask, block, pc, pc, line, line, cycle, cycle, true};
    }
    const uint32_t line = timeline_line_of(m, s->pc, pc);
    if (line && line < s->line) s->line = line;
    if (s->line && line > s->last_line) s->last_line = line;
    s->last_pc = pc;
    s->last = cycle;
}

void timeline_issue(struct timeline *t, uint64_t cycle, uint32_t sm, const struct mech_packet *p) {
    const uint32_t parts = EXEC_LANES / t->width, lanes = ~0u >> (EXEC_LANES - t->width);
    const struct rewrite *form = t->launch.form;
    count_issue(t, cycle, sm, p);
    for (uint32_t k = 0; k < p->n; k++)
        for (uint32_t i = 0; i < p->split[k]->set.n; i++) {
            const struct mech_piece piece = p->split[k]->set.p[i];
            const uint32_t pc = form ? form->old_pc[p->split[k]->pc] : p->split[k]->pc;
            for (uint32_t part = 0; part < parts; part++) {
                const uint32_t mask = piece.mask & lanes << part * t->width;
                if (mask) observe_timeline_issue(t, cycle, sm, piece.warp * parts + part, mask, pc);
            }
        }
}

/* ---- blocks and launches ---- */

void timeline_block(struct timeline *t, uint64_t cycle, uint32_t sm, uint64_t block, bool begins) {
    struct track *k = track_of(t, sm);
    sb_add(event(t),
           "\"name\":\"block %" PRIu64 "\",\"cat\":\"block\",\"ph\":\"%s\",\"id\":%" PRIu64 ",\"ts\":%" PRIu64
           ",\"pid\":%" PRIu32 ",\"tid\":0}",
           block, begins ? "b" : "e", block, cycle, sm + FIRST_SM);
    out_end_line(&t->out);
    k->resident += begins ? t->launch.block_warps : -t->launch.block_warps;
    timeline_count(t, sm, cycle, "resident warps", k->resident);
}

void timeline_launch(struct timeline *t, const struct timeline_launch *l) {
    t->launch = *l;
    t->width = l->warp_size < EXEC_LANES ? l->warp_size : EXEC_LANES;
    for (uint32_t i = 0; i < t->nsms; i++) read_l1(t, i, &t->sms[i].now.accesses, &t->sms[i].now.hits);
}

static void end_sm(struct timeline *t, uint32_t sm, uint64_t now) {
    struct track *k = &t->sms[sm];
    for (uint32_t w = 0; w < k->warps.n; w++) end_slice(t, sm, w, &k->warps.v[w], UINT64_MAX);
    if (k->now.open) {
        const uint64_t full = k->now.begun + t->window, end = now < full ? now : full;
        end_window(t, sm, &k->now, end);
        idle_from(t, sm, end);
    }
    if (k->resident) timeline_count(t, sm, now, "resident warps", 0); /* the launch failed */
    k->resident = 0;
}

void timeline_end_launch(struct timeline *t, uint64_t now) {
    struct sb *out;
    for (uint32_t sm = 0; sm < t->nsms; sm++) end_sm(t, sm, now);
    out = event(t);
    sb_add(out, "\"name\":");
    timeline_add_text(out, t->launch.kernel);
    sb_add(out,
           ",\"cat\":\"kernel\",\"ph\":\"X\",\"ts\":%" PRIu64 ",\"dur\":%" PRIu64 ",\"pid\":%d,\"tid\":1}",
           t->launch.start, now - t->launch.start, DEVICE);
    out_end_line(&t->out);
    out_flush(&t->out);
}

/* ---- life ---- */

struct timeline *timeline_new(struct watch_sink sink, uint64_t window) {
    struct timeline *t = xcalloc(1, sizeof *t);
    t->out.sink = sink;
    t->width = EXEC_LANES;
    t->window = window;
    sb_add(&t->out.text,
           "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"time unit\":\"1 us is 1 core cycle\",\"counters\":"
           "\"means over %" PRIu64 " cycles\"},\"traceEvents\":[",
           window);
    out_end_line(&t->out);
    sb_add(
        event(t),
        "\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%d,\"tid\":0,\"args\":{\"name\":\"device (1 us = 1 "
        "core cycle)\"}}",
        DEVICE);
    out_end_line(&t->out);
    sb_add(event(t),
           "\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":%d,\"tid\":1,\"args\":{\"name\":\"kernels\"}}",
           DEVICE);
    out_end_line(&t->out);
    return t;
}

void timeline_free(struct timeline *t) {
    sb_add(&t->out.text, "]}");
    out_end_line(&t->out);
    out_free(&t->out);
    for (uint32_t i = 0; i < t->nsms; i++) VEC_FREE(&t->sms[i].warps);
    xfree(t->sms);
    xfree(t);
}
