/* The CUDA toolkit whose interface these headers have. */
#ifndef HEDDLE_CUDA_VERSION_H
#define HEDDLE_CUDA_VERSION_H

#define CUDA_VERSION   12050
#define CUDART_VERSION 12050
#define CUDA_API_VERSION CUDA_VERSION

#endif
