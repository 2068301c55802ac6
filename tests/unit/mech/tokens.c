/* That the interface can host a mechanism with marks and issues without threads: a stack of tokens as in Coon & Lindholm
 * (US 7353369), for one warp, without loops, calls and barriers. SSY pushes where the warp joins; a branch that diverges
 * pushes the side that waits and runs the taken one; a join is issued once for each side, and only the last time does
 * anything. */
#include "unit/mech/rig.h"

struct token {
    bool sync; /* or a side that waits */
    uint32_t pc;
    struct mech_set set;
};
struct tokens {
    uint32_t n;
    struct token at[8];
    uint32_t pcs[32], npcs; /* issued, +1000 without threads */
};

static struct token *push(struct mech *m, bool sync, uint32_t pc, const struct mech_set *set) {
    struct tokens *t = m->self;
    struct token *top = &t->at[t->n++];
    *top = (struct token){.sync = sync, .pc = pc};
    set_copy(&top->set, set);
    return top;
}

static void run_popped(struct mech *m, struct mech_split *s) {
    struct tokens *t = m->self;
    const struct token *top = &t->at[--t->n];
    split_assign(m->pool, s, &top->set);
    s->pc = top->pc;
    order_add(m->order, s);
}

/* At a join the next side runs, after an issue that is lost; the last one brings all back. */
static void arrive(struct mech *m, struct mech_split *s, uint32_t pc) {
    struct tokens *t = m->self;
    const struct ir_insn *i = &m->env.module->code.v[pc];
    s->pc = pc;
    if (i->op == IR_MARK && i->sub == IR_MK_JOIN && t->at[t->n - 1].sync) {
        run_popped(m, s);
        return;
    }
    if (i->op == IR_MARK && i->sub == IR_MK_JOIN) split_assign(m->pool, s, &(struct mech_set){0});
    order_add(m->order, s);
}

static void commit_tokens(struct mech *m, struct mech_split *s, const struct mech_outcome *o) {
    struct tokens *t = m->self;
    t->pcs[t->npcs++] = o->pc + (s->threads ? 0 : 1000);
    if (!s->threads) {
        assert_int_equal(o->nsides, 0);
        run_popped(m, s);
        return;
    }
    if (o->exited.n) {
        split_exit(m->pool, s, &o->exited);
        split_free(m, s);
        return;
    }
    if (o->insn->op == IR_MARK && o->insn->sub == IR_MK_SSY) push(m, true, o->insn->target, &s->set);
    if (o->nsides == 2) {
        const bool taken_is_first = o->side[0].pc == o->insn->target;
        const struct mech_side *waits = &o->side[taken_is_first], *taken = &o->side[!taken_is_first];
        push(m, false, waits->pc, &waits->set);
        split_assign(m->pool, s, &taken->set);
        arrive(m, s, taken->pc);
        return;
    }
    arrive(m, s, o->side[0].pc);
}

static void audit_some(const struct mech *m) {
    split_audit(m, false); /* threads are in tokens, too */
}

static struct ir_module *diamond(void) {
    struct ir_module *m = ir_module_new("diamond");
    fake_op(m);                           /* 0 A */
    fake_mark(m, IR_MK_SSY, 0, 6);        /* 1 */
    fake_bra(m, FAKE_MAYBE, 5);           /* 2 */
    fake_op(m);                           /* 3 B */
    fake_bra(m, 0, 6);                    /* 4 */
    fake_op(m);                           /* 5 C */
    fake_mark(m, IR_MK_JOIN, 0, IR_NOPC); /* 6 */
    fake_op(m);                           /* 7 D */
    fake_end(m, IR_EXIT, 0);              /* 8 */
    fake_func(m, "diamond");
    return m;
}

static uint32_t upper_half(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return thread >= 2;
}
static uint32_t all(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)thread, (void)pc, (void)step;
    return 1;
}

static void expect_issues(choose_fn *choose, const uint32_t *want, uint32_t n) {
    struct rig r;
    rig_load(&r, diamond(), 4, 4, choose);
    r.ops = *mech_find("nrec");
    r.ops.self_bytes = sizeof(struct tokens);
    r.ops.commit = commit_tokens;
    r.ops.audit = audit_some;
    fake_start_ops(r.f, &r.ops);
    assert_true(fake_run(r.f));
    const struct tokens *t = r.f->mech->self;
    assert_int_equal(t->npcs, n);
    for (uint32_t k = 0; k < n; k++) assert_int_equal(t->pcs[k], want[k]);
    assert_int_equal(t->n, 0);
    rig_down(&r);
}

static void a_join_is_issued_once_for_each_side(void **state) {
    (void)state;
    expect_issues(upper_half, (const uint32_t[]){0, 1, 2, 5, 1006, 3, 4, 6, 7, 8}, 10);
}

static void a_join_costs_one_issue_where_nobody_parted(void **state) {
    (void)state;
    expect_issues(all, (const uint32_t[]){0, 1, 2, 5, 6, 7, 8}, 7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_join_is_issued_once_for_each_side),
        cmocka_unit_test(a_join_costs_one_issue_where_nobody_parted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
