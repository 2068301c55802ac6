/* Fuzzes functional execution: every kernel of a module that loads is launched with a small buffer for each pointer and
 * few steps. It may finish, fault or run into the bound; it may not crash, hang or leak. */
#include "launch.h"

enum { STEPS = 20000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    hd_option options[] = {{"mem.global_bytes", "16M"},
                           {"exec.stack_bytes", "16K"},
                           {"exec.heap_bytes", "64K"},
                           {"run.races", size % 2 ? "on" : "off"}};
    hd_config config = {.options = options, .noptions = sizeof options / sizeof *options};
    fuzz_module(&config, STEPS, data, size);
    return 0;
}
