// A handler of a signal that comes in the middle of a launch: its calls fail instead of waiting for ever, and it may exit.
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "check.h"

__global__ void spin(volatile int *p) {
    for (int i = 0; i < 100000000; i++) p[threadIdx.x] = p[threadIdx.x] + i;
}

static int *p;
static void alarm_rang(int) {
    int *q;
    if (cudaMalloc(&q, 4) == cudaErrorNotPermitted) ok("a call from a handler");
    ok("the end");
    exit(0); // with all its handlers
}

int main() {
    struct itimerval soon;
    memset(&soon, 0, sizeof soon);
    soon.it_value.tv_usec = 300000;
    CALL(cudaMalloc(&p, 4096));
    CALL(cudaMemset(p, 0, 4096));
    signal(SIGALRM, alarm_rang);
    setitimer(ITIMER_REAL, &soon, 0);
    spin<<<64, 1024>>>(p);
    printf("the launch ended\n");
    return 1;
}
