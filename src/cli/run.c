/* heddle run: one kernel, its arguments from the command line, its buffers and statistics out.
 *
 * In order: read the options; open the device; load the file; choose the kernel; match and place the
 * arguments; launch; and only when that went well, write files and show results. */
#include "cli/run.h"

#include <stdlib.h>
#include <string.h>

enum { PRINT_DEFAULT = 64 };

bool run_check(const struct run *r, hd_status s, struct err *e) {
    static const enum err_code codes[] = {
        [HD_OK] = ERR_OK,         [HD_INVALID] = ERR_INPUT, [HD_FAULT] = ERR_FAULT,
        [HD_MEMORY] = ERR_MEMORY, [HD_LIMIT] = ERR_LIMIT,   [HD_INTERNAL] = ERR_INPUT};
    if (!s) return true;
    return err_set(e, codes[s], "%s", r->dev ? hd_error(r->dev) : hd_status_name(s));
}

/* ---- before the launch ---- */

static bool several_kernels(struct run *r, struct err *e) {
    struct sb text = {0};
    size_t n = hd_module_kernel_count(r->mod);
    sb_add(&text, "%s has %zu kernels; choose one with --kernel NAME:", r->file, n);
    for (size_t i = 0; i < n; i++) {
        hd_kernel_info k;
        if (!run_check(r, hd_kernel_get_info(hd_module_kernel_at(r->mod, i), &k), e)) break;
        sb_add(&text, "\n  ");
        run_signature(&k, &text);
    }
    err_set(e, ERR_INPUT, "%s", text.text);
    sb_free(&text);
    return false;
}

static bool choose_kernel(struct run *r, struct err *e) {
    size_t n = hd_module_kernel_count(r->mod);
    if (!n) return err_set(e, ERR_INPUT, "%s has no kernel (.entry)", r->file);
    if (!r->kernel_name && n > 1) return several_kernels(r, e);
    r->kernel = hd_module_kernel_at(r->mod, 0);
    if (r->kernel_name && !run_check(r, hd_module_kernel(r->mod, r->kernel_name, &r->kernel), e))
        return false;
    return run_check(r, hd_kernel_get_info(r->kernel, &r->info), e);
}

static bool check_shape(struct run *r, struct err *e) {
    const uint32_t *fixed = r->info.required_threads;
    if (!r->has_block && fixed[0])
        for (int i = 0; i < 3; i++) r->launch.block[i] = fixed[i] ? fixed[i] : 1;
    else if (!r->has_block)
        return err_set(e, ERR_INPUT, "--block is missing: threads of a block, as in --block 256");
    if (!r->has_grid) return err_set(e, ERR_INPUT, "--grid is missing: blocks of the grid, as in --grid 4");
    return true;
}

static void print_to_stderr(void *user, const char *text, size_t n) {
    const struct cli *c = user;
    fwrite(text, 1, n, c->term.err);
}

static void print_to_stdout(void *user, const char *text, size_t n) {
    const struct cli *c = user;
    fwrite(text, 1, n, c->term.out);
}

/* Errors also come back from the call that failed, and are printed once, there. */
static void log_message(void *user, hd_log_level level, const char *text) {
    const struct cli *c = user;
    if (level == HD_LOG_WARNING) term_warning(&c->term, "run", text);
}

static int on_progress(void *user, uint64_t done, uint64_t all) {
    progress_update(user, done, all);
    return 1;
}

static bool open_device(struct run *r, struct err *e) {
    hd_config config = {.options = r->settings.v, .noptions = r->settings.n, .file = r->config};
    if (!run_check(r, hd_device_open(&config, &r->dev), e)) return false;
    hd_set_log(r->dev, log_message, r->cli);
    hd_set_print(r->dev, r->data_on_stdout ? print_to_stderr : print_to_stdout, r->cli);
    if (!r->quiet) hd_set_progress(r->dev, on_progress, &r->progress);
    return true;
}

/* ---- the launch and after ---- */

static bool launch(struct run *r, struct err *e) {
    hd_arg *args = xcalloc(r->args.n + 1, sizeof *args);
    run_pack_args(r, args);
    progress_start(&r->progress, &r->cli->term);
    double start = term_seconds();
    hd_status s = hd_run(r->kernel, &r->launch, args, r->args.n);
    r->seconds = term_seconds() - start;
    progress_end(&r->progress);
    free(args);
    return run_check(r, s, e);
}

/* The first count elements of an argument's buffer, as they are now; NULL on error. */
static uint8_t *fetch(const struct run *r, const struct run_arg *a, uint64_t count, struct err *e) {
    uint64_t bytes = count * arg_bytes(&a->spec);
    uint8_t *data = try_alloc(bytes);
    if (!data)
        err_set(e, ERR_MEMORY, "no memory for %llu bytes", (unsigned long long)bytes);
    else if (!run_check(r, hd_copy_out(r->dev, data, a->addr, bytes), e)) {
        free(data);
        data = NULL;
    }
    return data;
}

static bool show(const struct run *r, struct sb *out, struct err *e) {
    for (size_t i = 0; i < r->prints.n; i++) {
        const struct run_arg *a = &r->args.v[r->prints.v[i].arg];
        uint64_t want = r->prints.v[i].count ? r->prints.v[i].count : PRINT_DEFAULT;
        uint64_t count = want < a->spec.count ? want : a->spec.count;
        uint8_t *data = fetch(r, a, count, e);
        if (!data) return false;
        run_elements(a, r->prints.v[i].arg, count, data, r->cli->term.width, out);
        free(data);
    }
    return true;
}

static bool write_files(const struct run *r, struct outfiles *files, struct err *e) {
    bool fine = true;
    for (size_t i = 0; i < r->dumps.n && fine; i++) {
        const struct run_arg *a = &r->args.v[r->dumps.v[i].arg];
        uint8_t *data = fetch(r, a, a->spec.count, e);
        fine = data && outfile_write(files, r->dumps.v[i].path, data, a->spec.count * arg_bytes(&a->spec), e);
        free(data);
    }
    struct sb text = {0};
    if (fine && r->json)
        fine = run_json(r, &text, e) && outfile_write(files, r->json, text.text, text.len, e);
    sb_free(&text);
    return fine;
}

static bool results(const struct run *r, struct err *e) {
    struct outfiles files = {0};
    struct sb text = {0};
    bool fine = show(r, &text, e) && write_files(r, &files, e) && outfile_commit(&files, r->cli->term.out, e);
    outfile_free(&files);
    if (fine && !r->quiet && !r->data_on_stdout) run_report(r, &text);
    if (fine && text.len) fwrite(text.text, 1, text.len, r->cli->term.out);
    sb_free(&text);
    return fine;
}

static void run_free(struct run *r) {
    hd_device_close(r->dev);
    VEC_FREE(&r->args);
    VEC_FREE(&r->prints);
    VEC_FREE(&r->dumps);
    VEC_FREE(&r->settings);
    arena_free(&r->mem);
}

enum cli_exit run_main(struct cli *c, const struct opts *o) {
    struct run r = {.cli = c};
    struct err e = {0};
    enum cli_exit status = CLI_OK;
    if (!run_read_options(&r, o, &e))
        status = cli_usage(c, &e);
    else if (!open_device(&r, &e) || !run_check(&r, hd_module_load_file(r.dev, r.file, &r.mod), &e) ||
             !choose_kernel(&r, &e) || !check_shape(&r, &e) || !run_match_args(&r, &e) ||
             !run_place_args(&r, &e) || !launch(&r, &e) || !results(&r, &e))
        status = cli_fail(c, &e);
    run_free(&r);
    err_free(&e);
    return status;
}
