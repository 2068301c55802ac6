#!/bin/bash
# heddle results: means over axes that are not shown and their spread, plots and what they choose by themselves, exports for
# notebooks. The points are those of a short sweep, their numbers made up so that what comes out can be worked out by hand.
. tests/cli/lib.inc
root=$PWD
. tests/cli/database.inc
command_line="cc tests/cli/parquet.c" status=0
${CC:-cc} -O1 -o "$work/parquet" tests/cli/parquet.c
verdict $? "and their reader of Parquet"
${CC:-cc} -o "$work/json" tests/cli/json.c -ljansson
cd "$work" || exit 2

# ipc = (pdom 2, mimd 3) * SMs + (seed - 2): seeds 1, 2, 3 lie 1 apart
"$HEDDLE" sweep --workloads matrix --size tiny --config tiny --mech pdom,mimd --set gpu.sms=1,2,4 --set memory.seed=1,2,3 --db s.sqlite --quiet
sql s.sqlite "UPDATE point SET \"gpu.ipc\" = CASE WHEN mech = 'pdom' THEN 2 ELSE 3 END
    * (SELECT value FROM setting WHERE setting.machine = point.machine AND setting.key = 'gpu.sms')
    + (SELECT value FROM setting WHERE setting.machine = point.machine AND setting.key = 'memory.seed') - 2,
    \"gpu.cycles\" = 1000 * (SELECT value FROM setting WHERE setting.machine = point.machine AND setting.key = 'gpu.sms')"
ipc="--db s.sqlite --rows gpu.sms --cols mech --value ipc"

# ---- means and spread ----
run results $ipc
expect_err "row 1 and column pdom have more than one point: they differ in memory.seed (1, 2), which can be a row or column too, be averaged by --over, or be chosen by --only" "points that share a cell name what to do"
run results $ipc --over memory.seed
expect_out "gpu.ipc, arithmetic mean over memory.seed; smallest..largest
  gpu.sms                pdom                   mimd
  1        2.000 1.000..3.000     3.000 2.000..4.000
  2        4.000 3.000..5.000     6.000 5.000..7.000
  4        8.000 7.000..9.000  12.000 11.000..13.000" "a mean with the smallest and the largest"
run results $ipc --over memory.seed --spread deviation --mean geometric
expect_out "gpu.ipc, arithmetic mean over memory.seed; +- standard deviation
  gpu.sms                  pdom            mimd
  1               2.000 +-1.000   3.000 +-1.000
  2               4.000 +-1.000   6.000 +-1.000
  4               8.000 +-1.000  12.000 +-1.000
  geometric mean          4.000           6.000" "or with the standard deviation"
run results $ipc --over memory.seed --relative-to pdom --only gpu.sms=1 --csv -
expect_out "gpu.sms,pdom,pdom low,pdom high,pdom deviation,pdom n,mimd,mimd low,mimd high,mimd deviation,mimd n
1,1,1,1,0,3,1.61111111111,1.33333333333,2,0.346944333244,3" "quotients are those of each seed" # 2/1, 3/2, 4/3
run results $ipc --over memory.seed:geometric --only gpu.sms=1 --only mech=pdom --json g.json
expect_json g.json rows/0/cells/pdom/value 1.81712059283 "a geometric mean" # cube root of 6
expect_json g.json rows/0/cells/pdom/high 3.0 "JSON has the spread"
expect_json g.json over_mean '"geometric"' "and which mean it is"
run results --db s.sqlite --rows workload --cols mech --over gpu.sms,memory.seed --value cycles
grep -qE '^  matrix +2333\.333 1,000\.\.4,000 +2333\.333 1,000\.\.4,000$' "$out"
verdict $? "over two axes at once"
cp s.sqlite f.sqlite
sql f.sqlite "UPDATE point SET state = 'failed', error = 'stopped' WHERE mech = 'pdom' AND options = 'gpu.sms=2 memory.seed=3'"
run results --db f.sqlite --rows gpu.sms --cols mech --value ipc --over memory.seed --only gpu.sms=2
grep -qE '^  2 +3\.500 3\.000\.\.4\.000 of 2 +6\.000 5\.000\.\.7\.000$' "$out"
verdict $? "a point that failed is left out, and that is said"
run results --db s.sqlite --rows workload --cols mech --over gpu.sms --over memory.seed --value cycles
grep -qE '^  matrix +2333\.333 1,000\.\.4,000 +2333\.333 1,000\.\.4,000$' "$out"
verdict $? "or over two options of one axis each"
refused "--over memory.seed:harmonic: another --over has another mean" "two means" results --db s.sqlite --rows workload --cols mech --value ipc --over gpu.sms:geometric --over memory.seed:harmonic
refused "points do not differ in \"memory.sed\"; did you mean memory.seed?" "a mistyped axis" results $ipc --over memory.sed
refused "--over memory.seed:median: behind the colon expected arithmetic, geometric or harmonic" "an unknown mean" results $ipc --over memory.seed:median
refused "--over mech is a row or a column already" "an axis twice" results $ipc --over mech
refused "--spread 'width': expected range or deviation" "an unknown spread" results $ipc --over memory.seed --spread width
refused "--relative-to, --mean, --over and --spread are for tables" "a mean of a list" results --db s.sqlite --over memory.seed

# ---- exports ----
run results --db s.sqlite --only gpu.sms=4 --only memory.seed=1 --value ipc,cycles --long --csv -
sed -E 's/0\.[0-9.]+\+[0-9a-f]+/V/' "$out" >long
printf '%s\n' 'workload,size,config,mech,version,state,statistic,value' 'matrix,tiny,tiny,pdom,V,ok,gpu.ipc,7' \
    'matrix,tiny,tiny,pdom,V,ok,gpu.cycles,4000' 'matrix,tiny,tiny,mimd,V,ok,gpu.ipc,11' 'matrix,tiny,tiny,mimd,V,ok,gpu.cycles,4000' | cmp -s - long
verdict $? "the long form: a row for each point and statistic"
run results --db s.sqlite --value ipc --long --csv long.csv
[ "$(head -1 long.csv)" = workload,size,config,mech,gpu.sms,memory.seed,version,state,statistic,value ] && [ "$(wc -l <long.csv)" -eq 19 ]
verdict $? "with a column for each option that points differ in"
run results --db s.sqlite --long --csv long.csv --parquet long.parquet
"$work/parquet" long.parquet >long.read && cmp -s long.csv long.read && [ "$(wc -l <long.read)" -gt 3000 ]
verdict $? "the same as Parquet, number by number"
run results --db f.sqlite --csv wide.csv --parquet wide.parquet
"$work/parquet" wide.parquet >wide.read
cut -d, -f1-4,6-8 wide.csv >wide.1
awk -F, '{ print $1 "," $2 "," $3 "," $4 "," $7 "," $8 "," $9 }' wide.read >wide.2
cut -d, -f9- wide.csv >wide.3 && cut -d, -f10- wide.read >wide.4
cmp -s wide.1 wide.2 && cmp -s wide.3 wide.4 && [ "$(wc -l <wide.4)" -eq 19 ] && grep -q ',failed,stopped,' wide.read
verdict $? "the list as Parquet has what its CSV has"
run sweep --workloads matrix --size tiny --config tiny --mech mimd,pdom --set pdom.side=taken,most --db side.sqlite
run results --db side.sqlite --value cycles --long --csv -
grep -q '^workload,size,config,mech,pdom.side,version' "$out" && grep -qE '^matrix,tiny,tiny,pdom:side=most,most,' "$out" && grep -qE '^matrix,tiny,tiny,mimd,,' "$out"
verdict $? "a parameter of a mechanism is a column, empty for others"
refused "--long is for --csv and --parquet" "a long form of nothing" results --db s.sqlite --long
refused "--long is of the list, not of a table or a plot" "a long form of a table" results $ipc --over memory.seed --long --csv x
refused "--parquet is of the list, not of a table or a plot" "Parquet of a table" results $ipc --over memory.seed --parquet x
[ ! -e x ]
verdict $? "none of them makes a file"

# ---- plots ----
for python in python3 /usr/bin/python3 none; do "$python" -c 'import xml.etree' 2>/dev/null && break; done
if command -v gnuplot >/dev/null && [ "$python" != none ]; then
    svg() { "$python" -B "$root/tests/cli/svg.py" "$@"; } # FILE KIND
    blue='rgb(47,111,183)' orange='rgb(217,115,26)'
    run results $ipc --over memory.seed --plot bars --mean geometric --svg bars.svg
    [ "$(svg bars.svg bars)" = "$blue 2 4 8 4
$orange 3 6 12 6" ]
    verdict $? "bars are as high as their means, and so is the geometric mean"
    svg bars.svg texts | grep -qx 'arithmetic mean over memory.seed; whiskers: smallest to largest'
    verdict $? "the picture says what its whiskers are"
    run results $ipc --over memory.seed --svg lines.svg
    [ "$(svg lines.svg dots x)" = "$blue 1 2 2 4 4 8
$orange 1 3 2 6 4 12" ]
    verdict $? "three numbers are lines without being told, and their points lie where the numbers are"
    svg lines.svg texts | grep -qx 'arithmetic mean over memory.seed; band: smallest to largest'
    verdict $? "with a band, which is named"
    run results --db s.sqlite --plot lines --value ipc --svg lines2.svg
    cmp -s lines.svg lines2.svg
    verdict $? "axes that nobody names: numbers across, mechanisms as lines, seeds averaged"
    run results $ipc --over memory.seed --log y --svg log.svg
    [ "$(svg log.svg dots y | sed -n 1p | cut -d' ' -f3,5,7)" = "2 4 8" ]
    verdict $? "a logarithmic axis"
    run results $ipc --over memory.seed --relative-to pdom --plot heat --svg heat.svg
    svg heat.svg texts >texts
    grep -qx 1.611 texts && grep -qx 'gpu.ipc over that of pdom, arithmetic mean over memory.seed' texts
    verdict $? "a heat map of means has their numbers"
    run results --db s.sqlite --x cycles --y ipc --only memory.seed=2 --svg dots.svg
    [ "$(svg dots.svg dots)" = "$blue 1e+03 2 2e+03 4 4e+03 8
$orange 1e+03 3 2e+03 6 4e+03 12" ]
    verdict $? "a scatter plot: a dot where its two statistics put it, a colour for each mechanism"
    svg dots.svg texts >texts
    grep -qx gpu.cycles texts && grep -qx gpu.ipc texts && grep -qx mimd texts && [ "$(grep -cx 4 texts)" -ge 2 ]
    verdict $? "with the statistics at its axes, a legend and labels"
    run results --db s.sqlite --rows gpu.sms,memory.seed --cols mech --x cycles --y ipc --svg all.svg
    [ "$(svg all.svg dots | head -1 | wc -w)" -eq 19 ]
    verdict $? "rows of a scatter plot can be named"
    run results --db s.sqlite --rows gpu.sms --cols mech,memory.seed --value ipc --plot lines --svg many.svg
    expect_status 0 "several axes of columns"
    cp s.sqlite odd.sqlite
    odd="a<b>&\"c'' \\x %s \$d.ptx:k"
    sql odd.sqlite "UPDATE point SET workload = '$odd'"
    for plot in bars heat; do
        run results --db odd.sqlite --rows workload --cols mech --over gpu.sms,memory.seed --plot $plot --svg odd.svg
        svg odd.svg texts | grep -qxF "$(echo "$odd" | sed "s/''/'/")"
        verdict $? "any name can be a label of $plot"
    done
    run results --db odd.sqlite --rows workload,memory.seed --cols mech --over gpu.sms --x cycles --y ipc --svg odd.svg
    svg odd.svg texts | grep -qF "a<b>&'c'  x %s \$d.ptx:k 1"
    verdict $? "or of a dot, quotes and backslashes aside"
else
    skipped pictures "there is no gnuplot or no python3"
fi
sql f.sqlite "UPDATE point SET \"gpu.ipc\" = 0 WHERE options = 'gpu.sms=4 memory.seed=2'"
refused "--log y: 0 has no logarithm" "a logarithm of what has none" results --db f.sqlite --x cycles --y ipc --log y --svg x.svg
refused "--x and --y go together" "half a scatter plot" results --db s.sqlite --x ipc --svg x.svg
refused "--plot scatter: --x and --y are missing" "a scatter plot of nothing" results --db s.sqlite --plot scatter --svg x.svg
refused "--x and --y are for --plot scatter" "bars of two statistics" results --db s.sqlite --plot bars --x ipc --y cycles --svg x.svg
refused "--x and --y take the place of --value" "three statistics" results --db s.sqlite --value ipc --x ipc --y cycles --svg x.svg
refused "--x is for --svg and --html" "a scatter plot as text" results --db s.sqlite --x ipc --y cycles
refused "a file of both has --value X,Y" "a table of two statistics" results --db s.sqlite --x ipc --y cycles --svg x.svg --csv x.csv
refused "--log 'z': expected x, y, x,y or none" "an unknown axis" results $ipc --over memory.seed --log z --svg x.svg
refused "--log is for lines and scatter plots" "bars on a logarithmic axis" results $ipc --over memory.seed --plot bars --log y --svg x.svg
[ ! -e x.svg ] && [ ! -e x.csv ]
verdict $? "none of them makes a picture"
run sweep --workloads matrix --size tiny --config tiny --mech pdom --set latency.alu=1,2 --db big.sqlite
sql big.sqlite "WITH RECURSIVE n(i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i < 1700)
    INSERT INTO point (key, workload, size, config, mech, options, version, program, machine, state, error, launches, checked, digest, \"gpu.ipc\")
    SELECT i, workload, size, config, mech, 'n=' || i, version, program, machine, 'ok', '', 1, 1, digest, i FROM point, n WHERE options = ''"
refused "1700 bars are too many to read (at most 1500 are drawn): choose points by --only, average some by --over, or draw --plot heat" "more bars than can be read" results --db big.sqlite --rows options --cols mech --value ipc --plot bars --svg x.svg
run results --db big.sqlite --only n=3,1700 --rows n --cols mech --value ipc --csv -
expect_out "n,pdom
3,3
1700,1700" "any KEY=VALUE of the options is an axis"
sql big.sqlite "UPDATE point SET options = 'n=0.25' WHERE options = 'n=4'" && sql big.sqlite "UPDATE point SET options = 'n=0.5' WHERE options = 'n=5'"
run results --db big.sqlite --only n=3,0.5,0.25 --rows n --cols mech --value ipc --csv -
expect_out "n,pdom
0.25,4
0.5,5
3,3" "fractions are in their order"
