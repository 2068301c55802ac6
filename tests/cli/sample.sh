#!/bin/bash
# --sample: what is estimated is said on standard error, marked in reports, tables and JSON; what needs every launch refuses it.
. tests/cli/lib.inc
heat="examples/heat.ptx --script examples/heat.hds --config tiny"

# shellcheck disable=SC2086
run run $heat --json "$work/full.json"
# shellcheck disable=SC2086
run run $heat --sample --json "$work/sampled.json"
expect_status 0 "a sampled run ends well"
expect_err "warning: run.sample: launches that repeat earlier ones are estimated, not simulated" "it warns"
expect_in_out "SAMPLED             597 of 600 launches were estimated" "the report says how many launches are estimated"
expect_in_out "cycles              ~" "and marks the cycles"
expect_json "$work/sampled.json" sampled '{"launches":600,"simulated":3,"estimated":597}' "JSON has the numbers"
expect_json "$work/sampled.json" kernels/3/estimated true "and marks each launch"
expect_json "$work/sampled.json" total/gpu.estimated 597 "which is a statistic too"
! grep -q '"sampled"\|"estimated"' "$work/full.json"
verdict $? "a run in full has no mark"
cycles() { sed -n '/^  "total"/,$s/.*"gpu.cycles": \([0-9]*\),/\1/p' "$1"; }
full=$(cycles "$work/full.json") sampled=$(cycles "$work/sampled.json")
[ "$full" -gt 0 ] && [ $((sampled * 100)) -gt $((full * 98)) ] && [ $((sampled * 100)) -lt $((full * 102)) ]
verdict $? "its cycles are within 2 %"

run run @bitonic --size tiny --config tiny --sample=0
expect_status 0 "the workload's own check holds"
! grep -q SAMPLED "$out"
verdict $? "launches whose counts differ are not estimated at distance 0"
# shellcheck disable=SC2086
run compare $heat --mech pdom,volta --sample
expect_in_out "~ SAMPLED: " "a comparison says so"
grep -q '^  pdom  *~' "$out"
verdict $? "and marks its cycles"
for option in --profile --annotate "--interval 10" "--trace $work/t" "--timeline $work/t" --functional; do
    # shellcheck disable=SC2086
    run run @bitonic --size tiny --sample $option
    expect_status 2 "--sample does not go with ${option%% *}"
done
run run @bitonic --size tiny --sample=2
expect_status 2 "a distance is at most 1"
run run @bitonic --size tiny --set run.sample=true --trace "$work/t"
expect_status 2 "nor does the option go with a trace"
expect_err "run.sample: a trace, a time series or a profile needs every launch simulated" "which is said"
