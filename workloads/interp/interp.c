/* An interpreter loop (control flow of the multi-path slides' kind). Programs are generated: a loop whose body is a random
 * expression of the input, with a conditional part and a call of a subroutine, so that all end. Neighbouring threads have
 * different programs. The CPU computes each program's expression from what the generator noted, without interpreting it;
 * only the number of steps is counted along. */
#include "workloads/workload.h"

enum {
    PUSH,
    LOAD,
    STORE,
    ADD,
    SUB,
    MUL,
    XOR,
    ROTATE,
    DUP,
    SWAP,
    JUMP,
    JUMP_IF_ZERO,
    CALL,
    RETURN,
    LESS,
    HALT
};
enum { PROGRAMS = 24, TERMS = 12, WORDS = 96 };

/* cell 1 is the result, cell 2 the round. A term: what is done to the result in each round. */
enum term_kind { TERM_ADD_INPUT, TERM_MULTIPLY, TERM_MIX, TERM_IF_LOW, TERM_SUBROUTINE, TERM_KINDS };
struct program {
    uint32_t code[WORDS], words, subroutine; /* where the subroutine begins */
    struct {
        enum term_kind kind;
        uint32_t value;
    } term[TERMS];
    uint32_t terms, rounds;
};

static uint32_t emit(struct program *p, uint32_t op, uint32_t operand) {
    p->code[p->words] = op | operand << 8;
    return p->words++;
}

static void aim(struct program *p, uint32_t jump, uint32_t to) {
    p->code[jump] |= to << 8;
}

static void emit_term(struct program *p, enum term_kind kind, uint32_t value) {
    uint32_t jump;
    emit(p, LOAD, 1);
    switch (kind) {
    case TERM_ADD_INPUT: emit(p, LOAD, 0), emit(p, ADD, 0); break;
    case TERM_MULTIPLY: emit(p, PUSH, value | 1), emit(p, MUL, 0); break;
    case TERM_MIX: emit(p, DUP, 0), emit(p, ROTATE, 0), emit(p, SWAP, 0), emit(p, SUB, 0); break;
    case TERM_IF_LOW:
        emit(p, DUP, 0), emit(p, PUSH, value), emit(p, LESS, 0);
        jump = emit(p, JUMP_IF_ZERO, 0);
        emit(p, PUSH, 0x5bd1e9), emit(p, MUL, 0), emit(p, PUSH, value), emit(p, ADD, 0);
        aim(p, jump, p->words);
        break;
    default: emit(p, CALL, p->subroutine);
    }
    emit(p, STORE, 1);
}

static uint32_t apply(enum term_kind kind, uint32_t value, uint32_t r, uint32_t input) {
    switch (kind) {
    case TERM_ADD_INPUT: return r + input;
    case TERM_MULTIPLY: return r * (value | 1);
    case TERM_MIX: return (r << 5 | r >> 27) - r;
    case TERM_IF_LOW: return r < value ? r * 0x5bd1e9 + value : r;
    default: return (r ^ 0xabcdef) * 31;
    }
}

/* Steps of a term, its LOAD and STORE included; those of TERM_IF_LOW depend on what it finds. */
static uint32_t steps(enum term_kind kind, uint32_t value, uint32_t r) {
    static const uint32_t fixed[TERM_KINDS] = {4, 4, 6, 0, 8};
    return kind == TERM_IF_LOW ? (r < value ? 10 : 6) : fixed[kind];
}

static void make_program(struct work *w, struct program *p) {
    const uint32_t skip = emit(p, JUMP, 0);
    p->subroutine = p->words;
    emit(p, PUSH, 0xabcdef), emit(p, XOR, 0), emit(p, PUSH, 31), emit(p, MUL, 0), emit(p, RETURN, 0);
    aim(p, skip, p->words);
    p->rounds = 3 + work_below(w, 6);
    p->terms = 3 + work_below(w, 5);
    emit(p, PUSH, p->rounds), emit(p, STORE, 2);
    const uint32_t again = p->words;
    for (uint32_t i = 0; i < p->terms; i++) {
        p->term[i].kind = work_below(w, TERM_KINDS);
        p->term[i].value = work_random(w) >> 8;
        emit_term(p, p->term[i].kind, p->term[i].value);
    }
    emit(p, LOAD, 2), emit(p, PUSH, 1), emit(p, SUB, 0), emit(p, DUP, 0), emit(p, STORE, 2);
    const uint32_t out = emit(p, JUMP_IF_ZERO, 0);
    emit(p, JUMP, again);
    aim(p, out, p->words);
    emit(p, HALT, 0);
}

static uint32_t reference(const struct program *p, uint32_t input) {
    uint32_t r = 0, n = 1 + 2; /* the jump, PUSH and STORE of the rounds */
    for (uint32_t round = 0; round < p->rounds; round++) {
        for (uint32_t i = 0; i < p->terms; i++) {
            n += steps(p->term[i].kind, p->term[i].value, r);
            r = apply(p->term[i].kind, p->term[i].value, r, input);
        }
        n += round + 1 < p->rounds ? 7 : 6;
    }
    return r * 31 + n + 1; /* HALT */
}

void work_interp(struct work *w) {
    const uint32_t n = work_pick(w, 64, 3840, 15360), block = work_pick(w, 64, 128, 128);
    struct program *p = work_host(w, PROGRAMS, sizeof *p);
    uint32_t *code = work_host(w, (size_t)PROGRAMS * WORDS, sizeof *code),
             *starts = work_host(w, n, sizeof *starts), *inputs = work_host(w, n, sizeof *inputs),
             *want = work_host(w, n, sizeof *want);
    for (uint32_t i = 0; i < PROGRAMS; i++) {
        make_program(w, &p[i]);
        for (uint32_t k = 0; k < p[i].words; k++) code[i * WORDS + k] = p[i].code[k];
    }
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t which = work_below(w, PROGRAMS);
        starts[i] = which * WORDS;
        inputs[i] = work_random(w);
        want[i] = reference(&p[which], inputs[i]);
    }
    uint64_t results = work_buffer(w, "results", n * sizeof *want);
    uint64_t dcode = work_input(w, "code", code, (uint64_t)PROGRAMS * WORDS * sizeof *code),
             dstarts = work_input(w, "starts", starts, n * sizeof *starts),
             dinputs = work_input(w, "inputs", inputs, n * sizeof *inputs);
    WORK_LAUNCH(w, "interp", WORK_SHAPE(.grid = {n / block}, .block = {block}), hd_arg_ptr(results),
                hd_arg_ptr(dcode), hd_arg_ptr(dstarts), hd_arg_ptr(dinputs), hd_arg_u32(100000));
    work_check_u32(w, "results", results, want, n);
}
