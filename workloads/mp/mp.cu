// Longest matches of reads by binary search in a suffix array, which knows how much the ends of its interval share with the read
// (HARP: MUMmerGPU++).
#include "cuda.h"

struct index {
    const uchar *text;
    const uint *suffixes; // in order
    uint bases;
};

struct match {
    uint length, place;
};

// How many bases of the read a suffix has, of which `from` are known to be.
DEVICE uint extend(const index &x, uint suffix, const uchar *read, uint length, uint from) {
    while (from < length && suffix + from < x.bases && x.text[suffix + from] == read[from]) from++;
    return from;
}

// Whether the suffix, whose first `common` bases are those of the read, comes after it.
DEVICE bool after(const index &x, uint suffix, const uchar *read, uint length, uint common) {
    return common < length && suffix + common < x.bases && x.text[suffix + common] > read[common];
}

// Suffixes before low come before the read and share `below` bases with it where they end; those from high on come after it and
// share `above`: all between share the fewer of the two.
DEVICE match search(const index &x, const uchar *read, uint length) {
    uint low = 0, high = x.bases, below = 0, above = 0;
    match best = {0, 0};
    while (low < high && best.length < length) {
        uint middle = (low + high) / 2, suffix = x.suffixes[middle];
        uint common = extend(x, suffix, read, length, below < above ? below : above);
        if (common > best.length) {
            best.length = common;
            best.place = suffix;
        }
        if (after(x, suffix, read, length, common)) {
            high = middle;
            above = common;
        } else {
            low = middle + 1;
            below = common;
        }
    }
    return best;
}

KERNEL mp(uint *lengths, uint *places, index x, const uchar *reads, const uint *offsets, uint count, uint least) {
    uint r = global_id();
    if (r >= count) return;
    uint end = offsets[r + 1];
    for (uint i = offsets[r]; i + least <= end; i++) {
        match m = search(x, reads + i, end - i);
        lengths[i] = m.length;
        places[i] = m.place;
    }
}
