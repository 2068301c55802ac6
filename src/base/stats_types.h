/* What a room's table of statistics generates (stats.h): for each type of section the struct of its counters and
 *
 *   void TYPE_join(struct TYPE *to, const struct TYPE *from);        adds what another part, SM or launch counted
 *   void TYPE_since(struct TYPE *after, const struct TYPE *before);  makes a reading what happened since an earlier one
 *   void TYPE_restart(struct TYPE *s);                               maxima begin anew, with a launch
 *
 * STATS is the table. With STATS_ROOM also struct STATS_ROOM, all sections of the table, and the first two for it. Both are
 * undefined at the end. Included by the stats.h of every room, so it has no guard. */
#include "base/stats.h"

#define BEGIN(section, type)         struct type {
#define COUNT(section, name, ...)    uint64_t name;
#define ARRAY(section, name, length) uint64_t name[length];
#define LIKE(...)
#define END(section) \
    }                \
    ;
#include "base/stats_expand.h"

#define BEGIN(section, type)                    static inline void type##_join(struct type *to, const struct type *from) {
#define COUNT(section, name, how, ...)          to->name = stat_join(STAT_##how, to->name, from->name);
#define ELEMENT(section, name, field, how, ...) to->field = stat_join(STAT_##how, to->field, from->field);
#define LIKE(...)
#define END(section) }
#include "base/stats_expand.h"

#define BEGIN(section, type)           static inline void type##_since(struct type *after, const struct type *before) {
#define COUNT(section, name, how, ...) after->name = stat_since(STAT_##how, after->name, before->name);
#define ELEMENT(section, name, field, how, ...) \
    after->field = stat_since(STAT_##how, after->field, before->field);
#define LIKE(...)
#define END(section) }
#include "base/stats_expand.h"

#define BEGIN(section, type)                    static inline void type##_restart(struct type *s) {
#define COUNT(section, name, how, ...)          s->name = stat_restart(STAT_##how, s->name);
#define ELEMENT(section, name, field, how, ...) s->field = stat_restart(STAT_##how, s->field);
#define LIKE(...)
#define END(section) }
#include "base/stats_expand.h"

#ifdef STATS_ROOM
#define STATS_PASTE(a, b)      a##b
#define STATS_NAME(room, what) STATS_PASTE(room, what)

struct STATS_ROOM {
#define BEGIN(section, type)     struct type section;
#define LIKE(section, type, ...) struct type section;
#include "base/stats_expand.h"
};

static inline void STATS_NAME(STATS_ROOM, _join)(struct STATS_ROOM *to, const struct STATS_ROOM *from) {
#define BEGIN(section, type)     type##_join(&to->section, &from->section);
#define LIKE(section, type, ...) type##_join(&to->section, &from->section);
#include "base/stats_expand.h"
}

static inline void STATS_NAME(STATS_ROOM, _since)(struct STATS_ROOM *after, const struct STATS_ROOM *before) {
#define BEGIN(section, type)     type##_since(&after->section, &before->section);
#define LIKE(section, type, ...) type##_since(&after->section, &before->section);
#include "base/stats_expand.h"
}
#undef STATS_NAME
#undef STATS_PASTE
#undef STATS_ROOM
#endif
#undef STATS
