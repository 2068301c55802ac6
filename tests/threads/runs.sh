#!/bin/bash
# Commands that use several threads of the host, small, for make tsan: simulations side by side, and the SMs of one launch where
# the command can share them out. That the bytes do not depend on the number of threads is checked on the way. Writes TAP.
d=$(mktemp -d)
trap 'rm -rf "$d"' EXIT
. tests/tap.inc
heddle=$(realpath "${HEDDLE:-build/heddle}")
quiet() { "$heddle" "$@" >"$d/out"; }
same() { cmp "$d/first" "$d/second"; }

pair() { # NAME OPTION COMMAND...: with 1 and with 4 of OPTION, the same JSON
    local name=$1 option=$2
    shift 2
    check "$name, one at a time" quiet "$@" "$option" 1 --json "$d/first"
    check "$name, four at a time" quiet "$@" "$option" 4 --json "$d/second"
    check "$name: the same bytes" same
}
pair "compare" --jobs compare @bfs @reduction --size tiny --mech pdom,dwf,volta --config tiny
check "sweep into a database" quiet sweep --workloads bfs,mandelbrot --size tiny --mech pdom,mimd --config tiny --jobs 4 --db "$d/db"
if "$heddle" run --help | grep -q -- --threads; then
    for mech in pdom dwf volta; do
        for workload in bfs reduction hash-join; do
            pair "$workload under $mech" --threads run "@$workload" --size tiny --mech "$mech" --config turing-rtx2060
        done
    done
    pair "locks between blocks" --threads run @spin-lock --size tiny --mech volta --config turing-rtx2060 # pdom never ends it
fi
echo "1..$n"
