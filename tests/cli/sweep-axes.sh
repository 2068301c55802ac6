#!/bin/bash
# heddle sweep: what can be an axis. Ranges, zips, files of points, seeds, conditions; and what is refused before anything is
# written.
. tests/cli/lib.inc
cd "$work" || exit 2
small="--workloads matrix --size tiny --config tiny"
listed() { # the list of --dry-run, blanks squeezed
    sed -e '1d' -e '/ points\?, /,$d' -e 's/  */ /g' "$out"
}
expect_list() { # TEXT NAME
    [ "$(listed)" = "$1" ]
    verdict $? "$2"
}

# ---- values ----
run sweep $small --set gpu.sms=1..4*2,3 --db n.sqlite --dry-run
expect_list "matrix tiny tiny pdom no
matrix tiny tiny pdom gpu.sms=2 no
matrix tiny tiny pdom gpu.sms=4 no
matrix tiny tiny pdom gpu.sms=3 no" "a range and a value of a list"
run sweep $small --set latency.alu=1..9:4 --db n.sqlite --dry-run
expect_in_out "3 points, 0 stored, 3 to run" "a range by steps"
refused "--set gpu.sms: '1..': the range lacks its end" "half a range" sweep $small --set gpu.sms=1.. --db x.sqlite
refused "--set gpu.sms: '4..1*3': 4 cannot be divided by 3" "a factor that does not divide" sweep $small --set "gpu.sms=4..1*3" --db x.sqlite
refused "--set mech: that is what --mech is for" "what has an option of its own" sweep $small --set mech=pdom --db x.sqlite
refused "--set workload: that is what --workloads is for" "and what is called otherwise there" sweep $small --set workload=bfs --db x.sqlite

# ---- zips ----
run sweep $small --set gpu.sms=1,2,4 --mech pdom,mimd --set latency.alu=2..4 --zip gpu.sms,latency.alu --db n.sqlite --dry-run
expect_list "matrix tiny tiny pdom latency.alu=2 no
matrix tiny tiny pdom gpu.sms=2 latency.alu=3 no
matrix tiny tiny pdom gpu.sms=4 latency.alu=4 no
matrix tiny tiny mimd latency.alu=2 no
matrix tiny tiny mimd gpu.sms=2 latency.alu=3 no
matrix tiny tiny mimd gpu.sms=4 latency.alu=4 no" "zipped axes move together"
run sweep --workloads matrix,mu --size tiny --mech pdom,mimd --config tiny,harp-fermi --zip workload,config,mech --db n.sqlite --dry-run
expect_list "matrix tiny tiny pdom no
mu tiny harp-fermi mimd no" "workload, config and mech too"
refused "--zip: gpu.sms has 3 values and latency.alu 2" "axes of different lengths" sweep $small --set gpu.sms=1,2,3 --set latency.alu=1,2 --zip gpu.sms,latency.alu --db x.sqlite
refused "--zip: latency.alu is not an axis of this sweep" "an axis that is not there" sweep $small --set gpu.sms=1,2 --zip gpu.sms,latency.alu --db x.sqlite
refused "--zip gpu.sms: two axes or more go together" "one axis alone" sweep $small --set gpu.sms=1,2 --zip gpu.sms --db x.sqlite
refused "--zip: gpu.sms goes with another axis already" "an axis in two zips" sweep $small --set gpu.sms=1,2 --set latency.alu=1,2 --set latency.sfu=1,2 --zip gpu.sms,latency.alu --zip gpu.sms,latency.sfu --db x.sqlite

# ---- files of points ----
cat >p.csv <<END
# the points of a figure
mech, gpu.sms
pdom, 1

"mimd", 2
nrec,
END
run sweep $small --points p.csv --db n.sqlite --dry-run
expect_list "matrix tiny tiny pdom no
matrix tiny tiny mimd gpu.sms=2 no
matrix tiny tiny nrec no" "a file of points, each row one"
run sweep $small --points p.csv --set latency.alu=1,2 --db n.sqlite --dry-run
expect_in_out "6 points, 0 stored, 6 to run" "other axes are combined with its rows"
printf 'workload,size,config,mech\nmatrix,tiny,tiny,pdom\n@mu,tiny,tiny,mimd\n' >all.csv
run sweep --points all.csv --db f.sqlite
expect_out "2 points: 0 stored before, 2 run; 2 ok, 0 failed, 0 wrong" "a file may have all axes"
run sweep --workloads matrix,mu --size tiny --config tiny --mech pdom,mimd --db f.sqlite --dry-run
expect_in_out "4 points, 2 stored, 2 to run" "and its points are those of options"
points() { # TEXT MESSAGE NAME [OPTION...]
    printf "$1" >bad.csv
    refused "$2" "$3" sweep --config tiny --points bad.csv --db x.sqlite "${@:4}"
}
points 'mech,gpu.sms\npdom,1\nmimd\n' "bad.csv:3: 1 cells, the heading has 2" "a row that is short" --workloads matrix
points 'mech,gpu.sms\npdom,1\nmimd,zero\n' "bad.csv:3: gpu.sms" "a value that is none" --workloads matrix
points 'mech\npdom\npdmo\n' "bad.csv:3: " "a mechanism that is not there" --workloads matrix
points 'workload\nmatrix\nmtrix\n' "bad.csv:3: there is no workload 'mtrix' (did you mean @matrix?)" "a workload that is not there"
points 'workload,size\nmatrix,tiny\nmatrix,huge\n' "bad.csv:3: there is no size 'huge'" "a size that is not there"
points 'workload,mech\nmatrix,pdom\n,pdom\n' "bad.csv:3: no workload is named" "a row without a workload"
points 'gpu.smss\n1\n' "did you mean gpu.sms?" "an option that is not there" --workloads matrix
points 'gpu.sms\n1\n' "gpu.sms is an axis twice: of --set gpu.sms and of bad.csv" "an axis of the file and of an option" --workloads matrix --set gpu.sms=1,2
points '' "bad.csv: it has no heading" "an empty file" --workloads matrix
points 'mech\n\0pdom\n' "bad.csv is not a text file" "what is no text" --workloads matrix
refused "cannot open none.csv" "a file that is not there" sweep $small --points none.csv --db x.sqlite
[ ! -e x.sqlite ]
verdict $? "none of these made a database"

# ---- seeds ----
run sweep $small --seeds 3 --db s.sqlite
expect_out "3 points: 0 stored before, 3 run; 3 ok, 0 failed, 0 wrong" "a point with three seeds"
run results --db s.sqlite --rows memory.seed --cols workload --value launches --csv -
expect_in_out "memory.seed,matrix" "seeds are an axis of the results"
run sweep $small --db s.sqlite
expect_out "1 point: 1 stored before, 0 run; 1 ok, 0 failed, 0 wrong" "the first is the point without"
refused "--seeds: N is at least 1" "no seeds" sweep $small --seeds 0 --db x.sqlite
refused "memory.seed is an axis twice: of --set memory.seed and of --seeds" "seeds twice" sweep $small --seeds 2 --set memory.seed=1,2 --db x.sqlite

# ---- conditions ----
run sweep $small --mech pdom,mimd --set gpu.sms=1..4*2 --skip-where "mech == mimd and gpu.sms > 1" --db n.sqlite --dry-run
expect_list "matrix tiny tiny pdom no
matrix tiny tiny pdom gpu.sms=2 no
matrix tiny tiny pdom gpu.sms=4 no
matrix tiny tiny mimd no" "a condition leaves points out"
expect_in_out "2 left out by --skip-where" "and says how many"
run sweep $small --mech pdom,mimd --set pdom.side=taken,most --skip-where "pdom.side == most" --db n.sqlite --dry-run
expect_list "matrix tiny tiny pdom no
matrix tiny tiny mimd no" "a parameter says nothing about other mechanisms"
run sweep $small --set sm.warp_size=4,8 --set sm.simd_width=4,8 --skip-where "sm.simd_width > sm.warp_size" --db n.sqlite --dry-run
expect_in_out "3 points" "machines that cannot be are kept away"
refused "sm.warp_size=4 sm.simd_width=8: sm.simd_width is 8" "and are named without a condition" sweep $small --set sm.warp_size=4,8 --set sm.simd_width=4,8 --db x.sqlite
refused "--skip-where 'gpu.sms == ': an axis, a number or a text expected at the end" "half a condition" sweep $small --set gpu.sms=1,2 --skip-where "gpu.sms == " --db x.sqlite
refused "'gpu.smss' is not an axis of this sweep; there are workload, size, config, gpu.sms" "a condition on no axis" sweep $small --set gpu.sms=1,2 --skip-where "gpu.smss > 1" --db x.sqlite
refused "mech is never 'pdmo' here" "a text that no point has" sweep $small --mech pdom,mimd --skip-where "mech == pdmo" --db x.sqlite
refused "--skip-where leaves no point" "a condition that always holds" sweep $small --skip-where 1 --db x.sqlite
refused "more than 10000000 combinations" "too many combinations" sweep $small --set gpu.sms=1..10000 --set latency.alu=1..10000 --db x.sqlite
refused "more than 100000 points" "too many points" sweep $small --set gpu.sms=1..1000 --set latency.alu=1..1000 --db x.sqlite

# ---- what it will cost ----
run sweep $small --mech pdom,mimd --db cost.sqlite --dry-run
expect_in_out "estimated cost unknown: cost.sqlite has no time of these programs" "without times nothing is known"
run sweep $small --mech pdom --db cost.sqlite -q
run sweep $small --mech pdom,mimd --set gpu.sms=1,2 --db cost.sqlite --jobs 3 --dry-run
grep -qE '^estimated cost [0-9.e-]+ core-seconds, [0-9.e-]+ seconds with 3 jobs: 3 by points of the same program$' "$out"
verdict $? "times of a program are those of its other points"
run sweep --workloads matrix,mu --size tiny --config tiny --mech pdom,mimd --db cost.sqlite --dry-run --host
grep -qE '^matrix +tiny +tiny +mimd +no +~[0-9.]+$' "$out" && grep -qE '^mu +tiny +tiny +pdom +no +\?$' "$out" && grep -qE '^matrix +tiny +tiny +pdom +ok$' "$out"
verdict $? "--host has those of each point"
grep -q "1 by points of the same program, 2 unknown" "$out"
verdict $? "and says what is unknown"
run sweep $small --mech pdom --db cost.sqlite --dry-run
! grep -q "cost" "$out"
verdict $? "what is stored costs nothing"
