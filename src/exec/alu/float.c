/* f32 and f64 operations of one, two or three sources, .approx functions included. */
#define ROWS_ALU(...)
#define ROWS_IMUL(...)
#define ROWS_IDIV(...)
#define ROWS_FP32(...)   __VA_ARGS__
#define ROWS_FP64(...)   __VA_ARGS__
#define ROWS_FDIV32(...) __VA_ARGS__
#define ROWS_FDIV64(...) __VA_ARGS__
#define ROWS_HALF(...)
#define ROWS_SFU(...) __VA_ARGS__
#include "exec/alu/stamp.h"
