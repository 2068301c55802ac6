// Viterbi scores of protein sequences against a profile HMM of the Plan 7 shape, one sequence a thread (DWF 5.3). Scores are
// integers, log-odds times 1000; hmmer.c describes the arrays. Every cell of the dynamic program is read and written in
// memory, candidate by candidate, as a serial program in C does it: rows are reached through pointers that may alias, so that
// what a compiler keeps in registers between two cells is what it can prove.
#include "cuda.h"

enum { NEVER = -(1 << 28) };
enum { MM, IM, DM, MI, II, MD, DD, BM, ME };                 // transitions within and into the nodes
enum { N_LOOP, N_MOVE, E_C, E_J, C_LOOP, C_MOVE, J_LOOP, J_MOVE }; // scores of the special states
enum { N, B, E, C, J };                                      // the states around the model: a row of x has these

struct model {
    const int *transition, *match, *insert, *special;
    uint nodes;
    __device__ const int *move(uint kind) const { return transition + kind * (nodes + 1); }
};

// A thread's matrices: of each the row of the last position and the one that is being filled, which change places.
struct matrix {
    int *m[2], *i[2], *d[2], *x[2];
};

DEVICE void raise(int *cell, int other) {
    if (other > *cell) {
        BRANCH;
        *cell = other;
    }
}

DEVICE void node(const model &h, const matrix &t, uint last, uint now, uint k, const int *match, const int *insert) {
    int *const m = &t.m[now][k], *const d = &t.d[now][k];
    *m = NEVER;
    raise(m, t.m[last][k - 1] + h.move(MM)[k - 1]);
    raise(m, t.i[last][k - 1] + h.move(IM)[k - 1]);
    raise(m, t.x[last][B] + h.move(BM)[k]);
    raise(m, t.d[last][k - 1] + h.move(DM)[k - 1]);
    *m += match[k];
    raise(m, NEVER);
    *d = NEVER;
    raise(d, d[-1] + h.move(DD)[k - 1]);
    raise(d, m[-1] + h.move(MD)[k - 1]);
    if (k < h.nodes) {
        int *const i = &t.i[now][k];
        *i = NEVER;
        raise(i, t.m[last][k] + h.move(MI)[k]);
        raise(i, t.i[last][k] + h.move(II)[k]);
        *i += insert[k];
        raise(i, NEVER);
    }
}

// The states around the model: before it, between its repeats, after it.
DEVICE void around(const model &h, const int *m, const int *last, int *x) {
    x[N] = last[N] + h.special[N_LOOP];
    x[E] = NEVER;
    for (uint k = 1; k <= h.nodes; k++) raise(&x[E], m[k] + h.move(ME)[k]);
    x[J] = last[J] + h.special[J_LOOP];
    raise(&x[J], x[E] + h.special[E_J]);
    x[B] = x[N] + h.special[N_MOVE];
    raise(&x[B], x[J] + h.special[J_MOVE]);
    x[C] = last[C] + h.special[C_LOOP];
    raise(&x[C], x[E] + h.special[E_C]);
}

// Before the first position nothing can have been matched; node 0 is none at any position.
DEVICE void begin(const model &h, const matrix &t) {
    t.x[1][N] = 0;
    t.x[1][B] = h.special[N_MOVE];
    t.x[1][E] = t.x[1][C] = t.x[1][J] = NEVER;
    for (uint k = 0; k <= h.nodes; k++) t.m[1][k] = t.i[1][k] = t.d[1][k] = NEVER;
    t.m[0][0] = t.i[0][0] = t.d[0][0] = NEVER;
}

DEVICE int score(const model &h, const uchar *residue, uint length, const matrix &t) {
    begin(h, t);
    for (uint at = 0; at < length; at++) {
        const uint now = at & 1, last = now ^ 1, x = residue[at] * (h.nodes + 1);
        for (uint k = 1; k <= h.nodes; k++) node(h, t, last, now, k, h.match + x, h.insert + x);
        around(h, t.m[now], t.x[last], t.x[now]);
    }
    return t.x[(length & 1) ^ 1][C] + h.special[C_MOVE];
}

KERNEL viterbi(int *scores, uint *histogram, uint bins, const uchar *residues, const uint *starts, uint sequences,
               const matrix *matrices, const int *transition, const int *match, const int *insert, const int *special,
               uint nodes) {
    const uint id = global_id();
    if (id >= sequences) return;
    const model h = {transition, match, insert, special, nodes};
    const int s = score(h, residues + starts[id], starts[id + 1] - starts[id], matrices[id]);
    scores[id] = s;
    if (s > 0) atomic_add(&histogram[s / 1000 < (int)bins ? s / 1000 : bins - 1], 1u);
}
