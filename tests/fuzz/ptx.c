/* Fuzzes the PTX loader and the analysis behind it: any text is either refused with a message or becomes a module, and that
 * has each of the forms or is refused it with a message. */
#include <stdint.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "cfg/form.h"
#include "front/ptx/ptx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void make_forms(const struct ir_module *m, const struct cfg *c) {
    for (int form = CFG_FORM_NONE + 1; form < CFG_FORMS; form++) {
        struct err e = {0};
        struct rewrite *r = cfg_make_form(m, c, (enum cfg_form)form, &e);
        if (!r) CHECK(e.text.len > 0);
        cfg_rewrite_free(r);
        err_free(&e);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct err e = {0};
    struct ir_module *m = ptx_load("fuzz.ptx", (const char *)data, size, &e);
    if (m) {
        struct cfg *c = cfg_analyse(m, CFG_EXITS_MAIN, &e);
        for (uint32_t pc = 0; c && pc < m->code.n; pc++) {
            struct sb text = {0};
            ir_print_insn(&text, m, pc);
            sb_free(&text);
        }
        if (!c) CHECK(e.text.len > 0);
        if (c) make_forms(m, c);
        cfg_free(c);
        ir_module_free(m);
    } else {
        CHECK(e.text.len > 0);
    }
    err_free(&e);
    return 0;
}
