/* The timeline writer behind trace.h, and the text gathering both writers use. */
#ifndef HEDDLE_SIM_OBSERVE_TIMELINE_H
#define HEDDLE_SIM_OBSERVE_TIMELINE_H

#include "sim/gpu/watch.h"
#include "sm/sm.h"

struct out {
    struct watch_sink sink;
    struct sb text;
};
void out_end_line(struct out *o); /* adds the newline; passes the text on when there is much of it */
void out_flush(struct out *o);
void out_free(struct out *o); /* flushes */

struct timeline_launch {
    const struct ir_module *module; /* as loaded */
    const struct rewrite *form;     /* of it, that runs; NULL: none */
    const char *kernel;
    uint32_t warp_size;    /* threads of a warp */
    uint32_t block_warps;  /* warps of a block */
    uint64_t start;        /* cycle at which it begins */
    const struct mem *mem; /* whose first-level caches are counted; NULL: none are */
};

struct timeline;
/* window: cycles over which the counters are means. */
struct timeline *timeline_new(struct watch_sink sink, uint64_t window);
void timeline_free(struct timeline *t);                                    /* completes the JSON */
void timeline_launch(struct timeline *t, const struct timeline_launch *l); /* before its issues */
void timeline_issue(struct timeline *t, uint64_t cycle, uint32_t sm, const struct mech_packet *p);
void timeline_block(struct timeline *t, uint64_t cycle, uint32_t sm, uint64_t block, bool begins);
void timeline_end_launch(struct timeline *t, uint64_t now); /* open slices and windows end */

#endif
