/* Plans, graphs and ops that are refused, by one change to what is taken: each message with
 * its rule, its place and its words. */
#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bind/program.h"
#include "bind/row_call.h"
#include "chain_plan.h"
#include "gen_chain.h"
#include "loaded.h"
#include "net.h"

/* ---- nets with their plans ---- */

static void arithmetic(struct net *n)
{
	net_arithmetic(n);
	net_plan(n);
}

static void residual(struct net *n)
{
	net_residual(n);
	net_plan(n);
}

static void views(struct net *n)
{
	net_views(n);
	net_plan(n);
}

/* The one sends its rows through rings to the other; the input comes at once, or by rows. */
static void chained(struct net *n, bool fed)
{
	static const struct chain_layer layers[] = {
		{ OP_CONV_2D, { 3, 2 }, { 1, 1 }, { 1, 1 }, 4, true },
		{ OP_DEPTHWISE_CONV_2D, { 3, 1 }, { 1, 1 }, { 1, 1 }, 0, true },
		{ OP_RELU, { 0 }, { 0 }, { 0 }, 0, false },
	};
	const int64_t dims[4] = { 1, 7, 3, 2 };
	struct chain_tables t;

	make_chain(n, DTYPE_I8, dims, layers, 3);
	chain_analyse(n, fed, &t);
	chain_plan(n, &t, (struct tn_stream_pick){ 0, 3 }, CHAIN_ASCENDING, &n->plan);
	ck_assert_uint_eq(n->plan.n_streams, 1);
	n->plan.streams[0] = chain_unrolled(&n->arena, n->plan.streams);
}

static void chain(struct net *n)
{
	chained(n, false);
}

static void fed(struct net *n)
{
	chained(n, true);
}

/* ---- changes ---- */

#define CHANGE(name, change)                                                             \
	static void name(struct net *n)                                                  \
	{                                                                                \
		change;                                                                  \
	}

static struct tn_plan_tensor *placed(struct net *n, const char *name)
{
	return &n->plan.tensors[net_find_tensor(n, name)];
}

static int64_t row_bytes(const struct net *n, tn_tensor_id id)
{
	const struct tn_tensor *t = &n->graph.tensors[id.i];

	return t->bytes / t->shape.dim[1];
}

/* The first event of the chain that is the caller's, or of an op. */
static struct tn_plan_event *event_of(struct net *n, bool caller)
{
	struct tn_plan_loop *l = n->plan.streams[0].loops;

	for (uint32_t i = 0; i < l->n_events; i++)
		if ((l->events[i].op == TN_PLAN_CALLER) == caller)
			return &l->events[i];
	ck_abort_msg("no such event");
	return NULL;
}

CHANGE(too_few_tensors, n->plan.n_tensors--)
CHANGE(too_few_ops, n->plan.n_ops--)
CHANGE(op_twice, n->plan.order[1] = n->plan.order[0])
CHANGE(op_out_of_range, n->plan.order[1] = UINT32_MAX - 1)
CHANGE(no_size, n->plan.regions[0].used = -1)
CHANGE(outside, n->plan.tensors[0].offset = n->plan.regions[0].used)
CHANGE(overflow, n->plan.tensors[0].offset = INT64_MAX - 15)
CHANGE(negative, n->plan.tensors[0].offset = -16)
CHANGE(no_place, n->plan.tensors[2].region = TN_REGION_NONE)
CHANGE(no_region, n->plan.tensors[2].region = 1)
CHANGE(other_size, n->plan.tensors[2].bytes--)
CHANGE(misaligned, n->plan.regions[0].used += 2; n->plan.tensors[2].offset += 2)
CHANGE(no_variant, n->plan.ops[0].hold = 7)
CHANGE(unknown_size, n->graph.tensors[2].bytes = -1)
CHANGE(view_past_all, placed(n, "sum_half")->region = TN_REGION_NONE;
	placed(n, "sum")->offset = INT64_MAX - 15)
CHANGE(no_range, n->graph.tensors[net_find_tensor(n, "sum_half")].view_offset = 6)

/* A variant of the op that needs scratch, or would. */
static struct tn_plan_op *with_scratch(struct net *n)
{
	struct tn_plan_op *op = &n->plan.ops[0];
	struct tn_variant all[TN_VARIANTS_MAX];
	uint32_t count = tn_contract_variants(&n->graph, (tn_op_id){ 0 }, all);

	for (uint32_t i = 0; i < count; i++) {
		int64_t need = tn_contract_scratch(&n->graph, (tn_op_id){ 0 }, all[i]);

		if (need == 0)
			continue;
		op->descending = all[i].descending;
		op->hold = (uint8_t)all[i].hold;
		op->scratch_bytes = need;
		op->scratch_offset = 0;
	}
	ck_assert_int_gt(op->scratch_bytes, 0);
	return op;
}

CHANGE(small_scratch, with_scratch(n)->scratch_bytes--)
CHANGE(scratch_outside, with_scratch(n)->scratch_offset = n->plan.regions[0].used)
CHANGE(scratch_misaligned, with_scratch(n)->scratch_offset = 1)
CHANGE(scratch_nowhere, with_scratch(n)->scratch_region = 1)

/* No graph that was validated writes a constant. */
static void written_constant(struct net *n)
{
	n->graph.tensors[2].role = ROLE_CONST;
	n->plan.tensors[2].region = TN_REGION_NONE;
}

static void not_by_rows(struct net *n)
{
	static struct tn_plan_stream whole;

	whole = (struct tn_plan_stream){ .first = net_find_op(n, "softmax"), .n = 1 };
	n->plan.streams = &whole;
	n->plan.n_streams = 1;
}

CHANGE(uneven_input, n->plan.tensors[n->graph.inputs[0].i].ring_bytes = 1)
CHANGE(uneven_output, n->plan.tensors[n->graph.ops[0].outputs[0].i].ring_bytes = 1)
CHANGE(long_ring, n->plan.tensors[n->graph.ops[0].outputs[0].i].ring_bytes =
			  8 * row_bytes(n, n->graph.ops[0].outputs[0]))
CHANGE(caller_of_none, event_of(n, false)->op = TN_PLAN_CALLER)
CHANGE(caller_behind, event_of(n, true)->y = 7)
CHANGE(caller_endless, event_of(n, true)->rows = INT64_MAX)
CHANGE(event_of_none, event_of(n, false)->op = n->graph.n_ops)
CHANGE(event_outside, n->plan.streams[0].n--)
CHANGE(row_behind, event_of(n, false)->y = 7)
CHANGE(row_before, event_of(n, false)->y = -1)
CHANGE(no_rows, event_of(n, false)->rows = 0)
CHANGE(not_an_input, n->plan.streams[0].input = n->graph.outputs[0].i)
CHANGE(ring_alone, n->plan.n_streams = 0)
CHANGE(input_ring, n->plan.tensors[n->graph.inputs[0].i].ring_bytes = row_bytes(
			   n, n->graph.inputs[0]))
CHANGE(output_ring, n->plan.tensors[n->graph.outputs[0].i].ring_bytes = row_bytes(
			    n, n->graph.outputs[0]))

static const struct {
	void (*make)(struct net *);
	void (*change)(struct net *);
	const char *kind, *name; /* NULL: of the graph */
	const char *why;
} refusals[] = {
	{ arithmetic, too_few_tensors, NULL, NULL,
		"it is for another number of tensors" },
	{ arithmetic, too_few_ops, NULL, NULL, "it is for another number of ops" },
	{ arithmetic, op_twice, NULL, NULL, "its order is not a permutation of the ops" },
	{ arithmetic, op_out_of_range, NULL, NULL,
		"its order is not a permutation of the ops" },
	{ arithmetic, no_size, NULL, NULL, "a region has a negative size" },
	{ arithmetic, outside, "tensor", "a", "it lies outside its region" },
	{ arithmetic, overflow, "tensor", "a", "it lies outside its region" },
	{ arithmetic, negative, "tensor", "a", "it lies outside its region" },
	{ arithmetic, no_place, "tensor", "c", "it has no place there" },
	{ arithmetic, no_region, "tensor", "c", "it has no such region" },
	{ arithmetic, other_size, "tensor", "c", "its size is another one" },
	{ arithmetic, misaligned, "tensor", "c",
		"its offset is not a multiple of the width of its elements" },
	{ arithmetic, unknown_size, "tensor", "c", "its size is not known" },
	{ views, view_past_all, "tensor", "sum_half", "it lies outside its region" },
	{ views, no_range, "tensor", "sum_half",
		"it is a view that is not one range of bytes" },
	{ residual, no_variant, "op", "conv", "no kernel has that variant" },
	{ residual, small_scratch, "op", "conv", "its scratch is too small" },
	{ residual, scratch_outside, "op", "conv",
		"its scratch lies outside its region or is not aligned" },
	{ residual, scratch_misaligned, "op", "conv",
		"its scratch lies outside its region or is not aligned" },
	{ residual, scratch_nowhere, "op", "conv",
		"its scratch lies outside its region or is not aligned" },
	{ residual, not_by_rows, "op", "softmax", "it does not run row by row" },
	{ fed, uneven_input, "op", "op0", "its input is a ring of no whole rows" },
	{ chain, uneven_output, "op", "op0", "its output is a ring of no whole rows" },
	{ chain, long_ring, "op", "op0", "its output is a ring of no whole rows" },
	{ chain, caller_of_none, NULL, NULL,
		"rows of an input come to a chain that has none such" },
	{ fed, caller_behind, NULL, NULL,
		"rows of an input come to a chain that has none such" },
	{ fed, caller_endless, NULL, NULL,
		"rows of an input come to a chain that has none such" },
	{ chain, event_of_none, NULL, NULL,
		"an event of a chain is of an op that is not in it" },
	{ chain, event_outside, NULL, NULL,
		"an event of a chain is of an op that is not in it" },
	{ chain, row_behind, "op", "op0", "it has no such rows" },
	{ chain, row_before, "op", "op0", "it has no such rows" },
	{ chain, no_rows, "op", "op0", "it has no such rows" },
	{ fed, not_an_input, NULL, NULL,
		"a chain is for rows of an input that has none" },
	{ chain, ring_alone, "op", "op0", "it uses a ring, and is in no chain" },
	{ chain, input_ring, "tensor", "t0", "an input that comes at once is a ring" },
	{ chain, output_ring, "tensor", "t7", "an output is a ring" },
};

/* The message, of that op or tensor; there may be others, as of a view whose whole is wrong. */
static void refused(struct net *n, const struct tn_plan *plan, const char *rule,
	const char *subject, const char *message)
{
	struct tn_program p;

	ck_assert_int_eq(tn_program_new(&n->graph, plan, false, &n->arena, &n->diags, &p),
		TN_ERR_INPUT);
	for (size_t i = 0; i < n->diags.list.count; i++) {
		const struct tn_diag *d = &n->diags.list.items[i];

		if (strcmp(d->message, message) != 0)
			continue;
		ck_assert_str_eq(d->rule, rule);
		ck_assert_str_eq(d->subject ? d->subject : "-", subject ? subject : "-");
		return;
	}
	ck_abort_msg("wanted: %s, said:\n%s", message, net_report(n));
}

START_TEST(a_plan_that_does_not_fit)
{
	struct tn_program p;
	char want[256];
	struct net n;

	refusals[_i].make(&n);
	ck_assert_msg(
		tn_program_new(&n.graph, &n.plan, false, &n.arena, &n.diags, &p) == TN_OK,
		"%s", net_report(&n));
	refusals[_i].change(&n);
	if (refusals[_i].name)
		snprintf(want, sizeof(want), "the plan does not fit %s '%s': %s",
			refusals[_i].kind, refusals[_i].name, refusals[_i].why);
	else
		snprintf(want, sizeof(want), "the plan does not fit the graph: %s",
			refusals[_i].why);
	refused(&n, &n.plan, "exec/plan-mismatch", refusals[_i].name, want);
	net_release(&n);
}
END_TEST

/* Without a plan: graphs that validation does not let through. */
static const struct {
	void (*make)(struct net *);
	void (*change)(struct net *);
	const char *name, *message;
} unplaced[] = {
	{ arithmetic, unknown_size, "c",
		"tensor 'c' has no place in memory: its size is not known" },
	{ views, no_range, "sum_half",
		"tensor 'sum_half' has no place in memory: it is a view that is not one "
		"range of bytes" },
	{ arithmetic, written_constant, "c",
		"op 'sum' writes tensor 'c', which has a value from the file and no "
		"place in memory" },
};

START_TEST(a_graph_without_a_plan)
{
	struct net n;

	unplaced[_i].make(&n);
	unplaced[_i].change(&n);
	refused(&n, NULL, "exec/no-place", unplaced[_i].name, unplaced[_i].message);
	net_release(&n);
}
END_TEST

START_TEST(rows_of_what_has_none)
{
	const struct tn_row_room room = { 1, 1 };
	struct tn_row_call call;
	tn_op_id softmax;
	struct net n;

	net_residual(&n);
	softmax.i = net_find_op(&n, "softmax");
	ck_assert_int_eq(
		tn_bind_rows(&n.graph, softmax, tn_variant_first(&n.graph, softmax),
			false, room, &n.arena, &n.diags, &call),
		TN_ERR_REFUSED);
	ck_assert_str_eq(
		net_report(&n), "'softmax' does not run row by row [exec/no-kernel]\n");
	ck_assert_str_eq(n.diags.list.items[0].subject, "softmax");
	net_release(&n);
}
END_TEST

/* ---- ops that have a kernel, and with one change have none: what the file says then is not
 * what the kernel computes ---- */

#define NO_ROWS		   "has only a kernel along the last dimension"
#define NO_PAD		   "cannot run: the padding is not SAME or VALID"
#define NO_NHWC		   "cannot run: its layout is not NHWC"
#define NO_TRANSPOSED_NHWC NO_NHWC ", and the order of such a kernel is not known"
#define NO_DILATION	   "cannot run: its filter is dilated"
#define NO_UNIT		   "has only a kernel whose output has scale 1/128, zero point 0"
#define NO_RESCALING	   "has only a kernel for input and output that are quantised alike"
#define NO_OFFSETS	   "has only a kernel for weights around 0"

#define TEXT(name, value)                                                                \
	{                                                                                \
		name, ATTR_STRING, { .s = value }, 1                                     \
	}
#define INT(name, value)                                                                 \
	{                                                                                \
		name, ATTR_INT, { .i = value }, 1                                        \
	}
#define REAL(name, value)                                                                \
	{                                                                                \
		name, ATTR_FLOAT, { .f = value }, 1                                      \
	}
#define INTS(name, ...)                                                                  \
	{                                                                                \
		name, ATTR_INTS, { .ints = (const int64_t[]){ __VA_ARGS__ } },           \
			sizeof((const int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t)       \
	}

#define OPS "fixtures/kernels/ops.json"

/* By an attribute; why NULL: there is a kernel all the same. */
static const struct {
	const char *op;
	struct tn_attr attr;
	const char *why;
	bool opaque; /* nothing is known of the order of its steps, either */
} worded[] = {
	{ "transpose_conv_i8", TEXT("pad", "VALID"), NULL, false },
	{ "transpose_conv_i8", INTS("dilation", 1, 1), NULL, false },
	{ "transpose_conv_i8", TEXT("layout", "NHWC"), NULL, false },
	{ "transpose_conv_i8", TEXT("pad", "EXPLICIT"), NO_PAD, true },
	{ "transpose_conv_i8", TEXT("pad", "SAMe"), NO_PAD, true },
	{ "transpose_conv_i8", TEXT("pad", "SAME_LOWER"), NO_PAD, true },
	{ "transpose_conv_i16", INTS("pad", 0, 0, 0, 0), NO_PAD, true },
	{ "transpose_conv_f32", TEXT("pad", ""), NO_PAD, true },
	{ "transpose_conv_i8", INTS("dilation", 2, 2), NO_DILATION, true },
	{ "transpose_conv_i16", INTS("dilation", 1, 2), NO_DILATION, true },
	{ "transpose_conv_f32", INT("dilation", 3), NO_DILATION, true },
	{ "transpose_conv_f32", TEXT("dilation", "1"), NO_DILATION, true },
	{ "transpose_conv_f32", TEXT("layout", "NCHW"), NO_TRANSPOSED_NHWC, true },
	{ "transpose_conv_i8", INT("layout", 1), NO_TRANSPOSED_NHWC, true },
	{ "resize_nearest_i8", TEXT("layout", "NHWC"), NULL, false },
	{ "resize_nearest_i8", TEXT("layout", "NCHW"), NO_NHWC, true },
	{ "bilinear_i8", TEXT("layout", "NHWC"), NULL, false },
	{ "bilinear_i8", TEXT("layout", "NCHW"), NO_NHWC, true },
	{ "bilinear_f32", TEXT("layout", "NHWC"), NULL, false },
	{ "bilinear_f32", TEXT("layout", "NCHW"), NO_NHWC, true },
	{ "depth_to_space_i16", TEXT("layout", "NHWC"), NULL, false },
	{ "depth_to_space_i16", TEXT("layout", "NCHW"), NO_NHWC, true },
	{ "space_to_depth_f32", TEXT("layout", "NHWC"), NULL, false },
	{ "space_to_depth_f32", TEXT("layout", "NCHW"), NO_NHWC, true },
	{ "elu_i8", REAL("alpha", 1.0), NULL, false },
	{ "elu_i8", REAL("alpha", 0.5), "has only a kernel with alpha 1", false },
	{ "elu_f32", INT("alpha", 2), "has only a kernel with alpha 1", false },
	{ "elu_f32", TEXT("alpha", "1"), "has only a kernel with alpha 1", false },
	{ "elu_f32", REAL("alpha", NAN), "has only a kernel with alpha 1", false },
	{ "softmax_i8", INT("axis", -1), NULL, false },
	{ "softmax_i8", INT("axis", 0), NO_ROWS, true },
	{ "softmax_i16", INT("axis", -1), NULL, false },
	{ "softmax_i16", INT("axis", 0), NO_ROWS, true },
	{ "softmax_f32", INT("axis", -1), NULL, false },
	{ "softmax_f32", INT("axis", 0), NO_ROWS, true },
	{ "log_softmax_i8", INT("axis", -1), NULL, false },
	{ "log_softmax_i8", INT("axis", 0), NO_ROWS, true },
	{ "log_softmax_f32", INT("axis", -1), NULL, false },
	{ "log_softmax_f32", INT("axis", 0), NO_ROWS, true },
	{ "l2_norm_i8", INT("axis", -1), NULL, false },
	{ "l2_norm_i8", INT("axis", 0), NO_ROWS, true },
	{ "l2_norm_f32", INT("axis", -1), NULL, false },
	{ "l2_norm_f32", INT("axis", 0), NO_ROWS, true },
	{ "softmax_f32", INTS("axis", -1), NULL, false },
	{ "softmax_f32", INTS("axis", -1, -1), NO_ROWS, true },
	{ "softmax_f32", INTS("axis", -2, -1), NO_ROWS, true },
	{ "softmax_f32", INT("axis", 7), NO_ROWS, true },
	{ "softmax_f32", TEXT("axis", "-1"), NO_ROWS, true },
	{ "layer_norm_f32_plain", INTS("axis", -1), NULL, false },
	{ "layer_norm_f32_plain", INTS("axis", -2, -1),
		"cannot run: its axis is none of the input's", true },
	{ "softmax_i8", REAL("beta", NAN), "needs beta * scale above 2^-26, which is nan",
		false },
	{ "softmax_i8_i16", REAL("beta", NAN),
		"needs beta * scale above 2^-26, which is nan", false },
	{ "softmax_i16", REAL("beta", NAN),
		"needs a ratio of scales of nan, which fixed point does not reach",
		false },
	{ "lstm_i8", TEXT("activation", "TANH"), NULL, true },
	{ "lstm_i8", TEXT("activation", "TANH_OF_HALF"),
		"has no kernel with activation 'TANH_OF_HALF'", true },
	{ "lstm_i16", TEXT("activation", "T"), "has no kernel with activation 'T'",
		true },
	{ "lstm_f32", TEXT("activation", "TRELU"),
		"has no kernel with activation 'TRELU'", true },
	{ "lstm_f32", TEXT("activation", ""), "has no kernel with activation ''", true },
};

/* By a scale: of input k, or of the output. */
#define OUTPUT UINT32_MAX

static const struct {
	const char *op;
	uint32_t operand;
	float scale; /* 0: as it is */
	int64_t zero_point;
	const char *why;
} scaled[] = {
	{ "l2_norm_i8", OUTPUT, 1.0f / 128, 0, NULL },
	{ "l2_norm_i8", OUTPUT, 1.0f / 64, 0, NO_UNIT },
	{ "l2_norm_i8", OUTPUT, 0.0078f, 0, NO_UNIT },
	{ "l2_norm_i8", OUTPUT, 1.0f / 128, 1, NO_UNIT },
	{ "l2_norm_i8", OUTPUT, 1.0f / 128, -128, NO_UNIT },
	{ "average_pool_2d_i8_same", OUTPUT, 0.1f, 0, NO_RESCALING },
	{ "average_pool_2d_i8_same", OUTPUT, 0.0f, 77, NO_RESCALING },
	{ "average_pool_2d_i16_same", 0, 0.1f, 0, NO_RESCALING },
	{ "max_pool_2d_i8_same", 0, 0.1f, 0, NO_RESCALING },
	{ "max_pool_2d_i8_same", 0, 0.0f, 77, NO_RESCALING },
	{ "max_pool_2d_i16_same", OUTPUT, 0.1f, 0, NO_RESCALING },
	{ "max_pool_2d_i16_same", OUTPUT, 0.0f, 1, NO_RESCALING },
	{ "svdf_i8", 1, 0.0f, 0, NULL },
	{ "svdf_i8", 1, 0.0f, 1, NO_OFFSETS },
	{ "svdf_i8", 2, 0.0f, -128, NO_OFFSETS },
	{ "svdf_i8_i16", 1, 0.0f, -1, NO_OFFSETS },
	{ "svdf_i8_i16", 2, 0.0f, 300, NO_OFFSETS },
	{ "lstm_i8", 1, 0.0f, 1, NO_OFFSETS },
	{ "lstm_i16", 8, 0.0f, -1, NO_OFFSETS },
};

static tn_op_id load_op(struct loaded *l, const char *name)
{
	tn_op_id id = { 0 };

	loaded_file(l, tn_test_path(OPS), NULL);
	loaded_ok(l, OPS);
	while (id.i < l->graph.n_ops && strcmp(l->graph.ops[id.i].name, name) != 0)
		id.i++;
	ck_assert_msg(id.i < l->graph.n_ops, "there is no %s", name);
	return id;
}

/* It has a kernel, or for this reason none. */
static void is_bound(struct loaded *l, tn_op_id id, const char *why)
{
	const struct tn_variant plain = { .hold = HOLD_NONE };
	const size_t before = l->diags.list.count;
	const struct tn_op *op = &l->graph.ops[id.i];
	const struct tn_diag *d;
	struct tn_call call;
	const enum tn_status status =
		tn_bind(&l->graph, id, plain, &l->arena, &l->diags, &call);
	char want[256];

	ck_assert_msg(status == (why ? TN_ERR_REFUSED : TN_OK), "%s: %d: %s", op->name,
		(int)status, loaded_report(l));
	ck_assert_uint_eq(l->diags.list.count - before, why != NULL);
	if (!why)
		return;
	d = &l->diags.list.items[before];
	snprintf(want, sizeof(want), "%s %s", op->type, why);
	ck_assert_str_eq(d->message, want);
	ck_assert_str_eq(d->rule, "exec/no-kernel");
	ck_assert_str_eq(d->subject, op->name);
}

START_TEST(what_an_attribute_says)
{
	struct tn_variant all[TN_VARIANTS_MAX];
	struct tn_attr *attrs;
	struct tn_op *op;
	uint32_t variants;
	struct loaded l;
	tn_op_id id = load_op(&l, worded[_i].op);

	is_bound(&l, id, NULL);
	variants = tn_contract_variants(&l.graph, id, all);
	op = &l.graph.ops[id.i];
	attrs = TN_NEW_ARRAY(&l.arena, struct tn_attr, op->n_attrs + 1);
	ck_assert(attrs != NULL);
	attrs[0] = worded[_i].attr; /* the first of a name counts */
	memcpy(attrs + 1, op->attrs, op->n_attrs * sizeof(*attrs));
	op->attrs = attrs;
	op->n_attrs++;
	is_bound(&l, id, worded[_i].why);
	ck_assert_uint_eq(tn_contract_variants(&l.graph, id, all),
		worded[_i].opaque ? 0 : variants);
	loaded_release(&l);
}
END_TEST

START_TEST(what_a_scale_says)
{
	struct tn_tensor *t;
	struct tn_op *op;
	struct loaded l;
	tn_op_id id = load_op(&l, scaled[_i].op);
	float scale;
	int64_t zero_point = scaled[_i].zero_point;

	is_bound(&l, id, NULL);
	op = &l.graph.ops[id.i];
	t = &l.graph.tensors[scaled[_i].operand == OUTPUT
				     ? op->outputs[0].i
				     : op->inputs[scaled[_i].operand].i];
	ck_assert_uint_eq(t->quant.n, 1);
	scale = scaled[_i].scale > 0.0f ? scaled[_i].scale : t->quant.scale[0];
	t->quant.scale = &scale;
	t->quant.zero_point = &zero_point;
	is_bound(&l, id, scaled[_i].why);
	loaded_release(&l);
}
END_TEST

START_TEST(an_lstm_with_two_outputs)
{
	static const char *const names[] = { "lstm_i8", "lstm_i16", "lstm_f32" };
	tn_tensor_id outputs[2];
	struct loaded l;
	tn_op_id id = load_op(&l, names[_i]);
	struct tn_op *op = &l.graph.ops[id.i];

	outputs[0] = op->outputs[0];
	outputs[1] = op->inputs[18]; /* the state, say */
	op->outputs = outputs;
	op->n_outputs = 2;
	is_bound(&l, id, "has only a kernel with one output");
	loaded_release(&l);
}
END_TEST

START_TEST(an_empty_input)
{
	static const char *const names[] = { "arg_max_i8", "arg_max_f32", "cumsum_i8",
		"cumsum_f32" };
	struct tn_tensor *in;
	struct loaded l;
	tn_op_id id = load_op(&l, names[_i]);

	is_bound(&l, id, NULL);
	in = &l.graph.tensors[l.graph.ops[id.i].inputs[0].i];
	in->shape.dim[0] = in->elements = in->bytes = 0;
	is_bound(&l, id, "cannot run: an empty input");
	loaded_release(&l);
}
END_TEST

#define N(array) (int)(sizeof(array) / sizeof(*(array)))

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("bind");
	TCase *tc = tcase_create("bind");

	tcase_add_loop_test(tc, a_plan_that_does_not_fit, 0, N(refusals));
	tcase_add_loop_test(tc, a_graph_without_a_plan, 0, N(unplaced));
	tcase_add_test(tc, rows_of_what_has_none);
	tcase_add_loop_test(tc, what_an_attribute_says, 0, N(worded));
	tcase_add_loop_test(tc, what_a_scale_says, 0, N(scaled));
	tcase_add_loop_test(tc, an_lstm_with_two_outputs, 0, 3);
	tcase_add_loop_test(tc, an_empty_input, 0, 4);
	suite_add_tcase(s, tc);
	return s;
}
