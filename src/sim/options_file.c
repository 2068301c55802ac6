/* Options from an INI file (libinih): "[section]" and "name = value" lines, comments after ';' and on lines
 * that begin with '#'. The library's handler is not told the line it is at, so the reader below counts. */
#include <ini.h>
#include <string.h>

#include "sim/file.h"
#include "sim/options.h"

struct reading {
    const char *next; /* text not read yet */
    int line;         /* the one read last */
    int refused;      /* the first whose value was refused, 0: none */
    struct options *options;
    struct err *err;
};

static bool is_comment(const char *line) {
    line += strspn(line, " \t");
    return *line == '#' || *line == ';';
}

/* As fgets does: up to and with the next newline, at most n - 1 characters. The rest of a longer one is dropped, and ends the
 * reading where it is not a comment. */
static char *next_line(char *out, int n, void *stream) {
    struct reading *r = stream;
    if (!*r->next || n < 2 || r->refused) return NULL;
    const size_t len = strcspn(r->next, "\n"), most = (size_t)n - 1, taken = len < most ? len : most;
    r->line++;
    if (len > most && !is_comment(r->next)) {
        r->refused = r->line;
        err_set(r->err, ERR_INPUT, "the line is too long");
        return NULL;
    }
    memcpy(out, r->next, taken);
    out[taken] = '\0';
    r->next += len + (r->next[len] == '\n');
    return out;
}

static int take(void *user, const char *section, const char *name, const char *value) {
    struct reading *r = user;
    if (r->refused) return 0;
    struct sb key = {0};
    sb_add(&key, *section ? "%s.%s" : "%s%s", section, name);
    bool good = options_set(r->options, key.text, value ? value : "", OPTION_FILE, r->err);
    sb_free(&key);
    if (!good) r->refused = r->line;
    return good;
}

bool options_read_text(struct options *o, const char *name, const char *text, struct err *e) {
    struct reading r = {.next = text, .options = o, .err = e};
    o->file = arena_strdup(&o->text, name);
    int line = ini_parse_stream(next_line, &r, take, &r);
    if (line == 0 && !r.refused) return true;
    if (line < 0) return err_set(e, ERR_MEMORY, "%s: no memory to read it", name);
    if (r.refused && (!line || r.refused <= line))
        return err_set(e, ERR_INPUT, "%s:%d: %s", name, r.refused, err_text(e));
    return err_set(e, ERR_INPUT, "%s:%d: expected [section] or name = value", name, line);
}

/* What lies behind a NUL would not be read, without a word. */
static bool is_text(const char *path, const struct sb *text, struct err *e) {
    size_t line = 1;
    const size_t end = strlen(text->text);
    for (size_t i = 0; i < end; i++) line += text->text[i] == '\n';
    return end == text->len || err_set(e, ERR_INPUT, "%s:%zu: a NUL character", path, line);
}

bool options_read_file(struct options *o, const char *path, struct err *e) {
    struct sb text = {0};
    bool good =
        file_read(path, &text, e) && is_text(path, &text, e) && options_read_text(o, path, text.text, e);
    sb_free(&text);
    return good;
}
