/* Rewrites that must not be: near misses, refusals and their witnesses, and values that
 * somebody wants to see. */
#include "suite.h"

#include <stdio.h>
#include <string.h>

#include "exec/exec.h"
#include "ir/digest.h"
#include "ir/validate.h"
#include "loaded.h"
#include "rewritten.h"

/* What a rewrite would make vanish stays when somebody wants to see it. */
enum wish { OBSERVED, AS_OUTPUT, THROUGH_ALIAS, WISHES };

static tn_tensor_id find_tensor(const struct tn_graph *g, const char *name)
{
	tn_tensor_id id = { 0 };

	while (id.i < g->n_tensors && strcmp(g->tensors[id.i].name, name) != 0)
		id.i++;
	return id;
}

static void add_output(struct loaded *l, tn_tensor_id id)
{
	struct tn_graph *g = &l->graph;
	tn_tensor_id *outputs =
		TN_NEW_ARRAY(&l->arena, tn_tensor_id, (size_t)g->n_outputs + 1);

	memcpy(outputs, g->outputs, g->n_outputs * sizeof(*outputs));
	outputs[g->n_outputs++] = id;
	g->outputs = outputs;
	g->tensors[id.i].role = ROLE_OUTPUT;
}

/* A copy of the tensor, made at the end through a view of it, is an output. */
static void read_view(struct loaded *l, tn_tensor_id id)
{
	struct tn_graph *g = &l->graph;
	struct tn_tensor *tensors =
		TN_NEW_ARRAY(&l->arena, struct tn_tensor, (size_t)g->n_tensors + 2);
	struct tn_op *ops = TN_NEW_ARRAY(&l->arena, struct tn_op, (size_t)g->n_ops + 1);
	tn_op_id *schedule = TN_NEW_ARRAY(&l->arena, tn_op_id, (size_t)g->n_ops + 1);
	tn_tensor_id *ids = TN_NEW_ARRAY(&l->arena, tn_tensor_id, 2);
	const uint32_t view = g->n_tensors, copy = view + 1;

	memcpy(tensors, g->tensors, g->n_tensors * sizeof(*tensors));
	memcpy(ops, g->ops, g->n_ops * sizeof(*ops));
	memcpy(schedule, g->schedule, g->n_ops * sizeof(*schedule));
	tensors[view] = tensors[copy] = tensors[id.i];
	tensors[view].name = "view of it";
	tensors[view].role = ROLE_ACT;
	tensors[view].view_of = id;
	tensors[copy].name = "copy of it";
	ids[0].i = view;
	ids[1].i = copy;
	ops[g->n_ops] = (struct tn_op){ .kind = OP_RESHAPE,
		.type = tn_str_intern(&l->strings, "RESHAPE", strlen("RESHAPE")),
		.name = "reader of it",
		.inputs = &ids[0],
		.n_inputs = 1,
		.outputs = &ids[1],
		.n_outputs = 1 };
	schedule[g->n_ops].i = g->n_ops;
	g->tensors = tensors;
	g->n_tensors += 2;
	g->ops = ops;
	g->schedule = schedule;
	g->n_ops++;
	add_output(l, ids[1]);
	ck_assert_msg(tn_validate(g, &l->diags) == TN_OK, "%s", loaded_report(l));
}

static bool keep(struct loaded *l, const char *name, enum wish wish)
{
	const tn_tensor_id id = find_tensor(&l->graph, name);

	if (id.i == l->graph.n_tensors)
		return false; /* a rewrite made it */
	if (wish == OBSERVED)
		l->graph.tensors[id.i].observed = true;
	else if (wish == AS_OUTPUT)
		add_output(l, id);
	else if (l->graph.tensors[id.i].view_of.i == TN_NONE)
		read_view(l, id);
	return true;
}

static void see(const char *path)
{
	struct rewritten r, kept;
	struct loaded l, m;

	loaded_file(&l, path, NULL);
	loaded_ok(&l, path);
	r = rewritten_of(&l.graph, tn_passes_exact(), &l.arena, &l.strings);
	for (size_t i = 0; i < WISHES * r.log.list.count; i++) {
		const struct tn_rewrite *entry = &r.log.list.items[i / WISHES];

		if (!entry->done || !entry->tensor || !entry->gone)
			continue;
		loaded_file(&m, path, NULL);
		loaded_ok(&m, path);
		if (keep(&m, entry->tensor, (enum wish)(i % WISHES))) {
			kept = rewritten_of(
				&m.graph, tn_passes_exact(), &m.arena, &m.strings);
			same_results(path, 1, &m.graph, &kept.graph);
			same_values(path, &m.graph, &kept.graph, entry->tensor);
		}
		loaded_release(&m);
	}
	loaded_release(&l);
}

static bool is_runnable(struct loaded *l)
{
	struct tn_exec *x;

	return tn_exec_new(&l->graph, NULL, &l->arena, &l->diags, &x) == TN_OK;
}

static void see_when_runnable(const char *path)
{
	struct loaded l;
	bool runs;

	loaded_file(&l, path, NULL);
	loaded_ok(&l, path);
	runs = is_runnable(&l);
	loaded_release(&l);
	if (runs)
		see(path);
}

START_TEST(what_somebody_sees_stays)
{
	ck_assert_int_gt(
		each_file(tn_test_path("fixtures/rewrites"), ".json", see_when_runnable),
		60);
}
END_TEST

static const char *const left[] = { "pad_max_pool_f32", "pad_max_pool_left_i8",
	"pad_max_pool_left_f32", "pad_average_left_i8", "pad_average_left_f32",
	"pad_two_readers_left_i8", "pad_two_readers_left_f32",
	"clamp_two_readers_left_i8", "clamp_two_readers_left_f32", "clamp_output_left_i8",
	"clamp_output_left_f32", "clamp_scale_left_i8", "leaky_left_i8", "leaky_left_f32",
	"minus_left_i8", "minus_left_f32", "large_constant_left_f32", "common_left_i8",
	"common_left_f32", "transpose_left_i8", "transpose_left_f32",
	"dead_channels_left_i8", "commuted_ab_i8", "matmul_left_f32",
	"matmul_two_readers_left_f32", "bias_left_f32", "bias_twice_left_f32",
	"maximum_left_f32", "chain_left_f32", "chain_two_readers_left_i8",
	"qdq_add_seen_left_i8", "qdq_mul_left_i8", "transposed_sum_left_i8",
	"mean_left_i8", "mean_left_f32", "transposed_channels_left_f32",
	"pool_one_stride_left_i8", "average_one_stride_left_i8", "pool_padding_left_i8",
	"transpose_rank_left_f32", "transpose_axis_left_f32", "concat_clamp_left_i8" };

/* Near misses: nothing is done, and the graph is the file's, byte for byte. */
START_TEST(near_misses_stay)
{
	struct rewritten r;
	struct loaded l;
	char path[128];

	snprintf(path, sizeof(path), "fixtures/rewrites/%s.json", left[_i]);
	loaded_file(&l, tn_test_path(path), NULL);
	loaded_ok(&l, left[_i]);
	r = rewritten_of(&l.graph, tn_passes_exact(), &l.arena, &l.strings);
	ck_assert_msg(rewritten_count(&r.log, -1, true) == 0, "%s: %s was done", left[_i],
		tn_pass_name(r.log.list.items[0].pass));
	ck_assert_uint_eq(tn_digest_graph(&l.graph), tn_digest_graph(&r.graph));
	same_text(left[_i], &l.graph, &r.graph);
	loaded_release(&l);
}
END_TEST

/* A refusal names why, and who stands in the way. */
static const struct {
	const char *file;
	int pass;
	const char *op, *witness;
} refusals[] = {
	{ "pad_two_readers_left_i8", PASS_PAD, "pad_1", "max_pool_2d_3" },
	{ "pad_average_left_i8", PASS_PAD, "pad_1", "average_pool_2d_2" },
	{ "clamp_two_readers_left_i8", PASS_ACTIVATION, "relu_1", "max_pool_2d_2" },
	{ "clamp_scale_left_i8", PASS_ACTIVATION, "relu_1", "conv_2d_0" },
	{ "transposed_sum_left_i8", PASS_TRANSPOSE, "transpose_1", NULL },
	{ "transposed_rows_left_f32", PASS_TRANSPOSE, "transpose_1", NULL },
	{ "qdq_mul_left_i8", PASS_QUANTIZE, "quantize_3", "mul_2" },
	{ "matmul_two_readers_left_f32", PASS_SYNONYM, "add_1", "abs_2" },
	{ "bias_left_f32", PASS_BIAS, "add_1", "abs_2" },
	{ "conv_bn_relu_left_f32", PASS_SCALE, "batch_norm_1", "abs_3" },
	{ "bias_twice_left_f32", PASS_BIAS, "add_1", "conv_2d_0" },
	{ "large_constant_left_f32", PASS_CONSTANT, "broadcast_to_0", NULL },
	{ "scale_ahead_left_f32", PASS_SCALE, "batch_norm_2", "conv_2d_3" },
	{ "mean_left_i8", PASS_SYNONYM, "mean_1", "relu_2" },
	{ "mean_left_f32", PASS_SYNONYM, "mean_1", "relu_2" },
	{ "pool_padding_left_i8", PASS_QUANTIZE, "d", "p" },
};

START_TEST(refusals_have_witnesses)
{
	struct rewritten r;
	struct loaded l;
	char path[128];
	size_t i = 0;

	snprintf(path, sizeof(path), "fixtures/rewrites/%s.json", refusals[_i].file);
	loaded_file(&l, tn_test_path(path), NULL);
	loaded_ok(&l, refusals[_i].file);
	r = rewritten_of(&l.graph, tn_passes_exact() | 1u << refusals[_i].pass, &l.arena,
		&l.strings);
	while (i < r.log.list.count && (int)r.log.list.items[i].pass != refusals[_i].pass)
		i++;
	ck_assert_msg(i < r.log.list.count, "%s: nothing refused", refusals[_i].file);
	ck_assert(!r.log.list.items[i].done && r.log.list.items[i].why);
	ck_assert_str_eq(r.log.list.items[i].op, refusals[_i].op);
	if (refusals[_i].witness)
		ck_assert_str_eq(r.log.list.items[i].witness, refusals[_i].witness);
	else
		ck_assert_ptr_null(r.log.list.items[i].witness);
	loaded_release(&l);
}
END_TEST

/* Of these constants only what the limit allows is made, however often they are read. */
START_TEST(constants_do_not_double)
{
	struct rewritten r;
	struct loaded l;

	loaded_file(
		&l, tn_test_path("fixtures/rewrites/doubled_constants_f32.json"), NULL);
	loaded_ok(&l, "doubled");
	r = rewritten_of(&l.graph, tn_passes_exact(), &l.arena, &l.strings);
	ck_assert_int_eq(rewritten_count(&r.log, PASS_CONSTANT, true), 3);
	ck_assert_int_eq(rewritten_count(&r.log, PASS_CONSTANT, false), 3);
	ck_assert_int_le(
		r.log.constant_bytes_after, r.log.constant_bytes_before + 3 * 64 * 1024);
	loaded_release(&l);
}
END_TEST

/* An attribute that nobody has checked: as large as before, and shifted. */
static const char *const shifts[] = { "PAD", "MIRROR_PAD" };

START_TEST(shifting_pads_stay)
{
	static const char net[] =
		"{\"format\": \"tenure.graph/1\", \"tensors\": ["
		"{\"name\": \"x\", \"dtype\": \"f32\", \"shape\": [1, 4], "
		"\"role\": \"input\"},"
		"{\"name\": \"a\", \"dtype\": \"f32\", \"shape\": [1, 4]},"
		"{\"name\": \"y\", \"dtype\": \"f32\", \"shape\": [1, 4], "
		"\"role\": \"output\"}], \"ops\": ["
		"{\"name\": \"p\", \"type\": \"%s\", \"inputs\": [\"x\"], "
		"\"outputs\": [\"a\"], \"attrs\": {\"paddings\": [0, 0, %d, %d]}},"
		"{\"name\": \"n\", \"type\": \"NEG\", \"inputs\": [\"a\"], "
		"\"outputs\": [\"y\"]}]}";

	for (int by = -1; by <= 1; by++) {
		struct rewritten r;
		struct loaded l;
		char text[1024];

		snprintf(text, sizeof(text), net, shifts[_i], by, -by);
		loaded_bytes(&l, "pad.json", text, strlen(text), NULL);
		loaded_ok(&l, shifts[_i]);
		r = rewritten_of(&l.graph, tn_passes_exact(), &l.arena, &l.strings);
		ck_assert_msg(r.graph.n_ops == (by ? 2 : 1), "%s by %d: %u ops",
			shifts[_i], by, r.graph.n_ops);
		loaded_release(&l);
	}
}
END_TEST

/* A mean of so many pixels, and a clamp that a pool could do. */
static const char mean_net[] =
	"{\"format\": \"tenure.graph/1\", \"name\": \"mean\", \"tensors\": ["
	"{\"name\": \"x\", \"dtype\": \"i8\", \"shape\": [1, 1, %d, 64], "
	"\"role\": \"input\", \"quantization\": "
	"{\"scale\": [0.05], \"zero_point\": [%d]}},"
	"{\"name\": \"m\", \"dtype\": \"i8\", \"shape\": [1, 1, 1, 64], "
	"\"quantization\": {\"scale\": [0.05], \"zero_point\": [%d]}},"
	"{\"name\": \"y\", \"dtype\": \"i8\", \"shape\": [1, 1, 1, 64], "
	"\"role\": \"output\", \"quantization\": "
	"{\"scale\": [0.05], \"zero_point\": [%d]}}], \"ops\": ["
	"{\"name\": \"mean\", \"type\": \"MEAN\", \"inputs\": [\"x\"], "
	"\"outputs\": [\"m\"], \"attrs\": {\"axes\": [1, 2], \"keep_dims\": true}},"
	"{\"name\": \"relu\", \"type\": \"RELU\", \"inputs\": [\"m\"], "
	"\"outputs\": [\"y\"], \"attrs\": {}}]}";

/* By the number of pixels: 1 is nothing to do, 3 is a pool, all others are refused. */
START_TEST(means_and_pools)
{
	static const int zeros[] = { -128, 0, 5 };
	const int pixels = _i + 1;

	for (size_t k = 0; k < sizeof(zeros) / sizeof(*zeros); k++) {
		const bool same = pixels == 1 || pixels == 3;
		struct rewritten r;
		struct loaded l;
		char text[2048];

		snprintf(text, sizeof(text), mean_net, pixels, zeros[k], zeros[k],
			zeros[k]);
		loaded_bytes(&l, "mean.json", text, strlen(text), NULL);
		loaded_ok(&l, "mean");
		r = rewritten_of(&l.graph, tn_passes_exact(), &l.arena, &l.strings);
		ck_assert_msg(r.graph.n_ops == (same ? 1 : 2), "%d pixels: %u ops",
			pixels, r.graph.n_ops);
		ck_assert_int_eq(rewritten_count(&r.log, PASS_SYNONYM, false), !same);
		for (uint32_t seed = 1; seed <= 16; seed++)
			same_results("mean", seed, &l.graph, &r.graph);
		loaded_release(&l);
	}
}
END_TEST

/* What attributes say of an op's kernel. Text is a name, else the value is an integer. */
static const struct {
	const char *name, *text;
	int64_t value;
} facts[] = {
	{ "passes", NULL, 2 },
	{ "prezero", NULL, 1 },
	{ "accumulate", NULL, 1 },
	{ "reads_target", NULL, 1 },
	{ "destroys", NULL, 1 },
	{ "extra_tail_bytes", NULL, 8 },
	{ "order", "desc", 0 },
	{ "order", "any", 0 },
	{ "scratch", "s", 0 },
	{ "scratch_required", NULL, 16 },
};

static void say(struct loaded *l, struct tn_op *op, size_t fact)
{
	struct tn_attr *attrs =
		TN_NEW_ARRAY(&l->arena, struct tn_attr, (size_t)op->n_attrs + 1);
	struct tn_attr a = { .n = 1 };

	a.name = tn_str_intern(&l->strings, facts[fact].name, strlen(facts[fact].name));
	a.kind = facts[fact].text ? ATTR_STRING : ATTR_INT;
	if (facts[fact].text)
		a.v.s = facts[fact].text;
	else
		a.v.i = facts[fact].value;
	if (op->n_attrs)
		memcpy(attrs, op->attrs, op->n_attrs * sizeof(*attrs));
	attrs[op->n_attrs++] = a;
	op->attrs = attrs;
}

/* Is the op there as it was, between the ops that were before and behind it? */
static bool is_there(const struct tn_graph *g, const struct tn_op *op)
{
	for (uint32_t i = 0; i < g->n_ops; i++) {
		const struct tn_op *o = &g->ops[i];

		if (o->name == op->name)
			return o->kind == op->kind && o->attrs == op->attrs &&
			       o->n_inputs == op->n_inputs &&
			       o->n_outputs == op->n_outputs &&
			       !memcmp(o->inputs, op->inputs,
				       op->n_inputs * sizeof(*op->inputs)) &&
			       !memcmp(o->outputs, op->outputs,
				       op->n_outputs * sizeof(*op->outputs));
	}
	return false;
}

static int held_ops;

/* With the fact said of one op (of all: TN_NONE) that op stays. */
static uint32_t hold_op(const char *path, size_t fact, uint32_t op)
{
	struct rewritten r;
	struct loaded l;
	uint32_t n;

	loaded_file(&l, path, NULL);
	loaded_ok(&l, path);
	n = l.graph.n_ops;
	for (uint32_t i = 0; i < n; i++)
		if (i == op || op == TN_NONE)
			say(&l, &l.graph.ops[i], fact);
	r = rewritten_of(&l.graph, tn_passes_every(), &l.arena, &l.strings);
	for (uint32_t i = 0; i < n; i++)
		ck_assert_msg(
			(i != op && op != TN_NONE) || is_there(&r.graph, &l.graph.ops[i]),
			"%s: %s of '%s'", path, facts[fact].name, l.graph.ops[i].name);
	ck_assert_msg(op != TN_NONE || rewritten_count(&r.log, -1, true) == 0,
		"%s: %s of all ops", path, facts[fact].name);
	loaded_release(&l);
	held_ops++;
	return n;
}

/* Each op in turn, and all of them with each fact. */
static void hold_ops(const char *path)
{
	const size_t n_facts = sizeof(facts) / sizeof(*facts);
	uint32_t n = 0;

	for (size_t fact = 0; fact < n_facts; fact++)
		n = hold_op(path, fact, TN_NONE);
	for (uint32_t op = 0; op < n; op++)
		hold_op(path, (size_t)(op + (uint32_t)held_ops) % n_facts, op);
}

START_TEST(kernels_of_their_own_stay)
{
	held_ops = 0;
	each_file(tn_test_path("fixtures/rewrites"), ".json", hold_ops);
	ck_assert_int_gt(held_ops, 800);
}
END_TEST

/* What such an op overwrites is read by nobody at another time than before: the copy of it
 * that is read afterwards stays. */
static const char *const worn[] = { "\"destroys\": true", "\"destroys\": \"b\"",
	"\"scratch\": \"b\"" };

START_TEST(copies_of_what_is_worn_stay)
{
	static const char text[] =
		"{\"format\": \"tenure.graph/1\", \"name\": \"n\", \"tensors\": ["
		"{\"name\": \"a\", \"dtype\": \"i8\", \"shape\": [8], "
		"\"role\": \"input\"},"
		"{\"name\": \"b\", \"dtype\": \"i8\", \"shape\": [8]},"
		"{\"name\": \"c\", \"dtype\": \"i8\", \"shape\": [8]},"
		"{\"name\": \"d\", \"dtype\": \"i8\", \"shape\": [8]},"
		"{\"name\": \"y\", \"dtype\": \"i8\", \"shape\": [8], "
		"\"role\": \"output\"}], \"ops\": ["
		"{\"type\": \"NEG\", \"inputs\": [\"a\"], \"outputs\": [\"b\"]},"
		"{\"name\": \"copy\", \"type\": \"RESHAPE\", \"inputs\": [\"b\"], "
		"\"outputs\": [\"c\"]},"
		"{\"type\": \"ABS\", \"inputs\": [\"%s\"], \"outputs\": [\"d\"], "
		"\"attrs\": {%s}},"
		"{\"type\": \"ADD\", \"inputs\": [\"c\", \"d\"], "
		"\"outputs\": [\"y\"]}]}";
	char json[2048];
	struct rewritten r;
	struct loaded l;

	snprintf(json, sizeof(json), text, strstr(worn[_i], "scratch") ? "a" : "b",
		worn[_i]);
	loaded_bytes(&l, "worn.json", json, strlen(json), NULL);
	loaded_ok(&l, "worn");
	r = rewritten_of(&l.graph, tn_passes_exact(), &l.arena, &l.strings);
	for (uint32_t i = 0; i < l.graph.n_ops; i++)
		ck_assert_msg(is_there(&r.graph, &l.graph.ops[i]), "%s: %s", worn[_i],
			l.graph.ops[i].name);
	loaded_release(&l);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("rewrite_left");
	TCase *t = tcase_create("rewrite_left");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, what_somebody_sees_stays);
	tcase_add_loop_test(t, near_misses_stay, 0, sizeof(left) / sizeof(*left));
	tcase_add_loop_test(
		t, refusals_have_witnesses, 0, sizeof(refusals) / sizeof(*refusals));
	tcase_add_loop_test(t, means_and_pools, 0, 12);
	tcase_add_test(t, kernels_of_their_own_stay);
	tcase_add_loop_test(
		t, copies_of_what_is_worn_stay, 0, sizeof(worn) / sizeof(*worn));
	tcase_add_test(t, constants_do_not_double);
	tcase_add_loop_test(t, shifting_pads_stay, 0, sizeof(shifts) / sizeof(*shifts));
	suite_add_tcase(s, t);
	return s;
}
