/* Calls the simulator serves: vprintf, malloc, free, __assertfail. Their arguments lie in the caller's frame
 * where the call's words say; everything they point to is checked like any other access. Lanes are served in
 * lane order. */
#include <inttypes.h>
#include <stdio.h>

#include "exec/impl.h"

enum { LONGEST_STRING = 1 << 20 };

struct sys_call {
    struct exec_warp *w;
    const struct ir_insn *i;
    const uint32_t *words;
    uint32_t lane;
};

/* The k-th argument, at most 8 bytes of it. */
static uint64_t arg(const struct sys_call *c, uint32_t k) {
    const uint32_t *t = c->words + IR_CALL_COPIES + 3 * (size_t)k;
    uint64_t v = 0, addr = (uint64_t)c->w->frame[c->lane] + t[0];
    uint32_t bytes = t[2] < 8 ? t[2] : 8;
    if (bytes && addr + bytes <= c->w->sp[c->lane])
        memcpy(&v, c->w->local + (size_t)c->lane * c->w->local_stride + addr, bytes);
    return v;
}

static void sys_give(const struct sys_call *c, uint64_t v) {
    if (!c->words[IR_CALL_NRETS]) return;
    const uint32_t *t = c->words + IR_CALL_COPIES + 3 * (size_t)c->words[IR_CALL_NARGS];
    uint64_t addr = (uint64_t)c->w->frame[c->lane] + t[1];
    uint32_t bytes = t[2] < 8 ? t[2] : 8;
    if (bytes && addr + bytes <= c->w->sp[c->lane])
        memcpy(c->w->local + (size_t)c->lane * c->w->local_stride + addr, &v, bytes);
}

const char *lane_string(struct exec_warp *w, uint32_t lane, uint64_t addr) {
    const uint8_t *p;
    uint64_t n = resolve_span(w, addr, lane, &p);
    if (n > LONGEST_STRING) n = LONGEST_STRING;
    return n && memchr(p, 0, (size_t)n) ? (const char *)p : NULL;
}

static void bad_string(const struct sys_call *c, uint64_t addr) {
    resolve_fault(c->w, c->i, c->lane, addr < EXEC_NULL_BYTES ? EXEC_F_NULL : EXEC_F_BOUNDS, IR_SP_GENERIC,
                  addr, 1, false);
}

static bool sys_vprintf(const struct sys_call *c) {
    const struct exec_launch *launch = c->w->block->grid->launch;
    uint64_t addr = arg(c, 0);
    const char *fmt = lane_string(c->w, c->lane, addr);
    if (!fmt) return bad_string(c, addr), false;
    struct format_args a = {.w = c->w, .lane = c->lane, .at = arg(c, 1)};
    struct sb text = {0};
    format_print(&text, fmt, &a);
    if (launch->print && text.len && !a.failed) launch->print(launch->user, text.text, text.len);
    sb_free(&text);
    if (a.failed) return bad_string(c, a.bad), false;
    sys_give(c, a.count);
    return true;
}

static bool sys_malloc(const struct sys_call *c) {
    const struct exec_grid *g = c->w->block->grid;
    const struct exec_block *b = c->w->block;
    struct exec_mem *m = g->mem;
    struct err e = {0};
    uint64_t bytes = arg(c, 0), addr = 0;
    if (bytes && m->heap_used <= g->heap_limit && bytes <= g->heap_limit - m->heap_used) {
        char label[128];
        snprintf(label, sizeof label, "device malloc of block (%u,%u,%u), thread (%u,%u,%u)", b->ctaid[0],
                 b->ctaid[1], b->ctaid[2], c->w->tid[0][c->lane], c->w->tid[1][c->lane],
                 c->w->tid[2][c->lane]);
        const struct exec_place p = {.bytes = bytes, .align = 16, .kind = EXEC_MEM_HEAP, .label = label};
        if (exec_mem_place(m, &p, &addr, &e)) {
            m->heap_used += bytes;
            if (g->races_released) shadow_forget(g->races_released, addr, bytes);
        }
    }
    if (g->module->address_bits == 32 && addr > UINT32_MAX - bytes) {
        exec_mem_release(m, addr, &e);
        addr = 0;
    }
    err_free(&e);
    sys_give(c, addr);
    return true;
}

static bool sys_free(const struct sys_call *c) {
    struct exec_mem *m = c->w->block->grid->mem;
    struct err e = {0};
    uint64_t addr = arg(c, 0);
    if (!addr) return true;
    const struct exec_alloc *a = exec_mem_starting(m, addr);
    if (a && a->kind == EXEC_MEM_HEAP) return exec_mem_release(m, addr, &e);
    struct sb where = {0};
    exec_mem_describe(m, addr, &where);
    exec_note(c->w, c->i, c->lane, EXEC_F_HEAP, "free of what malloc has not given or was freed before: %s",
              where.text);
    sb_free(&where);
    return false;
}

static const char *text_or(const struct sys_call *c, uint32_t k) {
    const char *s = k < c->words[IR_CALL_NARGS] ? lane_string(c->w, c->lane, arg(c, k)) : NULL;
    return s ? s : "?";
}

static bool sys_assertfail(const struct sys_call *c) {
    uint32_t line = c->words[IR_CALL_NARGS] > 2 ? (uint32_t)arg(c, 2) : 0;
    exec_note(c->w, c->i, c->lane, EXEC_F_ASSERT, "assertion failed: %s, at %s:%" PRIu32 " in %s",
              text_or(c, 0), text_or(c, 1), line, text_or(c, 3));
    return false;
}

static bool sys_serve(const struct sys_call *c) {
    switch (c->i->sub) {
    case IR_SYS_VPRINTF: return sys_vprintf(c);
    case IR_SYS_MALLOC: return sys_malloc(c);
    case IR_SYS_FREE: return sys_free(c);
    default: return sys_assertfail(c);
    }
}

void sys_exec(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    static const uint8_t needs[] = {
        [IR_SYS_VPRINTF] = 2, [IR_SYS_MALLOC] = 1, [IR_SYS_FREE] = 1, [IR_SYS_ASSERTFAIL] = 0};
    struct sys_call c = {x->warp, i, x->warp->block->grid->module->ext.v + i->ext, 0};
    FOR_LANES(l, mask) {
        c.lane = l;
        if (c.words[IR_CALL_NARGS] < needs[i->sub]) {
            exec_note(x->warp, i, l, EXEC_F_CALL, "call of a system function with too few arguments");
            return;
        }
        if (!sys_serve(&c)) return;
    }
}
