/* The executor: values, plans, poison, state; and the goldens, through plans. */
#define _POSIX_C_SOURCE 200809L
#include "suite.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fnv.h"
#include "exec/exec.h"
#include "loaded.h"
#include "net.h"
#include "planned.h"

/* ---- helpers ---- */

struct digests {
	uint64_t of[128]; /* in order of appearance */
	uint32_t tensor[128];
	size_t n;
};

static void keep_digest(void *user, const struct tn_exec_layer *layer)
{
	struct digests *d = user;

	ck_assert_uint_lt(d->n, 128);
	d->tensor[d->n] = layer->tensor.i;
	d->of[d->n++] = tn_fnv(TN_FNV_INIT, layer->bytes, layer->size);
}

static struct tn_exec *executor(struct net *n, const struct tn_plan *plan)
{
	struct tn_exec *e = NULL;

	ck_assert_msg(tn_exec_new(&n->graph, plan, &n->arena, &n->diags, &e) == TN_OK,
		"%s", net_report(n));
	return e;
}

static struct digests digests_of(
	struct net *n, const struct tn_plan *plan, int poison, int runs)
{
	struct tn_exec *e = executor(n, plan);
	struct digests d = { .n = 0 };

	tn_exec_poison(e, poison);
	tn_exec_seed(e, 1);
	for (int i = 0; i < runs; i++)
		ck_assert_msg(
			tn_exec_run(e, keep_digest, &d) == TN_OK, "%s", net_report(n));
	return d;
}

/* First index that differs, or -1. */
static int difference(const struct digests *a, const struct digests *b)
{
	ck_assert_uint_eq(a->n, b->n);
	for (size_t i = 0; i < a->n; i++)
		if (a->of[i] != b->of[i] || a->tensor[i] != b->tensor[i])
			return (int)i;
	return -1;
}

/* ---- values ---- */

START_TEST(floats_are_computed)
{
	struct net n;
	struct tn_exec *e;
	float a[10], b[10], got[10];
	const uint8_t *out;
	size_t size;

	net_arithmetic(&n);
	e = executor(&n, NULL);
	for (int i = 0; i < 10; i++) {
		a[i] = 0.37f * (float)i - 1.5f;
		b[i] = 1.0f / (float)(i + 1);
	}
	ck_assert_int_eq(tn_exec_input(e, 0, a, sizeof(a)), TN_OK);
	ck_assert_int_eq(tn_exec_input(e, 1, b, sizeof(b)), TN_OK);
	ck_assert_int_eq(tn_exec_run(e, NULL, NULL), TN_OK);
	out = tn_exec_bytes(e, n.graph.outputs[0], &size);
	ck_assert_uint_eq(size, sizeof(got));
	memcpy(got, out, sizeof(got));
	for (int i = 0; i < 10; i++) {
		volatile float sum = a[i] + b[i];

		ck_assert_msg(got[i] == sum * a[i], "element %d: %a instead of %a", i,
			(double)got[i], (double)(sum * a[i]));
	}
	net_release(&n);
}
END_TEST

START_TEST(views_are_resolved)
{
	struct net n;
	struct tn_exec *e;
	float in[10], w[20], got[5];
	const uint8_t *bytes;
	size_t size;

	net_views(&n);
	memcpy(w, n.graph.tensors[net_find_tensor(&n, "w")].data, sizeof(w));
	for (int i = 0; i < 10; i++)
		in[i] = 0.25f * (float)i;
	e = executor(&n, NULL);
	ck_assert_int_eq(tn_exec_input(e, 0, in, sizeof(in)), TN_OK);
	ck_assert_int_eq(tn_exec_run(e, NULL, NULL), TN_OK);
	memcpy(got, tn_exec_bytes(e, n.graph.outputs[1], &size), sizeof(got));
	for (int i = 0; i < 5; i++) {
		volatile float sum = in[5 + i] + w[15 + i];

		ck_assert_msg(got[i] == sum * sum, "element %d", i);
	}
	bytes = tn_exec_bytes(e, n.graph.outputs[0], &size);
	ck_assert_uint_eq(size, 40);
	ck_assert_int_eq(memcmp(bytes, w + 10, 40), 0);
	net_release(&n);
}
END_TEST

START_TEST(inputs_have_their_size)
{
	struct net n;
	struct tn_exec *e;
	float a[11] = { 0 };

	net_arithmetic(&n);
	e = executor(&n, NULL);
	ck_assert_int_eq(tn_exec_input(e, 0, a, 44), TN_ERR_INPUT);
	ck_assert_int_eq(tn_exec_input(e, 2, a, 40), TN_ERR_INPUT);
	ck_assert_str_eq(net_report(&n),
		"input 0 has 40 bytes, 44 are given [exec/input-size]\n"
		"input 2 has 0 bytes, 40 are given [exec/input-size]\n");
	net_release(&n);
}
END_TEST

START_TEST(layers_are_lines_of_json)
{
	struct net n;
	struct tn_strbuf text;
	struct tn_exec *e;
	const float zero[10] = { 0 };
	char *line;

	net_arithmetic(&n);
	n.graph.tensors[0].name = "a\"\\\n\xff\xc3\xa9";
	n.graph.ops[0].name = "*/ \x01";
	e = executor(&n, NULL);
	ck_assert_int_eq(tn_exec_input(e, 0, zero, sizeof(zero)), TN_OK);
	tn_strbuf_init(&text);
	ck_assert_int_eq(tn_exec_dump_layers(e, &text), TN_OK);
	ck_assert_ptr_eq(strstr(text.text, "{\"tensor\":0,\"name\":\"a\\\"\\\\\\u000a"
					   "\\ufffd\xc3\xa9\",\"op\":null,\"bytes\":40,"
					   "\"fnv1a64\":\"40d69e0cf0f65c45\"}\n"),
		text.text);
	line = strstr(text.text, "{\"tensor\":2,");
	ck_assert(line && strstr(line, "\"op\":\"*/ \\u0001\",\"bytes\":40,"));
	for (char *at = text.text; *at; at = strchr(at, '\n') + 1) {
		json_t *parsed = json_loadb(at, (size_t)(strchr(at, '\n') - at), 0, NULL);

		ck_assert_msg(parsed != NULL, "not JSON: %s", at);
		json_decref(parsed);
	}
	tn_strbuf_release(&text);
	net_release(&n);
}
END_TEST

/* ---- plans and poison ---- */

static void (*const nets[])(
	struct net *) = { net_residual, net_arithmetic, net_state, net_views };
static const char *const net_names[] = { "residual", "arithmetic", "state", "views" };
#define N_NETS (int)(sizeof(nets) / sizeof(*nets))

START_TEST(plan_changes_nothing)
{
	struct net n;
	struct digests want, got;

	nets[_i](&n);
	net_plan(&n);
	/* lies about lifetimes do not matter: poison does not read them */
	for (uint32_t i = 0; i < n.plan.n_tensors; i++)
		n.plan.tensors[i].first = n.plan.tensors[i].last = 0;
	want = digests_of(&n, NULL, TN_POISON_NONE, 3);
	got = digests_of(&n, NULL, 0xA5, 3);
	ck_assert_msg(
		difference(&want, &got) < 0, "%s: unshared, poisoned", net_names[_i]);
	got = digests_of(&n, &n.plan, TN_POISON_NONE, 3);
	ck_assert_msg(difference(&want, &got) < 0, "%s: plan", net_names[_i]);
	got = digests_of(&n, &n.plan, 0xA5, 3);
	ck_assert_msg(difference(&want, &got) < 0, "%s: plan, A5", net_names[_i]);
	got = digests_of(&n, &n.plan, 0x5A, 3);
	ck_assert_msg(difference(&want, &got) < 0, "%s: plan, 5A", net_names[_i]);
	net_release(&n);
}
END_TEST

/* Wrong plans: what each moves, and the op whose output must be the first wrong one. */
static const struct {
	const char *name, *tensor, *onto, *first_wrong;
} clobbers[] = {
	{ "the residual's first operand is overwritten", "b", "a", "b" },
	{ "the input is overwritten while it is read", "a", "in", "a" },
	{ "the dense layer overwrites its input", "f", "e", "f" },
};

START_TEST(wrong_plan_shows)
{
	struct net n;
	struct digests want, got;
	int at;

	net_residual(&n);
	net_plan(&n);
	want = digests_of(&n, NULL, TN_POISON_NONE, 1);
	n.plan.tensors[net_find_tensor(&n, clobbers[_i].tensor)].offset =
		n.plan.tensors[net_find_tensor(&n, clobbers[_i].onto)].offset;
	got = digests_of(&n, &n.plan, TN_POISON_NONE, 1);
	at = difference(&want, &got);
	ck_assert_msg(at >= 0, "%s: no difference", clobbers[_i].name);
	ck_assert_str_eq(n.graph.tensors[got.tensor[at]].name, clobbers[_i].first_wrong);
	net_release(&n);
}
END_TEST

START_TEST(poison_reaches_dead_bytes)
{
	struct net n;
	struct tn_exec *e;
	const uint8_t *input;
	size_t size;

	net_residual(&n);
	net_plan(&n);
	/* the input in bytes of its own, so that only poison can change them */
	n.plan.tensors[net_find_tensor(&n, "in")].offset = n.plan.regions[0].used;
	n.plan.regions[0].used += 126;
	e = executor(&n, &n.plan);
	tn_exec_poison(e, 0x77);
	tn_exec_seed(e, 1);
	ck_assert_int_eq(tn_exec_run(e, NULL, NULL), TN_OK);
	input = tn_exec_bytes(e, n.graph.inputs[0], &size);
	ck_assert_uint_eq(size, 126);
	for (size_t i = 0; i < size; i++)
		ck_assert_uint_eq(input[i], 0x77);
	/* preserved for the caller: not dead */
	n.graph.tensors[n.graph.inputs[0].i].clobber = false;
	e = executor(&n, &n.plan);
	tn_exec_poison(e, 0x77);
	tn_exec_seed(e, 1);
	ck_assert_int_eq(tn_exec_run(e, NULL, NULL), TN_OK);
	input = tn_exec_bytes(e, n.graph.inputs[0], &size);
	ck_assert_uint_eq(input[0], 0x38);
	net_release(&n);
}
END_TEST

START_TEST(elided_op_does_not_run)
{
	struct net n;
	struct digests want, got;
	uint32_t d, e;

	net_residual(&n);
	net_plan(&n);
	want = digests_of(&n, NULL, TN_POISON_NONE, 1);
	d = net_find_tensor(&n, "d");
	e = net_find_tensor(&n, "e");
	n.plan.tensors[e].offset = n.plan.tensors[d].offset;
	n.plan.ops[net_find_op(&n, "flatten")].elided = true;
	/* nobody else is placed where d is and e was not: first fit left d its own bytes */
	n.plan.tensors[net_find_tensor(&n, "f")].offset = n.plan.regions[0].used;
	n.plan.regions[0].used += 16;
	got = digests_of(&n, &n.plan, 0xA5, 1);
	ck_assert_int_eq(difference(&want, &got), -1);
	/* and it really does not: elsewhere, its output is what was there before */
	n.plan.tensors[e].offset = (n.plan.regions[0].used + 15) / 16 * 16;
	n.plan.regions[0].used = n.plan.tensors[e].offset + 72;
	got = digests_of(&n, &n.plan, 0xA5, 1);
	ck_assert_str_eq(n.graph.tensors[got.tensor[difference(&want, &got)]].name, "e");
	net_release(&n);
}
END_TEST

START_TEST(several_regions)
{
	struct net n;
	struct digests want, got;
	struct tn_plan_region regions[2];
	uint32_t c;

	net_residual(&n);
	net_plan(&n);
	want = digests_of(&n, NULL, TN_POISON_NONE, 1);
	c = net_find_tensor(&n, "c");
	regions[0] = n.plan.regions[0];
	regions[1] = (struct tn_plan_region){
		.name = "fast", .capacity = -1, .used = 336 + 8, .align = 8
	};
	n.plan.regions = regions;
	n.plan.n_regions = 2;
	n.plan.tensors[c].region = 1;
	n.plan.tensors[c].offset = 8;
	got = digests_of(&n, &n.plan, 0x5A, 1);
	ck_assert_int_eq(difference(&want, &got), -1);
	net_release(&n);
}
END_TEST

/* A value read through a view is needed as long as the view is. */
START_TEST(views_live_as_long_as_they_are_read)
{
	const int64_t ten[] = { 10 }, five[] = { 5 };
	struct net n;
	tn_tensor_id a, sum, half, out[2];
	struct digests want, got;

	net_start(&n);
	a = net_tensor(&n, "a", DTYPE_F32, ROLE_INPUT, ten, 1, 0, 0);
	sum = net_tensor(&n, "sum", DTYPE_F32, ROLE_ACT, ten, 1, 0, 0);
	half = net_tensor(&n, "half", DTYPE_F32, ROLE_ACT, five, 1, 0, 0);
	out[0] = net_tensor(&n, "out0", DTYPE_F32, ROLE_OUTPUT, ten, 1, 0, 0);
	out[1] = net_tensor(&n, "out1", DTYPE_F32, ROLE_OUTPUT, five, 1, 0, 0);
	n.build.tensors.items[half.i].view_of = sum;
	n.build.tensors.items[half.i].view_offset = 5;
	net_op(&n, OP_ADD, "sum", (tn_tensor_id[]){ a, a }, 2, sum);
	net_op(&n, OP_MUL, "last_of_sum", (tn_tensor_id[]){ sum, sum }, 2, out[0]);
	net_op(&n, OP_MUL, "through_the_view", (tn_tensor_id[]){ half, half }, 2, out[1]);
	net_finish(&n, "views");
	net_plan(&n);
	n.plan.tensors[half.i] = (struct tn_plan_tensor){ .region = TN_REGION_NONE };
	/* room for everything: only poison could destroy the half */
	for (uint32_t i = 0; i < n.plan.n_tensors; i++)
		n.plan.tensors[i].offset = 64 * (int64_t)i;
	n.plan.regions[0].used = 64 * (int64_t)n.plan.n_tensors;
	want = digests_of(&n, NULL, TN_POISON_NONE, 1);
	got = digests_of(&n, &n.plan, 0xA5, 1);
	ck_assert_int_eq(difference(&want, &got), -1);
	net_release(&n);
}
END_TEST

/* ---- state ---- */

START_TEST(variables_keep_their_bytes)
{
	struct net n;
	struct tn_exec *e;
	struct digests first = { .n = 0 }, again = { .n = 0 };
	const uint8_t *state;
	size_t size;

	net_state(&n);
	net_plan(&n);
	e = executor(&n, &n.plan);
	state = tn_exec_bytes(e, (tn_tensor_id){ net_find_tensor(&n, "state") }, &size);
	ck_assert_uint_eq(size, 12);
	for (size_t i = 0; i < size; i++)
		ck_assert_uint_eq(state[i], 9); /* int8: the zero point */
	tn_exec_poison(e, 0xA5);
	tn_exec_seed(e, 1);
	for (int run = 0; run < 2; run++)
		ck_assert_int_eq(tn_exec_run(e, keep_digest, &first), TN_OK);
	ck_assert_uint_eq(first.n, 6);
	ck_assert_uint_eq(first.of[0], first.of[3]); /* the input */
	ck_assert_uint_ne(first.of[1], first.of[4]); /* the state went on */
	tn_exec_reset(e);
	for (int run = 0; run < 2; run++)
		ck_assert_int_eq(tn_exec_run(e, keep_digest, &again), TN_OK);
	ck_assert_int_eq(difference(&first, &again), -1);
	net_release(&n);
}
END_TEST

/* ---- constants and variables ---- */

START_TEST(constants_that_are_missing)
{
	struct net n;
	struct tn_exec *e;
	size_t reports;

	net_residual(&n);
	n.graph.tensors[net_find_tensor(&n, "w0")].data_kind = DATA_MISSING;
	n.graph.tensors[net_find_tensor(&n, "w2")].data_kind = DATA_MISSING;
	ck_assert_int_eq(
		tn_exec_new(&n.graph, NULL, &n.arena, &n.diags, &e), TN_ERR_INPUT);
	/* both are told of, each with its op */
	for (reports = 0; reports < n.diags.list.count; reports++)
		ck_assert_str_eq(
			n.diags.list.items[reports].subject, reports ? "dense" : "conv");
	ck_assert_uint_eq(reports, 2);
	net_release(&n);
}
END_TEST

START_TEST(variables_with_a_first_value)
{
	static const uint8_t first[12] = { 1, 2, 3, 250 };
	struct tn_tensor *state;
	const uint8_t *bytes;
	struct tn_exec *e;
	size_t size;
	struct net n;

	net_state(&n);
	state = &n.graph.tensors[net_find_tensor(&n, "state")];
	state->data_kind = DATA_BYTES;
	state->data = first;
	state->data_bytes = sizeof(first);
	ck_assert(!tn_tensor_is_constant(state));
	net_plan(&n);
	e = executor(&n, &n.plan);
	bytes = tn_exec_bytes(e, (tn_tensor_id){ net_find_tensor(&n, "state") }, &size);
	ck_assert_uint_eq(size, sizeof(first));
	ck_assert_mem_eq(bytes, first, size);
	tn_exec_seed(e, 1);
	ck_assert_int_eq(tn_exec_run(e, NULL, NULL), TN_OK);
	ck_assert_mem_ne(bytes, first, size);
	tn_exec_reset(e);
	ck_assert_mem_eq(bytes, first, size);
	net_release(&n);
}
END_TEST

START_TEST(scales_that_are_damaged)
{
	struct net n;
	struct tn_exec *e;

	net_residual(&n);
	n.graph.tensors[net_find_tensor(&n, "b")].quant.damaged = true;
	ck_assert_int_eq(
		tn_exec_new(&n.graph, NULL, &n.arena, &n.diags, &e), TN_ERR_INPUT);
	ck_assert_uint_gt(n.diags.list.count, 0);
	net_release(&n);
}
END_TEST

/* ---- goldens ---- */

struct golden {
	json_t *json;
	const struct tn_graph *g;
	size_t compared;
	char wrong[200];
};

static void compare(void *user, const struct tn_exec_layer *layer)
{
	struct golden *golden = user;
	uint32_t index = golden->g->tensors[layer->tensor.i].file_index;
	json_t *layers = json_object_get(golden->json, "layers"), *l;
	char digest[17];
	size_t i;

	snprintf(digest, sizeof(digest), "%016llx",
		(unsigned long long)tn_fnv(TN_FNV_INIT, layer->bytes, layer->size));
	json_array_foreach(layers, i, l)
	{
		if (json_integer_value(json_object_get(l, "tensor")) != index)
			continue;
		golden->compared++;
		if (strcmp(digest, json_string_value(json_object_get(l, "fnv1a64"))) !=
				0 &&
			!golden->wrong[0])
			snprintf(golden->wrong, sizeof(golden->wrong),
				"tensor %u '%.80s': %s", index,
				golden->g->tensors[layer->tensor.i].name, digest);
	}
}

static const struct {
	const char *model;
	size_t layers;
} models[] = {
	{ "ad01_int8", 11 },
	{ "kws_ref_model", 14 },
	{ "pretrainedResnet_quant", 17 },
	{ "str_ww_ref_model", 12 },
	{ "vww_96_int8", 32 },
	{ "hello_world_int8", 4 },
	{ "hello_world_float", 4 },
};

START_TEST(models_give_the_goldens)
{
	struct golden golden = { .compared = 0 };
	char name[200];
	struct loaded l;
	struct tn_exec *e;
	const char *path;

	snprintf(name, sizeof(name), "golden/%s.seed1.json", models[_i].model);
	path = tn_test_shared(name);
	if (!path)
		return;
	golden.json = json_load_file(path, 0, NULL);
	ck_assert_msg(golden.json != NULL, "%s", path);
	snprintf(name, sizeof(name), "models/%s.tflite", models[_i].model);
	loaded_file(&l, tn_test_shared(name), NULL);
	loaded_ok(&l, name);
	golden.g = &l.graph;
	ck_assert_msg(tn_exec_new(&l.graph, NULL, &l.arena, &l.diags, &e) == TN_OK, "%s",
		loaded_report(&l));
	tn_exec_seed(e, 1);
	ck_assert_int_eq(tn_exec_run(e, compare, &golden), TN_OK);
	ck_assert_msg(!golden.wrong[0], "%s: %s", models[_i].model, golden.wrong);
	ck_assert_msg(golden.compared == models[_i].layers, "%s: %zu layers compared",
		models[_i].model, golden.compared);
	json_decref(golden.json);
	loaded_release(&l);
}
END_TEST

/* ---- graphs of ours, under plans of every kind ---- */

static struct digests run_file(struct loaded *l, const struct tn_plan *plan, int poison)
{
	struct digests d = { .n = 0 };
	struct tn_exec *e;

	ck_assert_msg(tn_exec_new(&l->graph, plan, &l->arena, &l->diags, &e) == TN_OK,
		"%s", loaded_report(l));
	tn_exec_poison(e, poison);
	tn_exec_seed(e, 2);
	for (int run = 0; run < 2; run++)
		ck_assert_int_eq(tn_exec_run(e, keep_digest, &d), TN_OK);
	return d;
}

static const struct {
	const char *name;
	enum tn_overlap_mode overlap;
	int64_t align;
} modes[] = {
	{ "none", OVERLAP_NONE, 16 },
	{ "inplace", OVERLAP_INPLACE, 16 },
	{ "full", OVERLAP_FULL, 16 },
	{ "full, other alignment", OVERLAP_FULL, 64 },
};

static void run_planned(const char *path)
{
	struct digests want, got;
	struct tn_plan plan;
	struct loaded l;

	/* of every type and role, and of flattened control flow: nothing to execute */
	if (strstr(path, "/features.json") || strstr(path, "/flow.json"))
		return;
	loaded_file(&l, path, NULL);
	loaded_ok(&l, path);
	want = run_file(&l, NULL, TN_POISON_NONE);
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		planned(&l.graph, modes[i].overlap, modes[i].align, &l.arena, &l.diags,
			&plan);
		got = run_file(&l, &plan, i % 2 ? 0x5A : 0xA5);
		ck_assert_msg(difference(&want, &got) < 0, "%s: overlap %s, tensor %u",
			path, modes[i].name, got.tensor[difference(&want, &got)]);
	}
	loaded_release(&l);
}

START_TEST(plans_of_our_graphs)
{
	/* a view counts its offset in elements of its own type, not its root's */
	run_planned(tn_test_path("fixtures/proofs/view-of-another-type.json"));
	ck_assert_int_gt(
		each_file(tn_test_path("fixtures/graphs"), ".json", run_planned), 30);
}
END_TEST

#define N(array) (int)(sizeof(array) / sizeof(*(array)))

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("exec");
	TCase *tc = tcase_create("exec");

	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, floats_are_computed);
	tcase_add_test(tc, views_are_resolved);
	tcase_add_test(tc, inputs_have_their_size);
	tcase_add_test(tc, layers_are_lines_of_json);
	tcase_add_loop_test(tc, plan_changes_nothing, 0, N_NETS);
	tcase_add_loop_test(tc, wrong_plan_shows, 0, N(clobbers));
	tcase_add_test(tc, poison_reaches_dead_bytes);
	tcase_add_test(tc, elided_op_does_not_run);
	tcase_add_test(tc, several_regions);
	tcase_add_test(tc, views_live_as_long_as_they_are_read);
	tcase_add_test(tc, variables_keep_their_bytes);
	tcase_add_test(tc, constants_that_are_missing);
	tcase_add_test(tc, variables_with_a_first_value);
	tcase_add_test(tc, scales_that_are_damaged);
	tcase_add_loop_test(tc, models_give_the_goldens, 0, N(models));
	tcase_add_test(tc, plans_of_our_graphs);
	suite_add_tcase(s, tc);
	return s;
}
