/* The Mandelbrot set on the modelled GPU, from plain C for RISC-V:
 *     riscv64-linux-gnu-gcc -O2 -g -static -Iinclude examples/riscv/mandelbrot.c -o mandelbrot
 *     heddle compare -M pdom,dwf,volta ./mandelbrot
 * Neighbouring pixels need different numbers of rounds: the loop's branch diverges. */
#include <heddle_spmd.h>
#include <stdio.h>

enum { WIDTH = 64, HEIGHT = 32, MOST = 64, BLOCK = 64 };
static unsigned char rounds[WIDTH * HEIGHT];

SPMD_KERNEL void mandelbrot(unsigned char *out) {
    const unsigned i = (unsigned)spmd_global_x();
    const double x0 = -2.2 + 3.0 * (i % WIDTH) / WIDTH, y0 = -1.2 + 2.4 * (i / WIDTH) / HEIGHT;
    double x = 0, y = 0;
    unsigned n = 0;
    for (; n < MOST && x * x + y * y < 4; n++) {
        const double t = x * x - y * y + x0;
        y = 2 * x * y + y0;
        x = t;
    }
    out[i] = (unsigned char)n;
}

int main(void) {
    spmd_launch(mandelbrot, WIDTH * HEIGHT / BLOCK, BLOCK, rounds);
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        putchar(" .:-=+*#%@"[rounds[i] == MOST ? 9 : rounds[i] % 9]);
        if (i % WIDTH == WIDTH - 1) putchar('\n');
    }
    return 0;
}
