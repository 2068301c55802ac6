/* Trace and timeline: streams that the simulation writes to. A run that fails keeps them, unlike all other
 * outputs: how it came to fail is what they are for. */
#include <stdio.h>

#include "cli/run.h"
#include "sim/sim.h"

static void write_to(void *user, const char *text, size_t n) {
    fwrite(text, 1, n, user); /* errors stay on the stream: outfile_commit looks at them */
}

static bool open_sink(struct run *r, const char *path, struct watch_sink *sink, struct err *e) {
    FILE *f;
    if (!path) return true;
    if (!outfile_open(&r->watched, path, r->cli->term.out, &f, e)) return false;
    *sink = (struct watch_sink){.write = write_to, .user = f};
    return true;
}

bool run_watch(struct run *r, struct err *e) {
    struct watch w = {.interval = r->interval, .threads = (uint32_t)r->threads};
    if (!open_sink(r, r->trace, &w.trace, e) || !open_sink(r, r->timeline, &w.timeline, e)) return false;
    if (w.interval || w.trace.write || w.timeline.write) sim_watch(r->dev, &w);
    return true;
}

bool run_watch_end(struct run *r, struct err *e) {
    if (!r->watched.files.n || !r->ran) return true;
    sim_watch(r->dev, NULL); /* completes the timeline */
    return outfile_commit(&r->watched, r->cli->term.out, e);
}
