#!/bin/bash
# What pages embed: the libraries are the files that src/page/vendor says, and in the command byte for byte; tools/embed-page refuses
# what a page cannot hold.
echo 1..6
d=$(mktemp -d)
trap 'rm -rf "$d"' EXIT
. tests/tap.inc
vendor=src/page/vendor

check "libraries and licences are those of the packages named" eval '(cd $vendor && sha256sum --quiet --strict -c SHA256SUMS)'
check "each file has its sum" \
    [ "$(ls $vendor | grep -vx -e SHA256SUMS -e README.md)" = "$(sed 's/^[0-9a-f]*  //' $vendor/SHA256SUMS | sort)" ]
"${HEDDLE:-build/heddle}" report examples/photons.ptx --grid 1 --quiet --html "$d/page.html" >&2
check "a page has the library as it is" eval 'grep -qF -f <(tail -n 1 $vendor/chart.min.js | cut -c1-1000) "$d/page.html"'
check "with its licence" grep -q "Chart.js Contributors" "$d/page.html"

echo 'x = "</script>"' >"$d/bad.js"
embeds() { tools/embed-page "$1" >"$d/out.c" 2>"$d/err"; }
check "a script that would end its element is refused" eval '! embeds "$d/bad.js" && grep -q "which a page cannot hold" "$d/err"'
echo 'self.dagre=1' >"$d/good.js"
check "others are embedded" eval 'embeds "$d/good.js" && grep -q "{\"good.js\", (const char \*)file_0, sizeof file_0}" "$d/out.c"'
