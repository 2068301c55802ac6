/* The source files that PTX names in .file, found from where the user stands or beside the PTX file. */
#ifndef HEDDLE_CLI_LISTING_H
#define HEDDLE_CLI_LISTING_H

#include "base/err.h"

/* Reads the file into out (empty, NUL after the end): by its name; if that is not there and is no absolute path, by its name
 * in the directory of the PTX file, then by its last part there. ptx: NULL or "", there is none. False: none can be read. */
bool listing_read(const char *ptx, const char *file, struct sb *out);

#endif
