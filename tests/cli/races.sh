#!/bin/bash
# heddle run --races: what is found, how it is told, the exit status; and compare, where memory differs.
. tests/cli/lib.inc
file=examples/warpsum.ptx

run run $file --kernel warpsum --races --json "$work/races.json"
expect_status 1 "a race ends with status 1"
for text in "races               2 pairs of instructions" "read-write of shared memory, byte 64 of " "128 times; first in kernel warpsum:" \
    "write          by block (0,0,0), thread (16,0,0)" "read           by block (0,0,0), thread (0,0,0)" "[./examples/warpsum.cu:17]" \
    "at $file:98: ld.shared.u32 %r23, [%rd4]; [./examples/warpsum.cu:20]" "no __syncwarp() between"; do
    expect_in_out "$text" "the report shows: $text"
done
expect_json "$work/races.json" races/races 2 "JSON counts them"
expect_json "$work/races.json" races/pairs/0/kind '"read-write"' "and has the kind"
expect_json "$work/races.json" races/pairs/0/space '"shared"' "the space"
expect_json "$work/races.json" races/pairs/0/offset 64 "the place"
expect_json "$work/races.json" races/pairs/0/accesses/0/thread/0 16 "both threads"
expect_json "$work/races.json" races/pairs/0/accesses/1/source_line 20 "and both lines"
run run $file --kernel warpsum --races --quiet
[ "$status" -eq 1 ] && [ ! -s "$out" ] && [ ! -s "$err" ]
verdict $? "--quiet leaves the exit status"
run run $file --kernel warpsum_sync --races
expect_status 0 "a program without races ends with status 0"
expect_in_out "races               none" "and says so"
run run $file --kernel warpsum --races=lockstep
[ "$status" -eq 0 ] && grep -q "races               none" "$out"
verdict $? "--races=lockstep is for programs from before Volta"
refused "--races=warp: it is --races or --races=lockstep" "nothing else" run $file --kernel warpsum --races=warp
refused "--mech needs a timed run: it does not go with --races" "the run is functional" run $file --kernel warpsum --races --mech pdom
refused "run.mode is timed" "nor is it an option of timed runs" run $file --kernel warpsum --set run.races=on
run run $file --kernel warpsum --races --set run.races_bytes=1M
expect_status 1 "what is kept has a bound"
run run @transpose --size small --races --set run.races_bytes=1M
expect_in_out "accesses not looked at" "beyond it, accesses are counted"
expect_err "run.races_bytes is too small" "with a warning"

# With their barriers kernels of the suite have no race; without, they do.
with_and_without() { # NAME ARGUMENT...
    local name=$1
    shift
    run run "tests/kernels/$name.ptx" "$@" --races --quiet
    expect_status 0 "$name with its barriers"
    sed 's/bar[a-z]*\.sync[^;]*;//' "tests/kernels/$name.ptx" >"$work/$name.ptx"
    run run "$work/$name.ptx" "$@" --races --quiet
    expect_status 1 "$name without"
}
with_and_without bitonic --grid 2 --block 64 --shared 512 --arg 'buf:u32[256]=rand(1)' --arg u32:128
with_and_without matmul --grid 2,2 --block 16,16 --arg 'buf:f32[1024]' --arg 'buf:f32[1024]=rand(1)' --arg 'buf:f32[1024]=rand(2)' --arg s32:32
with_and_without histogram --kernel histogram_shared --grid 2 --block 64 --arg 'buf:u32[64]' --arg 'buf:u8[999]=rand(1)' --arg u32:999
with_and_without reduce --kernel reduce_int --grid 2 --block 64 --arg 'buf:u32[1]' --arg 'buf:u32[999]=rand(1)' --arg u32:999

# All workloads are free of races. Of the same value, by many threads: what breadth-first search found in this round.
for w in $("$HEDDLE" list workloads | awk '{ print $1 }'); do
    run run "@$w" --size tiny --races
    [ "$status" -eq 0 ] && grep -q '^races               none' "$out"
    verdict $? "@$w has no race"
    ! grep '^races' "$out" | grep -q 'same value' || echo "$w" >>"$work/same"
done
[ "$(paste -sd' ' "$work/same")" = "bfs" ]
verdict $? "those that store one value from several threads are the known ones: $(paste -sd' ' "$work/same")"

run compare $file:warpsum $file:warpsum_sync --mech pdom,mimd --config tiny --json "$work/compare.json"
expect_status 1 "compare ends with status 1 where memory differs"
expect_err "warpsum: memory that depends on the mechanism comes from a data race of the program, most likely:" "and says why"
expect_err "read-write of shared memory" "with what the race check found"
expect_in_out "OTHER RESULT: data race" "the table does not blame the mechanism"
! grep -q "warpsum_sync: " "$err"
verdict $? "of others it says nothing"
expect_json "$work/compare.json" races/0/races 2 "JSON has it too"
expect_json "$work/compare.json" races/0/program '"warpsum"' "by program"
