/* Streams, events, capture, host functions, pools; pointers and the memory of the host; arrays and textures. */
#include "check.h"

static const char kernels[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n"
    ".global .texref image;\n"
    /* out[i] = image(i % 8 + 0.5, i / 8 + 0.5) of a texture reference */
    ".visible .entry by_name(.param .u64 out)\n{\n.reg .b32 %r<6>;\n.reg .f32 %f<8>;\n.reg .b64 %d<4>;\n"
    "mov.u32 %r1, %tid.x;\nand.b32 %r2, %r1, 7;\nshr.u32 %r3, %r1, 3;\n"
    "cvt.rn.f32.u32 %f1, %r2;\ncvt.rn.f32.u32 %f2, %r3;\nadd.f32 %f1, %f1, 0f3f000000;\nadd.f32 %f2, %f2, "
    "0f3f000000;\n"
    "tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [image, {%f1, %f2}];\n"
    "ld.param.u64 %d1, [out];\nmul.wide.u32 %d2, %r1, 4;\nadd.u64 %d1, %d1, %d2;\nst.global.f32 [%d1], "
    "%f3;\nret;\n}\n"
    /* reads a texture object in that way */
    ".visible .entry by_object(.param .u64 out, .param .u64 texture)\n{\n.reg .b32 %r<6>;\n.reg .f32 %f<8>;\n"
    ".reg .b64 %d<4>;\nmov.u32 %r1, %tid.x;\nand.b32 %r2, %r1, 7;\nshr.u32 %r3, %r1, 3;\n"
    "cvt.rn.f32.u32 %f1, %r2;\ncvt.rn.f32.u32 %f2, %r3;\nadd.f32 %f1, %f1, 0f3f000000;\nadd.f32 %f2, %f2, "
    "0f3f000000;\n"
    "ld.param.u64 %d3, [texture];\ntex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%d3, {%f1, %f2}];\n"
    "ld.param.u64 %d1, [out];\nmul.wide.u32 %d2, %r1, 4;\nadd.u64 %d1, %d1, %d2;\nst.global.f32 [%d1], "
    "%f3;\nret;\n}\n"
    /* *p += 1 by every thread */
    ".visible .entry count(.param .u64 p)\n{\n.reg .b64 %d<2>;\nld.param.u64 %d1, [p];\n"
    "red.global.add.u32 [%d1], 1;\nret;\n}\n";
enum { W = 8, H = 4, N = W * H };

static CUmodule module;
static CUfunction count;
static CUdeviceptr cell;

static unsigned cell_value(void) {
    unsigned value = 0;
    NEED(cuMemcpyDtoH(&value, cell, 4));
    return value;
}

static void set_up(void) {
    CUcontext c;
    NEED(cuInit(0));
    NEED(cuDevicePrimaryCtxRetain(&c, 0));
    NEED(cuCtxSetCurrent(c));
    NEED(cuModuleLoadData(&module, kernels));
    NEED(cuModuleGetFunction(&count, module, "count"));
    NEED(cuMemAlloc(&cell, 4));
    NEED(cuMemsetD32(cell, 0, 1));
}

static void add_ten(void *user) {
    *(int *)user += 10;
}
static void CUDA_CB add_hundred(CUstream stream, CUresult code, void *user) {
    if (stream && code == CUDA_SUCCESS) *(int *)user += 100;
}

static void streams(void) {
    CUstream s;
    unsigned flags = 0;
    int seen = 0, least, greatest, priority = 9;
    CUcontext c, current;
    NEED(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    NEED(cuStreamGetFlags(s, &flags));
    CHECK(flags == CU_STREAM_NON_BLOCKING);
    NEED(cuStreamGetCtx(s, &c));
    NEED(cuCtxGetCurrent(&current));
    CHECK(c == current);
    NEED(cuCtxGetStreamPriorityRange(&least, &greatest));
    CHECK(greatest <= least);
    NEED(cuStreamGetPriority(s, &priority));
    CHECK(priority == 0);
    void *args[] = {&cell};
    NEED(cuLaunchKernel(count, 2, 1, 1, 32, 1, 1, 0, s, args, NULL));
    NEED(cuLaunchHostFunc(s, add_ten, &seen));
    NEED(cuStreamAddCallback(s, add_hundred, &seen, 0));
    NEED(cuStreamSynchronize(s));
    NEED(cuStreamQuery(s));
    CHECK(seen == 110);
    CHECK(cell_value() == 64);
    NEED(cuStreamDestroy(s));
    GIVES(CUDA_ERROR_INVALID_HANDLE, cuStreamDestroy((CUstream)&seen));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuStreamCreate(&s, 77));
}

static void events(void) {
    CUevent a, b, no_time;
    float ms = -1;
    void *args[] = {&cell};
    NEED(cuEventCreate(&a, CU_EVENT_DEFAULT));
    NEED(cuEventCreate(&b, CU_EVENT_BLOCKING_SYNC));
    NEED(cuEventCreate(&no_time, CU_EVENT_DISABLE_TIMING));
    NEED(cuEventRecord(a, NULL));
    NEED(cuLaunchKernel(count, 1, 1, 1, 32, 1, 1, 0, NULL, args, NULL));
    NEED(cuEventRecord(b, NULL));
    NEED(cuEventSynchronize(b));
    NEED(cuEventQuery(b));
    NEED(cuEventElapsedTime(&ms, a, b));
    CHECK(ms > 0);
    NEED(cuEventRecord(no_time, NULL));
    GIVES(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&ms, a, no_time));
    NEED(cuStreamWaitEvent(NULL, b, 0));
    NEED(cuEventDestroy(a));
    NEED(cuEventDestroy(b));
    NEED(cuEventDestroy(no_time));
}

static void host_memory(void) {
    int *shared, *copy;
    CUdeviceptr at, managed;
    unsigned flags = 0, type = 0, is_managed = 0;
    void *args[] = {&at};
    NEED(cuMemHostAlloc((void **)&shared, 64, CU_MEMHOSTALLOC_DEVICEMAP));
    shared[0] = 5;
    NEED(cuMemHostGetDevicePointer(&at, shared, 0));
    NEED(cuLaunchKernel(count, 1, 1, 1, 32, 1, 1, 0, NULL, args, NULL));
    NEED(cuCtxSynchronize());
    CHECK(shared[0] == 37);
    NEED(cuMemHostGetFlags(&flags, shared));
    CHECK(flags & CU_MEMHOSTALLOC_DEVICEMAP);
    NEED(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, at));
    CHECK(type == CU_MEMORYTYPE_HOST);
    NEED(cuMemFreeHost(shared));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemFreeHost(shared));

    NEED(cuMemAllocManaged(&managed, 64, CU_MEM_ATTACH_GLOBAL));
    copy = (int *)(size_t)managed;
    copy[0] = 1;
    args[0] = &managed;
    NEED(cuMemPrefetchAsync(managed, 64, 0, NULL));
    NEED(cuMemAdvise(managed, 64, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
    NEED(cuLaunchKernel(count, 1, 1, 1, 32, 1, 1, 0, NULL, args, NULL));
    NEED(cuCtxSynchronize());
    CHECK(copy[0] == 33);
    NEED(cuPointerGetAttribute(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, managed));
    CHECK(is_managed);
    NEED(cuMemFree(managed));

    copy = calloc(16, 4);
    NEED(cuMemHostRegister(copy, 64, CU_MEMHOSTREGISTER_DEVICEMAP));
    GIVES(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, cuMemHostRegister(copy, 64, 0));
    NEED(cuMemHostGetDevicePointer(&at, copy, 0));
    args[0] = &at;
    NEED(cuLaunchKernel(count, 1, 1, 1, 32, 1, 1, 0, NULL, args, NULL));
    NEED(cuCtxSynchronize());
    CHECK(copy[0] == 32);
    NEED(cuMemHostUnregister(copy));
    GIVES(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, cuMemHostUnregister(copy));
    free(copy);
}

static void pointers(void) {
    CUcontext c = NULL, current;
    unsigned type = 9;
    CUdeviceptr start = 0;
    size_t bytes = 0;
    int ordinal = 9, local = 0;
    NEED(cuCtxGetCurrent(&current));
    CUpointer_attribute which[] = {CU_POINTER_ATTRIBUTE_CONTEXT, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                   CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, CU_POINTER_ATTRIBUTE_RANGE_SIZE,
                                   CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
    void *to[] = {&c, &type, &start, &bytes, &ordinal};
    NEED(cuPointerGetAttributes(5, which, to, cell + 1));
    CHECK(c == current && type == CU_MEMORYTYPE_DEVICE && start == cell && bytes == 4 && ordinal == 0);
    NEED(cuPointerGetAttributes(5, which, to, (CUdeviceptr)(size_t)&local));
    CHECK(c == NULL && type == 0);
    GIVES(CUDA_ERROR_INVALID_VALUE,
          cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(size_t)&local));
}

static void pools(void) {
    CUdeviceptr p;
    CUmemoryPool pool;
    cuuint64_t used = 0;
    NEED(cuDeviceGetDefaultMemPool(&pool, 0));
    NEED(cuMemAllocAsync(&p, 1024, NULL));
    NEED(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    CHECK(used >= 1024);
    NEED(cuMemFreeAsync(p, NULL));
    NEED(cuStreamSynchronize(NULL));
    NEED(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    CHECK(used == 0);
}

static void boxes(void) {
    CUdeviceptr p;
    size_t pitch;
    int in[N], out[N] = {0};
    for (int i = 0; i < N; i++) in[i] = 1000 + i;
    NEED(cuMemAllocPitch(&p, &pitch, W * 4, H, 4));
    CHECK(pitch >= W * 4);
    CUDA_MEMCPY2D c = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                       .srcHost = in,
                       .srcPitch = W * 4,
                       .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                       .dstDevice = p,
                       .dstPitch = pitch,
                       .WidthInBytes = W * 4,
                       .Height = H};
    NEED(cuMemcpy2D(&c));
    /* the lower right quarter back to the upper left */
    CUDA_MEMCPY2D back = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                          .srcDevice = p,
                          .srcPitch = pitch,
                          .srcXInBytes = W / 2 * 4,
                          .srcY = H / 2,
                          .dstMemoryType = CU_MEMORYTYPE_HOST,
                          .dstHost = out,
                          .dstPitch = W * 4,
                          .WidthInBytes = W / 2 * 4,
                          .Height = H / 2};
    NEED(cuMemcpy2DUnaligned(&back));
    CHECK(out[0] == 1000 + W * H / 2 + W / 2 && out[W] == 1000 + W * (H / 2 + 1) + W / 2 && out[W / 2] == 0);
    back.WidthInBytes = W * 4 + 1;
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(&back));
    NEED(cuMemsetD2D32(p, pitch, 7, 2, 2));
    NEED(cuMemsetD2D8(p + 2 * pitch, pitch, 1, 4, 1));
    CUDA_MEMCPY3D all = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                         .srcDevice = p,
                         .srcPitch = pitch,
                         .srcHeight = H,
                         .dstMemoryType = CU_MEMORYTYPE_HOST,
                         .dstHost = out,
                         .dstPitch = W * 4,
                         .dstHeight = H,
                         .WidthInBytes = W * 4,
                         .Height = H,
                         .Depth = 1};
    NEED(cuMemcpy3D(&all));
    CHECK(out[0] == 7 && out[1] == 7 && out[2] == 1002 && out[W] == 7 && out[2 * W] == 0x01010101);
    NEED(cuMemFree(p));
}

static void arrays_and_textures(void) {
    CUarray array;
    CUtexref reference;
    CUtexObject texture;
    CUfunction by_name, by_object;
    CUdeviceptr out;
    float in[N], got[N];
    for (int i = 0; i < N; i++) in[i] = (float)(i * i);
    CUDA_ARRAY_DESCRIPTOR d = {.Width = W, .Height = H, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1}, e;
    NEED(cuArrayCreate(&array, &d));
    NEED(cuArrayGetDescriptor(&e, array));
    CHECK(e.Width == W && e.Height == H && e.Format == CU_AD_FORMAT_FLOAT && e.NumChannels == 1);
    CUDA_MEMCPY2D c = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                       .srcHost = in,
                       .srcPitch = W * 4,
                       .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                       .dstArray = array,
                       .WidthInBytes = W * 4,
                       .Height = H};
    NEED(cuMemcpy2D(&c));
    NEED(cuMemAlloc(&out, sizeof got));
    NEED(cuModuleGetFunction(&by_name, module, "by_name"));
    NEED(cuModuleGetFunction(&by_object, module, "by_object"));
    GIVES(CUDA_ERROR_NOT_FOUND, cuModuleGetTexRef(&reference, module, "picture"));
    NEED(cuModuleGetTexRef(&reference, module, "image"));
    NEED(cuTexRefSetArray(reference, array, CU_TRSA_OVERRIDE_FORMAT));
    NEED(cuTexRefSetAddressMode(reference, 0, CU_TR_ADDRESS_MODE_CLAMP));
    NEED(cuTexRefSetFilterMode(reference, CU_TR_FILTER_MODE_POINT));
    void *args[] = {&out, &texture};
    NEED(cuLaunchKernel(by_name, 1, 1, 1, N, 1, 1, 0, NULL, args, NULL));
    NEED(cuMemcpyDtoH(got, out, sizeof got));
    CHECK(!memcmp(in, got, sizeof got));
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = array}, again;
    CUDA_TEXTURE_DESC how = {.filterMode = CU_TR_FILTER_MODE_POINT};
    NEED(cuTexObjectCreate(&texture, &resource, &how, NULL));
    NEED(cuTexObjectGetResourceDesc(&again, texture));
    CHECK(again.resType == CU_RESOURCE_TYPE_ARRAY && again.res.array.hArray == array);
    NEED(cuMemsetD32(out, 0, N));
    NEED(cuLaunchKernel(by_object, 1, 1, 1, N, 1, 1, 0, NULL, args, NULL));
    NEED(cuMemcpyDtoH(got, out, sizeof got));
    CHECK(!memcmp(in, got, sizeof got));
    NEED(cuTexObjectDestroy(texture));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuTexObjectDestroy(texture));
    NEED(cuArrayDestroy(array));
    GIVES(CUDA_ERROR_INVALID_HANDLE, cuArrayDestroy(array));
    NEED(cuMemFree(out));
}

static void occupancy(void) {
    int blocks = 0, grid = 0, block = 0, sms = 0, most = 0;
    NEED(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, count, 128, 0));
    CHECK(blocks >= 1);
    NEED(cuOccupancyMaxPotentialBlockSize(&grid, &block, count, NULL, 0, 0));
    NEED(cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
    NEED(cuDeviceGetAttribute(&most, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 0));
    CHECK(block > 0 && block <= most && grid >= sms && grid % sms == 0);
    GIVES(CUDA_ERROR_INVALID_VALUE, cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, count, 0, 0));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuDeviceGetAttribute(&most, (CUdevice_attribute)100000, 0));
}

int main(void) {
    RUN(set_up);
    RUN(streams);
    RUN(events);
    RUN(host_memory);
    RUN(pointers);
    RUN(pools);
    RUN(boxes);
    RUN(arrays_and_textures);
    RUN(occupancy);
    return failures != 0;
}
