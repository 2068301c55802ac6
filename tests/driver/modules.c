/* Images of all kinds, what the compiler says of bad ones, linking, libraries; names of entry points; calls that are not
 * served; faults. */
#include <pthread.h>

#include "check.h"

#define HEAD ".version 7.5\n.target sm_75\n.address_size 64\n"
/* *p = twice(*p), whose definition is in another text */
static char user[] =
    HEAD ".extern .func (.param .b32 r) twice(.param .b32 a);\n"
         ".visible .entry use(.param .u64 p)\n{\n.reg .b32 %r<4>;\n.reg .b64 %d<2>;\n"
         "ld.param.u64 %d1, [p];\nld.global.u32 %r1, [%d1];\n{\n.param .b32 a;\n.param .b32 r;\n"
         "st.param.b32 [a], %r1;\ncall (r), twice, (a);\nld.param.b32 %r2, [r];\n}\n"
         "st.global.u32 [%d1], %r2;\nret;\n}\n";
static char callee[] =
    HEAD ".visible .func (.param .b32 r) twice(.param .b32 a)\n{\n.reg .b32 %r<3>;\n"
         "ld.param.b32 %r1, [a];\nadd.u32 %r2, %r1, %r1;\nst.param.b32 [r], %r2;\nret;\n}\n";
static const char bad[] =
    HEAD ".visible .entry broken()\n{\n.reg .b32 %r<2>;\nadd.u32 %r1, %r1, %undefined;\nret;\n}\n";
static const char wild[] = HEAD ".visible .entry wild()\n{\n.reg .b64 %d<2>;\nmov.u64 %d1, 1024;\n"
                                "st.global.u32 [%d1], 1;\nret;\n}\n";

static CUcontext context;

static void set_up(void) {
    NEED(cuInit(0));
    NEED(cuCtxCreate(&context, 0, 0));
}

static void bad_images(void) {
    CUmodule m;
    char error[1024] = "untouched", info[16] = "untouched";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                              CU_JIT_INFO_LOG_BUFFER,  CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
                              CU_JIT_WALL_TIME,        CU_JIT_OPTIMIZATION_LEVEL};
    void *values[] = {error, (void *)sizeof error, info, (void *)sizeof info, NULL, (void *)4};
    GIVES(CUDA_ERROR_INVALID_PTX, cuModuleLoadDataEx(&m, bad, 6, options, values));
    CHECK(strstr(error, "undefined") && strstr(error, ":7:"));
    CHECK((size_t)values[1] == strlen(error));
    CHECK(!info[0] && !values[3]);
    char small[8];
    values[0] = small, values[1] = (void *)sizeof small;
    GIVES(CUDA_ERROR_INVALID_PTX, cuModuleLoadDataEx(&m, bad, 2, options, values));
    CHECK(strlen(small) == 7 && !strncmp(small, error, 7));
    options[0] = (CUjit_option)1000;
    GIVES(CUDA_ERROR_INVALID_VALUE, cuModuleLoadDataEx(&m, callee, 1, options, values));
    GIVES(CUDA_ERROR_INVALID_IMAGE, cuModuleLoadData(&m, "this is no image"));
    GIVES(CUDA_ERROR_NO_BINARY_FOR_GPU, cuModuleLoadData(&m, "\177ELF and so on"));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuModuleLoadData(&m, NULL));
    GIVES(CUDA_ERROR_FILE_NOT_FOUND, cuModuleLoad(&m, "/no/such/file.ptx"));
}

static void files(void) {
    char path[] = "/tmp/driver-XXXXXX";
    CUmodule m;
    CUfunction f;
    int fd = mkstemp(path);
    FILE *file = fdopen(fd, "w");
    CHECK(file && fputs(callee, file) >= 0 && !fclose(file));
    NEED(cuModuleLoad(&m, path));
    GIVES(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&f, m, "twice")); /* no kernel */
    NEED(cuModuleUnload(m));
    remove(path);
}

static int run_use(CUfunction f, int value) {
    CUdeviceptr p;
    void *args[] = {&p};
    NEED(cuMemAlloc(&p, 4));
    NEED(cuMemcpyHtoD(p, &value, 4));
    NEED(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
    NEED(cuMemcpyDtoH(&value, p, 4));
    NEED(cuMemFree(p));
    return value;
}

static void linking(void) {
    CUlinkState s;
    CUmodule m;
    CUfunction f;
    void *image;
    size_t bytes = 0;
    float wall = -1;
    void *wall_value = NULL;
    CUjit_option wall_time = CU_JIT_WALL_TIME;
    NEED(cuLinkCreate(1, &wall_time, &wall_value, &s));
    NEED(cuLinkAddData(s, CU_JIT_INPUT_PTX, user, sizeof user, "user.ptx", 0, NULL, NULL));
    NEED(cuLinkAddData(s, CU_JIT_INPUT_PTX, callee, sizeof callee, "callee.ptx", 0, NULL, NULL));
    GIVES(CUDA_ERROR_FILE_NOT_FOUND, cuLinkAddFile(s, CU_JIT_INPUT_PTX, "/no/such.ptx", 0, NULL, NULL));
    GIVES(CUDA_ERROR_NO_BINARY_FOR_GPU, cuLinkAddData(s, CU_JIT_INPUT_CUBIN, user, 4, "c", 0, NULL, NULL));
    NEED(cuLinkComplete(s, &image, &bytes));
    memcpy(&wall, &wall_value, sizeof wall);
    CHECK(wall >= 0 && bytes > sizeof user);
    NEED(cuModuleLoadData(&m, image));
    NEED(cuLinkDestroy(s));
    NEED(cuModuleGetFunction(&f, m, "use"));
    CHECK(run_use(f, 21) == 42);
    NEED(cuModuleUnload(m));
    /* what is missing refuses the kernels that may call it, not the image */
    NEED(cuLinkCreate(0, NULL, NULL, &s));
    NEED(cuLinkAddData(s, CU_JIT_INPUT_PTX, user, sizeof user, "user.ptx", 0, NULL, NULL));
    NEED(cuLinkComplete(s, &image, &bytes));
    NEED(cuModuleLoadData(&m, image));
    NEED(cuLinkDestroy(s));
    NEED(cuModuleGetFunction(&f, m, "use"));
    CUdeviceptr nowhere = 0;
    void *args[] = {&nowhere};
    GIVES(CUDA_ERROR_INVALID_PTX, cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
    NEED(cuModuleUnload(m));
}

static void libraries(void) {
    CUlibrary l;
    CUkernel k, list[2];
    CUfunction f;
    CUmodule m;
    const char *name = NULL;
    unsigned n = 0;
    int value = 0;
    GIVES(CUDA_ERROR_INVALID_PTX, cuLibraryLoadData(&l, bad, NULL, NULL, 0, NULL, NULL, 0));
    NEED(cuLibraryLoadData(&l, wild, NULL, NULL, 0, NULL, NULL, 0));
    NEED(cuLibraryGetKernel(&k, l, "wild"));
    GIVES(CUDA_ERROR_NOT_FOUND, cuLibraryGetKernel(&k, l, "tame"));
    NEED(cuLibraryGetKernelCount(&n, l));
    NEED(cuLibraryEnumerateKernels(list, 2, l));
    CHECK(n == 1 && list[0] == k);
    NEED(cuKernelGetName(&name, k));
    CHECK(!strcmp(name, "wild"));
    NEED(cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, k, 0));
    CHECK(value > 0);
    NEED(cuKernelGetFunction(&f, k));
    NEED(cuLibraryGetModule(&m, l));
    NEED(cuLibraryUnload(l));
    GIVES(CUDA_ERROR_INVALID_HANDLE, cuLibraryUnload(l));
}

static void entry_points(void) {
    CUresult (*alloc)(CUdeviceptr *, size_t) = NULL;
    void *old = NULL, *now = NULL, *own = NULL, *none = &none;
    CUdriverProcAddressQueryResult status;
    CUdeviceptr p;
    NEED(cuGetProcAddress("cuMemAlloc", (void **)&alloc, 12000, 0, &status));
    CHECK(alloc && status == CU_GET_PROC_ADDRESS_SUCCESS);
    NEED(alloc(&p, 16));
    NEED(cuMemFree(p));
    NEED(cuGetProcAddress("cuCtxCreate", &old, 11000, 0, &status));
    NEED(cuGetProcAddress("cuCtxCreate", &now, 12050, 0, &status));
    CHECK(old && now && old != now);
    NEED(cuGetProcAddress("cuMemcpyHtoDAsync", &now, 12000, CU_GET_PROC_ADDRESS_LEGACY_STREAM, &status));
    NEED(cuGetProcAddress("cuMemcpyHtoDAsync", &own, 12000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM,
                          &status));
    CHECK(now && own && now != own);
    NEED(cuGetProcAddress("cuLibraryLoadData", &none, 11000, 0, &status));
    CHECK(!none && status == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    NEED(cuGetProcAddress("cuMakeCoffee", &none, 13000, 0, &status));
    CHECK(!none && status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    GIVES(CUDA_ERROR_NOT_FOUND, cuGetProcAddress("cuMakeCoffee", &none, 13000, 0, NULL));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuGetProcAddress("cuInit", NULL, 13000, 0, NULL));
    CUresult (*not_served)(int) = NULL;
    NEED(cuGetProcAddress("cuMulticastCreate", (void **)&not_served, 13000, 0, &status));
    CHECK(not_served && not_served(0) == CUDA_ERROR_NOT_SUPPORTED);
}

static void errors(void) {
    const char *text = NULL;
    NEED(cuGetErrorName(CUDA_ERROR_INVALID_CONTEXT, &text));
    CHECK(!strcmp(text, "CUDA_ERROR_INVALID_CONTEXT"));
    NEED(cuGetErrorString(CUDA_ERROR_INVALID_CONTEXT, &text));
    CHECK(!strcmp(text, "invalid device context"));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuGetErrorName((CUresult)123456, &text));
    CHECK(!text);
    CUuuid id = {{0}};
    const void *table = &id;
    GIVES(CUDA_ERROR_NOT_FOUND, cuGetExportTable(&table, &id));
    CHECK(!table);
}

/* A thread begins without a context and can take one that another made. */
static void *in_thread(void *module) {
    CUcontext c = context;
    CUdeviceptr p;
    (void)module;
    NEED(cuCtxGetCurrent(&c));
    CHECK(!c);
    GIVES(CUDA_ERROR_INVALID_CONTEXT, cuMemAlloc(&p, 4));
    NEED(cuCtxPushCurrent(context));
    NEED(cuMemAlloc(&p, 4));
    NEED(cuMemFree(p));
    NEED(cuCtxPopCurrent(&c));
    CHECK(c == context);
    return NULL;
}

/* A context that another thread destroys is gone, even when a new one lies where it was. */
static void *destroy(void *c) {
    NEED(cuCtxDestroy(c));
    return NULL;
}
static void destroyed_elsewhere(void) {
    CUcontext gone, next, c;
    pthread_t t;
    NEED(cuCtxCreate(&gone, 0, 0));
    CHECK(!pthread_create(&t, NULL, destroy, gone) && !pthread_join(t, NULL));
    NEED(cuCtxGetCurrent(&c));
    CHECK(c == context);
    NEED(cuCtxCreate(&gone, 0, 0));
    CHECK(!pthread_create(&t, NULL, destroy, gone) && !pthread_join(t, NULL));
    NEED(cuCtxCreate(&next, 0, 0));
    NEED(cuCtxPopCurrent(&c));
    CHECK(c == next);
    NEED(cuCtxGetCurrent(&c));
    CHECK(c == context);
    NEED(cuCtxDestroy(next));
}
static void threads(void) {
    pthread_t t[4];
    for (int i = 0; i < 4; i++) CHECK(!pthread_create(&t[i], NULL, in_thread, NULL));
    for (int i = 0; i < 4; i++) CHECK(!pthread_join(t[i], NULL));
}

/* A fault stays until its context is destroyed; the next one is fresh. */
static void faults(void) {
    CUmodule m;
    CUfunction f;
    CUdeviceptr p;
    NEED(cuModuleLoadData(&m, wild));
    NEED(cuModuleGetFunction(&f, m, "wild"));
    NEED(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    GIVES(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
    GIVES(CUDA_ERROR_ILLEGAL_ADDRESS, cuMemAlloc(&p, 4));
    NEED(cuCtxDestroy(context));
    NEED(cuCtxCreate(&context, 0, 0));
    NEED(cuMemAlloc(&p, 4));
    NEED(cuMemsetD32(p, 0, 1));
    NEED(cuCtxDestroy(context));
}

int main(void) {
    RUN(set_up);
    RUN(bad_images);
    RUN(files);
    RUN(linking);
    RUN(libraries);
    RUN(entry_points);
    RUN(errors);
    RUN(threads);
    RUN(destroyed_elsewhere);
    RUN(faults);
    return failures != 0;
}
