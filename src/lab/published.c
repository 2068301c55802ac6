/* Published figures (published.def), looked up and compared. */
#include <math.h>
#include <string.h>

#include "lab/probe.h"

const struct published published_list[] = {
#define PUBLISHED(config, probe, value, percent, source, note) {config, probe, value, percent, source, note},
#include "lab/published.def"
    {0}};

const struct published *published_find(const char *config, const char *probe) {
    for (const struct published *p = published_list; p->config; p++)
        if (!strcmp(p->config, config) && !strcmp(p->probe, probe)) return p;
    return NULL;
}

bool published_holds(const struct published *p, double ours) {
    return fabs(ours - p->value) <= p->value * p->percent / 100;
}
