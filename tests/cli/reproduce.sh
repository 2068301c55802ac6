#!/bin/bash
# heddle reproduce: claims by name, kept runs, every form of output the same whatever --jobs, an end by a signal.
. tests/cli/lib.inc
${CC:-cc} -o "$work/json" tests/cli/json.c -ljansson
${CC:-cc} -o "$work/sql" tests/cli/sql.c -lsqlite3
cd "$work" || exit 2 # files and databases are made here

# ---- the list ----
run reproduce --list
expect_status 0 "--list succeeds"
[ "$(grep -c '^[a-z]*\.' "$out")" -ge 40 ]
verdict $? "has the claims"
"$HEDDLE" list mechanisms | grep -q '^lwm ' || grep -qE '^harp\.lwm .* lwm$' "$out"
verdict $? "marks those that wait for a mechanism"
grep -qE '^dwf\.dwf .* \+47\.4 %  chosen +DWF 6, Figure 6\.1$' "$out"
verdict $? "and not the others"
of_sl=$(grep -c '^sl\.' "$out")
run reproduce --list sl harp.sbr sl.pdom
[ "$status" -eq 0 ] && [ "$of_sl" -gt 1 ] && [ "$(grep -c '^[a-z]*\.' "$out")" -eq $((of_sl + 1)) ]
verdict $? "of a paper and of a claim, each once"

# ---- a grid ----
run reproduce sl.table1 --json grid.json
expect_status 0 "SL's Table 1 is a claim"
expect_json grid.json claims/0/ours 100.0 "of which every cell comes out"
expect_json grid.json claims/0/workloads/1/workload '"chap"' "scheme by scheme"

# ---- runs are kept ----
some="harp.barrier-2 harp.simd-32 --size tiny"
run reproduce $some --db r.sqlite --json first.json
expect_status 0 "two claims at tiny"
cp "$out" first.txt
grep -qE '^harp\.simd-32 .* -4\.0 % +[-+][0-9.]+ %  (sign differs|off|within a third|no effect) +chosen$' "$out" && grep -qE '^harp\.barrier-2 .* -3\.0 % +[-+][0-9.]+ %  [a-z ]+chosen$' "$out"
verdict $? "have the paper's value, ours, a verdict and what it rests on"
grep -qE '^chosen, all +[012] of 2 \([0-9]+ %\) +[012] of 2 \([0-9]+ %\) +[012] of 2 \([0-9]+ %\) +[012] of 2 ' "$out" && grep -qE '^chosen, HARP +[012] of 2 ' "$out" && ! grep -qE '^(predicted, all|chosen, DWF) ' "$out"
verdict $? "below the score, of all and of the paper"
grep -q '^    mp [-+][0-9.]*, mu [-+]' "$out"
verdict $? "and those by workload"
grep -q '^Caution: at size tiny' "$out"
verdict $? "with a caution, since figures of that size mean little"
[ ! -s "$err" ] && [ "$(echo r.sqlite*)" = r.sqlite ]
verdict $? "without a word on standard error, and with one file"
run results --db r.sqlite --value cycles
[ "$(grep -c harp-gpgpusim2 "$out")" -eq 52 ]
verdict $? "the database has the runs: 13 workloads, four machines"
run results --db r.sqlite --host --json before.json
run reproduce $some --db r.sqlite --json second.json
cmp -s first.txt "$out" && cmp -s first.json second.json
verdict $? "a second time gives the same"
run results --db r.sqlite --host --json after.json
cmp -s before.json after.json
verdict $? "and runs nothing: the host's seconds are those of the first"

# ---- forms ----
claims="harp.barrier-2 dwf.oracle-contrived --size tiny"
for j in 1 2; do
    run reproduce $claims --jobs $j --json $j.json --csv $j.csv --html $j.html
    cp "$out" $j.txt
done
for ext in json csv html txt; do
    cmp -s 1.$ext 2.$ext
    verdict $? "--jobs 2 gives the same bytes of $ext as --jobs 1"
done
run reproduce harp.barrier-2 --size tiny --db r.sqlite --csv kept.csv
grep '^harp' 1.csv | cmp -s - <(grep '^harp' kept.csv)
verdict $? "and so do kept runs"
grep -qE '^dwf\.oracle-contrived .* \+92\.0 % +\+[0-9.]+ %  [a-z ]+fitted$' 1.txt
verdict $? "a study is a claim too"
expect_json 1.json size '"tiny"' "JSON has the size"
expect_json 1.json claims/0/claim '"harp.barrier-2"' "and the claims, in the order asked for"
expect_json 1.json claims/0/basis '"chosen"' "with what they rest on"
expect_json 1.json claims/1/basis '"fitted"' "each of them"
expect_json 1.json score_chosen/all/claims 1 "JSON has the score of what was chosen"
expect_json 1.json score/all/claims 0 "apart from that of predictions"
expect_json 1.json score_chosen/harp/sign/of 1.0 "of each paper"
expect_json 1.json score_chosen/all/sign_moved/of 1.0 "and the score without even and stays"
expect_json 1.json claims/0/workloads/12/workload '"mtm"' "with their workloads"
[ "$(head -1 1.csv)" = "claim,what,source,basis,workload,paper,ours,verdict" ] && [ "$(grep -c '^harp.barrier-2,' 1.csv)" -eq 14 ] && [ "$(wc -l <1.csv)" -eq 17 ]
verdict $? "CSV has a row for each claim and each workload"

# ---- a page ----
sed -n '/id="data"/{n;p}' 1.html >page.json
expect_json page.json claims/0/claim '"harp.barrier-2"' "--html writes a page with the claims"
expect_json page.json claims/0/paper_text '"-3.0 %"' "the paper's number"
expect_json page.json claims/1/workloads/0/workload '"odd-even"' "the values by workload"
expect_json page.json score_chosen/harp/claims 1 "the score"
expect_json page.json command '"heddle reproduce harp.barrier-2 dwf.oracle-contrived --size tiny"' "and the command, without what does not matter"
kept="harp.barrier-2 --size tiny --db r.sqlite"
run reproduce $kept dwf.area --markdown
[ "$(grep -c '^|' "$out")" -ge 4 ] && grep -q '^| .*harp.barrier-2.* | .*-3.0 %.* |' "$out" && grep -qE '^\| .*dwf\.area.* 8\.0 %.* 7\.[0-9] %' "$out"
verdict $? "--markdown prints a table"
run reproduce $kept --csv - --markdown
[ "$(head -1 "$out")" = "claim,what,source,basis,workload,paper,ours,verdict" ] && ! grep -q '^|' "$out"
verdict $? "CSV on standard output is all there is"
run reproduce $kept --html - --markdown
[ "$(head -1 "$out")" = "<!DOCTYPE html>" ] && [ "$(tail -1 "$out")" = "</html>" ] && ! grep -q '^|' "$out"
verdict $? "and so is a page"
run reproduce $kept --quiet
[ "$status" -eq 0 ] && [ ! -s "$out" ] && [ ! -s "$err" ]
verdict $? "--quiet prints nothing"
run reproduce dwf.area dwf.area-majority harp.area harp.area-tables harp.area-decoders --db area.sqlite
[ "$status" -eq 0 ] && [ "$(grep -cE '^(dwf|harp)\.area.* [0-9.]+ %.* [0-9.]+ %' "$out")" -eq 5 ]
verdict $? "areas are computed, without a run"
# (0.4158 + 0.1791) / 1.496: MHeap LUT and max-heap of the model, as heddle area prints them.
grep -qE '^dwf\.area-majority.* 43\.0 %.* 39\.8 %' "$out"
verdict $? "the majority policy's share is of the scheduler's own area"

# ---- other builds ----
some="dwf.policy-idle dwf.ipc-dmaj --size tiny --db isa.sqlite"
run reproduce $some --json ptx.json
run reproduce $some --isa riscv harp --json riscv.json --csv riscv.csv --html riscv.html
expect_status 0 "--isa riscv runs other builds of the programs"
grep -qE '^Programs compiled for riscv; [0-9]+ claims are left out, which are about others or about none\.$' "$out" && ! grep -q '^harp' "$out"
verdict $? "claims about other programs are left out, and told"
expect_json riscv.json isa '"riscv"' "JSON says for what"
expect_json riscv.json claims/1/workloads/1/workload '"hmmer:riscv"' "and what ran"
expect_json ptx.json isa '"ptx"' "without the option it is PTX"
grep -q '^dwf.ipc-dmaj,.*,black:riscv,69.8,' riscv.csv && grep -q 'programs compiled for riscv' riscv.html
verdict $? "so do CSV and page"
run results --db isa.sqlite --value cycles
[ "$(grep -c '^black:riscv .*sm.registers=98304' "$out")" -ge 2 ] && [ "$(grep -c '^black ' "$out")" -ge 2 ]
verdict $? "the database has both, apart"
run reproduce --list --isa riscv-O1
[ "$(grep -c '^dwf\.' "$out")" -ge 40 ] && [ "$(grep -cE '^(harp|mp|sl)\.' "$out")" -eq 0 ]
verdict $? "--list has those of the thesis alone"
refused "--isa: none of these claims is about programs that are compiled for riscv" "nothing is left" reproduce --isa riscv harp dwf.area
refused "--isa: there is no instruction set 'arm': ptx, riscv or riscv-O1" "an instruction set there is not" reproduce --isa arm

# ---- wrong results ----
cp r.sqlite wrong.sqlite
"$work/sql" wrong.sqlite "UPDATE point SET state = 'wrong', error = 'the result is wrong: image[3]' WHERE workload = 'ray' AND mech = 'harp:barrier_latency=2'"
run reproduce harp.barrier-2 --size tiny --db wrong.sqlite
expect_status 1 "a run with wrong results makes the exit status 1"
expect_err "1 of the runs gave wrong results" "and is told"
grep -qE '^    .*ray -(,|$)' "$out" && tr -s '\n ' ' ' <"$out" | grep -q 'ray has no value: ray under harp:barrier_latency=2: the result is wrong: image\[3\]'
verdict $? "it has no value in the claim, and the note says why"
run reproduce harp.barrier-2 --size tiny --db wrong.sqlite --quiet
expect_status 1 "--quiet or not"

# ---- stopped ----
stopped() { # SIGNAL ARGUMENT...
    local signal=$1
    shift
    command_line="heddle $*, signal $signal"
    # SIGINT is ignored by what a script starts in the background; env sets that right
    env --default-signal=INT "$HEDDLE" "$@" >"$out" 2>"$err" &
    local pid=$!
    handles $pid "$signal"
    sleep 0.5
    kill -"$signal" $pid
    wait $pid 2>/dev/null
    status=$?
}
long="harp --size small --jobs 2"
stopped INT reproduce $long --db s.sqlite
expect_status 130 "Ctrl-C ends it"
grep -qE 'stopped; [0-9]+ of [0-9]+ runs are in s.sqlite, and the same command goes on from there' "$err"
verdict $? "with a word on how to go on"
kept=$(sed -n 's/.*stopped; \([0-9]*\) of.*/\1/p' "$err")
"$HEDDLE" results --db s.sqlite --value cycles >rows 2>/dev/null
[ "${kept:-x}" -eq "$(grep -c harp-gpgpusim2 rows)" ]
verdict $? "and as many runs kept as it says"
[ "$(echo s.sqlite*)" = s.sqlite ]
verdict $? "in one file"
stopped TERM reproduce $long
expect_status 143 "so does SIGTERM"
expect_err "stopped; nothing is kept without --db" "without --db"
stopped TERM reproduce dwf.oracle-contrived --size small
expect_status 143 "a study is stopped too"

# ---- what is refused ----
refused "there is no claim 'dwf.pdmo' (did you mean 'dwf.pdom'?); 'heddle reproduce --list' shows them" "a mistyped claim" reproduce dwf.pdmo
refused "there is no claim 'xyz'; 'heddle reproduce --list' shows them" "an unknown claim" reproduce xyz
refused "there is no size 'huge': tiny, small or paper" "an unknown size" reproduce --size huge
refused "--json and --csv cannot both go to x" "two files of one name" reproduce dwf.pdom --json x --csv x
refused "--csv and --html cannot both go to x" "a page and rows in one file" reproduce dwf.pdom --csv x --html x
refused "--json and --html cannot both go to -" "a page and JSON on standard output" reproduce dwf.pdom --json - --html -
refused "cannot write nowhere/x.html" "a page in a folder that is not there" reproduce dwf.area --html nowhere/x.html
refused "--json and --csv cannot both go to -" "both to standard output" reproduce dwf.pdom --json - --csv -
refused "--jobs: N is at least 1" "no threads" reproduce --jobs 0
refused "cannot open nowhere/x.sqlite" "a folder that is not there" reproduce dwf.pdom --size tiny --db nowhere/x.sqlite
printf 'not a database, but long enough to be taken for one if nobody looked at its first bytes, which say what it is' >text
refused "text is not a result store" "a file that is no database" reproduce dwf.pdom --size tiny --db text
