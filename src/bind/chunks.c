/* Tensors side by side, or one in parts. */
#include "base/checked.h"
#include "bind/binder.h"
#include "bind/dims.h"

/* The whole and its parts along an axis: `outer` times one run of each part. */
static bool bind_chunks(struct tn_binder *b, enum tn_kernel_id kernel, bool split,
	uint32_t whole_index, int64_t axis)
{
	const struct tn_tensor *whole =
		split ? tn_binder_in(b, whole_index) : tn_binder_out(b, 0);
	uint32_t n = split ? b->op->n_outputs : b->op->n_inputs;
	struct tn_chunks_params *p =
		tn_binder_call(b, kernel, split ? 1 : n, split ? n : 1);
	int32_t *run = tn_binder_array(b, n, sizeof(*run));
	int64_t outer = 1, total = 0;

	if (!p || !run || !whole)
		return false;
	if (axis < 0)
		axis += whole->shape.rank;
	if (axis < 0 || axis >= whole->shape.rank)
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"cannot run: axis %lld of %u dimensions", (long long)axis,
			whole->shape.rank);
	for (int64_t d = 0; d < axis; d++)
		outer *= whole->shape.dim[d];
	for (uint32_t k = 0; k < n; k++) {
		const struct tn_tensor *part =
			split ? tn_binder_out(b, k) : tn_binder_in(b, k);

		if (!part || part->dtype != whole->dtype ||
			(outer && part->elements % outer) ||
			!tn_add_i64(total, part->elements, &total))
			return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
				"cannot run: part %u differs in type or shape", k);
		run[k] = outer ? (int32_t)(part->elements / outer) : 0;
		if (split)
			tn_binder_give(b, k, k);
		else
			tn_binder_use(b, k, k);
	}
	if (total != whole->elements)
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"cannot run: parts of %lld elements for %lld", (long long)total,
			(long long)whole->elements);
	if (split)
		tn_binder_use(b, 0, whole_index);
	else
		tn_binder_give(b, 0, 0);
	p->outer = (int32_t)outer;
	p->n_runs = n;
	p->run = run;
	return tn_binder_element_size(b, whole, &p->size);
}

/* Bytes are moved as they are, so all scales must be one. */
static bool one_scale(struct tn_binder *b)
{
	const struct tn_tensor *out = tn_binder_out(b, 0);
	const struct tn_quant *q = &out->quant;

	for (uint32_t k = 0; q->n == 1 && k < b->op->n_inputs; k++) {
		const struct tn_tensor *in = tn_binder_in(b, k);

		if (!in || in->quant.n != 1)
			continue;
		if (q->damaged || in->quant.damaged)
			return tn_binder_refuse(b, TN_RULE_DAMAGED_SCALE,
				"needs equal scales, whose bits the file has lost");
		if (in->quant.scale[0] != q->scale[0] ||
			in->quant.zero_point[0] != q->zero_point[0])
			return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
				"has only a kernel for operands that are quantised "
				"alike");
	}
	return true;
}

bool tn_bind_concatenation(struct tn_binder *b)
{
	float min, max;

	if (!tn_binder_activation_f32(b, &min, &max))
		return false;
	if (tn_activation_find(tn_op_string(b->op, "activation", "NONE"))->has_min)
		return tn_binder_refuse(
			b, TN_RULE_NO_KERNEL, "has no kernel with activation");
	return one_scale(b) &&
	       bind_chunks(b, KERNEL_CONCAT, false, 0, tn_op_int(b->op, "axis", 0));
}

bool tn_bind_pack(struct tn_binder *b)
{
	return bind_chunks(b, KERNEL_CONCAT, false, 0, tn_op_int(b->op, "axis", 0));
}

bool tn_bind_unpack(struct tn_binder *b)
{
	return bind_chunks(b, KERNEL_SPLIT, true, 0, tn_op_int(b->op, "axis", 0));
}

/* SPLIT has its axis first; both have it as an attribute in graphs without it. */
bool tn_bind_split(struct tn_binder *b)
{
	bool leading = b->op->kind == OP_SPLIT && b->op->n_inputs == 2;
	uint32_t axis_operand = leading ? 0 : b->op->kind == OP_SPLIT_V ? 2 : 1;
	int64_t axis;
	uint32_t n;

	if (!tn_binder_ints(b, axis_operand, "axis", &axis, 1, &n) || n != 1)
		return false;
	return bind_chunks(b, KERNEL_SPLIT, true, leading ? 1 : 0, axis);
}
