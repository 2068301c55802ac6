#!/bin/sh
# The include directions of the rooms, and a planted violation that must be caught.
echo 1..2
if tools/check-rooms >&2; then echo "ok 1 - rooms include only what they may"; else echo "not ok 1 - rooms include only what they may"; fi
d=$(mktemp -d)
mkdir -p "$d/tools" "$d/src/base" "$d/src/exec"
cp tools/check-rooms "$d/tools/"
echo '#include "exec/exec.h"' >"$d/src/base/bad.c"
if "$d/tools/check-rooms" >&2; then echo "not ok 2 - a forbidden include is reported"; else echo "ok 2 - a forbidden include is reported"; fi
rm -rf "$d"
