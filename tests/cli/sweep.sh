#!/bin/bash
# heddle sweep and heddle results: points are stored one by one under keys of their own, so that a sweep that was killed goes
# on where it was and ends with what an unbroken one has; tables and exports of what is stored.
. tests/cli/lib.inc
. tests/cli/database.inc
${CC:-cc} -o "$work/json" tests/cli/json.c -ljansson
count() { sql "$1" "SELECT count(*) FROM point" 2>/dev/null || echo 0; }
cd "$work" || exit 2 # databases are made here

# ---- points ----
small="--workloads matrix --size tiny --config tiny"
run sweep $small --mech pdom,mimd --set gpu.sms=1,2 --db a.sqlite
expect_status 0 "a sweep succeeds"
expect_out "4 points: 0 stored before, 4 run; 4 ok, 0 failed, 0 wrong" "and says what it did"
[ ! -s "$err" ] && [ "$(echo a.sqlite*)" = a.sqlite ]
verdict $? "without a word on standard error, and with one file"
run sweep $small --mech pdom,mimd --set gpu.sms=1,2 --db a.sqlite
expect_out "4 points: 4 stored before, 0 run; 4 ok, 0 failed, 0 wrong" "a second time nothing is left to do"
run sweep --workloads @matrix --size tiny --config tiny --mech mimd,pdom,nrec --set gpu.sms=2 --db a.sqlite
expect_out "3 points: 2 stored before, 1 run; 3 ok, 0 failed, 0 wrong" "one that overlaps runs what is missing"
run sweep $small --mech mimd,pdom --set pdom.side=taken,most --db b.sqlite
expect_out "3 points: 0 stored before, 3 run; 3 ok, 0 failed, 0 wrong" "a parameter of a mechanism makes no points of others"
run sweep $small --mech pdom:side=most --db b.sqlite
expect_out "1 point: 1 stored before, 0 run; 1 ok, 0 failed, 0 wrong" "and is the same however it is given"
run sweep $small --mech all --db c.sqlite
[ "$(count c.sqlite)" -eq "$("$HEDDLE" list mechanisms | wc -l)" ]
verdict $? "--mech all is every mechanism"
run sweep --workloads all --config tiny --size tiny --db c.sqlite --dry-run
[ "$status" -eq 0 ] && [ "$(grep -c ' tiny  tiny ' "$out")" -eq "$("$HEDDLE" list workloads --json | grep -c '"name"')" ]
verdict $? "--workloads all is every workload"
run sweep $small --mech pdom,mimd,nrec --set gpu.sms=1,2 --db a.sqlite --dry-run
expect_in_out "6 points, 5 stored, 1 to run" "--dry-run counts"
grep -qxE 'matrix +tiny +tiny +nrec +no' "$out" && grep -qxE 'matrix +tiny +tiny +pdom +gpu.sms=2 +ok' "$out"
verdict $? "and lists"
run sweep $small --db none.sqlite --dry-run
[ "$status" -eq 0 ] && [ ! -e none.sqlite ]
verdict $? "and makes no file"
run sweep $small --mech pdom --quiet --db q.sqlite
[ "$status" -eq 0 ] && [ ! -s "$out" ] && [ ! -s "$err" ]
verdict $? "--quiet prints nothing"

# ---- the same content, whichever host runs it ----
# The small ones come last and take long enough that a sweep is killed before its end.
many="--workloads matrix --size tiny,small --config tiny --mech pdom,dwf --set latency.alu=1,2,3"
for j in 1 2; do
    run sweep $many --db jobs$j.sqlite --jobs $j
    expect_out "12 points: 0 stored before, 12 run; 12 ok, 0 failed, 0 wrong" "twelve points with --jobs $j"
done
same jobs1.sqlite jobs2.sqlite "--jobs 2 stores what --jobs 1 does"

# ---- killed ----
killed() { # SIGNAL N: a sweep that gets it with N of its points stored; leaves the status of the sweep
    rm -f killed.sqlite
    "$HEDDLE" sweep $many --db killed.sqlite --jobs 2 >"$out" 2>"$err" &
    local pid=$!
    while [ "$(count killed.sqlite)" -lt "$2" ] && kill -0 $pid 2>/dev/null; do sleep 0.02; done
    kill -"$1" $pid
    wait $pid 2>/dev/null
    status=$?
    command_line="heddle sweep, signal $1"
}
for round in 3 8; do
    killed KILL $round
    expect_status 137 "a sweep is killed after $round points"
    "$HEDDLE" results --db killed.sqlite --value cycles >"$work/seen" 2>&1
    verdict $? "what it stored can be read (after $round)"
    before=$(count killed.sqlite)
    sql killed.sqlite "SELECT key, seconds FROM host ORDER BY key" >"$work/host.before"
    run sweep $many --db killed.sqlite
    expect_out "12 points: $before stored before, $((12 - before)) run; 12 ok, 0 failed, 0 wrong" "only what is missing runs (after $round)"
    [ "$before" -gt 0 ] && [ "$before" -lt 12 ] && [ "$(wc -l <"$work/seen")" -eq $((before + 1)) ]
    verdict $? "which is some of it (after $round)"
    sql killed.sqlite "SELECT key, seconds FROM host ORDER BY key" | sort >"$work/host.after"
    [ "$(sort "$work/host.before" | comm -23 - "$work/host.after" | wc -l)" -eq 0 ]
    verdict $? "what was there was not run again (after $round)"
    same jobs1.sqlite killed.sqlite "and the content is that of an unbroken sweep (after $round)"
done
[ "$(echo killed.sqlite*)" = killed.sqlite ]
verdict $? "nothing is left beside the database"
killed TERM 5
expect_status 143 "a sweep dies of a signal that asks it to end"
expect_err "points are in killed.sqlite, and the same command goes on from there" "but says first how to go on"
run sweep $many --db killed.sqlite
same jobs1.sqlite killed.sqlite "and does"

# ---- two at once, and a reader ----
"$HEDDLE" sweep $many --db both.sqlite --jobs 1 >"$work/first" 2>&1 &
first=$!
"$HEDDLE" sweep $many --db both.sqlite --jobs 1 >"$work/second" 2>&1 &
second=$!
readers=0
while kill -0 $first 2>/dev/null || kill -0 $second 2>/dev/null; do
    if [ -s both.sqlite ] && ! "$HEDDLE" results --db both.sqlite --json /dev/null >"$work/reader" 2>&1; then
        readers=$((readers + 1))
    fi
    sleep 0.05
done
wait $first && wait $second && grep -q '; 12 ok, 0 failed, 0 wrong' "$work/first" && grep -q '; 12 ok, 0 failed, 0 wrong' "$work/second"
verdict $? "two sweeps fill one database at once"
[ $readers -eq 0 ] || grep -q "is empty" "$work/reader"
verdict $? "while it is being read"
same jobs1.sqlite both.sqlite "with the content of one"

# ---- refused ----
run sweep --workloads recursion,matrix --size tiny --config tiny --mech pdom,takahashi --db refused.sqlite
expect_status 0 "a mechanism that refuses a kernel makes a result"
expect_out "4 points: 0 stored before, 4 run; 3 ok, 0 failed, 0 wrong, 1 refused" "counted as such"
expect_err "recursion tiny under takahashi on tiny: " "with its reason"
run sweep --workloads recursion,matrix --size tiny --config tiny --mech pdom,takahashi --db refused.sqlite
expect_out "4 points: 4 stored before, 0 run; 3 ok, 0 failed, 0 wrong, 1 refused" "and stored"
run results --db refused.sqlite --rows workload --cols mech --value cycles --relative-to pdom --mean geometric
grep -qE '^  recursion +1\.000 +refused$' "$out"
verdict $? "tables show it"
run results --db refused.sqlite --only state=refused --json refused.json
expect_json refused.json points/0/state '"refused"' "JSON has the state"

# ---- failed and wrong ----
run sweep $small --mech pdom --set gpu.max_cycles=0,100 --db failed.sqlite
expect_status 0 "a point that does not end is a result"
expect_out "2 points: 0 stored before, 2 run; 1 ok, 1 failed, 0 wrong" "counted as such"
expect_err "warning: matrix tiny under pdom on tiny, gpu.max_cycles=100: kernel matrix stopped after 100 cycles" "with a warning"
run sweep $small --mech pdom --set gpu.max_cycles=0,100 --db failed.sqlite
expect_out "2 points: 2 stored before, 0 run; 1 ok, 1 failed, 0 wrong" "and not run again"
run sweep $small --mech pdom --set gpu.max_cycles=0,100 --db failed.sqlite --retry
expect_out "2 points: 1 stored before, 1 run; 1 ok, 1 failed, 0 wrong" "unless --retry says so"
run results --db failed.sqlite
grep -qE 'gpu.max_cycles=100 +failed ' "$out"
verdict $? "the list shows it"
run results --db failed.sqlite --rows workload --cols options --value cycles
grep -qE '^  matrix +[0-9,]+ +failed$' "$out"
verdict $? "so does a table"
run results --db failed.sqlite --only state=failed --json failed.json
expect_json failed.json points/0/state '"failed"' "JSON has the state"
grep -q '"error": "kernel matrix stopped after 100 cycles' failed.json
verdict $? "and the reason"
sql failed.sqlite "UPDATE point SET state = 'wrong', error = 'the result is wrong: c[3]' WHERE state = 'failed'"
run sweep $small --mech pdom --set gpu.max_cycles=0,100 --db failed.sqlite
expect_status 1 "a wrong result makes the exit status 1"
expect_err "error: matrix tiny under pdom on tiny, gpu.max_cycles=100: the result is wrong: c[3]" "and says which"
run sweep $small --mech pdom --db failed.sqlite
expect_status 0 "but not that of a sweep without it"

run sweep --workloads spin-lock --size tiny --config tiny --mech mimd,pdom --db lock.sqlite
[ "$status" -eq 0 ] && grep -q "1 ok, 1 failed, 0 wrong" "$out" && grep -q "spin-lock tiny under pdom on tiny: SIMT-induced deadlock" "$err"
verdict $? "a spin lock under a stack is one that fails"

# ---- results ----
run sweep --workloads matrix --size tiny,small --config tiny --mech pdom,mimd --set gpu.sms=1,2 --db r.sqlite
sql r.sqlite "UPDATE point SET \"gpu.ipc\" = CASE WHEN mech = 'pdom' THEN 2 ELSE 3 END * CASE WHEN options = '' THEN 1 ELSE 2 END * CASE WHEN size = 'tiny' THEN 1 ELSE 0.5 END"
run results --db r.sqlite --value ipc
expect_out "workload  size   config  mech  options    gpu.ipc
matrix    tiny   tiny    pdom               2.000
matrix    tiny   tiny    pdom  gpu.sms=2    4.000
matrix    tiny   tiny    mimd               3.000
matrix    tiny   tiny    mimd  gpu.sms=2    6.000
matrix    small  tiny    pdom               1.000
matrix    small  tiny    pdom  gpu.sms=2    2.000
matrix    small  tiny    mimd               1.500
matrix    small  tiny    mimd  gpu.sms=2    3.000" "a list in canonical order"
run results --db r.sqlite --rows size,gpu.sms --cols mech --value ipc --mean harmonic
expect_out "gpu.ipc
  size           gpu.sms   pdom   mimd
  tiny           1        2.000  3.000
  tiny           2        4.000  6.000
  small          1        1.000  1.500
  small          2        2.000  3.000
  harmonic mean           1.778  2.667" "a table with the harmonic mean" # 4 / (1/2 + 1/4 + 1 + 1/2), 1.5 times that
run results --db r.sqlite --only size=tiny --only gpu.sms=2 --rows workload --cols mech --value ipc --relative-to pdom --mean geometric
expect_out "gpu.ipc over that of pdom
  workload         pdom   mimd
  matrix          1.000  1.500
  geometric mean  1.000  1.500" "a table of quotients"
run results --db r.sqlite --rows mech --cols size,gpu.sms --value ipc --relative-to "tiny 1" --csv -
expect_out "mech,tiny 1,tiny 2,small 1,small 2
pdom,1,2,0.5,1
mimd,1,2,0.5,1" "as CSV, with columns of two axes"
run results --db r.sqlite --only size=tiny --rows gpu.sms --cols mech --value ipc --mean arithmetic --json p.json
expect_json p.json rows/1/cells/mimd 6.0 "as JSON"
expect_json p.json means/pdom 3.0 "with the means"
expect_json p.json rows/1/gpu.sms '"2"' "and the rows' places"
run results --db r.sqlite --only size=tiny --rows mech --cols options --value ipc --relative-to - --csv -
expect_out "mech,-,gpu.sms=2
pdom,1,2
mimd,1,2" "points without options have a place too"
run results --db r.sqlite --only options=- --only size=small --value ipc
expect_out "workload  size   config  mech  gpu.ipc
matrix    small  tiny    pdom    1.000
matrix    small  tiny    mimd    1.500" "and can be chosen"
run results --db r.sqlite --rows workload --cols mech
expect_err "row matrix and column pdom have more than one point: they differ in gpu.sms (1, 2)" "points that share a cell are refused"
expect_status 2 "with status 2"
run results --db r.sqlite --csv all.csv --json all.json
[ "$status" -eq 0 ] && [ ! -s "$out" ] && head -1 all.csv | grep -q '^workload,size,config,mech,options,version,state,error,exec.launches,'
verdict $? "CSV has every statistic"
awk -F, 'NR == 1 { n = NF } NF != n { bad = 1 } END { exit bad || NR != 9 }' all.csv
verdict $? "of every point"
expect_json all.json points/7/workload '"matrix"' "and JSON"
machine=$("$work/json" all.json points/7/machine | tr -d '"')
expect_json all.json "machines/$machine/gpu.sms" '"2"' "with all options of the machine"
! grep -q '"host.seconds"' all.json && ! grep -q host.seconds all.csv
verdict $? "no host time"
run results --db r.sqlite --host --json host.json
grep -q '"host.seconds"' host.json
verdict $? "unless asked for"
run results --db r.sqlite --value host.seconds,dram.reads,mimd.nosuch
expect_err "there is no statistic \"mimd.nosuch\"" "an unknown statistic"
run results --db jobs1.sqlite --only mech=dwf,pdom --only latency.alu=3 --only size=tiny --value "$(sql jobs1.sqlite 'SELECT name FROM counter ORDER BY name LIMIT 1')"
grep -qE ' pdom .* -$' "$out" && grep -qE ' dwf .* [0-9,]+$' "$out" && [ "$(wc -l <"$out")" -eq 3 ]
verdict $? "a mechanism's own counters"

# ---- plots ----
page_of() { sed -n '/id="data"/{n;p}' "$1" >"$1.json"; }
run results --db r.sqlite --only size=tiny --rows gpu.sms --cols mech --value ipc --relative-to pdom --plot lines --html p.html
[ "$status" -eq 0 ] && [ ! -s "$out" ] && page_of p.html
verdict $? "--html writes a page and nothing else"
expect_json p.html.json axes/1/places/0 '"pdom"' "with places in canonical order"
expect_json p.html.json points/3/values/0 6.0 "the points' values"
expect_json p.html.json relative_to '"pdom"' "what they are to be divided by"
expect_json p.html.json plot '"lines"' "and what is to be drawn"
run results --db r.sqlite --html l.html
page_of l.html && expect_json l.html.json axes/3/name '"gpu.sms"' "a page of the list has every axis that points differ in"
run results --db r.sqlite --html l2.html
cmp -s l.html l2.html
verdict $? "the same bytes whatever its name is"
if command -v gnuplot >/dev/null; then
    for plot in bars lines heat; do
        run results --db r.sqlite --only size=tiny --rows gpu.sms --cols mech --value ipc --relative-to pdom --plot $plot --svg $plot.svg
        [ "$status" -eq 0 ] && [ ! -s "$out" ] && [ "$(grep -c '</svg>' $plot.svg)" -eq 1 ] && grep -q '>mimd<\|>mimd</text>' $plot.svg
        verdict $? "--svg draws $plot"
        cp $plot.svg again && run results --db r.sqlite --only size=tiny --rows gpu.sms --cols mech --value ipc --relative-to pdom --plot $plot --svg $plot.svg
        cmp -s $plot.svg again
        verdict $? "the same bytes again: $plot"
    done
    run sweep --workloads matrix --size tiny --config tiny --mech pdom,mimd --set sm.warp_size=8,16,32 --db warps.sqlite
    run results --db warps.sqlite --rows sm.warp_size --cols mech --plot lines --svg warps.svg
    for n in 8 16 32; do grep -q "> $n<" warps.svg || break; done
    verdict $? "sizes that double are ticks of an axis that doubles, the last too"
    grep -q '>1.500<' heat.svg
    verdict $? "a heat map has the numbers"
    run results --db r.sqlite --rows size,gpu.sms --cols mech --value ipc --mean harmonic --svg -
    [ "$status" -eq 0 ] && grep -q '>harmonic mean<' "$out"
    verdict $? "bars have the mean, and - is standard output"
    run results --db lock.sqlite --only mech=pdom --rows workload --cols mech --svg none.svg
    [ "$status" -eq 2 ] && [ ! -e none.svg ] && grep -q "no point of the table has a number" "$err"
    verdict $? "a table without numbers is no picture"
    printf '#!/bin/sh\ncat >/dev/null\necho "line 3: bad" >&2\nexit 1\n' >gnuplot && chmod +x gnuplot
    PATH=$PWD:$PATH run results --db r.sqlite --rows size,gpu.sms --cols mech --svg x.svg
    [ "$status" -eq 2 ] && [ ! -e x.svg ] && grep -q "gnuplot failed: line 3: bad" "$err"
    verdict $? "what gnuplot says is told"
else
    skipped pictures "there is no gnuplot"
fi
mkdir bare && ln -s "$(command -v timeout)" bare
PATH=$PWD/bare run results --db r.sqlite --rows size,gpu.sms --cols mech --svg x.svg
[ "$status" -eq 2 ] && [ ! -e x.svg ] && grep -q "there is no gnuplot, which draws --svg: install it (Debian's package gnuplot-nox)" "$err"
verdict $? "without gnuplot the package is named"
refused "--plot is for --svg and --html" "a plot for the terminal" results --db r.sqlite --rows size,gpu.sms --cols mech --plot bars
refused "--plot 'pie': expected bars, lines, heat or scatter" "an unknown plot" results --db r.sqlite --rows size,gpu.sms --cols mech --plot pie --html x.html
refused "--plot lines: 'tiny' of --rows size is no number" "lines over words" results --db r.sqlite --only gpu.sms=1 --rows size --cols mech --plot lines --html x.html
refused "--plot lines: --rows is to be one axis, of numbers, and not 2" "lines over two axes" results --db r.sqlite --rows size,gpu.sms --cols mech --plot lines --html x.html
refused "--plot lines: a --mean over gpu.sms has no place on it" "a mean beside lines" results --db r.sqlite --only size=tiny --rows gpu.sms --cols mech --mean harmonic --plot lines --html x.html
refused "--html and --svg cannot both go to x" "a page and a picture in one file" results --db r.sqlite --rows size,gpu.sms --cols mech --html x --svg x
[ ! -e x.html ] && [ ! -e x ]
verdict $? "none of them makes a file"

# ---- lists in parts ----
run sweep -w matrix -w nw --size tiny --size small --mech pdom --mech dwf,mimd --set gpu.sms=1 --set sm.depth=1 --set gpu.sms=2,4 --db x.sqlite --dry-run
cp "$out" "$work/parts"
run sweep -w matrix,nw --size tiny,small --mech pdom,dwf,mimd --set gpu.sms=1,2,4 --set sm.depth=1 --db x.sqlite --dry-run
expect_in_out "36 points" "two workloads, two sizes, three mechanisms and three machines are 36 points"
cmp -s "$out" "$work/parts"
verdict $? "a list given in parts is the list"
run sweep --help
tr -s ' \n' ' ' <"$out" >"$work/words"
for o in workloads mech config size isa; do
    grep -qE -- "--$o [^ ]+ ([^-]|-[^-])*Given again, the option adds to its list\." "$work/words"
    verdict $? "sweep --help says that --$o may be given again"
done

# ---- what is refused ----
refused "there is no workload 'matrxi' (did you mean @matrix?)" "a mistyped workload" sweep --workloads matrxi --db x.sqlite
refused "did you mean 'pdom'?" "a mistyped mechanism" sweep $small --mech pdmo --db x.sqlite
refused "did you mean pdom.side?" "a mistyped parameter" sweep $small --mech pdom:sied=most --db x.sqlite
refused "did you mean tiny?" "a mistyped configuration" sweep --workloads matrix --config tniy --db x.sqlite
refused "did you mean gpu.sms?" "a mistyped option" sweep $small --set gpu.smss=1 --db x.sqlite
refused "there is no size 'huge': tiny, small or paper" "an unknown size" sweep --workloads matrix --size huge --db x.sqlite
refused "--set gpu.sms is not KEY=VALUE" "an option without values" sweep $small --set gpu.sms --db x.sqlite
refused "--set gpu.sms: an empty value in the list" "an empty value" sweep $small --set gpu.sms=1, --db x.sqlite
refused "run.mech cannot be set" "the mechanism as an option" sweep $small --set run.mech=pdom --db x.sqlite
refused "nothing to run: name files, or workloads by --workloads" "no workloads" sweep --db x.sqlite
refused "--db is missing" "no database" sweep $small
refused "--jobs: N is at least 1" "no threads" sweep $small --jobs 0 --db x.sqlite
refused "more than 100000 points" "too many points" sweep $small --set latency.alu="$(seq -s, 400)" --set latency.imul="$(seq -s, 400)" --db x.sqlite
[ ! -e x.sqlite ]
verdict $? "none of them makes a file"
refused "cannot open nowhere/x.sqlite: " "a folder that is not there" sweep $small --db nowhere/x.sqlite
refused "--rows and --cols go together" "rows without columns" results --db r.sqlite --rows workload
refused "are for tables" "a mean without a table" results --db r.sqlite --mean harmonic
refused "--mean 'median'" "an unknown mean" results --db r.sqlite --rows workload --cols mech --mean median
refused "show one --value" "two values in one table" results --db r.sqlite --rows workload --cols mech --value ipc,cycles
refused "did you mean mech?" "a mistyped axis" results --db r.sqlite --rows workload --cols mehc
refused "there is no column \"pdon\"; did you mean pdom?" "a mistyped column" results --db r.sqlite --only size=tiny --rows gpu.sms --cols mech --relative-to pdon
refused "--only mech=pdon leaves no point (did you mean pdom?)" "a filter that leaves nothing" results --db r.sqlite --only mech=pdon
refused "did you mean ipc?" "a mistyped statistic" results --db r.sqlite --value icp
refused "No such file" "a database that is not there" results --db nosuch.sqlite
[ ! -e nosuch.sqlite ]
verdict $? "which it does not make"
untouched() { # FILE MESSAGE NAME: neither command takes it, or changes it
    cp "$1" copy
    refused "$2" "$3: results" results --db "$1"
    refused "$2" "$3: sweep" sweep $small --db "$1"
    cmp -s "$1" copy
    verdict $? "$3 is left alone"
}
printf 'not a database, but long enough to be taken for one if nobody looked at its first bytes, which say what it is' >text
untouched text "text is not a result store: it is no SQLite database" "a text file"
cp r.sqlite newer.sqlite
sql newer.sqlite "PRAGMA user_version = 99"
untouched newer.sqlite "newer.sqlite has the tables of another version of heddle (99; this one knows 1)" "a newer store"
cp r.sqlite other.sqlite
sql other.sqlite "PRAGMA application_id = 1"
untouched other.sqlite "it is a database of another program" "another program's database"
head -c 20000 r.sqlite >cut.sqlite
run results --db cut.sqlite
[ "$status" -eq 2 ] && [ ! -s "$out" ] && grep -q "cut.sqlite" "$err"
verdict $? "half a file is an error"
cp r.sqlite old.sqlite # of before there was the statistic
sql old.sqlite "ALTER TABLE point DROP COLUMN \"dram.reads\""
run results --db old.sqlite --value dram.reads
expect_err "there is no statistic \"dram.reads\"" "a statistic that an old file lacks"
run sweep $small --mech nrec --db old.sqlite
run results --db old.sqlite --value dram.reads
grep -qE ' nrec +[0-9,]+$' "$out" && grep -qE ' pdom +-$' "$out"
verdict $? "is added when it is written to"
