/* With a host core (cpu.model), what is left of the mechanisms' gains in the whole program: main takes the same time under all of
 * them, so that a program whose kernels run s times as fast runs 1 / (h + (1 - h) / s) times as fast, h being main's share of the
 * time under the first mechanism (Amdahl's law). */
#include "cli/cmd/compare/compare.h"
#include "report/table.h"
#include "report/text.h"

static bool has_host(const struct compare *c, size_t subject) {
    for (size_t m = 0; m < c->lab.nmachines; m++)
        if (lab_cell(&c->lab, subject, m)->out.total.cpu.insts) return true;
    return false;
}

static double program_cycles(const struct compare *c, size_t subject, size_t machine) {
    return stats_value(&lab_cell(&c->lab, subject, machine)->out.total, STAT_cpu_program_cycles);
}

static void compare_host_row(const struct compare *c, struct table *t, size_t subject, size_t machine) {
    const struct stats *s = &lab_cell(&c->lab, subject, machine)->out.total;
    const double kernels = compare_speedup(c, subject, machine), own = program_cycles(c, subject, machine);
    table_cell(t, "%s", c->lab.machines[machine].name);
    if (!(kernels > 0)) {
        for (int k = 0; k < 4; k++) table_cell(t, "-");
        return;
    }
    struct sb cycles = {0};
    text_grouped(&cycles, (uint64_t)own);
    table_cell(t, "%s", cycles.text);
    sb_free(&cycles);
    table_cell(t, "%.1f %%", 100 * stats_value(s, STAT_cpu_share));
    table_cell(t, "%.3f", kernels);
    table_cell(t, "%.3f", program_cycles(c, subject, 0) / own);
}

void compare_host(const struct compare *c, size_t subject, struct sb *out) {
    struct table t;
    if (!has_host(c, subject)) return;
    sb_add(out, "\n  whole program, main on the host core included\n");
    table_init(&t, "lrrrr");
    TABLE_HEAD(&t, "mechanism", "cycles", "main", "kernels", "program");
    for (size_t m = 0; m < c->lab.nmachines; m++) compare_host_row(c, &t, subject, m);
    compare_print_table(c, &t, out);
}
