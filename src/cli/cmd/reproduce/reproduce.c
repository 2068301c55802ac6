/* heddle reproduce: the papers' claims with our figures beside them.
 *
 * In order: choose the claims; open the store, in memory unless --db names a file, in which case what is there need not run
 * again; run; report. Claims whose mechanism is not there yet are listed as waiting. A signal that asks to end does so as in
 * heddle sweep (stop.h). */
#include "cli/cmd/reproduce/reproduce.h"

#include <stdlib.h>
#include <string.h>

#include "cli/outputs.h"
#include "workloads/workload.h"

/* ---- options ---- */

static bool reproduce_choose(struct reproduce *r, const char *name, struct err *e) {
    size_t before = r->chosen.n;
    VEC(const char *) names = {0};
    for (const struct claim *c = claim_list; c->id; c++) {
        VEC_PUSH(&names, c->id);
        if (!claim_named(c, name)) continue;
        bool again = false;
        for (size_t i = 0; i < r->chosen.n; i++) again |= r->chosen.v[i] == c;
        if (again)
            before = SIZE_MAX; /* found, though nothing new */
        else
            VEC_PUSH(&r->chosen, c);
    }
    VEC_PUSH(&names, NULL);
    const char *near = nearest_name(name, names.v);
    bool found = r->chosen.n != before;
    if (!found)
        err_set(e, ERR_INPUT, "there is no claim '%.60s'%s%s%s; 'heddle reproduce --list' shows them", name,
                near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
    VEC_FREE(&names);
    return found;
}

/* Claims about programs that are not compiled for the instruction set, or about none, are not asked. */
static bool keep_built(struct reproduce *r, struct err *e) {
    size_t kept = 0;
    for (size_t i = 0; i < r->chosen.n; i++)
        if (claim_built(r->chosen.v[i], r->claims.isa)) r->chosen.v[kept++] = r->chosen.v[i];
    r->left_out = r->chosen.n - kept;
    r->chosen.n = kept;
    return kept || err_set(e, ERR_INPUT,
                           "--isa: none of these claims is about programs that are compiled for %s; 'heddle "
                           "reproduce --isa %s --list' shows those that are",
                           work_isa_names[r->claims.isa], work_isa_names[r->claims.isa]);
}

static bool reproduce_read_options(struct reproduce *r, const struct opts *o, struct err *e) {
    const char *size = opts_value(o, "size"), *isa = opts_value(o, "isa");
    r->json = opts_value(o, "json");
    r->csv = opts_value(o, "csv");
    r->html = opts_value(o, "html");
    r->opts = o;
    r->db = opts_value(o, "db");
    r->list = opts_has(o, "list");
    r->quiet = opts_has(o, "quiet");
    r->markdown = opts_has(o, "markdown");
    r->claims.size = WORK_SMALL;
    r->data_on_stdout = outputs_on_stdout(o);
    if (!cli_jobs(o, &r->claims.jobs, e) || (size && !lab_size(size, &r->claims.size, e))) return false;
    if (isa && !lab_isa(isa, &r->claims.isa, e)) return err_set(e, ERR_INPUT, "--isa: %s", err_text(e));
    for (size_t i = 0; i < o->operands.n; i++)
        if (!reproduce_choose(r, o->operands.v[i], e)) return false;
    for (const struct claim *c = claim_list; !o->operands.n && c->id; c++) VEC_PUSH(&r->chosen, c);
    return keep_built(r, e);
}

/* ---- the runs and after ---- */

static bool reproduce_on_tick(void *user, const struct claim_progress *p) {
    struct reproduce *r = user;
    char what[64];
    if (stop_asked(&r->stop)) return false;
    snprintf(what, sizeof what, "%zu of %zu runs", p->done, p->points);
    if (!r->quiet) progress_part(&r->progress, p->part, what);
    return true;
}

static bool reproduce_simulate(struct reproduce *r, struct err *e) {
    r->claims.list = r->chosen.v;
    r->claims.n = r->chosen.n;
    r->claims.tick = reproduce_on_tick;
    r->claims.user = r;
    stop_hold(&r->stop, r->cli);
    progress_start(&r->progress, &r->cli->term);
    r->cli->store = &r->claims.store;
    bool fine = store_open(r->db, STORE_WRITE, &r->claims.store, e) && claims_run(&r->claims, e);
    progress_end(&r->progress);
    stop_release(&r->stop);
    return fine;
}

/* Being asked to stop is told as what it is, with what is left of the work. */
static enum cli_exit reproduce_failed(const struct reproduce *r, const struct err *e) {
    struct sb text = {0};
    if (!stop_asked(&r->stop)) return cli_fail(r->cli, e);
    if (r->db)
        sb_add(&text, "stopped; %zu of %zu runs are in %s, and the same command goes on from there",
               r->claims.progress.done, r->claims.progress.points, r->db);
    else
        sb_add(&text, "stopped; nothing is kept without --db");
    term_error(&r->cli->term, r->cli->command->name, text.text);
    sb_free(&text);
    return CLI_FAILED;
}

static bool reproduce_write_files(const struct reproduce *r, struct err *e) {
    struct sb json = {0}, csv = {0}, html = {0};
    if (r->csv) reproduce_csv(r, &csv);
    if (r->html) reproduce_html(r, &html);
    const struct cli_output outputs[] = {{r->json, &json}, {r->csv, &csv}, {r->html, &html}};
    bool fine = (!r->json || reproduce_json(r, &json, e)) &&
                cli_write_all(r->cli, outputs, sizeof outputs / sizeof *outputs, e);
    sb_free(&json);
    sb_free(&csv);
    sb_free(&html);
    return fine;
}

/* The notes say which; a wrong result is an error however much is quiet. */
static enum cli_exit cmd_reproduce_verdict(const struct reproduce *r) {
    struct sb text = {0};
    if (!r->claims.wrong) return CLI_OK;
    sb_add(&text, "%zu of the runs gave wrong results: no claim counts them", r->claims.wrong);
    term_error(&r->cli->term, r->cli->command->name, text.text);
    sb_free(&text);
    return CLI_FAILED;
}

static enum cli_exit reproduce_results(const struct reproduce *r, struct err *e) {
    struct sb text = {0};
    if (!reproduce_write_files(r, e)) return cli_fail(r->cli, e);
    if (r->markdown && !r->data_on_stdout)
        reproduce_markdown(r, &text);
    else if (!r->quiet && !r->data_on_stdout)
        reproduce_report(r, &text);
    term_print(&r->cli->term, &text);
    sb_free(&text);
    return cmd_reproduce_verdict(r);
}

static void show_list(const struct reproduce *r) {
    struct sb text = {0};
    reproduce_list(r, &text);
    term_print(&r->cli->term, &text);
    sb_free(&text);
}

enum cli_exit reproduce_main(struct cli *c, const struct opts *o) {
    struct reproduce r = {.cli = c};
    struct err e = {0};
    enum cli_exit status = CLI_OK;
    if (!reproduce_read_options(&r, o, &e))
        status = cli_usage(c, &e);
    else if (r.list)
        show_list(&r);
    else if (!reproduce_simulate(&r, &e))
        status = reproduce_failed(&r, &e);
    else
        status = reproduce_results(&r, &e);
    claims_free(&r.claims);
    r.cli->store = NULL;
    store_close(r.claims.store);
    VEC_FREE(&r.chosen);
    err_free(&e);
    return stop_die(&r.stop, c, status);
}
