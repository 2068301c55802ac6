#!/bin/bash
# include/heddle.h stands alone and is clean in every language a user may compile it as.
n=0
try() {
    n=$((n + 1))
    if printf '#include <heddle.h>\nint main(void) { return hd_arg_u32(0).v.u != 0; }\n' |
        $1 -std="$2" -x "$3" -Iinclude -Wall -Wextra -Wshadow -pedantic -Werror -fsyntax-only - >&2; then
        echo "ok $n - heddle.h as $2"
    else
        echo "not ok $n - heddle.h as $2"
    fi
}
echo 1..5
try cc c11 c
try cc c17 c
try c++ c++11 c++
try c++ c++17 c++
try c++ c++20 c++
