/* Programs beside one another, as before and after a change: how many cycles the first takes for each of the others', mechanism
 * by mechanism, and whether two are the same code.
 *
 * That is asked of two files, or of any number whose kernels have one name; of workloads, and of programs that have nothing to do
 * with each other, the ratio says nothing. Code is the same when the kernel and every device function of the file are,
 * instruction by instruction as they run: comments, names of registers and source lines do not count. */
#include <stdlib.h>
#include <string.h>

#include "cli/cmd/compare/compare.h"
#include "ir/program.h"
#include "report/bar.h"
#include "report/table.h"
#include "sim/sim.h"

enum { BAR_WIDTH = 24 };

static const struct lab_program *program(const struct compare *c, size_t i) {
    return c->lab.subjects[i].workload ? NULL : c->lab.subjects[i].program;
}

static bool one_question(const struct compare *c) {
    bool same_name = true;
    for (size_t i = 0; i < c->lab.nsubjects; i++) {
        if (!program(c, i)) return false;
        same_name &= !strcmp(program(c, i)->kernel, program(c, 0)->kernel);
    }
    return c->lab.nsubjects == 2 || (c->lab.nsubjects > 2 && same_name);
}

/* ---- names ---- */

void compare_column(const struct compare *c, size_t subject, struct sb *out) {
    const struct lab_program *p = program(c, subject), *q;
    size_t kernels = 0, files = 0;
    for (size_t i = 0; i < c->lab.nsubjects && p; i++) {
        if (!(q = program(c, i))) continue;
        kernels += !strcmp(p->kernel, q->kernel);
        files += !strcmp(p->file, q->file);
    }
    if (!p || kernels <= 1)
        compare_title(c, subject, out);
    else
        sb_add(out, "%s", p->file);
    if (p && kernels > 1 && files > 1) sb_add(out, " (%zu)", subject + 1);
}

/* ---- the same code ---- */

static void add_function(const struct ir_module *m, const struct ir_func *f, struct sb *out) {
    for (uint32_t pc = f->entry; pc < f->end; pc++) {
        ir_print_insn(out, m, pc);
        sb_add(out, "\n");
    }
}

/* Everything that may run of a program, as text; empty where it cannot be loaded any more. */
static void add_code(const struct lab_program *p, struct sb *out) {
    hd_device *dev = NULL;
    hd_module *mod;
    hd_kernel *k;
    struct err e = {0};
    sb_add(out, "%s", "");
    if (lab_open(NULL, &dev, &e) && lab_load(dev, p, &mod, &k, &e)) {
        const struct ir_module *m = sim_module_ir(mod);
        add_function(m, &m->funcs.v[sim_kernel_func(k)], out);
        for (size_t f = 0; f < m->funcs.n; f++)
            if (m->funcs.v[f].defined && !m->funcs.v[f].kernel) add_function(m, &m->funcs.v[f], out);
    }
    hd_device_close(dev);
    err_free(&e);
}

static void say_same(const struct compare *c, size_t i, size_t k, struct sb *out) {
    sb_add(out, "%s", c->markdown ? "\n" : "  ");
    compare_column(c, i, out);
    sb_add(out, " and ");
    compare_column(c, k, out);
    sb_add(out, " are the same code\n");
}

static void same_code(const struct compare *c, struct sb *out) {
    const size_t n = c->lab.nsubjects;
    struct sb *code = xcalloc(n, sizeof *code);
    for (size_t i = 0; i < n; i++) add_code(program(c, i), &code[i]);
    for (size_t k = 1; k < n; k++)
        for (size_t i = 0; i < k && code[k].len; i++) {
            if (strcmp(code[i].text, code[k].text) != 0) continue;
            say_same(c, i, k, out);
            break;
        }
    for (size_t i = 0; i < n; i++) sb_free(&code[i]);
    free(code);
}

/* ---- the ratio ---- */

static double cycles(const struct compare *c, size_t subject, size_t machine) {
    if (!compare_ended(c, subject, machine)) return 0;
    return stats_value(&lab_cell(&c->lab, subject, machine)->out.total, STAT_gpu_cycles);
}

double compare_ratio(const struct compare *c, size_t subject, size_t machine) {
    const double before = cycles(c, 0, machine), after = cycles(c, subject, machine);
    return before > 0 && after > 0 ? before / after : 0;
}

static double most_ratio(const struct compare *c) {
    double most = 0;
    for (size_t i = 1; i < c->lab.nsubjects; i++)
        for (size_t m = 0; m < c->lab.nmachines; m++)
            if (compare_ratio(c, i, m) > most) most = compare_ratio(c, i, m);
    return most;
}

static void ratio_cell(const struct compare *c, struct table *t, size_t subject, size_t machine) {
    const double ratio = compare_ratio(c, subject, machine);
    if (ratio > 0)
        table_cell(t, "%.3f", ratio);
    else
        table_cell(t, "-");
}

static void compare_programs_row(const struct compare *c, struct table *t, size_t machine, double most) {
    struct sb bar = {0};
    const bool bars = c->lab.nsubjects == 2 && !c->markdown;
    table_cell(t, "%s", c->lab.machines[machine].name);
    for (size_t i = 1; i < c->lab.nsubjects; i++) ratio_cell(c, t, i, machine);
    if (bars) bar_add(&bar, compare_ratio(c, 1, machine), most, BAR_WIDTH, c->cli->term.utf8);
    table_cell(t, "%s", bar.len ? bar.text : "");
    sb_free(&bar);
}

void compare_programs(const struct compare *c, struct sb *out) {
    struct sb align = {0};
    struct table t;
    if (!one_question(c)) return;
    sb_add(out, "\n%s", compare_style(c, TERM_BOLD));
    compare_column(c, 0, out);
    sb_add(out, " over ");
    if (c->lab.nsubjects == 2) compare_column(c, 1, out);
    sb_add(out, "%s%s  the ratio of their cycles: above 1, the first takes more\n",
           c->lab.nsubjects == 2 ? "" : "the others", compare_style(c, TERM_PLAIN));
    sb_add(&align, "l");
    for (size_t i = 1; i < c->lab.nsubjects; i++) sb_add(&align, "r");
    sb_add(&align, "l");
    table_init(&t, align.text);
    t.heading = true;
    compare_heading(c, 1, &t);
    table_cell(&t, "%s", "");
    const double most = most_ratio(c);
    for (size_t m = 0; m < c->lab.nmachines; m++) compare_programs_row(c, &t, m, most);
    compare_print_table(c, &t, out);
    same_code(c, out);
    sb_free(&align);
}
