/* Structured control flow with one PC for a warp: five schemes of SL's Table 1 whose traversal order is the ISA's. Programs
 * are turned into nested ifs and loops first (form structured); the walk is the same for all (walker.c), and so is who is
 * active at each instruction. They differ in how that is stored, in what they can run, and in what they walk for nothing:
 *
 *                                               stored as   calls   parts without threads
 *   chap         Levinthal & Porter 1984        masks       none    walked
 *   amd          AMD Evergreen, 2009            masks       Sync    jumped over
 *   pomp         Keryell & Paris 1993           counters    Sync    walked
 *   gma          Intel G45, 2009                counters    none    jumped over
 *   sandybridge  Intel HD Graphics, 2010        PCs         none    jumped over
 *
 * Calls and what they store are SL's Table 1: "No" under recursion is read as no calls at all, "Sync" as calls with one
 * stack pointer for a warp. No scheme runs indirect branches, and irreducible code has no structured form.
 *
 * SL does not say who jumps over parts without threads. Ours: AMD's and Intel's GPUs do, whose instructions carry the
 * address to go to (JUMP and ELSE; the jump count of IF on G45, JIP on Sandy Bridge). Chap and POMP are SIMD machines of
 * which SL describes operations on masks and counters and no jumps, so that they walk. `skip` turns it either way.
 *
 * Storage: `depth` levels for masks and counters, none for PCs. Return addresses are in the call stack in memory, as for
 * every other mechanism. */
#include "mech/structured/structured.h"

#define WALKS(INT, BOOL, ENUM)    STRUCTURED_SKIP(BOOL, false) STRUCTURED_DEPTH(INT)
#define JUMPS(INT, BOOL, ENUM)    STRUCTURED_SKIP(BOOL, true) STRUCTURED_DEPTH(INT)
#define CONSTANT(INT, BOOL, ENUM) STRUCTURED_SKIP(BOOL, true)

enum {
    NO_CALLS = MECH_UNSTRUCTURED | MECH_AT_HOME | MECH_STEADY,
    SYNC_CALLS = NO_CALLS | MECH_CALLS | MECH_RECURSION
};

#define SCHEME(name_, title_, source_, caps_, way_, PARAMS)                                              \
    static const void *prepare_##name_(const struct mech_program *p, struct arena *mem, struct err *e) { \
        return structured_prepare(p, #name_, mem, e);                                                    \
    }                                                                                                    \
    static bool create_##name_(struct mech *m, struct err *e) {                                          \
        (void)e;                                                                                         \
        structured_create(m, way_);                                                                      \
        return true;                                                                                     \
    }                                                                                                    \
    extern const struct mech_ops mech_##name_;                                                           \
    const struct mech_ops mech_##name_ = {                                                               \
        .name = #name_,                                                                                  \
        .title = title_,                                                                                 \
        .source = source_,                                                                               \
        .caps = caps_,                                                                                   \
        .form = CFG_FORM_STRUCTURED,                                                                     \
        .params = MECH_PARAM_ROWS(PARAMS),                                                               \
        .counters = MECH_COUNTER_ROWS(STRUCTURED_COUNTERS),                                              \
        .self_bytes = sizeof(struct structured),                                                         \
        .prepare = prepare_##name_,                                                                      \
        .create = create_##name_,                                                                        \
        .start = structured_start,                                                                       \
        .commit = structured_commit,                                                                     \
        .advance = structured_advance,                                                                   \
        .release = structured_release,                                                                   \
        .census = structured_census,                                                                     \
        .places = structured_places,                                                                     \
        .state = structured_state,                                                                       \
        .storage = structured_storage,                                                                   \
        .audit = structured_audit,                                                                       \
    };

SCHEME(chap, "Pixar Chap: mask stacks", "SL 2.1; Levinthal & Porter 1984", NO_CALLS, STRUCTURED_MASKS, WALKS)
SCHEME(amd, "AMD: mask stacks", "SL 2.1; AMD Evergreen ISA 2009", SYNC_CALLS, STRUCTURED_MASKS, JUMPS)
SCHEME(pomp, "POMP: activity counters", "SL 2.1; Keryell & Paris 1993", SYNC_CALLS, STRUCTURED_COUNTS, WALKS)
SCHEME(gma, "Intel GMA: activity counters", "SL 2.1; Intel G45 PRM 2009", NO_CALLS, STRUCTURED_COUNTS, JUMPS)
SCHEME(sandybridge, "Intel Sandy Bridge: thread PCs", "SL 2.3; Intel HD Graphics PRM 2010", NO_CALLS,
       STRUCTURED_PCS, CONSTANT)
