/* The command line of `heddle area`, as data. */
#include "cli/cmd/commands.h"

static const struct opt area_options[] = {
    {"mech", 'M', OPT_LIST, "NAME[:KEY=VALUE]...,...|all",
     "Mechanisms, as of 'heddle compare'. Without the option, all."},
    {"node", 'n', false, "90|40",
     "The process in nm. Without it, 90 for dwf-8800gtx and 40 for any other machine."},
    MACHINE_ROWS,
    {"totals", 0, false, NULL, "Only the totals of each mechanism, not its structures."},
    {"fit", 0, false, NULL, "Show the constants of the model and its error on each published row instead."},
    {"json", 0, OPT_WRITES, "FILE", "Write everything to FILE as JSON, the fit too; - is standard output."},
    {"csv", 0, OPT_WRITES, "FILE", "Write a row for each array of each mechanism to FILE."},
    {"markdown", 0, false, NULL, "Print the tables as Markdown."},
    {"quiet", 'q', false, NULL, "No tables; only files and errors."},
    {0},
};
static const struct help_entry area_shows[] = {
    {"arrays, entries, bits", "How many arrays are alike on an SM, entries of each, bits of an entry."},
    {"ways, tag, ports",
     "Entries read at once; bits that are kept once more for a search; read and write ports, or rw for one "
     "that does both."},
    {"register decoders", "One for each further lane, where threads of one issue have their registers in "
                          "different rows."},
    {"of the chip", "Of the published chip, with that on each of its SMs: GeForce 8800 GTX at 90 nm (DWF 7), "
                    "GF100 at 40 nm (HARP 8)."},
    {"beyond pdom", "That less the share of pdom's stacks on the same machine."},
    {"a row left out", "Of --fit: least and most of a constant over all fits that leave one row out."},
    {"error, left out", "Of --fit: the model's error on a published row, and that of a model fitted to all "
                        "other rows."},
    {0},
};
static const struct help_section area_sections[] = {
    {"What it shows", "", area_shows},
    {0},
};
static const struct help_entry area_examples[] = {
    {"heddle area --mech dwf --node 90", "DWF's Table 7.1, by the model."},
    {"heddle area --mech pdom,harp,tbc", "Three mechanisms on harp-fermi, at 40 nm."},
    {"heddle area --fit --node 90", "How well does the model fit what was published?"},
    {0},
};

const struct command command_area = {
    .name = "area",
    .operands = "",
    .min_operands = 0,
    .max_operands = 0,
    .summary = "what mechanisms take on a chip, in mm2 by structure",
    .text =
        "Computes the area of every structure that a mechanism adds to an SM from its entries, bits, ways "
        "and ports, by a model whose constants are fitted to the areas that DWF and HARP publish. The "
        "machine is dwf-8800gtx at 90 nm and harp-fermi at 40 nm unless --config says another. Nothing "
        "is simulated.",
    .options = area_options,
    .sections = area_sections,
    .examples = area_examples,
    .run = area_main,
};
