#!/bin/bash
# tools/page-libs takes the libraries of pages from a directory, and says what is missing where it cannot have them; tools/embed-page
# refuses what a page cannot hold. The machine's own package tools are replaced by stand-ins.
echo 1..8
d=$(mktemp -d)
trap 'rm -rf "$d"' EXIT
. tests/tap.inc
mkdir "$d/given" "$d/tools"
printf '/*!\n * Chart.js v3.9.1\n */\n' >"$d/given/chart.min.js"
printf 'self.dagre=1' >"$d/given/dagre.min.js"
echo licence | tee "$d/given/chart.copyright" >"$d/given/dagre.copyright"
libs() { PAGE_LIBS=$1 tools/page-libs "$2" 2>"$d/err"; }

check "a directory is taken as it is" libs "$d/given" "$d/out"
check "with all four files" diff -r "$d/given" "$d/out"
rm "$d/given/dagre.copyright"
fails() { ! libs "$1" "$d/none" && grep -q "$2" "$d/err" && [ ! -e "$d/none/chart.min.js" ]; }
check "a licence that is missing is named" fails "$d/given" "PAGE_LIBS=$d/given lacks dagre.copyright"
echo licence >"$d/given/dagre.copyright"
echo 'var x' >"$d/given/chart.min.js"
check "another library is refused" fails "$d/given" "chart.min.js is no Chart.js"

# Neither packages nor a network, whatever this machine has: the copy of the script looks below an empty root.
sed "s|\[ -f \"/\$chart\" \]|[ -f \"$d/root/\$chart\" ]|" tools/page-libs >"$d/tools/page-libs"
chmod +x "$d/tools/page-libs"
printf '#!/bin/sh\nexit 1\n' >"$d/tools/apt-get" && chmod +x "$d/tools/apt-get"
offline() { ! PAGE_LIBS='' PATH=$d/tools:$PATH "$d/tools/page-libs" "$d/none" 2>"$d/err" >&2; }
check "without a network it fails" offline
check "and says what can be done" grep -q "make PAGE_LIBS=DIR" "$d/err"

echo 'x = "</script>"' >"$d/bad.js"
embeds() { tools/embed-page "$1" >"$d/out.c" 2>"$d/err"; }
check "a script that would end its element is refused" eval '! embeds "$d/bad.js" && grep -q "which a page cannot hold" "$d/err"'
check "others are embedded" eval 'embeds "$d/given/dagre.min.js" && grep -q "{\"dagre.min.js\", (const char \*)file_0, sizeof file_0}" "$d/out.c"'
