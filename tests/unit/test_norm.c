/* Batch and layer normalisation: what they compute, which shapes fit, in which order they
 * run, and that boards agree. Their kernels at random shapes are in the suites of all ops. */
#define _POSIX_C_SOURCE 200809L

#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "contract/contract.h"
#include "driver/pipeline.h"
#include "exec/exec.h"
#include "ir/norm.h"
#include "ir/validate.h"
#include "loaded.h"

/* Numbers that a formula in double precision needs of a tensor. */
static double number(const struct tn_tensor *t, const uint8_t *bytes, int64_t i)
{
	float value;

	if (t->dtype == DTYPE_I8)
		return (double)t->quant.scale[0] *
		       (double)((int8_t)bytes[i] - t->quant.zero_point[0]);
	memcpy(&value, bytes + 4 * i, sizeof(value));
	return (double)value;
}

static double parameter(const struct tn_graph *g, const struct tn_op *op, uint32_t k,
	int64_t i, double none)
{
	const struct tn_tensor *t;

	if (k >= op->n_inputs || !tn_tensor_id_ok(g, op->inputs[k]))
		return none;
	t = &g->tensors[op->inputs[k].i];
	ck_assert(t->data);
	return number(t, t->data, i);
}

/* Mean and 1 / deviation of a row. */
static void moments(const struct tn_tensor *t, const uint8_t *x, int64_t at, int64_t n,
	double epsilon, double out[2])
{
	double mean = 0.0, squares = 0.0;

	for (int64_t i = 0; i < n; i++)
		mean += number(t, x, at + i) / (double)n;
	for (int64_t i = 0; i < n; i++) {
		double d = number(t, x, at + i) - mean;

		squares += d * d / (double)n;
	}
	out[0] = mean;
	out[1] = 1.0 / sqrt(squares + epsilon);
}

/* Element i of the op's output in double precision. */
static double wanted(
	const struct tn_graph *g, const struct tn_op *op, const uint8_t *x, int64_t i)
{
	const struct tn_tensor *in = &g->tensors[op->inputs[0].i];
	double epsilon = tn_op_float(op, "epsilon", 1e-5), m[2];
	struct tn_norm norm;
	const char *why;
	int64_t c;

	ck_assert(tn_norm_of(g, op, &norm, &why));
	if (op->kind == OP_BATCH_NORM) {
		c = i / norm.inner % norm.n;
		return (number(in, x, i) - parameter(g, op, 3, c, 0.0)) /
			       sqrt(parameter(g, op, 4, c, 1.0) + epsilon) *
			       parameter(g, op, 1, c, 1.0) +
		       parameter(g, op, 2, c, 0.0);
	}
	c = i % norm.n;
	moments(in, x, i - c, norm.n, epsilon, m);
	return (number(in, x, i) - m[0]) * m[1] * parameter(g, op, 1, c, 1.0) +
	       parameter(g, op, 2, c, 0.0);
}

static const uint8_t *bytes_of(struct tn_exec *e, tn_tensor_id id)
{
	size_t n;
	const uint8_t *bytes = tn_exec_bytes(e, id, &n);

	ck_assert(bytes && n);
	return bytes;
}

static struct tn_exec *executed(struct loaded *l)
{
	struct tn_exec *e;

	ck_assert_int_eq(tn_exec_new(&l->graph, NULL, &l->arena, &l->diags, &e), TN_OK);
	tn_exec_seed(e, 3);
	ck_assert_int_eq(tn_exec_run(e, NULL, NULL), TN_OK);
	return e;
}

static bool is_norm(const struct tn_op *op)
{
	return op->kind == OP_BATCH_NORM || op->kind == OP_LAYER_NORM;
}

/* Every normalisation of the kernels' fixture, and of the rows' facts. */
START_TEST(results_are_right)
{
	struct tn_graph *g;
	struct tn_exec *e;
	struct loaded l;
	uint32_t compared = 0;

	loaded_file(&l, tn_test_path("fixtures/kernels/ops.json"), NULL);
	loaded_ok(&l, "ops.json");
	g = &l.graph;
	e = executed(&l);
	for (uint32_t k = 0; k < g->n_ops; k++) {
		const struct tn_op *op = &g->ops[k];
		const struct tn_tensor *in, *out;
		const uint8_t *x, *y;

		if (!is_norm(op))
			continue;
		in = &g->tensors[op->inputs[0].i];
		out = &g->tensors[op->outputs[0].i];
		x = bytes_of(e, op->inputs[0]);
		y = bytes_of(e, op->outputs[0]);
		for (int64_t i = 0; i < out->elements; i++)
			ck_assert_msg(
				fabs(number(out, y, i) - wanted(g, op, x, i)) < 2e-6,
				"%s, element %lld: %.9g instead of %.9g", op->name,
				(long long)i, number(out, y, i), wanted(g, op, x, i));
		for (uint32_t f = 1; f < op->n_outputs; f++) {
			const struct tn_tensor *fact = &g->tensors[op->outputs[f].i];
			int64_t n = in->elements / fact->elements;

			for (int64_t r = 0; r < fact->elements; r++) {
				double m[2];

				moments(in, x, r * n, n, 1e-5, m);
				ck_assert_msg(
					fabs(number(fact, bytes_of(e, op->outputs[f]),
						     r) -
						m[f - 1]) < 2e-6,
					"%s, row %lld", op->name, (long long)r);
			}
		}
		compared++;
	}
	ck_assert_uint_eq(compared, 7);
	loaded_release(&l);
}
END_TEST

/* The ops that converters write in place of one, in int8: within a few steps of what the
 * one op computes. */
START_TEST(parts_give_the_whole)
{
	const struct tn_tensor *in, *out, *gamma = NULL, *beta = NULL;
	double worst = 0.0;
	struct tn_exec *e;
	struct loaded l;
	int64_t n;

	loaded_file(&l, tn_test_path("fixtures/graphs/layer_norm_i8.json"), NULL);
	loaded_ok(&l, "layer_norm_i8");
	e = executed(&l);
	in = &l.graph.tensors[l.graph.inputs[0].i];
	out = &l.graph.tensors[l.graph.outputs[0].i];
	for (uint32_t i = 0; i < l.graph.n_tensors; i++) {
		gamma = strcmp(l.graph.tensors[i].name, "gamma") ? gamma
								 : &l.graph.tensors[i];
		beta = strcmp(l.graph.tensors[i].name, "beta") ? beta
							       : &l.graph.tensors[i];
	}
	ck_assert(gamma && beta);
	n = gamma->elements;
	for (int64_t i = 0; i < out->elements; i++) {
		const uint8_t *x = bytes_of(e, l.graph.inputs[0]);
		double m[2], want;

		moments(in, x, i - i % n, n, 0.001, m);
		want = (number(in, x, i) - m[0]) * m[1] *
			       number(gamma, gamma->data, i % n) +
		       number(beta, beta->data, i % n);
		worst = fmax(worst,
			fabs(number(out, bytes_of(e, l.graph.outputs[0]), i) - want));
	}
	ck_assert_msg(worst < 4.0 * (double)out->quant.scale[0], "%g, a step is %g",
		worst, (double)out->quant.scale[0]);
	loaded_release(&l);
}
END_TEST

/* ---- shapes ---- */

#define X "{\"name\":\"x\",\"dtype\":\"f32\",\"shape\":[2,4,6],\"role\":\"input\"}"
#define Y(shape)                                                                         \
	"{\"name\":\"y\",\"dtype\":\"f32\",\"shape\":" shape ",\"role\":\"output\"}"
#define P(name, n)                                                                       \
	"{\"name\":\"" name "\",\"dtype\":\"f32\",\"shape\":[" n "],"                    \
	"\"role\":\"const\",\"data\":{\"seed\":1}}"
#define FACT(name, shape) "{\"name\":\"" name "\",\"dtype\":\"f32\",\"shape\":" shape "}"
#define OP(type, in, out, attrs)                                                         \
	"],\"ops\":[{\"name\":\"n\",\"type\":\"" type "\",\"inputs\":[" in               \
	"],\"outputs\":[" out "],\"attrs\":{" attrs "}}]}"
#define GRAPH(tensors, op)                                                               \
	"{\"format\":\"tenure.graph/1\",\"name\":\"g\",\"tensors\":[" tensors op
#define BN_IN "\"x\",null,null,\"m\",\"v\""

static const struct {
	const char *name, *text;
	const char *report; /* what it says; NULL: it fits */
	bool ordered; /* has a contract */
} shapes[] = {
	{ "channels last",
		GRAPH(X "," P("m", "6") "," P("v", "6") "," Y("[2,4,6]"),
			OP("BATCH_NORM", BN_IN, "\"y\"", "")),
		NULL, true },
	{ "channels first",
		GRAPH(X "," P("m", "4") "," P("v", "4") "," Y("[2,4,6]"),
			OP("BATCH_NORM", BN_IN, "\"y\"", "\"axis\":1")),
		NULL, true },
	{ "channels of another axis",
		GRAPH(X "," P("m", "6") "," P("v", "6") "," Y("[2,4,6]"),
			OP("BATCH_NORM", BN_IN, "\"y\"", "\"axis\":1")),
		"a parameter has not one value for each channel", false },
	{ "no such axis",
		GRAPH(X "," P("m", "6") "," P("v", "6") "," Y("[2,4,6]"),
			OP("BATCH_NORM", BN_IN, "\"y\"", "\"axis\":-4")),
		"its axis is none of the input's", false },
	{ "another shape",
		GRAPH(X "," P("m", "6") "," P("v", "6") "," Y("[4,2,6]"),
			OP("BATCH_NORM", BN_IN, "\"y\"", "")),
		"differ in shape", false },
	{ "without statistics",
		GRAPH(X "," Y("[2,4,6]"), OP("BATCH_NORM", "\"x\"", "\"y\"", "")),
		"mean or variance is missing", false },
	{ "empty statistics behind it",
		GRAPH(X "," P("m", "6") "," P("v", "6") "," Y("[2,4,6]") "," FACT(
			      "a", "[0]") "," FACT("b", "[0]"),
			OP("BATCH_NORM", BN_IN, "\"y\",\"a\",\"b\"", "")),
		NULL, true },
	{ "statistics behind it",
		GRAPH(X "," P("m", "6") "," P("v", "6") "," Y("[2,4,6]") "," FACT(
			      "a", "[6]"),
			OP("BATCH_NORM", BN_IN, "\"y\",\"a\"", "")),
		"an output behind the first is not empty", false },
	{ "training",
		GRAPH(X "," P("m", "6") "," P("v", "6") "," Y("[2,4,6]"),
			OP("BATCH_NORM", BN_IN, "\"y\"", "\"training\":true")),
		"'n' (BATCH_NORM) is taken as reading its whole input", false },
	{ "rows",
		GRAPH(X "," P("s", "6") "," Y("[2,4,6]"),
			OP("LAYER_NORM", "\"x\",\"s\"", "\"y\"", "")),
		NULL, true },
	{ "rows of two dimensions, with facts",
		GRAPH(X "," P("s", "4,6") "," Y("[2,4,6]") "," FACT("a", "[2]") "," FACT(
			      "b", "[2,1,1]"),
			OP("LAYER_NORM", "\"x\",\"s\"", "\"y\",\"a\",\"b\"",
				"\"axis\":-2")),
		NULL, true },
	{ "facts of other rows",
		GRAPH(X "," Y("[2,4,6]") "," FACT("a", "[4]"),
			OP("LAYER_NORM", "\"x\"", "\"y\",\"a\"", "")),
		"an output behind the first has not one value for each row", false },
	{ "scale of another row",
		GRAPH(X "," P("s", "24") "," Y("[2,4,6]"),
			OP("LAYER_NORM", "\"x\",\"s\"", "\"y\"", "")),
		"a parameter has not one value for each element of a row", false },
	{ "a computed scale",
		GRAPH("{\"name\":\"s\",\"dtype\":\"f32\",\"shape\":[6],\"role\":"
		      "\"input\"}," X "," Y("[2,4,6]"),
			OP("LAYER_NORM", "\"x\",\"s\"", "\"y\"", "")),
		NULL, false },
	{ "nothing to write", GRAPH(X, OP("LAYER_NORM", "\"x\"", "", "")),
		"operands are missing", false },
};

START_TEST(shapes_fit)
{
	const char *text = shapes[_i].text, *report;
	struct tn_variant v[TN_VARIANTS_MAX];
	struct loaded l;
	int64_t d;

	loaded_bytes(&l, "g", text, strlen(text), NULL);
	if (l.status == TN_OK)
		l.status = tn_validate(&l.graph, &l.diags);
	report = loaded_report(&l);
	if (shapes[_i].report)
		ck_assert_msg(strstr(report, shapes[_i].report) != NULL, "%s: %s",
			shapes[_i].name, report);
	else
		ck_assert_msg(!report[0], "%s: %s", shapes[_i].name, report);
	if (l.graph.n_ops) {
		uint32_t n = tn_contract_variants(&l.graph, (tn_op_id){ 0 }, v);

		ck_assert_msg(n == (shapes[_i].ordered ? 2 : 0), "%s: %u variants",
			shapes[_i].name, n);
		for (uint32_t i = 0; i < n; i++) { /* in place, without a buffer */
			ck_assert_int_eq(v[i].hold, HOLD_NONE);
			ck_assert_int_eq(tn_contract_displacement(&l.graph,
						 (tn_op_id){ 0 }, v[i], 0, 0, &d),
				TN_OK);
			ck_assert_msg(d == 0, "%s: %lld", shapes[_i].name, (long long)d);
		}
	}
	loaded_release(&l);
}
END_TEST

/* ---- whole graphs ---- */

static const struct {
	const char *graph;
	long long activations, no_reuse;
} plans[] = {
	{ "batch_norm_f32", 5120, 21440 },
	{ "layer_norm_f32", 1536, 7296 },
	{ "layer_norm_i8", 396, 1392 },
};

START_TEST(boards_agree)
{
	tenure_options options;
	struct tn_run run;
	char name[256];
	FILE *out = tmpfile();

	ck_assert(out);
	snprintf(name, sizeof(name), "fixtures/graphs/%s.json", plans[_i].graph);
	tenure_options_init(&options);
	options.out = options.err = out;
	tn_run_init(&run, &options);
	ck_assert_int_eq(tn_pipeline(&run, tn_test_path(name), STAGE_PLAN), TN_OK);
	ck_assert(run.verified);
	ck_assert_int_eq(run.plan.activation_bytes, plans[_i].activations);
	ck_assert_int_eq(run.plan.no_reuse_bytes, plans[_i].no_reuse);
	tn_run_release(&run);
	if (system("qemu-system-arm --version >/dev/null 2>&1 && "
		   "arm-none-eabi-gcc --version >/dev/null 2>&1") == 0) {
		options.on = "cortex-m4";
		ck_assert_msg(tenure_validate(&options, tn_test_path(name)) == TENURE_OK,
			"%s", plans[_i].graph);
	}
	fclose(out);
}
END_TEST

/* Parameters that the file does not hold: a variance is made above zero. */
START_TEST(parameters_are_made_up)
{
	static const char text[] = GRAPH(X
		",{\"name\":\"m\",\"dtype\":\"f32\",\"shape\":[6],\"role\":\"const\"},"
		"{\"name\":\"v\",\"dtype\":\"f32\",\"shape\":[6],\"role\":\"const\"},"
		"{\"name\":\"t\",\"dtype\":\"f32\",\"shape\":[2,4,6]}," Y("[2,4,6]"),
		"],\"ops\":[{\"name\":\"n\",\"type\":\"BATCH_NORM\",\"inputs\":[" BN_IN
		"],\"outputs\":[\"t\"]},{\"name\":\"l\",\"type\":\"LAYER_NORM\","
		"\"inputs\":[\"t\",\"m\"],\"outputs\":[\"y\"]}]}");
	char path[] = "/tmp/tenure-norm-XXXXXX";
	tenure_options options;
	FILE *out = tmpfile();
	int fd = mkstemp(path);

	ck_assert(out && fd >= 0);
	ck_assert_int_eq(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
	close(fd);
	tenure_options_init(&options);
	options.out = options.err = out;
	options.on = "host";
	ck_assert_int_ne(tenure_validate(&options, path), TENURE_OK);
	options.synthetic = true;
	ck_assert_int_eq(tenure_validate(&options, path), TENURE_OK);
	unlink(path);
	fclose(out);
}
END_TEST

#define LOOP(tc, fn, table)                                                              \
	tcase_add_loop_test(tc, fn, 0, sizeof(table) / sizeof(*(table)))

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("norm");
	TCase *tc = tcase_create("norm");

	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, results_are_right);
	tcase_add_test(tc, parts_give_the_whole);
	LOOP(tc, shapes_fit, shapes);
	LOOP(tc, boards_agree, plans);
	tcase_add_test(tc, parameters_are_made_up);
	suite_add_tcase(s, tc);
	return s;
}
