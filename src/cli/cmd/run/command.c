/* The commands that run one program, as data: run, explain. */
#include "cli/cmd/commands.h"
#include "subject/sidecar.h"

/* ---- run ---- */

static const struct opt run_options[] = {
    LAUNCH_ROWS,
    CUDA_COMPILER_ROW,
    SCRIPT_ROW,
    SIZE_ROW,
    ISA_ROW,
    {"print", 'p', true, "N[:COUNT]",
     "After the run, show the buffer of argument N (the first is 0; or the NAME of a --buffer): its first "
     "COUNT "
     "elements, 64 unless said."},
    {"dump", 'd', OPT_REPEAT | OPT_WRITES, "N:FILE",
     "After the run, write the buffer of argument N, or of that NAME, to FILE: as an array of NumPy if its "
     "name ends in .npy, "
     "as "
     "text, an element a line, if in .csv or .txt, else as raw little-endian bytes; - is standard output."},
    {"json", 'j', OPT_WRITES, "FILE",
     "Write options and statistics to FILE as JSON; - is standard output. The keys are those of 'heddle list "
     "options' and 'heddle list stats'. The same run gives the same bytes."},
    {"host", 0, false, NULL,
     "Also report host seconds and speed where they are left out by default: in JSON and when the report "
     "does not go to a terminal."},
    {"functional", 'f', false, NULL, "Compute results only, without modelling time: faster, and no cycles."},
    {"races", 0, false, "[=lockstep]",
     "Look for data races: accesses of shared and global memory that nothing orders (docs/races.md). The run "
     "is "
     "functional, and the exit status 1 if there is one. With =lockstep, each instruction orders the lanes "
     "of a warp, as "
     "before Volta."},
    SAMPLE_ROW,
    {"threads", 0, false, "N",
     "Threads of the host that simulate; as many as it has cores unless said. Results are the same bytes for "
     "every N."},
    {"mech", 'M', false, "NAME[:KEY=VALUE]...",
     "Control-flow mechanism: one of 'heddle list mechanisms', and parameters of its own, as in "
     "pdom:side=most. Without it, run.mech of the configuration."},
    MACHINE_ROWS,
    {"interval", 'i', false, "N[:THREADS]",
     "Time series: what was done in every N cycles, as a table and in --json; with THREADS, --json and "
     "--series also count the instructions of each of the first so many threads."},
    {"series", 0, OPT_WRITES, "FILE", "Write the time series to FILE as CSV; - is standard output."},
    {"profile", 'P', false, NULL,
     "Show where the lane slots went: the branches that cost most, the lines and functions that suffer most, "
     "with PTX and source line. Also adds them to --json."},
    {"annotate", 'A', false, NULL,
     "Print the source (or the PTX, where the file is not there) with what each line suffers and causes in "
     "the "
     "margin. Adds the profile to --json."},
    {"trace", 't', OPT_WRITES, "FILE",
     "Write a line for every issue to FILE: cycle, SM, scheduler, PC, threads, instruction, event of the "
     "mechanism; - is standard output."},
    {"timeline", 0, OPT_WRITES, "FILE",
     "Write a timeline to FILE that chrome://tracing and Perfetto open, 1 us for each core cycle: a track "
     "for "
     "each warp, a slice for each stretch of issues with its PCs and lines, counters of each SM."},
    {"checkpoint", 0, OPT_UPDATES, "FILE[:EVERY]",
     "Save the run to FILE between launches, so that it can go on after the process or the host has ended: "
     "EVERY "
     "so many launches (:100), or after a launch when such a time has passed (:90s, :10m, :6h, :1d; without "
     "it "
     "10m). Each save replaces the file as a whole."},
    {"resume", 0, OPT_READS, "FILE",
     "Go on from a checkpoint: the same command line, with --resume, ends with the same output as a run that "
     "was "
     "never stopped. It is refused when program, inputs, options or heddle's version are not the same."},
    MAX_INSTS_ROW,
    {"quiet", 'q', false, NULL,
     "No report and no progress; only what --print, --dump, --json and the kernel itself write."},
    {0},
};

static const struct help_entry run_specs[] = {
    {"TYPE:VALUE", "A scalar: u8 s8 u16 s16 u32 s32 u64 s64 f16 f32 f64, and its value, decimal or 0x "
                   "hexadecimal. Floats may also be written inf, nan, or exactly as in PTX: 0f3f800000, "
                   "0d3ff0000000000000. A value the type cannot hold is an error."},
    {"buf:TYPE[COUNT]", "Address of a new buffer of COUNT elements in device memory, filled with zeros."},
    {"buf:TYPE[COUNT]=zero", "The same."},
    {"buf:TYPE[COUNT]=iota", "Filled with 0, 1, 2, ...; narrow integers wrap around, floats are rounded."},
    {"buf:TYPE[COUNT]=value(V)", "Every element is V."},
    {"buf:TYPE[COUNT]=rand(SEED)", "Random, the same for the same seed on every machine: integers over all "
                                   "values of the type, floats in [0, 1)."},
    {"buf:TYPE[COUNT]=rand(SEED,LO,HI)",
     "Random integers from LO to HI, both included; random floats in [LO, HI)."},
    {"buf:TYPE[COUNT]=file:PATH",
     "The elements in a file, exactly that many: of .npy a NumPy array of the same type in C order, of .txt "
     "and "
     ".csv numbers (commas and blanks between them, # begins a comment, a first line of CSV without a number "
     "is "
     "its heading), else raw little-endian bytes. With [] the count is that of the file."},
    {"sym:NAME", "Address of a .global variable of the module."},
    {"ptr:NAME", "Address of the buffer that --buffer NAME=... makes."},
    {"{FIELD, ...}", "A struct by value, laid out as C does. FIELD is TYPE:VALUE, an array TYPE[N]:{VALUE, "
                     "...} (or TYPE[N]:VALUE, "
                     "the same everywhere), ptr:NAME, sym:NAME, bytes:HEX, or a struct in braces. Its size "
                     "must be the parameter's."},
    {"bytes:HEX", "A struct by value, two hexadecimal digits for each byte in memory order."},
    {0},
};
static const struct help_entry run_outputs[] = {
    {"Report", "Unless --quiet, a report on standard output: launch (of a workload all of them, by kernel "
               "where they are many, and then their total), machine, cycles, instructions per cycle, lane "
               "activity (active lanes of issue slots), depth utilisation (scheduler cycles with an issue), "
               "divergence, splits alive, cache hits, DRAM, blocks on an SM and what limits them, storage of "
               "the mechanism, scheduler cycles by the number of threads they issued, idle cycles of threads "
               "by what they waited for. Without time: instructions, lane activity, branches. It is left out "
               "when - sends other data there. A terminal also sees host time and speed, and on standard "
               "error a progress line when a run takes longer than a second."},
    {"Files", "Whether they can be written is tried before the run. They are written under a temporary name "
              "and then renamed, all of them after the run: nothing is written when the launch fails, and "
              "never half a file. Only --trace and --timeline are kept when the program failed: they show "
              "how. Pipes and devices are written to where they are."},
    {"Stopped", "Ctrl-C (or SIGTERM) stops a run: standard error has the launch, the blocks that have ended, "
                "cycles, instructions and for each SM the line most of its warps stand on; the report and "
                "--json have the statistics until there, marked as partial. --print and --dump show "
                "nothing. A second Ctrl-C ends it at once. A checkpoint stays as it is: it has the launches "
                "that ended before it was written."},
    {"Kernel output",
     "What kernels print goes to standard output, or to standard error when - sends data to the former."},
    {0},
};
static const struct help_entry sidecars[] = {
    {"// heddle: OPTION...",
     "On a line of its own among the comments at the top of a PTX file: --kernel, --grid, --block, --shared, "
     "--arg, --buffer and --set-var for that file, with quotes as in a shell. The command line wins; one "
     "--arg there replaces "
     "all of the line. Paths in it are relative to the file. A file with several kernels may have a line for "
     "each."},
    {"{NAME=VALUE}, {EXPR}", "In such a line, a value that 'heddle sweep --set NAME=...' changes, and what "
                             "is computed from it, as in "
                             "--grid '{(n + 255) / 256}' --arg 'u32:{n=1024}'."},
    {0},
};
static const struct help_entry run_workloads[] = {
    {"@NAME",
     "A benchmark of 'heddle list workloads' with its own kernels, inputs and launches. What it computes is "
     "compared with what the CPU computes; if it differs, the first wrong element is named and the exit "
     "status is 1. Options of a launch do not apply; --size says how large it is."},
    {0},
};
static const struct help_entry run_scripts[] = {
    {"let NAME = EXPR",
     "A number. Expressions have + - * / %, comparisons, && || !, min, max, count(BUFFER), BUFFER[I]."},
    {"buffer NAME TYPE[COUNT] = CONTENTS",
     "CONTENTS: zero, iota, rand(SEED, LO, HI), {EXPR, ...}, file \"PATH\", another buffer, or an expression "
     "in which "
     "index is the element's. variable NAME [TYPE] names a variable of the module as a buffer."},
    {"set BUFFER[LO:HI] = CONTENTS",
     "All of a buffer, one element or a part. swap A B exchanges two buffers."},
    {"launch KERNEL grid X,Y block X,Y shared N args ARG, ...",
     "ARG: a buffer, &BUFFER[I], an expression, TYPE:EXPR, or a struct {TYPE:EXPR, ptr:BUFFER, ...}."},
    {"repeat N as NAME while COND { ... }", "And if COND { ... } else { ... }."},
    {"print ITEM, ...", "Texts, expressions, buffers and parts of them."},
    {"write BUFFER \"FILE\"", "As --dump; {NAME} in the file's name is a number."},
    {"check BUFFER == CONTENTS within ABS relative REL",
     "And check BUFFER from LO to HI, check COND. When one fails, the exit status is 1."},
    {0},
};
static const struct help_entry run_files[] = {
    {"FILE.ptx", "PTX, as 'nvcc -ptx' or clang writes it."},
    {"FILE.cu",
     "CUDA C++: compiled first, by nvcc where there is one, else by clang-19 with headers that come "
     "with heddle; which is said on standard error."},
    {"FILE.hdl",
     "A launch that 'heddle cuda --capture' took out of a CUDA program, with its arguments and memory."},
    {"FILE.hdt", "A trace that 'heddle record' wrote: its launches are replayed."},
    {"kernelslist.g, FILE.traceg",
     "Traces of machine code as Accel-Sim's tracer writes them: converted, then replayed."},
    {"-", "Any of the first three from standard input."},
    {"HEDDLE_CUDACC, HEDDLE_CUDA_DIR, HEDDLE_LIBCLC",
     "In the environment: the compiler, as --cuda-compiler; for clang the directory of the headers and the "
     "bitcode of libclc, where they are not in their usual places."},
    {0},
};
static const struct help_section run_sections[] = {
    {"Files", "", run_files},
    {"Workloads", "Instead of a file:", run_workloads},
    {"Scripts", "One statement a line, # begins a comment:", run_scripts},
    {"Arguments", "One --arg for each parameter of the kernel, in order. SPEC is one of:", run_specs},
    {"Options in the file", "A PTX file may say how it wants to be launched:", sidecars},
    {"Output", "", run_outputs},
    {0},
};
static const struct help_entry run_examples[] = {
    {"heddle run examples/collatz.ptx --profile",
     "As the file itself says, on the default machine; where do its warps lose lanes?"},
    {"heddle run examples/collatz.ptx --grid 4 --block 256 --arg 'buf:u32[1024]=iota' --arg 'buf:u32[1024]' "
     "--arg u32:1024 --functional --print 1:16",
     "Collatz steps of 0 to 1023; shows the first sixteen."},
    {"heddle run examples/photons.cu --cuda-compiler clang --cuda-flags -use_fast_math",
     "CUDA C++, compiled by clang."},
    {"heddle run @bfs --mech harp --config harp-fermi",
     "Breadth-first search under HARP on HARP's machine, verified against the CPU."},
    {"heddle run examples/heat.ptx --script examples/heat.hds",
     "Six hundred launches of a stencil, each on what the last one left, and a check of the result."},
    {"heddle run examples/collatz.ptx --mech nrec --config tiny --set sm.warp_size=16 --json stats.json",
     "Another mechanism on a smaller machine; the statistics go to a file."},
    {0},
};

const struct command command_run = {
    .name = "run",
    .operands = "FILE|@NAME [ARG]...",
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .summary = "run a kernel of a PTX or CUDA file, or a workload",
    .text = "Loads FILE, makes the arguments, runs one kernel over the grid and shows what it computed; "
            "or runs the workload NAME and verifies its results. Out-of-bounds or misaligned accesses, "
            "traps, failed assertions and barriers that cannot complete stop the run; the message names the "
            "thread, the PTX line, the source line and the nearest allocation.",
    .options = run_options,
    .sections = run_sections,
    .examples = run_examples,
    .run = run_main,
};
