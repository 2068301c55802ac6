/* The program in a report: the lines of the PTX text and of the sources that the runs executed, and what links them: for
 * every instruction its line, source line and block; the graph of each function. */
#include <stdlib.h>
#include <string.h>

#include "cli/cmd/report/report.h"
#include "cli/listing.h"

/* A source up to so many bytes is shown whole; of a longer one, lines around those with code. */
enum { WHOLE = 1 << 16, CONTEXT = 12 };

uint32_t report_lines(const char *text) {
    uint32_t n = 0;
    for (; *text; n++) {
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return n;
}

/* JSON is UTF-8: of another text, what is not ASCII becomes '?'. */
static json_t *string(const char *text, size_t n) {
    json_t *s = json_stringn(text, n);
    if (s) return s;
    char *copy = xmalloc(n + 1);
    for (size_t i = 0; i < n; i++) copy[i] = (unsigned char)text[i] < 0x80 ? text[i] : '?';
    s = json_stringn(copy, n);
    free(copy);
    return s;
}

json_t *report_text(const char *text, const bool *wanted, uint32_t lines) {
    json_t *pieces = json_array();
    const char *begin = NULL;
    uint32_t first = 0;
    for (uint32_t line = 1; line <= lines + 1; line++) {
        const bool shown = line <= lines && wanted[line];
        if (shown && !begin) begin = text, first = line;
        if (!shown && begin) {
            json_array_append_new(pieces, json_pack("{s:i, s:o}", "first", (int)first, "text",
                                                    string(begin, (size_t)(text - begin))));
            begin = NULL;
        }
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return pieces;
}

/* ---- what the runs executed ---- */

static bool is_in(const json_t *names, const char *name) {
    size_t i;
    const json_t *v;
    json_array_foreach(names, i, v) if (!strcmp(json_string_value(v), name)) return true;
    return false;
}

static bool has_run(const struct report *r, const struct ir_func *f) {
    for (size_t i = 0; i < r->nruns; i++)
        if (r->runs[i].data && is_in(json_object_get(r->runs[i].data, "functions"), f->name)) return true;
    return false;
}

static const char *file_at(const struct ir_module *m, uint32_t pc) {
    const uint32_t file = pc < m->src.n ? m->src.v[pc].file : 0;
    return file && file < m->files.n ? m->files.v[file] : NULL;
}

/* ---- functions ---- */

static json_t *report_code_blocks(const struct ir_module *m, const struct cfg *c, uint32_t func) {
    const struct cfg_func *f = &c->funcs[func];
    json_t *all = json_array();
    for (uint32_t k = f->block; k < f->block + f->nblocks; k++) {
        const struct cfg_block *b = &c->blocks[k];
        json_t *to = json_array();
        if (!b->reachable) continue;
        for (uint32_t i = 0; i < b->nsucc; i++)
            json_array_append_new(to, json_integer(c->edges[b->succ + i]));
        json_array_append_new(all, json_pack("{s:i, s:i, s:i, s:i, s:o, s:i}", "block", (int)k, "first",
                                             (int)b->first, "end", (int)b->end, "line",
                                             (int)m->code.v[b->first].line, "to", to, "loop",
                                             b->loop == CFG_NONE ? 0 : (int)c->loops[b->loop].depth));
    }
    return all;
}

/* By PC from the function's first: line of the PTX, file (0: none), its line. */
static void report_code_places(const struct ir_module *m, const struct ir_func *f, json_t *out) {
    json_t *line = json_array(), *file = json_array(), *source = json_array();
    for (uint32_t pc = f->entry; pc < f->end; pc++) {
        const bool known = file_at(m, pc) != NULL;
        json_array_append_new(line, json_integer(m->code.v[pc].line));
        json_array_append_new(file, json_integer(known ? m->src.v[pc].file : 0));
        json_array_append_new(source, json_integer(known ? m->src.v[pc].line : 0));
    }
    json_object_set_new(out, "lines", line);
    json_object_set_new(out, "files", file);
    json_object_set_new(out, "sources", source);
}

static json_t *functions(const struct report *r, const struct ir_module *m, const struct cfg *c) {
    json_t *all = json_array();
    for (uint32_t k = 0; k < m->funcs.n; k++) {
        const struct ir_func *f = &m->funcs.v[k];
        if (!f->defined || !has_run(r, f)) continue;
        json_t *o = json_pack("{s:s, s:b, s:i, s:i}", "name", f->name, "kernel", f->kernel, "line",
                              (int)f->line, "entry", (int)f->entry);
        report_title(f->name, o);
        json_object_set_new(o, "structure", json_string(cfg_structure_name(c->funcs[k].structure)));
        json_object_set_new(o, "blocks", report_code_blocks(m, c, k));
        report_code_places(m, f, o);
        json_array_append_new(all, o);
    }
    return all;
}

/* ---- texts ---- */

static json_t *ptx(const struct report *r, const struct ir_module *m) {
    const char *text = m->text ? m->text : "";
    const uint32_t lines = report_lines(text);
    bool *wanted = xcalloc((size_t)lines + 2, sizeof *wanted);
    for (size_t k = 0; k < m->funcs.n; k++) {
        const struct ir_func *f = &m->funcs.v[k];
        if (!f->defined || f->entry == f->end || !has_run(r, f)) continue;
        for (uint32_t n = f->line; n <= m->code.v[f->end - 1].line + 1 && n <= lines; n++) wanted[n] = true;
    }
    json_t *pieces = report_text(text, wanted, lines);
    free(wanted);
    return pieces;
}

static void report_code_want(bool *wanted, uint32_t lines, uint32_t line) {
    for (uint32_t n = line > CONTEXT ? line - CONTEXT : 1; n <= line + CONTEXT && n <= lines; n++)
        wanted[n] = true;
}

/* null: it cannot be read. */
static json_t *source_text(const struct report *r, const struct ir_module *m, uint32_t file) {
    struct sb text = {0};
    const char *beside = r->subject.workload ? NULL : r->origin ? r->origin->file : r->subject.program.file;
    if (!listing_read(beside, m->files.v[file], &text)) return json_null();
    const char *t = text.text ? text.text : "";
    const uint32_t lines = report_lines(t);
    bool *wanted = xcalloc((size_t)lines + 2, sizeof *wanted);
    if (text.len <= WHOLE) memset(wanted, true, (size_t)lines + 1);
    for (uint32_t pc = 0; pc < m->src.n; pc++)
        if (m->src.v[pc].file == file && m->src.v[pc].line)
            report_code_want(wanted, lines, m->src.v[pc].line);
    json_t *pieces = report_text(t, wanted, lines);
    free(wanted);
    sb_free(&text);
    return pieces;
}

static bool is_used(const struct report *r, const struct ir_module *m, uint32_t file) {
    for (uint32_t pc = 0; pc < m->src.n; pc++) {
        const struct ir_func *f = m->src.v[pc].file == file ? ir_func_at(m, pc) : NULL;
        if (f && m->src.v[pc].line && has_run(r, f)) return true;
    }
    return false;
}

static json_t *files(const struct report *r, const struct ir_module *m) {
    json_t *all = json_array();
    for (uint32_t k = 1; k < m->files.n; k++)
        if (m->files.v[k] && is_used(r, m, k))
            json_array_append_new(all, json_pack("{s:i, s:s, s:o}", "file", (int)k, "name", m->files.v[k],
                                                 "text", source_text(r, m, k)));
    return all;
}

json_t *report_code(const struct report *r, const hd_module *mod) {
    const struct ir_module *m = sim_module_ir(mod);
    json_t *o = json_object();
    json_object_set_new(o, "name", json_string(m->name));
    json_object_set_new(o, "ptx", ptx(r, m));
    json_object_set_new(o, "files", files(r, m));
    json_object_set_new(o, "functions", functions(r, m, sim_module_cfg(mod)));
    return o;
}
