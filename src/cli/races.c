/* A race in words: what, where, who and who, at which lines, and what would order them. */
#include "cli/races.h"

#include <inttypes.h>
#include <string.h>

#include "report/text.h"
#include "sim/sim.h"
#include "value/demangle.h"

enum { SHOWN = 8 };

size_t races_real(const hd_device *dev) {
    size_t n = 0;
    hd_race race;
    for (size_t k = 0; hd_race_at(dev, k, &race) == HD_OK; k++) n += !race.same_value;
    return n;
}

/* ---- for people ---- */

static void add_triple(struct sb *out, const char *what, const uint32_t v[3]) {
    sb_add(out, "%s (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")", what, v[0], v[1], v[2]);
}

static void add_access(const struct term *t, const hd_race *race, const hd_race_access *a, struct sb *out) {
    sb_add(out, "    %-14s by ", a->what);
    add_triple(out, "block", a->block);
    add_triple(out, ", thread", a->thread);
    sb_add(out, "\n      at %s:%" PRIu32 ": %s%s%s", race->file, a->line, term_on(t, TERM_BOLD), a->text,
           term_on(t, TERM_PLAIN));
    if (a->source) sb_add(out, " [%s:%" PRIu32 "]", a->source, a->source_line);
    sb_add(out, "\n");
}

static const char *advice(const hd_race *race) {
    const hd_race_access *a = &race->access[0], *b = &race->access[1];
    if (memcmp(a->block, b->block, sizeof a->block))
        return "threads of different blocks: order comes from a fence and an atomic or flag, or a launch of "
               "its own";
    if (!strcmp(race->kind, "atomic-plain"))
        return "an atomic orders only other atomics: make both atomic, or put a barrier between";
    if (a->warp != b->warp) return "threads of one block: no __syncthreads() between";
    return a->line == b->line && !strcmp(race->kind, "write-write")
               ? "lanes of one warp store different values to the same place"
               : "lanes of one warp: no __syncwarp() between (--races=lockstep for programs that do without)";
}

static void add_race(const struct term *t, const hd_race *race, struct sb *out) {
    sb_add(out, "\n  %s%s%s of %s memory", term_on(t, race->same_value ? TERM_YELLOW : TERM_RED), race->kind,
           term_on(t, TERM_PLAIN), race->space);
    if (*race->object) {
        sb_add(out, ", byte %" PRIu64 " of ", race->offset);
        demangle_name(race->object, out);
    } else {
        sb_add(out, " at 0x%" PRIx64, race->address);
    }
    sb_add(out, "%s, ", race->same_value ? ", the same value" : "");
    text_grouped(out, race->count);
    sb_add(out, " time%s; first in kernel ", race->count == 1 ? "" : "s");
    demangle_name(race->kernel, out);
    sb_add(out, ":\n");
    for (int k = 0; k < 2; k++) add_access(t, race, &race->access[k], out);
    if (!race->same_value) sb_add(out, "    %s\n", advice(race));
}

static void add_counts(const hd_device *dev, struct sb *out) {
    const size_t real = races_real(dev), same = hd_race_count(dev) - real;
    sb_add(out, "%-20s", "races");
    if (!real) sb_add(out, "none");
    if (real) sb_add(out, "%zu pair%s of instructions", real, real == 1 ? "" : "s");
    if (same)
        sb_add(out, "; %zu pair%s that only store%s the same value", same, same == 1 ? "" : "s",
               same == 1 ? "s" : "");
    const uint64_t more = exec_races_omitted(sim_races(dev)), unseen = exec_races_unseen(sim_races(dev));
    if (more) sb_add(out, "; %" PRIu64 " conflicts of further pairs", more);
    if (unseen) sb_add(out, "; %" PRIu64 " accesses not looked at", unseen);
    sb_add(out, "\n");
}

void races_text(const struct term *t, const hd_device *dev, bool same_value, struct sb *out) {
    const size_t n = same_value ? hd_race_count(dev) : races_real(dev);
    hd_race race;
    add_counts(dev, out);
    for (size_t k = 0; k < n && k < SHOWN && hd_race_at(dev, k, &race) == HD_OK; k++) add_race(t, &race, out);
    if (n > SHOWN) sb_add(out, "\n  ... and %zu more; --json has all\n", n - SHOWN);
}

/* ---- as JSON ---- */

static json_t *access_json(const hd_race_access *a) {
    json_t *o = json_pack("{s:s, s:[i,i,i], s:[i,i,i], s:i, s:i, s:s}", "what", a->what, "block", a->block[0],
                          a->block[1], a->block[2], "thread", a->thread[0], a->thread[1], a->thread[2],
                          "warp", a->warp, "line", a->line, "text", a->text);
    if (!a->source) return o;
    json_object_set_new(o, "source", json_string(a->source));
    json_object_set_new(o, "source_line", json_integer(a->source_line));
    return o;
}

static json_t *race_json(const hd_race *r) {
    return json_pack("{s:s, s:b, s:I, s:s, s:s, s:I, s:s, s:s, s:I, s:I, s:[o,o]}", "kind", r->kind,
                     "same_value", r->same_value, "count", (json_int_t)r->count, "file", r->file, "kernel",
                     r->kernel, "launch", (json_int_t)r->launch, "space", r->space, "object", r->object,
                     "address", (json_int_t)r->address, "offset", (json_int_t)r->offset, "accesses",
                     access_json(&r->access[0]), access_json(&r->access[1]));
}

json_t *races_json(const hd_device *dev) {
    json_t *pairs = json_array();
    hd_race race;
    for (size_t k = 0; hd_race_at(dev, k, &race) == HD_OK; k++)
        json_array_append_new(pairs, race_json(&race));
    return json_pack("{s:I, s:I, s:I, s:o}", "races", (json_int_t)races_real(dev), "omitted",
                     (json_int_t)exec_races_omitted(sim_races(dev)), "unseen",
                     (json_int_t)exec_races_unseen(sim_races(dev)), "pairs", pairs);
}
