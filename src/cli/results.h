/* One `heddle results`: what is asked for of which points. Shared by results*.c. */
#ifndef HEDDLE_CLI_RESULTS_H
#define HEDDLE_CLI_RESULTS_H

#include <jansson.h>

#include "cli/cli.h"
#include "lab/pivot.h"

/* A statistic that is shown. */
struct results_value {
    const char *name;
    size_t at; /* among the names of rows, unless: */
    bool host; /* host.seconds */
};

/* What --svg draws and --html shows first. */
enum results_plot { PLOT_BARS, PLOT_LINES, PLOT_HEAT };
extern const char *const plot_names[]; /* "bars", "lines", "heat"; ends with NULL */

struct results {
    struct cli *cli;
    struct store_rows all;
    VEC(const struct store_row *) chosen; /* of all, in the same order */
    VEC(struct results_value) values;
    VEC(const char *) row_axes, col_axes; /* both empty: a list */
    const char *relative_to;
    enum pivot_mean mean;
    enum results_plot plot;
    bool chose_values, host;
    struct pivot pivot;
    struct arena mem;
};

/* The number of a point, as a number to compute with; false: it has none. */
bool results_number(const struct store_row *row, const struct results_value *v, double *value);
/* The statistic of that name, or NULL: a mechanism's own counter, host.seconds. */
const struct stat_row *results_stat(const char *name);
/* How its numbers are written: "percent", "int" or "real". */
const char *results_kind(const char *name);
/* A number as a table shows it: fractions in per cent, counts in groups of three digits. */
void results_show(const char *name, double value, struct sb *out);
/* A number of a JSON document or a CSV file: whole numbers exactly. */
void results_exact(const struct store_row *row, const struct results_value *v, struct sb *out);
json_t *results_json(const struct store_row *row, const struct results_value *v);

/* results_list.c */
void results_list_text(const struct results *r, struct sb *out);
void results_list_csv(const struct results *r, struct sb *out);
json_t *results_list_json(const struct results *r);
/* results_pivot.c */
bool results_pivot_make(struct results *r, struct err *e);
void results_pivot_text(const struct results *r, struct sb *out);
void results_pivot_csv(const struct results *r, struct sb *out);
json_t *results_pivot_json(const struct results *r);
void results_pivot_number(const struct results *r, double value, struct sb *out); /* as the table shows it */
/* results_plot.c: what --plot says, and whether the table can be drawn so. */
bool results_plot_read(struct results *r, const struct opts *o, struct err *e);
bool results_plot_check(const struct results *r, struct err *e);
bool results_log_rows(const struct results *r);   /* lines: a logarithmic scale shows the rows better */
bool results_in_percent(const struct results *r); /* the table is of fractions */
/* results_svg.c */
bool results_svg(const struct results *r, struct sb *out, struct err *e);
/* results_html.c */
void results_html(struct results *r, const struct opts *o, struct sb *out);

#endif
