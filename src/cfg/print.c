/* A function as text and as a Graphviz graph, for `heddle inspect`. */
#include "ir/print.h"

#include <string.h>

#include "cfg/cfg.h"

static void print_params(struct sb *out, const char *what, const struct ir_param *params, uint32_t n) {
    for (uint32_t k = 0; k < n; k++) {
        const struct ir_param *p = &params[k];
        sb_add(out, "  %s %u: %s ", what, k, p->name ? p->name : "_");
        if (p->type == IR_T_NONE)
            sb_add(out, "%u bytes", p->bytes);
        else
            sb_add(out, "%s%s", ir_type_name[p->type], p->pointer ? " pointer" : "");
        sb_add(out, " at %u\n", p->offset);
    }
}

static void print_header(struct sb *out, const struct ir_func *fn, const struct cfg_func *f) {
    sb_add(out, "%s %s%s%s\n", fn->kernel ? "kernel" : "function", fn->name,
           fn->defined ? "" : " (declared only)", fn->recursive ? " (recursive)" : "");
    print_params(out, "returns", fn->rets, fn->nrets);
    print_params(out, "param", fn->params, fn->nparams);
    sb_add(out, "  registers: %u (%u live at once; with calls %u): %u x 32, %u x 64, %u predicates\n",
           fn->regs, f->max_live, fn->total_regs, fn->nrow[IR_FILE_32], fn->nrow[IR_FILE_64],
           fn->nrow[IR_FILE_P]);
    if (fn->kernel) sb_add(out, "  shared: %u bytes\n", fn->shared_bytes);
    sb_add(out, "  local: %u bytes\n", fn->frame_bytes);
    sb_add(out, "  blocks: %u, loops: %u, instructions: %u\n", f->nblocks, f->nloops, fn->end - fn->entry);
    sb_add(out, "  control flow: %s%s%s\n", cfg_structure_name(f->structure), *f->why_text ? ": " : "",
           f->why_text);
}

static void print_loops(struct sb *out, const struct cfg *c, const struct cfg_func *f) {
    for (uint32_t k = 0; k < f->nloops; k++) {
        const struct cfg_loop *l = &c->loops[f->loop + k];
        sb_add(out, "  loop at B%u: depth %u, %u blocks, %u exits%s%s\n", l->header, l->depth, l->nblocks,
               l->nexits, l->breaks ? ", breaks" : "", l->infinite ? ", endless" : "");
    }
}

static void cfg_print_list(struct sb *out, const char *title, const uint32_t *block, uint32_t n) {
    sb_add(out, "%s", title);
    for (uint32_t k = 0; k < n; k++) sb_add(out, " B%u", block[k]);
    if (!n) sb_add(out, " -");
}

static void print_block_head(struct sb *out, const struct cfg *c, uint32_t b) {
    const struct cfg_block *x = &c->blocks[b];
    sb_add(out, "B%u:", b);
    cfg_print_list(out, " preds", c->edges + x->pred, x->npred);
    cfg_print_list(out, "; succs", c->edges + x->succ, x->nsucc);
    if (!x->reachable) {
        sb_add(out, "; unreachable\n");
        return;
    }
    if (x->ipdom == CFG_NONE)
        sb_add(out, "; ipdom end");
    else
        sb_add(out, "; ipdom B%u", x->ipdom);
    if (x->loop != CFG_NONE) sb_add(out, "; loop B%u", c->loops[x->loop].header);
    sb_add(out, "; priority %u\n", x->priority);
}

void cfg_print(struct sb *out, const struct ir_module *m, const struct cfg *c, uint32_t func) {
    const struct cfg_func *f = &c->funcs[func];
    struct ir_names names;
    ir_names_init(&names, m);
    print_header(out, &m->funcs.v[func], f);
    print_loops(out, c, f);
    for (uint32_t b = f->block; b < f->block + f->nblocks; b++) {
        print_block_head(out, c, b);
        for (uint32_t pc = c->blocks[b].first; pc < c->blocks[b].end; pc++) {
            sb_add(out, "%c %5u  ", m->code.v[pc].flags & IR_F_ADDED ? '+' : ' ', pc);
            if (m->binary) sb_add(out, "%8llx:  ", (unsigned long long)m->binary->addr[pc]);
            ir_print_named(out, m, &names, pc);
            sb_add(out, "\n");
        }
    }
    ir_names_free(&names);
}

/* ---- Graphviz ---- */

/* Text inside a quoted record label: its special characters escaped. */
static void dot_escape(struct sb *out, const char *text) {
    for (; *text; text++) {
        if (strchr("\\\"{}|<>", *text)) sb_addn(out, "\\", 1);
        sb_addn(out, text, 1);
    }
}

static void dot_node(struct sb *out, const struct ir_module *m, const struct cfg *c,
                     const struct ir_names *names, uint32_t b, bool full) {
    const struct cfg_block *x = &c->blocks[b];
    sb_add(out, "  B%u [label=\"{B%u  (%u..%u)|", b, b, x->first, x->end - 1);
    for (uint32_t pc = x->first; pc < x->end; pc++) {
        const struct ir_insn *i = &m->code.v[pc];
        struct sb text = {0};
        if (!full && pc < x->end - 1 && !(i->flags & (IR_F_ADDED | IR_F_SYNC))) continue;
        ir_print_named(&text, m, names, pc);
        if (i->flags & IR_F_ADDED) sb_add(out, "+ ");
        dot_escape(out, text.text);
        sb_add(out, "\\l");
        sb_free(&text);
    }
    sb_add(out, "}\"%s];\n", x->reachable ? "" : ", style=dashed, fontcolor=gray");
}

/* An edge into a loop's header from inside the loop. */
static bool is_back_edge(const struct cfg *c, uint32_t from, uint32_t to) {
    uint32_t l = c->blocks[to].loop;
    if (l == CFG_NONE || c->loops[l].header != to) return false;
    for (uint32_t k = c->blocks[from].loop; k != CFG_NONE && k >= l; k = c->loops[k].parent)
        if (k == l) return true;
    return false;
}

static void dot_edges(struct sb *out, const struct cfg *c, uint32_t b) {
    const struct cfg_block *x = &c->blocks[b];
    for (uint32_t k = 0; k < x->nsucc; k++) {
        uint32_t to = c->edges[x->succ + k];
        sb_add(out, "  B%u -> B%u%s;\n", b, to, is_back_edge(c, b, to) ? " [style=dashed, color=blue]" : "");
    }
    if (x->nsucc > 1 && x->ipdom != CFG_NONE)
        sb_add(out, "  B%u -> B%u [style=dotted, color=gray, constraint=false];\n", b, x->ipdom);
}

/* Draws an edge from a mark to the place that it speaks of, though no thread goes this way because of it. */
static void dot_marks(struct sb *out, const struct ir_module *m, const struct cfg *c, uint32_t b) {
    for (uint32_t pc = c->blocks[b].first; pc < c->blocks[b].end; pc++) {
        const struct ir_insn *i = &m->code.v[pc];
        if (i->op != IR_MARK || i->target == IR_NOPC) continue;
        sb_add(out,
               "  B%u -> B%u [style=dotted, color=darkgreen, fontcolor=darkgreen, label=\"%s\", "
               "constraint=false];\n",
               b, m->code.v[i->target].block, ir_insn_name(i));
    }
}

void cfg_dot(struct sb *out, const struct ir_module *m, const struct cfg *c, uint32_t func, bool full) {
    const struct cfg_func *f = &c->funcs[func];
    struct ir_names names;
    ir_names_init(&names, m);
    sb_add(out, "digraph \"");
    dot_escape(out, m->funcs.v[func].name);
    sb_add(out, "\" {\n  node [shape=record, fontname=monospace, fontsize=10];\n");
    for (uint32_t b = f->block; b < f->block + f->nblocks; b++) dot_node(out, m, c, &names, b, full);
    for (uint32_t b = f->block; b < f->block + f->nblocks; b++) dot_edges(out, c, b);
    for (uint32_t b = f->block; b < f->block + f->nblocks; b++) dot_marks(out, m, c, b);
    sb_add(out, "}\n");
    ir_names_free(&names);
}
