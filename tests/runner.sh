#!/bin/bash
# tests/run itself: what it counts, and what it says of programs that fail, die, hit the time limit or are left out.
echo 1..10
d=$(mktemp -d)
trap 'rm -rf "$d"' EXIT
. tests/tap.inc

program() { # NAME LINE...: a test that consists of these lines of shell
    printf '%s\n' '#!/bin/sh' "${@:2}" >"$d/$1" && chmod +x "$d/$1"
}
program good 'echo ok 1 - a; echo ok b; echo 1..2'
program bad 'echo ok 1 - a; echo not ok 2 - b is wrong; echo the reason >&2; echo 1..2'
program dies 'echo 1..3; echo ok 1 - a; kill -SEGV $$'
program fails 'echo ok 1 - a; echo 1..1; exit 7'
program slow 'echo ok 1 - a; sleep 60'
program own "echo ok 1 - a; exit 124"
program partly 'echo ok 1 - a; echo "ok 2 - b # SKIP there is no c"; echo 1..2'
run() { # NAME...: leaves what tests/run says in $d/out
    TEST_TIMEOUT=4 tests/run "$d/log" "${@/#/$d/}" >"$d/out" 2>&1
}

run good bad dies fails slow own partly
check "any failure makes the exit status 1" [ $? -eq 1 ]
check "passes and failures are added up" [ "$(tail -n 1 "$d/out")" = "8 passed, 6 failed" ]
check "results left out are neither" grep -qx "1 skipped" "$d/out"
check "a failed result is shown" grep -qx " *not ok 2 - b is wrong" "$d/out"
check "with what the program said" grep -qx " *the reason" "$d/out"
check "tests that a dead program did not reach have failed" grep -qE "/dies +1 ok, 2 FAILED \(exit status 139\)" "$d/out"
check "an exit status is a failure by itself" grep -qE "/fails +1 ok, 1 FAILED \(exit status 7\)" "$d/out"
check "a time limit that was hit is named" grep -qE "/slow +1 ok, 1 FAILED \(time limit of 4 s was hit\)" "$d/out"
check "not where a program's own status is that of timeout" grep -qE "/own +1 ok, 1 FAILED \(exit status 124\)" "$d/out"
check "good programs by themselves end with status 0" eval 'run good partly && [ "$(tail -n 1 "$d/out")" = "3 passed, 0 failed" ]'
