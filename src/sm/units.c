/* What an instruction costs apart from memory: the units of a scheduler's SIMD group and the register file's banks.
 *
 * An instruction of latency L writes back depth + L - 1 cycles after it starts; a packet of B beats keeps its unit for
 * B times the class's initiation interval. Where the lanes of a packet run different instructions (MIMD, SBI) each unit is
 * kept for the beats that the threads of its class fill. An operation that is a sequence of N machine instructions
 * (sequence.*) holds the port for N times the beats, and is a chain: it writes back N depth + L - 1 cycles after it
 * starts. A matrix multiplication is N steps of the tensor unit, one interval after the other: it keeps the unit for N times
 * as long, and writes back (N - 1) intervals later than one step. Loads, stores, atomics and texture reads have no class latency: they leave
 * the pipeline at the memory stage, depth - 1 cycles after issue, and the load/store unit says when they are back. */
#include "ir/mma.h"
#include "sm/impl.h"

uint16_t unit_slots(const struct sm_options *o, uint32_t op) {
    int64_t slots = 1;
#define RUNS_AS(id, name) \
    if (op == IR_##id) slots = o->sequence.name;
#include "sm/sequences.def"
    return (uint16_t)slots;
}

/* A class whose operations are sequences runs on the unit that most of their instructions need. */
static void note_sequence(struct sm *s, uint32_t op, int64_t slots) {
    if (slots == 1) return;
    s->sequences = true;
    if (ir_ops[op].cls == IR_C_FDIV32) s->unit_of[IR_C_FDIV32] = IR_C_FP32;
    if (ir_ops[op].cls == IR_C_FDIV64) s->unit_of[IR_C_FDIV64] = IR_C_FP64;
}

static void init_sequences(struct sm *s) {
    for (uint32_t c = 0; c < IR_NCLASSES; c++) s->unit_of[c] = (uint8_t)c;
#define RUNS_AS(id, name) note_sequence(s, IR_##id, s->o->sequence.name);
#include "sm/sequences.def"
}

void units_init(struct sm *s) {
    s->shared_fp64 = s->o->sm.shared_fp64;
    s->turn_cost = (uint32_t)(s->o->sm.register_conflict * SM_TURN + 0.5);
    const struct opt_latency *l = &s->o->latency;
    const struct opt_interval *i = &s->o->interval;
#define CLASS(id, name, ...)                   \
    s->latency[IR_C_##id] = (uint32_t)l->name; \
    s->interval[IR_C_##id] = (uint32_t)i->name;
#define ACCESS(id, ...) s->latency[IR_C_##id] = s->interval[IR_C_##id] = 1;
#include "ir/classes.def"
    init_sequences(s);
}

static bool read_before(const struct ir_insn *i, uint32_t k) {
    for (uint32_t j = i->nd; j < k; j++)
        if (!((i->o[j] ^ i->o[k]) & ~IR_O_NEG)) return true;
    return false;
}

/* Rows of the 32-bit file lie in banks round robin; a 64-bit row is two words side by side. A row read twice is read once. */
uint8_t unit_register_turns(const struct sm *s, const struct ir_insn *i) {
    uint32_t reads[SM_MOST_BANKS] = {0}, most = 1;
    for (uint32_t k = i->nd; k < (uint32_t)i->nd + i->ns; k++) {
        const ir_opnd o = i->o[k];
        if (ir_is_const(o) || ir_file(o) > IR_FILE_64 || read_before(i, k)) continue;
        const bool wide = ir_file(o) == IR_FILE_64;
        for (uint32_t half = 0; half <= (uint32_t)wide; half++) {
            uint32_t *bank = &reads[((ir_index(o) << wide) + half) % (uint32_t)s->o->sm.register_bank_count];
            if (++*bank > most) most = *bank;
        }
    }
    return (uint8_t)((most - 1) / (uint32_t)s->o->sm.register_bank_reads);
}

uint8_t unit_steps(const struct sm *s, const struct ir_insn *i) {
    if (i->op < IR_MMA_F16 || i->op > IR_MMA_F64) return 1;
    const struct ir_mma shape = ir_mma_of(s->env.module->ext.v + i->ext, i->sub);
    return (uint8_t)ir_mma_steps(&shape);
}

uint32_t unit_result(const struct sm *s, uint8_t cls, uint32_t slots, uint32_t steps) {
    return slots * (uint32_t)s->o->sm.depth + s->latency[cls] - 1 + (steps - 1) * s->interval[cls];
}
