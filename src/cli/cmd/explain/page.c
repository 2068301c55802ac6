/* Steps as a tree for the page. Of a step only what is its own is kept: where threads stand follows from the steps before it,
 * and tables are lists of numbers of lines, each of which is there once. Lanes are a digit for four of them, lane 0 the lowest
 * bit of the first digit; PCs are the program's. */
#include "cli/cmd/explain/page.h"

#include <inttypes.h>
#include <string.h>

json_t *explain_string(const char *text, size_t n) {
    json_t *s = json_stringn(text, n);
    if (s) return s;
    struct sb plain = {0};
    for (size_t i = 0; i < n; i++) sb_addn(&plain, text[i] & 0x80 || !text[i] ? "?" : text + i, 1);
    s = json_stringn(plain.text, plain.len);
    sb_free(&plain);
    return s;
}

static void explain_page_put(json_t *o, const char *key, uint64_t v) {
    json_object_set_new(o, key, json_integer((json_int_t)v));
}

/* ---- pieces ---- */

static json_t *lanes_json(const struct explain_view *v, const struct explain_lanes *l) {
    char digits[EXPLAIN_WORDS * 8 + 1];
    uint32_t n = 0;
    for (uint32_t t = 0; t < v->count; t += 4, n++) {
        uint32_t four = 0;
        for (uint32_t k = 0; k < 4 && t + k < v->count; k++) {
            const uint32_t thread = v->first + t + k;
            four |= (l->word[thread / 32] >> thread % 32 & 1) << k;
        }
        digits[n] = "0123456789abcdef"[four];
    }
    return json_stringn(digits, n);
}

/* [12], or [12, "sync"] of a mark before it */
static json_t *pc_json(const struct explain_view *v, uint32_t pc) {
    json_t *a = json_array();
    const char *added = cfg_rewrite_added(v->form, pc);
    json_array_append_new(a, json_integer(explain_old_pc(v, pc)));
    if (added) json_array_append_new(a, json_string(added));
    return a;
}

static void put_fate(const struct explain_view *v, json_t *fates, const struct mech_set *set, json_t *where) {
    const struct explain_lanes l = lanes_of(v, set);
    if (lanes_any(&l))
        json_array_append_new(fates, json_pack("[o, o]", where, lanes_json(v, &l)));
    else
        json_decref(where);
}

/* ---- tables ---- */

static json_t *token_json(const struct explain_view *v, const struct explain_tables *t,
                          const struct explain_token *k) {
    if (k->kind == EXPLAIN_TEXT) return explain_string(k->text, k->n);
    if (k->kind == EXPLAIN_PC) return pc_json(v, k->index);
    json_t *set = json_object();
    json_object_set_new(set, "l", lanes_json(v, &t->sets.v[k->index]));
    if (t->sets.v[k->index].others) explain_page_put(set, "o", t->sets.v[k->index].others);
    return set;
}

/* The number of a line, which is added if it is new. */
static json_t *line_json(struct explain_record *r, json_t *line) {
    char *text = json_dumps(line, JSON_COMPACT);
    json_t *number = json_object_get(r->numbers, text);
    if (number) {
        json_incref(number);
        json_decref(line);
    } else {
        number = json_integer((json_int_t)json_array_size(r->lines));
        json_array_append_new(r->lines, line);
        json_object_set(r->numbers, text, number);
        r->bytes += strlen(text);
    }
    free(text);
    return number;
}

static json_t *tables_json(const struct explain_view *v, struct explain_record *r,
                           const struct explain_tables *t) {
    json_t *all = json_array();
    for (size_t i = 0; i < t->lines.n; i++) {
        json_t *line = json_array();
        for (size_t k = t->lines.v[i].first; k < t->lines.v[i].end; k++)
            json_array_append_new(line, token_json(v, t, &t->tokens.v[k]));
        json_array_append_new(all, line_json(r, line));
    }
    r->bytes += 5 * t->lines.n;
    return all;
}

/* ---- a step ---- */

static void mark_seen(const struct explain_view *v, struct explain_record *r, uint32_t pc) {
    const uint32_t old = explain_old_pc(v, pc);
    if (old < v->program->code.n) r->page->seen[v->program->code.v[old].block] = true;
}

static void put_group(const struct explain_view *v, struct explain_record *r, json_t *step,
                      const struct explain_group *g) {
    explain_page_put(step, "from", g->issued);
    explain_page_put(step, "to", g->committed);
    explain_page_put(step, "pc", explain_old_pc(v, g->first));
    if (g->last != g->first) explain_page_put(step, "last", explain_old_pc(v, g->last));
    json_object_set_new(step, "lanes", lanes_json(v, &g->lanes));
    if (g->lanes.others) explain_page_put(step, "others", g->lanes.others);
    if (g->to != IR_NOPC) json_object_set_new(step, "next", pc_json(v, g->to));
    if (cfg_rewrite_added(v->form, g->first)) { /* not among the program's instructions */
        struct sb text = {0};
        explain_insn(v, g->first, &text);
        json_object_set_new(step, "added", explain_string(text.text, text.len));
        sb_free(&text);
    }
    mark_seen(v, r, g->first);
    if (g->to != IR_NOPC) mark_seen(v, r, g->to);
}

static void put_events(const struct explain_view *v, struct explain_record *r, json_t *step,
                       const struct sm_commit *c) {
    const struct mech_outcome *o = c->outcome;
    json_t *fates = json_array();
    for (uint32_t k = 0; k < o->nsides; k++) {
        put_fate(v, fates, &o->side[k].set, pc_json(v, o->side[k].pc));
        mark_seen(v, r, o->side[k].pc);
    }
    put_fate(v, fates, &o->exited, json_string("exit"));
    put_fate(v, fates, &o->waiting, json_string("wait"));
    if (json_array_size(fates)) json_object_set(step, "fates", fates);
    json_decref(fates);
    if (*c->event) json_object_set_new(step, "said", explain_string(c->event, strlen(c->event)));
}

void explain_show_page(struct explain_view *v, const struct explain_step *s) {
    struct explain_record *r = v->record;
    json_t *step = json_object();
    if (s->group)
        put_group(v, r, step, s->group);
    else
        explain_page_put(step, "to", s->commit->cycle);
    if (s->commit) put_events(v, r, step, s->commit);
    if (s->tables) json_object_set_new(step, "tables", tables_json(v, r, s->tables));
    r->bytes += 80 + v->count / 2;
    json_array_append_new(r->steps, step);
    v->full = r->bytes > r->page->most;
}

/* ---- a mechanism ---- */

void explain_page_add(struct explain_page *p, const struct explain_view *v, const struct mech_ops *mech,
                      const char *name, struct explain_record *r, const char *error) {
    json_t *m = json_pack("{s:s, s:s, s:s, s:o, s:o}", "name", name, "title", mech->title, "source",
                          mech->source, "steps", r->steps, "lines", r->lines);
    explain_page_put(m, "first", v->first);
    explain_page_put(m, "count", v->count);
    explain_page_put(m, "width", v->width);
    if (v->more || v->full) explain_page_put(m, "cut", v->steps);
    if (v->full) json_object_set_new(m, "full", json_true());
    if (*error) json_object_set_new(m, "error", explain_string(error, strlen(error)));
    json_array_append_new(p->mechs, m);
    json_decref(r->numbers);
    *r = (struct explain_record){0};
}

void explain_page_free(struct explain_page *p) {
    json_decref(p->mechs);
    json_decref(p->code);
    xfree(p->seen);
    *p = (struct explain_page){0};
}
