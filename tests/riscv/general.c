/* What C programs do: memory, strings, sorting, recursion, function pointers, setjmp, switches, printf of everything, files.
 * Its output under heddle must be that under qemu. */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct node {
    struct node *left, *right;
    int key;
};

static struct node *insert(struct node *t, int key) {
    if (!t) {
        t = calloc(1, sizeof *t);
        t->key = key;
    } else if (key < t->key) {
        t->left = insert(t->left, key);
    } else {
        t->right = insert(t->right, key);
    }
    return t;
}

static int depth(const struct node *t) {
    if (!t) return 0;
    const int a = depth(t->left), b = depth(t->right);
    return 1 + (a > b ? a : b);
}

static int compare(const void *a, const void *b) {
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static int choose(int x) {
    switch (x) {
    case 0: return 5;
    case 1: return 77;
    case 2: return x * 3;
    case 3: return -9;
    case 4: return 1000;
    case 5: return -7;
    case 6: puts("six"); return 8;
    case 9: return 90;
    default: return x;
    }
}

static long ackermann(long m, long n) {
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

static jmp_buf out;
static void dive(int n) {
    if (!n) longjmp(out, 42);
    dive(n - 1);
    putchar('!');
}

static void trees_and_sorting(void) {
    enum { N = 2000 };
    static int v[N];
    struct node *t = NULL;
    unsigned s = 1;
    for (int i = 0; i < N; i++) {
        s = s * 1103515245 + 12345;
        v[i] = (int)(s >> 8 & 0xffff);
        t = insert(t, v[i]);
    }
    qsort(v, N, sizeof *v, compare);
    printf("depth %d, least %d, median %d, most %d\n", depth(t), v[0], v[N / 2], v[N - 1]);
}

static void numbers(void) {
    volatile int64_t least = INT64_MIN, minus = -1, zero = 0;
    volatile int32_t least32 = INT32_MIN, minus32 = -1;
    printf("%ld %ld %ld\n", (long)(least + minus), (long)((__int128)least * least >> 64), (long)(least / 3));
    printf("%d %d %u\n", least32 / 7, least32 % 7, (unsigned)least32 / 7u);
    printf("%d %ld\n", least32 + minus32, (long)(zero - least));
    for (double x = 1e-310; x < 1e300; x *= 1e61) printf("%g %a %.17g\n", x, sqrt(x), 1 / x);
    printf("%f %f %f %f %e\n", sin(1.5), cos(2.5), exp(-3.5), log(10), pow(2.5, 30.5));
    printf("%.9g %ld %ld %d %d\n", (double)(1.0f / 3), lrint(2.5), lround(2.5), (int)-1.9,
           (int)(float)16777217);
    printf("%d %d %d\n", isnan(NAN), isinf(INFINITY), signbit(-0.0) != 0);
    printf("%Lf %Lg\n", (long double)1 / 3, sqrtl(2));
}

static void files(const char *path) {
    char line[64];
    FILE *f = fopen(path, "w+");
    assert(f);
    for (int i = 0; i < 1000; i++) fprintf(f, "line %d\n", i * i);
    fseek(f, 0, SEEK_SET);
    long sum = 0, n;
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "line %ld", &n) == 1) sum += n;
    printf("%ld at %ld\n", sum, ftell(f));
    fclose(f);
    assert(!unlink(path) && !fopen(path, "r") && errno == ENOENT);
}

int main(int argc, char **argv) {
    static int (*const step[3])(int) = {abs, choose, putchar};
    trees_and_sorting();
    numbers();
    for (int i = 0; i < 11; i++) printf("%d ", choose(i));
    printf("\n%d %d\n", step[0](-3), step[1](9));
    step[2]('\n');
    printf("%ld\n", ackermann(2, 9));
    const int r = setjmp(out);
    if (!r) dive(10);
    printf("back with %d\n", r);
    char *text = malloc(1 << 20);
    memset(text, 'x', (1 << 20) - 1);
    text[(1 << 20) - 1] = 0;
    text = realloc(text, 3 << 20);
    printf("%zu %s\n", strlen(text), strstr("a needle in hay", "needle"));
    free(text);
    if (argc > 1) files(argv[1]);
    printf("%d arguments\n", argc - 1);
    fprintf(stderr, "done\n");
    return time(NULL) < 0;
}
