/* heddle area: what mechanisms take on a chip, and how well the model of it fits what was published. Nothing is simulated. */
#include "cli/cmd/area/area.h"
#include "cli/outputs.h"

#include <string.h>

/* ---- options ---- */

static bool read_node(const struct opts *o, struct area_command *a, struct err *e) {
    const char *text = opts_value(o, "node");
    const struct area_node *node = area_node_of(opts_value(o, "config"));
    uint64_t nm;
    if (text) {
        if (!cli_number("--node", text, INT32_MAX, &nm, e)) return false;
        node = area_node_find((int)nm);
        if (!node)
            return err_set(e, ERR_INPUT, "--node %.20s: there are published areas for 90 and 40 nm only",
                           text);
    }
    area_model_make(node, &a->model);
    a->config = opts_value(o, "config") ? opts_value(o, "config") : node->config;
    return true;
}

static bool area_read_options(struct area_command *a, const struct opts *o, struct err *e) {
    a->json = opts_value(o, "json");
    a->csv = opts_value(o, "csv");
    a->fit = opts_has(o, "fit");
    a->totals = opts_has(o, "totals");
    a->markdown = opts_has(o, "markdown");
    a->quiet = opts_has(o, "quiet");
    a->data_on_stdout = outputs_on_stdout(o);
    if (!read_node(o, a, e) || !machines_read(&a->machines, o, e)) return false;
    for (size_t i = 0; i < a->machines.v.n; i++) {
        a->machines.settings.v[i].config = a->config;
        a->machines.v.v[i].config = machine_config(&a->machines.settings.v[i]);
    }
    if (opts_has(o, "mech")) machine_warn_unused(a->cli, o, opts_value(o, "mech"));
    return machines_check(&a->machines, e);
}

/* ---- areas ---- */

/* On the same machine as the others. */
static void find_pdom(struct area_command *a, const struct opts *o) {
    struct machine m;
    struct area area = {0};
    struct err e = {0};
    if (machine_read(&m, a->config, o, &e) && machine_choose(&m, false, "pdom", &e)) {
        const hd_config config = machine_config(&m);
        if (area_find(&a->model, &config, &area, &e)) a->pdom = area.tables;
    }
    area_free(&area);
    machine_free(&m);
    err_free(&e);
}

static void find_all(struct area_command *a, const struct opts *o) {
    for (size_t i = 0; i < a->machines.v.n; i++) {
        struct area_one one = {.mech = a->machines.v.v[i].name};
        one.fine = area_find(&a->model, &a->machines.v.v[i].config, &one.area, &one.err);
        VEC_PUSH(&a->one, one);
    }
    find_pdom(a, o);
}

/* ---- all of it ---- */

static enum cli_exit area_results(const struct area_command *a, struct err *e) {
    const struct cli_report r = {.json = a->json,
                                 .csv = a->csv,
                                 .silent = a->quiet || a->data_on_stdout,
                                 .add_json = area_json,
                                 .add_csv = area_csv,
                                 .add_text = area_report};
    enum cli_exit worst = CLI_OK;
    if (!cli_report(a->cli, &r, a, e)) return cli_fail(a->cli, e);
    for (size_t i = 0; i < a->one.n; i++) {
        if (a->one.v[i].fine) continue;
        struct err full = {.code = a->one.v[i].err.code};
        sb_add(&full.text, "%s on %s: %s", a->one.v[i].mech, a->config, err_text(&a->one.v[i].err));
        const enum cli_exit status = cli_fail(a->cli, &full);
        if (status > worst) worst = status;
        err_free(&full);
    }
    return worst;
}

enum cli_exit area_main(struct cli *c, const struct opts *o) {
    struct area_command a = {.cli = c};
    struct err e = {0};
    enum cli_exit status;
    if (!area_read_options(&a, o, &e))
        status = cli_usage(c, &e);
    else {
        find_all(&a, o);
        status = area_results(&a, &e);
    }
    for (size_t i = 0; i < a.one.n; i++) {
        area_free(&a.one.v[i].area);
        err_free(&a.one.v[i].err);
    }
    VEC_FREE(&a.one);
    machines_free(&a.machines);
    area_model_free(&a.model);
    err_free(&e);
    return status;
}
