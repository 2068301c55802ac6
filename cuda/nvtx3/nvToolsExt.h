/* Ranges and marks for NVIDIA's profilers: nothing happens. */
#include "../nvToolsExt.h"
