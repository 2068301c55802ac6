/* What a script prints and writes during a run. */
#include <string.h>

#include "cli/cmd/run/run.h"

void run_script_print(void *user, const char *text, size_t n) {
    const struct run *r = user;
    fwrite(text, 1, n, r->data_on_stdout ? r->cli->term.err : r->cli->term.out);
}

bool run_script_write(void *user, const char *path, const void *data, size_t bytes, struct err *e) {
    struct run *r = user;
    const char *const others[] = {r->json, r->series, r->trace, r->timeline};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i] && !strcmp(others[i], path))
            return err_set(e, ERR_INPUT, "%.60s is also an output of the command line", path);
    for (size_t i = 0; i < r->script_paths.n; i++)
        if (!strcmp(r->script_paths.v[i], path))
            return err_set(e, ERR_INPUT,
                           "%.60s has been written already; {NAME} in its name tells them apart", path);
    VEC_PUSH(&r->script_paths, arena_strdup(&r->mem, path));
    return outfile_write(&r->written, path, data, bytes, e);
}

bool run_script_stop(void *user) {
    const struct run *r = user;
    return stop_asked(&r->stop);
}
