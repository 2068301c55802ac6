/* The part of the format (parquet.apache.org, version 1 of pages) that a table needs, and no more: no nesting, no compression.
 * A file is "PAR1", pages, the footer, the footer's length, "PAR1". Headers of pages and the footer are structures of Thrift's
 * compact protocol. A column chunk is one data page: which rows have a value as runs, then the values: plainly, or, what
 * repeats itself, as indices into a dictionary page before it.
 *
 * There is no library for it in Debian 12. tests/unit/report/parquet_reader.h reads files back by the description of the format. */
#include "report/parquet.h"

#include <string.h>

/* ---- bytes ---- */

static void add_byte(struct sb *s, unsigned v) {
    const char byte = (char)(unsigned char)v;
    sb_addn(s, &byte, 1);
}

static void add_little(struct sb *s, uint64_t v, unsigned bytes) {
    char text[8];
    for (unsigned i = 0; i < bytes; i++) text[i] = (char)(unsigned char)(v >> 8 * i & 0xff);
    sb_addn(s, text, bytes);
}

static void add_varint(struct sb *s, uint64_t v) {
    for (; v > 0x7f; v >>= 7) add_byte(s, (unsigned)(v & 0x7f) | 0x80);
    add_byte(s, (unsigned)v);
}

/* ---- Thrift's compact protocol ---- */

enum thrift_type { THRIFT_I32 = 5, THRIFT_I64 = 6, THRIFT_BINARY = 8, THRIFT_LIST = 9, THRIFT_STRUCT = 12 };

/* A structure under way: a field's number is written as what it is more than the last one's. */
struct thrift {
    struct sb *out;
    unsigned last;
};

static void parquet_field(struct thrift *t, unsigned id, enum thrift_type type) {
    add_byte(t->out, (id - t->last) << 4 | type);
    t->last = id;
}

static void number_field(struct thrift *t, unsigned id, enum thrift_type type, uint64_t v) {
    parquet_field(t, id, type);
    add_varint(t->out, v << 1); /* zigzag; none is negative */
}

static void parquet_add_text(struct sb *s, const char *text) {
    const size_t n = strlen(text);
    add_varint(s, n);
    sb_addn(s, text, n);
}

static void text_field(struct thrift *t, unsigned id, const char *text) {
    parquet_field(t, id, THRIFT_BINARY);
    parquet_add_text(t->out, text);
}

static void list_field(struct thrift *t, unsigned id, enum thrift_type of, size_t n) {
    parquet_field(t, id, THRIFT_LIST);
    if (n < 15) {
        add_byte(t->out, (unsigned)n << 4 | of);
    } else {
        add_byte(t->out, 0xf0 | of);
        add_varint(t->out, n);
    }
}

static struct thrift struct_field(struct thrift *t, unsigned id) {
    parquet_field(t, id, THRIFT_STRUCT);
    return (struct thrift){.out = t->out};
}

static void end_struct(const struct thrift *t) {
    add_byte(t->out, 0);
}

/* ---- pages ---- */

enum { PAGE_DATA = 0, PAGE_DICTIONARY = 2 };
enum { ENCODING_PLAIN = 0, ENCODING_RLE = 3, ENCODING_RLE_DICTIONARY = 8 };

static void add_page(struct sb *out, unsigned type, size_t values, unsigned encoding, const struct sb *body) {
    struct thrift t = {.out = out};
    number_field(&t, 1, THRIFT_I32, type);
    number_field(&t, 2, THRIFT_I32, body->len);
    number_field(&t, 3, THRIFT_I32, body->len); /* compressed */
    struct thrift header = struct_field(&t, type == PAGE_DATA ? 5 : 7);
    number_field(&header, 1, THRIFT_I32, values);
    number_field(&header, 2, THRIFT_I32, encoding);
    if (type == PAGE_DATA) {
        number_field(&header, 3, THRIFT_I32, ENCODING_RLE); /* encoding of which rows have a value */
        number_field(&header, 4, THRIFT_I32, ENCODING_RLE); /* encoding of repetition, which is not used */
    }
    end_struct(&header);
    end_struct(&t);
    sb_addn(out, body->text ? body->text : "", body->len);
}

static unsigned bits_for(size_t words) {
    unsigned bits = 1;
    while (words > (size_t)1 << bits) bits++;
    return bits;
}

/* Up to 8 * groups values in as few bits as they need, eight at a time; missing ones are 0. */
static void add_packed(struct sb *s, const uint32_t *v, size_t n, unsigned bits) {
    const size_t groups = (n + 7) / 8;
    uint64_t held = 0;
    unsigned nheld = 0;
    add_varint(s, groups << 1 | 1);
    for (size_t i = 0; i < groups * 8; i++) {
        held |= (uint64_t)(i < n ? v[i] : 0) << nheld;
        for (nheld += bits; nheld >= 8; nheld -= 8, held >>= 8) add_byte(s, (unsigned)(held & 0xff));
    }
}

static size_t run_of(const uint32_t *v, size_t n) {
    size_t k = 1;
    while (k < n && v[k] == v[0]) k++;
    return k;
}

/* The hybrid of runs and packed values: eight or more of a kind are a run. What is packed comes in eights until the end. */
static void add_hybrid(struct sb *s, const uint32_t *v, size_t n, unsigned bits) {
    enum { RUN = 8 };
    for (size_t i = 0; i < n;) {
        const size_t run = run_of(v + i, n - i);
        size_t k = 0;
        if (run >= RUN) {
            add_varint(s, run << 1);
            add_little(s, v[i], (bits + 7) / 8);
            i += run;
            continue;
        }
        while (i + k < n && run_of(v + i + k, n - i - k) < RUN) k += 8;
        if (k > n - i) k = n - i;
        add_packed(s, v + i, k, bits);
        i += k;
    }
}

/* Adds which rows have a value, behind its length, and then the numbers of words of those rows. */
static void add_levels(struct sb *s, const bool *has, size_t rows) {
    uint32_t *level = xmalloc(rows * sizeof *level);
    struct sb runs = {0};
    for (size_t i = 0; i < rows; i++) level[i] = !has || has[i];
    add_hybrid(&runs, level, rows, 1);
    add_little(s, runs.len, 4);
    sb_addn(s, runs.text, runs.len);
    sb_free(&runs);
    xfree(level);
}

static void parquet_add_words(struct sb *s, const struct parquet_values *v, size_t rows) {
    uint32_t *kept = xmalloc(rows * sizeof *kept);
    const unsigned bits = bits_for(v->nwords);
    size_t n = 0;
    for (size_t i = 0; i < rows; i++)
        if (!v->has || v->has[i]) kept[n++] = v->word[i];
    add_byte(s, bits);
    add_hybrid(s, kept, n, bits);
    xfree(kept);
}

static void parquet_add_number(struct sb *s, const struct parquet_values *v, enum parquet_kind kind,
                               size_t i) {
    uint64_t bits;
    memcpy(&bits, kind == PARQUET_WHOLE ? (const void *)&v->whole[i] : (const void *)&v->real[i], 8);
    add_little(s, bits, 8);
}

static void add_numbers(struct sb *s, const struct parquet_values *v, enum parquet_kind kind, size_t rows) {
    for (size_t i = 0; i < rows; i++)
        if (!v->has || v->has[i]) parquet_add_number(s, v, kind, i);
}

static void add_dictionary(struct sb *out, const struct parquet_values *v, enum parquet_kind kind) {
    struct sb body = {0};
    for (size_t i = 0; i < v->nwords; i++) {
        if (kind == PARQUET_TEXT) {
            const size_t n = strlen(v->text[i]);
            add_little(&body, n, 4);
            sb_addn(&body, v->text[i], n);
        } else {
            parquet_add_number(&body, v, kind, i);
        }
    }
    add_page(out, PAGE_DICTIONARY, v->nwords, ENCODING_PLAIN, &body);
    sb_free(&body);
}

/* ---- the footer ---- */

enum { TYPE_INT64 = 2, TYPE_DOUBLE = 5, TYPE_BYTE_ARRAY = 6, OPTIONAL = 1, UTF8 = 0, UNCOMPRESSED = 0 };

static unsigned type_of(enum parquet_kind kind) {
    return kind == PARQUET_TEXT ? TYPE_BYTE_ARRAY : kind == PARQUET_WHOLE ? TYPE_INT64 : TYPE_DOUBLE;
}

static void add_schema(struct thrift *t, const struct parquet *p) {
    list_field(t, 2, THRIFT_STRUCT, p->ncolumns + 1);
    struct thrift root = {.out = t->out};
    text_field(&root, 4, "schema");
    number_field(&root, 5, THRIFT_I32, p->ncolumns);
    end_struct(&root);
    for (size_t i = 0; i < p->ncolumns; i++) {
        struct thrift c = {.out = t->out};
        number_field(&c, 1, THRIFT_I32, type_of(p->columns[i].kind));
        number_field(&c, 3, THRIFT_I32, OPTIONAL);
        text_field(&c, 4, p->columns[i].name);
        if (p->columns[i].kind == PARQUET_TEXT) { /* text, as older and newer readers are told */
            number_field(&c, 6, THRIFT_I32, UTF8);
            struct thrift logical = struct_field(&c, 10), string = struct_field(&logical, 1);
            end_struct(&string);
            end_struct(&logical);
        }
        end_struct(&c);
    }
}

static void add_encodings(struct thrift *t, bool coded) {
    list_field(t, 2, THRIFT_I32, coded ? 3 : 2);
    add_varint(t->out, ENCODING_PLAIN << 1);
    add_varint(t->out, ENCODING_RLE << 1);
    if (coded) add_varint(t->out, ENCODING_RLE_DICTIONARY << 1);
}

static void add_chunk(struct sb *out, const struct parquet_column *column, const struct parquet_chunk *k) {
    struct thrift t = {.out = out};
    number_field(&t, 2, THRIFT_I64, k->dictionary ? k->dictionary : k->data);
    struct thrift meta = struct_field(&t, 3);
    number_field(&meta, 1, THRIFT_I32, type_of(column->kind));
    add_encodings(&meta, k->dictionary != 0);
    list_field(&meta, 3, THRIFT_BINARY, 1);
    parquet_add_text(out, column->name);
    number_field(&meta, 4, THRIFT_I32, UNCOMPRESSED);
    number_field(&meta, 5, THRIFT_I64, k->rows);
    number_field(&meta, 6, THRIFT_I64, k->bytes);
    number_field(&meta, 7, THRIFT_I64, k->bytes); /* compressed */
    number_field(&meta, 9, THRIFT_I64, k->data);
    if (k->dictionary) number_field(&meta, 11, THRIFT_I64, k->dictionary);
    end_struct(&meta);
    end_struct(&t);
}

static void add_group(struct sb *out, const struct parquet *p, const struct parquet_chunk *chunks) {
    struct thrift t = {.out = out};
    uint64_t bytes = 0;
    list_field(&t, 1, THRIFT_STRUCT, p->ncolumns);
    for (size_t i = 0; i < p->ncolumns; i++) {
        add_chunk(out, &p->columns[i], &chunks[i]);
        bytes += chunks[i].bytes;
    }
    number_field(&t, 2, THRIFT_I64, bytes);
    number_field(&t, 3, THRIFT_I64, chunks->rows);
    end_struct(&t);
}

static void add_footer(struct sb *out, const struct parquet *p) {
    const size_t groups = p->chunks.n / p->ncolumns;
    struct thrift t = {.out = out};
    uint64_t rows = 0;
    for (size_t g = 0; g < groups; g++) rows += p->chunks.v[g * p->ncolumns].rows;
    number_field(&t, 1, THRIFT_I32, 1); /* version */
    add_schema(&t, p);
    number_field(&t, 3, THRIFT_I64, rows);
    list_field(&t, 4, THRIFT_STRUCT, groups);
    for (size_t g = 0; g < groups; g++) add_group(out, p, &p->chunks.v[g * p->ncolumns]);
    text_field(&t, 6, p->creator);
    end_struct(&t);
}

/* ---- the file ---- */

void parquet_begin(struct parquet *p) {
    sb_addn(p->out, "PAR1", 4);
}

void parquet_add(struct parquet *p, const struct parquet_values *v, size_t rows) {
    const enum parquet_kind kind = p->columns[p->chunks.n % p->ncolumns].kind;
    const uint64_t begin = p->out->len;
    struct parquet_chunk chunk = {.rows = rows};
    struct sb body = {0};
    CHECK(rows && rows <= (size_t)1 << 27 && (v->word || kind != PARQUET_TEXT));
    if (v->word) {
        chunk.dictionary = begin;
        add_dictionary(p->out, v, kind);
    }
    chunk.data = p->out->len;
    add_levels(&body, v->has, rows);
    if (v->word)
        parquet_add_words(&body, v, rows);
    else
        add_numbers(&body, v, kind, rows);
    add_page(p->out, PAGE_DATA, rows, v->word ? ENCODING_RLE_DICTIONARY : ENCODING_PLAIN, &body);
    chunk.bytes = p->out->len - begin;
    VEC_PUSH(&p->chunks, chunk);
    sb_free(&body);
}

void parquet_end(struct parquet *p) {
    const size_t begin = p->out->len;
    CHECK(p->chunks.n % p->ncolumns == 0);
    add_footer(p->out, p);
    add_little(p->out, p->out->len - begin, 4);
    sb_addn(p->out, "PAR1", 4);
    VEC_FREE(&p->chunks);
}
