/* heddle completion SHELL: the script that a shell reads, and its other end, heddle completion words. */
#include <stdint.h>
#include <string.h>

#include "cli/cmd/commands.h"
#include "cli/cmd/completion.h"

/* Bash cuts words at its own characters too, such as = and :, and replaces only what follows the last of them. */
static const char bash[] =
    "# Completion of heddle's command lines in bash, by 'heddle completion bash'.\n"
    "_heddle() {\n"
    "    local line=${COMP_LINE:0:COMP_POINT} words word file=\n"
    "    read -ra words <<<\"$line\"\n"
    "    [[ $line == *[[:space:]] ]] && words+=(\"\")\n"
    "    local current=${words[-1]} IFS=$'\\n'\n"
    "    local path=${current#--*=}\n"
    "    COMPREPLY=()\n"
    "    for word in $(\"${words[0]}\" completion words -- \"${words[@]:1}\" 2>/dev/null); do\n"
    "        if [[ $word == :files ]]; then\n"
    "            for file in $(compgen -f -- \"$path\"); do COMPREPLY+=(\"${current%\"$path\"}$file\"); "
    "done\n"
    "            compopt -o filenames 2>/dev/null\n"
    "        else\n"
    "            COMPREPLY+=(\"$word\")\n"
    "        fi\n"
    "    done\n"
    "    [[ ${COMPREPLY[*]} == *= ]] && compopt -o nospace 2>/dev/null\n"
    "    COMPREPLY=(\"${COMPREPLY[@]#\"${current%\"${current##*[$COMP_WORDBREAKS]}\"}\"}\")\n"
    "}\n"
    "complete -F _heddle heddle\n";

static const char zsh[] =
    "#compdef heddle\n"
    "# Completion of heddle's command lines in zsh, by 'heddle completion zsh'.\n"
    "_heddle() {\n"
    "    local -a all plain\n"
    "    all=(\"${(@f)$(${words[1]} completion words -- \"${(@)words[2,CURRENT-1]}\" \"$PREFIX\" "
    "2>/dev/null)}\")\n"
    "    plain=(${all:#:files})\n"
    "    compadd -S '' -- ${(M)plain:#*=}\n"
    "    compadd -- ${plain:#*=}\n"
    "    if (( ${all[(I):files]} )); then\n"
    "        compset -P '--*='\n"
    "        _files\n"
    "    fi\n"
    "}\n"
    "if [ \"$funcstack[1]\" = _heddle ]; then _heddle \"$@\"; else compdef _heddle heddle; fi\n";

static const char fish[] =
    "# Completion of heddle's command lines in fish, by 'heddle completion fish'.\n"
    "function __heddle_words\n"
    "    set -l before (commandline -opc)\n"
    "    set -l current (commandline -ct)\n"
    "    for word in ($before[1] completion words -- $before[2..-1] \"$current\" 2>/dev/null)\n"
    "        if test \"$word\" = :files\n"
    "            __fish_complete_path \"$current\"\n"
    "        else\n"
    "            echo $word\n"
    "        end\n"
    "    end\n"
    "end\n"
    "complete -c heddle -f -a '(__heddle_words)'\n";

static const struct { const char *name, *script; } shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};

enum cli_exit completion_main(struct cli *c, const struct opts *o) {
    static const char *const names[] = {"bash", "zsh", "fish", NULL};
    const char *word = o->operands.v[0];
    struct sb out = {0};
    if (!strcmp(word, "words") && o->operands.n > 1)
        completion_words(o->operands.v + 1, o->operands.n - 1, &out);
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (!strcmp(word, shells[i].name) && o->operands.n == 1) sb_add(&out, "%s", shells[i].script);
    const bool known = out.len || !strcmp(word, "words");
    if (known) term_print(&c->term, &out);
    sb_free(&out);
    return known ? CLI_OK : cli_unknown(c, "shell", word, names, "bash, zsh or fish");
}

/* ---- the command line ---- */

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
