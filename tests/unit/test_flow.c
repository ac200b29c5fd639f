/* If, While and Loop in the executor: the bodies run in memory of their own, whatever the plan of
 * the graph around them is. */
#include <string.h>

#include "exec/exec.h"
#include "loaded.h"
#include "planned.h"
#include "suite.h"

static const float x[4] = { 1.0f, -2.0f, 0.5f, 0.0f };
/* eight times the absolute value, negated, plus the absolute value */
static const float sum[4] = { -7.0f, -14.0f, -3.5f, 0.0f };

/* of counted_loops.json: 1, 0.5 and 2 are magnitudes; see there */
static const float y[4] = { 128.0f, 256.0f, 64.0f, 0.0f };
static const float rows[12] = { 2.0f, 4.0f, 1.0f, 0.0f, 3.0f, 6.0f, 1.5f, 0.0f, 4.0f,
	8.0f, 2.0f, 0.0f };

static const struct {
	const char *file;
	const float *want[2]; /* by output */
	size_t n[2];
} graphs[] = {
	{ "fixtures/control/loop_and_choice.json", { sum, NULL }, { 4, 0 } },
	{ "fixtures/control/counted_loops.json", { rows, y }, { 12, 4 } },
};

static void load(struct loaded *l, const char *name)
{
	loaded_file(l, tn_test_path(name), NULL);
	loaded_ok(l, name);
}

static void check_outputs(struct loaded *l, int graph, struct tn_exec *e, int run)
{
	for (uint32_t k = 0; k < l->graph.n_outputs; k++) {
		const float *want = graphs[graph].want[k];
		size_t size;
		const uint8_t *bytes = tn_exec_bytes(e, l->graph.outputs[k], &size);

		ck_assert_uint_eq(size, graphs[graph].n[k] * sizeof(*want));
		for (size_t i = 0; i < graphs[graph].n[k]; i++) {
			float f;

			memcpy(&f, bytes + 4 * i, 4);
			ck_assert_msg(f == want[i],
				"%s, run %d, output %u, element %zu: %g for %g",
				graphs[graph].file, run, k, i, (double)f,
				(double)want[i]);
		}
	}
}

static void check_runs(
	struct loaded *l, int graph, const struct tn_plan *plan, int poison)
{
	struct tn_exec *e;

	ck_assert_msg(tn_exec_new(&l->graph, plan, &l->arena, &l->diags, &e) == TN_OK,
		"%s", loaded_report(l));
	tn_exec_poison(e, poison);
	ck_assert_int_eq(tn_exec_input(e, 0, x, sizeof(x)), TN_OK);
	for (int run = 0; run < 2; run++) {
		ck_assert_msg(
			tn_exec_run(e, NULL, NULL) == TN_OK, "%s", loaded_report(l));
		check_outputs(l, graph, e, run);
	}
}

START_TEST(loops_and_choices_run)
{
	static const enum tn_overlap_mode modes[] = { OVERLAP_NONE, OVERLAP_INPLACE,
		OVERLAP_FULL };
	struct tn_plan plan;
	struct loaded l;

	load(&l, graphs[_i].file);
	check_runs(&l, _i, NULL, TN_POISON_NONE);
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		planned(&l.graph, modes[i], 16, &l.arena, &l.diags, &plan);
		check_runs(&l, _i, &plan, i % 2 ? 0x5A : 0xA5);
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
	const char *name;
	int graph;
	const char *op, *attr;
	int64_t value;
	const char *says;
} misfits[] = {
	{ "no such body", 0, "negate", "then_subgraph", 9, "does not name two bodies" },
	{ "a body of two values", 0, "negate", "else_subgraph", 2,
		"bodies do not fit its operands" },
	{ "a condition that gives no truth", 0, "double", "cond_subgraph", 2,
		"bodies do not fit its operands" },
	{ "a body that gives a truth", 0, "double", "body_subgraph", 1,
		"bodies do not fit its operands" },
	{ "a loop without a body", 1, "count", "body_subgraph", 3,
		"does not name its body" },
	{ "a body that gives no rows", 1, "count", "body_subgraph", 2,
		"bodies do not fit its operands" },
	{ "a body that gives rows", 1, "until", "body_subgraph", 1,
		"bodies do not fit its operands" },
};

START_TEST(bodies_must_fit)
{
	struct tn_exec *e;
	struct loaded l;

	load(&l, graphs[misfits[_i].graph].file);
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

static const struct {
	int64_t trips;
	const char *says;
} counts[] = {
	{ 2, "its loop ends before its outputs are full" },
	{ 4, "its loop goes on when its outputs are full" },
	{ 0, "its loop ends before its outputs are full" },
	{ -1, "its loop ends before its outputs are full" },
};

START_TEST(rows_must_be_as_many_as_trips)
{
	struct tn_exec *e;
	struct loaded l;

	load(&l, "fixtures/control/counted_loops.json");
	for (uint32_t i = 0; i < l.graph.n_tensors; i++)
		if (strcmp(l.graph.tensors[i].name, "three") == 0)
			l.graph.tensors[i].data = (const uint8_t *)&counts[_i].trips;
	ck_assert_msg(tn_exec_new(&l.graph, NULL, &l.arena, &l.diags, &e) == TN_OK, "%s",
		loaded_report(&l));
	ck_assert_int_eq(tn_exec_run(e, NULL, NULL), TN_ERR_REFUSED);
	ck_assert_msg(
		strstr(loaded_report(&l), counts[_i].says), "%s", loaded_report(&l));
	loaded_release(&l);
}
END_TEST

/* Where the first body's own inputs end the second's begin, as in files whose bodies
 * capture values. */
START_TEST(bodies_with_inputs_of_their_own)
{
	tn_tensor_id *ids;
	struct tn_op *op;
	struct loaded l;

	load(&l, "fixtures/control/loop_and_choice.json");
	op = op_named(&l, "negate");
	ids = TN_NEW_ARRAY(&l.arena, tn_tensor_id, 3);
	ids[0] = op->inputs[0];
	ids[1] = ids[2] = op->inputs[1];
	op->inputs = ids;
	op->n_inputs = 3;
	check_runs(&l, 0, NULL, TN_POISON_NONE);
	loaded_release(&l);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("flow");
	TCase *tc = tcase_create("flow");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, loops_and_choices_run, 0, 2);
	tcase_add_loop_test(tc, bodies_must_fit, 0, sizeof(misfits) / sizeof(*misfits));
	tcase_add_loop_test(
		tc, rows_must_be_as_many_as_trips, 0, sizeof(counts) / sizeof(*counts));
	tcase_add_test(tc, bodies_with_inputs_of_their_own);
	tcase_add_test(tc, a_loop_that_does_not_end);
	suite_add_tcase(s, tc);
	return s;
}
