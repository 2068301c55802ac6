/* The memory system's options as a struct, from the rows of mem/options.def: o->l1d.sets, o->dram.tRCD ... */
#ifndef HEDDLE_MEM_OPTIONS_H
#define HEDDLE_MEM_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#define OPT_FIELD_INT  int64_t
#define OPT_FIELD_SIZE int64_t
#define OPT_FIELD_REAL double
#define OPT_FIELD_BOOL bool
#define OPT_FIELD_ENUM int
#define OPT_FIELD_TEXT const char *
struct mem_options {
#define BEGIN(section, title)                             struct opt_##section {
#define OPT(section, name, kind, def, limits, unit, help) OPT_FIELD_##kind name;
#define END(section) \
    }                \
    section;
#include "mem/options.def"
#undef BEGIN
#undef OPT
#undef END
};
enum { MEM_LRU, MEM_FIFO, MEM_RANDOM };
enum { MEM_WRITE_THROUGH, MEM_WRITE_BACK };
enum { MEM_FCFS, MEM_FRFCFS };

#endif
