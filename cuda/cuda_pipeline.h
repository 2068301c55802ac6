/* The primitives; nvcuda::experimental::pipeline is not here. */
#include "cuda_pipeline_primitives.h"
