/* Fuzzes the timed machine: every kernel of a module that loads runs for some thousand cycles on a small machine, under every
 * mechanism. It may finish, fault, deadlock or run into the bound; it may not crash, hang or leak. */
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "heddle.h"

enum { BUFFER = 4096, MAX_PARAMS = 4096 };

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
    hd_launch l = {.grid = {2, 1, 1}, .block = {40, 1, 1}, .shared_bytes = 256};
    (void)hd_run_packed(k, &l, params, info.param_bytes);
}

static void run(const char *mech, const char *issue, const uint8_t *data, size_t size) {
    hd_option options[] = {{"mem.global_bytes", "16M"}, {"exec.stack_bytes", "16K"},
                           {"exec.heap_bytes", "64K"},  {"run.mode", "timed"},
                           {"run.mech", mech},          {"sm.issue", issue},
                           {"gpu.max_cycles", "6000"},  {"gpu.watchdog", "1000"}};
    hd_config config = {.options = options, .noptions = sizeof options / sizeof *options, .file = "tiny"};
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
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *mech;
    for (size_t m = 0; !hd_mech_at(m, &mech, NULL); m++)
        run(mech, m % 2 ? "scoreboard" : "barrel", data, size);
    return 0;
}
