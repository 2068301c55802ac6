/* Points for notebooks: a column for each axis, so that the options of a point need not be taken apart, and a column
 * for each statistic (Parquet) or a row for each (the long form, CSV or Parquet). In Parquet an axis of numbers is a
 * column of numbers. */
#include <stdlib.h>
#include <string.h>

#include "lab/results/results.h"
#include "report/csv.h"
#include "report/parquet.h"

/* ---- columns ---- */

/* An axis as a column; an option that a point does not have ("-") is no value. */
struct frame_axis {
    struct axis axis;
    enum parquet_kind kind;
    bool option;
};

struct frame {
    struct results *r;
    VEC(struct frame_axis) axes;
    struct results_value *values;
    size_t nvalues;
};

static bool absent(const struct frame_axis *a, const char *place) {
    return a->option && !strcmp(place, "-");
}

static bool whole_number(const char *place, int64_t *value) {
    char *end;
    *value = strtoll(place, &end, 10);
    return end != place && !*end;
}

/* Numbers if all places are, whole ones if all are that. */
static enum parquet_kind results_frame_kind_of(const struct frame_axis *a) {
    enum parquet_kind kind = PARQUET_WHOLE;
    bool any = false;
    for (size_t i = 0; a->option && i < a->axis.places.n; i++) {
        const char *place = a->axis.places.v[i];
        double real;
        int64_t whole;
        if (absent(a, place)) continue;
        any = true;
        if (!axis_place_number(place, &real)) return PARQUET_TEXT;
        if (!whole_number(place, &whole)) kind = PARQUET_REAL;
    }
    return any ? kind : PARQUET_TEXT;
}

static void results_frame_add_axis(struct frame *f, struct axis axis, bool option) {
    struct frame_axis a = {.axis = axis, .option = option};
    a.kind = results_frame_kind_of(&a);
    VEC_PUSH(&f->axes, a);
}

static void add_named(struct frame *f, const char *const *names) {
    for (; *names; names++) {
        struct axis a;
        axis_make(&a, *names, f->r->chosen.v, f->r->chosen.n);
        results_frame_add_axis(f, a, false);
    }
}

static bool is_option(const char *name) {
    for (const char *const *axis = store_axes; *axis; axis++)
        if (!strcmp(*axis, name)) return false;
    return true;
}

static void add_errors(struct frame *f) {
    const char **text = xcalloc(f->r->chosen.n + 1, sizeof *text);
    struct axis a;
    for (size_t i = 0; i < f->r->chosen.n; i++) text[i] = f->r->chosen.v[i]->error;
    axis_make_text(&a, "error", text, f->r->chosen.n);
    results_frame_add_axis(f, a, false);
    free(text);
}

static void frame_make(struct frame *f, bool in_long) {
    static const char *const none[] = {NULL}, *const first[] = {"workload", "size", "config", "mech", NULL},
                             *const last[] = {"version", "state", NULL};
    struct results_axes all = {0};
    add_named(f, first);
    results_axes_make(f->r, none, &all);
    for (size_t i = 0; i < all.v.n; i++) {
        if (is_option(all.v.v[i].name))
            results_frame_add_axis(f, all.v.v[i], true);
        else
            axis_free(&all.v.v[i]);
    }
    VEC_FREE(&all.v);
    add_named(f, last);
    if (!in_long) add_errors(f);
    f->nvalues = results_file_values(f->r, &f->values);
}

static void frame_free(struct frame *f) {
    for (size_t i = 0; i < f->axes.n; i++) axis_free(&f->axes.v[i].axis);
    VEC_FREE(&f->axes);
    free(f->values);
}

/* ---- long CSV ---- */

static void long_head(const struct frame *f, struct sb *out) {
    for (size_t i = 0; i < f->axes.n; i++) csv_text(out, f->axes.v[i].axis.name);
    csv_text(out, "statistic");
    csv_text(out, "value");
    csv_end_row(out);
}

static void long_point(const struct frame *f, size_t point, struct sb *out) {
    const struct store_row *row = f->r->chosen.v[point];
    struct sb before = {0};
    for (size_t i = 0; i < f->axes.n; i++) {
        const struct frame_axis *a = &f->axes.v[i];
        const char *place = a->axis.places.v[a->axis.at[point]];
        csv_text(&before, absent(a, place) ? "" : place);
    }
    for (size_t v = 0; v < f->nvalues; v++) {
        double number;
        if (!results_number(row, &f->values[v], &number)) continue;
        sb_addn(out, before.text, before.len);
        csv_text(out, f->values[v].name);
        sb_addn(out, ",", 1);
        results_exact(row, &f->values[v], out);
        csv_end_row(out);
    }
    sb_free(&before);
}

bool results_long_csv(struct results *r, struct sb *out, struct err *e) {
    enum { MOST_ROWS = 20000000 }; /* rows of some 70 bytes, in memory */
    struct frame f = {.r = r};
    frame_make(&f, true);
    const size_t rows = f.nvalues * r->chosen.n;
    if (rows <= MOST_ROWS) {
        long_head(&f, out);
        for (size_t i = 0; i < r->chosen.n; i++) long_point(&f, i, out);
    }
    frame_free(&f);
    return rows <= MOST_ROWS ||
           err_set(
               e, ERR_INPUT,
               "--long --csv: %zu rows are too many (at most %d): choose statistics by --value, points by "
               "--only, or write --parquet",
               rows, MOST_ROWS);
}

/* ---- Parquet ---- */

/* Room for one column in one group of rows. */
struct arrays {
    uint32_t *word;
    int64_t *whole;
    double *real;
    bool *has;
    size_t rows;
};

static struct arrays arrays_make(size_t rows) {
    return (struct arrays){.word = xcalloc(rows, sizeof(uint32_t)),
                           .whole = xcalloc(rows, sizeof(int64_t)),
                           .real = xcalloc(rows, sizeof(double)),
                           .has = xcalloc(rows, sizeof(bool)),
                           .rows = rows};
}

static void arrays_free(struct arrays *a) {
    free(a->word);
    free(a->whole);
    free(a->real);
    free(a->has);
}

/* point: which one a row is of. */
static void put_axis(struct parquet *p, const struct frame_axis *a, struct arrays *to, const uint32_t *point,
                     size_t rows) {
    const size_t n = a->axis.places.n;
    int64_t *whole = xcalloc(n, sizeof *whole);
    double *real = xcalloc(n, sizeof *real);
    for (size_t i = 0; i < n; i++) { /* what is no number is no value, either */
        whole_number(a->axis.places.v[i], &whole[i]);
        axis_place_number(a->axis.places.v[i], &real[i]);
    }
    for (size_t i = 0; i < rows; i++) {
        to->word[i] = a->axis.at[point[i]];
        to->has[i] = !absent(a, a->axis.places.v[to->word[i]]);
    }
    parquet_add(p,
                &(struct parquet_values){.word = to->word,
                                         .nwords = n,
                                         .text = a->axis.places.v,
                                         .whole = whole,
                                         .real = real,
                                         .has = to->has},
                rows);
    free(whole);
    free(real);
}

/* Whole numbers, unless a point has another one. */
static enum parquet_kind kind_of_value(const struct frame *f, const struct results_value *v) {
    if (v->host) return PARQUET_REAL;
    bool any = false;
    for (size_t i = 0; i < f->r->chosen.n; i++) {
        const enum store_kind kind = f->r->chosen.v[i]->values[v->at].kind;
        if (kind == STORE_REAL) return PARQUET_REAL;
        any = any || kind == STORE_WHOLE;
    }
    return any || !strcmp(results_kind(v->name), "int") ? PARQUET_WHOLE : PARQUET_REAL;
}

static void put_value(const struct frame *f, struct parquet *p, const struct results_value *v,
                      struct arrays *to) {
    for (size_t i = 0; i < f->r->chosen.n; i++) {
        const struct store_row *row = f->r->chosen.v[i];
        to->has[i] = results_number(row, v, &to->real[i]);
        if (to->has[i] && !v->host) to->whole[i] = row->values[v->at].whole;
    }
    parquet_add(p, &(struct parquet_values){.whole = to->whole, .real = to->real, .has = to->has},
                f->r->chosen.n);
}

static void write_wide(const struct frame *f, struct parquet *p, struct arrays *to) {
    const size_t rows = f->r->chosen.n;
    uint32_t *point = xcalloc(rows, sizeof *point);
    for (size_t i = 0; i < rows; i++) point[i] = (uint32_t)i;
    for (size_t i = 0; i < f->axes.n; i++) put_axis(p, &f->axes.v[i], to, point, rows);
    for (size_t v = 0; v < f->nvalues; v++) put_value(f, p, &f->values[v], to);
    free(point);
}

/* The point and the statistic of each row of a group. */
struct long_rows {
    uint32_t *point, *value;
    size_t n;
};

static void flush_long(const struct frame *f, struct parquet *p, struct long_rows *rows, struct arrays *to) {
    const char **names = xcalloc(f->nvalues + 1, sizeof *names);
    if (rows->n) {
        for (size_t i = 0; i < f->axes.n; i++) put_axis(p, &f->axes.v[i], to, rows->point, rows->n);
        for (size_t v = 0; v < f->nvalues; v++) names[v] = f->values[v].name;
        for (size_t i = 0; i < rows->n; i++)
            results_number(f->r->chosen.v[rows->point[i]], &f->values[rows->value[i]], &to->real[i]);
        parquet_add(p, &(struct parquet_values){.word = rows->value, .nwords = f->nvalues, .text = names},
                    rows->n);
        parquet_add(p, &(struct parquet_values){.real = to->real}, rows->n);
    }
    rows->n = 0;
    free(names);
}

static void write_long(const struct frame *f, struct parquet *p, struct arrays *to) {
    struct long_rows rows = {.point = xcalloc(to->rows, sizeof *rows.point),
                             .value = xcalloc(to->rows, sizeof *rows.value)};
    for (size_t i = 0; i < f->r->chosen.n; i++)
        for (size_t v = 0; v < f->nvalues; v++) {
            double number;
            if (!results_number(f->r->chosen.v[i], &f->values[v], &number)) continue;
            rows.point[rows.n] = (uint32_t)i;
            rows.value[rows.n++] = (uint32_t)v;
            if (rows.n == to->rows) flush_long(f, p, &rows, to);
        }
    flush_long(f, p, &rows, to);
    free(rows.point);
    free(rows.value);
}

static size_t columns_of(const struct frame *f, bool in_long, struct parquet_column **out) {
    struct parquet_column *c = xcalloc(f->axes.n + f->nvalues + 2, sizeof *c);
    size_t n = 0;
    for (size_t i = 0; i < f->axes.n; i++)
        c[n++] = (struct parquet_column){f->axes.v[i].axis.name, f->axes.v[i].kind};
    if (in_long) {
        c[n++] = (struct parquet_column){"statistic", PARQUET_TEXT};
        c[n++] = (struct parquet_column){"value", PARQUET_REAL};
    }
    for (size_t v = 0; v < f->nvalues && !in_long; v++)
        c[n++] = (struct parquet_column){f->values[v].name, kind_of_value(f, &f->values[v])};
    *out = c;
    return n;
}

bool results_parquet(struct results *r, bool in_long, struct sb *out, struct err *e) {
    enum { LONG_GROUP = 1 << 20, MOST_POINTS = 1 << 26 };
    if (!r->chosen.n) return err_set(e, ERR_INPUT, "--parquet: there are no points");
    if (r->chosen.n > MOST_POINTS) return err_set(e, ERR_INPUT, "--parquet: there are too many points");
    struct frame f = {.r = r};
    struct parquet_column *columns;
    frame_make(&f, in_long);
    struct sb creator = {0};
    sb_add(&creator, "heddle version %s", hd_version());
    struct parquet p = {.out = out, .creator = creator.text};
    p.ncolumns = columns_of(&f, in_long, &columns);
    p.columns = columns;
    struct arrays to = arrays_make(in_long ? LONG_GROUP : r->chosen.n);
    parquet_begin(&p);
    (in_long ? write_long : write_wide)(&f, &p, &to);
    parquet_end(&p);
    arrays_free(&to);
    sb_free(&creator);
    free(columns);
    frame_free(&f);
    return true;
}
