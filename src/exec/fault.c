/* Faults in words: what happened, to which thread, where in the PTX and in the source, through which calls,
 * and what memory is near. */
#include <inttypes.h>

#include "exec/impl.h"

void exec_fault(struct exec_warp *w, const struct ir_insn *i, uint32_t lane, enum exec_fault_kind kind) {
    w->x.out->flow = EXEC_FAULT;
    w->x.out->fault = (struct exec_fault){.kind = kind, .lane = lane, .pc = insn_pc(w, i)};
}

void exec_note(struct exec_warp *w, const struct ir_insn *i, uint32_t lane, enum exec_fault_kind kind,
               const char *fmt, ...) {
    struct sb *note = &w->block->grid->note;
    va_list ap;
    exec_fault(w, i, lane, kind);
    note->len = 0;
    va_start(ap, fmt);
    sb_addv(note, fmt, ap);
    va_end(ap);
}

/* Line n of the PTX text without its margins; false when there is none. */
static bool text_line(const struct ir_module *m, uint32_t n, const char **at, size_t *len) {
    const char *p = m->text, *end = m->text + m->text_len;
    if (!p || !n) return false;
    while (--n) {
        p = memchr(p, '\n', (size_t)(end - p));
        if (!p) return false;
        p++;
    }
    const char *stop = memchr(p, '\n', (size_t)(end - p));
    if (!stop) stop = end;
    while (p < stop && (*p == ' ' || *p == '\t')) p++;
    while (stop > p && (stop[-1] == ' ' || stop[-1] == '\t' || stop[-1] == '\r')) stop--;
    *at = p;
    *len = (size_t)(stop - p);
    return *len > 0;
}

void exec_pc_text(const struct ir_module *m, uint32_t pc, struct sb *out) {
    const struct ir_insn *i = &m->code.v[pc];
    const char *text;
    size_t len;
    if (text_line(m, i->line, &text, &len))
        sb_add(out, "%.*s", (int)(len < 200 ? len : 200), text);
    else
        sb_add(out, "%s", ir_ops[i->op].name);
}

/* Line 0 and NULL: the PTX does not say. */
static const char *source_of(const struct ir_module *m, uint32_t pc, uint32_t *line) {
    *line = pc < m->src.n ? m->src.v[pc].line : 0;
    if (!*line) return NULL;
    const uint32_t file = m->src.v[pc].file;
    return file < m->files.n && m->files.v[file] ? m->files.v[file] : "source";
}

void exec_describe_pc(const struct ir_module *m, uint32_t pc, struct sb *out) {
    uint32_t line;
    const char *source = source_of(m, pc, &line);
    const struct ir_place at = ir_place(m, m->code.v[pc].line);
    sb_add(out, "%s:%" PRIu32 ": ", at.name ? at.name : "module", at.line);
    exec_pc_text(m, pc, out);
    if (source) sb_add(out, " [%s:%" PRIu32 "]", source, line);
}

static const char *space_name(const struct exec_fault *f) {
    return f->space == IR_SP_FRAME ? "local" : ir_space_name[f->space];
}

static void add_access(const struct exec_grid *g, const struct exec_fault *f, struct sb *out) {
    static const char *const what[] = {[EXEC_F_BOUNDS] = "out-of-bounds",
                                       [EXEC_F_NULL] = "null-pointer",
                                       [EXEC_F_ALIGN] = "misaligned",
                                       [EXEC_F_READONLY] = "forbidden"};
    const struct ir_insn *i = &g->module->code.v[f->pc];
    const char *verb = ir_ops[i->op].cls == IR_C_ATOM ? "atomic on" : f->store ? "store to" : "load from";
    sb_add(out, "%s %" PRIu32 "-byte %s %s memory at 0x%" PRIx64, what[f->kind], f->bytes, verb,
           space_name(f), f->addr);
}

/* Stacks of machine code grow down to where their window begins: below it is the end of that of shared memory. */
static bool stack_is_full(const struct exec_grid *g, uint64_t shared) {
    enum { REACH = 64 * 1024 }; /* of a function's variables */
    return g->module->binary && shared >= EXEC_MAX_SHARED - REACH;
}

static void add_neighbourhood(const struct exec_warp *w, const struct exec_fault *f, struct sb *out) {
    const struct exec_grid *g = w->block->grid;
    uint64_t size = 0, addr = f->addr;
    switch (exec_decode(f->space, &addr)) {
    case IR_SP_SHARED:
        size = g->shared_bytes;
        if (!stack_is_full(g, addr)) break;
        sb_add(out, "\n  the thread's stack of %" PRIu32 " bytes is full", g->func->frame_bytes);
        return;
    case IR_SP_CONST: size = g->image->bank_bytes; break;
    case IR_SP_PARAM: size = g->func->param_bytes; break;
    case IR_SP_LOCAL:
    case IR_SP_FRAME: size = w->sp[f->lane]; break;
    default:
        if (f->kind == EXEC_F_NULL) return;
        sb_add(out, "\n  ");
        exec_mem_describe(g->mem, f->addr, out);
        return;
    }
    if (f->kind == EXEC_F_BOUNDS)
        sb_add(out, "\n  %s memory has %" PRIu64 " bytes here", space_name(f), size);
}

/* Innermost first; a deep recursion shows both ends. */
static void add_calls(const struct exec_warp *w, uint32_t lane, struct sb *out) {
    const struct ir_module *m = w->block->grid->module;
    const uint32_t depth = w->depth[lane], shown = 8;
    for (uint32_t k = depth; k-- > 0;) {
        const struct exec_frame *f = &w->stack[lane].frame[k];
        if (depth > 2 * shown && k == depth - shown - 1) {
            sb_add(out, "\n  ... %" PRIu32 " more calls ...", depth - 2 * shown);
            k = shown;
            continue;
        }
        sb_add(out, "\n  in %s, called at ", m->funcs.v[f->func].name);
        exec_describe_pc(m, f->ret - 1, out);
    }
}

static bool is_access(const struct exec_fault *f) {
    return f->kind >= EXEC_F_BOUNDS && f->kind <= EXEC_F_READONLY;
}

void exec_failed(const struct exec_grid *g, enum exec_fault_kind kind, const struct exec_warp *w,
                 uint32_t lane, uint32_t pc) {
    struct exec_failure *to = g->failure;
    if (!to || kind == EXEC_F_MEMORY || kind == EXEC_F_TAPE) return;
    *to = (struct exec_failure){.kind = kind, .thread_known = w};
    if (!w) return;
    const struct ir_module *m = g->module;
    memcpy(to->block, w->block->ctaid, sizeof to->block);
    for (int d = 0; d < 3; d++) to->thread[d] = w->tid[d][lane];
    const struct ir_place at = ir_place(m, m->code.v[pc].line);
    to->file = at.name;
    to->line = at.line;
    to->source = source_of(m, pc, &to->source_line);
}

static void access_failed(const struct exec_grid *g, const struct exec_fault *f) {
    struct exec_failure *to = g->failure;
    if (!to) return;
    to->space = space_name(f);
    to->addr = f->addr;
    to->bytes = f->bytes;
    to->store = f->store;
}

bool exec_fault_error(const struct exec_warp *w, struct err *e) {
    const struct exec_block *b = w->block;
    const struct exec_grid *g = b->grid;
    const struct exec_fault *f = &g->out.fault;
    struct sb text = {0};
    const bool access = is_access(f);
    exec_failed(g, f->kind, w, f->lane, f->pc);
    if (access) access_failed(g, f);
    if (access)
        add_access(g, f, &text);
    else
        sb_add(&text, "%s", g->note.text);
    sb_add(&text,
           "\n  kernel %s, block (%" PRIu32 ",%" PRIu32 ",%" PRIu32 "), thread (%" PRIu32 ",%" PRIu32
           ",%" PRIu32 ")\n  at ",
           g->func->name, b->ctaid[0], b->ctaid[1], b->ctaid[2], w->tid[0][f->lane], w->tid[1][f->lane],
           w->tid[2][f->lane]);
    exec_describe_pc(g->module, f->pc, &text);
    add_calls(w, f->lane, &text);
    if (access) add_neighbourhood(w, f, &text);
    err_set(e,
            f->kind == EXEC_F_MEMORY ? ERR_MEMORY
            : f->kind == EXEC_F_TAPE ? ERR_INPUT
                                     : ERR_FAULT,
            "%s", text.text);
    sb_free(&text);
    return false;
}

bool exec_limit_error(const struct exec_warp *w, uint32_t pc, struct err *e) {
    const struct exec_block *b = w->block;
    const struct exec_grid *g = b->grid;
    const uint64_t most = g->launch->max_insts;
    const uint64_t insts = g->insts + (most - g->most); /* an SM's grid has but its own and what is left */
    struct sb where = {0};
    exec_describe_pc(g->module, pc, &where);
    err_set(e, ERR_LIMIT,
            "stopped after %" PRIu64 " thread instructions (the limit is %" PRIu64
            ") in kernel %s, block (%" PRIu32 ",%" PRIu32 ",%" PRIu32 "), warp %" PRIu32 "\n  at %s",
            insts, most, g->func->name, b->ctaid[0], b->ctaid[1], b->ctaid[2], w->index, where.text);
    sb_free(&where);
    return false;
}
