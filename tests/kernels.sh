#!/bin/sh
# The kernel and operation tests again on other machines: results must not depend on how long a path runs before
# another gets its turn, nor on the instructions the host has. Writes TAP for tests/run.
: "${BUILD:=build}"
n=0
echo "1..15"
for options in exec.quantum=1 "exec.quantum=7 exec.isa=portable" exec.isa=portable; do
    for program in kernels kernels_calls kernels_threads mops_warp mops_ctrl; do
        n=$((n + 1))
        if out=$(CMOCKA_MESSAGE_OUTPUT=STDOUT HEDDLE_TEST_OPTIONS=$options "$BUILD/tests/sim/$program" 2>&1); then
            echo "ok $n - $program with $options"
        else
            echo "not ok $n - $program with $options"
            echo "$out" | grep -v '^\[ *\(RUN\|OK\)' >&2
        fi
    done
done
