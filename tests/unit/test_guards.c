/* Messages that guard a part against its callers: structs that no reader makes, changed by
 * hand, each with the rule, the place and the words of what is said. */
#define _GNU_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE */
#include "suite.h"

#include <string.h>
#include <sys/mman.h>

#include "base/flatbuffer.h"
#include "exec/exec.h"
#include "export/program.h"
#include "export/tflite_offline.h"
#include "ir/batch.h"
#include "ir/validate.h"
#include "loaded.h"
#include "net.h"

#define CHANGE(name, change)                                                             \
	static void name(struct net *n)                                                  \
	{                                                                                \
		change;                                                                  \
	}

static void expect(const struct tn_diags *diags, const char *rule, const char *pointer,
	const char *subject, const char *message)
{
	const struct tn_diag *d = NULL;

	for (size_t i = 0; i < diags->list.count && !d; i++)
		if (strcmp(diags->list.items[i].rule, rule) == 0)
			d = &diags->list.items[i];
	ck_assert_msg(d, "nothing is said, wanted: %s", message);
	ck_assert_str_eq(d->message, message);
	ck_assert_str_eq(d->pointer ? d->pointer : "-", pointer ? pointer : "-");
	ck_assert_str_eq(d->subject ? d->subject : "-", subject ? subject : "-");
}

/* ---- a graph that is finished ---- */

CHANGE(input_of_none, n->build.ops.items[1].inputs[0].i = 4)
CHANGE(output_of_none, n->build.ops.items[0].outputs[0].i = 5)
CHANGE(view_of_none, n->build.tensors.items[2].view_of.i = 6)
CHANGE(taken_from_none, n->build.inputs.items[1].i = 7)
CHANGE(given_from_none, n->build.outputs.items[0].i = 8)

static const struct {
	void (*change)(struct net *);
	const char *pointer, *subject, *message;
} ids[] = {
	{ input_of_none, "/ops/1", "product",
		"tensor index 4 is out of range: there are 4 tensors" },
	{ output_of_none, "/ops/0", "sum",
		"tensor index 5 is out of range: there are 4 tensors" },
	{ view_of_none, "/tensors/2", "c",
		"tensor index 6 is out of range: there are 4 tensors" },
	{ taken_from_none, "/inputs", NULL,
		"tensor index 7 is out of range: there are 4 tensors" },
	{ given_from_none, "/outputs", NULL,
		"tensor index 8 is out of range: there are 4 tensors" },
};

static const char *const tensors_at[] = { "/tensors/0", "/tensors/1", "/tensors/2",
	"/tensors/3" };
static const char *const ops_at[] = { "/ops/0", "/ops/1" };

START_TEST(ids_are_looked_at)
{
	struct net n;

	net_arithmetic(&n);
	for (size_t i = 0; i < 4; i++)
		n.build.tensors.items[i].pointer = tensors_at[i];
	for (size_t i = 0; i < 2; i++)
		n.build.ops.items[i].pointer = ops_at[i];
	ids[_i].change(&n);
	ck_assert_int_eq(tn_build_finish(&n.build, &n.graph), TN_OK);
	expect(&n.diags, "graph/undefined-tensor", ids[_i].pointer, ids[_i].subject,
		ids[_i].message);
	net_release(&n);
}
END_TEST

/* ---- a graph that is validated ---- */

CHANGE(no_output, n->graph.ops[0].outputs[0].i = TN_NONE)
CHANGE(no_op, n->graph.schedule[1].i = 2)
CHANGE(op_twice, n->graph.schedule[1].i = 0)

static const struct {
	void (*change)(struct net *);
	const char *rule, *pointer, *subject, *message;
} graphs[] = {
	{ no_output, "graph/missing-output", "/ops/0", "sum",
		"output 0 of 'sum' is absent" },
	{ no_op, "graph/schedule", "/schedule", NULL,
		"step 1 of the schedule names no op" },
	{ op_twice, "graph/schedule", "/schedule", "sum",
		"'sum' is twice in the schedule" },
};

START_TEST(graphs_are_looked_at)
{
	struct net n;

	net_arithmetic(&n);
	n.graph.ops[0].pointer = ops_at[0];
	graphs[_i].change(&n);
	ck_assert_int_eq(tn_validate(&n.graph, &n.diags), TN_ERR_INPUT);
	expect(&n.diags, graphs[_i].rule, graphs[_i].pointer, graphs[_i].subject,
		graphs[_i].message);
	net_release(&n);
}
END_TEST

/* A sample of the input has 126 bytes, one of the first result 336. */
static const struct {
	int64_t batch;
	const char *name, *message;
} batches[] = {
	{ INT64_MAX / 125, "in",
		"the batch cannot be scaled: the input 'in' is too large" },
	{ INT64_MAX / 335, "conv",
		"the batch cannot be scaled: 'conv' (CONV_2D) has too large an output" },
};

START_TEST(batches_of_all_memory)
{
	struct tn_graph scaled;
	struct net n;

	net_residual(&n);
	ck_assert_int_eq(
		tn_batch_scale(&n.graph, batches[_i].batch, &n.arena, &n.diags, &scaled),
		TN_ERR_INPUT);
	expect(&n.diags, "batch/fixed", "", batches[_i].name, batches[_i].message);
	net_release(&n);
}
END_TEST

/* ---- a kernel ---- */

static void beyond(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	(void)params;
	(void)in;
	(void)scratch;
	((uint8_t *)out[0])[40] = 1;
}

static void before(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	(void)params;
	(void)in;
	(void)scratch;
	((uint8_t *)out[0])[-16] = 1;
}

static int64_t where; /* of the byte that is written, from the start of the result */

static void somewhere(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	(void)params;
	(void)in;
	(void)scratch;
	((uint8_t *)out[0])[where] = 1;
}

/* The result of the sum is the first of the memory, or the last. */
static void put_at_end(struct net *n, bool first)
{
	struct tn_plan_region *r = &n->plan.regions[0];

	for (uint32_t i = 0; i < 4; i++)
		n->plan.tensors[i].offset += first ? 40 : 0;
	n->plan.tensors[2].offset = first ? 0 : r->used;
	r->used += 40;
}

/* Behind the ten floats that it is to write, or before them: between tensors that share
 * nothing, and behind a planned memory. */
START_TEST(kernels_are_watched)
{
	const struct tn_kernel_info own = { .symbol = "own",
		.run = _i & 1 ? before : beyond };
	const bool planned = _i & 2;
	struct tn_exec *e;
	struct net n;

	net_arithmetic(&n);
	net_plan(&n);
	if (planned)
		put_at_end(&n, _i & 1);
	ck_assert_int_eq(
		tn_exec_new(&n.graph, planned ? &n.plan : NULL, &n.arena, &n.diags, &e),
		TN_OK);
	e->program.ops[0].call.kernel = &own;
	ck_assert_int_eq(tn_exec_run(e, NULL, NULL), TN_ERR_INTERNAL);
	expect(&n.diags, "exec/guard", "", "sum",
		"op 'sum' wrote outside of its operands (own)");
	net_release(&n);
}
END_TEST

/* In memory of their own, tensors are aligned: what is between a gap and the next one is
 * nobody's, too. */
START_TEST(each_byte_around_a_tensor_is_watched)
{
	const struct tn_kernel_info own = { .symbol = "own", .run = somewhere };
	struct tn_exec *e;
	struct net n;

	where = _i < 0 ? _i : _i + 40;
	net_arithmetic(&n);
	ck_assert_int_eq(tn_exec_new(&n.graph, NULL, &n.arena, &n.diags, &e), TN_OK);
	ck_assert_int_gt(e->program.tensors[n.graph.ops[0].outputs[0].i].offset, 16);
	e->program.ops[0].call.kernel = &own;
	ck_assert_int_eq(tn_exec_run(e, NULL, NULL), TN_ERR_INTERNAL);
	expect(&n.diags, "exec/guard", "", "sum",
		"op 'sum' wrote outside of its operands (own)");
	net_release(&n);
}
END_TEST

/* ---- copies of a model's file with a plan ---- */

#define NO_COPY "no memory plan can be written into a copy of the file: "
#define PLACES	1000

static void write_copy(struct loaded *l, const struct tn_source *source,
	const int64_t *offsets, uint32_t n, enum tn_status status, const char *message)
{
	struct tn_strbuf out;

	tn_strbuf_init(&out);
	ck_assert_int_eq(tn_export_offline(source, offsets, n, &l->diags, &out), status);
	ck_assert_uint_eq(out.len, 0);
	tn_strbuf_release(&out);
	expect(&l->diags, "tflite/offline-plan", NULL, NULL, message);
}

static const struct {
	int64_t offset; /* of tensor 3 */
	uint32_t less; /* offsets than tensors */
	size_t bytes; /* of the file, 0: as it is; behind it are zeros */
	enum tn_status status;
	const char *message;
} copies[] = {
	{ 0, 1, 0, TN_ERR_INPUT, NO_COPY "its tensors are not those of the plan" },
	{ (int64_t)INT32_MAX + 1, 0, 0, TN_ERR_REFUSED,
		NO_COPY "an offset does not fit 31 bits" },
	{ 0, 0, INT32_MAX, TN_ERR_INPUT, NO_COPY "the copy would be larger than 2 GB" },
};

START_TEST(copies_have_limits)
{
	int64_t offsets[PLACES] = { 0 };
	struct tn_source source;
	struct loaded l;
	char *room = NULL;

	loaded_file(&l, tn_test_path("fixtures/models/small_cnn.tflite"), NULL);
	loaded_ok(&l, "small_cnn");
	ck_assert_uint_lt(l.graph.n_tensors, PLACES);
	source = *l.graph.source;
	if (copies[_i].bytes) {
		room = mmap(NULL, copies[_i].bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		ck_assert(room != MAP_FAILED);
		memcpy(room, source.text, source.len);
		source.text = room;
		source.len = copies[_i].bytes;
	}
	offsets[3] = copies[_i].offset;
	write_copy(&l, &source, offsets, l.graph.n_tensors - copies[_i].less,
		copies[_i].status, copies[_i].message);
	if (room)
		munmap(room, copies[_i].bytes);
	loaded_release(&l);
}
END_TEST

/* What tensor 0 is in the file: nothing, or what tensor 1 is, too. */
static const char *const values[] = { "/execution_plan/0/nothing", NULL };

START_TEST(programs_have_places)
{
	struct tn_program_place *places;
	struct tn_program_plan plan = { 0 };
	struct tn_strbuf out;
	struct loaded l;

	loaded_file(&l, tn_test_path("fixtures/foreign/executorch_bound.json"), NULL);
	loaded_ok(&l, "executorch_bound");
	places = TN_NEW_ARRAY(&l.arena, struct tn_program_place, l.graph.n_tensors);
	ck_assert_ptr_nonnull(places);
	memset(places, 0, l.graph.n_tensors * sizeof(*places));
	places[0].memory = places[1].memory = 1;
	plan.places = places;
	l.graph.tensors[0].pointer = values[_i] ? values[_i] : l.graph.tensors[1].pointer;
	tn_strbuf_init(&out);
	ck_assert_int_eq(
		tn_export_program_copy(&l.graph, &plan, &l.arena, &l.diags, &out),
		TN_ERR_INPUT);
	tn_strbuf_release(&out);
	expect(&l.diags, "plan/offsets", "/execution_plan/0", NULL,
		"there is no place for the plan here");
	loaded_release(&l);
}
END_TEST

#define N(array) (int)(sizeof(array) / sizeof(*(array)))

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("guards");
	TCase *tc = tcase_create("guards");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, ids_are_looked_at, 0, N(ids));
	tcase_add_loop_test(tc, graphs_are_looked_at, 0, N(graphs));
	tcase_add_loop_test(tc, batches_of_all_memory, 0, N(batches));
	tcase_add_loop_test(tc, kernels_are_watched, 0, 4);
	tcase_add_loop_test(tc, each_byte_around_a_tensor_is_watched, -16, 24);
	tcase_add_loop_test(tc, copies_have_limits, 0, N(copies));
	tcase_add_loop_test(tc, programs_have_places, 0, N(values));
	suite_add_tcase(s, tc);
	return s;
}
