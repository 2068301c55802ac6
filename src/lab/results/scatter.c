/* `heddle results --plot scatter --svg`: a dot for each cell of the table, where its two statistics put it; a colour for each
 * column, a label for each row. Where cells are means, whiskers both ways.
 *
 * Dots that fall on each other are drawn once, so that a picture of 10^5 points stays one that a browser can show. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/results/gnuplot.h"
#include "lab/results/results.h"

enum { WIDTH = 760, HEIGHT = 520, MOST_LABELS = 60, GRID = 400, MANY_DOTS = 5000 };

struct dot {
    double x, y, x_low, x_high, y_low, y_high;
    const struct store_row *head; /* a point of its row */
};
struct dots {
    VEC(struct dot) v;
};

struct extent {
    double low, high;
    bool log;
};

/* ---- dots ---- */

static double scale_of(const struct results *r, size_t value) {
    const bool percent = !strcmp(results_kind(r->values.v[value].name), "percent");
    return percent && (value || !r->relative_to) ? 100 : 1;
}

static void results_scatter_spread(const struct results *r, const struct pivot_cell *c, double times,
                                   bool log, double *low, double *high) {
    if (!results_spread_of(r, c, low, high)) *low = *high = c->value;
    if (log && !(*low > 0)) *low = c->value; /* the whisker ends where the axis does */
    *low *= times;
    *high *= times;
}

static void dots_of(const struct results *r, size_t col, struct dots *out) {
    const double tx = scale_of(r, 1), ty = scale_of(r, 0);
    for (size_t row = 0; row < r->pivot.row_heads.n; row++) {
        const struct pivot_cell *x = pivot_cell(&r->x_pivot, row, col), *y = pivot_cell(&r->pivot, row, col);
        if (!x->has || !y->has) continue;
        struct dot d = {.x = x->value * tx, .y = y->value * ty, .head = r->pivot.row_heads.v[row]};
        results_scatter_spread(r, x, tx, r->log_x == LOG_ON, &d.x_low, &d.x_high);
        results_scatter_spread(r, y, ty, r->log_y == LOG_ON, &d.y_low, &d.y_high);
        VEC_PUSH(&out->v, d);
    }
}

static void results_scatter_widen(struct extent *e, double v) {
    e->low = fmin(e->low, v);
    e->high = fmax(e->high, v);
}

static long grid_place(const struct extent *e, double v) {
    const double low = e->log ? log(e->low) : e->low, high = e->log ? log(e->high) : e->high;
    return high > low ? lround(GRID * ((e->log ? log(v) : v) - low) / (high - low)) : 0;
}

struct extents {
    struct extent x, y;
};

static int results_scatter_by_place(const void *a, const void *b, void *user) {
    const struct dot *p = a, *q = b;
    const struct extents *e = user;
    const long x = grid_place(&e->x, p->x) - grid_place(&e->x, q->x),
               y = grid_place(&e->y, p->y) - grid_place(&e->y, q->y);
    return x ? (x < 0 ? -1 : 1) : (y > 0) - (y < 0);
}

/* One of those that lie within two pixels or so of each other. */
static void thin(struct dots *d, struct extents *e) {
    size_t kept = 0;
    if (!d->v.n) return;
    qsort_r(d->v.v, d->v.n, sizeof *d->v.v, results_scatter_by_place, e);
    for (size_t i = 0; i < d->v.n; i++)
        if (!kept || results_scatter_by_place(&d->v.v[i], &d->v.v[kept - 1], e)) d->v.v[kept++] = d->v.v[i];
    d->v.n = kept;
}

/* ---- the script ---- */

/* x, y, their spreads, label. */
static void add_dots(const struct results *r, size_t col, const struct dots *d, bool labels, struct sb *s) {
    sb_add(s, "$s%zu << END\n", col);
    for (size_t i = 0; i < d->v.n; i++) {
        const struct dot *p = &d->v.v[i];
        sb_add(s, "%.10g %.10g %.10g %.10g %.10g %.10g", p->x, p->y, p->x_low, p->x_high, p->y_low,
               p->y_high);
        if (labels) {
            struct sb label = {0};
            pivot_label(&r->pivot.rows, p->head, &label);
            for (char *c = label.text; *c; c++) /* the label is one word of a line */
                *c = *c == '"' ? '\'' : (unsigned char)*c < ' ' || *c == '\\' ? ' ' : *c;
            sb_add(s, " \"%s\"", label.text);
            sb_free(&label);
        }
        sb_add(s, "\n");
    }
    sb_add(s, "END\n");
}

static void add_name(const struct results *r, char axis, size_t value, bool log, struct sb *s) {
    struct sb name = {0};
    const bool over = !value && r->relative_to;
    sb_add(&name, "%s%s%s%s", r->values.v[value].name, over ? " over that of " : "",
           over ? r->relative_to : "", scale_of(r, value) > 1 ? ", %" : "");
    sb_add(s, "set %clabel ", axis);
    gnuplot_quote(s, name.text);
    sb_add(s, "\nset %ctics nomirror\n", axis);
    if (log) sb_add(s, "set logscale %c 10\n", axis);
    sb_free(&name);
}

static void add_frame(const struct results *r, struct sb *s) {
    results_svg_begin(WIDTH, HEIGHT, s);
    sb_add(s,
           "set pointintervalbox 0\nset grid lc rgb '#d8dbe2' lt 1\nset key outside top center horizontal\n");
    add_name(r, 'x', 1, r->log_x == LOG_ON, s);
    add_name(r, 'y', 0, r->log_y == LOG_ON, s);
    results_svg_notes(r, s);
    if (r->relative_to)
        sb_add(s, "set arrow from graph 0, first 1 to graph 1, first 1 nohead lc rgb '#1b1c20' back\n");
}

static void add_plots(const struct results *r, const struct dots *all, bool labels, struct sb *s) {
    bool first = true;
    sb_add(s, "set offsets graph 0.03, graph 0.06, graph 0.03, graph 0.03\nplot ");
    for (size_t col = 0; col < r->pivot.col_heads.n; col++) {
        struct sb label = {0};
        if (!all[col].v.n) continue;
        sb_add(s, "%s", first ? "" : ", ");
        first = false;
        if (r->over_axes.v.n)
            sb_add(s, "$s%zu using 1:2:3:4:5:6 with xyerrorbars pt 7 ps 0 lc rgb '%s' notitle, ", col,
                   results_svg_colour(col));
        if (labels)
            sb_add(s,
                   "$s%zu using 1:2:7 with labels left offset char 0.6,0.4 font ',10' tc rgb '#585c66' "
                   "notitle, ",
                   col);
        sb_add(s, "$s%zu using 1:2 with points pt 7 ps 0.7 lc rgb '%s' title ", col, results_svg_colour(col));
        pivot_label(&r->pivot.cols, r->pivot.col_heads.v[col], &label);
        gnuplot_quote(s, label.text);
        sb_free(&label);
    }
    sb_add(s, "\n");
}

bool results_scatter_svg(const struct results *r, struct sb *s, struct err *e) {
    const size_t cols = r->pivot.col_heads.n;
    struct extents ends = {{INFINITY, -INFINITY, r->log_x == LOG_ON},
                           {INFINITY, -INFINITY, r->log_y == LOG_ON}};
    struct dots *all = xcalloc(cols + 1, sizeof *all);
    size_t n = 0;
    for (size_t col = 0; col < cols; col++) {
        dots_of(r, col, &all[col]);
        n += all[col].v.n;
        for (size_t i = 0; i < all[col].v.n; i++) {
            results_scatter_widen(&ends.x, all[col].v.v[i].x);
            results_scatter_widen(&ends.y, all[col].v.v[i].y);
        }
    }
    const bool labels = n <= MOST_LABELS;
    add_frame(r, s);
    for (size_t col = 0; col < cols; col++) {
        if (n > MANY_DOTS) thin(&all[col], &ends);
        add_dots(r, col, &all[col], labels, s);
    }
    if (n) add_plots(r, all, labels, s);
    for (size_t col = 0; col < cols; col++) VEC_FREE(&all[col].v);
    free(all);
    return n || err_set(e, ERR_INPUT, "--svg: no point has both %s and %s", r->values.v[1].name,
                        r->values.v[0].name);
}
