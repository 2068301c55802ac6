/* What a command runs: @NAME, a workload with its own inputs, launches and check, a kernel of a file with what the command
 * line says about it, or the kernels of a file as a script says. Shared by run, compare and explain. */
#ifndef HEDDLE_SUBJECT_SUBJECT_H
#define HEDDLE_SUBJECT_SUBJECT_H

#include "lab/run/subject.h"
#include "lab/run/trace.h"
#include "script/script.h"
#include "subject/binary.h"
#include "subject/program.h"

struct subject {
    const struct workload *workload; /* NULL: program */
    enum work_size size;
    struct program program;
    const char *script_file; /* --script; NULL: none */
    struct script script;
    uint64_t script_digest; /* digest of the script's text */
    struct script_job script_job;
    struct binary_job binary_job;
    struct lab_script lab_script;
    bool traced; /* the file is a trace: subject_read */
    struct lab_trace trace;
    char *converted;        /* a file that it was converted to, removed at the end; NULL: none */
    struct lab_subject lab; /* subject_prepare */
};

/* Everything that can be said without opening a file. size: of a workload when --size does not say. Release with subject_free
 * in either case. */
bool subject_options(struct subject *s, const struct cli *c, const char *operand, enum work_size size,
                     const struct opts *o, struct err *e);
/* Refuses options that none of the subjects can use: those of a launch with workloads, --size with files. choose: --kernel is
 * also for workloads, where it chooses among their launches. */
bool subject_check(const struct subject *s, size_t n, bool choose, const struct opts *o, struct err *e);
/* Reads the file, and from the options it carries what the command line left open. */
bool subject_read(struct subject *s, struct err *e);
/* For hd_set_log, with a struct cli: prints warnings. */
void subject_warn(void *cli, hd_log_level level, const char *text);
/* Opens a device whose warnings are the command's. */
bool subject_open(const struct cli *c, const hd_config *config, hd_device **dev, struct err *e);
/* Tries a program on a device of its own: kernel, shape, arguments, room for the buffers. Then s->lab can run. */
bool subject_prepare(struct subject *s, const hd_config *config, struct err *e);
void subject_free(struct subject *s);

/* subject_script.c: the same three steps of a subject with a script. */
bool subject_script_options(struct subject *s, const struct opts *o, struct err *e);
bool subject_script_read(struct subject *s, struct err *e);
bool subject_script_prepare(struct subject *s, const hd_config *config, struct err *e);

/* subject_trace.c: the same two of a trace. */
bool subject_trace_read(struct subject *s, struct err *e);
bool subject_trace_prepare(struct subject *s);
void subject_trace_free(struct subject *s);
/* Converts launches of traces in another tool's format (lab/run/accel.h) to a stream. */
bool subject_convert(const struct cli *c, const char *path,
                     bool (*write)(void *user, const void *data, size_t n), void *user,
                     struct hdt_sizes *sizes, struct err *e);

/* subject_binary.c: the same of a program for RISC-V, whose options are known to fit only when it has been read. */
bool subject_binary_read(struct subject *s, struct err *e);
bool subject_binary_prepare(struct subject *s, const hd_config *config, struct err *e);

/* NULL unless the operand begins with @; then the workload, in the build that --isa asks for, or NULL and an error. */
const struct workload *subject_workload(const char *operand, const struct opts *o, struct err *e);
static inline bool subject_named(const char *operand) {
    return *operand == '@';
}

#endif
