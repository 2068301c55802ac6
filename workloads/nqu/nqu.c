/* The number of ways to place N queens (HARP Table 5: N-Queen, 256 blocks of 96 threads, 1.2 M instructions, one block an SM). The
 * host places the queens of the first rows in every way; each thread takes one of these prefixes and searches the rest by
 * backtracking over a stack in shared memory; a tree sums what the threads of a block found. The paper gives no N: 10, with five
 * rows placed, gives as many prefixes as 41 blocks have threads and a count of instructions of the paper's order; the blocks after
 * them have nothing to do but add. Integers: the check is exact. */
#include "workloads/workload.h"

enum { THREADS = 96, LONGEST = 16 }; /* THREADS is the kernel's */

static const uint32_t known_solutions[] = {1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200};

struct board {
    uint32_t n, column[LONGEST]; /* of the queen of each row */
};

/* As the kernel takes them: for each prefix the columns and diagonals that its queens attack in the row after it. */
struct device_prefixes {
    uint64_t columns, left, right;
    uint32_t count, unused;
};

struct prefixes {
    uint32_t count, rows;
    uint32_t *columns, *left, *right;
    uint32_t *solutions; /* below each */
};

static bool fits(const struct board *b, uint32_t row, uint32_t column) {
    for (uint32_t r = 0; r < row; r++) {
        uint32_t c = b->column[r], distance = c > column ? c - column : column - c;
        if (distance == 0 || distance == row - r) return false;
    }
    return true;
}

static uint32_t solve(struct board *b, uint32_t row) {
    if (row == b->n) return 1;
    uint32_t found = 0;
    for (uint32_t c = 0; c < b->n; c++) {
        if (!fits(b, row, c)) continue;
        b->column[row] = c;
        found += solve(b, row + 1);
    }
    return found;
}

static void add_prefix(struct prefixes *p, struct board *b) {
    uint32_t i = p->count++;
    for (uint32_t r = 0; r < p->rows; r++) {
        uint32_t queen = 1u << b->column[r];
        p->columns[i] |= queen;
        p->left[i] |= queen << (p->rows - r);
        p->right[i] |= queen >> (p->rows - r);
    }
    p->solutions[i] = solve(b, p->rows);
}

static void place(struct prefixes *p, struct board *b, uint32_t row) {
    if (row == p->rows) {
        add_prefix(p, b);
        return;
    }
    for (uint32_t c = 0; c < b->n; c++) {
        if (!fits(b, row, c)) continue;
        b->column[row] = c;
        place(p, b, row + 1);
    }
}

static struct prefixes make_prefixes(struct work *w, uint32_t n, uint32_t rows, uint32_t threads) {
    struct prefixes p = {.rows = rows};
    p.columns = work_host(w, threads, sizeof *p.columns);
    p.left = work_host(w, threads, sizeof *p.left);
    p.right = work_host(w, threads, sizeof *p.right);
    p.solutions = work_host(w, threads, sizeof *p.solutions);
    struct board b = {.n = n};
    place(&p, &b, 0);
    return p;
}

void work_nqu(struct work *w) {
    uint32_t n = work_pick(w, 8, 10, 10), rows = work_pick(w, 3, 5, 5), blocks = work_pick(w, 3, 256, 256);
    struct prefixes p = make_prefixes(w, n, rows, blocks * THREADS);
    size_t bytes = p.count * sizeof *p.columns;
    struct device_prefixes d = {.columns = work_input(w, "columns", p.columns, bytes),
                                .left = work_input(w, "left", p.left, bytes),
                                .right = work_input(w, "right", p.right, bytes),
                                .count = p.count};
    uint64_t solutions = work_buffer(w, "solutions", blocks * sizeof(uint32_t));
    WORK_LAUNCH(w, "nqu", WORK_SHAPE(.grid = {blocks}, .block = {THREADS}), hd_arg_ptr(solutions),
                hd_arg_bytes(&d, sizeof d), hd_arg_u32(n - rows), hd_arg_u32((1u << n) - 1));
    uint32_t *want = work_host(w, blocks, sizeof *want), total = 0;
    for (uint32_t i = 0; i < p.count; i++) want[i / THREADS] += p.solutions[i];
    for (uint32_t i = 0; i < blocks; i++) total += want[i];
    work_expect(w, total == known_solutions[n], NULL, 0, "the reference finds %u solutions", total);
    work_check_u32(w, "solutions", solutions, want, blocks);
}
