/* heddle record: what the threads of a program do, to a file that `heddle run` and others take in its place.
 *
 * The program is run functionally, which takes every thread the way that it takes under any mechanism, unless threads race or
 * wait for one another. The file is written while it runs, under a temporary name until all is well. */
#include <string.h>

#include "cli/cmd/commands.h"
#include "cli/outfile.h"
#include "cli/stop.h"
#include "lab/run/accel.h"
#include "lab/run/trace.h"
#include "subject/machine.h"
#include "subject/subject.h"

struct record {
    struct cli *cli;
    const char *path;
    struct subject subject;
    struct machine machine;
    struct outfiles written;
    struct outstream *stream;
    struct lab_recorder *recorder;
    struct stop stop;
    bool quiet;
};

static bool write_to(void *user, const void *data, size_t n) {
    const struct record *r = user;
    outfile_put(r->stream, data, n);
    return true; /* what could not be written is told when the file gets its name */
}

static void print_to(void *user, const char *text, size_t n) {
    const struct cli *c = user;
    fwrite(text, 1, n, c->term.out);
}

static void print_main(void *user, const char *text, size_t n) {
    print_to(((const struct record *)user)->cli, text, n);
}

static int cmd_record_on_progress(void *user, uint64_t done, uint64_t all) {
    (void)done, (void)all;
    return !stop_asked(&((struct record *)user)->stop);
}

static void cmd_record_on_opened(void *user, hd_device *dev) {
    struct record *r = user;
    hd_set_print(dev, print_to, r->cli);
    hd_set_log(dev, subject_warn, r->cli);
    hd_set_progress(dev, cmd_record_on_progress, r);
    lab_record(r->recorder, dev);
}

static bool cmd_record_read_options(struct record *r, const struct opts *o, struct err *e) {
    r->path = opts_value(o, "output");
    r->quiet = opts_has(o, "quiet");
    if (!r->path) return err_set(e, ERR_INPUT, "-o FILE is missing: where the trace goes, as in -o bfs.hdt");
    if (!strcmp(outfile_name(r->path), "-"))
        return err_set(e, ERR_INPUT,
                       "-o: a trace goes to a file, since what kernels print goes to standard output");
    if (!subject_options(&r->subject, r->cli, o->operands.v[0], WORK_SMALL, o, e) ||
        !subject_check(&r->subject, 1, false, o, e) ||
        !machine_read(&r->machine, opts_value(o, "config"), o, e) ||
        !machine_choose(&r->machine, true, NULL, e) || !machine_limit(&r->machine, o, e))
        return false;
    /* So that the host's copies are kept: see sim/observe/tape.h. */
    machine_set(&r->machine, "memory.warm_l2", "true");
    return true;
}

static void say_size(const struct record *r, const struct hdt_sizes *s) {
    struct sb text = {0};
    sb_add(
        &text, "%s: %llu launch%s, %llu thread instructions, %llu bytes: %.4f bytes a thread instruction\n",
        r->path, (unsigned long long)s->launches, s->launches == 1 ? "" : "es", (unsigned long long)s->insts,
        (unsigned long long)s->bytes, s->insts ? (double)s->bytes / (double)s->insts : 0);
    if (!r->quiet) term_print(&r->cli->term, &text);
    sb_free(&text);
}

static void cmd_record_say(const struct record *r, const struct hdt_sizes *s) {
    struct sb text = {0};
    const char *doubts = lab_recorder_doubts(r->recorder);
    for (const char *at = doubts, *end; (end = strchr(at, '\n')); at = end + 1) {
        text.len = 0;
        sb_add(&text, "kernel %.*s; a replay goes where this run went, whatever machine it is on",
               (int)(end - at), at);
        term_warning(&r->cli->term, r->cli->command->name, text.text);
    }
    sb_free(&text);
    say_size(r, s);
}

static bool cmd_record_run(struct record *r, const hd_config *config, struct err *e) {
    const bool has_main = r->subject.program.binary;
    const struct lab_hooks hooks = {
        .opened = cmd_record_on_opened, .print = has_main ? print_main : NULL, .user = r, .no_digest = true};
    struct lab_outcome out;
    struct hdt_sizes sizes;
    outfile_begin(&r->written, &r->cli->writing);
    if (!outfile_open(&r->written, r->path, r->cli->term.out, &r->stream, e)) return false;
    r->recorder = lab_recorder_new(write_to, r);
    stop_hold(&r->stop, r->cli);
    lab_run(&r->subject.lab, config, &hooks, &out);
    const bool good = out.err.code ? err_set(e, out.err.code, "%s", err_text(&out.err))
                                   : lab_recorder_finish(r->recorder, &sizes, e) &&
                                         outfile_commit(&r->written, r->cli->term.out, e);
    stop_release(&r->stop);
    lab_outcome_free(&out);
    if (good) cmd_record_say(r, &sizes);
    return good;
}

/* Converts traces of another tool, and runs programs. */
static bool cmd_record(struct record *r, const char *operand, struct err *e) {
    const hd_config config = machine_config(&r->machine);
    struct hdt_sizes sizes;
    if (lab_is_accel(operand)) {
        outfile_begin(&r->written, &r->cli->writing);
        if (!outfile_open(&r->written, r->path, r->cli->term.out, &r->stream, e) ||
            !subject_convert(r->cli, operand, write_to, r, &sizes, e) ||
            !outfile_commit(&r->written, r->cli->term.out, e))
            return false;
        return say_size(r, &sizes), true;
    }
    if (!subject_read(&r->subject, e)) return false;
    if (r->subject.traced) return err_set(e, ERR_INPUT, "%s is a trace already", r->subject.program.file);
    return outfile_try(r->path, e) && subject_prepare(&r->subject, &config, e) &&
           cmd_record_run(r, &config, e);
}

enum cli_exit record_main(struct cli *c, const struct opts *o) {
    struct record r = {.cli = c};
    struct err e = {0};
    enum cli_exit status = CLI_OK;
    if (!cmd_record_read_options(&r, o, &e)) {
        status = cli_usage(c, &e);
    } else if (!cmd_record(&r, o->operands.v[0], &e)) {
        status = cli_fail(c, &e);
    }
    lab_recorder_free(r.recorder);
    outfile_free(&r.written);
    subject_free(&r.subject);
    machine_free(&r.machine);
    err_free(&e);
    return stop_die(&r.stop, c, status);
}

/* ---- the command line ---- */

static const struct opt record_options[] = {
    {"output", 'o', OPT_WRITES, "FILE", "Where the trace goes; usually called NAME.hdt."},
    LAUNCH_ROWS,
    CUDA_COMPILER_ROW,
    SCRIPT_ROW,
    SIZE_ROW,
    ISA_ROW,
    MACHINE_ROWS,
    MAX_INSTS_ROW,
    {"quiet", 'q', false, NULL, "Do not say how large the trace is."},
    {0},
};

static const struct help_entry record_examples[] = {
    {"heddle record @bfs --size tiny -o bfs.hdt", "All launches of a workload."},
    {"heddle run bfs.hdt --mech harp --config harp-fermi",
     "The same threads under HARP on HARP's machine, without their values."},
    {"heddle record examples/collatz.ptx -o collatz.hdt && heddle compare collatz.hdt",
     "A file as its own options say, then every mechanism on what it did."},
    {0},
};

const struct command command_record = {
    .name = "record",
    .operands = "FILE|@WORKLOAD",
    .min_operands = 1,
    .max_operands = 1,
    .summary = "write down what the threads of a program do, to be replayed on any machine",
    .text =
        "Runs a program as 'heddle run --functional' does and writes a trace: the program, its launches, and "
        "of every thread which way it went and what it accessed. 'heddle run FILE.hdt' replays it on any "
        "machine under any mechanism, without the program's inputs, and takes as many cycles as executing "
        "the program there would. docs/traces.md describes the file, what it takes to be the same, and where "
        "it cannot be.\n"
        "Kernels that use what atomics return, read memory that others change, or ask for clocks might go "
        "another way on another machine; they are named. Kernels that wait by mbarrier are refused. What "
        "kernels print, they print now, and not in a replay.\n"
        "Accel-Sim's traces of machine code, kernelslist.g or a kernel's .traceg, are converted.",
    .options = record_options,
    .sections = no_sections,
    .examples = record_examples,
    .run = record_main,
};
