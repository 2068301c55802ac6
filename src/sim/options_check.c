/* What a single row of the tables cannot say: that sizes are powers of two, that one divides another, that a mechanism
 * has that name; the SM's are checked by that room. Said when a device is opened, whatever mode its kernels will run
 * in, so that a wrong configuration is found where it was written. */
#include <inttypes.h>

#include "base/bits.h"
#include "sim/options.h"

static bool check_mech(const struct options *o, struct err *e) {
    if (options_mech(o, NULL)) return true;
    const char *near = mech_near(o->run.mech);
    if (near)
        return err_set(e, ERR_INPUT, "run.mech: there is no mechanism \"%s\"; did you mean %s?", o->run.mech,
                       near);
    return err_set(e, ERR_INPUT, "run.mech: there is no mechanism \"%s\"", o->run.mech);
}

/* Each resident thread costs the host some hundred bytes. */
static bool check_threads(const struct options *o, struct err *e) {
    enum { MOST_THREADS = 1 << 21 };
    int64_t threads = o->gpu.sms * o->machine.sm.threads;
    if (threads <= MOST_THREADS) return true;
    return err_set(e, ERR_INPUT,
                   "gpu.sms times sm.threads is %" PRId64
                   ": machines of more than %d threads are not simulated",
                   threads, MOST_THREADS);
}

/* A cache's line and sector; the rows of all caches are alike. */
static bool check_cache(const char *name, int64_t line, int64_t sector, struct err *e) {
    if (!is_pow2((uint64_t)line))
        return err_set(e, ERR_INPUT, "%s.line is %" PRId64 ": it must be a power of two", name, line);
    if (sector && (!is_pow2((uint64_t)sector) || sector > line))
        return err_set(e, ERR_INPUT,
                       "%s.sector is %" PRId64 ": it must be 0 or a power of two up to %s.line (%" PRId64 ")",
                       name, sector, name, line);
    return true;
}

static bool check_caches(const struct mem_options *m, struct err *e) {
    return check_cache("l1d", m->l1d.line, m->l1d.sector, e) &&
           check_cache("l1t", m->l1t.line, m->l1t.sector, e) &&
           check_cache("l1c", m->l1c.line, m->l1c.sector, e) &&
           check_cache("l1i", m->l1i.line, m->l1i.sector, e) &&
           check_cache("l2", m->l2.line, m->l2.sector, e);
}

bool options_check(const struct options *o, struct err *e) {
    return check_mech(o, e) && sm_options_check(&o->machine, e) && check_threads(o, e) &&
           check_caches(&o->memory, e);
}
