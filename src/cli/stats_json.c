/* Counters are integers, ratios are reals with twelve digits: enough to be exact for what they are ratios of,
 * and the same text on every machine. */
#include "cli/stats_json.h"

#include <stdlib.h>

static json_t *option_value(const struct option_row *row, const struct options *o) {
    struct sb text = {0};
    json_t *v;
    switch (row->kind) {
    case OPTION_INT:
    case OPTION_SIZE: return json_integer(option_whole(row, o));
    case OPTION_BOOL: return json_boolean(option_whole(row, o));
    case OPTION_REAL: return json_real(*(const option_REAL *)((const char *)o + row->offset));
    default:
        option_print(row, o, &text);
        v = json_string(text.text ? text.text : "");
        sb_free(&text);
        return v;
    }
}

json_t *stats_json_options(const struct options *o) {
    json_t *all = json_object();
    for (size_t i = 0; i < o->nrows; i++)
        if (!options_of_host(&o->rows[i]))
            json_object_set_new(all, o->rows[i].key, option_value(&o->rows[i], o));
    return all;
}

void stats_json_add(json_t *object, const struct stats *s) {
    for (int i = 0; i < STAT_COUNT; i++) {
        enum stat_id id = (enum stat_id)i;
        json_t *v = stat_is_counter(id) ? json_integer((json_int_t)stats_exact(s, id))
                                        : json_real(stats_value(s, id));
        json_object_set_new(object, stat_rows[i].name, v);
    }
    uint64_t value;
    const struct mech_counter *own;
    for (size_t k = 0; (own = stats_counter(s, k, &value)); k++) {
        struct sb name = {0};
        sb_add(&name, "%s.%s", s->mech->name, own->key);
        json_object_set_new(object, name.text, json_integer((json_int_t)value));
        sb_free(&name);
    }
}

void stats_json_add_host(json_t *object, const struct stats *s, double seconds) {
    json_object_set_new(object, "host.seconds", json_real(seconds));
    json_object_set_new(object, "host.thread_insts_per_second",
                        json_real(seconds > 0 ? (double)s->exec.thread_insts / seconds : 0));
}

/* A dimension that was not said is 1. */
static json_t *dims_json(const uint32_t d[3]) {
    json_t *a = json_array();
    for (int i = 0; i < 3; i++) json_array_append_new(a, json_integer(d[i] ? d[i] : 1));
    return a;
}

json_t *stats_json_launch(const char *kernel, const hd_launch *l) {
    return json_pack("{s:s, s:o, s:o, s:I}", "kernel", kernel, "grid", dims_json(l->grid), "block",
                     dims_json(l->block), "shared", (json_int_t)l->shared_bytes);
}

bool stats_json_text(json_t *root, struct sb *out, struct err *e) {
    char *text = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    json_decref(root);
    if (!text) return err_set(e, ERR_MEMORY, "no memory for the JSON text");
    sb_add(out, "%s\n", text);
    free(text);
    return true;
}
