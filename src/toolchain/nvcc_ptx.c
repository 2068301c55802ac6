/* Names of relocatable device code. What a file keeps to itself (static variables and functions) has plain names in clang's PTX, as
 * a file's own; once several texts are linked into one module they would collide. nvcc puts a hash of the file in them, and so
 * does this: every name that is declared at module scope without .visible, .weak, .extern or .common gets a suffix. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "sim/file.h"
#include "toolchain/nvcc.h"

struct names {
    VEC(const char *) v; /* sorted, once all are there */
};

static bool is_name(int c) {
    return isalnum(c) || c == '_' || c == '$';
}

static size_t name_length(const char *p) {
    size_t n = 0;
    while (is_name((unsigned char)p[n])) n++;
    return n;
}

/* Past types, alignments and what a function returns, to the name that is declared. */
static const char *declared_name(const char *p, const char *end) {
    while (p < end) {
        if (*p == '(')
            p += strcspn(p, ")");
        else if (*p == '.')
            p += 1 + name_length(p + 1);
        else if (isdigit((unsigned char)*p))
            p += name_length(p);
        else if (is_name((unsigned char)*p))
            return p;
        else
            p++;
    }
    return NULL;
}

static void add_declared(const char *line, const char *end, struct names *names, struct arena *mem) {
    static const char *const words[] = {".global ", ".const ", ".func ", ".shared "};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strncmp(line, words[i], strlen(words[i])) != 0) continue;
        const char *name = declared_name(line + strlen(words[i]), end);
        if (name) VEC_PUSH(&names->v, arena_strndup(mem, name, name_length(name)));
    }
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Lines at module scope: outside of braces, which clang puts on lines of their own or behind an initial value's '='. */
static void find_names(const char *text, struct names *names, struct arena *mem) {
    int depth = 0;
    for (const char *p = text; *p;) {
        const char *end = p + strcspn(p, "\n");
        if (!depth) add_declared(p, end, names, mem);
        for (const char *c = p; c < end; c++) depth += (*c == '{') - (*c == '}');
        p = end + (*end == '\n');
    }
    if (names->v.n) qsort(names->v.v, names->v.n, sizeof *names->v.v, by_name);
}

static void rename_all(const char *p, const struct names *names, const char *suffix, struct sb *out) {
    while (*p) {
        const size_t n = name_length(p);
        char name[1024];
        sb_addn(out, p, n ? n : 1);
        if (n && n < sizeof name) {
            memcpy(name, p, n);
            name[n] = 0;
            const char *key = name;
            if (bsearch(&key, names->v.v, names->v.n, sizeof key, by_name)) sb_add(out, "%s", suffix);
        }
        p += n ? n : 1;
    }
}

bool nvcc_localise(const char *path, const char *suffix, struct err *e) {
    struct sb text = {0}, out = {0};
    struct arena mem = {0};
    struct names names = {0};
    bool fine = file_read(path, &text, e);
    if (fine) find_names(text.text, &names, &mem);
    if (fine && names.v.n) {
        rename_all(text.text, &names, suffix, &out);
        fine = nvcc_write(path, &out, e);
    }
    VEC_FREE(&names.v);
    arena_free(&mem);
    sb_free(&text);
    sb_free(&out);
    return fine;
}
