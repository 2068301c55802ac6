/* Counters by PC and costs by place, joined with what they mean. A grouping gives every PC a row; the costs of a place go to
 * the row of its PC, and with calls to each row on its chain of calls, once. */
#include "sim/observe/profile.h"

#include <stdlib.h>
#include <string.h>

enum { NO_ROW = 0xffffffffu };

uint64_t profile_waits(const struct profile_cost *c) {
    uint64_t sum = 0;
    for (int k = 0; k < SM_WAITS; k++) sum += c->waits[k];
    return sum;
}

uint64_t profile_slots(const struct profile_cost *c) {
    uint64_t sum = profile_waits(c);
    for (int k = 0; k < SM_LANE_KINDS; k++) sum += c->lanes[k];
    return sum;
}

uint64_t profile_suffers(const struct profile_cost *c) {
    return profile_slots(c) - c->lanes[LANE_ACTIVE];
}

uint64_t profile_causes(const struct profile_cost *c) {
    return c->parted + c->exited + c->held;
}

/* ---- rows ---- */

static struct profile_row profile_row_of(const struct ir_module *m, uint32_t pc) {
    const struct ir_func *f = ir_func_at(m, pc);
    const struct ir_srcloc *src = pc < m->src.n ? &m->src.v[pc] : NULL;
    struct profile_row row = {.pc = pc, .func = f ? f->name : "", .line = m->code.v[pc].line};
    if (src && src->file && src->file < m->files.n) {
        row.file = m->files.v[src->file];
        row.source_line = src->line;
    }
    return row;
}

typedef bool same_fn(const struct profile_row *a, const struct profile_row *b);
static bool same_pc(const struct profile_row *a, const struct profile_row *b) {
    return a->pc == b->pc;
}
static bool profile_same_line(const struct profile_row *a, const struct profile_row *b) {
    return a->line == b->line;
}
static bool same_source(const struct profile_row *a, const struct profile_row *b) {
    return a->source_line == b->source_line && a->file && b->file && !strcmp(a->file, b->file);
}
static bool same_func(const struct profile_row *a, const struct profile_row *b) {
    return !strcmp(a->func, b->func);
}

static void add_cost(struct profile_cost *to, const struct sm_cost *c, uint64_t width) {
    for (int k = 0; k < SM_LANE_KINDS; k++) to->lanes[k] += c->lanes[k];
    for (int k = 0; k < SM_WAITS; k++) to->waits[k] += c->waits[k] * width;
    to->parted += c->caused[LANE_PARTED];
    to->exited += c->caused[LANE_EXITED];
    to->held += c->waits_caused * width;
}

/* What the rows are made of. */
struct material {
    const struct ir_module *m;
    const struct sm_branch *by_pc;
    const struct sm_account *account; /* or NULL */
    bool *used;                       /* by PC: something happened there */
};

static void find_used(struct material *x) {
    x->used = xcalloc(x->m->code.n, sizeof *x->used);
    for (uint32_t pc = 0; pc < x->m->code.n; pc++) x->used[pc] = x->by_pc[pc].executions;
    for (uint32_t k = 0; x->account && k < x->account->places.n; k++) {
        struct profile_cost c = {0};
        add_cost(&c, &x->account->costs.v[k], x->account->width);
        x->used[x->account->places.v[k].pc] |= profile_slots(&c) || profile_causes(&c);
    }
}

/* The row of each PC that was used. Instructions of one line or function follow one another; only those of a source line
 * may lie apart. */
static uint32_t *make_rows(struct profile_rows *rows, const struct material *x, same_fn *same) {
    uint32_t *row = xcalloc(x->m->code.n, sizeof *row);
    for (uint32_t pc = 0; pc < x->m->code.n; pc++) {
        struct profile_row r = profile_row_of(x->m, pc);
        row[pc] = NO_ROW;
        if (!x->used[pc] || (same == same_source && !r.file)) continue;
        size_t k = rows->n, far = same == same_source ? k : k > 0;
        while (far && !same(&rows->v[k - 1], &r)) far--, k--;
        if (!far) {
            VEC_PUSH(rows, r);
            k = rows->n;
        }
        row[pc] = (uint32_t)k - 1;
        sm_branch_add(&rows->v[k - 1].count, &x->by_pc[pc]);
    }
    return row;
}

/* Whether a place on the chain from `from` up to, but not including, `to` has that row. */
static bool on_chain(const struct sm_account *a, const uint32_t *row, uint32_t from, uint32_t to,
                     uint32_t r) {
    for (; from != to; from = a->places.v[from].up)
        if (row[a->places.v[from].pc] == r) return true;
    return false;
}

static void add_place(struct profile_rows *rows, const struct sm_account *a, const uint32_t *row,
                      uint32_t place) {
    const struct sm_cost *c = &a->costs.v[place];
    const uint32_t own = row[a->places.v[place].pc];
    if (own != NO_ROW) add_cost(&rows->v[own].own, c, a->width);
    for (uint32_t at = place; at != ACCOUNT_NONE; at = a->places.v[at].up) {
        const uint32_t r = row[a->places.v[at].pc];
        if (r != NO_ROW && !on_chain(a, row, place, at, r)) add_cost(&rows->v[r].calls, c, a->width);
    }
}

static void profile_group(struct profile_rows *rows, const struct material *x, same_fn *same) {
    uint32_t *row = make_rows(rows, x, same);
    for (uint32_t place = 0; x->account && place < x->account->places.n; place++)
        add_place(rows, x->account, row, place);
    xfree(row);
}

/* ---- the branches ---- */

static int by_cost(const void *a, const void *b) {
    const struct profile_row *x = a, *y = b;
    const uint64_t cx = profile_causes(&x->own), cy = profile_causes(&y->own);
    if (cx != cy) return cx < cy ? 1 : -1;
    if (x->count.executions != y->count.executions) return x->count.executions < y->count.executions ? 1 : -1;
    return x->pc < y->pc ? -1 : x->pc > y->pc;
}

static bool is_branch(const struct ir_module *m, const struct profile_row *r) {
    const struct ir_insn *i = &m->code.v[r->pc];
    return (i->op == IR_BRA && ir_is_conditional(i)) || i->op == IR_BRX || r->count.divergences ||
           profile_causes(&r->own);
}

static void keep_branches(struct profile_rows *rows, const struct ir_module *m) {
    size_t n = 0;
    for (size_t k = 0; k < rows->n; k++)
        if (is_branch(m, &rows->v[k])) rows->v[n++] = rows->v[k];
    rows->n = n;
    if (n) qsort(rows->v, n, sizeof *rows->v, by_cost);
}

static void profile_sum_up(struct profile *p, const struct sm_account *a) {
    for (size_t k = 0; k < a->costs.n; k++)
        for (int i = 0; i < SM_LANE_KINDS; i++) p->lanes[i] += a->costs.v[k].lanes[i];
    for (int i = 0; i < SM_WAITS; i++) p->waits[i] = a->waits[i] * a->width;
    for (int i = 0; i < SM_LANE_KINDS; i++) p->slots += p->lanes[i];
    for (int i = 0; i < SM_WAITS; i++) p->slots += p->waits[i];
}

void profile_make(struct profile *p, const struct ir_module *m, const struct sm_branch *by_pc,
                  const struct sm_account *account) {
    struct material x = {m, by_pc, account, NULL};
    *p = (struct profile){0};
    if (!by_pc) return;
    find_used(&x);
    profile_group(&p->branches, &x, same_pc);
    keep_branches(&p->branches, m);
    profile_group(&p->ptx, &x, profile_same_line);
    profile_group(&p->source, &x, same_source);
    profile_group(&p->functions, &x, same_func);
    if (account) profile_sum_up(p, account);
    xfree(x.used);
}

void profile_free(struct profile *p) {
    VEC_FREE(&p->branches);
    VEC_FREE(&p->ptx);
    VEC_FREE(&p->source);
    VEC_FREE(&p->functions);
}
