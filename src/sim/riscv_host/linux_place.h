/* Places in the host's file system that a program names, and which of them it may use (--files). Private to linux*.c. */
#ifndef HEDDLE_SIM_RISCV_HOST_LINUX_PLACE_H
#define HEDDLE_SIM_RISCV_HOST_LINUX_PLACE_H

#include <limits.h>
#include <sys/stat.h>

#include "base/err.h"

/* The files that a program may use. Files of processes in /proc, and so the host's memory, are never among them. */
enum linux_reach {
    LINUX_REACH_WRITES, /* reads what the user may read, writes in a folder and below it */
    LINUX_REACH_NONE,   /* no file */
    LINUX_REACH_FOLDER, /* reads and writes in a folder and below it */
    LINUX_REACH_ALL     /* what the user may */
};
struct linux_rule {
    enum linux_reach reach;
    int folder; /* a descriptor of that folder; -1: there is none, and nothing is in it */
};

/* "none", "all", a folder, or NULL: the current folder for writing. */
bool linux_rule_open(struct linux_rule *r, const char *files, struct err *e);
void linux_rule_close(struct linux_rule *r);

/* Where a path leads, found one component after the other, each by the descriptor of the one before: what is checked is what
 * is used, whatever others do to the names meanwhile. */
struct linux_place {
    int dir;                 /* descriptor of the folder that it is in */
    char name[NAME_MAX + 1]; /* its name there, or "." for that folder itself */
    int at; /* descriptor of it, of the kind that can only be asked about; -1: there is no such thing */
    struct stat stat;    /* of it */
    bool folder;         /* the path ends in a slash: it must be a folder */
    const char *refused; /* why the rule forbids it; NULL: it does not */
};

/* What is done with a place. */
enum linux_use {
    LINUX_ASK, /* what it is, without opening it */
    LINUX_READ,
    LINUX_WRITE,
    LINUX_ENTER /* a name is added to its folder or removed from it */
};

/* Finds path from the folder `from` (AT_FDCWD: the current one). follow: a symbolic link at the end is followed. 0, or an error
 * number negated; that nothing has the last name is no error. Release with linux_place_close in either case. */
int linux_place_find(const struct linux_rule *r, int from, const char *path, bool follow,
                     struct linux_place *p);
/* Whether the rule allows the use of what was found: 0, or -EACCES. */
int linux_place_check(const struct linux_rule *r, struct linux_place *p, enum linux_use use);
/* Opens what was found and checked. -EAGAIN: it is not there any more, or something else is; find it again. */
int linux_place_open(const struct linux_place *p, int flags, mode_t mode);
void linux_place_close(struct linux_place *p);

#endif
