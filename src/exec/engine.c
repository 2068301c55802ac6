/* The functional engine: one scheduler on top of the step interface of warp.h.
 *
 * A warp is a few splits {PC, call depth, lanes}. The one that runs is the deepest, then the lowest PC;
 * splits merge when both agree. Only the ends of basic blocks (and instructions that move, block or end
 * threads) are looked at, so a converged warp runs straight through. Statistics cost two additions per run: a
 * run over [a, b) adds its lanes at a and takes them off at b, and the sums are formed once at the end.
 *
 * Threads that wait for one another by spinning get along because no thread runs for ever. When a warp has run for a
 * quantum and did what a waiting thread does (an atomic that changed nothing, a volatile load, a clock), another split
 * gets a turn, least recently favoured first; after a round of turns another warp; after a round of warps another
 * block; and when all resident blocks had their turn and none finished, as many again become resident, within
 * RESIDENT_BYTES. Code that shows no such sign is left alone PATIENCE times as long, so that divergent loops are not
 * torn apart. Order and results are the same every time.
 *
 * A launch that cannot end is given up as soon as that is proved: stuck.c. */
#include "exec/engine.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"

enum { QUANTUM = 512, PATIENCE = 64, IDLE_PASSES = 16, MOST_RESIDENT = 1 << 16 };
enum { ASK_EVERY = 1 << 24 }; /* thread instructions, whether to go on */
#define RESIDENT_BYTES (UINT64_C(1) << 30)

enum verdict {
    RAN_OUT,
    BLOCKED,
    YIELDED,
    SPINNING,
    FAILED
}; /* no live thread; none runnable; set aside; set aside, waiting */

/* ---- splits ---- */

/* Adds lanes at a PC, to a split that is there already if there is one. A merge ends a turn: they have met.
 */
static void engine_join(struct path *p, struct split add) {
    for (uint32_t k = 0; k < p->n; k++) {
        struct split *s = &p->s[k];
        if (s->pc != add.pc || s->depth != add.depth) continue;
        s->mask |= add.mask;
        s->favoured = false;
        if (add.stamp < s->stamp) s->stamp = add.stamp;
        return;
    }
    p->s[p->n++] = add;
}

static void engine_take(struct path *p, uint32_t k) {
    p->s[k] = p->s[--p->n];
}

/* Deepest first, then the lowest PC; one with a turn before all others. */
static uint32_t engine_choose(const struct path *p) {
    uint32_t best = 0;
    for (uint32_t k = 1; k < p->n; k++) {
        const struct split *a = &p->s[k], *b = &p->s[best];
        if (a->favoured != b->favoured) {
            if (a->favoured) best = k;
        } else if (a->depth != b->depth ? a->depth > b->depth : a->pc < b->pc) {
            best = k;
        }
    }
    return best;
}

/* Lanes that an event set free go on behind the instruction they waited at. */
static void engine_take_released(struct exec_warp *w, struct path *p, uint64_t stamp) {
    uint32_t lanes = w->released;
    w->released = 0;
    FOR_LANES(l, lanes) engine_join(p, (struct split){w->wait_pc[l] + 1, w->depth[l], 1u << l, false, stamp});
}

/* ---- one run: a split from its PC to the end of the block, or to what stops it ---- */

/* Counting: does it also stop behind the instruction with which the launch exceeds its limit? */
static inline __attribute__((always_inline)) uint32_t
run_on(struct engine *en, struct exec_warp *w, uint32_t pc, uint32_t mask, const bool counting) {
    struct exec_grid *g = &en->grid;
    const struct ir_insn *code = g->module->code.v, *i = code + pc;
    exec_fn *const *fn = g->fn;
    struct exec_ctx *x = &w->x;
    struct exec_out *out = &g->out;
    out->flow = EXEC_NEXT;
    g->run_start = pc;
    for (;; i++) {
        uint32_t m = mask;
        if (i->guard) {
            m = exec_guard(x, i, mask);
            if (m != mask && i->op != IR_BRA) {
                /* What did not run is taken off here and put back behind. */
                struct tally *t = &en->tally[i - code];
                uint32_t off = bits_count(mask & ~m);
                t[0].lanes -= off;
                t[1].lanes += off;
                t[0].warps -= !m;
                t[1].warps += !m;
                g->insts -= off;
            }
        }
        if (m) fn[i->op](x, i, m);
        if (counting && g->insts + (uint64_t)(i - code - pc + 1) * bits_count(mask) > g->most) break;
        if (i->flags & IR_F_ENDS || out->flow != EXEC_NEXT) break;
    }
    uint32_t last = (uint32_t)(i - code), n = last + 1 - pc, lanes = bits_count(mask);
    en->tally[pc].warps++;
    en->tally[pc].lanes += lanes;
    en->tally[last + 1].warps--;
    en->tally[last + 1].lanes -= lanes;
    g->clock += n;
    g->insts += (uint64_t)n * lanes;
    return last;
}

static __attribute__((noinline)) uint32_t run_counting(struct engine *en, struct exec_warp *w, uint32_t pc,
                                                       uint32_t mask) {
    return run_on(en, w, pc, mask, true);
}

/* No run is longer than the code from its PC on. */
static uint32_t run_straight(struct engine *en, struct exec_warp *w, uint32_t pc, uint32_t mask) {
    const struct exec_grid *g = &en->grid;
    if (g->most - g->insts >= (g->module->code.n - pc) * EXEC_LANES) return run_on(en, w, pc, mask, false);
    return run_counting(en, w, pc, mask);
}

/* Lanes with targets of their own, grouped. */
static void engine_scatter(struct exec_warp *w, struct path *p, struct split s) {
    const struct exec_out *o = w->x.out;
    FOR_LANES(l, o->taken)
    engine_join(p, (struct split){o->pc[l], w->depth[l], 1u << l, s.favoured, s.stamp});
}

/* Moves the lanes of split k according to the outcome of the run that ended at last. */
static void engine_advance(struct engine *en, struct exec_warp *w, struct path *p, uint32_t k,
                           uint32_t last) {
    const struct exec_out *o = w->x.out;
    struct split s = p->s[k];
    if (o->flow == EXEC_NEXT) {
        if (p->n == 1) {
            p->s[0].pc = last + 1;
            return;
        }
        engine_take(p, k);
        s.pc = last + 1;
        engine_join(p, s);
        return;
    }
    if (o->flow == EXEC_JUMP && p->n == 1 && o->taken == s.mask) {
        p->s[0].pc = o->target;
        p->s[0].depth = w->depth[__builtin_ctz(s.mask)];
        return;
    }
    uint32_t rest = s.mask & ~(o->taken | o->exited | o->waiting);
    uint16_t op = en->grid.module->code.v[last].op;
    engine_take(p, k);
    if ((op == IR_BRA || op == IR_BRX) && (rest || o->flow == EXEC_EACH)) en->stats->divergent_branches++;
    if (rest) engine_join(p, (struct split){last + 1, s.depth, rest, s.favoured, s.stamp});
    if (o->flow == EXEC_EACH)
        engine_scatter(w, p, s);
    else if (o->taken)
        engine_join(
            p, (struct split){o->target, w->depth[__builtin_ctz(o->taken)], o->taken, s.favoured, s.stamp});
}

/* ---- turns ---- */

/* The quantum is over. Favours the split that has not run for longest, unless it was a favoured one's turn that ended:
 * then the usual order has its turn. */
static void engine_turn(struct engine *en, struct path *p, bool was_favoured) {
    uint32_t oldest = 0;
    en->stats->turns++;
    for (uint32_t k = 0; k < p->n; k++) {
        p->s[k].favoured = false;
        if (p->s[k].stamp < p->s[oldest].stamp) oldest = k;
    }
    p->s[oldest].favoured = !was_favoured && p->n > 1;
}

static enum verdict run_warp(struct engine *en, struct exec_warp *w, struct path *p) {
    uint32_t turns = 0;
    bool spinning = false;
    while (p->n) {
        uint32_t k = p->n > 1 ? engine_choose(p) : 0;
        uint32_t pc = p->s[k].pc, last;
        uint64_t before = en->grid.clock;
        bool favoured = p->s[k].favoured;
        p->s[k].stamp = ++en->stamp;
        last = run_straight(en, w, pc, p->s[k].mask);
        if (en->grid.out.flow == EXEC_FAULT) return exec_fault_error(w, en->err), FAILED;
        if (en->grid.insts > en->grid.most) return exec_limit_error(w, last, en->err), FAILED;
        engine_advance(en, w, p, k, last);
        if (w->released) engine_take_released(w, p, en->stamp);
        p->used += en->grid.clock - before;
        if (p->used < en->quantum || (!w->spun && p->used < en->quantum * en->patience) || !p->n) continue;
        spinning |= w->spun;
        p->used = 0;
        w->spun = false;
        engine_turn(en, p, favoured);
        if (++turns >= 2 * p->n - 1) return spinning ? SPINNING : YIELDED;
    }
    return w->live ? BLOCKED : RAN_OUT;
}

/* ---- blocks ---- */

/* Each warp once. Barriers that complete on the way free warps that were passed: they have their turn in the
 * next. */
static bool engine_pass(struct engine *en, struct resident *r, bool *moved, bool *spun) {
    struct exec_block *b = &r->block;
    *moved = *spun = false;
    for (uint32_t k = 0; k < b->nwarps; k++) {
        struct exec_warp *w = &b->warps[k];
        if (w->released) engine_take_released(w, &r->paths[k], en->stamp);
        if (!r->paths[k].n) continue;
        enum verdict v = run_warp(en, w, &r->paths[k]);
        if (v == FAILED) return false;
        if (v == RAN_OUT || v == BLOCKED) *moved = true;
        if (v == SPINNING) *spun = true;
    }
    return true;
}

static bool runnable(const struct resident *r) {
    for (uint32_t k = 0; k < r->block.nwarps; k++)
        if (r->paths[k].n || r->block.warps[k].released) return true;
    return false;
}

/* ---- the blocks of the grid ---- */

static bool keep_going(struct engine *en) {
    const struct exec_launch *l = en->launch;
    en->ask_at = en->grid.insts + ASK_EVERY;
    if (!l->progress || l->progress(l->user, en->done, en->grid.blocks, en->grid.insts)) return true;
    return err_set(en->err, ERR_LIMIT,
                   "stopped on request after %" PRIu64 " of %" PRIu64 " blocks of kernel %s, %" PRIu64
                   " thread instructions",
                   en->done, en->grid.blocks, en->grid.func->name, en->grid.insts);
}

/* Until the block has finished or looks as if it waits for another one. */
static bool run_block(struct engine *en, struct resident *r) {
    r->idle = 0;
    while (r->block.live && r->idle < IDLE_PASSES) {
        bool moved, spun;
        if (!engine_pass(en, r, &moved, &spun)) return false;
        if (r->block.live && !runnable(r)) return stuck_deadlock(en, &r->block);
        if (en->grid.insts >= en->ask_at && !keep_going(en)) return false;
        if (moved)
            r->idle = stuck_circles(en, r) ? r->idle + 1 : 0;
        else
            r->idle += spun || stuck_polls(en, r) ? IDLE_PASSES : 1;
    }
    return true;
}

static void engine_start(struct engine *en, struct resident *r) {
    const uint32_t entry = en->grid.func->entry;
    exec_block_start(&r->block, en->next_block++);
    for (uint32_t k = 0; k < r->block.nwarps; k++) {
        r->paths[k].s[0] = (struct split){entry, 0, r->block.warps[k].live, false, en->stamp};
        r->paths[k].n = 1;
        r->paths[k].used = 0;
    }
    r->active = true;
    r->circles = false;
    en->stats->blocks++;
    en->stats->warps += r->block.nwarps;
    en->stats->threads += en->grid.threads;
}

static bool engine_admit(struct engine *en) {
    struct resident *r = xcalloc(1, sizeof *r);
    if (!exec_block_alloc(&r->block, &en->grid, en->err)) {
        xfree(r);
        return false;
    }
    r->paths = xcalloc(r->block.nwarps, sizeof *r->paths);
    en->resident = xrealloc(en->resident, (en->nresident + 1) * sizeof(struct resident *));
    en->resident[en->nresident++] = r;
    engine_start(en, r);
    return true;
}

/* More blocks next to those that wait. That the host has no memory for them is no reason to stop. */
static void admit_more(struct engine *en) {
    size_t want = en->nresident * 2 < en->most_resident ? en->nresident * 2 : en->most_resident;
    while (en->nresident < want && en->next_block < en->grid.blocks && engine_admit(en)) continue;
    if (en->nresident < want && en->next_block < en->grid.blocks) {
        en->most_resident = en->nresident;
        err_free(en->err);
    }
}

/* One round over the resident blocks, oldest first; a place whose block has finished takes the next of the
 * grid. */
static bool round_robin(struct engine *en, bool *finished) {
    *finished = false;
    for (size_t k = 0; k < en->nresident; k++) {
        struct resident *r = en->resident[k];
        while (r->active) {
            if (!run_block(en, r)) return false;
            if (r->block.live) {
                en->stats->turns++;
                break;
            }
            r->active = false;
            exec_block_end(&r->block);
            *finished = true;
            en->patience = PATIENCE;
            en->done++;
            if (!keep_going(en)) return false;
            if (en->next_block < en->grid.blocks) engine_start(en, r);
        }
    }
    return true;
}

static bool run_grid(struct engine *en) {
    if (!engine_admit(en)) return false;
    while (en->done < en->grid.blocks) {
        bool finished;
        if (!round_robin(en, &finished)) return false;
        if (finished || en->done == en->grid.blocks) continue;
        if (!keep_going(en) || !stuck_look(en)) return false;
        admit_more(en);
    }
    return true;
}

/* ---- statistics ---- */

void exec_count(struct exec_stats *s, const struct ir_insn *i, uint64_t warps, uint64_t lanes) {
    s->class_insts[ir_ops[i->op].cls] += lanes;
    if (i->flags & IR_F_ADDED) return; /* the form's, not the program's */
    s->warp_insts += warps;
    s->thread_insts += lanes;
    switch (i->op) {
    case IR_BRA:
    case IR_BRX: s->branches += warps; break;
    case IR_CALL:
    case IR_CALL_IND:
    case IR_SYS: s->calls += lanes; break;
    default:
        if ((i->op >= IR_LD_U8 && i->op <= IR_LD_U64) || i->op == IR_LDMATRIX) s->loads += lanes;
        if ((i->op >= IR_ST_U8 && i->op <= IR_ST_U64) || i->op == IR_STMATRIX) s->stores += lanes;
        if (ir_ops[i->op].cls == IR_C_ATOM) s->atomics += lanes;
    }
}

static int by_entry(const void *a, const void *b) {
    const struct ir_func *const *x = a, *const *y = b;
    return (*x)->entry < (*y)->entry ? -1 : (*x)->entry > (*y)->entry;
}

/* Only functions that ran have anything in their tally. The differences of one end where the next in the code begins. */
static void sum_function(const struct engine *en, const struct ir_func *f, struct tally *sum) {
    const struct ir_module *m = en->grid.module;
    for (uint32_t pc = f->entry; pc < f->end; pc++) {
        sum->warps += en->tally[pc].warps;
        sum->lanes += en->tally[pc].lanes;
        if (!sum->warps) continue;
        exec_count(en->stats, &m->code.v[pc], (uint64_t)sum->warps, (uint64_t)sum->lanes);
        if (en->launch->lanes) en->launch->lanes[pc] += (uint64_t)sum->lanes;
    }
}

static void engine_sum_up(const struct engine *en) {
    struct exec_image *im = en->grid.image;
    const struct ir_module *m = en->grid.module;
    note_entered(im, en->launch->func);
    const uint32_t n = im->entered.n;
    const struct ir_func **ran = xcalloc(n, sizeof(struct ir_func *));
    for (uint32_t k = 0; k < n; k++) ran[k] = &m->funcs.v[im->entered.v[k]];
    qsort(ran, n, sizeof *ran, by_entry);
    struct tally sum = {0};
    for (uint32_t k = 0; k < n; k++) {
        if (k && ran[k - 1]->end != ran[k]->entry) sum = (struct tally){0};
        sum_function(en, ran[k], &sum);
    }
    for (uint32_t k = 0; k < n; k++)
        memset(&en->tally[ran[k]->entry], 0, (ran[k]->end - ran[k]->entry + 1) * sizeof *en->tally);
    xfree(ran);
    en->stats->barriers = en->grid.barriers;
}

/* A launch of a form (cfg/form.h) gets a tally of its own; others share the one kept with the image. */
static struct tally *take_tally(const struct exec_launch *l) {
    struct tally **kept = &l->image->tally;
    if (l->form) return xcalloc(l->form->code.n + 1, sizeof **kept);
    if (!*kept) *kept = xcalloc(l->image->m->code.n + 1, sizeof **kept);
    return *kept;
}

static size_t most_resident(const struct exec_grid *g) {
    if (g->launch->cooperative) return (size_t)g->blocks;
    uint64_t fit = RESIDENT_BYTES / (exec_block_bytes(g) + sizeof(struct resident));
    return (size_t)(fit < 1 ? 1 : fit > MOST_RESIDENT ? MOST_RESIDENT : fit);
}

bool exec_run(const struct exec_launch *l, struct exec_stats *s, struct err *e) {
    const uint64_t longest = UINT64_MAX / PATIENCE;
    struct engine en = {.launch = l,
                        .stats = s,
                        .err = e,
                        .quantum = l->quantum ? l->quantum : QUANTUM,
                        .patience = PATIENCE};
    if (en.quantum > longest) en.quantum = longest;
    *s = (struct exec_stats){0};
    bool ok = exec_grid_init(&en.grid, l, e);
    if (ok) {
        en.tally = take_tally(l);
        entered_clear(l->image);
        en.grid.lists_calls = true;
        en.most_resident = most_resident(&en.grid);
        stuck_begin(&en);
        ok = run_grid(&en);
        engine_sum_up(&en);
    }
    for (size_t k = 0; k < en.nresident; k++) {
        exec_block_free(&en.resident[k]->block);
        xfree(en.resident[k]->paths);
        xfree(en.resident[k]);
    }
    stuck_end(&en);
    xfree(en.resident);
    if (l->form) xfree(en.tally);
    exec_grid_free(&en.grid);
    return ok;
}
