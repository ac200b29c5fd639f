/* Resource variables of TFLite files: tensors that keep their bytes, or left as they are. */
#include "suite.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "exec/exec.h"
#include "loaded.h"
#include "planned.h"

#define FIXTURE "fixtures/control/resource_variable.json"

static const float x[4] = { 10.0f, 20.0f, -1.0f, 0.5f };

/* The variable starts at 1, 2, 3, 4, and x is added in each run. */
static void check_runs(struct loaded *l, const struct tn_plan *plan, bool starts_at_zero)
{
	struct tn_exec *e;

	ck_assert_msg(tn_exec_new(&l->graph, plan, &l->arena, &l->diags, &e) == TN_OK,
		"%s", loaded_report(l));
	tn_exec_poison(e, 0xA5);
	for (int run = 1; run < 4; run++) {
		size_t size;
		const uint8_t *bytes;

		ck_assert_int_eq(tn_exec_input(e, 0, x, sizeof(x)), TN_OK);
		ck_assert_int_eq(tn_exec_run(e, NULL, NULL), TN_OK);
		bytes = tn_exec_bytes(e, l->graph.outputs[0], &size);
		ck_assert_uint_eq(size, sizeof(x));
		for (int i = 0; i < 4; i++) {
			float start = starts_at_zero ? 0.0f : (float)(i + 1), f;

			memcpy(&f, bytes + 4 * i, 4);
			ck_assert_msg(f == start + (float)run * x[i],
				"run %d, element %d: %g", run, i, (double)f);
		}
	}
}

START_TEST(variables_are_tensors)
{
	static const enum tn_overlap_mode modes[] = { OVERLAP_NONE, OVERLAP_INPLACE,
		OVERLAP_FULL };
	const struct tn_tensor *t;
	struct tn_plan plan;
	struct loaded l;

	loaded_file(&l, tn_test_path(FIXTURE), NULL);
	loaded_ok(&l, FIXTURE);
	ck_assert_uint_eq(l.graph.n_ops, 3);
	ck_assert_uint_eq(l.graph.n_tensors, 6);
	t = &l.graph.tensors[5];
	ck_assert_str_eq(t->name, "total");
	ck_assert_int_eq(t->role, ROLE_VARIABLE);
	ck_assert(t->mutated);
	ck_assert_uint_eq(l.graph.ops[0].inputs[0].i, 5);
	ck_assert_uint_eq(l.graph.ops[2].outputs[0].i, 5);
	ck_assert_str_eq(l.graph.ops[2].pointer, "/subgraphs/0/operators/5");
	check_runs(&l, NULL, false);
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		planned(&l.graph, modes[i], 16, &l.arena, &l.diags, &plan);
		check_runs(&l, &plan, false);
	}
	loaded_release(&l);
}
END_TEST

/* One value of the fixture is changed: what becomes of it? */
enum outcome { UNCHANGED, TENSORS, AT_ZERO };

static const struct {
	const char *name;
	const char *path; /* keys and indices with / between them */
	const char *value; /* JSON; NULL: it is taken out */
	enum outcome outcome;
} changes[] = {
	{ "nothing", "version", "3", TENSORS },
	{ "another container", "subgraphs/0/operators/4/builtin_options/container",
		"\"box\"", TENSORS },
	{ "nobody calls what assigns", "subgraphs/0/operators/0", NULL, UNCHANGED },
	{ "the call assigns another variable",
		"subgraphs/1/operators/0/builtin_options/shared_name", "\"other\"",
		AT_ZERO },
	{ "the first value is computed", "subgraphs/1/tensors/1/buffer", "0", UNCHANGED },
	{ "the first value has another type", "subgraphs/1/tensors/1/type", "\"INT32\"",
		UNCHANGED },
	{ "the first value has another size", "subgraphs/1/tensors/1/shape", "[1, 2]",
		UNCHANGED },
	{ "the call does something else", "subgraphs/1/operators/1/opcode_index", "3",
		UNCHANGED },
	{ "the call leads nowhere",
		"subgraphs/0/operators/0/builtin_options/init_subgraph_index", "7",
		UNCHANGED },
	{ "a handle is an output", "subgraphs/0/outputs", "[3, 1]", UNCHANGED },
	{ "a handle is an operand", "subgraphs/0/operators/3/inputs", "[0, 1]",
		UNCHANGED },
	{ "what is assigned has another type", "subgraphs/0/tensors/2/type", "\"INT32\"",
		UNCHANGED },
	{ "nothing is assigned", "subgraphs/0/operators/5/inputs", "[4]", UNCHANGED },
	{ "what is read has no handle", "subgraphs/0/operators/2/inputs", "[-1]",
		UNCHANGED },
};

static void change(json_t *root, const char *path, const char *value)
{
	char key[64];
	json_t *at = root;

	for (;;) {
		size_t n = strcspn(path, "/");
		bool last = !path[n];

		ck_assert_uint_lt(n, sizeof(key));
		memcpy(key, path, n);
		key[n] = 0;
		path += n + 1;
		if (!last) {
			at = json_is_array(at)
				     ? json_array_get(at, (size_t)strtoul(key, NULL, 10))
				     : json_object_get(at, key);
			ck_assert_msg(at, "no '%s'", key);
			continue;
		}
		if (!value)
			ck_assert_int_eq(
				json_array_remove(at, (size_t)strtoul(key, NULL, 10)), 0);
		else
			ck_assert_int_eq(
				json_object_set_new(at, key,
					json_loads(value, JSON_DECODE_ANY, NULL)),
				0);
		return;
	}
}

START_TEST(all_or_nothing)
{
	json_t *root = json_load_file(tn_test_path(FIXTURE), 0, NULL);
	bool has_handle = false;
	struct loaded l;
	char *text;

	ck_assert(root);
	change(root, changes[_i].path, changes[_i].value);
	text = json_dumps(root, 0);
	loaded_bytes(&l, "changed.json", text, strlen(text), NULL);
	for (uint32_t i = 0; i < l.graph.n_ops; i++)
		has_handle = has_handle || l.graph.ops[i].kind == OP_VAR_HANDLE;
	ck_assert_msg(has_handle == (changes[_i].outcome == UNCHANGED), "%s: %s",
		changes[_i].name, loaded_report(&l));
	if (!has_handle) {
		loaded_ok(&l, changes[_i].name);
		check_runs(&l, NULL, changes[_i].outcome == AT_ZERO);
	}
	loaded_release(&l);
	free(text);
	json_decref(root);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("state");
	TCase *tc = tcase_create("state");

	tcase_add_test(tc, variables_are_tensors);
	tcase_add_loop_test(tc, all_or_nothing, 0, sizeof(changes) / sizeof(*changes));
	suite_add_tcase(s, tc);
	return s;
}
