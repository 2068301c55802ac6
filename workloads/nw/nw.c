/* Needleman-Wunsch global alignment (HARP Table 5: launches of 1 to 127 blocks twice and of 128 once, 16 threads a block, 207 M
 * instructions). The matrix of scores is computed in tiles of 16x16 along its anti-diagonals, a launch for each and a block for
 * each tile; within a tile a wavefront of threads does the same, so that most of the time some of the 16 wait. At the paper's
 * size the sequences have 2048 symbols each. The paper names no inputs: ours are two related random sequences and random
 * symmetric similarities. Integers: the check is exact. */
#include "workloads/workload.h"

enum { TILE = 16, SYMBOLS = 20, PENALTY = 10 }; /* TILE is the kernels' */

/* As the kernels take it. */
struct matrix {
    uint64_t scores, similarity;
    uint32_t width;
    int32_t penalty;
};

/* Symbols that are the same score high, most others low. */
static void make_table(struct work *w, int32_t table[SYMBOLS][SYMBOLS]) {
    for (uint32_t i = 0; i < SYMBOLS; i++)
        for (uint32_t j = 0; j <= i; j++)
            table[i][j] = table[j][i] =
                i == j ? 4 + (int32_t)work_below(w, 8) : (int32_t)work_below(w, 8) - 4;
}

/* similarity[row][column] of a symbol of each sequence; the first row and column stay 0. The second sequence is the first with
 * two symbols in five replaced. */
static int32_t *make_similarity(struct work *w, uint32_t width) {
    int32_t table[SYMBOLS][SYMBOLS];
    make_table(w, table);
    uint8_t *a = work_host(w, width, 1), *b = work_host(w, width, 1);
    for (uint32_t i = 1; i < width; i++) {
        a[i] = (uint8_t)work_below(w, SYMBOLS);
        b[i] = work_below(w, 5) < 2 ? (uint8_t)work_below(w, SYMBOLS) : a[i];
    }
    int32_t *s = work_host(w, (size_t)width * width, sizeof *s);
    for (uint32_t i = 1; i < width; i++)
        for (uint32_t j = 1; j < width; j++) s[i * width + j] = table[a[i]][b[j]];
    return s;
}

static int32_t *make_scores(struct work *w, uint32_t width) {
    int32_t *s = work_host(w, (size_t)width * width, sizeof *s);
    for (uint32_t i = 1; i < width; i++) s[i] = s[i * width] = -PENALTY * (int32_t)i;
    return s;
}

static void align(int32_t *scores, const int32_t *similarity, uint32_t width) {
    for (uint32_t i = 1; i < width; i++)
        for (uint32_t j = 1; j < width; j++) {
            uint32_t at = i * width + j;
            int32_t best = scores[at - width - 1] + similarity[at];
            if (scores[at - 1] - PENALTY > best) best = scores[at - 1] - PENALTY;
            if (scores[at - width] - PENALTY > best) best = scores[at - width] - PENALTY;
            scores[at] = best;
        }
}

void work_nw(struct work *w) {
    uint32_t tiles = work_pick(w, 4, 16, 128), width = tiles * TILE + 1;
    size_t n = (size_t)width * width;
    int32_t *similarity = make_similarity(w, width), *scores = make_scores(w, width);
    struct matrix m = {.scores = work_input(w, "scores", scores, n * sizeof *scores),
                       .similarity = work_input(w, "similarity", similarity, n * sizeof *similarity),
                       .width = width,
                       .penalty = PENALTY};
    for (uint32_t blocks = 1; blocks <= tiles; blocks++)
        WORK_LAUNCH(w, "nw_upper_left", WORK_SHAPE(.grid = {blocks}, .block = {TILE}),
                    hd_arg_bytes(&m, sizeof m));
    for (uint32_t blocks = tiles - 1; blocks >= 1; blocks--)
        WORK_LAUNCH(w, "nw_lower_right", WORK_SHAPE(.grid = {blocks}, .block = {TILE}),
                    hd_arg_bytes(&m, sizeof m), hd_arg_u32(tiles));
    align(scores, similarity, width);
    work_check_s32(w, "scores", m.scores, scores, n);
}
