#!/bin/bash
# Which files of the host a program for RISC-V may use (--files): never a process's part of /proc by any way, and otherwise what
# the option says. tests/riscv/files.c does what its arguments say and prints what became of it.
heddle=$(realpath "${HEDDLE:-build/heddle}")
gcc=riscv64-linux-gnu-gcc
if ! command -v $gcc >/dev/null; then
    echo "1..1"
    echo "ok 1 - files of programs for RISC-V # SKIP skipped: there is no $gcc"
    exit 0
fi
d=$(mktemp -d)
trap 'rm -rf "$d"' EXIT
. tests/tap.inc
$gcc -O1 -static -D_GNU_SOURCE tests/riscv/files.c -o "$d/files" || exit 1

mkdir -p "$d/out" "$d/cwd/below" "$d/cwd-beside"
for f in out/file cwd/file cwd/below/file cwd-beside/file; do echo text >"$d/$f"; done
mkfifo "$d/cwd/pipe" "$d/out/pipe"
ln -s /proc/self/mem "$d/cwd/to-mem"
ln -s to-mem "$d/cwd/to-to-mem"
ln -s /proc "$d/cwd/to-proc"
ln -s /proc/self "$d/cwd/to-self"
ln -s /proc/self/fd "$d/cwd/to-fd"
ln -s ../out/file "$d/cwd/to-file"
ln -s ../out/created "$d/cwd/dangling"
ln -s "$d/out" "$d/cwd/to-out"
ln -s below/ "$d/cwd/to-below"
ln -s loop "$d/cwd/loop"
ln -s ../cwd/file "$d/out/back"
sleep 1000 &
other=$!
trap 'kill $other; rm -rf "$d"' EXIT

# became WORD... : what the program, run in $d/cwd with these options of heddle, prints; expectations are lines of standard
# input, "OPERATION PATH: RESULT".
became() {
    local words=() expected line
    expected=$(sed "s|@D|$d|g; s|@PID|$$|g; s|@OTHER|$other|g")
    while IFS= read -r line; do
        line=${line%: *}
        words+=("${line%% *}" "${line#* }")
    done <<<"$expected"
    (cd "$d/cwd" && timeout -s KILL 30 "$heddle" run -q ../files "$@" -- "${words[@]}" 2>"$d/err" </dev/null) >"$d/got"
    diff <(echo "$expected") "$d/got"
}
unchanged() { # what is outside is as it was
    local f
    for f in out/file cwd-beside/file; do [ "$(cat "$d/$f")" = text ] || return 1; done
    [ "$(ls "$d/out")" = "$(printf 'back\nfile\npipe')" ] && [ "$(ls "$d")" = "$names" ]
}
touch "$d/err" "$d/got"
names=$(ls "$d")

processes() { # OPTION...: whatever --files says, these are refused
    became "$@" <<END
both /proc/self/mem: EACCES
read /proc/self/mem: EACCES
write /proc/self/mem: EACCES
append /proc/self/mem: EACCES
create /proc/self/mem: EACCES
truncate /proc/self/mem: EACCES
handle /proc/self/mem: EACCES
map /proc/self/maps: EACCES
folder /proc/self: EACCES
read /proc/thread-self/mem: EACCES
both /proc/@PID/mem: EACCES
both /proc/@OTHER/mem: EACCES
read /proc/@OTHER/environ: EACCES
read /proc/@OTHER/task/@OTHER/mem: EACCES
both /proc//./self//mem: EACCES
both /proc/../proc/self/mem: EACCES
both /proc/sys/../self/mem: EACCES
both /proc/self/: EACCES
both ../../../../../../../../proc/self/mem: EACCES
both to-mem: EACCES
both to-to-mem: EACCES
both to-proc/self/mem: EACCES
both to-self/mem: EACCES
read to-fd/0: EACCES
read /dev/fd/0: EACCES
read /dev/stdin: EACCES
write /dev/stdout: EACCES
write /dev/fd/../mem: EACCES
read /proc/self/root/etc/passwd: EACCES
read /proc/self/cwd/file: EACCES
create /proc/self/cwd/new: EACCES
read /proc/mounts: EACCES
in:/proc self/mem: EACCES
in:/proc @OTHER/mem: EACCES
in:/proc thread-self/mem: EACCES
in:to-proc self/mem: EACCES
in:/proc/sys ../self/mem: EACCES
stat /proc/self/mem: EACCES
lstat /proc/self: EACCES
readable /proc/self/mem: EACCES
link /proc/self/fd/0: EACCES
link /proc/self: EACCES
link /proc/self/exe: ENOENT
mkdir /proc/self/new: EACCES
unlink /proc/self/mem: EACCES
END
}
if [ -r /proc/self/mem ]; then
    check "without the option no part of a process in /proc can be used" processes
    check "nor with --files all" processes --files all
    check "the first refusal is said with path and reason" grep -q \
        "warning: main may not use the file '/proc/self/mem': it is a process's part of /proc (--files" "$d/err"
    check "and no other" [ "$(wc -l <"$d/err")" -eq 1 ]
fi
inside_proc() { # a current folder or a standard stream in /proc does not make it less of a process
    (cd "/proc/$other" && "$heddle" run -q "$d/files" -- both mem read ./mem stat mem in:/ proc/cpuinfo 2>/dev/null) >"$d/got"
    diff <(printf '%s: EACCES\n' "both mem" "read ./mem" "stat mem") <(head -3 "$d/got")
}
check "a current folder in /proc is of no help" inside_proc

default() {
    became <<END
read file: done
read @D/out/file: done
read ../out/file: done
read to-file: done
read to-out/file: done
in:@D/out file: done
in:below ../../out/file: done
read /proc/cpuinfo: done
read /dev/zero: done
map file: done
stat @D/out: done
folder /: done
link to-file: done
lstat to-mem: done
create new: done
append new: done
write below/file: done
write to-below/file: done
write @D/cwd/below/file: done
write ../cwd/below/file: done
both ../out/back: done
new below/new: done
new below/new: EEXIST
mkdir below/folder: done
mkdir below/folder/: EEXIST
rmdir below/folder/: done
unlink below/new: done
unlink new: done
touch file: done
touch touched: done
unlink touched: done
write /dev/null: done
writable file: done
nofollow to-file: ELOOP
read loop: ELOOP
read missing: ENOENT
read file/: ENOTDIR
read file/x: ENOTDIR
read missing/x: ENOENT
create below/: EISDIR
create absent/: EISDIR
stat to-below/: done
unnamed .: EOPNOTSUPP
write ../out/file: EACCES
write @D/out/file: EACCES
both @D/out/file: EACCES
append to-file: EACCES
write to-out/file: EACCES
truncate @D/out/file: EACCES
truncate to-file: EACCES
create ../created: EACCES
new ../created: EACCES
touch ../created: EACCES
create @D/created: EACCES
create dangling: EACCES
create to-out/created: EACCES
write @D/cwd-beside/file: EACCES
create @D/cwd-beside/created: EACCES
write /proc/uptime: EACCES
mkdir ../folder: EACCES
mkdir @D/out: EEXIST
rmdir @D/cwd-beside: EACCES
unlink ../out/file: EACCES
unlink to-out/file: EACCES
writable @D/out/file: EACCES
read pipe: EACCES
read ../out/pipe: EACCES
END
}
check "without the option it reads what the user may and writes in the current folder and below" default
check "nothing outside was touched" unchanged
none() {
    became --files none <<END
read file: EACCES
read @D/out/file: EACCES
create new: EACCES
stat file: EACCES
stat missing: EACCES
readable file: EACCES
link to-file: EACCES
mkdir folder: EACCES
unlink file: EACCES
read /dev/null: EACCES
folder /: EACCES
END
}
check "--files none: no file" none
folder() { # OPTION...
    became "$@" <<END
read @D/out/file: done
write @D/out/back: EACCES
append ../out/file: done
read to-file: done
create to-out/created: done
unlink ../out/created: done
create dangling: done
unlink @D/out/created: done
in:@D/out file: done
in:@D/out ../cwd/file: EACCES
stat @D/out: done
folder ../out: done
mkdir ../out/folder: done
rmdir ../out/folder: done
read ../out/missing: ENOENT
rmdir ../out: EACCES
read file: EACCES
read ../out/back: EACCES
write file: EACCES
create new: EACCES
stat file: EACCES
stat missing: EACCES
stat missing/x: EACCES
mkdir /: EACCES
link to-file: EACCES
folder /: EACCES
read /etc/passwd: EACCES
read /proc/cpuinfo: EACCES
read ../out/pipe: EACCES
END
}
check "--files DIR: reads and writes there and nowhere else" folder --files ../out
echo text >"$d/out/file"
check "by an absolute path too" folder --files "$d/out"
echo text >"$d/out/file"
check "by a link to the folder too" folder --files to-out
echo text >"$d/out/file"
everything() {
    became --files all <<END
write ../out/file: done
create @D/created: done
unlink ../created: done
mkdir ../folder: done
rmdir ../folder: done
read /proc/cpuinfo: done
truncate to-file: done
END
}
check "--files all: what the user may" everything
memory() { # a device that is the host's memory, where one can be made
    mknod "$d/cwd/memory" c 1 1 2>/dev/null || return 0
    local option
    for option in all .; do
        became --files $option <<<"read memory: EACCES" || return 1
    done
    rm "$d/cwd/memory"
}
check "the host's memory is no file" memory
mounted() { # a process's part of /proc under another name, where one may mount
    unshare -m true 2>/dev/null || return 0
    mkdir -p "$d/cwd/mounted"
    unshare -m bash -c "mount --bind /proc/$other '$d/cwd/mounted' 2>/dev/null || exit 0
        cd '$d/cwd' && '$heddle' run -q --files all ../files -- both mounted/mem stat mounted in:mounted mem 2>/dev/null >'$d/got'
        [ \$(grep -c EACCES '$d/got') -eq 3 ]"
}
check "mounted elsewhere it is still refused" mounted
streams() {
    echo before >"$d/streams"
    "$heddle" run -q "$d/files" -- streams >>"$d/streams" <"$d/out/back" && cat "$d/streams" &&
        cmp <(printf 'before\n0\ncopied\n') "$d/streams"
}
check "standard streams have no places, copies of them neither" streams
wrong() { # MESSAGE ARG...: exit status 2
    "$heddle" "${@:2}" >"$d/got" 2>"$d/err"
    [ $? -eq 2 ] && [ ! -s "$d/got" ] && grep -q -e "$1" "$d/err"
}
check "a folder that is not there is an error" wrong "--files $d/gone: No such file" run "$d/files" --files "$d/gone"
check "a file is no folder" wrong "--files $d/out/file: Not a directory" run "$d/files" --files "$d/out/file"
check "the option is for programs for RISC-V" wrong "--files is for programs" run --files none examples/collatz.ptx
check "not for workloads" wrong "--files does not go with @bfs" run --files none @bfs
refused_by() { # COMMAND OPTION...: main cannot read a file there, and ends with exit status 3
    (cd "$d/cwd" && "$heddle" "$@" ../files --argv must --argv read --argv file) >"$d/got" 2>&1
    [ $? -eq 1 ] && grep -q 'main ended with exit status 3' "$d/got"
}
check "it goes with record" refused_by record --files none -o ../t.hdt
check "with compare" refused_by compare -M pdom,dwf --files ../out
check "with report" refused_by report --files none -o ../t.html
check "with explain" refused_by explain pdom --files none
swept() { # sweeps list what failed and go on
    (cd "$d/cwd" && "$heddle" sweep --mech pdom --db ../t.db --files none ../files --argv must --argv read --argv file) >"$d/got" 2>&1
    grep -q 'main ended with exit status 3' "$d/got"
}
check "with sweep" swept
echo "1..$n"
