/* Text is numbers apart by blanks, commas, semicolons or line ends, with # to the end of the line as a comment; each is read as
 * on the command line, so a number the type cannot hold is refused with its line. A first line of CSV without any number is
 * its heading. A .npy file must have the buffer's type: a silent conversion would hide a wrong file. */
#include "value/arrays.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "value/args.h"

enum array_format array_format_of(const char *path) {
    size_t n = strlen(path);
    const char *suffix = n > 4 ? path + n - 4 : "";
    return !strcmp(suffix, ".npy")   ? ARRAY_NPY
           : !strcmp(suffix, ".csv") ? ARRAY_CSV
           : !strcmp(suffix, ".txt") ? ARRAY_TEXT
                                     : ARRAY_RAW;
}

static bool check_count(uint64_t have, uint64_t *count, struct err *e) {
    if (!have) return err_set(e, ERR_INPUT, "it holds no element");
    if (*count && have != *count)
        return err_set(e, ERR_INPUT, "it holds %llu element%s, not %llu", (unsigned long long)have,
                       have == 1 ? "" : "s", (unsigned long long)*count);
    *count = have;
    return true;
}

/* ---- raw and .npy ---- */

static bool copy_bytes(const uint8_t *bytes, size_t n, uint8_t **data, struct err *e) {
    if (!(*data = try_alloc(n))) return err_set(e, ERR_MEMORY, "no memory for its %zu bytes", n);
    memcpy(*data, bytes, n);
    return true;
}

static bool decode_raw(enum ir_type type, const uint8_t *bytes, size_t n, uint64_t *count, uint8_t **data,
                       struct err *e) {
    size_t width = ir_type_bytes[type];
    if (n % width)
        return err_set(e, ERR_INPUT, "its %zu bytes are not a number of %s elements", n, ir_type_name[type]);
    return check_count(n / width, count, e) && copy_bytes(bytes, n, data, e);
}

/* NumPy's order of bytes is '<', '>' or, where there is but one, '|'; '=' is not written to files. */
static bool check_descr(const struct npy *h, enum ir_type type, struct err *e) {
    const char *want = npy_descr(type);
    const bool one_byte = ir_type_bytes[type] == 1;
    if (one_byte ? !strcmp(h->descr + 1, want + 1) && strchr("|<>", h->descr[0]) : !strcmp(h->descr, want))
        return true;
    if (h->descr[0] == '>' && !strcmp(h->descr + 1, want + 1))
        return err_set(e, ERR_INPUT, "its elements are big-endian ('%s'); save it as '%s'", h->descr, want);
    return err_set(e, ERR_INPUT, "its elements are of NumPy's type '%s', those of the buffer %s ('%s')",
                   h->descr, ir_type_name[type], want);
}

static bool decode_npy(enum ir_type type, const uint8_t *bytes, size_t n, uint64_t *count, uint8_t **data,
                       struct err *e) {
    struct npy h;
    if (!npy_read_header(bytes, n, &h, e) || !check_descr(&h, type, e)) return false;
    size_t width = ir_type_bytes[type], have = n - h.at;
    if (have % width || have / width != h.count)
        return err_set(e, ERR_INPUT,
                       "its header says %llu elements of %zu byte%s, after which it has %zu bytes",
                       (unsigned long long)h.count, width, width == 1 ? "" : "s", have);
    return check_count(h.count, count, e) && copy_bytes(bytes + h.at, have, data, e);
}

/* ---- text ---- */

struct reader {
    const char *p, *end;
    enum ir_type type;
    unsigned line;
    struct sb data;
    uint64_t count;
};

static const char apart[] = " \t\r,;";

/* The next word of the line; false at its end. */
static bool arrays_next_word(struct reader *r, const char **word, size_t *n) {
    while (r->p < r->end && *r->p && strchr(apart, *r->p)) r->p++;
    if (r->p == r->end || *r->p == '\n' || *r->p == '#') return false;
    *word = r->p;
    while (r->p < r->end && *r->p != '\n' && *r->p != '#' && !(*r->p && strchr(apart, *r->p))) r->p++;
    *n = (size_t)(r->p - *word);
    return true;
}

static bool arrays_add_number(struct reader *r, const char *word, size_t n, struct err *e) {
    uint64_t bits;
    char bytes[8];
    if (!arg_number(word, n, r->type, "number", &bits, e))
        return err_set(e, ERR_INPUT, "line %u: %s", r->line, err_text(e));
    array_set((uint8_t *)bytes, 0, ir_type_bytes[r->type], bits);
    sb_addn(&r->data, bytes, ir_type_bytes[r->type]);
    r->count++;
    return true;
}

static void end_line(struct reader *r) {
    while (r->p < r->end && *r->p != '\n') r->p++;
    if (r->p < r->end) r->p++;
    r->line++;
}

/* No word of the line is a number; it stays unread. */
static bool is_heading(struct reader r) {
    const char *word;
    size_t n, words = 0;
    for (; arrays_next_word(&r, &word, &n); words++) {
        struct err e = {0};
        uint64_t bits;
        bool number = arg_number(word, n, IR_T_F64, "", &bits, &e);
        err_free(&e);
        if (number) return false;
    }
    return words > 0;
}

static bool decode_text(enum array_format format, enum ir_type type, const uint8_t *bytes, size_t n,
                        uint64_t *count, uint8_t **data, struct err *e) {
    struct reader r = {.p = (const char *)bytes, .end = (const char *)bytes + n, .type = type, .line = 1};
    bool fine = true;
    if (format == ARRAY_CSV && is_heading(r)) end_line(&r);
    for (; r.p < r.end && fine; end_line(&r)) {
        const char *word;
        size_t length;
        while (fine && arrays_next_word(&r, &word, &length)) fine = arrays_add_number(&r, word, length, e);
    }
    fine = fine && check_count(r.count, count, e) &&
           copy_bytes((const uint8_t *)r.data.text, r.data.len, data, e);
    sb_free(&r.data);
    return fine;
}

bool array_decode(enum array_format format, enum ir_type type, const uint8_t *bytes, size_t n,
                  uint64_t *count, uint8_t **data, struct err *e) {
    *data = NULL;
    return format == ARRAY_RAW   ? decode_raw(type, bytes, n, count, data, e)
           : format == ARRAY_NPY ? decode_npy(type, bytes, n, count, data, e)
                                 : decode_text(format, type, bytes, n, count, data, e);
}

/* ---- the reverse ---- */

void array_encode(enum array_format format, enum ir_type type, const uint8_t *data, uint64_t count,
                  struct sb *out) {
    size_t width = ir_type_bytes[type];
    if (format == ARRAY_NPY) npy_add_header(type, count, out);
    if (format == ARRAY_NPY || format == ARRAY_RAW) {
        sb_addn(out, (const char *)data, count * width);
        return;
    }
    for (uint64_t i = 0; i < count; i++) {
        arg_format(out, type, array_element(data, i, width));
        sb_add(out, "\n");
    }
}
