/* Writers that listen to the SMs of a timed launch.
 *
 * trace: one line per issue: cycle, SM, scheduler, PC, then warp:mask for each piece of each split, the number of
 * threads, the instruction, and what the mechanism said. A split without threads shows its PC and "-".
 * timeline: JSON that chrome://tracing and Perfetto open; microseconds stand for core cycles. A process is an SM; thread 0 of
 * it has the blocks, thread 1 + w what warp w of the machine issued (where one is wider than 32 threads, each 32 of them have
 * a track), one slice per stretch of consecutive issues of the same threads in one basic block, with PCs and lines.
 * Counters of each SM: IPC, active lanes of an issue, hits of its first-level data cache, resident warps.
 * lanes: see density.h; its rows are the timeline's tracks, its cycles go on from launch to launch. */
#ifndef HEDDLE_SIM_OBSERVE_TRACE_H
#define HEDDLE_SIM_OBSERVE_TRACE_H

#include "sim/gpu/watch.h"
#include "sm/sm.h"

struct trace;
struct trace *trace_new(const struct watch *w); /* NULL when nothing is wanted */
void trace_free(struct trace *t);               /* completes the timeline */
/* Before each launch: what the PCs of it mean, and the rest of it (timeline.h). PCs are shown as the module has them, a
 * mark of its form with the PC it stands before. */
struct timeline_launch;
void trace_launch(struct trace *t, const struct timeline_launch *l);
/* Slices and windows that are open end here, at cycle now. */
void trace_launch_end(struct trace *t, uint64_t now);
const struct density *trace_density(const struct trace *t); /* NULL: they were not wanted */
const struct sm_observer *trace_observer(const struct trace *t);

#endif
