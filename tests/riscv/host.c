/* Loops whose time on the host core is known: main KIND ROUNDS, without any launch. Eight instructions a round, and two of the loop. */
#include <stdlib.h>
#include <string.h>

#define EIGHT(insn) insn "\n" insn "\n" insn "\n" insn "\n" insn "\n" insn "\n" insn "\n" insn "\n"
#define LOOP(insn)                                                           \
    __asm__ volatile(".balign 32\n.option push\n.option norvc\n1:\n" EIGHT(  \
                         insn) "addi %0, %0, -1\nbnez %0, 1b\n.option pop\n" \
                     : "+r"(rounds), "+r"(x)                                 \
                     :                                                       \
                     : "t0", "t1", "memory")

int main(int argc, char **argv) {
    long rounds = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
    void *self = &self, *x = self;
    if (rounds <= 0) return 2;
    if (!strcmp(argv[1], "chain")) LOOP("addi %1, %1, 1");
    if (!strcmp(argv[1], "mults")) LOOP("mul %1, %1, %1");
    if (!strcmp(argv[1], "apart")) LOOP("addi t0, zero, 1");
    if (!strcmp(argv[1], "chase")) LOOP("ld %1, 0(%1)");
    return 0;
}
