/* Kernels of the probes. %rd0 is the address of the data, or of shared memory where that has the ring; %r15 counts the rounds.
 * Values of registers do not matter but where they are addresses: no unit's time depends on them. */
#include "lab/probe_text.h"

#include <inttypes.h>

static void add_operation(const char *text, uint32_t number, struct sb *out) {
    sb_add(out, "    ");
    for (; *text; text++) {
        if (*text == '$')
            sb_add(out, "%u", number);
        else
            sb_addn(out, text, 1);
    }
    sb_add(out, "\n");
}

/* The way to the next word, and from the last to the first. */
static void add_constants(uint32_t n, uint32_t apart, struct sb *out) {
    const uint32_t words = n * apart / 8;
    sb_add(out, ".const .align 8 .u64 constants[%u] = {", words);
    for (uint32_t i = 0; i < words; i++) {
        const bool used = i * 8 % apart == 0, last = i * 8 == (n - 1) * apart;
        const int64_t way = !used ? 0 : last ? -(int64_t)(n - 1) * apart : apart;
        sb_add(out, "%s%" PRId64, i ? ", " : "", way);
    }
    sb_add(out, "};\n");
}

static void add_head(const struct probe_kernel *k, struct sb *out) {
    sb_add(out, ".version 7.0\n.target sm_70\n.address_size 64\n");
    if (k->constants) add_constants(k->constants, k->apart, out);
    sb_add(out, ".visible .entry probe(.param .u64 data, .param .u32 rounds)\n{\n"
                "    .reg .pred %%p<2>;\n    .reg .b32 %%r<16>;\n    .reg .f32 %%f<16>;\n"
                "    .reg .f64 %%d<16>;\n    .reg .b64 %%rd<16>;\n");
    if (k->shared_bytes) sb_add(out, "    .shared .align 16 .b8 space[%u];\n", k->shared_bytes);
    sb_add(
        out,
        "    ld.param.u64 %%rd0, [data];\n    ld.param.u32 %%r15, [rounds];\n    mov.u32 %%r14, %%tid.x;\n");
    for (uint32_t i = 0; i < 10; i++)
        sb_add(out,
               "    add.u32 %%r%u, %%r14, %u;\n    cvt.rn.f32.u32 %%f%u, %%r%u;\n    cvt.rn.f64.u32 %%d%u, "
               "%%r%u;\n",
               i, i + 1, i, i, i, i);
}

/* Word i holds the address of word i + 1, the last that of the first. */
static void add_ring(const struct probe_kernel *k, struct sb *out) {
    const char *space = k->shared ? "shared" : "global";
    sb_add(out,
           "    mov.u64 %%rd1, %%rd0;\n    mov.u32 %%r13, %u;\nlink:\n    add.u64 %%rd2, %%rd1, %u;\n"
           "    sub.u32 %%r13, %%r13, 1;\n    setp.eq.u32 %%p0, %%r13, 0;\n    selp.b64 %%rd2, %%rd0, %%rd2, "
           "%%p0;\n"
           "    st.%s.u64 [%%rd1], %%rd2;\n    mov.u64 %%rd1, %%rd2;\n    @!%%p0 bra link;\n",
           k->ring, k->step, space);
}

void probe_text(const struct probe_kernel *k, struct sb *out) {
    add_head(k, out);
    if (k->shared) sb_add(out, "    mov.u64 %%rd0, space;\n");
    if (k->ring) add_ring(k, out);
    if (k->prepare) sb_add(out, "%s", k->prepare);
    sb_add(out, "round:\n");
    for (uint32_t i = 0; i < k->copies; i++) add_operation(k->operation, i % k->registers, out);
    if (k->together) sb_add(out, "    bar.sync 0;\n");
    sb_add(out, "    sub.u32 %%r15, %%r15, 1;\n    setp.ne.u32 %%p1, %%r15, 0;\n    @%%p1 bra round;\n    "
                "exit;\n}\n");
}
