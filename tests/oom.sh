#!/bin/bash
# The command under less and less memory (ulimit -v, from what it takes to load it): a run either works or ends with status 2 and a message that
# speaks of memory; there is never half an output, a temporary file or an abort. TAP.
set -u
cd "$(dirname "$0")/.." || exit 2
HEDDLE=$(realpath "${HEDDLE:-build/heddle}") || exit 2
export LC_ALL=C
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n=0 failed=0
say() { # status of the check, what it checks
    n=$((n + 1))
    if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; failed=$((failed + 1)); fi
}
if grep -q __asan_init "$HEDDLE"; then
    echo "1..0 # SKIP sanitizers need more address space than any limit here"
    exit 0
fi
# From where the system can load the program at all, every 96 KB where it is what there is room for, then ever more coarsely.
first=8192
until (ulimit -v "$first" && ulimit -c 0 && exec "$HEDDLE" --version) >/dev/null 2>&1; do first=$((first + 96)); done
limits=$(awk -v first="$first" 'BEGIN { for (k = first; k < 160000; k += k < first + 2800 ? 96 : k < 20000 ? 512 : k / 6) printf "%d ", k }')

# NAME, the output that must be whole if the command worked, words: the command at each limit. Complaints go to standard output.
walk() {
    local name=$1 output=$2 bad=0 worked=0 ran_out=0 k status left
    shift 2
    for k in $limits; do
        rm -rf "$work/out" && mkdir "$work/out"
        (ulimit -v "$k" && ulimit -c 0 && exec timeout 60 "$HEDDLE" "$@") >"$work/stdout" 2>"$work/stderr"
        status=$?
        left=$(ls "$work/out" | grep -E 'tmp|journal|core')
        if [ -n "$left" ]; then
            echo "# $name, $k KB: left $left"
            bad=1
        fi
        if [ "$status" -eq 0 ]; then
            worked=1
            [ -s "$work/out/$output" ] || { echo "# $name, $k KB: worked, but no $output"; bad=1; }
            cmp -s "$work/out/$output" "$work/whole.$output" || [ "${output%.db}" != "$output" ] || {
                echo "# $name, $k KB: $output is not what it is with enough memory"
                bad=1
            }
        elif [ "$status" -eq 2 ] && grep -qi "memory" "$work/stderr"; then
            ran_out=1
            [ "${output%.db}" != "$output" ] || [ ! -e "$work/out/$output" ] || {
                echo "# $name, $k KB: failed, but left $output"
                bad=1
            }
        else
            echo "# $name, $k KB: status $status: $(head -c 300 "$work/stderr")"
            bad=1
        fi
    done
    [ "$worked" -eq 1 ] && [ "$ran_out" -eq 1 ] || { echo "# $name: worked $worked, ran out $ran_out"; bad=1; }
    say "$bad" "$name"
}

whole() { # the output with enough memory
    local output=$1
    shift
    rm -rf "$work/out" && mkdir "$work/out"
    "$HEDDLE" "$@" >/dev/null 2>&1
    mv "$work/out/$output" "$work/whole.$output"
}
both() { # NAME OUTPUT words...
    local name=$1 output=$2
    shift 2
    whole "$output" "$@"
    walk "$name" "$output" "$@"
}

file="tests/cli/timed.ptx:diverge --grid 4 --block 64 --arg buf:u32[256]"
# shellcheck disable=SC2086
{
    both "a timed run" s.json run $file --config harp-fermi --quiet --json "$work/out/s.json"
    both "a timed run with a trace" t.txt run $file --config harp-fermi --quiet --trace "$work/out/t.txt" --timeline "$work/out/l.json"
    both "a functional run" s.json run $file --functional --quiet --json "$work/out/s.json"
    both "a run with checkpoints" s.json run @bfs --size tiny --config tiny --quiet --json "$work/out/s.json" --checkpoint "$work/out/c:1"
    "$HEDDLE" run @bfs --size tiny --config tiny --quiet --checkpoint "$work/kept:7" >/dev/null
    both "a run that goes on" s.json run @bfs --size tiny --config tiny --quiet --json "$work/out/s.json" --resume "$work/kept"
    both "a comparison" c.json compare $file --config harp-fermi --mech pdom,mimd --quiet --json "$work/out/c.json"
    both "a sweep" r.db sweep --workloads bitonic --size tiny --mech pdom,dwf --config harp-fermi --db "$work/out/r.db" --quiet
}
echo "1..$n"
[ "$failed" -eq 0 ]
