#!/bin/bash
# heddle report: one page of a run. What the page does in a browser is tested in tests/browser/report.py.
. tests/cli/lib.inc
page=$work/page.html json=$work/page.json
small=(tests/cli/timed.ptx --kernel diverge --config tiny)

run report "${small[@]}" --mech pdom,mimd --html "$page" --json "$json"
expect_status 0 "report: writes a page"
expect_out "The report is in $page: open it in a browser, as with 'xdg-open $page'." "report: says where it is and how to open it"
[ "$(head -c 15 "$page")" = "<!DOCTYPE html>" ] && [ "$(tail -n 1 "$page")" = "</html>" ]
verdict $? "report: the page is whole"
[ "$(stat -c %s "$page")" -lt 2000000 ]
verdict $? "report: the page is under 2 MB"
! grep -qE '(src|href)="(https?:)?//' "$page"
verdict $? "report: the page loads nothing from anywhere"
expect_json "$json" command '"heddle report tests/cli/timed.ptx --kernel diverge --config tiny --mech pdom,mimd"' "report: has its command, without where it went"
expect_json "$json" runs/0/name '"pdom"' "report: a run for each mechanism, in order"
expect_json "$json" runs/1/status '"ok"' "report: the second too"
expect_json "$json" code/functions/0/name '"diverge"' "report: has the functions that ran"
expect_json "$json" machine/sms 1 "report: has the machine"

run run "${small[@]}" --mech pdom --profile --json "$work/run.json" --quiet
value() { "$work/json" "$1" "$2"; }
for pair in "runs/0/slots/0 total/profile/slots/lanes/active" "runs/0/branches/0/executions total/profile/branches/0/executions" \
    "runs/0/branches/0/line total/profile/branches/0/line" "runs/0/kernels/0/cycles total/gpu.cycles" \
    "runs/0/density/issues total/sm.issues"; do
    set -- $pair
    [ -n "$(value "$json" "$1")" ] && [ "$(value "$json" "$1")" = "$(value "$work/run.json" "$2")" ]
    verdict $? "report: $1 is what run has as $2"
done

"$HEDDLE" report "${small[@]}" --mech pdom,mimd --html - --jobs 1 >"$work/again.html"
cmp -s "$page" "$work/again.html"
verdict $? "report: the same run gives the same bytes, whatever its name and --jobs"

(cd "$work" && "$HEDDLE" report "$OLDPWD/tests/cli/timed.ptx" --kernel diverge --config tiny >"$out" 2>"$err")
[ -s "$work/report.html" ]
verdict $? "report: without --html the page is report.html"

cp examples/photons.ptx examples/photons.cu "$work"
(cd "$work" && "$HEDDLE" report photons.ptx --grid 1 --quiet --html moved.html --json moved.json)
[ "$("$work/json" "$work/moved.json" code/files/0/name)" = '"./examples/photons.cu"' ] && [ "$("$work/json" "$work/moved.json" code/files/0/text/0/first)" = 1 ]
verdict $? "report: finds the source beside the PTX file"

run report @bfs --size tiny --html "$page" --json "$json"
expect_status 0 "report: a workload of several launches"
expect_json "$json" runs/0/nlaunches 14 "report: all its launches"
expect_json "$json" subject/checked 512 "report: verified against the CPU"

run report examples/heat.ptx --script examples/heat.hds --html "$page" --json "$json"
expect_status 0 "report: a script of launches"
expect_json "$json" subject/script '"heat.hds"' "report: says which"

run report @recursion --size tiny --mech chap,pdom --html "$page" --json "$json"
expect_status 0 "report: a mechanism that refuses the program leaves a gap"
expect_json "$json" runs/0/status '"refused"' "report: which the page has"

run report tests/cli/kernels.ptx --kernel trapped --grid 1 --block 32 --html "$work/none.html"
[ "$status" -eq 1 ] && [ ! -e "$work/none.html" ] && grep -q "under pdom: " "$err"
verdict $? "report: no page of a program that did not end"
refused "--sm 9: the machine has 1 SM, counted from 0" "report: an SM that is not there" report "${small[@]}" --sm 9 --html "$work/none.html"
refused "cannot write" "report: a place that cannot be written" report "${small[@]}" --html "$work/nowhere/page.html"
refused "there is no mechanism" "report: an unknown mechanism" report "${small[@]}" --mech nothing --html "$work/none.html"
