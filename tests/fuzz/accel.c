/* Fuzzes traces of machine code: any text is refused with a place and a reason, or converted and replayed under a mechanism
 * that reads the graph and one that does not. A text that begins with ".sass" is taken for a listing, which files of heddle's
 * own have, and loaded. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "front/sass/sass.h"
#include "heddle.h"
#include "lab/run/accel.h"
#include "lab/run/program.h"
#include "lab/run/trace.h"
#include "tests/hdt_bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 1 << 22 };

static bool keep(void *user, const void *data, size_t n) {
    const bytes_vec *f = user;
    return f->n + n <= MOST && hdt_bytes_keep(user, data, n);
}

static void replay(const char *mech, bytes_vec *f) {
    const hd_option options[] = {
        {"run.mode", "timed"}, {"run.mech", mech}, {"gpu.max_cycles", "20000"}, {"gpu.watchdog", "5000"}};
    const hd_config config = {.options = options, .noptions = 4, .file = "tiny"};
    struct err e = {0};
    struct hdt *t = hdt_bytes_open(f, &e);
    hd_device *dev = NULL;
    hd_module *mod;
    hd_kernel *k;
    const struct exec_plan *plan;
    const bool *bits;
    CHECK(t && !hd_device_open(&config, &dev));
    const struct hdt_launch *l = hdt_launch(t, 0, &e);
    const struct hdt_program *p = hdt_program(t, l->program, &e);
    CHECK(!hd_module_load(dev, "f", p->texts[0].text, p->texts[0].bytes, &mod) &&
          !hd_module_kernel(mod, l->kernel, &k) && sim_plan(k, &plan, &e));
    const uint32_t columns = exec_plan_columns(plan, &bits);
    CHECK(hdt_follow(t, bits, columns, &e));
    const struct sim_followed x = lab_followed(t, "");
    hd_launch shape = {.shared_bytes = l->shared};
    memcpy(shape.grid, l->grid, sizeof shape.grid);
    memcpy(shape.block, l->block, sizeof shape.block);
    if (sim_follow(k, &shape, &x)) CHECK(*hd_error(dev));
    hd_device_close(dev);
    hdt_close(t);
    err_free(&e);
}

static void as_trace(char *text, size_t size) {
    FILE *file = fmemopen(text, size, "r");
    bytes_vec f = {0};
    struct sb notes = {0};
    struct err e = {0};
    struct hdt_writer *w = hdt_writer_new(keep, &f);
    const bool good = file && lab_accel_kernel(file, "f", w, &notes, &e) && hdt_finish(w);
    CHECK(good || e.text.len || f.n + 64 > MOST);
    hdt_writer_free(w);
    if (good) replay("pdom", &f);
    if (good) replay("minpc", &f);
    if (file) fclose(file);
    VEC_FREE(&f);
    sb_free(&notes);
    err_free(&e);
}

static void as_listing(const char *text, size_t size) {
    hd_device *dev = NULL;
    hd_module *mod;
    CHECK(!hd_device_open(NULL, &dev));
    if (hd_module_load(dev, "f", text, size, &mod)) {
        CHECK(*hd_error(dev));
    } else {
        const hd_launch l = {.grid = {1}, .block = {1}};
        CHECK(hd_run(hd_module_kernel_at(mod, 0), &l, NULL, 0)); /* it has no values */
    }
    hd_device_close(dev);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = xmalloc(size + 1);
    memcpy(text, data, size);
    text[size] = '\0';
    if (sass_is(text, size))
        as_listing(text, size);
    else if (size)
        as_trace(text, size);
    xfree(text);
    return 0;
}
