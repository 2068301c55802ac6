/* Launch by launch: the list names a kernel's trace or a copy of the host; a trace is read twice, for the program and for the
 * tapes. Memory is that of a program, a thread block's tapes and a warp's instructions. */
#include "lab/run/accel.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/run/accel_impl.h"
#include "lab/run/program.h"

static bool accel_ends_with(const char *text, const char *end) {
    const size_t n = strlen(text), k = strlen(end);
    return n >= k && !strcmp(text + n - k, end);
}

bool lab_is_accel(const char *path) {
    const char *slash = strrchr(path, '/');
    return !strcmp(slash ? slash + 1 : path, "kernelslist.g") || accel_ends_with(path, ".traceg");
}

struct convert {
    struct hdt_writer *w;
    struct sb *notes;
    hd_device *dev; /* for the programs' analysis; nothing runs there */
    VEC(struct hdt_range) copied;
};

static void note_unknown(struct convert *c, const struct sass_program *p) {
    struct sb line = {0};
    for (size_t k = 0; k < p->code.n; k++) {
        if (p->code.v[k].known) continue;
        line.len = 0;
        sb_add(&line, "opcode %s is not known and taken for integer arithmetic\n", p->code.v[k].opcode);
        if (!c->notes->text || !strstr(c->notes->text, line.text)) sb_add(c->notes, "%s", line.text);
    }
    sb_free(&line);
}

/* The launch of a scanned kernel: its program, the head, the tapes. */
static bool write_launch(struct convert *c, const struct accel_kernel *a, struct traceg *t, struct err *e) {
    const struct traceg_kernel *k = &t->kernel;
    const struct hdt_text text = {t->name, a->listing.text, a->listing.len};
    struct hdt_launch l = {.kernel = a->program.kernel,
                           .shared = a->shared,
                           .copied = c->copied.v,
                           .ncopied = c->copied.n,
                           .doubt = ""};
    hd_module *mod = NULL;
    hd_kernel *kernel;
    const struct exec_plan *plan;
    memcpy(l.grid, k->grid, sizeof l.grid);
    memcpy(l.block, k->block, sizeof l.block);
    bool good = lab_check(c->dev, hd_module_load(c->dev, t->name, text.text, text.bytes, &mod), e) &&
                lab_check(c->dev, hd_module_kernel(mod, a->program.kernel, &kernel), e) &&
                sim_plan(kernel, &plan, e);
    if (good) l.columns = exec_plan_columns(plan, &l.bits);
    const bool begun = good && hdt_add_program(c->w, &(struct hdt_program){t->name, &text, 1}, &l.program) &&
                       hdt_begin_launch(c->w, &l);
    if (good && !begun) good = err_set(e, ERR_INPUT, "the trace cannot be written");
    good = good && accel_emit(a, t, plan, c->w, e) &&
           (hdt_end_launch(c->w, a->insts) || err_set(e, ERR_INPUT, "the trace cannot be written"));
    if (mod) hd_module_unload(mod);
    c->copied.n = 0;
    return good;
}

static bool convert_file(struct convert *c, FILE *file, const char *path, struct err *e) {
    struct accel_kernel a = {0};
    struct traceg first, second;
    bool good = traceg_open(&first, file, path, e) && accel_scan(&a, &first, e);
    traceg_close(&first);
    if (good) {
        note_unknown(c, &a.program);
        good = !fseek(file, 0, SEEK_SET) || err_set(e, ERR_INPUT, "%s: it cannot be read twice", path);
        if (good) {
            good = traceg_open(&second, file, path, e) && write_launch(c, &a, &second, e);
            traceg_close(&second);
        }
    }
    accel_free(&a);
    return good;
}

static bool convert_kernel(struct convert *c, const char *path, struct err *e) {
    FILE *file = fopen(path, "r");
    if (!file) return err_set(e, ERR_INPUT, "%s: %s", path, strerror(errno));
    const bool good = convert_file(c, file, path, e);
    fclose(file);
    return good;
}

/* ---- the list ---- */

static bool add_copy(struct convert *c, const char *text) {
    struct hdt_range r;
    int end = 0;
    if (sscanf(text, "MemcpyHtoD,%" SCNx64 ",%" SCNu64 "%n", &r.addr, &r.bytes, &end) != 2 || text[end])
        return false;
    VEC_PUSH(&c->copied, r);
    return true;
}

/* Beside the list; a name that ends in .xz is that of the file before it was unpacked. */
static bool accel_find_kernel(struct convert *c, const char *list, const char *name, struct err *e) {
    const char *slash = strrchr(list, '/');
    struct sb path = {0};
    sb_add(&path, "%.*s%s", slash ? (int)(slash + 1 - list) : 0, list, name);
    if (accel_ends_with(path.text, ".xz")) {
        path.text[path.len -= 3] = '\0';
        if (access(path.text, R_OK)) {
            err_set(e, ERR_INPUT, "%s.xz is compressed: unpack it first, by 'xz -dk %s.xz'", path.text,
                    path.text);
            sb_free(&path);
            return false;
        }
    }
    const bool good = convert_kernel(c, path.text, e);
    sb_free(&path);
    return good;
}

static bool convert_list(struct convert *c, const char *path, struct err *e) {
    FILE *file = fopen(path, "r");
    char text[4096];
    uint64_t line = 0;
    bool good = file || err_set(e, ERR_INPUT, "%s: %s", path, strerror(errno));
    while (good && fgets(text, sizeof text, file)) {
        text[strcspn(text, "\r\n")] = '\0';
        line++;
        if (!strncmp(text, "MemcpyHtoD", 10))
            good = add_copy(c, text) ||
                   err_set(e, ERR_INPUT, "%s:%" PRIu64 ": not MemcpyHtoD,ADDRESS,BYTES", path, line);
        else if (!strncmp(text, "kernel", 6))
            good = accel_find_kernel(c, path, text, e);
        else if (*text && strncmp(text, "Memcpy", 6) != 0)
            good =
                err_set(e, ERR_INPUT, "%s:%" PRIu64 ": neither a kernel nor a copy: %.60s", path, line, text);
    }
    if (file) fclose(file);
    return good;
}

bool lab_accel(const char *path, struct hdt_writer *w, struct sb *notes, struct err *e) {
    struct convert c = {.w = w, .notes = notes};
    bool good = lab_open(NULL, &c.dev, e);
    if (good)
        good = accel_ends_with(path, ".traceg") ? convert_kernel(&c, path, e) : convert_list(&c, path, e);
    hd_device_close(c.dev);
    VEC_FREE(&c.copied);
    return good;
}

bool lab_accel_kernel(FILE *file, const char *name, struct hdt_writer *w, struct sb *notes, struct err *e) {
    struct convert c = {.w = w, .notes = notes};
    const bool good = lab_open(NULL, &c.dev, e) && convert_file(&c, file, name, e);
    hd_device_close(c.dev);
    VEC_FREE(&c.copied);
    return good;
}
