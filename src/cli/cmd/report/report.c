/* heddle report: a program under one mechanism or several, and a page that says what its control flow costs and where.
 *
 * In order: read the options; read the file and try it on a functional device; run it under every mechanism, in parallel, each
 * with the profile, a series and lanes over time; put everything into one tree (report_*.c) and that into one page. What
 * is recorded is bounded however long the run is, so that the page stays small. A mechanism that refuses or fails leaves a gap;
 * without a run that ended there is no page. */
#include "cli/cmd/report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/stats_json.h"
#include "lab/run/pool.h"
#include "page/page.h"

#define DEFAULT_HTML "report.html"
/* Letters of all lanes over time together, issues that are kept one by one, samples; each run has its part of them. */
enum { CELL_LETTERS = 640 * 1024, CELL = 4, ISSUES = 8192, SAMPLES = 1024, FIRST_INTERVAL = 32 };
enum { MOST_BINS = 2048, LEAST_BINS = 64, WINDOWS = 32 };

static uint32_t clamped(uint64_t v, uint32_t least, uint32_t most) {
    return (uint32_t)(v < least ? least : v > most ? most : v);
}

struct report_budget report_budget(size_t runs, uint64_t rows) {
    const uint64_t share = CELL_LETTERS / (CELL * (rows ? rows : 1) * (runs ? runs : 1));
    uint32_t bins = LEAST_BINS;
    while (2 * bins <= MOST_BINS && 2 * bins <= share) bins *= 2;
    return (struct report_budget){.bins = bins,
                                  .windows = WINDOWS,
                                  .issues = clamped(ISSUES / WINDOWS / (runs ? runs : 1), 32, ISSUES),
                                  .samples = clamped(SAMPLES / 4 / (runs ? runs : 1), 48, 256)};
}

/* ---- options ---- */

static bool read_sm(struct report *r, const struct opts *o, struct err *e) {
    const char *text = opts_value(o, "sm");
    return !text || cli_number("--sm", text, UINT32_MAX, &r->sm, e);
}

static bool report_read_options(struct report *r, struct err *e) {
    const struct opts *o = r->opts;
    r->html = opts_value(o, "html");
    r->json = opts_value(o, "json");
    r->quiet = opts_has(o, "quiet");
    if (opts_has(o, "mech")) machine_warn_unused(r->cli, o, opts_value(o, "mech"));
    return read_sm(r, o, e) && cli_jobs(o, &r->jobs, e) &&
           subject_options(&r->subject, r->cli, o->operands.v[0], WORK_SMALL, o, e) &&
           subject_check(&r->subject, 1, false, o, e) && machines_read_one(&r->machines, o, e) &&
           machines_limit(&r->machines, o, e) &&
           machine_read(&r->functional, opts_value(o, "config"), o, e) &&
           machine_choose(&r->functional, true, NULL, e);
}

/* ---- a run ---- */

static void report_on_opened(void *user, hd_device *dev) {
    struct report_run *run = user;
    const struct options *o = sim_options(dev);
    const struct opt_sm *sm = &o->machine.sm;
    const uint64_t width = sm->warp_size < EXEC_LANES ? (uint64_t)sm->warp_size : EXEC_LANES;
    const struct report_budget b =
        report_budget(run->report->nruns, (uint64_t)sm->threads / width + (uint64_t)o->gpu.sms);
    run->dev = dev;
    sim_watch(dev, &(struct watch){.interval = FIRST_INTERVAL,
                                   .samples = b.samples,
                                   .profile = true,
                                   .density = {.sm = (uint32_t)run->report->sm,
                                               .bins = b.bins,
                                               .windows = b.windows,
                                               .issues = b.issues}});
}

static uint32_t report_kernel_of(struct report_run *run, hd_kernel *k, const hd_launch *l) {
    hd_kernel_info info;
    CHECK(hd_kernel_get_info(k, &info) == HD_OK);
    for (uint32_t i = 0; i < run->kernels.n; i++)
        if (!strcmp(run->kernels.v[i].name, info.name)) return i;
    struct report_kernel one = {arena_strdup(&run->mem, info.name), info.registers, info.shared_bytes, {{0}}};
    sim_limits(k, l, one.limit);
    VEC_PUSH(&run->kernels, one);
    return (uint32_t)run->kernels.n - 1;
}

static void report_after_launch(void *user, hd_kernel *k, const hd_launch *l) {
    struct report_run *run = user;
    const uint32_t kernel = report_kernel_of(run, k, l);
    VEC_PUSH(&run->launches, (struct report_launch){kernel, *l, *sim_stats(run->dev, false)});
    atomic_fetch_add(&run->done, 1);
}

static void report_on_ended(void *user, hd_device *dev, hd_module *mod, const hd_arg *args) {
    struct report_run *run = user;
    (void)dev, (void)args;
    run->data = report_run_json(run, mod);
}

static void report_run_one(void *user, size_t task) {
    struct report *r = user;
    struct report_run *run = &r->runs[task];
    const struct lab_hooks hooks = {
        .opened = report_on_opened, .after = report_after_launch, .ended = report_on_ended, .user = run};
    lab_run(&r->subject.lab, &r->machines.v.v[task].config, &hooks, &run->out);
}

static void report_on_tick(void *user) {
    struct report *r = user;
    uint64_t launches = 0;
    char what[64];
    for (size_t i = 0; i < r->nruns; i++) launches += atomic_load(&r->runs[i].done);
    snprintf(what, sizeof what, "%zu run%s, %" PRIu64 " launches so far", r->nruns, r->nruns == 1 ? "" : "s",
             launches);
    progress_note(&r->progress, what);
}

static void report_simulate(struct report *r) {
    r->nruns = r->machines.v.n;
    r->runs = xcalloc(r->nruns, sizeof *r->runs);
    for (size_t i = 0; i < r->nruns; i++)
        r->runs[i] = (struct report_run){.report = r, .name = r->machines.v.v[i].name};
    progress_start(&r->progress, &r->cli->term);
    lab_run_tasks(
        &(struct lab_tasks){
            .n = r->nruns, .run = report_run_one, .tick = r->quiet ? NULL : report_on_tick, .user = r},
        r->jobs);
    progress_end(&r->progress);
}

/* ---- after the runs ---- */

/* What went wrong, each with its mechanism; a refusal is a result and stands in the page. */
static enum cli_exit report_verdicts(const struct report *r) {
    enum cli_exit worst = CLI_OK;
    for (size_t i = 0; i < r->nruns; i++) {
        const struct err *why = &r->runs[i].out.err;
        struct err e = {.code = why->code};
        if (!why->code || (why->code == ERR_REFUSED && r->nruns > 1)) continue;
        sb_add(&e.text, "under %s: %s", r->runs[i].name, err_text(why));
        const enum cli_exit one = cli_fail(r->cli, &e);
        if (one > worst) worst = one;
        err_free(&e);
    }
    return worst;
}

static bool any_ended(const struct report *r) {
    for (size_t i = 0; i < r->nruns; i++)
        if (r->runs[i].data) return true;
    return false;
}

static bool report_load(const struct report *r, hd_device **dev, hd_module **mod, struct err *e) {
    const hd_config config = machine_config(&r->functional);
    const struct workload *w = r->subject.workload;
    const struct lab_program *p = &r->subject.program.lab;
    if (!lab_open(&config, dev, e)) return false;
    if (r->subject.traced) return lab_trace_module(&r->subject.trace, *dev, mod, e);
    const hd_status s =
        w ? hd_module_load(*dev, w->name, w->code, w->code_bytes, mod)
          : hd_module_load(*dev, r->origin ? r->origin->file : p->file, p->text, p->text_bytes, mod);
    return lab_check(*dev, s, e);
}

static bool report_write_files(struct report *r, json_t *tree, struct err *e) {
    struct sb html = {0}, json = {0};
    page_write(&html, &(struct page){.title = json_string_value(json_object_get(tree, "title")),
                                     .app = "report",
                                     .use = PAGE_CHARTS | PAGE_GRAPHS | PAGE_CODE | PAGE_LANES,
                                     .data = tree});
    bool fine = !r->json || stats_json_text(json_incref(tree), &json, e);
    const struct cli_output out[] = {{r->html ? r->html : DEFAULT_HTML, &html}, {r->json, &json}};
    fine = fine && cli_write_all(r->cli, out, 2, e);
    sb_free(&html);
    sb_free(&json);
    return fine;
}

static void report_say(const struct report *r) {
    struct sb text = {0};
    const char *name = r->html ? r->html : DEFAULT_HTML;
    sb_add(&text, "The report is in %s: open it in a browser, as with 'xdg-open %s'.\n", name, name);
    term_print(&r->cli->term, &text);
    sb_free(&text);
}

static enum cli_exit report_results(struct report *r, struct err *e) {
    hd_device *dev = NULL;
    hd_module *mod = NULL;
    if (!any_ended(r)) return report_verdicts(r);
    json_t *tree = report_load(r, &dev, &mod, e) ? report_tree(r, dev, mod) : NULL;
    hd_device_close(dev);
    bool fine = tree && report_write_files(r, tree, e);
    json_decref(tree);
    if (!fine) return cli_fail(r->cli, e);
    if (!r->quiet && !outputs_on_stdout(r->opts)) report_say(r);
    return report_verdicts(r);
}

static void report_free(struct report *r) {
    for (size_t i = 0; i < r->nruns; i++) {
        struct report_run *run = &r->runs[i];
        lab_outcome_free(&run->out);
        json_decref(run->data);
        VEC_FREE(&run->kernels);
        VEC_FREE(&run->launches);
        arena_free(&run->mem);
    }
    free(r->runs);
    subject_free(&r->subject);
    machines_free(&r->machines);
    machine_free(&r->functional);
}

static bool check_sm(const struct report *r, const hd_config *config, struct err *e) {
    hd_device *dev = NULL;
    bool fine = lab_open(config, &dev, e);
    const uint64_t sms = fine ? (uint64_t)sim_options(dev)->gpu.sms : 0;
    if (fine && r->sm >= sms)
        fine = err_set(e, ERR_INPUT, "--sm %" PRIu64 ": the machine has %" PRIu64 " SM%s, counted from 0",
                       r->sm, sms, sms == 1 ? "" : "s");
    hd_device_close(dev);
    return fine;
}

static bool report_prepare(struct report *r, struct err *e) {
    const hd_config config = machine_config(&r->functional);
    if (!r->html && !outfile_try(DEFAULT_HTML, e)) return false;
    return machines_check(&r->machines, e) && subject_read(&r->subject, e) &&
           subject_prepare(&r->subject, &config, e) && check_sm(r, &config, e);
}

enum cli_exit report_of(struct cli *cli, const struct opts *o, const struct report_origin *origin) {
    struct report r = {.cli = cli, .opts = o, .origin = origin};
    struct err e = {0};
    enum cli_exit status;
    if (!report_read_options(&r, &e)) {
        status = cli_usage(cli, &e);
    } else if (!report_prepare(&r, &e)) {
        status = cli_fail(cli, &e);
    } else {
        report_simulate(&r);
        status = report_results(&r, &e);
    }
    report_free(&r);
    err_free(&e);
    return status;
}

enum cli_exit report_main(struct cli *cli, const struct opts *o) {
    return report_of(cli, o, NULL);
}
