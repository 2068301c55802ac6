#!/bin/sh
# docs/papers.md names what is in the tree: options, statistics, claims, mechanisms, machines, workloads, studies, tests and pages.
# A made-up one of each kind, planted in a copy, is reported; so are a claim that is nowhere and a wrong number of rows.
count=0
verdict() { # STATUS NAME
    count=$((count + 1))
    if [ "$1" -eq 0 ]; then echo "ok $count - $2"; else echo "not ok $count - $2"; fi
}
d=$(mktemp -d)
trap 'rm -rf "$d"' EXIT

tools/check-papers "$HEDDLE" >&2
verdict $? "what docs/papers.md names is in the tree"

planted() { # WHAT MESSAGE NAME: a page whose first row of SL has WHAT in it besides is refused with MESSAGE
    awk -v what="$1" '{ print } /^## SL/ { sl = 1 } sl && /^\|---/ { getline; sub(/ \|$/, ""); print $0 " " what " |"; sl = 0 }' \
        docs/papers.md >"$d/page.md"
    tools/check-papers "$HEDDLE" "$d/page.md" >"$d/out" && return 1
    [ "$(wc -l <"$d/out")" -eq 1 ] && grep -qF -- "$2" "$d/out"
}
while IFS=' ' read -r kind name; do
    planted "\`$name\`" "\`$name\` is nothing in this tree"
    verdict $? "$kind that is not there is reported"
done <<'NAMES'
option sm.made_up
value sm.issue = made_up
number sm.depth = made_up
statistic gpu.made_up
claim dwf.made-up
pattern harp.table9.*
mechanism made-up
parameter dwf:policy=made_up
workload @made-up
command heddle made-up
study heddle study made-up
flag heddle area --made-up
file tests/unit/mech/made_up.c
test tests/unit/mech/dwf.c:test_made_up
NAMES
planted "[there](made-up.md)" "the link to made-up.md leads nowhere"
verdict $? "a link to a page that is not there is reported"
planted "[there](dram.md#made-up)" "the link to dram.md#made-up leads nowhere"
verdict $? "a link to a heading that is not there is reported"

sed 's/`dwf\.pool-32`/none/' docs/papers.md >"$d/page.md"
! tools/check-papers "$HEDDLE" "$d/page.md" >"$d/out" && grep -q 'the claim dwf.pool-32 is not named' "$d/out"
verdict $? "a claim that no row names is reported"
sed '/^| Table 2 | the trace/d' docs/papers.md >"$d/page.md"
! tools/check-papers "$HEDDLE" "$d/page.md" >"$d/out" && grep -q 'SL has 37 rows' "$d/out"
verdict $? "a row that is gone is reported"
sed '/^|/d' docs/papers.md >"$d/page.md"
! tools/check-papers "$HEDDLE" "$d/page.md" >"$d/out" && grep -q 'there are no rows' "$d/out"
verdict $? "a page without rows is reported"
echo "1..$count"
