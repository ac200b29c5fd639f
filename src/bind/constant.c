/* Ops whose output binding knows, or that only spread one element. */
#include "bind/binder.h"
#include "bind/dims.h"

/* Operand 0 of the call is `bytes` bytes that binding made. */
static void *made(struct tn_binder *b, int64_t bytes)
{
	void *data = tn_binder_array(b, (size_t)bytes, 1);

	b->call->in[0].data = data;
	b->call->in[0].data_bytes = bytes;
	return data;
}

bool tn_bind_fill(struct tn_binder *b)
{
	const struct tn_tensor *out = tn_binder_out(b, 0), *value = tn_binder_in(b, 1);
	struct tn_copy_params *p = tn_binder_call(b, KERNEL_FILL, 1, 1);

	if (!p || !value)
		return false;
	if (value->dtype != out->dtype || value->elements != 1)
		return tn_binder_refuse(
			b, TN_RULE_NO_KERNEL, "needs one value of its output's type");
	tn_binder_use(b, 0, 1);
	tn_binder_give(b, 0, 0);
	p->n = (int32_t)out->elements;
	return tn_binder_element_size(b, out, &p->size);
}

/* Zero bytes, whatever the zero point. */
bool tn_bind_zeros_like(struct tn_binder *b)
{
	const struct tn_tensor *out = tn_binder_out(b, 0);
	struct tn_copy_params *p = tn_binder_call(b, KERNEL_FILL, 1, 1);

	if (!p || !made(b, 8))
		return false;
	tn_binder_give(b, 0, 0);
	p->n = (int32_t)out->elements;
	return tn_binder_element_size(b, out, &p->size);
}

bool tn_bind_shape(struct tn_binder *b)
{
	const struct tn_tensor *in = tn_binder_in(b, 0), *out = tn_binder_out(b, 0);
	struct tn_copy_params *p = tn_binder_call(b, KERNEL_COPY, 1, 1);
	uint8_t *data;

	if (!p || !in)
		return false;
	if ((out->dtype != DTYPE_I32 && out->dtype != DTYPE_I64) ||
		out->elements != in->shape.rank)
		return tn_binder_no_types(b);
	if (!tn_binder_element_size(b, out, &p->size))
		return false;
	data = made(b, out->bytes);
	if (!data)
		return false;
	for (uint32_t d = 0; d < in->shape.rank; d++)
		for (int32_t k = 0; k < p->size; k++)
			*data++ = (uint8_t)((uint64_t)in->shape.dim[d] >> (8 * k));
	tn_binder_give(b, 0, 0);
	p->n = (int32_t)out->elements;
	return true;
}

bool tn_bind_broadcast_args(struct tn_binder *b)
{
	const struct tn_tensor *x = tn_binder_in(b, 0), *y = tn_binder_in(b, 1);
	const struct tn_tensor *out = tn_binder_out(b, 0);
	struct tn_broadcast_args_params *p;

	if (!x || !y || x->dtype != DTYPE_I32 || y->dtype != DTYPE_I32 ||
		out->dtype != DTYPE_I32)
		return tn_binder_no_types(b);
	if (out->elements != (x->elements > y->elements ? x->elements : y->elements))
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"cannot run: its output's shape is not what its operands give");
	p = tn_binder_simple(b, KERNEL_BROADCAST_ARGS, 2);
	if (!p)
		return false;
	p->n_a = (int32_t)x->elements;
	p->n_b = (int32_t)y->elements;
	p->n = (int32_t)out->elements;
	return true;
}
