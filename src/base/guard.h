/* Under AddressSanitizer every piece of memory taken from a larger one ends in bytes that must not be touched, as
 * malloc's pieces do. Without them a read behind a piece would fall into the next one and be noticed only at the end of
 * the whole. */
#ifndef HEDDLE_BASE_GUARD_H
#define HEDDLE_BASE_GUARD_H

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define GUARDED
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define GUARDED
#endif

#ifdef GUARDED
#include <sanitizer/asan_interface.h>
enum { GUARD = 16 };
#else
enum { GUARD = 0 };
#define ASAN_POISON_MEMORY_REGION(at, n)   ((void)(at), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(at, n) ((void)(at), (void)(n))
#endif

#endif
