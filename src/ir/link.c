/* Linking: what can only be known when every function is coloured.
 *
 * Rows. All functions a thread may be in at once share one register file per warp, so a function's rows start
 * where the rows of all its possible callers end: base(F) = max over callers C of base(C) + nrow(C), computed
 * over the components of the call graph from callers to callees. Functions that call each other (one
 * component) get disjoint ranges side by side; a second activation of the same function uses the same rows,
 * which is what `recursive` tells the executor, who saves them. An indirect call without a list of targets
 * may reach every function whose address is taken: one extra node of the graph stands for "any of them", so
 * that the graph stays linear in the program.
 *
 * Shared memory. A kernel lays out the variables named by the functions it can reach, in the order of the
 * module, each at its alignment; all dynamic arrays (.extern .shared) begin together at the next multiple of
 * 16 after those. */
#include <stdlib.h>

#include "ir/program.h"
#include "ir/scc.h"

enum { FILES = 3, DYNAMIC_ALIGN = 16 };
/* Kernels times variables of all layouts together: beyond this a module is not a program but an attack. */
#define MAX_LAYOUT (64u << 20)

struct linker {
    struct ir_module *m;
    uint32_t n;          /* nodes: the functions, then "any function whose address is taken" */
    VEC(uint64_t) edges; /* caller << 32 | callee, as found */
    uint32_t *first, *to;
    uint32_t *comp, ncomp;
    struct arena mem;
};

static uint32_t *ir_link_call_words(struct ir_module *m, const struct ir_insn *i) {
    CHECK(i->ext < m->ext.n && m->ext.n - i->ext > IR_CALL_NRETS);
    return m->ext.v + i->ext;
}

static bool add_call(struct linker *l, uint32_t caller, uint32_t callee, const struct ir_insn *i,
                     struct err *e) {
    CHECK(callee < l->m->funcs.n);
    const struct ir_func *f = &l->m->funcs.v[callee];
    const struct ir_place at = ir_place(l->m, i->line);
    if (!f->defined)
        return err_set(e, ERR_INPUT, "%s:%u: error: call of function %s, which is not defined", at.name,
                       at.line, f->name);
    VEC_PUSH(&l->edges, (uint64_t)caller << 32 | callee);
    return true;
}

static bool add_indirect(struct linker *l, uint32_t caller, const struct ir_insn *i, struct err *e) {
    const uint32_t *w = ir_link_call_words(l->m, i);
    if (!w[IR_CALL_FUNC]) {
        VEC_PUSH(&l->edges, (uint64_t)caller << 32 | (l->n - 1));
        return true;
    }
    const uint32_t *targets = ir_call_list(w);
    for (uint32_t t = 0; t < w[IR_CALL_FUNC]; t++)
        if (!add_call(l, caller, targets[t], i, e)) return false;
    return true;
}

static bool collect_calls(struct linker *l, struct err *e) {
    struct ir_module *m = l->m;
    for (uint32_t f = 0; f < m->funcs.n; f++) {
        const struct ir_func *fn = &m->funcs.v[f];
        if (fn->defined && fn->address_taken) VEC_PUSH(&l->edges, (uint64_t)(l->n - 1) << 32 | f);
        for (uint32_t pc = fn->entry; pc < fn->end; pc++) {
            const struct ir_insn *i = &m->code.v[pc];
            if (i->op != IR_CALL && i->op != IR_CALL_IND && i->op != IR_SYS) continue;
            uint32_t *words = ir_link_call_words(m, i);
            words[IR_CALL_FRAME] = fn->frame_bytes;
            if (i->op == IR_CALL && !add_call(l, f, words[IR_CALL_FUNC], i, e)) return false;
            if (i->op == IR_CALL_IND && !add_indirect(l, f, i, e)) return false;
        }
    }
    return true;
}

static void build_graph(struct linker *l) {
    l->first = ARENA_NEW(&l->mem, uint32_t, l->n + 2);
    l->to = ARENA_NEW(&l->mem, uint32_t, l->edges.n);
    for (size_t k = 0; k < l->edges.n; k++) l->first[(l->edges.v[k] >> 32) + 2]++;
    for (uint32_t v = 2; v < l->n + 2; v++) l->first[v] += l->first[v - 1];
    for (size_t k = 0; k < l->edges.n; k++)
        l->to[l->first[(l->edges.v[k] >> 32) + 1]++] = (uint32_t)l->edges.v[k];
    l->comp = ARENA_NEW(&l->mem, uint32_t, l->n);
    l->ncomp = ir_scc(l->n, l->first, l->to, l->comp);
}

/* Nodes ordered by component, highest (callers) first; by number within one. */
static uint32_t *by_component(struct linker *l) {
    uint32_t *start = ARENA_NEW(&l->mem, uint32_t, l->ncomp + 1), *order = ARENA_NEW(&l->mem, uint32_t, l->n);
    for (uint32_t v = 0; v < l->n; v++) start[l->ncomp - 1 - l->comp[v] + 1]++;
    for (uint32_t k = 0; k < l->ncomp; k++) start[k + 1] += start[k];
    for (uint32_t v = 0; v < l->n; v++) order[start[l->ncomp - 1 - l->comp[v]]++] = v;
    return order;
}

static void mark_recursion(struct linker *l, const uint32_t *order) {
    for (uint32_t k = 0; k < l->n; k++) {
        uint32_t v = order[k];
        if (v == l->n - 1) continue;
        bool cycle = (k && l->comp[order[k - 1]] == l->comp[v]) ||
                     (k + 1 < l->n && l->comp[order[k + 1]] == l->comp[v]);
        for (uint32_t t = l->first[v]; !cycle && t < l->first[v + 1]; t++) cycle = l->to[t] == v;
        l->m->funcs.v[v].recursive = cycle;
    }
}

/* Where the rows of each component begin and end; members take theirs one after another. */
struct extent {
    uint64_t begin[FILES], end[FILES];
};

static bool place_rows(struct linker *l, const uint32_t *order, struct err *e) {
    struct extent *x = ARENA_NEW(&l->mem, struct extent, l->ncomp);
    for (uint32_t lo = 0, hi; lo < l->n; lo = hi) {
        struct extent *own = &x[l->comp[order[lo]]];
        for (int f = 0; f < FILES; f++) own->end[f] = own->begin[f];
        for (hi = lo; hi < l->n && l->comp[order[hi]] == l->comp[order[lo]]; hi++) {
            if (order[hi] == l->n - 1) continue;
            struct ir_func *fn = &l->m->funcs.v[order[hi]];
            for (int f = 0; f < FILES; f++) {
                if (own->end[f] + fn->nrow[f] > (f == IR_FILE_P ? IR_GUARD_INDEX : IR_O_INDEX))
                    return err_set(e, ERR_INPUT, "%s:%u: error: calls that reach %s need too many registers",
                                   l->m->name, fn->line, fn->name);
                fn->base[f] = (uint32_t)own->end[f];
                own->end[f] += fn->nrow[f];
            }
        }
        for (uint32_t k = lo; k < hi; k++)
            for (uint32_t t = l->first[order[k]]; t < l->first[order[k] + 1]; t++)
                for (int f = 0; f < FILES; f++) {
                    struct extent *callee = &x[l->comp[l->to[t]]];
                    if (callee != own && callee->begin[f] < own->end[f]) callee->begin[f] = own->end[f];
                }
    }
    return true;
}

static uint64_t at_most(uint64_t v, uint64_t limit) {
    return v < limit ? v : limit;
}

/* Over everything a function reaches: the last row, and the registers of the deepest chain of calls. A
 * component counts every member once: its chain may pass through all of them. */
static void total_up(struct linker *l, const uint32_t *order) {
    /* end: highest row; begin: registers, compiled ones. */
    struct extent *x = ARENA_NEW(&l->mem, struct extent, l->ncomp);
    for (uint32_t hi = l->n, lo; hi > 0; hi = lo) {
        struct extent *own = &x[l->comp[order[hi - 1]]];
        uint64_t members[2] = {0}, deepest[2] = {0};
        for (lo = hi; lo > 0 && l->comp[order[lo - 1]] == l->comp[order[hi - 1]]; lo--) {
            uint32_t v = order[lo - 1];
            const struct ir_func *fn = v < l->n - 1 ? &l->m->funcs.v[v] : NULL;
            for (int f = 0; fn && f < FILES; f++)
                if (own->end[f] < fn->base[f] + fn->nrow[f]) own->end[f] = fn->base[f] + fn->nrow[f];
            if (fn) members[0] += fn->regs;
            if (fn) members[1] += fn->compiled_regs;
            for (uint32_t t = l->first[v]; t < l->first[v + 1]; t++) {
                const struct extent *callee = &x[l->comp[l->to[t]]];
                if (callee == own) continue;
                for (int k = 0; k < 2; k++)
                    if (callee->begin[k] > deepest[k]) deepest[k] = callee->begin[k];
                for (int f = 0; f < FILES; f++)
                    if (own->end[f] < callee->end[f]) own->end[f] = callee->end[f];
            }
        }
        for (int k = 0; k < 2; k++) own->begin[k] = members[k] + deepest[k];
        for (uint32_t k = lo; k < hi; k++) {
            if (order[k] == l->n - 1) continue;
            struct ir_func *fn = &l->m->funcs.v[order[k]];
            for (int f = 0; f < FILES; f++) fn->total_rows[f] = (uint32_t)own->end[f] + (f == IR_FILE_P);
            fn->total_regs = (uint32_t)at_most(own->begin[0], UINT32_MAX);
            fn->total_compiled = (uint32_t)at_most(own->begin[1], UINT32_MAX);
            if (l->m->replays_only && fn->maxnreg) fn->total_regs = fn->total_compiled = fn->maxnreg;
        }
    }
}

/* Machine code: all functions have the same rows, and registers as many as the one that needs most of those it reaches. */
static void share_rows(struct linker *l, const uint32_t *order) {
    uint32_t *most = ARENA_NEW(&l->mem, uint32_t, l->ncomp);
    for (uint32_t k = l->n; k-- > 0;) {
        const uint32_t v = order[k];
        uint32_t *own = &most[l->comp[v]];
        if (v < l->n - 1 && l->m->funcs.v[v].regs > *own) *own = l->m->funcs.v[v].regs;
        for (uint32_t t = l->first[v]; t < l->first[v + 1]; t++)
            if (most[l->comp[l->to[t]]] > *own) *own = most[l->comp[l->to[t]]];
    }
    for (uint32_t f = 0; f < l->n - 1; f++) {
        struct ir_func *fn = &l->m->funcs.v[f];
        for (int k = 0; k < FILES; k++) fn->total_rows[k] = fn->nrow[k] + (k == IR_FILE_P);
        fn->total_regs = fn->total_compiled = most[l->comp[f]];
    }
}

/* Unsupported is what has an unsupported instruction or may call something unsupported: callees come first. */
static void mark_unsupported(struct linker *l, const uint32_t *order) {
    bool *bad = ARENA_NEW(&l->mem, bool, l->ncomp);
    for (uint32_t k = l->n; k-- > 0;) {
        uint32_t v = order[k];
        bool *own = &bad[l->comp[v]];
        if (v < l->n - 1 && l->m->funcs.v[v].nrefused) *own = true;
        for (uint32_t t = l->first[v]; t < l->first[v + 1]; t++) *own |= bad[l->comp[l->to[t]]];
    }
    for (uint32_t f = 0; f < l->n - 1; f++) l->m->funcs.v[f].unsupported = bad[l->comp[f]];
}

static ir_opnd rebase(ir_opnd o, const uint32_t *base) {
    enum ir_file f = ir_file(o);
    if (ir_is_const(o) || f == IR_FILE_NONE || (f == IR_FILE_P && !ir_index(o))) return o;
    return o + base[f];
}

static void rebase_code(struct ir_module *m, const struct ir_func *fn, const uint32_t *base) {
    for (uint32_t pc = fn->entry; pc < fn->end; pc++) {
        struct ir_insn *i = &m->code.v[pc];
        for (int k = 0; k < i->nd + i->ns; k++) i->o[k] = rebase(i->o[k], base);
        if (i->guard & IR_GUARD_INDEX) i->guard = (uint16_t)(i->guard + base[IR_FILE_P]);
        uint32_t n, *more = ir_more(m, i, &n);
        for (uint32_t k = 0; k < n; k++) more[k] = rebase(more[k], base);
    }
}

void ir_unlink(struct ir_module *m) {
    for (size_t f = 0; f < m->funcs.n; f++) {
        struct ir_func *fn = &m->funcs.v[f];
        uint32_t back[FILES];
        for (int k = 0; k < FILES; k++) back[k] = 0u - fn->base[k];
        rebase_code(m, fn, back);
        for (int k = 0; k < FILES; k++) fn->base[k] = 0;
    }
}

/* ---- shared memory ---- */

struct layout {
    struct linker *l;
    uint32_t *seen; /* stamp of the kernel that last reached the node */
    uint32_t *stack;
    uint32_t *used; /* stamp per variable */
    uint32_t *none; /* the layout of every kernel without shared memory */
    uint64_t words; /* words of all layouts so far */
};

/* Stamps the variables of all functions the kernel reaches; false when there are none. */
static bool find_used(struct layout *y, uint32_t kernel, uint32_t stamp) {
    struct linker *l = y->l;
    uint32_t n = 0;
    bool any = false;
    y->seen[kernel] = stamp;
    y->stack[n++] = kernel;
    while (n) {
        uint32_t v = y->stack[--n];
        const struct ir_func *fn = v < l->n - 1 ? &l->m->funcs.v[v] : NULL;
        for (uint32_t k = 0; fn && k < fn->nshared_used; k++) {
            y->used[fn->shared_used[k]] = stamp;
            any = true;
        }
        for (uint32_t t = l->first[v]; t < l->first[v + 1]; t++) {
            uint32_t w = l->to[t];
            if (y->seen[w] == stamp) continue;
            y->seen[w] = stamp;
            y->stack[n++] = w;
        }
    }
    return any;
}

static uint64_t ir_link_round_up(uint64_t v, uint64_t to) {
    return to > 1 ? (v + to - 1) / to * to : v;
}

static bool ir_link_too_large(struct linker *l, const struct ir_func *fn, struct err *e) {
    return err_set(e, ERR_INPUT,
                   "%s:%u: error: kernel %s declares more shared memory than an address can reach",
                   l->m->name, fn->line, fn->name);
}

static bool place_shared(struct layout *y, struct ir_func *fn, uint32_t stamp, struct err *e) {
    const struct ir_module *m = y->l->m;
    uint64_t at = 0, dynamic_align = 0;
    for (uint32_t v = 0; v < m->vars.n; v++) {
        const struct ir_var *var = &m->vars.v[v];
        if (y->used[v] != stamp || var->space != IR_SP_SHARED) continue;
        if (var->dynamic) {
            dynamic_align = var->align > dynamic_align ? var->align : dynamic_align;
            continue;
        }
        at = ir_link_round_up(at, var->align);
        fn->shared_offset[v] = (uint32_t)at;
        if (var->bytes > INT32_MAX - at) return ir_link_too_large(y->l, fn, e);
        at += var->bytes;
    }
    if (dynamic_align)
        at = ir_link_round_up(at, dynamic_align > DYNAMIC_ALIGN ? dynamic_align : DYNAMIC_ALIGN);
    if (at > INT32_MAX) return ir_link_too_large(y->l, fn, e);
    for (uint32_t v = 0; dynamic_align && v < m->vars.n; v++)
        if (y->used[v] == stamp && m->vars.v[v].dynamic) fn->shared_offset[v] = (uint32_t)at;
    fn->shared_bytes = (uint32_t)at;
    return true;
}

static uint32_t *empty_layout(struct linker *l) {
    uint32_t *o = ARENA_NEW(&l->m->mem, uint32_t, l->m->vars.n);
    for (size_t v = 0; v < l->m->vars.n; v++) o[v] = IR_NOPC;
    return o;
}

static bool lay_out_shared(struct linker *l, struct err *e) {
    struct layout y = {.l = l, .none = empty_layout(l)};
    y.seen = ARENA_NEW(&l->mem, uint32_t, l->n);
    y.stack = ARENA_NEW(&l->mem, uint32_t, l->n);
    y.used = ARENA_NEW(&l->mem, uint32_t, l->m->vars.n);
    for (uint32_t f = 0; f < l->m->funcs.n; f++) {
        struct ir_func *fn = &l->m->funcs.v[f];
        fn->shared_offset = y.none;
        if (!fn->kernel || !find_used(&y, f, f + 1)) continue;
        y.words += l->m->vars.n;
        if (y.words > MAX_LAYOUT)
            return err_set(e, ERR_INPUT, "%s: error: too many kernels with too many shared variables",
                           l->m->name);
        fn->shared_offset = empty_layout(l);
        if (!place_shared(&y, fn, f + 1, e)) return false;
    }
    return true;
}

/* Bodies never overlap, so a mark per first instruction sorts them. */
static void sort_by_entry(struct linker *l) {
    struct ir_module *m = l->m;
    uint32_t *at = ARENA_NEW(&l->mem, uint32_t, m->code.n + 1);
    m->by_entry = ARENA_NEW(&m->mem, uint32_t, m->funcs.n);
    m->nby_entry = 0;
    for (uint32_t f = 0; f < m->funcs.n; f++)
        if (m->funcs.v[f].entry < m->funcs.v[f].end) at[m->funcs.v[f].entry] = f + 1;
    for (size_t pc = 0; pc < m->code.n; pc++)
        if (at[pc]) m->by_entry[m->nby_entry++] = at[pc] - 1;
}

static bool link_all(struct linker *l, struct err *e) {
    sort_by_entry(l);
    if (!collect_calls(l, e)) return false;
    build_graph(l);
    const uint32_t *order = by_component(l);
    mark_unsupported(l, order);
    if (l->m->binary) {
        share_rows(l, order);
        return lay_out_shared(l, e);
    }
    mark_recursion(l, order);
    if (!place_rows(l, order, e)) return false;
    total_up(l, order);
    for (uint32_t f = 0; f < l->m->funcs.n; f++) rebase_code(l->m, &l->m->funcs.v[f], l->m->funcs.v[f].base);
    return lay_out_shared(l, e);
}

bool ir_link(struct ir_module *m, struct err *e) {
    struct linker l = {.m = m, .n = (uint32_t)m->funcs.n + 1};
    bool ok = link_all(&l, e);
    VEC_FREE(&l.edges);
    arena_free(&l.mem);
    return ok;
}
