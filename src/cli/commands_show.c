/* The commands that show what there is, as data: config, inspect, list, completion, help, version. */
#include <stdint.h>

#include "cfg/form.h"
#include "cli/commands.h"

/* ---- config ---- */

static const struct opt config_options[] = {
    {"set", 'S', true, "KEY=VALUE", "Set an option on top."},
    {"help-keys", 0, false, NULL, "With what each key means and accepts."},
    {0},
};
static const struct help_entry config_actions[] = {
    {"show [NAME|FILE]",
     "Every key with its value and where it comes from: default, the configuration, given. What it prints "
     "can be read back as a file. Without a name, the default machine."},
    {"diff NAME|FILE NAME|FILE", "The keys in which two machines differ."},
    {0},
};
static const struct help_section config_sections[] = {
    {"Actions", "", config_actions},
    {0},
};
static const struct help_entry config_examples[] = {
    {"heddle config show harp-fermi --set gpu.sms=4", "What machine is that, exactly?"},
    {"heddle config diff harp-fermi turing-rtx2060", "How do the two differ?"},
    {0},
};

const struct command command_config = {
    .name = "config",
    .operands = "ACTION [NAME|FILE]...",
    .min_operands = 1,
    .max_operands = 3,
    .summary = "show or compare machine configurations",
    .text = "Prints the machine that a configuration and settings make.",
    .options = config_options,
    .sections = config_sections,
    .examples = config_examples,
    .run = config_main,
};

/* ---- inspect ---- */

#define FORM_WORD(word, value) " " #word
static const struct opt inspect_options[] = {
    {"kernel", 'k', false, "NAME", "Only this kernel or function."},
    {"code", 'c', false, NULL, "List the instructions instead, as heddle runs them, block by block."},
    {"dot", 0, false, NULL,
     "Print the control-flow graph of one kernel for Graphviz instead; with --code, every instruction in "
     "it."},
    {"form", 0, false, "FORM",
     "Show that form of the program, as hardware that needs it would get it, with the instructions it adds: "
     "one of" CFG_FORM_CHOICES(FORM_WORD) "."},
    {"json", 0, false, NULL, "Print everything as JSON instead."},
    ISA_ROW,
    CUDA_FLAGS_ROW,
    CUDA_COMPILER_ROW,
    {0},
};
static const struct help_entry inspect_shows[] = {
    {"parameters", "Number, name, type, bytes and offset of each: what --arg of 'heddle run' has to supply."},
    {"registers",
     "32-bit registers a thread needs, calls included: what limits how many threads fit on an SM. As rows "
     "that its values take here, and an estimate of what compiled code has (sm.register_count)."},
    {"structure",
     "Whether the graph is nested if, else, while and switch; structured but for loops with breaks; "
     "unstructured; or irreducible (a loop with two entries): with the block that shows it and why."},
    {"branches", "Every conditional or indirect branch with its targets and its immediate post-dominator "
                 "(IPDOM), the earliest block where all its threads meet again; PTX lines, and source lines "
                 "where the compiler left them."},
    {"loops",
     "Header, depth, blocks, ways out; breaks: left from more than one block or to more than one place."},
    {"marks",
     "With --form: every instruction that the form added or made a mark of, with its block and line."},
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
    {"heddle inspect examples/collatz.ptx --form volta --code",
     "What a machine with convergence barriers would get; + marks what was added."},
    {0},
};

const struct command command_inspect = {
    .name = "inspect",
    .operands = "FILE|@NAME",
    .min_operands = 1,
    .max_operands = 1,
    .summary = "show kernels, their parameters, control flow and resources",
    .text = "Loads FILE, or the kernels of the workload NAME, and shows what is known before they run.",
    .options = inspect_options,
    .sections = inspect_sections,
    .examples = inspect_examples,
    .run = inspect_main,
};

/* ---- list ---- */

static const struct opt list_options[] = {
    {"json", 0, false, NULL, "Print the list as JSON."},
    {"markdown", 0, false, NULL, "Print the list as a Markdown table."},
    {0},
};
static const struct help_entry list_topics[] = {
    {"mechanisms",
     "Control-flow mechanisms that --mech takes: name, title, where it is from, what it can run."},
    {"configs", "Machines that --config takes by name."},
    {"workloads", "Benchmarks that @NAME runs: name, where it was measured, how far its warps diverge, its "
                  "launch there, what it does."},
    {"options", "Keys that --set takes: default, accepted values, meaning."},
    {"stats", "Statistics of a run: name, unit, the mechanism it is of if not of all, meaning. These are the "
              "keys of --json."},
    {"instructions", "Operations of the intermediate form: name, types, class."},
    {0},
};
static const struct help_section list_sections[] = {
    {"Topics", "", list_topics},
    {0},
};

const struct command command_list = {
    .name = "list",
    .operands = "TOPIC",
    .min_operands = 1,
    .max_operands = 1,
    .summary = "list mechanisms, configurations, workloads, options, statistics, instructions",
    .text = "Prints one of the tables that drive heddle.",
    .options = list_options,
    .sections = list_sections,
    .examples = no_entries,
    .run = list_main,
};

/* ---- completion ---- */

static const struct opt completion_options[] = {{0}};
static const struct help_entry completion_shells[] = {
    {"bash", "To be read by ~/.bashrc, or put into bash-completion's folder."},
    {"zsh", "To be put into a folder of fpath as _heddle, or read by ~/.zshrc after compinit."},
    {"fish", "To be put into ~/.config/fish/completions as heddle.fish."},
    {"words WORD...",
     "What the scripts ask: how the last of these words of a command line may go on, a line each."},
    {0},
};
static const struct help_section completion_sections[] = {
    {"Shells", "", completion_shells},
    {0},
};
static const struct help_entry completion_examples[] = {
    {"source <(heddle completion bash)", "In this shell, from now on."},
    {0},
};

const struct command command_completion = {
    .name = "completion",
    .operands = "SHELL",
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .summary = "print the completion script of a shell",
    .text = "Prints what a shell has to read so that it completes commands, options, mechanisms, machines, "
            "workloads and keys. 'make install' puts the scripts where shells look for them.",
    .options = completion_options,
    .sections = completion_sections,
    .examples = completion_examples,
    .run = completion_main,
};

/* ---- help, version ---- */

static const struct opt help_options[] = {
    {"man", 0, false, NULL, "Print the whole manual as a man page."},
    {"markdown", 0, false, NULL, "Print the help of a command as Markdown."},
    {0},
};

const struct command command_help = {
    .name = "help",
    .operands = "[COMMAND]",
    .min_operands = 0,
    .max_operands = 1,
    .summary = "show help on a command",
    .text = "Shows what 'heddle COMMAND --help' shows.",
    .options = help_options,
    .sections = no_sections,
    .examples = no_entries,
    .run = help_main,
};

static const struct opt no_options[] = {{0}};

const struct command command_version = {
    .name = "version",
    .operands = "",
    .min_operands = 0,
    .max_operands = 0,
    .summary = "print the version",
    .text = "Prints the version.",
    .options = no_options,
    .sections = no_sections,
    .examples = no_entries,
    .run = version_main,
};
