/* What the race check found, as the library's users see it. */
#include <inttypes.h>

#include "sim/device/internal.h"

void sim_races_update(hd_device *dev) {
    xfree(dev->found);
    dev->found = exec_races_found(dev->races, &dev->nfound);
    const uint64_t unseen = exec_races_unseen(dev->races);
    if (!unseen || dev->races_warned) return;
    dev->races_warned = true;
    sim_log(dev, HD_LOG_WARNING,
            "races were not looked for in %" PRIu64
            " accesses: run.races_bytes is too small for the memory that the kernel uses",
            unseen);
}

void sim_races_free(hd_device *dev) {
    xfree(dev->found);
    exec_races_free(dev->races);
}

const struct exec_races *sim_races(const hd_device *dev) {
    return dev->races;
}

static hd_race_access observe_races_describe(const struct exec_race_side *s) {
    static const char *const what[] = {[EXEC_RACE_READ] = "read",
                                       [EXEC_RACE_WRITE] = "write",
                                       [EXEC_RACE_VOLATILE_READ] = "volatile read",
                                       [EXEC_RACE_VOLATILE_WRITE] = "volatile write",
                                       [EXEC_RACE_STRONG_READ] = "relaxed read",
                                       [EXEC_RACE_STRONG_WRITE] = "relaxed write",
                                       [EXEC_RACE_ATOMIC] = "atomic"};
    return (hd_race_access){.what = what[s->access],
                            .block = {s->block[0], s->block[1], s->block[2]},
                            .thread = {s->thread[0], s->thread[1], s->thread[2]},
                            .warp = s->warp,
                            .line = s->line,
                            .text = s->text,
                            .source = s->source,
                            .source_line = s->source_line};
}

size_t hd_race_count(const hd_device *dev) {
    return dev ? dev->nfound : 0;
}

hd_status hd_race_at(const hd_device *dev, size_t index, hd_race *race) {
    static const char *const kinds[] = {[EXEC_RACE_WRITE_WRITE] = "write-write",
                                        [EXEC_RACE_READ_WRITE] = "read-write",
                                        [EXEC_RACE_ATOMIC_PLAIN] = "atomic-plain"};
    if (!dev || !race || index >= dev->nfound) return HD_INVALID;
    const struct exec_race *r = dev->found[index];
    *race = (hd_race){.kind = kinds[r->kind],
                      .same_value = r->same_value,
                      .count = r->count,
                      .file = r->file,
                      .kernel = r->kernel,
                      .launch = r->launch,
                      .space = r->shared ? "shared" : "global",
                      .object = r->object,
                      .address = r->address,
                      .offset = r->offset,
                      .access = {observe_races_describe(&r->side[0]), observe_races_describe(&r->side[1])}};
    return HD_OK;
}
