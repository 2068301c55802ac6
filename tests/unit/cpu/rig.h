/* For the tests of the host core: its options with the defaults of the table, and programs written instruction by instruction. */
#ifndef HEDDLE_TESTS_CPU_RIG_H
#define HEDDLE_TESTS_CPU_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "cpu/cpu.h"
#include "unit/defaults.h"

static inline struct cpu_options rig_defaults(void) {
    struct cpu_options o = {0};
#define BEGIN(section, title)
#define OPT(section, name, kind, initial, limits, unit, help)                                         \
    default_set(&(struct option_row)OPTION_ROW(struct cpu_options, section.name, section, name, kind, \
                                               initial, unit, help, limits),                          \
                &o);
#define END(section)
#include "cpu/options.def"
#undef BEGIN
#undef OPT
#undef END
    return o;
}

/* No access of code or memory waits but for its hit: every miss takes what a hit does. */
static inline struct cpu_options rig_ideal(void) {
    struct cpu_options o = rig_defaults();
    o.cpu.ul2_latency = o.cpu.mem_first = o.cpu.tlb_miss = 1;
    o.cpu.mem_next = 0;
    return o;
}

enum { RIG_CODE = 0x10000, RIG_LENGTH = 4 };

/* The instruction at RIG_CODE + 4 n that goes on to the next. */
static inline struct cpu_insn rig_insn(uint64_t n, enum cpu_work work) {
    const uint64_t at = RIG_CODE + RIG_LENGTH * n;
    return (struct cpu_insn){.addr = at,
                             .after = at + RIG_LENGTH,
                             .next = at + RIG_LENGTH,
                             .work = (uint8_t)work,
                             .to = CPU_NO_REGISTER};
}

/* to = work(from); from 0: of a constant. */
static inline struct cpu_insn rig_op(uint64_t n, enum cpu_work work, uint8_t to, uint8_t from) {
    struct cpu_insn i = rig_insn(n, work);
    i.to = to;
    i.from[0] = from;
    i.nfrom = 1;
    return i;
}

static inline struct cpu_insn rig_load(uint64_t n, uint8_t to, uint8_t base, uint64_t addr) {
    struct cpu_insn i = rig_op(n, CPU_LOAD, to, base);
    i.data = addr;
    i.bytes = 8;
    return i;
}

static inline struct cpu_insn rig_store(uint64_t n, uint8_t value, uint8_t base, uint64_t addr) {
    struct cpu_insn i = rig_load(n, CPU_NO_REGISTER, base, addr);
    i.work = CPU_STORE;
    i.from[i.nfrom++] = value;
    return i;
}

static inline struct cpu_insn rig_branch(uint64_t n, enum cpu_flow flow, uint64_t to) {
    struct cpu_insn i = rig_insn(n, CPU_INT);
    i.flow = (uint8_t)flow;
    i.next = RIG_CODE + RIG_LENGTH * to;
    return i;
}

#endif
