/* What an instruction of the program form is to the host core is found once for each PC. Calls of the system take no time, as in
 * SimpleScalar, and caches keep their lines over launches. */
#include "sim/riscv_host/host.h"

#include <math.h>

#include "base/alloc.h"
#include "cpu/cpu.h"

_Static_assert((int)IR_RV_ROWS < (int)CPU_NO_REGISTER, "every row is a register of the core");

struct host {
    struct cpu *cpu;
    const struct ir_module *m;
    /* By PC; addresses of data and of the next instruction are filled in as they come. */
    struct cpu_insn *insns;
    double core_per_cycle; /* core cycles of the SMs in a cycle of the host core */
};

static enum cpu_work float_work(const struct ir_insn *i) {
    switch (i->sub) {
    case IR_RVF_MUL:
    case IR_RVF_MADD:
    case IR_RVF_MSUB:
    case IR_RVF_NMSUB:
    case IR_RVF_NMADD: return CPU_FP_MULT;
    case IR_RVF_SQRT: return CPU_FP_SQRT;
    case IR_RVF_DIV: return CPU_FP_DIV;
    default: return CPU_FP_ADD;
    }
}

static enum cpu_work work_of(const struct ir_insn *i) {
    switch (ir_ops[i->op].cls) {
    case IR_C_IMUL: return CPU_MULT;
    case IR_C_IDIV: return CPU_DIV;
    case IR_C_FP32:
    case IR_C_FP64:
    case IR_C_FDIV32:
    case IR_C_FDIV64: return float_work(i);
    case IR_C_CVT: return CPU_FP_ADD;
    case IR_C_LDST: return i->nd ? CPU_LOAD : CPU_STORE;
    case IR_C_ATOM: return CPU_LOAD;
    default: return CPU_INT;
    }
}

static enum cpu_flow flow_of(const struct ir_insn *i) {
    switch (i->op) {
    case IR_BRA: return i->ns ? CPU_BRANCH : CPU_JUMP;
    case IR_BRX: return CPU_JUMP;
    case IR_CALL:
    case IR_CALL_IND: return CPU_CALL;
    case IR_RET: return CPU_RETURN;
    default: return CPU_NEXT;
    }
}

/* Rows are the core's registers. Nothing writes number 0, which stands for constants: they are always there. */
static uint8_t host_source(ir_opnd o) {
    return ir_is_const(o) || ir_file(o) != IR_FILE_64 ? 0 : (uint8_t)ir_index(o);
}

static uint8_t host_destination(ir_opnd o) {
    return host_source(o) ? host_source(o) : CPU_NO_REGISTER;
}

static struct cpu_insn host_describe(const struct ir_module *m, uint32_t pc) {
    const struct ir_insn *i = &m->code.v[pc];
    struct cpu_insn x = {.addr = m->binary->addr[pc],
                         .work = (uint8_t)work_of(i),
                         .flow = (uint8_t)flow_of(i),
                         .to = CPU_NO_REGISTER};
    x.after = pc + 1 < m->code.n ? m->binary->addr[pc + 1] : x.addr + 4;
    if (i->nd) x.to = host_destination(i->o[0]);
    for (unsigned k = i->nd; k < (unsigned)i->nd + i->ns && x.nfrom < CPU_SOURCES; k++)
        x.from[x.nfrom++] = host_source(i->o[k]);
    return x;
}

static void executed(void *user, const struct exec_core_step *s) {
    struct host *h = user;
    struct cpu_insn *x = &h->insns[s->pc];
    x->data = s->addr;
    x->bytes = s->bytes;
    x->next = s->next == IR_NOPC ? x->after : h->m->binary->addr[s->next];
    cpu_step(h->cpu, x);
}

struct host *host_new(const struct options *o, const struct ir_module *m, struct exec_core *core) {
    if (o->host.cpu.model == CPU_NONE) return NULL;
    struct host *h = xcalloc(1, sizeof *h);
    h->cpu = cpu_new(&o->host);
    h->m = m;
    h->insns = xcalloc(m->code.n, sizeof *h->insns);
    for (uint32_t pc = 0; pc < m->code.n; pc++) h->insns[pc] = host_describe(m, pc);
    h->core_per_cycle = o->host.cpu.clock > 0 ? o->memory.clock.core / o->host.cpu.clock : 1;
    exec_core_observe(core, executed, h);
    return h;
}

void host_free(struct host *h) {
    if (!h) return;
    cpu_free(h->cpu);
    xfree(h->insns);
    xfree(h);
}

void host_waits(struct host *h) {
    if (h) cpu_drain(h->cpu);
}

void host_stats(const struct host *h, struct cpu_stats *s) {
    if (!h) return;
    *s = cpu_get_stats(h->cpu);
    s->core_cycles = (uint64_t)ceil((double)s->cycles * h->core_per_cycle);
}
