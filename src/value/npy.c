/* The header of NumPy's .npy files (NEP 1): "\x93NUMPY", two bytes of version, the length of what follows (2 bytes in
 * version 1, 4 in 2 and 3), and a Python dictionary
 *
 *     {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
 *
 * padded with blanks to a multiple of 64 bytes and ended by a newline. Read are its three keys in any order, each once, with
 * the literals NumPy writes; structured types (descr is a list) are refused. Arrays in Fortran order are refused too: which
 * element is the first then depends on the shape, and a buffer has none. */
#include <ctype.h>
#include <string.h>

#include "value/args.h"
#include "value/arrays.h"

static const char magic[] = "\x93NUMPY";
enum { MAGIC = 6, ALIGN = 64 };

struct cursor {
    const uint8_t *p, *end;
    struct err *e;
};

static const char *const descrs[IR_NTYPES] = {
    [IR_T_U8] = "|u1",  [IR_T_S8] = "|i1",  [IR_T_U16] = "<u2", [IR_T_S16] = "<i2",
    [IR_T_U32] = "<u4", [IR_T_S32] = "<i4", [IR_T_U64] = "<u8", [IR_T_S64] = "<i8",
    [IR_T_F16] = "<f2", [IR_T_F32] = "<f4", [IR_T_F64] = "<f8",
};

const char *npy_descr(enum ir_type type) {
    return descrs[type];
}

static bool malformed(struct cursor *c, const char *what) {
    return err_set(c->e, ERR_INPUT, "its .npy header is malformed: %s", what);
}

static void npy_blanks(struct cursor *c) {
    while (c->p < c->end && isspace(*c->p)) c->p++;
}

static bool npy_take(struct cursor *c, char wanted) {
    npy_blanks(c);
    if (c->p == c->end || *c->p != wanted) return false;
    c->p++;
    return true;
}

static bool npy_take_word(struct cursor *c, const char *word) {
    size_t n = strlen(word);
    npy_blanks(c);
    if ((size_t)(c->end - c->p) < n || memcmp(c->p, word, n) != 0) return false;
    c->p += n;
    return true;
}

/* A string in quotes of either kind, cut to what fits. */
static bool take_string(struct cursor *c, char *out, size_t room) {
    char quote = npy_take(c, '\'') ? '\'' : npy_take(c, '"') ? '"' : 0;
    size_t n = 0;
    if (!quote) return false;
    for (; c->p < c->end && *c->p != quote; c->p++)
        if (n + 1 < room) out[n++] = isprint(*c->p) ? (char)*c->p : '?';
    out[n] = '\0';
    return c->p++ < c->end;
}

/* (), (3,), (3, 4) */
static bool take_shape(struct cursor *c, uint64_t *count) {
    *count = 1;
    if (!npy_take(c, '(')) return malformed(c, "the shape is not a tuple");
    while (!npy_take(c, ')')) {
        uint64_t n = 0;
        npy_blanks(c);
        if (c->p == c->end || !isdigit(*c->p)) return malformed(c, "the shape is not one of whole numbers");
        for (; c->p < c->end && isdigit(*c->p); c->p++)
            if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, *c->p - '0', &n))
                return malformed(c, "a dimension is too large");
        if (__builtin_mul_overflow(*count, n, count)) return malformed(c, "the shape is too large");
        if (!npy_take(c, ',')) {
            if (npy_take(c, ')')) return true;
            return malformed(c, "the shape lacks its ')'");
        }
    }
    return true;
}

enum key { KEY_DESCR = 1, KEY_ORDER = 2, KEY_SHAPE = 4, KEYS = 7 };

static bool take_descr(struct cursor *c, struct npy *out) {
    if (npy_take(c, '['))
        return err_set(c->e, ERR_INPUT, "its elements are structures, which a buffer does not hold");
    return take_string(c, out->descr, sizeof out->descr) || malformed(c, "'descr' is not a string");
}

static bool take_order(struct cursor *c) {
    if (npy_take_word(c, "False")) return true;
    if (!npy_take_word(c, "True")) return malformed(c, "'fortran_order' is neither True nor False");
    return err_set(c->e, ERR_INPUT,
                   "it is in Fortran order (fortran_order is True); save it with numpy.ascontiguousarray");
}

static bool npy_take_entry(struct cursor *c, struct npy *out, unsigned *seen) {
    char name[16];
    if (!take_string(c, name, sizeof name) || !npy_take(c, ':')) return malformed(c, "a key is expected");
    unsigned key = !strcmp(name, "descr")           ? KEY_DESCR
                   : !strcmp(name, "fortran_order") ? KEY_ORDER
                   : !strcmp(name, "shape")         ? KEY_SHAPE
                                                    : 0;
    if (!key || *seen & key) return malformed(c, "its keys are not descr, fortran_order and shape");
    *seen |= key;
    return key == KEY_DESCR   ? take_descr(c, out)
           : key == KEY_ORDER ? take_order(c)
                              : take_shape(c, &out->count);
}

static bool take_dictionary(struct cursor *c, struct npy *out) {
    unsigned seen = 0;
    if (!npy_take(c, '{')) return malformed(c, "it is not a dictionary");
    while (!npy_take(c, '}')) {
        if (!npy_take_entry(c, out, &seen)) return false;
        if (!npy_take(c, ',')) {
            if (npy_take(c, '}')) break;
            return malformed(c, "the dictionary lacks its '}'");
        }
    }
    npy_blanks(c);
    if (c->p != c->end) return malformed(c, "something follows the dictionary");
    return seen == KEYS || malformed(c, "one of descr, fortran_order and shape is missing");
}

bool npy_read_header(const uint8_t *bytes, size_t n, struct npy *out, struct err *e) {
    *out = (struct npy){0};
    if (n < MAGIC + 4 || memcmp(bytes, magic, MAGIC) != 0)
        return err_set(e, ERR_INPUT, "it is not a .npy file: it does not begin with \\x93NUMPY");
    unsigned version = bytes[MAGIC];
    if (version < 1 || version > 3)
        return err_set(e, ERR_INPUT, "version %u.%u of .npy is not known (1, 2 and 3 are)", version,
                       bytes[MAGIC + 1]);
    size_t width = version == 1 ? 2 : 4, at = MAGIC + 2 + width;
    if (n < at) return err_set(e, ERR_INPUT, "its .npy header is cut short");
    uint64_t length = array_element(bytes + MAGIC + 2, 0, width);
    if (length > n - at) return err_set(e, ERR_INPUT, "its .npy header is cut short");
    struct cursor c = {bytes + at, bytes + at + length, e};
    out->at = at + length;
    return take_dictionary(&c, out);
}

void npy_add_header(enum ir_type type, uint64_t count, struct sb *out) {
    struct sb text = {0};
    sb_add(&text, "{'descr': '%s', 'fortran_order': False, 'shape': (%llu,), }", npy_descr(type),
           (unsigned long long)count);
    size_t prefix = MAGIC + 4, whole = (prefix + text.len + 1 + ALIGN - 1) / ALIGN * ALIGN;
    const char head[] = {1, 0, (char)((whole - prefix) & 0xff), (char)((whole - prefix) >> 8)};
    sb_addn(out, magic, MAGIC);
    sb_addn(out, head, sizeof head);
    sb_add(out, "%s%*s\n", text.text, (int)(whole - prefix - text.len - 1), "");
    sb_free(&text);
}
