/* clang's __clang_cuda_intrinsics.h includes this file of the SDK. What a program needs of it is in heddle/intrinsics.h. */
