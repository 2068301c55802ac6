/* Sequence matching by suffix tree, after MUMmerGPU (HARP Table 5: one block of 100 threads, 0.2 M instructions; HARP 3.3: no
 * other program has as many threads stalled by divergence when the machine is idle). As in the program that HARP measured, each
 * thread walks a read of 25 bases down the tree and reports a match of 20 or more; for each further base of the read, while
 * 20 are left, it goes on from the suffix link of where it was. Tree and reference are textures of two dimensions. Control flow
 * is unstructured but reducible: a switch on the base, and gotos between the search along an edge, the result and the way down
 * after a link. At the paper's size the reference has 1.4 million bases, as the program's has; ours is not its genome but random
 * with repeats (dna.c), and so are the reads. The tree is Ukkonen's, made on the host. Integers: the check is exact. */
#include "workloads/dna.h"

#define NONE UINT32_MAX
enum { ROW = 1 << 12 }; /* the kernel's: texels in a row of a texture */

/* As the kernel reads them: a texel of four words each. */
struct children {
    uint32_t of[4]; /* by base */
};
struct edge {
    uint32_t start, length; /* above the node, in the text */
    uint32_t link;          /* link of an inner node; NONE: a leaf */
    uint32_t unused;
};

/* As the kernel takes it: texture objects. */
struct device_tree {
    uint64_t text, children, edges;
};

/* Ukkonen's construction. The active point, where the longest suffix that has no leaf yet ends, is `length` bases from
 * text[edge] on below `node`. Without a terminal such suffixes keep no leaf; every substring is in the tree all the same. */
struct builder {
    const uint8_t *text;
    uint32_t bases;
    struct children *children;
    struct edge *edges;
    uint32_t count;
    uint32_t node, edge, length;
    uint32_t unlinked; /* the inner node made last, whose link is the next one made or met; 0: none */
};

static uint32_t add_node(struct builder *b, uint32_t start, uint32_t length, uint32_t link) {
    b->children[b->count] = (struct children){{NONE, NONE, NONE, NONE}};
    b->edges[b->count] = (struct edge){start, length, link, 0};
    return b->count++;
}

static void link_to(struct builder *b, uint32_t node) {
    if (b->unlinked) b->edges[b->unlinked].link = node;
    b->unlinked = 0;
}

/* The edge at the active point; whole edges of the way are walked first. NONE: the point is a node without that child. */
static uint32_t canonical(struct builder *b, uint32_t at) {
    for (;;) {
        if (b->length == 0) b->edge = at;
        uint32_t next = b->children[b->node].of[b->text[b->edge]];
        if (next == NONE || b->length < b->edges[next].length) return next;
        b->node = next;
        b->edge += b->edges[next].length;
        b->length -= b->edges[next].length;
    }
}

/* Makes an inner node where the active point is, within the edge above `next`. */
static uint32_t split(struct builder *b, uint32_t next) {
    struct edge *n = &b->edges[next];
    uint32_t inner = add_node(b, n->start, b->length, 0);
    b->children[b->node].of[b->text[b->edge]] = inner;
    b->children[inner].of[b->text[n->start + b->length]] = next;
    n->start += b->length;
    n->length -= b->length;
    return inner;
}

/* To the end of the next shorter suffix; `left` suffixes still have to get their leaf. */
static void next_suffix(struct builder *b, uint32_t at, uint32_t left) {
    if (b->node != 0)
        b->node = b->edges[b->node].link;
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
        if (next != NONE && b->text[b->edges[next].start + b->length] == base) {
            link_to(b, inner);
            b->length++;
            break;
        }
        if (next != NONE) inner = split(b, next);
        b->children[inner].of[base] = add_node(b, at, b->bases - at, NONE);
        link_to(b, inner);
        if (next != NONE) b->unlinked = inner;
        next_suffix(b, at, left - 1);
    }
    link_to(b, 0);
    return left;
}

static struct builder make_tree(struct work *w, const struct dna *d) {
    /* At most one leaf and one inner node a base, and the root. */
    size_t most = 2 * (size_t)d->bases + 1;
    struct builder b = {.text = d->text, .bases = d->bases};
    b.children = work_host(w, most, sizeof *b.children);
    b.edges = work_host(w, most, sizeof *b.edges);
    add_node(&b, 0, 0, 0);
    for (uint32_t at = 0, left = 0; at < d->bases; at++) left = extend(&b, at, left + 1);
    return b;
}

/* An array as rows of ROW texels; the last is filled up. */
static uint64_t make_texture(struct work *w, const char *label, const void *data, uint32_t count,
                             hd_texel texel, uint32_t channels, uint32_t bytes) {
    uint32_t rows = (count + ROW - 1) / ROW;
    uint64_t handle = 0;
    hd_texture t = {.addr = work_buffer(w, label, (uint64_t)rows * ROW * bytes),
                    .width = ROW,
                    .height = rows,
                    .texel = texel,
                    .channels = channels};
    work_write(w, t.addr, data, (uint64_t)count * bytes);
    if (work_ok(w)) w->status = hd_texture_new(w->dev, &t, &handle);
    return handle;
}

void work_mu(struct work *w) {
    uint32_t bases = work_pick(w, 4000, 200000, 1400000), count = work_pick(w, 64, 100, 100);
    struct dna d = dna_make(w, bases, count, 25, 25, 20);
    struct builder b = make_tree(w, &d);
    struct device_tree tree = {
        make_texture(w, "text", d.text, d.bases, HD_TEXEL_U8, 1, 1),
        make_texture(w, "children", b.children, b.count, HD_TEXEL_U32, 4, sizeof *b.children),
        make_texture(w, "edges", b.edges, b.count, HD_TEXEL_U32, 4, sizeof *b.edges)};
    d.recorded = d.match;
    dna_match(w, "mu", &d, &tree, sizeof tree);
}
