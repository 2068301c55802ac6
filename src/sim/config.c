/* Configurations by name. Their text is made into config_list at build time (tools/embed-configs), so that an installed
 * binary has them. */
#include "sim/config.h"

#include <string.h>

const struct config *config_find(const char *name) {
    for (const struct config *c = config_list; c->name; c++)
        if (!strcmp(c->name, name)) return c;
    return NULL;
}

static bool config_unknown(const char *name, struct err *e) {
    const char *names[64] = {0};
    for (size_t i = 0; config_list[i].name && i < 63; i++) names[i] = config_list[i].name;
    const char *near = nearest_name(name, names);
    if (near) return err_set(e, ERR_INPUT, "there is no configuration \"%s\"; did you mean %s?", name, near);
    struct sb all = {0};
    for (size_t i = 0; names[i]; i++) sb_add(&all, "%s%s", i ? ", " : "", names[i]);
    err_set(e, ERR_INPUT, "there is no configuration \"%s\"; there are %s, and files by their path", name,
            all.text ? all.text : "none");
    sb_free(&all);
    return false;
}

bool config_read(struct options *o, const char *name, struct err *e) {
    const struct config *c = config_find(name);
    if (c) return options_read_text(o, c->name, c->text, e);
    if (!strpbrk(name, "/.")) return config_unknown(name, e);
    return options_read_file(o, name, e);
}

void config_show(const struct options *o, struct sb *out) {
    for (size_t i = 0; i < o->nrows; i++) {
        const struct option_row *row = &o->rows[i];
        if (!i || strcmp(row->section, row[-1].section) != 0)
            sb_add(out, "%s[%s]\n", i ? "\n" : "", row->section);
        size_t start = out->len;
        sb_add(out, "%s = ", row->key + strlen(row->section) + 1);
        option_print(row, o, out);
        int pad = (int)(start + 32 > out->len ? start + 32 - out->len : 1);
        sb_add(out, "%*s; %s\n", pad, "", options_origin(o, i));
    }
}
