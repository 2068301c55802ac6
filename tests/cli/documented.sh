#!/bin/bash
# Every command that a page of the documentation or the help of a command shows does what it is shown to do: it ends with
# exit status 0 and no error, or, where the page shows an error below it, with an error. (docs.sh compares what the examples of
# some pages print.)
#
# A command is a line "$ ..." of a block of any kind, or a line of a block "sh", that begins with heddle or build/heddle. Those of a
# page run in their order in one folder, as a reader would type them, with the variables that the page sets. Pages run at the
# same time. A command that takes longer than DOCUMENTED_SECONDS is skipped, and so is what fails after it on its page: it may
# read what the command would have left.
case ${BUILD:-build} in *asan*)
    echo "1..0 # SKIP programs that a reader compiles load no library with sanitizers; the tests of each command run under them"
    exit 0 ;;
esac
. tests/cli/lib.inc
most=${DOCUMENTED_SECONDS:-60} # for one command
command_line="the commands of the pages" status=0
root=$PWD
: >"$out"
: >"$err"

# Beginnings of commands, of all pages or of one (PAGE: COMMAND), that are left out, and why.
left_out() {
    cat <<'LIST'
heddle compare $programs|minutes: every workload of a paper at size small
heddle compare @mp @mu @nqu @nw|minutes: every workload of a paper at size small
heddle reproduce harp.table2|minutes: every workload of a paper at size small
heddle reproduce --db results.sqlite|minutes: every claim
heddle reproduce --isa riscv|minutes: every claim about Fung's programs
heddle run @bfs --size paper|minutes: the launch of the paper; docs/checkpoints.md has the same at size tiny
heddle sweep --workloads all|minutes: every workload; slurm.sh runs sweeps over a cluster
heddle study factors --preset harp|minutes: a design of a paper
heddle study sensitivity @mp @mu --size paper|minutes: launches of the paper
heddle compare walks.hdl --mech all|minutes: every mechanism
heddle report walks.hdl --mech|minutes: a launch of 4096 walks with all that a page shows
heddle cuda --mech pdom,dwf --report|minutes: the same, twice
heddle sweep --program './program|minutes: nine runs of a program
docs_sweep.md: heddle results --db program.sqlite|it reads what the sweep above leaves
help: heddle sweep --program|minutes: eighteen runs of a program
help: heddle sweep --workloads bfs,mu|minutes: 24 points at size small
help: heddle validate|minutes: probes of a machine; validate.sh has them
help: heddle nvcc prog.cu|files of the reader; nvcc.sh has the like
help: heddle nvcc -arch=sm_80|files of the reader; nvcc.sh has the like
help: heddle nvcc -dc a.cu|files of the reader; nvcc.sh has the like
help: heddle compare before.cu|files of the reader; compare.sh has the like
help: heddle inspect examples/collatz.ptx --dot|it needs Graphviz; inspect.sh looks at the graph
help: heddle results|they read what the sweeps above leave; docs/sweep.md has the like
docs_sweep.md: heddle sweep status|a sweep over a cluster; slurm.sh has it
docs_sweep.md: heddle sweep resume|a sweep over a cluster; slurm.sh has it
docs_sweep.md: heddle sweep cancel|a sweep over a cluster; slurm.sh has it
docs_tutorial-mechanism.md: heddle|the mechanism is one that the reader adds
build/heddle cuda --mech pdom,dwf ./basics|the program is built by the line above, which is the compiler's
LIST
}

# Beginnings of commands that end with an error although the page shows no output, and why.
fails() {
    cat <<'LIST'
heddle explain pdom,volta @spin-lock|a spin lock under a stack is what the page shows: the run ends in a deadlock
LIST
}

# FILE: prints the commands of a page, a line each: "ok" or "error", a tab, the command. Assignments are commands too.
commands_of() {
    awk '
        function put() {
            if (cmd ~ /^([A-Z_]+=[^ ]* +)*(build\/)?heddle / || cmd ~ /^[a-z]+=[^ ]*$/ || cmd ~ /^[a-z]+="[^"]*"$/)
                print (bad ? "error" : "ok") "\t" cmd
            cmd = ""; bad = 0
        }
        /^ *```/ {
            put(); more = 0
            if (kind != "") { kind = ""; next }
            kind = $0; sub(/^ *```/, "", kind); if (kind == "") kind = "text"; next
        }
        kind == "" { next }
        more { sub(/^(> ?| +)/, ""); more = sub(/\\$/, ""); cmd = cmd $0; next }
        /^ *\$ / { put(); sub(/^ *\$ /, ""); more = sub(/\\$/, ""); cmd = $0; next }
        kind == "sh" || kind == "bash" { put(); more = sub(/\\$/, ""); sub(/ +#.*/, ""); cmd = $0; next }
        /(^|: )error: / { bad = 1 }
        END { put() }' "$1"
}

# The examples of --help, from the manual.
commands_of_help() {
    "$HEDDLE" help --man | sed -n '/^\.SH EXAMPLES/,/^\.SH "SEE/ s/^\\fB\(heddle .*\)\\fR$/ok\t\1/p' |
        sed "s/\\\\-/-/g; s/\\\\(aq/'/g; s/\\\\e/\\\\/g"
}

reason() { # LIST PAGE COMMAND: what the list says of the command; nothing if it is not there
    local page=$2 cmd=$3
    $1 | while IFS='|' read -r begin why; do
        case $cmd in "$begin"*) echo "$why" ;; esac
        case "$page: $cmd" in "$begin"*) echo "$why" ;; esac
    done | head -1
}

one_page() { # NAME FILE: runs the commands in FILE, "ok NAME: COMMAND" or "not ok NAME: COMMAND" each
    local folder=$work/$1 name=$1 expected cmd why got before= slow=
    mkdir -p "$folder/bin"
    ln -s "$HEDDLE" "$folder/bin/heddle"
    ln -s "$(dirname "$HEDDLE")" "$folder/build"
    ln -s "$root/tests" "$root/include" "$root/workloads" "$root/configs" "$root/docs" "$folder/"
    cp -r examples "$folder/examples"
    cp "$work/walks" "$folder/program" # what pages call the reader's own
    cd "$folder" || return
    [ "$name" != examples_README.md ] || cd examples || return
    while IFS=$'\t' read -r expected cmd; do
        if [[ $cmd =~ ^[a-z]+= ]]; then
            before+=$cmd$'\n'
            continue
        fi
        why=$(reason left_out "$name" "$cmd")
        if [ -n "$why" ]; then
            echo "ok $name: $cmd # SKIP $why"
            continue
        fi
        [ -z "$(reason fails "$name" "$cmd")" ] || expected=error
        PATH=$folder/bin:$PATH timeout "$most" bash -c "$before$cmd" >"$folder/.out" 2>"$folder/.err" </dev/null
        got=$?
        if grep -qE '(^|: )error: ' "$folder/.out" "$folder/.err"; then said=error; else said=ok; fi
        case $slow$expected/$said/$got in
        */*/124) slow=slow-; echo "ok $name: $cmd # SKIP took more than $most s" ;;
        *ok/ok/0 | *error/error/*) echo "ok $name: $cmd" ;;
        slow-*) echo "ok $name: $cmd # SKIP an earlier command of the page took too long" ;;
        *)
            echo "not ok $name: $cmd"
            {
                echo "--- $name: $cmd"
                echo "exit status $got; the page shows $expected"
                head -c 1000 "$folder/.err"
            } >&2
            ;;
        esac
    done <"$2"
}

"$HEDDLE" nvcc -O2 -lineinfo examples/walks.cu -o "$work/walks" 2>"$err"
verdict $? "a program for the examples can be built"
pages=$(find README.md examples/README.md docs -name '*.md' | sort)
mkdir "$work/pages"
for page in $pages; do
    name=${page//\//_}
    commands_of "$page" >"$work/pages/$name"
    [ -s "$work/pages/$name" ] || rm "$work/pages/$name"
done
commands_of_help >"$work/pages/help"
[ "$(grep -c '' "$work/pages/help")" -ge 40 ] && [ "$(cat "$work"/pages/* | grep -c '')" -ge 150 ]
verdict $? "pages and help have commands"
while IFS='|' read -r begin why; do
    (cd "$work/pages" && awk -F'\t' '{ print $2; print FILENAME ": " $2 }' *) | awk -v begin="$begin" 'index($0, begin) == 1 { found = 1 } END { exit !found }'
    verdict $? "what is listed here is there: $begin"
done < <(left_out; fails)

export -f one_page reason left_out fails
export work root most HEDDLE
ls "$work/pages" | xargs -P "$(nproc)" -I{} bash -c 'one_page {} "$work/pages/{}"' "$0"
