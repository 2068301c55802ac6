/* --mech as a list. "all" adds every mechanism that is not named before it, so that "pdom,all" begins with pdom and names
 * no mechanism twice. */
#include "subject/machines.h"

#include <string.h>

#include "lab/run/mech_choice.h"
#include "mech/mech.h"

static bool is_named(const struct machines *m, const char *mech) {
    for (size_t i = 0; i < m->v.n; i++)
        if (!strcmp(m->v.v[i].name, mech)) return true;
    return false;
}

static bool machines_add(struct machines *m, const struct opts *o, const char *mech, struct err *e) {
    struct machine one;
    bool fine = machine_read(&one, opts_value(o, "config"), o, e) && machine_choose(&one, false, mech, e);
    if (fine && is_named(m, mech)) fine = err_set(e, ERR_INPUT, "--mech names %.60s twice", mech);
    VEC_PUSH(&m->settings, one);
    VEC_PUSH(&m->v, (struct lab_machine){.name = mech});
    return fine;
}

static bool machines_add_all(struct machines *m, const struct opts *o, struct err *e) {
    for (const struct mech_ops *const *p = mech_list; *p; p++)
        if (!is_named(m, (*p)->name) && !machines_add(m, o, (*p)->name, e)) return false;
    return true;
}

static bool add_list(struct machines *m, const struct opts *o, const char *list, struct err *e) {
    for (const char *p = list; p;) {
        const size_t n = strcspn(p, ",");
        const char *name = mech_choice_spelling(arena_strndup(&m->mem, p, n), &m->mem);
        if (!n) return err_set(e, ERR_INPUT, "--mech '%.60s' lacks a name", list);
        if (!(strcmp(name, "all") ? machines_add(m, o, name, e) : machines_add_all(m, o, e))) return false;
        p = p[n] ? p + n + 1 : NULL;
    }
    return true;
}

bool machines_read(struct machines *m, const struct opts *o, struct err *e) {
    const char *list = opts_value(o, "mech");
    *m = (struct machines){0};
    if (!(list ? add_list(m, o, list, e) : machines_add_all(m, o, e))) return false;
    for (size_t i = 0; i < m->v.n; i++) m->v.v[i].config = machine_config(&m->settings.v[i]);
    return true;
}

bool machines_read_one(struct machines *m, const struct opts *o, struct err *e) {
    struct machine any;
    hd_device *dev = NULL;
    if (opts_has(o, "mech")) return machines_read(m, o, e);
    *m = (struct machines){0};
    bool fine = machine_read(&any, opts_value(o, "config"), o, e);
    const hd_config config = machine_config(&any);
    fine = fine && lab_open(&config, &dev, e) &&
           machines_add(m, o, arena_strdup(&m->mem, sim_options(dev)->run.mech), e);
    if (fine) m->v.v[0].config = machine_config(&m->settings.v[0]);
    hd_device_close(dev);
    machine_free(&any);
    return fine;
}

void machines_sample(struct machines *m, const struct opts *o) {
    for (size_t i = 0; i < m->v.n; i++) {
        machine_sample(&m->settings.v[i], o);
        m->v.v[i].config = machine_config(&m->settings.v[i]);
    }
}

static bool machines_each(struct machines *m, const struct opts *o,
                          bool (*set)(struct machine *, const struct opts *, struct err *), struct err *e) {
    for (size_t i = 0; i < m->v.n; i++) {
        if (!set(&m->settings.v[i], o, e)) return false;
        m->v.v[i].config = machine_config(&m->settings.v[i]);
    }
    return true;
}
bool machines_threads(struct machines *m, const struct opts *o, struct err *e) {
    return machines_each(m, o, machine_threads, e);
}
bool machines_limit(struct machines *m, const struct opts *o, struct err *e) {
    return machines_each(m, o, machine_limit, e);
}

bool machines_check(const struct machines *m, struct err *e) {
    bool fine = true;
    for (size_t i = 0; i < m->v.n && fine; i++) {
        hd_device *dev = NULL;
        fine = lab_open(&m->v.v[i].config, &dev, e);
        hd_device_close(dev);
    }
    return fine;
}

void machines_free(struct machines *m) {
    for (size_t i = 0; i < m->settings.n; i++) machine_free(&m->settings.v[i]);
    VEC_FREE(&m->settings);
    VEC_FREE(&m->v);
    arena_free(&m->mem);
}
