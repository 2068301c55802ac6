#!/bin/bash
# heddle sweep of files: kernels with launches of their own, scripts, what axes give them; and that a stored point is never
# taken for another one.
. tests/cli/lib.inc
cp examples/collatz.ptx examples/collatz.cu examples/heat.ptx examples/warpsum.ptx tests/cli/script.ptx "$work"
${CC:-cc} -o "$work/json" tests/cli/json.c -ljansson
cd "$work" || exit 2
stored() { # N M NAME: of N points M are in the database
    expect_in_out "$1 point" "$3: points"
    grep -q "^$1 points\?, $2 stored, " "$out"
    verdict $? "$3"
}

# ---- a file with its own launch ----
run sweep collatz.ptx @matrix --size tiny --config tiny --mech pdom,dwf --db a.sqlite
expect_out "4 points: 0 stored before, 4 run; 4 ok, 0 failed, 0 wrong" "a file beside a workload"
"$HEDDLE" run collatz.ptx --config tiny --mech dwf --json run.json -q
expect_json run.json total/gpu.cycles "$("$HEDDLE" results --db a.sqlite --only workload=collatz.ptx:collatz --only mech=dwf --value cycles --csv - | sed -n '2s/.*,//p')" "it runs as 'heddle run' does"
run sweep collatz.ptx matrix --size tiny --config tiny --mech pdom,dwf --db a.sqlite --dry-run
stored 4 4 "what is stored does not run again"
sed 's/^\/\/ heddle: --grid 32/\/\/ heddle: --grid 31/' collatz.ptx >c && mv c collatz.ptx
run sweep collatz.ptx --config tiny --mech pdom --db a.sqlite --dry-run
stored 1 0 "another launch is another point"
sed -i 's/^\/\/ heddle: --grid 31/\/\/ heddle: --grid 32/' collatz.ptx
run sweep collatz.ptx --config tiny --mech pdom --db a.sqlite --dry-run
stored 1 1 "and the same one again the same"
sed -i 's/^\.target sm_70/.target sm_70 \/\/ changed/' collatz.ptx
run sweep collatz.ptx --config tiny --mech pdom --db a.sqlite --dry-run
stored 1 0 "another text is another point"

# ---- arguments ----
own="--arg buf:u32[{n}]={fill} --arg buf:u32[{n}] --arg u32:{n}"
run sweep collatz.ptx --config tiny --grid '{(n + block - 1) / block}' $own --set n=1K,512 --set block=64,128 --set fill=iota --db b.sqlite
expect_out "4 points: 0 stored before, 4 run; 4 ok, 0 failed, 0 wrong" "sizes of a problem are axes"
run results --db b.sqlite --rows n --cols block --value exec.launches --csv -
expect_out "n,64,128
512,1,1
1024,1,1" "and axes of the results"
run results --db b.sqlite --rows workload --cols n --value cycles
expect_err "they differ in block" "which are named where they are missing"
run sweep collatz.ptx --config tiny --grid '{(n + 63) / 64}' $own --set n=1K --set block=64 --set fill=iota --db b.sqlite --dry-run
stored 1 1 "a point is what it computes, however its grid was written"
printf '%s\n' "// heddle: --grid {n=2} --block 64 --arg 'buf:u32[{64 * n}]=rand({seed=1},1,9)' --arg 'buf:u32[{64 * n}]' --arg 'u32:{64 * n}'" >own.ptx
sed 1d collatz.ptx >>own.ptx
run run own.ptx --config tiny
expect_in_out "2 blocks of 64 threads" "a file may say what it assumes"
run sweep own.ptx --config tiny --set n=1..3 --db c.sqlite
expect_out "3 points: 0 stored before, 3 run; 3 ok, 0 failed, 0 wrong" "and an axis changes it"
run sweep own.ptx @matrix --size tiny --config tiny --set n=1,2 --seeds 2 --db c.sqlite --dry-run
sed -e 1d -e '/^estimated cost/d' -e 's/  */ /g' "$out" >list
printf '%s\n' "own.ptx:collatz - tiny pdom n=1 seed=1 no" "own.ptx:collatz - tiny pdom n=1 seed=2 memory.seed=2 no" \
    "own.ptx:collatz - tiny pdom n=2 seed=1 no" "own.ptx:collatz - tiny pdom n=2 seed=2 memory.seed=2 no" \
    "matrix tiny tiny pdom no" "matrix tiny tiny pdom memory.seed=2 no" "6 points, 0 stored, 6 to run" | cmp -s - list
verdict $? "seeds go to inputs too; what is not a workload's makes no points of it"
run sweep warpsum.ptx --config tiny --set kernel=warpsum,warpsum_sync --db k.sqlite
run results --db k.sqlite --rows kernel --cols size --value exec.launches --csv -
expect_in_out "warpsum_sync,1" "kernels of a file are an axis"
printf 'workload,n,mech\nown.ptx,1,pdom\nown.ptx,,dwf\n@matrix,,pdom\n' >p.csv
run sweep --points p.csv --size tiny --config tiny --db c.sqlite --dry-run
sed -e 1d -e '/^estimated cost/d' -e 's/  */ /g' "$out" >list
printf '%s\n' "own.ptx:collatz - tiny pdom n=1 ok" "own.ptx:collatz - tiny dwf no" "matrix tiny tiny pdom no" "3 points, 1 stored, 2 to run" | cmp -s - list
verdict $? "a file of points names files"

run sweep own.ptx collatz.ptx @matrix --size tiny --config tiny --set n=4,1 --skip-where "n > 2" --db c.sqlite --dry-run
sed -e 1d -e '/^estimated cost/d' -e 's/  */ /g' "$out" >list
printf '%s\n' "own.ptx:collatz - tiny pdom n=1 ok" "collatz.ptx:collatz - tiny pdom no" "matrix tiny tiny pdom no" \
    "3 points, 1 stored, 2 to run" "1 left out by --skip-where" | cmp -s - list
verdict $? "a condition on an argument is not about what does not use it"

# ---- scripts ----
cat >heat.hds <<END
let n = 17
let k = n + 1
variable conductivity = 0.5
buffer now f32[n]
buffer next f32[n]
buffer in f32[4] = file "in.txt"
launch heat grid 1 block 32 args now, next, n
let n = n + 1
check k == n
END
printf '1 2 3 4' >in.txt
run sweep heat.ptx --script heat.hds --set n=9,17 --config tiny --mech pdom,mimd --db s.sqlite
expect_out "4 points: 0 stored before, 4 run; 4 ok, 0 failed, 0 wrong" "numbers of a script are axes"
run results --db s.sqlite --rows workload,n --cols mech --value exec.launches --csv -
expect_in_out "heat.ptx:heat.hds,17,1,1" "of the results too"
run sweep heat.ptx --script heat.hds --set n=17 --config tiny --mech pdom --db s.sqlite --dry-run
stored 1 1 "a script's point is found again"
run sweep heat.ptx --script heat.hds --config tiny --mech pdom --db s.sqlite --dry-run
grep -qxE 'heat.ptx:heat.hds +- +tiny +pdom +no' "$out"
verdict $? "without the axis it is a point without"
printf '1 2 3 5' >in.txt
run sweep heat.ptx --script heat.hds --set n=17 --config tiny --mech pdom --db s.sqlite --dry-run
stored 1 0 "another input is another point"
printf '1 2 3 4' >in.txt && echo '# more' >>heat.hds
run sweep heat.ptx --script heat.hds --set n=17 --config tiny --mech pdom --db s.sqlite --dry-run
stored 1 0 "another text of the script is another point"
printf 'let n = 1\nlaunch heat grid 1 block 32 args 0, 0, n\n' >bad.hds
run sweep heat.ptx --script bad.hds --set n=8 --config tiny --db s.sqlite
expect_in_out "1 point: 0 stored before, 1 run; 0 ok, 1 failed, 0 wrong" "a fault is a point that failed"
printf 'let n = 1\ncheck n == 1\n' >check.hds
run sweep heat.ptx --script check.hds --set n=1,2 --config tiny --db s.sqlite
expect_status 1 "a check that fails is a wrong point"
expect_err "heat.ptx:check.hds under pdom on tiny, n=2: check.hds:2:1: check failed" "and says where"

# ---- traces ----
"$HEDDLE" record collatz.ptx --grid 4 -o c.hdt >/dev/null 2>&1
run sweep c.hdt --config tiny --mech pdom,dwf --db t.sqlite
expect_out "2 points: 0 stored before, 2 run; 2 ok, 0 failed, 0 wrong" "a trace is swept"
run sweep c.hdt --config tiny --mech pdom --db t.sqlite --dry-run
grep -qxE 'c.hdt +- +tiny +pdom +ok' "$out"
verdict $? "and found again"
"$HEDDLE" record collatz.ptx --grid 5 -o c.hdt >/dev/null 2>&1
run sweep c.hdt --config tiny --mech pdom --db t.sqlite --dry-run
stored 1 0 "another trace is another point"

# ---- CUDA C++ ----
if [ -n "$("$HEDDLE" inspect collatz.cu 2>/dev/null)" ]; then
    run sweep collatz.cu --cuda-flags -DSCALE={scale} --set scale=1,2 --set block=64,128 --config tiny --mech pdom --db u.sqlite --dry-run
    expect_in_out "4 points, 0 stored, 4 to run" "flags of the compiler are axes"
    [ "$(grep -c 'compiled by' "$err")" -le 2 ]
    verdict $? "and what is the same is compiled once"
    grep -qE '^collatz.cu:collatz +- +tiny +pdom +block=64 scale=2 ' "$out"
    verdict $? "kernels have the names that their author gave them"
else
    skipped "flags of the compiler are axes" "there is no compiler for CUDA C++"
fi

# ---- what is refused ----
refused "--set n: nothing uses n: it is no option (a key is SECTION.NAME)" "a name that nothing uses" sweep collatz.ptx --set n=1,2 --db x.sqlite
refused "{m}: m has no value" "a name without a value" sweep collatz.ptx --arg 'u32:{m}' --db x.sqlite
refused "n=0: --grid '0': a dimension is at least 1" "a value that does not fit, with its axis" sweep collatz.ptx --set n=1,0 --grid '{n}' --db x.sqlite
refused "--set n: 'a b': a value of n has no blanks" "a value with blanks" sweep own.ptx --set "n=a b" --db x.sqlite
refused "--set a-b: 'a-b' is neither the key of an option nor a name" "a name that is none" sweep own.ptx --set a-b=1 --db x.sqlite
refused "--set state: state has another meaning" "a name of the results" sweep own.ptx --set state=1 --db x.sqlite
refused "--block is given, and block is an axis too" "an option that is an axis too" sweep collatz.ptx --block 64 --set block=64,128 --db x.sqlite
refused "--grid is for files, and there is none" "a launch of a workload" sweep @matrix --grid 4 --db x.sqlite
refused "--size is for workloads, and there is none" "the size of a file" sweep collatz.ptx --size tiny --db x.sqlite
refused "none.ptx" "a file that is not there" sweep none.ptx --db x.sqlite
refused "there is no workload 'mtrix' (did you mean @matrix?)" "a workload that is not there" sweep mtrix --db x.sqlite
refused "a sweep reads programs from files that stay" "standard input" sweep - --db x.sqlite
refused "heat.hds:1:1: n is to be 'abc', which is not a number" "a text for a number of a script" sweep heat.ptx --script heat.hds --set n=abc --db x.sqlite
refused "nothing to run: name files, or workloads by --workloads" "nothing at all" sweep --db x.sqlite
printf 'workload,n\nown.ptx,1\nown.ptx,0\n' >p.csv
refused "p.csv:3: own.ptx: launch options: --grid '0'" "a row of a file" sweep --points p.csv --db x.sqlite
[ ! -e x.sqlite ]
verdict $? "none of these made a database"
