/* One step of back-propagation in a network with one hidden layer (HARP Table 5: two launches of (1,64) blocks of 16x16 threads, 2.9
 * M instructions): 1024 inputs, 16 hidden units, one output. The first kernel multiplies inputs and weights and sums each block's
 * products by a tree in shared memory, in which the threads that remain are every second, fourth ... row, found by a power of two
 * and a remainder at every step; it stores the weights again. The host adds the blocks' sums, computes the output and its
 * error; the second kernel adjusts the weights. A bias before the 16 hidden units makes rows of 17 weights, which begin
 * anywhere in a line. Inputs and weights are random.
 *
 * The sums are compared with sums in double precision: in single precision a product is rounded once and passes through four
 * additions, the reference is rounded at its end, and no sum is above 16; so they differ by less than 6 * 16 * 2^-24. The
 * weights are exact: the same operations on both sides. */
#include <math.h>

#include "workloads/workload.h"

enum { TILE = 16, HIDDEN = TILE, PITCH = HIDDEN + 1 }; /* the kernels' */
static const float rate = 0.3f, momentum = 0.3f;

struct network {
    uint32_t inputs;
    float *input;         /* [0] is 1 */
    float *weights;       /* [inputs + 1][PITCH]; those of the bias come first, column 0 has none */
    float *last;          /* the changes of the step before */
    float output[HIDDEN]; /* weights from the hidden units to the output */
};

static struct network make_network(struct work *w, uint32_t inputs) {
    struct network n = {.inputs = inputs};
    size_t weights = (size_t)(inputs + 1) * PITCH;
    n.input = work_host(w, inputs + 1, sizeof *n.input);
    n.weights = work_host(w, weights, sizeof *n.weights);
    n.last = work_host(w, weights, sizeof *n.last);
    n.input[0] = 1;
    for (uint32_t i = 1; i <= inputs; i++) n.input[i] = work_uniform(w, 0, 1);
    for (size_t i = 0; i < weights; i++) {
        n.weights[i] = work_uniform(w, -1, 1);
        n.last[i] = work_uniform(w, -0.01f, 0.01f);
    }
    for (uint32_t h = 0; h < HIDDEN; h++) n.output[h] = work_uniform(w, -1, 1);
    return n;
}

static float *block_sums(struct work *w, const struct network *n) {
    uint32_t blocks = n->inputs / TILE;
    float *sums = work_host(w, (size_t)blocks * HIDDEN, sizeof *sums);
    for (uint32_t b = 0; b < blocks; b++)
        for (uint32_t h = 0; h < HIDDEN; h++) {
            double sum = 0;
            for (uint32_t i = b * TILE + 1; i <= (b + 1) * TILE; i++)
                sum += (double)n->weights[i * PITCH + h + 1] * (double)n->input[i];
            sums[b * HIDDEN + h] = (float)sum;
        }
    return sums;
}

static float sigmoid(float x) {
    return 1 / (1 + expf(-x));
}

/* The host's part: from the device's sums to the error of each hidden unit, for a target of 0.1. */
static void hidden_deltas(const struct network *n, const float *sums, float deltas[HIDDEN]) {
    float hidden[HIDDEN], out = 0;
    for (uint32_t h = 0; h < HIDDEN; h++) {
        float sum = n->weights[h + 1];
        for (uint32_t b = 0; b < n->inputs / TILE; b++) sum += sums[b * HIDDEN + h];
        hidden[h] = sigmoid(sum);
        out += n->output[h] * hidden[h];
    }
    out = sigmoid(out);
    float error = out * (1 - out) * (0.1f - out);
    for (uint32_t h = 0; h < HIDDEN; h++) deltas[h] = hidden[h] * (1 - hidden[h]) * n->output[h] * error;
}

static void adjust(struct network *n, const float deltas[HIDDEN]) {
    for (uint32_t i = 0; i <= n->inputs; i++)
        for (uint32_t h = 0; h < HIDDEN; h++) {
            uint32_t at = i * PITCH + h + 1;
            n->last[at] = rate * deltas[h] * n->input[i] + momentum * n->last[at];
            n->weights[at] += n->last[at];
        }
}

void work_bkp(struct work *w) {
    uint32_t blocks = work_pick(w, 6, 64, 64);
    struct network n = make_network(w, blocks * TILE);
    size_t weights = (size_t)(n.inputs + 1) * PITCH, sums = (size_t)blocks * HIDDEN;
    uint64_t d_input = work_input(w, "inputs", n.input, (n.inputs + 1) * sizeof *n.input);
    uint64_t d_weights = work_input(w, "weights", n.weights, weights * sizeof *n.weights);
    uint64_t d_last = work_input(w, "last", n.last, weights * sizeof *n.last);
    uint64_t d_sums = work_buffer(w, "partial", sums * sizeof(float));
    hd_launch shape = {.grid = {1, blocks}, .block = {TILE, TILE}};
    const hd_arg forward[] = {hd_arg_ptr(d_sums), hd_arg_ptr(d_input), hd_arg_ptr(d_weights)};
    work_launch(w, "bkp_forward", &shape, forward, 3);
    work_check_f32(w, "partial", d_sums, block_sums(w, &n), sums, 0, 6 * 16 * 0x1p-24);
    work_check_f32(w, "weights", d_weights, n.weights, weights, 0, 0);

    float *have = work_host(w, sums, sizeof *have), deltas[PITCH] = {0};
    work_read(w, have, d_sums, sums * sizeof *have);
    hidden_deltas(&n, have, deltas + 1);
    uint64_t d_deltas = work_input(w, "deltas", deltas, sizeof deltas);
    const hd_arg backward[] = {hd_arg_ptr(d_weights), hd_arg_ptr(d_last), hd_arg_ptr(d_deltas),
                               hd_arg_ptr(d_input),   hd_arg_f32(rate),   hd_arg_f32(momentum)};
    work_launch(w, "bkp_adjust", &shape, backward, 6);
    adjust(&n, deltas + 1);
    work_check_f32(w, "weights", d_weights, n.weights, weights, 0, 0);
    work_check_f32(w, "last", d_last, n.last, weights, 0, 0);
}
