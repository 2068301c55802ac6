/* Branch interweaving on a whole SM with one warp: what it issues beside the lowest PC costs nothing, so that it has at least
 * the lane activity of min(SP:PC). */
#include "base/bits.h"
#include "unit/sm/rig.h"

#include "unit/sm/kernels.h"

static void fill(struct machine *x, uint64_t in) {
    struct rng g = {7};
    uint32_t *v = exec_mem_at(x->r.mem, in, KERNEL_BYTES);
    for (uint32_t k = 0; k < KERNEL_BYTES / 4; k++) v[k] = (uint32_t)rng_next(&g);
}

/* Lane slots of the kernel's own instructions, for one warp of w threads. */
static uint64_t slots(const char *kernel, const char *mech, uint32_t w, int issue, uint64_t *insts) {
    struct machine x = machine_load(kernels_text);
    const enum cfg_form form = mech_find(mech)->form;
    struct rewrite *marked = form ? cfg_make_form(x.r.m, x.r.cfg, form, &x.r.err) : NULL;
    const uint64_t p[2] = {rig_buf(&x.r, KERNEL_BYTES, "in"), rig_buf(&x.r, KERNEL_BYTES, "out")};
    x.form = marked;
    x.o.sm.warp_size = w;
    x.o.sm.simd_width = 8;
    x.o.sm.issue = issue;
    x.audit = true;
    fill(&x, p[0]);
    machine_ok(&x, mech, kernel, 1, w, p);
    const uint64_t n = x.s.sm.lane_slots;
    *insts = x.s.sm.thread_insts;
    cfg_rewrite_free(marked);
    machine_free(&x);
    return n;
}

static void one_warp_has_at_least_the_lanes_of_minpc(void **state) {
    (void)state;
    uint32_t fewer = 0;
    for (const char *const *name = kernels_all; *name; name++)
        for (uint32_t w = 8; w <= 64; w *= 2)
            for (int issue = SM_BARREL; issue <= SM_SCOREBOARD; issue++) {
                uint64_t lowest_insts, insts;
                const uint64_t lowest = slots(*name, "minpc", w, issue, &lowest_insts);
                const uint64_t both = slots(*name, "sbi", w, issue, &insts);
                assert_int_equal(insts, lowest_insts);
                if (both > lowest)
                    fail_msg("%s, warp of %u: %llu slots, minpc %llu", *name, w, (unsigned long long)both,
                             (unsigned long long)lowest);
                fewer += both < lowest;
            }
    assert_true(fewer > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_warp_has_at_least_the_lanes_of_minpc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
