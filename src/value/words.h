/* Words of one line of text, as a shell has them: blanks apart, quotes of either kind removed. */
#ifndef HEDDLE_VALUE_WORDS_H
#define HEDDLE_VALUE_WORDS_H

#include "base/alloc.h"
#include "base/err.h"

struct words {
    VEC(char *) v;
};

/* Adds the words of text[0..n). They are in mem; the list is for the caller to free with VEC_FREE. */
bool words_read(const char *text, size_t n, struct words *words, struct arena *mem, struct err *e);

#endif
