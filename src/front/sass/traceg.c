/* Reading a kernel's trace line by line. Whatever the file holds, the reader says where it is wrong, and memory is that of a
 * line. */
#include "front/sass/traceg.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_LINE = 1 << 16 };

bool traceg_fail(const struct traceg *t, struct err *e, const char *fmt, ...) {
    struct sb text = {0};
    va_list ap;
    va_start(ap, fmt);
    sb_addv(&text, fmt, ap);
    va_end(ap);
    err_set(e, ERR_INPUT, "%s:%" PRIu64 ": %s", t->name, t->line, text.text);
    sb_free(&text);
    return false;
}

/* The next line that is not empty; *text NULL: there is none. */
static bool next_line(struct traceg *t, char **text, struct err *e) {
    *text = NULL;
    for (;;) {
        size_t n = 0;
        int c;
        while ((c = getc_unlocked(t->file)) != EOF && c != '\n') {
            if (n + 2 > t->cap) {
                t->cap = t->cap * 2 + 256;
                t->text = xrealloc(t->text, t->cap);
            }
            t->text[n++] = (char)(c ? c : '?');
            if (n > LONGEST_LINE) return t->line++, traceg_fail(t, e, "the line is too long for a trace");
        }
        if (c == EOF && !n) return !ferror(t->file) || traceg_fail(t, e, "the file cannot be read");
        t->line++;
        while (n && (t->text[n - 1] == ' ' || t->text[n - 1] == '\r')) n--;
        if (!n) continue;
        t->text[n] = '\0';
        *text = t->text;
        return true;
    }
}

/* ---- the head ---- */

/* Three numbers with commas between them, up to `end`. scanf would cut a number that has more than 32 bits. */
static bool traceg_three(const char *text, const char *end, uint32_t v[3]) {
    for (int k = 0; k < 3; k++) {
        char *behind;
        const unsigned long long n = strtoull(text, &behind, 10);
        if (*text < '0' || *text > '9' || n > UINT32_MAX || (k < 2 && *behind != ',')) return false;
        v[k] = (uint32_t)n;
        text = behind + (k < 2);
    }
    return !strcmp(text, end);
}

static bool traceg_dims(const char *value, uint32_t d[3]) {
    return *value == '(' && traceg_three(value + 1, ")", d) && d[0] && d[1] && d[2];
}

static bool traceg_whole(const char *value, int base, uint64_t most, uint64_t *v) {
    char *end;
    if (*value == '-') return false;
    *v = strtoull(value, &end, base);
    return end > value && !*end && *v <= most;
}

static bool small(const char *value, uint32_t *v) {
    uint64_t n;
    if (!traceg_whole(value, 10, UINT32_MAX, &n)) return false;
    *v = (uint32_t)n;
    return true;
}

/* Names that are not known are left alone: tracers have added some over the years. */
static bool set_field(struct traceg *t, const char *key, const char *value) {
    struct traceg_kernel *k = &t->kernel;
    if (!strcmp(key, "kernel name"))
        return (k->name = arena_strdup(&t->mem, value))[0] && !strchr(value, ' ');
    if (!strcmp(key, "grid dim")) return traceg_dims(value, k->grid);
    if (!strcmp(key, "block dim")) return traceg_dims(value, k->block);
    if (!strcmp(key, "shmem")) return small(value, &k->shared);
    if (!strcmp(key, "nregs")) return small(value, &k->registers);
    if (!strcmp(key, "binary version")) return small(value, &k->version) && k->version < 1000;
    if (!strcmp(key, "accelsim tracer version")) return small(value, &k->tracer);
    if (!strcmp(key, "enable lineinfo")) return small(value, &k->lines);
    if (!strcmp(key, "shmem base_addr")) return traceg_whole(value, 16, UINT64_MAX, &k->shared_base);
    if (!strcmp(key, "local mem base_addr")) return traceg_whole(value, 16, UINT64_MAX, &k->local_base);
    return true;
}

static bool read_field(struct traceg *t, char *text, struct err *e) {
    char *equals = strstr(text, " = ");
    if (!equals) return traceg_fail(t, e, "not 'name = value': %.60s", text);
    *equals = '\0';
    char *value = equals + 3 + strspn(equals + 3, " ");
    for (char *c = value; !strcmp(text, "-kernel name") && *c; c++)
        if (*c == ' ') *c = '_'; /* names may be written out, with types */
    return set_field(t, text + 1, value) || traceg_fail(t, e, "'%.60s' cannot be the %s", value, text + 1);
}

static bool check_head(struct traceg *t, struct err *e) {
    const struct traceg_kernel *k = &t->kernel;
    const uint64_t threads = (uint64_t)k->block[0] * k->block[1];
    if (!k->name) return traceg_fail(t, e, "the kernel's name is missing");
    if (!k->grid[0] || !k->block[0]) return traceg_fail(t, e, "grid or block dimensions are missing");
    if (threads > 1024 || threads * k->block[2] > 1024)
        return traceg_fail(t, e, "a block has 1024 threads at most");
    if (k->tracer && k->tracer < 3)
        return traceg_fail(t, e, "version %" PRIu32 " of the tracer is not supported: 3 and newer are",
                           k->tracer);
    return true;
}

bool traceg_open(struct traceg *t, FILE *file, const char *name, struct err *e) {
    char *text;
    *t = (struct traceg){.file = file, .name = name};
    for (;;) {
        if (!next_line(t, &text, e)) return false;
        if (!text || (*text != '-' && *text != '#')) return traceg_fail(t, e, "this is no trace of a kernel");
        if (*text == '#') return check_head(t, e); /* the format of what follows */
        if (!read_field(t, text, e)) return false;
    }
}

void traceg_close(struct traceg *t) {
    xfree(t->text);
    arena_free(&t->mem);
}

/* ---- instructions ---- */

static char *traceg_next_word(char **at) {
    *at += strspn(*at, " \t");
    if (!**at) return NULL;
    char *word = *at;
    *at += strcspn(*at, " \t");
    if (**at) *(*at)++ = '\0';
    return word;
}

static bool next_number(char **at, int base, uint64_t most, uint64_t *v) {
    const char *word = traceg_next_word(at);
    return word && traceg_whole(word, base, most, v);
}

static bool next_signed(char **at, int64_t *v) {
    const char *word = traceg_next_word(at);
    char *end;
    if (!word) return false;
    *v = strtoll(word, &end, 10);
    return end > word && !*end;
}

/* As many words as it says; those that are general registers count, the zero register aside. */
static bool traceg_registers(char **at, uint8_t *v, uint8_t *n, uint32_t most) {
    uint64_t words, r;
    if (!next_number(at, 10, 16, &words)) return false;
    for (uint64_t k = 0; k < words; k++) {
        const char *word = traceg_next_word(at);
        if (!word) return false;
        if (*word == 'R' && traceg_whole(word + 1, 10, SASS_RZ - 1, &r) && *n < most) v[(*n)++] = (uint8_t)r;
    }
    return true;
}

/* NVBit's width is wrong for some: the opcode's own suffix says it. */
static uint32_t width_of(const char *opcode) {
    for (const char *at = strchr(opcode, '.'); at; at = strchr(at + 1, '.')) {
        const char *digits = at + 1 + (at[1] == 'U' || at[1] == 'S');
        char *end;
        const unsigned long bits = strtoul(digits, &end, 10);
        if (end > digits && (!*end || *end == '.') &&
            (bits == 8 || bits == 16 || bits == 32 || bits == 64 || bits == 128))
            return (uint32_t)bits / 8;
    }
    return 4;
}

static bool traceg_addresses(struct traceg_insn *i, char **at) {
    enum { LIST, STRIDE, DELTA };
    uint64_t format, addr = 0;
    int64_t step = 0;
    bool first = true;
    if (!next_number(at, 10, DELTA, &format)) return false;
    if (format != LIST && !next_number(at, 16, UINT64_MAX, &addr)) return false;
    if (format == STRIDE && !next_signed(at, &step)) return false;
    for (uint32_t l = 0; l < 32; l++) {
        if (!(i->mask >> l & 1)) continue;
        if (format == LIST && !next_number(at, 16, UINT64_MAX, &addr)) return false;
        if (format == DELTA && !first && !next_signed(at, &step)) return false;
        if (format != LIST && !first) addr += (uint64_t)step;
        i->addr[l] = addr;
        first = false;
    }
    return true;
}

static bool read_insn(struct traceg *t, char *at) {
    struct traceg_insn *i = &t->insn;
    uint64_t line, mask, width;
    i->nd = i->ns = 0;
    i->bytes = 0;
    if (t->kernel.lines && !next_number(&at, 10, UINT32_MAX, &line)) return false;
    if (!next_number(&at, 16, UINT32_MAX, &i->pc) || !next_number(&at, 16, UINT32_MAX, &mask)) return false;
    i->mask = (uint32_t)mask;
    if (!traceg_registers(&at, i->dest, &i->nd, SASS_DESTS) || !(i->opcode = traceg_next_word(&at)) ||
        strlen(i->opcode) > SASS_LONGEST || !traceg_registers(&at, i->source, &i->ns, SASS_SOURCES) ||
        !next_number(&at, 10, UINT32_MAX, &width))
        return false;
    if (!width || !i->mask) return true;
    i->bytes = width_of(i->opcode);
    return traceg_addresses(i, &at);
}

/* ---- what comes next ---- */

static enum traceg_event traceg_bad(const struct traceg *t, struct err *e, const char *why) {
    traceg_fail(t, e, "%s", why);
    return TRACEG_BAD;
}

static enum traceg_event begin_warp(struct traceg *t, const char *text, struct err *e) {
    const struct traceg_kernel *k = &t->kernel;
    const uint32_t threads = k->block[0] * k->block[1] * k->block[2];
    char *line;
    uint64_t warp;
    if (!traceg_whole(text + strlen("warp = "), 10, UINT32_MAX, &warp) || warp * 32 >= threads)
        return traceg_bad(t, e, "there is no such warp in a block");
    t->warp = (uint32_t)warp;
    if (!next_line(t, &line, e)) return TRACEG_BAD;
    if (!line || strncmp(line, "insts = ", 8) != 0 || !traceg_whole(line + 8, 10, UINT64_MAX, &t->left))
        return traceg_bad(t, e, "a warp begins with 'insts = NUMBER'");
    return TRACEG_WARP;
}

static enum traceg_event begin_block(struct traceg *t, const char *text, struct err *e) {
    const uint32_t *grid = t->kernel.grid;
    uint32_t *at = t->block;
    if (!traceg_three(text + strlen("thread block = "), "", at) || at[0] >= grid[0] || at[1] >= grid[1] ||
        at[2] >= grid[2])
        return traceg_bad(t, e, "there is no such thread block in the grid");
    return TRACEG_BLOCK;
}

enum traceg_event traceg_next(struct traceg *t, struct err *e) {
    char *text;
    for (;;) {
        if (!next_line(t, &text, e)) return TRACEG_BAD;
        if (t->left) {
            t->left--;
            if (!text) return traceg_bad(t, e, "the file ends before the warp does: it is truncated");
            return read_insn(t, text) ? TRACEG_INSN : traceg_bad(t, e, "this is no instruction of a trace");
        }
        if (!text)
            return t->in_block ? traceg_bad(t, e, "the file ends before #END_TB: it is truncated")
                               : TRACEG_END;
        const bool begins = !strcmp(text, "#BEGIN_TB"), ends = !strcmp(text, "#END_TB");
        if ((begins && t->in_block) || (ends && !t->in_block))
            return traceg_bad(t, e, "#BEGIN_TB and #END_TB do not match");
        if (ends) return t->in_block = false, TRACEG_BLOCK_END;
        if (begins || !strncmp(text, "cluster ", 8)) {
            t->in_block |= begins;
            continue;
        }
        if (!t->in_block) return traceg_bad(t, e, "a thread block begins with #BEGIN_TB");
        if (!strncmp(text, "thread block = ", 15)) return begin_block(t, text, e);
        if (!strncmp(text, "warp = ", 7)) return begin_warp(t, text, e);
        return traceg_bad(t, e, "more instructions than the warp has by its 'insts ='");
    }
}
