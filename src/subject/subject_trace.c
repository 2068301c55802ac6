/* A subject that is a trace: its launches come from the file, and nothing about them can be said on the command line. */
#include "subject/subject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/run/accel.h"

bool subject_convert(const struct cli *c, const char *path,
                     bool (*write)(void *user, const void *data, size_t n), void *user,
                     struct hdt_sizes *sizes, struct err *e) {
    struct hdt_writer *w = hdt_writer_new(write, user);
    struct sb notes = {0};
    bool good = lab_accel(path, w, &notes, e);
    if (good && !hdt_finish(w)) good = err_set(e, ERR_INPUT, "the converted trace cannot be written");
    *sizes = hdt_written(w);
    for (char *at = notes.text, *end; good && at && (end = strchr(at, '\n')); at = end + 1) {
        *end = '\0';
        term_warning(&c->term, c->command->name, at);
    }
    sb_free(&notes);
    hdt_writer_free(w);
    return good;
}

static bool write_file(void *user, const void *data, size_t n) {
    return fwrite(data, 1, n, user) == n;
}

/* To a file that lives as long as the subject. */
static bool subject_trace_convert(struct subject *s, struct err *e) {
    const char *dir = getenv("TMPDIR");
    struct sb path = {0};
    struct hdt_sizes sizes;
    sb_add(&path, "%s/heddle-XXXXXX", dir && *dir ? dir : "/tmp");
    const int fd = mkstemp(path.text);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (fd >= 0) s->converted = arena_strdup(&s->program.mem, path.text);
    sb_free(&path);
    if (!file) return err_set(e, ERR_INPUT, "%s: no room for the converted trace", s->program.file);
    bool good = subject_convert(s->program.cli, s->program.file, write_file, file, &sizes, e);
    if (fclose(file) && good)
        good = err_set(e, ERR_INPUT, "%s: no room for the converted trace", s->program.file);
    return good;
}

void subject_trace_free(struct subject *s) {
    if (s->converted) unlink(s->converted);
}

bool subject_trace_read(struct subject *s, struct err *e) {
    const struct program *p = &s->program;
    const char *given = p->has_grid      ? "--grid"
                        : p->has_block   ? "--block"
                        : p->has_shared  ? "--shared"
                        : p->args.n      ? "--arg"
                        : p->buffers.n   ? "--buffer"
                        : p->vars.n      ? "--set-var"
                        : p->kernel_name ? "--kernel"
                        : s->script_file ? "--script"
                                         : NULL;
    if (given)
        return err_set(e, ERR_INPUT, "%s does not go with %s: a trace brings its own launches", given,
                       p->file);
    s->traced = true;
    if (!lab_is_accel(p->file)) return lab_trace_open(&s->trace, p->file, e);
    if (!subject_trace_convert(s, e) || !lab_trace_open(&s->trace, s->converted, e)) return false;
    const char *slash = strrchr(p->file, '/');
    s->trace.script.name = slash ? slash + 1 : p->file;
    s->trace.script.file = p->file;
    return true;
}

bool subject_trace_prepare(struct subject *s) {
    struct lab_program *p = &s->program.lab;
    p->file = s->program.file;
    p->kernel = s->trace.script.name;
    s->lab.script = &s->trace.script;
    return true;
}
