/* Fuzzes the timed machine: every kernel of a module that loads runs for some thousand cycles on a small machine, under every
 * mechanism. It may finish, fault, deadlock or run into the bound; it may not crash, hang or leak. */
#include "launch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void run(const char *mech, const char *issue, const uint8_t *data, size_t size) {
    hd_option options[] = {{"mem.global_bytes", "16M"}, {"exec.stack_bytes", "16K"},
                           {"exec.heap_bytes", "64K"},  {"run.mode", "timed"},
                           {"run.mech", mech},          {"sm.issue", issue},
                           {"gpu.max_cycles", "6000"},  {"gpu.watchdog", "1000"}};
    hd_config config = {.options = options, .noptions = sizeof options / sizeof *options, .file = "tiny"};
    fuzz_module(&config, 0, data, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *mech;
    for (size_t m = 0; !hd_mech_at(m, &mech, NULL); m++)
        run(mech, m % 2 ? "scoreboard" : "barrel", data, size);
    return 0;
}
