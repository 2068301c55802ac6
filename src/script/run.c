/* Runs the statements of a script on one device, one after the other: caches, cycles and memory go on from launch to launch. */
#include <stdlib.h>
#include <string.h>

#include "script/state.h"

static bool run_block(struct script_state *st, const struct script_block *b);

/* ---- declarations ---- */

static bool declare_variable(struct script_state *st, const struct script_statement *s,
                             struct script_memory *m) {
    const struct script_buffer *b = &st->s->buffers.v[s->name];
    hd_symbol_info info;
    struct err e = {0};
    bool fine = var_find(st->stage->mod, b->name, &info, &e) && script_variable_type(b, &info, &m->type, &e);
    if (!fine) script_error(st->s, s->at, st->e, "%s", err_text(&e));
    err_free(&e);
    if (!fine) return false;
    m->addr = info.addr;
    m->count = info.bytes / ir_type_bytes[m->type];
    m->constant = info.constant;
    return true;
}

static bool make_buffer(struct script_state *st, const struct script_statement *s, struct script_memory *m,
                        uint64_t count) {
    const char *name = st->s->buffers.v[s->name].name;
    hd_device *dev = st->stage->dev;
    m->count = count;
    return script_device(st, s->at, hd_alloc(dev, count * ir_type_bytes[m->type], &m->addr)) &&
           script_device(st, s->at, hd_label(dev, m->addr, name));
}

/* The count may be that of the contents, which are made first then. */
static bool run_buffer(struct script_state *st, const struct script_statement *s) {
    const struct script_buffer *b = &st->s->buffers.v[s->name];
    struct script_memory *m = &st->buffers[s->name];
    int64_t count = 0;
    m->type = b->type;
    if (b->variable) {
        if (!declare_variable(st, s, m)) return false;
    } else if (s->expr) {
        if (!eval_int(st, s->expr, "count", 1, (int64_t)(ARG_MAX_BYTES / ir_type_bytes[m->type]), &count) ||
            !make_buffer(st, s, m, (uint64_t)count))
            return false;
    }
    if (!s->has_contents) return true;
    uint64_t n = m->count;
    uint8_t *data = contents_make(st, &s->contents, m->type, 0, &n);
    bool fine = data && (m->addr || make_buffer(st, s, m, n)) &&
                part_write(st, &(struct script_part){m, 0, n}, data, s->at);
    free(data);
    return fine;
}

/* ---- the rest ---- */

static bool run_set(struct script_state *st, const struct script_statement *s) {
    struct script_part p;
    if (!target_part(st, &s->target, &p)) return false;
    uint64_t count = p.count;
    uint8_t *data = contents_make(st, &s->contents, p.m->type, p.first, &count);
    bool fine = data && part_write(st, &p, data, s->at);
    free(data);
    return fine;
}

/* The names in reports of faults follow. */
static bool run_swap(struct script_state *st, const struct script_statement *s) {
    struct script_memory *a = &st->buffers[s->name], *b = &st->buffers[s->other], t = *a;
    const struct script_buffer *na = &st->s->buffers.v[s->name], *nb = &st->s->buffers.v[s->other];
    if (na->variable || nb->variable)
        return script_error(st->s, s->at, st->e, "a variable of the module cannot be swapped");
    if (a->type != b->type || a->count != b->count)
        return script_error(st->s, s->at, st->e, "%s is %s[%llu] and %s is %s[%llu]", na->name,
                            ir_type_name[a->type], (unsigned long long)a->count, nb->name,
                            ir_type_name[b->type], (unsigned long long)b->count);
    *a = *b;
    *b = t;
    return script_device(st, s->at, hd_label(st->stage->dev, a->addr, na->name)) &&
           script_device(st, s->at, hd_label(st->stage->dev, b->addr, nb->name));
}

static bool run_repeat(struct script_state *st, const struct script_statement *s) {
    int64_t n;
    if (!eval_int(st, s->expr, "how often", 0, INT64_MAX, &n)) return false;
    for (int64_t i = 0; i < n; i++) {
        bool more = true;
        if (s->has_name) st->numbers[s->name] = (struct script_value){.known = true, .i = i};
        if (!script_go_on(st, s->at) || (s->when && !eval_true(st, s->when, &more))) return false;
        if (!more) break;
        if (!run_block(st, &s->body)) return false;
    }
    return true;
}

static bool run_if(struct script_state *st, const struct script_statement *s) {
    bool now;
    if (!eval_true(st, s->expr, &now)) return false;
    return run_block(st, now ? &s->body : &s->otherwise);
}

static bool run_statement(struct script_state *st, const struct script_statement *s) {
    switch (s->kind) {
    case DO_LET: return eval(st, s->expr, &st->numbers[s->name]);
    case DO_BUFFER: return run_buffer(st, s);
    case DO_SET: return run_set(st, s);
    case DO_LAUNCH: return run_launch(st, s);
    case DO_REPEAT: return run_repeat(st, s);
    case DO_IF: return run_if(st, s);
    case DO_SWAP: return run_swap(st, s);
    case DO_PRINT: return run_print(st, s);
    case DO_WRITE: return run_write(st, s);
    case DO_CHECK: return run_check(st, s);
    }
    return true;
}

static bool run_block(struct script_state *st, const struct script_block *b) {
    for (size_t i = 0; i < b->v.n; i++)
        if (!script_go_on(st, b->v.v[i].at) || !run_statement(st, &b->v.v[i])) return false;
    return true;
}

/* What compare looks at: buffers under the names they end with. Variables it knows itself. */
static void tell_buffers(struct script_state *st) {
    const struct lab_hooks *h = st->stage->hooks;
    VEC(struct lab_buffer) all = {0};
    for (size_t i = 0; i < st->s->buffers.n; i++)
        if (!st->s->buffers.v[i].variable)
            VEC_PUSH(&all,
                     (struct lab_buffer){.name = st->s->buffers.v[i].name,
                                         .addr = st->buffers[i].addr,
                                         .bytes = st->buffers[i].count * ir_type_bytes[st->buffers[i].type]});
    if (h->buffers) h->buffers(h->user, st->stage->dev, all.v, all.n);
    VEC_FREE(&all);
}

bool script_run(const void *user, struct lab_stage *stage, struct err *e) {
    const struct script_job *job = user;
    const struct script *s = job->script;
    struct script_state st = {.s = s, .job = job, .stage = stage, .e = e};
    st.numbers = xcalloc(s->numbers.n + 1, sizeof *st.numbers);
    st.buffers = xcalloc(s->buffers.n + 1, sizeof *st.buffers);
    bool fine = lab_fill(stage->dev, stage->mod, job->program, NULL, e) && run_block(&st, &s->body);
    if (fine) tell_buffers(&st);
    free(st.numbers);
    free(st.buffers);
    return fine;
}
