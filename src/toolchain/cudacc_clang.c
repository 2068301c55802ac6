/* What clang is told in order to compile CUDA C++ without the CUDA SDK: none of its headers, libdevice or ptxas. Instead there are
 * the headers of cuda/ and LLVM's libclc. The SDK's version decides how kernels are launched in host code. */
#include "toolchain/cudacc.h"

void cudacc_add(struct cudacc_words *out, const char *const *words) {
    while (*words) VEC_PUSH(&out->v, *words++);
}

static void add_common(const struct cudacc *cc, struct cudacc_words *out) {
    static const char *const usual[] = {"-x",
                                        "cuda",
                                        "--cuda-path=/nonexistent",
                                        "-nocudainc",
                                        "-nocudalib",
                                        "-Wno-unknown-cuda-version",
                                        "-Xclang",
                                        "-target-sdk-version=12.5",
                                        "-std=c++17",
                                        "-O2",
                                        NULL};
    cudacc_add(out, usual);
    cudacc_add(out, (const char *const[]){"-isystem", cc->headers, "-include", "heddle/prelude.h", NULL});
}

/* Multiplications and additions of the program become one instruction, as by nvcc; plain "fast" would do that to libclc too,
 * whose reduction of an angle counts on two roundings. */
void cudacc_device_words(const struct cudacc *cc, struct cudacc_words *out) {
    add_common(cc, out);
    cudacc_add(out, (const char *const[]){"--cuda-device-only", "-S", "-gline-tables-only",
                                          "-ffp-contract=fast-honor-pragmas", "--cuda-feature=+ptx80", NULL});
    if (cc->libclc)
        cudacc_add(out, (const char *const[]){"-Wno-linker-warnings", "-Xclang", "-mlink-builtin-bitcode",
                                              "-Xclang", cc->libclc, NULL});
    else
        cudacc_add(out, (const char *const[]){"-DHEDDLE_NO_LIBCLC", NULL});
}

/* Kernels are there as declarations; functions that need libclc are not called. */
void cudacc_host_words(const struct cudacc *cc, struct cudacc_words *out) {
    add_common(cc, out);
    cudacc_add(out, (const char *const[]){"--cuda-host-only", "-Wno-unused-command-line-argument", NULL});
}
