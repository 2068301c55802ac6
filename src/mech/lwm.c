/* LWM: large warps (Narasiman, Shebanow, Lee, Miftakhutdinov, Mutlu, Patt: "Improving GPU Performance via Large Warps and
 * Two-Level Warp Scheduling", MICRO 2011; HARP 2.3, where a large warp has 128 threads).
 *
 * A large warp is a warp of pdom (pdom.c, stack.c), several times as wide as the SIMD group, with one stack. Its threads are
 * a matrix: thread t is in row t / width, column t % width, and its column is its lane for life, because its registers lie in
 * that lane's bank. What is new is how it issues: the active threads of the top are packed into sub-warps, one in a beat,
 * lane by lane: in each beat every column offers its topmost active thread that has not issued yet. So the fullest column
 * says how many beats an instruction takes. To the SM a large warp is one split and its instruction one packet of that many
 * beats, and it is told who is in which (packet.beat), because each sub-warp goes to memory by itself.
 *
 * An unconditional branch takes one beat whatever the threads (`jump`): only the stack's PC changes.
 *
 * When the next instruction of a large warp may issue (`sync`). An ordinary one's threads are packed as those of the one
 * before, so each sub-warp follows its own: the SM's rule for any warp of several beats, and what the paper does, which lets
 * the warp be fetched again when its first sub-warp is done and keeps a bit per thread that says who is still under way.
 * What decides where threads go on, or that they wait, is known when the last sub-warp is done. HARP's sentence,
 * sub-warps are "executed and synchronized at each instruction", can also mean that every instruction waits for that: `all`.
 *
 * Choices of ours. The paper was not at hand: what is not in HARP is from summaries of it (256 threads, jumps, the next
 * fetch, the timeout of the two-level order, sm.order_timeout). A branch is unconditional if it has no guard; bra.uni with
 * one is not, though a single thread could decide it. Calls and returns copy arguments for each thread and take all beats.
 * Threads whose guard is false are packed like the others, as they are issued under any other mechanism. Large warps do not
 * reach beyond their block. A SIMD group wider than `size` makes it as wide. */
#include <inttypes.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "mech/lib/declare.h"
#include "mech/lib/order.h"
#include "mech/lib/split.h"
#include "mech/pdom.h"

#define JUMP(CHOICE) CHOICE(one, JUMP_ONE) CHOICE(all, JUMP_ALL)
#define SYNC(CHOICE) CHOICE(branch, SYNC_BRANCH) CHOICE(all, SYNC_ALL)
enum { JUMP(OPTION_ENUMERATOR) };
enum { SYNC(OPTION_ENUMERATOR) };

#define PARAMS(INT, BOOL, ENUM)                                                                              \
    INT(size, 128, 4, MECH_WIDEST,                                                                           \
        "Threads of a large warp: a power of two; at least those of the SIMD group are in one.")             \
    ENUM(jump, JUMP, "Beats of an unconditional branch: one, or all that its threads would need.")           \
    ENUM(sync, SYNC,                                                                                         \
         "What is over only when its last sub-warp is: an instruction that decides where threads go on, or " \
         "any.")                                                                                             \
    ENUM(side, STACK_SIDE,                                                                                   \
         "Which side of a divergent branch runs first: the taken one, the fall-through, or the one with "    \
         "most threads.")
MECH_PARAMS(lwm, PARAMS)

#define COUNTERS(SUM, MAX)                                                   \
    SUM(subwarps, "sub-warps", "Sub-warps issued: the beats of all issues.") \
    SUM(full_subwarps, "sub-warps", "Those with a thread in every lane.")    \
    SUM(jump_beats_saved, "beats", "Beats that unconditional branches did not take (lwm.jump).")
MECH_COUNTS(lwm, COUNTERS)

/* split.own: sub-warps of its threads, 0 if they have not been packed yet; those with a thread in every lane. */
enum { BEATS = PDOM_KNOWN, FULL = PDOM_FREE };

struct lwm {
    struct pdom warps; /* first: pdom's functions find it in self */
    uint32_t width;    /* columns */
    uint32_t words;    /* of a row: 1 if it is no more than one */
    uint32_t lanes;    /* of a row's word */
    uint32_t beats;    /* beats of the split packed last */
    uint32_t full;     /* beats of it that have a thread in every lane */
    uint32_t *taken;   /* lanes taken in each of its beats, `words` words for each */
    struct mech_set *subwarp;
};

static uint32_t lwm_width(const void *params, uint32_t warp_size, uint32_t simd_width) {
    (void)warp_size;
    const uint32_t size = ((const struct lwm_params *)params)->size;
    return size > simd_width ? size : simd_width;
}

static bool lwm_create(struct mech *m, struct err *e) {
    (void)e;
    struct lwm *l = m->self;
    const uint32_t rows = m->env.warp_size / m->env.simd_width;
    l->width = m->env.simd_width;
    l->words = l->width > 32 ? l->width / 32 : 1;
    l->lanes = l->width < 32 ? (1u << l->width) - 1 : ~0u;
    l->taken = PAGES_NEW(m->env.pages, uint32_t, (size_t)rows * l->words);
    l->subwarp = PAGES_NEW(m->env.pages, struct mech_set, rows);
    pdom_create(m, (enum stack_side)lwm_params(m)->side);
    return true;
}

/* ---- sub-warps ---- */

/* Pieces come by ascending warp. */
static void add_to(struct mech_set *set, uint32_t warp, uint32_t mask) {
    if (set->n && set->p[set->n - 1].warp == warp)
        set->p[set->n - 1].mask |= mask;
    else
        set->p[set->n++] = (struct mech_piece){warp, mask};
}

static void open_beat(struct lwm *l) {
    for (uint32_t k = 0; k < l->words; k++) l->taken[l->beats * l->words + k] = 0;
    l->subwarp[l->beats++].n = 0;
}

/* A row's word: its threads at lanes `row` << shift of the warp, in word `word` of the columns. */
static void pack_row(struct lwm *l, uint32_t warp, uint32_t row, uint32_t shift, uint32_t word) {
    for (uint32_t b = l->words == 1 ? l->full : 0; row; b++) {
        if (b == l->beats) open_beat(l);
        uint32_t *taken = &l->taken[b * l->words + word];
        const uint32_t here = row & ~*taken;
        if (!here) continue;
        *taken |= here;
        row &= ~here;
        add_to(&l->subwarp[b], warp, here << shift);
        if (l->words == 1 && b == l->full && *taken == l->lanes) l->full++;
    }
}

static bool is_full(const struct lwm *l, uint32_t beat) {
    uint32_t all = ~0u;
    for (uint32_t k = 0; k < l->words; k++) all &= l->taken[beat * l->words + k];
    return all == ~0u;
}

/* Columns fill from the first beat on, so that the beats with all lanes come before the others. As long as the split's
 * threads stay the same, so do both numbers. */
static void lwm_pack(struct lwm *l, const struct mech *m, struct mech_split *s) {
    l->beats = l->full = 0;
    for (uint32_t k = 0; k < s->set.n; k++) {
        const struct mech_piece p = s->set.p[k];
        const uint32_t word = (p.warp - m->pool->first[p.warp]) % l->words;
        for (uint32_t shift = 0; shift < 32; shift += l->width)
            pack_row(l, p.warp, p.mask >> shift & l->lanes, shift, word);
    }
    while (l->words > 1 && l->full < l->beats && is_full(l, l->full)) l->full++;
    s->own[BEATS] = l->beats;
    s->own[FULL] = l->full;
}

/* ---- issue ---- */

static bool goes_to_memory(const struct ir_insn *i) {
    const uint8_t cls = ir_ops[i->op].cls;
    return cls == IR_C_LDST || cls == IR_C_ATOM || cls == IR_C_TEX || cls == IR_C_ASYNC;
}

static bool is_jump(const struct ir_insn *i) {
    return i->op == IR_BRA && !ir_is_conditional(i);
}

static bool waits_for_all(const struct lwm_params *p, const struct ir_insn *i) {
    const uint8_t cls = ir_ops[i->op].cls;
    return p->sync == SYNC_ALL || ((cls == IR_C_BRANCH || cls == IR_C_BAR) && !is_jump(i));
}

static bool select(struct mech *m, uint32_t sched, struct mech_packet *p) {
    struct lwm *l = m->self;
    struct lwm_counts *c = lwm_counts(m);
    struct mech_split *s = order_pick(m->order, sched, *m->env.now);
    if (!s) return false;
    split_issue(m, p, s);
    const struct ir_insn *i = &m->env.module->code.v[s->pc];
    const bool memory = goes_to_memory(i), jump = is_jump(i) && lwm_params(m)->jump == JUMP_ONE;
    if (memory || !s->own[BEATS]) lwm_pack(l, m, s);
    const uint32_t beats = s->own[BEATS], full = s->own[FULL];
    c->jump_beats_saved += jump ? beats - 1 : 0;
    p->beats = jump ? 1 : beats;
    p->beat = memory ? l->subwarp : NULL;
    p->last_beat = waits_for_all(lwm_params(m), i);
    c->subwarps += p->beats;
    c->full_subwarps += full < p->beats ? full : p->beats;
    return true;
}

/* The stacks; of each large warp a mask of those still to issue; and, where the next instruction may follow before the last
 * sub-warp is done, one of those whose last one is under way. A sub-warp has threads of several rows (HARP 8). */
static void lwm_storage(const struct mech *m, struct mech_storage *out) {
    const uint64_t size = m->env.warp_size, fit = (uint64_t)m->env.warps * 32 / size, warps = fit ? fit : 1;
    pdom_storage(m, out);
    storage_add(
        out, (struct mech_array){.name = "to_issue", .cell = MECH_REGISTERS, .entries = warps, .bits = size});
    if (lwm_params(m)->sync == SYNC_BRANCH)
        storage_add(out, (struct mech_array){
                             .name = "under_way", .cell = MECH_REGISTERS, .entries = warps, .bits = size});
    out->lane_decoders = true;
}

extern const struct mech_ops mech_lwm;
const struct mech_ops mech_lwm = {
    .name = "lwm",
    .title = "Large warps",
    .source = "LWM, MICRO 2011; HARP 2.3",
    .caps = MECH_ANY_CODE | MECH_AT_HOME | MECH_STEADY,
    .params = MECH_PARAM_ROWS(PARAMS),
    .counters = MECH_COUNTER_ROWS(COUNTERS),
    .self_bytes = sizeof(struct lwm),
    .width = lwm_width,
    .create = lwm_create,
    .start = pdom_start,
    .select = select,
    .commit = pdom_commit,
    .advance = pdom_advance,
    .release = pdom_release,
    .census = pdom_census,
    .places = pdom_places,
    .state = pdom_state,
    .storage = lwm_storage,
    .audit = pdom_audit,
};
