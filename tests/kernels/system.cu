/* What the simulator serves: printf, malloc and free, assertions. */
#include "cuda.h"

struct args {
    int i;
    double f;
    const char *s;
    s64 ll;
};
KERNEL print(int n) {
    if ((int)global_id() >= n) return;
    args a = {(int)global_id(), 1.5 * global_id(), "text", -1ll - global_id()};
    vprintf("thread %d: %6.2f [%s] %lld %%\n", (const char *)&a);
}

/* a linked list of its own for every thread, built, summed and freed */
struct cell {
    cell *next;
    uint value;
};
KERNEL lists(uint *out) {
    uint i = global_id(), sum = 0;
    cell *head = nullptr;
    for (uint k = 0; k <= i % 7; k++) {
        cell *c = (cell *)malloc(sizeof(cell));
        if (!c) return;
        c->next = head;
        c->value = i + k;
        head = c;
    }
    while (head) {
        sum += head->value;
        cell *next = head->next;
        free(head);
        head = next;
    }
    out[i] = sum;
}
/* more than the heap holds must give NULL, not a fault */
KERNEL malloc_fails(void **out) { out[threadIdx.x] = malloc(1ul << 40); }

KERNEL assertion(const int *in) {
    if (in[global_id()] < 0) __assertfail("in[i] >= 0", "system.cu", 44, "assertion", 1);
}
