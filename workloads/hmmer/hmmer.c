/* Profile-HMM search (DWF Table 5.3: 456.hmmer of SPEC CPU2006, modified; high divergence): the Viterbi score of each
 * sequence of a database against one protein family's model, and the histogram of the scores.
 *
 * The model has the Plan 7 shape: nodes 1..M with a match, an insert and a delete state, the flanking states N and C, and J,
 * from which the model may begin again. Scores are log-odds in thousandths of a bit.
 *
 * The thesis gives the number of threads (12288) but no inputs. A random model, random sequences of which every fourth is a
 * mutated copy of the family's consensus, and lengths skewed as in a protein database, most short and some several times as
 * long; the database is not sorted.
 *
 * As in the serial program every cell of the dynamic program is read and written in memory; a third of the instructions are
 * loads and stores. Each thread has two rows of its match, insert and delete matrices and of the states around the model, each
 * matrix from one request to the heap. The heap rounds requests to powers of two, as C libraries of the thesis's time did, so
 * that the length of the model decides how far apart matrices lie and in how many sets of a core's cache its 768 threads meet.
 *
 * Fitted, to misses and bandwidth under PDOM (Tables 6.3 and 6.1: 13.2 and 57.5 %): the length of the model, 64 nodes, with
 * which a matrix takes 520 bytes of 1 KB. docs/workloads.md says how far that goes. The CPU fills whole matrices. Integers: the
 * check is exact. */
#include "workloads/workload.h"

enum { NEVER = -(1 << 28), RESIDUES = 20, BINS = 64 };
enum { AROUND = 5 }; /* N, B, E, C and J, the states around the model, which have a row, too */
enum { MM, IM, DM, MI, II, MD, DD, BM, ME, MOVES };
enum { N_LOOP, N_MOVE, E_C, E_J, C_LOOP, C_MOVE, J_LOOP, J_MOVE, SPECIALS };

struct model {
    uint32_t nodes;
    int32_t *transition[MOVES];                  /* by kind and the node it leaves; BM: enters */
    int32_t *match[RESIDUES], *insert[RESIDUES]; /* by residue and node */
    int32_t special[SPECIALS];
    uint8_t *consensus;
};

struct database {
    uint32_t sequences;
    uint32_t *starts; /* sequences + 1 */
    uint8_t *residues;
};

/* ---- inputs ---- */

/* Rows of nodes + 1 numbers in [low, high). The first row's address is that of the whole table. */
static void random_table(struct work *w, int32_t **rows, uint32_t n, uint32_t nodes, const int (*range)[2],
                         bool each) {
    int32_t *all = work_host(w, (size_t)n * (nodes + 1), sizeof *all);
    for (uint32_t r = 0; r < n; r++) {
        const int *limit = range[each ? r : 0];
        rows[r] = all + r * (nodes + 1);
        for (uint32_t k = 0; k <= nodes; k++)
            rows[r][k] = limit[0] + (int32_t)work_below(w, (uint32_t)(limit[1] - limit[0]));
    }
}

static struct model random_model(struct work *w, uint32_t nodes) {
    static const int moves[MOVES][2] = {[MM] = {-90, -10},    [IM] = {-900, -300},   [DM] = {-900, -300},
                                        [MI] = {-3000, -600}, [II] = {-1500, -500},  [MD] = {-3000, -600},
                                        [DD] = {-1500, -500}, [BM] = {-6000, -3000}, [ME] = {-5000, -2000}};
    static const int match[1][2] = {{-2500, 300}}, insert[1][2] = {{-400, 100}};
    struct model m = {.nodes = nodes,
                      .special = {[N_LOOP] = -15,
                                  [N_MOVE] = -6500,
                                  [E_C] = -1000,
                                  [E_J] = -1000,
                                  [C_LOOP] = -15,
                                  [C_MOVE] = -6500,
                                  [J_LOOP] = -15,
                                  [J_MOVE] = -6500}};
    random_table(w, m.transition, MOVES, nodes, moves, true);
    random_table(w, m.match, RESIDUES, nodes, match, false);
    random_table(w, m.insert, RESIDUES, nodes, insert, false);
    m.consensus = work_host(w, nodes, 1);
    for (uint32_t k = 1; k <= nodes; k++) {
        uint32_t r = work_below(w, RESIDUES);
        m.consensus[k - 1] = (uint8_t)r;
        m.match[r][k] = 1500 + (int32_t)work_below(w, 2500);
    }
    return m;
}

/* Shortest + a square: the mean is a third of the way to the longest. */
static uint32_t random_length(struct work *w, uint32_t longest) {
    uint32_t a = work_below(w, 1024);
    return 2 + (uint32_t)((uint64_t)(longest - 2) * a * a >> 20);
}

/* Along the consensus: now and then a residue is inserted or left out. */
static uint32_t random_advance(struct work *w) {
    const uint32_t r = work_below(w, 16);
    return r == 0 ? 0 : r == 1 ? 2 : 1;
}

static struct database random_database(struct work *w, const struct model *m, uint32_t sequences,
                                       uint32_t longest) {
    struct database d = {.sequences = sequences, .starts = work_host(w, sequences + 1, sizeof *d.starts)};
    for (uint32_t s = 0; s < sequences; s++) d.starts[s + 1] = d.starts[s] + random_length(w, longest);
    d.residues = work_host(w, d.starts[sequences], 1);
    for (uint32_t s = 0; s < sequences; s++)
        for (uint32_t i = d.starts[s], k = 0; i < d.starts[s + 1]; i++) {
            bool copied = s % 4 == 0 && work_below(w, 8) != 0;
            d.residues[i] = (uint8_t)(copied ? m->consensus[k] : work_below(w, RESIDUES));
            k = (k + random_advance(w)) % m->nodes;
        }
    return d;
}

/* ---- the same on the CPU: whole matrices ---- */

struct matrices {
    int32_t *m, *i, *d; /* [position][node] */
};

static int32_t larger(int32_t a, int32_t b) {
    return a > b ? a : b;
}

static int32_t node(const struct model *h, struct matrices t, uint32_t at, uint32_t k, uint8_t x,
                    int32_t begin) {
    const uint32_t here = at * (h->nodes + 1) + k, before = here - 1, up = here - (h->nodes + 1),
                   diagonal = up - 1;
    int32_t *const *v = h->transition;
    int32_t m = larger(larger(t.m[diagonal] + v[MM][k - 1], t.i[diagonal] + v[IM][k - 1]),
                       larger(t.d[diagonal] + v[DM][k - 1], begin + v[BM][k]));
    t.m[here] = larger(m + h->match[x][k], NEVER);
    t.d[here] = larger(larger(t.d[before] + v[DD][k - 1], t.m[before] + v[MD][k - 1]), NEVER);
    if (k < h->nodes)
        t.i[here] = larger(larger(t.m[up] + v[MI][k], t.i[up] + v[II][k]) + h->insert[x][k], NEVER);
    return t.m[here] + v[ME][k];
}

static int32_t viterbi(const struct model *h, const uint8_t *residues, uint32_t length, struct matrices t) {
    const int32_t *s = h->special;
    const uint32_t cells = (length + 1) * (h->nodes + 1);
    for (uint32_t c = 0; c < cells; c++) t.m[c] = t.i[c] = t.d[c] = NEVER;
    int32_t n = 0, b = s[N_MOVE], c = NEVER, j = NEVER;
    for (uint32_t at = 1; at <= length; at++) {
        int32_t e = NEVER;
        for (uint32_t k = 1; k <= h->nodes; k++) e = larger(e, node(h, t, at, k, residues[at - 1], b));
        n += s[N_LOOP];
        j = larger(j + s[J_LOOP], e + s[E_J]);
        c = larger(c + s[C_LOOP], e + s[E_C]);
        b = larger(n + s[N_MOVE], j + s[J_MOVE]);
    }
    return c + s[C_MOVE];
}

static void search(struct work *w, const struct model *h, const struct database *d, uint32_t longest,
                   int32_t *scores, uint32_t *histogram) {
    const size_t cells = (size_t)(longest + 1) * (h->nodes + 1);
    struct matrices t = {work_host(w, cells, sizeof *t.m), work_host(w, cells, sizeof *t.i),
                         work_host(w, cells, sizeof *t.d)};
    for (uint32_t s = 0; s < d->sequences; s++) {
        scores[s] = viterbi(h, d->residues + d->starts[s], d->starts[s + 1] - d->starts[s], t);
        if (scores[s] > 0) histogram[scores[s] / 1000 < BINS ? scores[s] / 1000 : BINS - 1]++;
    }
}

/* ---- the heap ---- */

/* A heap as the C libraries of SimpleScalar's time had it: requests of up to half a page are rounded up to a power of two and
 * share a page with others of their size; larger requests take whole pages. Nothing is given back. */
enum { PAGE = 4096, SMALLEST = 16, CLASSES = 8 };
struct heap {
    uint64_t end;
    /* The next free piece of SMALLEST << class bytes; at a multiple of PAGE the page is used up. */
    uint64_t next[CLASSES];
};

static uint64_t heap_get(struct heap *h, uint64_t bytes) {
    uint64_t piece = SMALLEST, at = h->end;
    if (bytes > PAGE / 2) {
        h->end += (bytes + PAGE - 1) / PAGE * PAGE;
        return at;
    }
    uint64_t *next = h->next;
    for (; piece < bytes; piece *= 2) next++;
    if (*next % PAGE) {
        at = *next;
    } else {
        h->end += PAGE;
    }
    *next = at + piece;
    return at;
}

/* The matrices of one sequence as the kernel finds them: the addresses of both rows of each. */
struct matrix {
    uint64_t m[2], i[2], d[2], x[2];
};

/* Each matrix is one request for its two rows, as for the pools behind the row pointers of a C program. */
static void heap_get_rows(struct heap *h, uint64_t rows[2], uint64_t bytes) {
    rows[0] = heap_get(h, 2 * bytes);
    rows[1] = rows[0] + bytes;
}

/* The serial part of the program requests the matrices of all sequences, one sequence after the other. They are laid out at
 * first as offsets, because the heap is allocated when its size is known. */
static uint64_t make_matrices(struct work *w, uint32_t sequences, uint64_t row) {
    struct heap h = {0};
    struct matrix *all = work_host(w, sequences, sizeof *all);
    for (struct matrix *t = all; t < all + sequences; t++) {
        heap_get_rows(&h, t->x, AROUND * sizeof(int32_t));
        heap_get_rows(&h, t->m, row);
        heap_get_rows(&h, t->i, row);
        heap_get_rows(&h, t->d, row);
    }
    const uint64_t base = work_buffer(w, "heap", h.end);
    for (struct matrix *t = all; t < all + sequences; t++)
        for (uint32_t r = 0; r < 2; r++) {
            t->m[r] += base;
            t->i[r] += base;
            t->d[r] += base;
            t->x[r] += base;
        }
    return work_input(w, "matrices", all, sequences * sizeof *all);
}

/* ---- the run ---- */

void work_hmmer(struct work *w) {
    const uint32_t sequences = work_pick(w, 128, 3072, 12288), longest = work_pick(w, 10, 12, 12),
                   nodes = work_pick(w, 4, 64, 64), block = work_pick(w, 64, 256, 256);
    struct model h = random_model(w, nodes);
    struct database d = random_database(w, &h, sequences, longest);
    const uint64_t row = (nodes + 1) * sizeof(int32_t);
    uint64_t matrices = make_matrices(w, sequences, row);
    uint64_t scores = work_buffer(w, "scores", sequences * sizeof(int32_t));
    uint64_t histogram = work_buffer(w, "histogram", BINS * sizeof(uint32_t));
    uint64_t residues = work_input(w, "residues", d.residues, d.starts[sequences]);
    uint64_t starts = work_input(w, "starts", d.starts, (sequences + 1) * sizeof *d.starts);
    uint64_t transition = work_input(w, "transitions", h.transition[0], MOVES * row);
    uint64_t match = work_input(w, "match scores", h.match[0], RESIDUES * row);
    uint64_t insert = work_input(w, "insert scores", h.insert[0], RESIDUES * row);
    uint64_t special = work_input(w, "special scores", h.special, sizeof h.special);
    WORK_LAUNCH(w, "viterbi", WORK_SHAPE(.grid = {sequences / block}, .block = {block}), hd_arg_ptr(scores),
                hd_arg_ptr(histogram), hd_arg_u32(BINS), hd_arg_ptr(residues), hd_arg_ptr(starts),
                hd_arg_u32(sequences), hd_arg_ptr(matrices), hd_arg_ptr(transition), hd_arg_ptr(match),
                hd_arg_ptr(insert), hd_arg_ptr(special), hd_arg_u32(nodes));
    int32_t *want = work_host(w, sequences, sizeof *want);
    uint32_t *bins = work_host(w, BINS, sizeof *bins);
    search(w, &h, &d, longest, want, bins);
    work_check_s32(w, "scores", scores, want, sequences);
    work_check_u32(w, "histogram", histogram, bins, BINS);
}
