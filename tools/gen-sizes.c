/* Prints how large every workload is at every size, as a Markdown table: launches, threads of all of them, and thread instructions,
 * counted in a functional run, which also verifies it. */
#include <inttypes.h>
#include <stdio.h>

#include "lab/run/subject.h"

/* Three digits, and k, M or G. */
static void print_count(uint64_t n) {
    static const char *const unit[] = {"", " k", " M", " G"};
    double v = (double)n;
    int u = 0;
    while (v >= 999.5 && u < 3) v /= 1000, u++;
    printf("%.*f%s", !u || v >= 99.95 ? 0 : v >= 9.995 ? 1 : 2, v, unit[u]);
}

static bool print_size(const struct workload *w, enum work_size size) {
    const hd_option functional[] = {{"run.mode", "functional"}};
    const hd_config machine = {.options = functional, .noptions = 1};
    struct lab_outcome out;
    lab_run(&(struct lab_subject){.workload = w, .size = size}, &machine, NULL, &out);
    bool fine = !out.err.code;
    if (!fine) fprintf(stderr, "@%s at size %s: %s\n", w->name, work_size_names[size], err_text(&out.err));
    printf(" | %zu x ", out.launches);
    print_count(out.launches ? out.total.exec.threads / out.launches : 0);
    printf(", ");
    print_count(out.total.exec.thread_insts);
    lab_outcome_free(&out);
    return fine;
}

int main(void) {
    bool fine = true;
    printf("| name");
    for (int i = 0; i < WORK_SIZES; i++) printf(" | %s", work_size_names[i]);
    printf(" |\n|---|---|---|---|\n");
    for (const struct workload *w = workload_list; w->name; w++) {
        printf("| %s", w->name);
        for (int i = 0; i < WORK_SIZES; i++) fine &= print_size(w, (enum work_size)i);
        printf(" |\n");
    }
    return fflush(stdout) || !fine;
}
