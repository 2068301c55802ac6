#!/bin/bash
# tools/same-statistics: one binary gives the same as itself; another option, a changed number, a lost launch and another message
# are named with their place; what only the new binary has is no difference.
echo 1..9
d=$(mktemp -d)
trap 'rm -rf "$d"' EXIT
. tests/tap.inc
heddle=$(realpath "${HEDDLE:-build/heddle}")
few="--workloads one-thread,bfs --mechs pdom,lwm --configs tiny"
# A binary that is heddle but for what sed makes of its output.
doctored() { # SED
    printf '#!/bin/sh\n[ "$1" = run ] || exec %s "$@"\n%s "$@" | sed %s\n' "$heddle" "$heddle" "'$1'" >"$d/heddle"
    chmod +x "$d/heddle"
}
same() { # ARGUMENT...: status in $status
    # shellcheck disable=SC2086
    tools/same-statistics "$heddle" "$@" $few >"$d/out" 2>&1
    status=$?
}
says() { # STATUS PATTERN
    cat "$d/out" >&2
    [ "$status" -eq "$1" ] && grep -qE "$2" "$d/out"
}

same "$heddle"
check "one binary gives the same as itself" says 0 '^same: 4 runs$'
tools/same-statistics "$heddle" "$heddle" --workloads bfs --mechs pdom --configs tiny -- --set l1d.sets=1 >"$d/out" 2>&1
status=$?
check "another option differs, in statistics and not in options" says 1 'kernels/0/gpu.cycles: [0-9]+, now [0-9]+'
doctored 's/"gpu.cycles": 1/"gpu.cycles": 9/'
same "$d/heddle"
check "a changed number is named with its launch and both values" says 1 'kernels/0/gpu.cycles: 1[0-9]*, now 9[0-9]*$'
check "and the run it is of" says 1 '^differs: run @bfs --size tiny --mech pdom --config tiny$'
doctored '/"gpu.cycles"/d'
same "$d/heddle"
check "a statistic that is gone is a difference" says 1 'gpu.cycles: [0-9]+, now not there'
doctored 's/^  "options": {/&\n    "new.option": 1,\n    "new.list": [\n      1\n    ],/'
same "$d/heddle"
check "what only the new one has is none" says 0 '^same: 4 runs$'
doctored 's/"digest": "/&0/'
same "$d/heddle"
check "another digest of the results is a difference" says 1 'workload/digest: "'
printf '#!/bin/sh\n%s "$@"\n[ "$1" != run ] || { echo hello >&2; exit 3; }\n' "$heddle" >"$d/heddle"
same "$d/heddle"
check "other messages and another exit status are differences" says 1 'exit status 0, now 3'
tools/same-statistics "$heddle" "$d/nothing" >"$d/out" 2>&1
status=$?
check "a binary that is not there is an error" says 2 'nothing: not a program'
