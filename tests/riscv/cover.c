/* Writes an assembly file that executes every instruction of riscv.def and of the C extension, for cover_main.c, which gives it
 * operands: cover SEED >sites.s. A site is a function void site(struct in *in, struct out *out) around one machine instruction,
 * which is drawn at random from the encodings of its row and written as a number, so that the simulator has to decode it.
 * The site loads the registers that the instruction reads, executes it, and stores the one that it writes, a mark that tells
 * where it went, and fcsr. Ends with an error if a row has no site: then a new row or format wants a case here. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "front/riscv/decode.h"

/* Offsets in struct in and struct out of cover_main.c. */
enum { IN_OPERAND = 0, IN_FCSR = 24, IN_OLD = 32, IN_DATA = 40, IN_SAVE = 72, DATA_BYTES = 32 };
enum { OUT_RESULT = 0, OUT_MARK = 8, OUT_FCSR = 16 };
enum { PER_ROW = 12, PER_MODE = 2, PER_SHORT = 16 };

/* Letters of formats (decode.h) that sites are made for. */
#define KNOWN "XFxf123isbujhwcz(rp"

/* Rows without a site, each for a reason. */
static const struct {
    uint16_t id;
    const char *why;
} left_out[] = {{RV_EBREAK, "ends the program: cover.sh tries it alone"},
                {RV_SPMD_BARRIER, "heddle's own, which qemu does not have"},
                {RV_SPMD_LAUNCH, "heddle's own, which qemu does not have"}};

/* Compressed instructions by the manual's tables 16.5 to 16.7: what must be set, which bits say so, what must not be 0, and the
 * instruction that it stands for. Written anew here: expand.c is what is tested. */
static const struct compressed {
    const char *name;
    uint16_t match, mask, nonzero, nonzero2;
    uint16_t id;
} compressed[] = {
    {"c.addi4spn", 0x0000, 0xe003, 0x1fe0, 0, RV_ADDI},
    {"c.fld", 0x2000, 0xe003, 0, 0, RV_FLD},
    {"c.lw", 0x4000, 0xe003, 0, 0, RV_LW},
    {"c.ld", 0x6000, 0xe003, 0, 0, RV_LD},
    {"c.fsd", 0xa000, 0xe003, 0, 0, RV_FSD},
    {"c.sw", 0xc000, 0xe003, 0, 0, RV_SW},
    {"c.sd", 0xe000, 0xe003, 0, 0, RV_SD},
    {"c.nop", 0x0001, 0xffff, 0, 0, RV_ADDI},
    {"c.addi", 0x0001, 0xe003, 0x0f80, 0, RV_ADDI},
    {"c.addiw", 0x2001, 0xe003, 0x0f80, 0, RV_ADDIW},
    {"c.li", 0x4001, 0xe003, 0x0f80, 0, RV_ADDI},
    {"c.addi16sp", 0x6101, 0xef83, 0x107c, 0, RV_ADDI},
    {"c.lui", 0x6001, 0xe003, 0x107c, 0x0f80, RV_LUI},
    {"c.srli", 0x8001, 0xec03, 0x107c, 0, RV_SRLI},
    {"c.srai", 0x8401, 0xec03, 0x107c, 0, RV_SRAI},
    {"c.andi", 0x8801, 0xec03, 0, 0, RV_ANDI},
    {"c.sub", 0x8c01, 0xfc63, 0, 0, RV_SUB},
    {"c.xor", 0x8c21, 0xfc63, 0, 0, RV_XOR},
    {"c.or", 0x8c41, 0xfc63, 0, 0, RV_OR},
    {"c.and", 0x8c61, 0xfc63, 0, 0, RV_AND},
    {"c.subw", 0x9c01, 0xfc63, 0, 0, RV_SUBW},
    {"c.addw", 0x9c21, 0xfc63, 0, 0, RV_ADDW},
    {"c.j", 0xa001, 0xe003, 0, 0, RV_JAL},
    {"c.beqz", 0xc001, 0xe003, 0, 0, RV_BEQ},
    {"c.bnez", 0xe001, 0xe003, 0, 0, RV_BNE},
    {"c.slli", 0x0002, 0xe003, 0x0f80, 0x107c, RV_SLLI},
    {"c.fldsp", 0x2002, 0xe003, 0, 0, RV_FLD},
    {"c.lwsp", 0x4002, 0xe003, 0x0f80, 0, RV_LW},
    {"c.ldsp", 0x6002, 0xe003, 0x0f80, 0, RV_LD},
    {"c.jr", 0x8002, 0xf07f, 0x0f80, 0, RV_JALR},
    {"c.mv", 0x8002, 0xf003, 0x0f80, 0x007c, RV_ADD},
    {"c.jalr", 0x9002, 0xf07f, 0x0f80, 0, RV_JALR},
    {"c.add", 0x9002, 0xf003, 0x0f80, 0x007c, RV_ADD},
    {"c.fsdsp", 0xa002, 0xe003, 0, 0, RV_FSD},
    {"c.swsp", 0xc002, 0xe003, 0, 0, RV_SW},
    {"c.sdsp", 0xe002, 0xe003, 0, 0, RV_SD},
};
/* c.ebreak is ebreak's, which has no site. */

static uint64_t state; /* state of the generator */

static uint32_t draw(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 32);
}

static void fail(const char *what, const char *name) {
    fprintf(stderr, "cover: %s: %s\n", name, what);
    exit(1);
}

/* ---- one site ---- */

struct site {
    struct rv_insn i;
    const char *name, *operands; /* operands of its format: decode.h */
    unsigned number;
    uint32_t base; /* registers base, base + 1, base + 2 point to in, to out, and are free */
    uint32_t data; /* offset in the data that it accesses */
    int form;      /* which sequence around lr and sc */
};

static void line(const char *text, ...) {
    va_list ap;
    va_start(ap, text);
    putchar('\t');
    vprintf(text, ap);
    putchar('\n');
    va_end(ap);
}

static bool has(const struct site *s, const char *what) {
    return strstr(s->operands, what);
}

static bool is_memory(const struct site *s) {
    return strchr(s->operands, '(') && s->i.id != RV_JALR;
}

/* What the instruction has in a register field: 'x', 'f', or 0 for nothing. field: 'd', '1', '2', '3'. */
static char kind_of(const struct site *s, char field) {
    if (field == 'd') return has(s, "X") ? 'x' : has(s, "F") ? 'f' : 0;
    if (field == '1' && strchr(s->operands, '(')) return 'x';
    const char x[3] = {'x', field, 0}, f[3] = {'f', field, 0};
    return has(s, x) ? 'x' : has(s, f) ? 'f' : 0;
}

static uint32_t reg_of(const struct site *s, char field) {
    return field == 'd' ? s->i.rd : field == '1' ? s->i.rs1 : field == '2' ? s->i.rs2 : s->i.rs3;
}

static bool clashes(const struct site *s) {
    for (const char *f = "d123"; *f; f++)
        if (kind_of(s, *f) == 'x' && reg_of(s, *f) - s->base < 3) return true;
    return s->i.id == RV_ECALL && (17 - s->base < 3 || 10 - s->base < 3);
}

/* A move between memory and a register of either kind. */
static void move(const char *op, char kind, uint32_t reg, int offset, uint32_t base) {
    line("%s%s %c%u, %d(x%u)", kind == 'f' ? "f" : "", op, kind, reg, offset, base);
}

/* All registers that the site changes, to the save area or from it; the base comes last. */
static void save(const struct site *s, const char *op, uint32_t from) {
    int at = IN_SAVE;
    for (const char *f = "d123"; *f; f++, at += 8)
        if (kind_of(s, *f) && (kind_of(s, *f) == 'f' || reg_of(s, *f)))
            move(op, kind_of(s, *f), reg_of(s, *f), at, from);
    if (s->i.id == RV_ECALL) move(op, 'x', 17, at, from);
    for (uint32_t n = 3; n-- > 0;) move(op, 'x', s->base + n, at + 8 + (int)n * 8, from);
}

static void add(uint32_t to, uint32_t from, int n) {
    while (n > 2047) line("addi x%u, x%u, 2047", to, from), from = to, n -= 2047;
    while (n < -2048) line("addi x%u, x%u, -2048", to, from), from = to, n += 2048;
    line("addi x%u, x%u, %d", to, from, n);
}

/* fcsr, what the destination held before, and the operands. */
static void load(const struct site *s) {
    const uint32_t in = s->base, spare = s->base + 2;
    line("ld x%u, %d(x%u)", spare, IN_FCSR, in);
    line("csrw fcsr, x%u", spare);
    line("li x%u, 0", spare);
    if (kind_of(s, 'd')) move("ld", kind_of(s, 'd'), s->i.rd, IN_OLD, in);
    for (const char *f = "321"; *f; f++)
        if (kind_of(s, *f) && !(*f == '1' && is_memory(s)))
            move("ld", kind_of(s, *f), reg_of(s, *f), IN_OPERAND + 8 * (*f - '1'), in);
    if (is_memory(s))
        add(s->i.rs1, in, IN_DATA + (int)s->data),
            add(s->i.rs1, s->i.rs1, has(s, "i") || has(s, "s(") ? -s->i.imm : 0);
}

static void word(const struct site *s) {
    if (s->i.length == 2)
        line(".2byte 0x%x", s->i.word & 0xffff);
    else
        line(".4byte 0x%x", s->i.word);
}

/* A branch or jump by an offset: 2 in the spare register if it went, 1 if not. Where no thread should get to there are
 * zeros, which are no instruction. */
static void jump(const struct site *s) {
    const uint32_t mark = s->base + 2;
    const int distance = s->i.imm;
    if (distance < 0) {
        line("j 2f");
        line("1: li x%u, 2", mark);
        line("j 3f");
        line(".zero %d", -distance - 8);
        printf("2:");
    }
    word(s);
    line("li x%u, 1", mark);
    if (distance > 0) {
        line("j 3f");
        line(".zero %d", distance - 8 - s->i.length);
        line("li x%u, 2", mark);
    }
    printf("3:");
}

/* A jump to an address: an odd one is the even one below it. */
static void jump_register(const struct site *s) {
    line("lla x%u, 2f + %u", s->i.rs1, s->i.length == 4 ? s->number & 1 : 0);
    add(s->i.rs1, s->i.rs1, -s->i.imm);
    word(s);
    line("j 3f");
    line("2: li x%u, 2", s->base + 2);
    printf("3:");
}

/* sc after lr; after lr and another store; twice after lr; after lr elsewhere. rd is the last one's, the mark the first one's. */
static void conditional(const struct site *s) {
    const char *const size = s->i.id == RV_SC_W ? "w" : "d";
    const uint32_t mark = s->base + 2, elsewhere = s->form == 3 ? (s->data ? 0 : 16) : s->data;
    line("addi x%u, x%u, %u", mark, s->base, IN_DATA + elsewhere);
    line("lr.%s x%u, (x%u)", size, mark, mark);
    if (s->form == 1) line("addi x%u, x%u, 1", mark, mark), line("s%s x%u, 0(x%u)", size, mark, s->i.rs1);
    if (s->form == 2) line("sc.%s x%u, x%u, (x%u)", size, mark, mark, s->i.rs1);
    word(s);
}

/* A system call that there is not. */
static void call(const struct site *s) {
    line("li x17, 1000");
    word(s);
}

static void instruction(const struct site *s) {
    switch (s->i.id) {
    case RV_JAL:
    case RV_BEQ:
    case RV_BNE:
    case RV_BLT:
    case RV_BGE:
    case RV_BLTU:
    case RV_BGEU: jump(s); break;
    case RV_JALR: jump_register(s); break;
    case RV_SC_W:
    case RV_SC_D: conditional(s); break;
    case RV_ECALL: call(s); break;
    default: word(s);
    }
}

/* What the operands are, for cover_main.c: one letter each of x, s, d, -; then how the site is shown. */
static void describe(const struct site *s) {
    struct sb text = {0};
    rv_print(&text, &s->i, 0);
    printf("\t.section .rodata\n4: .asciz \"%s: %s\"\n5: .asciz \"", s->name, text.text);
    for (const char *f = "123"; *f; f++) {
        const char kind = *f == '1' && is_memory(s) ? 0 : kind_of(s, *f),
                   *dot = strchr(rv_rows[s->i.id].name, '.');
        const bool from_d = s->i.id == RV_FCVT_S_D || (dot && strchr(dot, 'd') && s->i.id != RV_FCVT_D_S);
        putchar(kind == 'x' ? 'x' : kind == 'f' ? (from_d || s->i.id == RV_FSD ? 'd' : 's') : '-');
    }
    printf("\"\n\t.section .sites, \"aw\"\n\t.quad site%u, 4b, 5b, %d\n\t.text\n", s->number,
           s->i.id == RV_ECALL);
    sb_free(&text);
}

static void emit(struct site *s) {
    printf("\t.type site%u, @function\nsite%u:\n", s->number, s->number);
    save(s, "sd", 10);
    line("mv x%u, x10", s->base); /* a0 and a1 are among no three bases */
    line("mv x%u, x11", s->base + 1);
    load(s);
    instruction(s);
    const char kind = s->i.id == RV_ECALL ? 'x' : kind_of(s, 'd');
    if (kind) move("sd", kind, s->i.id == RV_ECALL ? 10 : s->i.rd, OUT_RESULT, s->base + 1);
    line("sd x%u, %d(x%u)", s->base + 2, OUT_MARK, s->base + 1);
    line("csrr x%u, fcsr", s->base + 2);
    line("sd x%u, %d(x%u)", s->base + 2, OUT_FCSR, s->base + 1);
    line("csrw fcsr, x0");
    save(s, "ld", s->base);
    line("ret");
    printf("\t.size site%u, . - site%u\n", s->number, s->number);
    describe(s);
    s->number++;
}

/* ---- drawing encodings ---- */

static const char *operands_of(uint16_t id) {
    static const char *const text[] = {
#define FORMAT(id_, operands_) operands_,
        RV_FORMATS(FORMAT)
#undef FORMAT
    };
    return text[rv_rows[id].format];
}

static unsigned bytes_of(uint16_t id) {
    switch (rv_rows[id].match >> 12 & 3) {
    case 0: return 1;
    case 1: return 2;
    case 2: return 4;
    default: return 8;
    }
}

/* Whether what was drawn can be the instruction of a site. */
static bool fits(const struct site *s) {
    const struct rv_insn *i = &s->i;
    const int distance = i->imm < 0 ? -i->imm : i->imm;
    if (has(s, "b") || has(s, "j"))
        if (distance < 16 || distance > (s->form == 7 ? 1 << 17 : 4094)) return false;
    if (strchr(s->operands, '(') && !i->rs1) return false;
    if (has(s, "p") && i->word & 0xf00fff80 & ~0x0ff00000u) return false; /* what the manual reserves is 0 */
    return !clashes(s);
}

static void draw_site(const struct rv_table *t, struct site *s, uint16_t id, uint32_t match, uint32_t mask,
                      uint32_t nonzero, uint32_t nonzero2, int mode) {
    static const uint32_t bases[] = {3, 29, 5, 12, 18, 25};
    static const uint32_t edge[] = {0, 0xfff00000, 0x7ff00000, 0x80000000, 0x00100000};
    for (int tries = 0; tries < 1 << 22; tries++) {
        const uint32_t drawn = draw();
        uint32_t w = match | (drawn & ~mask);
        s->base = bases[draw() % 6];
        s->data = draw() % (DATA_BYTES / bytes_of(id)) * bytes_of(id);
        s->form = (int)(draw() % 8);
        if (s->form >= 6 && !(mask & 0xfff00000)) w = (w & 0xfffff) | edge[draw() % 5];
        if (has(s, "c")) w = (w & 0xfffff) | (1 + draw() % 3) << 20; /* fflags, frm, fcsr */
        if (has(s, "r")) w = (w & ~0x7000u) | (uint32_t)mode << 12;
        if ((nonzero && !(w & nonzero)) || (nonzero2 && !(w & nonzero2))) continue;
        const uint8_t bytes[4] = {(uint8_t)w, (uint8_t)(w >> 8), (uint8_t)(w >> 16), (uint8_t)(w >> 24)};
        rv_decode(t, bytes, (match & 3) == 3 ? 4 : 2, &s->i);
        if (s->i.id != id) {
            if (nonzero2 == 0x0f80 && s->i.id == RV_ADDI) continue; /* c.lui of sp is c.addi16sp */
            fail("is decoded as something else", s->name);
        }
        if (fits(s)) return;
    }
    fail("no encoding was found", s->name);
}

static void cover_row(const struct rv_table *t, struct site *s, uint16_t id) {
    const struct rv_row *row = &rv_rows[id];
    s->name = row->name;
    s->operands = operands_of(id);
    if (s->operands[strspn(s->operands, KNOWN)])
        fail("has an operand that this program cannot give", s->name);
    const bool modes = has(s, "r");
    for (int n = 0; n < (modes ? 6 * PER_MODE : PER_ROW); n++) {
        static const int mode[] = {0, 1, 2, 3, 4, 7};
        draw_site(t, s, id, row->match, row->mask, 0, 0, modes ? mode[n % 6] : 0);
        emit(s);
    }
}

static void cover_compressed(const struct rv_table *t, struct site *s, const struct compressed *c) {
    s->name = c->name;
    s->operands = operands_of(c->id);
    for (int n = 0; n < PER_SHORT; n++) {
        draw_site(t, s, c->id, c->match, 0xffff0000 | c->mask, c->nonzero, c->nonzero2, 0);
        emit(s);
    }
}

static bool is_left_out(uint16_t id) {
    for (size_t n = 0; n < sizeof left_out / sizeof *left_out; n++)
        if (left_out[n].id == id) return true;
    return false;
}

int main(int argc, char **argv) {
    struct rv_table t;
    struct site s = {0};
    unsigned rows = 0;
    state = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    rv_table_init(&t);
    printf("\t.option norvc\n\t.option norelax\n\t.section .sites, \"aw\"\n\t.globl sites_begin, "
           "sites_end\nsites_begin:\n\t.text\n");
    for (uint16_t id = 0; id < RV_NROWS; id++) {
        if (is_left_out(id)) continue;
        cover_row(&t, &s, id);
        rows++;
    }
    for (size_t n = 0; n < sizeof compressed / sizeof *compressed; n++)
        cover_compressed(&t, &s, &compressed[n]);
    printf("\t.section .sites, \"aw\"\nsites_end:\n");
    fprintf(stderr, "%u of %u rows and %zu compressed instructions, %u sites\n", rows, (unsigned)RV_NROWS,
            sizeof compressed / sizeof *compressed, s.number);
    for (size_t n = 0; n < sizeof left_out / sizeof *left_out; n++)
        fprintf(stderr, "left out: %s, %s\n", rv_rows[left_out[n].id].name, left_out[n].why);
    return 0;
}
