/* From the addresses of a packet's instructions to requests. All lanes of a split are coalesced together, whatever warps
 * they come from; where a packet has several splits (MIMD, SBI) a line they have in common is asked for once.
 *
 * Spaces. Global addresses go through L1D as they are. Local memory is interleaved by words over the threads of the whole
 * machine, so that the same variable of neighbouring threads lies side by side; an access is cut into words. Constants
 * have a segment of their own behind L1C, texels go through L1T. Kernel parameters are preloaded: they cost a constant
 * cache hit and are asked of nobody. Shared memory is one request of the packet, with the cycles its banks need. */
#include "sm/impl.h"

#define LOCAL_SEGMENT (UINT64_C(1) << 44)
#define CONST_SEGMENT (UINT64_C(1) << 46)
enum { WORD = 4 };

void lines_begin(struct sm *s) {
    struct sm_gather *g = &s->gather;
    g->entry = g->shared = SM_NONE;
    g->n = g->paths = g->nshared = g->shared_bytes = 0;
    g->shared_atomic = false;
}

static void add(struct sm_gather *g, uint64_t addr, uint32_t warp, uint32_t lane, uint32_t path) {
    CHECK(g->n < SM_PACKET);
    g->access[g->n++] = (struct sm_access){addr, warp, (uint8_t)lane, (uint8_t)path};
    g->paths |= 1u << path;
}

/* Through a cache, in pieces no longer than its line. */
static void add_cached(struct sm *s, uint64_t addr, uint32_t warp, uint32_t lane, uint32_t path) {
    for (uint32_t at = 0; at < s->gather.bytes; at += s->line[path])
        add(&s->gather, addr + at, warp, lane, path);
}

static void add_local(struct sm *s, uint64_t offset, uint32_t warp, uint32_t lane) {
    const uint64_t threads = (uint64_t)s->nwarps * SM_LANES;
    const uint64_t thread = s->env.index * threads + (uint64_t)warp * SM_LANES + lane;
    const uint64_t row = (uint64_t)s->o->gpu.sms * threads * WORD;
    for (uint64_t at = offset; at < offset + s->gather.bytes; at = (at | (WORD - 1)) + 1)
        add(&s->gather, LOCAL_SEGMENT + at / WORD * row + thread * WORD + at % WORD, warp, lane, MEM_L1D);
}

static void add_generic(struct sm *s, uint64_t addr, uint32_t warp, uint32_t lane) {
    struct sm_gather *g = &s->gather;
    if (addr < EXEC_WIN_SHARED || addr >= EXEC_WIN_FUNC)
        add_cached(s, addr, warp, lane, MEM_L1D);
    else if (addr < EXEC_WIN_LOCAL)
        add(g, addr - EXEC_WIN_SHARED, warp, lane, SM_SHARED);
    else if (addr < EXEC_WIN_CONST)
        add_local(s, addr - EXEC_WIN_LOCAL, warp, lane);
    else if (addr < EXEC_WIN_PARAM)
        add_cached(s, CONST_SEGMENT + addr - EXEC_WIN_CONST, warp, lane, MEM_L1C);
    else
        add(g, addr - EXEC_WIN_PARAM, warp, lane, SM_PARAM);
}

void lines_gather(struct sm *s, uint32_t warp, bool texture) {
    const struct exec_out *o = &s->env.grid->out;
    struct sm_gather *g = &s->gather;
    g->bytes = o->access.bytes;
    FOR_LANES(l, o->access.mask) {
        const uint64_t a = o->access.addr[l];
        switch (o->access.space) {
        case IR_SP_GLOBAL: add_cached(s, a, warp, l, texture ? MEM_L1T : MEM_L1D); break;
        case IR_SP_SHARED: add(g, a, warp, l, SM_SHARED); break;
        case IR_SP_LOCAL:
        case IR_SP_FRAME: add_local(s, a, warp, l); break;
        case IR_SP_CONST: add_cached(s, CONST_SEGMENT + a, warp, l, MEM_L1C); break;
        case IR_SP_PARAM: add(g, a, warp, l, SM_PARAM); break;
        default: add_generic(s, a, warp, l);
        }
    }
}

static uint32_t append(struct sm *s, uint8_t path, uint8_t kind) {
    struct sm_gather *g = &s->gather;
    if (g->entry == SM_NONE) g->entry = entry_take(s);
    struct sm_entry *e = &s->entries[g->entry];
    const uint32_t r = request_take(s);
    s->requests[r].path = path;
    s->requests[r].kind = kind;
    if (e->first == SM_NONE)
        e->first = r;
    else
        s->requests[e->last].next = r;
    e->last = r;
    return r;
}

/* The accesses of one path, those of the line [lo, lo + bytes): one node for each warp that has some. */
static uint32_t serve(struct sm *s, uint32_t r, uint32_t op, uint32_t path, uint64_t lo, uint64_t bytes,
                      uint32_t size) {
    const struct sm_gather *g = &s->gather;
    uint32_t served = 0;
    for (uint32_t k = 0; k < g->n;) {
        const uint32_t warp = g->access[k].warp;
        uint32_t mask = 0;
        for (; k < g->n && g->access[k].warp == warp; k++) {
            const struct sm_access *a = &g->access[k];
            if (a->path == path && a->addr < lo + bytes && a->addr + size > lo) mask |= 1u << a->lane;
        }
        if (!mask) continue;
        s->requests[r].nodes = node_take(s, op, warp, mask, s->requests[r].nodes);
        served += (uint32_t)__builtin_popcount(mask);
    }
    s->ops[op].left++;
    return served;
}

static uint32_t same_line(const struct sm *s, const struct mem_line *l, uint32_t path, uint32_t kind) {
    uint32_t r = s->gather.entry == SM_NONE ? SM_NONE : s->entries[s->gather.entry].first;
    for (; r != SM_NONE; r = s->requests[r].next) {
        const struct sm_request *q = &s->requests[r];
        if (q->path == path && q->kind == kind && q->addr == l->addr && q->bytes == l->bytes) break;
    }
    return r;
}

/* Line requests of one op through one cache. Words of a local access are narrower than the access itself. */
static uint32_t build_lines(struct sm *s, uint32_t op, uint32_t path, uint8_t kind, bool merge) {
    struct sm_gather *g = &s->gather;
    uint32_t n = 0, served = 0;
    bool words = false;
    for (uint32_t k = 0; k < g->n; k++)
        if (g->access[k].path == path) {
            words |= g->access[k].addr >= LOCAL_SEGMENT && path == MEM_L1D;
            g->addr[n++] = g->access[k].addr;
        }
    const uint32_t most = words ? WORD : s->line[path], size = g->bytes < most ? g->bytes : most;
    const uint32_t lines = mem_coalesce(g->addr, n, size, s->line[path], s->sector[path], g->line);
    s->stats.coalesced_lines += lines;
    for (uint32_t k = 0; k < lines; k++) {
        const struct mem_line *l = &g->line[k];
        uint32_t r = merge ? same_line(s, l, path, kind) : SM_NONE;
        if (r == SM_NONE) {
            r = append(s, (uint8_t)path, kind);
            s->requests[r].addr = l->addr;
            s->requests[r].bytes = l->bytes;
        }
        served += serve(s, r, op, path, l->addr, l->bytes, size);
    }
    s->ops[op].lines = true;
    return served;
}

static uint32_t build_shared(struct sm *s, uint32_t op, uint8_t kind) {
    struct sm_gather *g = &s->gather;
    for (uint32_t k = 0; k < g->n; k++)
        if (g->access[k].path == SM_SHARED && g->nshared < MECH_WIDEST)
            g->shared_addr[g->nshared++] = g->access[k].addr;
    if (g->shared == SM_NONE) g->shared = append(s, SM_SHARED, kind);
    if (g->bytes > g->shared_bytes) g->shared_bytes = g->bytes;
    g->shared_atomic |= kind == MEM_ATOMIC;
    s->stats.shared_accesses++;
    return serve(s, g->shared, op, SM_SHARED, 0, UINT64_MAX / 2, g->bytes);
}

void lines_build(struct sm *s, uint32_t op, bool merge) {
    struct sm_gather *g = &s->gather;
    if (!g->n) return;
    const struct ir_insn *i = sm_insn(s, s->ops[op].pc);
    const uint8_t kind = ir_ops[i->op].cls == IR_C_ATOM  ? MEM_ATOMIC
                         : s->env.grid->out.access.store ? MEM_WRITE
                                                         : MEM_READ;
    uint32_t served = 0, lanes = 0;
    for (uint32_t path = 0; path < MEM_NPATHS; path++)
        if (g->paths >> path & 1) served += build_lines(s, op, path, kind, merge);
    if (g->paths >> SM_SHARED & 1) served += build_shared(s, op, kind);
    if (g->paths >> SM_PARAM & 1)
        served += serve(s, append(s, SM_PARAM, kind), op, SM_PARAM, 0, UINT64_MAX / 2, g->bytes);
    for (uint32_t k = 0; k < g->n; k++)
        lanes +=
            !k || g->access[k].lane != g->access[k - 1].lane || g->access[k].warp != g->access[k - 1].warp;
    s->ops[op].memory = true;
    s->ops[op].overlap = served > lanes;
    s->stats.memory_insts++;
    g->n = g->paths = 0;
}

/* Atomics on one word of shared memory take turns: no word is given to two at once. */
static uint32_t atomic_cycles(const struct sm *s) {
    const struct sm_gather *g = &s->gather;
    uint32_t in_bank[256] = {0}, most = 1;
    for (uint32_t k = 0; k < g->nshared; k++) {
        uint32_t *n = &in_bank[g->shared_addr[k] / (uint64_t)s->o->sm.shared_bank_bytes %
                               (uint64_t)s->o->sm.shared_banks];
        if (++*n > most) most = *n;
    }
    return most;
}

uint32_t lines_end(struct sm *s) {
    struct sm_gather *g = &s->gather;
    if (g->shared == SM_NONE) return g->entry;
    const uint32_t cycles = g->shared_atomic ? atomic_cycles(s)
                                             : mem_bank_cycles(g->shared_addr, g->nshared, g->shared_bytes,
                                                               (uint32_t)s->o->sm.shared_banks,
                                                               (uint32_t)s->o->sm.shared_bank_bytes);
    s->requests[g->shared].bytes = cycles ? cycles : 1;
    s->stats.shared_conflict_cycles += cycles ? cycles - 1 : 0;
    return g->entry;
}
