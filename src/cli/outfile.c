/* Output files. A path that exists and is no regular file (a pipe, /dev/null) cannot be replaced by renaming:
 * it is opened and written at commit. A symbolic link is followed, so that the file behind it is replaced and
 * not the link. */
#include "cli/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ledger.h"

struct outstream {
    FILE *file; /* standard output's is never closed here */
    int error;  /* the system's, of the first write that failed; 0: none has */
};

struct outfile {
    char *path;      /* final name; NULL: standard output */
    char *temporary; /* NULL: data is held until commit */
    char *data;
    size_t bytes;
    struct outstream *stream; /* NULL: not, or no longer, open for more */
};

static bool cannot_write(struct err *e, const char *path) {
    return err_set(e, ERR_INPUT, "cannot write %s: %s", path, strerror(errno));
}

/* shown: the name the user knows it by */
static bool write_all(const char *path, const char *mode, const void *data, size_t bytes, const char *shown,
                      struct err *e) {
    FILE *f = fopen(path, mode);
    if (!f) return cannot_write(e, shown);
    bool fine = fwrite(data, 1, bytes, f) == bytes || cannot_write(e, shown);
    return (fclose(f) == 0 || !fine || cannot_write(e, shown)) && fine;
}

static void outfile_release(struct outfile *f) {
    if (f->stream && f->path) fclose(f->stream->file);
    free(f->stream);
    if (f->temporary) unlink(f->temporary);
    free(f->path);
    free(f->temporary);
    free(f->data);
}

enum target { TARGET_FILE, TARGET_HELD, TARGET_DIRECTORY };

const char *infile_name(const char *operand) {
    return strcmp(operand, "-") != 0 ? operand : "<stdin>";
}

const char *outfile_name(const char *path) {
    return strcmp(path, "/dev/stdout") ? path : "-";
}

/* Sets f->path; says whether it can be replaced by renaming. A pipe that a process has open, such as /dev/fd/63 of a shell's
 * >(command), has no name but the one given. */
static enum target find_target(const char *path, struct outfile *f) {
    struct stat st;
    if (!strcmp(outfile_name(path), "-")) return TARGET_HELD;
    const bool there = !stat(path, &st), plain = !there || S_ISREG(st.st_mode);
    char *behind = plain ? realpath(path, NULL) : NULL;
    f->path = behind ? behind : strdup(path);
    if (!f->path) ledger_fail(strlen(path));
    if (plain) return TARGET_FILE;
    return S_ISDIR(st.st_mode) ? TARGET_DIRECTORY : TARGET_HELD;
}

/* Unlike that of any other file of this run. */
static void temporary_name(struct outfile *f, const char *kind, size_t number) {
    struct sb name = {0};
    sb_add(&name, "%s.%ld.%s%zu.tmp", f->path, (long)getpid(), kind, number);
    f->temporary = name.text;
}

/* An existing file that may not be written is not replaced either, though renaming would do it. */
static bool can_replace(struct outfile *f) {
    if (access(f->path, W_OK) && errno != ENOENT) return false;
    temporary_name(f, "try", 0);
    int fd = open(f->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    return fd >= 0 && !close(fd);
}

bool outfile_try(const char *path, struct err *e) {
    struct outfile f = {0};
    const enum target target = find_target(path, &f);
    bool fine = target == TARGET_FILE ? can_replace(&f) : !f.path || !access(f.path, W_OK);
    if (target == TARGET_DIRECTORY) errno = EISDIR, fine = false;
    if (!fine) cannot_write(e, path);
    outfile_release(&f);
    return fine;
}

void outfile_begin(struct outfiles *o, struct outfiles **list) {
    o->list = list;
    o->next = *list;
    *list = o;
}

/* There is room for a file before it is made: once it is, it is known. */
bool outfile_write(struct outfiles *o, const char *path, const void *data, size_t bytes, struct err *e) {
    struct outfile f = {.bytes = bytes};
    VEC_RESERVE(&o->files, o->files.n + 1);
    enum target target = find_target(path, &f);
    bool fine = true;
    if (target == TARGET_DIRECTORY) {
        fine = err_set(e, ERR_INPUT, "cannot write %s: %s", path, strerror(EISDIR));
    } else if (target == TARGET_HELD) {
        f.data = xmalloc(bytes + 1);
        if (bytes) memcpy(f.data, data, bytes);
    } else {
        temporary_name(&f, "whole", o->files.n);
        fine = write_all(f.temporary, "wbx", data, bytes, path, e);
    }
    if (fine)
        VEC_PUSH(&o->files, f);
    else
        outfile_release(&f);
    return fine;
}

bool outfile_open(struct outfiles *o, const char *path, FILE *out, struct outstream **stream, struct err *e) {
    struct outfile f = {0};
    FILE *file = NULL;
    VEC_RESERVE(&o->files, o->files.n + 1);
    struct outstream *opened = xmalloc(sizeof *opened);
    enum target target = find_target(path, &f);
    if (target == TARGET_FILE) temporary_name(&f, "stream", o->files.n);
    errno = EISDIR;
    if (!f.path)
        file = out;
    else if (target != TARGET_DIRECTORY)
        file = f.temporary ? fopen(f.temporary, "wbx") : fopen(f.path, "wb");
    if (!file) {
        cannot_write(e, path);
        free(opened);
        outfile_release(&f);
        return false;
    }
    f.stream = opened;
    *f.stream = (struct outstream){.file = file};
    *stream = f.stream;
    VEC_PUSH(&o->files, f);
    return true;
}

void outfile_put(struct outstream *s, const char *text, size_t n) {
    if (!s->error && n && fwrite(text, 1, n, s->file) != n) s->error = errno;
}

/* Everything that was written to the stream has arrived; main looks at what standard output still holds. */
static bool close_stream(struct outfile *f, FILE *out, struct err *e) {
    if (!f->stream) return true;
    int error = f->stream->error;
    if (f->path && fclose(f->stream->file) && !error) error = errno;
    free(f->stream);
    f->stream = NULL;
    if (!error) return true;
    if (!f->path) clearerr(out); /* it is said here: main need not */
    errno = error;
    return cannot_write(e, f->path ? f->path : "standard output");
}

static bool commit_one(struct outfile *f, FILE *out, struct err *e) {
    bool streamed = f->stream != NULL;
    if (!close_stream(f, out, e)) return false;
    if (streamed && !f->temporary) return true;
    if (!f->path) {
        if (fwrite(f->data, 1, f->bytes, out) == f->bytes) return true;
        cannot_write(e, "standard output");
        clearerr(out); /* the failure has been reported */
        return false;
    }
    if (!f->temporary) return write_all(f->path, "wb", f->data, f->bytes, f->path, e);
    if (rename(f->temporary, f->path)) return cannot_write(e, f->path);
    free(f->temporary);
    f->temporary = NULL;
    return true;
}

bool outfile_commit(struct outfiles *o, FILE *out, struct err *e) {
    for (size_t i = 0; i < o->files.n; i++)
        if (!commit_one(&o->files.v[i], out, e)) return false;
    return true;
}

/* The directory, so that the name is on the disk too. Where that cannot be had, as on some file systems, the file is there
 * all the same. */
static void sync_name(const char *path) {
    char *copy = strdup(path);
    if (!copy) ledger_fail(strlen(path));
    char *slash = strrchr(copy, '/');
    if (slash) slash[slash == copy] = 0;
    int fd = open(slash ? copy : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    free(copy);
}

bool outfile_sync(struct outfiles *o, struct err *e) {
    for (size_t i = 0; i < o->files.n; i++) {
        struct outfile *f = &o->files.v[i];
        struct outstream *s = f->temporary ? f->stream : NULL;
        if (s && !s->error && (fflush(s->file) || fsync(fileno(s->file)))) s->error = errno;
    }
    if (!outfile_commit(o, NULL, e)) return false;
    for (size_t i = 0; i < o->files.n; i++) sync_name(o->files.v[i].path);
    return true;
}

void outfile_free(struct outfiles *o) {
    for (size_t i = 0; i < o->files.n; i++) outfile_release(&o->files.v[i]);
    VEC_FREE(&o->files);
    for (struct outfiles **at = o->list; at && *at; at = &(*at)->next)
        if (*at == o) {
            *at = o->next;
            break;
        }
}

void outfile_abandon(const struct outfiles *list) {
    for (; list; list = list->next)
        for (size_t i = 0; i < list->files.n; i++)
            if (list->files.v[i].temporary) unlink(list->files.v[i].temporary);
}
