/* Time series: differences between readings of the SMs' counters. */
#include "sim/series.h"

#include <inttypes.h>
#include <stdlib.h>

void series_free(struct series *s) {
    VEC_FREE(&s->samples);
    VEC_FREE(&s->counts);
}

void series_add(struct series *s, struct series_sample at, const struct sm_stats *before,
                const struct sm_stats *after, const uint64_t *count) {
    at.thread_insts = after->thread_insts - before->thread_insts;
    at.warp_insts = after->warp_insts - before->warp_insts;
    for (int k = 0; k < SM_SIZES; k++) at.size[k] = after->issued_size[k] - before->issued_size[k];
    at.w0_mem = after->w0_mem - before->w0_mem;
    at.w0_idle = after->w0_idle - before->w0_idle;
    at.stall = after->stall - before->stall;
    at.empty = after->empty_slots - before->empty_slots;
    VEC_PUSH(&s->samples, at);
    for (uint32_t t = 0; t < s->threads; t++) VEC_PUSH(&s->counts, count[t]);
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
               p->cycle, p->cycles, (double)p->thread_insts / (double)p->cycles, p->thread_insts,
               p->warp_insts, p->unfinished);
        sb_add(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, p->w0_mem, p->w0_idle, p->stall,
               p->empty);
        for (int k = 0; k < SM_SIZES; k++) sb_add(out, ",%" PRIu64, p->size[k]);
        for (uint32_t t = 0; t < s->threads; t++) sb_add(out, ",%" PRIu64, s->counts.v[i * s->threads + t]);
        sb_add(out, "\n");
    }
}
