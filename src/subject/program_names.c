/* What a program says by name: buffers that are reached through a struct or a variable (--buffer), and the contents of the
 * module's variables (--set-var). */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "subject/program.h"

static bool program_names_find(const struct program *p, const char *name, size_t n, size_t *number) {
    for (size_t i = 0; i < p->buffers.n; i++)
        if (strlen(p->buffers.v[i].name) == n && !memcmp(p->buffers.v[i].name, name, n))
            return *number = p->args.n + i, true;
    return false;
}

bool program_find_buffer(const struct program *p, const char *name, size_t n, size_t *number, struct err *e) {
    struct sb all = {0};
    if (program_names_find(p, name, n, number)) return true;
    for (size_t i = 0; i < p->buffers.n; i++)
        sb_add(&all, "%s%s", i ? ", " : "; there are: ", p->buffers.v[i].name);
    err_set(e, ERR_INPUT, "there is no buffer '%.*s'%s", n < 60 ? (int)n : 60, name,
            all.len ? all.text : ": --buffer NAME=TYPE[COUNT] makes one");
    sb_free(&all);
    return false;
}

void program_entry_name(const struct program *p, size_t number, struct sb *out) {
    if (number < p->args.n)
        sb_add(out, "argument %zu", number);
    else
        sb_add(out, "buffer %s", program_entry(p, number)->name);
}

/* ---- options ---- */

static bool read_name(struct program *p, const char *text, struct program_arg *out, struct err *e) {
    size_t n = 0;
    while (isalnum((unsigned char)text[n]) || text[n] == '_') n++;
    if (!n || isdigit((unsigned char)*text) || text[n] != '=')
        return err_set(e, ERR_INPUT, "it is not NAME=TYPE[COUNT], as in x=f32[1024]=iota");
    *out = (struct program_arg){.name = arena_strndup(&p->mem, text, n), .text = text + n + 1};
    return arg_parse_buffer(out->text, &out->spec, e);
}

static bool read_buffer(struct program *p, const char *text, bool of_file, size_t given, struct err *e) {
    struct program_arg a;
    size_t number;
    if (!read_name(p, text, &a, e)) return err_set(e, ERR_INPUT, "--buffer %.60s: %s", text, err_text(e));
    if (program_names_find(p, a.name, strlen(a.name), &number)) /* the command line wins */
        return number < p->args.n + given ||
               err_set(e, ERR_INPUT, "--buffer: there are two of the name %.60s", a.name);
    if (of_file && a.spec.fill == ARG_FILE) a.spec.text = arg_beside(&p->mem, p->file, a.spec.text);
    VEC_PUSH(&p->buffers, a);
    return true;
}

/* Values that the file carries come first, so that the command line can change a part of what they say. */
static bool read_vars(struct program *p, const struct opts *o, bool of_file, struct err *e) {
    const size_t n = opts_count(o, "set-var"), before = p->vars.n;
    VEC_RESERVE(&p->vars, before + n);
    if (before) memmove(p->vars.v + n, p->vars.v, before * sizeof *p->vars.v);
    p->vars.n += n;
    for (size_t i = 0; i < n; i++) {
        const char *text = opts_nth(o, "set-var", i);
        if (!var_split(text, &p->mem, &p->vars.v[i], e))
            return err_set(e, ERR_INPUT, "--set-var: %s", err_text(e));
        if (of_file) p->vars.v[i].beside = p->file;
    }
    return true;
}

bool program_read_names(struct program *p, const struct opts *o, struct err *e) {
    const size_t given = o == &p->sidecar ? p->buffers.n : 0;
    for (size_t i = 0; i < opts_count(o, "buffer"); i++)
        if (!read_buffer(p, opts_nth(o, "buffer", i), o == &p->sidecar, given, e)) return false;
    return read_vars(p, o, o == &p->sidecar, e);
}

/* ---- with the module ---- */

bool program_link(struct program *p, const struct arg_links *found, const struct lab_link **links, size_t *n,
                  struct err *e) {
    struct lab_link *out = ARENA_NEW(&p->mem, struct lab_link, found->v.n + 1);
    *links = out;
    *n = found->v.n;
    for (size_t i = 0; i < found->v.n; i++) {
        const struct arg_link *l = &found->v.v[i];
        out[i].offset = l->offset;
        if (l->symbol)
            out[i].symbol = arena_strndup(&p->mem, l->name, l->length);
        else if (!program_find_buffer(p, l->name, l->length, &out[i].buffer, e))
            return false;
    }
    return true;
}

static bool describe_var(struct program *p, hd_module *mod, const struct var_given *v, struct lab_var *out,
                         struct err *e) {
    hd_symbol_info info;
    struct var_bytes bytes = {0};
    bool fine = var_find(mod, v->name, &info, e) && var_decode(v, &info, &bytes, e);
    if (fine) {
        uint8_t *data = arena_alloc(&p->mem, bytes.bytes);
        memcpy(data, bytes.data, bytes.bytes);
        *out = (struct lab_var){
            .text = v->text, .symbol = v->name, .offset = bytes.offset, .bytes = bytes.bytes, .data = data};
        fine = program_link(p, &bytes.links, &out->links, &out->nlinks, e);
    }
    var_free(&bytes);
    return fine || err_set(e, e->code, "--set-var %.60s: %s", v->text, err_text(e));
}

bool program_describe_vars(struct program *p, hd_device *dev, hd_module *mod, struct err *e) {
    const size_t captured = p->capture.vars.n;
    struct lab_var *vars = ARENA_NEW(&p->mem, struct lab_var, captured + p->vars.n + 1);
    (void)dev;
    if (captured) memcpy(vars, p->capture.vars.v, captured * sizeof *vars);
    for (size_t i = 0; i < p->vars.n; i++)
        if (!describe_var(p, mod, &p->vars.v[i], &vars[captured + i], e)) return false;
    p->lab.vars = vars;
    p->lab.nvars = captured + p->vars.n;
    return true;
}
