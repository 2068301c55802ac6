/* `heddle results --svg`: the table of --rows and --cols as a picture drawn by gnuplot. Bars: a group for each row, a bar for
 * each column. Lines: one for each column, over rows that are numbers. Heat: the table itself, its cells coloured. Where cells
 * are means, a whisker at a bar and a band around a line show how far their points lie apart. Colours and scales are those of
 * the page (src/page/js/results.js). scatter.c has the fourth kind. */
#include <math.h>
#include <stdlib.h>

#include "lab/results/gnuplot.h"
#include "lab/results/results.h"

static const char *const colours[] = {"#2f6fb7", "#d9731a", "#0f8f83", "#7b52ab", "#c23b55", "#b08c12",
                                      "#64727f", "#4f9a3d", "#8c5a3c", "#c65fa5", "#3aa6d0", "#9aa52e"};
enum { NCOLOURS = sizeof colours / sizeof *colours };

const char *results_svg_colour(size_t i) {
    return colours[i % NCOLOURS];
}

/* ---- what is drawn ---- */

static double results_svg_shown(const struct results *r, double value) {
    return results_in_percent(r) ? 100 * value : value;
}

/* The rows, and the row of means behind them. */
static size_t rows_drawn(const struct results *r) {
    return r->pivot.row_heads.n + (r->mean != PIVOT_NO_MEAN);
}

static bool results_svg_value_at(const struct results *r, size_t row, size_t col, double *value) {
    size_t n;
    if (row == r->pivot.row_heads.n) return pivot_mean(&r->pivot, r->mean, col, value, &n);
    const struct pivot_cell *cell = pivot_cell(&r->pivot, row, col);
    *value = cell->value;
    return cell->has;
}

static void row_label(const struct results *r, size_t row, struct sb *out) {
    if (row == r->pivot.row_heads.n)
        sb_add(out, "%s mean", pivot_mean_names[r->mean]);
    else
        pivot_label(&r->pivot.rows, r->pivot.row_heads.v[row], out);
}

static void col_label(const struct results *r, size_t col, struct sb *out) {
    pivot_label(&r->pivot.cols, r->pivot.col_heads.v[col], out);
}

static void quote_col(const struct results *r, size_t col, struct sb *s) {
    struct sb label = {0};
    col_label(r, col, &label);
    gnuplot_quote(s, label.text);
    sb_free(&label);
}

/* A value, and where its spread begins and ends; one point has none: no whisker, and a band as wide as its line. A band on a
 * logarithmic axis ends where that does. */
static void add_value(const struct results *r, size_t row, size_t col, struct sb *s) {
    double v, low, high;
    if (!results_svg_value_at(r, row, col, &v)) {
        sb_add(s, " NaN NaN NaN");
        return;
    }
    if (row == r->pivot.row_heads.n || !results_spread_of(r, pivot_cell(&r->pivot, row, col), &low, &high)) {
        if (r->plot != PLOT_LINES) {
            sb_add(s, " %.10g NaN NaN", results_svg_shown(r, v));
            return;
        }
        low = high = v;
    }
    if (r->log_y == LOG_ON && !(low > 0)) low = v;
    sb_add(s, " %.10g %.10g %.10g", results_svg_shown(r, v), results_svg_shown(r, low),
           results_svg_shown(r, high));
}

/* Where the rows of lines are: gnuplot need not know what is a number to heddle. */
static double row_number(const struct results *r, size_t row) {
    double x = 0;
    axis_place_number(store_place(r->pivot.row_heads.v[row], r->row_axes.v.v[0]), &x);
    return x;
}

/* The numbers as rows of a table that gnuplot calls $d: the row's number (or its place, of lines), then three of each column. */
static void results_svg_add_data(const struct results *r, struct sb *s) {
    sb_add(s, "$d << END\n");
    for (size_t row = 0; row < rows_drawn(r); row++) {
        if (r->plot == PLOT_LINES)
            sb_add(s, "%.10g", row_number(r, row));
        else
            sb_add(s, "%zu", row);
        for (size_t col = 0; col < r->pivot.col_heads.n; col++) add_value(r, row, col, s);
        sb_add(s, "\n");
    }
    sb_add(s, "END\n");
}

static void add_axis_name(const struct results *r, struct sb *s) {
    struct sb name = {0};
    sb_add(&name, "%s%s%s%s", r->values.v[0].name, r->relative_to ? " over that of " : "",
           r->relative_to ? r->relative_to : "", results_in_percent(r) ? ", %" : "");
    gnuplot_quote(s, name.text);
    sb_free(&name);
}

/* The label of a tick is a format of its number: a per cent sign is written twice. */
static void quote_tic(const char *label, struct sb *s) {
    struct sb text = {0};
    for (; *label; label++) sb_addn(&text, *label == '%' ? "%%" : label, *label == '%' ? 2 : 1);
    gnuplot_quote(s, text.text ? text.text : "");
    sb_free(&text);
}

static void add_tics(const struct results *r, char axis, size_t n,
                     void (*label)(const struct results *, size_t, struct sb *), struct sb *s) {
    sb_add(s, "set %ctics (", axis);
    for (size_t i = 0; i < n; i++) {
        struct sb text = {0};
        if (i) sb_add(s, ", ");
        label(r, i, &text);
        quote_tic(text.text, s);
        sb_add(s, " %zu", i);
        sb_free(&text);
    }
    sb_add(s, ") nomirror\n");
}

void results_svg_begin(size_t width, size_t height, struct sb *s) {
    sb_add(
        s,
        "set terminal svg noenhanced size %zu,%zu font 'sans-serif,13' background '#ffffff' name 'heddle'\n"
        "set encoding utf8\nset border 3 lc rgb '#585c66'\nset datafile missing 'NaN'\n",
        width, height);
}

static void results_begin(const struct results *r, size_t width, size_t height, struct sb *s) {
    results_svg_begin(width, height, s);
    results_svg_add_data(r, s);
}

void results_svg_notes(const struct results *r, struct sb *s) {
    struct sb text = {0};
    if (!r->over_axes.v.n) return;
    if (r->plot == PLOT_HEAT)
        sb_add(&text, "%s%s%s, ", r->values.v[0].name, r->relative_to ? " over that of " : "",
               r->relative_to ? r->relative_to : "");
    results_over_text(r, &text);
    if (r->plot != PLOT_HEAT)
        sb_add(&text, "; %s: %s", r->plot == PLOT_LINES ? "band" : "whiskers",
               r->spread == SPREAD_RANGE ? "smallest to largest" : "a standard deviation both ways");
    sb_add(s, "set title ");
    gnuplot_quote(s, text.text);
    sb_add(s, " font ',11'\n");
    sb_free(&text);
}

/* ---- bars and lines ---- */

static void common_axes(const struct results *r, struct sb *s) {
    sb_add(s, "set grid ytics lc rgb '#d8dbe2' lt 1\nset key outside top center horizontal\nset ylabel ");
    add_axis_name(r, s);
    sb_add(s, "\nset ytics nomirror\n%s", r->log_y == LOG_ON ? "set logscale y 10\n" : "");
    results_svg_notes(r, s);
    if (r->relative_to)
        sb_add(s, "set arrow from graph 0, first 1 to graph 1, first 1 nohead lc rgb '#1b1c20' front\n");
}

static size_t results_svg_between(size_t low, size_t v, size_t high) {
    return v < low ? low : v > high ? high : v;
}

/* Boxes beside each other: where those of a column stand, from the middle of their group. */
static double bar_place(size_t col, size_t n) {
    return ((double)col - ((double)n - 1) / 2) / ((double)n + 1);
}

static void add_bars(const struct results *r, struct sb *s) {
    const size_t n = r->pivot.col_heads.n, rows = rows_drawn(r);
    results_begin(r, results_svg_between(520, 140 + rows * (24 + 16 * n), 1800), 460, s);
    common_axes(r, s);
    add_tics(r, 'x', rows, row_label, s);
    sb_add(s, "set xtics %s\nset style fill solid noborder\nset xrange [-0.6:%zu.6]\n",
           rows > 8 ? "rotate by -40" : "norotate", rows - 1);
    sb_add(s, "set boxwidth %.6g\nset yrange [*<0:*]\nplot ", 1 / ((double)n + 1));
    for (size_t col = 0; col < n; col++) {
        sb_add(s, "%s$d using ($1%+.6g):%zu with boxes lc rgb '%s' title ", col ? ", " : "",
               bar_place(col, n), 3 * col + 2, results_svg_colour(col));
        quote_col(r, col, s);
    }
    for (size_t col = 0; r->over_axes.v.n && col < n; col++)
        sb_add(s,
               ", $d using ($1%+.6g):%zu:(0):($%zu-$%zu) with vectors heads size first %.6g,90 lw 1.2 lc rgb "
               "'#1b1c20' notitle",
               bar_place(col, n), 3 * col + 3, 3 * col + 4, 3 * col + 3, 0.25 / ((double)n + 1));
    sb_add(s, "\n");
}

/* A little more than from the first to the last, whose tick rounding would else put off the axis. */
static void add_log_x(const struct results *r, struct sb *s) {
    const size_t n = r->pivot.row_heads.n;
    const double low = row_number(r, 0), high = row_number(r, n - 1);
    enum { MOST_TICS = 16 };
    sb_add(s, "set logscale x 2\nset xrange [%.10g:%.10g]\n", low / 1.03, high * 1.03);
    if (n > MOST_TICS) return;
    sb_add(s, "set xtics (");
    for (size_t i = 0; i < n; i++) sb_add(s, "%s%.10g", i ? ", " : "", row_number(r, i));
    sb_add(s, ")\n");
}

static void add_lines(const struct results *r, struct sb *s) {
    const size_t n = r->pivot.col_heads.n;
    results_begin(r, 720, results_svg_between(460, 400 + 6 * n, 800), s);
    common_axes(r, s);
    sb_add(s, "set xlabel ");
    gnuplot_quote(s, r->row_axes.v.v[0]);
    sb_add(s, "\nset xtics nomirror\n");
    if (r->log_x == LOG_ON) add_log_x(r, s);
    sb_add(s, "set yrange [%s:*]\nplot ", r->log_y == LOG_ON ? "*" : "*<0");
    for (size_t col = 0; r->over_axes.v.n && col < n; col++)
        sb_add(s,
               "$d using 1:%zu:%zu with filledcurves fs transparent solid 0.2 noborder lc rgb '%s' notitle, ",
               3 * col + 3, 3 * col + 4, results_svg_colour(col));
    for (size_t col = 0; col < n; col++) {
        sb_add(s, "%s$d using 1:%zu with linespoints lw 2 pt 7 ps 0.5 lc rgb '%s' title ", col ? ", " : "",
               3 * col + 2, results_svg_colour(col));
        quote_col(r, col, s);
    }
    sb_add(s, "\n");
}

/* ---- heat ---- */

struct range {
    double low, high;
};

static struct range range_of(const struct results *r) {
    struct range all = {INFINITY, -INFINITY};
    for (size_t row = 0; row < rows_drawn(r); row++)
        for (size_t col = 0; col < r->pivot.col_heads.n; col++) {
            double v;
            if (!results_svg_value_at(r, row, col, &v)) continue;
            all.low = fmin(all.low, results_svg_shown(r, v));
            all.high = fmax(all.high, results_svg_shown(r, v));
        }
    return all;
}

/* Speed-ups go both ways from 1, anything else up from the least. */
static void add_palette(const struct results *r, struct sb *s) {
    const struct range all = range_of(r);
    if (r->relative_to) {
        const double span = fmax(fmax(all.high - 1, 1 - all.low), 1e-9);
        sb_add(s, "set palette defined (-1 '#9cc3ec', 0 '#ffffff', 1 '#f6b583')\nset cbrange [%.10g:%.10g]\n",
               1 - span, 1 + span);
    } else {
        sb_add(s, "set palette defined (0 '#ffffff', 1 '#f6b583')\nset cbrange [%.10g:%.10g]\n", all.low,
               all.high > all.low ? all.high : all.low + 1);
    }
}

/* column, row, value and its text */
static void add_cells(const struct results *r, struct sb *s) {
    sb_add(s, "$c << END\n");
    for (size_t row = 0; row < rows_drawn(r); row++)
        for (size_t col = 0; col < r->pivot.col_heads.n; col++) {
            struct sb text = {0};
            double v;
            if (!results_svg_value_at(r, row, col, &v)) continue;
            results_pivot_number(r, v, &text);
            sb_add(s, "%zu %zu %.10g \"%s\"\n", col, row, results_svg_shown(r, v), text.text);
            sb_free(&text);
        }
    sb_add(s, "END\n");
}

static void add_heat(const struct results *r, struct sb *s) {
    const size_t cols = r->pivot.col_heads.n, rows = rows_drawn(r);
    results_begin(r, results_svg_between(420, 200 + 84 * cols, 2400),
                  results_svg_between(220, 120 + 28 * rows, 2400), s);
    add_cells(r, s);
    add_palette(r, s);
    sb_add(s, "set title ");
    add_axis_name(r, s);
    sb_add(s, "\n");
    results_svg_notes(r, s);
    sb_add(s, "unset key\nset tics scale 0\nset border 0\n");
    add_tics(r, 'x', cols, col_label, s);
    add_tics(r, 'y', rows, row_label, s);
    sb_add(s, "%sset xrange [-0.5:%zu.5]\nset yrange [%zu.5:-0.5]\nset style fill solid\nunset colorbox\n",
           cols > 8 ? "set xtics rotate by -40\n" : "", cols - 1, rows - 1);
    sb_add(s,
           "plot $c using 1:2:($1-0.49):($1+0.49):($2-0.47):($2+0.47):3 with boxxyerror lc palette notitle, "
           "$c using 1:2:4 with labels tc rgb '#1b1c20' notitle\n");
}

/* ---- all of them ---- */

/* A picture that could not be read is not drawn; what a reader can do about it is said. */
static bool results_svg_readable(const struct results *r, struct err *e) {
    enum { MOST_BARS = 1500, MOST_LINES = 60, MOST_CELLS = 10000 };
    const size_t cells = rows_drawn(r) * r->pivot.col_heads.n, lines = r->pivot.col_heads.n;
    const char *what = r->plot == PLOT_LINES ? "lines" : r->plot == PLOT_HEAT ? "cells" : "bars";
    const size_t n = r->plot == PLOT_LINES ? lines : cells, most = r->plot == PLOT_LINES  ? MOST_LINES
                                                                   : r->plot == PLOT_HEAT ? MOST_CELLS
                                                                                          : MOST_BARS;
    if (r->plot == PLOT_SCATTER || n <= most) return true;
    return err_set(
        e, ERR_INPUT,
        "--svg: %zu %s are too many to read (at most %zu are drawn): choose points by --only, average "
        "some by --over%s",
        n, what, most, r->plot == PLOT_BARS ? ", or draw --plot heat" : "");
}

bool results_svg(const struct results *r, struct sb *out, struct err *e) {
    struct sb script = {0};
    if (!r->pivot.row_heads.n || !r->pivot.col_heads.n)
        return err_set(e, ERR_INPUT, "--svg: the table has no points");
    if (!isfinite(range_of(r).low)) return err_set(e, ERR_INPUT, "--svg: no point of the table has a number");
    bool fine = results_svg_readable(r, e);
    if (!fine) return false;
    switch (r->plot) {
    case PLOT_HEAT: add_heat(r, &script); break;
    case PLOT_LINES: add_lines(r, &script); break;
    case PLOT_SCATTER: fine = results_scatter_svg(r, &script, e); break;
    default: add_bars(r, &script); break;
    }
    fine = fine && gnuplot_run(&script, out, e);
    sb_free(&script);
    return fine;
}
