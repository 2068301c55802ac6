/* One `heddle results`: what is asked for of which points. Shared by results*.c. */
#ifndef HEDDLE_LAB_RESULTS_RESULTS_H
#define HEDDLE_LAB_RESULTS_RESULTS_H

#include <jansson.h>

#include "cli/cli.h"
#include "lab/store/axis.h"
#include "lab/store/pivot.h"

/* A statistic that is shown. */
struct results_value {
    const char *name;
    size_t at; /* among the names of rows, unless: */
    bool host; /* host.seconds */
};

/* What --svg draws and --html shows first. */
enum results_plot { PLOT_BARS, PLOT_LINES, PLOT_HEAT, PLOT_SCATTER, PLOT_AUTO };
extern const char *const plot_names[]; /* "bars", "lines", "heat", "scatter"; ends with NULL */
/* How far the points of a cell lie apart: from the least to the largest, or by their standard deviation. */
enum results_spread { SPREAD_RANGE, SPREAD_DEVIATION };
extern const char *const spread_names[]; /* "range", "deviation"; ends with NULL */
enum results_log { LOG_AUTO, LOG_OFF, LOG_ON };

struct results_words {
    VEC(const char *) v;
};

struct results {
    struct cli *cli;
    struct store_rows all;
    VEC(const struct store_row *) chosen;               /* chosen ones of all, in the same order */
    VEC(struct results_value) values;                   /* a table has one; a scatter plot two: y, then x */
    struct results_words row_axes, col_axes, over_axes; /* rows and columns empty: a list */
    const char *relative_to;
    enum pivot_mean mean, over_mean;
    enum results_spread spread;
    enum results_plot plot;
    enum results_log log_x, log_y;
    /* draws: --svg or --plot, so that there is a table whether axes were chosen or not. */
    bool chose_values, host, draws;
    struct pivot pivot, x_pivot; /* x_pivot: of a scatter plot */
    struct arena mem;
};

/* number.c: the number of a point, as a number to compute with; false: it has none. */
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
/* The statistics a file has: those chosen, or all. Returns how many; *out is for the caller to free. */
size_t results_file_values(const struct results *r, struct results_value **out);

/* ask.c: what the options say before the database is open, which points and statistics they name, and which axes. */
bool results_check(struct results *r, const struct opts *o, struct err *e);
bool results_choose(struct results *r, const struct opts *o, struct err *e);
bool results_read_axes(struct results *r, const struct opts *o, struct err *e);

/* axes.c: what the points differ in; workload, mech, size and config first, then options and parameters, then version. */
struct results_axes {
    VEC(struct axis) v;
};
/* Makes the axes that have more than one place and those that `always` names (ended by NULL). Release with
 * results_axes_free. */
void results_axes_make(struct results *r, const char *const *always, struct results_axes *out);
void results_axes_free(struct results_axes *a);
/* Rows, columns and what is averaged, where the command line names none. */
void results_default_axes(struct results *r);

/* list.c */
void results_list_text(const struct results *r, struct sb *out);
void results_list_csv(const struct results *r, struct sb *out);
json_t *results_list_json(const struct results *r);
/* frame.c: for notebooks. A row for each point and statistic; or Parquet, in this form or with a column for each. */
bool results_long_csv(struct results *r, struct sb *out, struct err *e);
bool results_parquet(struct results *r, bool in_long, struct sb *out, struct err *e);
/* table.c */
bool results_pivot_make(struct results *r, struct err *e);
void results_pivot_text(const struct results *r, struct sb *out);
void results_pivot_csv(const struct results *r, struct sb *out);
json_t *results_pivot_json(const struct results *r);
void results_pivot_number(const struct results *r, double value, struct sb *out); /* as the table shows it */
void results_over_text(const struct results *r, struct sb *out); /* "arithmetic mean over memory.seed" */
/* Where a cell's spread begins and ends; false: it has one point, or none. */
bool results_spread_of(const struct results *r, const struct pivot_cell *c, double *low, double *high);

/* plot.c: what --plot says, and whether the table can be drawn so; what it does not say is chosen by the table. */
bool results_plot_read(struct results *r, const struct opts *o, struct err *e);
bool results_plot_check(struct results *r, struct err *e);
bool results_in_percent(const struct results *r); /* the table is of fractions */
/* svg.c, scatter.c */
bool results_svg(const struct results *r, struct sb *out, struct err *e);
void results_svg_begin(size_t width, size_t height, struct sb *s);
const char *results_svg_colour(size_t i);
/* The title: what is averaged, what a band or a whisker is. */
void results_svg_notes(const struct results *r, struct sb *s);
bool results_scatter_svg(const struct results *r, struct sb *s, struct err *e);
/* html.c */
bool results_html(struct results *r, const struct opts *o, struct sb *out, struct err *e);

/* cli/cmd/results/merge.c: merge OUT IN... */
enum cli_exit results_merge(struct cli *cli, const struct opts *o);

#endif
