/* The Unicode block elements from U+2588 (whole) to U+258F (one eighth) are E2 96 88 to E2 96 8F in UTF-8. */
#include "report/bar.h"

enum { EIGHTHS = 8 };

static void bar_block(struct sb *out, unsigned eighths) {
    char text[3] = {(char)0xe2, (char)0x96, (char)(0x90 - eighths)};
    sb_addn(out, text, sizeof text);
}

void bar_add(struct sb *out, double value, double full, unsigned width, bool utf8) {
    if (!(value > 0) || !(full > 0) || !width) return;
    unsigned steps = utf8 ? width * EIGHTHS : width;
    double part = value < full ? value / full : 1;
    unsigned n = (unsigned)(part * (double)steps + 0.5);
    if (!n) n = 1;
    if (!utf8) {
        while (n--) sb_addn(out, "#", 1);
        return;
    }
    for (; n >= EIGHTHS; n -= EIGHTHS) bar_block(out, EIGHTHS);
    if (n) bar_block(out, n);
}
