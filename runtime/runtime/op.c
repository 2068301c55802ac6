/* Operations of streams: running one, and copying one to run it later. */
#include "runtime/runtime/op.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/memory/memory.h"
#include "runtime/runtime/error.h"
#include "runtime/runtime/launch.h"
#include "runtime/runtime/process.h"

struct call {
    struct cu_host_op op;
    struct CUstream_st *stream;
};

static void call_host(void *user) {
    struct call *c = user;
    if (c->op.fn)
        c->op.fn(c->op.user);
    else
        c->op.callback(c->stream, CU_Success, c->op.user);
}

int cu_op_run(struct cu_process *p, struct CUstream_st *stream, const struct cu_op *op, uint64_t *time) {
    *time = 0;
    switch (op->kind) {
    case CU_OP_KERNEL: return cu_launch_run(p, stream, &op->u.kernel, time);
    case CU_OP_COPY: return cu_copy_run(p, &op->u.copy, time);
    case CU_OP_SET: return cu_set_run(p, &op->u.set, time);
    case CU_OP_HOST: {
        struct call c = {op->u.host, stream};
        cu_flush_prints(p);
        cu_unlocked(p, call_host, &c);
        return CU_Success;
    }
    default: return CU_Success;
    }
}

int cu_op_copy(struct cu_op *to, const struct cu_op *from) {
    *to = *from;
    if (from->kind != CU_OP_KERNEL || !from->u.kernel.param_bytes) return CU_Success;
    to->u.kernel.params = malloc(from->u.kernel.param_bytes);
    if (!to->u.kernel.params) return CU_MemoryAllocation;
    memcpy(to->u.kernel.params, from->u.kernel.params, from->u.kernel.param_bytes);
    return CU_Success;
}

void cu_op_free(struct cu_op *op) {
    if (op->kind == CU_OP_KERNEL && op->u.kernel.param_bytes) free(op->u.kernel.params);
    op->kind = CU_OP_EMPTY;
}
