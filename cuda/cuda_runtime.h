/* The CUDA runtime. In a file that is compiled as CUDA all of it is there already (heddle/prelude.h is included before every file);
 * a host compiler gets types, functions and, in C++, templates. */
#ifndef HEDDLE_CUDA_RUNTIME_H
#define HEDDLE_CUDA_RUNTIME_H

#ifdef __CUDA__
#include "heddle/prelude.h"
#else
#define __CUDA_RUNTIME_H__
#include "cuda_runtime_api.h"
#include "driver_functions.h"
#include "vector_functions.h"
#ifdef __cplusplus
#include "heddle/runtime_templates.h"
#endif
#endif

#endif
