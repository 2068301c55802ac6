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
    __device__ uint cell(uint row, uint state, uint k) const { return row + state * (nodes + 1) + k; }
};

// What a thread has on its stack, where a compiler with few registers leaves it between uses: the states around the model
// and which of the two rows is the last position's. Between them lie the arguments of the calls.
struct frame {
    int n, b, e, c, j;
    int arguments[59];
    uint last;
};
// A row has the best scores that end in each node's match, insert and delete state, one after the other.
enum { M, I, D };

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

DEVICE void match(const model &h, const frame &f, int *cells, uint now, uint k, int emission) {
    int m = cells[h.cell(f.last, M, k - 1)] + h.move(MM, k - 1);
    raise(m, cells[h.cell(f.last, I, k - 1)] + h.move(IM, k - 1));
    raise(m, cells[h.cell(f.last, D, k - 1)] + h.move(DM, k - 1));
    raise(m, f.b + h.move(BM, k));
    set(&cells[h.cell(now, M, k)], m + emission);
}

DEVICE void erase(const model &h, int *cells, uint now, uint k) {
    int d = cells[h.cell(now, D, k - 1)] + h.move(DD, k - 1);
    raise(d, cells[h.cell(now, M, k - 1)] + h.move(MD, k - 1));
    set(&cells[h.cell(now, D, k)], d);
}

DEVICE void insert(const model &h, const frame &f, int *cells, uint now, uint k, int emission) {
    int i = cells[h.cell(f.last, M, k)] + h.move(MI, k);
    raise(i, cells[h.cell(f.last, I, k)] + h.move(II, k));
    set(&cells[h.cell(now, I, k)], i + emission);
}

// The states around the model: before it, between its repeats, after it.
DEVICE void around(const model &h, frame &f, const int *cells, uint now) {
    f.n += h.special[N_LOOP];
    f.e = NEVER;
    for (uint k = 1; k <= h.nodes; k++) raise(f.e, cells[h.cell(now, M, k)] + h.move(ME, k));
    f.j += h.special[J_LOOP];
    raise(f.j, f.e + h.special[E_J]);
    f.b = f.n + h.special[N_MOVE];
    raise(f.b, f.j + h.special[J_MOVE]);
    f.c += h.special[C_LOOP];
    raise(f.c, f.e + h.special[E_C]);
}

// Before the first position nothing can have been matched; node 0 is none at any position.
DEVICE void begin(frame &f, int *cells, uint now, const model &h) {
    f.n = 0;
    f.b = h.special[N_MOVE];
    f.e = f.c = f.j = NEVER;
    f.last = 3 * (h.nodes + 1);
    for (uint k = 0; k <= h.nodes; k++) cells[h.cell(f.last, M, k)] = cells[h.cell(f.last, I, k)] = cells[h.cell(f.last, D, k)] = NEVER;
    cells[h.cell(now, M, 0)] = cells[h.cell(now, I, 0)] = cells[h.cell(now, D, 0)] = NEVER;
}

DEVICE int score(const model &h, const uchar *residue, uint length, frame &f, int *cells) {
    uint now = 0;
    begin(f, cells, now, h);
    for (uint at = 0; at < length; at++) {
        const uint x = residue[at] * (h.nodes + 1);
        for (uint k = 1; k <= h.nodes; k++) {
            match(h, f, cells, now, k, h.match[x + k]);
            erase(h, cells, now, k);
            if (k < h.nodes) insert(h, f, cells, now, k, h.insert[x + k]);
        }
        around(h, f, cells, now);
        const uint swap = now;
        now = f.last;
        f.last = swap;
    }
    return f.c + h.special[C_MOVE];
}

KERNEL viterbi(int *scores, uint *histogram, uint bins, const uchar *residues, const uint *starts, uint sequences,
               int *scratch, int *stacks, uint pitch, const int *transition, const int *match, const int *insert,
               const int *special, uint nodes) {
    const uint id = global_id();
    if (id >= sequences) return;
    const model h = {transition, match, insert, special, nodes};
    // Those of odd blocks half of a pitch further: the channels of memory are then all of use.
    int *const stack = stacks + id * pitch + (id / blockDim.x & 1) * (pitch / 2);
    const int s = score(h, residues + starts[id], starts[id + 1] - starts[id], *(frame *)stack,
                        scratch + id * 6 * (nodes + 1));
    scores[id] = s;
    if (s > 0) atomic_add(&histogram[s / 1000 < (int)bins ? s / 1000 : bins - 1], 1u);
}
