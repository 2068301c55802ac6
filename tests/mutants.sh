#!/bin/bash
# Damaged programs: bytes in the section .nv_fatbin of CUDA programs are changed, MUTANTS times in all (100 in `make test`, 40 in `make asan`,
# 1,500 in `make test-long`), from seeds, and each program runs under `heddle cuda`. Its calls may fail in any way, but no signal and
# no sanitizer may end it. The programs come from `heddle nvcc` and, compressed, from nvcc where there is one; none crashes
# when a call fails. MUTANT=N MUTANT_FILE=PATH makes one mutant alone and keeps it. TAP.
set -u
cd "$(dirname "$0")/.." || exit 2
BUILD=${BUILD:-build}
HEDDLE=$(realpath "${HEDDLE:-$BUILD/heddle}") || exit 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HEDDLE work LC_ALL=C
unset HEDDLE_CONFIG HEDDLE_MECH HEDDLE_SET HEDDLE_MODE HEDDLE_TIMED HEDDLE_LOG HEDDLE_FILE HEDDLE_RACES HEDDLE_PROGRESS
if ! command -v clang-19 >/dev/null; then
    echo "1..0 # SKIP there is no clang-19"
    exit 0
fi
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)

# ---- the programs ----

for name in launches memory parts symbols vectors; do
    flags=$(HERE=tests/cudart; eval "echo $(sed -n 's|^// flags: ||p' "tests/cudart/$name.cu" | head -1)")
    "$HEDDLE" nvcc "tests/cudart/$name.cu" $flags -o "$work/$name.clang" >&2 || exit 1
    [ -z "$nvcc" ] || [ $name = memory ] || "$nvcc" -cudart shared -gencode arch=compute_75,code=compute_75 -std=c++17 \
        "tests/cudart/$name.cu" $flags -o "$work/$name.nvcc" >&2 || exit 1
done
programs=("$work"/*.clang "$work"/*.nvcc)
[ -f "${programs[-1]}" ] || unset 'programs[-1]'
for program in "${programs[@]}"; do # where the section is, and how long
    readelf -SW "$program" | sed -n 's/.* \.nv_fatbin  *PROGBITS  *[0-9a-f]* \([0-9a-f]*\) \([0-9a-f]*\) .*/0x\1 0x\2/p' >"$program.at"
done

# ---- mutants ----

# Up to four numbers of 1, 2, 4 or 8 bytes change, one of two in the first 96 bytes, where the headers are; one of two to a value
# that a reader may trip over.
mutate() { # FILE OFFSET BYTES
    local changes=$((1 + RANDOM % 4)) at width value i
    local odd=(0 1 $3 $(($3 - 1)) 0x7fffffff 0xffffffff -1 -8 0x7fffffffffffffff)
    while ((changes--)); do
        at=$(((RANDOM << 15 | RANDOM) % (RANDOM % 2 ? 96 : $3))) width=$((1 << RANDOM % 4))
        value=$((RANDOM % 2 ? odd[RANDOM % 9] : (RANDOM << 15 | RANDOM)))
        for ((i = 0; i < width && at + i < $3; i++)); do
            printf "\\x$(printf %x $((value >> 8 * i & 255)))" | dd of="$1" bs=1 seek=$(($2 + at + i)) conv=notrunc status=none
        done
    done
}
mutant() { # NUMBER PROGRAM: says how it ended
    local file=${MUTANT_FILE:-$work/mutant.$1} status
    RANDOM=$1
    cp "$2" "$file"
    mutate "$file" $(<"$2.at")
    env ${SAN_PRELOAD:+LD_PRELOAD="$SAN_PRELOAD" ASAN_OPTIONS=detect_leaks=0:exitcode=199} \
        timeout 60 "$HEDDLE" cuda --set gpu.max_cycles=1000000 "$file" >/dev/null 2>"$work/err.$1" </dev/null
    status=$?
    if [ $status -lt 124 ]; then
        echo "$status"
    else
        echo "# $(basename "$2"), MUTANT=$1: status $status" | tee /dev/stderr
        tail -n 20 "$work/err.$1" >&2
    fi
    [ -n "${MUTANT_FILE:-}" ] || rm -f "$file" "$work/err.$1"
}
export -f mutate mutant
case $BUILD in *asan*) # where each takes a second
    export SAN_PRELOAD="$(gcc -print-file-name=libasan.so):$(gcc -print-file-name=libubsan.so)" MUTANTS=${MUTANTS:-40} ;;
esac
for ((i = ${MUTANT:-1}; i <= ${MUTANT:-${MUTANTS:-100}}; i++)); do printf '%d %s\n' "$i" "${programs[i % ${#programs[@]}]}"; done |
    xargs -P 2 -L 1 bash -c 'mutant "$0" "$1"' >"$work/ended"

# ---- what became of them ----

all=$(wc -l <"$work/ended") bad=$(grep -c '^#' "$work/ended")
grep -v '^#' "$work/ended" | sort | uniq -c | sed 's/^ *\([0-9]*\) /# \1 mutants ended with status /'
[ "$all" -gt 0 ] && [ "$bad" -eq 0 ] && echo "ok 1 - none of $all mutants of ${#programs[@]} programs crashes" ||
    echo "not ok 1 - $bad of $all mutants of ${#programs[@]} programs crash"
echo "1..1"
