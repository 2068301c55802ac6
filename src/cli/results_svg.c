/* `heddle results --svg`: the table of --rows and --cols as a picture drawn by gnuplot. Bars: a group for each row, a bar for
 * each column. Lines: one for each column, over rows that are numbers. Heat: the table itself, its cells coloured. Colours and
 * scales are those of the page (src/page/js/results.js). */
#include <math.h>
#include <stdlib.h>

#include "cli/gnuplot.h"
#include "cli/results.h"

static const char *const colours[] = {"#2f6fb7", "#d9731a", "#0f8f83", "#7b52ab", "#c23b55", "#b08c12",
                                      "#64727f", "#4f9a3d", "#8c5a3c", "#c65fa5", "#3aa6d0", "#9aa52e"};
enum { NCOLOURS = sizeof colours / sizeof *colours };

/* ---- what is drawn ---- */

static double shown(const struct results *r, double value) {
    return results_in_percent(r) ? 100 * value : value;
}

/* The rows, and the row of means behind them. */
static size_t rows_drawn(const struct results *r) {
    return r->pivot.row_heads.n + (r->mean != PIVOT_NO_MEAN);
}

static bool value_at(const struct results *r, size_t row, size_t col, double *value) {
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

static void quote_row(const struct results *r, size_t row, struct sb *s) {
    struct sb label = {0};
    row_label(r, row, &label);
    gnuplot_quote(s, label.text);
    sb_free(&label);
}

static void quote_col(const struct results *r, size_t col, struct sb *s) {
    struct sb label = {0};
    pivot_label(&r->pivot.cols, r->pivot.col_heads.v[col], &label);
    gnuplot_quote(s, label.text);
    sb_free(&label);
}

/* The numbers as rows of a table that gnuplot calls $d: the row's number (or its place, of lines), then its values. */
static void add_data(const struct results *r, struct sb *s) {
    sb_add(s, "$d << END\n");
    for (size_t row = 0; row < rows_drawn(r); row++) {
        if (r->plot == PLOT_LINES)
            sb_add(s, "%s", store_place(r->pivot.row_heads.v[row], r->row_axes.v[0]));
        else
            sb_add(s, "%zu", row);
        for (size_t col = 0; col < r->pivot.col_heads.n; col++) {
            double v;
            if (value_at(r, row, col, &v))
                sb_add(s, " %.10g", shown(r, v));
            else
                sb_add(s, " NaN");
        }
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

static void add_tics(const struct results *r, char axis, size_t n,
                     void (*label)(const struct results *, size_t, struct sb *), struct sb *s) {
    sb_add(s, "set %ctics (", axis);
    for (size_t i = 0; i < n; i++) {
        if (i) sb_add(s, ", ");
        label(r, i, s);
        sb_add(s, " %zu", i);
    }
    sb_add(s, ") nomirror\n");
}

static void begin(const struct results *r, size_t width, size_t height, struct sb *s) {
    sb_add(
        s,
        "set terminal svg noenhanced size %zu,%zu font 'sans-serif,13' background '#ffffff' name 'heddle'\n"
        "set encoding utf8\nset border 3 lc rgb '#585c66'\nset datafile missing 'NaN'\n",
        width, height);
    add_data(r, s);
}

/* ---- bars and lines ---- */

static void common_axes(const struct results *r, struct sb *s) {
    sb_add(s, "set grid ytics lc rgb '#d8dbe2' lt 1\nset key outside top center horizontal\nset ylabel ");
    add_axis_name(r, s);
    sb_add(s, "\nset ytics nomirror\n");
    if (r->relative_to)
        sb_add(s, "set arrow from graph 0, first 1 to graph 1, first 1 nohead lc rgb '#1b1c20' front\n");
}

static size_t between(size_t low, size_t v, size_t high) {
    return v < low ? low : v > high ? high : v;
}

/* Boxes beside each other: those of column c of n stand at row + (c - (n - 1) / 2) / (n + 1). */
static void add_bars(const struct results *r, struct sb *s) {
    const size_t n = r->pivot.col_heads.n, rows = rows_drawn(r);
    begin(r, between(520, 140 + rows * (24 + 16 * n), 1800), 460, s);
    common_axes(r, s);
    add_tics(r, 'x', rows, quote_row, s);
    sb_add(s, "set xtics %s\nset style fill solid noborder\nset xrange [-0.6:%zu.6]\n",
           rows > 8 ? "rotate by -40" : "norotate", rows - 1);
    sb_add(s, "set boxwidth %.6g\nset yrange [*<0:*]\nplot ", 1 / ((double)n + 1));
    for (size_t col = 0; col < n; col++) {
        sb_add(s, "%s$d using ($1%+.6g):%zu with boxes lc rgb '%s' title ", col ? ", " : "",
               ((double)col - ((double)n - 1) / 2) / ((double)n + 1), col + 2, colours[col % NCOLOURS]);
        quote_col(r, col, s);
    }
    sb_add(s, "\n");
}

static void add_lines(const struct results *r, struct sb *s) {
    begin(r, 720, 460, s);
    common_axes(r, s);
    sb_add(s, "set xlabel ");
    gnuplot_quote(s, r->row_axes.v[0]);
    sb_add(s, "\nset xtics nomirror\n");
    if (results_log_rows(r)) {
        /* A little more than from the first to the last, whose tick rounding would else put off the axis. */
        const double low = strtod(store_place(r->pivot.row_heads.v[0], r->row_axes.v[0]), NULL),
                     high = strtod(
                         store_place(r->pivot.row_heads.v[r->pivot.row_heads.n - 1], r->row_axes.v[0]), NULL);
        sb_add(s, "set logscale x 2\nset xrange [%.10g:%.10g]\nset xtics (", low / 1.03, high * 1.03);
        for (size_t i = 0; i < r->pivot.row_heads.n; i++)
            sb_add(s, "%s%s", i ? ", " : "", store_place(r->pivot.row_heads.v[i], r->row_axes.v[0]));
        sb_add(s, ")\n");
    }
    sb_add(s, "set yrange [*<0:*]\nplot ");
    for (size_t col = 0; col < r->pivot.col_heads.n; col++) {
        sb_add(s, "%s$d using 1:%zu with linespoints lw 2 pt 7 ps 0.5 lc rgb '%s' title ", col ? ", " : "",
               col + 2, colours[col % NCOLOURS]);
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
            if (!value_at(r, row, col, &v)) continue;
            all.low = fmin(all.low, shown(r, v));
            all.high = fmax(all.high, shown(r, v));
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
            if (!value_at(r, row, col, &v)) continue;
            results_pivot_number(r, v, &text);
            sb_add(s, "%zu %zu %.10g \"%s\"\n", col, row, shown(r, v), text.text);
            sb_free(&text);
        }
    sb_add(s, "END\n");
}

static void add_heat(const struct results *r, struct sb *s) {
    const size_t cols = r->pivot.col_heads.n, rows = rows_drawn(r);
    begin(r, between(420, 200 + 84 * cols, 2400), between(220, 120 + 28 * rows, 2400), s);
    add_cells(r, s);
    add_palette(r, s);
    sb_add(s, "set title ");
    add_axis_name(r, s);
    sb_add(s, "\nunset key\nset tics scale 0\nset border 0\n");
    add_tics(r, 'x', cols, quote_col, s);
    add_tics(r, 'y', rows, quote_row, s);
    sb_add(s, "%sset xrange [-0.5:%zu.5]\nset yrange [%zu.5:-0.5]\nset style fill solid\nunset colorbox\n",
           cols > 8 ? "set xtics rotate by -40\n" : "", cols - 1, rows - 1);
    sb_add(s,
           "plot $c using 1:2:($1-0.49):($1+0.49):($2-0.47):($2+0.47):3 with boxxyerror lc palette notitle, "
           "$c using 1:2:4 with labels tc rgb '#1b1c20' notitle\n");
}

bool results_svg(const struct results *r, struct sb *out, struct err *e) {
    struct sb script = {0};
    if (!r->pivot.row_heads.n || !r->pivot.col_heads.n)
        return err_set(e, ERR_INPUT, "--svg: the table has no points");
    if (!isfinite(range_of(r).low)) return err_set(e, ERR_INPUT, "--svg: no point of the table has a number");
    (r->plot == PLOT_HEAT ? add_heat : r->plot == PLOT_LINES ? add_lines : add_bars)(r, &script);
    const bool fine = gnuplot_run(&script, out, e);
    sb_free(&script);
    return fine;
}
