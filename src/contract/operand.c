#include "contract/operand.h"

#include <string.h>

#include "base/banned.h"

static bool is_unary(const struct tn_op *op)
{
	return op->n_inputs > 0 && op->n_outputs == 1 && op->inputs[0].i != TN_NONE &&
	       op->outputs[0].i != TN_NONE;
}

/* A view of its first input that the graph declares: nothing runs. Of an op that has a
 * kernel the attribute says nothing, the kernel would run all the same. */
static bool is_idle(const struct tn_storage *s, const struct tn_op *op)
{
	const struct tn_extent *in, *out;

	if (!is_unary(op) || s->g->tensors[op->outputs[0].i].view_of.i == TN_NONE)
		return false;
	in = &s->extent[op->inputs[0].i];
	out = &s->extent[op->outputs[0].i];
	return in->root == out->root &&
	       ((op->kind == OP_UNKNOWN && tn_op_int(op, "view", 0)) ||
		       (tn_op_info(op->kind)->access == ACCESS_VIEW &&
			       !tn_op_has_own_kernel(op) && in->begin == out->begin &&
			       in->end == out->end));
}

bool tn_op_keeps_bytes(const struct tn_graph *g, const struct tn_op *op)
{
	const struct tn_tensor *in, *out;

	if (!is_unary(op) || tn_op_info(op->kind)->access != ACCESS_VIEW ||
		tn_op_has_own_kernel(op))
		return false;
	in = &g->tensors[op->inputs[0].i];
	out = &g->tensors[op->outputs[0].i];
	/* a view of elements below a byte may start inside one */
	return in->dtype == out->dtype && in->bytes == out->bytes && !in->has_strides &&
	       !out->has_strides &&
	       (tn_dtype_bits(in->dtype) % 8 == 0 ||
		       (in->view_of.i == TN_NONE && out->view_of.i == TN_NONE));
}

static bool same_scale(const struct tn_quant *a, const struct tn_quant *b)
{
	if (a->n != b->n || a->n > 1)
		return false;
	return !a->n || (memcmp(a->scale, b->scale, sizeof(*a->scale)) == 0 &&
				a->zero_point[0] == b->zero_point[0]);
}

bool tn_op_moves_elements(const struct tn_graph *g, const struct tn_op *op)
{
	const bool cast = op->kind == OP_CAST;
	const struct tn_tensor *out;

	if (!op->n_outputs || op->outputs[0].i == TN_NONE ||
		(tn_op_info(op->kind)->access != ACCESS_MAP && !cast) ||
		strcmp(tn_op_string(op, "activation", "NONE"), "NONE") != 0)
		return false;
	out = &g->tensors[op->outputs[0].i];
	for (uint32_t k = 0; k < op->n_inputs + op->n_outputs; k++) {
		bool input = k < op->n_inputs;
		tn_tensor_id id = input ? op->inputs[k] : op->outputs[k - op->n_inputs];
		const struct tn_tensor *t = id.i == TN_NONE ? NULL : &g->tensors[id.i];

		/* what to copy, and how, is said by constants; of CAST it is the value */
		if (input && (!t || (!cast && (t->role == ROLE_CONST ||
						      t->data_kind != DATA_NONE))))
			continue;
		if (!t || t->dtype != out->dtype || !same_scale(&t->quant, &out->quant))
			return false;
	}
	return true;
}

/* Does the op still read the input when it has begun to write an output over it? */
static bool reads_again(const struct tn_storage *s, const struct tn_op *op, uint32_t k)
{
	const struct tn_extent *in = &s->extent[op->inputs[k].i], *out;
	bool met = false;

	for (uint32_t i = 0; i < op->n_outputs; i++) {
		if (op->outputs[i].i == TN_NONE)
			continue;
		out = &s->extent[op->outputs[i].i];
		met = met || (out->root == in->root && out->begin < in->end &&
				     in->begin < out->end);
	}
	return met && tn_op_reads_again(s->g, op, k);
}

static void describe(const struct tn_storage *s, const struct tn_op *op, bool opaque,
	uint32_t k, struct tn_operand *o)
{
	bool output = k >= op->n_inputs;
	const struct tn_tensor *tensor;

	o->tensor = (output ? op->outputs[k - op->n_inputs] : op->inputs[k]).i;
	if (o->tensor == TN_NONE)
		return;
	tensor = &s->g->tensors[o->tensor];
	o->at = s->extent[o->tensor];
	/* what an opaque op leaves of its output as it was, and what lies between the
	 * strides of one, must have been right before */
	o->reads = !output || opaque || tensor->has_strides;
	o->strict = !output && !tensor->has_strides;
	/* recurrent kernels update the state that they are given as an input */
	o->writes = output || (opaque && s->g->tensors[o->at.root].role == ROLE_VARIABLE);
	o->destroys = !output && tn_op_destroys(s->g, op, k);
	o->scratch = s->g->tensors[o->at.root].role == ROLE_SCRATCH;
	o->again = !output && !o->scratch && reads_again(s, op, k);
	o->tail = output ? tn_op_tail(op) : 0;
	if (!o->writes && !o->destroys && s->constant[o->at.root])
		o->at.end = o->at.begin;
}

/* Scratch that only an attribute names. */
static void describe_named(const struct tn_storage *s, const struct tn_op *op, size_t i,
	struct tn_operand *o)
{
	o->tensor = tn_op_scratch(s->g, op, i).i;
	o->scratch = o->tensor != TN_NONE;
	if (o->scratch)
		o->at = s->extent[o->tensor];
}

struct tn_operands *tn_operands_find(const struct tn_storage *s, struct tn_arena *arena)
{
	const struct tn_graph *g = s->g;
	struct tn_operands *all = TN_NEW_ARRAY(arena, struct tn_operands, g->n_ops);

	for (uint32_t i = 0; all && i < g->n_ops; i++) {
		const struct tn_op *op = &g->ops[i];
		const uint32_t operands = op->n_inputs + op->n_outputs;
		struct tn_variant variants[TN_VARIANTS_MAX];

		all[i].opaque = !tn_contract_variants(g, (tn_op_id){ i }, variants);
		if (!is_idle(s, op))
			all[i].n = operands + (uint32_t)tn_op_n_scratch(op);
		all[i].list = TN_NEW_ARRAY(arena, struct tn_operand, all[i].n);
		if (!all[i].list)
			return NULL;
		for (uint32_t k = 0; k < all[i].n; k++)
			if (k < operands)
				describe(s, op, all[i].opaque, k, &all[i].list[k]);
			else
				describe_named(s, op, k - operands, &all[i].list[k]);
	}
	return all;
}
