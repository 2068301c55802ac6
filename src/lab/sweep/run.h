/* Sweeps: points that are to be in the store. Those that are missing run, in parallel, and each is stored as soon as it
 * ends: whatever stops a sweep, the next one goes on from there. */
#ifndef HEDDLE_LAB_SWEEP_RUN_H
#define HEDDLE_LAB_SWEEP_RUN_H

#include "lab/store/store.h"

/* A hash of the sources this program was made from, as far as they decide about results: part of every point's version, so
 * that what is stored is never taken for a result of other sources. Made by tools/embed-sources. */
extern const char lab_sources[];

/* One point, as it is asked for. Runs are timed. */
struct lab_point {
    struct lab_subject subject;
    const char *config;        /* name or file; NULL: the default machine */
    const hd_option *settings; /* on top of it; neither run.mech nor run.mode */
    size_t nsettings;
    const char *mech; /* "NAME" or "NAME:KEY=VALUE:..."; NULL: the configuration's */
    /* What tells this subject from others of its name, as in n = 1024: an axis of the results. Sorted by name, which has no
     * point in it; values have no blanks. What they mean is in the subject itself. */
    const hd_option *arguments;
    size_t narguments;
};

/* Works out what a point is; false: an option, mechanism or configuration that does not exist or does not fit. Text is put
 * into mem. */
bool lab_point_id(const struct lab_point *p, struct arena *mem, struct store_id *id, struct err *e);
/* Works out ids of many points, of which subjects do not change meanwhile: configurations are read once, inputs
 * hashed once. Ids last as long as mem, and longer than this. */
struct lab_known;
struct lab_known *lab_known_new(struct arena *mem);
bool lab_known_id(struct lab_known *k, const struct lab_point *p, struct store_id *id, struct err *e);
void lab_known_free(struct lab_known *k);

struct lab_progress {
    size_t points; /* points of the sweep; one asked for twice counts once */
    size_t stored; /* points that were stored before the sweep began */
    size_t done;   /* points that ended in this sweep */
    size_t bad;    /* points among `done` that are wrong or failed */
    /* Part of the work that was to do, 0 to 1: by host time, as far as that can be told in advance. */
    double part;
    const char *error; /* error of the store, which ends the sweep; or NULL */
};

struct lab_sweep {
    struct store *store;
    const struct lab_point *points;
    size_t npoints;
    unsigned jobs; /* host threads; 0: one per core */
    bool retry;    /* points stored as wrong or failed run again */
    /* About ten times a second; false: stop. What runs then is abandoned and what has ended stays stored. May be NULL. */
    bool (*tick)(void *user, const struct lab_progress *p);
    void *user;
    /* Filled by lab_sweep. */
    struct store_id *ids;           /* by point */
    size_t failed;                  /* the point that could not be worked out, when that is what failed */
    bool *again;                    /* by point: the same as one before it */
    const struct store_row **found; /* by point; NULL: not there since the sweep was stopped */
    struct store_rows rows;         /* the points of this sweep that are there */
    struct lab_progress progress;
    bool stopped;
    struct arena mem;
};

/* Makes sure that every point is in the store. A point that fails or is wrong is a result like any other (row.state); false
 * only when a point cannot be worked out, before anything runs, or the store does not work. Release with lab_sweep_free in
 * either case. */
bool lab_sweep(struct lab_sweep *s, struct err *e);
/* The first step of the above alone, ids: for who wants to know that all points can be before there is a store. */
bool lab_sweep_ids(struct lab_sweep *s, struct err *e);
/* The first two: ids, then progress.points and stored, and found has what is there. */
bool lab_sweep_look(struct lab_sweep *s, struct err *e);
void lab_sweep_free(struct lab_sweep *s);

/* A statistic of a point by name ("gpu.ipc", "ipc", "dwf.merges"); false with the reason when the point is not there, did
 * not run to its end, has wrong results, or there is no such statistic. */
bool lab_sweep_value(const struct lab_sweep *s, size_t point, const char *name, double *value, struct err *e);

#endif
