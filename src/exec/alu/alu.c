/* The table of arithmetic executors of one build. */
#include "exec/alu/row.h"

exec_fn *const ALU_NAME(exec_alu)[IR_NOPS] = {
#define U(id, ...) [IR_##id] = ALU_NAME(alu_##id),
#define B(id, ...) [IR_##id] = ALU_NAME(alu_##id),
#define T(id, ...) [IR_##id] = ALU_NAME(alu_##id),
#define A(id, ...) [IR_##id] = ALU_NAME(alu_##id),
#define M(id, ...)
#include "ir/ops.def"
    [IR_RV_FP32] = ALU_NAME(alu_rv_fp),    [IR_RV_FP64] = ALU_NAME(alu_rv_fp),
    [IR_RV_FDIV32] = ALU_NAME(alu_rv_fp),  [IR_RV_FDIV64] = ALU_NAME(alu_rv_fp),
    [IR_RV_FCVT32] = ALU_NAME(alu_rv_fp),  [IR_RV_FCVT64] = ALU_NAME(alu_rv_fp),
    [IR_RV_FBITS32] = ALU_NAME(alu_rv_fp), [IR_RV_FBITS64] = ALU_NAME(alu_rv_fp),
};
