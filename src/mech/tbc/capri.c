/* CAPRI: thread block compaction that waits only where compaction has helped (Minsoo Rhu and Mattan Erez, "CAPRI: prediction
 * of compaction-adequacy for handling control-divergence in GPGPU architectures", ISCA 2012; HARP sections 5 and Table 2).
 *
 * A warp that does not diverge never waits at a branch. One that does asks the compaction-adequacy prediction table (CAPT),
 * by the branch's PC. Adequate: it waits for the warps of its entry that have yet to come, as under TBC. Inadequate: it
 * passes at once. The first to pass pushes the entries of the branch, later ones add their threads to them; the part of each
 * that is in the entry on top runs on as it is, the other parts wait for the entry's turn and are compacted then. Once no
 * warp is left to come the truth is known, waited for or not: compaction is adequate if one of the sides fits into fewer
 * warps than brought threads to it. The table remembers it.
 *
 * We had the abstract, what HARP says of it, and descriptions in later papers. Choices of ours:
 * - Warps that do not diverge go on in their entry, past the reconvergence point too, as long as no other warp makes
 *   them join. So which warps have passed a branch is told by place: jumps back since the entry began, then PC, at the
 *   same call depth (branch.c). A warp that waits at a barrier is not waited for, or block and barrier would wait for
 *   each other.
 * - The first warp that diverges decides for all that come to the same branch in the same round.
 * - The table is fully associative and gives up the least recently used entry. A branch it does not know is adequate, so
 *   that it is learned (capri.first).
 * - capri.history > 1 makes the history bit a saturating counter. */
#include <inttypes.h>

#include "mech/lib/lookup.h"
#include "mech/tbc/tbc.h"

#define UNIFORM(CHOICE) CHOICE(pass, CAPRI_PASS) CHOICE(wait, CAPRI_WAIT)
enum { UNIFORM(OPTION_ENUMERATOR) };
#define PREDICT(CHOICE) \
    CHOICE(history, CAPRI_HISTORY) CHOICE(adequate, CAPRI_ADEQUATE) CHOICE(inadequate, CAPRI_INADEQUATE)
enum { PREDICT(OPTION_ENUMERATOR) };

#define PARAMS(INT, BOOL, ENUM)                                                                              \
    TBC_PARAMS(INT, BOOL, ENUM)                                                                              \
    INT(entries, 32, 1, 65536, "Entries of the compaction-adequacy prediction table.")                       \
    INT(history, 1, 1, 8, "Bits of history of a branch: the last outcome, or a saturating counter of them.") \
    BOOL(first, true, "What is predicted of a branch the table does not know: that compaction is adequate.") \
    ENUM(uniform, UNIFORM,                                                                                   \
         "What warps do that do not diverge: pass, or wait like the others where compaction is predicted "   \
         "adequate.")                                                                                        \
    ENUM(predict, PREDICT, "By what is predicted: the table, or always the same.")
MECH_PARAMS(capri, PARAMS)
#define COUNTERS(SUM, MAX)                                                                                   \
    TBC_COUNTERS(SUM, MAX)                                                                                   \
    SUM(bypassed, "warps", "Warps that diverged and passed at once, compaction being predicted inadequate.") \
    SUM(predicted_adequate, "branches", "Times warps came to a branch, diverged, and were told to wait.")    \
    SUM(right, "branches", "Times they came to one and were told what turned out to be right.")              \
    SUM(wrong, "branches", "Times it was wrong.")                                                            \
    SUM(missed, "branches", "Of these, those where compaction would have helped and they were told to pass.")
MECH_COUNTS(capri, COUNTERS)

struct capri {
    struct tbc t; /* first: what tbc's functions take m->self for */
    struct lookup capt;
};

static uint32_t half(const struct mech *m) { /* the lowest count that means adequate */
    return 1u << (capri_params(m)->history - 1);
}

static uint32_t entry_of(struct mech *m, uint32_t pc) {
    struct capri *c = m->self;
    uint32_t evicted, e = lookup_find(&c->capt, pc);
    if (e == LOOKUP_NONE)
        e = lookup_put(&c->capt, pc, capri_params(m)->first ? half(m) : half(m) - 1, &evicted);
    return e;
}

static bool is_adequate(struct mech *m, uint32_t pc) {
    const struct capri *c = m->self;
    if (capri_params(m)->predict != CAPRI_HISTORY) return capri_params(m)->predict == CAPRI_ADEQUATE;
    return c->capt.e[entry_of(m, pc)].value >= half(m);
}

static bool would_help(const struct mech *m, const struct tbc_block *b, const struct tbc_gather *g) {
    bool helps = false;
    for (uint32_t k = 0; g->narms > 1 && k < g->narms; k++)
        helps |= tbc_compacted(m, b, g->arm[k].mask) < g->arm[k].warps;
    return helps;
}

static void tbc_capri_learn(struct mech *m, const struct tbc_block *b, const struct tbc_gather *g) {
    struct capri *c = m->self;
    const bool truth = would_help(m, b, g), told = !g->open;
    struct capri_counts *n = capri_counts(m);
    n->predicted_adequate += told;
    *(truth == told ? &n->right : &n->wrong) += 1;
    n->missed += truth && !told;
    mech_event(m, "compaction %s at %" PRIu32, truth ? "adequate" : "inadequate", g->pc);
    if (capri_params(m)->predict != CAPRI_HISTORY) return;
    uint32_t *count = &c->capt.e[entry_of(m, g->pc)].value;
    if (truth && *count < 2 * half(m) - 1) ++*count;
    if (!truth && *count) --*count;
}

static bool tbc_capri_create(struct mech *m, struct err *e) {
    struct capri *c = m->self;
    const struct capri_params *p = capri_params(m);
    if (!tbc_create(m, e)) return false;
    c->t.is_adequate = is_adequate;
    c->t.learn = tbc_capri_learn;
    c->t.bypassed = &capri_counts(m)->bypassed;
    c->t.free_uniform = p->uniform == CAPRI_PASS;
    c->t.by_place = p->uniform == CAPRI_PASS || p->predict != CAPRI_ADEQUATE;
    return lookup_init(&c->capt, m->env.pages, "capri.entries", p->entries, p->entries, e);
}

static void tbc_capri_state(const struct mech *m, struct sb *out) {
    const struct capri *c = m->self;
    tbc_state(m, out);
    for (uint32_t k = 0; k < lookup_entries(&c->capt); k++)
        if (c->capt.e[k].used)
            sb_add(out, "branch %" PRIu32 " %s\n", c->capt.e[k].pc,
                   c->capt.e[k].value >= half(m) ? "adequate" : "inadequate");
}

/* A PC, the history, and whether there is one; fully associative. */
static void tbc_capri_storage(const struct mech *m, struct mech_storage *out) {
    const struct capri_params *p = capri_params(m);
    tbc_storage(m, out);
    storage_add(out, (struct mech_array){.name = "capt",
                                         .cell = MECH_CAM,
                                         .arrays = 1,
                                         .entries = (uint64_t)p->entries,
                                         .bits = 32 + (uint64_t)p->history + 1,
                                         .tag = 32});
}

extern const struct mech_ops mech_capri;
const struct mech_ops mech_capri = {
    .name = "capri",
    .title = "Compaction-adequacy prediction",
    .source = "Rhu & Erez, ISCA 2012",
    .caps = MECH_ANY_CODE,
    .params = MECH_PARAM_ROWS(PARAMS),
    .counters = MECH_COUNTER_ROWS(COUNTERS),
    .self_bytes = sizeof(struct capri),
    .prepare = tbc_prepare,
    .create = tbc_capri_create,
    .launch = tbc_launch,
    .select = tbc_select,
    .commit = tbc_commit,
    .release = tbc_release,
    .next = tbc_next,
    .clocked = tbc_clocked,
    .census = tbc_census,
    .places = tbc_places,
    .state = tbc_capri_state,
    .storage = tbc_capri_storage,
    .audit = tbc_audit,
};
