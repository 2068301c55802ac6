/* Slurm's programs as children, without a shell between.
 *
 * squeue knows what waits and runs, and for some minutes (MinJobAge) what has ended; sacct knows for ever, where a cluster
 * keeps accounts, which many do not. So what squeue does not know is asked of sacct, and if that does not work, the task is
 * one that has ended for a reason that is to be found elsewhere. */
#include "lab/cluster/slurm.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ---- programs ---- */

static void slurm_read_all(int from, struct sb *out) {
    char part[4096];
    ssize_t n;
    while ((n = read(from, part, sizeof part)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0) sb_addn(out, part, (size_t)n);
}

static bool slurm_spawn(const char *const *words, int out, int says, pid_t *child, struct err *e) {
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", 0, 0);
    posix_spawn_file_actions_adddup2(&files, out, 1);
    posix_spawn_file_actions_adddup2(&files, says, 2);
    int why = posix_spawnp(child, words[0], &files, NULL, (char *const *)words, environ);
    posix_spawn_file_actions_destroy(&files);
    if (why == ENOENT)
        return err_set(e, ERR_INPUT, "there is no %s here: is this a host of a Slurm cluster?", words[0]);
    return !why || err_set(e, ERR_INPUT, "cannot run %s: %s", words[0], strerror(why));
}

/* The first line of what a program said, without its own name. */
static bool slurm_complain(const char *program, const struct sb *says, struct err *e) {
    const char *text = says->text ? says->text : "";
    size_t n = strcspn(text, "\n");
    return err_set(e, ERR_INPUT, "%s failed: %.*s", program, (int)(n ? n : 15), n ? text : "it says nothing");
}

/* Runs it, what it prints in out; false with what it says when it does not end with 0. */
static bool slurm_run(const char *const *words, struct sb *out, struct err *e) {
    FILE *says = tmpfile();
    struct sb text = {0};
    int ends[2], status = 0;
    pid_t child;
    if (!says || pipe2(ends, O_CLOEXEC)) {
        if (says) fclose(says);
        return err_set(e, ERR_INPUT, "cannot run %s: %s", words[0], strerror(errno));
    }
    bool fine = slurm_spawn(words, ends[1], fileno(says), &child, e);
    close(ends[1]);
    if (fine) {
        slurm_read_all(ends[0], out);
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
        rewind(says);
        slurm_read_all(fileno(says), &text);
        fine = (WIFEXITED(status) && !WEXITSTATUS(status)) || slurm_complain(words[0], &text, e);
    }
    close(ends[0]);
    fclose(says);
    sb_free(&text);
    return fine;
}

/* ---- words ---- */

bool slurm_split(const char *text, struct arena *mem, struct slurm_words *out, struct err *e) {
    for (const char *at = text; *(at += strspn(at, " \t\n"));) {
        struct sb word = {0};
        char quote = 0;
        sb_add(&word, "%s", "");
        for (; *at && (quote || !strchr(" \t\n", *at)); at++) {
            if (quote ? *at == quote : *at == '"' || *at == '\'')
                quote = quote ? 0 : *at;
            else {
                if (*at == '\\' && quote != '\'' && at[1]) at++;
                sb_addn(&word, at, 1);
            }
        }
        const char *kept = sb_keep(&word, mem);
        if (quote) return err_set(e, ERR_INPUT, "--sbatch: the quote %c does not end", quote);
        VEC_PUSH(&out->v, kept);
    }
    return true;
}

/* ---- submitting ---- */

static const char *slurm_word(struct arena *mem, const char *name, const char *value) {
    struct sb text = {0};
    sb_add(&text, "%s%s", name, value);
    return sb_keep(&text, mem);
}

static const char *word_number(struct arena *mem, const char *name, unsigned long value) {
    struct sb text = {0};
    sb_add(&text, "%s%lu", name, value);
    return sb_keep(&text, mem);
}

static bool read_id(const char *text, uint64_t *id, struct err *e) {
    char *end;
    *id = strtoull(text ? text : "", &end, 10); /* "17" or "17;cluster" */
    return (*id && (*end == '\n' || *end == ';' || !*end)) ||
           err_set(e, ERR_INPUT, "sbatch printed no number of a job: %.60s", text ? text : "");
}

/* The user's words come after ours and win, but for what the array rests on. */
bool slurm_submit(const struct slurm_job *j, uint64_t *id, struct err *e) {
    struct slurm_words w = {0};
    struct arena mem = {0};
    struct sb out = {0};
    VEC_PUSH(&w.v, "sbatch");
    VEC_PUSH(&w.v, slurm_word(&mem, "--job-name=", j->name));
    VEC_PUSH(&w.v, word_number(&mem, "--cpus-per-task=", j->cores));
    bool fine = !j->args || slurm_split(j->args, &mem, &w, e);
    VEC_PUSH(&w.v, "--parsable");
    VEC_PUSH(&w.v, slurm_word(&mem, "--output=", j->output));
    VEC_PUSH(&w.v, "--open-mode=append");
    VEC_PUSH(&w.v, word_number(&mem, "--array=0-", j->tasks - 1));
    VEC_PUSH(&w.v, j->script);
    VEC_PUSH(&w.v, NULL);
    fine = fine && slurm_run(w.v.v, &out, e) && read_id(out.text, id, e);
    VEC_FREE(&w.v);
    sb_free(&out);
    arena_free(&mem);
    return fine;
}

static const char *list_of(const uint64_t *jobs, size_t n, struct arena *mem) {
    struct sb text = {0};
    for (size_t i = 0; i < n; i++) sb_add(&text, "%s%llu", i ? "," : "", (unsigned long long)jobs[i]);
    return sb_keep(&text, mem);
}

bool slurm_cancel(const uint64_t *jobs, size_t n, struct err *e) {
    bool fine = true;
    for (size_t i = 0; i < n && fine; i++) {
        struct arena mem = {0};
        struct sb out = {0};
        const char *words[] = {"scancel", "--quiet", list_of(&jobs[i], 1, &mem), NULL};
        fine = slurm_run(words, &out, e);
        sb_free(&out);
        arena_free(&mem);
    }
    return fine;
}

size_t slurm_largest_array(void) {
    const char *words[] = {"scontrol", "show", "config", NULL};
    struct sb out = {0};
    struct err e = {0};
    size_t most = 1001; /* the default of Slurm; no index may be as large */
    if (slurm_run(words, &out, &e) && out.text) {
        const char *at = strstr(out.text, "MaxArraySize"), *equals = at ? strchr(at, '=') : NULL;
        if (equals) most = strtoul(equals + 1, NULL, 10);
    }
    err_free(&e);
    sb_free(&out);
    return most > 1 ? most - 1 : 1;
}

/* ---- asking ---- */

/* States in which a task will go on or begin by itself; whatever else there is, it has ended. */
static bool slurm_goes_on(const char *state) {
    static const char *const names[] = {"PENDING",     "RUNNING",      "CONFIGURING", "COMPLETING",
                                        "SUSPENDED",   "STOPPED",      "RESIZING",    "REQUEUED",
                                        "REQUEUE_FED", "REQUEUE_HOLD", "SIGNALING",   "SPECIAL_EXIT",
                                        "STAGE_OUT",   "RESV_DEL_HOLD"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], state)) return true;
    return false;
}

/* The text up to the next '|' or the end of the line; *at is after it. */
static const char *slurm_field(const char **at, struct arena *mem) {
    size_t n = strcspn(*at, "|\n");
    const char *text = arena_strndup(mem, *at, n);
    *at += n + ((*at)[n] == '|');
    return text;
}

static void slurm_add(struct slurm_tasks *out, struct slurm_task t) {
    for (size_t i = 0; i < out->v.n; i++)
        if (out->v.v[i].job == t.job && out->v.v[i].index == t.index) return;
    t.ended = !slurm_goes_on(t.state);
    VEC_PUSH(&out->v, t);
}

static bool whole_number(const char *text, uint64_t *value) {
    char *end;
    *value = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end;
}

void slurm_read_queue(const char *text, struct slurm_tasks *out) {
    for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        struct slurm_task t = {0};
        const char *job = slurm_field(&at, &out->mem), *index = slurm_field(&at, &out->mem);
        t.state = slurm_field(&at, &out->mem);
        t.reason = slurm_field(&at, &out->mem);
        t.node = slurm_field(&at, &out->mem);
        if (!strcmp(t.reason, "None")) t.reason = "";
        if (whole_number(job, &t.job) && whole_number(index, &t.index) && *t.state) slurm_add(out, t);
    }
}

/* "17_3|CANCELLED by 1000|0:15|node" */
void slurm_read_accounts(const char *text, struct slurm_tasks *out) {
    for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        struct slurm_task t = {0};
        const char *id = slurm_field(&at, &out->mem), *state = slurm_field(&at, &out->mem),
                   *bar = strchr(id, '_');
        t.state = arena_strndup(&out->mem, state, strcspn(state, " +"));
        t.reason = slurm_field(&at, &out->mem);
        t.node = slurm_field(&at, &out->mem);
        if (!strcmp(t.reason, "0:0")) t.reason = "";
        if (bar && whole_number(arena_strndup(&out->mem, id, (size_t)(bar - id)), &t.job) &&
            whole_number(bar + 1, &t.index) && *t.state)
            slurm_add(out, t);
    }
}

static bool ask_queue(const char *jobs, struct slurm_tasks *out, struct err *e) {
    const char *words[] = {
        "squeue", "--noheader", "--array", "--states=all", "--jobs", jobs, "--format=%F|%K|%T|%r|%N", NULL};
    struct sb text = {0};
    bool fine = slurm_run(words, &text, e);
    if (fine && text.text) slurm_read_queue(text.text, out);
    sb_free(&text);
    /* a job that it has forgotten is no error */
    return fine || strstr(err_text(e), "Invalid job id") != NULL;
}

static void ask_accounts(const char *jobs, struct slurm_tasks *out) {
    const char *words[] = {"sacct",
                           "--noheader",
                           "--parsable2",
                           "--allocations",
                           "--jobs",
                           jobs,
                           "--format=JobID,State,ExitCode,NodeList",
                           NULL};
    struct sb text = {0};
    struct err e = {0};
    if (slurm_run(words, &text, &e) && text.text) slurm_read_accounts(text.text, out);
    sb_free(&text);
    err_free(&e);
}

bool slurm_ask(const uint64_t *jobs, size_t n, struct slurm_tasks *out, struct err *e) {
    *out = (struct slurm_tasks){0};
    if (!n) return true;
    const char *list = list_of(jobs, n, &out->mem);
    if (!ask_queue(list, out, e)) return false;
    ask_accounts(list, out);
    return true;
}

void slurm_tasks_free(struct slurm_tasks *t) {
    VEC_FREE(&t->v);
    arena_free(&t->mem);
}

/* ---- reasons ---- */

/* What is looked for in Slurm's word on the task; if that says nothing, in its log and in what the task said; and what it means.
 * The first that fits. */
static const struct {
    const char *state, *log, *said, *why;
} reasons[] = {
    {"TIMEOUT", "DUE TO TIME LIMIT", NULL, "out of time"},
    {"DEADLINE", NULL, NULL, "out of time"},
    {"OUT_OF_MEMORY", "oom_kill", "out of memory", "out of memory"},
    {NULL, "oom-kill", NULL, "out of memory"},
    {NULL, "out of memory on the host", NULL, "out of memory"},
    {"PREEMPTED", "DUE TO PREEMPTION", NULL, "preempted"},
    {"NODE_FAIL", "DUE TO NODE FAILURE", NULL, "its node failed"},
    {"BOOT_FAIL", NULL, NULL, "its node failed"},
    {NULL, "No space left", "No space left", "no space left on the disk"},
    {NULL, NULL, "Disk quota exceeded", "no space left on the disk"},
    {NULL, NULL, "File too large", "no space left on the disk"},
    {"CANCELLED", "CANCELLED AT", NULL, "cancelled"},
};

static bool slurm_has(const char *text, const char *what) {
    return text && what && strcasestr(text, what);
}

/* The place of the reason in the table; its length: it is none of these. */
static size_t reason_of(const struct slurm_task *t, const char *said, const char *log) {
    size_t i = 0, n = sizeof reasons / sizeof *reasons;
    while (i < n && !(t && reasons[i].state && !strcmp(t->state, reasons[i].state))) i++;
    if (i < n) return i;
    for (i = 0; i < n && !slurm_has(log, reasons[i].log) && !slurm_has(said, reasons[i].said);) i++;
    return i;
}

const char *slurm_why(const struct slurm_task *t, const char *said, const char *log, struct arena *mem) {
    struct sb text = {0};
    size_t i = reason_of(t, said, log), n = sizeof reasons / sizeof *reasons;
    sb_add(&text, "%s", i < n ? reasons[i].why : "its task ended before it");
    if (t) {
        sb_add(&text, " (Slurm's task %llu_%llu: %s", (unsigned long long)t->job,
               (unsigned long long)t->index, t->state);
        if (*t->reason) sb_add(&text, ", %s", t->reason);
        if (*t->node) sb_add(&text, ", on %s", t->node);
        sb_add(&text, ")");
    }
    if (said && *said && strcmp(said, "stopped") != 0) sb_add(&text, ": %.200s", said);
    return sb_keep(&text, mem);
}
