// Longest matches of reads down a suffix tree, from base to base of a read by suffix links (HARP: MUMmerGPU).
#include "cuda.h"

#define NONE FULL // no such child; the link of a leaf

struct tree {
    const uchar *text;
    const uint4 *nodes; // two each: the children, by base; and the edge above: its start in the text, its length, the suffix link
};

// How far a match has come: `depth` bases of the read lead to a node, `known` match, as they stand at `place` in the text.
struct cursor {
    uint node, depth, known, place;
};

DEVICE uint child(const tree &t, uint node, uint base) {
    return ((const uint *)&t.nodes[2 * node])[base];
}

// From the end of the match of what begins one base earlier: the link leads past that base, and down to where it has come.
DEVICE void follow_link(const tree &t, cursor &c) {
    if (c.known > 0) {
        c.known--;
        c.place++;
    }
    if (c.depth > 0) {
        c.depth--;
        c.node = t.nodes[2 * c.node + 1].z;
    }
}

// How much of the edge the read has, of which `from` is known.
DEVICE uint along(const tree &t, const uint4 &edge, const uchar *read, uint length, uint from) {
    while (from < edge.y && from < length && t.text[edge.x + from] == read[from]) from++;
    return from;
}

// Until a base differs or the read ends.
DEVICE void descend(const tree &t, cursor &c, const uchar *read, uint length) {
    while (c.depth < length) {
        uint next = child(t, c.node, read[c.depth]);
        if (next == NONE) break;
        uint4 edge = t.nodes[2 * next + 1];
        c.place = edge.x - c.depth;
        uint walked = edge.y;
        if (c.depth + edge.y > c.known) {
            walked = along(t, edge, read + c.depth, length - c.depth, c.known - c.depth);
            c.known = c.depth + walked;
        }
        if (walked < edge.y || edge.z == NONE) break;
        c.node = next;
        c.depth += edge.y;
    }
}

KERNEL mu(uint *lengths, uint *places, tree t, const uchar *reads, const uint *offsets, uint count, uint least) {
    uint r = global_id();
    if (r >= count) return;
    uint end = offsets[r + 1];
    cursor c = {0, 0, 0, 0};
    for (uint i = offsets[r]; i + least <= end; i++) {
        descend(t, c, reads + i, end - i);
        lengths[i] = c.known;
        places[i] = c.place;
        follow_link(t, c);
    }
}
