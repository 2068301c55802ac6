/* From bytes to instructions to functions. A section is read from its beginning, and anew from every function that a symbol
 * names, so that data between functions does not set off what follows. Functions begin at symbols, at the targets of calls,
 * and at the program's entry; each ends where the next begins. */
#include "front/riscv/code.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bound.h"

/* Addresses that instructions may span, from the first to the last: a table of them is made. */
#define MOST_SPAN (UINT64_C(1) << 30)

uint32_t rv_code_at(const struct rv_code *c, uint64_t addr) {
    const uint64_t step = (addr - c->base) / 2;
    return addr & 1 || addr < c->base || step >= c->halves ? RV_NONE : c->at[step];
}

/* ---- instructions ---- */

/* The first symbol of a function behind an address, from *k on; UINT64_MAX: there is none. */
static uint64_t next_symbol(const struct rv_elf *f, size_t *k, uint64_t addr) {
    while (*k < f->symbols.n && (f->symbols.v[*k].address <= addr || !f->symbols.v[*k].function)) ++*k;
    return *k < f->symbols.n ? f->symbols.v[*k].address : UINT64_MAX;
}

static void rv_code_sweep(struct rv_code *c, const struct rv_table *t, struct rv_range r, size_t *symbol) {
    const uint8_t *p = rv_elf_at(c->f, r.from, r.to - r.from);
    for (uint64_t at = r.from; p && at < r.to;) {
        const uint64_t cut = next_symbol(c->f, symbol, at), end = cut < r.to ? cut : r.to;
        struct rv_insn i;
        rv_decode(t, p + (at - r.from), end - at, &i);
        if (at & 1) return;
        c->at[(at - c->base) / 2] = (uint32_t)c->insn.n;
        VEC_PUSH(&c->insn, i);
        VEC_PUSH(&c->addr, at);
        at += i.length < end - at ? i.length : end - at;
    }
}

static bool rv_code_read_all(struct rv_code *c, const char *name, struct err *e) {
    const struct rv_elf *f = c->f;
    struct rv_table t;
    size_t symbol = 0;
    if (!f->code.n) return err_set(e, ERR_INPUT, "%s: error: there are no instructions in it", name);
    const uint64_t end = f->code.v[f->code.n - 1].to;
    c->base = f->code.v[0].from & ~UINT64_C(1);
    if (end - c->base > MOST_SPAN)
        return err_set(e, ERR_INPUT, "%s: error: its code spans %" PRIu64 " bytes, which is too many", name,
                       end - c->base);
    c->halves = (end - c->base + 1) / 2;
    c->at = xmalloc(c->halves * sizeof *c->at + 1);
    memset(c->at, 0xff, c->halves * sizeof *c->at);
    rv_table_init(&t);
    for (size_t k = 0; k < f->code.n; k++) rv_code_sweep(c, &t, f->code.v[k], &symbol);
    return true;
}

/* ---- functions ---- */

/* Marks where functions begin, one byte per instruction. */
static uint8_t *find_starts(const struct rv_code *c) {
    const struct rv_elf *f = c->f;
    uint8_t *start = xcalloc(c->insn.n + 1, 1);
    const uint32_t entry = rv_code_at(c, f->entry);
    if (entry != RV_NONE) start[entry] = 1;
    for (size_t k = 0; k < f->symbols.n; k++) {
        const uint32_t i = f->symbols.v[k].function ? rv_code_at(c, f->symbols.v[k].address) : RV_NONE;
        if (i != RV_NONE) start[i] = 1;
    }
    for (size_t k = 0; k < f->code.n; k++) {
        const uint32_t i = rv_code_at(c, f->code.v[k].from);
        if (i != RV_NONE) start[i] = 1;
    }
    for (size_t k = 0; k < c->insn.n; k++) {
        const struct rv_insn *i = &c->insn.v[k];
        if (i->id != RV_JAL || !i->rd) continue;
        const uint32_t to = rv_code_at(c, c->addr.v[k] + (uint64_t)(int64_t)i->imm);
        if (to != RV_NONE) start[to] = 1;
    }
    return start;
}

static void make_functions(struct rv_code *c) {
    const struct rv_elf *f = c->f;
    uint8_t *start = find_starts(c);
    size_t symbol = 0;
    for (uint32_t k = 0; k < c->insn.n; k++) {
        if (!start[k]) continue;
        const uint64_t at = c->addr.v[k];
        while (symbol < f->symbols.n && f->symbols.v[symbol].address < at) symbol++;
        const bool named =
            symbol < f->symbols.n && f->symbols.v[symbol].address == at && f->symbols.v[symbol].function;
        if (c->funcs.n) c->funcs.v[c->funcs.n - 1].last = k;
        VEC_PUSH(&c->funcs, (struct rv_func){.from = at,
                                             .first = k,
                                             .last = (uint32_t)c->insn.n,
                                             .name = named ? f->symbols.v[symbol].name : NULL,
                                             .kernel = named && at >= f->kernels[0] && at < f->kernels[1]});
    }
    for (size_t k = 0; k < c->funcs.n; k++) {
        const uint32_t end = c->funcs.v[k].last - 1;
        c->funcs.v[k].to = c->addr.v[end] + c->insn.v[end].length;
    }
    xfree(start);
}

uint32_t rv_code_func(const struct rv_code *c, uint64_t addr) {
    size_t at;
    BOUND(at, 0, c->funcs.n, c->funcs.v[at].from <= addr);
    return at && addr < c->funcs.v[at - 1].to ? (uint32_t)at - 1 : RV_NONE;
}

/* ---- whose address is taken ---- */

static void rv_code_take(struct rv_code *c, uint64_t addr) {
    const uint32_t f = rv_code_func(c, addr);
    if (f != RV_NONE && c->funcs.v[f].from == addr) c->funcs.v[f].taken = true;
}

/* In data: any aligned word that is a function's address. In code: what two instructions compute. */
static void find_taken(struct rv_code *c) {
    for (size_t k = 0; k < c->f->segments.n; k++) {
        const struct rv_segment *s = &c->f->segments.v[k];
        for (uint64_t at = (8 - s->address % 8) % 8; at + 8 <= s->filled; at += 8) {
            uint64_t word;
            memcpy(&word, s->data + at, 8);
            if (word >= c->base && word - c->base < c->halves * 2) rv_code_take(c, word);
        }
    }
    for (uint32_t f = 0; f < c->funcs.n; f++)
        for (uint32_t k = c->funcs.v[f].first; k < c->funcs.v[f].last; k++) {
            uint64_t v;
            const struct rv_insn *i = &c->insn.v[k];
            if (i->id == RV_ADDI && rv_known(c, &c->funcs.v[f], k, i->rs1, &v))
                rv_code_take(c, v + (uint64_t)(int64_t)i->imm);
        }
}

bool rv_code_read(struct rv_code *c, const struct rv_elf *f, const char *name, struct err *e) {
    *c = (struct rv_code){.f = f};
    if (!rv_code_read_all(c, name, e)) return false;
    if (!c->insn.n) return err_set(e, ERR_INPUT, "%s: error: there are no instructions in it", name);
    make_functions(c);
    find_taken(c);
    return true;
}

void rv_code_free(struct rv_code *c) {
    xfree(c->at);
    VEC_FREE(&c->insn);
    VEC_FREE(&c->addr);
    VEC_FREE(&c->funcs);
}
