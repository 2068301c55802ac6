/* gnuplot as a child. The script and what gnuplot says go through files without a name, the picture through a pipe: whichever
 * of them is long, neither program waits for the other. -d: the user's own settings must not change a picture. */
#include "lab/results/gnuplot.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

void gnuplot_quote(struct sb *script, const char *text) {
    sb_add(script, "'");
    for (; *text; text++) {
        if (*text == '\'')
            sb_add(script, "''");
        else
            sb_addn(script, (unsigned char)*text < ' ' ? " " : text, 1);
    }
    sb_add(script, "'");
}

static bool no_gnuplot(int why, struct err *e) {
    if (why == ENOENT)
        return err_set(e, ERR_INPUT,
                       "there is no gnuplot, which draws --svg: install it (Debian's package gnuplot-nox)");
    return err_set(e, ERR_INPUT, "cannot run gnuplot: %s", strerror(why));
}

static bool gnuplot_spawn(int in, int out, int says, pid_t *child, struct err *e) {
    char *const words[] = {"gnuplot", "-d", NULL};
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, in, 0);
    posix_spawn_file_actions_adddup2(&files, out, 1);
    posix_spawn_file_actions_adddup2(&files, says, 2);
    const int why = posix_spawnp(child, words[0], &files, NULL, words, environ);
    posix_spawn_file_actions_destroy(&files);
    return !why || no_gnuplot(why, e);
}

static void gnuplot_read_all(int from, struct sb *out) {
    char part[4096];
    ssize_t n;
    while ((n = read(from, part, sizeof part)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0) sb_addn(out, part, (size_t)n);
}

static bool ended_well(pid_t child, FILE *says, struct err *e) {
    struct sb text = {0};
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    rewind(says);
    gnuplot_read_all(fileno(says), &text);
    const bool fine = WIFEXITED(status) && !WEXITSTATUS(status);
    if (!fine) err_set(e, ERR_INPUT, "gnuplot failed: %.400s", text.text ? text.text : "it says nothing");
    sb_free(&text);
    return fine;
}

static bool run_with(FILE *in, FILE *says, const struct sb *script, struct sb *out, struct err *e) {
    int ends[2];
    pid_t child;
    if (fwrite(script->text, 1, script->len, in) != script->len || fflush(in) || pipe(ends))
        return err_set(e, ERR_INPUT, "cannot run gnuplot: %s", strerror(errno));
    rewind(in);
    bool fine = gnuplot_spawn(fileno(in), ends[1], fileno(says), &child, e);
    close(ends[1]);
    if (fine) {
        gnuplot_read_all(ends[0], out);
        fine = ended_well(child, says, e);
    }
    close(ends[0]);
    return fine;
}

bool gnuplot_run(const struct sb *script, struct sb *out, struct err *e) {
    FILE *in = tmpfile(), *says = tmpfile();
    const bool fine = in && says ? run_with(in, says, script, out, e)
                                 : err_set(e, ERR_INPUT, "cannot run gnuplot: %s", strerror(errno));
    if (in) fclose(in);
    if (says) fclose(says);
    return fine;
}
