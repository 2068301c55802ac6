/* What this header of the CUDA SDK declares is there already: heddle/prelude.h is included before every file. */
#include "heddle/prelude.h"
