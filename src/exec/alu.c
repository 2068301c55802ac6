/* The table of arithmetic executors of one build. */
#include "exec/alu_row.h"

exec_fn *const ALU_NAME(exec_alu)[IR_NOPS] = {
#define U(id, ...) [IR_##id] = ALU_NAME(alu_##id),
#define B(id, ...) [IR_##id] = ALU_NAME(alu_##id),
#define T(id, ...) [IR_##id] = ALU_NAME(alu_##id),
#define A(id, ...) [IR_##id] = ALU_NAME(alu_##id),
#define M(id, ...)
#include "ir/ops.def"
};
