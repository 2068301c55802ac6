/* Runs that survive their process: a journal of what the device has given back to the host so far, and the state of the
 * device after a launch.
 *
 * Host programs are deterministic, so where one stood need not be kept: it runs again from its start on a device that
 * replays. There, launches are not simulated; what they printed and counted and what was copied to the host comes from the
 * journal. With the last launch of the journal memory, machine and profiles become those of the state, and what follows is
 * simulated as if nothing had happened. What the host tells the device (programs, copies, arguments) is compared by digest,
 * launch by launch: a program that does something else is refused. */
#ifndef HEDDLE_SIM_DEVICE_CHECKPOINT_H
#define HEDDLE_SIM_DEVICE_CHECKPOINT_H

#include <heddle.h>

#include "base/transfer.h"

struct sim_journal {
    /* More of the journal. False: it cannot be kept; the run goes on without. */
    bool (*write)(void *user, void *data, size_t n);
    /* A journal to be replayed, of so many bytes and launches, and the state after them; launches 0: there is none. */
    uint64_t bytes, launches;
    bool (*read)(void *user, void *data, size_t n);
    bool (*read_state)(void *user, void *data, size_t n);
    void *user;
};
/* Before the first call that a program makes on the device; after sim_watch. False: what the device records cannot be kept. */
bool sim_journal(hd_device *dev, const struct sim_journal *j, struct err *e);
/* Launches come from the journal. */
bool sim_replaying(const hd_device *dev);
/* Something the caller finds out after a launch that a replay cannot: kept in the journal, or, replaying, what it was then.
 * Without a journal nothing happens. */
void sim_note(hd_device *dev, void *data, size_t n);
/* After a launch that is not replayed: the state of the device; write is called with it. launches, bytes: what the journal
 * has so far, for struct sim_journal. */
struct sim_state {
    uint64_t launches, bytes;
};
bool sim_save(hd_device *dev, bool (*write)(void *user, void *data, size_t n), void *user,
              struct sim_state *out, struct err *e);

/* In another process: a state into a device that is not used for anything else. For tests of what is damaged. */
bool sim_load(hd_device *dev, bool (*read)(void *user, void *data, size_t n), void *user, struct err *e);

#endif
