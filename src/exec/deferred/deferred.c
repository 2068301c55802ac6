/* The log: what is taken down when an access is issued, and how it is performed later.
 *
 * An entry holds where the bytes are, not the addresses: they were checked when the instruction was issued, and no
 * allocation goes away while a kernel runs that puts accesses off (EXEC_UNDEFERRABLE_SYSTEM). Rows that the access brings are
 * copied, rows that it fills are found in the warp when it is performed: until then no instruction may read or write
 * them. */
#include "exec/deferred/deferred.h"

#include "base/alloc.h"
#include "exec/deferred/impl.h"

enum {
    ROW_WORDS = EXEC_LANES,
    MOST_WORDS = sizeof(struct deferred_entry) / 8 + EXEC_LANES + MOVE_ROWS * ROW_WORDS
};

void exec_deferred_reset(struct exec_deferred *log) {
    log->n = log->done = 0;
    log->at = UINT64_MAX;
    log->stores = log->signed_all = false;
}

struct exec_deferred *exec_deferred_new(void) {
    struct exec_deferred *log = xcalloc(1, sizeof *log);
    exec_deferred_reset(log);
    return log;
}

void exec_deferred_free(struct exec_deferred *log) {
    if (!log) return;
    xfree(log->v);
    xfree(log);
}

bool exec_deferred_waiting(const struct exec_deferred *log) {
    return log->done < log->n;
}

bool exec_deferred_stores(const struct exec_deferred *log) {
    return log->stores;
}

/* ---- taking down ---- */

uint32_t defer_lanes(const struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    const enum ir_space space = (enum ir_space)i->space;
    if (space == IR_SP_GLOBAL) return mask;
    if (space != IR_SP_GENERIC) return 0;
    const uint64_t *addr = x->out->access.addr;
    uint32_t global = 0;
    if (x->out->access.found != IR_SP_GENERIC) return x->out->access.found == IR_SP_GLOBAL ? mask : 0;
    FOR_LANES(l, mask) {
        uint64_t a = addr[l];
        global |= (uint32_t)(exec_decode(space, &a) == IR_SP_GLOBAL) << l;
    }
    return global;
}

/* Room for an entry, its head and places filled in. */
static struct deferred_entry *deferred_append(const struct exec_ctx *x, const struct ir_insn *i,
                                              uint32_t lanes, const struct reach *r) {
    const struct exec_block *b = x->warp->block;
    struct exec_deferred *log = b->grid->deferred;
    if (log->n + MOST_WORDS > log->cap) {
        log->cap = log->cap * 2 + 8 * MOST_WORDS;
        log->v = xrealloc(log->v, log->cap * sizeof *log->v);
    }
    struct deferred_entry *e = (struct deferred_entry *)&log->v[log->n];
    *e = (struct deferred_entry){.cycle = b->grid->clock,
                                 .warp = x->warp,
                                 .insn = i,
                                 .block = b->index,
                                 .mask = lanes,
                                 .span = (uint8_t)r->span,
                                 .at = r->span == SPAN_LANES ? r->delta : (uint64_t)(uintptr_t)r->at};
    const uint32_t n = deferred_places(r->span, lanes);
    e->places = (uint8_t)n;
    if (log->done == log->n) log->at = e->cycle;
    if (n == EXEC_LANES) {
        memcpy(e->place, r->lane, EXEC_LANES * sizeof *e->place);
    } else if (n) {
        uint32_t k = 0;
        FOR_LANES(l, lanes) e->place[k++] = r->lane[l];
    }
    e->words = (uint16_t)(sizeof *e / 8 + n);
    log->signed_all = false;
    return e;
}

static void deferred_finish(const struct exec_ctx *x, const struct deferred_entry *e, bool store) {
    struct exec_deferred *log = x->warp->block->grid->deferred;
    log->n += e->words;
    log->stores |= store;
}

static void copy_rows(struct deferred_entry *e, const ir_opnd *o, uint32_t n, const void *const *rows) {
    uint64_t *to = (uint64_t *)e + e->words;
    for (uint32_t k = 0; k < n; k++) {
        if (!rows[k] || ir_is_const(o[k])) continue;
        if (ir_file(o[k]) == IR_FILE_32) {
            memcpy(to, rows[k], EXEC_LANES * sizeof(uint32_t));
            to += EXEC_LANES / 2;
        } else {
            memcpy(to, rows[k], EXEC_LANES * sizeof(uint64_t));
            to += EXEC_LANES;
        }
    }
    e->words = (uint16_t)(to - (uint64_t *)e);
}

void defer_load(const struct exec_ctx *x, const struct ir_insn *i, uint32_t lanes, const struct reach *r) {
    deferred_finish(x, deferred_append(x, i, lanes, r), false);
}

void defer_store(const struct exec_ctx *x, const struct ir_insn *i, uint32_t lanes, const struct reach *r,
                 const void *const *rows) {
    struct deferred_entry *e = deferred_append(x, i, lanes, r);
    copy_rows(e, i->o + 1, i->ns - 1u, rows);
    deferred_finish(x, e, true);
}

void defer_atom(const struct exec_ctx *x, const struct ir_insn *i, uint32_t lanes, const struct reach *r,
                const void *const *rows, bool shared, bool changed) {
    struct deferred_entry *e = deferred_append(x, i, lanes, r);
    e->shared = shared;
    e->changed = changed;
    copy_rows(e, i->o + i->nd + 1, i->ns - 1u, rows);
    deferred_finish(x, e, true);
}

/* ---- performing ---- */

static void find_places(const struct deferred_entry *e, struct reach *r) {
    r->span = (enum span)e->span;
    r->at = (uint8_t *)(uintptr_t)e->at;
    r->delta = e->at;
    r->lane = e->place;
    const uint32_t n = e->places;
    if (!n || n == EXEC_LANES) return;
    uint32_t k = 0;
    FOR_LANES(l, e->mask) r->own[l] = e->place[k++];
    r->lane = r->own;
}

static void deferred_find_rows(const struct deferred_entry *e, const ir_opnd *o, uint32_t n,
                               const void **rows) {
    const uint64_t *from = &e->place[e->places];
    for (uint32_t k = 0; k < n; k++) {
        rows[k] = NULL;
        if (ir_is_const(o[k])) {
            rows[k] = opnd_row(&e->warp->x, o[k]);
        } else if (ir_file(o[k]) == IR_FILE_32) {
            rows[k] = from;
            from += EXEC_LANES / 2;
        } else if (ir_file(o[k]) == IR_FILE_64) {
            rows[k] = from;
            from += EXEC_LANES;
        }
    }
}

static void perform_atom(const struct deferred_entry *e, const struct exec_ctx *x, const struct reach *r,
                         const void *const *rows) {
    const struct ir_insn *i = e->insn;
    const bool changed = i->op == IR_ATOM_B128 ? atom128_bytes(x, i, e->mask, r, rows)
                                               : atom_bytes(x, i, e->mask, r, rows, e->shared);
    if (x && i->nd && !changed && !e->changed) e->warp->spun = true;
}

static void perform(const struct deferred_entry *e) {
    const struct ir_insn *i = e->insn;
    const struct exec_access *access = e->warp->block->grid->image->access;
    const bool there = e->warp->block->index == e->block;
    struct reach r;
    const void *rows[MOVE_ROWS];
    find_places(e, &r);
    if (deferred_is_load(i)) {
        if (there) access->load(&e->warp->x, i, e->mask, &r);
    } else if (deferred_is_store(i)) {
        deferred_find_rows(e, i->o + 1, i->ns - 1u, rows);
        access->store(i, e->mask, &r, rows);
    } else {
        deferred_find_rows(e, i->o + i->nd + 1, i->ns - 1u, rows);
        perform_atom(e, there ? &e->warp->x : NULL, &r, rows);
    }
}

static const struct deferred_entry *deferred_next(const struct exec_deferred *log) {
    return log->done < log->n ? (const struct deferred_entry *)&log->v[log->done] : NULL;
}

uint64_t exec_deferred_next(const struct exec_deferred *log) {
    return log->at;
}

void exec_deferred_run(struct exec_deferred *log, uint64_t before) {
    const struct deferred_entry *e;
    for (; (e = deferred_next(log)) && e->cycle < before; log->done += e->words) perform(e);
    log->at = e ? e->cycle : UINT64_MAX;
}

/* Cycle by cycle, and in each the SMs in their order. */
void exec_deferred_run_all(struct exec_deferred *const *logs, uint32_t n, uint64_t cycle, uint32_t sm) {
    uint64_t now = UINT64_MAX;
    for (uint32_t k = 0; k < n; k++)
        if (logs[k]->at < now) now = logs[k]->at;
    while (now <= cycle && now != UINT64_MAX) {
        uint64_t later = UINT64_MAX;
        const uint32_t end = now < cycle || sm >= n ? n : sm + 1;
        for (uint32_t k = 0; k < end; k++) {
            struct exec_deferred *log = logs[k];
            if (log->at <= now) exec_deferred_run(log, now + 1);
            if (log->at < later) later = log->at;
        }
        now = later;
    }
}
