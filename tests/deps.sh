#!/bin/bash
# tools/deps says what it installs and why before it does; the machine's own package tools are replaced by stand-ins.
echo 1..5
d=$(mktemp -d)
trap 'rm -rf "$d"' EXIT
. tests/tap.inc
stand_in() { printf '#!/bin/sh\n%s\n' "$2" >"$d/$1" && chmod +x "$d/$1"; }
stand_in dpkg-query '[ "$4" = gcc ] || [ "$3" = gcc ] && echo "install ok installed" || exit 1'
stand_in apt-get "echo \"\$@\" >>$d/installed"
stand_in id 'echo 0'

PATH=$d:$PATH tools/deps gcc libjansson-dev libinih-dev >"$d/out"
check "each missing package is named with its reason, one a line" \
    [ "$(grep -cE '^heddle:   (libjansson-dev|libinih-dev) +[a-z]' "$d/out")" -eq 2 ]
check "what is there is not named" [ "$(grep -c gcc "$d/out")" -eq 0 ]
check "the missing ones are installed" grep -q 'install .* libjansson-dev libinih-dev' "$d/installed"
rm "$d/installed"
PATH=$d:$PATH tools/deps gcc >"$d/out"
quiet() { [ ! -s "$d/out" ] && [ ! -e "$d/installed" ]; }
check "when nothing is missing nothing is said or done" quiet
packages=$(for clang in 14 19; do # what tools/clang-version says
    sed -n "s/\$(CLANG)/$clang/g; s/\$(FORMAT_VERSION)/14/; s/^[A-Z0-9_]*PACKAGES *:= //p" Makefile
done)
# shellcheck disable=SC2086
check "every package of the Makefile has a reason" env PATH="$d:$PATH" tools/deps $packages
