/* Fuzzes checkpoints: any bytes are either refused with a reason or a file whose parts have the lengths that its end says.
 * Checks keep damage out of most of a file. So bytes that begin with 'P' are its chunks, each behind a byte with its part and two
 * with its length, and the file is made of them, with every check right. What is neither is taken for a journal and a state, behind two bytes with the length of the former, and a program of two
 * launches runs on a device that replays them: it ends, or fails with a reason. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd/run/checkpoint_file.h"
#include "sim/sim.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- a file ---- */

static void as_file(const uint8_t *data, size_t size) {
    char *copy = malloc(size); /* exactly that size, so that reading past it is seen */
    CHECK(copy);
    memcpy(copy, data, size);
    struct checkpoint k = {.bytes = copy, .n = size};
    struct err e = {0};
    struct sb state = {0};
    struct checkpoint_journal j = {0};
    if (checkpoint_open(&k, "f", &e)) {
        char byte;
        checkpoint_whole(&k, CHECKPOINT_STATE, &state);
        CHECK(state.len == k.end.state);
        for (uint64_t i = 0; i < k.end.journal; i++) CHECK(checkpoint_take(&k, CHECKPOINT_JOURNAL, &byte, 1));
        CHECK(!checkpoint_take(&k, CHECKPOINT_JOURNAL, &byte, 1));
        checkpoint_continue(&k, &j);
    } else {
        CHECK(e.text.len > 0);
    }
    checkpoint_journal_free(&j);
    sb_free(&state);
    err_free(&e);
    checkpoint_free(&k);
    free(copy);
}

/* ---- the chunks of a file ---- */

static void add_chunk(struct sb *file, uint32_t part, const void *data, size_t n) {
    struct checkpoint_header h = {.part = part, .bytes = (uint32_t)n};
    const size_t most = ZSTD_compressBound(n);
    char *packed = xmalloc(most);
    h.stored = (uint32_t)ZSTD_compress(packed, most, data, n, 1);
    h.check = checkpoint_check(&h);
    sb_addn(file, (const char *)&h, sizeof h);
    sb_addn(file, packed, h.stored);
    xfree(packed);
}

/* Without an end of its own it gets the one that fits. */
static void as_chunks(const uint8_t *data, size_t size) {
    struct sb file = {0};
    struct checkpoint_end end = {.launches = 1};
    bool ended = false;
    sb_add(&file, "%s", CHECKPOINT_MARK);
    while (size >= 3) {
        const uint32_t part = data[0];
        const size_t asked = (size_t)data[1] | (size_t)data[2] << 8, n = asked < size - 3 ? asked : size - 3;
        add_chunk(&file, part, data + 3, n);
        if (part == CHECKPOINT_JOURNAL) end.journal += n;
        if (part == CHECKPOINT_STATE) end.state += n;
        ended |= part == CHECKPOINT_END;
        data += 3 + n, size -= 3 + n;
    }
    if (!ended) add_chunk(&file, CHECKPOINT_END, &end, sizeof end);
    as_file((const uint8_t *)file.text, file.len);
    sb_free(&file);
}

/* ---- a journal and a state ---- */

static const char PTX[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry k(.param .u64 out)\n{\n\t.reg .b64 %a<3>;\n\t.reg .b32 %r<3>;\n\t.reg .pred %p;\n"
    "\tld.param.u64 %a0, [out];\n\tmov.u32 %r0, %tid.x;\n\tand.b32 %r1, %r0, 1;\n\tsetp.eq.u32 %p, %r1, 0;\n"
    "\t@%p bra EVEN;\n\tadd.u32 %r0, %r0, 5;\nEVEN:\n\tst.global.u32 [%a0], %r0;\n\tret;\n}\n";

struct input {
    const uint8_t *journal, *state;
    size_t njournal, nstate;
};

static bool take(const uint8_t **at, size_t *left, void *data, size_t n) {
    if (n > *left) return false;
    memcpy(data, *at, n);
    *at += n;
    *left -= n;
    return true;
}
static bool from_journal(void *user, void *data, size_t n) {
    struct input *in = user;
    return take(&in->journal, &in->njournal, data, n);
}
static bool from_state(void *user, void *data, size_t n) {
    struct input *in = user;
    return take(&in->state, &in->nstate, data, n);
}
static bool nowhere(void *user, void *data, size_t n) {
    (void)user, (void)data, (void)n;
    return true;
}
static void say_nothing(void *user, const char *text, size_t n) {
    (void)user, (void)text, (void)n;
}

static hd_status program(hd_device *dev) {
    hd_module *mod;
    hd_kernel *k;
    uint64_t buf;
    uint32_t out;
    CHECK(!hd_module_load(dev, "k.ptx", PTX, 0, &mod) && !hd_module_kernel(mod, "k", &k));
    CHECK(!hd_alloc(dev, 64, &buf));
    const hd_arg arg = hd_arg_ptr(buf);
    const hd_launch l = {.grid = {1}, .block = {16}};
    hd_status s = hd_run(k, &l, &arg, 1);
    if (!s) sim_note(dev, &out, sizeof out);
    return s ? s : hd_copy_out(dev, &out, buf, 4);
}

static void as_run(const uint8_t *data, size_t size) {
    static const hd_option o[] = {{"run.mode", "timed"}, {"gpu.sms", "1"},           {"l1d.sets", "2"},
                                  {"l1t.sets", "1"},     {"l1c.sets", "1"},          {"l1i.sets", "1"},
                                  {"l2.sets", "2"},      {"mem.global_bytes", "64K"}};
    if (size < 2) return;
    const size_t asked = (size_t)data[0] | (size_t)data[1] << 8, n = asked < size - 2 ? asked : size - 2;
    struct input in = {data + 2, data + 2 + n, n, size - 2 - n};
    const struct sim_journal j = {nowhere, n, 1, from_journal, from_state, &in};
    hd_device *dev;
    struct err e = {0};
    CHECK(
        !hd_device_open(&(hd_config){.options = o, .noptions = sizeof o / sizeof *o, .file = "tiny"}, &dev));
    hd_set_print(dev, say_nothing, NULL);
    sim_watch(dev, &(struct watch){.interval = 50, .threads = 1, .profile = true});
    CHECK(sim_journal(dev, &j, &e));
    if (program(dev)) CHECK(*hd_error(dev));
    hd_device_close(dev);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const size_t mark = strlen(CHECKPOINT_MARK);
    if (size >= mark && !memcmp(data, CHECKPOINT_MARK, mark))
        as_file(data, size);
    else if (size && *data == 'P')
        as_chunks(data + 1, size - 1);
    else
        as_run(data, size);
    return 0;
}
