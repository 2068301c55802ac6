/* A subject that is a program for RISC-V: to all other code it is a script that is called main. */
#include "subject/subject.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bits.h"

/* A folder that is not there is found before anything runs. */
static bool check_files(const char *files, struct err *e) {
    struct stat s;
    if (!files || !strcmp(files, "none") || !strcmp(files, "all")) return true;
    if (!stat(files, &s) && S_ISDIR(s.st_mode)) return true;
    return err_set(e, ERR_INPUT, "--files %.200s: %s; it is none, all or a folder", files,
                   stat(files, &s) ? strerror(errno) : strerror(ENOTDIR));
}

bool subject_binary_read(struct subject *s, struct err *e) {
    struct program *p = &s->program;
    if (s->script_file)
        return err_set(e, ERR_INPUT, "%s has a main, which launches: --script does not go with it", p->file);
    if (p->has_grid || p->has_block || p->has_shared || p->args.n || p->buffers.n || p->kernel_name ||
        p->vars.n)
        return err_set(e, ERR_INPUT, "%s has a main, which launches: options of a launch do not go with it",
                       p->file);
    if (!check_files(p->files, e)) return false;
    s->script_file = "main";
    VEC_PUSH(&p->argv, NULL);
    for (size_t n = p->argv.n - 1; n > 0; n--) p->argv.v[n] = p->argv.v[n - 1];
    p->argv.v[0] = p->file;
    return true;
}

/* Results depend on what main is told: its words, and which files it may use. */
static uint64_t hash_words_of_main(const struct program *p) {
    uint64_t h = HASH_START;
    for (size_t n = 1; n < p->argv.n; n++) h = hash_bytes(h, p->argv.v[n], strlen(p->argv.v[n]) + 1);
    return p->files ? hash_bytes(h, p->files, strlen(p->files)) : h;
}

bool subject_binary_prepare(struct subject *s, const hd_config *config, struct err *e) {
    struct program *p = &s->program;
    hd_device *dev = NULL;
    hd_module *mod;
    const bool fine = subject_open(p->cli, config, &dev, e) &&
                      lab_check(dev, hd_module_load(dev, p->file, p->text.text, p->text.len, &mod), e);
    hd_device_close(dev);
    p->lab.file = p->file;
    p->lab.text = p->text.text;
    p->lab.text_bytes = p->text.len;
    p->lab.kernel = s->script_file;
    s->binary_job = (struct binary_job){p->argv.v, p->argv.n, p->files};
    s->lab_script = (struct lab_script){.name = p->lab.kernel,
                                        .file = p->file,
                                        .text = p->text.text,
                                        .text_bytes = p->text.len,
                                        .identity = hash_words_of_main(p),
                                        .run = binary_run,
                                        .user = &s->binary_job};
    s->lab.script = &s->lab_script;
    return fine;
}
