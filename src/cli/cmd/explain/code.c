/* The program of a page: the functions that threads came to as blocks of code with their edges and instructions, and the lines
 * of the source around them. Of functions too large to draw, the blocks that threads came to and those after them. */
#include <string.h>

#include "cli/cmd/explain/page.h"
#include "ir/print.h"
#include "sim/file.h"
#include "value/demangle.h"

enum { MOST_BLOCKS = 120, CONTEXT = 3, MOST_LINES = 600 };

/* Lines of a source file that the instructions name. */
struct source {
    uint32_t first, last;
};
struct coding {
    struct explain_page *page;
    const struct ir_module *m;
    const struct cfg *c;
    bool *shown;           /* blocks */
    struct source *source; /* by file of the module */
};

/* ---- which blocks ---- */

static bool came_to(const struct coding *k, uint32_t func) {
    const struct cfg_func *f = &k->c->funcs[func];
    for (uint32_t b = f->block; b < f->block + f->nblocks; b++)
        if (k->page->seen[b]) return true;
    return false;
}

static uint32_t choose_whole(struct coding *k) {
    uint32_t n = 0;
    for (uint32_t f = 0; f < k->m->funcs.n; f++) {
        const struct cfg_func *func = &k->c->funcs[f];
        const bool whole = came_to(k, f);
        for (uint32_t b = func->block; b < func->block + func->nblocks; b++) {
            k->shown[b] = whole && k->c->blocks[b].reachable;
            n += k->shown[b];
        }
    }
    return n;
}

static void choose_seen(struct coding *k) {
    memset(k->shown, 0, k->c->nblocks * sizeof *k->shown);
    for (uint32_t b = 0; b < k->c->nblocks; b++) {
        const struct cfg_block *block = &k->c->blocks[b];
        if (!k->page->seen[b]) continue;
        k->shown[b] = true;
        for (uint32_t i = 0; i < block->nsucc; i++) k->shown[k->c->edges[block->succ + i]] = true;
    }
}

/* ---- instructions ---- */

/* [text, line of the PTX], and the file and line of the source where they are known */
static json_t *insn_json(struct coding *k, uint32_t pc) {
    struct sb text = {0};
    ir_print_insn(&text, k->m, pc);
    json_t *i = json_pack("[o, I]", explain_string(text.text, text.len), (json_int_t)k->m->code.v[pc].line);
    sb_free(&text);
    const struct ir_srcloc *s = pc < k->m->src.n ? &k->m->src.v[pc] : NULL;
    if (!s || !s->line || !s->file || s->file >= k->m->files.n || !k->m->files.v[s->file]) return i;
    struct source *file = &k->source[s->file];
    if (!file->first || s->line < file->first) file->first = s->line;
    if (s->line > file->last) file->last = s->line;
    json_array_append_new(i, json_integer(s->file));
    json_array_append_new(i, json_integer(s->line));
    return i;
}

static json_t *block_json(struct coding *k, uint32_t number) {
    const struct cfg_block *b = &k->c->blocks[number];
    json_t *to = json_array(), *back = json_array(), *code = json_array();
    for (uint32_t i = 0; i < b->nsucc; i++) {
        const uint32_t next = k->c->edges[b->succ + i];
        if (!k->shown[next]) continue;
        json_array_append_new(to, json_integer(next));
        if (k->c->blocks[next].priority <= b->priority) json_array_append_new(back, json_integer(next));
    }
    for (uint32_t pc = b->first; pc < b->end; pc++) json_array_append_new(code, insn_json(k, pc));
    const char *name = k->c->funcs[b->func].block == number ? k->m->funcs.v[b->func].name : NULL;
    json_t *o = json_pack("{s:I, s:I, s:o, s:o, s:o}", "block", (json_int_t)number, "first",
                          (json_int_t)b->first, "to", to, "back", back, "code", code);
    struct sb readable = {0};
    if (name) {
        demangle_name(name, &readable);
        json_object_set_new(o, "function", explain_string(readable.text, readable.len));
    }
    sb_free(&readable);
    return o;
}

/* ---- source ---- */

/* As the PTX names it, or beside the program. */
static bool read_source(const struct explain_page *p, const char *file, struct sb *text) {
    const char *slash = strrchr(file, '/'), *folder = p->file ? strrchr(p->file, '/') : NULL;
    struct err e = {0};
    struct sb beside = {0};
    bool fine = file_read(file, text, &e);
    if (!fine && p->file) {
        if (folder) sb_addn(&beside, p->file, (size_t)(folder - p->file) + 1);
        sb_add(&beside, "%s", slash ? slash + 1 : file);
        fine = file_read(beside.text, text, &e);
    }
    err_free(&e);
    sb_free(&beside);
    return fine;
}

static void put_lines(json_t *o, const struct source *s, const char *text) {
    const uint32_t first = s->first > CONTEXT ? s->first - CONTEXT : 1,
                   last = s->last - first > MOST_LINES ? first + MOST_LINES : s->last + CONTEXT;
    json_t *lines = json_array();
    for (uint32_t line = 1; *text && line <= last; line++) {
        const size_t n = strcspn(text, "\n"), shown = n && text[n - 1] == '\r' ? n - 1 : n;
        if (line >= first) json_array_append_new(lines, explain_string(text, shown));
        text += n + (text[n] == '\n');
    }
    json_object_set_new(o, "first", json_integer(first));
    json_object_set_new(o, "lines", lines);
}

/* By number of the file: its name, and the lines if it can be read; null where no instruction is of it. */
static json_t *sources_json(const struct coding *k) {
    json_t *all = json_array();
    for (size_t f = 0; f < k->m->files.n; f++) {
        struct sb text = {0};
        const char *name = k->m->files.v[f];
        if (!k->source[f].first) {
            json_array_append_new(all, json_null());
            continue;
        }
        json_t *o = json_pack("{s:o}", "name", explain_string(name, strlen(name)));
        if (read_source(k->page, name, &text)) put_lines(o, &k->source[f], text.text ? text.text : "");
        json_array_append_new(all, o);
        sb_free(&text);
    }
    return all;
}

void explain_page_code(struct explain_page *p, const struct ir_module *m, const struct cfg *c) {
    struct coding k = {.page = p, .m = m, .c = c};
    json_t *blocks = json_array();
    k.shown = xcalloc(c->nblocks + 1, sizeof *k.shown);
    k.source = xcalloc(m->files.n + 1, sizeof *k.source);
    if (choose_whole(&k) > MOST_BLOCKS) choose_seen(&k);
    for (uint32_t b = 0; b < c->nblocks; b++)
        if (k.shown[b]) json_array_append_new(blocks, block_json(&k, b));
    json_decref(p->code);
    p->code = json_pack("{s:o, s:o}", "blocks", blocks, "files", sources_json(&k));
    xfree(k.shown);
    xfree(k.source);
}
