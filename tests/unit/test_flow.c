/* If and While in the executor: the bodies run in memory of their own, whatever the plan of
 * the graph around them is. */
#include <string.h>

#include "exec/exec.h"
#include "loaded.h"
#include "planned.h"
#include "suite.h"

static const float x[4] = { 1.0f, -2.0f, 0.5f, 0.0f };
/* eight times the absolute value, negated, plus the absolute value */
static const float sum[4] = { -7.0f, -14.0f, -3.5f, 0.0f };

static void load(struct loaded *l, const char *name)
{
	loaded_file(l, tn_test_path(name), NULL);
	loaded_ok(l, name);
}

static void check_sum(struct loaded *l, const struct tn_plan *plan, int poison)
{
	struct tn_exec *e;
	const uint8_t *bytes;
	size_t size;

	ck_assert_msg(tn_exec_new(&l->graph, plan, &l->arena, &l->diags, &e) == TN_OK,
		"%s", loaded_report(l));
	tn_exec_poison(e, poison);
	ck_assert_int_eq(tn_exec_input(e, 0, x, sizeof(x)), TN_OK);
	for (int run = 0; run < 2; run++) {
		ck_assert_msg(
			tn_exec_run(e, NULL, NULL) == TN_OK, "%s", loaded_report(l));
		bytes = tn_exec_bytes(e, l->graph.outputs[0], &size);
		ck_assert_uint_eq(size, sizeof(sum));
		for (int i = 0; i < 4; i++) {
			float f;

			memcpy(&f, bytes + 4 * i, 4);
			ck_assert_msg(f == sum[i], "run %d, element %d: %g for %g", run,
				i, (double)f, (double)sum[i]);
		}
	}
}

START_TEST(loops_and_choices_run)
{
	static const enum tn_overlap_mode modes[] = { OVERLAP_NONE, OVERLAP_INPLACE,
		OVERLAP_FULL };
	struct tn_plan plan;
	struct loaded l;

	load(&l, "fixtures/control/loop_and_choice.json");
	check_sum(&l, NULL, TN_POISON_NONE);
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		planned(&l.graph, modes[i], 16, &l.arena, &l.diags, &plan);
		check_sum(&l, &plan, i % 2 ? 0x5A : 0xA5);
	}
	loaded_release(&l);
}
END_TEST

static struct tn_op *op_named(struct loaded *l, const char *name)
{
	for (uint32_t i = 0; i < l->graph.n_ops; i++)
		if (strcmp(l->graph.ops[i].name, name) == 0)
			return &l->graph.ops[i];
	ck_abort_msg("no op '%s'", name);
	return NULL;
}

static void set_attr(struct tn_op *op, const char *name, int64_t value)
{
	for (uint32_t i = 0; i < op->n_attrs; i++)
		if (strcmp(op->attrs[i].name, name) == 0)
			op->attrs[i].v.i = value;
}

static const struct {
	const char *name, *op, *attr;
	int64_t value;
	const char *says;
} misfits[] = {
	{ "no such body", "negate", "then_subgraph", 9, "does not name two bodies" },
	{ "a body of two values", "negate", "else_subgraph", 2,
		"bodies do not fit its operands" },
	{ "a condition that gives no truth", "double", "cond_subgraph", 2,
		"bodies do not fit its operands" },
	{ "a body that gives a truth", "double", "body_subgraph", 1,
		"bodies do not fit its operands" },
};

START_TEST(bodies_must_fit)
{
	struct tn_exec *e;
	struct loaded l;

	load(&l, "fixtures/control/loop_and_choice.json");
	set_attr(op_named(&l, misfits[_i].op), misfits[_i].attr, misfits[_i].value);
	ck_assert_msg(tn_exec_new(&l.graph, NULL, &l.arena, &l.diags, &e) == TN_ERR_INPUT,
		"%s", misfits[_i].name);
	ck_assert_msg(strstr(loaded_report(&l), misfits[_i].says), "%s: %s",
		misfits[_i].name, loaded_report(&l));
	loaded_release(&l);
}
END_TEST

/* A condition that nothing in the body changes. */
START_TEST(a_loop_that_does_not_end)
{
	struct tn_exec *e;
	struct loaded l;

	load(&l, "fixtures/control/endless.json");
	ck_assert_msg(tn_exec_new(&l.graph, NULL, &l.arena, &l.diags, &e) == TN_OK, "%s",
		loaded_report(&l));
	ck_assert_int_eq(tn_exec_run(e, NULL, NULL), TN_ERR_REFUSED);
	ck_assert_msg(strstr(loaded_report(&l), "its loop does not end"), "%s",
		loaded_report(&l));
	loaded_release(&l);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("flow");
	TCase *tc = tcase_create("flow");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, loops_and_choices_run);
	tcase_add_loop_test(tc, bodies_must_fit, 0, sizeof(misfits) / sizeof(*misfits));
	tcase_add_test(tc, a_loop_that_does_not_end);
	suite_add_tcase(s, tc);
	return s;
}
