/* Files: the program's are the host's, under numbers of their own, as far as --files lets it (linux_place.h). Standard input is the
 * host's; what goes to standard output and standard error goes to the caller that runs the program. The three are pipes
 * to the program, whatever they are: it writes to them in the same pieces everywhere, and places in them are not its
 * own. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bits.h"
#include "sim/riscv_host/linux.h"

enum { CWD = -100, MOST_FILES = 512, TRIES = 16 };

/* ---- numbers ---- */

static int host_of(const struct linux *k, uint64_t fd) {
    return fd < k->files.n ? k->files.v[fd] : -1;
}

/* Standard streams and copies of them have the host's numbers 0 to 2, other files have greater ones. */
static bool is_stream(int host) {
    return host >= 0 && host <= 2;
}

/* What openat and its like are relative to. */
static int linux_files_place_of(const struct linux *k, uint64_t fd) {
    return (int32_t)fd == CWD ? AT_FDCWD : host_of(k, fd);
}

static int64_t linux_files_add(struct linux *k, int host) {
    size_t n = 3;
    while (n < k->files.n && k->files.v[n] >= 0) n++;
    if (n >= MOST_FILES) return !is_stream(host) ? close(host) : 0, -EMFILE;
    if (n == k->files.n)
        VEC_PUSH(&k->files, host);
    else
        k->files.v[n] = host;
    return (int64_t)n;
}

/* A file that was opened as one of the program's. heddle itself may have been started without standard streams. */
static int64_t add_opened(struct linux *k, int host) {
    if (!is_stream(host)) return host < 0 ? -errno : linux_files_add(k, host);
    const int moved = fcntl(host, F_DUPFD_CLOEXEC, 3), error = errno;
    close(host);
    return moved < 0 ? -error : linux_files_add(k, moved);
}

static int64_t copy_file(struct linux *k, int host) {
    return is_stream(host) ? linux_files_add(k, host) : add_opened(k, fcntl(host, F_DUPFD_CLOEXEC, 3));
}

/* ---- opening ---- */

/* Says once in a run that a file was refused, and why: the path without what a terminal would take for a command. */
static void linux_files_warn(struct linux *k, const char *path, const struct linux_place *p) {
    struct sb text = {0};
    if (!p->refused || k->warned || !k->main->warn) return;
    k->warned = true;
    sb_add(&text, "main may not use the file '");
    for (size_t n = 0; path[n] && n < 200; n++)
        sb_add(&text, "%c", path[n] >= ' ' && path[n] <= '~' ? path[n] : '?');
    sb_add(&text, "': %s (--files, docs/riscv.md)", p->refused);
    k->main->warn(k->main->user, text.text);
    sb_free(&text);
}

/* Finds what a call names and whether it may be used so. Release p with linux_place_close in either case. */
static int linux_files_find(struct linux *k, const uint64_t *a, bool follow, enum linux_use use,
                            struct linux_place *p) {
    const char *path = linux_string(k, a[1]);
    *p = (struct linux_place){.dir = -1, .at = -1};
    if (!path) return -EFAULT;
    int status = linux_place_find(&k->rule, linux_files_place_of(k, a[0]), path, follow, p);
    if (!status) status = linux_place_check(&k->rule, p, use);
    if (!status && p->at < 0 && use != LINUX_ENTER) status = -ENOENT;
    if (status) linux_files_warn(k, path, p);
    return status;
}

/* Flags of openat, the program's and the host's. Others change nothing here. */
static const struct {
    uint64_t ours;
    int host;
} open_flags[] = {{01, O_WRONLY},         {02, O_RDWR},      {0100, O_CREAT},    {0200, O_EXCL},
                  {0400, O_NOCTTY},       {01000, O_TRUNC},  {02000, O_APPEND},  {04000, O_NONBLOCK},
                  {0200000, O_DIRECTORY}, {010000, O_DSYNC}, {04010000, O_SYNC}, {0400000, O_NOFOLLOW}};
enum { UNNAMED = 020000000 }; /* O_TMPFILE's own bit */

static int linux_files_host_flags(uint64_t given) {
    int flags = 0;
    for (size_t n = 0; n < sizeof open_flags / sizeof *open_flags; n++)
        if ((given & open_flags[n].ours) == open_flags[n].ours) flags |= open_flags[n].host;
    return flags;
}

/* Once; -EAGAIN: what was found is not there any more. */
static int try_open(struct linux *k, const uint64_t *a, int flags) {
    struct linux_place p;
    const bool follow = !(flags & O_NOFOLLOW) && (flags & (O_CREAT | O_EXCL)) != (O_CREAT | O_EXCL),
               changes = (flags & O_ACCMODE) != O_RDONLY || flags & O_TRUNC;
    const char *path = linux_string(k, a[1]);
    if (!path) return -EFAULT;
    int status = linux_place_find(&k->rule, linux_files_place_of(k, a[0]), path, follow, &p);
    const bool creates = flags & O_CREAT && p.at < 0;
    if (!status) status = linux_place_check(&k->rule, &p, creates || changes ? LINUX_WRITE : LINUX_READ);
    if (!status && p.at < 0 && !creates) status = -ENOENT;
    if (!status && creates && p.folder) status = -EISDIR;
    if (!status && p.at >= 0 && (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL)) status = -EEXIST;
    if (!status)
        status = linux_place_open(&p, creates ? flags : flags & ~(O_CREAT | O_EXCL), (mode_t)(a[3] & 07777));
    if (status < 0) linux_files_warn(k, path, &p);
    linux_place_close(&p);
    return status;
}

int64_t call_openat(struct linux *k, const uint64_t *a) {
    const int flags = linux_files_host_flags(a[2]);
    if (a[2] & UNNAMED) return -EOPNOTSUPP;
    if ((a[2] & 3) == 3) return -EINVAL;
    int host = -EAGAIN;
    for (int n = 0; n < TRIES && host == -EAGAIN; n++) host = try_open(k, a, flags);
    return host < 0 ? host : add_opened(k, host);
}

int64_t call_close(struct linux *k, const uint64_t *a) {
    const int host = host_of(k, a[0]);
    if (host < 0) return -EBADF;
    if (!is_stream(host)) close(host);
    k->files.v[a[0]] = -1;
    return 0;
}

int64_t call_dup(struct linux *k, const uint64_t *a) {
    const int host = host_of(k, a[0]);
    return host < 0 ? -EBADF : copy_file(k, host);
}

int64_t call_fcntl(struct linux *k, const uint64_t *a) {
    const int host = host_of(k, a[0]);
    if (host < 0) return -EBADF;
    switch (a[1]) {
    case F_DUPFD:
    case F_DUPFD_CLOEXEC: return copy_file(k, host);
    case F_GETFL: return is_stream(host) ? O_RDWR : fcntl(host, F_GETFL);
    default: return 0;
    }
}

int64_t call_ioctl(struct linux *k, const uint64_t *a) {
    return host_of(k, a[0]) < 0 ? -EBADF : -ENOTTY;
}

/* ---- bytes ---- */

static int64_t put_out(struct linux *k, int fd, const void *data, uint64_t n) {
    if (fd == 1) k->main->output = hash_words(k->main->output, data, n);
    if (k->main->write) k->main->write(k->main->user, fd, data, n);
    return (int64_t)n;
}

static int64_t linux_files_move(struct linux *k, uint64_t fd, uint64_t addr, uint64_t n, bool out) {
    const int host = host_of(k, fd);
    void *data = linux_bytes(k, addr, n);
    if (host < 0) return -EBADF;
    if (!data) return -EFAULT;
    if (out && (host == 1 || host == 2)) return put_out(k, host, data, n);
    const ssize_t moved = out ? write(host, data, n) : read(host, data, n);
    return moved < 0 ? -errno : moved;
}

int64_t call_read(struct linux *k, const uint64_t *a) {
    return linux_files_move(k, a[0], a[1], a[2], false);
}

int64_t call_write(struct linux *k, const uint64_t *a) {
    return linux_files_move(k, a[0], a[1], a[2], true);
}

static int64_t move_all(struct linux *k, const uint64_t *a, bool out) {
    const uint8_t *list = a[2] <= 1024 ? linux_bytes(k, a[1], a[2] * 16) : NULL;
    int64_t total = 0;
    for (uint64_t n = 0; list && n < a[2]; n++) {
        uint64_t piece[2];
        memcpy(piece, list + n * 16, sizeof piece);
        const int64_t moved = piece[1] ? linux_files_move(k, a[0], piece[0], piece[1], out) : 0;
        if (moved < 0) return total ? total : moved;
        total += moved;
        if ((uint64_t)moved < piece[1]) break;
    }
    return list ? total : -EFAULT;
}

int64_t call_readv(struct linux *k, const uint64_t *a) {
    return move_all(k, a, false);
}

int64_t call_writev(struct linux *k, const uint64_t *a) {
    return move_all(k, a, true);
}

static int64_t move_at(struct linux *k, const uint64_t *a, bool out) {
    const int host = host_of(k, a[0]);
    void *data = linux_bytes(k, a[1], a[2]);
    if (host < 0) return -EBADF;
    if (is_stream(host)) return -ESPIPE;
    if (!data) return -EFAULT;
    const ssize_t n = out ? pwrite(host, data, a[2], (off_t)a[3]) : pread(host, data, a[2], (off_t)a[3]);
    return n < 0 ? -errno : n;
}

int64_t call_pread64(struct linux *k, const uint64_t *a) {
    return move_at(k, a, false);
}

int64_t call_pwrite64(struct linux *k, const uint64_t *a) {
    return move_at(k, a, true);
}

int64_t call_lseek(struct linux *k, const uint64_t *a) {
    const int host = host_of(k, a[0]);
    if (host < 0) return -EBADF;
    if (is_stream(host)) return -ESPIPE;
    const off_t at = lseek(host, (off_t)a[1], (int)a[2]);
    return at < 0 ? -errno : at;
}

int64_t call_ftruncate(struct linux *k, const uint64_t *a) {
    const int host = host_of(k, a[0]);
    return host < 0 ? -EBADF : is_stream(host) ? -EINVAL : ftruncate(host, (off_t)a[1]) ? -errno : 0;
}

int64_t linux_file_at(const struct linux *k, uint64_t fd, void *to, uint64_t n, uint64_t at) {
    const int host = host_of(k, fd);
    if (host < 0) return -EBADF;
    return is_stream(host) ? -EACCES : pread(host, to, n, (off_t)at) < 0 ? -errno : 0;
}

/* ---- names ---- */

struct stat_riscv { /* struct stat of the program */
    uint64_t dev, ino;
    uint32_t mode, nlink, uid, gid;
    uint64_t rdev, pad;
    int64_t size;
    int32_t blksize, pad2;
    int64_t blocks;
    int64_t times[6];
    uint32_t unused[2];
};
_Static_assert(sizeof(struct stat_riscv) == 128, "as Linux has it");

static int64_t put_stat(struct linux *k, uint64_t addr, const struct stat *s) {
    const struct stat_riscv r = {.dev = s->st_dev,
                                 .ino = s->st_ino,
                                 .mode = s->st_mode,
                                 .nlink = (uint32_t)s->st_nlink,
                                 .uid = s->st_uid,
                                 .gid = s->st_gid,
                                 .rdev = s->st_rdev,
                                 .size = s->st_size,
                                 .blksize = (int32_t)s->st_blksize,
                                 .blocks = s->st_blocks,
                                 .times = {s->st_atim.tv_sec, s->st_atim.tv_nsec, s->st_mtim.tv_sec,
                                           s->st_mtim.tv_nsec, s->st_ctim.tv_sec, s->st_ctim.tv_nsec}};
    void *to = linux_bytes(k, addr, sizeof r);
    if (!to) return -EFAULT;
    memcpy(to, &r, sizeof r);
    return 0;
}

int64_t call_fstat(struct linux *k, const uint64_t *a) {
    struct stat s = {.st_mode = S_IFIFO | 0600, .st_nlink = 1, .st_blksize = 4096};
    const int host = host_of(k, a[0]);
    if (host < 0) return -EBADF;
    if (!is_stream(host) && fstat(host, &s)) return -errno;
    return put_stat(k, a[1], &s);
}

int64_t call_newfstatat(struct linux *k, const uint64_t *a) {
    enum { NOFOLLOW = 0x100, EMPTY_PATH = 0x1000 };
    const char *path = linux_string(k, a[1]);
    struct linux_place p;
    if (path && !*path && a[3] & EMPTY_PATH) return call_fstat(k, (const uint64_t[]){a[0], a[2]});
    int64_t status = linux_files_find(k, a, !(a[3] & NOFOLLOW), LINUX_ASK, &p);
    if (!status) status = put_stat(k, a[2], &p.stat);
    linux_place_close(&p);
    return status;
}

int64_t call_faccessat(struct linux *k, const uint64_t *a) {
    struct linux_place p;
    int64_t status = linux_files_find(k, a, true, a[2] & W_OK ? LINUX_WRITE : LINUX_ASK, &p);
    if (!status && faccessat(p.dir, p.name, (int)a[2], 0)) status = -errno;
    linux_place_close(&p);
    return status;
}

/* mkdir may answer that a folder exists wherever the program may ask for it. */
int64_t call_mkdirat(struct linux *k, const uint64_t *a) {
    struct linux_place p;
    int64_t status = linux_files_find(k, a, false, LINUX_ASK, &p);
    if (!status) status = -EEXIST;
    linux_place_close(&p);
    if (status != -ENOENT) return status;
    status = linux_files_find(k, a, false, LINUX_ENTER, &p);
    if (!status && mkdirat(p.dir, p.name, (mode_t)(a[2] & 07777))) status = -errno;
    linux_place_close(&p);
    return status;
}

int64_t call_unlinkat(struct linux *k, const uint64_t *a) {
    enum { REMOVEDIR = 0x200 };
    struct linux_place p;
    int64_t status = linux_files_find(k, a, false, LINUX_ENTER, &p);
    if (!status && unlinkat(p.dir, p.name, a[2] & REMOVEDIR ? AT_REMOVEDIR : 0)) status = -errno;
    linux_place_close(&p);
    return status;
}

/* Programs ask for their own name, which they have from their arguments too. */
int64_t call_readlinkat(struct linux *k, const uint64_t *a) {
    const char *path = linux_string(k, a[1]);
    char *to = linux_bytes(k, a[2], a[3]);
    struct linux_place p;
    if (!path || !to) return -EFAULT;
    if (!strcmp(path, "/proc/self/exe")) return -ENOENT;
    int64_t status = linux_files_find(k, a, false, LINUX_ASK, &p);
    const ssize_t n = status ? -1 : readlinkat(p.dir, p.name, to, a[3]);
    if (!status) status = n < 0 ? -errno : n;
    linux_place_close(&p);
    return status;
}

int64_t call_getcwd(struct linux *k, const uint64_t *a) {
    char *to = linux_bytes(k, a[0], a[1]);
    if (!to) return -EFAULT;
    return getcwd(to, a[1]) ? (int64_t)strlen(to) + 1 : -errno;
}
