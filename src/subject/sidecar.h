/* Launch options a PTX or CUDA file carries itself, in a comment at its top:
 *
 *     // heddle: --grid 64 --block 256 --arg 'buf:u32[16384]=iota' --arg u32:16384
 *
 * One line for each kernel that has some; --kernel says which. What the command line gives wins. */
#ifndef HEDDLE_SUBJECT_SIDECAR_H
#define HEDDLE_SUBJECT_SIDECAR_H

#include "base/alloc.h"
#include "cli/opts.h"
#include "value/params.h"

/* The options of the first such line that fits the kernel (NULL: of the first line): parsed into *o, whose
 * strings are in mem; none there: *o is empty. On false the message has file and line. Release o with
 * opts_free in either case. */
bool sidecar_read(struct opts *o, const char *file, const char *text, const char *kernel, struct arena *mem,
                  struct err *e);

/* Fills names into the values of options, in place: first what the values assume, then the rest. */
bool sidecar_fill(struct params *n, struct opts *o, struct arena *mem, struct err *e);

extern const struct opt launch_options[]; /* what such a line may say */

#endif
