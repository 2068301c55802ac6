#!/bin/sh
# The version of the header is that of the command, the manual page, the changelog and the citation (heddle.pc: tests/install.sh).
echo 1..4
version=$(sed -n 's/^#define HD_VERSION_[A-Z]* //p' include/heddle.h | paste -sd.)
n=0
same() { # NAME FOUND
    n=$((n + 1))
    if [ "$2" = "$version" ]; then echo "ok $n - $1"; else echo "not ok $n - $1"; echo "$1: '$2', not $version" >&2; fi
}
same "heddle --version" "$("$HEDDLE" --version | sed 's/^heddle //')"
same "the manual page" "$(sed -n 's/^\.TH HEDDLE 1 "" "heddle \(.*\)" "User Commands"$/\1/p' docs/heddle.1)"
same "the newest entry of the changelog" "$(sed -n 's/^## \([0-9][0-9.]*\).*/\1/p' CHANGELOG.md | head -1)"
same "the citation" "$(sed -n 's/^version: //p' CITATION.cff)"
