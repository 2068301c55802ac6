/* The SM's options as a struct, from the rows of sm/options.def: o->sm.warp_size, o->latency.fp32 ... */
#ifndef HEDDLE_SM_OPTIONS_H
#define HEDDLE_SM_OPTIONS_H

#include "mem/options.h" /* OPT_FIELD_* */

struct sm_options {
#define BEGIN(section, title)                             struct opt_##section {
#define OPT(section, name, kind, def, limits, unit, help) OPT_FIELD_##kind name;
#define END(section) \
    }                \
    section;
#include "sm/options.def"
#undef BEGIN
#undef OPT
#undef END
};
enum { SM_BARREL, SM_SCOREBOARD };
enum { SM_SHARE_WARPS, SM_SHARE_BLOCKS };
enum { GPU_AS_FREED, GPU_ONE_AT_A_TIME };

#endif
