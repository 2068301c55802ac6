/* Start, device, contexts, modules, memory, launches: one kernel each way, and the errors of each call. */
#include "check.h"

/* y[i] = a * x[i] + y[i]; a variable counts the blocks. */
static const char saxpy[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n"
    ".visible .global .align 4 .u32 blocks;\n"
    ".visible .const .align 4 .f32 bias = 0f3f800000;\n"
    ".visible .entry saxpy(.param .u64 x, .param .u64 y, .param .f32 a, .param .u32 n)\n{\n"
    ".reg .pred %p<2>;\n.reg .b32 %r<8>;\n.reg .f32 %f<6>;\n.reg .b64 %d<6>;\n"
    "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\n"
    "mad.lo.u32 %r4, %r1, %r2, %r3;\nld.param.u32 %r5, [n];\n"
    "setp.ge.u32 %p1, %r4, %r5;\n@%p1 ret;\n"
    "ld.param.u64 %d1, [x];\nld.param.u64 %d2, [y];\nld.param.f32 %f1, [a];\n"
    "mul.wide.u32 %d3, %r4, 4;\nadd.u64 %d1, %d1, %d3;\nadd.u64 %d2, %d2, %d3;\n"
    "ld.global.f32 %f2, [%d1];\nld.global.f32 %f3, [%d2];\nfma.rn.f32 %f4, %f1, %f2, %f3;\n"
    "st.global.f32 [%d2], %f4;\n"
    "setp.ne.u32 %p1, %r3, 0;\n@%p1 ret;\nred.global.add.u32 [blocks], 1;\nret;\n}\n"
    ".visible .entry small() .maxntid 64, 1, 1 { ret; }\n";
enum { N = 1000, BLOCK = 128, GRID = (N + BLOCK - 1) / BLOCK };

static CUmodule module;
static CUfunction function;
static CUdeviceptr x, y;

static void before_init(void) {
    int n, version = 0;
    CUcontext c;
    GIVES(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGetCount(&n));
    GIVES(CUDA_ERROR_NOT_INITIALIZED, cuCtxGetCurrent(&c));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuInit(1));
    NEED(cuDriverGetVersion(&version));
    CHECK(version >= 12000);
}

static void device(void) {
    int n = 0, major = 0, minor = 0;
    CUdevice d = -1;
    char name[64] = "", bus[16] = "";
    size_t bytes = 0;
    CUuuid id;
    NEED(cuInit(0));
    NEED(cuDeviceGetCount(&n));
    CHECK(n == 1);
    NEED(cuDeviceGet(&d, 0));
    GIVES(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&d, 1));
    NEED(cuDeviceGetName(name, sizeof name, d));
    CHECK(name[0]);
    NEED(cuDeviceTotalMem(&bytes, d));
    CHECK(bytes >= (size_t)1 << 28);
    NEED(cuDeviceGetUuid(&id, d));
    NEED(cuDeviceComputeCapability(&major, &minor, d));
    CHECK(major >= 5);
    NEED(cuDeviceGetPCIBusId(bus, sizeof bus, d));
    NEED(cuDeviceGetByPCIBusId(&d, bus));
}

static void context(void) {
    CUcontext a, b, c;
    CUdeviceptr p;
    CUdevice d;
    unsigned version = 0;
    GIVES(CUDA_ERROR_INVALID_CONTEXT, cuMemAlloc(&p, 16));
    GIVES(CUDA_ERROR_INVALID_CONTEXT, cuCtxSynchronize());
    NEED(cuCtxGetCurrent(&c));
    CHECK(!c);
    GIVES(CUDA_ERROR_INVALID_DEVICE, cuCtxCreate(&a, 0, 7));
    NEED(cuCtxCreate(&a, CU_CTX_SCHED_SPIN, 0));
    NEED(cuCtxGetCurrent(&c));
    CHECK(c == a);
    NEED(cuCtxGetDevice(&d));
    CHECK(d == 0);
    NEED(cuCtxGetApiVersion(a, &version));
    CHECK(version >= 3010);
    NEED(cuCtxCreate(&b, 0, 0));
    NEED(cuCtxPopCurrent(&c));
    CHECK(c == b);
    NEED(cuCtxGetCurrent(&c));
    CHECK(c == a);
    NEED(cuCtxPushCurrent(b));
    NEED(cuMemAlloc(&p, 1 << 20));
    NEED(cuCtxDestroy(b));
    NEED(cuCtxGetCurrent(&c));
    CHECK(c == a);
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemFree(p)); /* went with its context */
    GIVES(CUDA_ERROR_INVALID_CONTEXT, cuCtxDestroy(b));
    GIVES(CUDA_ERROR_INVALID_CONTEXT, cuCtxSetCurrent(b));
    NEED(cuCtxSetCurrent(NULL));
    NEED(cuCtxGetCurrent(&c));
    CHECK(!c);
    GIVES(CUDA_ERROR_INVALID_CONTEXT, cuCtxPopCurrent(&c));
    NEED(cuCtxSetCurrent(a));
    NEED(cuCtxDestroy(a));
}

static void primary(void) {
    CUcontext c, again;
    unsigned flags = 9;
    int active = 9;
    GIVES(CUDA_ERROR_INVALID_CONTEXT, cuDevicePrimaryCtxRelease(0));
    NEED(cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_BLOCKING_SYNC));
    NEED(cuDevicePrimaryCtxGetState(0, &flags, &active));
    CHECK(flags == CU_CTX_SCHED_BLOCKING_SYNC && !active);
    NEED(cuDevicePrimaryCtxRetain(&c, 0));
    NEED(cuDevicePrimaryCtxRetain(&again, 0));
    CHECK(c == again);
    NEED(cuDevicePrimaryCtxGetState(0, &flags, &active));
    CHECK(active);
    NEED(cuDevicePrimaryCtxRelease(0));
    GIVES(CUDA_ERROR_INVALID_CONTEXT, cuCtxDestroy(c));
    NEED(cuCtxSetCurrent(c));
    NEED(cuCtxGetFlags(&flags));
    CHECK(flags == CU_CTX_SCHED_BLOCKING_SYNC);
}

static void memory(void) {
    CUdeviceptr p = 0, base = 0;
    size_t bytes = 0, free_before, free_after, total;
    int in[4] = {1, 2, 3, 4}, out[4] = {0};
    NEED(cuMemGetInfo(&free_before, &total));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemAlloc(&p, 0));
    GIVES(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(&p, (size_t)1 << 50));
    NEED(cuMemAlloc(&p, 4096));
    NEED(cuMemGetInfo(&free_after, &total));
    CHECK(free_before - free_after >= 4096 && free_before <= total);
    NEED(cuMemGetAddressRange(&base, &bytes, p + 100));
    CHECK(base == p && bytes == 4096);
    GIVES(CUDA_ERROR_NOT_FOUND, cuMemGetAddressRange(&base, &bytes, 64));
    NEED(cuMemcpyHtoD(p, in, sizeof in));
    NEED(cuMemcpyDtoD(p + 256, p, sizeof in));
    NEED(cuMemcpyDtoH(out, p + 256, sizeof in));
    CHECK(!memcmp(in, out, sizeof in));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(p + 4090, in, sizeof in));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(12345678, in, sizeof in));
    NEED(cuMemsetD32(p, 0x01020304, 4));
    NEED(cuMemcpyDtoH(out, p, sizeof out));
    CHECK(out[0] == 0x01020304 && out[3] == 0x01020304);
    NEED(cuMemsetD16(p, 0xabcd, 3));
    NEED(cuMemsetD8(p + 15, 7, 1));
    NEED(cuMemcpyDtoH(out, p, sizeof out));
    CHECK(out[0] == (int)0xabcdabcd && out[1] == 0x0102abcd && out[3] == 0x07020304);
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemsetD32(p + 2, 0, 1));
    NEED(cuMemFree(p));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemFree(p));
}

static void modules(void) {
    CUfunction f;
    CUdeviceptr at;
    size_t bytes;
    float one = 0;
    const char *name = NULL;
    CUmodule m;
    NEED(cuModuleLoadData(&module, saxpy));
    NEED(cuModuleGetFunction(&function, module, "saxpy"));
    NEED(cuModuleGetFunction(&f, module, "saxpy"));
    CHECK(f == function);
    GIVES(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&f, module, "saxpi"));
    NEED(cuModuleGetGlobal(&at, &bytes, module, "bias"));
    CHECK(bytes == 4);
    NEED(cuMemcpyDtoH(&one, at, 4));
    CHECK(one == 1);
    GIVES(CUDA_ERROR_NOT_FOUND, cuModuleGetGlobal(&at, &bytes, module, "biased"));
    NEED(cuFuncGetName(&name, function));
    CHECK(!strcmp(name, "saxpy"));
    NEED(cuFuncGetModule(&m, function));
    CHECK(m == module);
}

static void functions(void) {
    int value = 0;
    size_t at = 0, bytes = 0;
    CUfunction f;
    unsigned n = 0;
    NEED(cuModuleGetFunction(&f, module, "small"));
    NEED(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f));
    CHECK(value == 64);
    NEED(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, function));
    CHECK(value > 0);
    NEED(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, function));
    CHECK(value == 4);
    NEED(cuFuncGetParamInfo(function, 2, &at, &bytes));
    CHECK(at == 16 && bytes == 4);
    GIVES(CUDA_ERROR_INVALID_VALUE, cuFuncGetParamInfo(function, 4, &at, &bytes));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuFuncGetAttribute(&value, (CUfunction_attribute)99, function));
    NEED(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 8192));
    NEED(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, function));
    CHECK(value == 8192);
    GIVES(CUDA_ERROR_INVALID_VALUE,
          cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 30));
    NEED(cuFuncSetCacheConfig(function, CU_FUNC_CACHE_PREFER_L1));
    NEED(cuModuleGetFunctionCount(&n, module));
    CHECK(n == 2);
}

static void fill(void) {
    float hx[N], hy[N];
    for (int i = 0; i < N; i++) hx[i] = (float)i, hy[i] = 1;
    NEED(cuMemcpyHtoD(x, hx, sizeof hx));
    NEED(cuMemcpyHtoD(y, hy, sizeof hy));
}
static int right(float a) {
    float hy[N];
    NEED(cuMemcpyDtoH(hy, y, sizeof hy));
    for (int i = 0; i < N; i++)
        if (hy[i] != a * (float)i + 1) return 0;
    return 1;
}

static void launches(void) {
    float a = 2;
    unsigned n = N, blocks = 0;
    CUdeviceptr at;
    NEED(cuMemAlloc(&x, N * 4));
    NEED(cuMemAlloc(&y, N * 4));
    fill();
    void *args[] = {&x, &y, &a, &n};
    NEED(cuLaunchKernel(function, GRID, 1, 1, BLOCK, 1, 1, 0, NULL, args, NULL));
    NEED(cuCtxSynchronize());
    CHECK(right(2));
    NEED(cuModuleGetGlobal(&at, NULL, module, "blocks"));
    NEED(cuMemcpyDtoH(&blocks, at, 4));
    CHECK(blocks == GRID);
    fill();
    struct {
        CUdeviceptr x, y;
        float a;
        unsigned n;
    } packed = {x, y, 3, N};
    size_t bytes = sizeof packed;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    NEED(cuLaunchKernel(function, GRID, 1, 1, BLOCK, 1, 1, 0, NULL, NULL, extra));
    CHECK(right(3));
    fill();
    CUlaunchConfig config = {
        .gridDimX = GRID, .gridDimY = 1, .gridDimZ = 1, .blockDimX = BLOCK, .blockDimY = 1, .blockDimZ = 1};
    NEED(cuLaunchKernelEx(&config, function, args, NULL));
    CHECK(right(2));
    fill();
    NEED(cuLaunchCooperativeKernel(function, GRID, 1, 1, BLOCK, 1, 1, 0, NULL, args));
    CHECK(right(2));
}

static void old_launches(void) {
    fill();
    NEED(cuFuncSetBlockShape(function, BLOCK, 1, 1));
    NEED(cuFuncSetSharedSize(function, 0));
    NEED(cuParamSetv(function, 0, &x, 8));
    NEED(cuParamSetv(function, 8, &y, 8));
    NEED(cuParamSetf(function, 16, 5));
    NEED(cuParamSeti(function, 20, N));
    NEED(cuParamSetSize(function, 24));
    NEED(cuLaunchGrid(function, GRID, 1));
    CHECK(right(5));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuParamSetSize(function, 1 << 20));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuLaunchGrid(function, 0, 1));
}

static void bad_launches(void) {
    float a = 2;
    unsigned n = N;
    size_t bytes = 8;
    CUfunction f;
    void *args[] = {&x, &y, &a, &n};
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, args, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    NEED(cuModuleGetFunction(&f, module, "small"));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(function, 1, 1, 1, 2048, 1, 1, 0, NULL, args, NULL));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(function, 1, 1, 1, 0, 1, 1, 0, NULL, args, NULL));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(function, 1, 70000, 1, 1, 1, 1, 0, NULL, args, NULL));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 1 << 20, NULL, args, NULL));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra));
    GIVES(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, cuLaunchKernel(f, 1, 1, 1, 65, 1, 1, 0, NULL, NULL, NULL));
    GIVES(CUDA_ERROR_INVALID_HANDLE, cuLaunchKernel((CUfunction)args, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
    NEED(cuLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, NULL, NULL, NULL));
}

static void unload(void) {
    CUfunction f;
    CUdevice d;
    CUcontext c;
    NEED(cuModuleUnload(module));
    GIVES(CUDA_ERROR_INVALID_HANDLE, cuModuleUnload(module));
    GIVES(CUDA_ERROR_INVALID_HANDLE, cuModuleGetFunction(&f, module, "saxpy"));
    NEED(cuDevicePrimaryCtxRelease(0));
    GIVES(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuCtxGetDevice(&d));
    GIVES(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuMemAlloc(&x, 4));
    NEED(cuDevicePrimaryCtxRetain(&c, 0));
    NEED(cuCtxGetDevice(&d));
}

int main(void) {
    RUN(before_init);
    RUN(device);
    RUN(context);
    RUN(primary);
    RUN(memory);
    RUN(modules);
    RUN(functions);
    RUN(launches);
    RUN(old_launches);
    RUN(bad_launches);
    RUN(unload);
    return failures != 0;
}
