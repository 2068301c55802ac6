/* What a script prints and writes. Printing goes on while it runs, in order with what kernels print; files are written when all
 * of it went well (cli/outfile.h). */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "script/state.h"
#include "value/elements.h"

enum { SHOWN = 64 }; /* elements, unless a part is said */

static uint8_t *output_shown(struct script_state *st, const struct script_item *item, struct script_part *p,
                             uint64_t *all) {
    if (!target_part(st, &item->target, p)) return NULL;
    *all = p->count;
    if (!item->target.part && p->count > SHOWN) p->count = SHOWN;
    return part_read(st, p, item->target.at);
}

/* A buffer alone: in columns, with the number of the first element of each line. */
static bool print_columns(struct script_state *st, const struct script_item *item, struct sb *out) {
    struct script_part p;
    uint64_t all;
    uint8_t *data = output_shown(st, item, &p, &all);
    if (!data) return false;
    sb_add(out, "%s", st->s->buffers.v[item->target.buffer].name);
    elements_show(
        &(struct elements){
            .type = p.m->type, .first = p.first, .count = p.count, .all = p.m->count, .more = all - p.count},
        data, st->job->width, out);
    free(data);
    return true;
}

static bool print_inline(struct script_state *st, const struct script_item *item, struct sb *out) {
    struct script_part p;
    uint64_t all;
    uint8_t *data = output_shown(st, item, &p, &all);
    if (!data) return false;
    for (uint64_t i = 0; i < p.count; i++) {
        if (i) sb_add(out, " ");
        arg_format(out, p.m->type, array_element(data, i, ir_type_bytes[p.m->type]));
    }
    if (all > p.count) sb_add(out, " ...");
    free(data);
    return true;
}

static bool print_item(struct script_state *st, const struct script_item *item, struct sb *out) {
    struct script_value v;
    if (item->text) return sb_add(out, "%s", item->text), true;
    if (item->is_target) return print_inline(st, item, out);
    if (!eval(st, item->expr, &v)) return false;
    return script_value_text(&v, out), true;
}

bool run_print(struct script_state *st, const struct script_statement *s) {
    const struct lab_hooks *h = st->stage->hooks;
    const struct script_item *items = s->items.v.v;
    struct sb out = {0};
    bool fine = true;
    const bool element = items[0].target.part && !items[0].target.hi;
    if (s->items.v.n == 1 && items[0].is_target && !element) {
        fine = print_columns(st, &items[0], &out);
    } else {
        for (size_t i = 0; i < s->items.v.n && fine; i++) {
            if (i) sb_add(&out, " ");
            fine = print_item(st, &items[i], &out);
        }
        sb_add(&out, "\n");
    }
    if (fine && h->print) h->print(h->user, out.text, out.len);
    sb_free(&out);
    return fine;
}

/* ---- files ---- */

/* {NAME} in a path is the value of that number. */
static bool output_expand(struct script_state *st, const struct script_statement *s, struct sb *out) {
    for (const char *p = s->text; *p;) {
        size_t n = *p == '{' ? strcspn(p, "}") : 0, i = 0;
        for (; n && i < st->s->numbers.n; i++)
            if (strlen(st->s->numbers.v[i]) == n - 1 && !memcmp(st->s->numbers.v[i], p + 1, n - 1)) break;
        if (!n) {
            sb_addn(out, p++, 1);
            continue;
        }
        if (!p[n] || i == st->s->numbers.n || !st->numbers[i].known)
            return script_error(st->s, s->at, st->e, "there is no number '%.*s' for the name of the file",
                                n < 40 ? (int)n - 1 : 40, p + 1);
        script_value_text(&st->numbers[i], out);
        p += n + 1;
    }
    return true;
}

bool run_write(struct script_state *st, const struct script_statement *s) {
    const struct lab_hooks *h = st->stage->hooks;
    struct script_part p;
    struct sb path = {0}, text = {0};
    struct err e = {0};
    uint8_t *data = NULL;
    if (!h->write) return true;
    bool fine =
        output_expand(st, s, &path) && target_part(st, &s->target, &p) && (data = part_read(st, &p, s->at));
    if (fine) {
        array_encode(array_format_of(path.text), p.m->type, data, p.count, &text);
        fine = h->write(h->user, path.text, text.text, text.len, &e);
        if (!fine) {
            script_error(st->s, s->at, st->e, "%s", err_text(&e));
            st->e->code = e.code;
        }
    }
    free(data);
    sb_free(&path);
    sb_free(&text);
    err_free(&e);
    return fine;
}
