/* The text behind an operand: PTX, CUDA C++ that is compiled to it, or a launch taken out of a program. Everything else that holds GPU code is told apart by its
 * first bytes and refused with what to do about it. */
#ifndef HEDDLE_SUBJECT_SOURCE_H
#define HEDDLE_SUBJECT_SOURCE_H

#include "base/err.h"

enum source_kind {
    SOURCE_PTX,
    SOURCE_CUDA,
    SOURCE_CAPTURE /* subject/capture.h */,
    SOURCE_RISCV /* subject/binary.h */
};

/* Reads all of the file of that name. */
bool source_read(const char *name, struct sb *text, enum source_kind *kind, struct err *e);

/* What the bytes are, by their beginning and, of text, by words that only CUDA has; false: something that cannot run, and why. */
bool source_kind(const char *name, const char *text, size_t n, enum source_kind *kind, struct err *e);

/* Whether CUDA C++ defines main, comments and texts aside. */
bool source_has_main(const char *text);
/* The command line that builds the program of a file in CUDA C++; *program is what it is called then. */
void source_build_line(const char *file, struct sb *line, struct sb *program);

#endif
