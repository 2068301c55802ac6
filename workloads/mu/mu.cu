// Matches of reads down a suffix tree, from base to base of a read by suffix links (HARP: MUMmerGPU).
#include "cuda.h"

#define NONE FULL // no such child; the link of a leaf
#define ROW  12   // log2 of the texels in a row

// Texture objects of two dimensions; element i is in row i >> ROW.
struct tree {
    u64 text;     // a base a texel
    u64 children; // children of each node by base
    u64 edges;    // above each node: its start in the text, its length, and the node's suffix link
};

DEVICE uint4 fetch(u64 texture, uint i) {
    uint4 v;
    asm("tex.2d.v4.u32.s32 {%0,%1,%2,%3}, [%4, {%5,%6}];"
        : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
        : "l"(texture), "r"(i & ((1 << ROW) - 1)), "r"(i >> ROW));
    return v;
}

// `depth` bases from i on lead to a node; `known` match, as they stand at `place` in the text.
KERNEL mu(uint *lengths, uint *places, tree t, const uchar *reads, const uint *offsets, uint count, uint least) {
    uint r = global_id();
    if (r >= count) return;
    uint i = offsets[r], end = offsets[r + 1], node = 0, depth = 0, known = 0, place = 0, next, step;
    uint4 children, edge;
    if (i + least > end) return;

descend:
    if (i + depth == end) goto result;
    children = fetch(t.children, node);
    switch (reads[i + depth]) {
    case 0: BRANCH; next = children.x; break;
    case 1: BRANCH; next = children.y; break;
    case 2: BRANCH; next = children.z; break;
    default: BRANCH; next = children.w; break;
    }
    if (next == NONE) goto result;
    edge = fetch(t.edges, next);
    place = edge.x - depth;
    if (depth + edge.y <= known) goto down; // again, after a link: what matched before still does
    step = known - depth;

substring:
    if (i + depth + step == end) goto result;
    if (fetch(t.text, edge.x + step).x != reads[i + depth + step]) goto result;
    known++;
    if (++step < edge.y) goto substring;

down:
    if (edge.z == NONE) goto result;
    node = next;
    depth += edge.y;
    goto descend;

result:
    if (known >= least) {
        lengths[i] = known;
        places[i] = place;
    }
    if (++i + least > end) return;
    if (known > 0) {
        known--;
        place++;
    }
    if (depth > 0) {
        depth--;
        node = fetch(t.edges, node).z;
    }
    goto descend;
}
