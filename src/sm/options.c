/* What a single row of the SM's table cannot say. */
#include "sm/options.h"

#include <inttypes.h>

#include "base/bits.h"

static bool check_power(const char *key, int64_t v, struct err *e) {
    if (is_pow2((uint64_t)v)) return true;
    return err_set(e, ERR_INPUT, "%s is %" PRId64 ": it must be a power of two", key, v);
}

bool sm_options_check(const struct sm_options *o, struct err *e) {
    const struct opt_sm *s = &o->sm;
    if (!check_power("sm.warp_size", s->warp_size, e) || !check_power("sm.simd_width", s->simd_width, e) ||
        !check_power("sm.shared_bank_bytes", s->shared_bank_bytes, e) ||
        (s->shared_lanes && !check_power("sm.shared_lanes", s->shared_lanes, e)))
        return false;
    if (s->simd_width > s->warp_size)
        return err_set(e, ERR_INPUT,
                       "sm.simd_width is %" PRId64 ": more than the %" PRId64
                       " threads of a warp (sm.warp_size)",
                       s->simd_width, s->warp_size);
    int64_t unit = s->warp_size > 32 ? s->warp_size : 32;
    if (s->threads % unit)
        return err_set(e, ERR_INPUT,
                       "sm.threads is %" PRId64 ": it must be a multiple of %" PRId64 ", whole warps",
                       s->threads, unit);
    return true;
}
