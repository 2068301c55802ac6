/* From words to a program: options of the command line first, then those the file carries for whatever is
 * still open, then the kernel itself. */
#include "subject/program.h"
#include "lab/run/kernel.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/outfile.h"
#include "subject/sidecar.h"
#include "subject/source.h"
#include "value/demangle.h"

/* ---- options ---- */

static bool read_dims(const char *option, const char *text, uint32_t dims[3], struct err *e) {
    const char *p = text;
    for (int i = 0; i < 3; i++) dims[i] = 1;
    for (int i = 0;; i++) {
        size_t prefix = !strncmp(p, "0x", 2) ? 2 : 0; /* length of the prefix of a hexadecimal number */
        size_t n = prefix + strcspn(p + prefix, ",x");
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

static bool read_args(struct program *p, const struct opts *o, struct err *e) {
    for (size_t i = 0; i < opts_count(o, "arg"); i++) {
        struct program_arg a = {.text = opts_nth(o, "arg", i)};
        if (!arg_parse(a.text, &a.spec, e))
            return err_set(e, ERR_INPUT, "--arg %.60s (argument %zu): %s", a.text, i, err_text(e));
        if (o == &p->sidecar && a.spec.kind == ARG_BUFFER && a.spec.fill == ARG_FILE)
            a.spec.text = arg_beside(&p->mem, p->file, a.spec.text);
        VEC_PUSH(&p->args, a);
    }
    return true;
}

/* What o gives and has not been given before. */
static bool read_launch(struct program *p, const struct opts *o, struct err *e) {
    const char *grid = opts_value(o, "grid"), *block = opts_value(o, "block"),
               *shared = opts_value(o, "shared");
    uint64_t v = 0;
    if (!p->kernel_name) p->kernel_name = opts_value(o, "kernel");
    if (grid && !p->has_grid && !read_dims("--grid", grid, p->launch.grid, e)) return false;
    if (block && !p->has_block && !read_dims("--block", block, p->launch.block, e)) return false;
    if (shared && !p->has_shared) {
        if (!cli_number("--shared", shared, UINT32_MAX, &v, e)) return false;
        p->launch.shared_bytes = (uint32_t)v;
    }
    p->has_grid |= grid != NULL;
    p->has_block |= block != NULL;
    p->has_shared |= shared != NULL;
    return (p->args.n || read_args(p, o, e)) && program_read_names(p, o, e);
}

/* FILE:KERNEL, where what follows the last colon can be the name of a kernel and there is no file of the whole; or where what
 * precedes a colon is a file: then the name may be one of C++, with colons of its own. */
static const char *find_colon(const char *operand, struct arena *mem) {
    const char *last = strrchr(operand, ':');
    if (!last || !access(operand, F_OK)) return NULL;
    for (const char *at = strchr(operand, ':'); at; at = strchr(at + 1, ':')) {
        const char *file = arena_strndup(mem, operand, (size_t)(at - operand));
        if (at[1] && !access(file, R_OK)) return at;
    }
    bool name = last > operand && last[1] && !isdigit((unsigned char)last[1]);
    for (const char *c = last; name && *++c;) name = isalnum((unsigned char)*c) || strchr("_$%", *c);
    return name ? last : NULL;
}

static void split_name(struct program *p, const char *operand) {
    const char *colon = find_colon(operand, &p->mem);
    p->file = infile_name(colon ? arena_strndup(&p->mem, operand, (size_t)(colon - operand)) : operand);
    if (colon) p->kernel_name = colon + 1;
}

bool program_options(struct program *p, const struct cli *c, const char *file, const struct opts *o,
                     struct err *e) {
    *p = (struct program){.cli = c, .sidecar = {.table = launch_options}, .launches = true};
    split_name(p, file);
    const char *kernel = opts_value(o, "kernel");
    if (kernel && p->kernel_name && strcmp(kernel, p->kernel_name) != 0)
        return err_set(e, ERR_INPUT, "%.60s names one kernel and --kernel %.60s another", file, kernel);
    cudacc_options(&p->compile, o);
    for (size_t n = 0; n < opts_count(o, "argv"); n++) VEC_PUSH(&p->argv, opts_nth(o, "argv", n));
    p->files = opts_value(o, "files");
    return read_launch(p, o, e);
}

void program_file(struct program *p, const struct cli *c, const char *file, const struct opts *o) {
    *p = (struct program){.cli = c, .file = infile_name(file), .sidecar = {.table = launch_options}};
    cudacc_options(&p->compile, o);
}

static bool fill_names(struct program *p, struct err *e) {
    struct params none = {0};
    const bool fine = sidecar_fill(p->names ? p->names : &none, &p->sidecar, &p->mem, e) ||
                      err_set(e, ERR_INPUT, "%s: launch options: %s", p->file, err_text(e));
    params_free(&none);
    return fine;
}

static bool same_text(const char *a, const char *b) {
    return a && b ? !strcmp(a, b) : a == b;
}

static bool same_flags(const struct program *a, const struct program *b) {
    return same_text(a->compile.flags, b->compile.flags) &&
           same_text(a->compile.own_flags, b->compile.own_flags);
}

/* Gets the PTX from a program of the same file with the same flags, or else by the compiler. */
static bool program_compile(struct program *p, struct err *e) {
    const struct program *like = p->like;
    while (like && !same_flags(like, p)) like = like->like;
    if (!like) return cudacc_compile(p->cli, p->file, &p->compile, &p->text, e);
    p->text.len = 0;
    sb_addn(&p->text, like->text.text, like->text.len);
    return true;
}

/* A source file with a main is meant as a whole, unless something says which launch of it is. */
static bool check_whole(const struct program *p, struct err *e) {
    struct sb build = {0}, program = {0}, run = {0};
    if (!p->launches || p->scripted || p->kernel_name || p->has_grid || p->has_block || p->args.n)
        return true;
    if (!source_has_main(p->text.text)) return true;
    source_build_line(p->file, &build, &program);
    cli_add_word(&run, program.text);
    err_set(e, ERR_INPUT,
            "%s is a whole program, with a main: build it, then run what was built:\n  %s\n  heddle cuda%s\n"
            "One kernel of it runs alone with --kernel, --grid, --block and --arg",
            p->file, build.text, run.text);
    sb_free(&build);
    sb_free(&program);
    sb_free(&run);
    return false;
}

bool program_read(struct program *p, struct err *e) {
    enum source_kind kind;
    if (!source_read(p->file, &p->text, &kind, e)) return false;
    if (kind == SOURCE_CAPTURE) return program_captured(p, e);
    p->binary = kind == SOURCE_RISCV;
    p->module = p->file;
    if (p->binary) return true;
    if (!sidecar_read(&p->sidecar, p->file, p->text.text, p->kernel_name, &p->mem, e)) return false;
    if (!fill_names(p, e)) return false;
    if (!read_launch(p, &p->sidecar, e))
        return err_set(e, ERR_INPUT, "%s: launch options: %s", p->file, err_text(e));
    p->compile.own_flags = opts_value(&p->sidecar, "cuda-flags");
    p->module = p->file;
    if (kind == SOURCE_PTX) return true;
    if (!check_whole(p, e)) return false;
    struct sb name = {0};
    sb_add(&name, "PTX of %s", p->file);
    p->module = sb_keep(&name, &p->mem);
    return program_compile(p, e);
}

/* ---- the kernel ---- */

static bool several_kernels(const struct program *p, hd_module *mod, struct err *e) {
    struct sb text = {0};
    size_t n = hd_module_kernel_count(mod);
    sb_add(&text, "%s has %zu kernels; choose one with --kernel NAME:", p->file, n);
    for (size_t i = 0; i < n; i++) {
        hd_kernel_info k;
        if (hd_kernel_get_info(hd_module_kernel_at(mod, i), &k)) continue;
        sb_add(&text, "\n  ");
        kernel_signature(&k, &text);
        if (k.unsupported) sb_add(&text, "  (cannot run: heddle inspect says why)");
    }
    err_set(e, ERR_INPUT, "%s", text.text);
    sb_free(&text);
    return false;
}

static bool program_find_kernel(struct program *p, hd_device *dev, hd_module *mod, hd_kernel **k,
                                struct err *e) {
    size_t n = hd_module_kernel_count(mod);
    if (!n) return err_set(e, ERR_INPUT, "%s has no kernel (.entry)", p->file);
    if (!p->kernel_name && n > 1) return several_kernels(p, mod, e);
    *k = hd_module_kernel_at(mod, 0);
    if (p->kernel_name && !kernel_by_name(p->file, p->kernel_name, dev, mod, k, e)) return false;
    if (!lab_check(dev, hd_kernel_get_info(*k, &p->info), e)) return false;
    return !p->info.unsupported || err_set(e, ERR_INPUT, "%s", p->info.unsupported);
}

static bool check_shape(struct program *p, struct err *e) {
    const uint32_t *fixed = p->info.required_threads;
    if (!p->has_block && fixed[0])
        for (int i = 0; i < 3; i++) p->launch.block[i] = fixed[i] ? fixed[i] : 1;
    else if (!p->has_block)
        return err_set(e, ERR_INPUT, "--block is missing: threads of a block, as in --block 256");
    if (!p->has_grid) return err_set(e, ERR_INPUT, "--grid is missing: blocks of the grid, as in --grid 4");
    return true;
}

/* ---- for the lab ---- */

/* Scalars go as the bits they are, whatever their type. */
static hd_arg program_scalar(const struct arg_spec *s) {
    switch (ir_type_bytes[s->type]) {
    case 1: return (hd_arg){.type = HD_ARG_U8, .v = {.u = s->value}};
    case 2: return (hd_arg){.type = HD_ARG_U16, .v = {.u = s->value}};
    case 4: return (hd_arg){.type = HD_ARG_U32, .v = {.u = s->value}};
    default: return (hd_arg){.type = HD_ARG_U64, .v = {.u = s->value}};
    }
}

/* Bytes of a struct, and where the addresses in them are. */
static bool describe_struct(struct program *p, struct program_arg *a, struct lab_arg *out, struct err *e) {
    struct arg_links found = {0};
    a->data = xcalloc(arg_bytes(&a->spec) + 1, 1);
    arg_decode(&a->spec, a->data, &found);
    out->value = hd_arg_bytes(a->data, (uint32_t)arg_bytes(&a->spec));
    bool fine = program_link(p, &found, &out->links, &out->nlinks, e);
    VEC_FREE(&found.v);
    return fine;
}

static bool describe_pointer(struct program *p, const struct program_arg *a, struct lab_arg *out,
                             struct err *e) {
    struct arg_links found = {0};
    VEC_PUSH(&found.v, (struct arg_link){.name = a->spec.text, .length = strlen(a->spec.text)});
    out->value = hd_arg_ptr(0);
    bool fine = program_link(p, &found, &out->links, &out->nlinks, e);
    VEC_FREE(&found.v);
    return fine;
}

static bool describe_buffer(struct program_arg *a, struct lab_arg *out, struct err *e) {
    /* the size of a file says how many elements */
    if (a->spec.fill == ARG_FILE && !arg_read_file(&a->spec, &a->data, e)) return false;
    out->bytes = a->spec.count * arg_bytes(&a->spec);
    out->addr = a->addr;
    return true;
}

static bool program_describe(struct program *p, size_t i, struct lab_arg *out, struct err *e) {
    struct program_arg *a = program_entry(p, i);
    *out = (struct lab_arg){.text = a->name ? a->name : a->text};
    switch (a->spec.kind) {
    case ARG_SCALAR: out->value = program_scalar(&a->spec); return true;
    case ARG_SYMBOL: out->symbol = a->spec.text; return true;
    case ARG_POINTER: return describe_pointer(p, a, out, e);
    case ARG_BUFFER: return describe_buffer(a, out, e);
    case ARG_BYTES:
    case ARG_STRUCT: return describe_struct(p, a, out, e);
    }
    return true;
}

static bool describe_all(struct program *p, struct err *e) {
    p->lab_args = ARENA_NEW(&p->mem, struct lab_arg, p->args.n + p->buffers.n + 1);
    for (size_t i = 0; i < p->args.n + p->buffers.n; i++)
        if (!program_describe(p, i, &p->lab_args[i], e)) {
            struct sb name = {0};
            program_entry_name(p, i, &name);
            err_set(e, e->code, "%s (%.60s): %s", name.text, program_entry(p, i)->text, err_text(e));
            sb_free(&name);
            return false;
        }
    return true;
}

bool program_module(const struct program *p, hd_device *dev, hd_module **mod, struct err *e) {
    const struct lab_program text = {.module = p->module,
                                     .text = p->text.text,
                                     .text_bytes = p->text.len,
                                     .places = p->capture.places.v,
                                     .nplaces = p->capture.places.n};
    return lab_module(dev, &text, mod, e);
}

bool program_choose(struct program *p, hd_device *dev, hd_module *mod, hd_kernel **k, struct err *e) {
    if (!program_find_kernel(p, dev, mod, k, e) || !check_shape(p, e) || !program_match(p, *k, e) ||
        !describe_all(p, e))
        return false;
    p->lab = (struct lab_program){.file = p->file,
                                  .module = p->module,
                                  .text = p->text.text,
                                  .text_bytes = p->text.len,
                                  .kernel = arena_strdup(&p->mem, p->info.name),
                                  .launch = p->launch,
                                  .args = p->lab_args,
                                  .nargs = p->args.n,
                                  .nbuffers = p->buffers.n,
                                  .places = p->capture.places.v,
                                  .nplaces = p->capture.places.n};
    return program_describe_vars(p, dev, mod, e);
}

bool program_contents(struct program *p, struct err *e) {
    for (size_t i = 0; i < p->args.n + p->buffers.n; i++) {
        struct program_arg *a = program_entry(p, i);
        uint64_t bytes = p->lab_args[i].bytes;
        p->lab_args[i].initial = a->captured;
        if (!bytes || a->spec.fill == ARG_ZERO) continue;
        if (a->spec.fill != ARG_FILE) {
            if (!(a->data = try_pages(bytes)))
                return err_set(e, ERR_MEMORY, "argument %zu (%.60s): no memory for %llu bytes", i, a->text,
                               (unsigned long long)bytes);
            arg_fill(&a->spec, a->spec.count, a->data);
        }
        p->lab_args[i].initial = a->data;
    }
    return true;
}

void program_forget_contents(struct program *p) {
    for (size_t i = 0; i < p->args.n + p->buffers.n; i++) {
        struct program_arg *a = program_entry(p, i);
        if (!p->lab_args[i].bytes || a->spec.fill == ARG_FILE || a->captured) continue;
        free(a->data);
        a->data = NULL;
        p->lab_args[i].initial = NULL;
    }
}

void program_free(struct program *p) {
    for (size_t i = 0; i < p->args.n + p->buffers.n; i++) free(program_entry(p, i)->data);
    VEC_FREE(&p->args);
    VEC_FREE(&p->argv);
    VEC_FREE(&p->buffers);
    VEC_FREE(&p->vars);
    capture_free(&p->capture);
    sb_free(&p->text);
    opts_free(&p->sidecar);
    arena_free(&p->mem);
}

/* ---- words ---- */

/* "1 block", "16 x 16 threads" */
static void program_dims(struct sb *out, const uint32_t d[3], const char *what) {
    sb_add(out, "%u", d[0]);
    if (d[1] > 1 || d[2] > 1) sb_add(out, " x %u", d[1]);
    if (d[2] > 1) sb_add(out, " x %u", d[2]);
    sb_add(out, " %s%s", what, d[0] == 1 && d[1] <= 1 && d[2] <= 1 ? "" : "s");
}

void program_shape(const hd_launch *l, struct sb *out) {
    program_dims(out, l->grid, "block");
    sb_add(out, " of ");
    program_dims(out, l->block, "thread");
    if (l->shared_bytes) sb_add(out, ", %u bytes of shared memory each", l->shared_bytes);
}
