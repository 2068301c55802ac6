/* cuGetProcAddress, and the entry points that are not served: both from driver.def. The table knows functions by their
 * addresses alone, so this file does not see the public header and declares every one the same way. */
#include <string.h>

#include "runtime/driver/table.h"
#include "runtime/runtime/error.h"
#include "runtime/runtime/process.h"

#define API __attribute__((visibility("default"), used))

static int not_served(const char *name) {
    cu_warn("%s is not supported", name);
    return CU_NotSupported;
}

#define CU(symbol, name, since)    void symbol(void);
#define CU_PT(symbol, name, since) void symbol(void);
#define CU_NO(symbol, name, since)  \
    API int symbol(void);           \
    int symbol(void) {              \
        return not_served(#symbol); \
    }
#define CU_NO_PT(symbol, name, since) CU_NO(symbol, name, since)
#include "runtime/driver/driver.def"
#undef CU
#undef CU_PT
#undef CU_NO
#undef CU_NO_PT

struct row {
    const char *name;
    int since, per_thread;
    void (*function)(void);
};
static const struct row rows[] = {
#define CU(symbol, name, since)       {#name, since, 0, symbol},
#define CU_PT(symbol, name, since)    {#name, since, 1, symbol},
#define CU_NO(symbol, name, since)    {#name, since, 0, (void (*)(void))symbol},
#define CU_NO_PT(symbol, name, since) {#name, since, 1, (void (*)(void))symbol},
#include "runtime/driver/driver.def"
};

/* Finds, among the rows with the name, the newest that is not newer than the version. A call without a form for the
 * thread's own stream is one for both. */
enum drv_found drv_find(const char *name, int version, int per_thread, void **function) {
    const struct row *best = NULL;
    int known = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        if (strcmp(r->name, name) != 0) continue;
        known = 1;
        if (r->since > version || (r->per_thread && !per_thread)) continue;
        int better = !best || r->per_thread > best->per_thread ||
                     (r->per_thread == best->per_thread && r->since >= best->since);
        if (better) best = r;
    }
    *function = NULL;
    if (best) memcpy(function, &best->function, sizeof *function);
    return best ? DRV_FOUND : known ? DRV_TOO_NEW : DRV_UNKNOWN;
}
