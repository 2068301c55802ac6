/* From groups to points: their cross product, the last group changing fastest, without the combinations that a condition
 * leaves out. A condition is asked before a point is worked out, so that it can also keep machines away that cannot be. */
#include <stdlib.h>
#include <string.h>

#include "lab/sweep/sweep.h"
#include "mech/mech.h"

/* A combination: which row each group is at. */
struct place {
    const struct sweep *s;
    size_t *row;
    hd_option *values; /* room for those of s->names */
};

/* Where it lies on an axis; NULL: there is no such axis, or this row leaves it alone. */
static const char *sweep_points_value_at(const struct place *p, const char *key) {
    size_t column;
    const struct sweep_group *g = sweep_axis(p->s, key, &column);
    return g ? g->cells[p->row[g - p->s->groups.v] * g->nkeys + column] : NULL;
}

/* ---- subjects ---- */

static const char *bare_name(const char *text) {
    return text + (*text == '@');
}

/* Puts the place of a row of a file before what is wrong with it. */
static bool at_row(const struct sweep_group *g, size_t row, struct err *e) {
    if (!g->lines) return false;
    struct sb text = {0};
    sb_add(&text, "%s:%u: %s", g->from, g->lines[row], err_text(e));
    err_set(e, e->code, "%s", text.text);
    sb_free(&text);
    return false;
}

static bool sweep_points_read_subjects(struct sweep *s, struct err *e) {
    size_t column;
    const struct sweep_group *g = sweep_axis(s, "workload", &column);
    if (!g) return err_set(e, ERR_INPUT, "nothing to run: name files, or workloads by --workloads");
    for (size_t r = 0; r < g->nrows; r++) {
        const char *name = g->cells[r * g->nkeys + column];
        if (!name) return err_set(e, ERR_INPUT, "no workload is named"), at_row(g, r, e);
        if (!sweep_add_subject(s, name, e)) return at_row(g, r, e);
    }
    return true;
}

static bool check_sizes(const struct sweep *s, struct err *e) {
    size_t column;
    enum work_size size;
    const struct sweep_group *g = sweep_axis(s, "size", &column);
    for (size_t r = 0; g && r < g->nrows; r++) {
        const char *name = g->cells[r * g->nkeys + column];
        if (name && !lab_size(name, &size, e)) return at_row(g, r, e);
    }
    return true;
}

/* ---- conditions ---- */

static void list_axes(const struct sweep *s, struct sb *out) {
    for (size_t i = 0; i < s->groups.n; i++)
        for (size_t k = 0; k < s->groups.v[i].nkeys; k++)
            sb_add(out, "%s%s", out->len ? ", " : "", s->groups.v[i].keys[k]);
}

static bool has_value(const struct sweep *s, const char *key, const char *text) {
    size_t column;
    const struct sweep_group *g = sweep_axis(s, key, &column);
    for (size_t r = 0; r < g->nrows; r++) {
        const char *cell = g->cells[r * g->nkeys + column];
        if (cell && !strcmp(bare_name(cell), text)) return true;
    }
    return false;
}

/* A word is an axis, or a text that an axis is compared with and is somewhere: anything else is a slip. */
static bool check_word(void *user, const char *word, const char *other, struct err *e) {
    const struct sweep *s = user;
    size_t column;
    const bool axis = sweep_axis(s, word, &column), other_axis = other && sweep_axis(s, other, &column);
    if ((axis && !other) || (axis && other_axis)) return true;
    if (axis || other_axis) {
        const char *key = axis ? word : other, *text = axis ? other : word;
        return has_value(s, key, text) || err_set(e, ERR_INPUT, "%.60s is never '%.60s' here", key, text);
    }
    struct sb all = {0};
    list_axes(s, &all);
    err_set(e, ERR_INPUT, "'%.60s' is not an axis of this sweep; there are %.400s", word, all.text);
    sb_free(&all);
    return false;
}

static bool wrong_condition(const char *text, struct err *e) {
    return err_set(e, ERR_INPUT, "--skip-where '%.200s': %s", text, err_text(e));
}

bool sweep_conditions(struct sweep *s, struct err *e) {
    const struct sweep_visit check = {check_word, s};
    for (size_t i = 0; i < opts_count(s->opts, "skip-where"); i++) {
        const char *text = opts_nth(s->opts, "skip-where", i);
        const struct sweep_expr *x;
        if (!sweep_expr_parse(text, &s->mem, &x, e) || !sweep_expr_visit(x, &check, e))
            return wrong_condition(text, e);
        VEC_PUSH(&s->skip, x);
    }
    return true;
}

/* A mechanism's parameter says nothing about points of another. */
static bool of_other_mechanism(const struct place *p, const char *key) {
    const char *mech = sweep_points_value_at(p, "mech"), *dot = strchr(key, '.');
    if (!mech || !dot) return false;
    const size_t n = (size_t)(dot - key);
    for (const struct mech_ops *const *m = mech_list; *m; m++)
        if (strlen((*m)->name) == n && !strncmp((*m)->name, key, n))
            return strcspn(mech, ":") != n || strncmp(mech, key, n) != 0;
    return false;
}

/* Neither does a size about files, or an argument about what does not use it. */
static bool of_other_subject(const struct place *p, const char *key) {
    const struct sweep_subject *of = sweep_subject(p->s, sweep_points_value_at(p, "workload"));
    if (!strcmp(key, "size")) return !of->workload;
    if (sweep_key_kind(key) != SWEEP_ARGUMENT) return false;
    return !sweep_uses(p->s, of, key);
}

static bool find_name(const void *user, const char *name, const char **value) {
    const struct place *p = user;
    size_t column;
    if (!sweep_axis(p->s, name, &column)) return false;
    *value = of_other_mechanism(p, name) || of_other_subject(p, name) ? NULL : sweep_points_value_at(p, name);
    if (*value && !strcmp(name, "workload")) *value = bare_name(*value);
    return true;
}

static bool left_out(const struct place *p, bool *out, struct err *e) {
    const struct sweep_scope scope = {find_name, p};
    *out = false;
    for (size_t i = 0; i < p->s->skip.n && !*out; i++)
        if (!sweep_expr_true(p->s->skip.v[i], &scope, out, e))
            return wrong_condition(opts_nth(p->s->opts, "skip-where", i), e);
    return true;
}

/* ---- blame ---- */

/* Where the combination lies on the axes of that kind, or with SWEEP_OWN on all, that have several values. */
static void name_place(const struct place *p, enum sweep_key_kind kind, struct sb *out) {
    for (size_t i = 0; i < p->s->groups.n; i++) {
        const struct sweep_group *g = &p->s->groups.v[i];
        for (size_t k = 0; k < g->nkeys && g->nrows > 1; k++) {
            const char *value = g->cells[p->row[i] * g->nkeys + k];
            if (value && (kind == SWEEP_OWN || kind == sweep_key_kind(g->keys[k])))
                sb_add(out, "%s%s=%s", out->len ? " " : "", g->keys[k], value);
        }
    }
}

static bool blame(const struct place *p, enum sweep_key_kind kind, struct err *e) {
    const struct sweep_group *file = sweep_file(p->s);
    struct sb text = {0};
    if (file) return at_row(file, p->row[file - p->s->groups.v], e);
    name_place(p, kind, &text);
    if (text.len) {
        sb_add(&text, ": %s", err_text(e));
        err_set(e, e->code, "%s", text.text);
    }
    sb_free(&text);
    return false;
}

/* ---- points ---- */

/* The options that the groups say something about. */
static void add_settings(struct sweep *s, const struct place *p, struct lab_point *out) {
    size_t most = 0;
    for (size_t i = 0; i < s->groups.n; i++) most += s->groups.v[i].nkeys;
    hd_option *list = ARENA_NEW(&s->mem, hd_option, most + 1);
    for (size_t i = 0; i < s->groups.n; i++) {
        const struct sweep_group *g = &s->groups.v[i];
        for (size_t k = 0; k < g->nkeys; k++) {
            const char *value = g->cells[p->row[i] * g->nkeys + k];
            if (value && sweep_key_kind(g->keys[k]) == SWEEP_SETTING)
                list[out->nsettings++] = (hd_option){g->keys[k], value};
        }
    }
    out->settings = list;
}

static bool add_subject(struct sweep *s, const struct place *p, struct lab_point *out, struct err *e) {
    struct sweep_subject *of = sweep_subject(s, sweep_points_value_at(p, "workload"));
    const char *size = sweep_points_value_at(p, "size");
    out->subject = (struct lab_subject){.workload = of->workload, .size = WORK_SMALL};
    if (of->workload) return !size || lab_size(size, &out->subject.size, e);
    for (size_t i = 0; i < s->names.n; i++)
        p->values[i] = (hd_option){s->names.v[i], sweep_points_value_at(p, s->names.v[i])};
    if (of->command && !out->config) out->config = HD_CONFIG_CUDA; /* as of heddle cuda */
    const struct sweep_variant *v = sweep_variant(s, of, p->values, e);
    if (!v) return blame(p, SWEEP_ARGUMENT, e);
    out->subject = v->lab;
    out->arguments = v->arguments;
    out->narguments = v->narguments;
    return true;
}

static bool add_point(struct sweep *s, const struct place *p, size_t number, struct err *e) {
    struct lab_point out = {.config = sweep_points_value_at(p, "config"),
                            .mech = sweep_points_value_at(p, "mech")};
    if (s->points.n == SWEEP_MOST) return err_set(e, ERR_INPUT, "more than %d points", SWEEP_MOST);
    if (!add_subject(s, p, &out, e)) return false;
    add_settings(s, p, &out);
    VEC_PUSH(&s->points, out);
    VEC_PUSH(&s->number, number);
    return true;
}

static bool count_combinations(const struct sweep *s, size_t *n, struct err *e) {
    enum { MOST_COMBINATIONS = 10 * 1000 * 1000 };
    *n = 1;
    for (size_t i = 0; i < s->groups.n; i++) {
        *n *= s->groups.v[i].nrows;
        if (*n > MOST_COMBINATIONS)
            return err_set(e, ERR_INPUT, "more than %d combinations", MOST_COMBINATIONS);
    }
    return true;
}

/* The rows of a combination are the digits of its number. */
static void set_rows(const struct sweep *s, size_t number, size_t *row) {
    for (size_t i = s->groups.n; i-- > 0;) {
        row[i] = number % s->groups.v[i].nrows;
        number /= s->groups.v[i].nrows;
    }
}

static struct place sweep_points_place(struct sweep *s) {
    return (struct place){s, ARENA_NEW(&s->mem, size_t, s->groups.n + 1),
                          ARENA_NEW(&s->mem, hd_option, s->names.n + 1)};
}

static bool sweep_points_add(struct sweep *s, struct err *e) {
    const struct place p = sweep_points_place(s);
    size_t n;
    if (!count_combinations(s, &n, e)) return false;
    for (size_t i = 0; i < n; i++) {
        bool out;
        set_rows(s, i, p.row);
        if (!left_out(&p, &out, e)) return false;
        s->left_out += out;
        if (!out && !add_point(s, &p, i, e)) return false;
    }
    return s->points.n || err_set(e, ERR_INPUT, "--skip-where leaves no point");
}

static bool find_points(struct sweep *s, struct err *e) {
    sweep_guess_names(s);
    return sweep_points_add(s, e);
}

bool sweep_points(struct sweep *s, struct err *e) {
    return sweep_points_read_subjects(s, e) && check_sizes(s, e) && sweep_check_options(s, e) &&
           find_points(s, e) && sweep_check_names(s, e);
}

bool sweep_blame(struct sweep *s, size_t point, struct err *e) {
    const struct place p = sweep_points_place(s);
    set_rows(s, s->number.v[point], p.row);
    return blame(&p, SWEEP_OWN, e);
}

void sweep_free(struct sweep *s) {
    sweep_free_subjects(s);
    VEC_FREE(&s->groups);
    VEC_FREE(&s->skip);
    VEC_FREE(&s->points);
    VEC_FREE(&s->number);
    arena_free(&s->mem);
}
