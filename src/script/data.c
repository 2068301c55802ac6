/* Parts of buffers, and contents made for them on the host. Files are relative to the script. */
#include <stdlib.h>
#include <string.h>

#include "script/state.h"

bool target_part(struct script_state *st, const struct script_target *t, struct script_part *out) {
    struct script_memory *m = &st->buffers[t->buffer];
    int64_t lo = 0, hi = (int64_t)m->count;
    if (t->part && !eval_int(st, t->lo, "index", 0, hi - !t->hi, &lo)) return false;
    if (t->part && t->hi && !eval_int(st, t->hi, "end", lo, (int64_t)m->count, &hi)) return false;
    if (t->part && !t->hi) hi = lo + 1;
    *out = (struct script_part){m, (uint64_t)lo, (uint64_t)(hi - lo)};
    return hi > lo || script_error(st->s, t->at, st->e, "that part of %s has no element",
                                   st->s->buffers.v[t->buffer].name);
}

static bool no_memory(struct script_state *st, struct script_at at, uint64_t bytes) {
    script_error(st->s, at, st->e, "no memory for %llu bytes", (unsigned long long)bytes);
    st->e->code = ERR_MEMORY;
    return false;
}

uint8_t *part_read(struct script_state *st, const struct script_part *p, struct script_at at) {
    const uint64_t width = ir_type_bytes[p->m->type], bytes = p->count * width;
    uint8_t *data = try_alloc(bytes);
    if (!data) return no_memory(st, at, bytes), NULL;
    if (script_device(st, at, hd_copy_out(st->stage->dev, data, p->m->addr + p->first * width, bytes)))
        return data;
    free(data);
    return NULL;
}

bool part_write(struct script_state *st, const struct script_part *p, const uint8_t *data,
                struct script_at at) {
    const uint64_t width = ir_type_bytes[p->m->type];
    return script_device(st, at,
                         hd_copy_in(st->stage->dev, p->m->addr + p->first * width, data, p->count * width));
}

/* ---- contents ---- */

/* zero, iota and rand mean what they mean on the command line (value/args.h), and so are handed over as its text. */
static bool make_fill(struct script_state *st, const struct script_contents *c, enum ir_type type,
                      uint64_t count, uint8_t *data) {
    static const char *const words[] = {[FILL_ZERO] = "zero", [FILL_IOTA] = "iota", [FILL_RAND] = "rand("};
    struct arg_spec spec = {.type = type, .count = count};
    struct sb text = {0};
    struct err e = {0};
    bool fine = true;
    sb_add(&text, "%s", words[c->kind]);
    for (size_t i = 0; i < c->list.v.n && fine; i++) {
        const enum ir_type of = i ? type : IR_T_U64;
        uint64_t bits;
        if (i) sb_add(&text, ",");
        if ((fine = eval_bits(st, c->list.v.v[i], of, &bits))) arg_format(&text, of, bits);
    }
    if (c->kind == FILL_RAND) sb_add(&text, ")");
    if (fine && !(fine = arg_parse_fill(text.text, &spec, &e)))
        script_error(st->s, c->at, st->e, "%s", err_text(&e));
    if (fine) arg_fill(&spec, count, data);
    sb_free(&text);
    err_free(&e);
    return fine;
}

static uint8_t *script_data_read_file(struct script_state *st, const struct script_contents *c,
                                      enum ir_type type, uint64_t *count) {
    struct arena mem = {0};
    struct err e = {0};
    struct arg_spec spec = {.kind = ARG_BUFFER, .type = type, .count = *count, .fill = ARG_FILE};
    uint8_t *data = NULL;
    spec.text = arg_beside(&mem, st->s->file, c->path);
    if (!arg_read_file(&spec, &data, &e)) {
        script_error(st->s, c->at, st->e, "%s", err_text(&e));
        st->e->code = e.code;
    }
    *count = spec.count;
    err_free(&e);
    arena_free(&mem);
    return data;
}

static uint8_t *copy_buffer(struct script_state *st, const struct script_contents *c, enum ir_type type,
                            uint64_t count) {
    struct script_memory *m = &st->buffers[c->buffer];
    if (m->type != type || m->count != count) {
        script_error(st->s, c->at, st->e, "%s is %s[%llu], not %s[%llu]", st->s->buffers.v[c->buffer].name,
                     ir_type_name[m->type], (unsigned long long)m->count, ir_type_name[type],
                     (unsigned long long)count);
        return NULL;
    }
    return part_read(st, &(struct script_part){m, 0, count}, c->at);
}

static bool make_list(struct script_state *st, const struct script_contents *c, enum ir_type type,
                      uint64_t count, uint8_t *data) {
    uint64_t bits;
    if (count != c->list.v.n)
        return script_error(st->s, c->at, st->e, "%zu value%s for %llu element%s", c->list.v.n,
                            c->list.v.n == 1 ? "" : "s", (unsigned long long)count, count == 1 ? "" : "s");
    for (uint64_t i = 0; i < count; i++) {
        if (!eval_bits(st, c->list.v.v[i], type, &bits)) return false;
        array_set(data, i, ir_type_bytes[type], bits);
    }
    return true;
}

/* index is that of the element in the whole buffer. */
static bool make_elements(struct script_state *st, const struct script_contents *c, enum ir_type type,
                          uint64_t first, uint64_t count, uint8_t *data) {
    uint64_t bits;
    bool fine = true;
    st->has_index = true;
    for (uint64_t i = 0; i < count && fine; i++) {
        st->index = first + i;
        fine = script_go_on(st, c->at) && eval_bits(st, c->expr, type, &bits);
        if (fine) array_set(data, i, ir_type_bytes[type], bits);
    }
    st->has_index = false;
    return fine;
}

uint8_t *contents_make(struct script_state *st, const struct script_contents *c, enum ir_type type,
                       uint64_t first, uint64_t *count) {
    if (c->kind == FILL_FILE) return script_data_read_file(st, c, type, count);
    if (c->kind == FILL_LIST && !*count) *count = c->list.v.n;
    if (c->kind == FILL_BUFFER) return copy_buffer(st, c, type, *count);
    const uint64_t bytes = *count * ir_type_bytes[type];
    uint8_t *data = try_pages(bytes);
    if (!data) return no_memory(st, c->at, bytes), NULL;
    bool fine = c->kind == FILL_LIST   ? make_list(st, c, type, *count, data)
                : c->kind == FILL_EXPR ? make_elements(st, c, type, first, *count, data)
                                       : make_fill(st, c, type, *count, data);
    if (fine) return data;
    free(data);
    return NULL;
}
