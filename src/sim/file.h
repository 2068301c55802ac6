/* Whole files as text. */
#ifndef HEDDLE_SIM_FILE_H
#define HEDDLE_SIM_FILE_H

#include "base/err.h"

/* Reads all of path into out (empty, NUL after the end). The message names the file and the system's reason. */
bool file_read(const char *path, struct sb *out, struct err *e);

#endif
