# What the tests share. A test runs heddle once with `run`, then says what must hold of $status, $out and $err; each
# statement is one line "ok NAME" or "not ok NAME", the latter with what was found on standard error.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=$work/out err=$work/err

run() { # ARGUMENT...: runs heddle, leaves its output in $out and $err and its exit status in $status
    command_line="heddle $*"
    timeout 300 "$HEDDLE" "$@" >"$out" 2>"$err" </dev/null
    status=$?
}

verdict() { # RESULT NAME: RESULT 0 is a pass
    if [ "$1" -eq 0 ]; then
        echo "ok $2"
    else
        echo "not ok $2"
        {
            echo "--- $2"
            echo "$command_line: exit status $status, output:"
            head -c 2000 "$out"
            echo "--- errors:"
            head -c 2000 "$err"
        } >&2
    fi
}

expect_status() { # STATUS NAME
    [ "$status" -eq "$1" ]
    verdict $? "$2"
}

expect_out() { # TEXT NAME: standard output is exactly TEXT
    printf '%s\n' "$1" | cmp -s - "$out"
    verdict $? "$2"
}

expect_err() { # TEXT NAME: standard error has TEXT in it
    grep -qF -- "$1" "$err"
    verdict $? "$2"
}

expect_in_out() { # TEXT NAME: standard output has TEXT in it
    grep -qF -- "$1" "$out"
    verdict $? "$2"
}

expect_bytes() { # FILE HEX NAME: FILE holds exactly these bytes
    [ "$(od -An -v -tx1 "$1" 2>/dev/null | tr -d ' \n')" = "$2" ]
    verdict $? "$3"
}

refused() { # MESSAGE NAME ARGUMENT...: exit status 2, nothing on standard output, MESSAGE on standard error
    local message=$1 name=$2
    shift 2
    run "$@"
    [ "$status" -eq 2 ] && [ ! -s "$out" ] && grep -qF -- "$message" "$err"
    verdict $? "$name"
}

statistics() { # [MECHANISM]: names of the statistics that every run has, and of those that only this mechanism has
    "$HEDDLE" list stats --markdown | awk -F'|' -v mech="${1-}" 'NR > 2 { gsub(/ /, ""); if ($4 == "" || $4 == mech) print $2 }'
}

expect_json() { # FILE PATH VALUE NAME: FILE is valid JSON and has VALUE at PATH
    [ -x "$work/json" ] || ${CC:-cc} -o "$work/json" tests/cli/json.c -ljansson
    [ "$("$work/json" "$1" "$2")" = "$3" ]
    verdict $? "$4"
}

hours() { # a kernel without parameters that takes hours
    cat <<'PTX'
.entry hours() {
    .reg .pred %p;
    .reg .u32 %r;
    mov.u32 %r, 0;
L:  add.u32 %r, %r, 1;
    setp.lt.u32 %p, %r, 0x7fffffff;
    @%p bra L;
    ret;
}
PTX
}
