/* A struct by value, field by field.
 *
 *     STRUCT = "{" FIELD { "," FIELD } "}"
 *     FIELD  = TYPE ":" VALUE | TYPE "[" N "]" ":" VALUE | TYPE ["[" N "]"] ":" "{" VALUE { "," VALUE } "}"
 *            | "ptr:" NAME | "sym:" NAME | "bytes:" HEX | STRUCT
 *
 * laid out by the rules of C on 64-bit GPUs: a field begins at a multiple of its alignment, which for numbers and addresses is
 * their size, for arrays that of an element, for structs the largest within; a struct's size is a multiple of its alignment.
 * TYPE[N]:VALUE repeats the value. bytes: has no alignment, so that it can also stand for padding.
 *
 * One walk measures or, with a place to write to, decodes. A struct in a struct is measured before it is placed, so a text is
 * read 2^depth times at most. */
#include <ctype.h>
#include <string.h>

#include "base/alloc.h"
#include "value/args.h"
#include "value/arrays.h"

enum { DEEPEST = 8 };

struct walk {
    const char *p;
    uint8_t *out; /* NULL: only measure */
    struct arg_links *links;
    unsigned depth;
    struct err *e;
};
/* Where a struct begins in out, how far it has come, and its alignment. */
struct layout {
    uint64_t base, at;
    uint32_t align;
};

static void fields_blanks(struct walk *w) {
    while (isspace((unsigned char)*w->p)) w->p++;
}

static bool fields_take(struct walk *w, char c) {
    fields_blanks(w);
    if (*w->p != c) return false;
    w->p++;
    return true;
}

static bool fields_wrong(struct walk *w, const char *what) {
    return err_set(w->e, ERR_INPUT, "%s at '%.30s'", what, w->p);
}

/* Makes room for a field; its place within the whole goes to *at. */
static bool fields_place(struct walk *w, struct layout *l, uint64_t bytes, uint32_t align, uint64_t *at) {
    l->at = (l->at + align - 1) / align * align;
    *at = l->base + l->at;
    l->at += bytes;
    if (align > l->align) l->align = align;
    return l->at <= ARG_MAX_STRUCT ||
           err_set(w->e, ERR_INPUT, "a struct of more than %d bytes is more than a kernel can take",
                   ARG_MAX_STRUCT);
}

static size_t word_length(const char *p, const char *end) {
    size_t n = strcspn(p, end);
    while (n && isspace((unsigned char)p[n - 1])) n--;
    return n;
}

/* ---- numbers and arrays of them ---- */

static bool fields_number(struct walk *w, enum ir_type type, uint64_t *bits) {
    fields_blanks(w);
    size_t n = word_length(w->p, ",}");
    if (!arg_number(w->p, n, type, ir_type_name[type], bits, w->e)) return false;
    w->p += n;
    return true;
}

static bool fields_put(struct walk *w, struct layout *l, enum ir_type type, uint64_t bits) {
    uint64_t at;
    if (!fields_place(w, l, ir_type_bytes[type], ir_type_bytes[type], &at)) return false;
    if (w->out) array_set(w->out + at, 0, ir_type_bytes[type], bits);
    return true;
}

/* [N] behind a type; *count stays 0 where there is none. */
static bool array_count(struct walk *w, uint64_t *count) {
    *count = 0;
    if (!fields_take(w, '[')) return true;
    size_t n = word_length(w->p, "]");
    if (!arg_number(w->p, n, IR_T_U16, "array size", count, w->e)) return false;
    w->p += n;
    if (!*count) return err_set(w->e, ERR_INPUT, "an array has at least 1 element");
    return fields_take(w, ']') || fields_wrong(w, "']' expected");
}

static bool fields_values(struct walk *w, struct layout *l, enum ir_type type, uint64_t count) {
    uint64_t bits, n = 0;
    do {
        if (!fields_number(w, type, &bits) || !fields_put(w, l, type, bits)) return false;
        n++;
    } while (fields_take(w, ','));
    if (!fields_take(w, '}')) return fields_wrong(w, "',' or '}' expected");
    return !count || n == count ||
           err_set(w->e, ERR_INPUT, "%s[%llu] has %llu values", ir_type_name[type], (unsigned long long)count,
                   (unsigned long long)n);
}

static bool typed(struct walk *w, struct layout *l, enum ir_type type) {
    uint64_t count, bits;
    if (!array_count(w, &count)) return false;
    if (!fields_take(w, ':')) return fields_wrong(w, "':' expected behind the type");
    if (fields_take(w, '{')) return fields_values(w, l, type, count);
    if (!fields_number(w, type, &bits)) return false;
    for (uint64_t i = 0; i < (count ? count : 1); i++)
        if (!fields_put(w, l, type, bits)) return false;
    return true;
}

/* ---- addresses, bytes ---- */

static bool fields_address(struct walk *w, struct layout *l, bool symbol) {
    uint64_t at;
    fields_blanks(w);
    size_t n = word_length(w->p, ",}");
    if (!n) return fields_wrong(w, "a name is expected");
    if (!fields_place(w, l, 8, 8, &at)) return false;
    if (w->out) {
        array_set(w->out + at, 0, 8, 0);
        VEC_PUSH(&w->links->v, (struct arg_link){at, w->p, n, symbol});
    }
    w->p += n;
    return true;
}

static bool hex_bytes(struct walk *w, struct layout *l) {
    uint64_t at, bits = 0;
    fields_blanks(w);
    size_t n = strspn(w->p, "0123456789abcdefABCDEF");
    if (!n || n % 2) return fields_wrong(w, "two hexadecimal digits for each byte expected");
    for (size_t i = 0; i < n; i += 2, w->p += 2) {
        const char two[] = {'0', 'x', w->p[0], w->p[1]};
        if (!arg_number(two, sizeof two, IR_T_U8, "byte", &bits, w->e) || !fields_place(w, l, 1, 1, &at))
            return false;
        if (w->out) w->out[at] = (uint8_t)bits;
    }
    return true;
}

/* ---- structs ---- */

static bool fields(struct walk *w, struct layout *l);

/* Measured at offset 0 first: where it goes depends on its alignment. */
static bool fields_nested(struct walk *w, struct layout *l) {
    struct walk measure = {.p = w->p, .depth = w->depth + 1, .e = w->e};
    struct layout inner = {.align = 1};
    uint64_t at;
    if (measure.depth > DEEPEST) return fields_wrong(w, "structs are nested too deeply");
    if (!fields(&measure, &inner) || !fields_place(w, l, inner.at, inner.align, &at)) return false;
    if (w->out) {
        struct walk write = {.p = w->p, .out = w->out, .links = w->links, .depth = w->depth + 1, .e = w->e};
        fields(&write, &(struct layout){.base = at, .align = 1});
    }
    w->p = measure.p;
    return true;
}

static bool fields_is(const char *p, size_t n, const char *word) {
    return strlen(word) == n && !memcmp(p, word, n);
}

static bool value_field(struct walk *w, struct layout *l) {
    enum ir_type type;
    fields_blanks(w);
    if (*w->p == '{') return fields_nested(w, l);
    const char *word = w->p;
    size_t n = word_length(word, ":[,} \t");
    if (arg_type_by_name(word, n, &type)) return w->p += n, typed(w, l, type);
    if (!fields_is(word, n, "ptr") && !fields_is(word, n, "sym") && !fields_is(word, n, "bytes"))
        return fields_wrong(
            w, "a field is TYPE:VALUE, TYPE[N]:{VALUE, ...}, ptr:NAME, sym:NAME, bytes:HEX or {...}, not as");
    w->p += n;
    if (!fields_take(w, ':')) return fields_wrong(w, "':' expected");
    return fields_is(word, n, "bytes") ? hex_bytes(w, l) : fields_address(w, l, fields_is(word, n, "sym"));
}

static bool fields(struct walk *w, struct layout *l) {
    if (!fields_take(w, '{')) return fields_wrong(w, "'{' expected");
    do {
        if (!value_field(w, l)) return false;
    } while (fields_take(w, ','));
    if (!fields_take(w, '}')) return fields_wrong(w, "',' or '}' expected");
    l->at = (l->at + l->align - 1) / l->align * l->align;
    return true;
}

bool arg_fields_measure(const char *text, uint64_t *bytes, uint32_t *align, struct err *e) {
    struct walk w = {.p = text, .e = e};
    struct layout l = {.align = 1};
    if (!fields(&w, &l)) return false;
    fields_blanks(&w);
    if (*w.p) return fields_wrong(&w, "nothing is expected behind the struct");
    if (l.at > ARG_MAX_STRUCT)
        return err_set(e, ERR_INPUT, "a struct of %llu bytes is more than a kernel can take",
                       (unsigned long long)l.at);
    *bytes = l.at;
    *align = l.align;
    return true;
}

void arg_fields_decode(const char *text, uint8_t *out, struct arg_links *links) {
    struct err e = {0};
    struct walk w = {.p = text, .out = out, .links = links, .e = &e};
    CHECK(fields(&w, &(struct layout){.align = 1}));
}
