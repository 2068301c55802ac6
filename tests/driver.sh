#!/bin/bash
# The CUDA driver interface: programs in C that check themselves, each run without and with time, under two mechanisms.
d=$(mktemp -d)
trap 'rm -rf "$d"' EXIT
lib=$PWD/$BUILD/cuda/lib
n=0
san=
case $BUILD in *asan*) san="-fsanitize=address,undefined" ;; esac
say() {
    n=$((n + 1))
    [ "$1" = 0 ] && echo "ok $n - $2" || echo "not ok $n - $2"
}

# Runs a program with settings of the environment; every check in it is one here.
check() {
    local name=$1 how=$2
    shift 2
    env LD_LIBRARY_PATH="$lib" "$@" "$d/$name" > "$d/out" 2> "$d/err"
    local status=$?
    grep '^not ok' "$d/out" >&2
    [ $status = 0 ] || sed 's/^/# /' "$d/err" >&2
    [ $status = 0 ] && ! grep -q '^not ok' "$d/out" && grep -q '^ok' "$d/out"
    say $? "$name, $how: $(grep -c '^ok' "$d/out") checks"
}

for source in tests/driver/*.c; do
    name=$(basename "$source" .c)
    cc -std=gnu11 -Wall -Wextra -Werror $san -Icuda -o "$d/$name" "$source" -L"$lib" -lcuda -lpthread >&2 || { say 1 "$name compiles"; continue; }
    check "$name" functional
    check "$name" "timed, PDOM" HEDDLE_MODE=timed
    check "$name" "timed, DWF" HEDDLE_MECH=dwf
    cc -std=gnu11 -Wall -Wextra -Werror $san -DCUDA_API_PER_THREAD_DEFAULT_STREAM -Icuda -o "$d/$name" "$source" -L"$lib" -lcuda -lpthread >&2
    check "$name" "a default stream for each thread"
done

# The same layouts as NVIDIA's header has, where there is one.
sdk=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
sdk=${sdk%/bin/nvcc}/include
if [ -f "$sdk/cuda.h" ]; then
    cc -Icuda -o "$d/ours" tests/driver/abi/layout.c >&2 && cc -I"$sdk" -o "$d/theirs" tests/driver/abi/layout.c >&2 &&
        diff <("$d/ours") <("$d/theirs") >&2
    say $? "cuda.h has the layouts of NVIDIA's: $("$d/ours" | wc -l) facts"
fi
stub=${sdk%/include}/lib64/stubs/libcuda.so
names() { nm -D --defined-only "$1" | awk '$2 ~ /[TW]/ && $3 ~ /^cu[A-Z]/ { print $3 }' | sort; }
if [ -f "$stub" ]; then
    missing=$(comm -23 <(names "$stub") <(names "$lib/libcuda.so.1"))
    [ -z "$missing" ] || { echo "missing: $missing" >&2; false; }
    say $? "every name of NVIDIA's libcuda is there: $(names "$stub" | wc -l)"
fi

for header in cuda.h cudaProfiler.h; do
    for as in "cc c11 c" "cc c17 c" "c++ c++11 c++" "c++ c++17 c++"; do
        set -- $as
        printf '#include <%s>\nint main(void) { return cuInit(0) != CUDA_SUCCESS; }\n' $header |
            $1 -std=$2 -x $3 -Icuda -Wall -Wextra -pedantic -Werror -fsyntax-only - >&2
        say $? "$header as $2"
    done
done
echo "1..$n"
