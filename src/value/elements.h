/* Elements of a buffer as text, in columns with the index of each row's first. */
#ifndef HEDDLE_VALUE_ELEMENTS_H
#define HEDDLE_VALUE_ELEMENTS_H

#include "base/err.h"
#include "ir/types.h"

struct elements {
    enum ir_type type;
    uint64_t first, count; /* the elements that are shown */
    uint64_t all, more;    /* elements of the buffer; of them, how many are said to be left out */
};
/* ": TYPE[ALL]" behind a buffer's name, then the elements in columns. width: columns of the terminal. data begins with the first element that is shown. */
void elements_show(const struct elements *c, const uint8_t *data, int width, struct sb *out);

#endif
