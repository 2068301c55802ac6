#!/bin/bash
# heddle sweep --slurm against a script that plays Slurm (tests/cli/slurm): whatever becomes of tasks, every point ends up in the
# database once, with what one host would have, or with the reason why not. tests/slurm/run.sh does so with the real one.
. tests/cli/lib.inc
. tests/cli/database.inc
slurm=$PWD/tests/cli/slurm
cd "$work" || exit 2
PATH=$slurm:$PATH
fresh() { # FATE...: a cluster whose tasks of job 101, 102, ... have these fates, JOB_INDEX=FATE
    local f
    FAKE=$work/fake.$((++clusters))
    export FAKE
    mkdir "$FAKE"
    for f; do echo "${f#*=}" >"$FAKE/fate-${f%=*}"; done
}
clusters=0
points="--workloads matrix --size tiny --config tiny --mech pdom,mimd,dwf --set gpu.sms=1,2"
run sweep $points --db local.sqlite
over="sweep $points --slurm --points-per-task 2"

# ---- all is well ----
fresh
run $over --sbatch "--time=10 --comment='two words'" --db r.sqlite
expect_out "6 points: 0 stored before, 6 run; 6 ok, 0 failed, 0 wrong" "a sweep over an array says what one here does"
[ ! -s "$err" ] && [ "$(echo r.sqlite*)" = r.sqlite ]
verdict $? "without a word on standard error, and leaves one file"
same r.sqlite local.sqlite "with the same contents"
grep -q -- "--job-name=r.sqlite --cpus-per-task=1 --time=10 --comment=two words --parsable --output=.* --array=0-2 " "$FAKE/words"
verdict $? "--sbatch is passed on"
run $over --db r.sqlite
expect_out "6 points: 6 stored before, 0 run; 6 ok, 0 failed, 0 wrong" "a second time nothing is left to do"
[ "$(wc -l <"$FAKE/words")" -eq 1 ]
verdict $? "and nothing is submitted"
fresh
FAKE_ARRAY=3 run sweep $points --slurm --points-per-task 1 --jobs 2 --db arrays.sqlite
[ "$(grep -c -- "--cpus-per-task=2 .*--array=0-1 " "$FAKE/words")" -eq 3 ]
verdict $? "more tasks than an array may have are several arrays"
same arrays.sqlite local.sqlite "with the same contents again"
fresh
run sweep $points --slurm --db auto.sqlite
[ "$status" -eq 0 ] && grep -q -- "--array=0-0 " "$FAKE/words" && [ "$(wc -l <"$FAKE/words")" -eq 1 ]
verdict $? "short points are one task, and how long they take is found out here"
expect_out "6 points: 1 stored before, 5 run; 6 ok, 0 failed, 0 wrong" "by a point that counts"
same auto.sqlite local.sqlite "like any other"

# ---- tasks that die ----
long="--workloads matrix --size small --config tiny --mech pdom,mimd --set gpu.sms=1,2"
run sweep $long --db long.sqlite
fresh 101_0=TIMEOUT 101_1=requeue 101_2=cut 101_3=zeros 102_0=OUT_OF_MEMORY 103_0=forget
run sweep $long --slurm --points-per-task 1 --retries 5 --db d.sqlite
[ "$status" -eq 0 ] && grep -q "^4 points: 0 stored before, 4 run; 4 ok, 0 failed, 0 wrong" "$out"
verdict $? "tasks out of time, out of memory, requeued, cut and forgotten are run again"
same d.sqlite long.sqlite "and nothing is lost, nothing twice"
expect_err "task 0 of round 1: out of time (Slurm's task 101_0: TIMEOUT, on n1); 1 of its 1 points are missing" "which task died is told"
sql d.sqlite "SELECT task, reason FROM attempt ORDER BY reason" >"$out"
grep -q "101_1.0.*requeued: " "$out" && grep -q "out of memory (Slurm's task 102_" "$out" && grep -q "101_0.0.*out of time (" "$out" && grep -q "out of time$" "$out"
verdict $? "and which point was tried, and why it did not end, is in the database"
fresh 101_0=TIMEOUT
touch "$FAKE/refuse-2"
run sweep --workloads matrix --size small --config tiny --slurm --points-per-task 1 --db t.sqlite
[ "$status" -eq 0 ] && grep -q "warning: sbatch failed: sbatch: error: Socket timed out" "$err" && grep -q "1 ok" "$out"
verdict $? "a Slurm that takes nothing for a while is asked again"
fresh 101_0=TIMEOUT 102_0=OUT_OF_MEMORY 103_0=NODE_FAIL
run sweep $long --slurm --points-per-task 1 --db k.sqlite
[ "$status" -eq 1 ] && grep -q "^4 points: 0 stored before, 4 run; 3 ok, 0 failed, 0 wrong, 1 killed" "$out"
verdict $? "a point that is killed three times is given up"
expect_err "matrix small under pdom on tiny: its node failed (Slurm's task 103_0: NODE_FAIL, on n1)" "with its last reason"
run results --db k.sqlite --only state=killed --csv -
[ "$(grep -c ",killed,its node failed" "$out")" -eq 1 ] || [ "$(grep -c "its node failed" "$out")" -eq 1 ]
verdict $? "results show it"
run sweep $long --db k.sqlite
expect_in_out "4 points: 4 stored before, 0 run; 3 ok, 0 failed, 0 wrong, 1 killed" "it does not run again by itself"
fresh
run sweep $long --slurm --points-per-task 4 --retry --db k.sqlite
expect_out "4 points: 3 stored before, 1 run; 4 ok, 0 failed, 0 wrong" "but with --retry"
same k.sqlite long.sqlite "and is a result like any other then"
fresh 101_0=full
run sweep $points --slurm --points-per-task 6 --db f.sqlite
[ "$status" -eq 0 ] && grep -q "6 ok" "$out"
verdict $? "a full disk costs time and nothing else"
sql f.sqlite "SELECT reason FROM attempt" >"$out"
grep -q "no space left on the disk (Slurm's task 101_0: FAILED, on n1): cannot write .*/shard-1-0-0: File too large" "$out"
verdict $? "and is told as what it was"

# ---- what cannot work ----
fresh
echo "sbatch: error: Batch job submission failed: Invalid qos specification" >"$FAKE/refuse"
refused "sbatch failed: sbatch: error: Batch job submission failed: Invalid qos specification" "what sbatch refuses" $over --db q.sqlite
[ ! -e q.sqlite.d ]
verdict $? "leaves no sweep behind"
fresh 101_0=nothing 102_0=nothing 103_0=nothing
run sweep $points --slurm --points-per-task 6 --db n.sqlite
[ "$status" -eq 2 ] && grep -q "tasks end before they run a point; the last one said: cannot find the home of user 17" "$err"
verdict $? "tasks that never begin are given up"
refused "a sweep into n.sqlite is under way: 'heddle sweep resume n.sqlite' takes it up, 'heddle sweep cancel n.sqlite' ends it" "a second sweep into the same database" $over --db n.sqlite
run sweep resume n.sqlite
[ "$status" -eq 0 ] && grep -q "6 points: 0 stored before, 6 run; 6 ok" "$out"
verdict $? "resume tries again"
same n.sqlite local.sqlite "and has it all"
refused "no sweep into n.sqlite is under way" "a sweep that has ended" sweep resume n.sqlite
refused "no sweep into nosuch.sqlite is under way" "a sweep that never was" sweep status nosuch.sqlite
refused "status takes the name of a database and nothing else" "status of nothing" sweep status
refused "--points-per-task: N is at least 1, or auto" "no points" sweep $points --slurm --points-per-task 0 --db x.sqlite
refused "--sbatch: the quote ' does not end" "a quote that does not end" sweep $points --slurm --sbatch "--comment='a" --db x.sqlite
refused "--shard and --slurm cannot both part the sweep" "both ways at once" sweep $points --slurm --shard 1/2 --db x.sqlite
PATH=/usr/bin:/bin
if ! command -v sbatch >/dev/null; then
    refused "there is no sbatch here: is this a host of a Slurm cluster?" "no Slurm" $over --db x.sqlite
    [ ! -e x.sqlite.d ]
    verdict $? "leaves no sweep behind either"
fi
PATH=$slurm:$PATH

# ---- leaving, and coming back ----
fresh
touch "$FAKE/deaf"
env --default-signal=INT "$HEDDLE" sweep $long --slurm --points-per-task 1 --db l.sqlite >"$out" 2>"$err" &
pid=$!
for _ in $(seq 600); do grep -q "Unable to contact" "$err" && break || sleep 0.1; done
grep -q "warning: squeue failed: slurm_load_jobs error: Unable to contact slurm controller" "$err" && kill -0 $pid
verdict $? "a Slurm that does not answer is waited for"
run sweep resume l.sqlite
[ "$status" -eq 2 ] && grep -q "is attended to by process" "$err"
verdict $? "two do not attend to one sweep"
kill -INT $pid
wait $pid
[ $? -eq 130 ]
verdict $? "Ctrl-C leaves it"
rm "$FAKE/deaf"
run sweep status l.sqlite
[ "$status" -eq 0 ] && grep -qE "^l.sqlite: [0-4] of 4 points, [0-4] running, 0 wrong, failed or killed" "$out" && grep -q "no process attends to it: run 'heddle sweep resume l.sqlite'" "$out"
verdict $? "status shows how far it is"
(mkdir -p elsewhere && cd elsewhere && "$HEDDLE" sweep resume ../l.sqlite) >"$out" 2>"$err"
grep -q "4 points: 0 stored before, 4 run; 4 ok" "$out"
verdict $? "from another folder it is taken up again"
same l.sqlite long.sqlite "with nothing lost"
fresh
env --default-signal=INT "$HEDDLE" sweep $long --slurm --points-per-task 4 --db c.sqlite >"$out" 2>"$err" &
pid=$!
for _ in $(seq 600); do [ -e c.sqlite.d/shard-1-0-0 ] && break || sleep 0.1; done
kill -INT $pid
wait $pid
run sweep cancel c.sqlite
[ "$status" -eq 0 ] && grep -qE "^cancelled; [0-4] of 4 points are in c.sqlite" "$out" && [ "$(echo c.sqlite*)" = c.sqlite ]
verdict $? "cancel ends it, and leaves one file"
run sweep $long --db c.sqlite
same c.sqlite long.sqlite "which a sweep here completes"
fresh
"$HEDDLE" sweep --workloads mandelbrot --size paper --slurm --points-per-task 1 --db e.sqlite >"$out" 2>"$err" &
pid=$!
for _ in $(seq 600); do [ -e e.sqlite.d/shard-1-0-0 ] && break || sleep 0.1; done
command_line="sweep cancel e.sqlite"
"$HEDDLE" sweep cancel e.sqlite >cancel.out 2>&1
[ $? -eq 0 ] && grep -q "^cancelled by process .* $pid, which attended to it" cancel.out
verdict $? "another shell cancels a sweep that somebody attends to"
wait $pid
[ $? -eq 1 ] && grep -q "cancelled; 0 of 1 points are in e.sqlite" "$err" && [ "$(echo e.sqlite*)" = e.sqlite ]
verdict $? "who is told"
cp "$OLDPWD/configs/tiny.ini" own.ini
fresh 101_0=nothing 102_0=nothing 103_0=nothing
run sweep --workloads matrix --size tiny --config own.ini --slurm --points-per-task 1 --db own.sqlite
sed -i 's|^alu = .*|alu = 77|' own.ini
refused "matrix under pdom is not the point it was when the sweep began: a file, a configuration or heddle itself has changed since" "a configuration that has changed meanwhile" sweep resume own.sqlite
run sweep task own.sqlite.d 1 0
[ "$status" -eq 2 ] && grep -q "is not the point it was when the sweep began" "$err"
verdict $? "is noticed by tasks too"
run results --db own.sqlite.d/shard-1-0-0 --csv -
[ "$(wc -l <"$out")" -le 1 ]
verdict $? "which run nothing then"
run sweep cancel own.sqlite
expect_out "cancelled; 0 of 1 points are in own.sqlite" "such a sweep can be cancelled"
