/* One fuzzed module on one device: every kernel of it (four at most) is launched with a small buffer for each pointer. What
 * becomes of it does not matter; that everything is given back does. */
#ifndef HEDDLE_FUZZ_LAUNCH_H
#define HEDDLE_FUZZ_LAUNCH_H

#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "heddle.h"

enum { FUZZ_BUFFER = 4096, FUZZ_PARAMS = 4096 };

static void fuzz_silent(void *user, const char *text, size_t bytes) {
    (void)user, (void)text, (void)bytes;
}

static void fuzz_launch(hd_kernel *k, uint64_t buffer, uint64_t max_insts) {
    hd_kernel_info info;
    if (hd_kernel_get_info(k, &info) || info.param_bytes > FUZZ_PARAMS) return;
    unsigned char params[FUZZ_PARAMS] = {0};
    for (size_t i = 0; i < info.nparams; i++) {
        uint64_t value = info.params[i].bytes == 8 ? buffer : 17;
        size_t n = info.params[i].bytes < 8 ? info.params[i].bytes : 8;
        memcpy(params + info.params[i].offset, &value, n);
    }
    hd_launch l = {.grid = {2, 1, 1}, .block = {40, 1, 1}, .shared_bytes = 256, .max_insts = max_insts};
    (void)hd_run_packed(k, &l, params, info.param_bytes);
}

static void fuzz_module(const hd_config *config, uint64_t max_insts, const uint8_t *data, size_t size) {
    hd_device *dev = NULL;
    CHECK(hd_device_open(config, &dev) == HD_OK);
    hd_set_print(dev, fuzz_silent, NULL);
    uint64_t buffer;
    CHECK(hd_alloc(dev, FUZZ_BUFFER, &buffer) == HD_OK);
    hd_module *mod;
    if (size && hd_module_load(dev, "fuzz.ptx", (const char *)data, size, &mod) == HD_OK)
        for (size_t i = 0; i < hd_module_kernel_count(mod) && i < 4; i++)
            fuzz_launch(hd_module_kernel_at(mod, i), buffer, max_insts);
    hd_device_close(dev);
}

#endif
