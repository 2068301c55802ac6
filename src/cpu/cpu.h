/* A host core that executes instructions out of order, after SimpleScalar's sim-outorder, driven by the instructions that a
 * program executes: it is told of each in program order and says how long they took. It computes nothing. */
#ifndef HEDDLE_CPU_CPU_H
#define HEDDLE_CPU_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/options.h"
#include "cpu/stats.h"

enum cpu_work {
#define WORK(id, ...) CPU_##id,
#include "cpu/units.def"
    CPU_LOAD,
    CPU_STORE /* its first source is the address, the others are the data */
};
/* How an instruction says where to go on. */
enum cpu_flow { CPU_NEXT, CPU_BRANCH, CPU_JUMP, CPU_CALL, CPU_RETURN };

enum { CPU_REGISTERS = 256, CPU_SOURCES = 4, CPU_NO_REGISTER = CPU_REGISTERS - 1 };

struct cpu_insn {
    uint64_t addr, after, next; /* its own address, the one behind it, and the one executed next */
    uint64_t data;              /* address that a load or store uses */
    uint32_t bytes;             /* bytes that it loads or stores */
    uint8_t work, flow;         /* enum cpu_work, enum cpu_flow */
    uint8_t to;                 /* register written, or CPU_NO_REGISTER */
    uint8_t from[CPU_SOURCES];  /* registers read, nfrom of them */
    uint8_t nfrom;
};

struct cpu;
struct cpu *cpu_new(const struct cpu_options *o); /* o has been checked */
void cpu_free(struct cpu *c);
/* The next instruction that the program executes. */
void cpu_step(struct cpu *c, const struct cpu_insn *i);
/* Waits until all have committed: the next instruction is fetched then. Returns the cycles since the core began. */
uint64_t cpu_drain(struct cpu *c);
/* What it has counted so far; core_cycles is left 0. */
struct cpu_stats cpu_get_stats(const struct cpu *c);

#endif
