/* Tapes out of a trace of warps: each lane's instructions one after the other, with what the plan wants of them. Where one
 * tells a guard, the lane is followed to where the guard decides; that what was told holds when it gets there is checked. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lab/run/accel_impl.h"

struct step {
    uint32_t insn, mask;
    size_t addr; /* addresses of its lanes, in order */
};

struct emit {
    const struct accel_kernel *a;
    struct traceg *t;
    const struct exec_plan *plan;
    VEC(struct step) steps;
    VEC(uint64_t) addr;
    VEC(uint32_t) own; /* steps of the lane */
    bool *holds;       /* by instruction: its guard, as it was told last */
    void *tapes;       /* tapes of the block that is open, or NULL */
    bool *seen;        /* warps of that block that have been seen */
    uint32_t warp;     /* the warp that is being read */
};

static const struct sass_insn *insn_at(const struct emit *m, size_t k) {
    return &m->a->program.code.v[m->steps.v[m->own.v[k]].insn];
}

/* Where the lane's control goes behind its k-th instruction, before anything is passed over. */
static uint32_t goes_to(const struct emit *m, size_t k) {
    const struct sass_insn *i = insn_at(m, k);
    const uint32_t at = m->steps.v[m->own.v[k]].insn;
    if (i->row->kind == SASS_JUMP) return i->targets.v[0];
    if (i->row->kind == SASS_INDIRECT) return m->steps.v[m->own.v[k + 1]].insn;
    return at + 1;
}

static bool tells(const struct sass_insn *i, uint32_t what) {
    for (size_t k = 0; k < i->tells.n; k++)
        if (i->tells.v[k] == what) return true;
    return false;
}

/* Does the lane, having executed its k-th instruction, execute `what` the next time it comes by? */
static bool will_hold(const struct emit *m, size_t k, uint32_t what) {
    for (; k + 1 < m->own.n; k++) {
        const uint32_t from = goes_to(m, k), to = m->steps.v[m->own.v[k + 1]].insn;
        if (what >= from && what < to) return false;
        if (what == to) return true;
        if (tells(insn_at(m, k + 1), what)) return false; /* it will be told again before */
    }
    return false;
}

static bool accel_emit_leads(const struct sass_insn *i, uint32_t what) {
    for (size_t k = 0; k < i->leads.n; k++)
        if (i->leads.v[k] == what) return true;
    return false;
}

/* The target of the jump that the lane will take when it gets there. */
static uint64_t will_take(const struct emit *m, size_t k, uint32_t what) {
    const struct sass_insn *jump = &m->a->program.code.v[what];
    for (k++; k + 1 < m->own.n; k++) {
        if (m->steps.v[m->own.v[k]].insn == what) {
            const uint32_t to = m->steps.v[m->own.v[k + 1]].insn;
            for (size_t t = 0; t < jump->targets.n; t++)
                if (jump->targets.v[t] == to) return t;
        }
        if (accel_emit_leads(insn_at(m, k), what)) break;
    }
    return 0;
}

static void put_told(struct emit *m, uint32_t thread, size_t k, uint32_t column, uint32_t written) {
    const struct sass_insn *i = insn_at(m, k);
    const uint32_t own = sass_own(i);
    for (uint32_t d = 0; d < 32 && written >> d; d++) {
        uint64_t v = 0;
        if (!(written >> d & 1)) continue;
        if (d >= own && d - own < i->tells.n) {
            const uint32_t what = i->tells.v[d - own];
            v = m->holds[what] = will_hold(m, k, what);
        } else if (d >= own + i->tells.n) {
            v = will_take(m, k, i->leads.v[d - own - i->tells.n]);
        }
        hdt_put(m->tapes, thread, column++, v);
    }
}

static void put_insn(struct emit *m, uint32_t thread, size_t k) {
    const struct step *s = &m->steps.v[m->own.v[k]];
    const struct sass_insn *i = &m->a->program.code.v[s->insn];
    const struct exec_told told = exec_plan_at(m->plan, s->insn);
    if (told.access) {
        const uint32_t before = s->mask & ((1u << thread % 32) - 1);
        uint64_t addr = m->addr.v[s->addr + (uint32_t)__builtin_popcount(before)];
        accel_place(m->a, &m->t->kernel, i, &addr);
        hdt_put(m->tapes, thread, told.column, addr);
        if (told.access > 1) hdt_put(m->tapes, thread, told.column + 1, 1);
    }
    put_told(m, thread, k, told.column + told.access, told.written);
}

/* What lies between two instructions of a lane must be told not to hold, and the second, if guarded, to hold. */
static bool check_way(const struct emit *m, uint32_t from, uint32_t to, struct err *e) {
    const struct sass_insn *code = m->a->program.code.v;
    for (uint32_t k = from; k <= to && k < m->a->program.code.n; k++) {
        if (!code[k].guarded || m->holds[k] == (k == to)) continue;
        return traceg_fail(m->t, e, "nothing before it can tell the guard of %s at PC %04" PRIx64,
                           code[k].opcode, code[k].pc);
    }
    return true;
}

static bool emit_lane(struct emit *m, uint32_t lane, struct err *e) {
    m->own.n = 0;
    for (size_t k = 0; k < m->steps.n; k++)
        if (m->steps.v[k].mask >> lane & 1) VEC_PUSH(&m->own, (uint32_t)k);
    memset(m->holds, 0, m->a->program.code.n * sizeof *m->holds);
    for (size_t k = 0; k < m->own.n; k++) {
        const uint32_t at = m->steps.v[m->own.v[k]].insn;
        if (!check_way(m, k ? goes_to(m, k - 1) : 0, at, e)) return false;
        put_insn(m, m->warp * 32 + lane, k);
    }
    return true;
}

static bool emit_warp(struct emit *m, struct err *e) {
    const uint32_t *b = m->t->kernel.block, threads = b[0] * b[1] * b[2];
    const uint32_t left = threads - m->warp * 32;
    if (m->seen[m->warp]) return traceg_fail(m->t, e, "warp %" PRIu32 " is there twice", m->warp);
    m->seen[m->warp] = true;
    for (uint32_t l = 0; l < 32 && l < left; l++)
        if (!emit_lane(m, l, e)) return false;
    return true;
}

static void keep_insn(struct emit *m) {
    const struct traceg_insn *x = &m->t->insn;
    const uint32_t n = accel_find(&m->a->program, x->pc);
    VEC_PUSH(&m->steps, (struct step){n, x->mask, m->addr.n});
    for (uint32_t l = 0; l < 32 && sass_accesses(&m->a->program.code.v[n]); l++)
        if (x->mask >> l & 1) VEC_PUSH(&m->addr, x->bytes ? x->addr[l] : 0);
}

static bool end_block(struct emit *m, struct err *e) {
    const uint32_t *b = m->t->kernel.block, warps = (b[0] * b[1] * b[2] + 31) / 32;
    if (!m->tapes) return traceg_fail(m->t, e, "which thread block it is has not been said");
    for (uint32_t w = 0; w < warps; w++)
        if (!m->seen[w]) return traceg_fail(m->t, e, "warp %" PRIu32 " of the block is missing", w);
    memset(m->seen, 0, warps * sizeof *m->seen);
    hdt_put_end(m->tapes, true);
    m->tapes = NULL;
    return true;
}

static bool begin_block(struct emit *m, struct hdt_writer *w, bool *blocks, struct err *e) {
    const uint32_t *at = m->t->block, *grid = m->t->kernel.grid;
    const uint64_t index = at[0] + (uint64_t)grid[0] * (at[1] + (uint64_t)grid[1] * at[2]);
    if (m->tapes || blocks[index]) return traceg_fail(m->t, e, "the thread block is there twice");
    blocks[index] = true;
    m->tapes = hdt_put_start(w, index);
    return true;
}

static bool emit_all(struct emit *m, struct hdt_writer *w, bool *blocks, struct err *e) {
    for (bool open = false;;) {
        const enum traceg_event what = traceg_next(m->t, e);
        if (what == TRACEG_BAD) return false;
        if (what == TRACEG_INSN) {
            keep_insn(m);
            continue;
        }
        if (what == TRACEG_WARP && !m->tapes) return traceg_fail(m->t, e, "a warp before its thread block");
        if (open && !emit_warp(m, e)) return false;
        open = false;
        m->steps.n = m->addr.n = 0;
        if (what == TRACEG_BLOCK && !begin_block(m, w, blocks, e)) return false;
        if (what == TRACEG_BLOCK_END && !end_block(m, e)) return false;
        if (what == TRACEG_END) return true;
        open = what == TRACEG_WARP;
        m->warp = m->t->warp;
    }
}

static bool check_blocks(const struct emit *m, const bool *blocks, uint64_t n, struct err *e) {
    const uint32_t *grid = m->t->kernel.grid;
    for (uint64_t b = 0; b < n; b++)
        if (!blocks[b])
            return traceg_fail(m->t, e,
                               "thread block %" PRIu64 ",%" PRIu64 ",%" PRIu64 " of the grid is missing",
                               b % grid[0], b / grid[0] % grid[1], b / grid[0] / grid[1]);
    return true;
}

bool accel_emit(const struct accel_kernel *a, struct traceg *t, const struct exec_plan *plan,
                struct hdt_writer *w, struct err *e) {
    const uint64_t n = (uint64_t)t->kernel.grid[0] * t->kernel.grid[1] * t->kernel.grid[2];
    struct emit m = {.a = a,
                     .t = t,
                     .plan = plan,
                     .holds = xcalloc(a->program.code.n + 1, sizeof *m.holds),
                     .seen = xcalloc(33, sizeof *m.seen)};
    bool *blocks = try_alloc(n);
    bool good = blocks || err_set(e, ERR_MEMORY, "%s: the grid is too large for the host's memory", t->name);
    good = good && emit_all(&m, w, blocks, e) && check_blocks(&m, blocks, n, e);
    if (m.tapes) hdt_put_end(m.tapes, false);
    xfree(blocks);
    free(m.holds);
    free(m.seen);
    VEC_FREE(&m.steps);
    VEC_FREE(&m.addr);
    VEC_FREE(&m.own);
    return good;
}
