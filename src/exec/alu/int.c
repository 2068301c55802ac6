/* Integer and bit operations of one, two or three sources: everything the table says in an expression. */
#define ROWS_ALU(...)  __VA_ARGS__
#define ROWS_IMUL(...) __VA_ARGS__
#define ROWS_IDIV(...) __VA_ARGS__
#define ROWS_FP32(...)
#define ROWS_FP64(...)
#define ROWS_FDIV32(...)
#define ROWS_FDIV64(...)
#define ROWS_HALF(...)
#define ROWS_SFU(...)
#include "exec/alu/stamp.h"
