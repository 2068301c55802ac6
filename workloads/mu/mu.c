/* Sequence matching by suffix tree, after MUMmerGPU (HARP Table 5: one block of 100 threads, 0.2 M instructions; HARP 3.3: no
 * other program has as many threads stalled by divergence when the machine is idle). Each thread walks one read down the tree,
 * and for each further base of the read goes on from the suffix link of where it was. The tree is Ukkonen's, made on the host.
 * Integers: the check is exact.
 *
 * The paper names no inputs. Ours (dna.h) are a reference of 20000 bases and reads of 12 to 36, with which the count of instructions is
 * the paper's. That mu stalls more than mp rests on this choice: it was made, as mp's was, with the share of stalled threads in
 * view, and reads of different lengths stall more. Given the same reads, mp stalls more (small, pdom, harp-fermi; mp, mu): 0.71, 0.68
 * with these; 0.53, 0.45 with mp's. So the order of the two says nothing about the paper's. */
#include "workloads/dna.h"

#define NONE UINT32_MAX

/* As the kernel reads it: two vectors of four words. */
struct node {
    uint32_t child[4];
    uint32_t start, length; /* of the edge above, in the text */
    uint32_t link;          /* of an inner node; NONE: a leaf */
    uint32_t unused;
};

/* As the kernel takes it. */
struct device_tree {
    uint64_t text, nodes;
};

/* Ukkonen's construction. The active point, where the longest suffix that has no leaf yet ends, is `length` bases from
 * text[edge] on below `node`. Without a terminal such suffixes keep no leaf; every substring is in the tree all the same. */
struct builder {
    const uint8_t *text;
    uint32_t bases;
    struct node *nodes;
    uint32_t count;
    uint32_t node, edge, length;
    uint32_t unlinked; /* the inner node made last, whose link is the next one made or met; 0: none */
};

static uint32_t add_node(struct builder *b, uint32_t start, uint32_t length, uint32_t link) {
    b->nodes[b->count] = (struct node){{NONE, NONE, NONE, NONE}, start, length, link, 0};
    return b->count++;
}

static void link_to(struct builder *b, uint32_t node) {
    if (b->unlinked) b->nodes[b->unlinked].link = node;
    b->unlinked = 0;
}

/* The edge at the active point; whole edges of the way are walked first. NONE: the point is a node without that child. */
static uint32_t canonical(struct builder *b, uint32_t at) {
    for (;;) {
        if (b->length == 0) b->edge = at;
        uint32_t next = b->nodes[b->node].child[b->text[b->edge]];
        if (next == NONE || b->length < b->nodes[next].length) return next;
        b->node = next;
        b->edge += b->nodes[next].length;
        b->length -= b->nodes[next].length;
    }
}

/* Makes an inner node where the active point is, within the edge above `next`. */
static uint32_t split(struct builder *b, uint32_t next) {
    struct node *n = &b->nodes[next];
    uint32_t inner = add_node(b, n->start, b->length, 0);
    b->nodes[b->node].child[b->text[b->edge]] = inner;
    b->nodes[inner].child[b->text[n->start + b->length]] = next;
    n->start += b->length;
    n->length -= b->length;
    return inner;
}

/* To the end of the next shorter suffix; `left` suffixes still have to get their leaf. */
static void next_suffix(struct builder *b, uint32_t at, uint32_t left) {
    if (b->node != 0)
        b->node = b->nodes[b->node].link;
    else if (b->length > 0) {
        b->length--;
        b->edge = at - left + 1;
    }
}

/* One base more: gives a leaf to the `left` suffixes that end before it, longest first, until one is met that has it already.
 * How many remain. */
static uint32_t extend(struct builder *b, uint32_t at, uint32_t left) {
    uint8_t base = b->text[at];
    for (; left > 0; left--) {
        uint32_t next = canonical(b, at);
        uint32_t inner = b->node;
        if (next != NONE && b->text[b->nodes[next].start + b->length] == base) {
            link_to(b, inner);
            b->length++;
            break;
        }
        if (next != NONE) inner = split(b, next);
        b->nodes[inner].child[base] = add_node(b, at, b->bases - at, NONE);
        link_to(b, inner);
        if (next != NONE) b->unlinked = inner;
        next_suffix(b, at, left - 1);
    }
    link_to(b, 0);
    return left;
}

static struct device_tree make_tree(struct work *w, const struct dna *d) {
    /* At most one leaf and one inner node a base, and the root. */
    struct builder b = {.text = d->text, .bases = d->bases};
    b.nodes = work_host(w, 2 * (size_t)d->bases + 1, sizeof *b.nodes);
    add_node(&b, 0, 0, 0);
    for (uint32_t at = 0, left = 0; at < d->bases; at++) left = extend(&b, at, left + 1);
    return (struct device_tree){.text = work_input(w, "text", d->text, d->bases),
                                .nodes = work_input(w, "nodes", b.nodes, b.count * sizeof *b.nodes)};
}

void work_mu(struct work *w) {
    uint32_t bases = work_pick(w, 2000, 20000, 20000), count = work_pick(w, 64, 100, 100);
    struct dna d = dna_make(w, bases, count, 12, 36, 12);
    struct device_tree tree = make_tree(w, &d);
    dna_match(w, "mu", &d, &tree, sizeof tree);
}
