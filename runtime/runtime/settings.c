/* The settings from the environment. A value that cannot be right fails every call of the program, so that nothing is measured
 * under a setting that was not asked for. */
#include "runtime/runtime/settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "runtime/module/names.h"

enum { NAME_MAX_BYTES = 64 };

struct reader {
    struct cu_settings *s;
    char *why;
    size_t bytes;
};

static int settings_wrong(struct reader *r, const char *name, const char *value, const char *should) {
    snprintf(r->why, r->bytes, "%s=%s: %s", name, value, should);
    return -1;
}

static int no_memory(struct reader *r) {
    snprintf(r->why, r->bytes, "out of memory");
    return -1;
}

static int settings_keep(struct reader *r, char **to, const char *value) {
    free(*to);
    *to = strdup(value);
    return *to ? 0 : no_memory(r);
}

static int flag(struct reader *r, const char *name, const char *value, int *to) {
    if (strcmp(value, "0") && strcmp(value, "1") && *value)
        return settings_wrong(r, name, value, "should be 0 or 1");
    *to = *value == '1';
    return 0;
}

static int set_mode(struct reader *r, const char *name, const char *value) {
    if (!strcmp(value, "functional"))
        r->s->timed = 0;
    else if (!strcmp(value, "timed"))
        r->s->timed = 1;
    else if (!strcmp(value, "auto") || !*value)
        r->s->timed = -1;
    else
        return settings_wrong(r, name, value, "should be functional, timed or auto");
    return 0;
}

/* "section.key=value" */
static int add_option(struct reader *r, const char *name, char *item) {
    char *equals = strchr(item, '=');
    if (!equals || equals == item) return settings_wrong(r, name, item, "should be key=value;key=value");
    hd_option *grown = realloc(r->s->options, (r->s->noptions + 1) * sizeof *grown);
    if (!grown) return no_memory(r);
    r->s->options = grown;
    size_t n = (size_t)(equals - item);
    while (n && (item[n - 1] == ' ' || item[n - 1] == '\t')) n--;
    hd_option o = {strndup(item, n), strdup(equals + 1 + strspn(equals + 1, " \t"))};
    grown[r->s->noptions++] = o;
    return o.key && o.value ? 0 : no_memory(r);
}

/* "kernel" or "kernel:N". A C++ name has colons of its own, in pairs: the number is behind a single one, and digits only. */
static int read_kernel(struct reader *r, const char *name, char *item, struct cu_timed *t) {
    char *colon = strrchr(item, ':');
    *t = (struct cu_timed){NULL, 0};
    if (colon && colon > item && colon[-1] != ':' && colon[1]) {
        char *end;
        errno = 0;
        t->nth = strtoull(colon + 1, &end, 10);
        if (*end || errno || !t->nth)
            return settings_wrong(r, name, item, "should be KERNEL or KERNEL:N, N from 1");
        *colon = 0;
    }
    t->kernel = strdup(item);
    return t->kernel ? 0 : no_memory(r);
}

static int settings_add_timed(struct reader *r, const char *name, char *item) {
    struct cu_timed *grown = realloc(r->s->kernels, (r->s->nkernels + 1) * sizeof *grown);
    if (!grown) return no_memory(r);
    r->s->kernels = grown;
    if (read_kernel(r, name, item, &grown[r->s->nkernels])) return -1;
    r->s->nkernels++;
    return 0;
}

/* "kernel:N=file"; the first launch unless said. */
static int set_capture(struct reader *r, const char *name, const char *value) {
    const char *equals = strchr(value, '=');
    if (!equals || equals == value || !equals[1])
        return settings_wrong(r, name, value, "should be KERNEL[:N]=FILE");
    char *item = strndup(value, (size_t)(equals - value));
    if (!item) return no_memory(r);
    free(r->s->capture.kernel);
    int bad = read_kernel(r, name, item, &r->s->capture);
    free(item);
    if (!r->s->capture.nth) r->s->capture.nth = 1;
    return bad ? bad : settings_keep(r, &r->s->capture_file, equals + 1);
}

static int set_max_insts(struct reader *r, const char *value) {
    char item[64];
    snprintf(item, sizeof item, "exec.max_insts=%.40s", value);
    return add_option(r, "max-insts", item);
}

/* A file may be one of `heddle cuda --options`, which has more to say. */
static int is_of_command(const char *name) {
    static const char *const names[] = {"LAUNCHES", "OUTPUT", "JSON", "CSV",
                                        "HTML",     "REPORT", "JOBS", "QUIET"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name + strlen("HEDDLE_"), names[i])) return 1;
    return 0;
}

/* Each part of a list between semicolons; empty ones count for nothing. */
static int settings_each(struct reader *r, const char *name, const char *list,
                         int (*add)(struct reader *, const char *, char *)) {
    char *copy = strdup(list), *save = NULL;
    if (!copy) return no_memory(r);
    int bad = 0;
    for (char *item = strtok_r(copy, ";", &save); item && !bad; item = strtok_r(NULL, ";", &save)) {
        item += strspn(item, " \t");
        size_t n = strlen(item);
        while (n && (item[n - 1] == ' ' || item[n - 1] == '\t')) item[--n] = 0;
        if (n) bad = add(r, name, item);
    }
    free(copy);
    return bad;
}

static int settings_assign(struct reader *r, const char *name, const char *value) {
    if (!strcmp(name, "HEDDLE_CONFIG")) return settings_keep(r, &r->s->config, value);
    if (!strcmp(name, "HEDDLE_MECH")) return settings_keep(r, &r->s->mech, value);
    if (!strcmp(name, "HEDDLE_LOG")) return settings_keep(r, &r->s->log, value);
    if (!strcmp(name, "HEDDLE_SET")) return settings_each(r, name, value, add_option);
    if (!strcmp(name, "HEDDLE_TIMED")) return settings_each(r, name, value, settings_add_timed);
    if (!strcmp(name, "HEDDLE_CAPTURE")) return set_capture(r, name, value);
    if (!strcmp(name, "HEDDLE_MODE")) return set_mode(r, name, value);
    if (!strcmp(name, "HEDDLE_RACES")) return flag(r, name, value, &r->s->races);
    if (!strcmp(name, "HEDDLE_PROFILE")) return flag(r, name, value, &r->s->profile);
    if (!strcmp(name, "HEDDLE_PROGRESS")) return flag(r, name, value, &r->s->progress);
    if (!strcmp(name, "HEDDLE_FUNCTIONAL"))
        return set_mode(r, name, strcmp(value, "0") ? "functional" : "auto");
    if (!strcmp(name, "HEDDLE_MAX-INSTS")) return set_max_insts(r, value);
    if (is_of_command(name)) return 0;
    snprintf(r->why, r->bytes, "%s: no such setting", name);
    return -1;
}

/* "name = value"; the name with or without HEDDLE_, in either case. */
static int assign_line(struct reader *r, char *line) {
    char name[NAME_MAX_BYTES] = "HEDDLE_", *text = line + strspn(line, " \t"), *equals = strchr(text, '=');
    text[strcspn(text, "\r\n")] = 0;
    if (!*text || *text == '#' || *text == ';') return 0;
    if (!equals) return settings_wrong(r, "HEDDLE_FILE", text, "a line should be name = value");
    size_t n = (size_t)(equals - text), at = strncasecmp(text, "heddle_", 7) ? 7 : 0;
    while (n && (text[n - 1] == ' ' || text[n - 1] == '\t')) n--;
    for (size_t i = 0; i < n && at + 1 < sizeof name; i++, at++)
        name[at] = (char)(text[i] >= 'a' && text[i] <= 'z' ? text[i] - 'a' + 'A' : text[i]);
    name[at] = 0;
    char *value = equals + 1 + strspn(equals + 1, " \t");
    for (n = strlen(value); n && (value[n - 1] == ' ' || value[n - 1] == '\t');) value[--n] = 0;
    return settings_assign(r, name, value);
}

static int settings_read_file(struct reader *r, const char *path) {
    FILE *f = fopen(path, "r");
    if (!f) return settings_wrong(r, "HEDDLE_FILE", path, strerror(errno));
    char *line = NULL;
    size_t capacity = 0;
    int bad = 0;
    while (!bad && getline(&line, &capacity, f) >= 0) bad = assign_line(r, line);
    if (!bad && ferror(f)) bad = settings_wrong(r, "HEDDLE_FILE", path, "cannot be read");
    free(line);
    fclose(f);
    return bad;
}

int cu_settings_read(struct cu_settings *s, char *why, size_t bytes) {
    static const char *const names[] = {"HEDDLE_CONFIG",  "HEDDLE_MECH",   "HEDDLE_LOG",   "HEDDLE_SET",
                                        "HEDDLE_TIMED",   "HEDDLE_MODE",   "HEDDLE_RACES", "HEDDLE_PROGRESS",
                                        "HEDDLE_CAPTURE", "HEDDLE_PROFILE"};
    struct reader r = {s, why, bytes};
    *s = (struct cu_settings){.timed = -1};
    const char *file = getenv("HEDDLE_FILE");
    if (file && *file && settings_read_file(&r, file)) return -1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value && *value && settings_assign(&r, names[i], value)) return -1;
    }
    return 0;
}

void cu_settings_free(struct cu_settings *s) {
    for (size_t i = 0; i < s->noptions; i++) {
        free((char *)(uintptr_t)s->options[i].key);
        free((char *)(uintptr_t)s->options[i].value);
    }
    for (size_t i = 0; i < s->nkernels; i++) free(s->kernels[i].kernel);
    free(s->options);
    free(s->kernels);
    free(s->capture.kernel);
    free(s->capture_file);
    free(s->config);
    free(s->mech);
    free(s->log);
    *s = (struct cu_settings){.timed = -1};
}

int cu_settings_means(const struct cu_timed *t, const char *kernel) {
    return cu_name_matches(t->kernel, kernel);
}

int cu_settings_timed(const struct cu_settings *s, const char *kernel, uint64_t nth) {
    for (size_t i = 0; i < s->nkernels; i++)
        if ((!s->kernels[i].nth || s->kernels[i].nth == nth) && cu_name_matches(s->kernels[i].kernel, kernel))
            return 1;
    return 0;
}
