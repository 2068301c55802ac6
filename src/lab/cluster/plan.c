/* Everything is written under another name first and renamed, so that who reads sees the old or the new. */
#include "lab/cluster/plan.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/outfile.h"

/* ---- names ---- */

const char *sweep_plan_file(const struct sweep_plan *p, struct arena *mem, const char *form, ...) {
    struct sb name = {0};
    va_list ap;
    sb_add(&name, "%s/", p->folder);
    va_start(ap, form);
    sb_addv(&name, form, ap);
    va_end(ap);
    return sb_keep(&name, mem);
}

const char *sweep_plan_shard(const struct sweep_plan *p, size_t round, size_t task, size_t start,
                             struct arena *mem) {
    return sweep_plan_file(p, mem, "shard-%zu-%zu-%zu", round, task, start);
}

const char *sweep_plan_log(const struct sweep_plan *p, uint64_t job, size_t index, struct arena *mem) {
    return sweep_plan_file(p, mem, "log-%" PRIu64 "_%zu.txt", job, index);
}

/* The database may not be there yet, its folder must. */
bool sweep_plan_place(struct sweep_plan *p, const char *db, struct err *e) {
    const char *slash = strrchr(db, '/');
    char real[PATH_MAX];
    struct sb text = {0};
    const char *folder = slash == db ? "/" : slash ? arena_strndup(&p->mem, db, (size_t)(slash - db)) : ".";
    if (!realpath(folder, real)) return err_set(e, ERR_INPUT, "cannot open %s: %s", db, strerror(errno));
    sb_add(&text, "%s/%s", strcmp(real, "/") != 0 ? real : "", slash ? slash + 1 : db);
    p->db = sb_keep(&text, &p->mem);
    text = (struct sb){0};
    sb_add(&text, "%s.d", p->db);
    p->folder = sb_keep(&text, &p->mem);
    return true;
}

bool sweep_plan_there(const struct sweep_plan *p) {
    struct arena mem = {0};
    bool there = !access(sweep_plan_file(p, &mem, "plan.json"), F_OK);
    arena_free(&mem);
    return there;
}

/* ---- JSON ---- */

static bool cluster_plan_save(struct cli *c, const char *path, json_t *root, struct err *e) {
    struct outfiles files = {0};
    char *text = json_dumps(root, JSON_COMPACT | JSON_PRESERVE_ORDER);
    json_decref(root);
    outfile_begin(&files, &c->writing);
    bool fine = outfile_write(&files, path, text, strlen(text), e) && outfile_sync(&files, e);
    outfile_free(&files);
    free(text);
    return fine;
}

static json_t *cluster_plan_load(const char *path, struct err *e) {
    json_error_t why;
    json_t *root = json_load_file(path, 0, &why);
    if (!root) err_set(e, ERR_INPUT, "%s cannot be read: %s", path, why.text);
    return root;
}

static json_t *cluster_plan_hex(uint64_t v) {
    char text[17];
    snprintf(text, sizeof text, "%016" PRIx64, v);
    return json_string(text);
}

static uint64_t from_hex(const json_t *v) {
    const char *text = json_string_value(v);
    return text ? strtoull(text, NULL, 16) : 0;
}

static const char *cluster_plan_text_of(const json_t *root, const char *name, struct arena *mem) {
    const char *text = json_string_value(json_object_get(root, name));
    return arena_strdup(mem, text ? text : "");
}

static size_t number_of(const json_t *root, const char *name) {
    json_int_t v = json_integer_value(json_object_get(root, name));
    return v > 0 ? (size_t)v : 0;
}

bool sweep_plan_write(struct cli *c, const struct sweep_plan *p, struct err *e) {
    json_t *root = json_object(), *words = json_array(), *points = json_array(), *keys = json_array(),
           *before = json_object();
    const char *const name[] = {"db", "cwd", "program", "version", "sbatch"};
    const char *const text[] = {p->db, p->cwd, p->program, p->version, p->sbatch};
    const char *const count_name[] = {"jobs", "per_task", "retries", "all"};
    const size_t count[] = {p->jobs, p->per_task, p->retries, p->all};
    for (size_t i = 0; i < 5; i++) json_object_set_new(root, name[i], json_string(text[i]));
    for (size_t i = 0; i < 4; i++)
        json_object_set_new(root, count_name[i], json_integer((json_int_t)count[i]));
    json_object_set_new(root, "sweep", cluster_plan_hex(p->sweep));
    for (int i = 0; i <= STORE_KILLED; i++)
        json_object_set_new(before, store_state_names[i], json_integer((json_int_t)p->before[i]));
    json_object_set_new(root, "before", before);
    for (size_t i = 0; i < p->nwords; i++) json_array_append_new(words, json_string(p->words[i]));
    for (size_t i = 0; i < p->n; i++) {
        json_array_append_new(points, json_integer((json_int_t)p->point[i]));
        json_array_append_new(keys, cluster_plan_hex(p->key[i]));
    }
    json_object_set_new(root, "command", words);
    json_object_set_new(root, "points", points);
    json_object_set_new(root, "keys", keys);
    struct arena mem = {0};
    bool fine = cluster_plan_save(c, sweep_plan_file(p, &mem, "plan.json"), root, e);
    arena_free(&mem);
    return fine;
}

static bool read_lists(struct sweep_plan *p, const json_t *root) {
    const json_t *words = json_object_get(root, "command"), *points = json_object_get(root, "points"),
                 *keys = json_object_get(root, "keys");
    p->nwords = json_array_size(words);
    p->n = json_array_size(points);
    p->words = ARENA_NEW(&p->mem, const char *, p->nwords + 1);
    p->point = ARENA_NEW(&p->mem, size_t, p->n + 1);
    p->key = ARENA_NEW(&p->mem, uint64_t, p->n + 1);
    for (size_t i = 0; i < p->nwords; i++) {
        const char *word = json_string_value(json_array_get(words, i));
        p->words[i] = arena_strdup(&p->mem, word ? word : "");
    }
    for (size_t i = 0; i < p->n; i++) {
        p->point[i] = (size_t)json_integer_value(json_array_get(points, i));
        p->key[i] = from_hex(json_array_get(keys, i));
    }
    return p->n && json_array_size(keys) == p->n;
}

bool sweep_plan_read(struct sweep_plan *p, struct err *e) {
    const char *path = sweep_plan_file(p, &p->mem, "plan.json");
    json_t *root = cluster_plan_load(path, e);
    if (!root) return false;
    p->db = cluster_plan_text_of(root, "db", &p->mem);
    p->cwd = cluster_plan_text_of(root, "cwd", &p->mem);
    p->program = cluster_plan_text_of(root, "program", &p->mem);
    p->version = cluster_plan_text_of(root, "version", &p->mem);
    p->sbatch = cluster_plan_text_of(root, "sbatch", &p->mem);
    p->jobs = (unsigned)number_of(root, "jobs");
    p->per_task = number_of(root, "per_task");
    p->retries = number_of(root, "retries");
    p->all = number_of(root, "all");
    p->sweep = from_hex(json_object_get(root, "sweep"));
    for (int i = 0; i <= STORE_KILLED; i++)
        p->before[i] = number_of(json_object_get(root, "before"), store_state_names[i]);
    bool fine = read_lists(p, root) || err_set(e, ERR_INPUT, "%s is no plan of a sweep", path);
    json_decref(root);
    return fine;
}

void sweep_plan_free(struct sweep_plan *p) {
    arena_free(&p->mem);
}

bool sweep_read_plan(struct sweep *s, const struct sweep_plan *p, struct opts *o, struct err *e) {
    s->opts = o;
    if (!opts_parse(o, s->host->options, (int)p->nwords, (char *const *)p->words, e)) return false;
    if (!sweep_axes(s, o, e) || !sweep_conditions(s, e) || !sweep_points(s, e)) return false;
    s->lab.points = s->points.v;
    s->lab.npoints = s->points.n;
    return true;
}

/* ---- rounds ---- */

bool sweep_plan_write_round(struct cli *c, const struct sweep_plan *p, size_t number,
                            const struct sweep_plan_round *r, struct err *e) {
    json_t *root = json_object(), *tasks = json_array(), *jobs = json_array();
    for (size_t i = 0; i < r->tasks.n; i++) {
        json_t *one = json_array();
        for (size_t k = 0; k < r->tasks.v[i].n; k++)
            json_array_append_new(one, json_integer((json_int_t)r->tasks.v[i].positions[k]));
        json_array_append_new(tasks, one);
    }
    for (size_t i = 0; i < r->jobs.n; i++) {
        const struct sweep_plan_job *j = &r->jobs.v[i];
        json_array_append_new(
            jobs, json_pack("[I, I, I]", (json_int_t)j->id, (json_int_t)j->first, (json_int_t)j->tasks));
    }
    json_object_set_new(root, "tasks", tasks);
    json_object_set_new(root, "jobs", jobs);
    struct arena mem = {0};
    bool fine = cluster_plan_save(c, sweep_plan_file(p, &mem, "round-%zu.json", number), root, e);
    arena_free(&mem);
    return fine;
}

static void read_task(const struct sweep_plan *p, struct sweep_plan_round *r, const json_t *one) {
    struct sweep_plan_task t = {0};
    size_t n = json_array_size(one), *positions = ARENA_NEW(&r->mem, size_t, n + 1);
    for (size_t i = 0; i < n; i++) {
        size_t at = (size_t)json_integer_value(json_array_get(one, i));
        if (at < p->n) positions[t.n++] = at;
    }
    t.positions = positions;
    VEC_PUSH(&r->tasks, t);
}

bool sweep_plan_read_round(const struct sweep_plan *p, size_t number, struct sweep_plan_round *r, bool *there,
                           struct err *e) {
    *r = (struct sweep_plan_round){0};
    const char *path = sweep_plan_file(p, &r->mem, "round-%zu.json", number);
    *there = !access(path, F_OK);
    if (!*there) return true;
    json_t *root = cluster_plan_load(path, e);
    if (!root) return false;
    const json_t *tasks = json_object_get(root, "tasks"), *jobs = json_object_get(root, "jobs");
    for (size_t i = 0; i < json_array_size(tasks); i++) read_task(p, r, json_array_get(tasks, i));
    for (size_t i = 0; i < json_array_size(jobs); i++) {
        const json_t *j = json_array_get(jobs, i);
        VEC_PUSH(&r->jobs,
                 (struct sweep_plan_job){.id = (uint64_t)json_integer_value(json_array_get(j, 0)),
                                         .first = (size_t)json_integer_value(json_array_get(j, 1)),
                                         .tasks = (size_t)json_integer_value(json_array_get(j, 2))});
    }
    json_decref(root);
    return true;
}

void sweep_plan_free_round(struct sweep_plan_round *r) {
    VEC_FREE(&r->tasks);
    VEC_FREE(&r->jobs);
    arena_free(&r->mem);
}

/* ---- the end ---- */

static bool ours(const char *name) {
    static const char *const starts[] = {"plan.json", "round-", "shard-", "log-", "lock"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (!strncmp(name, starts[i], strlen(starts[i]))) return true;
    return false;
}

/* The plan first: what is left when this is interrupted is no sweep any more. */
void sweep_plan_remove(const struct sweep_plan *p) {
    struct arena mem = {0};
    unlink(sweep_plan_file(p, &mem, "plan.json"));
    DIR *d = opendir(p->folder);
    for (struct dirent *f; d && (f = readdir(d));)
        if (ours(f->d_name)) unlink(sweep_plan_file(p, &mem, "%s", f->d_name));
    if (d) closedir(d);
    rmdir(p->folder);
    arena_free(&mem);
}

/* ---- the lock ---- */

enum { STALE_SECONDS = 120 };

static const char *whoami(struct arena *mem) {
    struct sb text = {0};
    sb_add(&text, "%s %ld", sweep_host(mem), (long)getpid());
    return sb_keep(&text, mem);
}

static const char *read_line(const char *path, struct arena *mem) {
    char line[300] = "";
    FILE *f = fopen(path, "r");
    bool any = f && fgets(line, sizeof line, f);
    if (f) fclose(f);
    line[strcspn(line, "\n")] = 0;
    return any && *line ? arena_strdup(mem, line) : NULL;
}

/* A process of this host that is no more; of another one nothing is known. */
static bool is_gone(const char *holder, struct arena *mem) {
    const char *space = strrchr(holder, ' ');
    if (!space || strncmp(holder, sweep_host(mem), (size_t)(space - holder)) != 0) return false;
    pid_t pid = (pid_t)strtol(space + 1, NULL, 10);
    return pid <= 0 || (kill(pid, 0) && errno == ESRCH);
}

/* Compares by the clock of the host that keeps the files: a file is made beside the lock for its time. */
static bool is_stale(const struct sweep_plan *p, const char *lock, struct arena *mem) {
    const char *probe = sweep_plan_file(p, mem, "lock-%ld", (long)getpid());
    struct stat now, then;
    int f = open(probe, O_CREAT | O_WRONLY | O_CLOEXEC, 0666);
    bool stale =
        f >= 0 && !fstat(f, &now) && !stat(lock, &then) && now.st_mtime - then.st_mtime > STALE_SECONDS;
    if (f >= 0) close(f);
    unlink(probe);
    return stale;
}

const char *sweep_plan_locked_by(const struct sweep_plan *p, struct arena *mem) {
    const char *lock = sweep_plan_file(p, mem, "lock"), *holder = read_line(lock, mem);
    return holder && !is_gone(holder, mem) && !is_stale(p, lock, mem) ? holder : NULL;
}

/* A name is linked, which works or fails as a whole on every file system. */
bool sweep_plan_lock(const struct sweep_plan *p, struct err *e) {
    struct arena mem = {0};
    const char *lock = sweep_plan_file(p, &mem, "lock"),
               *mine = sweep_plan_file(p, &mem, "lock-%ld", (long)getpid());
    const char *holder = sweep_plan_locked_by(p, &mem);
    if (!holder) unlink(lock);
    FILE *f = fopen(mine, "w");
    bool fine = f && fprintf(f, "%s\n", whoami(&mem)) > 0;
    if (f) fine = !fclose(f) && fine;
    if (!fine)
        err_set(e, ERR_INPUT, "cannot write %s: %s", mine, strerror(errno));
    else if (holder || link(mine, lock)) {
        holder = holder ? holder : read_line(lock, &mem);
        fine = err_set(e, ERR_INPUT,
                       "%s is attended to by process %s; 'heddle sweep status' shows how far it is", p->db,
                       holder ? holder : "?");
    }
    unlink(mine);
    arena_free(&mem);
    return fine;
}

void sweep_plan_renew(const struct sweep_plan *p) {
    struct arena mem = {0};
    utimensat(AT_FDCWD, sweep_plan_file(p, &mem, "lock"), NULL, 0);
    arena_free(&mem);
}

void sweep_plan_unlock(const struct sweep_plan *p) {
    struct arena mem = {0};
    const char *lock = sweep_plan_file(p, &mem, "lock"), *holder = read_line(lock, &mem);
    if (holder && !strcmp(holder, whoami(&mem))) unlink(lock);
    arena_free(&mem);
}

bool sweep_plan_ask_cancel(const struct sweep_plan *p, struct err *e) {
    struct arena mem = {0};
    const char *path = sweep_plan_file(p, &mem, "lock-cancel");
    int f = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0666);
    bool fine = f >= 0 || err_set(e, ERR_INPUT, "cannot write %s: %s", path, strerror(errno));
    if (f >= 0) close(f);
    arena_free(&mem);
    return fine;
}

bool sweep_plan_cancel_asked(const struct sweep_plan *p) {
    struct arena mem = {0};
    bool asked = !access(sweep_plan_file(p, &mem, "lock-cancel"), F_OK);
    arena_free(&mem);
    return asked;
}
