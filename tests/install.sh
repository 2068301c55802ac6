#!/bin/bash
# make install puts everything where the directory variables say: programs built against the installed header and library run,
# heddle.pc names what the library needs, and make uninstall takes everything away again.
echo 1..14
d=$(mktemp -d)
trap 'rm -rf "$d"' EXIT
. tests/tap.inc
san= flags=() # those of make asan, so that objects are not made anew
case $BUILD in *asan*) san="-fsanitize=address,undefined" flags=(OPT="-O1 -g" SAN="$san -fno-sanitize-recover=all") ;; esac
version=$(sed -n 's/^#define HD_VERSION_[A-Z]* //p' include/heddle.h | paste -sd.)
field() { sed -n "s/^$1: //p" "$d/lib/pkgconfig/heddle.pc"; }
install() { make -s --no-print-directory BUILD="$BUILD" "${flags[@]}" "$@"; }

check "make install works" install PREFIX="$d" install
check "the installed command runs" "$d/bin/heddle" --version
installed_nvcc() {
    local preload
    preload=$(ldd "$d/lib/heddle/cuda/libheddle-cuda.so" | awk '/lib(asan|ubsan)/ {print $3}' | paste -sd:)
    "$d/bin/heddle-nvcc" tests/cudart/vectors.cu -o "$d/vectors" &&
        env ${preload:+LD_PRELOAD="$preload" ASAN_OPTIONS=detect_leaks=0} "$d/vectors" | grep '^ok saxpy' && rm "$d/vectors"
}
installed_headers() { HEDDLE_CUDACC=clang-19 "$d/bin/heddle" run examples/diamond.cu -q --print 0; }
check "and compiles a kernel with the installed headers" installed_headers
check "and builds a CUDA program with the installed headers and runtime" installed_nvcc
build_and_run() { # FLAGS...
    cc -I"$d/include" $san -o "$d/saxpy" examples/saxpy.c "$@" && "$d/saxpy"
}
check "a program links against the installed library" build_and_run -L"$d/lib" -lheddle -Wl,-rpath,"$d/lib"
check "heddle.pc has the version of the header" [ "$(field Version)" = "$version" ]

# Needed are the C library, which is never named, and what heddle.pc names for a static link.
needed() { readelf -d "$d/lib/libheddle.so" | sed -n 's/.*NEEDED.*\[lib\([a-z0-9]*\)\.so.*/\1/p' | grep -vE '^(c|asan|ubsan)$' | sort | paste -sd' '; }
named() { { field Requires.private | tr ',' '\n'; field Libs.private | tr ' ' '\n' | sed 's/^-l//'; } | tr -d ' ' | sort | paste -sd' '; }
same_libraries() { echo "needed: $(needed), named: $(named)" && [ "$(needed)" = "$(named)" ]; }
check "heddle.pc names the libraries that libheddle.so needs" same_libraries
by_pkg_config() {
    command -v pkg-config || return 0
    export PKG_CONFIG_PATH=$d/lib/pkgconfig
    local libs
    libs=$(pkg-config --static --libs heddle) || return 1
    # shellcheck disable=SC2086
    build_and_run "$d/lib/libheddle.a" ${libs/-lheddle/}
}
check "a program links statically with what pkg-config says" by_pkg_config

check "man finds the manual page" env MANPATH="$d/share/man" bash -c '! command -v man >/dev/null || man -w heddle'
completes() { PATH=$d/bin:$PATH bash --norc -c 'source "$1" && COMP_LINE="heddle ru" COMP_POINT=9 && _heddle && [ "${COMPREPLY[*]}" = run ]' - "$d/share/bash-completion/completions/heddle"; }
check "the installed completion completes" completes

# The program of docs/library.md, built by the command of that page as it stands.
awk '/^```c$/ { if (n++ == 0) { on = 1; next } } /^```$/ { on = 0 } on' docs/library.md >"$d/twice.c"
build_line=$(sed -n '/^cc .*pkg-config/p' docs/library.md)
as_pasted() {
    [ -n "$build_line" ] && command -v pkg-config && cd "$d" || return 1
    export PKG_CONFIG_PATH=$d/lib/pkgconfig LD_LIBRARY_PATH=$d/lib
    bash -c "${build_line/cc /cc $san }" && [ "$(./twice)" = "2 4 6 8" ]
}
check "the program of docs/library.md builds with pkg-config as pasted, and runs" eval "(as_pasted)"
rm -f "$d/twice" "$d/twice.c"

check "make uninstall works" install PREFIX="$d" uninstall
rm -f "$d/saxpy"
check "it leaves no file" [ -z "$(find "$d" -type f -o -type l)" ]

# The directories can be chosen one by one, below DESTDIR, and heddle.pc knows them without it.
split="prefix=/opt/heddle libdir=/opt/heddle/lib64 mandir=/opt/man DESTDIR=$d/root"
in_place() {
    install $split install && ls "$d/root/opt/heddle/lib64/libheddle.so" "$d/root/opt/heddle/bin/heddle" "$d/root/opt/man/man1/heddle.1" &&
        grep -qx 'libdir=/opt/heddle/lib64' "$d/root/opt/heddle/lib64/pkgconfig/heddle.pc"
}
check "libdir, mandir and DESTDIR are followed" in_place
gone() { install $split uninstall && [ -z "$(find "$d/root" -type f -o -type l)" ]; }
check "uninstall follows them too" gone
