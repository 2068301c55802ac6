/* What `heddle results --plot` asks for, which tables can be drawn so, and what is drawn by default. Lines need an x
 * axis: rows that are numbers on one axis; and a mean over rows has no place on it. */
#include <math.h>
#include <string.h>

#include "lab/results/results.h"

const char *const plot_names[] = {"bars", "lines", "heat", "scatter", NULL};

/* ---- what is asked for ---- */

static bool read_kind(struct results *r, const char *name, struct err *e) {
    r->plot = PLOT_AUTO;
    for (int i = 0; name && plot_names[i]; i++)
        if (!strcmp(name, plot_names[i])) r->plot = (enum results_plot)i;
    if (name && r->plot == PLOT_AUTO)
        return err_set(e, ERR_INPUT, "--plot '%.60s': expected bars, lines, heat or scatter", name);
    return true;
}

static bool read_statistics(struct results *r, const struct opts *o, struct err *e) {
    const bool x = opts_has(o, "x"), y = opts_has(o, "y");
    if (x != y) return err_set(e, ERR_INPUT, "--x and --y go together: the two statistics of a scatter plot");
    if (x && r->plot == PLOT_AUTO) r->plot = PLOT_SCATTER;
    if (r->plot == PLOT_SCATTER && !x)
        return err_set(e, ERR_INPUT, "--plot scatter: --x and --y are missing, the statistics it is of");
    if (x && r->plot != PLOT_SCATTER) return err_set(e, ERR_INPUT, "--x and --y are for --plot scatter");
    if (x && opts_has(o, "value")) return err_set(e, ERR_INPUT, "--x and --y take the place of --value");
    if (x && (opts_has(o, "csv") || opts_has(o, "json")))
        return err_set(e, ERR_INPUT, "--x and --y are for --svg and --html; a file of both has --value X,Y");
    if (x && opts_has(o, "mean"))
        return err_set(e, ERR_INPUT, "--plot scatter: a --mean of rows is no point of it");
    return true;
}

static bool read_logs(struct results *r, const char *text, struct err *e) {
    static const struct {
        const char *text;
        enum results_log x, y;
    } words[] = {
        {"x", LOG_ON, LOG_OFF}, {"y", LOG_OFF, LOG_ON}, {"x,y", LOG_ON, LOG_ON}, {"none", LOG_OFF, LOG_OFF}};
    if (!text) return true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(text, words[i].text)) return r->log_x = words[i].x, r->log_y = words[i].y, true;
    return err_set(e, ERR_INPUT, "--log '%.60s': expected x, y, x,y or none", text);
}

bool results_plot_read(struct results *r, const struct opts *o, struct err *e) {
    static const char *const of_plots[] = {"plot", "x", "y", "log", NULL};
    const bool page = opts_has(o, "html");
    r->draws = opts_has(o, "svg");
    for (const char *const *name = of_plots; *name; name++) {
        if (!opts_has(o, *name)) continue;
        if (!page && !opts_has(o, "svg")) return err_set(e, ERR_INPUT, "--%s is for --svg and --html", *name);
        r->draws = true;
    }
    return read_kind(r, opts_value(o, "plot"), e) && read_statistics(r, o, e) &&
           read_logs(r, opts_value(o, "log"), e);
}

/* ---- whether it can be drawn ---- */

static double row_number(const struct results *r, size_t row) {
    double x = 0;
    axis_place_number(store_place(r->pivot.row_heads.v[row], r->row_axes.v.v[0]), &x);
    return x;
}

static bool rows_are_numbers(const struct results *r) {
    double x;
    for (size_t i = 0; i < r->pivot.row_heads.n; i++)
        if (!axis_place_number(store_place(r->pivot.row_heads.v[i], r->row_axes.v.v[0]), &x)) return false;
    return r->row_axes.v.n == 1;
}

static bool check_lines(const struct results *r, struct err *e) {
    if (r->row_axes.v.n != 1)
        return err_set(e, ERR_INPUT, "--plot lines: --rows is to be one axis, of numbers, and not %zu",
                       r->row_axes.v.n);
    for (size_t i = 0; i < r->pivot.row_heads.n; i++) {
        const char *place = store_place(r->pivot.row_heads.v[i], r->row_axes.v.v[0]);
        double x;
        if (!axis_place_number(place, &x))
            return err_set(e, ERR_INPUT, "--plot lines: '%.60s' of --rows %.60s is no number", place,
                           r->row_axes.v.v[0]);
    }
    if (r->mean)
        return err_set(e, ERR_INPUT, "--plot lines: a --mean over %.60s has no place on it",
                       r->row_axes.v.v[0]);
    return true;
}

/* Numbers in a row are lines, a table that is too large for bars a heat map. */
static enum results_plot best_plot(const struct results *r) {
    enum { FEW_ROWS = 3, MANY_COLUMNS = 12, MANY_BARS = 200 };
    const size_t rows = r->pivot.row_heads.n, cols = r->pivot.col_heads.n;
    if (rows >= FEW_ROWS && !r->mean && rows_are_numbers(r)) return PLOT_LINES;
    return cols > MANY_COLUMNS || rows * cols > MANY_BARS ? PLOT_HEAT : PLOT_BARS;
}

/* ---- logarithmic axes ---- */

struct range {
    double low, high;
};

static struct range range_of_cells(const struct pivot *p) {
    struct range all = {INFINITY, -INFINITY};
    for (size_t i = 0; i < p->row_heads.n * p->col_heads.n; i++)
        if (p->cells[i].has) {
            all.low = fmin(all.low, p->cells[i].low);
            all.high = fmax(all.high, p->cells[i].high);
        }
    return all;
}

static struct range range_of_rows(const struct results *r) {
    struct range all = {INFINITY, -INFINITY};
    for (size_t i = 0; i < r->pivot.row_heads.n; i++) {
        all.low = fmin(all.low, row_number(r, i));
        all.high = fmax(all.high, row_number(r, i));
    }
    return all;
}

/* many: how many times the least the largest has to be for such an axis to show it better; 0: never. */
static bool settle_log(enum results_log *axis, char name, struct range range, double many, struct err *e) {
    const bool positive = range.low > 0;
    if (*axis == LOG_ON && !positive && isfinite(range.low))
        return err_set(e, ERR_INPUT, "--log %c: %.6g has no logarithm", name, range.low);
    if (*axis == LOG_AUTO) *axis = many > 0 && positive && range.high >= many * range.low ? LOG_ON : LOG_OFF;
    return true;
}

/* Sizes usually double from one to the next; statistics of different programs may be powers of ten apart. */
static bool settle_logs(struct results *r, struct err *e) {
    enum { FEW_DOUBLINGS = 4, POWERS_OF_TEN = 100 };
    if (r->plot != PLOT_LINES && r->plot != PLOT_SCATTER)
        return r->log_x == LOG_AUTO || err_set(e, ERR_INPUT, "--log is for lines and scatter plots");
    const bool scatter = r->plot == PLOT_SCATTER;
    return settle_log(&r->log_x, 'x', scatter ? range_of_cells(&r->x_pivot) : range_of_rows(r),
                      scatter ? POWERS_OF_TEN : FEW_DOUBLINGS, e) &&
           settle_log(&r->log_y, 'y', range_of_cells(&r->pivot), scatter ? POWERS_OF_TEN : 0, e);
}

bool results_plot_check(struct results *r, struct err *e) {
    if (r->plot == PLOT_AUTO) r->plot = best_plot(r);
    return (r->plot != PLOT_LINES || check_lines(r, e)) && settle_logs(r, e);
}

bool results_in_percent(const struct results *r) {
    return !r->relative_to && !strcmp(results_kind(r->values.v[0].name), "percent");
}
