/* Budgets: what is told when a plan is too large, the largest batch, options that say
 * nothing of a plan that is there, and no plan in place above the one without overlap. */
#define _POSIX_C_SOURCE 200809L

#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "contract/contract.h"
#include "driver/pipeline.h"
#include "ir/batch.h"
#include "loaded.h"

/* ---- many samples ---- */

#define TENSOR(name, type, shape, role)                                                  \
	"{\"name\":\"" name "\",\"dtype\":\"" type "\",\"shape\":[" shape                \
	"],\"role\":\"" role "\"}"
#define GRAPH(op, attrs, type_x, x, type_y, y, more, operands)                           \
	"{\"format\":\"tenure.graph/1\",\"name\":\"g\",\"tensors\":[" TENSOR(            \
		"x", type_x, x, "input") "," more TENSOR("y", type_y, y,                 \
		"output") "],\"ops\":[{\"name\":\"n\",\"type\":\"" op                    \
			  "\",\"inputs\":[" operands                                     \
			  "],\"outputs\":[\"y\"],\"attrs\":{" attrs "}}]}"
#define WEIGHTS(shape)                                                                   \
	"{\"name\":\"w\",\"dtype\":\"i8\",\"shape\":[" shape                             \
	"],\"role\":\"const\",\"data\":{\"seed\":1}},"
#define BOTH "\"x\",\"w\""
#define ONE  "\"x\""

static const struct {
	const char *name, *text;
} many[] = {
	{ "convolution", GRAPH("CONV_2D", "\"pad\":\"SAME\",\"stride\":[1,1]", "i8",
				 "6,5,4,3", "i8", "6,5,4,2", WEIGHTS("2,3,3,3"), BOTH) },
	{ "convolution that grows",
		GRAPH("CONV_2D", "\"pad\":\"SAME\",\"stride\":[1,1]", "i8", "7,5,4,2",
			"i8", "7,5,4,6", WEIGHTS("6,3,3,2"), BOTH) },
	{ "convolution with strides and padding before",
		GRAPH("CONV_2D", "\"pad\":[2,1,0,0],\"stride\":[2,2]", "i8", "5,7,6,3",
			"i8", "5,4,3,5", WEIGHTS("5,3,3,3"), BOTH) },
	{ "dilated depthwise",
		GRAPH("DEPTHWISE_CONV_2D",
			"\"pad\":\"SAME\",\"dilation\":[2,2],\"stride\":[1,1]", "i8",
			"5,6,6,4", "i8", "5,6,6,4", WEIGHTS("1,3,3,4"), BOTH) },
	{ "depthwise of two",
		GRAPH("DEPTHWISE_CONV_2D",
			"\"pad\":\"SAME\",\"stride\":[1,1],\"depth_multiplier\":2", "i8",
			"6,4,4,2", "i8", "6,4,4,4", WEIGHTS("1,3,3,4"), BOTH) },
	{ "pool", GRAPH("MAX_POOL_2D",
			  "\"pad\":\"VALID\",\"stride\":[2,2],\"kernel\":[2,2]", "i8",
			  "9,4,4,3", "i8", "9,2,2,3", "", ONE) },
	{ "dense, narrower", GRAPH("FULLY_CONNECTED", "", "i8", "9,7", "i8", "9,4",
				     WEIGHTS("4,7"), BOTH) },
	{ "dense, wider", GRAPH("FULLY_CONNECTED", "", "i8", "8,3", "i8", "8,5",
				  WEIGHTS("5,3"), BOTH) },
	{ "dense, one of one", GRAPH("FULLY_CONNECTED", "", "i8", "8,1", "i8", "8,1",
				       WEIGHTS("1,1"), BOTH) },
	{ "softmax", GRAPH("SOFTMAX", "", "i8", "8,5", "i8", "8,5", "", ONE) },
	{ "softmax to a wider type",
		GRAPH("SOFTMAX", "", "i8", "8,5", "i16", "8,5", "", ONE) },
	{ "layer norm of two dimensions", GRAPH("LAYER_NORM", "\"axis\":1", "f32",
						  "6,2,3", "f32", "6,2,3", "", ONE) },
};

/* Every step, as the rule says: see contract.h. */
struct extremes {
	bool descending, written;
	int64_t write, d;
};

static bool step(void *user, const struct tn_step *s)
{
	struct extremes *e = user;

	for (uint32_t i = 0; i < s->n_reads && e->written; i++) {
		int64_t d = e->descending ? s->reads[i].end - e->write
					  : e->write - s->reads[i].begin;

		e->d = d > e->d ? d : e->d;
	}
	for (uint32_t i = 0; i < s->n_writes; i++) {
		int64_t at = e->descending ? s->writes[i].begin : s->writes[i].end;

		if (!e->written || (e->descending ? at < e->write : at > e->write))
			e->write = at;
		e->written = true;
	}
	return true;
}

/* A displacement looks at few of many samples; the walk at all. */
START_TEST(samples_are_alike)
{
	struct tn_variant v[TN_VARIANTS_MAX];
	struct loaded l;
	uint32_t n;

	loaded_bytes(&l, "g", many[_i].text, strlen(many[_i].text), NULL);
	loaded_ok(&l, many[_i].name);
	n = tn_contract_variants(&l.graph, (tn_op_id){ 0 }, v);
	ck_assert_msg(n >= 2, "%s: no order", many[_i].name);
	for (uint32_t i = 0; i < n; i++) {
		struct extremes e = { .descending = v[i].descending,
			.d = TN_DISPLACEMENT_FREE };
		int64_t d;

		ck_assert_int_eq(
			tn_contract_walk(&l.graph, (tn_op_id){ 0 }, v[i], step, &e),
			TN_OK);
		ck_assert_int_eq(tn_contract_displacement(
					 &l.graph, (tn_op_id){ 0 }, v[i], 0, 0, &d),
			TN_OK);
		ck_assert_msg(d == e.d || v[i].hold == HOLD_CHANNEL,
			"%s, variant %u: %lld instead of %lld", many[_i].name, i,
			(long long)d, (long long)e.d);
	}
	loaded_release(&l);
}
END_TEST

/* ---- samples that are mixed, and those that are not ---- */

#define KEPT(name, type, shape)                                                          \
	"{\"name\":\"" name "\",\"dtype\":\"" type "\",\"shape\":[" shape                \
	"],\"role\":\"const\"},"
#define INTS(name, shape, values)                                                        \
	"{\"name\":\"" name "\",\"dtype\":\"i32\",\"shape\":[" shape                     \
	"],\"role\":\"const\",\"data\":{\"values\":[" values "]}},"
#define INPUT(name, type, shape) TENSOR(name, type, shape, "input") ","
#define MIXED(op, attrs, x, y, more, operands)                                           \
	GRAPH(op, attrs, "i32", x, "i32", y, more, operands)

static const struct {
	const char *name, *text;
	bool scales;
} mixed[] = {
	{ "gather from samples",
		MIXED("GATHER", "\"axis\":0", "1,4", "1,4", INTS("w", "1", "0"), BOTH),
		false },
	{ "gather from samples, counted from the end",
		MIXED("GATHER", "\"axis\":-2", "1,4", "1,4", INTS("w", "1", "0"), BOTH),
		false },
	{ "gather within samples",
		MIXED("GATHER", "\"axis\":1", "1,4", "1,3", INTS("w", "3", "2,1,0"),
			BOTH),
		true },
	{ "gather of a table",
		MIXED("GATHER", "\"axis\":0", "1,4", "1,4,5", KEPT("w", "i32", "9,5"),
			"\"w\",\"x\""),
		true },
	{ "gather of a table, the samples second",
		MIXED("GATHER", "\"axis\":1", "1", "1,1", KEPT("w", "i32", "1,5"),
			"\"w\",\"x\""),
		false },
	{ "gather by indices of all samples",
		MIXED("GATHER", "\"axis\":1", "1,4", "1,1,3", INPUT("w", "i32", "1,3"),
			BOTH),
		false },
	{ "gather by indices of the sample",
		MIXED("GATHER", "\"axis\":1,\"batch_dims\":1", "1,4", "1,3",
			INPUT("w", "i32", "1,3"), BOTH),
		true },
	{ "gather_nd from samples",
		MIXED("GATHER_ND", "", "1,4", "1,4", INTS("w", "1,1", "0"), BOTH),
		false },
	{ "gather_nd of a table",
		MIXED("GATHER_ND", "", "1,1", "1,5", KEPT("w", "i32", "9,5"),
			"\"w\",\"x\""),
		true },
	{ "lookup among samples",
		MIXED("EMBEDDING_LOOKUP", "", "1,4", "1,4", INTS("w", "1", "0"),
			"\"w\",\"x\""),
		false },
	{ "lookup in a table",
		MIXED("EMBEDDING_LOOKUP", "", "1", "1,5", KEPT("w", "i32", "9,5"), BOTH),
		true },
	{ "shape", MIXED("SHAPE", "", "1", "1", "", ONE), false },
	{ "fill", MIXED("FILL", "", "1", "1", INTS("w", "", "3"), BOTH), false },
	{ "broadcast of shapes",
		MIXED("BROADCAST_ARGS", "", "1", "1", INTS("w", "1", "3"), BOTH), false },
	{ "sum along samples",
		MIXED("CUMSUM", "", "1,4", "1,4", INTS("w", "1", "0"), BOTH), false },
	{ "sum along each sample",
		MIXED("CUMSUM", "", "1,4", "1,4", INTS("w", "1", "-1"), BOTH), true },
	{ "sum along nobody knows what",
		MIXED("CUMSUM", "", "1,4", "1,4", KEPT("w", "i32", "1"), BOTH), false },
	{ "largest of the samples",
		MIXED("ARG_MAX", "", "1,1", "1", INTS("w", "1", "0"), BOTH), false },
	{ "least of the samples",
		MIXED("ARG_MIN", "", "1,1", "1", INTS("w", "1", "-2"), BOTH), false },
	{ "largest of each sample",
		MIXED("ARG_MAX", "", "1,4", "1", INTS("w", "1", "1"), BOTH), true },
	{ "mean over samples, by an attribute",
		MIXED("SUM", "\"axes\":[0]", "1,4", "1,4", "", ONE), false },
	{ "mean over each sample, by an attribute",
		MIXED("SUM", "\"axes\":[-1]", "1,4", "1,1", "", ONE), true },
	{ "transposed", MIXED("TRANSPOSE", "\"perm\":[1,0]", "1,1", "1,1", "", ONE),
		false },
	{ "transposed within",
		MIXED("TRANSPOSE", "\"perm\":[0,2,1]", "1,2,3", "1,3,2", "", ONE), true },
	{ "product of samples",
		MIXED("BATCH_MATMUL", "", "1,1", "1,4", INPUT("w", "i32", "1,4"), BOTH),
		false },
	{ "product by one matrix",
		MIXED("BATCH_MATMUL", "", "1,3", "1,4", KEPT("w", "i32", "3,4"), BOTH),
		true },
	{ "product of each sample",
		MIXED("BATCH_MATMUL", "", "1,2,3", "1,2,4", INPUT("w", "i32", "1,3,4"),
			BOTH),
		true },
	{ "update of one sample",
		MIXED("DYNAMIC_UPDATE_SLICE", "", "1,4", "1,4",
			KEPT("w", "i32", "1,2") INTS("at", "2", "0,1"),
			"\"x\",\"w\",\"at\""),
		false },
	{ "update of each sample",
		MIXED("DYNAMIC_UPDATE_SLICE", "", "1,4", "1,4",
			INPUT("w", "i32", "1,2") INTS("at", "2", "0,1"),
			"\"x\",\"w\",\"at\""),
		true },
	{ "samples along another dimension",
		MIXED("ADD", "", "1,6", "1,6", INPUT("w", "i32", "1"), BOTH), false },
	{ "samples beside samples",
		MIXED("ADD", "", "1,6", "1,6", INPUT("w", "i32", "1,1"), BOTH), true },
	{ "a softmax", GRAPH("SOFTMAX", "", "f32", "1,6", "f32", "1,6", "", ONE), true },
	{ "a softmax along a list of one axis",
		GRAPH("SOFTMAX", "\"axis\":[-1]", "f32", "1,6", "f32", "1,6", "", ONE),
		true },
	{ "a softmax of samples, by a list",
		GRAPH("SOFTMAX", "\"axis\":[0]", "f32", "1,6", "f32", "1,6", "", ONE),
		false },
	{ "a softmax along two axes",
		GRAPH("SOFTMAX", "\"axis\":[1,0]", "f32", "1,6", "f32", "1,6", "", ONE),
		false },
	{ "a softmax along no axis",
		GRAPH("SOFTMAX", "\"axis\":[]", "f32", "1,6", "f32", "1,6", "", ONE),
		false },
	{ "a softmax along a word",
		GRAPH("SOFTMAX", "\"axis\":\"1\"", "f32", "1,6", "f32", "1,6", "", ONE),
		false },
	{ "a softmax along an inner axis",
		GRAPH("SOFTMAX", "\"axis\":1", "f32", "1,6,2", "f32", "1,6,2", "", ONE),
		true },
	{ "rows of all samples",
		GRAPH("LAYER_NORM", "\"axis\":0", "f32", "1,6", "f32", "1,6", "", ONE),
		false },
	{ "statistics of all samples",
		GRAPH("BATCH_NORM", "\"axis\":1,\"training\":true", "f32", "1,6", "f32",
			"1,6", "", ONE),
		false },
	{ "samples as weights",
		GRAPH("FULLY_CONNECTED", "", "i8", "1,6", "i8", "1,1",
			INPUT("w", "i8", "1,6"), BOTH),
		false },
	{ "a window into samples",
		GRAPH("RELU", "", "i8", "1,6", "i8", "1,3",
			"{\"name\":\"w\",\"dtype\":\"i8\",\"shape\":[1,3],"
			"\"view_of\":\"x\",\"offset\":2},",
			"\"w\""),
		false },
};

/* What would mix samples is refused, by a message, and what keeps them apart is not: for
 * as many samples as some other dimension has, too. */
START_TEST(samples_are_kept_apart)
{
	struct tn_graph scaled;
	struct loaded l;

	loaded_bytes(&l, "g", mixed[_i].text, strlen(mixed[_i].text), NULL);
	loaded_ok(&l, mixed[_i].name);
	for (int64_t batch = 2; batch < 8; batch++) {
		const size_t before = l.diags.list.count;
		const enum tn_status status =
			tn_batch_scale(&l.graph, batch, &l.run, &l.diags, &scaled);

		ck_assert_msg(status == (mixed[_i].scales ? TN_OK : TN_ERR_INPUT),
			"%s, %lld: %s", mixed[_i].name, (long long)batch,
			loaded_report(&l));
		ck_assert_msg(l.diags.list.count - before == (mixed[_i].scales ? 0 : 1) &&
				      (mixed[_i].scales ||
					      strcmp(l.diags.list.items[before].rule,
						      "batch/fixed") == 0),
			"%s: %s", mixed[_i].name, loaded_report(&l));
	}
	loaded_release(&l);
}
END_TEST

/* ---- the command ---- */

#define KWS "fixtures/graphs/kws_i8.json"

struct result {
	int status;
	char *out, *err;
	size_t out_len, err_len;
};

static struct result planned(tenure_options *options, const char *graph)
{
	struct result r = { 0 };

	options->out = open_memstream(&r.out, &r.out_len);
	options->err = open_memstream(&r.err, &r.err_len);
	ck_assert(options->out && options->err);
	r.status = tenure_plan(options, tn_test_path(graph));
	fclose(options->out);
	fclose(options->err);
	return r;
}

static void release(struct result *r)
{
	free(r->out);
	free(r->err);
}

static const struct {
	int64_t ram;
	enum tenure_overlap overlap;
	int keep_inputs;
	const char *says, *not ;
} small[] = {
	{ 8383, TENURE_OVERLAP_FULL, 0, "8384 B, 1 B more than the 8383 B of --ram",
		"--overlap full" },
	{ 8383, TENURE_OVERLAP_FULL, 0,
		"would fit: --objective arena, saves 320 B of the arena\n", NULL },
	{ 8063, TENURE_OVERLAP_FULL, 0,
		"would help: --objective arena, saves 320 B of the arena; "
		"1 B would still be missing\n",
		"would fit: --objective" },
	{ 15999, TENURE_OVERLAP_NONE, 0, "would fit: --overlap full, saves 7616 B",
		NULL },
	{ 8400, TENURE_OVERLAP_FULL, 1, "would fit: graph inputs that may be", NULL },
};

START_TEST(what_would_fit_is_told)
{
	tenure_options options;
	struct result r;

	tenure_options_init(&options);
	options.ram = small[_i].ram;
	options.overlap = small[_i].overlap;
	options.keep_inputs = small[_i].keep_inputs;
	r = planned(&options, KWS);
	ck_assert_int_eq(r.status, TENURE_FINDINGS);
	ck_assert_msg(strstr(r.err, small[_i].says) != NULL, "%d: %s", _i, r.err);
	if (small[_i].not )
		ck_assert_msg(!strstr(r.err, small[_i].not ), "%d: %s", _i, r.err);
	release(&r);
}
END_TEST

static const struct {
	int64_t ram;
	int json;
	const char *says;
} batches[] = {
	{ 1 << 20, 0, "largest batch 131: arena 1,048,384 B; batch 132 needs " },
	{ 1 << 20, 1,
		"{\"format\": \"tenure.batch/1\", \"batch\": 131, \"largest\": true, "
		"\"arena_bytes\": 1048384, \"next_arena_bytes\": 1056384}\n" },
	{ INT64_C(1000) << 30, 0,
		"fits: batch 16777216: arena 268,435,456,000 B; no larger one is looked "
		"at\n" },
	{ INT64_C(1000) << 30, 1,
		"{\"format\": \"tenure.batch/1\", \"batch\": 16777216, \"largest\": "
		"false, \"arena_bytes\": 268435456000, \"next_arena_bytes\": null}\n" },
};

START_TEST(largest_batch)
{
	tenure_options options;
	struct result r;

	tenure_options_init(&options);
	options.ram = batches[_i].ram;
	options.json = batches[_i].json;
	options.max_batch = 1;
	r = planned(&options, KWS);
	ck_assert_msg(r.status == TENURE_OK, "%s", r.err);
	ck_assert_msg(strncmp(r.out, batches[_i].says, strlen(batches[_i].says)) == 0,
		"%s", r.out);
	release(&r);
}
END_TEST

static int64_t arena_of(const struct tn_run *run, int64_t batch)
{
	struct tn_run other;
	int64_t bytes;

	tn_run_init(&other, run->options);
	ck_assert_int_eq(tn_batch_scale(&run->graph, batch, &other.arena, &other.diags,
				 &other.graph),
		TN_OK);
	ck_assert_int_eq(tn_pipeline_solve(&other), TN_OK);
	bytes = other.plan.arena_bytes;
	tn_run_release(&other);
	return bytes;
}

/* The largest batch fits, the next one does not, whatever the budget is. */
START_TEST(batch_is_exact)
{
	static const char graph[] = "fixtures/graphs/residual_i8.json";
	tenure_options options;
	long long batch = 0;
	struct tn_run run;
	struct result r;

	tenure_options_init(&options);
	tn_run_init(&run, &options);
	ck_assert_int_eq(tn_pipeline(&run, tn_test_path(graph), STAGE_PLAN), TN_OK);
	options.ram = run.plan.arena_bytes + 777 * _i * _i;
	options.max_batch = 1;
	r = planned(&options, graph);
	ck_assert_msg(r.status == TENURE_OK, "%s", r.err);
	ck_assert_int_eq(sscanf(r.out, "largest batch %lld:", &batch), 1);
	ck_assert_int_le(arena_of(&run, batch), options.ram);
	ck_assert_int_gt(arena_of(&run, batch + 1), options.ram);
	release(&r);
	tn_run_release(&run);
}
END_TEST

static void spoil(tenure_options *options, int which, const char *const *one)
{
	switch (which) {
	case 0:
		options->overlap = TENURE_OVERLAP_NONE;
		break;
	case 1:
		options->objective = TENURE_OBJECTIVE_ARENA;
		break;
	case 2:
		options->schedule = TENURE_SCHEDULE_SEARCH;
		break;
	case 3:
		options->align = 64;
		break;
	case 4:
		options->regions = (tenure_list){ one, 1 };
		break;
	case 5:
		options->reserves = (tenure_list){ one, 1 };
		break;
	case 6:
		options->owned = (tenure_list){ one, 1 };
		break;
	case 7:
		options->pins = (tenure_list){ one, 1 };
		break;
	case 8:
		options->nodes = 10;
		break;
	case 9:
		options->time_limit = 1.0;
		break;
	default:
		options->max_batch = 1;
		break;
	}
}

static const char *const beside[] = { "overlap", "objective", "schedule", "align",
	"region", "reserve", "owned", "pin", "nodes", "time-limit", "max-batch" };

/* What says how to plan is not ignored where nothing is planned. */
START_TEST(options_beside_a_plan)
{
	static const char *const one[] = { "a:64K" };
	char path[] = "/tmp/tenure-budget-XXXXXX", want[64];
	tenure_options options;
	int fd = mkstemp(path);
	struct result r;

	ck_assert(fd >= 0);
	close(fd);
	tenure_options_init(&options);
	options.output = path;
	r = planned(&options, KWS);
	ck_assert_msg(r.status == TENURE_OK, "%s", r.err);
	release(&r);
	tenure_options_init(&options);
	options.plan = path;
	r = planned(&options, KWS);
	ck_assert_msg(r.status == TENURE_OK, "%s", r.err);
	release(&r);
	for (int i = 0; i < (int)(sizeof(beside) / sizeof(*beside)); i++) {
		tenure_options_init(&options);
		options.plan = path;
		options.ram = i == 10 ? 1 << 20 : -1;
		spoil(&options, i, one);
		r = planned(&options, KWS);
		snprintf(want, sizeof(want), "--%s does not go with --plan", beside[i]);
		ck_assert_msg(r.status == TENURE_BAD_INPUT && strstr(r.err, want),
			"%s: exit %d: %s", beside[i], r.status, r.err);
		release(&r);
	}
	/* a budget is no way to plan; what helps is another plan */
	tenure_options_init(&options);
	options.plan = path;
	options.ram = 8383;
	r = planned(&options, KWS);
	ck_assert_int_eq(r.status, TENURE_FINDINGS);
	ck_assert_msg(!strstr(r.err, "--objective"), "%s", r.err);
	release(&r);
	unlink(path);
}
END_TEST

static const char *const graphs[] = { "fixtures/branchy/inception.json",
	"fixtures/nocopy/copy-is-smaller.json", KWS };

/* Whatever is allowed to lie in one place, none of it costs a byte. */
START_TEST(in_place_costs_nothing)
{
	int64_t arena[TENURE_OVERLAP_FULL + 1];

	for (int mode = 0; mode <= TENURE_OVERLAP_FULL; mode++) {
		tenure_options options;
		struct tn_run run;

		tenure_options_init(&options);
		options.overlap = (enum tenure_overlap)mode;
		tn_run_init(&run, &options);
		ck_assert_int_eq(
			tn_pipeline(&run, tn_test_path(graphs[_i]), STAGE_PLAN), TN_OK);
		ck_assert(run.verified);
		arena[mode] = run.plan.arena_bytes;
		tn_run_release(&run);
	}
	ck_assert_msg(arena[1] <= arena[0] && arena[2] <= arena[1],
		"%s: none %lld, in place %lld, full %lld", graphs[_i],
		(long long)arena[0], (long long)arena[1], (long long)arena[2]);
}
END_TEST

#define LOOP(tc, fn, table)                                                              \
	tcase_add_loop_test(tc, fn, 0, sizeof(table) / sizeof(*(table)))

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("fit");
	TCase *tc = tcase_create("fit");

	tcase_set_timeout(tc, 120);
	LOOP(tc, samples_are_alike, many);
	LOOP(tc, samples_are_kept_apart, mixed);
	LOOP(tc, what_would_fit_is_told, small);
	LOOP(tc, largest_batch, batches);
	tcase_add_loop_test(tc, batch_is_exact, 0, 12);
	tcase_add_test(tc, options_beside_a_plan);
	LOOP(tc, in_place_costs_nothing, graphs);
	suite_add_tcase(s, tc);
	return s;
}
