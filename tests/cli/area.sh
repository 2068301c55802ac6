#!/bin/bash
# heddle area: areas by structure, the fit, files; what it refuses.
. tests/cli/lib.inc
${CC:-cc} -o "$work/json" tests/cli/json.c -ljansson

run area --mech dwf --node 90 --json "$work/dwf.json" --csv "$work/dwf.csv"
expect_status 0 "area succeeds without a program"
[ ! -s "$err" ] && grep -qE '^dwf +warp_update_registers +registers +1 +2 +376 +0\.0080$' "$out" && grep -qE '^ +register decoders +7 +0\.7220$' "$out"
verdict $? "a row for each array, and the decoders"
grep -qE '^dwf +58,288 +[0-9.]+ +0\.722 +[0-9.]+ +[0-9.]+ % +[+-][0-9.]+ %$' "$out" && grep -q 'GeForce 8800 GTX, 470 mm2, 16 SMs' "$out"
verdict $? "the share of the chip"
expect_json "$work/dwf.json" node_nm 90 "JSON has the node"
expect_json "$work/dwf.json" config '"dwf-8800gtx"' "whose machine is the default"
expect_json "$work/dwf.json" mechanisms/0/structures/1/ways 4 "arrays"
expect_json "$work/dwf.json" fit/degrees_of_freedom 5 "and the fit"
[ "$(head -1 "$work/dwf.csv")" = "mechanism,structure,cells,arrays,entries,bits,ways,tag,reads,writes,mm2" ] && [ "$(wc -l <"$work/dwf.csv")" -eq 9 ]
verdict $? "CSV has a row for each array and the decoders"
run area --mech pdom,harp,pdom:side=most --markdown
[ "$status" -eq 0 ] && grep -q '^| harp ' "$out" && grep -q 'SM of harp-fermi at 40 nm' "$out"
verdict $? "several mechanisms, at 40 nm unless said otherwise"
run area --totals
[ "$status" -eq 0 ] && ! grep -q '^mechanism  structure' "$out" && [ "$(grep -cE ' % +[+-][0-9.]+ %$' "$out")" -eq "$("$HEDDLE" list mechanisms | grep -c '^[a-z]')" ]
verdict $? "every mechanism has an area"
run area --mech pdom --config dwf-8800gtx
grep -q 'at 90 nm' "$out"
verdict $? "a machine of a published chip brings its node"
run area --mech dwf --config dwf-8800gtx --set dwf.pool=64 --json -
"$work/json" "$out" mechanisms/0/structures/2/entries | grep -qx 64
verdict $? "--set counts; JSON on standard output is all there is"
run area --fit --node 90
[ "$status" -eq 0 ] && [ "$(grep -c 'DWF Table' "$out")" -eq 6 ] && grep -q '8 published rows, 3 constants fitted, 5 degrees of freedom' "$out"
verdict $? "--fit shows the error of each published row"
run area --quiet
[ "$status" -eq 0 ] && [ ! -s "$out" ] && [ ! -s "$err" ]
verdict $? "--quiet prints nothing"

run area --node 65
expect_status 2 "a node without published areas is refused"
expect_err "90 and 40 nm only" "with the reason"
run area --node x
expect_status 2 "so is one that is no number"
run area --mech pdmo --json "$work/none.json"
expect_status 2 "and an unknown mechanism"
expect_err "pdom" "with the nearest name"
[ ! -e "$work/none.json" ]
verdict $? "and nothing is written"
run area --mech dwf --set dwf.nosuch=1
expect_status 2 "an unknown option"
run area --config nosuch
expect_status 2 "an unknown machine"
