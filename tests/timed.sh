#!/bin/sh
# The kernel tests again on the timed machine, under every mechanism: they compare with the CPU, bit by bit. Those that spin
# on locks, print, or look at which threads run together, are not among them: that a mechanism may change. Writes TAP for
# tests/run.
: "${BUILD:=build}"
mechs=$("$BUILD/heddle" list mechanisms --json | sed -n 's/.*"name": *"\([^"]*\)".*/\1/p')
[ -n "$mechs" ] || exit 1
programs="kernels kernels_flow kernels_memory kernels_textures mops mops_atom"
few="kernels kernels_flow"
each=$few # all programs run on the large machine; on the small one, where HEDDLE_DIFF_ALL is set, as by .ci/run
[ -z "${HEDDLE_DIFF_ALL:-}" ] || each=$programs

# MECHANISM MACHINE PROGRAM...: every mechanism on the small machine; a stack, single threads and mixed warps on a large one,
# since the rest differ in nothing the SM sees; and a paper's mechanism on the paper's machine.
rows() {
    for mech in $mechs; do echo "$mech tiny $each"; done
    for mech in pdom mimd dwf; do echo "$mech turing-rtx2060 $programs"; done
    echo "dwf dwf-8800gtx $few"
    echo "harp harp-fermi $few"
    echo "lwm harp-fermi $few"
    echo "mp mp-fermi $few"
    echo "minpc sl-tesla $few"
    echo "tesla sl-tesla $few"
}

echo "1..$(rows | awk '{ n += NF - 2 } END { print n }')"
n=0
rows | while read -r mech config list; do
    for program in $list; do
        n=$((n + 1))
        options="config=configs/$config.ini run.mode=timed run.mech=$mech"
        if out=$(CMOCKA_MESSAGE_OUTPUT=STDOUT HEDDLE_TEST_OPTIONS=$options "$BUILD/tests/sim/$program" 2>&1 </dev/null); then
            echo "ok $n - $program under $mech on $config"
        else
            echo "not ok $n - $program under $mech on $config"
            echo "$out" | grep -v '^\[ *\(RUN\|OK\)' >&2
        fi
    done
done
