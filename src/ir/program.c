/* Making, freeing and searching a module. Names are looked up linearly: it happens once per launch or per
 * symbol a user names, never per instruction; a front end keeps its own tables while it parses. */
#include "ir/program.h"

#include <stdlib.h>
#include <string.h>

struct ir_module *ir_module_new(const char *name) {
    struct ir_module *m = xcalloc(1, sizeof *m);
    m->name = arena_strdup(&m->mem, name);
    return m;
}

void ir_module_free(struct ir_module *m) {
    if (!m) return;
    VEC_FREE(&m->code);
    VEC_FREE(&m->src);
    VEC_FREE(&m->funcs);
    VEC_FREE(&m->vars);
    VEC_FREE(&m->relocs);
    VEC_FREE(&m->k32);
    VEC_FREE(&m->k64);
    VEC_FREE(&m->ext);
    VEC_FREE(&m->files);
    VEC_FREE(&m->parts);
    arena_free(&m->mem);
    xfree(m);
}

struct ir_place ir_place(const struct ir_module *m, uint32_t line) {
    size_t k = m->parts.n;
    while (k && m->parts.v[k - 1].before >= line) k--;
    if (!k) return (struct ir_place){m->name, line};
    return (struct ir_place){m->parts.v[k - 1].name, line - m->parts.v[k - 1].before};
}

int ir_find_func(const struct ir_module *m, const char *name) {
    for (size_t f = 0; f < m->funcs.n; f++)
        if (!strcmp(m->funcs.v[f].name, name)) return (int)f;
    return -1;
}

int ir_find_var(const struct ir_module *m, const char *name) {
    for (size_t v = 0; v < m->vars.n; v++)
        if (m->vars.v[v].name && !strcmp(m->vars.v[v].name, name)) return (int)v;
    return -1;
}

static bool ir_program_holds(const struct ir_func *f, uint32_t pc) {
    return pc >= f->entry && pc < f->end;
}

/* A function may be declared long before its body, so the order of the functions is not that of their code:
 * until ir_link has sorted them, every one is asked. */
const struct ir_func *ir_func_at(const struct ir_module *m, uint32_t pc) {
    if (!m->by_entry) {
        for (size_t f = 0; f < m->funcs.n; f++)
            if (ir_program_holds(&m->funcs.v[f], pc)) return &m->funcs.v[f];
        return NULL;
    }
    uint32_t lo = 0, hi = m->nby_entry;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        const struct ir_func *f = &m->funcs.v[m->by_entry[mid]];
        if (ir_program_holds(f, pc)) return f;
        if (pc < f->entry)
            hi = mid;
        else
            lo = mid + 1;
    }
    return NULL;
}
