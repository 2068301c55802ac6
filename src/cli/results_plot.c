/* What `heddle results --plot` asks for, and which tables can be drawn so. Lines need an x axis: rows that are numbers on one axis;
 * and a mean over rows has no place on it. */
#include <stdlib.h>
#include <string.h>

#include "cli/results.h"

const char *const plot_names[] = {"bars", "lines", "heat", NULL};

bool results_plot_read(struct results *r, const struct opts *o, struct err *e) {
    const char *name = opts_value(o, "plot");
    const bool svg = opts_has(o, "svg"), table = opts_has(o, "rows");
    if (svg && !table) return err_set(e, ERR_INPUT, "--svg draws a table: --rows and --cols");
    if (!name) return true;
    if (!svg && !opts_has(o, "html")) return err_set(e, ERR_INPUT, "--plot is for --svg and --html");
    if (!table) return err_set(e, ERR_INPUT, "--plot is of a table: --rows and --cols");
    for (int i = 0; plot_names[i]; i++)
        if (!strcmp(name, plot_names[i])) {
            r->plot = (enum results_plot)i;
            return true;
        }
    return err_set(e, ERR_INPUT, "--plot '%.60s': expected bars, lines or heat", name);
}

static bool number_of(const char *place, double *value) {
    char *end;
    *value = strtod(place, &end);
    return end != place && !*end;
}

bool results_plot_check(const struct results *r, struct err *e) {
    double x;
    if (r->plot != PLOT_LINES) return true;
    if (r->row_axes.n != 1)
        return err_set(e, ERR_INPUT, "--plot lines: --rows is to be one axis, of numbers, and not %zu",
                       r->row_axes.n);
    for (size_t i = 0; i < r->pivot.row_heads.n; i++) {
        const char *place = store_place(r->pivot.row_heads.v[i], r->row_axes.v[0]);
        if (!number_of(place, &x))
            return err_set(e, ERR_INPUT, "--plot lines: '%.60s' of --rows %.60s is no number", place,
                           r->row_axes.v[0]);
    }
    if (r->mean)
        return err_set(e, ERR_INPUT, "--plot lines: a --mean over %.60s has no place on it",
                       r->row_axes.v[0]);
    return true;
}

/* Sizes usually double from one to the next. */
bool results_log_rows(const struct results *r) {
    enum { MANY_TIMES = 4 };
    double low = 0, high = 0;
    for (size_t i = 0; i < r->pivot.row_heads.n; i++) {
        double x = 0;
        number_of(store_place(r->pivot.row_heads.v[i], r->row_axes.v[0]), &x);
        if (!i || x < low) low = x;
        if (!i || x > high) high = x;
    }
    return low > 0 && high >= MANY_TIMES * low;
}

bool results_in_percent(const struct results *r) {
    return !r->relative_to && !strcmp(results_kind(r->values.v[0].name), "percent");
}
