/* Options of the machine, from the command line to what hd_device_open takes. */
#include "cli/machine.h"

#include <stdlib.h>
#include <string.h>

bool machine_read(struct machine *m, const struct opts *o, struct err *e) {
    *m = (struct machine){.config = opts_value(o, "config")};
    for (size_t i = 0; i < opts_count(o, "set"); i++) {
        const char *text = opts_nth(o, "set", i), *equals = strchr(text, '=');
        if (!equals)
            return err_set(e, ERR_INPUT,
                           "--set %.60s: '=' and a value are missing, as in --set mem.global_bytes=8G", text);
        VEC_PUSH(&m->settings,
                 (hd_option){arena_strndup(&m->mem, text, (size_t)(equals - text)), equals + 1});
    }
    return true;
}

void machine_free(struct machine *m) {
    VEC_FREE(&m->settings);
    arena_free(&m->mem);
}
