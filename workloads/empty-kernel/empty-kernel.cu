// Returns at once.
#include "cuda.h"

KERNEL empty_kernel(uint *untouched) { (void)untouched; }
