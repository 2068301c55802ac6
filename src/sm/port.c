/* Finds the threads of an access that are served at once, for mechanisms that let the others repeat it (env.served; SL
 * 4.2).
 *
 * The first-level data cache has "a single port as wide as a cache line": the first thread that asks for a line chooses it, and
 * those that want the same one are served with it. Local memory is behind this port too; an access to it goes by its first
 * word. Shared memory serves, in the order of lanes, each thread whose banks are free or give the same words. Its lanes
 * are taken together here, whatever sm.shared_lanes says. Constants, parameters and textures have other ports, which
 * serve all threads at once. A thread that is turned off by its guard counts as served. */
#include <string.h>

#include "mech/lib/set.h"
#include "sm/impl.h"

enum { MOST_BANKS = 256 };

struct claims {
    bool any;                  /* of the cache's port: */
    uint64_t line;             /* the one it serves */
    uint64_t word[MOST_BANKS]; /* 1 + the one each bank gives; 0: it is free */
};

static bool gets_line(struct claims *c, uint64_t addr, uint32_t line) {
    if (!c->any) c->line = addr / line;
    c->any = true;
    return c->line == addr / line;
}

/* Never the first of all, which finds every bank free. */
static bool gets_banks(const struct sm *s, struct claims *c, uint64_t addr, uint32_t bytes) {
    const uint64_t wide = (uint64_t)s->o->sm.shared_bank_bytes, banks = (uint64_t)s->o->sm.shared_banks;
    const uint64_t first = addr / wide, last = (addr + bytes - 1) / wide;
    for (uint64_t w = first; w <= last; w++)
        if (c->word[w % banks] && c->word[w % banks] != w + 1) return false;
    for (uint64_t w = first; w <= last; w++) c->word[w % banks] = w + 1;
    return true;
}

static bool gets_through(const struct sm *s, struct claims *c, const struct ir_insn *i, uint32_t warp,
                         uint32_t lane, uint64_t addr, uint32_t bytes) {
    const enum ir_space space = exec_decode((enum ir_space)i->space, &addr);
    uint64_t to[SM_LANES];
    switch (space) {
    case IR_SP_GLOBAL: return i->space == IR_SP_CONST || gets_line(c, addr, s->line[MEM_L1D]);
    case IR_SP_LOCAL:
    case IR_SP_FRAME:
        to[lane] = addr;
        lines_local(s, warp, 1u << lane, to, to);
        return gets_line(c, to[lane], s->line[MEM_L1D]);
    case IR_SP_SHARED: return gets_banks(s, c, addr, bytes);
    default: return true;
    }
}

void port_served(void *sm, const struct mech_split *split, struct mech_set *out) {
    const struct sm *s = sm;
    const struct ir_insn *i = sm_insn(s, split->pc);
    struct claims claims = {0};
    uint64_t addr[SM_LANES];
    uint32_t bytes = 0;
    out->n = 0;
    for (uint32_t k = 0; k < split->set.n; k++) {
        const struct mech_piece p = split->set.p[k];
        const uint32_t wants = exec_where(s->warps[p.warp].w, i, p.mask, addr, &bytes);
        uint32_t served = p.mask & ~wants;
        FOR_LANES(l, wants)
        if (gets_through(s, &claims, i, p.warp, l, addr[l], bytes)) served |= 1u << l;
        if (served) set_add(out, p.warp, served);
    }
}
