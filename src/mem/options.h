/* The memory system's options as a struct, from the rows of mem/options.def: o->l1d.sets, o->dram.tRCD ... */
#ifndef HEDDLE_MEM_OPTIONS_H
#define HEDDLE_MEM_OPTIONS_H

#include "base/err.h"
#include "base/option.h"

#define MEM_REPLACE(CHOICE) CHOICE(lru, MEM_LRU) CHOICE(fifo, MEM_FIFO) CHOICE(random, MEM_RANDOM)
enum mem_replace { MEM_REPLACE(OPTION_ENUMERATOR) };
#define MEM_WRITE(CHOICE) CHOICE(through, MEM_WRITE_THROUGH) CHOICE(back, MEM_WRITE_BACK)
enum mem_write { MEM_WRITE(OPTION_ENUMERATOR) };
#define MEM_RESERVE(CHOICE) CHOICE(miss, MEM_RESERVE_MISS) CHOICE(fill, MEM_RESERVE_FILL)
enum mem_reserve { MEM_RESERVE(OPTION_ENUMERATOR) };
#define MEM_STORES(CHOICE) CHOICE(posted, MEM_STORES_POSTED) CHOICE(wait, MEM_STORES_WAIT)
enum mem_stores { MEM_STORES(OPTION_ENUMERATOR) };
#define MEM_POLICY(CHOICE) CHOICE(fcfs, MEM_FCFS) CHOICE(frfcfs, MEM_FRFCFS)
enum mem_policy { MEM_POLICY(OPTION_ENUMERATOR) };

struct mem_options {
#define BEGIN(section, title)         struct opt_##section {
#define OPT(section, name, kind, ...) option_##kind name;
#define END(section) \
    }                \
    section;
#include "mem/options.def"
#undef BEGIN
#undef OPT
#undef END
};

/* The line of the level behind the first-level constant cache. */
static inline uint32_t mem_below_l1c(const struct mem_options *o) {
    return (uint32_t)(o->l15c.present ? o->l15c.line : o->l2.line);
}

/* Whether the values fit each other; each alone is within its row's bounds already. */
bool mem_options_check(const struct mem_options *o, struct err *e);

#endif
