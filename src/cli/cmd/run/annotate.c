/* The source of a run with what each line costs in the margin: its share of all lane slots, what it suffers and what it
 * causes, with calls where a line makes one. The files that the PTX names with .loc are shown, those that can be read; the
 * PTX text where none can. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd/run/run.h"
#include "sim/file.h"
#include "sim/sim.h"

enum { CONTEXT = 8, MARGIN = 25 }; /* lines shown around one with figures; columns before the bar */
static const char margin_head[] = "  slots  suffers   causes |";

static void run_annotate_share(struct sb *out, uint64_t v, uint64_t all, int width) {
    if (v && all)
        sb_add(out, "%*.1f %%", width - 2, 100.0 * (double)v / (double)all);
    else
        sb_add(out, "%*s", width, "");
}

static void margin(const struct profile_cost *c, uint64_t all, struct sb *out) {
    const struct profile_cost none = {0};
    if (!c) c = &none;
    run_annotate_share(out, profile_slots(c), all, 7);
    run_annotate_share(out, profile_suffers(c), all, 9);
    run_annotate_share(out, profile_causes(c), all, 9);
    sb_add(out, " |");
}

/* The row of a line of the file; of the PTX text, file is NULL. */
static const struct profile_row *row_at(const struct profile_rows *rows, const char *file, uint32_t line) {
    for (size_t k = 0; k < rows->n; k++) {
        const struct profile_row *r = &rows->v[k];
        if (file ? r->source_line == line && !strcmp(r->file, file) : r->line == line) return r;
    }
    return NULL;
}

struct page {
    const char *name, *file; /* file NULL: the PTX text */
    const char *text;
    const struct profile_rows *rows;
    uint64_t all; /* lane slots */
};

static void print_line(const struct page *p, uint32_t line, const char *text, struct sb *out) {
    const struct profile_row *row = row_at(p->rows, p->file, line);
    const size_t n = strcspn(text, "\r\n");
    margin(row ? &row->calls : NULL, p->all, out);
    sb_add(out, " %4" PRIu32, line);
    if (n) sb_add(out, "  ");
    sb_addn(out, text, n);
    sb_add(out, "\n");
}

/* Whether a line with figures is within so many lines. */
static bool is_near(const struct page *p, uint32_t line) {
    for (uint32_t k = line > CONTEXT ? line - CONTEXT : 1; k <= line + CONTEXT; k++)
        if (row_at(p->rows, p->file, k)) return true;
    return false;
}

/* Code that the compiler moved or made has a file and no line. */
static void print_lineless(const struct page *p, struct sb *out) {
    const struct profile_row *row = p->file ? row_at(p->rows, p->file, 0) : NULL;
    if (!row) return;
    margin(&row->calls, p->all, out);
    sb_add(out, "       (without a line: PTX line %" PRIu32 " and others)\n", row->line);
}

static void print_page(const struct run *r, const struct page *p, struct sb *out) {
    const char *text = p->text;
    bool gap = false;
    sb_add(out, "\n%s%s%s\n%s\n", term_on(&r->cli->term, TERM_BOLD), p->name,
           term_on(&r->cli->term, TERM_PLAIN), margin_head);
    print_lineless(p, out);
    for (uint32_t line = 1; *text; line++) {
        const bool shown = is_near(p, line);
        if (shown)
            print_line(p, line, text, out);
        else if (!gap)
            sb_add(out, "%*s |  ...\n", MARGIN, "");
        gap = !shown;
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
}

/* Each file that rows name, once; how many could be shown. */
static size_t print_sources(const struct run *r, const struct profile *p, struct sb *out) {
    size_t shown = 0;
    for (size_t k = 0; k < p->source.n; k++) {
        const char *file = p->source.v[k].file;
        bool first = true;
        for (size_t i = 0; i < k; i++) first &= strcmp(p->source.v[i].file, file) != 0;
        if (!first) continue;
        struct sb text = {0};
        struct err e = {0};
        if (file_read(file, &text, &e)) {
            print_page(r, &(struct page){file, file, text.text ? text.text : "", &p->source, p->slots}, out);
            shown++;
        } else {
            sb_add(out, "\n%s: cannot be read; its lines are left out\n", file);
        }
        err_free(&e);
        sb_free(&text);
    }
    return shown;
}

void run_annotate(const struct run *r, struct sb *out) {
    struct profile p = {0};
    sim_profile(r->mod, &p);
    if (!print_sources(r, &p, out)) {
        const char *text = sim_module_ir(r->mod)->text;
        print_page(r, &(struct page){"PTX", NULL, text ? text : "", &p.ptx, p.slots}, out);
    }
    profile_free(&p);
}
