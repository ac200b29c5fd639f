/* What is known about the kernel of an op: by its type, and by its attributes. */
#include <string.h>

#include "base/banned.h"
#include "base/checked.h"
#include "claims/model.h"
#include "claims/training.h"
#include "ir/type_name.h"

/* Types of the native vocabulary that is about memory. All others are ops of op.def, or
 * opaque. */
static const struct {
	const char *type;
	enum tn_kernel_kind kind;
	bool copies;
} types[] = {
	{ "Abs", KERNEL_POINT, false },
	{ "Accumulate", KERNEL_POINT, false },
	{ "Add", KERNEL_POINT, false },
	{ "AddC", KERNEL_POINT, false },
	{ "AddN", KERNEL_POINT, false },
	{ "Assign", KERNEL_POINT, true },
	{ "Broadcast", KERNEL_POINT, true },
	{ "Cast", KERNEL_POINT, false },
	{ "CastLinear", KERNEL_POINT, true },
	{ "Clip", KERNEL_POINT, false },
	{ "Clone", KERNEL_POINT, true },
	{ "Concat", KERNEL_CONCAT, true },
	{ "Conv", KERNEL_OPAQUE, false },
	{ "Copy", KERNEL_POINT, true },
	{ "DUS", KERNEL_UPDATE, true },
	{ "DWConv", KERNEL_PLANE, false },
	{ "Dequant", KERNEL_POINT, false },
	{ "Div", KERNEL_POINT, false },
	{ "Fill", KERNEL_FILL, false },
	{ "Fused", KERNEL_OPAQUE, false },
	{ "Gate", KERNEL_POINT, true },
	{ "Gather", KERNEL_OPAQUE, false },
	{ "Glu", KERNEL_POINT, false },
	{ "Identity", KERNEL_POINT, true },
	{ "LayerNorm", KERNEL_ROW, false },
	{ "MatMul", KERNEL_OPAQUE, false },
	{ "Mul", KERNEL_POINT, false },
	{ "Mutate", KERNEL_POINT, false },
	{ "Neg", KERNEL_POINT, false },
	{ "Pool", KERNEL_OPAQUE, false },
	{ "Quant", KERNEL_POINT, false },
	{ "ReduceAll", KERNEL_OPAQUE, false },
	{ "ReduceSum", KERNEL_REDUCE, false },
	{ "Relu", KERNEL_POINT, false },
	{ "ReluGrad", KERNEL_POINT, false },
	{ "Reshape", KERNEL_POINT, true },
	{ "Scatter", KERNEL_UPDATE, true },
	{ "ShiftDUS", KERNEL_SHIFT, true },
	{ "Sigmoid", KERNEL_POINT, false },
	{ "SigmoidGrad", KERNEL_POINT, false },
	{ "Sin", KERNEL_POINT, false },
	{ "Slice", KERNEL_SLICE, true },
	{ "Softmax", KERNEL_ROW, false },
	{ "Split", KERNEL_SPLIT, true },
	{ "Sub", KERNEL_POINT, false },
	{ "Transpose", KERNEL_TRANSPOSE, true },
};

bool tn_kernel_may_be_view(const struct tn_op *op)
{
	const enum tn_access_class access = tn_op_info(op->kind)->access;

	if (!tn_op_int(op, "view", 0))
		return false;
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (strcmp(types[i].type, op->type) == 0)
			return types[i].copies;
	return op->kind == OP_UNKNOWN || access == ACCESS_VIEW || access == ACCESS_MAP;
}

/* Of one operand, these give the operand back. */
static const char *const identities_of_one[] = { "AddN", "Max", "Min", "Sum", "Mean" };

static bool contains(const char *text, const char *word)
{
	size_t n = strlen(word);

	for (; *text; text++) {
		size_t i = 0;

		while (i < n && text[i] && (text[i] | 32) == word[i])
			i++;
		if (i == n)
			return true;
	}
	return false;
}

static bool flag(const struct tn_op *op, const char *name)
{
	return tn_op_int(op, name, 0) != 0;
}

/* The operand that an attribute names; an attribute that is only true means the first. */
static uint32_t named_operand(
	const struct tn_model *m, const struct tn_op *op, const char *attr)
{
	const char *name = tn_op_string(op, attr, NULL);

	for (uint32_t k = 0; name && k < op->n_inputs; k++)
		if (op->inputs[k].i != TN_NONE &&
			strcmp(m->g->tensors[op->inputs[k].i].name, name) == 0)
			return k;
	return !name && flag(op, attr) && op->n_inputs ? 0 : TN_NONE;
}

bool tn_kernel_reads_target(const struct tn_kernel *k, uint32_t operand)
{
	return k->target == KERNEL_ANY_TARGET ||
	       (k->target != TN_NONE && k->target == operand);
}

static bool read_destroys(struct tn_model *m, const struct tn_op *op, struct tn_kernel *k)
{
	uint32_t *list = TN_NEW_ARRAY(m->arena, uint32_t, op->n_inputs);

	if (!list)
		return false;
	for (uint32_t i = 0; i < op->n_inputs; i++)
		if (tn_op_destroys(m->g, op, i))
			list[k->n_destroys++] = i;
	k->destroys = list;
	return true;
}

/* What is named twice is there once. */
static void add_new(uint32_t *list, uint32_t *n, uint32_t tensor)
{
	for (uint32_t i = 0; i < *n; i++)
		if (list[i] == tensor)
			return;
	list[(*n)++] = tensor;
}

static bool read_scratch(struct tn_model *m, const struct tn_op *op, struct tn_kernel *k)
{
	const struct tn_attr *a = tn_op_attr(op, "scratch");
	size_t n = a && a->kind == ATTR_STRINGS ? a->n : a && a->kind == ATTR_STRING;
	uint32_t *list = TN_NEW_ARRAY(m->arena, uint32_t, n);

	if (!list)
		return false;
	for (size_t i = 0; i < n; i++) {
		const char *name = a->kind == ATTR_STRING ? a->v.s : a->v.strings[i];

		/* when there is no work left, no claim is proved */
		if (!tn_work_take(m->work, (int64_t)m->g->n_tensors + k->n_scratch))
			break;
		for (uint32_t t = 0; t < m->g->n_tensors; t++)
			if (strcmp(m->g->tensors[t].name, name) == 0) {
				add_new(list, &k->n_scratch, t);
				break;
			}
	}
	k->scratch = list;
	return true;
}

/* Which operand a copy copies. An Assign may name its target among its inputs. */
static uint32_t copied_operand(const struct tn_op *op)
{
	for (uint32_t k = 0; k < op->n_inputs; k++)
		if (op->n_inputs < 2 || !op->n_outputs ||
			op->inputs[k].i != op->outputs[0].i)
			return k;
	return 0;
}

static bool same_quantization(const struct tn_tensor *a, const struct tn_tensor *b)
{
	if (a->quant.n != b->quant.n)
		return false;
	for (uint32_t i = 0; i < a->quant.n; i++)
		if (memcmp(&a->quant.scale[i], &b->quant.scale[i], sizeof(float)) != 0 ||
			a->quant.zero_point[i] != b->quant.zero_point[i])
			return false;
	return true;
}

/* Elements move only when both ends hold them in the same way. */
static bool find_moves(struct tn_model *m, const struct tn_op *op, struct tn_kernel *k)
{
	bool *moves = TN_NEW_ARRAY(m->arena, bool, op->n_inputs), any = false;
	const struct tn_tensor *out = op->n_outputs && op->outputs[0].i != TN_NONE
					      ? &m->g->tensors[op->outputs[0].i]
					      : NULL;

	if (!moves)
		return false;
	for (uint32_t i = 0; i < op->n_inputs && out && k->copies; i++) {
		const struct tn_tensor *in;

		if (op->inputs[i].i == TN_NONE)
			continue;
		in = &m->g->tensors[op->inputs[i].i];
		moves[i] = tn_dtype_bits(in->dtype) == tn_dtype_bits(out->dtype) &&
			   same_quantization(in, out);
		any = any || moves[i];
	}
	k->copies = any;
	k->moves = moves;
	return true;
}

static void find_kind(
	const struct tn_model *m, tn_op_id id, bool valid, struct tn_kernel *k)
{
	const struct tn_op *op = &m->g->ops[id.i];
	struct tn_variant variants[TN_VARIANTS_MAX];
	const struct tn_op_info *info = tn_op_info(op->kind);
	uint32_t n;

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (strcmp(types[i].type, op->type) == 0 ||
			(op->kind == OP_UNKNOWN && tn_op_says_in_place(op) &&
				tn_type_same(types[i].type, op->type))) {
			k->kind = types[i].kind;
			k->copies = types[i].copies;
			return;
		}
	n = valid && k->target == TN_NONE && !k->accumulates
		    ? tn_contract_variants(m->g, id, variants)
		    : 0;
	for (uint32_t i = 0; i < n; i++) {
		if (variants[i].hold != HOLD_NONE || variants[i].descending != k->desc)
			continue;
		k->kind = KERNEL_CONTRACT;
		k->variant = variants[i];
		/* what is clamped on its way is not what it was */
		k->copies = (info->access == ACCESS_MAP || info->access == ACCESS_VIEW) &&
			    strcmp(tn_op_string(op, "activation", "NONE"), "NONE") == 0;
		return;
	}
	k->kind = KERNEL_OPAQUE;
	k->unknown_type = op->kind == OP_UNKNOWN;
	/* a type that the native vocabulary does not define reads all for each element, as
	 * said there; of the built-in kernel of an op only the contract says anything */
	k->any_time = valid && op->kind != OP_UNKNOWN;
}

static bool identity_of_one(const struct tn_model *m, const struct tn_op *op)
{
	const struct tn_tensor *in, *out;

	if (op->n_inputs != 1 || op->n_outputs != 1 || op->inputs[0].i == TN_NONE ||
		op->outputs[0].i == TN_NONE)
		return false;
	in = &m->g->tensors[op->inputs[0].i];
	out = &m->g->tensors[op->outputs[0].i];
	if (in->dtype != out->dtype || in->elements != out->elements)
		return false;
	if (strcmp(op->type, "Cast") == 0 || strcmp(op->type, "CAST") == 0)
		return true;
	for (size_t i = 0; i < sizeof(identities_of_one) / sizeof(char *); i++)
		if (strcmp(identities_of_one[i], op->type) == 0)
			return true;
	return false;
}

/* Does a view op run no code: is its output where its input is? */
static bool runs_no_code(const struct tn_model *m, uint32_t op)
{
	const struct tn_form *in = tn_model_operand(m, op, 0), *out;

	if (!m->g->ops[op].n_inputs || !m->g->ops[op].n_outputs)
		return false;
	out = tn_model_operand(m, op, m->g->ops[op].n_inputs);
	return tn_kernel_may_be_view(&m->g->ops[op]) && in && out &&
	       in->root == out->root;
}

/* An in-place op of a framework, on the very storage that it reads. */
static bool writes_its_operand(const struct tn_model *m, uint32_t op)
{
	const struct tn_op *o = &m->g->ops[op];
	const struct tn_form *in = tn_model_operand(m, op, 0);
	const struct tn_form *out = tn_model_operand(m, op, o->n_inputs);

	return tn_op_says_in_place(o) && o->n_inputs && o->n_outputs && in && out &&
	       in->root == out->root;
}

/* Outputs that nobody reads come last: what they overlap is then lost for sure. */
static bool order_outputs(struct tn_model *m, const struct tn_op *op, struct tn_kernel *k)
{
	uint32_t *order = TN_NEW_ARRAY(m->arena, uint32_t, op->n_outputs), n = 0;

	if (!order)
		return false;
	for (int dead = 0; dead < 2; dead++)
		for (uint32_t i = 0; i < op->n_outputs; i++) {
			uint32_t t = op->outputs[i].i;

			if ((t != TN_NONE && m->dead[t]) == (dead == 1))
				order[n++] = i;
		}
	k->order = order;
	return true;
}

/* Bytes: behind all else, and still countable in bits. */
#define TAIL_MAX (INT64_MAX / 128)

static void read_facts(
	const struct tn_model *m, const struct tn_op *op, struct tn_kernel *k)
{
	k->desc = tn_op_order(op) == OP_ORDER_DESCENDING;
	k->buffered = flag(op, "buffered");
	k->row_buffered = flag(op, "row_buffered");
	k->channel_buffered = flag(op, "channel_buffered");
	k->prezero = flag(op, "prezero");
	k->always_copy = flag(op, "always_copy");
	k->scratch_live = tn_op_int(op, "scratch_live", 1) != 0;
	k->accumulates = strcmp(op->type, "Accumulate") == 0 || flag(op, "accumulate");
	k->gradient = contains(op->type, "grad") || contains(op->type, "backward") ||
		      flag(op, "backward");
	k->yields = !op->n_outputs &&
		    (contains(op->type, "yield") || contains(op->type, "return") ||
			    contains(op->type, "output"));
	k->passes = tn_op_int(op, "passes", 1);
	if (k->passes < 1)
		k->passes = 1;
	if (k->passes > 2) /* what the second does not break, the third does not */
		k->passes = 2;
	k->align = tn_op_int(op, "align", 1);
	if (k->align < 1)
		k->align = 1;
	k->tail = tn_min_i64(tn_op_tail(op), TAIL_MAX) * 8;
	k->scratch_required = tn_op_int(op, "scratch_required", -1);
	k->tied = named_operand(m, op, "tied");
	k->target = named_operand(m, op, "reads_target");
	if (flag(op, "reads_target"))
		k->target = k->tied != TN_NONE ? k->tied : KERNEL_ANY_TARGET;
}

static void make_opaque(struct tn_kernel *k)
{
	k->kind = KERNEL_OPAQUE;
	k->copies = false;
	k->source = TN_NONE;
}

/* The steps of that variant of the built-in kernel. */
static void take_loop(
	const struct tn_model *m, uint32_t op, struct tn_variant v, struct tn_kernel *k)
{
	struct tn_variant list[TN_VARIANTS_MAX];
	uint32_t n = tn_contract_variants(m->g, (tn_op_id){ op }, list);

	make_opaque(k);
	for (uint32_t i = 0; i < n; i++) {
		if (list[i].descending != v.descending || list[i].hold != v.hold)
			continue;
		k->kind = KERNEL_CONTRACT;
		k->variant = list[i];
		return;
	}
}

/* Whose kernel runs? The native format speaks of kernels by type and attributes, and a
 * TFLite file's ops have the loops of the reference kernels; all else has to be declared. */
static void apply_declared(
	const struct tn_model *m, uint32_t op, struct tn_kernel *k, bool valid)
{
	const struct tn_op *o = &m->g->ops[op];
	bool foreign = m->g->format == FORMAT_FOREIGN ||
		       (o->kind == OP_UNKNOWN && (m->g->format != FORMAT_NATIVE ||
							 tn_op_attr(o, "in_place")));

	if (k->kind == KERNEL_VIEW)
		return;
	if (valid && m->said && m->said[op].said) {
		k->said = true;
		k->unknown_type = k->any_time = false;
		k->desc = m->said[op].variant.descending;
		take_loop(m, op, m->said[op].variant, k);
		k->any_time = k->kind == KERNEL_OPAQUE;
		return;
	}
	k->declared = tn_declared_find(m->declared, m->g, op);
	if (!k->declared) {
		k->undeclared = foreign;
		k->buffered = k->buffered || foreign;
		return;
	}
	k->unknown_type = k->any_time = false;
	k->desc = k->declared->descending;
	switch (k->declared->access) {
	case DECLARED_ELEMENT:
		k->kind = KERNEL_POINT;
		break;
	case DECLARED_LOOP:
		if (valid)
			take_loop(m, op,
				(struct tn_variant){
					k->declared->descending, k->declared->hold },
				k);
		else
			make_opaque(k);
		break;
	case DECLARED_BUFFERED:
	case DECLARED_DISPLACEMENT:
		k->buffered = true;
		break;
	case DECLARED_UPDATE:
		make_opaque(k);
		k->any_time = true;
		k->tied = 0;
		break;
	case DECLARED_UNSAFE:
		make_opaque(k);
		k->any_time = true;
		break;
	}
}

/* Operands whose role says that they are scratch, as runtimes with planned scratch have
 * them. What a delegate does with several of its own is its secret. */
static bool add_scratch_operands(
	struct tn_model *m, const struct tn_op *op, struct tn_kernel *k)
{
	uint32_t *list;

	if (op->kind == OP_UNKNOWN && (k->unknown_type || k->undeclared || k->declared))
		return true;
	list = TN_NEW_ARRAY(m->arena, uint32_t, k->n_scratch + op->n_inputs);
	if (!list)
		return false;
	for (uint32_t i = 0; i < k->n_scratch; i++)
		list[i] = k->scratch[i];
	k->scratch = list;
	for (uint32_t i = 0; i < op->n_inputs; i++) {
		const uint32_t t = op->inputs[i].i;

		if (t != TN_NONE && m->g->tensors[t].role == ROLE_SCRATCH)
			add_new(list, &k->n_scratch, t);
	}
	return true;
}

enum tn_status tn_kernel_init(struct tn_model *m, uint32_t op, bool valid)
{
	const struct tn_op *o = &m->g->ops[op];
	struct tn_kernel *k = &m->kernel[op];

	*k = (struct tn_kernel){ .source = TN_NONE };
	read_facts(m, o, k);
	if (!read_destroys(m, o, k) || !read_scratch(m, o, k) || !order_outputs(m, o, k))
		return TN_ERR_NOMEM;
	find_kind(m, (tn_op_id){ op }, valid, k);
	if (identity_of_one(m, o)) {
		k->kind = KERNEL_POINT;
		k->copies = true;
	}
	if (k->unknown_type && writes_its_operand(m, op))
		k->buffered = true; /* it is what it was made for */
	if (!find_moves(m, o, k))
		return TN_ERR_NOMEM;
	if (k->kind == KERNEL_POINT && k->copies)
		k->source = copied_operand(o);
	if (runs_no_code(m, op))
		k->kind = KERNEL_VIEW;
	/* a kernel that reads its target at will moves nothing element by element, and an
	 * operand of unknown size has no elements that could be counted */
	if (k->target == KERNEL_ANY_TARGET && k->kind != KERNEL_VIEW)
		make_opaque(k);
	for (uint32_t i = 0; i < o->n_inputs + o->n_outputs; i++) {
		const struct tn_form *f = tn_model_operand(m, op, i);

		if (f && !f->known && k->kind != KERNEL_VIEW)
			make_opaque(k);
	}
	apply_declared(m, op, k, valid);
	return add_scratch_operands(m, o, k) ? TN_OK : TN_ERR_NOMEM;
}
