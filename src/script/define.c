/* A script from outside: numbers that are given to it, and what it depends on apart from the PTX. */
#include <string.h>

#include "base/bits.h"
#include "script/script.h"
#include "sim/file.h"
#include "value/list.h"

static bool define(struct script *s, struct script_statement *let, const char *value, struct err *e) {
    struct script_expr *x = ARENA_NEW(&s->mem, struct script_expr, 1);
    struct sweep_number number;
    if (!sweep_is_number(value, &number))
        return script_error(s, let->at, e, "%s is to be '%.60s', which is not a number",
                            s->numbers.v[let->name], value);
    *x = (struct script_expr){
        .op = number.whole ? OP_INT : OP_REAL, .at = let->at, .i = number.i, .d = number.d};
    let->expr = x;
    return true;
}

/* The first let of a name is its declaration; later ones are steps of the computation and stay. */
static bool declared_before(const struct script *s, size_t statement) {
    for (size_t i = 0; i < statement; i++)
        if (s->body.v.v[i].kind == DO_LET && s->body.v.v[i].name == s->body.v.v[statement].name) return true;
    return false;
}

bool script_define(struct script *s, struct params *n, struct err *e) {
    for (size_t i = 0; i < s->body.v.n; i++) {
        struct script_statement *let = &s->body.v.v[i];
        if (let->kind != DO_LET || declared_before(s, i)) continue;
        const char *value = params_value(n, s->numbers.v[let->name]);
        if (value && !define(s, let, value, e)) return false;
    }
    return true;
}

/* ---- what it depends on ---- */

static bool hash_file(const struct script *s, const struct script_contents *c, uint64_t *h, struct err *e) {
    struct arena mem = {0};
    struct sb text = {0};
    const bool fine = file_read(arg_beside(&mem, s->file, c->path), &text, e);
    *h = hash_words(*h, text.text, text.len);
    sb_free(&text);
    arena_free(&mem);
    return fine;
}

static bool hash_files(const struct script *s, const struct script_block *b, uint64_t *h, struct err *e) {
    for (size_t i = 0; i < b->v.n; i++) {
        const struct script_statement *t = &b->v.v[i];
        if (t->has_contents && t->contents.kind == FILL_FILE && !hash_file(s, &t->contents, h, e))
            return false;
        if (!hash_files(s, &t->body, h, e) || !hash_files(s, &t->otherwise, h, e)) return false;
    }
    return true;
}

bool script_hash_inputs(const struct script *s, uint64_t *h, struct err *e) {
    for (size_t i = 0; i < s->body.v.n; i++) {
        const struct script_expr *x = s->body.v.v[i].kind == DO_LET ? s->body.v.v[i].expr : NULL;
        if (!x || (x->op != OP_INT && x->op != OP_REAL)) continue;
        *h = hash_bytes(*h, &x->i, sizeof x->i);
        *h = hash_bytes(*h, &x->d, sizeof x->d);
    }
    return hash_files(s, &s->body, h, e);
}
