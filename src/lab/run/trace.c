/* The launches of a trace as a script: each run opens the file for itself, so that runs on several threads do not meet. The
 * file stays open while it runs; what is read of it at a time is front/trace's business. */
#include "lab/run/trace.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bits.h"

struct replay {
    int fd;
    struct hdt *file;
    hd_module **mods; /* by program; NULL: not loaded yet */
    struct gpu_range *copied;
};

static bool read_at(void *user, uint64_t at, void *data, size_t n) {
    const int fd = *(const int *)user;
    while (n) {
        const ssize_t got = pread(fd, data, n, (off_t)at);
        if (got <= 0) return false;
        data = (char *)data + got;
        at += (uint64_t)got;
        n -= (size_t)got;
    }
    return true;
}

bool lab_is_trace(const char *path) {
    char head[HDT_MAGIC_BYTES];
    struct stat st;
    if (stat(path, &st) || !S_ISREG(st.st_mode)) return false;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    int copy = fd;
    const bool is = read_at(&copy, 0, head, sizeof head) && hdt_is(head, sizeof head);
    close(fd);
    return is;
}

static bool replay_open(struct replay *r, const char *path, struct err *e) {
    struct stat st;
    *r = (struct replay){.fd = open(path, O_RDONLY | O_CLOEXEC)};
    if (r->fd < 0 || fstat(r->fd, &st)) return err_set(e, ERR_INPUT, "%s: it cannot be opened", path);
    const struct hdt_source s = {path, (uint64_t)st.st_size, read_at, &r->fd};
    r->file = hdt_open(&s, e);
    if (!r->file) return false;
    r->mods = xcalloc((size_t)hdt_programs(r->file) + 1, sizeof *r->mods);
    return true;
}

static void replay_close(struct replay *r) {
    hdt_close(r->file);
    free(r->mods);
    free(r->copied);
    if (r->fd >= 0) close(r->fd);
}

static bool lab_trace_load(struct replay *r, hd_device *dev, uint32_t number, hd_module **mod,
                           struct err *e) {
    *mod = r->mods[number];
    if (*mod) return true;
    const struct hdt_program *p = hdt_program(r->file, number, e);
    if (!p) return false;
    hd_text *texts = xcalloc(p->ntexts + 1, sizeof *texts);
    for (size_t i = 0; i < p->ntexts; i++)
        texts[i] = (hd_text){.name = p->texts[i].name, .text = p->texts[i].text, .bytes = p->texts[i].bytes};
    const bool good = lab_check(dev, hd_module_link(dev, p->name, texts, p->ntexts, mod), e);
    free(texts);
    r->mods[number] = *mod;
    return good;
}

struct sim_followed lab_followed(struct hdt *file, const char *doubt) {
    return (struct sim_followed){.tape = {.replay = true,
                                          .user = file,
                                          .start = hdt_get_start,
                                          .end = hdt_get_end,
                                          .get = hdt_get,
                                          .why = hdt_get_why},
                                 .doubt = doubt};
}

static bool lab_trace_follow(struct replay *r, struct lab_stage *stage, const struct hdt_launch *l,
                             struct err *e) {
    hd_module *mod;
    hd_kernel *k;
    const struct exec_plan *plan;
    const bool *bits;
    if (!lab_trace_load(r, stage->dev, l->program, &mod, e)) return false;
    stage->mod = mod;
    if (!lab_check(stage->dev, hd_module_kernel(mod, l->kernel, &k), e) || !sim_plan(k, &plan, e))
        return false;
    const uint32_t columns = exec_plan_columns(plan, &bits);
    if (!hdt_follow(r->file, bits, columns, e)) return false;
    struct sim_followed f = lab_followed(r->file, l->doubt);
    f.used_bytes = l->used_bytes;
    r->copied = xrealloc(r->copied, (l->ncopied + 1) * sizeof *r->copied);
    for (size_t i = 0; i < l->ncopied; i++)
        r->copied[i] = (struct gpu_range){l->copied[i].addr, l->copied[i].bytes};
    f.copied = r->copied;
    f.ncopied = l->ncopied;
    hd_launch shape = {.shared_bytes = l->shared, .cooperative = l->cooperative};
    memcpy(shape.grid, l->grid, sizeof shape.grid);
    memcpy(shape.block, l->block, sizeof shape.block);
    return lab_stage_follow(stage, k, &shape, &f, e);
}

static bool lab_trace_run(const void *user, struct lab_stage *stage, struct err *e) {
    const struct lab_trace *t = user;
    struct replay r;
    bool good = replay_open(&r, t->path, e);
    for (uint32_t k = 0; good && k < hdt_launches(r.file); k++) {
        const struct hdt_launch *l = hdt_launch(r.file, k, e);
        if (stage->hooks->stop && stage->hooks->stop(stage->hooks->user))
            good = err_set(e, ERR_LIMIT, "stopped before launch %u of the trace", k);
        else
            good = l && lab_trace_follow(&r, stage, l, e);
    }
    replay_close(&r);
    return good;
}

static uint64_t digest_end(struct replay *r) {
    char end[4096];
    struct stat st;
    if (fstat(r->fd, &st)) return 0;
    const uint64_t bytes = (uint64_t)st.st_size, n = bytes < sizeof end ? bytes : sizeof end;
    if (!read_at(&r->fd, bytes - n, end, n)) return 0;
    return hash_words(hash_words(HASH_START, &bytes, sizeof bytes), end, n);
}

bool lab_trace_open(struct lab_trace *t, const char *path, struct err *e) {
    struct replay r;
    const char *slash = strrchr(path, '/');
    *t = (struct lab_trace){.path = path};
    t->script =
        (struct lab_script){.name = slash ? slash + 1 : path, .file = path, .run = lab_trace_run, .user = t};
    bool good = replay_open(&r, path, e);
    if (good && !hdt_launches(r.file)) good = err_set(e, ERR_INPUT, "%s: the trace has no launch", path);
    if (good) t->digest = t->script.identity = digest_end(&r);
    replay_close(&r);
    return good;
}

bool lab_trace_module(const struct lab_trace *t, hd_device *dev, hd_module **mod, struct err *e) {
    struct replay r;
    const struct hdt_launch *l = replay_open(&r, t->path, e) ? hdt_launch(r.file, 0, e) : NULL;
    const bool good = l && lab_trace_load(&r, dev, l->program, mod, e);
    replay_close(&r);
    return good;
}
