/* Numbers as people read them. */
#ifndef HEDDLE_REPORT_TEXT_H
#define HEDDLE_REPORT_TEXT_H

#include <stdint.h>

#include "base/err.h"

void text_grouped(struct sb *out, uint64_t v); /* 12,345,678 */

#endif
