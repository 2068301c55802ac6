/* The host core's options as a struct, from the rows of cpu/options.def: o->cpu.window ... */
#ifndef HEDDLE_CPU_OPTIONS_H
#define HEDDLE_CPU_OPTIONS_H

#include "base/err.h"
#include "base/option.h"

#define CPU_MODEL(CHOICE) CHOICE(none, CPU_NONE) CHOICE(outorder, CPU_OUTORDER)
enum cpu_model { CPU_MODEL(OPTION_ENUMERATOR) };

struct cpu_options {
#define BEGIN(section, title)         struct opt_##section {
#define OPT(section, name, kind, ...) option_##kind name;
#define END(section) \
    }                \
    section;
#include "cpu/options.def"
#undef BEGIN
#undef OPT
#undef END
};

/* Whether the values fit each other; each alone is within its row's bounds already. */
bool cpu_options_check(const struct cpu_options *o, struct err *e);

#endif
