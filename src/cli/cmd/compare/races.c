/* Where a program left other memory under some mechanism: mechanisms choose an order of threads, never a value, so what
 * depends on the choice is most likely a race of the program. It is run once more, without time and with the race
 * check. */
#include <stdlib.h>

#include "cli/cmd/compare/compare.h"
#include "cli/races.h"

static void compare_races_on_closing(void *user, hd_device *dev) {
    struct compare_race *r = user;
    struct term t = r->cli->term;
    t.out_colour = t.err_colour;
    r->races = races_real(dev);
    if (r->races) races_text(&t, dev, false, &r->text);
    r->json = races_json(dev);
}

static bool any_wrong(const struct compare *c, size_t subject) {
    for (size_t m = 0; m < c->lab.nmachines; m++)
        if (compare_wrong(c, subject, m)) return true;
    return false;
}

void compare_races(struct compare *c) {
    c->races = xcalloc(c->lab.nsubjects + 1, sizeof *c->races);
    machine_set(&c->functional, "run.races", "on");
    const hd_config config = machine_config(&c->functional);
    for (size_t i = 0; i < c->lab.nsubjects; i++) {
        struct compare_race *r = &c->races[i];
        if (!any_wrong(c, i)) continue;
        const struct lab_hooks hooks = {.closing = compare_races_on_closing, .user = r, .no_digest = true};
        struct lab_outcome out;
        r->cli = c->cli;
        lab_run(&c->lab.subjects[i], &config, &hooks, &out);
        lab_outcome_free(&out);
    }
}

void compare_races_verdict(const struct compare *c, size_t subject) {
    const struct compare_race *r = &c->races[subject];
    struct sb text = {0};
    if (!r->json) return;
    compare_title(c, subject, &text);
    if (r->races)
        sb_add(
            &text,
            ": memory that depends on the mechanism comes from a data race of the program, most likely:\n%s",
            r->text.text);
    else
        sb_add(&text, ": memory depends on the mechanism, yet a functional run shows no data race; "
                      "this may be a fault of the mechanism's model\n");
    fputs(text.text, c->cli->term.err);
    sb_free(&text);
}

void compare_races_free(struct compare *c) {
    for (size_t i = 0; c->races && i < c->lab.nsubjects; i++) {
        sb_free(&c->races[i].text);
        json_decref(c->races[i].json);
    }
    free(c->races);
}
