/* See counter.h. */
#include "counter.h"

#include <linux/perf_event.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int counter_open(void) {
    struct perf_event_attr attr;
    memset(&attr, 0, sizeof attr);
    attr.size = sizeof attr;
    attr.type = PERF_TYPE_HARDWARE;
    attr.config = PERF_COUNT_HW_INSTRUCTIONS;
    attr.disabled = 1;
    attr.inherit = 1;
    attr.exclude_kernel = 1;
    attr.exclude_hv = 1;
    return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0UL);
}

void counter_start(int counter) {
    if (counter < 0) return;
    ioctl(counter, PERF_EVENT_IOC_RESET, 0);
    ioctl(counter, PERF_EVENT_IOC_ENABLE, 0);
}

double counter_stop(int counter) {
    uint64_t n = 0;
    if (counter < 0) return 0;
    ioctl(counter, PERF_EVENT_IOC_DISABLE, 0);
    return read(counter, &n, sizeof n) == (ssize_t)sizeof n ? (double)n : 0;
}

void counter_close(int counter) {
    if (counter >= 0) close(counter);
}

bool counter_works(void) {
    const int counter = counter_open();
    counter_start(counter);
    const bool counts = counter_stop(counter) > 0;
    counter_close(counter);
    return counts;
}
