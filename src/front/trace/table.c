/* The coefficients are what most neighbours differ by, found in one pass (Boyer and Moore's majority vote, 1981). Any are
 * correct: bad ones only cost bytes. All arithmetic is modulo 2^64. */
#include "front/trace/table.h"

enum { TABLE_ZERO, TABLE_MODEL, TABLE_REST };

struct vote {
    uint64_t value, lead;
};

static void hdt_table_vote(struct vote *v, uint64_t value) {
    if (!v->lead) v->value = value;
    if (v->value == value)
        v->lead++;
    else
        v->lead--;
}

struct model {
    uint64_t base, by[3];
};

/* What the neighbours `step` threads apart in one dimension differ by. */
static uint64_t hdt_table_difference(const uint32_t dim[3], int d, const uint64_t *value, const bool *known) {
    const uint32_t threads = dim[0] * dim[1] * dim[2], step = d == 0 ? 1 : d == 1 ? dim[0] : dim[0] * dim[1];
    struct vote v = {0};
    if (dim[d] < 2) return 0;
    for (uint32_t t = 0; t + step < threads; t++)
        if (t / step % dim[d] + 1 < dim[d] && known[t] && known[t + step])
            hdt_table_vote(&v, value[t + step] - value[t]);
    return v.value;
}

/* What the model says of each thread in turn. */
struct walk {
    const struct model *m;
    const uint32_t *dim;
    uint32_t x, y;
    uint64_t row, plane, at;
};

static uint64_t hdt_table_step(struct walk *w) {
    const uint64_t now = w->at;
    w->at += w->m->by[0];
    if (++w->x < w->dim[0]) return now;
    w->x = 0;
    w->at = w->row += w->m->by[1];
    if (++w->y < w->dim[1]) return now;
    w->y = 0;
    w->at = w->row = w->plane += w->m->by[2];
    return now;
}

static struct walk hdt_table_walk(const struct model *m, const uint32_t dim[3]) {
    return (struct walk){.m = m, .dim = dim, .row = m->base, .plane = m->base, .at = m->base};
}

static struct model fit(const uint32_t dim[3], const uint64_t *value, const bool *known) {
    struct model m = {0};
    struct vote base = {0};
    for (int d = 0; d < 3; d++) m.by[d] = hdt_table_difference(dim, d, value, known);
    struct walk w = hdt_table_walk(&m, dim);
    for (uint32_t t = 0; t < dim[0] * dim[1] * dim[2]; t++) {
        const uint64_t apart = value[t] - hdt_table_step(&w);
        if (known[t]) hdt_table_vote(&base, apart);
    }
    m.base = base.value;
    return m;
}

static bool hdt_table_holds(const struct model *m, const uint32_t dim[3], const uint64_t *value,
                            const bool *known) {
    struct walk w = hdt_table_walk(m, dim);
    for (uint32_t t = 0; t < dim[0] * dim[1] * dim[2]; t++)
        if (hdt_table_step(&w) != value[t] && known[t]) return false;
    return true;
}

void table_pack(bytes_vec *b, const uint32_t dim[3], const uint64_t *value, const bool *known) {
    const struct model m = fit(dim, value, known);
    const bool whole = hdt_table_holds(&m, dim, value, known);
    const bool zero = whole && !(m.base | m.by[0] | m.by[1] | m.by[2]);
    VEC_PUSH(b, zero ? TABLE_ZERO : whole ? TABLE_MODEL : TABLE_REST);
    if (zero) return;
    pack_number(b, m.base);
    for (int d = 0; d < 3; d++)
        if (dim[d] > 1) pack_number(b, zigzag(m.by[d]));
    if (whole) return;
    struct walk w = hdt_table_walk(&m, dim);
    for (uint32_t t = 0; t < dim[0] * dim[1] * dim[2]; t++) {
        const uint64_t apart = value[t] - hdt_table_step(&w);
        pack_number(b, known[t] ? zigzag(apart) : 0);
    }
}

void table_unpack(struct unpack *u, const uint32_t dim[3], uint64_t *value) {
    struct model m = {0};
    const uint64_t kind = unpack_most(u, TABLE_REST);
    if (kind != TABLE_ZERO) {
        m.base = unpack_number(u);
        for (int d = 0; d < 3; d++)
            if (dim[d] > 1) m.by[d] = unzigzag(unpack_number(u));
    }
    struct walk w = hdt_table_walk(&m, dim);
    for (uint32_t t = 0; t < dim[0] * dim[1] * dim[2]; t++) {
        value[t] = hdt_table_step(&w);
        if (kind == TABLE_REST) value[t] += unzigzag(unpack_number(u));
    }
}
