/* The timeline writer behind trace.h, and the text gathering both writers use. */
#ifndef HEDDLE_SIM_TIMELINE_H
#define HEDDLE_SIM_TIMELINE_H

#include "sim/watch.h"
#include "sm/sm.h"

struct out {
    struct watch_sink sink;
    struct sb text;
};
void out_end_line(struct out *o); /* adds the newline; passes the text on when there is much of it */
void out_flush(struct out *o);
void out_free(struct out *o); /* flushes */

struct timeline;
struct timeline *timeline_new(struct watch_sink sink);
void timeline_free(struct timeline *t);                       /* completes the JSON */
void timeline_launch(struct timeline *t, uint32_t warp_size); /* before its issues */
void timeline_issue(struct timeline *t, uint64_t cycle, uint32_t sm, const struct ir_module *m,
                    const struct rewrite *form, const struct mech_packet *p);
void timeline_block(struct timeline *t, uint64_t cycle, uint32_t sm, uint64_t block, bool begins);
void timeline_end_launch(struct timeline *t); /* open slices end */

#endif
