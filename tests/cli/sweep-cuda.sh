#!/bin/bash
# heddle sweep of compiled CUDA programs: points in processes of their own, with what axes put among their words; how they end;
# what they are identified by; and that a sweep that is stopped leaves nothing behind.
. tests/cli/lib.inc
mkdir "$work/tmp"
export TMPDIR=$work/tmp
unset HEDDLE_CUDACC CUDA_HOME CUDA_PATH HEDDLE_CUDA_LIB
# A program that was not built with the sanitizers gets a library that was: their runtimes come first.
case $BUILD in *asan*) export LD_PRELOAD="$(gcc -print-file-name=libasan.so):$(gcc -print-file-name=libubsan.so)" ASAN_OPTIONS=detect_leaks=0 ;; esac
"$HEDDLE" nvcc -O2 -o "$work/launches" tests/cli/launches.cu -lpthread >"$out" 2>"$err"
command_line="heddle nvcc tests/cli/launches.cu" status=$?
verdict $status "a program for the tests is built"
${CC:-cc} -o "$work/json" tests/cli/json.c -ljansson
cd "$work" || exit 2

# ---- points ----
run sweep --program './launches {n}' --set n=2,3 --mech pdom,dwf --db a.sqlite
expect_out "4 points: 0 stored before, 4 run; 4 ok, 0 failed, 0 wrong" "a program's argument is an axis"
[ ! -s "$err" ]
verdict $? "what it prints is not shown"
run results --db a.sqlite --rows workload,n --cols mech --value launches --csv -
expect_in_out "workload,n,pdom,dwf" "programs are rows of results"
run results --db a.sqlite --only n=3 --value exec.launches,cycles --csv -
cp "$out" list
"$HEDDLE" cuda --mech dwf --json c.json -q ./launches 3 >/dev/null 2>&1
grep -q "^launches {n},.*,dwf,.*,4,$(./json c.json runs/0/total/gpu.cycles)\$" list
verdict $? "they have the figures of heddle cuda"
run results --db a.sqlite --only mech=dwf --only n=2 --value dwf.lut_lookups --csv -
expect_status 0 "and counters of mechanisms"
run sweep --program './launches {n}' @matrix --size tiny --set n=2,3 --mech pdom,dwf --set gpu.sms=4 --config tiny --db b.sqlite
expect_out "6 points: 0 stored before, 6 run; 6 ok, 0 failed, 0 wrong" "beside workloads, on other machines"
printf 'workload,n,mech\n$ ./launches {n},2,pdom\n$ ./launches {n},5,pdom\n' >p.csv
run sweep --points p.csv --db a.sqlite --dry-run
expect_in_out "2 points, 1 stored, 1 to run" "and in files of points"
run sweep --program './launches threads' --seeds 4 --jobs 4 --mech pdom --db j.sqlite
expect_out "4 points: 0 stored before, 4 run; 4 ok, 0 failed, 0 wrong" "several at a time"
run sweep --program './launches fork' --mech pdom --db j.sqlite
expect_out "1 point: 0 stored before, 1 run; 1 ok, 0 failed, 0 wrong" "one of several processes"

# ---- how they end ----
run sweep --program './launches fault' --program './launches crash' --program true --program "sh -c 'echo oh >&2; exit 3'" \
    --mech pdom --db f.sqlite
expect_out "4 points: 0 stored before, 4 run; 0 ok, 4 failed, 0 wrong" "programs that fail are points"
expect_err "launches fault under pdom on turing-rtx2060: kernel store failed: out-of-bounds 4-byte store" "a fault of a kernel is told"
expect_err "launches crash under pdom on turing-rtx2060: ended by signal 6" "a signal is told"
expect_err "true under pdom on turing-rtx2060: it launched no kernel" "a program without kernels is told"
expect_err "sh -c 'echo oh >&2; exit 3' under pdom on turing-rtx2060: exit status 3: oh" "an exit status is told, with the last words"

cat >calls.cu <<'END'
#include <cuda_runtime.h>
__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__global__ void k(int *p) { p[threadIdx.x] = fib(threadIdx.x % 4); }
int main() {
    int *p, host[32];
    cudaMalloc(&p, sizeof host);
    k<<<1, 32>>>(p);
    return cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess;
}
END
"$HEDDLE" nvcc -O2 -o calls calls.cu >/dev/null 2>&1
run sweep --program ./calls --mech pdom,chap --db r.sqlite
expect_out "2 points: 0 stored before, 2 run; 1 ok, 0 failed, 0 wrong, 1 refused" "a mechanism that cannot run a program refuses it"
expect_err "mechanism chap cannot run k: a call of a function" "and says why"

# ---- what they are ----
look() { # STORED NAME [OPTION...]
    run sweep --program './launches 2' --mech pdom --db i.sqlite --dry-run "${@:3}"
    expect_in_out "1 point, $1 stored" "$2"
}
echo 1 >in.txt
run sweep --program './launches 2' --mech pdom --db i.sqlite --input in.txt
look 1 "a point is found again" --input in.txt
look 0 "its inputs are part of it"
echo 2 >in.txt
look 0 "with their contents" --input in.txt
echo 1 >in.txt
cp launches other && printf x >>other && mv other launches
look 0 "so is the program's file" --input in.txt
run sweep --program './launches 3' --mech pdom --db a.sqlite --dry-run
expect_in_out "1 point, 0 stored" "and its words"

# ---- stopped ----
"$HEDDLE" sweep --program './launches wait' --mech pdom,dwf,mimd --jobs 2 --db s.sqlite >"$out" 2>"$err" &
pid=$! command_line="heddle sweep of programs, SIGTERM"
children() { LD_PRELOAD= pgrep -P $pid; } # which, with a sanitizer's runtime, may wait for itself
for i in $(seq 600); do [ "$(children | wc -l)" -eq 2 ] && break; sleep 0.05; done
children=$(children)
kill -TERM $pid
wait $pid
status=$?
expect_status 143 "a sweep that is stopped dies of the signal"
expect_err "stopped; 0 of 3 points are in s.sqlite" "and stores nothing of what ran"
left=0
for c in $children; do kill -0 "$c" 2>/dev/null && left=1; done
[ $left -eq 0 ] && [ -n "$children" ] && [ -z "$(ls tmp)" ]
verdict $? "no process and no file stays behind"

# ---- what is refused ----
refused "there is no program ./none" "a program that is not there" sweep --program './none 1' --db x.sqlite
refused "a program is missing" "no words" sweep --program ' ' --db x.sqlite
refused "a quote is not closed" "half a quote" sweep --program "./launches 'a" --db x.sqlite
refused "is a source file: build it first" "a source file" sweep --program "$(printf 'int main() {}' >s.cu; chmod +x s.cu; echo ./s.cu)" --db x.sqlite
refused "{m}: m has no value" "a name that is no axis" sweep --program './launches {m}' --db x.sqlite
refused "n=3: " "a program that an axis names and is not there" sweep --program './launches{n}' --set n=3,4 --db x.sqlite
refused "none.txt" "an input that is not there" sweep --program './launches 2' --input none.txt --db x.sqlite
refused "--input is for CUDA programs, and there is none" "an input of nothing" sweep @matrix --input in.txt --db x.sqlite
[ ! -e x.sqlite ]
verdict $? "none of these made a database"
