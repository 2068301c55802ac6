/* The race check: which accesses of a launch does nothing order?
 *
 * Happens-before (Lamport, 1978) on a SIMT machine. Order comes from each thread's own program, from block barriers and
 * bar.warp.sync, from fences and the strong accesses around them, and from the end of a launch (races_order.c). It does not
 * come from lanes of a warp running together: since Volta they need not; in lockstep mode a warp is one thread. Nor does
 * it come from shuffles and votes, which PTX says synchronise but do not order memory. Two accesses of the same byte by
 * different threads, one of them a write, that are not ordered, are a race (races_access.c), whatever came of it here: the
 * check does not wait for a schedule in which the race shows.
 *
 * A race is reported once for each pair of instructions, with the first conflict as the example. Where both store the same
 * value it is kept apart: threads that all write "found" do no harm.
 *
 * Without the check nothing of this runs: a launch that is watched has executors of its own for the instructions that
 * matter, and others are not touched. The two places where threads are set free look at grid->watching. */
#include "exec/race/races.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "exec/race/impl.h"

struct exec_races *exec_races_new(enum exec_races_mode mode, uint64_t bytes) {
    struct exec_races *r = xcalloc(1, sizeof *r);
    r->mode = mode;
    r->limit = bytes;
    return r;
}

void exec_races_free(struct exec_races *r) {
    if (!r) return;
    shadow_free(r);
    VEC_FREE(&r->found);
    arena_free(&r->text);
    xfree(r);
}

uint64_t exec_races_omitted(const struct exec_races *r) {
    return r->omitted;
}

uint64_t exec_races_unseen(const struct exec_races *r) {
    return r->unseen;
}

/* ---- a launch ---- */

static exec_fn *executor(const struct ir_op_info *op, uint16_t id, exec_fn *plain) {
    if (id >= IR_LD_U8 && id <= IR_LD_U64) return races_ld;
    if (id >= IR_ST_U8 && id <= IR_ST_U64) return races_st;
    if (id == IR_LDMATRIX) return races_ld;
    if (id == IR_STMATRIX) return races_st;
    if (op->cls == IR_C_ATOM) return races_atom;
    if (id == IR_CP_ASYNC) return races_copy;
    switch (id) {
    case IR_BAR_SYNC:
    case IR_BAR_ARRIVE:
    case IR_BAR_RED_P:
    case IR_BAR_RED_U32: return races_bar;
    case IR_CLUSTER_ARRIVE:
    case IR_CLUSTER_WAIT: return races_cluster_bar;
    case IR_WARPSYNC: return races_warpsync;
    case IR_MEMBAR: return races_fence;
    case IR_EXIT:
    case IR_RET:
    case IR_SYS: return races_release;
    default: return plain;
    }
}

bool races_begin(struct exec_races *r, struct exec_grid *g, struct err *e) {
    if (g->blocks > UINT32_MAX)
        return err_set(e, ERR_INPUT, "kernel %s: races are not looked for in grids of 2^32 blocks and more",
                       g->func->name);
    const uint32_t warps = (g->threads + EXEC_LANES - 1) / EXEC_LANES;
    r->grid = g;
    r->nunits = r->mode == EXEC_RACES_LOCKSTEP ? warps : warps * EXEC_LANES;
    for (uint16_t op = 0; op < IR_NOPS; op++) r->fn[op] = executor(&ir_ops[op], op, g->image->fn[op]);
    g->races = r;
    g->fn = r->fn;
    return true;
}

void races_end(struct exec_races *r) {
    shadow_free(r);
    r->grid = NULL;
}

/* ---- findings ---- */

static enum exec_race_kind races_kind_of(uint8_t a, uint8_t b) {
    const bool reads = a == EXEC_RACE_READ || a == EXEC_RACE_VOLATILE_READ || a == EXEC_RACE_STRONG_READ ||
                       b == EXEC_RACE_READ || b == EXEC_RACE_VOLATILE_READ || b == EXEC_RACE_STRONG_READ;
    if (a == EXEC_RACE_ATOMIC || b == EXEC_RACE_ATOMIC) return EXEC_RACE_ATOMIC_PLAIN;
    return reads ? EXEC_RACE_READ_WRITE : EXEC_RACE_WRITE_WRITE;
}

static void thread_at(const uint32_t dim[3], uint64_t index, uint32_t to[3]) {
    to[0] = (uint32_t)(index % dim[0]);
    to[1] = (uint32_t)(index / dim[0] % dim[1]);
    to[2] = (uint32_t)(index / dim[0] / dim[1]);
}

/* Compilers write a tab between an instruction and its operands. */
static const char *without_tabs(char *text) {
    char *to = text;
    for (const char *c = text; *c; c++)
        if (*c != '\t')
            *to++ = *c;
        else if (to > text && to[-1] != ' ')
            *to++ = ' ';
    *to = '\0';
    return text;
}

static uint32_t races_line_of(const struct ir_module *m, uint32_t pc) {
    return ir_place(m, m->code.v[pc].line).line;
}

static struct exec_race_side describe_side(struct exec_races *r, const struct races_seen *s) {
    const struct ir_module *m = r->grid->module;
    struct exec_race_side side = {
        .access = (enum exec_race_access)s->access, .pc = s->pc, .line = races_line_of(m, s->pc)};
    struct sb text = {0};
    exec_pc_text(m, s->pc, &text);
    side.text = without_tabs(sb_keep(&text, &r->text));
    if (s->pc < m->src.n && m->src.v[s->pc].line) {
        const struct ir_srcloc *at = &m->src.v[s->pc];
        const char *file = at->file < m->files.n ? m->files.v[at->file] : NULL;
        side.source = arena_strdup(&r->text, file ? file : "source");
        side.source_line = at->line;
    }
    side.warp = s->thread / EXEC_LANES;
    thread_at(r->grid->launch->grid, s->block, side.block);
    thread_at(r->grid->launch->block, s->thread, side.thread);
    return side;
}

/* The .shared variable that holds the address, or the allocation. */
static void describe_object(struct exec_races *r, const struct races_conflict *c, struct exec_race *to) {
    const struct exec_grid *g = r->grid;
    to->object = "";
    to->address = to->offset = c->address;
    for (size_t k = 0; c->shared && k < g->module->vars.n && g->func->shared_offset; k++) {
        const struct ir_var *v = &g->module->vars.v[k];
        const uint32_t at = g->func->shared_offset[k];
        if (at == IR_NOPC || c->address < at || (!v->dynamic && c->address >= at + v->bytes)) continue;
        to->object = arena_strdup(&r->text, v->name);
        to->offset = c->address - at;
    }
    const struct exec_alloc *a = c->shared ? NULL : exec_mem_find(g->mem, c->address, 1);
    if (!a) return;
    to->object = arena_strdup(&r->text, a->label);
    to->offset = c->address - a->addr;
}

/* A pair of instructions is the same whichever came first. */
static uint32_t *bucket_of(struct exec_races *r, const struct races_conflict *c) {
    const uint32_t a = c->side[0].pc, b = c->side[1].pc;
    const uint32_t key[] = {a < b ? a : b, a < b ? b : a};
    return &r->bucket[hash_bytes(HASH_START, key, sizeof key) % RACES_BUCKETS];
}

static bool is_side(const struct exec_race_side *side, const struct races_seen *s,
                    const struct ir_module *m) {
    return side->pc == s->pc && side->line == races_line_of(m, s->pc);
}

static bool is_of(const struct exec_races *r, const struct races_found *f, const struct races_conflict *c) {
    const struct ir_module *m = r->grid->module;
    const struct exec_race_side *side = f->race.side;
    if (f->module != m || f->race.shared != c->shared) return false;
    return (is_side(&side[0], &c->side[0], m) && is_side(&side[1], &c->side[1], m)) ||
           (is_side(&side[0], &c->side[1], m) && is_side(&side[1], &c->side[0], m));
}

static struct exec_race races_describe(struct exec_races *r, const struct races_conflict *c) {
    const struct ir_module *m = r->grid->module;
    struct exec_race race = {.kind = races_kind_of(c->side[0].access, c->side[1].access),
                             .same_value = c->same_value,
                             .shared = c->shared,
                             .launch = r->grid->launch->grid_id,
                             .file = arena_strdup(&r->text, ir_place(m, m->code.v[c->side[0].pc].line).name),
                             .kernel = arena_strdup(&r->text, r->grid->func->name),
                             .side = {describe_side(r, &c->side[0]), describe_side(r, &c->side[1])}};
    describe_object(r, c, &race);
    return race;
}

/* The first conflict in which values differ is a better example than one in which they do not. */
static void add_to(struct exec_races *r, struct races_found *f, const struct races_conflict *c) {
    const uint64_t before = f->race.count;
    if (f->race.same_value && !c->same_value) f->race = races_describe(r, c);
    f->race.count = before + 1;
}

void races_record(struct exec_races *r, const struct races_conflict *c) {
    uint32_t *bucket = bucket_of(r, c);
    for (uint32_t k = *bucket; k; k = r->found.v[k - 1].next)
        if (is_of(r, &r->found.v[k - 1], c)) {
            add_to(r, &r->found.v[k - 1], c);
            return;
        }
    if (r->found.n == RACES_MOST) {
        r->omitted++;
        return;
    }
    struct races_found f = {.module = r->grid->module, .next = *bucket, .race = races_describe(r, c)};
    f.race.count = 1;
    VEC_PUSH(&r->found, f);
    *bucket = (uint32_t)r->found.n;
}

static int worse_first(const void *pa, const void *pb) {
    const struct exec_race *a = *(const struct exec_race *const *)pa,
                           *b = *(const struct exec_race *const *)pb;
    if (a->same_value != b->same_value) return a->same_value - b->same_value;
    if (a->count != b->count) return a->count < b->count ? 1 : -1;
    return (a > b) - (a < b); /* as they were found */
}

const struct exec_race **exec_races_found(const struct exec_races *r, size_t *n) {
    const struct exec_race **list = xcalloc(r->found.n + 1, sizeof *list);
    for (size_t k = 0; k < r->found.n; k++) list[k] = &r->found.v[k].race;
    *n = r->found.n;
    qsort(list, r->found.n, sizeof *list, worse_first);
    return list;
}
