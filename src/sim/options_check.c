/* What a single row of the tables cannot say: that a mechanism has that name, that the host can hold the machine; what
 * concerns the SM or the memory system is checked by those rooms. Said when a device is opened, whatever mode its kernels
 * will run in, so that a wrong configuration is found where it was written. */
#include <inttypes.h>

#include "sim/device/registers.h"
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

/* Checks that races are not looked for in a timed run: the order of accesses does not depend on their time. */
static bool check_races(const struct options *o, struct err *e) {
    if (o->run.races == EXEC_RACES_OFF || o->run.mode != RUN_TIMED) return true;
    return err_set(e, ERR_INPUT, "run.races: races are looked for in functional runs, and run.mode is timed");
}

/* What a launch records while it runs cannot be estimated. */
static bool check_sample(const struct options *o, struct err *e) {
    if (!o->run.sample || !o->run.profile) return true;
    return err_set(e, ERR_INPUT, "run.sample: a profile (run.profile) needs every launch simulated");
}

bool options_check(const struct options *o, struct err *e) {
    return check_mech(o, e) && check_races(o, e) && check_sample(o, e) &&
           registers_check(o->run.registers, e) && sm_options_check(&o->machine, e) && check_threads(o, e) &&
           mem_options_check(&o->memory, e) && cpu_options_check(&o->host, e);
}
