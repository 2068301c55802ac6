/* Whole files as text. Read in pieces rather than by the file's size, so that pipes work too; bounded, so that an endless
 * one ends. */
#include "sim/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LARGEST ((size_t)1 << 30)

bool file_read(const char *path, struct sb *out, struct err *e) {
    FILE *f = fopen(path, "rb");
    if (!f) return err_set(e, ERR_INPUT, "cannot open %s: %s", path, strerror(errno));
    char piece[16384];
    size_t n;
    errno = 0;
    while (out->len <= LARGEST && (n = fread(piece, 1, sizeof piece, f)) > 0) sb_addn(out, piece, n);
    bool good = !ferror(f) && out->len <= LARGEST;
    if (ferror(f))
        err_set(e, ERR_INPUT, "cannot read %s: %s", path, strerror(errno));
    else if (!good)
        err_set(e, ERR_INPUT, "%s is larger than 1 GiB", path);
    fclose(f);
    if (good) sb_addn(out, "", 0);
    return good;
}
