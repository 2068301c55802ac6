// Viterbi scores of protein sequences against a profile HMM of the Plan 7 shape, one sequence a thread (DWF 5.3). Scores are
// integers, log-odds times 1000; hmmer.c describes the arrays.
#include "cuda.h"

enum { NEVER = -(1 << 28) };
enum { MM, IM, DM, MI, II, MD, DD, BM, ME };                 // transitions within and into the nodes
enum { N_LOOP, N_MOVE, E_C, E_J, C_LOOP, C_MOVE, J_LOOP, J_MOVE }; // of the special states

struct model {
    const int *transition, *match, *insert, *special;
    uint nodes;
    __device__ int move(uint kind, uint k) const { return transition[kind * (nodes + 1) + k]; }
};

// One position of the sequence: the best score that ends in each node's match, insert and delete state.
struct row {
    int *m, *i, *d;
};
struct specials {
    int n, b, e, c, j;
};

DEVICE void raise(int &best, int other) {
    if (other > best) {
        BRANCH;
        best = other;
    }
}

DEVICE void set(int *cell, int score) {
    if (score < NEVER) {
        BRANCH;
        score = NEVER;
    }
    *cell = score;
}

DEVICE void match(const model &h, row now, row last, uint k, int emission, int begin) {
    int m = last.m[k - 1] + h.move(MM, k - 1);
    raise(m, last.i[k - 1] + h.move(IM, k - 1));
    raise(m, last.d[k - 1] + h.move(DM, k - 1));
    raise(m, begin + h.move(BM, k));
    set(&now.m[k], m + emission);
}

DEVICE void erase(const model &h, row now, uint k) {
    int d = now.d[k - 1] + h.move(DD, k - 1);
    raise(d, now.m[k - 1] + h.move(MD, k - 1));
    set(&now.d[k], d);
}

DEVICE void insert(const model &h, row now, row last, uint k, int emission) {
    int i = last.m[k] + h.move(MI, k);
    raise(i, last.i[k] + h.move(II, k));
    set(&now.i[k], i + emission);
}

// The states around the model: before it, between its repeats, after it.
DEVICE void around(const model &h, specials &s, row now) {
    s.n += h.special[N_LOOP];
    s.e = NEVER;
    for (uint k = 1; k <= h.nodes; k++) raise(s.e, now.m[k] + h.move(ME, k));
    s.j += h.special[J_LOOP];
    raise(s.j, s.e + h.special[E_J]);
    s.b = s.n + h.special[N_MOVE];
    raise(s.b, s.j + h.special[J_MOVE]);
    s.c += h.special[C_LOOP];
    raise(s.c, s.e + h.special[E_C]);
}

// Before the first position nothing can have been matched; node 0 is none at any position.
DEVICE void begin(row now, row last, uint nodes) {
    for (uint k = 0; k <= nodes; k++) last.m[k] = last.i[k] = last.d[k] = NEVER;
    now.m[0] = now.i[0] = now.d[0] = NEVER;
}

DEVICE int score(const model &h, const uchar *residue, uint length, row now, row last) {
    specials s = {0, h.special[N_MOVE], NEVER, NEVER, NEVER};
    begin(now, last, h.nodes);
    for (uint at = 0; at < length; at++) {
        const uint x = residue[at] * (h.nodes + 1);
        for (uint k = 1; k <= h.nodes; k++) {
            match(h, now, last, k, h.match[x + k], s.b);
            erase(h, now, k);
            if (k < h.nodes) insert(h, now, last, k, h.insert[x + k]);
        }
        around(h, s, now);
        const row swap = now;
        now = last;
        last = swap;
    }
    return s.c + h.special[C_MOVE];
}

KERNEL viterbi(int *scores, uint *histogram, uint bins, const uchar *residues, const uint *starts, uint sequences,
               int *scratch, const int *transition, const int *match, const int *insert, const int *special,
               uint nodes) {
    const uint id = global_id();
    if (id >= sequences) return;
    const model h = {transition, match, insert, special, nodes};
    int *rows = scratch + id * 6 * (nodes + 1);
    const row a = {rows, rows + (nodes + 1), rows + 2 * (nodes + 1)};
    const row b = {rows + 3 * (nodes + 1), rows + 4 * (nodes + 1), rows + 5 * (nodes + 1)};
    const int s = score(h, residues + starts[id], starts[id + 1] - starts[id], a, b);
    scores[id] = s;
    if (s > 0) atomic_add(&histogram[s / 1000 < (int)bins ? s / 1000 : bins - 1], 1u);
}
