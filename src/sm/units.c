/* What an instruction costs apart from memory: the units of a scheduler's SIMD group and the register file's banks.
 *
 * An instruction of latency L writes back depth + L - 1 cycles after it starts; a packet of B beats keeps its unit for
 * B times the class's initiation interval. Where the lanes of a packet run different instructions (MIMD, SBI) each unit is
 * kept for the beats that the threads of its class fill. Loads, stores, atomics and texture reads have no class latency: they leave
 * the pipeline at the memory stage, depth - 1 cycles after issue, and the load/store unit says when they are back. */
#include "sm/impl.h"

void units_init(struct sm *s) {
    s->turn_cost = (uint32_t)(s->o->sm.register_conflict * SM_TURN + 0.5);
    const struct opt_latency *l = &s->o->latency;
    const struct opt_interval *i = &s->o->interval;
#define CLASS(id, name, ...)                   \
    s->latency[IR_C_##id] = (uint32_t)l->name; \
    s->interval[IR_C_##id] = (uint32_t)i->name;
#define ACCESS(id, ...) s->latency[IR_C_##id] = s->interval[IR_C_##id] = 1;
#include "ir/classes.def"
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

uint32_t unit_result(const struct sm *s, uint8_t cls) {
    return (uint32_t)s->o->sm.depth + s->latency[cls] - 1;
}
