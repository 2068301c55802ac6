#!/bin/bash
# The CUDA library from outside: the names it shows, the settings it reads, the log it writes.
cd "$(dirname "$0")/.." || exit 2
. tests/tap.inc
BUILD=${BUILD:-build}
HEDDLE=$(realpath "${HEDDLE:-$BUILD/heddle}") || exit 2
lib=$BUILD/cuda/lib/libheddle-cuda.so
unset HEDDLE_CONFIG HEDDLE_MECH HEDDLE_SET HEDDLE_MODE HEDDLE_TIMED HEDDLE_LOG HEDDLE_FILE HEDDLE_RACES HEDDLE_PROGRESS
# A program that was not built with the sanitizers loads a library that was.
case $BUILD in *asan*) export SAN_PRELOAD="$(gcc -print-file-name=libasan.so):$(gcc -print-file-name=libubsan.so)" ASAN_OPTIONS=detect_leaks=0 ;; esac
if ! command -v clang-19 >/dev/null; then
    echo "1..0 # SKIP there is no clang-19"
    exit 0
fi
d=$(mktemp -d)
trap 'rm -rf "$d"' EXIT
cat >"$d/p.cu" <<'CU'
#include <stdio.h>
#include <stdlib.h>
extern "C" cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *, void *);
__global__ void add(int *p) { *p += 1; }
__global__ void other(int *p) { *p += 10; }
__global__ void dynamic(int *p) {
    extern __shared__ int s[];
    s[16383] = 0;
    *p = s[16383];
}
__global__ void hopper(int *p) {
    asm volatile("wgmma.fence.sync.aligned;");
    *p += 100;
}
int main(int argc, char **argv) {
    int *p = 0, v = -1;
    cudaIpcMemHandle_t h;
    printf("malloc: %s\n", cudaGetErrorName(cudaMalloc(&p, 4)));
    if (argc > 4) {
        cudaDeviceProp m;
        int clock = 0, blocks = 0;
        void *large = 0;
        cudaGetDeviceProperties(&m, 0);
        cudaDeviceGetAttribute(&clock, cudaDevAttrMemoryClockRate, 0);
        cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, dynamic, 128, 65536);
        printf("machine: %s, %d SMs, %d.%d, %zu shared, %d with 65536, %zu bytes, %.0f GB/s\n", m.name, m.multiProcessorCount, m.major, m.minor,
               m.sharedMemPerBlockOptin, blocks, m.totalGlobalMem, 2e3 * clock * m.memoryBusWidth / 8 / 1e9);
        printf("5 GB: %s\n", cudaGetErrorName(cudaMalloc(&large, (size_t)5 << 30)));
        dynamic<<<1, 128, 65536>>>(p);
    }
    cudaMemset(p, 0, 4);
    for (int i = 0; i < 3; i++) add<<<1, 1>>>(p);
    other<<<1, 1>>>(p);
    cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost);
    printf("sum: %d\n", v);
    for (int i = 0; argc > 1 && i < 2; i++) printf("ipc: %s\n", cudaGetErrorName(cudaIpcGetMemHandle(&h, p)));
    for (int i = 0; argc > 3 && i < 2; i++) hopper<<<1, 1>>>(p);
    if (argc > 3) printf("hopper: %s\n", cudaGetErrorName(cudaGetLastError()));
    if (argc == 3) add<<<1, 1>>>((int *)0);
    printf("end: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
CU
builds() { "$HEDDLE" nvcc "$d/p.cu" -o "$d/p"; }
shows_only_cuda() { # its versions are absolute symbols
    ! nm -D --defined-only "$lib" | awk '{ print $NF }' | sed 's/@.*//' |
        grep -vE '^(cu[A-Z]|cuda[A-Z]|__cuda[A-Z]|__heddleManaged$|libcudart\.so\.1[123](\.0)?$)'
}
rows_are_unsupported() { # a row whose entry point was written since should go
    ! sed -n 's/^UNSUPPORTED(\(.*\))/\1/p' runtime/module/unsupported.def | while read -r name; do
        nm -D "$lib" | grep -q " W $name\$" || echo "$name is in unsupported.def and supported"
    done | grep .
}
serves_three_versions() { [ "$(readelf -V "$lib" | grep -c 'Flags: none .*libcudart.so.1')" -ge 3 ]; }
run() { # [VARIABLE=VALUE]... -- ARGUMENT...
    local env=()
    while [ "$1" != -- ]; do env+=("$1"); shift; done
    shift
    env ${SAN_PRELOAD:+LD_PRELOAD="$SAN_PRELOAD"} "${env[@]}" timeout 60 "$d/p" "$@" >"$d/out" 2>"$d/err"
}
bad_setting() {
    run HEDDLE_MODE=fast -- || return 1
    [ "$(cat "$d/out")" = "malloc: cudaErrorInitializationError
sum: -1
end: cudaErrorInitializationError" ] && [ "$(cat "$d/err")" = "heddle: HEDDLE_MODE=fast: should be functional, timed or auto" ]
}
bad_machine() { run HEDDLE_CONFIG=nowhere -- && grep -q '^malloc: cudaErrorInit' "$d/out" && grep -q nowhere "$d/err"; }
known_hardware() { # no machine is named: that of an RTX 2060, functional; mechanisms and options of machines ask for time
    local start
    run HEDDLE_LOG="$d/log5" -- 1 2 3 4 && grep -qx 'machine: heddle turing-rtx2060, 30 SMs, 7.5, 65536 shared, 1 with 65536, 6442450944 bytes, 336 GB/s' "$d/out" &&
        grep -qx '5 GB: cudaSuccess' "$d/out" && grep -q '^sum: 13' "$d/out" && grep -q '"machine":"turing-rtx2060","mech":""' "$d/log5" &&
        ! grep -q '"mode":"timed"' "$d/log5" || return 1
    for start in HEDDLE_MECH=volta HEDDLE_SET=gpu.sms=2 HEDDLE_MODE=timed; do
        run $start HEDDLE_LOG="$d/log.$start" -- && [ "$(grep -c '"mode":"timed"' "$d/log.$start")" = 4 ] &&
            grep -q '"machine":"turing-rtx2060"' "$d/log.$start" || return 1
    done
    run HEDDLE_SET=exec.heap_bytes=1M HEDDLE_LOG="$d/log6" -- && ! grep -q '"mode":"timed"' "$d/log6"
}
settings_file() {
    printf '# a comment\nconfig = tiny\nheddle_timed = add:2\nlog = %s\nlaunches = 1\n' "$d/log.file" >"$d/settings"
    run HEDDLE_FILE="$d/settings" -- && [ "$(grep -c '"mode":"timed"' "$d/log.file")" = 1 ]
}
logs() {
    run HEDDLE_CONFIG=tiny HEDDLE_TIMED='add:2;other' HEDDLE_LOG="$d/log" -- || return 1
    [ "$(grep -c '^{"event":"launch".*}$' "$d/log")" = 4 ] && [ "$(grep -c '"mode":"timed".*"gpu.cycles":' "$d/log")" = 2 ] &&
        head -1 "$d/log" | grep -q '^{"event":"start","pid":[0-9]*,"program":".*/p","machine":"tiny"' &&
        tail -1 "$d/log" | grep -q '^{"event":"end",.*"exec.launches":4' && ! grep -q '"status":"fault"' "$d/log"
}
logs_own_counters() { # those of the mechanism, of timed launches
    run HEDDLE_CONFIG=tiny HEDDLE_MECH=dwf HEDDLE_LOG="$d/log4" -- || return 1
    [ "$(grep -c '^{"event":"launch".*"dwf\.[a-z_]*":[1-9]' "$d/log4")" = 4 ] && tail -1 "$d/log4" | grep -q '"dwf\.[a-z_]*":[1-9]'
}
logs_faults() {
    run HEDDLE_LOG="$d/log2" -- 1 2 && grep -q '^end: cudaErrorIllegalAddress' "$d/out" &&
        grep -q '"status":"fault","error":"null-pointer' "$d/log2" && grep -q 'heddle: null-pointer 4-byte' "$d/err"
}
names_calls() { run -- 1 && [ "$(grep -c 'ipc: cudaErrorNotSupported' "$d/out")" = 2 ] && [ "$(cat "$d/err")" = "heddle: cudaIpcGetMemHandle is not supported" ]; }
refuses_kernels() { # one that uses an instruction heddle does not have
    run HEDDLE_LOG="$d/log3" -- 1 2 3 && grep -q '^sum: 13' "$d/out" && grep -q '^hopper: cudaErrorInvalidPtx' "$d/out" &&
        grep -q '^end: cudaSuccess' "$d/out" && [ "$(grep -c 'cannot run: .*instruction wgmma.fence.sync.aligned is not supported' "$d/err")" = 1 ] &&
        [ "$(grep -c 'hopper.*"status":"refused","error":".*wgmma' "$d/log3")" = 2 ]
}
damaged() { # its fat binary: no text, no crash
    LC_ALL=C sed 's/\x50\xed\x55\xba\x01\x00\x10\x00/\x50\xed\x55\xba\x01\x00\x10\x07/' "$d/p" >"$d/q" && chmod +x "$d/q" && LD_PRELOAD=${SAN_PRELOAD-} "$d/q" >"$d/out" 2>"$d/err" &&
        grep -q '^sum: 0' "$d/out" && grep -q damaged "$d/err"
}
preloaded() { # for programs that find no library by themselves
    LD_PRELOAD=${SAN_PRELOAD:+$SAN_PRELOAD:}$lib "$d/p" >"$d/out" && grep -q '^sum: 13' "$d/out"
}
echo 1..15
check "a program is built" builds
check "nothing but CUDA's names is to be seen" shows_only_cuda
check "what is listed as unsupported is" rows_are_unsupported
check "the versions of CUDA 11, 12 and 13 are there" serves_three_versions
check "a wrong setting fails every call and is named once" bad_setting
check "so does a machine that is not there" bad_machine
check "a program finds the hardware it knows" known_hardware
check "settings come from a file" settings_file
check "the log has a line for the start, each launch and the end" logs
check "the log has the counters of the mechanism itself" logs_own_counters
check "the log has faults" logs_faults
check "a call that is not supported names itself once" names_calls
check "a kernel with an unknown instruction fails alone, and the instruction is named" refuses_kernels
check "a damaged fat binary is an error" damaged
check "the library may be preloaded" preloaded
