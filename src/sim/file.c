/* Whole files as text. Read in pieces rather than by the file's size, so that pipes work too; bounded, so that an endless
 * one ends. */
#include "sim/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/ledger.h"

#define LARGEST ((size_t)1 << 30)

static bool sim_file_read_all(FILE *f, const char *path, struct sb *out, struct err *e) {
    char piece[16384];
    size_t n;
    errno = 0;
    while (out->len <= LARGEST && (n = fread(piece, 1, sizeof piece, f)) > 0) sb_addn(out, piece, n);
    if (ferror(f)) return err_set(e, ERR_INPUT, "cannot read %s: %s", path, strerror(errno));
    if (out->len > LARGEST) return err_set(e, ERR_INPUT, "%s is larger than 1 GiB", path);
    sb_addn(out, "", 0);
    return true;
}

/* The file is closed too when there is no memory for what it holds. */
bool file_read(const char *path, struct sb *out, struct err *e) {
    FILE *f = fopen(path, "rb");
    struct ledger_point p;
    if (!f) return err_set(e, ERR_INPUT, "cannot open %s: %s", path, strerror(errno));
    ledger_nest(&p);
    if (setjmp(p.at)) {
        fclose(f);
        ledger_fail(LARGEST);
    }
    bool good = sim_file_read_all(f, path, out, e);
    ledger_leave(&p);
    fclose(f);
    return good;
}
