/* A reader of Parquet files, written from the format's description and not from the writer: the footer and the pages' headers
 * as Thrift structures of any fields, values by what they say of themselves. It knows what src/report/parquet.c may use: optional
 * columns of one level, plain or dictionary, not compressed. Whatever else it meets, it stops at. */
#ifndef HEDDLE_TESTS_PARQUET_READER_H
#define HEDDLE_TESTS_PARQUET_READER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PR_MUST(cond) \
    ((cond) ? (void)0 : (fprintf(stderr, "parquet:%d: not so: %s\n", __LINE__, #cond), abort()))

struct pr_value {
    bool has;
    int64_t whole;
    double real;
    char *text;
};
struct pr_column {
    char *name;
    int64_t type; /* 2 INT64, 5 DOUBLE, 6 BYTE_ARRAY */
    struct pr_value *values;
};
struct pr_table {
    char *creator;
    size_t ncolumns, nrows, ngroups;
    struct pr_column *columns;
};

/* ---- Thrift: any structure as a tree ---- */

struct pr_node {
    int id, type; /* 1 true, 2 false, 3 i8, 4-6 numbers, 8 binary, 9 list, 12 struct */
    int64_t number;
    char *text;
    size_t n;
    struct pr_node *of; /* fields or elements */
};

struct pr_bytes {
    const unsigned char *at, *end;
};

static inline uint64_t pr_varint(struct pr_bytes *b) {
    uint64_t v = 0;
    for (unsigned shift = 0;; shift += 7) {
        PR_MUST(b->at < b->end && shift < 64);
        v |= (uint64_t)(*b->at & 0x7f) << shift;
        if (!(*b->at++ & 0x80)) return v;
    }
}

static inline char *pr_text(struct pr_bytes *b, size_t n) {
    PR_MUST(n <= (size_t)(b->end - b->at));
    char *text = calloc(n + 1, 1);
    memcpy(text, b->at, n);
    b->at += n;
    return text;
}

static inline void pr_struct(struct pr_bytes *b, struct pr_node *out);

static inline void pr_item(struct pr_bytes *b, struct pr_node *out) {
    uint64_t v;
    switch (out->type) {
    case 4:
    case 5:
    case 6:
        v = pr_varint(b);
        out->number = (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
        break;
    case 8: out->text = pr_text(b, (size_t)pr_varint(b)); break;
    case 9:
        PR_MUST(b->at < b->end);
        v = *b->at++;
        out->n = v >> 4 == 15 ? (size_t)pr_varint(b) : (size_t)(v >> 4);
        out->of = calloc(out->n + 1, sizeof *out->of);
        for (size_t i = 0; i < out->n; i++) {
            out->of[i].type = (int)(v & 15);
            pr_item(b, &out->of[i]);
        }
        break;
    default:
        PR_MUST(out->type == 12); /* or it is a type that is not known */
        pr_struct(b, out);
    }
}

static inline void pr_struct(struct pr_bytes *b, struct pr_node *out) {
    int id = 0;
    for (;;) {
        PR_MUST(b->at < b->end);
        const unsigned head = *b->at++;
        if (!head) return;
        PR_MUST(head >> 4); /* the long form is for fields far apart, of which there are none */
        id += (int)(head >> 4);
        out->of = realloc(out->of, (out->n + 1) * sizeof *out->of);
        out->of[out->n] = (struct pr_node){.id = id, .type = (int)(head & 15)};
        pr_item(b, &out->of[out->n++]);
    }
}

static inline void pr_free(struct pr_node *n) {
    for (size_t i = 0; i < n->n; i++) pr_free(&n->of[i]);
    free(n->of);
    free(n->text);
}

static inline const struct pr_node *pr_field(const struct pr_node *n, int id) {
    for (size_t i = 0; i < n->n; i++)
        if (n->of[i].id == id) return &n->of[i];
    return NULL;
}

static inline int64_t pr_number(const struct pr_node *n, int id) {
    const struct pr_node *f = pr_field(n, id);
    PR_MUST(f && f->type >= 4 && f->type <= 6);
    return f->number;
}

/* ---- values ---- */

static inline uint64_t pr_little(struct pr_bytes *b, unsigned n) {
    uint64_t v = 0;
    PR_MUST(n <= (size_t)(b->end - b->at));
    for (unsigned i = 0; i < n; i++) v |= (uint64_t)b->at[i] << 8 * i;
    b->at += n;
    return v;
}

/* The hybrid of runs and packed groups of eight; b ends where it does, or n values are read. */
static inline void pr_hybrid(struct pr_bytes *b, unsigned bits, uint32_t *out, size_t n) {
    for (size_t i = 0; i < n;) {
        const uint64_t head = pr_varint(b), count = head >> 1;
        if (!(head & 1)) {
            const uint32_t v = (uint32_t)pr_little(b, (bits + 7) / 8);
            PR_MUST(count && count <= n - i);
            for (uint64_t k = 0; k < count; k++) out[i++] = v;
            continue;
        }
        PR_MUST(count && count * bits <= (uint64_t)(b->end - b->at));
        for (uint64_t k = 0; k < count * 8; k++) {
            uint32_t v = 0;
            for (unsigned bit = 0; bit < bits; bit++) {
                const uint64_t at = k * bits + bit;
                v |= (uint32_t)(b->at[at / 8] >> at % 8 & 1) << bit;
            }
            if (i < n) out[i++] = v;
        }
        b->at += count * bits;
    }
}

static inline struct pr_value pr_plain(struct pr_bytes *b, int64_t type) {
    struct pr_value v = {.has = true};
    if (type == 6) {
        v.text = pr_text(b, (size_t)pr_little(b, 4));
    } else {
        const uint64_t bits = pr_little(b, 8);
        PR_MUST(type == 2 || type == 5);
        if (type == 2)
            memcpy(&v.whole, &bits, 8);
        else
            memcpy(&v.real, &bits, 8);
    }
    return v;
}

static inline struct pr_value pr_copy(struct pr_value v) {
    if (v.text) v.text = strcpy(malloc(strlen(v.text) + 1), v.text);
    return v;
}

/* The page at b, and where its body is; b is behind it then. */
static inline struct pr_bytes pr_page(struct pr_bytes *b, struct pr_node *header) {
    pr_struct(b, header);
    const int64_t bytes = pr_number(header, 3);
    PR_MUST(bytes == pr_number(header, 2) && bytes >= 0 && bytes <= b->end - b->at);
    struct pr_bytes body = {b->at, b->at + bytes};
    b->at += bytes;
    return body;
}

static inline struct pr_value *pr_dictionary(struct pr_bytes *b, int64_t type, size_t *n) {
    struct pr_node header = {0};
    struct pr_bytes body = pr_page(b, &header);
    const struct pr_node *own = pr_field(&header, 7);
    PR_MUST(pr_number(&header, 1) == 2 && own && pr_number(own, 2) == 0);
    *n = (size_t)pr_number(own, 1);
    struct pr_value *words = calloc(*n + 1, sizeof *words);
    for (size_t i = 0; i < *n; i++) words[i] = pr_plain(&body, type);
    PR_MUST(body.at == body.end);
    pr_free(&header);
    return words;
}

/* Reads the values of the rows that have one: plain, or words of the dictionary. */
static inline void pr_values(struct pr_bytes *body, int64_t encoding, int64_t type,
                             const struct pr_value *words, size_t nwords, struct pr_value *out, size_t rows) {
    uint32_t *word = calloc(rows + 1, sizeof *word);
    size_t n = 0, k = 0;
    for (size_t i = 0; i < rows; i++) n += out[i].has;
    if (encoding == 8) {
        const unsigned bits = (unsigned)pr_little(body, 1);
        pr_hybrid(body, bits, word, n);
    }
    PR_MUST(encoding == 0 || encoding == 8);
    for (size_t i = 0; i < rows; i++) {
        if (!out[i].has) continue;
        PR_MUST(encoding == 0 || word[k] < nwords);
        out[i] = encoding == 8 ? pr_copy(words[word[k++]]) : pr_plain(body, type);
    }
    free(word);
}

/* ---- columns ---- */

static inline void pr_chunk(const unsigned char *file, size_t bytes, const struct pr_node *meta, int64_t type,
                            struct pr_value *out, size_t rows) {
    const struct pr_node *dictionary = pr_field(meta, 11);
    const int64_t data = pr_number(meta, 9), first = dictionary ? dictionary->number : data;
    struct pr_bytes b = {file + first, file + first + pr_number(meta, 7)};
    struct pr_node header = {0};
    struct pr_value *words = NULL;
    size_t nwords = 0;
    PR_MUST(pr_number(meta, 4) == 0 && (size_t)pr_number(meta, 5) == rows);
    PR_MUST(first >= 4 && b.end <= file + bytes && pr_number(meta, 6) == pr_number(meta, 7));
    if (dictionary) words = pr_dictionary(&b, type, &nwords);
    PR_MUST(b.at == file + data);
    struct pr_bytes body = pr_page(&b, &header);
    const struct pr_node *own = pr_field(&header, 5);
    PR_MUST(b.at == b.end && pr_number(&header, 1) == 0 && own && (size_t)pr_number(own, 1) == rows);
    PR_MUST(pr_number(own, 3) == 3);
    const uint64_t length = pr_little(&body, 4);
    PR_MUST(length <= (uint64_t)(body.end - body.at));
    struct pr_bytes levels = {body.at, body.at + length};
    uint32_t *level = calloc(rows + 1, sizeof *level);
    pr_hybrid(&levels, 1, level, rows);
    PR_MUST(levels.at == levels.end);
    for (size_t i = 0; i < rows; i++) out[i].has = level[i];
    body.at = levels.end;
    pr_values(&body, pr_number(own, 2), type, words, nwords, out, rows);
    PR_MUST(body.at == body.end);
    for (size_t i = 0; i < nwords; i++) free(words[i].text);
    free(words);
    free(level);
    pr_free(&header);
}

static inline void pr_schema(const struct pr_node *schema, struct pr_table *t) {
    PR_MUST(schema && schema->n && (size_t)pr_number(&schema->of[0], 5) == schema->n - 1);
    t->ncolumns = schema->n - 1;
    t->columns = calloc(t->ncolumns + 1, sizeof *t->columns);
    for (size_t i = 0; i < t->ncolumns; i++) {
        const struct pr_node *c = &schema->of[i + 1];
        PR_MUST(pr_field(c, 4) && pr_number(c, 3) == 1);
        t->columns[i].name = strcpy(malloc(strlen(pr_field(c, 4)->text) + 1), pr_field(c, 4)->text);
        t->columns[i].type = pr_number(c, 1);
        PR_MUST((pr_field(c, 6) != NULL) == (t->columns[i].type == 6)); /* text says that it is UTF-8 */
        t->columns[i].values = calloc(t->nrows + 1, sizeof *t->columns[i].values);
    }
}

static inline struct pr_table pr_read(const void *data, size_t bytes) {
    const unsigned char *file = data;
    struct pr_table t = {0};
    PR_MUST(bytes >= 12 && !memcmp(file, "PAR1", 4) && !memcmp(file + bytes - 4, "PAR1", 4));
    struct pr_bytes tail = {file + bytes - 8, file + bytes - 4};
    const uint64_t footer = pr_little(&tail, 4);
    PR_MUST(footer <= bytes - 12);
    struct pr_bytes b = {file + bytes - 8 - footer, file + bytes - 8};
    struct pr_node meta = {0};
    pr_struct(&b, &meta);
    PR_MUST(b.at == b.end);
    t.nrows = (size_t)pr_number(&meta, 3);
    pr_schema(pr_field(&meta, 2), &t);
    t.creator = strcpy(malloc(strlen(pr_field(&meta, 6)->text) + 1), pr_field(&meta, 6)->text);
    const struct pr_node *groups = pr_field(&meta, 4);
    size_t done = 0;
    t.ngroups = groups->n;
    for (size_t g = 0; g < groups->n; g++) {
        const size_t rows = (size_t)pr_number(&groups->of[g], 3);
        const struct pr_node *chunks = pr_field(&groups->of[g], 1);
        PR_MUST(chunks->n == t.ncolumns && rows <= t.nrows - done);
        for (size_t c = 0; c < t.ncolumns; c++) {
            const struct pr_node *own = pr_field(&chunks->of[c], 3), *path = pr_field(own, 3);
            PR_MUST(path->n == 1 && !strcmp(path->of[0].text, t.columns[c].name));
            PR_MUST(pr_number(own, 1) == t.columns[c].type);
            pr_chunk(file, bytes, own, t.columns[c].type, t.columns[c].values + done, rows);
        }
        done += rows;
    }
    PR_MUST(done == t.nrows);
    pr_free(&meta);
    return t;
}

static inline void pr_table_free(struct pr_table *t) {
    for (size_t c = 0; c < t->ncolumns; c++) {
        for (size_t i = 0; i < t->nrows; i++) free(t->columns[c].values[i].text);
        free(t->columns[c].values);
        free(t->columns[c].name);
    }
    free(t->columns);
    free(t->creator);
}

#endif
