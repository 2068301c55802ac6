/* Parts of the host core that its pipeline asks: the branch predictor and the memory hierarchy. Private to this room. */
#ifndef HEDDLE_CPU_PARTS_H
#define HEDDLE_CPU_PARTS_H

#include "cpu/cpu.h"

struct cpu_predictor;
struct cpu_predictor *cpu_predictor_new(const struct opt_cpu *o);
void cpu_predictor_free(struct cpu_predictor *p);
/* Predicts a branch, jump, call or return, learns what it does, and says whether its next address was predicted right. */
bool cpu_predict(struct cpu_predictor *p, const struct cpu_insn *i);

struct cpu_memory;
struct cpu_memory *cpu_memory_new(const struct opt_cpu *o, struct cpu_stats *stats);
void cpu_memory_free(struct cpu_memory *m);
/* Cycles until the access that begins now has its data. */
uint64_t cpu_memory_fetch(struct cpu_memory *m, uint64_t addr, uint64_t now);
uint64_t cpu_memory_access(struct cpu_memory *m, uint64_t addr, bool write, uint64_t now);

#endif
