/* Options of the machine, from the command line to what hd_device_open takes. What the command line chooses by
 * an option of its own (timed or not, the mechanism) becomes a setting like any other. */
#include "subject/machine.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/workers.h"
#include "cli/cli.h"
#include "lab/run/mech_choice.h"
#include "mech/mech.h"

void machine_set(struct machine *m, const char *key, const char *value) {
    VEC_PUSH(&m->settings, (hd_option){arena_strdup(&m->mem, key), arena_strdup(&m->mem, value)});
}

bool machine_read(struct machine *m, const char *config, const struct opts *o, struct err *e) {
    *m = (struct machine){.config = config};
    for (size_t i = 0; i < opts_count(o, "set"); i++) {
        const char *text = opts_nth(o, "set", i), *equals = strchr(text, '=');
        if (!equals)
            return err_set(e, ERR_INPUT,
                           "--set %.60s: '=' and a value are missing, as in --set mem.global_bytes=8G", text);
        VEC_PUSH(&m->settings,
                 (hd_option){arena_strndup(&m->mem, text, (size_t)(equals - text)), equals + 1});
    }
    return true;
}

static bool set_mechanism(struct machine *m, const char *text, struct err *e) {
    struct mech_choice choice;
    if (!mech_choice_read(text, &m->mem, &choice, e)) return false;
    for (size_t i = 0; i < choice.nsettings; i++) VEC_PUSH(&m->settings, choice.setting[i]);
    return true;
}

/* What has an option of its own is not also a setting: which one would win? */
static bool check_settings(const struct machine *m, struct err *e) {
    for (size_t i = 0; i < m->settings.n; i++) {
        if (!strcmp(m->settings.v[i].key, "run.mech"))
            return err_set(e, ERR_INPUT, "--set run.mech: the mechanism is chosen with --mech");
        if (!strcmp(m->settings.v[i].key, "run.mode"))
            return err_set(e, ERR_INPUT, "--set run.mode: runs are timed unless --functional is given");
    }
    return true;
}

bool machine_choose(struct machine *m, bool functional, const char *mech, struct err *e) {
    if (!check_settings(m, e)) return false;
    machine_set(m, "run.mode", functional ? "functional" : "timed");
    return !mech || set_mechanism(m, mech, e);
}

void machine_sample(struct machine *m, const struct opts *o) {
    const char *distance = opts_value(o, "sample");
    if (distance) machine_set(m, "run.sample", "true");
    if (distance && *distance) machine_set(m, "run.sample_distance", distance);
}

bool machine_threads(struct machine *m, const struct opts *o, struct err *e) {
    const char *text = opts_value(o, "threads");
    char value[24];
    uint64_t n = workers_cores();
    if (text && !cli_number("--threads", text, INT64_MAX, &n, e)) return false;
    if (!n) return err_set(e, ERR_INPUT, "--threads: N is at least 1");
    for (size_t i = 0; i < m->settings.n && !text; i++)
        if (!strcmp(m->settings.v[i].key, "run.threads")) return true;
    snprintf(value, sizeof value, "%" PRIu64, n < 256 || text ? n : 256);
    machine_set(m, "run.threads", value);
    return true;
}

bool machine_limit(struct machine *m, const struct opts *o, struct err *e) {
    const char *text = opts_value(o, "max-insts");
    char value[24];
    uint64_t n;
    if (!text) return true;
    if (!cli_number("--max-insts", text, INT64_MAX, &n, e)) return false;
    if (!n) return err_set(e, ERR_INPUT, "--max-insts: N is at least 1");
    snprintf(value, sizeof value, "%" PRIu64, n);
    machine_set(m, "exec.max_insts", value);
    return true;
}

/* Whether the list has the mechanism of that name, with or without parameters of its own. */
static bool lists(const char *mechs, const char *name, size_t n) {
    while (mechs) {
        const size_t have = strcspn(mechs, ":,");
        if (have == n && !strncasecmp(mechs, name, n)) return true;
        if (have == 3 && !strncmp(mechs, "all", 3)) return true;
        mechs = strchr(mechs, ',');
        if (mechs) mechs++;
    }
    return false;
}

void machine_warn_unused(const struct cli *c, const struct opts *o, const char *mechs) {
    for (size_t i = 0; i < opts_count(o, "set"); i++) {
        const char *text = opts_nth(o, "set", i);
        const size_t n = strcspn(text, ".");
        struct arena mem = {0};
        const bool unused = mech_find(arena_strndup(&mem, text, n)) && !lists(mechs, text, n);
        arena_free(&mem);
        if (!unused) continue;
        struct sb warning = {0};
        sb_add(&warning, "--set %.60s has no effect %s%.60s: it is a parameter of %.*s", text,
               mechs ? "under " : "without time", mechs ? mechs : "", (int)n, text);
        term_warning(&c->term, c->command->name, warning.text);
        sb_free(&warning);
    }
}

hd_config machine_config(const struct machine *m) {
    return (hd_config){.options = m->settings.v, .noptions = m->settings.n, .file = m->config};
}

void machine_free(struct machine *m) {
    VEC_FREE(&m->settings);
    arena_free(&m->mem);
}
