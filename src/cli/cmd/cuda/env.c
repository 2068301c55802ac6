/* The environment of a run: the loader takes the simulator's library before any other, under each name that a program
 * may ask for; the library reads its options from HEDDLE_* variables.
 *
 * Our first word of LD_PRELOAD is a path, so that neither RPATH nor anything else can put another runtime before it; the
 * others are names, which the loader finds in LD_LIBRARY_PATH and remembers, so that a program which needs
 * libcudart.so.12 gets the file that is there already. Both lists are parted by colons and blanks, which no quoting
 * helps: a directory with one of them in its name is reached through a link. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cmd/cuda/cuda.h"
#include "sim/config.h"

static void cuda_env_add(struct cuda_run *r, const char *name, const char *value) {
    struct sb word = {0};
    sb_add(&word, "%s=%s", name, value);
    VEC_PUSH(&r->env, sb_keep(&word, &r->mem));
}

static bool is_ours(const char *word) {
    static const char *const names[] = {"HEDDLE_CONFIG",  "HEDDLE_MECH",    "HEDDLE_SET",      "HEDDLE_MODE",
                                        "HEDDLE_TIMED",   "HEDDLE_LOG",     "HEDDLE_PROGRESS", "HEDDLE_RACES",
                                        "HEDDLE_FILE",    "HEDDLE_CAPTURE", "HEDDLE_PROFILE",  "LD_PRELOAD",
                                        "LD_LIBRARY_PATH"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t n = strlen(names[i]);
        if (!strncmp(word, names[i], n) && word[n] == '=') return true;
    }
    return false;
}

/* ---- the library ---- */

static bool plain_directory(struct cuda *c, const char **dir, struct err *e) {
    struct sb link = {0};
    *dir = c->library;
    if (!strpbrk(c->library, ":; \t")) return true;
    sb_add(&link, "%s/lib", c->dir);
    *dir = sb_keep(&link, &c->mem);
    if (strpbrk(*dir, ":; \t"))
        return err_set(e, ERR_INPUT,
                       "neither %s nor %s can be in LD_PRELOAD: their names have blanks or colons",
                       c->library, *dir);
    return !symlink(c->library, *dir) || errno == EEXIST ||
           err_set(e, ERR_INPUT, "cannot make the link %s: %s", *dir, strerror(errno));
}

/* What the caller preloads comes before: a sanitizer's runtime or an allocator must. What he looks libraries up in, after. */
static void add_list(struct cuda_run *r, const char *name, bool old_first, const char *words) {
    const char *old = getenv(name);
    struct sb value = {0};
    if (!old || !*old)
        sb_add(&value, "%s", words);
    else
        sb_add(&value, "%s:%s", old_first ? old : words, old_first ? words : old);
    cuda_env_add(r, name, value.text);
    sb_free(&value);
}

static bool cuda_env_add_library(struct cuda *c, struct cuda_run *r, struct err *e) {
    const char *dir;
    struct sb preload = {0};
    if (!plain_directory(c, &dir, e)) return false;
    sb_add(&preload, "%s/libcudart.so.13:libcudart.so.12:libcudart.so.11.0:libcuda.so.1", dir);
    add_list(r, "LD_PRELOAD", true, preload.text);
    add_list(r, "LD_LIBRARY_PATH", false, dir);
    sb_free(&preload);
    return true;
}

/* ---- the machine ---- */

/* A path stays good when the program changes its directory. */
static void add_config(struct cuda_run *r, const char *config) {
    char *real = config_find(config) ? NULL : realpath(config, NULL);
    cuda_env_add(r, "HEDDLE_CONFIG", real ? real : config);
    free(real);
}

static bool add_setting(struct cuda_run *r, const hd_option *o, struct sb *set, struct err *e) {
    if (!strcmp(o->key, "run.mode"))
        cuda_env_add(r, "HEDDLE_MODE", o->value);
    else if (!strcmp(o->key, "run.mech"))
        cuda_env_add(r, "HEDDLE_MECH", o->value);
    else if (!strcmp(o->key, "run.races") && !strcmp(o->value, "on"))
        cuda_env_add(r, "HEDDLE_RACES", "1");
    else if (strchr(o->value, ';'))
        return err_set(e, ERR_INPUT, "--set %s: a value for a CUDA program cannot have a semicolon", o->key);
    else
        sb_add(set, "%s%s=%s", set->len ? ";" : "", o->key, o->value);
    return true;
}

static void cuda_env_add_timed(struct cuda *c, struct cuda_run *r) {
    struct sb list = {0};
    const size_t n = opts_count(&c->opts, "timed");
    for (size_t i = 0; i < n; i++) sb_add(&list, "%s%s", i ? ";" : "", opts_nth(&c->opts, "timed", i));
    if (n) cuda_env_add(r, "HEDDLE_TIMED", list.text);
    sb_free(&list);
}

/* In the first run only: the same launch is the same in all. The program may change its directory. */
static bool add_capture(struct cuda *c, struct cuda_run *r, struct err *e) {
    const char *text = opts_value(&c->opts, "capture"), *file = text ? strchr(text, '=') : NULL;
    char here[PATH_MAX];
    struct sb value = {0};
    if (!text || c->runs.n > 1) return true;
    if (!file || file == text || !file[1])
        return err_set(e, ERR_INPUT, "--capture '%.60s' is not KERNEL[:N]=FILE", text);
    sb_addn(&value, text, (size_t)(++file - text));
    if (*file != '/' && getcwd(here, sizeof here)) sb_add(&value, "%s/", here);
    sb_add(&value, "%s", file);
    c->captured = arena_strdup(&c->mem, value.text + (file - text));
    cuda_env_add(r, "HEDDLE_CAPTURE", value.text);
    sb_free(&value);
    return true;
}

static void add_log(struct cuda *c, struct cuda_run *r) {
    struct sb path = {0};
    sb_add(&path, "%s/%zu.log", c->dir, c->runs.n);
    r->log = sb_keep(&path, &r->mem);
    cuda_env_add(r, "HEDDLE_LOG", r->log);
}

bool cuda_environment(struct cuda *c, struct cuda_run *r, const struct machine *m, struct err *e) {
    struct sb set = {0};
    bool fine = true;
    for (char **v = environ; *v; v++)
        if (!is_ours(*v)) VEC_PUSH(&r->env, *v);
    if (m->config) add_config(r, m->config);
    for (size_t i = 0; i < m->settings.n && fine; i++) fine = add_setting(r, &m->settings.v[i], &set, e);
    if (set.len) cuda_env_add(r, "HEDDLE_SET", set.text);
    sb_free(&set);
    cuda_env_add_timed(c, r);
    if (c->profile) cuda_env_add(r, "HEDDLE_PROFILE", "1");
    add_log(c, r);
    fine = fine && add_capture(c, r, e) && cuda_env_add_library(c, r, e);
    VEC_PUSH(&r->env, NULL);
    return fine;
}
