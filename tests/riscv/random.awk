# A random C program, the same for the same seed: functions of integers and floats with branches, loops and switches, whose results
# main prints. No operation in it is undefined: shifts and divisors are bounded, and overflow is unsigned.
function rnd(n) { state = (state * 16807) % 2147483647; return state % n }
function leaf(t) {
    if (rnd(3)) return substr("abcd", rnd(4) + 1, 1)
    if (t == "double" || t == "float") return sprintf("%s%d.%d", rnd(2) ? "-" : "", rnd(100), rnd(1000))
    return sprintf("(%s)%d", t, rnd(2) ? rnd(16) : rnd(2147483647) - 1000000000)
}
function real(d, t) {
    if (d == 0) return leaf(t)
    r = rnd(8)
    if (r == 0) return "(" real(d - 1, t) " < " real(d - 1, t) " ? " real(d - 1, t) " : " real(d - 1, t) ")"
    if (r == 1) return "(" t ")(int)(" real(d - 1, t) " > 1e6 ? 3 : " rnd(9) ")"
    if (r == 2) return "-(" real(d - 1, t) ")"
    return "(" real(d - 1, t) " " substr("+-*/+", rnd(5) + 1, 1) " " real(d - 1, t) ")"
}
function whole(d, t) {
    if (d == 0) return leaf(t)
    r = rnd(12)
    if (r == 0) return "(" whole(d - 1, t) " < " whole(d - 1, t) " ? " whole(d - 1, t) " : " whole(d - 1, t) ")"
    if (r == 1) return "(" whole(d - 1, t) " << (" whole(d - 1, t) " & 15))"
    if (r == 2) return "(" whole(d - 1, t) " >> (" whole(d - 1, t) " & 31))"
    if (r == 3) return "(" whole(d - 1, t) " / ((" whole(d - 1, t) " & 1023) + 1))"
    if (r == 4) return "(" whole(d - 1, t) " % ((" whole(d - 1, t) " & 255) + 1))"
    if (r == 5) return "~" whole(d - 1, t)
    if (r == 6) return "(" t ")(signed char)" whole(d - 1, t)
    if (r == 7) return "(" t ")((long)(int)" whole(d - 1, t) " / " (rnd(30) + 1) ")"
    return "(" whole(d - 1, t) " " substr("+-*&|^", rnd(6) + 1, 1) " " whole(d - 1, t) ")"
}
function value(d, t) { return t == "double" || t == "float" ? real(d, t) : whole(d, t) }
function body(t) {
    print "    for (int i = 0; i < " rnd(20) + 1 "; i++) {"
    print "        if (" value(2, t) " < " value(2, t) ") a = " value(3, t) "; else b = " value(3, t) ";"
    print "        switch ((unsigned)(i * " rnd(9) + 1 ") % 8) {"
    for (k = 0; k < 7; k++) print "        case " k ": " substr("abcd", rnd(4) + 1, 1) " = " value(2, t) "; " (rnd(4) ? "break;" : "/* fall through */")
    print "        default: d = " value(2, t) ";"
    print "        }"
    print "        c = c + a;"
    print "    }"
    print "    return " value(3, t) ";"
}
BEGIN {
    state = seed + 1
    split("unsigned unsigned_long double float unsigned", types, " ")
    print "#include <stdio.h>\n#include <string.h>"
    for (f = 0; f < 10; f++) {
        t = types[f % 5 + 1]; sub("_", " ", t)
        print "__attribute__((noinline)) static " t " f" f "(" t " a, " t " b, " t " c, " t " d) {"
        body(t)
        print "}"
    }
    print "static unsigned long hash = 1;\nstatic void note(const void *p, unsigned n) {"
    print "    for (unsigned i = 0; i < n; i++) hash = hash * 31 + ((const unsigned char *)p)[i];\n}"
    print "int main(void) {"
    for (f = 0; f < 10; f++) {
        t = types[f % 5 + 1]; sub("_", " ", t)
        print "    for (int i = 0; i < 20; i++) {\n        " t " r = f" f "((" t ")i, (" t ")(i * 7), (" t ")(i - 9), (" t ")(i * i));"
        print "        if (r == r) note(&r, sizeof r);\n    }\n    printf(\"f" f " %016lx\\n\", hash);"
    }
    print "    return 0;\n}"
}
