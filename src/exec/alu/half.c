/* f16 and bf16 operations, alone and in pairs: computed in float, which holds sums and products of halves
 * with enough bits that rounding to half afterwards is the only rounding that counts (24 >= 2 * 11 + 2); fma
 * takes care itself. */
#define ROWS_ALU(...)
#define ROWS_IMUL(...)
#define ROWS_IDIV(...)
#define ROWS_FP32(...)
#define ROWS_FP64(...)
#define ROWS_FDIV32(...)
#define ROWS_FDIV64(...)
#define ROWS_HALF(...) __VA_ARGS__
#define ROWS_SFU(...)
#include "exec/alu/stamp.h"
