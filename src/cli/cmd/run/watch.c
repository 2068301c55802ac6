/* Trace and timeline: streams that the simulation writes to. A run that fails keeps them, unlike all other
 * outputs: how it came to fail is what they are for. */
#include "cli/cmd/run/run.h"
#include "sim/sim.h"

static void write_to(void *user, const char *text, size_t n) {
    outfile_put(user, text, n);
}

static bool open_sink(struct run *r, const char *path, struct watch_sink *sink, struct err *e) {
    struct outstream *f;
    if (!path) return true;
    if (!outfile_open(&r->watched, path, r->cli->term.out, &f, e)) return false;
    *sink = (struct watch_sink){.write = write_to, .user = f};
    return true;
}

bool run_watch(struct run *r, struct err *e) {
    outfile_begin(&r->watched, &r->cli->writing);
    r->watch = (struct watch){
        .interval = r->interval, .threads = (uint32_t)r->threads, .profile = r->profile || r->annotate};
    return open_sink(r, r->trace, &r->watch.trace, e) && open_sink(r, r->timeline, &r->watch.timeline, e);
}

/* A run that neither the library nor the mechanism refused has something to show. */
static bool began(const struct run *r) {
    enum err_code code = r->outcome.err.code;
    return r->launches.n || code == ERR_FAULT || code == ERR_LIMIT;
}

bool run_watch_end(struct run *r, struct err *e) {
    return !r->watched.files.n || !began(r) || outfile_commit(&r->watched, r->cli->term.out, e);
}
