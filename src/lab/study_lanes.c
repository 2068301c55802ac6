/* oracle-lanes (HARP 3.2): for each block of a grid and each PC, the lane that executes it most often decides how many issues
 * it takes at least, since threads keep their lanes and only threads of a block may run together. The sum over PCs and blocks
 * bounds lane activity from above under any regrouping. Lanes are those of the machine's warp: thread number modulo its
 * width. */
#include <stdlib.h>

#include "base/bits.h"
#include "lab/study.h"

/* Counts of one block that is on the machine. */
struct counts {
    uint64_t block;
    uint32_t *times; /* [pc * width + lane] */
};

struct lanes {
    struct study_lanes *out;
    hd_device *dev;
    size_t code; /* instructions of the module */
    VEC(struct counts) blocks;
    uint64_t fewest, insts; /* in this launch: fewest issues, and instructions */
};

static struct counts *study_lanes_find(struct lanes *l, uint64_t block) {
    for (size_t i = 0; i < l->blocks.n; i++)
        if (l->blocks.v[i].block == block) return &l->blocks.v[i];
    PANIC("a step of block %llu, which is not on the machine", (unsigned long long)block);
}

static void on_step(void *user, const struct watch_step *s) {
    struct lanes *l = user;
    uint32_t width = l->out->width, *times = study_lanes_find(l, s->block)->times + (size_t)s->pc * width;
    FOR_LANES(k, s->mask) {
        times[(s->first + k) % width]++;
        l->insts++;
    }
}

static void study_lanes_finish(struct lanes *l, struct counts *c) {
    for (size_t pc = 0; pc < l->code; pc++) {
        uint32_t most = 0;
        for (uint32_t k = 0; k < l->out->width; k++) {
            uint32_t n = c->times[pc * l->out->width + k];
            if (n > most) most = n;
        }
        l->fewest += most;
    }
    free(c->times);
    *c = l->blocks.v[--l->blocks.n];
}

static void on_block(void *user, uint64_t block, bool begins) {
    struct lanes *l = user;
    if (begins)
        VEC_PUSH(&l->blocks, (struct counts){block, xcalloc(l->code * l->out->width, sizeof(uint32_t))});
    else
        study_lanes_finish(l, study_lanes_find(l, block));
}

static void study_lanes_on_opened(void *user, hd_device *dev) {
    struct lanes *l = user;
    l->dev = dev;
    l->out->width = (uint32_t)sim_options(dev)->machine.sm.warp_size;
    sim_watch(dev, &(struct watch){.steps = {on_step, on_block, l}});
}

static void on_before(void *user, hd_kernel *k, const hd_launch *launch) {
    struct lanes *l = user;
    (void)launch;
    l->code = sim_module_ir(sim_kernel_module(k))->code.n;
    l->fewest = l->insts = 0;
}

static struct lanes_row *study_lanes_row_of(struct study_lanes *s, hd_kernel *k) {
    size_t i = study_kernel(&s->kernels, k);
    if (i == s->rows.n) VEC_PUSH(&s->rows, (struct lanes_row){.kernel = s->kernels.names.v[i]});
    return &s->rows.v[i];
}

static void study_lanes_add(struct lanes_row *r, uint64_t insts, uint64_t issues, uint64_t fewest) {
    r->launches++;
    r->insts += insts;
    r->issues += issues;
    r->fewest += fewest;
}

static void on_after(void *user, hd_kernel *k, const hd_launch *launch) {
    struct lanes *l = user;
    (void)launch;
    uint64_t issues = sim_stats(l->dev, false)->sm.lane_slots / l->out->width;
    study_lanes_add(study_lanes_row_of(l->out, k), l->insts, issues, l->fewest);
    study_lanes_add(&l->out->total, l->insts, issues, l->fewest);
}

bool study_lanes(const struct lab_subject *s, const hd_config *machine, struct study_lanes *out,
                 struct err *e) {
    *out = (struct study_lanes){.total.kernel = "total"};
    struct lanes l = {.out = out};
    const struct lab_hooks hooks = {
        .opened = study_lanes_on_opened, .before = on_before, .after = on_after, .user = &l};
    struct lab_outcome o;
    lab_run(s, machine, &hooks, &o);
    bool fine = !o.err.code || err_set(e, o.err.code, "%s", err_text(&o.err));
    lab_outcome_free(&o);
    for (size_t i = 0; i < l.blocks.n; i++) free(l.blocks.v[i].times);
    VEC_FREE(&l.blocks);
    return fine;
}

void study_lanes_free(struct study_lanes *s) {
    VEC_FREE(&s->rows);
    study_kernels_free(&s->kernels);
}

double study_activity(const struct study_lanes *s, const struct lanes_row *r, uint64_t issues) {
    return issues ? (double)r->insts / ((double)issues * s->width) : 0;
}
