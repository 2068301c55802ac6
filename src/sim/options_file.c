/* Options from an INI file (libinih): "[section]" and "name = value" lines, comments after ';' and on lines that begin
 * with '#'. The library's handler is not told the line it is at, so the reader below counts; and what the library
 * would take or drop without a word (a line that continues a value, a key given twice, text behind a section) is
 * refused. */
#include <ini.h>
#include <string.h>

#include "sim/file.h"
#include "sim/options.h"

struct reading {
    const char *next; /* text not read yet */
    int line;         /* the one read last */
    int refused;      /* the first whose value was refused, 0: none */
    bool named;       /* the section has a value so far: libinih appends an indented line to the last one */
    int set[OPTION_MOST]; /* line that gave the value of each row, 0: none */
    struct options *options;
    struct err *err;
};

static bool is_comment(const char *line) {
    line += strspn(line, " \t");
    return *line == '#' || *line == ';';
}

static bool is_blank(const char *line) {
    line += strspn(line, " \t\r");
    return !*line || *line == '\n';
}

/* What a line of the file may not be, NULL: it may. */
static const char *forbidden(struct reading *r, const char *line, size_t len, size_t most) {
    if (is_comment(line) || is_blank(line)) return NULL;
    if (len > most) return "the line is too long";
    if (r->named && (*line == ' ' || *line == '\t'))
        return "a line that begins with a space continues the value above, and a value has only one line";
    const char *at = line + strspn(line, " \t"), *close = memchr(at, ']', len - (size_t)(at - line));
    if (*at != '[') return NULL;
    r->named = false;
    if (close && !is_comment(close + 1) && !is_blank(close + 1)) return "only a comment may follow [section]";
    return NULL;
}

/* Reads like fgets: up to and with the next newline, at most n - 1 characters. The rest of a longer comment is dropped. */
static char *next_line(char *out, int n, void *stream) {
    struct reading *r = stream;
    if (!*r->next || n < 2 || r->refused) return NULL;
    const size_t len = strcspn(r->next, "\n"), most = (size_t)n - 1, taken = len < most ? len : most;
    r->line++;
    const char *why = forbidden(r, r->next, len, most);
    if (why) {
        r->refused = r->line;
        err_set(r->err, ERR_INPUT, "%s", why);
        return NULL;
    }
    memcpy(out, r->next, taken);
    out[taken] = '\0';
    r->next += len + (r->next[len] == '\n');
    return out;
}

static bool set_once(struct reading *r, const char *key, const char *value) {
    const size_t row = options_find(r->options, key, r->err);
    if (row == r->options->nrows) return false;
    if (r->set[row])
        return err_set(r->err, ERR_INPUT, "%s is given a second time: line %d sets it already", key,
                       r->set[row]);
    r->set[row] = r->line;
    return options_set_row(r->options, row, value, OPTION_FILE, r->err);
}

static int options_file_take(void *user, const char *section, const char *name, const char *value) {
    struct reading *r = user;
    if (r->refused) return 0;
    struct sb key = {0};
    sb_add(&key, *section ? "%s.%s" : "%s%s", section, name);
    bool good = set_once(r, key.text, value ? value : "");
    sb_free(&key);
    r->named = true;
    if (!good) r->refused = r->line;
    return good;
}

bool options_read_text(struct options *o, const char *name, const char *text, struct err *e) {
    struct reading r = {.next = text, .options = o, .err = e};
    o->file = arena_strdup(&o->text, name);
    int line = ini_parse_stream(next_line, &r, options_file_take, &r);
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
