#!/bin/bash
# The program in docs/library.md is complete: cut out as it stands, it compiles and prints what the page says.
echo 1..1
d=$(mktemp -d)
trap 'rm -rf "$d"' EXIT
san=
case $BUILD in *asan*) san="-fsanitize=address,undefined" ;; esac
awk '/^```c$/ { if (n++ == 0) { on = 1; next } } /^```$/ { on = 0 } on' docs/library.md > "$d/twice.c"
if cc -std=c11 -Wall -Wextra -pedantic -Werror $san -Iinclude -o "$d/twice" "$d/twice.c" "$BUILD/libheddle.a" -linih -lm >&2 &&
    [ "$("$d/twice")" = "2 4 6 8" ]; then
    echo "ok 1 - the program of docs/library.md"
else
    echo "not ok 1 - the program of docs/library.md"
fi
