/* The Itanium ABI's mangling is undone by GNU libiberty, whose demangler is the one of binutils and gdb. */
#include "value/demangle.h"

#include <ctype.h>
#include <libiberty/demangle.h>
#include <string.h>

#include "report/table.h"

static void add_piece(const char *piece, size_t n, void *out) {
    sb_addn(out, piece, n);
}

static void ignore_piece(const char *piece, size_t n, void *out) {
    (void)piece, (void)n, (void)out;
}

/* A name in PTX has no other way to begin so; libiberty alone would also take "i" for int. Only with parameters does it look at
 * the name to its end. */
static bool mangled(const char *name) {
    return !strncmp(name, "_Z", 2) && cplus_demangle_v3_callback(name, DMGL_PARAMS, ignore_piece, NULL);
}

static bool demangle(const char *name, int options, struct sb *out) {
    sb_addn(out, "", 0);
    return mangled(name) &&
           cplus_demangle_v3_callback(name, options | DMGL_ANSI | DMGL_RET_DROP, add_piece, out);
}

void demangle_name(const char *name, struct sb *out) {
    if (!demangle(name, 0, out)) sb_add(out, "%s", name);
}

const char *demangle_keep(const char *name, struct arena *mem) {
    struct sb out = {0};
    demangle_name(name, &out);
    return sb_keep(&out, mem);
}

void demangle_cell(struct table *t, const char *name) {
    struct sb out = {0};
    demangle_name(name, &out);
    table_cell(t, "%s", out.text);
    sb_free(&out);
}

bool demangle_signature(const char *name, struct sb *out) {
    return demangle(name, DMGL_PARAMS, out);
}

static bool word_char(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.';
}

/* The word at text, n bytes: whole, or up to "_param_" and a number. */
static void add_word(const char *text, size_t n, struct sb *out) {
    struct sb word = {0};
    sb_addn(&word, text, n);
    char *param = NULL;
    for (char *at = word.text; (at = strstr(at, "_param_")); at++) param = at;
    if (!demangle(word.text, 0, out)) {
        if (param) *param = 0;
        if (!param || !demangle(word.text, 0, out))
            sb_addn(out, text, n);
        else
            sb_addn(out, text + (param - word.text), n - (size_t)(param - word.text));
    }
    sb_free(&word);
}

void demangle_text(const char *text, struct sb *out) {
    sb_addn(out, "", 0);
    while (*text) {
        size_t n = 0;
        while (word_char(text[n])) n++;
        if (n && !strncmp(text, "_Z", 2))
            add_word(text, n, out);
        else
            sb_addn(out, text, n = n ? n : 1);
        text += n;
    }
}

/* ---- what is meant ---- */

/* Blanks count only between words: "unsigned int". */
static void squeeze(const char *text, struct sb *out) {
    sb_addn(out, "", 0);
    for (const char *p = text; *p; p++) {
        const bool between = p > text && word_char(p[-1]) && word_char(p[strspn(p, " ")]);
        if (*p != ' ' || between) sb_addn(out, p, 1);
    }
}

/* Without template arguments, and without what precedes the last :: outside of them. */
static void strip(struct sb *name, bool templates, bool namespaces) {
    size_t depth = 0, to = 0;
    for (size_t i = 0; i < name->len; i++) {
        const char c = name->text[i];
        if (c == '<') depth++;
        if (!depth || !templates) name->text[to++] = c;
        if (c == '>') depth--;
        if (namespaces && !depth && c == ':') to = 0;
    }
    name->len = to;
    name->text[to] = 0;
}

static bool demangle_same(const char *written, const struct sb *name) {
    struct sb squeezed = {0};
    squeeze(name->text, &squeezed);
    const bool is = !strcmp(written, squeezed.text);
    sb_free(&squeezed);
    return is;
}

/* How directly: 1 the signature, 2 the name, then without template arguments, namespaces, both; 0 not. */
static int directness(const char *written, const char *name) {
    enum { WAYS = 4 };
    struct sb shown = {0};
    int found = demangle_signature(name, &shown) && demangle_same(written, &shown) ? 1 : 0;
    for (int way = 0; way < WAYS && !found; way++) {
        shown.len = 0;
        demangle_name(name, &shown);
        strip(&shown, way & 1, way & 2);
        if (demangle_same(written, &shown)) found = 2 + way;
    }
    sb_free(&shown);
    return found;
}

bool demangle_means(const char *written, const char *name) {
    struct sb squeezed = {0};
    squeeze(written, &squeezed);
    const bool is = !strcmp(written, name) || directness(squeezed.text, name);
    sb_free(&squeezed);
    return is;
}

static void demangle_list(const char *written, const char *const *names, size_t n, const char *where,
                          struct err *e) {
    struct sb text = {0};
    sb_add(&text, "%s several that %.60s may mean:", where, written);
    for (size_t i = 0; i < n; i++) {
        if (!demangle_means(written, names[i])) continue;
        sb_add(&text, "\n  ");
        if (!demangle_signature(names[i], &text)) sb_add(&text, "%s", names[i]);
    }
    err_set(e, ERR_INPUT, "%s", text.text);
    sb_free(&text);
}

size_t demangle_find(const char *written, const char *const *names, size_t n, const char *where,
                     struct err *e) {
    struct sb squeezed = {0};
    size_t found = n, count = 0;
    int best = 0;
    squeeze(written, &squeezed);
    for (size_t i = 0; i < n; i++) {
        const int how = strcmp(written, names[i]) ? directness(squeezed.text, names[i]) : 1;
        if (!how || (best && how > best)) continue;
        count = how == best ? count + 1 : 1;
        best = how;
        found = i;
    }
    sb_free(&squeezed);
    if (count <= 1) return found;
    demangle_list(written, names, n, where, e);
    return n + 1;
}
