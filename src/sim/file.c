/* Whole files as text. Read in pieces rather than by the file's size, so that pipes work too. */
#include "sim/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

bool file_read(const char *path, struct sb *out, struct err *e) {
    FILE *f = fopen(path, "rb");
    if (!f) return err_set(e, ERR_INPUT, "cannot open %s: %s", path, strerror(errno));
    char piece[16384];
    size_t n;
    errno = 0;
    while ((n = fread(piece, 1, sizeof piece, f)) > 0) sb_addn(out, piece, n);
    bool good = !ferror(f);
    if (!good) err_set(e, ERR_INPUT, "cannot read %s: %s", path, strerror(errno));
    fclose(f);
    if (good) sb_addn(out, "", 0);
    return good;
}
