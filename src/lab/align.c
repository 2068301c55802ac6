/* Alignment of instruction traces: the shortest common supersequence of two texts of tokens, weighted by their instructions
 * (Needleman and Wunsch with gaps that cost their length, matches that cost theirs once, and no mismatches).
 *
 * What texts share at their beginning and end is taken as it is. The rest is aligned exactly up to WINDOW tokens a side; longer
 * texts are aligned window by window, which gives a schedule that is possible but perhaps not the best. */
#include <stdlib.h>

#include "lab/study.h"

enum { WINDOW = 2048 };
enum { TAKE_BOTH, TAKE_A, TAKE_B };

static bool align_same(struct align_token a, struct align_token b) {
    return a.pc == b.pc && a.n == b.n;
}

static void align_push(struct align_text *out, const struct align_token *t, size_t n) {
    for (size_t i = 0; i < n; i++) VEC_PUSH(&out->tokens, t[i]);
}

/* best[j] while row i is worked out: the most instructions that a[i..] and b[j..] can share. way: what to take there. */
static void align_fill(const struct align_token *a, size_t na, const struct align_token *b, size_t nb,
                       uint8_t *way) {
    uint32_t *best = xcalloc(nb + 1, sizeof *best);
    for (size_t i = na; i-- > 0;) {
        uint32_t below = 0; /* best[j + 1] of the row before */
        for (size_t j = nb; j-- > 0;) {
            uint32_t skip_a = best[j], skip_b = best[j + 1],
                     both = align_same(a[i], b[j]) ? below + a[i].n : 0;
            below = skip_a;
            uint32_t most = skip_a >= skip_b ? skip_a : skip_b;
            way[i * nb + j] = both >= most && both ? TAKE_BOTH : skip_a >= skip_b ? TAKE_A : TAKE_B;
            best[j] = both > most ? both : most;
        }
    }
    free(best);
}

static void merge_window(const struct align_token *a, size_t na, const struct align_token *b, size_t nb,
                         uint8_t *way, struct align_text *out) {
    size_t i = 0, j = 0;
    align_fill(a, na, b, nb, way);
    while (i < na && j < nb) {
        uint8_t w = way[i * nb + j];
        align_push(out, w == TAKE_B ? &b[j] : &a[i], 1);
        i += w != TAKE_B;
        j += w != TAKE_A;
    }
    align_push(out, a + i, na - i);
    align_push(out, b + j, nb - j);
}

static size_t lesser(size_t a, size_t b) {
    return a < b ? a : b;
}

void align_merge(const struct align_text *x, const struct align_text *y, struct align_text *out) {
    const struct align_token *a = x->tokens.v, *b = y->tokens.v;
    size_t na = x->tokens.n, nb = y->tokens.n, head = 0, tail = 0;
    while (head < na && head < nb && align_same(a[head], b[head])) head++;
    while (tail < na - head && tail < nb - head && align_same(a[na - 1 - tail], b[nb - 1 - tail])) tail++;
    align_push(out, a, head);
    uint8_t *way = xmalloc((size_t)WINDOW * WINDOW);
    for (size_t i = head, j = head; i < na - tail || j < nb - tail;) {
        size_t ni = lesser(WINDOW, na - tail - i), nj = lesser(WINDOW, nb - tail - j);
        merge_window(a + i, ni, b + j, nj, way, out);
        i += ni;
        j += nj;
    }
    free(way);
    if (tail) align_push(out, a + na - tail, tail);
}

uint64_t align_length(const struct align_text *t) {
    uint64_t n = 0;
    for (size_t i = 0; i < t->tokens.n; i++) n += t->tokens.v[i].n;
    return n;
}

uint64_t align_four(const struct align_text t[STUDY_WARP]) {
    static const int pairing[3][STUDY_WARP] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2}};
    uint64_t best = UINT64_MAX;
    for (int p = 0; p < 3; p++) {
        struct align_text left = {0}, right = {0}, all = {0};
        align_merge(&t[pairing[p][0]], &t[pairing[p][1]], &left);
        align_merge(&t[pairing[p][2]], &t[pairing[p][3]], &right);
        align_merge(&left, &right, &all);
        uint64_t n = align_length(&all);
        if (n < best) best = n;
        VEC_FREE(&left.tokens);
        VEC_FREE(&right.tokens);
        VEC_FREE(&all.tokens);
    }
    return best;
}
