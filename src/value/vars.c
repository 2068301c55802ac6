/* Values of variables. Compilers declare most arrays as bytes (.b8 table[64]), so the type of their elements has to be said:
 * guessing one would put 1.0 where 1 was meant. Without an index all of a variable is given; with one, as much as is said. */
#include "value/vars.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "value/arrays.h"

bool var_split(const char *text, struct arena *mem, struct var_given *out, struct err *e) {
    const char *equals = strchr(text, '=');
    *out = (struct var_given){.text = text};
    if (!equals) return err_set(e, ERR_INPUT, "'%.60s' is not NAME=VALUES", text);
    size_t name = strcspn(text, "[=");
    out->name = arena_strndup(mem, text, name);
    out->values = equals + 1;
    if (!name) return err_set(e, ERR_INPUT, "'%.60s' lacks the name of a variable", text);
    if (!*out->values) return err_set(e, ERR_INPUT, "'%.60s' lacks its values", text);
    if (text[name] == '=') return true;
    if (equals[-1] != ']') return err_set(e, ERR_INPUT, "the index of '%.60s' lacks its ']'", text);
    out->indexed = true;
    return arg_number(text + name + 1, (size_t)(equals - text) - name - 2, IR_T_U64, "index", &out->index, e);
}

bool var_find(hd_module *mod, const char *name, hd_symbol_info *info, struct err *e) {
    struct sb all = {0};
    size_t n = hd_module_symbol_count(mod);
    enum { SHOWN = 40 };
    for (size_t i = 0; i < n; i++) {
        CHECK(hd_module_symbol_at(mod, i, info) == HD_OK);
        if (!strcmp(info->name, name)) {
            sb_free(&all);
            return true;
        }
        if (i < SHOWN)
            sb_add(&all, "%s%s (%s, %llu bytes)", i ? ", " : "", info->name,
                   info->constant ? ".const" : ".global", (unsigned long long)info->bytes);
    }
    if (!n)
        err_set(e, ERR_INPUT, "there is no variable '%.60s': the file has none", name);
    else
        err_set(e, ERR_INPUT, "there is no variable '%.60s'; there are: %s%s", name, all.text,
                n > SHOWN ? ", ..." : "");
    sb_free(&all);
    return false;
}

/* ---- values ---- */

/* TYPE: before the values, or what the PTX declares. */
static bool element_type(const char **values, const hd_symbol_info *info, enum ir_type *type, struct err *e) {
    const char *colon = strchr(*values, ':');
    if (colon && arg_type_by_name(*values, (size_t)(colon - *values), type)) return *values = colon + 1, true;
    if (!arg_type_by_name(info->type, strlen(info->type), type))
        return err_set(e, ERR_INPUT, "it is declared %s, which has no numbers; use bytes:HEX", info->type);
    if (ir_type_bytes[*type] > 1 || info->bytes == 1) return true;
    return err_set(e, ERR_INPUT,
                   "it is declared as %llu bytes: say the type of its elements, as in %s=f32:%.20s",
                   (unsigned long long)info->bytes, info->name, *values);
}

static bool vars_make_room(struct var_bytes *out, uint64_t bytes, struct err *e) {
    out->bytes = bytes;
    out->data = try_alloc(bytes);
    return out->data || err_set(e, ERR_MEMORY, "no memory for %llu bytes", (unsigned long long)bytes);
}

/* Elements from the index on. */
static bool room_for(const struct var_given *v, const hd_symbol_info *info, size_t width, uint64_t *count,
                     struct err *e) {
    uint64_t all = info->bytes / width;
    if (info->bytes % width)
        return err_set(e, ERR_INPUT, "its %llu bytes are not a number of elements of %zu bytes",
                       (unsigned long long)info->bytes, width);
    if (v->index >= all)
        return err_set(e, ERR_INPUT, "there is no element %llu: it has %llu", (unsigned long long)v->index,
                       (unsigned long long)all);
    *count = all - v->index;
    return true;
}

static bool decode_fill(const char *values, const struct var_given *v, enum ir_type type, uint64_t count,
                        struct var_bytes *out, struct err *e) {
    struct arg_spec spec = {.type = type, .count = count};
    struct arena mem = {0};
    if (!arg_parse_fill(values, &spec, e)) return false;
    if (spec.fill != ARG_FILE) {
        if (!vars_make_room(out, count * ir_type_bytes[type], e)) return false;
        arg_fill(&spec, count, out->data);
        return true;
    }
    if (v->beside) spec.text = arg_beside(&mem, v->beside, spec.text);
    if (v->indexed) spec.count = 0;
    bool fine = arg_read_file(&spec, &out->data, e);
    out->bytes = spec.count * ir_type_bytes[type];
    if (fine && spec.count > count)
        fine = err_set(e, ERR_INPUT, "%s: it holds %llu elements, there is room for %llu", spec.text,
                       (unsigned long long)spec.count, (unsigned long long)count);
    arena_free(&mem);
    return fine;
}

static bool decode_numbers(const char *values, const struct var_given *v, enum ir_type type, uint64_t count,
                           struct var_bytes *out, struct err *e) {
    size_t width = ir_type_bytes[type];
    uint64_t n = 1;
    for (const char *c = values; *c; c++) n += *c == ',';
    if (n > count || (!v->indexed && n != count))
        return err_set(e, ERR_INPUT, "%llu value%s for %llu element%s of %s", (unsigned long long)n,
                       n == 1 ? "" : "s", (unsigned long long)count, count == 1 ? "" : "s",
                       ir_type_name[type]);
    if (!vars_make_room(out, n * width, e)) return false;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t bits;
        while (isspace((unsigned char)*values)) values++;
        size_t length = strcspn(values, ","), trimmed = length;
        while (trimmed && isspace((unsigned char)values[trimmed - 1])) trimmed--;
        if (!arg_number(values, trimmed, type, "value", &bits, e)) return false;
        array_set(out->data, i, width, bits);
        values += length + 1;
    }
    return true;
}

/* A struct, bytes or an address: how large it is does not depend on the variable. */
static bool decode_whole(const struct var_given *v, const struct arg_spec *spec, const hd_symbol_info *info,
                         struct var_bytes *out, struct err *e) {
    const bool address = spec->kind == ARG_POINTER || spec->kind == ARG_SYMBOL;
    uint64_t bytes = address ? 8 : arg_bytes(spec), count;
    if (!v->indexed && bytes != info->bytes)
        return err_set(e, ERR_INPUT, "%llu bytes for a variable of %llu", (unsigned long long)bytes,
                       (unsigned long long)info->bytes);
    if (!room_for(v, info, (size_t)bytes, &count, e) || !vars_make_room(out, bytes, e)) return false;
    out->offset = v->index * bytes;
    if (!address)
        arg_decode(spec, out->data, &out->links);
    else
        VEC_PUSH(&out->links.v, (struct arg_link){.name = spec->text,
                                                  .length = strlen(spec->text),
                                                  .symbol = spec->kind == ARG_SYMBOL});
    return true;
}

static bool is_whole(const char *values) {
    return *values == '{' || !strncmp(values, "bytes:", 6) || !strncmp(values, "ptr:", 4) ||
           !strncmp(values, "sym:", 4);
}

bool var_decode(const struct var_given *v, const hd_symbol_info *info, struct var_bytes *out, struct err *e) {
    const char *values = v->values;
    struct arg_spec spec;
    enum ir_type type;
    uint64_t count;
    *out = (struct var_bytes){0};
    if (is_whole(values)) return arg_parse(values, &spec, e) && decode_whole(v, &spec, info, out, e);
    if (!element_type(&values, info, &type, e) || !room_for(v, info, ir_type_bytes[type], &count, e))
        return false;
    out->offset = v->index * ir_type_bytes[type];
    return arg_is_fill(values) ? decode_fill(values, v, type, count, out, e)
                               : decode_numbers(values, v, type, count, out, e);
}

void var_free(struct var_bytes *b) {
    free(b->data);
    VEC_FREE(&b->links.v);
}
