/* The options of `heddle run`, from words to values. Everything that can be said about a command line without
 * opening a device or a file is said here. */
#include <string.h>

#include "cli/run.h"

static bool read_dims(const char *option, const char *text, uint32_t dims[3], struct err *e) {
    const char *p = text;
    for (int i = 0; i < 3; i++) dims[i] = 1;
    for (int i = 0;; i++) {
        size_t n = strcspn(p, ",");
        uint64_t v;
        if (i == 3) return err_set(e, ERR_INPUT, "%s '%.60s' has more than three dimensions", option, text);
        if (!n) return err_set(e, ERR_INPUT, "%s '%.60s' lacks a dimension", option, text);
        if (!arg_number(p, n, IR_T_U32, option, &v, e)) return false;
        if (!v) return err_set(e, ERR_INPUT, "%s '%.60s': a dimension is at least 1", option, text);
        dims[i] = (uint32_t)v;
        if (!p[n]) return true;
        p += n + 1;
    }
}

/* The argument number before a ':' or the end; *rest is what follows the ':', or NULL. */
static bool read_target(const struct run *r, const char *option, const char *text, uint64_t *arg,
                        const char **rest, struct err *e) {
    size_t n = strcspn(text, ":");
    *rest = text[n] ? text + n + 1 : NULL;
    if (!n) return err_set(e, ERR_INPUT, "%s '%.60s': the number of an argument is missing", option, text);
    if (!arg_number(text, n, IR_T_U64, option, arg, e)) return false;
    if (*arg >= r->args.n)
        return err_set(e, ERR_INPUT, "%s %.60s: there is no argument %llu (%zu given, counted from 0)",
                       option, text, (unsigned long long)*arg, r->args.n);
    if (r->args.v[*arg].spec.kind != ARG_BUFFER)
        return err_set(e, ERR_INPUT, "%s %.60s: argument %llu (%.60s) is not a buffer", option, text,
                       (unsigned long long)*arg, r->args.v[*arg].text);
    return true;
}

static bool read_args(struct run *r, const struct opts *o, struct err *e) {
    for (size_t i = 0; i < opts_count(o, "arg"); i++) {
        struct run_arg a = {.text = opts_nth(o, "arg", i)};
        if (!arg_parse(a.text, &a.spec, e))
            return err_set(e, ERR_INPUT, "--arg %.60s (argument %zu): %s", a.text, i, err_text(e));
        VEC_PUSH(&r->args, a);
    }
    return true;
}

static bool read_prints(struct run *r, const struct opts *o, struct err *e) {
    for (size_t i = 0; i < opts_count(o, "print"); i++) {
        struct run_print p = {0};
        const char *rest;
        if (!read_target(r, "--print", opts_nth(o, "print", i), &p.arg, &rest, e)) return false;
        if (rest && !cli_number("--print: COUNT", rest, UINT64_MAX, &p.count, e)) return false;
        if (rest && !p.count) return err_set(e, ERR_INPUT, "--print: COUNT is at least 1");
        VEC_PUSH(&r->prints, p);
    }
    return true;
}

static bool read_dumps(struct run *r, const struct opts *o, struct err *e) {
    for (size_t i = 0; i < opts_count(o, "dump"); i++) {
        struct run_dump d = {0};
        const char *text = opts_nth(o, "dump", i);
        if (!read_target(r, "--dump", text, &d.arg, &d.path, e)) return false;
        if (!d.path || !*d.path)
            return err_set(e, ERR_INPUT, "--dump %.60s: a file is missing, as in --dump 0:out.bin", text);
        for (size_t k = 0; k < r->dumps.n; k++)
            if (!strcmp(r->dumps.v[k].path, d.path))
                return err_set(e, ERR_INPUT, "--dump: two buffers cannot both go to %.60s", d.path);
        VEC_PUSH(&r->dumps, d);
    }
    return true;
}

static bool read_settings(struct run *r, const struct opts *o, struct err *e) {
    for (size_t i = 0; i < opts_count(o, "set"); i++) {
        const char *text = opts_nth(o, "set", i), *equals = strchr(text, '=');
        if (!equals)
            return err_set(e, ERR_INPUT,
                           "--set %.60s: '=' and a value are missing, as in --set mem.global_bytes=8G", text);
        VEC_PUSH(&r->settings,
                 (hd_option){arena_strndup(&r->mem, text, (size_t)(equals - text)), equals + 1});
    }
    return true;
}

/* Two outputs never share a place. */
static bool check_outputs(struct run *r, struct err *e) {
    size_t users = r->json && !strcmp(r->json, "-");
    for (size_t i = 0; i < r->dumps.n && r->json; i++)
        if (!users && !strcmp(r->dumps.v[i].path, r->json))
            return err_set(e, ERR_INPUT, "--dump and --json cannot both go to %.60s", r->json);
    for (size_t i = 0; i < r->dumps.n; i++) users += !strcmp(r->dumps.v[i].path, "-");
    r->data_on_stdout = users > 0;
    if (users > 1 || (users && r->prints.n))
        return err_set(e, ERR_INPUT, "only one of --json -, --dump N:- and --print can have standard output");
    return true;
}

static bool read_launch(struct run *r, const struct opts *o, struct err *e) {
    const char *grid = opts_value(o, "grid"), *block = opts_value(o, "block"),
               *shared = opts_value(o, "shared");
    const char *most = opts_value(o, "max-insts");
    uint64_t v = 0;
    if (grid && !read_dims("--grid", grid, r->launch.grid, e)) return false;
    if (block && !read_dims("--block", block, r->launch.block, e)) return false;
    if (shared && !cli_number("--shared", shared, UINT32_MAX, &v, e)) return false;
    r->launch.shared_bytes = (uint32_t)v;
    if (most && !cli_number("--max-insts", most, UINT64_MAX, &r->launch.max_insts, e)) return false;
    if (most && !r->launch.max_insts) return err_set(e, ERR_INPUT, "--max-insts: N is at least 1");
    r->has_grid = grid;
    r->has_block = block;
    return true;
}

bool run_read_options(struct run *r, const struct opts *o, struct err *e) {
    r->file = o->operands.v[0];
    r->kernel_name = opts_value(o, "kernel");
    r->json = opts_value(o, "json");
    r->config = opts_value(o, "config");
    r->quiet = opts_has(o, "quiet");
    r->host = opts_has(o, "host");
    return read_launch(r, o, e) && read_args(r, o, e) && read_prints(r, o, e) && read_dumps(r, o, e) &&
           read_settings(r, o, e) && check_outputs(r, e);
}
