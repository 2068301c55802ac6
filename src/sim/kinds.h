/* What lane slots are called (sm/account.h): by the profile, by the library, and by pages. */
#ifndef HEDDLE_SIM_KINDS_H
#define HEDDLE_SIM_KINDS_H

#include "sm/account.h"

struct slot_kind {
    const char *key, *name; /* key: of JSON */
};
extern const struct slot_kind lane_kinds[SM_LANE_KINDS], wait_kinds[SM_WAITS];

#endif
