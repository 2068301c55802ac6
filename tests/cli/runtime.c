/* A stand-in for the CUDA runtime library, for tests of `heddle cuda` by itself: every process that loads it and has LAUNCHES in its
 * environment writes a log of that many launches of two kernels, whose cycles depend on the mechanism, and fails those that
 * FAULT names. It checks nothing and simulates nothing. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void put(const char *line) {
    const char *path = getenv("HEDDLE_LOG");
    int f = path && getenv("LAUNCHES") ? open(path, O_WRONLY | O_APPEND) : -1;
    if (f >= 0 && write(f, line, strlen(line)) < 0) abort();
    if (f >= 0) close(f);
}

__attribute__((constructor)) static void begin(void) {
    const char *count = getenv("LAUNCHES"), *mech = getenv("HEDDLE_MECH"), *fault = getenv("FAULT");
    char line[512];
    snprintf(line, sizeof line, "{\"event\":\"start\",\"pid\":%d,\"program\":\"stand-in\"}\n", getpid());
    put(line);
    for (int i = 1; count && i <= atoi(count); i++) {
        int failed = fault && atoi(fault) == i;
        snprintf(
            line, sizeof line,
            "{\"event\":\"launch\",\"pid\":%d,\"n\":%d,\"kernel\":\"%s\",\"grid\":[4,1,1],\"block\":[64,1,1],"
            "\"shared\":16,"
            "\"stream\":0,\"mode\":\"%s\",\"status\":\"%s\",\"error\":\"%s\",\"stats\":{\"gpu.cycles\":%d,"
            "\"exec.thread_insts\":5000,\"exec.warp_insts\":200,\"sm.issues\":10}}\n",
            getpid(), i, i % 2 ? "_Z4heatPfi" : "_Z6reducePf", mech ? "timed" : "functional",
            failed ? "fault" : "ok", failed ? "out of bounds\\nby thread 3" : "",
            mech ? 1000 * i / (strcmp(mech, "dwf") ? 1 : 2) : 0);
        put(line);
    }
}

__attribute__((destructor)) static void end(void) {
    char line[64];
    snprintf(line, sizeof line, "{\"event\":\"end\",\"pid\":%d}\n", getpid());
    put(line);
}
