#!/bin/sh
# The kernel tests again on the timed machine, under every mechanism: they compare with the CPU, bit by bit. Those that spin
# on locks, print, or look at which threads run together, are not among them: that a mechanism may change. Writes TAP for
# tests/run.
: "${BUILD:=build}"
n=0
all=$("$BUILD/heddle" list mechanisms --json | sed -n 's/.*"name": *"\([^"]*\)".*/\1/p')
[ -n "$all" ] || exit 1
few="pdom mimd dwf" # a stack, single threads and mixed warps: the rest differ in nothing the SM sees
echo "1..$((($(echo "$all" | wc -w) + $(echo "$few" | wc -w)) * 6))"
for config in tiny turing-rtx2060; do
    case $config in
    tiny) mechs=$all ;;
    *) mechs=$few ;;
    esac
    for mech in $mechs; do
        for program in kernels kernels_flow kernels_memory kernels_textures mops mops_atom; do
            n=$((n + 1))
            options="config=configs/$config.ini run.mode=timed run.mech=$mech"
            if out=$(CMOCKA_MESSAGE_OUTPUT=STDOUT HEDDLE_TEST_OPTIONS=$options "$BUILD/tests/sim/$program" 2>&1); then
                echo "ok $n - $program under $mech on $config"
            else
                echo "not ok $n - $program under $mech on $config"
                echo "$out" | grep -v '^\[ *\(RUN\|OK\)' >&2
            fi
        done
    done
done
