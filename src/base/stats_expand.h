/* Expands the table of statistics named by STATS with the macros of stats.h that the including file has defined, the others
 * being nothing; afterwards none of them is defined. Included again for every expansion, so it has no guard. */
#ifndef BEGIN
#define BEGIN(section, type)
#endif
#ifndef LIKE
#define LIKE(section, type, ...) __VA_ARGS__
#endif
#ifndef COUNT
#define COUNT(section, name, how, unit, meaning)
#endif
#ifndef ARRAY
#define ARRAY(section, name, length)
#endif
#ifndef ELEMENT
#define ELEMENT(section, name, field, how, unit, meaning)
#endif
#ifndef RATIO
#define RATIO(section, name, unit, above, below, meaning)
#endif
#ifndef FORMULA
#define FORMULA(section, name, unit, value, meaning)
#endif
#ifndef END
#define END(section)
#endif

#include STATS

#undef BEGIN
#undef LIKE
#undef COUNT
#undef ARRAY
#undef ELEMENT
#undef RATIO
#undef FORMULA
#undef END
