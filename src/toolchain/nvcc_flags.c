/* See nvcc_flags.h and the rows in nvcc.def. */
#include "toolchain/nvcc_flags.h"

#include <stdlib.h>
#include <string.h>

static const struct nvcc_flag flags[] = {
#define QUIET(names, form, kind, clang, own)             {names, NVCC_##form, NVCC_##kind, clang, own},
#define FLAG(names, form, kind, clang, own, usage, help) QUIET(names, form, kind, clang, own)
#include "toolchain/nvcc.def"
#undef FLAG
#undef QUIET
};

/* Calls of a row's names one after the other: the next one, its length, or NULL at the end. */
static const char *next_name(const char **rest, size_t *n) {
    const char *name = *rest;
    if (!*name) return NULL;
    *n = strcspn(name, "|");
    *rest = name + *n + (name[*n] == '|');
    return name;
}

bool nvcc_flag_is(const struct nvcc_flag *f, const char *want) {
    size_t n;
    const char *rest = f->names, *name;
    while ((name = next_name(&rest, &n)))
        if (strlen(want) == n && !memcmp(name, want, n)) return true;
    return false;
}

/* Whole names, alone or before '='. */
static bool matches(const struct nvcc_flag *f, const char *word, const char **value) {
    const size_t length = strcspn(word, f->form == NVCC_ALONE ? "" : "=");
    size_t n;
    const char *rest = f->names, *name;
    while ((name = next_name(&rest, &n))) {
        if (n != length || memcmp(name, word, n) != 0) continue;
        *value = f->form == NVCC_ALONE ? "" : word[n] ? word + n + 1 : NULL;
        return true;
    }
    return false;
}

const struct nvcc_flag *nvcc_flag_find(const char *word, const char **value) {
    const size_t dashes = strspn(word, "-");
    if (!dashes || dashes > 2 || !word[dashes]) return NULL;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (matches(&flags[i], word + dashes, value)) return &flags[i];
    /* -DNAME: after the others, of which some begin like it */
    for (size_t i = 0; i < sizeof flags / sizeof *flags && dashes == 1; i++) {
        if (flags[i].form != NVCC_JOINED || flags[i].names[0] != word[1]) continue;
        *value = word + 2;
        return &flags[i];
    }
    return NULL;
}

/* What clang calls nvcc's value. */
static const char *nvcc_flags_translate(const struct nvcc_flag *f, const char *value, struct arena *mem) {
    const bool no = !strcmp(value, "false");
    if (nvcc_flag_is(f, "fmad")) return no ? "off" : "fast-honor-pragmas";
    if (nvcc_flag_is(f, "ftz")) return no ? "no-" : "";
    if (nvcc_flag_is(f, "prec-div")) return no ? "1" : "2";
    if (nvcc_flag_is(f, "prec-sqrt")) return no ? "0" : "1";
    if (f->kind != NVCC_TARGET || strncmp(value, "compute_", 8) != 0) return value;
    struct sb out = {0};
    sb_add(&out, "sm_%s", value + 8);
    return sb_keep(&out, mem);
}

void nvcc_flag_clang(const struct nvcc_flag *f, const char *value, struct cudacc_words *out,
                     struct arena *mem) {
    for (const char *p = f->clang; *p; p += strspn(p, " ")) {
        const size_t n = strcspn(p, " ");
        const char *gap = strstr(p, "%s");
        struct sb one = {0};
        if (gap && gap < p + n)
            sb_add(&one, "%.*s%s%.*s", (int)(gap - p), p, nvcc_flags_translate(f, value, mem),
                   (int)(p + n - gap - 2), gap + 2);
        else
            sb_addn(&one, p, n);
        VEC_PUSH(&out->v, sb_keep(&one, mem));
        p += n;
    }
}

/* The highest up to this one: what newer ones have beside is mostly what heddle has not; else the lowest. */
enum { BEST_TARGET = 80, FIRST_TARGET = 50, LAST_TARGET = 90 };

static bool nvcc_flags_better(unsigned n, unsigned than) {
    if (!than) return true;
    if (n <= BEST_TARGET) return than > BEST_TARGET || n > than;
    return than > BEST_TARGET && n < than;
}

void nvcc_target(const char *value, unsigned *best) {
    static const char *const marks[] = {"sm_", "compute_"};
    for (size_t m = 0; m < 2; m++)
        for (const char *p = value; (p = strstr(p, marks[m]));) {
            p += strlen(marks[m]);
            unsigned n = (unsigned)strtoul(p, NULL, 10);
            if (!n) continue;
            n = n < FIRST_TARGET ? FIRST_TARGET : n > LAST_TARGET ? LAST_TARGET : n;
            if (nvcc_flags_better(n, *best)) *best = n;
        }
}
