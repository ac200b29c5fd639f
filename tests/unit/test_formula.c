/* A closed formula that is published for the overlap of a convolution's input and output
 * (diagonal memory optimisation) is unsound for 1x1 kernels with a stride above 1. For
 * element-wise writes it asks for 8 bytes where the shortcut of ResNet8 from 16 to 32
 * channels needs 31. */
#include "suite.h"

#include <stdio.h>
#include <string.h>

#include "contract/contract.h"
#include "exec/exec.h"
#include "loaded.h"
#include "verify/verify.h"

#define BYTES_IN  (32 * 32 * 16)
#define BYTES_OUT (16 * 16 * 32)

static void place(struct loaded *file, int64_t distance, struct tn_plan *plan)
{
	const struct tn_graph *g = &file->graph;

	ck_assert_int_eq(
		tn_plan_init(plan, &file->arena, g->n_tensors, g->n_ops, 1), TN_OK);
	plan->regions[0].align = 1;
	plan->tensors[0] = (struct tn_plan_tensor){
		.region = 0, .offset = distance, .bytes = BYTES_IN
	};
	plan->tensors[2] = (struct tn_plan_tensor){ .region = 0, .bytes = BYTES_OUT };
	plan->regions[0].used = plan->arena_bytes = distance + BYTES_IN;
}

static void run(struct loaded *file, const struct tn_plan *plan, uint8_t *result)
{
	struct tn_exec *e;
	const uint8_t *bytes;
	size_t size;

	ck_assert_int_eq(
		tn_exec_new(&file->graph, plan, &file->arena, &file->diags, &e), TN_OK);
	tn_exec_seed(e, 1);
	ck_assert_int_eq(tn_exec_run(e, NULL, NULL), TN_OK);
	bytes = tn_exec_bytes(e, file->graph.outputs[0], &size);
	ck_assert_uint_eq(size, BYTES_OUT);
	memcpy(result, bytes, size);
}

static const struct {
	int64_t distance; /* of the input from the output */
	bool right;
} cases[] = { { 0, false }, { 8, false }, { 16, false }, { 30, false }, { 31, true },
	{ 32, true }, { BYTES_OUT, true } };

START_TEST(the_formula_is_refused)
{
	static uint8_t want[BYTES_OUT], got[BYTES_OUT];
	int64_t distance = cases[_i].distance, d;
	struct tn_verdict verdict;
	struct loaded file;
	struct tn_plan plan;
	enum tn_status status;

	loaded_file(
		&file, tn_test_path("fixtures/proofs/shortcut-1x1-stride-2.json"), NULL);
	ck_assert_int_eq(file.status, TN_OK);
	ck_assert_int_eq(tn_contract_displacement(&file.graph, (tn_op_id){ 0 },
				 (struct tn_variant){ false, HOLD_NONE }, 0, 0, &d),
		TN_OK);
	ck_assert_int_eq(d, 31);
	place(&file, distance, &plan);
	run(&file, NULL, want);
	run(&file, &plan, got);
	status = tn_verify(&file.graph, &plan, &file.arena, &file.diags, &verdict);
	ck_assert_msg((status == TN_OK) == cases[_i].right, "%d bytes: status %d",
		(int)distance, status);
	ck_assert_msg((memcmp(want, got, BYTES_OUT) == 0) == cases[_i].right,
		"%d bytes: the kernel disagrees with the verifier", (int)distance);
	if (!cases[_i].right)
		ck_assert_str_eq(verdict.rule, "plan/overlap");
	loaded_release(&file);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("formula");
	TCase *tc = tcase_create("formula");

	tcase_add_loop_test(
		tc, the_formula_is_refused, 0, sizeof(cases) / sizeof(*cases));
	suite_add_tcase(s, tc);
	return s;
}
