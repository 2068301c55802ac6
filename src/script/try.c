/* What can be wrong with a script that parses, as far as it can be said without running it: kernels and their parameters,
 * variables, files. A script of an hour must not end over a name in its last line. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/outfile.h"
#include "script/state.h"

struct trial {
    const struct script *s;
    hd_device *dev;
    hd_module *mod;
    struct err *e;
};

/* As .b8 arrays have to be given a type (value/vars.c). */
bool script_variable_type(const struct script_buffer *b, const hd_symbol_info *info, enum ir_type *type,
                          struct err *e) {
    *type = b->type;
    if (!b->typed && !arg_type_by_name(info->type, strlen(info->type), type))
        return err_set(e, ERR_INPUT, "%s is declared %s: say its type, as in variable %s u32", b->name,
                       info->type, b->name);
    if (!b->typed && ir_type_bytes[*type] == 1 && info->bytes > 1)
        return err_set(e, ERR_INPUT,
                       "%s is declared as %llu bytes: say the type of its elements, as in variable %s f32",
                       b->name, (unsigned long long)info->bytes, b->name);
    return info->bytes % ir_type_bytes[*type] == 0 ||
           err_set(e, ERR_INPUT, "the %llu bytes of %s are not a number of %s elements",
                   (unsigned long long)info->bytes, b->name, ir_type_name[*type]);
}

static bool try_variable(const struct trial *t, const struct script_statement *s) {
    const struct script_buffer *b = &t->s->buffers.v[s->name];
    hd_symbol_info info;
    enum ir_type type;
    struct err e = {0};
    if (!b->variable) return true;
    bool fine = var_find(t->mod, b->name, &info, &e) && script_variable_type(b, &info, &type, &e);
    if (!fine) script_error(t->s, s->at, t->e, "%s", err_text(&e));
    err_free(&e);
    return fine;
}

static bool try_file(const struct trial *t, const struct script_contents *c) {
    struct arena mem = {0};
    if (c->kind != FILL_FILE) return true;
    const char *path = arg_beside(&mem, t->s->file, c->path);
    bool fine = access(path, R_OK) == 0;
    if (!fine) script_error(t->s, c->at, t->e, "%s: %s", path, strerror(errno));
    arena_free(&mem);
    return fine;
}

static bool try_block(const struct trial *t, const struct script_block *b);

static bool try_statement(const struct trial *t, const struct script_statement *s) {
    hd_kernel *k;
    hd_kernel_info info;
    if (!try_file(t, &s->contents)) return false;
    if (s->kind == DO_BUFFER) return try_variable(t, s);
    if (s->kind == DO_LAUNCH) return launch_match(t->s, s, t->dev, t->mod, &k, &info, t->e);
    return try_block(t, &s->body) && try_block(t, &s->otherwise);
}

static bool try_block(const struct trial *t, const struct script_block *b) {
    for (size_t i = 0; i < b->v.n; i++)
        if (!try_statement(t, &b->v.v[i])) return false;
    return true;
}

bool script_try(const struct script *s, hd_device *dev, hd_module *mod, struct err *e) {
    return try_block(&(struct trial){s, dev, mod, e}, &s->body);
}

static bool try_writes(const struct script *s, const struct script_block *b, struct err *e) {
    for (size_t i = 0; i < b->v.n; i++) {
        const struct script_statement *w = &b->v.v[i];
        struct err reason = {0};
        bool fine = w->kind != DO_WRITE || strchr(w->text, '{') || outfile_try(w->text, &reason);
        if (!fine) script_error(s, w->at, e, "%s", err_text(&reason));
        err_free(&reason);
        if (!fine || !try_writes(s, &w->body, e) || !try_writes(s, &w->otherwise, e)) return false;
    }
    return true;
}

bool script_try_writes(const struct script *s, struct err *e) {
    return try_writes(s, &s->body, e);
}
