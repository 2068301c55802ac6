/* From an operand to a subject. What is wrong with a program is found on a device that is opened for nothing else: when the
 * runs begin, only the machine or the program itself can fail. */
#include "subject/subject.h"

#include <stdlib.h>
#include <string.h>

#include "lab/run/accel.h"

const struct workload *subject_workload(const char *operand, const struct opts *o, struct err *e) {
    const char *given = opts_value(o, "isa");
    enum work_isa isa;
    const struct workload *w = subject_named(operand) ? lab_workload(operand + 1, e) : NULL;
    if (!w || !given) return w;
    if (!lab_isa(given, &isa, e)) return err_set(e, ERR_INPUT, "--isa: %s", err_text(e)), NULL;
    return lab_build(w, isa, e);
}

bool subject_options(struct subject *s, const struct cli *c, const char *operand, enum work_size size,
                     const struct opts *o, struct err *e) {
    const char *given = opts_value(o, "size");
    *s = (struct subject){.size = size};
    if (given && !lab_size(given, &s->size, e)) return err_set(e, ERR_INPUT, "--size: %s", err_text(e));
    if (!subject_named(operand))
        return program_options(&s->program, c, operand, o, e) && subject_script_options(s, o, e);
    return (s->workload = subject_workload(operand, o, e)) != NULL;
}

static bool subject_among(const char *name, const char *const *names) {
    while (*names && strcmp(name, *names) != 0) names++;
    return *names;
}

bool subject_check(const struct subject *s, size_t n, bool choose, const struct opts *o, struct err *e) {
    static const char *const of_workloads[] = {"size", "isa", "launch", NULL};
    static const char *const of_files[] = {"kernel",        "grid",    "block", "shared", "arg",
                                           "buffer",        "set-var", "print", "dump",   "cuda-flags",
                                           "cuda-compiler", "script",  "argv",  "files",  NULL};
    const char *const *const refused = choose ? of_files + 1 : of_files;
    size_t workloads = 0;
    for (size_t i = 0; i < n; i++) workloads += s[i].workload != NULL;
    for (size_t i = 0; i < o->given.n; i++) {
        const char *name = o->given.v[i].opt->name;
        if (workloads == 0 && subject_among(name, of_workloads))
            return err_set(e, ERR_INPUT, "--%s is for workloads (@NAME), not for files", name);
        if (workloads == n && subject_among(name, refused))
            return err_set(
                e, ERR_INPUT,
                "--%s does not go with @%s: a workload brings its own kernels, launches and inputs", name,
                s[0].workload->name);
    }
    return true;
}

static bool subject_no_words(const struct subject *s, struct err *e) {
    if (s->program.files)
        return err_set(e, ERR_INPUT, "--files is for programs for RISC-V, and %.60s is none",
                       s->program.file);
    return !s->program.argv.n ||
           err_set(e, ERR_INPUT, "'%.60s': only a program for RISC-V has arguments of its own",
                   s->program.argv.v[0]);
}

bool subject_read(struct subject *s, struct err *e) {
    if (!s->workload && (lab_is_accel(s->program.file) || lab_is_trace(s->program.file)))
        return subject_trace_read(s, e);
    if (s->workload || (program_read(&s->program, e) && (!s->script_file || subject_script_read(s, e)) &&
                        (s->program.binary ? subject_binary_read(s, e) : subject_no_words(s, e))))
        return true;
    if (!workload_find(s->program.file)) return false;
    return err_set(e, e->code, "%s (the workload is @%s)", err_text(e), s->program.file);
}

/* Errors also come back from the call that failed, and are printed once, there. */
void subject_warn(void *user, hd_log_level level, const char *text) {
    const struct cli *c = user;
    if (level == HD_LOG_WARNING) term_warning(&c->term, c->command->name, text);
}

bool subject_open(const struct cli *c, const hd_config *config, hd_device **dev, struct err *e) {
    if (!lab_open(config, dev, e)) return false;
    hd_set_log(*dev, subject_warn, (void *)c);
    return true;
}

/* The device is asked for room first: it refuses what is too large before the host tries to fill it. */
static bool try_program(struct program *p, const hd_config *config, struct err *e) {
    hd_device *dev = NULL;
    hd_module *mod;
    hd_kernel *kernel;
    hd_arg *args = xcalloc(p->args.n + p->buffers.n + 1, sizeof *args);
    bool fine = subject_open(p->cli, config, &dev, e) && program_module(p, dev, &mod, e) &&
                program_choose(p, dev, mod, &kernel, e) && lab_bind(dev, mod, &p->lab, args, e) &&
                program_contents(p, e);
    lab_unbind(&p->lab, args);
    p->info = (hd_kernel_info){0}; /* its strings go with the device */
    hd_device_close(dev);
    free(args);
    return fine;
}

bool subject_prepare(struct subject *s, const hd_config *config, struct err *e) {
    s->lab = (struct lab_subject){.workload = s->workload, .size = s->size, .program = &s->program.lab};
    if (s->traced) return subject_trace_prepare(s);
    if (s->program.binary) return subject_binary_prepare(s, config, e);
    if (s->script_file) return subject_script_prepare(s, config, e);
    return s->workload || try_program(&s->program, config, e);
}

void subject_free(struct subject *s) {
    script_free(&s->script);
    subject_trace_free(s);
    program_free(&s->program);
}
