/* The CUDA SDK has an occupancy calculator here that needs no device. This is for files that include it beside the runtime, whose
 * cudaOccupancy functions answer for the machine that runs. */
#include "cuda_runtime_api.h"
