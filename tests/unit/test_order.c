/* The contract against the kernels, for the ops of whole files: see record.h. Random shapes
 * are in tests/campaign/shapes.c. */
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "interpret.h"
#include "record.h"

struct tally {
	int variants, orders, displaced, corrupted, cycles;
	char first[512];
};

static void complain(
	struct tally *t, const struct tn_op *op, struct tn_variant v, const char *what)
{
	if (!t->first[0])
		snprintf(t->first, sizeof(t->first), "%s (%s), %s, hold %d: %s", op->name,
			op->type, v.descending ? "descending" : "ascending", (int)v.hold,
			what);
}

static struct recorded recorded_op(const struct interpreter *it, tn_op_id id)
{
	return (struct recorded){ &it->file.graph, id, it->bytes, &it->calls[id.i],
		it->scratch };
}

static void compare_order(
	struct interpreter *it, tn_op_id id, struct tn_variant v, struct tally *tally)
{
	const struct recorded r = recorded_op(it, id);
	const char *wrong = record_compare(&r, v);

	if (wrong)
		complain(tally, &it->file.graph.ops[id.i], v, wrong);
	else
		tally->orders++;
}

static void compare_displaced(
	struct interpreter *it, tn_op_id id, struct tn_variant v, struct tally *tally)
{
	const struct recorded r = recorded_op(it, id);
	const struct tn_graph *g = &it->file.graph;
	const struct tn_op *op = &g->ops[id.i];

	for (uint32_t k = 0; k < op->n_inputs && op->n_outputs == 1; k++) {
		const struct tn_tensor *in = &g->tensors[op->inputs[k].i];
		int64_t d, grain;

		if (!tn_tensor_id_ok(g, op->inputs[k]) || tn_tensor_is_constant(in))
			continue;
		ck_assert_int_eq(tn_contract_displacement(g, id, v, k, 0, &d), TN_OK);
		ck_assert(d != TN_DISPLACEMENT_NEVER);
		if (d == TN_DISPLACEMENT_FREE)
			d = 0;
		grain = record_grain(&r, k, v);
		ck_assert(tn_align_up_i64(d, grain, &d));
		if (!record_displaced(&r, k, v, d))
			complain(tally, op, v, "the result differs at its displacement");
		tally->displaced++;
		if (d - grain > -in->bytes && !record_displaced(&r, k, v, d - grain))
			tally->corrupted++;
	}
}

/* A variant that goes along cycles writes what its steps say, and the check of that sees
 * each byte that is not. */
static void compare_cycles(
	struct interpreter *it, tn_op_id id, struct tn_variant v, struct tally *tally)
{
	const struct recorded r = recorded_op(it, id);
	const struct tn_graph *g = &it->file.graph;
	const uint32_t out = g->ops[id.i].outputs[0].i;

	if (v.hold != HOLD_CYCLE)
		return;
	if (!record_copies(&r, v))
		complain(tally, &g->ops[id.i], v, "a step writes what it has not read");
	for (int64_t i = 0; i < g->tensors[out].bytes; i++) {
		it->bytes[out][i] ^= 0x55;
		if (record_copies(&r, v))
			complain(tally, &g->ops[id.i], v, "a wrong move is not seen");
		it->bytes[out][i] ^= 0x55;
	}
	tally->cycles++;
}

/* ---- all ops of a model ---- */

static void compare_model(const char *path, struct tally *tally)
{
	struct tn_variant variants[TN_VARIANTS_MAX];
	struct interpreter it;

	if (interpreter_init(&it, path)) {
		for (uint32_t v = 0; v < TN_VARIANTS_MAX; v++) {
			ck_assert(interpreter_bind(&it, v));
			interpreter_reset(&it, 1);
			interpreter_run(&it, NULL, NULL);
			for (uint32_t i = 0; i < it.file.graph.n_ops; i++) {
				tn_op_id id = { i };
				uint32_t n = tn_contract_variants(
					&it.file.graph, id, variants);

				if (v >= n)
					continue;
				tally->variants++;
				compare_order(&it, id, variants[v], tally);
				compare_cycles(&it, id, variants[v], tally);
				compare_displaced(&it, id, variants[v], tally);
			}
		}
	}
	interpreter_release(&it);
}

START_TEST(fixture_ops)
{
	struct tally tally = { 0 };

	compare_model(tn_test_path("fixtures/kernels/ops.json"), &tally);
	printf("# fixture: %d variants, %d orders, %d displaced, %d corrupted one "
	       "element "
	       "below\n",
		tally.variants, tally.orders, tally.displaced, tally.corrupted);
	ck_assert_msg(!tally.first[0], "%s", tally.first);
	ck_assert_int_eq(tally.orders, tally.variants);
	ck_assert_int_gt(tally.variants, 600);
	ck_assert_int_gt(tally.corrupted, tally.displaced / 2);
	ck_assert_int_ge(tally.cycles, 4);
}
END_TEST

/* Ops that have a kernel and no order: recurrent ones, which write their state as well. */
static bool may_be_opaque(enum tn_op_kind kind)
{
	return kind == OP_SVDF || kind == OP_UNIDIRECTIONAL_SEQUENCE_LSTM;
}

START_TEST(kernels_have_an_order)
{
	struct tn_variant variants[TN_VARIANTS_MAX];
	const struct tn_graph *g;
	struct interpreter it;

	ck_assert(interpreter_init(&it, tn_test_path("fixtures/kernels/ops.json")));
	g = &it.file.graph;
	for (uint32_t i = 0; i < g->n_ops; i++) {
		uint32_t n = tn_contract_variants(g, (tn_op_id){ i }, variants);

		ck_assert_msg(may_be_opaque(g->ops[i].kind) ? n == 0 : n >= 2,
			"%s (%s): %u variants", g->ops[i].name, g->ops[i].type, n);
	}
	interpreter_release(&it);
}
END_TEST

static struct tally shared_tally;

static void compare_shared(const char *path)
{
	compare_model(path, &shared_tally);
}

START_TEST(shared_ops)
{
	const char *folder = tn_test_shared("ops/models");
	char path[4096];

	if (!folder)
		return;
	snprintf(path, sizeof(path), "%s", folder);
	memset(&shared_tally, 0, sizeof(shared_tally));
	ck_assert_int_gt(each_file(path, ".tflite", compare_shared), 0);
	printf("# single-op models: %d variants, %d orders, %d displaced, %d corrupted "
	       "one "
	       "element below\n",
		shared_tally.variants, shared_tally.orders, shared_tally.displaced,
		shared_tally.corrupted);
	ck_assert_msg(!shared_tally.first[0], "%s", shared_tally.first);
	ck_assert_int_eq(shared_tally.orders, shared_tally.variants);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("order");
	TCase *tc = tcase_create("order");

	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, fixture_ops);
	tcase_add_test(tc, kernels_have_an_order);
	tcase_add_test(tc, shared_ops);
	suite_add_tcase(s, tc);
	return s;
}
