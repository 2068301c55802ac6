/* Small kernels (u64 in, u64 out) that between them do everything a schedule could get wrong: loops that diverge, barriers,
 * exits before a barrier, shuffles and votes, atomics, calls and recursion, indirect branches, local memory, all spaces
 * behind generic addresses. Each thread t of the grid reads in[t] and writes out[t]; out has room behind for a histogram. */
#ifndef TESTS_SM_KERNELS_H
#define TESTS_SM_KERNELS_H

#define BEGIN_KERNEL(name)                                                                               \
    ".visible .entry " name "(.param .u64 pin, .param .u64 pout) {\n"                                    \
    ".reg .u32 %t, %b, %n, %i, %v, %w, %x, %y, %z, %l; .reg .u64 %in, %out, %o, %q, %g; .reg .pred %p, " \
    "%r;\n"                                                                                              \
    "ld.param.u64 %in, [pin]; ld.param.u64 %out, [pout];\n"                                              \
    "mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mov.u32 %n, %ntid.x; mad.lo.u32 %i, %b, %n, %t;\n"        \
    "mul.wide.u32 %o, %i, 4; add.u64 %in, %in, %o; add.u64 %o, %out, %o; ld.global.u32 %v, [%in];\n"
#define END_KERNEL "st.global.u32 [%o], %w;\nexit;\n}\n"

static const char kernels_text[] = HEAD
    /* steps until 1: every thread another number of iterations, an if-else inside */
    BEGIN_KERNEL(
        "collatz") "and.b32 %v, %v, 1023; add.u32 %v, %v, 1; mov.u32 %w, 0;\n"
                   "L: setp.eq.u32 %p, %v, 1; @%p bra D; add.u32 %w, %w, 1; and.b32 %x, %v, 1; setp.eq.u32 "
                   "%p, %x, 0; @%p bra E;\n"
                   "mad.lo.u32 %v, %v, 3, 1; bra L;\nE: shr.u32 %v, %v, 1; bra L;\nD:\n" END_KERNEL
                   /* reduction in shared memory, a barrier per step */
                   ".shared .u32 buf[1024];\n" BEGIN_KERNEL(
                       "reduce") "mov.u32 %x, buf; shl.b32 %y, %t, 2; add.u32 %x, %x, %y; st.shared.u32 "
                                 "[%x], %v; mov.u32 %l, 1;\n"
                                 "L: bar.sync 0; add.u32 %y, %t, %l; setp.ge.u32 %p, %y, %n; mov.u32 %z, 0; "
                                 "@%p bra S; shl.b32 %y, %l, 2;\n"
                                 "add.u32 %y, %x, %y; ld.shared.u32 %z, [%y];\nS: bar.sync 0; ld.shared.u32 "
                                 "%w, [%x]; add.u32 %w, %w, %z;\n"
                                 "st.shared.u32 [%x], %w; shl.b32 %l, %l, 1; setp.lt.u32 %p, %l, %n; @%p bra "
                                 "L;\n" END_KERNEL
                                     /* half of the threads leave before the barrier, at different times */
                                     BEGIN_KERNEL(
                                         "leave") "mov.u32 %w, %v; st.global.u32 [%o], %w; and.b32 %x, %v, "
                                                  "3; setp.eq.u32 %p, %x, 0; @%p exit;\n"
                                                  "L: add.u32 %w, %w, 1; sub.u32 %x, %x, 1; setp.ne.u32 %p, "
                                                  "%x, 0; @%p bra L; and.b32 %x, %v, 4; setp.ne.u32 %p, %x, "
                                                  "0;\n"
                                                  "@%p exit; bar.sync 1; bar.sync 1;\n" END_KERNEL
                                                      /* votes and shuffles: within groups that diverged, and for the whole warp again; barriers count only who is there */
                                                      BEGIN_KERNEL(
                                                          "shuffle") "and.b32 %x, %v, 1; setp.ne.u32 %p, %x, "
                                                                     "0; vote.sync.ballot.b32 %y, %p, -1; "
                                                                     "mov.u32 %w, %v; not.b32 %z, %y;\n"
                                                                     "@%p bra A; shfl.sync.bfly.b32 %w, %v, "
                                                                     "2, 0x1f, %z; add.u32 %w, %w, 5; bra "
                                                                     "B;\n"
                                                                     "A: shfl.sync.bfly.b32 %w, %v, 2, 0x1f, "
                                                                     "%y; add.u32 %w, %w, 7;\nB: "
                                                                     "bar.warp.sync -1;\n"
                                                                     "shfl.sync.idx.b32 %x, %w, 3, 0x1f, -1; "
                                                                     "add.u32 %w, %w, %x; xor.b32 %w, %w, "
                                                                     "%y; redux.sync.add.u32 %x, %w, -1;\n"
                                                                     "add.u32 %w, %w, %x;\n" END_KERNEL
                                                                     /* histogram in shared memory, added to the one in memory; the old values are not used */
                                                                     ".shared .u32 bins[16];\n" BEGIN_KERNEL(
                                                                         "histogram") "mov.u32 %x, bins; "
                                                                                      "and.b32 %y, %t, 15; "
                                                                                      "shl.b32 %y, %y, 2; "
                                                                                      "add.u32 %y, %x, %y; "
                                                                                      "mov.u32 %w, 0; "
                                                                                      "st.shared.u32 [%y], "
                                                                                      "%w;\n"
                                                                                      "bar.sync 0; and.b32 "
                                                                                      "%z, %v, 15; shl.b32 "
                                                                                      "%z, %z, 2; add.u32 "
                                                                                      "%z, %x, %z; "
                                                                                      "atom.shared.add.u32 "
                                                                                      "%w, [%z], 1; bar.sync "
                                                                                      "0;\n"
                                                                                      "setp.ge.u32 %p, %t, "
                                                                                      "16; @%p bra S; "
                                                                                      "ld.shared.u32 %w, "
                                                                                      "[%y]; cvt.u64.u32 %q, "
                                                                                      "%y; cvt.u64.u32 %g, "
                                                                                      "%x; sub.u64 %q, %q, "
                                                                                      "%g;\n"
                                                                                      "add.u64 %q, %out, %q; "
                                                                                      "red.global.add.u32 "
                                                                                      "[%q+8192], %w;\nS: "
                                                                                      "mov.u32 %w, "
                                                                                      "%z;\n" END_KERNEL
                                                                                      /* recursion: depth by data, results through frames */
                                                                                      ".func (.param .u32 d) "
                                                                                      "sum(.param .u32 a) "
                                                                                      "{\n.reg .u32 %a, %c; "
                                                                                      ".reg .pred "
                                                                                      "%p;\nld.param.u32 %a, "
                                                                                      "[a];\n"
                                                                                      "setp.eq.u32 %p, %a, "
                                                                                      "0; @%p bra Z;\n{ "
                                                                                      ".param .u32 x; .param "
                                                                                      ".u32 y; sub.u32 %c, "
                                                                                      "%a, 1; st.param.u32 "
                                                                                      "[x], %c;\n"
                                                                                      "call (y), sum, (x); "
                                                                                      "ld.param.u32 %c, [y]; "
                                                                                      "add.u32 %a, %a, %c; "
                                                                                      "}\nZ: st.param.u32 "
                                                                                      "[d], %a; "
                                                                                      "ret;\n}"
                                                                                      "\n" BEGIN_KERNEL("recu"
                                                                                                        "rse") "and.b32 %v, %v, 7;\n{ .param .u32 x; .param .u32 y; st.param.u32 [x], %v; call (y), sum, (x); ld.param.u32 %w, [y]; }\n" END_KERNEL
                                                                                          /* an indirect branch to four places */
                                                                                          BEGIN_KERNEL(
                                                                                              "switch") "T: "
                                                                                                        ".bra"
                                                                                                        "ncht"
                                                                                                        "arge"
                                                                                                        "ts "
                                                                                                        "C0, "
                                                                                                        "C1, "
                                                                                                        "C2, "
                                                                                                        "C3; "
                                                                                                        "and."
                                                                                                        "b32 "
                                                                                                        "%x, "
                                                                                                        "%v, "
                                                                                                        "3; "
                                                                                                        "mov."
                                                                                                        "u32 "
                                                                                                        "%w, "
                                                                                                        "0; "
                                                                                                        "brx."
                                                                                                        "idx "
                                                                                                        "%x, "
                                                                                                        "T;\n"
                                                                                                        "C0: "
                                                                                                        "add."
                                                                                                        "u32 "
                                                                                                        "%w, "
                                                                                                        "%w, "
                                                                                                        "1; "
                                                                                                        "bra "
                                                                                                        "E;"
                                                                                                        "\nC1"
                                                                                                        ": "
                                                                                                        "add."
                                                                                                        "u32 "
                                                                                                        "%w, "
                                                                                                        "%w, "
                                                                                                        "10;"
                                                                                                        "\nC2"
                                                                                                        ": "
                                                                                                        "add."
                                                                                                        "u32 "
                                                                                                        "%w, "
                                                                                                        "%w, "
                                                                                                        "100;"
                                                                                                        " bra"
                                                                                                        " E;"
                                                                                                        "\nC3"
                                                                                                        ": "
                                                                                                        "add."
                                                                                                        "u32 "
                                                                                                        "%w, "
                                                                                                        "%w, "
                                                                                                        "1000"
                                                                                                        ";\n"
                                                                                                        "E: "
                                                                                                        "add."
                                                                                                        "u32 "
                                                                                                        "%w, "
                                                                                                        "%w, "
                                                                                                        "%v;"
                                                                                                        "\n" END_KERNEL
                                                                                                        /* local memory indexed by data, vectors, generic addresses into every space, constants */
                                                                                                        ".con"
                                                                                                        "st "
                                                                                                        ".u32"
                                                                                                        " tab"
                                                                                                        "le["
                                                                                                        "4] "
                                                                                                        "= "
                                                                                                        "{3, "
                                                                                                        "5, "
                                                                                                        "7, "
                                                                                                        "11};"
                                                                                                        "\n."
                                                                                                        "shar"
                                                                                                        "ed "
                                                                                                        ".u32"
                                                                                                        " one"
                                                                                                        "[256"
                                                                                                        "];"
                                                                                                        "\n" BEGIN_KERNEL(
                                                                                                            "spaces") ".local .align 16 .u32 a[32];\n.reg .u64 %a, %s, %c, %k; .reg .u32 %e;\nmov.u64 %a, a; cvta.local.u64 %a, %a;\n"
                                                                                                                      "mov.u64 %s, one; cvta.shared.u64 %s, %s; mov.u64 %c, table; mov.u32 %l, 0;\n"
                                                                                                                      "L: mul.wide.u32 %k, %l, 4; add.u64 %k, %a, %k; add.u32 %x, %v, %l; st.u32 [%k], %x; add.u32 %l, %l, 1;\n"
                                                                                                                      "setp.lt.u32 %p, %l, 32; @%p bra L; and.b32 %x, %v, 31; mul.wide.u32 %k, %x, 4; add.u64 %k, %a, %k; ld.u32 %w, [%k];\n"
                                                                                                                      "ld.v4.u32 {%x, %y, %z, %e}, [%a+16]; add.u32 %w, %w, %x; add.u32 %w, %w, %e; mul.wide.u32 %k, %t, 4; add.u64 %s, %s, %k;\n"
                                                                                                                      "st.u32 [%s], %w; ld.u32 %x, [%s]; and.b32 %y, %v, 3; mul.wide.u32 %k, %y, 4; add.u64 %c, %c, %k; ld.const.u32 %z, [%c];\n"
                                                                                                                      "mad.lo.u32 %w, %x, %z, %w; and.b32 %y, %v, 1; setp.ne.u32 %p, %y, 0; selp.b64 %k, %a, %s, %p; ld.u32 %x, [%k];\n"
                                                                                                                      "add.u32 %w, %w, %x; ld.u64 %q, [%a+8]; cvt.u32.u64 %x, %q; xor.b32 %w, %w, %x;\n" END_KERNEL
                                                                                                                          /* a loop left in two ways, with guarded instructions */
                                                                                                                          BEGIN_KERNEL(
                                                                                                                              "breaks") "mov.u32 %w, 0; mov.u32 %l, 0;\nL: add.u32 %w, %w, %v; and.b32 %x, %w, 15; setp.eq.u32 %p, %x, 9; @%p bra O;\n"
                                                                                                                                        "setp.gt.u32 %r, %x, 7; @%r add.u32 %w, %w, 3; @!%r mul.lo.u32 %w, %w, 5; add.u32 %l, %l, 1; setp.lt.u32 %p, %l, 20;\n"
                                                                                                                                        "@%p bra L; xor.b32 %w, %w, 255;\nO:\n" END_KERNEL;

static const char *const kernels_all[] = {"collatz", "reduce", "leave",  "shuffle", "histogram",
                                          "recurse", "switch", "spaces", "breaks",  NULL};
enum { KERNEL_BLOCKS = 5, KERNEL_THREADS = 80, KERNEL_BYTES = 16384 };

#endif
