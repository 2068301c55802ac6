#!/bin/bash
# Programs for RISC-V, compiled here: what heddle shows of their code against objdump, what they print on the scalar core against
# qemu, and launches under every mechanism that runs them (Debian: gcc-riscv64-linux-gnu, libc6-dev-riscv64-cross, qemu-user,
# which make test installs where it can).
heddle=${HEDDLE:-build/heddle}
gcc=riscv64-linux-gnu-gcc
for tool in $gcc qemu-riscv64 riscv64-linux-gnu-objdump; do
    command -v $tool >/dev/null && continue
    echo "1..1"
    echo "ok 1 - programs for RISC-V # SKIP skipped: there is no $tool"
    exit 0
done
d=$(mktemp -d)
trap 'rm -rf "$d"' EXIT
. tests/tap.inc

compile() { # NAME FLAG...
    local name=$1
    shift
    $gcc -static -Iinclude -w "$@" -o "$d/$name" -lm
}
same() { # NAME ARG...: output and exit status
    local name=$1 theirs ours
    shift
    qemu-riscv64 "$d/$name" "$@" >"$d/theirs"
    theirs=$?
    "$heddle" run -q --files "$d" "$d/$name" "$@" >"$d/ours"
    ours=$?
    echo "exit status $theirs and $ours"
    [ $theirs -eq $ours ] && cmp "$d/theirs" "$d/ours"
}
general() {
    compile general "$@" tests/riscv/general.c && same general "$d/file" x y
}
check "a program of many parts prints what it prints under qemu, -O2" general -O2
check "the same, -O0" general -O0
check "its code is what objdump shows" tests/riscv/disassembly.sh "$heddle" "$d/general"
random() { # SEED FLAG...
    awk -v seed="$1" -f tests/riscv/random.awk >"$d/random.c"
    shift
    compile random "$@" "$d/random.c" && same random
}
check "random programs compute what they compute under qemu, -O1" random 11 -O1
check "the same, -O2" random 12 -O2
check "the same, -O3" random 13 -O3
check "the same without compressed instructions" random 14 -O2 -march=rv64g

compile spmd -O2 -g tests/riscv/spmd.c
"$heddle" run -q "$d/spmd" --functional >"$d/spmd.out"
check "launches compute what main computes" [ "$(grep -c right "$d/spmd.out")" -eq 6 ]
under() { # MECH
    "$heddle" run -q -M "$1" "$d/spmd" >"$d/out" && cmp "$d/spmd.out" "$d/out"
}
refuses() { # MECH: before anything ran
    "$heddle" run -q -M "$1" "$d/spmd" >"$d/out" 2>"$d/err"
    [ $? -eq 2 ] && [ ! -s "$d/out" ] && grep -E 'has no structured form|cannot run' "$d/err"
}
mechanisms=$("$heddle" list mechanisms | cut -d' ' -f1)
case $BUILD in *asan*) mechanisms="pdom dwf tbc volta chap takahashi" ;; esac # all of them take minutes there
for m in $mechanisms; do
    case $m in
    chap | amd | pomp | gma | sandybridge) check "$m, which needs structured code, refuses them" refuses $m ;;
    lorie-strong | takahashi | sympa13) check "$m, which cannot call, refuses them" refuses $m ;;
    *) check "under $m too" under $m ;;
    esac
done
by_clang() {
    command -v clang-19 || return 0
    clang-19 --target=riscv64-linux-gnu -O2 -static -Iinclude tests/riscv/spmd.c -o "$d/clang" -lm &&
        "$heddle" run -q -f "$d/clang" >"$d/out" && cmp "$d/spmd.out" "$d/out"
}
check "compiled by clang, the same" by_clang
compare() { "$heddle" compare -M pdom,lwm "$d/spmd" | grep -E 'lwm +[0-9,]+'; }
check "heddle compare takes it" compare
lines() { "$heddle" run "$d/spmd" --profile | grep -E 'b(ne|eq|lt|ge|ltu|geu) .* spmd\.c:[0-9]+$'; }
check "a profile names source lines" lines
agrees() { "$heddle" inspect "$d/spmd" --kernel compute | grep -E '^ +B[0-9]+ +bra +[0-9]+ +spmd\.c:[0-9]+'; }
check "inspect does, too" agrees
fails() { # TEXT SOURCE OPTION...: exit status 1 and the text
    printf '#include <heddle_spmd.h>\n%s\n' "$2" >"$d/fails.c"
    compile fails -O1 "$d/fails.c" && { "$heddle" run -q "${@:3}" "$d/fails" 2>&1; [ $? -eq 1 ]; } | tee /dev/stderr | grep -q "$1"
}
check "a fault names the instruction" fails 'out-of-bounds 8-byte store' \
    'SPMD_KERNEL void f(long *p) { p[spmd_thread() * 1000000] = 1; } int main(void) { long x; return spmd_launch(f, 1, 2, &x); }'
for config in harp-fermi turing-rtx2060; do
    check "a rounding mode that there is not is a fault on $config" fails 'fcsr has no rounding mode 5' \
        'SPMD_KERNEL void f(double *p) {
             if (spmd_thread() == 3) __asm__ volatile("csrwi frm, 5");
             p[spmd_thread()] *= 1.5;
         }
         int main(void) { static double x[64]; return spmd_launch(f, 1, 64, x); }' --config $config
done
check "a stack that is full is a fault that says so" fails "stack of 16384 bytes is full" \
    'long deep(long n) { volatile char room[64]; room[n % 64] = 1; return n ? deep(n - 1) + room[n % 64] : 0; }
     SPMD_KERNEL void f(long *p) { *p = deep(*p); }
     int main(void) { static long n = 1000; return spmd_launch(f, 1, 1, &n); }'
for mb in 32 64 128; do
    check "main's null pointer and $mb MB is a fault" fails 'out-of-bounds 4-byte load from local memory' \
        "int main(void) { volatile int *p = 0; volatile long n = ${mb}L << 18; return p[n]; }"
    check "and so it is to store there" fails 'out-of-bounds 8-byte store to local memory' \
        "int main(void) { volatile long *volatile p = 0; volatile long n = ${mb}L << 17; p[n] = 1; return 0; }"
done
past_strings() { # run.slack is no part of an allocation
    printf '%s\n' '#include <errno.h>' '#include <fcntl.h>' '#include <string.h>' '#include <sys/mman.h>' \
        'int main(void) { char *p = mmap(0, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); memset(p, 1, 8192);
             return open(p + 5000, O_RDONLY) >= 0 || errno != EFAULT; }' >"$d/past.c"
    compile past -O1 "$d/past.c" && "$heddle" run -q --set run.slack=4096 "$d/past"
}
check "a name of a file that begins behind its allocation is none" past_strings
check "so is a recursion that uses no stack" fails "the call stack is full: a thread may be 1048576 calls deep" \
    '__asm__(".globl again\nagain: call again");
     void again(void);
     int main(void) { again(); return 0; }'
check "a thread cannot call the system" fails 'cannot call the system' \
    '#include <unistd.h>
     SPMD_KERNEL void f(long n) { write(1, "x", n); } int main(void) { return spmd_launch(f, 1, 1, 1); }'

# Replays of recorded programs, to the cycle: all of the JSON but what the subject is called.
statistics() { sed -e '/"digest"/d' -e '/^  "script"/,/^  }/d' -e '/^  "trace"/d' "$1"; }
replays() { # NAME MECHANISM OPTION...
    local name=$1 mech=$2
    shift 2
    "$heddle" run -q -M "$mech" "$@" "$d/$name" --argv alike --json "$d/executed" >/dev/null &&
        "$heddle" run -q -M "$mech" "$@" "$d/$name.hdt" --json "$d/replayed" &&
        cmp <(statistics "$d/executed") <(statistics "$d/replayed")
}
recorded() { "$heddle" record "$d/spmd" --argv alike -o "$d/spmd.hdt" >"$d/out" && grep '4 launches' "$d/out" && grep right "$d/out"; }
check "a program with a main is recorded, launch by launch, and prints" recorded
sweeps() { # WANT WORD...: how many points of a sweep with these words ran
    local words=() w
    for w in "${@:2}"; do words+=(--argv "$w"); done
    "$heddle" sweep "$d/spmd" --mech pdom --db "$d/words.sqlite" --files "$d" "${words[@]}" 2>&1 | tee /dev/stderr | grep -q "$1 run"
}
check "a sweep runs a program" sweeps 1 a
check "and does not again with the same words" sweeps 0 a
check "but does with others" sweeps 1 b
check "and with their letters in other words" sweeps 1 '' b
compile mandelbrot -O2 -g examples/riscv/mandelbrot.c
check "so is the example" "$heddle" record -q "$d/mandelbrot" -o "$d/mandelbrot.hdt"
for m in pdom dwf harp tbc volta; do
    check "replays under $m have the cycles of execution: stacks, recursion, calls by pointers" replays spmd $m
    check "and the example has" replays mandelbrot $m
done
check "on a machine with an instruction cache, by two threads, too" replays spmd pdom --config turing-rtx2060 --threads 2
locks() {
    "$heddle" record "$d/spmd" -o "$d/locks.hdt" 2>&1 >/dev/null | grep 'uses what atomics return' &&
        "$heddle" run -q -M dwf "$d/locks.hdt"
}
check "one whose threads wait for each other replays as it was recorded, and that is said" locks
damaged() {
    local at status
    for at in 40 30000 $(($(stat -c %s "$d/spmd.hdt") * 3 / 4)); do
        cp "$d/spmd.hdt" "$d/bad.hdt"
        printf '\377\000\377' | dd of="$d/bad.hdt" bs=1 seek="$at" conv=notrunc 2>/dev/null
        "$heddle" run -q "$d/bad.hdt"
        status=$?
        [ $status -eq 2 ] || return 1
    done
}
check "a damaged trace of one is refused" damaged
same_by_threads() {
    "$heddle" run -q --config turing-rtx2060 --threads 1 "$d/spmd" --argv alike --json "$d/one" >/dev/null
    "$heddle" run -q --config turing-rtx2060 --threads 2 "$d/spmd" --argv alike --json "$d/two" >/dev/null
    cmp "$d/one" "$d/two"
}
check "what it takes does not depend on the threads of the host: code that is reached by a jump is code of the kernel" \
    same_by_threads
echo "1..$n"
