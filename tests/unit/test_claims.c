/* The judge of claims, against verdicts that are known. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "claim_case.h"
#include "loaded.h"
#include "suite.h"

/* All public cases, when they are there. */
START_TEST(public_cases)
{
	const char *path = tn_test_shared("cases/cases.jsonl");
	int items = 0, wrong = 0, cases = 0;
	char *line = NULL;
	size_t capacity = 1 << 20;
	FILE *f;

	if (!path)
		return;
	f = fopen(path, "r");
	line = malloc(capacity);
	ck_assert(f != NULL && line != NULL);
	while (fgets(line, (int)capacity, f)) {
		json_t *root = json_loads(line, 0, NULL);
		json_t *answer = json_object_get(root, "right_answer");

		ck_assert_msg(answer != NULL, "line %d is no case", cases + 1);
		items += claim_case(json_string_value(json_object_get(root, "id")),
			json_object_get(root, "graph"), json_object_get(answer, "items"),
			&wrong);
		cases++;
		json_decref(root);
	}
	fclose(f);
	free(line);
	printf("# %d cases, %d items, %d wrong\n", cases, items, wrong);
	ck_assert_int_ge(cases, 76);
	ck_assert_int_eq(wrong, 0);
}
END_TEST

static struct {
	int files, items, wrong;
	bool fired[PERIL_COUNT],
		missed[PERIL_COUNT]; /* names that fire, beside a near miss */
} own;

static void note_names(json_t *items)
{
	bool near = false;

	for (size_t i = 0; i < json_array_size(items); i++) {
		const char *v = json_string_value(
			json_object_get(json_array_get(items, i), "verdict"));

		near = near || strcmp(v, "PROVE") == 0;
	}
	for (size_t i = 0; i < json_array_size(items); i++) {
		const char *name = json_string_value(
			json_object_get(json_array_get(items, i), "hazard"));

		for (int p = 1; name && p < PERIL_COUNT; p++)
			if (strcmp(name, tn_peril_name((enum tn_peril)p)) == 0) {
				own.fired[p] = true;
				own.missed[p] = own.missed[p] || near;
			}
	}
}

static void own_file(const char *path)
{
	json_error_t error;
	json_t *cases = json_load_file(path, 0, &error);

	ck_assert_msg(cases != NULL, "%s:%d: %s", path, error.line, error.text);
	for (size_t i = 0; i < json_array_size(cases); i++) {
		json_t *one = json_array_get(cases, i);
		json_t *items = json_object_get(one, "items");

		own.items += claim_case(json_string_value(json_object_get(one, "id")),
			json_object_get(one, "graph"), items, &own.wrong);
		note_names(items);
	}
	own.files++;
	json_decref(cases);
}

/* Our own cases: every hazard fires, and somewhere beside it something is proved. */
START_TEST(own_cases)
{
	each_file(tn_test_path("fixtures/claims"), ".json", own_file);
	printf("# %d items, %d wrong\n", own.items, own.wrong);
	ck_assert_int_eq(own.wrong, 0);
	for (int p = 1; p < PERIL_COUNT; p++) {
		ck_assert_msg(
			own.fired[p], "no case has %s", tn_peril_name((enum tn_peril)p));
		ck_assert_msg(own.missed[p], "%s has no near miss",
			tn_peril_name((enum tn_peril)p));
	}
}
END_TEST

static const char odd_graph[] =
	"{\"format\": \"tenure.graph/1\", \"tensors\": ["
	"{\"name\": \"x\", \"dtype\": \"f32\", \"shape\": [4], \"role\": \"input\"},"
	"{\"name\": \"t\", \"dtype\": \"f32\", \"shape\": [4]},"
	"{\"name\": \"y\", \"dtype\": \"f32\", \"shape\": [4], \"role\": \"output\"}],"
	"\"ops\": [{\"name\": \"a\", \"type\": \"RELU\", \"inputs\": [\"x\"], "
	"\"outputs\": [\"t\"]}, {\"name\": \"b\", \"type\": \"RELU\", "
	"\"inputs\": [\"t\"], \"outputs\": [\"y\"], "
	"\"attrs\": {\"extra_tail_bytes\": 8}}],"
	"\"claims\": [{\"id\": \"c\", \"kind\": \"inplace\", \"op\": \"b\", "
	"\"in\": \"t\", \"out\": \"y\"}]}";

enum odd {
	ODD_NOT,
	ODD_INDEX,
	ODD_ORDER,
	ODD_VIEW,
	ODD_SIZE,
	ODD_STRIDE, /* its elements lie behind each other further than can be counted */
	ODD_REACH, /* likewise, by the bits that make a whole byte */
	ODD_COUNT
};

/* Graphs that no reader lets through, and claims that there are not. */
START_TEST(what_cannot_be_judged)
{
	static const char *const rules[ODD_COUNT] = { [ODD_INDEX] = "claims/index",
		[ODD_ORDER] = "claims/schedule",
		[ODD_VIEW] = "claims/view",
		[ODD_STRIDE] = "claims/view",
		[ODD_REACH] = "claims/view",
		[ODD_SIZE] = "claims/size" };
	const uint32_t claim = _i == ODD_INDEX ? 1 : 0;
	struct tn_claim_verdict verdict;
	enum tn_status status;
	struct loaded l;

	loaded_bytes(&l, "odd.json", odd_graph, sizeof(odd_graph) - 1, NULL);
	loaded_ok(&l, "odd.json");
	if (_i == ODD_ORDER)
		l.graph.schedule[1] = l.graph.schedule[0];
	if (_i == ODD_VIEW) {

		l.graph.tensors[1].view_of.i = 1;
	}
	if (_i == ODD_SIZE)
		l.graph.tensors[2].shape.dim[0] = l.graph.tensors[2].elements =
			(INT64_C(1) << 58) - 1; /* so many bits and the tail */
	if (_i == ODD_STRIDE || _i == ODD_REACH) {
		struct tn_tensor *t = &l.graph.tensors[1];

		t->has_strides = true;
		t->shape.rank = 1;
		t->shape.dim[0] = t->elements = 2;
		t->stride[0] = _i == ODD_STRIDE ? INT64_MIN / 32 : -INT64_MAX / 32;
	}
	status = tn_claims_judge(&l.graph, &claim, 1, NULL, &l.run, &l.diags, &verdict);
	ck_assert_int_eq(status, rules[_i] ? TN_ERR_INPUT : TN_OK);
	ck_assert_uint_eq(l.diags.list.count, rules[_i] ? 1 : 0);
	if (rules[_i])
		ck_assert_str_eq(l.diags.list.items[0].rule, rules[_i]);
	loaded_release(&l);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("claims");
	TCase *tc = tcase_create("verdicts");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, public_cases);
	tcase_add_test(tc, own_cases);
	tcase_add_loop_test(tc, what_cannot_be_judged, 0, ODD_COUNT);
	suite_add_tcase(s, tc);
	return s;
}
