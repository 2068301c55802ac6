/* What a single row of cpu/options.def cannot say: powers of two, and that a first-level line is within a line below. */
#include "cpu/options.h"

#include "base/bits.h"

static bool check_power(const char *key, int64_t value, struct err *e) {
    if (is_pow2((uint64_t)value)) return true;
    return err_set(e, ERR_INPUT, "%s is %lld: it must be a power of two", key, (long long)value);
}

bool cpu_options_check(const struct cpu_options *o, struct err *e) {
    const struct opt_cpu *c = &o->cpu;
    if (!check_power("cpu.bimodal", c->bimodal, e) || !check_power("cpu.l1_line", c->l1_line, e) ||
        !check_power("cpu.ul2_line", c->ul2_line, e))
        return false;
    if (c->l1_line <= c->ul2_line) return true;
    return err_set(e, ERR_INPUT, "cpu.l1_line = %lld is more than cpu.ul2_line = %lld", (long long)c->l1_line,
                   (long long)c->ul2_line);
}
