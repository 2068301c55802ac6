/* From options to groups of axes. Whatever gives values to an axis (--workloads, --mech, --set, a column of --points, --seeds)
 * makes a group; --zip joins groups of one axis each. An axis belongs to one group only: which of two would win? */
#include <stdlib.h>
#include <string.h>

#include "lab/run/mech_choice.h"
#include "lab/sweep/sweep.h"
#include "lab/sweep/table.h"
#include "sim/file.h"

/* Ranks of groups; those of --set lie between the last two, in the order in which they are given. */
enum { RANK_WORKLOAD, RANK_SIZE, RANK_CONFIG, RANK_MECH, RANK_SET, RANK_FILE = 1 << 20, RANK_SEEDS };

static const char *const own_option[] = {"workload", "size", "config", "mech"};
enum { OWN = sizeof own_option / sizeof *own_option };

enum sweep_key_kind sweep_key_kind(const char *key) {
    for (size_t i = 0; i < OWN; i++)
        if (!strcmp(key, own_option[i])) return SWEEP_OWN;
    return strchr(key, '.') ? SWEEP_SETTING : SWEEP_ARGUMENT;
}

/* ---- groups ---- */

const struct sweep_group *sweep_axis(const struct sweep *s, const char *key, size_t *column) {
    for (size_t i = 0; i < s->groups.n; i++)
        for (size_t k = 0; k < s->groups.v[i].nkeys; k++)
            if (!strcmp(s->groups.v[i].keys[k], key)) return *column = k, &s->groups.v[i];
    return NULL;
}

const struct sweep_group *sweep_file(const struct sweep *s) {
    for (size_t i = 0; i < s->groups.n; i++)
        if (s->groups.v[i].lines) return &s->groups.v[i];
    return NULL;
}

/* Mechanisms as mech.def has them, so that PDOM is the point that pdom is. */
static void spell(struct sweep *s, const struct sweep_group *g) {
    for (size_t k = 0; k < g->nkeys; k++)
        for (size_t r = 0; !strcmp(g->keys[k], "mech") && r < g->nrows; r++) {
            const char **cell = &g->cells[r * g->nkeys + k];
            if (*cell) *cell = mech_choice_spelling(*cell, &s->mem);
        }
}

static bool add_group(struct sweep *s, struct sweep_group g, struct err *e) {
    for (size_t k = 0; k < g.nkeys; k++) {
        size_t column;
        const struct sweep_group *other = sweep_axis(s, g.keys[k], &column);
        if (other && !strcmp(other->from, g.from))
            return err_set(e, ERR_INPUT, "%.60s is given twice; one takes several values: %.60s=A,B", g.from,
                           g.keys[k]);
        if (other)
            return err_set(e, ERR_INPUT, "%.60s is an axis twice: of %.60s and of %.60s", g.keys[k],
                           other->from, g.from);
    }
    spell(s, &g);
    VEC_PUSH(&s->groups, g);
    return true;
}

/* A group of one axis. */
static bool sweep_axes_add_axis(struct sweep *s, const char *from, const char *key, unsigned rank,
                                const struct sweep_words *values, struct err *e) {
    const char **keys = ARENA_NEW(&s->mem, const char *, 1);
    const char **cells = ARENA_NEW(&s->mem, const char *, values->v.n + 1);
    keys[0] = key;
    if (values->v.n) memcpy(cells, values->v.v, values->v.n * sizeof *cells);
    return add_group(
        s,
        (struct sweep_group){
            .from = from, .keys = keys, .nkeys = 1, .nrows = values->v.n, .cells = cells, .rank = rank},
        e);
}

/* ---- lists ---- */

/* "a,b,c"; `all` stands for what the callback adds. */
static bool read_names(struct sweep *s, const char *option, const char *list,
                       void (*add_all)(struct sweep_words *out), struct sweep_words *out, struct err *e) {
    while (list) {
        const size_t n = strcspn(list, ",");
        if (!n) return err_set(e, ERR_INPUT, "--%s: an empty name in the list", option);
        const char *name = arena_strndup(&s->mem, list, n);
        if (add_all && !strcmp(name, "all"))
            add_all(out);
        else
            VEC_PUSH(&out->v, name);
        list = list[n] ? list + n + 1 : NULL;
    }
    return true;
}

static void all_workloads(struct sweep_words *out) {
    for (const struct workload *w = workload_list; w->name; w++) VEC_PUSH(&out->v, w->name);
}

static void all_mechs(struct sweep_words *out) {
    const char *name;
    for (size_t i = 0; !hd_mech_at(i, &name, NULL); i++) VEC_PUSH(&out->v, name);
}

/* An axis that has an option of its own. */
static bool read_own(struct sweep *s, const struct opts *o, const char *option, unsigned rank,
                     void (*add_all)(struct sweep_words *out), struct err *e) {
    struct sweep_words names = {0};
    struct sb from = {0};
    if (!opts_has(o, option)) return true;
    sb_add(&from, "--%s", option);
    bool fine = read_names(s, option, opts_value(o, option), add_all, &names, e) &&
                sweep_axes_add_axis(s, sb_keep(&from, &s->mem), own_option[rank], rank, &names, e);
    sb_free(&from);
    VEC_FREE(&names.v);
    return fine;
}

/* A workload in the builds that --isa asks for; a file is what it is. */
static bool add_builds(const char *name, const struct sweep_words *isas, struct sweep_words *out,
                       struct err *e) {
    const struct workload *w = workload_find(name + (*name == '@')), *build;
    enum work_isa isa;
    if (!w) VEC_PUSH(&out->v, name);
    for (size_t i = 0; w && i < isas->v.n; i++) {
        if (!lab_isa(isas->v.v[i], &isa, e)) return err_set(e, ERR_INPUT, "--isa: %s", err_text(e));
        if (!(build = lab_build(w, isa, e))) return false;
        VEC_PUSH(&out->v, build->name);
    }
    return true;
}

static bool has_workload(const struct sweep_words *names) {
    for (size_t i = 0; i < names->v.n; i++)
        if (workload_find(names->v.v[i] + (*names->v.v[i] == '@'))) return true;
    return false;
}

/* Every workload in every build. */
static bool choose_builds(struct sweep *s, const struct opts *o, struct sweep_words *names, struct err *e) {
    struct sweep_words isas = {0}, builds = {0};
    if (!opts_has(o, "isa")) return true;
    bool fine = read_names(s, "isa", opts_value(o, "isa"), NULL, &isas, e);
    if (fine && !has_workload(names))
        fine = err_set(e, ERR_INPUT, "--isa is for workloads that the command line names, and there is none");
    for (size_t i = 0; fine && i < names->v.n; i++) fine = add_builds(names->v.v[i], &isas, &builds, e);
    VEC_FREE(&isas.v);
    VEC_FREE(&names->v);
    *names = builds;
    return fine;
}

/* --workloads, then operands, then --program. */
static bool read_workloads(struct sweep *s, const struct opts *o, struct err *e) {
    struct sweep_words names = {0};
    bool fine = read_names(s, "workloads", opts_value(o, "workloads"), all_workloads, &names, e);
    for (size_t i = 0; i < o->operands.n; i++) VEC_PUSH(&names.v, o->operands.v[i]);
    fine = fine && choose_builds(s, o, &names, e);
    for (size_t i = 0; i < opts_count(o, "program"); i++) {
        struct sb words = {0};
        sb_add(&words, "$ %s", opts_nth(o, "program", i));
        VEC_PUSH(&names.v, sb_keep(&words, &s->mem));
    }
    fine =
        fine && (!names.v.n || sweep_axes_add_axis(s, "--workloads", "workload", RANK_WORKLOAD, &names, e));
    VEC_FREE(&names.v);
    return fine;
}

static bool own_key(const char *key, const char **option) {
    for (size_t i = 0; i < OWN; i++)
        if (!strcmp(key, own_option[i])) return *option = i ? own_option[i] : "workloads", true;
    return false;
}

/* KEY=: the bytes up to the values, or 0. */
static size_t key_length(const char *text) {
    const char *equals = strchr(text, '=');
    return equals && equals != text ? (size_t)(equals + 1 - text) : 0;
}

/* The values of every --set of the same KEY= as the one of that number. */
static bool set_values(struct sweep *s, const struct opts *o, unsigned number, struct sweep_words *out,
                       struct err *e) {
    const char *first = opts_nth(o, "set", number);
    const size_t n = key_length(first);
    for (size_t i = number; i < opts_count(o, "set"); i++) {
        const char *text = opts_nth(o, "set", i);
        if (!strncmp(text, first, n) && !sweep_values(text + n, &s->mem, out, e)) return false;
    }
    return true;
}

static bool set_before(const struct opts *o, unsigned number) {
    const char *text = opts_nth(o, "set", number);
    for (size_t i = 0; i < number; i++)
        if (!strncmp(opts_nth(o, "set", i), text, key_length(text))) return true;
    return false;
}

static bool read_set(struct sweep *s, const struct opts *o, unsigned number, struct err *e) {
    const char *text = opts_nth(o, "set", number), *option;
    const size_t n = key_length(text);
    struct sweep_words values = {0};
    struct sb from = {0};
    if (!n) return err_set(e, ERR_INPUT, "--set %.60s is not KEY=VALUE,..., as in --set gpu.sms=1,2,4", text);
    if (set_before(o, number)) return true;
    const char *key = arena_strndup(&s->mem, text, n - 1);
    if (own_key(key, &option))
        return err_set(e, ERR_INPUT, "--set %s: that is what --%s is for", key, option);
    sb_add(&from, "--set %s", key);
    bool fine =
        set_values(s, o, number, &values, e) || err_set(e, ERR_INPUT, "%s: %s", from.text, err_text(e));
    fine =
        fine && sweep_axes_add_axis(s, arena_strdup(&s->mem, from.text), key, RANK_SET + number, &values, e);
    VEC_FREE(&values.v);
    sb_free(&from);
    return fine;
}

/* ---- a file ---- */

static unsigned rank_of(const char *key) {
    for (unsigned i = 0; i < OWN; i++)
        if (!strcmp(key, own_option[i])) return i;
    return RANK_FILE;
}

/* Its tables outlive it in s->mem. */
static bool sweep_axes_add_table(struct sweep *s, const struct sweep_table *t, struct err *e) {
    const size_t nkeys = t->keys.v.n, nrows = t->lines.n;
    struct sweep_group g = {.from = t->file, .nkeys = nkeys, .nrows = nrows, .rank = RANK_FILE};
    const char **keys = ARENA_NEW(&s->mem, const char *, nkeys);
    unsigned *lines = ARENA_NEW(&s->mem, unsigned, nrows);
    g.cells = ARENA_NEW(&s->mem, const char *, nkeys *nrows);
    memcpy(keys, t->keys.v.v, nkeys * sizeof *keys);
    memcpy(lines, t->lines.v, nrows * sizeof *lines);
    memcpy(g.cells, t->cells.v, nkeys * nrows * sizeof *g.cells);
    g.keys = keys;
    g.lines = lines;
    for (size_t k = 0; k < nkeys; k++)
        if (rank_of(keys[k]) < g.rank) g.rank = rank_of(keys[k]);
    return add_group(s, g, e);
}

static bool sweep_axes_read_file(struct sweep *s, const char *path, struct err *e) {
    struct sb text = {0};
    struct sweep_table t = {0};
    if (!path) return true;
    bool fine = file_read(path, &text, e);
    if (fine && text.len && memchr(text.text, 0, text.len))
        fine = err_set(e, ERR_INPUT, "%s is not a text file", path);
    fine = fine && sweep_table_parse(path, text.text ? text.text : "", &s->mem, &t, e) &&
           sweep_axes_add_table(s, &t, e);
    sweep_table_free(&t);
    sb_free(&text);
    return fine;
}

/* ---- seeds ---- */

/* What the model of memory draws at random, and the inputs of programs that ask for a seed. */
static bool read_seeds(struct sweep *s, const struct opts *o, struct err *e) {
    enum { MOST = 10000 };
    static const char *const keys[] = {"memory.seed", "seed"};
    const char *text = opts_value(o, "seeds");
    uint64_t n;
    if (!text) return true;
    if (!cli_number("--seeds", text, MOST, &n, e)) return false;
    if (!n) return err_set(e, ERR_INPUT, "--seeds: N is at least 1");
    struct sweep_group g = {.from = "--seeds", .keys = keys, .nkeys = 2, .nrows = n, .rank = RANK_SEEDS};
    g.cells = ARENA_NEW(&s->mem, const char *, 2 * n);
    for (size_t i = 0; i < n; i++) {
        struct sb value = {0};
        sb_add(&value, "%zu", i + 1);
        g.cells[2 * i] = g.cells[2 * i + 1] = sb_keep(&value, &s->mem);
    }
    return add_group(s, g, e);
}

/* ---- zips ---- */

static bool find_single(const struct sweep *s, const char *key, size_t *number, struct err *e) {
    size_t column;
    const struct sweep_group *g = sweep_axis(s, key, &column);
    if (!g) return err_set(e, ERR_INPUT, "--zip: %.60s is not an axis of this sweep", key);
    if (g->lines) return err_set(e, ERR_INPUT, "--zip: %.60s is a column of %.60s already", key, g->from);
    if (g->nkeys > 1) return err_set(e, ERR_INPUT, "--zip: %.60s goes with another axis already", key);
    *number = (size_t)(g - s->groups.v);
    return true;
}

/* The second group's axis becomes a column of the first. */
static void sweep_axes_join(struct sweep *s, struct sweep_group *a, const struct sweep_group *b) {
    const size_t n = a->nkeys + 1;
    const char **keys = ARENA_NEW(&s->mem, const char *, n),
               **cells = ARENA_NEW(&s->mem, const char *, n * a->nrows);
    memcpy(keys, a->keys, a->nkeys * sizeof *keys);
    keys[n - 1] = b->keys[0];
    for (size_t r = 0; r < a->nrows; r++) {
        memcpy(cells + r * n, a->cells + r * a->nkeys, a->nkeys * sizeof *cells);
        cells[r * n + n - 1] = b->cells[r];
    }
    a->keys = keys;
    a->cells = cells;
    a->nkeys = n;
    if (b->rank < a->rank) a->rank = b->rank;
}

static bool zip(struct sweep *s, const struct sweep_words *keys, struct err *e) {
    struct sweep_group all = {0};
    for (size_t i = 0; i < keys->v.n; i++) {
        size_t number = 0;
        if (!find_single(s, keys->v.v[i], &number, e)) return false;
        struct sweep_group g = s->groups.v[number];
        if (i && g.nrows != all.nrows)
            return err_set(e, ERR_INPUT, "--zip: %.60s has %zu values and %.60s %zu", all.keys[0], all.nrows,
                           g.keys[0], g.nrows);
        if (i)
            sweep_axes_join(s, &all, &g);
        else
            all = g;
        s->groups.v[number] = s->groups.v[--s->groups.n];
    }
    VEC_PUSH(&s->groups, all);
    return true;
}

static bool read_zip(struct sweep *s, const char *list, struct err *e) {
    struct sweep_words keys = {0};
    bool fine = read_names(s, "zip", list, NULL, &keys, e) &&
                (keys.v.n > 1 || err_set(e, ERR_INPUT,
                                         "--zip %.60s: two axes or more go together, as in "
                                         "--zip gpu.sms,l2.sets",
                                         list)) &&
                zip(s, &keys, e);
    VEC_FREE(&keys.v);
    return fine;
}

/* ---- all ---- */

static int by_rank(const void *a, const void *b) {
    const struct sweep_group *x = a, *y = b;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

bool sweep_axes(struct sweep *s, const struct opts *o, struct err *e) {
    if (!read_workloads(s, o, e) || !read_own(s, o, "size", RANK_SIZE, NULL, e) ||
        !read_own(s, o, "config", RANK_CONFIG, NULL, e) || !read_own(s, o, "mech", RANK_MECH, all_mechs, e))
        return false;
    for (unsigned i = 0; i < opts_count(o, "set"); i++)
        if (!read_set(s, o, i, e)) return false;
    if (!sweep_axes_read_file(s, opts_value(o, "points"), e) || !read_seeds(s, o, e)) return false;
    for (size_t i = 0; i < opts_count(o, "zip"); i++)
        if (!read_zip(s, opts_nth(o, "zip", i), e)) return false;
    if (s->groups.n) qsort(s->groups.v, s->groups.n, sizeof *s->groups.v, by_rank); /* ranks differ */
    return sweep_read_names(s, e);
}
