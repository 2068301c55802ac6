#!/bin/sh
# The hash of the sources that stored results carry: any source that decides about results changes it, nothing else does.
n=0
verdict() { # STATUS NAME
    n=$((n + 1))
    if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}
d=$(mktemp -d)
trap 'rm -rf "$d"' EXIT
cp -r Makefile tools src include workloads configs "$d" && cd "$d" || exit 2
build=$d/build
hash() {
    make -s BUILD="$build" "$build/obj/sources.c" >/dev/null && sed -n 's/.*lab_sources\[\] = "\(.*\)";/\1/p' "$build/obj/sources.c"
}
changed() { # FILE: whether a line more in it gives another hash
    before=$(hash)
    sleep 0.01 # two writes in one tick of the file system's clock would be one to make
    echo >>"$1"
    [ "$(hash)" != "$before" ]
}
first=$(hash)
[ "$(expr "$first" : '[0-9a-f]*$')" -eq 12 ]
verdict $? "a hash of 12 digits"
for f in src/mem/dram.c src/mech/mech.def src/lab/run/subject.c include/heddle.h workloads/bfs/bfs.c workloads/bfs/bfs.ptx workloads/workload.h; do
    changed $f
    verdict $? "another one when $f changes"
done
! changed src/cli/cmd/main.c && ! changed src/report/table.c && ! changed workloads/bfs/bfs.cu
verdict $? "the same when what prints or is not compiled changes"
[ "$(hash)" != "$first" ]
verdict $? "and not the first"
rm -rf src/mem src/mech src/lab include workloads
cp -r "$OLDPWD/src/mem" "$OLDPWD/src/mech" "$OLDPWD/src/lab" src && cp -r "$OLDPWD/include" "$OLDPWD/workloads" . && touch include/heddle.h
[ "$(hash)" = "$first" ]
verdict $? "the first again when the sources are those again, whatever their times"
echo "1..$n"
