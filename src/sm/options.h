/* The SM's options as a struct, from the rows of sm/options.def: o->sm.warp_size, o->latency.fp32 ... */
#ifndef HEDDLE_SM_OPTIONS_H
#define HEDDLE_SM_OPTIONS_H

#include "base/option.h"
#include "mech/lib/order.h" /* ORDER_POLICY */

#define SM_ISSUE(CHOICE) CHOICE(barrel, SM_BARREL) CHOICE(scoreboard, SM_SCOREBOARD)
enum sm_issue { SM_ISSUE(OPTION_ENUMERATOR) };
#define SM_COALESCE(CHOICE) CHOICE(warp, SM_COALESCE_WARP) CHOICE(simd, SM_COALESCE_SIMD)
enum sm_coalesce { SM_COALESCE(OPTION_ENUMERATOR) };
#define SM_LOCAL(CHOICE) CHOICE(warps, SM_LOCAL_WARPS) CHOICE(threads, SM_LOCAL_THREADS)
enum sm_local { SM_LOCAL(OPTION_ENUMERATOR) };
#define SM_SHARE(CHOICE) CHOICE(warps, SM_SHARE_WARPS) CHOICE(blocks, SM_SHARE_BLOCKS)
enum sm_share { SM_SHARE(OPTION_ENUMERATOR) };
#define SM_CONSTANT_BY(CHOICE) CHOICE(line, SM_BY_LINE) CHOICE(word, SM_BY_WORD)
enum sm_constant_by { SM_CONSTANT_BY(OPTION_ENUMERATOR) };

#define SM_COUNT(CHOICE) CHOICE(rows, SM_COUNT_ROWS) CHOICE(compiled, SM_COUNT_COMPILED)
enum sm_count { SM_COUNT(OPTION_ENUMERATOR) };

struct sm_options {
#define BEGIN(section, title)         struct opt_##section {
#define OPT(section, name, kind, ...) option_##kind name;
#define END(section) \
    }                \
    section;
#include "sm/options.def"
#undef BEGIN
#undef OPT
#undef END
};

/* What no row alone can say: widths that are powers of two and fit each other, whole warps. The only place that looks at
 * them: sm_new and the mechanisms rely on it. */
bool sm_options_check(const struct sm_options *o, struct err *e);

#endif
