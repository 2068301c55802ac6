#!/bin/bash
# Runs every test of the command line, from the root of the repository, against $HEDDLE (build/heddle unless set).
# Writes TAP; ends with "N passed, M failed", exit status 1 when M > 0. One file alone: tests/cli/run.sh usage.sh
set -u
cd "$(dirname "$0")/../.." || exit 2
HEDDLE=$(realpath "${HEDDLE:-build/heddle}") || exit 2
export HEDDLE LC_ALL=C
unset NO_COLOR
results=$(mktemp)
trap 'rm -f "$results"' EXIT
files=("$@")
[ $# -gt 0 ] || files=(usage.sh workloads.sh isa.sh launch.sh script.sh outputs.sh checkpoint.sh stopped.sh faults.sh timed.sh sample.sh trace.sh accel.sh compare.sh sweep.sh sweep-axes.sh sweep-files.sh sweep-cuda.sh results.sh shard.sh study.sh factors.sh reproduce.sh area.sh validate.sh explain.sh config.sh inspect.sh races.sh cuda.sh completion.sh docs.sh)
for f in "${files[@]}"; do
    bash "tests/cli/$f" || echo "not ok $f: ended with status $?"
done | tee "$results" | awk '/^(not )?ok / { n++; sub(/ok /, "ok " n " - ") } { print } END { print "1.." n }'
failed=$(grep -c '^not ok ' "$results")
passed=$(grep -c '^ok ' "$results")
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
