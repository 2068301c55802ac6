/* The timeline: Chrome's trace event format, one JSON object per line. A warp's track has one slice ("X") for each stretch of
 * consecutive issues of the same lanes in one basic block, so that divergence shows as slices that grow narrow (their
 * masks) and alternate. Blocks are asynchronous events, since several overlap on an SM. A slice is written when it ends, which is
 * no later than the next one of its track begins: viewers cannot show slices that overlap. Where a packet has several splits of a
 * warp, their slices may begin together. */
#include "sim/timeline.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"

struct slice { /* the open one of a warp; mask 0: none */
    uint32_t mask, block, pc;
    uint64_t begun, last;
    bool named; /* the track has its name */
};

struct timeline {
    struct out out;
    bool any; /* an event has been written: a comma goes before the next */
    uint32_t
        width; /* lanes of an architectural warp that are a warp of the machine, or part of a wider one */
    uint32_t nsms;
    struct track {
        VEC(struct slice) warps;
        bool named;
    } * sms;
};

struct timeline *timeline_new(struct watch_sink sink) {
    struct timeline *t = xcalloc(1, sizeof *t);
    t->out.sink = sink;
    t->width = EXEC_LANES;
    sb_add(&t->out.text, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    out_end_line(&t->out);
    return t;
}

void timeline_launch(struct timeline *t, uint32_t warp_size) {
    t->width = warp_size < EXEC_LANES ? warp_size : EXEC_LANES;
}

void timeline_free(struct timeline *t) {
    sb_add(&t->out.text, "]}");
    out_end_line(&t->out);
    out_free(&t->out);
    for (uint32_t i = 0; i < t->nsms; i++) VEC_FREE(&t->sms[i].warps);
    xfree(t->sms);
    xfree(t);
}

/* Begins an event; the caller adds its fields and ends it with "}" and a line end. */
static struct sb *event(struct timeline *t) {
    sb_add(&t->out.text, t->any ? ",{" : "{");
    t->any = true;
    return &t->out.text;
}

static void name(struct timeline *t, const char *what, uint32_t sm, uint32_t track, const char *word,
                 uint32_t number) {
    sb_add(event(t),
           "\"name\":\"%s\",\"ph\":\"M\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32
           ",\"args\":{\"name\":\"%s %" PRIu32 "\"}}",
           what, sm, track, word, number);
    out_end_line(&t->out);
}

static struct track *track_of(struct timeline *t, uint32_t sm) {
    if (sm >= t->nsms) {
        t->sms = xrealloc(t->sms, (sm + 1) * sizeof *t->sms);
        while (t->nsms <= sm) t->sms[t->nsms++] = (struct track){0};
    }
    if (!t->sms[sm].named) name(t, "process_name", sm, 0, "SM", sm);
    t->sms[sm].named = true;
    return &t->sms[sm];
}

static struct slice *slice_of(struct timeline *t, uint32_t sm, uint32_t warp) {
    struct track *k = track_of(t, sm);
    while (k->warps.n <= warp) VEC_PUSH(&k->warps, (struct slice){0});
    struct slice *s = &k->warps.v[warp];
    if (!s->named) name(t, "thread_name", sm, warp + 1, "warp", warp);
    s->named = true;
    return s;
}

/* Until the cycle after its last issue, but not beyond `limit` unless it began there. */
static void end_slice(struct timeline *t, uint32_t sm, uint32_t warp, struct slice *s, uint64_t limit) {
    if (!s->mask) return;
    const uint64_t end = s->last >= limit && s->begun < limit ? limit : s->last + 1;
    sb_add(event(t),
           "\"name\":\"B%" PRIu32 " x%d\",\"cat\":\"split\",\"ph\":\"X\",\"ts\":%" PRIu64 ",\"dur\":%" PRIu64
           ",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"args\":{\"lanes\":\"%08" PRIx32 "\",\"pc\":%" PRIu32
           "}}",
           s->block, __builtin_popcount(s->mask), s->begun, end - s->begun, sm, warp + 1, s->mask, s->pc);
    out_end_line(&t->out);
    s->mask = 0;
}

/* Some lanes of one warp issue. */
static void issue(struct timeline *t, uint64_t cycle, uint32_t sm, uint32_t warp, uint32_t mask, uint32_t pc,
                  uint32_t block) {
    struct slice *s = slice_of(t, sm, warp);
    if (s->mask != mask || s->block != block) {
        end_slice(t, sm, warp, s, cycle);
        *s = (struct slice){mask, block, pc, cycle, cycle, true};
    }
    s->last = cycle;
}

void timeline_issue(struct timeline *t, uint64_t cycle, uint32_t sm, const struct ir_module *m,
                    const struct rewrite *form, const struct mech_packet *p) {
    const uint32_t parts = EXEC_LANES / t->width, lanes = ~0u >> (EXEC_LANES - t->width);
    for (uint32_t k = 0; k < p->n; k++)
        for (uint32_t i = 0; i < p->split[k]->set.n; i++) {
            const struct mech_piece piece = p->split[k]->set.p[i];
            const uint32_t pc = form ? form->old_pc[p->split[k]->pc] : p->split[k]->pc;
            for (uint32_t part = 0; part < parts; part++) {
                const uint32_t mask = piece.mask & lanes << part * t->width;
                if (mask) issue(t, cycle, sm, piece.warp * parts + part, mask, pc, m->code.v[pc].block);
            }
        }
}

void timeline_block(struct timeline *t, uint64_t cycle, uint32_t sm, uint64_t block, bool begins) {
    track_of(t, sm);
    sb_add(event(t),
           "\"name\":\"block %" PRIu64 "\",\"cat\":\"block\",\"ph\":\"%s\",\"id\":%" PRIu64 ",\"ts\":%" PRIu64
           ",\"pid\":%" PRIu32 ",\"tid\":0}",
           block, begins ? "b" : "e", block, cycle, sm);
    out_end_line(&t->out);
}

void timeline_end_launch(struct timeline *t) {
    for (uint32_t sm = 0; sm < t->nsms; sm++)
        for (uint32_t w = 0; w < t->sms[sm].warps.n; w++)
            end_slice(t, sm, w, &t->sms[sm].warps.v[w], UINT64_MAX);
    out_flush(&t->out);
}
