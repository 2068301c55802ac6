#!/bin/bash
# heddle record and heddle run FILE.hdt: a replay has the statistics of executing the program, to the cycle; what cannot be
# recorded or is damaged is refused.
. tests/cli/lib.inc

same() { # NAME A B: all but what the subject is called
    sed -e '/"digest"/d' -e '/^  "workload"/,/^  }/d' -e '/^  "trace"/d' "$2" >"$work/a"
    sed -e '/"digest"/d' -e '/^  "workload"/,/^  }/d' -e '/^  "trace"/d' "$3" >"$work/b"
    cmp -s "$work/a" "$work/b"
    verdict $? "$1"
}
replays() { # WORKLOAD MECHANISM OPTION...
    local name=$1 mech=$2
    shift 2
    [ -f "$work/$name.hdt" ] || run record "@$name" --size tiny -o "$work/$name.hdt"
    run run "@$name" --size tiny --mech "$mech" "$@" -q --json "$work/executed.json"
    run run "$work/$name.hdt" --mech "$mech" "$@" -q --json "$work/replayed.json"
    expect_status 0 "@$name replays under $mech $*"
    same "and takes the cycles of execution, with every other statistic" "$work/executed.json" "$work/replayed.json"
}
for name in ${TRACE_WORKLOADS:-bfs mandelbrot hash-join recursion function-pointer switch-indirect warp-vote-shuffle mu}; do
    for mech in pdom dwf harp tbc volta; do replays "$name" "$mech"; done
done
replays bfs sbi+swi
replays nested-diamond sandybridge
replays recursion mimd
replays bfs dwf --config harp-fermi --threads 2
replays mandelbrot volta --config turing-rtx2060 --set memory.warm_l2=true
# every kind of instruction that tells something, or is executed in a replay: copies, matrices, votes, barriers with results,
# calls, local memory, a table of branches
run record tests/cli/trace.ptx -o "$work/ops.hdt"
for mech in pdom dwf harp tbc volta tesla mimd; do
    run run tests/cli/trace.ptx --mech $mech -q --json "$work/executed.json"
    run run "$work/ops.hdt" --mech $mech -q --json "$work/replayed.json"
    same "a kernel of many instructions replays under $mech to the cycle" "$work/executed.json" "$work/replayed.json"
done
run run @bfs --size tiny --functional -q --json "$work/executed.json"
run run "$work/bfs.hdt" --functional -q --json "$work/replayed.json"
same "a functional replay counts what a functional run counts" "$work/executed.json" "$work/replayed.json"

run record @bfs --size tiny -o "$work/again.hdt"
cmp -s "$work/bfs.hdt" "$work/again.hdt"
verdict $? "recording twice gives the same bytes"
expect_in_out " launches, " "and says how large it is"
run record "$work/bfs.hdt" -o "$work/copy.hdt"
expect_status 2 "a trace is not recorded again"
run record examples/heat.ptx --script examples/heat.hds -o "$work/heat.hdt"
expect_status 0 "a script is recorded"
run run "$work/heat.hdt" --config tiny --mech harp
expect_in_out "600 of 1 kernel" "with all its launches"
run compare "$work/bfs.hdt" --mech pdom,harp
expect_status 0 "a comparison takes a trace"
run report "$work/bfs.hdt" -o "$work/report.html"
expect_status 0 "so does a report"
run run "$work/bfs.hdt" --profile
expect_in_out "bfs.cu" "and a profile has the lines of the source"

refused "-o FILE is missing" "record says where to" record @bfs
refused "--grid does not go with" "a trace brings its own launches" run "$work/bfs.hdt" --grid 2
refused "a trace, not PTX" "inspect says what to do with one" inspect "$work/bfs.hdt"
refused "a trace has no values" "races are not looked for in it" run "$work/bfs.hdt" --races
refused "explain chooses a launch of a program" "explain takes no trace" explain pdom "$work/bfs.hdt"
run record @spin-lock --size tiny -o "$work/spin.hdt"
expect_err "it uses what atomics return" "a kernel that waits for others is named"
run run "$work/spin.hdt" -q
expect_err "it uses what atomics return" "in a replay too"

size=$(stat -c %s "$work/bfs.hdt")
head -c $((size - 1)) "$work/bfs.hdt" >"$work/short.hdt"
refused "truncated" "a file without its end is refused" run "$work/short.hdt"
for at in 9 200 $((size / 2)) $((size * 3 / 4)) $((size - 30)); do
    cp "$work/bfs.hdt" "$work/bad.hdt"
    printf '\377\000\377' | dd of="$work/bad.hdt" bs=1 seek="$at" conv=notrunc 2>/dev/null
    run run "$work/bad.hdt" -q
    expect_status 2 "a file that is damaged at byte $at is refused"
done
