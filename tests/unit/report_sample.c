#include "report_sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Also used outside of a test runner. */
static void must(bool condition)
{
	if (condition)
		return;
	fputs("the sample cannot be made\n", stderr);
	abort();
}

static const struct {
	const char *name;
	int64_t dim[5]; /* -1 ends */
	enum tn_role role;
	bool clobber;
} tensors[S_TENSORS] = {
	[S_X] = { "x", { 1, 8, 8, 4, -1 }, ROLE_INPUT, true },
	[S_GAIN] = { "gain", { 1, 8, 8, 8, -1 }, ROLE_INPUT, false },
	[S_W1] = { "conv1/weights", { 8, 3, 3, 4, -1 }, ROLE_CONST, false },
	[S_A] = { "conv1/out", { 1, 8, 8, 8, -1 }, ROLE_ACT, false },
	[S_B] = { "relu1/out", { 1, 8, 8, 8, -1 }, ROLE_ACT, false },
	[S_W2] = { "dw2/weights", { 1, 3, 3, 8, -1 }, ROLE_CONST, false },
	[S_C] = { "dw2/out", { 1, 8, 8, 8, -1 }, ROLE_ACT, false },
	[S_D] = { "add3/out", { 1, 8, 8, 8, -1 }, ROLE_ACT, false },
	[S_M] = { "mul4/out", { 1, 8, 8, 8, -1 }, ROLE_ACT, false },
	[S_E] = { "flat", { 1, 512, -1 }, ROLE_ACT, false },
	[S_W3] = { "fc6/weights", { 10, 512, -1 }, ROLE_CONST, false },
	[S_F] = { "fc6/out", { 1, 10, -1 }, ROLE_ACT, false },
	[S_Y] = { "y", { 1, 10, -1 }, ROLE_OUTPUT, false },
};

static const struct {
	const char *name;
	enum tn_op_kind kind;
	uint32_t in[3]; /* TN_NONE ends */
	uint32_t out;
	int64_t kernel;
} ops[S_OPS] = {
	[S_CONV] = { "conv1", OP_CONV_2D, { S_X, S_W1, TN_NONE }, S_A, 3 },
	[S_RELU] = { "relu1", OP_RELU, { S_A, TN_NONE }, S_B, 0 },
	[S_DW] = { "dw2", OP_DEPTHWISE_CONV_2D, { S_B, S_W2, TN_NONE }, S_C, 3 },
	[S_ADD] = { "add3", OP_ADD, { S_C, S_B, TN_NONE }, S_D, 0 },
	[S_MUL] = { "mul4", OP_MUL, { S_D, S_GAIN, TN_NONE }, S_M, 0 },
	[S_RESHAPE] = { "flatten", OP_RESHAPE, { S_M, TN_NONE }, S_E, 0 },
	[S_FC] = { "fc6", OP_FULLY_CONNECTED, { S_E, S_W3, TN_NONE }, S_F, 0 },
	[S_SOFTMAX] = { "softmax", OP_SOFTMAX, { S_F, TN_NONE }, S_Y, 0 },
};

static const char *intern(struct sample *s, const char *text)
{
	const char *kept = tn_str_intern(&s->strings, text, strlen(text));

	must(kept != NULL);
	return kept;
}

static void add_tensor(struct sample *s, uint32_t i, const char *name)
{
	const struct tn_path list = { NULL, "tensors", 0 }, at = { &list, NULL, i };
	struct tn_tensor *t = tn_build_tensor(&s->b, &at);

	t->name = intern(s, name ? name : tensors[i].name);
	t->dtype = DTYPE_I8;
	t->role = tensors[i].role;
	t->clobber = tensors[i].clobber;
	for (t->shape.rank = 0; tensors[i].dim[t->shape.rank] >= 0; t->shape.rank++)
		t->shape.dim[t->shape.rank] = tensors[i].dim[t->shape.rank];
	if (t->role == ROLE_CONST)
		t->data_kind = DATA_MISSING;
	if (t->role == ROLE_INPUT)
		must(tn_vec_push(&s->arena, &s->b.inputs, (tn_tensor_id){ i }));
	if (t->role == ROLE_OUTPUT)
		must(tn_vec_push(&s->arena, &s->b.outputs, (tn_tensor_id){ i }));
}

static void add_op(struct sample *s, uint32_t i, const char *name)
{
	const struct tn_path list = { NULL, "ops", 0 }, at = { &list, NULL, i };
	struct tn_op *op = tn_build_op(&s->b, &at);
	const int64_t ones[2] = { 1, 1 }, kernel[2] = { ops[i].kernel, ops[i].kernel };

	op->name = intern(s, name ? name : ops[i].name);
	op->kind = ops[i].kind;
	op->type = tn_op_info(op->kind)->name;
	op->inputs = TN_NEW_ARRAY(&s->arena, tn_tensor_id, 3);
	op->outputs = TN_NEW_ARRAY(&s->arena, tn_tensor_id, 1);
	while (ops[i].in[op->n_inputs] != TN_NONE) {
		op->inputs[op->n_inputs].i = ops[i].in[op->n_inputs];
		op->n_inputs++;
	}
	op->outputs[op->n_outputs++].i = ops[i].out;
	if (ops[i].kernel) {
		tn_build_attr_ints(&s->b, "kernel", kernel, 2);
		tn_build_attr_ints(&s->b, "stride", ones, 2);
		tn_build_attr_string(&s->b, "pad", "SAME");
	}
}

static const int64_t offsets[S_TENSORS] = {
	[S_X] = 352,
	[S_GAIN] = 1024,
	[S_C] = 512,
	[S_D] = 512,
	[S_M] = 512,
	[S_E] = 512,
	[S_F] = 640,
	[S_Y] = 640,
};

static void lay_out(struct sample *s)
{
	struct tn_plan *p = &s->plan;

	p->n_tensors = s->g.n_tensors;
	p->n_ops = s->g.n_ops;
	p->tensors = TN_NEW_ARRAY(&s->arena, struct tn_plan_tensor, p->n_tensors);
	p->ops = TN_NEW_ARRAY(&s->arena, struct tn_plan_op, p->n_ops);
	p->order = TN_NEW_ARRAY(&s->arena, uint32_t, p->n_ops);
	p->regions = TN_NEW_ARRAY(&s->arena, struct tn_plan_region, 1);
	for (uint32_t i = 0; i < p->n_tensors; i++) {
		const struct tn_span *span = &s->live.tensor[i];

		p->tensors[i] = (struct tn_plan_tensor){ .region = 0,
			.offset = offsets[i],
			.bytes = s->g.tensors[i].bytes,
			.first = span->first,
			.last = span->last };
		if (tensors[i].role == ROLE_CONST)
			p->tensors[i].region = TN_REGION_NONE;
	}
	for (uint32_t i = 0; i < p->n_ops; i++)
		p->order[i] = i;
	p->ops[S_RESHAPE].elided = true;
	p->ops[S_CONV] = (struct tn_plan_op){ .hold = HOLD_PIXEL, .scratch_bytes = 8 };
	p->ops[S_CONV].scratch_offset = 624;
	p->ops[S_FC] = (struct tn_plan_op){ .hold = HOLD_PIXEL, .scratch_bytes = 10 };
	p->ops[S_FC].scratch_offset = 0;
	p->n_regions = 1;
	p->regions[0] = (struct tn_plan_region){
		.name = "arena", .capacity = 2048, .used = 1536, .align = 16, .cost = 1
	};
	p->arena_bytes = p->activation_bytes = p->bound_bytes = 1536;
	p->scratch_bytes = 10;
	p->optimal = true;
	p->overlap = OVERLAP_FULL;
	p->no_reuse_bytes = 256 + 6 * 512 + 2 * 16;
	p->disjoint_bound_bytes = 2048;
	p->digests = (struct tn_plan_digests){ 1, 2, 3, 4 };
}

void sample_make(struct sample *s, const char *tensor_name, const char *op_name)
{
	memset(s, 0, sizeof(*s));
	tn_arena_init(&s->arena);
	tn_strings_init(&s->strings, &s->arena);
	tn_diags_init(&s->diags, &s->arena);
	tn_build_init(&s->b, &s->arena, &s->strings, &s->diags, NULL);
	for (uint32_t i = 0; i < S_TENSORS; i++)
		add_tensor(s, i, tensor_name);
	for (uint32_t i = 0; i < S_OPS; i++)
		add_op(s, i, op_name);
	s->g.name = "sample";
	must(tn_build_finish(&s->b, &s->g) == TN_OK);
	must(tn_order_given(&s->g, &s->arena, &s->order) == TN_OK);
	must(tn_aliases_find(&s->g, &s->arena, &s->aliases) == TN_OK);
	must(tn_liveness_find(&s->g, &s->order, &s->aliases, &s->arena, &s->live) ==
		TN_OK);
	must(tn_inplace_judge(&s->g, &s->order, &s->aliases, &s->live, &s->arena,
		     &s->inplace) == TN_OK);
	lay_out(s);
	s->view = (struct tn_view){ .file = "models/sample.json",
		.g = &s->g,
		.order = &s->order,
		.aliases = &s->aliases,
		.live = &s->live,
		.inplace = &s->inplace,
		.plan = &s->plan,
		.diags = &s->diags,
		.verified = true };
}

void sample_release(struct sample *s)
{
	tn_arena_release(&s->arena);
}
