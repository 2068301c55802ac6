/* For tests of checkpoints: stands before the C library and looks at every rename of a file to a name that ends in ".ckpt".
 * With KEEP each such file also gets the name NAME.N, N being how many there were; with KILL_BEFORE or KILL_AFTER the process
 * dies, as by SIGKILL, right before or after the rename of that number. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void die_at(const char *variable, int n) {
    const char *text = getenv(variable);
    if (text && atoi(text) == n) raise(SIGKILL);
}

int rename(const char *from, const char *to) {
    static int n;
    int (*real)(const char *, const char *);
    *(void **)&real = dlsym(RTLD_NEXT, "rename");
    const size_t length = strlen(to);
    if (length < 5 || strcmp(to + length - 5, ".ckpt") != 0) return real(from, to);
    die_at("KILL_BEFORE", ++n);
    const int failed = real(from, to);
    char kept[4096];
    snprintf(kept, sizeof kept, "%s.%d", to, n);
    if (!failed && getenv("KEEP") && link(to, kept)) abort();
    die_at("KILL_AFTER", n);
    return failed;
}
