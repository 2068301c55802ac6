/* A subject with a script. The file's own launch options are for a launch by itself and play no part. */
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "sim/file.h"
#include "subject/subject.h"

bool subject_script_options(struct subject *s, const struct opts *o, struct err *e) {
    static const char *const of_launches[] = {"kernel", "grid",   "block", "shared",
                                              "arg",    "buffer", "print", "dump"};
    if (!opts_known(o, "script") || !(s->script_file = opts_value(o, "script"))) return true;
    s->program.scripted = true;
    for (size_t i = 0; i < sizeof of_launches / sizeof *of_launches; i++)
        if (opts_known(o, of_launches[i]) && opts_has(o, of_launches[i]))
            return err_set(e, ERR_INPUT, "--%s does not go with --script, which says that itself",
                           of_launches[i]);
    if (s->program.kernel_name)
        return err_set(e, ERR_INPUT, "%.60s:%.60s: with --script, the file alone is named", s->program.file,
                       s->program.kernel_name);
    if (strcmp(s->script_file, "-") != 0) return true;
    size_t readers = o->operands.n;
    for (size_t i = 0; i < o->operands.n; i++) readers += !strcmp(o->operands.v[i], "-");
    return readers <= 1 || err_set(e, ERR_INPUT, "--script -: standard input can be read once only");
}

static bool read_script(const char *path, struct sb *text, struct err *e) {
    return file_read(strcmp(path, "-") ? path : "/dev/stdin", text, e);
}

/* What the file says of buffers and variables belongs to its own launch. */
static void forget_launch(struct program *p) {
    size_t own = 0;
    while (own < p->vars.n && p->vars.v[own].beside) own++;
    if (own) memmove(p->vars.v, p->vars.v + own, (p->vars.n - own) * sizeof *p->vars.v);
    p->vars.n -= own;
    p->args.n = p->buffers.n = 0;
}

bool subject_script_read(struct subject *s, struct err *e) {
    struct sb text = {0};
    forget_launch(&s->program);
    bool fine = read_script(s->script_file, &text, e) &&
                script_parse(&s->script, s->script_file, text.text, text.len, e) &&
                (!s->program.names || script_define(&s->script, s->program.names, e));
    s->script_digest = hash_words(HASH_START, text.text, text.len);
    sb_free(&text);
    return fine;
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Its text, what it is given, the files it reads, the variables that are set before it. */
static bool subject_script_identify(struct subject *s, uint64_t *h, struct err *e) {
    const struct lab_program *p = &s->program.lab;
    *h = s->script_digest;
    for (size_t i = 0; i < p->nvars; i++) {
        *h = hash_bytes(*h, p->vars[i].symbol, strlen(p->vars[i].symbol) + 1);
        *h = hash_bytes(*h, &p->vars[i].offset, sizeof p->vars[i].offset);
        *h = hash_bytes(*h, p->vars[i].data, p->vars[i].bytes);
    }
    return script_hash_inputs(&s->script, h, e);
}

bool subject_script_prepare(struct subject *s, const hd_config *config, struct err *e) {
    struct program *p = &s->program;
    hd_device *dev = NULL;
    hd_module *mod;
    uint64_t identity = 0;
    bool fine = subject_open(p->cli, config, &dev, e) &&
                lab_check(dev, hd_module_load(dev, p->file, p->text.text, p->text.len, &mod), e) &&
                program_describe_vars(p, dev, mod, e) && script_try(&s->script, dev, mod, e) &&
                subject_script_identify(s, &identity, e);
    hd_device_close(dev);
    p->lab.file = p->file;
    p->lab.text = p->text.text;
    p->lab.text_bytes = p->text.len;
    p->lab.kernel = base_name(s->script_file);
    s->script_job = (struct script_job){&s->script, &p->lab, p->cli->term.width};
    s->lab_script = (struct lab_script){.name = p->lab.kernel,
                                        .file = p->file,
                                        .text = p->text.text,
                                        .text_bytes = p->text.len,
                                        .identity = identity,
                                        .run = script_run,
                                        .user = &s->script_job};
    s->lab.script = &s->lab_script;
    return fine;
}
