/* From the addresses of a packet's instructions to requests. All lanes of a split are coalesced together, whatever
 * warps they come from; where a packet has several splits (MIMD, SBI) a line they have in common is asked for once. A
 * packet may say which threads issue in which beat (large warps): then those of a beat are coalesced together, beat after
 * beat, and a line that two beats want is asked for twice. Banks of shared memory and parameters go by beats alike. The
 * machine may take parts of any warp by themselves (sm.coalesce, sm.shared_lanes): a line that two parts want is asked for
 * twice, and the banks serve one part after the other. What goes together is a group.
 *
 * Spaces. Global addresses go through L1D as they are. Local memory is interleaved by words over the threads of a warp, so
 * that a variable of all of them lies side by side (local.h); an access is cut into words.
 * Constants have a segment of their own behind L1C; a buffer that is read as constants goes through L1C too, with the
 * addresses that all threads share. Texels go through L1T. Kernel parameters are preloaded: they cost a constant cache
 * hit and make no request. Shared memory is one request of the packet, with the cycles its banks need. */
#include <string.h>

#include "mech/lib/set.h"
#include "sm/impl.h"

enum { WORD = SM_WORD };

void lines_begin(struct sm *s) {
    struct sm_gather *g = &s->common->gather;
    g->entry = g->shared = SM_NONE;
    g->nparts = g->n = g->paths = g->lanes = g->nshared = g->shared_bytes = g->group = 0;
    g->shared_atomic = g->words = g->plain = false;
}

/* ---- addresses ---- */

/* Lanes of a warp through one path, at base + addr[lane]. */
static void add_part(struct sm_gather *g, uint32_t warp, uint32_t mask, uint32_t path, const uint64_t *addr,
                     uint64_t base) {
    const uint32_t n = bits_count(mask);
    CHECK(g->n + n <= SM_PACKET && g->nparts < SM_PACKET);
    g->part[g->nparts++] = (struct sm_part){warp, mask, g->n, (uint16_t)path, (uint16_t)g->group};
    g->paths |= 1u << path;
    uint64_t *to = g->addr + g->n;
    g->n += n;
    if (mask == ~0u)
        for (uint32_t l = 0; l < SM_LANES; l++) to[l] = addr[l] + base;
    else
        FOR_LANES(l, mask) *to++ = addr[l] + base;
}

/* Through a cache, in pieces no longer than its line. */
static void add_cached(struct sm *s, uint32_t warp, uint32_t mask, uint32_t path, const uint64_t *addr,
                       uint64_t base) {
    for (uint32_t at = 0; at < s->common->gather.bytes; at += s->line[path])
        add_part(&s->common->gather, warp, mask, path, addr, base + at);
}

void lines_local(const struct sm *s, uint32_t warp, uint32_t mask, const uint64_t *addr, uint64_t *to) {
    FOR_LANES(l, mask) to[l] = local_address(&s->local, warp, l, addr[l]);
}

static void add_local(struct sm *s, uint32_t warp, uint32_t mask, const uint64_t *addr) {
    uint64_t word[SM_LANES] = {0}, to[SM_LANES] = {0};
    s->common->gather.words = true;
    for (uint32_t at = 0; at < s->common->gather.bytes; at += WORD) {
        FOR_LANES(l, mask) word[l] = addr[l] + at;
        lines_local(s, warp, mask, word, to);
        add_part(&s->common->gather, warp, mask, MEM_L1D, to, 0);
    }
}

/* Generic and constant addresses, each lane to where it goes; nearly always all go to one space. */
static void add_decoded(struct sm *s, uint32_t warp, uint32_t mask, enum ir_space space,
                        const uint64_t *addr) {
    struct sm_gather *g = &s->common->gather;
    uint32_t lanes[IR_NSPACES] = {0};
    uint64_t to[SM_LANES];
    FOR_LANES(l, mask) {
        to[l] = addr[l];
        lanes[exec_decode(space, &to[l])] |= 1u << l;
    }
    if (lanes[IR_SP_GLOBAL])
        add_cached(s, warp, lanes[IR_SP_GLOBAL], space == IR_SP_CONST ? MEM_L1C : MEM_L1D, to, 0);
    if (lanes[IR_SP_SHARED]) add_part(g, warp, lanes[IR_SP_SHARED], SM_SHARED, to, 0);
    if (lanes[IR_SP_LOCAL]) add_local(s, warp, lanes[IR_SP_LOCAL], to);
    if (lanes[IR_SP_CONST]) add_cached(s, warp, lanes[IR_SP_CONST], MEM_L1C, to, SM_CONST_SEGMENT);
    if (lanes[IR_SP_PARAM]) add_part(g, warp, lanes[IR_SP_PARAM], SM_PARAM, to, 0);
}

static void gather_lanes(struct sm *s, uint32_t warp, uint32_t mask, bool texture) {
    const struct exec_out *o = &s->env.grid->out;
    const uint64_t *addr = o->access.addr;
    struct sm_gather *g = &s->common->gather;
    switch (o->access.space) {
    case IR_SP_GLOBAL: add_cached(s, warp, mask, texture ? MEM_L1T : MEM_L1D, addr, 0); break;
    case IR_SP_SHARED: add_part(g, warp, mask, SM_SHARED, addr, 0); break;
    case IR_SP_LOCAL:
    case IR_SP_FRAME: add_local(s, warp, mask, addr); break;
    case IR_SP_PARAM: add_part(g, warp, mask, SM_PARAM, addr, 0); break;
    default: add_decoded(s, warp, mask, o->access.space, addr);
    }
}

static __attribute__((noinline)) void gather_beats(struct sm *s, uint32_t warp, uint32_t mask, bool texture) {
    const struct mech_packet *p = &s->common->packet;
    struct sm_gather *g = &s->common->gather;
    for (g->group = 0; g->group < p->beats; g->group++) {
        const uint32_t here = mask & set_mask(&p->beat[g->group], warp);
        if (here) gather_lanes(s, warp, here, texture);
        mask &= ~here;
    }
    CHECK(!mask);
}

/* Lanes that are taken together; 0: all. Of generic addresses the first decides, for all mostly go to one space. */
static uint32_t group_width(const struct sm *s) {
    const struct exec_out *o = &s->env.grid->out;
    uint64_t first = o->access.addr[__builtin_ctz(o->access.mask)];
    enum ir_space space = o->access.space;
    if (space == IR_SP_GENERIC) space = exec_decode(space, &first);
    return space == IR_SP_SHARED ? s->shared_lanes : s->coalesce;
}

static __attribute__((noinline)) void gather_parts(struct sm *s, uint32_t warp, uint32_t mask, bool texture) {
    struct sm_gather *g = &s->common->gather;
    const uint32_t width = group_width(s);
    for (g->group = 0; mask; g->group++) {
        const uint32_t here = width ? slots_part(s, warp, mask, width, g->group) : mask;
        if (here) gather_lanes(s, warp, here, texture);
        mask &= ~here;
    }
    g->group = 0;
}

/* One piece of one split (plain.c). */
static bool is_plain(const struct sm *s, bool texture) {
    const struct mech_packet *p = &s->common->packet;
    return p->n == 1 && p->split[0]->set.n == 1 && !p->beat && !texture;
}

static void gather_all(struct sm *s, uint32_t warp, bool texture) {
    const struct exec_out *o = &s->env.grid->out;
    s->common->gather.lanes += bits_count(o->access.mask);
    if (s->common->packet.beat)
        gather_beats(s, warp, o->access.mask, texture);
    else if (s->coalesce | s->shared_lanes)
        gather_parts(s, warp, o->access.mask, texture);
    else
        gather_lanes(s, warp, o->access.mask, texture);
}

void lines_gather(struct sm *s, uint32_t warp, bool texture) {
    struct sm_gather *g = &s->common->gather;
    g->bytes = s->env.grid->out.access.bytes;
    g->plain = is_plain(s, texture);
    g->plain_warp = warp;
    if (!g->plain) gather_all(s, warp, texture);
}

/* ---- requests ---- */

static uint32_t lines_append(struct sm *s, uint32_t path, uint8_t kind) {
    struct sm_gather *g = &s->common->gather;
    if (g->entry == SM_NONE) g->entry = entry_take(s);
    struct sm_entry *e = &s->entries.v[g->entry];
    const uint32_t r = request_take(s);
    s->requests.v[r].path = (uint8_t)path;
    s->requests.v[r].kind = kind;
    s->requests.v[r].group = (uint16_t)g->group;
    if (e->first == SM_NONE)
        e->first = r;
    else
        s->requests.v[e->last].next = r;
    e->last = r;
    return r;
}

/* A request of the group that this line can be part of: one that begins where it does grows to its length, one that covers
 * it will do. */
static uint32_t lines_same(struct sm *s, const struct mem_line *l, uint32_t path, uint32_t kind) {
    const struct sm_gather *g = &s->common->gather;
    uint32_t r = g->entry == SM_NONE ? SM_NONE : s->entries.v[g->entry].first;
    for (; r != SM_NONE; r = s->requests.v[r].next) {
        struct sm_request *q = &s->requests.v[r];
        if (q->path != path || q->kind != kind || q->group != g->group || l->addr < q->addr) continue;
        if (l->addr == q->addr && l->bytes > q->bytes) q->bytes = l->bytes;
        if (l->addr + l->bytes <= q->addr + q->bytes) break;
    }
    return r;
}

/* Threads of an op that a request serves; an op's nodes lie together. */
static uint32_t lines_serve(struct sm *s, uint32_t r, uint32_t op, uint32_t warp, uint32_t mask) {
    struct sm_request *q = &s->requests.v[r];
    if (q->nodes == SM_NONE || s->nodes.v[q->nodes].op != op) s->ops.v[op].unanswered++;
    q->nodes = node_take(s, op, warp, mask, q->nodes);
    const uint32_t n = bits_count(mask);
    q->threads += n;
    return n;
}

/* Whether the part is among those being built: of that path, and of this group. */
static inline bool is_due(const struct sm_gather *g, const struct sm_part *p, uint32_t path) {
    return p->path == path && p->group == g->group;
}

/* A request without lines: everything of that path. */
static uint32_t serve_path(struct sm *s, uint32_t r, uint32_t op, uint32_t path) {
    const struct sm_gather *g = &s->common->gather;
    uint32_t served = 0;
    for (uint32_t k = 0; k < g->nparts; k++)
        if (is_due(g, &g->part[k], path)) served += lines_serve(s, r, op, g->part[k].warp, g->part[k].mask);
    return served;
}

/* Finds which lanes of a part each line serves. An access that lies in two lines (sectors, unaligned texels) is served
 * by both. */
static void find_lines(struct sm_gather *g, const struct sm_part *p, uint32_t lines, uint32_t size) {
    const uint64_t *addr = g->addr + p->first;
    uint32_t last = 0;
    for (uint32_t k = 0; k < lines; k++) g->mask[k] = 0;
    FOR_LANES(l, p->mask) {
        const uint64_t a = *addr++;
        if (a < g->line[last].addr || a + size > g->line[last].addr + g->line[last].bytes)
            for (uint32_t k = 0; k < lines; k++) {
                const struct mem_line *at = &g->line[k];
                if (a >= at->addr + at->bytes || a + size <= at->addr) continue;
                g->mask[k] |= 1u << l;
                last = k;
            }
        g->mask[last] |= 1u << l;
    }
}

/* Parts [from, to) of an op that mem_coalesce takes at once: nearly always all of them. */
struct range {
    uint32_t from, to;
};

static struct range next_range(const struct sm_gather *g, uint32_t from) {
    struct range r = {from, from};
    while (r.to < g->nparts && g->part[r.to].first + SM_LANES - g->part[from].first <= MECH_WIDEST) r.to++;
    return r;
}

static uint32_t serve_lines(struct sm *s, uint32_t op, uint32_t path, struct range r, uint32_t lines,
                            uint32_t size) {
    struct sm_gather *g = &s->common->gather;
    uint32_t served = 0;
    for (uint32_t p = r.from; p < r.to; p++) {
        if (!is_due(g, &g->part[p], path)) continue;
        if (lines == 1)
            g->mask[0] = g->part[p].mask;
        else
            find_lines(g, &g->part[p], lines, size);
        for (uint32_t k = 0; k < lines; k++)
            if (g->mask[k]) served += lines_serve(s, g->request[k], op, g->part[p].warp, g->mask[k]);
    }
    return served;
}

/* The addresses of one path, in a row. */
static uint32_t lines_addresses(struct sm_gather *g, uint32_t path, struct range r, uint64_t *to) {
    uint32_t n = 0;
    for (uint32_t p = r.from; p < r.to; p++) {
        if (!is_due(g, &g->part[p], path)) continue;
        const uint32_t count = bits_count(g->part[p].mask);
        memcpy(to + n, g->addr + g->part[p].first, count * sizeof *to);
        n += count;
    }
    return n;
}

struct sm_unit lines_unit(const struct sm *s, uint32_t path, uint32_t size) {
    if (path != MEM_L1C || s->o->sm.constant_by == SM_BY_LINE)
        return (struct sm_unit){s->line[path], s->sector[path]};
    uint32_t word = WORD;
    while (word < size) word *= 2;
    return (struct sm_unit){word, 0};
}

static uint32_t build_range(struct sm *s, uint32_t op, uint32_t path, uint8_t kind, struct range r,
                            bool merge) {
    struct sm_gather *g = &s->common->gather;
    const uint32_t most = g->words && path == MEM_L1D ? WORD : s->line[path];
    const uint32_t size = g->bytes < most ? g->bytes : most, n = lines_addresses(g, path, r, g->path_addr);
    const struct sm_unit u = lines_unit(s, path, size);
    const uint32_t lines = n ? mem_coalesce(g->path_addr, n, size, u.line, u.sector, g->line) : 0;
    for (uint32_t k = 0; k < lines; k++) {
        const struct mem_line *l = &g->line[k];
        g->request[k] = merge ? lines_same(s, l, path, kind) : SM_NONE;
        if (g->request[k] != SM_NONE) continue;
        s->stats.sm.memory_lines++;
        g->request[k] = lines_append(s, path, kind);
        s->requests.v[g->request[k]].addr = l->addr;
        s->requests.v[g->request[k]].bytes = l->bytes;
    }
    return serve_lines(s, op, path, r, lines, size);
}

/* Line requests of one op through one cache. */
static uint32_t build_lines(struct sm *s, uint32_t op, uint32_t path, uint8_t kind, bool merge) {
    uint32_t served = 0;
    for (struct range r = next_range(&s->common->gather, 0); r.from < s->common->gather.nparts;
         r = next_range(&s->common->gather, r.to))
        served += build_range(s, op, path, kind, r, merge || r.from);
    s->ops.v[op].lines = true;
    return served;
}

static uint32_t due_lanes(const struct sm_gather *g, uint32_t path) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < g->nparts; k++)
        if (is_due(g, &g->part[k], path)) n += bits_count(g->part[k].mask);
    return n;
}

static uint32_t build_shared(struct sm *s, uint32_t op, uint8_t kind) {
    struct sm_gather *g = &s->common->gather;
    const uint32_t n = due_lanes(g, SM_SHARED);
    CHECK(g->nshared + n <= MECH_WIDEST);
    lines_addresses(g, SM_SHARED, (struct range){0, g->nparts}, g->shared_addr + g->nshared);
    for (uint32_t k = 0; k < n; k++) g->shared_group[g->nshared + k] = (uint16_t)g->group;
    g->nshared += n;
    if (g->shared == SM_NONE) g->shared = lines_append(s, SM_SHARED, kind);
    if (g->bytes > g->shared_bytes) g->shared_bytes = g->bytes;
    g->shared_atomic |= kind == MEM_ATOMIC;
    return serve_path(s, g->shared, op, SM_SHARED);
}

/* Atomics on one word of shared memory take turns: no word is given to two at once. */
static uint32_t atomic_cycles(const struct sm *s, const uint64_t *addr, uint32_t lanes) {
    uint32_t in_bank[256] = {0}, most = 1;
    for (uint32_t k = 0; k < lanes; k++) {
        uint32_t *n =
            &in_bank[addr[k] / (uint64_t)s->o->sm.shared_bank_bytes % (uint64_t)s->o->sm.shared_banks];
        if (++*n > most) most = *n;
    }
    return most;
}

/* Accesses within one word each: in a cycle each bank gives its first word to all who want it, the others try again in the
 * next. */
static uint32_t word_cycles(const uint64_t *addr, uint32_t lanes, uint32_t banks, uint32_t shift) {
    uint64_t word[64], left[MECH_WIDEST];
    uint32_t cycles = 0;
    for (uint32_t n = lanes, again = 0; n; n = again, again = 0, addr = left) {
        uint64_t busy = 0;
        for (uint32_t k = 0; k < n; k++) {
            const uint64_t want = addr[k] >> shift, bank = want & (banks - 1);
            if (!(busy >> bank & 1)) word[bank] = want;
            busy |= UINT64_C(1) << bank;
            if (word[bank] != want) left[again++] = addr[k];
        }
        cycles++;
    }
    return cycles;
}

uint32_t lines_bank_cycles(const struct sm *s, const uint64_t *addr, uint32_t lanes, uint32_t bytes,
                           bool atomic) {
    const uint32_t banks = (uint32_t)s->o->sm.shared_banks, word = (uint32_t)s->o->sm.shared_bank_bytes;
    if (atomic) return atomic_cycles(s, addr, lanes);
    if (s->plain_banks && bytes <= word)
        return word_cycles(addr, lanes, banks, (uint32_t)__builtin_ctz(word));
    return mem_bank_cycles(addr, lanes, bytes, banks, word);
}

/* Cycles that shared memory needs for lanes that are served together. */
static uint32_t lines_group_cycles(const struct sm *s, const uint64_t *addr, uint32_t lanes) {
    const struct sm_gather *g = &s->common->gather;
    return lines_bank_cycles(s, addr, lanes, g->shared_bytes, g->shared_atomic);
}

/* Group after group; *groups: how many there are. */
static uint32_t shared_cycles(const struct sm *s, uint32_t *groups) {
    const struct sm_gather *g = &s->common->gather;
    uint64_t addr[MECH_WIDEST];
    uint32_t cycles = 0;
    *groups = 1;
    if (!s->shared_lanes || s->common->packet.beat) return lines_group_cycles(s, g->shared_addr, g->nshared);
    *groups = 0;
    for (uint32_t k = 0, left = g->nshared; left; k++) {
        uint32_t n = 0;
        for (uint32_t i = 0; i < g->nshared; i++)
            if (g->shared_group[i] == k) addr[n++] = g->shared_addr[i];
        if (!n) continue;
        cycles += lines_group_cycles(s, addr, n);
        left -= n;
        ++*groups;
    }
    return cycles;
}

/* The addresses to shared memory that have been gathered are all there are of its request. */
static void end_shared(struct sm *s) {
    struct sm_gather *g = &s->common->gather;
    uint32_t groups;
    if (g->shared == SM_NONE) return;
    const uint32_t cycles = shared_cycles(s, &groups);
    s->requests.v[g->shared].held = cycles ? cycles : 1;
    s->stats.sm.shared_conflict_cycles += cycles > groups ? cycles - groups : 0;
}

/* All requests of the op, or those of a group; returns how many threads they serve. */
static uint32_t build_paths(struct sm *s, uint32_t op, uint8_t kind, bool merge) {
    const uint32_t paths = s->common->gather.paths;
    uint32_t served = 0;
    for (uint32_t path = 0; path < MEM_NPATHS; path++)
        if (paths >> path & 1) served += build_lines(s, op, path, kind, merge);
    if (paths >> SM_SHARED & 1) served += build_shared(s, op, kind);
    if (paths >> SM_PARAM & 1) served += serve_path(s, lines_append(s, SM_PARAM, kind), op, SM_PARAM);
    return served;
}

/* The paths that the parts of this group take. */
static uint32_t group_paths(const struct sm_gather *g) {
    uint32_t paths = 0;
    for (uint32_t k = 0; k < g->nparts; k++)
        if (g->part[k].group == g->group) paths |= 1u << g->part[k].path;
    return paths;
}

static __attribute__((noinline)) uint32_t build_beats(struct sm *s, uint32_t op, uint8_t kind) {
    struct sm_gather *g = &s->common->gather;
    uint32_t served = 0;
    CHECK(s->common->packet.n == 1);
    for (g->group = 0; g->group < s->common->packet.beats; g->group++) {
        g->paths = group_paths(g);
        if (!g->paths) continue;
        served += build_paths(s, op, kind, false);
        end_shared(s);
        g->shared = SM_NONE;
        g->nshared = 0;
    }
    return served;
}

/* Parts of a warp have their lines each, but the packet is one access to shared memory. */
static __attribute__((noinline)) uint32_t build_parts(struct sm *s, uint32_t op, uint8_t kind, bool merge) {
    struct sm_gather *g = &s->common->gather;
    uint32_t served = 0, last = 0;
    for (uint32_t k = 0; k < g->nparts; k++)
        if (g->part[k].group > last) last = g->part[k].group;
    for (g->group = 0; g->group <= last; g->group++) {
        g->paths = group_paths(g);
        if (g->paths) served += build_paths(s, op, kind, merge);
    }
    g->group = 0;
    return served;
}

/* How many threads the op's requests serve. */
static uint32_t build_all(struct sm *s, uint32_t op, uint8_t kind, bool merge) {
    struct sm_gather *g = &s->common->gather;
    if (g->paths >> SM_SHARED & 1) s->stats.sm.shared_accesses++;
    const uint32_t served = s->common->packet.beat          ? build_beats(s, op, kind)
                            : s->coalesce | s->shared_lanes ? build_parts(s, op, kind, merge)
                                                            : build_paths(s, op, kind, merge);
    g->nparts = g->n = g->paths = g->lanes = 0;
    g->words = false;
    return served;
}

static uint8_t lines_kind_of(const struct sm *s, const struct ir_insn *i) {
    return ir_ops[i->op].cls == IR_C_ATOM || i->op == IR_SURED ? MEM_ATOMIC
           : s->env.grid->out.access.store                     ? MEM_WRITE
                                                               : MEM_READ;
}

/* The op's requests are there. */
static void built(struct sm *s, uint32_t op, uint32_t served) {
    s->ops.v[op].memory = true;
    s->ops.v[op].overlap = served != s->ops.v[op].split->threads;
    s->stats.sm.memory_insts++;
}

void lines_build(struct sm *s, uint32_t op, bool merge) {
    struct sm_gather *g = &s->common->gather;
    if (!g->plain && !g->nparts) return;
    const uint8_t kind = lines_kind_of(s, sm_insn(s, s->ops.v[op].pc));
    uint32_t served;
    if (g->plain && plain_build(s, op, kind)) {
        served = bits_count(s->env.grid->out.access.mask);
    } else {
        if (g->plain) gather_all(s, g->plain_warp, false);
        served = build_all(s, op, kind, merge);
    }
    g->plain = false;
    built(s, op, served);
}

uint32_t lines_end(struct sm *s) {
    end_shared(s);
    return s->common->gather.entry;
}

uint32_t lines_of_piece(struct sm *s, uint32_t op, struct mech_piece p) {
    struct sm_gather *g = &s->common->gather;
    const struct exec_out *o = &s->env.grid->out;
    const struct ir_insn *i = sm_insn(s, s->ops.v[op].pc);
    g->entry = SM_NONE;
    g->bytes = o->access.bytes;
    g->plain_warp = p.warp;
    if (i->op != IR_TEX && plain_build(s, op, lines_kind_of(s, i))) {
        built(s, op, o->access.mask == p.mask ? s->ops.v[op].split->threads : bits_count(o->access.mask));
        return g->entry;
    }
    lines_begin(s);
    gather_all(s, p.warp, i->op == IR_TEX);
    lines_build(s, op, false);
    return lines_end(s);
}
