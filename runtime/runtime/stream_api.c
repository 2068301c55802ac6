/* The entry points of streams, events and capture. What is the same under other names or with the per-thread default stream is in
 * per_thread.c. */
#include <string.h>

#include "runtime/graph/capture.h"
#include "runtime/memory/memory.h"
#include "runtime/runtime/api.h"
#include "runtime/runtime/event.h"
#include "runtime/runtime/stream.h"

/* Calls a function of a stream by its handle. */
#define WITH_STREAM(handle, call)                  \
    struct CUstream_st *s;                         \
    const int found = cu_stream_of(p, handle, &s); \
    return found ? found : (call)

/* ---- streams ---- */

CUDA_API int cudaStreamCreate(cudaStream_t *stream) {
    CUDA_CALL(cu_stream_new(p, 0, 0, stream));
}

CUDA_API int cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
    CUDA_CALL(cu_stream_new(p, flags, 0, stream));
}

CUDA_API int cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority) {
    CUDA_CALL(cu_stream_new(p, flags, priority, stream));
}

CUDA_API int cudaStreamDestroy(cudaStream_t stream) {
    CUDA_CALL(cu_stream_end(p, stream));
}

static int priority_range(int *least, int *greatest) {
    if (least) *least = CU_PRIORITY_LEAST;
    if (greatest) *greatest = CU_PRIORITY_GREATEST;
    return CU_Success;
}

CUDA_API int cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
    CUDA_CALL(priority_range(least, greatest));
}

static int get_priority(struct cu_process *p, cudaStream_t stream, int *priority) {
    WITH_STREAM(stream, !priority ? CU_InvalidValue : ((*priority = s->priority), CU_Success));
}

CUDA_API int cudaStreamGetPriority(cudaStream_t stream, int *priority) {
    CUDA_CALL(get_priority(p, stream, priority));
}

static int get_flags(struct cu_process *p, cudaStream_t stream, unsigned *flags) {
    WITH_STREAM(stream, !flags ? CU_InvalidValue : ((*flags = s->flags), CU_Success));
}

CUDA_API int cudaStreamGetFlags(cudaStream_t stream, unsigned *flags) {
    CUDA_CALL(get_flags(p, stream, flags));
}

static int get_id(struct cu_process *p, cudaStream_t stream, unsigned long long *id) {
    WITH_STREAM(stream, !id ? CU_InvalidValue : ((*id = s->id), CU_Success));
}

CUDA_API int cudaStreamGetId(cudaStream_t stream, unsigned long long *id) {
    CUDA_CALL(get_id(p, stream, id));
}

static int get_device(struct cu_process *p, cudaStream_t stream, int *device) {
    WITH_STREAM(stream,
                !device ? CU_InvalidValue : ((*device = 0), s ? CU_Success : CU_InvalidResourceHandle));
}

CUDA_API int cudaStreamGetDevice(cudaStream_t stream, int *device) {
    CUDA_CALL(get_device(p, stream, device));
}

/* The host cannot wait for what a capture holds back. */
static int can_wait(struct cu_process *p, struct CUstream_st *s) {
    const int code = cu_capture_forbid(s);
    return code || s != cu_stream_legacy(p) ? code : cu_capture_legacy(p);
}

static int query(struct cu_process *p, cudaStream_t stream) {
    WITH_STREAM(stream, can_wait(p, s));
}

CUDA_API int cudaStreamQuery(cudaStream_t stream) {
    CUDA_CALL(query(p, stream));
}

static int wait_stream(struct cu_process *p, struct CUstream_st *s) {
    const int code = can_wait(p, s);
    return code ? code : cu_stream_wait(p, s);
}

static int cu_stream_synchronize(struct cu_process *p, cudaStream_t stream) {
    WITH_STREAM(stream, wait_stream(p, s));
}

CUDA_API int cudaStreamSynchronize(cudaStream_t stream) {
    CUDA_CALL(cu_stream_synchronize(p, stream));
}

static int host_function(struct cu_process *p, cudaStream_t stream, const struct cu_host_op *host) {
    const struct cu_op op = {.kind = CU_OP_HOST, .u.host = *host};
    if (!host->fn && !host->callback) return CU_InvalidValue;
    WITH_STREAM(stream, cu_submit(p, s, &op));
}

CUDA_API int cudaLaunchHostFunc(cudaStream_t stream, void (*fn)(void *), void *user) {
    CUDA_CALL(host_function(p, stream, &(struct cu_host_op){.fn = fn, .user = user}));
}

static int add_callback(struct cu_process *p, cudaStream_t stream,
                        void (*fn)(struct CUstream_st *, int, void *), void *user, unsigned flags) {
    struct CUstream_st *s;
    const int code = cu_stream_of(p, stream, &s);
    if (code || flags) return code ? code : CU_InvalidValue;
    if (s->capture) return cu_capture_forbid(s);
    return host_function(p, stream, &(struct cu_host_op){.callback = fn, .user = user});
}

CUDA_API int cudaStreamAddCallback(cudaStream_t stream, void (*fn)(cudaStream_t, int, void *), void *user,
                                   unsigned flags) {
    CUDA_CALL(add_callback(p, stream, fn, user, flags));
}

/* Managed memory is always where it is needed: only the arguments matter. */
static int cu_stream_attach(struct cu_process *p, cudaStream_t stream, void *ptr, size_t bytes,
                            unsigned flags) {
    const struct cu_alloc *a = cu_alloc_find(p, (uintptr_t)ptr);
    if (!a || a->kind != CU_MEMORY_MANAGED || (bytes && bytes != a->bytes)) return CU_InvalidValue;
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost && flags != cudaMemAttachSingle)
        return CU_InvalidValue;
    if (flags == cudaMemAttachSingle && (!stream || stream == CU_STREAM_LEGACY)) return CU_InvalidValue;
    WITH_STREAM(stream, s ? CU_Success : CU_InvalidValue);
}

CUDA_API int cudaStreamAttachMemAsync(cudaStream_t stream, void *ptr, size_t bytes, unsigned flags) {
    CUDA_CALL(cu_stream_attach(p, stream, ptr, bytes, flags));
}

/* ---- attributes ---- */

/* Kept for who asks; nothing here depends on them. */
struct cu_attributes {
    cudaLaunchAttributeValue window, policy, domain_map, domain;
};

static cudaLaunchAttributeValue *cu_stream_attribute(struct CUstream_st *s, int id) {
    if (!s->attributes) s->attributes = cu_zalloc(sizeof *s->attributes);
    switch (id) {
    case cudaLaunchAttributeAccessPolicyWindow: return &s->attributes->window;
    case cudaLaunchAttributeSynchronizationPolicy: return &s->attributes->policy;
    case cudaLaunchAttributeMemSyncDomainMap: return &s->attributes->domain_map;
    case cudaLaunchAttributeMemSyncDomain: return &s->attributes->domain;
    default: return NULL;
    }
}

static int cu_stream_get_attribute(struct CUstream_st *s, int id, cudaLaunchAttributeValue *value) {
    const cudaLaunchAttributeValue *v = cu_stream_attribute(s, id);
    if (!value || (!v && id != cudaLaunchAttributePriority)) return CU_InvalidValue;
    if (v)
        *value = *v;
    else
        value->priority = s->priority;
    return CU_Success;
}

static int cu_stream_set_attribute(struct CUstream_st *s, int id, const cudaLaunchAttributeValue *value) {
    cudaLaunchAttributeValue *v = cu_stream_attribute(s, id);
    if (!v && id != cudaLaunchAttributePriority) return CU_InvalidValue;
    if (v)
        *v = *value;
    else
        s->priority = value->priority;
    return CU_Success;
}

static int of_attribute(struct cu_process *p, cudaStream_t stream, int id, cudaLaunchAttributeValue *get,
                        const cudaLaunchAttributeValue *set) {
    WITH_STREAM(stream, set ? cu_stream_set_attribute(s, id, set) : cu_stream_get_attribute(s, id, get));
}

CUDA_API int cudaStreamGetAttribute(cudaStream_t stream, int id, cudaLaunchAttributeValue *value) {
    CUDA_CALL(of_attribute(p, stream, id, value, NULL));
}

CUDA_API int cudaStreamSetAttribute(cudaStream_t stream, int id, const cudaLaunchAttributeValue *value) {
    CUDA_CALL(of_attribute(p, stream, id, NULL, value));
}

static int copy_attributes(struct cu_process *p, cudaStream_t dst, cudaStream_t src) {
    struct CUstream_st *from, *to;
    int code = cu_stream_of(p, src, &from);
    if (code || (code = cu_stream_of(p, dst, &to))) return code;
    cu_stream_attribute(from, cudaLaunchAttributeIgnore);
    cu_stream_attribute(to, cudaLaunchAttributeIgnore);
    *to->attributes = *from->attributes;
    return CU_Success;
}

CUDA_API int cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src) {
    CUDA_CALL(copy_attributes(p, dst, src));
}

/* ---- events ---- */

CUDA_API int cudaEventCreate(cudaEvent_t *event) {
    CUDA_CALL(cu_event_new(p, 0, event));
}

CUDA_API int cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
    CUDA_CALL(cu_event_new(p, flags, event));
}

static int cu_stream_api_record(struct cu_process *p, cudaEvent_t event, cudaStream_t stream,
                                unsigned flags) {
    WITH_STREAM(stream, cu_event_record(p, event, s, flags));
}

CUDA_API int cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    CUDA_CALL(cu_stream_api_record(p, event, stream, 0));
}

CUDA_API int cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
    CUDA_CALL(cu_stream_api_record(p, event, stream, flags));
}

static int wait_event(struct cu_process *p, cudaStream_t stream, cudaEvent_t event, unsigned flags) {
    WITH_STREAM(stream, cu_event_wait(p, s, event, flags));
}

CUDA_API int cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
    CUDA_CALL(wait_event(p, stream, event, flags));
}

CUDA_API int cudaEventQuery(cudaEvent_t event) {
    CUDA_CALL(cu_event_query(p, event));
}

CUDA_API int cudaEventSynchronize(cudaEvent_t event) {
    CUDA_CALL(cu_event_sync(p, event));
}

static int destroy_event(struct cu_process *p, cudaEvent_t event) {
    if (!cu_is_event(p, event)) return CU_InvalidResourceHandle;
    cu_event_free(p, event);
    return CU_Success;
}

CUDA_API int cudaEventDestroy(cudaEvent_t event) {
    CUDA_CALL(destroy_event(p, event));
}

CUDA_API int cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end) {
    CUDA_CALL(cu_event_elapsed(p, ms, start, end));
}

CUDA_API int cudaEventElapsedTime_v2(float *ms, cudaEvent_t start, cudaEvent_t end) {
    CUDA_CALL(cu_event_elapsed(p, ms, start, end));
}
