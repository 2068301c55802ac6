/* Functions on the device, checked by main against the same on the core: sorting, a hash table filled by all threads, a ray
 * tracer, recursion, function pointers, a sum in shared memory, a lock by lr and sc. It ends with 0 if all is right, having
 * printed what it computed. With a word behind it, it leaves out what depends on which thread comes first. */
#include <heddle_spmd.h>
#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 256, BLOCK = 64, SLOTS = 1024, PIECE = 16, KEYS = 150, WIDTH = 32, HEIGHT = 16 };

static uint64_t mix(uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* ---- sorting: each thread its own piece, by recursion ---- */

static void quicksort(int *v, long n) {
    if (n < 2) return;
    const int pivot = v[n / 2];
    long i = 0, j = n - 1;
    while (i <= j) {
        while (v[i] < pivot) i++;
        while (v[j] > pivot) j--;
        if (i > j) break;
        const int t = v[i];
        v[i++] = v[j];
        v[j--] = t;
    }
    quicksort(v, j + 1);
    quicksort(v + i, n - i);
}

SPMD_KERNEL void sort_pieces(int *v) {
    quicksort(v + spmd_global_x() * PIECE, PIECE - (long)(spmd_global_x() % 7));
}

/* ---- a hash table: keys are put in by compare and swap ---- */

SPMD_KERNEL void fill_table(_Atomic uint64_t *table, const uint64_t *keys, _Atomic long *count) {
    const uint64_t key = keys[spmd_global_x()];
    for (uint64_t at = mix(key);; at++) {
        uint64_t none = 0;
        if (atomic_compare_exchange_strong(&table[at % SLOTS], &none, key)) {
            atomic_fetch_add(count, 1);
            return;
        }
        if (none == key) return;
    }
}

/* ---- rays against spheres, with reflection ---- */

struct vec {
    float x, y, z;
};
static struct vec along(struct vec a, struct vec d, float t) {
    return (struct vec){a.x + d.x * t, a.y + d.y * t, a.z + d.z * t};
}
static float dot(struct vec a, struct vec b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static const struct vec spheres[3] = {{0, 0, 5}, {2, 1, 6}, {-2, -0.5f, 4}};

static float trace(struct vec from, struct vec d, int depth) {
    float near = 1e9f;
    int hit = -1;
    for (int k = 0; k < 3; k++) {
        const struct vec o = along(from, spheres[k], -1);
        const float b = dot(o, d), c = dot(o, o) - 1, q = b * b - c;
        if (q <= 0) continue;
        const float t = -b - sqrtf(q);
        if (t > 1e-3f && t < near) near = t, hit = k;
    }
    if (hit < 0) return d.y > 0 ? d.y : 0.1f;
    const struct vec p = along(from, d, near), n = along(p, spheres[hit], -1);
    const float light = n.y > 0 ? n.y : 0;
    return depth ? 0.5f * light + 0.5f * trace(p, along(d, n, -2 * dot(d, n)), depth - 1) : light;
}

static float pixel(unsigned i) {
    struct vec d = {(float)(i % WIDTH) / WIDTH - 0.5f, 0.5f - (float)(i / WIDTH) / HEIGHT, 1};
    const float n = 1 / sqrtf(dot(d, d));
    d = (struct vec){d.x * n, d.y * n, d.z * n};
    return trace((struct vec){0, 0, 0}, d, 3);
}

SPMD_KERNEL void draw(float *image) {
    image[spmd_global_x()] = pixel((unsigned)spmd_global_x());
}

/* ---- function pointers and recursion ---- */

typedef long step(long, long);
static long fibonacci(long n, long unused) {
    (void)unused;
    return n < 2 ? n : fibonacci(n - 1, 0) + fibonacci(n - 2, 0);
}
static long collatz(long n, long steps) {
    return n == 1 ? steps : collatz(n & 1 ? 3 * n + 1 : n / 2, steps + 1);
}
static long divide(long a, long b) {
    return a / (b | 1) + a % (b | 1);
}
static step *const steps[4] = {fibonacci, collatz, divide, fibonacci};

static long calculate(unsigned long i) {
    switch (i % 6) {
    case 0: return steps[i % 4]((long)i % 9, 0);
    case 1: return collatz((long)i + 1, 0);
    case 2: return (long)mix(i);
    case 3: return steps[2](-(long)i, 7);
    case 4: return (long)i << 3;
    default: return steps[i / 6 % 4]((long)i % 11 + 1, 1);
    }
}

SPMD_KERNEL void compute(long *out, long n) {
    const unsigned long i = spmd_global_x();
    if ((long)i < n) out[i] = calculate(i);
}

/* ---- shared memory and barriers; a lock ---- */

SPMD_KERNEL void sum(const long *in, _Atomic long *total) {
    long *s = spmd_shared();
    const unsigned t = spmd_thread();
    s[t] = in[spmd_global_x()];
    for (unsigned k = BLOCK / 2; k; k /= 2) {
        spmd_barrier();
        if (t < k) s[t] += s[t + k];
    }
    if (!t) atomic_fetch_add(total, s[0]);
}

/* The increment is within one attempt, so that a warp in lockstep finishes. */
SPMD_KERNEL void count(int *cell) {
    int old, failed;
    __asm__ volatile("1: lr.w.aq %0, (%2)\n addiw %0, %0, 3\n sc.w.rl %1, %0, (%2)\n bnez %1, 1b"
                     : "=&r"(old), "=&r"(failed)
                     : "r"(cell)
                     : "memory");
}

/* ---- main ---- */

static int wrong;
static void check(const char *what, int good, unsigned long result) {
    printf("%-10s %s %016lx\n", what, good ? "right" : "WRONG", result);
    wrong |= !good;
}

static uint64_t digest(const void *data, size_t n) {
    uint64_t h = 1;
    for (size_t i = 0; i < n; i++) h = mix(h ^ ((const uint8_t *)data)[i]);
    return h;
}

static void sorting(void) {
    int *v = malloc(N * PIECE * sizeof *v), *w = malloc(N * PIECE * sizeof *w);
    for (long i = 0; i < N * PIECE; i++) v[i] = w[i] = (int)mix((uint64_t)i + 3);
    spmd_launch(sort_pieces, N / BLOCK, BLOCK, v);
    for (long t = 0; t < N; t++) quicksort(w + t * PIECE, PIECE - t % 7);
    check("sort", !memcmp(v, w, N * PIECE * sizeof *v), digest(v, N * PIECE * sizeof *v));
}

static void hashing(void) {
    static _Atomic uint64_t table[SLOTS];
    static _Atomic long count_of;
    static uint64_t keys[N];
    uint64_t all = 0, found = 0;
    long different = 0;
    for (long i = 0; i < N; i++) keys[i] = mix((uint64_t)(i % KEYS)) | 1;
    spmd_launch(fill_table, N / BLOCK, BLOCK, table, keys, &count_of);
    for (long i = 0; i < KEYS; i++) all += keys[i];
    for (long i = 0; i < SLOTS; i++) found += table[i], different += table[i] != 0;
    check("hash", found == all && different == KEYS && count_of == KEYS, found);
}

static void drawing(void) {
    float *image = malloc(WIDTH * HEIGHT * sizeof *image);
    int same = 1;
    spmd_launch(draw, WIDTH * HEIGHT / BLOCK, BLOCK, image);
    for (unsigned i = 0; i < WIDTH * HEIGHT; i++) same &= image[i] == pixel(i);
    check("rays", same, digest(image, WIDTH * HEIGHT * sizeof *image));
}

static void computing(int alike) {
    long *v = calloc(N, sizeof *v), total = 0;
    static _Atomic long on_device;
    int same = 1, cell = 0;
    spmd_launch(compute, N / BLOCK, BLOCK, v, N - 5);
    for (long i = 0; i < N; i++) {
        same &= v[i] == (i < N - 5 ? calculate((unsigned long)i) : 0);
        total += v[i];
    }
    check("compute", same, digest(v, N * sizeof *v));
    spmd_launch_shared(sum, N / BLOCK, BLOCK, BLOCK * sizeof(long), v, &on_device);
    check("sum", on_device == total, (unsigned long)total);
    if (alike) return;
    spmd_launch(count, 2, BLOCK, &cell);
    check("lock", cell == 2 * BLOCK * 3, (unsigned long)cell);
}

int main(int argc, char **argv) {
    const int alike = argc > 1;
    (void)argv;
    sorting();
    if (!alike) hashing();
    drawing();
    computing(alike);
    return wrong;
}
