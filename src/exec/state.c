/* Grids, blocks and warps: what a launch checks, what its blocks share, and storage that is used for one
 * block after another. Registers of a warp are one allocation, zeroed for each block: a kernel that reads
 * what it never wrote reads zeros, every time. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "exec/impl.h"

enum { DEFAULT_STACK = 256 << 10, DEFAULT_HEAP = 8 << 20 };
#define MOST_BLOCK_BYTES (UINT64_C(2) << 30) /* host memory one block may take */
/* Bytes of local memory beyond its frame, calls and bytes of saved rows that a thread leaves to that of the next block. */
enum { KEPT_LOCAL = 4096, KEPT_CALLS = 64, KEPT_SAVED = 1024 };

static bool check_dims(const struct exec_launch *l, const struct ir_func *f, struct err *e) {
    uint64_t threads = 1, blocks = 1;
    for (int d = 0; d < 3; d++) {
        threads = threads > EXEC_MAX_THREADS ? threads : threads * l->block[d];
        if (__builtin_mul_overflow(blocks, l->grid[d], &blocks)) blocks = 0;
        if (f->reqntid[0] && l->block[d] != (f->reqntid[d] ? f->reqntid[d] : 1))
            return err_set(
                e, ERR_INPUT, "kernel %s requires blocks of %" PRIu32 " x %" PRIu32 " x %" PRIu32 " threads",
                f->name, f->reqntid[0], f->reqntid[1] ? f->reqntid[1] : 1, f->reqntid[2] ? f->reqntid[2] : 1);
    }
    if (!threads || !blocks) return err_set(e, ERR_INPUT, "kernel %s: an empty or enormous grid", f->name);
    if (threads > EXEC_MAX_THREADS)
        return err_set(e, ERR_INPUT, "kernel %s: blocks of more than %d threads", f->name, EXEC_MAX_THREADS);
    uint64_t most = 1;
    for (int d = 0; d < 3; d++) most *= f->maxntid[d] ? f->maxntid[d] : 1;
    if (f->maxntid[0] && threads > most)
        return err_set(e, ERR_INPUT,
                       "kernel %s is compiled for at most %" PRIu64 " threads a block, not %" PRIu64, f->name,
                       most, threads);
    return true;
}

static bool check_sizes(const struct exec_launch *l, const struct ir_func *f, struct err *e) {
    if ((!f->kernel && !l->core) || !f->defined) return err_set(e, ERR_INPUT, "%s is not a kernel", f->name);
    if (l->dynamic_shared > EXEC_MAX_SHARED || f->shared_bytes > EXEC_MAX_SHARED - l->dynamic_shared)
        return err_set(e, ERR_INPUT, "kernel %s: more than %d bytes of shared memory", f->name,
                       EXEC_MAX_SHARED);
    if (f->param_bytes > EXEC_MAX_PARAM || (f->param_bytes && !l->params))
        return err_set(e, ERR_INPUT, "kernel %s: no or too many parameters", f->name);
    if (f->frame_bytes > EXEC_MAX_LOCAL / 2)
        return err_set(e, ERR_INPUT, "kernel %s: %" PRIu32 " bytes of local memory per thread are too many",
                       f->name, f->frame_bytes);
    return check_dims(l, f, e);
}

/* A kernel whose own frame is large is given room to call beyond it. */
static uint32_t stack_limit(const struct exec_launch *l, const struct ir_func *f) {
    uint64_t want = l->stack_bytes;
    if (!want) want = DEFAULT_STACK + 2 * (uint64_t)f->frame_bytes;
    if (want < f->frame_bytes) want = f->frame_bytes;
    return want < EXEC_MAX_LOCAL ? (uint32_t)want : EXEC_MAX_LOCAL;
}

/* Writes the addresses that .shared variables have in this kernel into the image's constants. */
static void place_shared(struct exec_image *im, uint32_t func) {
    const struct ir_func *f = &im->m->funcs.v[func];
    if (im->shared_for == func) return;
    for (size_t k = 0; k < im->nshared_relocs; k++) {
        const struct ir_reloc *r = &im->m->relocs.v[im->shared_relocs[k]];
        const uint32_t off = f->shared_offset ? f->shared_offset[r->symbol] : IR_NOPC;
        if (off == IR_NOPC) continue; /* the kernel does not get to it */
        constant_fill(im->k32, im->k64, r, off + (uint64_t)r->addend + (r->generic ? EXEC_WIN_SHARED : 0));
    }
    im->shared_for = func;
}

/* This launch's constants: the image's rows, copied only where a form has further ones. */
static bool exec_state_place_constants(struct exec_grid *g, struct err *e) {
    const struct ir_module *m = g->module;
    place_shared(g->image, g->launch->func);
    g->k32 = g->image->k32;
    g->k64 = g->image->k64;
    const size_t known = g->image->m->k32.n;
    if (m->k32.n == known) return true;
    uint32_t *k32 = try_alloc(m->k32.n * EXEC_LANES * 4);
    g->own_constants = true;
    g->k32 = k32;
    if (!k32) return err_set(e, ERR_MEMORY, "kernel %s: no memory for its constants", g->func->name);
    memcpy(k32, g->image->k32, known * EXEC_LANES * 4);
    for (size_t k = known * EXEC_LANES; k < m->k32.n * EXEC_LANES; k++) k32[k] = m->k32.v[k / EXEC_LANES];
    return true;
}

static void number_threads(struct exec_grid *g) {
    const uint32_t *dim = g->launch->block, warps = (g->threads + EXEC_LANES - 1) / EXEC_LANES;
    uint32_t x = 0, y = 0, z = 0;
    g->tid = pages_raw(g->pages, warps * sizeof *g->tid);
    for (uint32_t t = 0; t < warps * EXEC_LANES; t++) {
        uint32_t(*at)[EXEC_LANES] = g->tid[t / EXEC_LANES];
        at[0][t % EXEC_LANES] = x;
        at[1][t % EXEC_LANES] = y;
        at[2][t % EXEC_LANES] = z;
        if (++x < dim[0]) continue;
        x = 0;
        if (++y < dim[1]) continue;
        y = 0;
        z++;
    }
}

bool exec_grid_init(struct exec_grid *g, const struct exec_launch *l, struct err *e) {
    *g = (struct exec_grid){.image = l->image,
                            .launch = l,
                            .failure = l->failure,
                            .module = l->form ? l->form : l->image->m,
                            .mem = l->image->mem,
                            .fn = l->image->fn,
                            .pages = l->pages ? l->pages : &l->image->pages,
                            .most = l->max_insts ? l->max_insts : UINT64_MAX};
    if (l->func >= g->module->funcs.n) return err_set(e, ERR_INPUT, "no such kernel");
    CHECK(g->module->funcs.n == l->image->m->funcs.n);
    g->func = &g->module->funcs.v[l->func];
    if (!check_sizes(l, g->func, e)) return false;
    g->threads = l->block[0] * l->block[1] * l->block[2];
    g->blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    g->shared_bytes = g->func->shared_bytes + l->dynamic_shared;
    g->stack_limit = stack_limit(l, g->func);
    g->heap_limit = l->heap_bytes ? l->heap_bytes : DEFAULT_HEAP;
    if (exec_block_bytes(g) > MOST_BLOCK_BYTES)
        return err_set(e, ERR_MEMORY,
                       "kernel %s: a block of %" PRIu32 " threads takes %" PRIu64 " bytes, which is too many",
                       g->func->name, g->threads, exec_block_bytes(g));
    number_threads(g);
    g->params = xaligned(64, g->func->param_bytes + 1);
    if (g->func->param_bytes) memcpy(g->params, l->params, g->func->param_bytes);
    if (l->tape) tape_begin(g);
    return exec_state_place_constants(g, e) && (!l->races || races_begin(l->races, g, e));
}

void exec_grid_free(struct exec_grid *g) {
    if (g->own_constants) xfree(g->k32);
    if (g->races) races_end(g->races);
    xfree(g->params);
    sb_free(&g->note);
    pages_rewind(g->pages);
}

static size_t reg_bytes(const struct ir_func *f, size_t part[3]) {
    part[IR_FILE_64] = (size_t)f->total_rows[IR_FILE_64] * EXEC_LANES * 8;
    part[IR_FILE_32] = (size_t)f->total_rows[IR_FILE_32] * EXEC_LANES * 4;
    part[IR_FILE_P] = ((size_t)f->total_rows[IR_FILE_P] + 1) * 4; /* row 0 is always there */
    return part[0] + part[1] + part[2];
}

uint32_t exec_row_at(const struct ir_func *f, ir_opnd o) {
    size_t part[3];
    reg_bytes(f, part);
    const size_t at = ir_file(o) == IR_FILE_64 ? ir_index(o) * EXEC_LANES * sizeof(uint64_t)
                      : ir_file(o) == IR_FILE_32
                          ? part[IR_FILE_64] + ir_index(o) * EXEC_LANES * sizeof(uint32_t)
                          : part[IR_FILE_64] + part[IR_FILE_32];
    return (uint32_t)at;
}

uint64_t exec_block_bytes(const struct exec_grid *g) {
    size_t part[3];
    uint64_t warp = reg_bytes(g->func, part) + sizeof(struct exec_warp);
    warp += (uint64_t)g->func->frame_bytes * EXEC_LANES;
    return g->shared_bytes + warp * ((g->threads + EXEC_LANES - 1) / EXEC_LANES);
}

/* Stacks of machine code are large and little used, from the top: what no thread touches must cost nothing. They never grow. */
static bool stacks_alloc(struct exec_warp *w, uint32_t bytes) {
    w->local_cap = (bytes + 63) & ~63u;
    w->local_stride = w->local_cap + 64; /* see local_reserve */
    w->local_low = UINT32_MAX;
    return (w->local = pages_blank(w->block->grid->pages, (size_t)w->local_stride * EXEC_LANES)) != NULL;
}

static bool local_alloc(struct exec_warp *w) {
    const struct exec_grid *g = w->block->grid;
    return g->module->binary ? stacks_alloc(w, g->func->frame_bytes) : local_reserve(w, g->func->frame_bytes);
}

static bool warp_alloc(struct exec_warp *w, struct exec_block *b, uint32_t index) {
    const struct exec_grid *g = b->grid;
    size_t part[3];
    *w = (struct exec_warp){.block = b, .index = index, .tid = g->tid[index]};
    w->regs = pages_try(g->pages, reg_bytes(g->func, part));
    if (!w->regs || !local_alloc(w)) return false;
    w->x.r64[0] = w->regs;
    w->x.r32[0] = (uint32_t *)((uint8_t *)w->regs + part[IR_FILE_64]);
    w->x.pred = (uint32_t *)((uint8_t *)w->regs + part[IR_FILE_64] + part[IR_FILE_32]);
    w->x.r32[1] = g->k32;
    w->x.r64[1] = g->k64;
    w->x.carry = &w->carry;
    w->x.warp = w;
    w->x.out = &b->grid->out;
    return true;
}

bool exec_block_alloc(struct exec_block *b, struct exec_grid *g, struct err *e) {
    uint32_t n = (g->threads + EXEC_LANES - 1) / EXEC_LANES;
    *b = (struct exec_block){.grid = g, .warps = pages_raw(g->pages, n * sizeof *b->warps)};
    b->shared = pages_try(g->pages, g->shared_bytes);
    bool ok = b->shared != NULL;
    while (ok && b->nwarps < n) {
        const uint32_t k = b->nwarps++;
        ok = warp_alloc(&b->warps[k], b, k);
    }
    if (ok) return true;
    exec_block_free(b);
    return err_set(e, ERR_MEMORY, "kernel %s: the host has no memory for a block", g->func->name);
}

/* A kernel that is machine code: its parameter is what x1 to x31 and f0 to f31 hold at first. Returns the bytes filled. */
static size_t load_registers(struct exec_warp *w, const uint8_t *params) {
    const size_t row_bytes = EXEC_LANES * sizeof(uint64_t);
    memset(w->x.r64[0], 0, row_bytes);
    for (uint32_t r = 1; r < IR_RV_FCSR; r++) {
        uint64_t v, *row = w->x.r64[0] + (size_t)r * EXEC_LANES;
        memcpy(&v, params + r * sizeof v, sizeof v);
        for (uint32_t l = 0; l < EXEC_LANES; l++) row[l] = v;
    }
    return IR_RV_FCSR * row_bytes;
}

/* Behind the registers: what lies on each thread's stack from sp on, up to the end of its frame. */
static void load_stack(struct exec_warp *w, const uint8_t *params) {
    uint64_t sp;
    const uint32_t top = w->block->grid->func->frame_bytes;
    memcpy(&sp, params + IR_RV_SP * sizeof sp, sizeof sp);
    const uint64_t from = sp - EXEC_WIN_LOCAL;
    if (from >= top || top - from > w->block->grid->func->param_bytes - IR_RV_FCSR * sizeof sp) return;
    for (size_t l = 0; l < EXEC_LANES; l++)
        memcpy(w->local + l * w->local_stride + from, params + IR_RV_FCSR * sizeof sp, top - from);
    w->local_low = (uint32_t)from;
}

/* Clears local memory. A stack of machine code is cleared only where it was used. */
static void clear_local(struct exec_warp *w) {
    if (!w->block->grid->module->binary) {
        memset(w->local, 0, (size_t)w->local_stride * EXEC_LANES);
        return;
    }
    const uint32_t low = w->local_low < w->local_cap ? w->local_low : w->local_cap;
    for (size_t l = 0; l < EXEC_LANES; l++)
        memset(w->local + l * w->local_stride + low, 0, w->local_cap - low);
    w->local_low = UINT32_MAX;
}

static void warp_start(struct exec_warp *w) {
    const struct exec_grid *g = w->block->grid;
    size_t part[3];
    const size_t bytes = reg_bytes(g->func, part);
    const bool given = g->module->binary && g->func->param_bytes >= IR_RV_FCSR * sizeof(uint64_t);
    const size_t loaded = given ? load_registers(w, g->params) : 0;
    memset((uint8_t *)w->regs + loaded, 0, bytes - loaded);
    if (w->local) clear_local(w);
    w->x.pred[0] = ~0u;
    if (given) load_stack(w, g->params);
    uint32_t left = g->threads - w->index * EXEC_LANES;
    w->live = left < EXEC_LANES ? (1u << left) - 1 : ~0u;
    w->nlive = (uint8_t)bits_count(w->live);
    w->blocked = w->released = w->bar_wait = w->carry = w->arrives = 0;
    memset(w->arrived, 0, sizeof w->arrived);
    w->spun = false;
    memset(w->cp_group, 0, sizeof w->cp_group);
    w->cluster[0] = w->cluster[1] = 0;
    for (uint32_t l = 0; l < EXEC_LANES; l++) {
        w->depth[l] = w->frame[l] = w->stack[l].nsaved = 0;
        w->sp[l] = g->func->frame_bytes;
    }
}

void exec_block_start(struct exec_block *b, uint64_t index) {
    const uint32_t *dim = b->grid->launch->grid;
    b->index = index;
    b->ctaid[0] = (uint32_t)(index % dim[0]);
    b->ctaid[1] = (uint32_t)(index / dim[0] % dim[1]);
    b->ctaid[2] = (uint32_t)(index / dim[0] / dim[1]);
    b->live = b->grid->threads;
    b->blocked = 0;
    memset(b->shared, 0, b->grid->shared_bytes);
    memset(b->bar, 0, sizeof b->bar);
    for (uint32_t k = 0; k < b->nwarps; k++) warp_start(&b->warps[k]);
    if (b->grid->races) races_block_start(b);
    if (b->grid->launch->tape) tape_block_start(b);
}

/* Deep calls of one block would otherwise be memory, and zeroing, of every block after it. */
static void shrink_local(struct exec_warp *w, uint32_t frame_bytes) {
    if (w->local_cap <= frame_bytes + KEPT_LOCAL) return;
    struct exec_warp small = {0};
    if (!local_reserve(&small, frame_bytes)) return;
    xfree(w->local);
    w->local = small.local;
    w->local_cap = small.local_cap;
    w->local_stride = small.local_stride;
}

static void shrink_stack(struct exec_stack *s) {
    if (s->cap > KEPT_CALLS) {
        xfree(s->frame);
        s->frame = NULL;
        s->cap = 0;
    }
    if (s->saved_cap > KEPT_SAVED) {
        xfree(s->saved);
        s->saved = NULL;
        s->saved_cap = 0;
    }
}

void exec_block_end(struct exec_block *b) {
    const struct ir_func *f = b->grid->func;
    if (b->tapes) tape_block_end(b, true);
    for (uint32_t k = 0; k < b->nwarps; k++) {
        struct exec_warp *w = &b->warps[k];
        if (w->local) shrink_local(w, f->frame_bytes);
        for (int l = 0; w->called && l < EXEC_LANES; l++) shrink_stack(&w->stack[l]);
        w->called = false;
    }
}

void exec_block_free(struct exec_block *b) {
    if (b->races) races_block_free(b);
    if (b->tapes) tape_block_end(b, false);
    for (uint32_t k = 0; k < b->nwarps; k++) {
        struct exec_warp *w = &b->warps[k];
        for (int l = 0; l < EXEC_LANES; l++) {
            xfree(w->stack[l].frame);
            xfree(w->stack[l].saved);
        }
        if (!b->grid->module->binary) xfree(w->local);
    }
    *b = (struct exec_block){0};
}
