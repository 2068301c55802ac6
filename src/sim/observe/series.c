/* Time series: differences between readings of the SMs' counters. */
#include "sim/observe/series.h"

#include <inttypes.h>
#include <stdlib.h>

void series_free(struct series *s) {
    VEC_FREE(&s->samples);
    VEC_FREE(&s->counts);
}

/* Counts of threads are those at the end of the second. */
static void join_pairs(struct series *s) {
    size_t n = s->samples.n / 2;
    for (size_t i = 0; i < n; i++) {
        struct series_sample one = s->samples.v[2 * i], *two = &s->samples.v[2 * i + 1];
        sm_stats_join(&one.sm, &two->sm);
        one.launch = two->launch;
        one.cycle = two->cycle;
        one.cycles += two->cycles;
        one.unfinished = two->unfinished;
        s->samples.v[i] = one;
        for (uint32_t t = 0; t < s->threads; t++)
            s->counts.v[i * s->threads + t] = s->counts.v[(2 * i + 1) * s->threads + t];
    }
    s->samples.n = n;
    s->counts.n = n * s->threads;
    s->interval *= 2;
}

void series_add(struct series *s, struct series_sample at, const struct sm_stats *before,
                const struct sm_stats *after, const uint64_t *count) {
    at.sm = *after;
    sm_stats_since(&at.sm, before);
    VEC_PUSH(&s->samples, at);
    for (uint32_t t = 0; t < s->threads; t++) VEC_PUSH(&s->counts, count[t]);
    if (s->most && s->samples.n >= 2 * (size_t)s->most) join_pairs(s);
}

void series_csv(const struct series *s, struct sb *out) {
    sb_add(out, "launch,cycle,cycles,ipc,thread_insts,warp_insts,unfinished,w0_mem,w0_idle,stall,empty");
    for (int k = 1; k < SM_SIZES; k++) sb_add(out, ",w%d", 4 * k);
    sb_add(out, ",wider");
    for (uint32_t t = 0; t < s->threads; t++) sb_add(out, ",thread_%" PRIu32, t);
    sb_add(out, "\n");
    for (size_t i = 0; i < s->samples.n; i++) {
        const struct series_sample *p = &s->samples.v[i];
        sb_add(out, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.6g,%" PRIu64 ",%" PRIu64 ",%" PRIu64, p->launch,
               p->cycle, p->cycles, (double)p->sm.sm.thread_insts / (double)p->cycles, p->sm.sm.thread_insts,
               p->sm.sm.warp_insts, p->unfinished);
        sb_add(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, p->sm.warp.w0_mem, p->sm.warp.w0_idle,
               p->sm.warp.stall, p->sm.warp.empty);
        for (int k = 0; k < SM_SIZES; k++) sb_add(out, ",%" PRIu64, p->sm.warp.issued[k]);
        for (uint32_t t = 0; t < s->threads; t++) sb_add(out, ",%" PRIu64, s->counts.v[i * s->threads + t]);
        sb_add(out, "\n");
    }
}
