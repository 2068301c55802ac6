/* See sampled.h. */
#include "cli/sampled.h"

#include "report/text.h"

void sampled_cycles(const struct stats *s, struct sb *out) {
    if (s->gpu.estimated) sb_add(out, "~");
    text_grouped(out, s->gpu.cycles);
}

void sampled_words(const struct stats *s, struct sb *out) {
    if (!s->gpu.estimated) return;
    text_grouped(out, s->gpu.estimated);
    sb_add(out, " of ");
    text_grouped(out, s->exec.launches);
    sb_add(out, " launches were estimated, not simulated (run.sample)");
}

void sampled_json(json_t *o, const struct stats *s) {
    if (!s->gpu.estimated) return;
    json_object_set_new(o, "sampled",
                        json_pack("{s:I, s:I, s:I}", "launches", (json_int_t)s->exec.launches, "simulated",
                                  (json_int_t)(s->exec.launches - s->gpu.estimated), "estimated",
                                  (json_int_t)s->gpu.estimated));
}
