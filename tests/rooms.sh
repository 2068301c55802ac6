#!/bin/sh
# The include directions of the rooms, and a planted violation that must be caught.
echo 1..3
if tools/check-rooms >&2; then echo "ok 1 - rooms include only what they may"; else echo "not ok 1 - rooms include only what they may"; fi
d=$(mktemp -d)
mkdir -p "$d/tools" "$d/docs" "$d/src/base" "$d/src/exec" "$d/runtime" "$d/workloads"
cp tools/check-rooms "$d/tools/" && cp docs/architecture.md "$d/docs/"
echo '#include "exec/exec.h"' >"$d/src/base/bad.c"
if "$d/tools/check-rooms" >&2; then echo "not ok 2 - a forbidden include is reported"; else echo "ok 2 - a forbidden include is reported"; fi
rm "$d/src/base/bad.c" && sed -i 's/^| `mem` | \(.*\) | base |$/| `mem` | \1 | base sm |/' "$d/docs/architecture.md"
if "$d/tools/check-rooms" >&2; then echo "not ok 3 - a circle in the table is reported"; else echo "ok 3 - a circle in the table is reported"; fi
rm -rf "$d"
