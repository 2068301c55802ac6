/* The --arg SPEC of `heddle run`: text to a description, and a description to bytes. Parsing is a pure
 * function of the text, files are read in one place only (arg_read_file), so that both halves can be fuzzed. */
#ifndef HEDDLE_VALUE_ARGS_H
#define HEDDLE_VALUE_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/err.h"
#include "ir/types.h"

enum arg_kind {
    ARG_SCALAR,  /* TYPE:VALUE */
    ARG_BUFFER,  /* buf:TYPE[COUNT]=FILL */
    ARG_SYMBOL,  /* sym:NAME */
    ARG_POINTER, /* ptr:NAME, of a buffer that has a name */
    ARG_BYTES,   /* bytes:HEX */
    ARG_STRUCT   /* {FIELD, ...} */
};
enum arg_fill { ARG_ZERO, ARG_IOTA, ARG_RAND, ARG_VALUE, ARG_FILE };

/* The largest buffer that can be asked for; what the device grants is another matter. */
#define ARG_MAX_BYTES ((uint64_t)1 << 40)
/* Bytes of a struct by value: PTX bounds a kernel's parameters to 32764. */
enum { ARG_MAX_STRUCT = 32764 };

struct arg_spec {
    enum arg_kind kind;
    enum ir_type type; /* type of the scalar or of the elements */
    uint64_t value;    /* scalar, or value(V): its bits, zero-extended */
    uint64_t count;    /* buffer: elements; 0: as many as the file holds; struct: bytes */
    enum arg_fill fill;
    uint64_t seed;
    bool ranged;      /* rand(SEED,LO,HI) */
    uint64_t lo, hi;  /* bits, as value */
    const char *text; /* name, path, hex digits or fields: the rest of the SPEC, which must outlive this */
};

/* Parses one SPEC. On false, e says what is wrong with which part of it. */
bool arg_parse(const char *text, struct arg_spec *out, struct err *e);

/* TYPE[COUNT]=FILL alone, without the "buf:" before it. */
bool arg_parse_buffer(const char *text, struct arg_spec *out, struct err *e);
/* FILL alone, of out->count elements of out->type. */
bool arg_parse_fill(const char *text, struct arg_spec *out, struct err *e);
/* Whether the text is one of its forms rather than numbers. */
bool arg_is_fill(const char *text);

/* Bytes of a scalar or struct by value; of an element for a buffer. 8 for an address. */
uint64_t arg_bytes(const struct arg_spec *a);

/* Writes count elements of a buffer (any fill but ARG_FILE) in little-endian order: out has count * arg_bytes. */
void arg_fill(const struct arg_spec *a, uint64_t count, uint8_t *out);

/* An address within a struct, of a buffer or of a variable by name. */
struct arg_link {
    uint64_t offset;
    const char *name; /* ends after length characters */
    size_t length;
    bool symbol;
};
struct arg_links {
    VEC(struct arg_link) v;
};

/* Decodes bytes:HEX or a struct; out has arg_bytes. links: where a struct has addresses, which are 0 in out. */
void arg_decode(const struct arg_spec *a, uint8_t *out, struct arg_links *links);

/* fields.c: "{FIELD, ...}", laid out as C does: how many bytes it has, and how it is aligned. */
bool arg_fields_measure(const char *text, uint64_t *bytes, uint32_t *align, struct err *e);
void arg_fields_decode(const char *text, uint8_t *out, struct arg_links *links);

/* Reads the file of an ARG_FILE buffer in the format its suffix says (value/arrays.h), which must hold count elements, or, when count is 0, a whole number
 * of them: count is then set. *data is for the caller to free. */
bool arg_read_file(struct arg_spec *a, uint8_t **data, struct err *e);

/* A path in a file's own options is relative to the file, so that they hold wherever the command is given. */
const char *arg_beside(struct arena *mem, const char *file, const char *path);

/* The value types a SPEC may name. */
bool arg_type_by_name(const char *name, size_t len, enum ir_type *type);

/* One number as the text of that type, its bits into *bits: range-checked; what names it in the message. */
bool arg_number(const char *text, size_t len, enum ir_type type, const char *what, uint64_t *bits,
                struct err *e);

/* Text of one value, the shortest that reads back as the same bits. */
void arg_format(struct sb *out, enum ir_type type, uint64_t bits);

/* IEEE half precision: rounds to nearest even once; exact. */
uint16_t arg_half(double v);
double arg_from_half(uint16_t bits);

#endif
