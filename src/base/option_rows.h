/* For a file that expands an options.def into rows: what the column of limits becomes, and a row. Short names, as the
 * tables are written in them; nothing else includes this. */
#ifndef HEDDLE_BASE_OPTION_ROWS_H
#define HEDDLE_BASE_OPTION_ROWS_H

#include "base/option.h"

#define RANGE(l, h)   .low = (l), .high = (h)
#define SPAN(l, h)    .rlow = (l), .rhigh = (h)
#define CHOICES(LIST) .choices = OPTION_CHOICES(LIST)
#define ANY           .choices = NULL

/* The row of section.name, whose value is the field `place` of a struct owner. Limits come last: they are several. */
#define OPTION_ROW(owner, place, section_, name_, kind_, default_, unit_, help_, ...)                   \
    {                                                                                                   \
        .key = #section_ "." #name_, .section = #section_, .kind = OPTION_##kind_, .initial = default_, \
        .unit = unit_, .help = help_, .offset = offsetof(owner, place), __VA_ARGS__                     \
    }

#endif
