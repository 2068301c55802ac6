/* How a program's paths become files of the host. The kernel is given one name at a time and never follows a link: symbolic links
 * are read and followed here, so that every step can be looked at before the next. Three things are refused on the way whatever
 * --files says: a process's part of /proc, where heddle's own memory is a file; links in /proc, which lead to what processes have
 * open; and /proc entered anywhere but at its top, as by a bind mount or by a current folder in it, where names do not tell
 * whose part it is. What is found is held by a descriptor, and a file that is opened must be the one that was checked. */
#include "sim/riscv_host/linux_place.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { LOOK = O_PATH | O_NOFOLLOW | O_CLOEXEC, MOST_LINKS = 40, DEEPEST = PATH_MAX, PROC_TOP = 1 };

static bool in_proc(int fd) {
    struct statfs s;
    return fstatfs(fd, &s) || s.f_type == PROC_SUPER_MAGIC;
}

static bool same_file(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* ---- the rule ---- */

bool linux_rule_open(struct linux_rule *r, const char *files, struct err *e) {
    *r = (struct linux_rule){LINUX_REACH_WRITES, -1};
    if (files && !strcmp(files, "none")) return r->reach = LINUX_REACH_NONE, true;
    if (files && !strcmp(files, "all")) return r->reach = LINUX_REACH_ALL, true;
    if (files) r->reach = LINUX_REACH_FOLDER;
    r->folder = open(files ? files : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    return r->folder >= 0 || !files ||
           err_set(e, ERR_INPUT, "--files %.200s: %s; it is none, all or a folder", files, strerror(errno));
}

void linux_rule_close(struct linux_rule *r) {
    if (r->folder >= 0) close(r->folder);
    r->folder = -1;
}

/* Whether fd is the rule's folder or one below it: goes up from it, by descriptors, until it is there or at the top. */
static bool is_below(const struct linux_rule *r, int fd) {
    struct stat want, here, above = {0};
    bool found = false, top = false;
    if (r->folder < 0 || fstat(r->folder, &want) || fstat(fd, &here)) return false;
    int at = dup(fd);
    for (int n = 0; at >= 0 && !top && !(found = same_file(&here, &want)) && n < DEEPEST; n++) {
        const int next = openat(at, "..", LOOK | O_DIRECTORY);
        close(at);
        at = next;
        top = at < 0 || fstat(at, &above) || same_file(&here, &above);
        here = above;
    }
    if (at >= 0) close(at);
    return found;
}

/* ---- finding ---- */

struct walk {
    struct linux_place *place; /* its dir is where the walk stands */
    char rest[PATH_MAX];       /* what is still to go */
    int links;                 /* followed so far */
    bool follow;
};

static int linux_place_refuse(struct linux_place *p, const char *why) {
    p->refused = why;
    return -EACCES;
}

/* A name in a folder of /proc that is, or may be, a process. */
static bool names_process(const char *name) {
    const char *c = name;
    while (isdigit((unsigned char)*c)) c++;
    return !*c || !strcmp(name, "self") || !strcmp(name, "thread-self");
}

static int check_proc(struct linux_place *p, bool from_proc, int to) {
    struct stat s;
    if (from_proc || !in_proc(to)) return 0;
    if (fstat(to, &s)) return -errno;
    return s.st_ino == PROC_TOP ? 0 : linux_place_refuse(p, "it is inside /proc");
}

/* Goes on from fd, a folder. */
static void move_to(struct walk *w, int fd) {
    if (w->place->dir >= 0) close(w->place->dir);
    w->place->dir = fd;
}

static int linux_place_start(struct walk *w, int from, const char *path) {
    const int fd = openat(from, *path == '/' ? "/" : ".", LOOK | O_DIRECTORY);
    if (fd < 0) return -errno;
    move_to(w, fd);
    return check_proc(w->place, false, fd);
}

/* Takes the next name from what is still to go; empty at the end. *last: nothing but slashes follows. */
static int take_name(struct walk *w, char *name, bool *last) {
    const char *from = w->rest + strspn(w->rest, "/");
    const size_t n = strcspn(from, "/"), slashes = strspn(from + n, "/");
    if (n > NAME_MAX) return -ENAMETOOLONG;
    memcpy(name, from, n);
    name[n] = '\0';
    *last = !from[n + slashes];
    if (*last && slashes) w->place->folder = true;
    memmove(w->rest, from + n, strlen(from + n) + 1);
    return 0;
}

/* The link's text takes its place in front of what is still to go. */
static int follow_link(struct walk *w, int fd) {
    char text[PATH_MAX];
    const ssize_t n = readlinkat(fd, "", text, sizeof text - 1);
    if (n <= 0) return n < 0 ? -errno : -ENOENT;
    text[n] = '\0';
    if (++w->links > MOST_LINKS) return -ELOOP;
    if ((size_t)n + strlen(w->rest) >= sizeof w->rest) return -ENAMETOOLONG;
    memmove(w->rest + n, w->rest, strlen(w->rest) + 1);
    memcpy(w->rest, text, (size_t)n);
    return *text == '/' ? linux_place_start(w, AT_FDCWD, "/") : 0;
}

/* The place is what fd is, in the folder where the walk stands. */
static int end_at(struct walk *w, const char *name, int fd) {
    struct linux_place *p = w->place;
    const bool itself = !strcmp(name, ".") || !strcmp(name, "..");
    if (itself) move_to(w, dup(fd));
    strcpy(p->name, itself ? "." : name);
    p->at = fd;
    return p->folder && !S_ISDIR(p->stat.st_mode) ? -ENOTDIR : 0;
}

/* One name further, to fd. *ended: that is where the path leads. Takes fd. */
static int linux_place_pass(struct walk *w, const char *name, bool last, bool from_proc, int fd,
                            bool *ended) {
    struct linux_place *p = w->place;
    int status = check_proc(p, from_proc, fd);
    if (!status && fstat(fd, &p->stat)) status = -errno;
    if (!status && S_ISLNK(p->stat.st_mode) && (!last || w->follow || p->folder))
        status = from_proc ? linux_place_refuse(p, "it goes by a link in /proc") : follow_link(w, fd);
    else if (!status && last)
        return *ended = true, end_at(w, name, fd);
    else if (!status)
        return move_to(w, fd), 0;
    close(fd);
    return status;
}

static int linux_place_step(struct walk *w, bool *ended) {
    struct linux_place *p = w->place;
    char name[NAME_MAX + 1];
    bool last;
    int status = take_name(w, name, &last);
    if (status) return status;
    if (!*name) strcpy(name, "."); /* of "/" nothing is left */
    const bool from_proc = in_proc(p->dir);
    if (from_proc && names_process(name)) return linux_place_refuse(p, "it is a process's part of /proc");
    const int fd = openat(p->dir, name, LOOK);
    if (fd >= 0) return linux_place_pass(w, name, last, from_proc, fd, ended);
    if (errno != ENOENT || !last) return -errno;
    strcpy(p->name, name);
    return *ended = true, 0;
}

int linux_place_find(const struct linux_rule *r, int from, const char *path, bool follow,
                     struct linux_place *p) {
    struct walk w = {.place = p, .follow = follow};
    bool ended = false;
    *p = (struct linux_place){.dir = -1, .at = -1};
    if (r->reach == LINUX_REACH_NONE) return linux_place_refuse(p, "no file may be used");
    if (!*path) return -ENOENT;
    if (strlen(path) >= sizeof w.rest) return -ENAMETOOLONG;
    strcpy(w.rest, path);
    int status = linux_place_start(&w, from, path);
    while (!status && !ended) status = linux_place_step(&w, &ended);
    /* What there is outside of the folder is not told either. */
    if (status && !p->refused && p->dir >= 0 && r->reach == LINUX_REACH_FOLDER && !is_below(r, p->dir))
        return linux_place_refuse(p, "it is outside of the folder");
    return status;
}

/* ---- what may be used ---- */

/* The devices of major number 1, which Linux calls memory devices. */
enum {
    MEMORY_MAJOR = 1,
    MEM = 1,
    KMEM = 2,
    NULL_DEVICE = 3,
    PORT = 4,
    ZERO = 5,
    FULL = 7,
    RANDOM = 8,
    URANDOM = 9
};

/* True for files that only give or take bytes. */
static bool is_plain(const struct stat *s) {
    const unsigned n = minor(s->st_rdev);
    return S_ISCHR(s->st_mode) && major(s->st_rdev) == MEMORY_MAJOR &&
           (n == NULL_DEVICE || n == ZERO || n == FULL || n == RANDOM || n == URANDOM);
}

static bool is_memory(const struct stat *s) {
    const unsigned n = minor(s->st_rdev);
    return S_ISCHR(s->st_mode) && major(s->st_rdev) == MEMORY_MAJOR && (n == MEM || n == KMEM || n == PORT);
}

/* Opening devices, pipes and sockets does things, waits, or both. */
static int linux_place_check_kind(const struct linux_rule *r, struct linux_place *p) {
    const mode_t kind = p->stat.st_mode & S_IFMT;
    if (p->at < 0 || kind == S_IFREG || kind == S_IFDIR || kind == S_IFLNK) return 0;
    if (is_plain(&p->stat)) return 0;
    if (is_memory(&p->stat)) return linux_place_refuse(p, "it is the host's memory");
    return r->reach == LINUX_REACH_ALL ? 0 : linux_place_refuse(p, "it is a device, pipe or socket");
}

int linux_place_check(const struct linux_rule *r, struct linux_place *p, enum linux_use use) {
    const bool is_folder = p->at >= 0 && S_ISDIR(p->stat.st_mode),
               null = p->at >= 0 && is_plain(&p->stat) && minor(p->stat.st_rdev) == NULL_DEVICE;
    const int status = use == LINUX_READ || use == LINUX_WRITE ? linux_place_check_kind(r, p) : 0;
    if (status || r->reach == LINUX_REACH_ALL) return status;
    if (use >= LINUX_WRITE && in_proc(p->dir)) return linux_place_refuse(p, "it is in /proc");
    if (use != LINUX_ENTER && null) return 0;
    if (use <= LINUX_READ && r->reach == LINUX_REACH_WRITES) return 0;
    if (is_below(r, use != LINUX_ENTER && is_folder ? p->at : p->dir)) return 0;
    return linux_place_refuse(p, r->reach == LINUX_REACH_WRITES ? "it is outside of the current folder"
                                                                : "it is outside of the folder");
}

int linux_place_open(const struct linux_place *p, int flags, mode_t mode) {
    struct stat s;
    if (p->at < 0) flags |= O_EXCL;
    if (p->folder) flags |= O_DIRECTORY;
    const int host = openat(p->dir, p->name, flags | O_NOFOLLOW | O_CLOEXEC, mode);
    if (host < 0) return p->at < 0 && errno == EEXIST ? -EAGAIN : -errno;
    if (p->at < 0 || (!fstat(host, &s) && same_file(&s, &p->stat))) return host;
    close(host);
    return -EAGAIN;
}

void linux_place_close(struct linux_place *p) {
    if (p->dir >= 0) close(p->dir);
    if (p->at >= 0) close(p->at);
    p->dir = p->at = -1;
}
