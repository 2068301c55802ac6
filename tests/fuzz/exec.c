/* Fuzzes functional execution: every kernel of a module that loads is launched with a small buffer for each pointer and
 * few steps. It may finish, fault or run into the bound; it may not crash, hang or leak. */
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "heddle.h"

enum { BUFFER = 4096, STEPS = 20000, MAX_PARAMS = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void silent(void *user, const char *text, size_t bytes) {
    (void)user, (void)text, (void)bytes;
}

static void launch(hd_kernel *k, uint64_t buffer) {
    hd_kernel_info info;
    if (hd_kernel_get_info(k, &info) || info.param_bytes > MAX_PARAMS) return;
    unsigned char params[MAX_PARAMS] = {0};
    for (size_t i = 0; i < info.nparams; i++) {
        uint64_t value = info.params[i].bytes == 8 ? buffer : 17;
        size_t n = info.params[i].bytes < 8 ? info.params[i].bytes : 8;
        memcpy(params + info.params[i].offset, &value, n);
    }
    hd_launch l = {.grid = {2, 1, 1}, .block = {40, 1, 1}, .shared_bytes = 256, .max_insts = STEPS};
    (void)hd_run_packed(k, &l, params, info.param_bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    hd_option options[] = {
        {"mem.global_bytes", "16M"}, {"exec.stack_bytes", "16K"}, {"exec.heap_bytes", "64K"}};
    hd_config config = {.options = options, .noptions = 3};
    hd_device *dev = NULL;
    CHECK(hd_device_open(&config, &dev) == HD_OK);
    hd_set_print(dev, silent, NULL);
    uint64_t buffer;
    CHECK(hd_alloc(dev, BUFFER, &buffer) == HD_OK);
    hd_module *mod;
    if (size && hd_module_load(dev, "fuzz.ptx", (const char *)data, size, &mod) == HD_OK)
        for (size_t i = 0; i < hd_module_kernel_count(mod) && i < 4; i++)
            launch(hd_module_kernel_at(mod, i), buffer);
    hd_device_close(dev);
    return 0;
}
