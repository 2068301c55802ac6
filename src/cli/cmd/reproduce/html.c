/* `heddle reproduce --html`: what --json has, with the numbers as the other forms of output write them, for the page
 * src/page/js/reproduce.js, which says what it draws. */
#include "cli/cmd/reproduce/reproduce.h"
#include "cli/page_about.h"
#include "page/page.h"

static void set_text(json_t *o, const char *key, struct sb *text) {
    json_object_set_new(o, key, json_stringn(text->len ? text->text : "", text->len));
    sb_free(text);
}

static void add_value_texts(const struct claim_result *r, const struct claim_value *v, json_t *o) {
    struct sb paper = {0}, ours = {0};
    reproduce_value_paper(r, v, &paper);
    reproduce_value_ours(r, v, &ours);
    set_text(o, "paper_text", &paper);
    set_text(o, "ours_text", &ours);
}

static void add_texts(const struct claim_result *r, json_t *o) {
    struct sb paper = {0}, ours = {0}, verdict = {0};
    json_t *values = json_object_get(o, "workloads");
    reproduce_paper(r, &paper);
    reproduce_ours(r, &ours);
    reproduce_verdict(r, &verdict);
    set_text(o, "paper_text", &paper);
    set_text(o, "ours_text", &ours);
    set_text(o, "verdict_text", &verdict);
    json_object_set_new(o, "unit", json_string(reproduce_unit(r->claim)));
    for (size_t k = 0; k < json_array_size(values); k++)
        add_value_texts(r, &r->values.v[k], json_array_get(values, k));
}

static json_t *papers_json(void) {
    json_t *all = json_array();
    for (const struct claim_paper *p = claim_papers; p->prefix; p++)
        json_array_append_new(
            all, json_pack("{s:s, s:s, s:s}", "prefix", p->prefix, "name", p->name, "title", p->title));
    return all;
}

void reproduce_html(const struct reproduce *r, struct sb *out) {
    struct sb title = {0};
    sb_add(&title, "The papers' claims, and what comes out here");
    if (r->claims.isa != WORK_PTX)
        sb_add(&title, " of programs compiled for %s", work_isa_names[r->claims.isa]);
    json_t *data = page_about(r->cli, r->opts, title.text);
    sb_free(&title);
    json_t *tree = reproduce_tree(r), *claims = json_object_get(tree, "claims");
    for (size_t i = 0; i < r->claims.n; i++) add_texts(&r->claims.results[i], json_array_get(claims, i));
    json_object_update(data, tree);
    json_object_set_new(data, "papers", papers_json());
    page_write(out, &(struct page){
                        .title = "heddle reproduce", .app = "reproduce", .use = PAGE_CHARTS, .data = data});
    json_decref(tree);
    json_decref(data);
}
