/* Recording: launches of a device go to the writer of front/trace, and each program once, before its first launch. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "lab/run/trace.h"
#include "sim/observe/tape.h"

struct known_program {
    uint64_t digest; /* digest of its text */
    uint32_t number;
};

struct lab_recorder {
    struct sim_recorder sim;
    struct hdt_writer *writer;
    VEC(struct known_program) programs;
    VEC(struct hdt_text) texts;
    struct hdt_range *copied;
    struct sb doubts;
};

static bool unwritten(struct err *e) {
    return err_set(e, ERR_INPUT, "the trace cannot be written");
}

/* What a module was made of: the file of machine code, or texts, each of which ends in NUL and a new line in memory. */
static void find_texts(struct lab_recorder *r, const struct ir_module *m) {
    const size_t n = m->parts.n ? m->parts.n : 1;
    const char *at = m->text;
    r->texts.n = 0;
    if (m->binary) {
        VEC_PUSH(&r->texts, (struct hdt_text){m->name, m->binary->file, m->binary->file_bytes});
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const size_t left = m->text_len - (size_t)(at - m->text);
        const size_t bytes = i + 1 < n ? strnlen(at, left) : left;
        VEC_PUSH(&r->texts, (struct hdt_text){m->parts.n ? m->parts.v[i].name : m->name, at, bytes});
        at += bytes + 2;
    }
}

static bool add_program(struct lab_recorder *r, const struct ir_module *m, uint32_t *number) {
    uint64_t digest = hash_words(HASH_START, m->text, m->text_len);
    digest = hash_words(digest, m->name, strlen(m->name));
    for (size_t i = 0; i < r->programs.n; i++)
        if (r->programs.v[i].digest == digest) return *number = r->programs.v[i].number, true;
    find_texts(r, m);
    const struct hdt_program p = {m->name, r->texts.v, r->texts.n};
    if (!hdt_add_program(r->writer, &p, number)) return false;
    VEC_PUSH(&r->programs, (struct known_program){digest, *number});
    return true;
}

static void note_doubt(struct lab_recorder *r, const char *kernel, const char *why) {
    struct sb line = {0};
    if (!*why) return;
    sb_add(&line, "%s: %s\n", kernel, why);
    if (!r->doubts.text || !strstr(r->doubts.text, line.text)) sb_add(&r->doubts, "%s", line.text);
    sb_free(&line);
}

static bool lab_record_begin(void *user, const struct sim_recorded *l, struct err *e) {
    struct lab_recorder *r = user;
    struct hdt_launch t = {.kernel = l->kernel,
                           .shared = l->shared,
                           .cooperative = l->cooperative,
                           .used_bytes = l->used_bytes,
                           .ncopied = l->ncopied,
                           .doubt = exec_plan_doubt(l->plan)};
    if (!add_program(r, sim_module_ir(l->mod), &t.program)) return unwritten(e);
    memcpy(t.grid, l->grid, sizeof t.grid);
    memcpy(t.block, l->block, sizeof t.block);
    t.columns = exec_plan_columns(l->plan, &t.bits);
    r->copied = xrealloc(r->copied, (l->ncopied + 1) * sizeof *r->copied);
    for (size_t i = 0; i < l->ncopied; i++)
        r->copied[i] = (struct hdt_range){l->copied[i].addr, l->copied[i].bytes};
    t.copied = r->copied;
    note_doubt(r, l->kernel, t.doubt);
    return hdt_begin_launch(r->writer, &t) || unwritten(e);
}

static bool lab_record_end(void *user, uint64_t insts, struct err *e) {
    struct lab_recorder *r = user;
    return hdt_end_launch(r->writer, insts) || unwritten(e);
}

struct lab_recorder *lab_recorder_new(bool (*write)(void *user, const void *data, size_t n), void *user) {
    struct lab_recorder *r = xcalloc(1, sizeof *r);
    r->writer = hdt_writer_new(write, user);
    r->sim = (struct sim_recorder){
        .user = r,
        .tape = {.user = r->writer, .start = hdt_put_start, .end = hdt_put_end, .put = hdt_put},
        .begin = lab_record_begin,
        .end = lab_record_end};
    return r;
}

void lab_record(struct lab_recorder *r, hd_device *dev) {
    sim_record(dev, &r->sim);
}

bool lab_recorder_finish(struct lab_recorder *r, struct hdt_sizes *sizes, struct err *e) {
    const bool good = hdt_finish(r->writer);
    *sizes = hdt_written(r->writer);
    return good || unwritten(e);
}

const char *lab_recorder_doubts(const struct lab_recorder *r) {
    return r->doubts.text ? r->doubts.text : "";
}

void lab_recorder_free(struct lab_recorder *r) {
    if (!r) return;
    hdt_writer_free(r->writer);
    VEC_FREE(&r->programs);
    VEC_FREE(&r->texts);
    free(r->copied);
    sb_free(&r->doubts);
    free(r);
}
