/* The commands and their options, as data. Parser, --help, the man page (docs/heddle.1) and the option lists
 * of docs/cli.md are all made from these tables; nothing about an option is said anywhere else. */
#include <string.h>

#include "cli/cli.h"
#include "cli/help.h"
#include "cli/sidecar.h"

/* Rows that several tables have. */
/* clang-format off */
#define LAUNCH_ROWS \
    {"kernel", 'k', false, "NAME", \
     "Kernel to run. May be left out when the file has only one; otherwise the kernels are listed."}, \
    {"grid", 'g', false, "X[,Y[,Z]]", "Blocks of the grid in each dimension; what is left out is 1."}, \
    {"block", 'b', false, "X[,Y[,Z]]", \
     "Threads of a block in each dimension. May be left out when the kernel itself fixes them (.reqntid)."}, \
    {"shared", 's', false, "BYTES", \
     "Dynamic shared memory of a block, for .extern .shared arrays (default 0)."}, \
    {"arg", 'a', true, "SPEC", \
     "The next argument of the kernel, in the order of its parameters; see Arguments below."}
/* clang-format on */

/* What the comment of a PTX file may say (cli/sidecar.h). */
const struct opt launch_options[] = {LAUNCH_ROWS, {0}};

/* ---- run ---- */

static const struct opt run_options[] = {
    LAUNCH_ROWS,
    {"print", 'p', true, "N[:COUNT]",
     "After the run, show the buffer of argument N (the first is 0): its first COUNT elements, 64 unless "
     "said."},
    {"dump", 'd', true, "N:FILE",
     "After the run, write the buffer of argument N to FILE as raw little-endian bytes; - is standard "
     "output."},
    {"json", 'j', false, "FILE",
     "Write options and statistics to FILE as JSON; - is standard output. The keys are those of 'heddle list "
     "options' and "
     "'heddle list stats'. The same run gives the same bytes."},
    {"host", 0, false, NULL,
     "Also report host seconds and speed where they are left out by default: in JSON and when the report "
     "does not go to "
     "a terminal."},
    {"functional", 'f', false, NULL,
     "Compute results without modelling time. At present the only mode, and so the default."},
    {"max-insts", 'm', false, "N",
     "Stop with status 1 after N thread instructions. A bound for kernels that may never end."},
    {"config", 'c', false, "FILE",
     "Read options of the machine from FILE: lines [section] and key = value. --set comes after and wins."},
    {"set", 'S', true, "KEY=VALUE",
     "Set an option of the machine, as in --set mem.global_bytes=8G. See 'heddle list options'."},
    {"quiet", 'q', false, NULL,
     "No report and no progress; only what --print, --dump, --json and the kernel itself write."},
    {0},
};

static const struct help_entry run_specs[] = {
    {"TYPE:VALUE", "A scalar: u8 s8 u16 s16 u32 s32 u64 s64 f16 f32 f64, and its value, decimal or 0x "
                   "hexadecimal. Floats may also be "
                   "written inf, nan, or exactly as in PTX: 0f3f800000, 0d3ff0000000000000. A value the type "
                   "cannot hold is an error."},
    {"buf:TYPE[COUNT]", "Address of a new buffer of COUNT elements in device memory, filled with zeros."},
    {"buf:TYPE[COUNT]=zero", "The same."},
    {"buf:TYPE[COUNT]=iota", "Filled with 0, 1, 2, ...; narrow integers wrap around, floats are rounded."},
    {"buf:TYPE[COUNT]=value(V)", "Every element is V."},
    {"buf:TYPE[COUNT]=rand(SEED)", "Random, the same for the same seed on every machine: integers over all "
                                   "values of the type, floats in [0, 1)."},
    {"buf:TYPE[COUNT]=rand(SEED,LO,HI)",
     "Random integers from LO to HI, both included; random floats in [LO, HI)."},
    {"buf:TYPE[COUNT]=file:PATH",
     "Raw little-endian bytes of a file of exactly that size. With [] the count is that of the file."},
    {"sym:NAME", "Address of a .global variable of the module."},
    {"bytes:HEX", "A struct by value, two hexadecimal digits for each byte in memory order."},
    {0},
};
static const struct help_entry run_outputs[] = {
    {"Report",
     "Unless --quiet, a short report on standard output: launch, instructions, lane activity (thread "
     "instructions over "
     "32 for each warp instruction), branches. It is left out when - sends other data there. A terminal also "
     "sees host "
     "time and speed, and on standard error a progress line when a run takes longer than a second."},
    {"Files", "Written under a temporary name and then renamed, all of them after the run: nothing is "
              "written when the launch fails, "
              "and never half a file."},
    {"Kernel output",
     "What kernels print goes to standard output, or to standard error when - sends data to the former."},
    {0},
};
static const struct help_section run_sections[] = {
    {"Arguments", "One --arg for each parameter of the kernel, in order. SPEC is one of:", run_specs},
    {"Output", "", run_outputs},
    {0},
};
static const struct help_entry run_examples[] = {
    {"heddle run examples/collatz.ptx --grid 4 --block 256 --arg 'buf:u32[1024]=iota' --arg 'buf:u32[1024]' "
     "--arg u32:1024 "
     "--print 1:16",
     "Collatz steps of 0 to 1023; shows the first sixteen."},
    {"heddle run examples/collatz.ptx -g 4 -b 256 -a 'buf:u32[1024]=rand(7,1,1000000)' -a 'buf:u32[1024]' -a "
     "u32:1024 -q "
     "--dump 1:steps.bin --json stats.json",
     "The same on random numbers; the result goes to a file, the statistics to another."},
    {0},
};

/* ---- inspect ---- */

static const struct opt inspect_options[] = {
    {"kernel", 'k', false, "NAME", "Only this kernel or function."},
    {"code", 'c', false, NULL, "List the instructions instead, as heddle runs them, block by block."},
    {"dot", 0, false, NULL,
     "Print the control-flow graph of one kernel for Graphviz instead; with --code, every instruction in "
     "it."},
    {"json", 0, false, NULL, "Print everything as JSON instead."},
    {0},
};
static const struct help_entry inspect_shows[] = {
    {"parameters", "Number, name, type, bytes and offset of each: what --arg of 'heddle run' has to supply."},
    {"registers",
     "32-bit registers a thread needs, calls included: what limits how many threads fit on an SM."},
    {"structure", "Whether the graph is nested if, else, while and switch; structured but for loops with "
                  "breaks; unstructured; or "
                  "irreducible (a loop with two entries): with the block that shows it and why."},
    {"branches",
     "Every conditional or indirect branch with its targets and its immediate post-dominator (IPDOM), the "
     "earliest block where all its threads meet again; PTX lines, and source lines where the compiler left "
     "them."},
    {"loops",
     "Header, depth, blocks, ways out; breaks: left from more than one block or to more than one place."},
    {"mix", "Instructions by the class of the unit that runs them, as they stand in the code."},
    {0},
};
static const struct help_section inspect_sections[] = {
    {"What it shows", "For each kernel and device function:", inspect_shows},
    {0},
};
static const struct help_entry inspect_examples[] = {
    {"heddle inspect examples/collatz.ptx", "Where does it branch, and where do the branches meet again?"},
    {"heddle inspect examples/collatz.ptx --dot | dot -Tsvg > collatz.svg", "A picture of it."},
    {0},
};

/* ---- list, help, version ---- */

static const struct opt list_options[] = {
    {"json", 0, false, NULL, "Print the list as JSON."},
    {0},
};
static const struct help_entry list_topics[] = {
    {"options", "Keys that --set takes: default, accepted values, meaning."},
    {"stats", "Statistics of a run: name, unit, meaning. These are the keys of --json."},
    {"instructions", "Operations of the intermediate form: name, types, class."},
    {0},
};
static const struct help_section list_sections[] = {
    {"Topics", "", list_topics},
    {0},
};

static const struct opt help_options[] = {
    {"man", 0, false, NULL, "Print the whole manual as a man page."},
    {"markdown", 0, false, NULL, "Print the help of a command as Markdown."},
    {0},
};
static const struct opt no_options[] = {{0}};
static const struct help_section no_sections[] = {{0}};
static const struct help_entry no_examples[] = {{0}};

const struct command commands[] = {
    {"run", "FILE.ptx", 1, 1, "run a kernel of a PTX file",
     "Loads FILE.ptx, makes the arguments, runs one kernel over the grid and shows what it computed. "
     "Out-of-bounds or "
     "misaligned accesses, traps, failed assertions and barriers that cannot complete stop the run; the "
     "message names the "
     "thread, the PTX line, the source line and the nearest allocation.",
     run_options, run_sections, run_examples, run_main},
    {"inspect", "FILE.ptx", 1, 1, "show kernels, their parameters, control flow and resources",
     "Loads FILE.ptx and shows what is known before it runs.", inspect_options, inspect_sections,
     inspect_examples, inspect_main},
    {"list", "TOPIC", 1, 1, "list options, statistics, instructions",
     "Prints one of the tables that drive heddle.", list_options, list_sections, no_examples, list_main},
    {"help", "[COMMAND]", 0, 1, "show help on a command", "Shows what 'heddle COMMAND --help' shows.",
     help_options, no_sections, no_examples, help_main},
    {"version", "", 0, 0, "print the version", "Prints the version.", no_options, no_sections, no_examples,
     version_main},
    {0},
};

const char help_description[] = "heddle runs GPU kernels, as compilers emit them in PTX, on a simulated SIMT "
                                "processor. It is about control flow: where "
                                "the threads of a warp diverge, where they meet again, and what that costs.";

static const struct help_entry exit_codes[] = {
    {"0", "Success."},
    {"1", "The simulated program failed: a fault, a trap, an assertion, or the bound of --max-insts."},
    {"2", "Bad usage or bad input: an unknown option, a file that cannot be read, PTX with errors; also "
          "output that could "
          "not be written."},
    {0},
};
static const struct help_entry variables[] = {
    {"NO_COLOR", "When set and not empty, no colour on terminals."},
    {0},
};
const struct help_section help_general[] = {
    {"Exit status", "", exit_codes},
    {"Environment", "", variables},
    {0},
};

const struct command *command_find(const char *name) {
    for (const struct command *c = commands; c->name; c++)
        if (!strcmp(c->name, name)) return c;
    return NULL;
}

void command_unknown(const char *name, struct err *e) {
    const char *names[sizeof commands / sizeof *commands];
    size_t n = 0;
    for (const struct command *c = commands; c->name; c++) names[n++] = c->name;
    names[n] = NULL;
    const char *near = nearest_name(name, names);
    if (near)
        err_set(e, ERR_INPUT, "unknown command '%.60s' (did you mean '%s'?)", name, near);
    else
        err_set(e, ERR_INPUT, "unknown command '%.60s'", name);
}
