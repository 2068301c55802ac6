/* Requests of the accesses that nearly all are: one split of one piece, so of one warp, to one space. Their addresses are
 * read where the step left them, and each request has one node. The warp is taken as a whole, or group by group where the
 * machine does (sm.coalesce, sm.shared_lanes). lines.c has the general form, to which an access goes that turns out to be of
 * another kind here; an audit compares both. */
#include "sm/impl.h"

/* The first or next request of an entry, for these lanes. The calling function fills in what it asks for. */
static inline struct sm_request *plain_add(struct sm *s, struct sm_entry *e, uint32_t op, uint32_t lanes) {
    const uint32_t r = POOL_TAKE_SIZED(&s->requests);
    struct sm_request *q = &s->requests.v[r];
    q->nodes = node_own(s, r, op, s->common->gather.plain_warp, lanes);
    q->next = SM_NONE;
    q->group = 0;
    if (e->first == SM_NONE)
        e->first = r;
    else
        s->requests.v[e->last].next = r;
    e->last = r;
    return q;
}

/* The lanes of the access that are taken together k-th, of those that are left; width 0: all are. */
static inline uint32_t plain_group_of(const struct sm *s, uint32_t left, uint32_t width, uint32_t k) {
    return width ? slots_part(s, s->common->gather.plain_warp, left, width, k) : left;
}

/* All of them through one path, without lines. */
static void build_one(struct sm *s, uint32_t op, uint32_t lanes, uint8_t path, uint8_t kind, uint32_t held) {
    struct sm_gather *g = &s->common->gather;
    if (g->entry == SM_NONE) g->entry = entry_take(s);
    struct sm_request *q = plain_add(s, &s->entries.v[g->entry], op, lanes);
    q->held = held;
    q->path = path;
    q->kind = kind;
    q->threads = 0;
    s->ops.v[op].unanswered++;
}

static void build_param(struct sm *s, uint32_t op, uint8_t kind) {
    uint32_t left = s->env.grid->out.access.mask;
    for (uint32_t k = 0, here; left; k++, left &= ~here)
        if ((here = plain_group_of(s, left, s->coalesce, k))) build_one(s, op, here, SM_PARAM, kind, 0);
}

/* The general form finds the same requests, in the same order. */
static void audit_lines(struct sm *s, const uint64_t *addr, uint32_t mask, const struct mem_served *found,
                        uint32_t n, struct sm_unit u) {
    struct sm_gather *g = &s->common->gather;
    uint32_t lanes = 0;
    FOR_LANES(l, mask) g->path_addr[lanes++] = addr[l];
    CHECK(mem_coalesce(g->path_addr, lanes, g->bytes, u.line, u.sector, g->line) == n);
    for (uint32_t k = 0; k < n; k++)
        CHECK(g->line[k].addr == found[k].addr && g->line[k].bytes == found[k].bytes &&
              g->line[k].lanes == bits_count(found[k].lanes));
}

/* The lines of all groups, in g->served; 0: some access may be in two of them. */
static uint32_t find_lines(struct sm *s, const uint64_t *addr, struct sm_unit u) {
    struct sm_gather *g = &s->common->gather;
    uint32_t n = 0, left = s->env.grid->out.access.mask;
    for (uint32_t k = 0, here; left; k++, left &= ~here) {
        if (!(here = plain_group_of(s, left, s->coalesce, k))) continue;
        struct mem_served *to = g->served + n;
        const uint32_t found = s->lanes->coalesce(addr, here, g->bytes, u.line, u.sector, to);
        if (!found) return 0;
        if (s->env.audit) audit_lines(s, addr, here, to, found, u);
        n += found;
    }
    return n;
}

/* Lines of one path; false: some access may be in two of them. */
static bool build_lines(struct sm *s, uint32_t op, uint8_t path, uint8_t kind, const uint64_t *addr,
                        struct sm_unit u) {
    struct sm_gather *g = &s->common->gather;
    if (g->bytes > (u.sector ? u.sector : u.line) || !is_pow2(g->bytes)) return false;
    const uint32_t n = find_lines(s, addr, u);
    if (!n) return false;
    g->entry = entry_take(s);
    struct sm_entry *e = &s->entries.v[g->entry];
    for (uint32_t k = 0; k < n; k++) {
        const struct mem_served *l = &g->served[k];
        struct sm_request *q = plain_add(s, e, op, l->lanes);
        q->addr = l->addr;
        q->bytes = l->bytes;
        q->path = path;
        q->kind = kind;
        q->threads = l->lanes & (l->lanes - 1) ? bits_count(l->lanes) : 1;
    }
    s->stats.sm.memory_lines += n;
    s->ops.v[op].unanswered += n;
    s->ops.v[op].lines = true;
    return true;
}

/* Local memory: no more than a word of each lane. */
static bool build_local(struct sm *s, uint32_t op, uint8_t kind, const uint64_t *addr) {
    struct sm_gather *g = &s->common->gather;
    if (g->bytes > SM_WORD) return false;
    lines_local(s, g->plain_warp, s->env.grid->out.access.mask, addr, g->addr);
    return build_lines(s, op, MEM_L1D, kind, g->addr, lines_unit(s, MEM_L1D, g->bytes));
}

/* Cycles that shared memory needs for lanes that are served together. */
static uint32_t plain_group_cycles(struct sm *s, const uint64_t *addr, uint32_t mask, bool atomic) {
    struct sm_gather *g = &s->common->gather;
    const uint32_t banks = (uint32_t)s->o->sm.shared_banks, word = (uint32_t)s->o->sm.shared_bank_bytes;
    const bool words = !atomic && s->plain_banks && g->bytes <= word;
    uint32_t n = 0, cycles = 0;
    if (words) cycles = s->lanes->bank_cycles(addr, mask, banks, (uint32_t)__builtin_ctz(word));
    if (words && !s->env.audit) return cycles;
    FOR_LANES(l, mask) g->shared_addr[n++] = addr[l];
    const uint32_t general = lines_bank_cycles(s, g->shared_addr, n, g->bytes, atomic);
    CHECK(!words || cycles == general);
    return general;
}

static void build_shared(struct sm *s, uint32_t op, uint8_t kind, const uint64_t *addr) {
    const uint32_t mask = s->env.grid->out.access.mask;
    uint32_t cycles = 0, groups = 0, left = mask;
    for (uint32_t k = 0, here; left; k++, left &= ~here) {
        if (!(here = plain_group_of(s, left, s->shared_lanes, k))) continue;
        cycles += plain_group_cycles(s, addr, here, kind == MEM_ATOMIC);
        groups++;
    }
    s->stats.sm.shared_accesses++;
    s->stats.sm.shared_conflict_cycles += cycles - groups;
    build_one(s, op, mask, SM_SHARED, kind, cycles);
}

/* The space that all lanes' generic or constant addresses go to, as they are; IR_SP_GENERIC: there is none. */
static enum ir_space common_space(const struct exec_out *o) {
    const enum ir_space said = o->access.space;
    uint64_t first = o->access.addr[__builtin_ctz(o->access.mask)];
    const enum ir_space space = exec_decode(said, &first);
    if (space != IR_SP_GLOBAL && space != IR_SP_CONST) return IR_SP_GENERIC;
    if (said == IR_SP_GENERIC && space == IR_SP_CONST) return IR_SP_GENERIC;
    FOR_LANES(l, o->access.mask) {
        uint64_t at = o->access.addr[l];
        if (exec_decode(said, &at) != space) return IR_SP_GENERIC;
    }
    return space;
}

/* Generic addresses that the step found to be all in one window of a thread or block. */
static bool build_windowed(struct sm *s, uint32_t op, uint8_t kind) {
    const struct exec_out *o = &s->env.grid->out;
    const uint64_t window = exec_window(o->access.found);
    uint64_t offset[SM_LANES];
    for (uint32_t l = 0; l < SM_LANES; l++) offset[l] = o->access.addr[l] - window;
    if (o->access.found == IR_SP_LOCAL) return build_local(s, op, kind, offset);
    build_shared(s, op, kind, offset);
    return true;
}

static bool build_decoded(struct sm *s, uint32_t op, uint8_t kind) {
    struct sm_gather *g = &s->common->gather;
    const struct exec_out *o = &s->env.grid->out;
    const enum ir_space space = o->access.found == IR_SP_GENERIC ? common_space(o) : o->access.found;
    const uint8_t path = o->access.space == IR_SP_CONST ? MEM_L1C : MEM_L1D;
    if (space == IR_SP_GLOBAL)
        return build_lines(s, op, path, kind, o->access.addr, lines_unit(s, path, g->bytes));
    if (o->access.space == IR_SP_GENERIC && (space == IR_SP_LOCAL || space == IR_SP_SHARED))
        return build_windowed(s, op, kind);
    if (space != IR_SP_CONST || o->access.space == IR_SP_GENERIC) return false;
    FOR_LANES(l, o->access.mask) g->addr[l] = o->access.addr[l] + SM_CONST_SEGMENT;
    return build_lines(s, op, path, kind, g->addr, lines_unit(s, path, g->bytes));
}

bool plain_build(struct sm *s, uint32_t op, uint8_t kind) {
    const struct exec_out *o = &s->env.grid->out;
    switch (o->access.space) {
    case IR_SP_GLOBAL:
        return build_lines(s, op, MEM_L1D, kind, o->access.addr,
                           (struct sm_unit){s->line[MEM_L1D], s->sector[MEM_L1D]});
    case IR_SP_SHARED: build_shared(s, op, kind, o->access.addr); return true;
    case IR_SP_PARAM: build_param(s, op, kind); return true;
    case IR_SP_LOCAL:
    case IR_SP_FRAME: return build_local(s, op, kind, o->access.addr);
    default: return build_decoded(s, op, kind);
    }
}
