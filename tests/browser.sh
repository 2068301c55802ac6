#!/bin/bash
# Pages in a real browser: tests/browser/*.py in one headless Chromium (Debian: chromium, chromium-driver, python3-selenium, which
# make test installs where it can). Pictures are left in $BUILD/tests/screenshots. One file alone: tests/browser.sh compare
# Another build than build has the same pages: there the browser is left out, and the unit tests write the pages.
heddle=${HEDDLE:-build/heddle} build=${BUILD:-build}
skip() {
    echo "1..1"
    echo "ok 1 - pages in a browser # SKIP skipped: $*"
    exit 0
}
[ "$build" = build ] || skip "the pages of $build are those of build"
for tool in chromium chromedriver; do
    command -v $tool >/dev/null || skip "there is no $tool"
done
for python in python3 /usr/bin/python3 none; do # Debian's package is for Debian's Python, which need not be the first
    "$python" -c 'import selenium' 2>/dev/null && break
done
[ "$python" != none ] || skip "Python has no selenium"
exec "$python" -B tests/browser/main.py "$heddle" "$build/tests/screenshots" "$@"
