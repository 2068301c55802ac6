/* What matrix instructions cost: latency and interval of a product in steps, the published figures that the machines were
 * made of, and the passes of ldmatrix over the banks of shared memory. */
#include "kernels/timed.h"

/* A machine of one SM whose caches do not matter. */
#define MACHINE(name, ...)                                                                  \
    {                                                                                       \
        .config = name, .option = { "gpu.sms", "1", "sm.ideal_fetch", "true", __VA_ARGS__ } \
    }

/* The registers of the text around a repeated line are %z0 to %z7 and few others: these are declared in `before`. */
#define ZERO(r) "\tmov.u32 " r ", 0;\n"
#define FRAGMENTS                                                                                       \
    "\t.reg .b32 %a<8>, %b<8>, %c<8>, %d<8>, %e<8>;\n" ZERO("%a0") ZERO("%a1") ZERO("%a2") ZERO("%a3")  \
        ZERO("%b0") ZERO("%b1") ZERO("%c0") ZERO("%c1") ZERO("%c2") ZERO("%c3") ZERO("%d0") ZERO("%d1") \
            ZERO("%d2") ZERO("%d3") ZERO("%e0") ZERO("%e1") ZERO("%e2") ZERO("%e3")
#define K8(d) \
    "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 " d ", {%a0, %a1}, {%b0}, {%c0, %c1, %c2, %c3};"
#define K16(d)                                             \
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " d \
    ", {%a0, %a1, %a2, %a3}, {%b0, %b1}, {%c0, %c1, %c2, %c3};"

struct cost {
    const char *line;
    unsigned steps;
};

/* A product that adds to its own result takes depth + latency - 1 and an interval for each further step. */
static void a_chain_takes_the_latency(void **state) {
    (void)state;
    static const struct cost costs[] = {
        {K8("{%c0, %c1, %c2, %c3}"), 1},
        {K16("{%c0, %c1, %c2, %c3}"), 2},
        {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%c0, %c1, %c2, %c3}, {%a0, %a1, %a2, %a3}, "
         "{%b0, %b1}, "
         "{%c0, %c1, %c2, %c3};",
         2},
        {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%c0, %c1, %c2, %c3}, {%a0, %a1, %a2, %a3}, "
         "{%b0, %b1}, "
         "{%c0, %c1, %c2, %c3};",
         2},
        {"mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%c0, %c1, %c2, %c3, %e0, %e1, %e2, %e3}, {%a0, "
         "%a1}, "
         "{%b0, %b1}, {%c0, %c1, %c2, %c3, %e0, %e1, %e2, %e3};",
         1},
    };
    for (unsigned k = 0; k < sizeof costs / sizeof *costs; k++) {
        const struct timed_case c = {.machine = MACHINE("turing-rtx2060", "latency.mma_f32", "7",
                                                        "interval.mma_f32", "5", "sm.depth", "4"),
                                     .before = FRAGMENTS,
                                     .line = costs[k].line,
                                     .block = 32};
        near_value(costs[k].line, timed_slope(&c, 20), 4 + 7 - 1 + 5 * (costs[k].steps - 1), 0.01);
    }
}

/* Products that do not wait for each other come one interval a step after the other, whatever the latency. */
static void others_take_the_interval(void **state) {
    (void)state;
    static const struct cost costs[] = {{K8("{%d0, %d1, %d2, %d3}"), 1}, {K16("{%d0, %d1, %d2, %d3}"), 2}};
    for (unsigned k = 0; k < 2; k++) {
        const struct timed_case c = {
            .machine = MACHINE("turing-rtx2060", "latency.mma_f32", "3", "interval.mma_f32", "9"),
            .before = FRAGMENTS,
            .line = costs[k].line,
            .block = 32 * 4 * 2}; /* two warps a scheduler */
        near_value(costs[k].line, timed_slope(&c, 20), 2 * 9 * costs[k].steps, 0.2);
    }
}

/* Cycles from a product of m16n16k16 to one that needs its result. */
static double square(const char *machine, const char *types, const char *acc) {
    struct sb line = {0};
    sb_add(&line,
           "wmma.mma.sync.aligned.row.col.m16n16k16.%s %s, {%%a0, %%a1, %%a2, %%a3, %%a0, %%a1, %%a2, %%a3}, "
           "{%%b0, "
           "%%b1, %%b0, %%b1, %%b0, %%b1, %%b0, %%b1}, %s;",
           types, acc, acc);
    const struct timed_case c = {
        .machine = MACHINE(machine, NULL), .before = FRAGMENTS, .line = line.text, .block = 32};
    const double cycles = timed_slope(&c, 20);
    sb_free(&line);
    return cycles;
}

/* Raihan et al. 2019, "Modeling deep learning accelerator enabled GPUs": 54 cycles in mixed precision, 64 in f16. */
static void volta_is_as_published(void **state) {
    (void)state;
    near_value("f32", square("volta-v100", "f32.f32", "{%c0, %c1, %c2, %c3, %d0, %d1, %d2, %d3}"), 54, 0.01);
    near_value("f16", square("volta-v100", "f16.f16", "{%c0, %c1, %c2, %c3}"), 64, 0.01);
}

/* Multiply-adds a cycle and SM: 512 with f16 on both; with f32 as many on the V100, half on GeForce cards. */
static void rates_are_as_published(void **state) {
    (void)state;
    static const struct {
        const char *machine, *line;
        double products, rate;
    } known[] = {
        {"volta-v100", K16("{%d0, %d1, %d2, %d3}"), 2048, 512},
        {"turing-rtx2060", K16("{%d0, %d1, %d2, %d3}"), 2048, 256},
        {"turing-rtx2060",
         "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%d0, %d1}, {%a0, %a1, %a2, %a3}, {%b0, %b1}, "
         "{%c0, %c1};",
         2048, 512},
        {"turing-rtx2060",
         "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%d0, %d1, %d2, %d3}, {%a0, %a1, %a2, %a3}, {%b0, "
         "%b1}, {%c0, %c1, %c2, %c3};",
         4096, 1024},
        {"turing-rtx2060",
         "mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32 {%d0, %d1, %d2, %d3}, {%a0, %a1, %a2, %a3}, {%b0, "
         "%b1}, {%c0, %c1, %c2, %c3};",
         8192, 2048},
    };
    for (unsigned k = 0; k < sizeof known / sizeof *known; k++) {
        enum { WARPS = 16 };
        const struct timed_case c = {.machine = MACHINE(known[k].machine, "sm.order", "lrr", NULL),
                                     .before = FRAGMENTS,
                                     .line = known[k].line,
                                     .block = 32 * WARPS};
        near_value(known[k].line, WARPS * known[k].products / timed_slope(&c, 20), known[k].rate,
                   0.02 * known[k].rate);
    }
}

/* ---- ldmatrix ---- */

/* Cycles that a warp's ldmatrix holds shared memory, where rows begin so many bytes apart. */
static double passes(unsigned matrices, unsigned apart) {
    struct sb before = {0}, line = {0};
    sb_add(&before,
           "%s\tand.b32 %%d0, %%t, 31;\n\tmul.lo.u32 %%d0, %%d0, %u;\n\tmov.u32 %%e0, words;\n\tadd.u32 "
           "%%d0, %%d0, %%e0;\n",
           FRAGMENTS, apart);
    sb_add(&line, "ldmatrix.sync.aligned.m8n8.x%u.shared.b16 {%%a0%s%s}, [%%d0];", matrices,
           matrices > 1 ? ", %a1" : "", matrices > 2 ? ", %a2, %a3" : "");
    const struct timed_case c = {.machine =
                                     MACHINE("turing-rtx2060", "sm.order", "lrr", "sm.lsu_queue", "64", NULL),
                                 .before = before.text,
                                 .line = line.text,
                                 .block = 1024};
    const double cycles = timed_slope(&c, 20) / 32;
    sb_free(&before);
    sb_free(&line);
    return cycles;
}

/* Eight rows side by side are 128 bytes: one pass. Rows 32 bytes apart are 256 bytes, two to each bank; 128 bytes apart all
 * begin in one bank. */
static void ldmatrix_passes_over_the_banks(void **state) {
    (void)state;
    for (unsigned x = 1; x <= 4; x *= 2) {
        near_value("dense", passes(x, 16), x, 0.05);
        near_value("padded", passes(x, 144), x, 0.05); /* 128 + 16: each row four banks further on */
        near_value("two to a bank", passes(x, 32), 2 * x, 0.05);
        near_value("four to a bank", passes(x, 64), 4 * x, 0.05);
        near_value("eight to a bank", passes(x, 128), 8 * x, 0.05);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_takes_the_latency),      cmocka_unit_test(others_take_the_interval),
        cmocka_unit_test(volta_is_as_published),          cmocka_unit_test(rates_are_as_published),
        cmocka_unit_test(ldmatrix_passes_over_the_banks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
