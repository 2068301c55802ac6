/* Instructions through the instruction cache. A split has one line of code at hand; asking when it may issue asks for the
 * line it needs next. A line that arrives wakes every warp: by then the split may be another one, and misses are few.
 *
 * Prefetch along the stream (sm.prefetch): a split that gets to a line has those behind it fetched, as far as the kernel's
 * code goes. Huerta et al. (Analyzing Modern NVIDIA GPU Cores, 2025, section 5.2) find that a stream buffer fits what
 * they measure of Ampere and Turing; here the lines go to the cache itself. One is asked for in a cycle, after what
 * splits ask for and only if the cache has it neither there nor on its way; the newest stream takes the place of the one
 * before. */
#include "base/bitmap.h"
#include "sm/impl.h"

static uint64_t fetch_address(const struct sm *s, uint32_t line) {
    return (uint64_t)line * s->line[MEM_L1I];
}

static enum mem_answer sm_fetch_ask(struct sm *s, uint32_t line, uint32_t request, uint64_t *when) {
    return mem_ask(s->env.mem, s->env.index, MEM_L1I, MEM_READ, fetch_address(s, line), s->line[MEM_L1I],
                   request, s->now, when);
}

/* ---- ahead of the splits ---- */

static uint32_t last_line(const struct sm *s, uint32_t pc) {
    const struct ir_func *f = s->env.grid->func;
    const uint64_t end = pc >= f->entry && pc < f->end ? f->end : s->env.module->code.n;
    return (uint32_t)((end * SM_INSN_BYTES - 1) / s->line[MEM_L1I]);
}

/* A split at pc has got to that line, which is there or on its way. */
static void run_ahead(struct sm *s, uint32_t pc, uint32_t line) {
    const uint32_t left = last_line(s, pc) - line;
    s->ahead = (struct sm_ahead){line + 1, left < s->prefetch ? left : s->prefetch, s->now + 1};
}

static void count_useful(struct sm *s, uint32_t line, bool held, enum mem_answer a) {
    bitmap_clear(s->prefetched, line);
    if (!held) return; /* it has been evicted, and comes again */
    s->stats.sm.useful_prefetches++;
    if (a == MEM_WAIT) s->stats.sm.late_prefetches++;
}

void fetch_ahead(struct sm *s) {
    struct sm_ahead *x = &s->ahead;
    if (x->from > s->now || s->requests.pool.left <= SM_PACKET) return;
    while (x->left && mem_holds(s->env.mem, s->env.index, MEM_L1I, fetch_address(s, x->line))) {
        x->line++;
        x->left--;
    }
    if (!x->left) return;
    uint64_t when;
    const uint32_t r = request_take(s);
    /* no miss register or queue entry: in the next cycle */
    if (sm_fetch_ask(s, x->line, r, &when) != MEM_WAIT) {
        request_give(s, r);
        return;
    }
    s->requests.v[r] =
        (struct sm_request){.nodes = SM_NONE, .next = SM_NONE, .fetch = {SM_NONE, x->line}, .path = SM_FETCH};
    bitmap_set(s->prefetched, x->line);
    s->stats.sm.prefetches++;
    x->line++;
    x->left--;
}

/* ---- for the splits ---- */

uint64_t fetch_ask(struct sm *s, const struct mech_split *split, uint32_t line) {
    struct sm_fetched *f = &s->fetched[split->id];
    uint64_t when = 0;
    if (s->requests.pool.left <= SM_PACKET) return s->now + 1; /* the rest is for the packet being selected */
    const bool early = s->prefetch && bitmap_has(s->prefetched, line);
    const bool held = early && mem_holds(s->env.mem, s->env.index, MEM_L1I, fetch_address(s, line));
    const uint32_t r = request_take(s);
    const enum mem_answer a = sm_fetch_ask(s, line, r, &when);
    if (early && a != MEM_BUSY) count_useful(s, line, held, a);
    if (s->prefetch && a != MEM_BUSY) run_ahead(s, split->pc, line);
    if (a == MEM_WAIT) {
        s->requests.v[r] = (struct sm_request){
            .nodes = SM_NONE, .next = SM_NONE, .fetch = {split->id, line}, .path = SM_FETCH};
        *f = (struct sm_fetched){line, SM_NEVER};
        s->stats.sm.fetch_stalls++;
        return SM_NEVER;
    }
    request_give(s, r);
    if (a == MEM_BUSY) return s->now + 1;
    *f = (struct sm_fetched){line, when};
    return when;
}

void fetch_init(struct sm *s) {
    const size_t splits = (size_t)s->nwarps * SM_LANES; /* a mechanism has no more than threads */
    s->fetched = pages_raw(s->env.grid->pages, splits * sizeof *s->fetched);
#pragma GCC unroll 8
    for (size_t k = 0; k < splits; k++) s->fetched[k].line = SM_NONE;
    if (s->env.mem_options->memory.ideal || s->env.mem_options->l1i.ideal)
        return; /* nothing is ever missing */
    s->prefetch = (uint32_t)s->o->sm.prefetch;
    const uint32_t lines = (uint32_t)(s->env.module->code.n * SM_INSN_BYTES / s->line[MEM_L1I]) + 1;
    if (s->prefetch) s->prefetched = PAGES_NEW(s->env.grid->pages, uint64_t, bitmap_words(lines));
}

void fetch_arrived(struct sm *s, const struct sm_request *r) {
    if (r->fetch.split == SM_NONE) return; /* a prefetch: those who wait for it have asked for it as well */
    struct sm_fetched *f = &s->fetched[r->fetch.split];
    if (f->line == r->fetch.line) f->ready = s->now;
    for (uint32_t warp = 0; warp < s->nwarps; warp++)
        if (s->warps[warp].w) mech_wake(s->mech, warp, ~0u);
    mech_wake_empty(s->mech, r->fetch.split);
}
