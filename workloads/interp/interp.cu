// An interpreter: each thread runs a program of its own on a small stack machine. The loop around the switch is the whole
// kernel; threads of a warp are at different operations nearly always.
// regen: -fno-jump-tables
#include "cuda.h"

enum { PUSH, LOAD, STORE, ADD, SUB, MUL, XOR, ROTATE, DUP, SWAP, JUMP, JUMP_IF_ZERO, CALL, RETURN, LESS, HALT };
#define DEPTH 12
#define CELLS 8

struct machine {
    uint stack[DEPTH], cell[CELLS], back[4];
};

KERNEL interp(uint *results, const uint *code, const uint *starts, const uint *inputs, uint limit) {
    const uint id = global_id();
    const uint *const program = code + starts[id];
    machine m;
    for (uint i = 0; i < CELLS; i++) m.cell[i] = 0;
    m.cell[0] = inputs[id];
    uint pc = 0, top = 0, calls = 0, steps = 0;
    while (steps++ < limit) {
        const uint word = program[pc++], operand = word >> 8;
        switch (word & 15) {
        case PUSH: m.stack[top++] = operand; break;
        case LOAD: m.stack[top++] = m.cell[operand]; break;
        case STORE: m.cell[operand] = m.stack[--top]; break;
        case ADD: top--, m.stack[top - 1] += m.stack[top]; break;
        case SUB: top--, m.stack[top - 1] -= m.stack[top]; break;
        case MUL: top--, m.stack[top - 1] *= m.stack[top]; break;
        case XOR: top--, m.stack[top - 1] ^= m.stack[top]; break;
        case ROTATE: m.stack[top - 1] = m.stack[top - 1] << 5 | m.stack[top - 1] >> 27; break;
        case DUP: m.stack[top] = m.stack[top - 1], top++; break;
        case SWAP: {
            const uint t = m.stack[top - 1];
            m.stack[top - 1] = m.stack[top - 2];
            m.stack[top - 2] = t;
            break;
        }
        case JUMP: pc = operand; break;
        case JUMP_IF_ZERO:
            if (m.stack[--top] == 0) pc = operand;
            break;
        case CALL: m.back[calls++] = pc, pc = operand; break;
        case RETURN: pc = m.back[--calls]; break;
        case LESS: top--, m.stack[top - 1] = m.stack[top - 1] < m.stack[top]; break;
        default: goto done;
        }
    }
done:
    results[id] = m.cell[1] * 31 + steps;
}
