/* What this header of the CUDA SDK declares is in driver_types.h. */
#include "driver_types.h"
