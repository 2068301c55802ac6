/* The number of ways to place N queens (HARP Table 5: N-Queen, 256 blocks of 96 threads, 1.2 M instructions, 96 threads a scheduler).
 * The host places the queens of the first two rows in every way; each thread takes one of these prefixes and searches the rest by
 * backtracking over a stack in shared memory, [thread][10] as the program has it; a tree sums what the threads of a block found.
 * With N = 8 and one of each pair of mirror images that is 21 prefixes: 21 threads of the first block search, all others only
 * add, and theirs are nine tenths of the instructions. Integers: the check is exact. */
#include "workloads/workload.h"

enum { THREADS = 96 }; /* the kernel's */
enum { QUEENS = 8, PLACED = 2, SOLUTIONS = 92 };

struct board {
    uint32_t column[QUEENS]; /* column of the queen of each row */
};

/* As the kernel takes them: for each prefix the columns and diagonals that its queens attack in the row after it. */
struct device_prefixes {
    uint64_t columns, left, right;
    uint32_t count, unused;
};

struct prefixes {
    uint32_t count;
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
    if (row == QUEENS) return 1;
    uint32_t found = 0;
    for (uint32_t c = 0; c < QUEENS; c++) {
        if (!fits(b, row, c)) continue;
        b->column[row] = c;
        found += solve(b, row + 1);
    }
    return found;
}

static void add_prefix(struct prefixes *p, struct board *b) {
    uint32_t i = p->count++;
    for (uint32_t r = 0; r < PLACED; r++) {
        uint32_t queen = 1u << b->column[r];
        p->columns[i] |= queen;
        p->left[i] |= queen << (PLACED - r);
        p->right[i] |= queen >> (PLACED - r);
    }
    p->solutions[i] = solve(b, PLACED);
}

/* One of each pair of mirror images: the first queen is in the left half of an even board. */
static void place(struct prefixes *p, struct board *b, uint32_t row) {
    if (row == PLACED) {
        add_prefix(p, b);
        return;
    }
    for (uint32_t c = 0; c < (row ? QUEENS : QUEENS / 2); c++) {
        if (!fits(b, row, c)) continue;
        b->column[row] = c;
        place(p, b, row + 1);
    }
}

static struct prefixes make_prefixes(struct work *w, uint32_t threads) {
    struct prefixes p = {0};
    p.columns = work_host(w, threads, sizeof *p.columns);
    p.left = work_host(w, threads, sizeof *p.left);
    p.right = work_host(w, threads, sizeof *p.right);
    p.solutions = work_host(w, threads, sizeof *p.solutions);
    struct board b = {0};
    place(&p, &b, 0);
    return p;
}

void work_nqu(struct work *w) {
    uint32_t blocks = work_pick(w, 3, 256, 256);
    struct prefixes p = make_prefixes(w, blocks * THREADS);
    size_t bytes = p.count * sizeof *p.columns;
    struct device_prefixes d = {.columns = work_input(w, "columns", p.columns, bytes),
                                .left = work_input(w, "left", p.left, bytes),
                                .right = work_input(w, "right", p.right, bytes),
                                .count = p.count};
    uint64_t solutions = work_buffer(w, "solutions", blocks * sizeof(uint32_t));
    WORK_LAUNCH(w, "nqu", WORK_SHAPE(.grid = {blocks}, .block = {THREADS}), hd_arg_ptr(solutions),
                hd_arg_bytes(&d, sizeof d), hd_arg_u32(QUEENS - PLACED), hd_arg_u32((1u << QUEENS) - 1));
    uint32_t *want = work_host(w, blocks, sizeof *want), total = 0;
    for (uint32_t i = 0; i < p.count; i++) want[i / THREADS] += 2 * p.solutions[i];
    for (uint32_t i = 0; i < blocks; i++) total += want[i];
    work_expect(w, total == SOLUTIONS, NULL, 0, "the reference finds %u solutions", total);
    work_check_u32(w, "solutions", solutions, want, blocks);
}
