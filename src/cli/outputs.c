/* Outputs of any command, from its table of options. The path is the whole value, or, where the table's word for it has a
 * prefix ("N:FILE", "KERNEL[:N]=FILE"), what follows the first colon or equals sign. */
#include "cli/outputs.h"

#include <string.h>

#include "cli/outfile.h"

/* NULL: not an output, or one that the command itself will find incomplete. */
static const char *path_of(const struct opt_given *g) {
    if (!(g->opt->how & OPT_WRITES)) return NULL;
    const char sign = strchr(g->opt->value, '=') ? '=' : ':';
    if (!strchr(g->opt->value, sign)) return g->value;
    const char *colon = strchr(g->value, sign);
    return colon && colon[1] ? colon + 1 : NULL;
}

static bool outputs_apart(const struct opt_given *a, const struct opt_given *b, const char *path,
                          struct err *e) {
    if (a->opt == b->opt) return err_set(e, ERR_INPUT, "--%s cannot go to %.60s twice", a->opt->name, path);
    return err_set(e, ERR_INPUT, "--%s and --%s cannot both go to %.60s", a->opt->name, b->opt->name, path);
}

bool outputs_prepare(struct opts *o, struct err *e) {
    for (size_t i = 0; i < o->given.n; i++) {
        struct opt_given *g = &o->given.v[i];
        const char *path = path_of(g);
        if (!path) continue;
        if (path == g->value) path = g->value = outfile_name(path);
        for (size_t k = 0; k < i; k++) {
            const char *other = path_of(&o->given.v[k]);
            if (other && !strcmp(outfile_name(other), outfile_name(path)))
                return outputs_apart(&o->given.v[k], g, path, e);
        }
        if (!outfile_try(path, e)) return false;
    }
    return true;
}

bool outputs_on_stdout(const struct opts *o) {
    for (size_t i = 0; i < o->given.n; i++) {
        const char *path = path_of(&o->given.v[i]);
        if (path && !strcmp(outfile_name(path), "-")) return true;
    }
    return false;
}
