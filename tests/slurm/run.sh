#!/bin/bash
# A sweep over a real Slurm, which this test starts and stops: munged, slurmctld and slurmd on this one host, with keys, sockets,
# state and logs in a folder of their own. One task is cancelled, one runs out of time, the shard of a third is cut in the
# middle; the database is what one host would have, byte for byte. Where there is no Slurm, or no root, it is skipped.
. tests/tap.inc
heddle=$(realpath "${HEDDLE:-build/heddle}")
d=$(mktemp -d)
skip() { echo "ok 1 - sweeps over Slurm # SKIP skipped: $1" && echo 1..1 && rm -rf "$d" && exit 0; }
for program in munged slurmctld slurmd sbatch squeue scancel scontrol; do
    command -v $program >/dev/null || skip "there is no $program (Debian's package slurm-wlm)"
done
[ "$(id -u)" = 0 ] || skip "its daemons need root"

# ---- a cluster ----
export SLURM_CONF=$d/slurm.conf
host=$(hostname -s)
port=$((20000 + $$ % 20000))
stop_cluster() {
    for f in "$d"/slurmd.pid "$d"/slurmctld.pid "$d"/munge/pid; do
        [ -s "$f" ] && kill "$(cat "$f")" 2>/dev/null
    done
    for _ in $(seq 50); do
        running=
        for f in "$d"/slurmd.pid "$d"/slurmctld.pid "$d"/munge/pid; do
            [ -s "$f" ] && kill -0 "$(cat "$f")" 2>/dev/null && running=yes
        done
        [ "$running" ] || break
        sleep 0.1
    done
    rm -rf "$d"
}
trap stop_cluster EXIT
start_cluster() {
    mkdir -m 700 "$d/munge" && mkdir "$d/state" "$d/spool"
    (umask 077 && head -c 1024 /dev/urandom >"$d/munge/key")
    munged --force --key-file="$d/munge/key" --socket="$d/munge/socket" --pid-file="$d/munge/pid" \
        --log-file="$d/munge/log" --seed-file="$d/munge/seed" --num-threads=1 || return 1
    cat >"$SLURM_CONF" <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$d/munge/socket
CredType=cred/munge
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmctldPidFile=$d/slurmctld.pid
SlurmdPidFile=$d/slurmd.pid
StateSaveLocation=$d/state
SlurmdSpoolDir=$d/spool
SlurmctldLogFile=$d/slurmctld.log
SlurmdLogFile=$d/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerParameters=sched_interval=2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=1
NodeName=$host NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
    slurmctld -c -f "$SLURM_CONF" && slurmd -c -f "$SLURM_CONF" || return 1
    for _ in $(seq 100); do
        sinfo -h -o %T 2>/dev/null | grep -qx idle && return 0
        sleep 0.1
    done
    return 1
}
start_cluster >&2 || { tail -n 5 "$d"/*.log >&2; skip "it does not start here"; }
${CC:-cc} -o "$d/sql" tests/cli/sql.c -lsqlite3 || exit 1
cd "$d" || exit 1
PATH=$PATH:$d

content() { for t in point counter setting; do sql "$1" "SELECT '$t', * FROM $t ORDER BY 1, 2, 3"; done; }
same() { # FILE FILE: tables and exports, the host's seconds aside
    for f in "$1" "$2"; do
        content "$f" >"$f.content" && "$heddle" results --db "$f" --csv "$f.csv" --json "$f.json" || return 1
    done
    [ -s "$1.content" ] && cmp "$1.content" "$2.content" && cmp "$1.csv" "$2.csv" && cmp "$1.json" "$2.json"
}

# ---- all is well ----
points="--workloads matrix,mu --size tiny --config tiny --mech pdom,mimd,dwf"
"$heddle" sweep $points --db local.sqlite >&2
check "a sweep over an array" "$heddle" sweep $points --slurm --points-per-task 2 --db slurm.sqlite
check "has what a sweep here has" same slurm.sqlite local.sqlite
check "and leaves nothing else" [ "$(echo slurm.sqlite.d*)" = "slurm.sqlite.d*" ]

# ---- three tasks that do not end well ----
points="--workloads matrix --size small --config tiny --mech pdom,mimd,dwf --set gpu.sms=1,2,3"
"$heddle" sweep $points --db whole.sqlite >&2
env --default-signal=INT "$heddle" sweep $points --slurm --points-per-task 3 --sbatch "--time=30" --db r.sqlite >&2 &
watcher=$!
task() { # NUMBER: process of that task, when it runs a point
    for _ in $(seq 300); do
        if [ "$(grep -ao hMRK "r.sqlite.d/shard-1-$1-0" 2>/dev/null | wc -l)" -ge 2 ]; then
            for p in /proc/[0-9]*; do
                tr '\0' ' ' 2>/dev/null <"$p/cmdline" | grep -q "^$heddle sweep task $d/r.sqlite.d 1 $1 " && echo "${p#/proc/}" && return
            done
        fi
        sleep 0.01
    done
}
first=$(task 0) && kill -STOP "$first" # until it is told to end, it does
second=$(task 1) && kill -STOP "$second"
kill -INT $watcher
wait $watcher
check "Ctrl-C leaves a sweep" [ $? -eq 130 ]
job=$(squeue -h -o %F | head -n 1)
scancel "${job}_0"
scontrol update JobId="${job}_1" EndTime=now+1 # when slurmctld next looks, within half a minute
for _ in $(seq 300); do
    squeue -h -r -t all -j "$job" -o '%K %T' | grep -q '^2 COMPLETED' && break
    sleep 0.1
done
status() { "$heddle" sweep status r.sqlite | tee status.txt; }
check "how far it is can be asked" status
check "and that no process attends to it" grep -q "no process attends to it" status.txt
truncate -s 60% r.sqlite.d/shard-1-2-0 2>/dev/null || truncate -s $(($(stat -c %s r.sqlite.d/shard-1-2-0) * 6 / 10)) r.sqlite.d/shard-1-2-0
resume() { timeout 120 "$heddle" sweep resume r.sqlite 2>&1 | tee resume.txt; }
check "resume takes it up to its end" resume
check "with all points" grep -q "^9 points: .* run; 9 ok, 0 failed, 0 wrong" resume.txt
check "and has what a sweep here has" same r.sqlite whole.sqlite
sql r.sqlite "SELECT reason FROM attempt" >reasons.txt
check "the point of the task that was cancelled has that reason" grep -q "^cancelled (Slurm's task ${job}_0: CANCELLED" reasons.txt
check "that of the one out of time too" grep -q "^out of time (Slurm's task ${job}_1: TIMEOUT" reasons.txt
check "and that of the shard that was cut" grep -q "^its shard was cut or damaged" reasons.txt
cat resume.txt reasons.txt >&2

# ---- cancelling ----
"$heddle" sweep --workloads mandelbrot --size paper --slurm --points-per-task 1 --db c.sqlite >&2 2>&1 &
watcher=$!
for _ in $(seq 100); do [ -e c.sqlite.d/shard-1-0-0 ] && break || sleep 0.1; done
kill -KILL $watcher
wait $watcher 2>/dev/null
cancel() { "$heddle" sweep cancel c.sqlite && [ -z "$(squeue -h)" ] && [ ! -e c.sqlite.d ]; }
check "a sweep whose process was killed can be cancelled, and leaves no task" cancel
echo "1..$n"
