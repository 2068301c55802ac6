/* A program that does to the host's files what its arguments say, one after the other, and prints what became of each:
 * files [must] OPERATION PATH ... The operation in:FOLDER reads the path from a descriptor of that folder. With must, the exit
 * status is 3 if one failed. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is done with a file that could be opened: the first byte is read or written. */
static int use(int fd, int writes) {
    char byte = 'x';
    if (fd < 0) return -1;
    const long n = writes ? write(fd, &byte, 1) : read(fd, &byte, 1);
    const int saved = errno;
    close(fd);
    errno = saved;
    return n < 0 ? -1 : 0;
}

static int open_folder(const char *path) {
    return open(path, O_RDONLY | O_DIRECTORY);
}

static int open_in(const char *folder, const char *path) {
    const int fd = open_folder(folder);
    return fd < 0 ? -1 : use(openat(fd, path, O_RDONLY), 0);
}

static int map(const char *path) {
    const int fd = open(path, O_RDONLY);
    if (fd < 0) return -1;
    return mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED ? -1 : 0;
}

static int operate(const char *op, const char *path) {
    struct stat s;
    char text[256];
    if (!strncmp(op, "in:", 3)) return open_in(op + 3, path);
    if (!strcmp(op, "read")) return use(open(path, O_RDONLY), 0);
    if (!strcmp(op, "write")) return use(open(path, O_WRONLY), 1);
    if (!strcmp(op, "both")) return use(open(path, O_RDWR), 1);
    if (!strcmp(op, "append")) return use(open(path, O_WRONLY | O_APPEND), 1);
    if (!strcmp(op, "create")) return use(open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666), 1);
    if (!strcmp(op, "new")) return use(open(path, O_WRONLY | O_CREAT | O_EXCL, 0666), 1);
    if (!strcmp(op, "truncate")) return use(open(path, O_RDONLY | O_TRUNC), 0);
    if (!strcmp(op, "touch")) return use(open(path, O_RDONLY | O_CREAT, 0666), 0);
    if (!strcmp(op, "unnamed")) return use(open(path, O_RDWR | O_TMPFILE, 0666), 1);
    if (!strcmp(op, "handle")) return use(open(path, O_PATH), 0);
    if (!strcmp(op, "nofollow")) return use(open(path, O_RDONLY | O_NOFOLLOW), 0);
    if (!strcmp(op, "folder")) return open_folder(path) < 0 ? -1 : 0;
    if (!strcmp(op, "map")) return map(path);
    if (!strcmp(op, "stat")) return stat(path, &s);
    if (!strcmp(op, "lstat")) return lstat(path, &s);
    if (!strcmp(op, "readable")) return access(path, R_OK);
    if (!strcmp(op, "writable")) return access(path, W_OK);
    if (!strcmp(op, "link")) return readlink(path, text, sizeof text) < 0 ? -1 : 0;
    if (!strcmp(op, "mkdir")) return mkdir(path, 0777);
    if (!strcmp(op, "rmdir")) return rmdir(path);
    if (!strcmp(op, "unlink")) return unlink(path);
    errno = EINVAL;
    return -1;
}

/* What standard streams refuse, dup or not: places in them belong to the parent of the program. */
static int streams(void) {
    int bad = 0;
    for (int fd = 0; fd < 3; fd++)
        for (int copy = 0; copy < 2; copy++) {
            const int at = copy ? dup(fd) : fd;
            char byte = 0;
            bad += at < 0 || pwrite(at, "y", 1, 0) >= 0 || pread(at, &byte, 1, 0) >= 0 ||
                   lseek(at, 0, SEEK_CUR) >= 0;
            bad += !ftruncate(at, 0) || mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, at, 0) != MAP_FAILED;
            if (copy) bad += close(at) != 0;
        }
    return bad;
}

int main(int argc, char **argv) {
    if (argc == 2 && !strcmp(argv[1], "streams")) {
        const int copy = dup(1);
        printf("%d\n", streams());
        fflush(stdout);
        return write(copy, "copied\n", 7) != 7;
    }
    const int must = argc > 1 && !strcmp(argv[1], "must");
    int failed = 0;
    for (int n = 1 + must; n + 1 < argc; n += 2) {
        const int status = operate(argv[n], argv[n + 1]);
        failed += status != 0;
        printf("%s %s: %s\n", argv[n], argv[n + 1], status ? strerrorname_np(errno) : "done");
    }
    return must && failed ? 3 : 0;
}
