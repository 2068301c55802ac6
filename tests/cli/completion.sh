#!/bin/bash
# Shell completion: what heddle offers for the last word of a command line, and that the scripts of the shells ask for it.
. tests/cli/lib.inc
offers() { # EXPECTED NAME WORD...: exactly these lines, as words of one line
    local expected=$1 name=$2
    shift 2
    run completion words -- "$@"
    [ "$(paste -sd' ' "$out")" = "$expected" ]
    verdict $? "$name"
}
offers "run" "commands" ru
run completion words -- ''
[ "$(wc -l <"$out")" -eq "$("$HEDDLE" --help | grep -cE '^  [a-z]+( |$)')" ]
verdict $? "all of them where nothing is typed"
offers "--json" "options" run --js
offers "--help" "--help, which every command has" version --
offers ":files" "a file where one is wanted" run --json ''
offers ":files" "and where more may follow it" run --checkpoint ''
offers "dwf dws" "mechanisms" run --mech dw
offers "pdom,dwf pdom,dws" "behind a comma" compare @bfs --mech pdom,dw
offers "--mech=dwf --mech=dws" "behind an equals sign" run --mech=dw
offers "--races=lockstep" "a value that may be missing" run --races=
offers "--races" "which takes no word of its own" run --races --rac
offers "tiny :files" "configurations, and files" run -c ti
offers "run.mode=" "keys of options" run --set run.mo
offers "run.mode=auto run.mode=functional run.mode=timed" "and their words" run --set run.mode=
offers "tiny" "sizes" run @bfs --size t
offers "@bfs :files" "workloads and files" run @bf
offers "bfs" "workloads by name" sweep --workloads bf
offers "stats" "topics of a list" list st
offers ":files" "a program" cuda --quiet ''
offers ":files" "whose words are its own" cuda ./program --js
offers "show" "actions" config sh
offers "pdom,dwf pdom,dws" "mechanisms to explain" explain pdom,dw
offers "@bfs :files" "a program after them" explain pdom @bf
offers "oracle-lanes oracle-reconvergence" "studies" study or
offers "bars lines heat scatter" "plots" results --plot ''
offers "workload,mech" "axes, behind the last comma" results --rows workload,mec
offers "memory.seed" "options are axes" results --over memory.se
offers "gpu.ipc" "statistics" results --x gpu.ip
offers "memory.seed=" "an option and its values, of a study" study sensitivity --over memory.se
offers "" "nothing where nothing fits" version x
offers "" "nor after an unknown command" frobnicate x

for shell in bash zsh fish; do
    run completion $shell
    cp "$out" "$work/$shell"
    [ "$status" -eq 0 ] && grep -q 'completion words' "$out"
    verdict $? "there is a script for $shell"
done
refused "unknown shell 'powershell' (bash, zsh or fish)" "not for every shell" completion powershell

# As bash calls it: the words are cut at its own characters, and only what follows the last of them is replaced.
mkdir "$work/bin"
ln -s "$HEDDLE" "$work/bin/heddle"
in_bash() { # LINE
    command_line="bash: $1"
    PATH=$work/bin:$PATH bash --norc -c 'source "$1"; COMP_LINE=$2 COMP_POINT=${#2}; _heddle; printf "%s\n" "${COMPREPLY[@]}"' - "$work/bash" "$1" >"$out" 2>"$err"
    status=$?
}
replies() { # EXPECTED NAME LINE
    in_bash "$3"
    [ "$(sort "$out" | paste -sd' ')" = "$1" ]
    verdict $? "$2"
}
replies "compare completion config" "bash completes commands" "heddle co"
replies "--mech" "options" "heddle run @bfs --me"
replies "dwf dws" "values" "heddle run @bfs --mech=dw"
replies "bfs" "workloads, behind the @" "heddle run @bf"
replies "examples/collatz.cu examples/collatz.ptx" "files" "heddle run examples/coll"
PATH=$work/bin:$PATH bash --norc -c 'source "$1"; complete -p heddle' - "$work/bash" >"$out" 2>"$err"
expect_in_out "complete -F _heddle heddle" "and does so for heddle"

if command -v zsh >/dev/null; then
    PATH=$work/bin:$PATH zsh -f -c 'compdef() { :; }; compset() { :; }; _files() { print files; }; compadd() { print -l -- "$@"; }
        source $1; words=(heddle run --me) CURRENT=3 PREFIX=--me; _heddle
        words=(heddle run --json "") CURRENT=4 PREFIX=; _heddle' - "$work/zsh" >"$out" 2>"$err"
    grep -qx -- --mech "$out" && grep -qx files "$out"
    verdict $? "zsh asks and adds"
fi
if command -v fish >/dev/null; then
    PATH=$work/bin:$PATH HOME=$work fish --no-config -c "source $work/fish; complete -C 'heddle run @bfs --mech dw'" >"$out" 2>"$err"
    [ "$(paste -sd' ' "$out")" = "dwf dws" ]
    verdict $? "fish asks and adds"
fi
