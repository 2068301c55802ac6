#!/bin/bash
# heddle validate: tables, files, what it refuses.
. tests/cli/lib.inc

run validate latency.fp32 rate.fp32 latency.l2 --config turing-rtx2060 --json "$work/v.json" --csv "$work/v.csv"
expect_status 0 "three probes of a machine that holds to what was published"
grep -qE '^  latency.fp32 +4\.00 +cycles +4 +holds ' "$out"
verdict $? "ours beside the published figure"
expect_json "$work/v.json" machines/0/config '"turing-rtx2060"' "JSON names the machine"
expect_json "$work/v.json" machines/0/probes/2/published 236.0 "and has what was published"
expect_json "$work/v.json" machines/0/probes/2/verdict '"holds"' "and the verdict"
grep -q '^turing-rtx2060,rate.fp32,a cycle,' "$work/v.csv"
verdict $? "CSV has a row for each probe"
for j in 1 2; do run validate latency.fp32 banks.4 latency.constant2 --config tiny --jobs $j && cp "$out" "$work/j$j"; done
cmp -s "$work/j1" "$work/j2"
verdict $? "--jobs 2 gives the same bytes as --jobs 1"
grep -q 'latency.constant2: the machine has no second-level constant cache' "$out"
verdict $? "what the machine lacks is said"
run validate latency.l2 --config turing-rtx2060 --set l2.latency=1
expect_status 1 "a machine that is off fails"
grep -q ' OFF ' "$out"
verdict $? "and says so"
run validate latency.l4
expect_status 2 "an unknown probe"
grep -q "did you mean 'latency.l" "$err"
verdict $? "the nearest is named"
run validate latency.fp32 --config nosuch
expect_status 2 "an unknown machine"
[ "$(wc -l <"$err")" -le 2 ]
verdict $? "told once"
run validate latency.fp32 rate.fp32 --set nosuch.key=1
expect_status 2 "an unknown option"
