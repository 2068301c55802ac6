#!/bin/bash
# heddle config and the lists: machines and mechanisms by name, every key with its value and origin.
. tests/cli/lib.inc

run list mechanisms
for m in nrec pdom mimd; do
    grep -q "^$m  " "$out"
    verdict $? "list mechanisms has $m"
done
run list mechanisms --json
expect_json "$out" 1/name '"pdom"' "also as JSON"
run list configs
for c in dwf-8800gtx harp-fermi harp-gpgpusim2 mp-fermi sl-tesla tiny turing-rtx2060 volta-v100; do
    grep -q "^$c  " "$out"
    verdict $? "list configs has $c"
done
run list options
for key in exec.isa gpu.sms sm.warp_size l1d.sets dram.tRCD pdom.side; do expect_in_out "$key = " "list options has $key"; done

run config show
expect_in_out "[sm]" "config show prints sections"
grep -qE '^warp_size = 32 +; default$' "$out"
verdict $? "and keys with value and origin"
for c in dwf-8800gtx harp-fermi harp-gpgpusim2 mp-fermi sl-tesla tiny turing-rtx2060 volta-v100; do
    run config show $c
    expect_status 0 "config show $c"
    grep -qE " ; $c\$" "$out"
    verdict $? "names $c as the origin of its keys"
    cp "$out" "$work/$c.ini"
    "$HEDDLE" config show "$work/$c.ini" | sed 's/ *;.*//' >"$work/again"
    sed 's/ *;.*//' "$work/$c.ini" | cmp -s - "$work/again"
    verdict $? "and can be read back"
done
run config show tiny --set sm.threads=64
grep -qE '^threads = 64 +; given$' "$out"
verdict $? "what is set is given"
printf '[gpu]\nsms = 3\n' >"$work/own.ini"
run config show "$work/own.ini"
grep -qE '^sms = 3 +; ' "$out"
verdict $? "a file is shown too"
run config show tiny --help-keys
expect_in_out "Streaming multiprocessors." "--help-keys explains"
! grep -qE "^    .{77}" "$out"
verdict $? "within 80 columns"

run config diff harp-fermi tiny
grep -qE '^key +harp-fermi +tiny$' "$out" && grep -qE '^gpu\.sms +[0-9]+ +1$' "$out"
verdict $? "config diff shows what differs"
run config diff tiny tiny
[ "$(wc -l <"$out")" -eq 1 ]
verdict $? "and nothing else"
refused "did you mean harp-fermi?" "a mistyped configuration is suggested" config show harp-femri
refused "$work/none.ini" "a missing file is named" config show "$work/none.ini"
printf '[gpu]\nsmss = 3\n' >"$work/bad.ini"
refused "$work/bad.ini:2: there is no option \"gpu.smss\"; did you mean gpu.sms?" "a mistyped key in a file, with its line" config show "$work/bad.ini"
refused "did you mean gpu.sms?" "a mistyped key is suggested" config show --set gpu.smss=1
refused "gpu.sms: \"0\" is out of range" "a value out of range" config show --set gpu.sms=0
refused "unknown action 'shwo' (did you mean 'show'?)" "a mistyped action is suggested" config shwo
refused "config diff takes two names or files" "diff needs two" config diff tiny
refused "config show takes one name" "show takes one" config show tiny tiny
refused "unexpected 'd'" "no more than two" config diff a b d
refused "ACTION [NAME|FILE]... is missing" "no action at all" config
