#!/bin/bash
# The benchmark runs, checks its results against the CPU and prints its tables; beside itself it has the same instructions. How
# fast it is, no test asks.
echo 1..5
d=$(mktemp -d)
trap 'rm -rf "$d"' EXIT
. tests/tap.inc
: "${BUILD:=build}"
bench=$BUILD/bench/bench
[ -x "$bench" ] || make --no-print-directory BUILD="$BUILD" "$bench" >&2

"$bench" --part timed --quick --only Mandelbrot --json "$d/json" >"$d/out" 2>"$d/err"
check "a kernel on two machines" [ "$(grep -c '^Mandelbrot  *1\.20 ' "$d/out")" -eq 2 ]
check "its numbers as JSON" grep -q '"peer_thread_insts_per_s": 920000' "$d/json"
"$bench" --against "$bench" --quick --only 'vector add' >"$d/out" 2>"$d/err"
cat "$d/out" "$d/err" >&2
same_count() { # the last column of the row, or a dash where nothing can count
    awk '/^vector add/ { ok = $NF == "-" || ($NF > 0.99 && $NF < 1.01) } END { exit !ok }' "$d/out"
}
check "one build beside itself executes as many instructions" same_count
check "a case that does not exist is an error" sh -c "! '$bench' --case nothing 1 tiny pdom 1 1 2>'$d/err'"
check "and is named" grep -q 'nothing under pdom on tiny: no such kernel' "$d/err"
