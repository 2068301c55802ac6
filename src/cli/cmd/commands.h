/* Tables of commands, and the rows that several of them have. */
#ifndef HEDDLE_CLI_CMD_COMMANDS_H
#define HEDDLE_CLI_CMD_COMMANDS_H

#include "cli/cli.h"
#include "subject/rows.h"

extern const struct command command_record;
extern const struct command command_run, command_report, command_explain, command_cuda;
extern const struct command command_compare, command_study, command_reproduce, command_sweep, command_results;
extern const struct command command_area, command_validate, command_nvcc;
extern const struct command command_config, command_inspect, command_list, command_completion, command_help,
    command_version;

extern const struct command *const commands[]; /* ends with NULL */
const struct command *command_find(const char *name);
/* "unknown command 'rnu' (did you mean 'run'?)" */
void command_unknown(const char *name, struct err *e);

enum cli_exit report_main(struct cli *c, const struct opts *o);
enum cli_exit record_main(struct cli *c, const struct opts *o);
enum cli_exit run_main(struct cli *c, const struct opts *o);
enum cli_exit area_main(struct cli *c, const struct opts *o);
enum cli_exit cuda_main(struct cli *c, const struct opts *o);
enum cli_exit compare_main(struct cli *c, const struct opts *o);
enum cli_exit config_main(struct cli *c, const struct opts *o);
enum cli_exit explain_main(struct cli *c, const struct opts *o);
enum cli_exit inspect_main(struct cli *c, const struct opts *o);
enum cli_exit study_main(struct cli *c, const struct opts *o);
enum cli_exit reproduce_main(struct cli *c, const struct opts *o);
enum cli_exit list_main(struct cli *c, const struct opts *o);
enum cli_exit results_main(struct cli *c, const struct opts *o);
enum cli_exit sweep_main(struct cli *c, const struct opts *o);
enum cli_exit validate_main(struct cli *c, const struct opts *o);
enum cli_exit completion_main(struct cli *c, const struct opts *o);
enum cli_exit help_main(struct cli *c, const struct opts *o);
enum cli_exit version_main(struct cli *c, const struct opts *o);

/* Ends of tables that have nothing else. */
extern const struct help_section no_sections[];
extern const struct help_entry no_entries[];

/* clang-format off */
#define SCRIPT_ROW \
    {"script", 0, OPT_READS, "FILE", \
     "Run what this script says instead of one launch: buffers, launches in order, loops, what to print, write and " \
     "check, on one device; - is standard input. docs/scripts.md describes the language."}
#define MACHINE_ROWS \
    {"config", 'c', OPT_READS, "NAME|FILE", \
     "The machine: one of 'heddle list configs', or a file of lines [section] and key = value. --set comes after " \
     "and wins."}, \
    {"set", 'S', true, "KEY=VALUE", \
     "Set an option of the machine, as in --set gpu.sms=4. See 'heddle list options'."}
#define MAX_INSTS_ROW \
    {"max-insts", 'm', false, "N", \
     "Stop with status 1 once a launch has executed more than N thread instructions. A bound for kernels that may " \
     "never end."}
#define SAMPLE_ROW \
    {"sample", 0, false, "[=DISTANCE]", \
     "Estimate launches that repeat earlier ones instead of simulating them: faster, and no longer exact " \
     "(docs/sampling.md). DISTANCE is how far their instructions by basic block may differ, from 0 to 1 (default: 0.02). " \
     "What was estimated is marked with ~."}
#define SIZE_ROW \
    {"size", 0, false, "SIZE", \
     "Of a workload: tiny, small (what it is without this option) or paper, the launch of the paper."}
#define ISA_ROW \
    {"isa", 0, false, "ptx|riscv|riscv-O1", \
     "Of a workload: which build of its kernels. Those of Fung's thesis are also compiled for RISC-V, with -O2 and with " \
     "-O1 (docs/riscv.md); @NAME:riscv is the same."}
/* clang-format on */

#endif
