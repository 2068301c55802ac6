/* Compilers write the path they were given into .file, mostly a relative one, and PTX is then moved about with its source. */
#include "cli/listing.h"

#include <string.h>

#include "sim/file.h"

static bool read_at(const char *path, struct sb *out) {
    struct err e = {0};
    bool fine = file_read(path, out, &e);
    if (!fine) sb_free(out);
    err_free(&e);
    return fine;
}

static bool read_beside(const char *ptx, const char *file, struct sb *out) {
    const char *slash = strrchr(ptx, '/');
    struct sb path = {0};
    sb_add(&path, "%.*s/%s", slash ? (int)(slash - ptx) : 1, slash ? ptx : ".", file);
    bool fine = read_at(path.text, out);
    sb_free(&path);
    return fine;
}

bool listing_read(const char *ptx, const char *file, struct sb *out) {
    const char *slash = strrchr(file, '/');
    if (read_at(file, out)) return true;
    if (!ptx || !*ptx) return false;
    if (*file != '/' && read_beside(ptx, file, out)) return true;
    return read_beside(ptx, slash ? slash + 1 : file, out);
}
