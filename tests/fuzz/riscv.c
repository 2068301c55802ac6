/* Fuzzes the reader of programs for RISC-V: any bytes are either refused with a message, or a module that can be analysed. */
#include <stdint.h>

#include "base/alloc.h"
#include "cfg/cfg.h"
#include "front/riscv/riscv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct err e = {0};
    struct ir_module *m = riscv_load("fuzz", data, size, &e);
    struct cfg *c = m ? cfg_analyse(m, CFG_EXITS_MAIN, &e) : NULL;
    CHECK(c || e.text.len > 0);
    cfg_free(c);
    ir_module_free(m);
    err_free(&e);
    return 0;
}
