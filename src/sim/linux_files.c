/* Files: the program's are the host's, under numbers of their own. Standard input is the host's; what goes to standard output
 * and standard error goes to whoever runs the program. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bits.h"
#include "sim/linux.h"

enum { CWD = -100 };

/* ---- numbers ---- */

static int host_of(const struct linux *k, uint64_t fd) {
    return fd < k->files.n ? k->files.v[fd] : -1;
}

/* What openat and its like are relative to. */
static int place_of(const struct linux *k, uint64_t fd) {
    return (int32_t)fd == CWD ? AT_FDCWD : host_of(k, fd);
}

static int64_t add_file(struct linux *k, int host) {
    if (host < 0) return -errno;
    size_t n = 3;
    while (n < k->files.n && k->files.v[n] >= 0) n++;
    if (n == k->files.n)
        VEC_PUSH(&k->files, host);
    else
        k->files.v[n] = host;
    return (int64_t)n;
}

int64_t call_openat(struct linux *k, const uint64_t *a) {
    const char *path = linux_string(k, a[1]);
    return path ? add_file(k, openat(place_of(k, a[0]), path, (int)a[2] | O_CLOEXEC, (mode_t)a[3])) : -EFAULT;
}

int64_t call_close(struct linux *k, const uint64_t *a) {
    const int host = host_of(k, a[0]);
    if (host < 0) return -EBADF;
    if (a[0] > 2) close(host);
    k->files.v[a[0]] = -1;
    return 0;
}

int64_t call_dup(struct linux *k, const uint64_t *a) {
    const int host = host_of(k, a[0]);
    return host < 0 ? -EBADF : add_file(k, dup(host));
}

int64_t call_fcntl(struct linux *k, const uint64_t *a) {
    const int host = host_of(k, a[0]);
    if (host < 0) return -EBADF;
    switch (a[1]) {
    case F_DUPFD:
    case F_DUPFD_CLOEXEC: return add_file(k, dup(host));
    case F_GETFL: return a[0] <= 2 ? O_RDWR : fcntl(host, F_GETFL);
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

static int64_t move(struct linux *k, uint64_t fd, uint64_t addr, uint64_t n, bool out) {
    const int host = host_of(k, fd);
    void *data = linux_bytes(k, addr, n);
    if (host < 0) return -EBADF;
    if (!data) return -EFAULT;
    if (out && (fd == 1 || fd == 2)) return put_out(k, (int)fd, data, n);
    const ssize_t moved = out ? write(host, data, n) : read(host, data, n);
    return moved < 0 ? -errno : moved;
}

int64_t call_read(struct linux *k, const uint64_t *a) {
    return move(k, a[0], a[1], a[2], false);
}

int64_t call_write(struct linux *k, const uint64_t *a) {
    return move(k, a[0], a[1], a[2], true);
}

static int64_t move_all(struct linux *k, const uint64_t *a, bool out) {
    const uint8_t *list = a[2] <= 1024 ? linux_bytes(k, a[1], a[2] * 16) : NULL;
    int64_t total = 0;
    for (uint64_t n = 0; list && n < a[2]; n++) {
        uint64_t piece[2];
        memcpy(piece, list + n * 16, sizeof piece);
        const int64_t moved = piece[1] ? move(k, a[0], piece[0], piece[1], out) : 0;
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

int64_t call_pread64(struct linux *k, const uint64_t *a) {
    void *data = linux_bytes(k, a[1], a[2]);
    const ssize_t n = data ? pread(host_of(k, a[0]), data, a[2], (off_t)a[3]) : -1;
    return !data ? -EFAULT : n < 0 ? -errno : n;
}

int64_t call_pwrite64(struct linux *k, const uint64_t *a) {
    const void *data = linux_bytes(k, a[1], a[2]);
    const ssize_t n = data ? pwrite(host_of(k, a[0]), data, a[2], (off_t)a[3]) : -1;
    return !data ? -EFAULT : n < 0 ? -errno : n;
}

int64_t call_lseek(struct linux *k, const uint64_t *a) {
    const int host = host_of(k, a[0]);
    if (host < 0) return -EBADF;
    if (a[0] <= 2) return -ESPIPE;
    const off_t at = lseek(host, (off_t)a[1], (int)a[2]);
    return at < 0 ? -errno : at;
}

int64_t call_ftruncate(struct linux *k, const uint64_t *a) {
    const int host = host_of(k, a[0]);
    return host < 0 || a[0] <= 2 ? -EBADF : ftruncate(host, (off_t)a[1]) ? -errno : 0;
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

/* Standard streams are pipes, whatever they are: a program writes to them in the same pieces everywhere. */
int64_t call_fstat(struct linux *k, const uint64_t *a) {
    struct stat s = {.st_mode = S_IFIFO | 0600, .st_nlink = 1, .st_blksize = 4096};
    const int host = host_of(k, a[0]);
    if (host < 0) return -EBADF;
    if (a[0] > 2 && fstat(host, &s)) return -errno;
    return put_stat(k, a[1], &s);
}

int64_t call_newfstatat(struct linux *k, const uint64_t *a) {
    enum { EMPTY_PATH = 0x1000 };
    const char *path = linux_string(k, a[1]);
    struct stat s;
    if (!path) return -EFAULT;
    if (!*path && a[3] & EMPTY_PATH) return call_fstat(k, (const uint64_t[]){a[0], a[2]});
    return fstatat(place_of(k, a[0]), path, &s, (int)a[3]) ? -errno : put_stat(k, a[2], &s);
}

int64_t call_faccessat(struct linux *k, const uint64_t *a) {
    const char *path = linux_string(k, a[1]);
    return !path ? -EFAULT : faccessat(place_of(k, a[0]), path, (int)a[2], 0) ? -errno : 0;
}

int64_t call_mkdirat(struct linux *k, const uint64_t *a) {
    const char *path = linux_string(k, a[1]);
    return !path ? -EFAULT : mkdirat(place_of(k, a[0]), path, (mode_t)a[2]) ? -errno : 0;
}

int64_t call_unlinkat(struct linux *k, const uint64_t *a) {
    const char *path = linux_string(k, a[1]);
    return !path ? -EFAULT : unlinkat(place_of(k, a[0]), path, (int)a[2]) ? -errno : 0;
}

/* Programs ask for their own name, which they have from their arguments too. */
int64_t call_readlinkat(struct linux *k, const uint64_t *a) {
    const char *path = linux_string(k, a[1]);
    char *to = linux_bytes(k, a[2], a[3]);
    if (!path || !to) return -EFAULT;
    if (!strcmp(path, "/proc/self/exe")) return -ENOENT;
    const ssize_t n = readlinkat(place_of(k, a[0]), path, to, a[3]);
    return n < 0 ? -errno : n;
}

int64_t call_getcwd(struct linux *k, const uint64_t *a) {
    char *to = linux_bytes(k, a[0], a[1]);
    if (!to) return -EFAULT;
    return getcwd(to, a[1]) ? (int64_t)strlen(to) + 1 : -errno;
}
