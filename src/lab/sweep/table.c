/* CSV as spreadsheets and scripts write it: commas between cells, quotes around those that hold commas, quotes or line
 * breaks (doubled within), lines that end with or without a carriage return. Blanks around a cell without quotes do not
 * count; empty lines and those that begin with # are left out. */
#include "lab/sweep/table.h"

#include <string.h>

struct reader {
    const char *file, *p;
    unsigned line, row_line; /* where it reads, and where the row began */
    struct arena *mem;
    struct err *e;
};

static bool sweep_table_wrong(const struct reader *r, unsigned line, const char *what) {
    return err_set(r->e, ERR_INPUT, "%s:%u: %s", r->file, line, what);
}

static bool blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static void sweep_table_skip_blanks(struct reader *r) {
    while (blank(*r->p)) r->p++;
}

static bool at_end(const struct reader *r) {
    return !*r->p || *r->p == '\n';
}

/* r->p: behind the opening quote. */
static bool quoted(struct reader *r, const char **cell) {
    struct sb text = {0};
    const unsigned line = r->line;
    for (; *r->p && (*r->p != '"' || r->p[1] == '"'); r->p++) {
        r->p += *r->p == '"';
        r->line += *r->p == '\n';
        sb_addn(&text, r->p, 1);
    }
    const bool closed = *r->p == '"';
    *cell = sb_keep(&text, r->mem);
    if (!closed) return sweep_table_wrong(r, line, "a quote is not closed");
    r->p++;
    sweep_table_skip_blanks(r);
    return *r->p == ',' || at_end(r) || sweep_table_wrong(r, r->line, "text after a closing quote");
}

static bool take_cell(struct reader *r, const char **cell) {
    sweep_table_skip_blanks(r);
    if (*r->p == '"') return r->p++, quoted(r, cell);
    const size_t n = strcspn(r->p, ",\n");
    size_t length = n;
    while (length && blank(r->p[length - 1])) length--;
    *cell = length ? arena_strndup(r->mem, r->p, length) : NULL;
    r->p += n;
    return true;
}

/* The next line that has something on it; false: there is none. */
static bool next_row(struct reader *r) {
    for (;; r->p++, r->line++) {
        sweep_table_skip_blanks(r);
        if (*r->p == '#') r->p += strcspn(r->p, "\n");
        r->row_line = r->line;
        if (*r->p != '\n') return *r->p != 0;
    }
}

static bool take_row(struct reader *r, struct sweep_words *cells) {
    for (cells->v.n = 0;;) {
        const char *cell;
        if (!take_cell(r, &cell)) return false;
        VEC_PUSH(&cells->v, cell);
        if (*r->p != ',') break;
        r->p++;
    }
    if (*r->p) r->p++, r->line++;
    return true;
}

static bool check_heading(const struct reader *r, const struct sweep_words *keys) {
    for (size_t i = 0; i < keys->v.n; i++) {
        const char *key = keys->v.v[i];
        if (!key || !*key)
            return err_set(r->e, ERR_INPUT, "%s:%u: column %zu of the heading is empty", r->file, r->row_line,
                           i + 1);
        for (size_t k = 0; k < i; k++)
            if (!strcmp(keys->v.v[k], key))
                return err_set(r->e, ERR_INPUT, "%s:%u: two columns are called %.60s", r->file, r->row_line,
                               key);
    }
    return true;
}

static bool sweep_table_add_row(const struct reader *r, const struct sweep_words *cells,
                                struct sweep_table *out) {
    if (cells->v.n != out->keys.v.n)
        return err_set(r->e, ERR_INPUT, "%s:%u: %zu cells, the heading has %zu", r->file, r->row_line,
                       cells->v.n, out->keys.v.n);
    if (out->lines.n == SWEEP_MOST)
        return err_set(r->e, ERR_INPUT, "%s:%u: more than %d rows", r->file, r->row_line, SWEEP_MOST);
    for (size_t i = 0; i < cells->v.n; i++) VEC_PUSH(&out->cells, cells->v.v[i]);
    VEC_PUSH(&out->lines, r->row_line);
    return true;
}

bool sweep_table_parse(const char *file, const char *text, struct arena *mem, struct sweep_table *out,
                       struct err *e) {
    struct reader r = {.file = file, .p = text, .line = 1, .mem = mem, .e = e};
    struct sweep_words cells = {0};
    *out = (struct sweep_table){.file = file};
    if (!strncmp(r.p, "\xef\xbb\xbf", 3)) r.p += 3; /* what some programs put before UTF-8 */
    bool fine = (next_row(&r) || err_set(e, ERR_INPUT, "%s: it has no heading", file)) &&
                take_row(&r, &out->keys) && check_heading(&r, &out->keys);
    while (fine && next_row(&r)) fine = take_row(&r, &cells) && sweep_table_add_row(&r, &cells, out);
    VEC_FREE(&cells.v);
    return fine && (out->lines.n || err_set(e, ERR_INPUT, "%s: it has a heading and no points", file));
}

void sweep_table_free(struct sweep_table *t) {
    VEC_FREE(&t->keys.v);
    VEC_FREE(&t->cells);
    VEC_FREE(&t->lines);
}
