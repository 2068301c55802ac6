/* The launches of a workload as a table: one row each while they are few, else one for each kernel, in the order of its first
 * launch. */
#include <inttypes.h>
#include <string.h>

#include "base/bits.h"
#include "cli/cmd/run/run.h"
#include "cli/sampled.h"
#include "report/table.h"
#include "report/text.h"
#include "value/demangle.h"

enum { MOST_ROWS = 12 };

/* Launches of one kernel, or one of them. */
struct group {
    const struct run_launch *first;
    size_t launches;
    bool alike, same_blocks; /* all of one shape; all blocks of one */
    uint64_t fewest, most;   /* blocks of a launch */
    struct stats stats;
};
struct groups {
    VEC(struct group) all;
};

static struct group *run_launches_group_of(struct groups *g, const struct run_launch *l) {
    for (size_t i = 0; i < g->all.n; i++)
        if (!strcmp(g->all.v[i].first->kernel, l->kernel)) return &g->all.v[i];
    VEC_PUSH(&g->all, (struct group){.first = l, .alike = true, .same_blocks = true, .fewest = UINT64_MAX});
    return &g->all.v[g->all.n - 1];
}

static void add_shape(struct group *g, const hd_launch *l) {
    const hd_launch *first = &g->first->shape;
    const uint64_t blocks = extent_count(l->grid);
    g->same_blocks &=
        !memcmp(l->block, first->block, sizeof l->block) && l->shared_bytes == first->shared_bytes;
    g->alike &= g->same_blocks && !memcmp(l->grid, first->grid, sizeof l->grid);
    if (blocks < g->fewest) g->fewest = blocks;
    if (blocks > g->most) g->most = blocks;
}

static void by_kernel(const struct run *r, struct groups *g) {
    for (size_t i = 0; i < r->launches.n; i++) {
        const struct run_launch *l = &r->launches.v[i];
        struct group *k = run_launches_group_of(g, l);
        k->launches++;
        add_shape(k, &l->shape);
        stats_join(&k->stats, &l->stats);
    }
}

static void one_by_one(const struct run *r, struct groups *g) {
    for (size_t i = 0; i < r->launches.n; i++)
        VEC_PUSH(&g->all, (struct group){.first = &r->launches.v[i],
                                         .launches = 1,
                                         .alike = true,
                                         .stats = r->launches.v[i].stats});
}

static void run_launches_count_cell(struct table *t, uint64_t v) {
    struct sb text = {0};
    text_grouped(&text, v);
    table_cell(t, "%s", text.text);
    sb_free(&text);
}

static void cycles_cell(struct table *t, const struct stats *s) {
    struct sb text = {0};
    sampled_cycles(s, &text);
    table_cell(t, "%s", text.text);
    sb_free(&text);
}

static void shape_cell(struct table *t, const struct group *g) {
    struct sb text = {0};
    program_shape(&g->first->shape, &text);
    if (g->alike)
        table_cell(t, "%s", text.text);
    else if (g->same_blocks)
        table_cell(t, "%" PRIu64 " to %" PRIu64 " blocks of %" PRIu64 " threads", g->fewest, g->most,
                   extent_count(g->first->shape.block));
    else
        table_cell(t, "various");
    sb_free(&text);
}

static void run_launches_row(const struct run *r, struct table *t, uint64_t first, const struct group *g) {
    const struct stats *s = &g->stats;
    run_launches_count_cell(t, first);
    demangle_cell(t, g->first->kernel);
    if (r->functional) {
        run_launches_count_cell(t, s->exec.thread_insts);
        table_cell(t, "%s", "");
        table_cell(t, "%.1f %%", 100 * stats_value(s, STAT_exec_lane_activity));
    } else {
        cycles_cell(t, s);
        table_cell(t, "%.2f", stats_value(s, STAT_gpu_ipc));
        table_cell(t, "%.1f %%", 100 * stats_value(s, STAT_sm_lane_activity));
    }
    shape_cell(t, g);
}

/* First column: the launch's number, or how many there are of the kernel. */
static void run_launches_print(const struct run *r, const struct groups *g, bool grouped, struct sb *out) {
    struct table t;
    table_init(&t, "rlrrrl");
    TABLE_HEAD(&t, grouped ? "launches" : "launch", "kernel",
               r->functional ? "thread instructions" : "cycles", "IPC", "lanes", "shape");
    for (size_t i = 0; i < g->all.n; i++)
        run_launches_row(r, &t, grouped ? g->all.v[i].launches : i, &g->all.v[i]);
    table_print(&t, 2, out);
    table_free(&t);
}

void run_launches(const struct run *r, struct sb *out) {
    struct groups kernels = {0}, each = {0};
    const bool grouped = r->launches.n > MOST_ROWS;
    by_kernel(r, &kernels);
    one_by_one(r, &each);
    run_label(r, out, "launches");
    text_grouped(out, r->launches.n);
    sb_add(out, " of %zu kernel%s\n", kernels.all.n, kernels.all.n == 1 ? "" : "s");
    run_launches_print(r, grouped ? &kernels : &each, grouped, out);
    VEC_FREE(&kernels.all);
    VEC_FREE(&each.all);
}
