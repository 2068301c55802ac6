/* What ended the last launch, through the public API. The executor makes faults (exec/fault.c, exec/livelock/stuck.c), the timed
 * machine deadlocks (deadlock.c); here their kinds get the names that callers see. */
#include <string.h>

#include "sim/device/internal.h"

static const struct {
    hd_fault_kind kind;
    const char *name;
} kinds[EXEC_FAULT_KINDS] = {
#define KIND(k) \
    { HD_FAULT_##k, "HD_FAULT_" #k }
    [EXEC_OK] = KIND(NONE),
    [EXEC_F_BOUNDS] = KIND(ADDRESS),
    [EXEC_F_NULL] = KIND(ADDRESS),
    [EXEC_F_ALIGN] = KIND(ALIGNMENT),
    [EXEC_F_READONLY] = KIND(READONLY),
    [EXEC_F_STACK] = KIND(STACK),
    [EXEC_F_TRAP] = KIND(TRAP),
    [EXEC_F_ASSERT] = KIND(ASSERT),
    [EXEC_F_CALL] = KIND(CALL),
    [EXEC_F_SYNC] = KIND(BARRIER),
    [EXEC_F_TEXTURE] = KIND(TEXTURE),
    [EXEC_F_HEAP] = KIND(HEAP),
    [EXEC_F_MEMORY] = KIND(NONE), /* of the host: HD_MEMORY */
    [EXEC_F_DEADLOCK] = KIND(DEADLOCK),
    [EXEC_F_TAPE] = KIND(NONE), /* of the trace: HD_INVALID */
#undef KIND
};

const char *hd_fault_name(hd_fault_kind kind) {
    for (int k = 0; k < EXEC_FAULT_KINDS; k++)
        if (kinds[k].kind == kind) return kinds[k].name;
    return "unknown fault";
}

hd_status hd_fault(const hd_device *dev, hd_fault_info *info) {
    if (!dev || !info) return HD_INVALID;
    const struct exec_failure *f = &dev->failure;
    *info = (hd_fault_info){.kind = kinds[f->kind].kind,
                            .kernel = f->kind && dev->failed ? dev->failed->info.name : NULL,
                            .thread_known = f->thread_known,
                            .file = f->file,
                            .line = f->line,
                            .source = f->source,
                            .source_line = f->source_line,
                            .space = f->space,
                            .address = f->addr,
                            .bytes = f->bytes,
                            .store = f->store};
    memcpy(info->block, f->block, sizeof info->block);
    memcpy(info->thread, f->thread, sizeof info->thread);
    return HD_OK;
}
