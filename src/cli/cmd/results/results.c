/* heddle results: what sweeps stored, as a list, as a table of one statistic, or drawn.
 *
 * The whole database is read at once; filters work on what is in memory. */
#include "lab/results/results.h"

#include "cli/stats_json.h"

static bool read_store(struct results *r, const char *path, struct err *e) {
    struct store *s;
    if (!store_open(path, STORE_READ, &s, e)) return false;
    bool fine = store_read(s, NULL, 0, &r->all, e);
    store_close(s);
    return fine;
}

enum { JSON, CSV, HTML, SVG, PARQUET, FILES };
static const char *const file_options[FILES] = {"json", "csv", "html", "svg", "parquet"};

static bool results_add_csv(struct results *r, const struct opts *o, struct sb *out, struct err *e) {
    if (opts_has(o, "long")) return results_long_csv(r, out, e);
    (r->row_axes.v.n ? results_pivot_csv : results_list_csv)(r, out);
    return true;
}

static bool results_add_file(struct results *r, const struct opts *o, int file, struct sb *out,
                             struct err *e) {
    switch (file) {
    case JSON: return stats_json_text(r->row_axes.v.n ? results_pivot_json(r) : results_list_json(r), out, e);
    case CSV: return results_add_csv(r, o, out, e);
    case HTML: return results_html(r, o, out, e);
    case SVG: return results_svg(r, out, e);
    default: return results_parquet(r, opts_has(o, "long"), out, e);
    }
}

static bool results_write_files(struct results *r, const struct opts *o, struct err *e) {
    struct sb text[FILES] = {0};
    struct cli_output outputs[FILES];
    bool fine = true;
    for (int i = 0; i < FILES; i++) {
        outputs[i] = (struct cli_output){opts_value(o, file_options[i]), &text[i]};
        if (outputs[i].path && fine) fine = results_add_file(r, o, i, &text[i], e);
    }
    fine = fine && cli_write_all(r->cli, outputs, FILES, e);
    for (int i = 0; i < FILES; i++) sb_free(&text[i]);
    return fine;
}

static enum cli_exit cmd_results_show(struct results *r, const struct opts *o, struct err *e) {
    struct sb text = {0};
    for (int i = 0; i < FILES; i++)
        if (opts_has(o, file_options[i])) return results_write_files(r, o, e) ? CLI_OK : cli_fail(r->cli, e);
    (r->row_axes.v.n ? results_pivot_text : results_list_text)(r, &text);
    term_print(&r->cli->term, &text);
    sb_free(&text);
    return CLI_OK;
}

static void results_release(struct results *r) {
    pivot_free(&r->pivot);
    pivot_free(&r->x_pivot);
    store_rows_free(&r->all);
    VEC_FREE(&r->chosen);
    VEC_FREE(&r->values);
    VEC_FREE(&r->row_axes.v);
    VEC_FREE(&r->col_axes.v);
    VEC_FREE(&r->over_axes.v);
    arena_free(&r->mem);
}

enum cli_exit results_main(struct cli *cli, const struct opts *o) {
    if (o->operands.n) return results_merge(cli, o);
    struct results r = {.cli = cli};
    struct err e = {0};
    enum cli_exit status;
    if (!results_check(&r, o, &e))
        status = cli_usage(cli, &e);
    else if (read_store(&r, opts_value(o, "db"), &e) && results_choose(&r, o, &e) &&
             results_read_axes(&r, o, &e))
        status = cmd_results_show(&r, o, &e);
    else
        status = cli_fail(cli, &e);
    results_release(&r);
    err_free(&e);
    return status;
}
