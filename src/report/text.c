/* Digits in groups of three, whatever the locale. */
#include "report/text.h"

#include <inttypes.h>
#include <stdio.h>

void text_grouped(struct sb *out, uint64_t v) {
    char digits[32];
    int n = snprintf(digits, sizeof digits, "%" PRIu64, v);
    for (int i = 0; i < n; i++) sb_add(out, "%s%c", i && (n - i) % 3 == 0 ? "," : "", digits[i]);
}
