/* A bimodal predictor: two-bit counters by address for the direction of branches, a branch target buffer for where the taken
 * ones go, and a stack for returns. It learns at once, in program order, where sim-outorder learns at commit. A taken branch that
 * the buffer does not know is taken to fall through, as there. */
#include <stdlib.h>

#include "base/alloc.h"
#include "cpu/parts.h"
#include "mem/cache.h"
#include "mem/options.h"

struct cpu_predictor {
    uint8_t *counter; /* 0 to 3; from 2 on: taken */
    uint64_t mask;
    struct cache btb; /* a line is an address of an instruction, in steps of two bytes */
    void *btb_room;
    uint64_t *target; /* by slot of btb */
    uint64_t *stack;  /* a ring of `depth` return addresses */
    uint32_t top, depth;
};

enum { WEAKLY_TAKEN = 2, STRONGLY_TAKEN = 3, STEP = 2 };

struct cpu_predictor *cpu_predictor_new(const struct opt_cpu *o) {
    const struct cache_shape shape = {.name = "cpu.btb",
                                      .replace = MEM_LRU,
                                      .sets = (uint32_t)o->btb_sets,
                                      .ways = (uint32_t)o->btb_ways,
                                      .line = STEP};
    struct cpu_predictor *p = xcalloc(1, sizeof *p);
    p->counter = xcalloc((size_t)o->bimodal, 1);
    p->mask = (uint64_t)o->bimodal - 1;
    for (uint64_t k = 0; k <= p->mask; k++) p->counter[k] = WEAKLY_TAKEN;
    p->btb_room = xcalloc(1, cache_bytes(&shape));
    cache_init(&p->btb, &shape, 1, p->btb_room);
    p->target = xcalloc(p->btb.slots, sizeof *p->target);
    p->depth = (uint32_t)o->ras;
    p->stack = xcalloc(p->depth, sizeof *p->stack);
    return p;
}

void cpu_predictor_free(struct cpu_predictor *p) {
    if (!p) return;
    xfree(p->counter);
    xfree(p->btb_room);
    xfree(p->target);
    xfree(p->stack);
    xfree(p);
}

/* Where it goes if it is taken: what the target buffer says, else on. */
static uint64_t known_target(const struct cpu_predictor *p, const struct cpu_insn *i) {
    const uint32_t slot = cache_find(&p->btb, i->addr / STEP, i->addr / STEP);
    return slot == CACHE_NONE ? i->after : p->target[slot];
}

static void learn_target(struct cpu_predictor *p, const struct cpu_insn *i) {
    const uint64_t line = i->addr / STEP;
    uint32_t slot = cache_find(&p->btb, line, line);
    if (slot == CACHE_NONE) {
        slot = cache_victim(&p->btb, line);
        cache_place(&p->btb, slot, line);
    }
    cache_use(&p->btb, slot);
    p->target[slot] = i->next;
}

static void learn_direction(uint8_t *counter, bool taken) {
    if (taken && *counter < STRONGLY_TAKEN) ++*counter;
    if (!taken && *counter > 0) --*counter;
}

static uint64_t cpu_predictor_pop(struct cpu_predictor *p) {
    p->top = (p->top + p->depth - 1) % p->depth;
    return p->stack[p->top];
}

static void cpu_predictor_push(struct cpu_predictor *p, uint64_t addr) {
    p->stack[p->top] = addr;
    p->top = (p->top + 1) % p->depth;
}

bool cpu_predict(struct cpu_predictor *p, const struct cpu_insn *i) {
    const bool taken = i->next != i->after;
    if (i->flow == CPU_RETURN) return cpu_predictor_pop(p) == i->next;
    uint8_t *counter = &p->counter[i->addr / STEP & p->mask];
    const bool may_stay = i->flow == CPU_BRANCH && *counter < WEAKLY_TAKEN;
    const uint64_t predicted = may_stay ? i->after : known_target(p, i);
    if (i->flow == CPU_BRANCH) learn_direction(counter, taken);
    if (i->flow == CPU_CALL) cpu_predictor_push(p, i->after);
    if (taken) learn_target(p, i);
    return predicted == i->next;
}
