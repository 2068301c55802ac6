# Sourced by tests that look into databases of sweeps, after lib.sh: the tests' own SQL tool, and whether two databases have the
# same contents.
command_line="cc tests/cli/sql.c" status=0
${CC:-cc} -o "$work/sql" tests/cli/sql.c -lsqlite3
verdict $? "the tests' own SQL tool compiles"
sql() { "$work/sql" "$@"; }
content() { # FILE: everything but the host's seconds
    for t in point counter setting; do sql "$1" "SELECT '$t', * FROM $t ORDER BY 1, 2, 3"; done
}
same() { # FILE FILE NAME
    content "$1" >"$work/content.1" && content "$2" >"$work/content.2" && [ -s "$work/content.1" ] &&
        cmp -s "$work/content.1" "$work/content.2"
    verdict $? "$3"
}
