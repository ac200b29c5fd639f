#include "ir/graph.h"

#include <string.h>

#include "base/checked.h"

const struct tn_attr *tn_op_attr(const struct tn_op *op, const char *name)
{
	for (uint32_t i = 0; i < op->n_attrs; i++)
		if (strcmp(op->attrs[i].name, name) == 0)
			return &op->attrs[i];
	return NULL;
}

int64_t tn_op_int(const struct tn_op *op, const char *name, int64_t otherwise)
{
	const struct tn_attr *a = tn_op_attr(op, name);

	return a && (a->kind == ATTR_INT || a->kind == ATTR_BOOL) ? a->v.i : otherwise;
}

double tn_op_float(const struct tn_op *op, const char *name, double otherwise)
{
	const struct tn_attr *a = tn_op_attr(op, name);

	if (a && a->kind == ATTR_FLOAT)
		return a->v.f;
	return a && a->kind == ATTR_INT ? (double)a->v.i : otherwise;
}

const char *tn_op_string(const struct tn_op *op, const char *name, const char *otherwise)
{
	const struct tn_attr *a = tn_op_attr(op, name);

	return a && a->kind == ATTR_STRING ? a->v.s : otherwise;
}

int64_t tn_op_int_at(
	const struct tn_op *op, const char *name, size_t k, int64_t otherwise)
{
	const struct tn_attr *a = tn_op_attr(op, name);

	if (a && a->kind == ATTR_INTS && k < a->n)
		return a->v.ints[k];
	return a && a->kind == ATTR_INT && k == 0 ? a->v.i : otherwise;
}

static bool contains(const tn_tensor_id *list, uint32_t n, tn_tensor_id id)
{
	for (uint32_t i = 0; i < n; i++)
		if (list[i].i == id.i)
			return true;
	return false;
}

uint32_t tn_op_operands(const struct tn_graph *g, const struct tn_op *op)
{
	uint32_t n = op->n_inputs;

	while (n && op->inputs[n - 1].i < g->n_tensors &&
		g->tensors[op->inputs[n - 1].i].role == ROLE_SCRATCH)
		n--;
	return n;
}

bool tn_tensor_is_constant(const struct tn_tensor *t)
{
	return t->role == ROLE_CONST ||
	       (t->data_kind != DATA_NONE && t->role != ROLE_VARIABLE);
}

bool tn_graph_is_input(const struct tn_graph *g, tn_tensor_id id)
{
	return contains(g->inputs, g->n_inputs, id);
}

bool tn_graph_is_output(const struct tn_graph *g, tn_tensor_id id)
{
	return contains(g->outputs, g->n_outputs, id);
}

bool tn_tensor_span(const struct tn_tensor *t, int64_t *begin, int64_t *end)
{
	int64_t low = 0, high = 0, bits = tn_dtype_bits(t->dtype);

	*begin = 0;
	*end = t->elements == 0 ? 0 : t->bytes;
	if (t->elements == 0 || !t->has_strides)
		return true;
	for (uint32_t i = 0; i < t->shape.rank; i++) {
		int64_t reach;

		if (!tn_mul_i64(t->shape.dim[i] - 1, t->stride[i], &reach) ||
			!tn_add_i64(
				reach < 0 ? low : high, reach, reach < 0 ? &low : &high))
			return false;
	}
	if (!tn_add_i64(high, 1, &high) || !tn_mul_i64(low, bits, &low) ||
		!tn_mul_i64(high, bits, &high) || !tn_add_i64(high, 7, &high))
		return false;
	*begin = low / 8;
	*end = high / 8;
	return low % 8 == 0;
}

bool tn_tensor_int(const struct tn_tensor *t, int64_t index, int64_t *out)
{
	int bits = tn_dtype_bits(t->dtype);
	size_t width = (size_t)bits / 8;
	uint64_t raw = 0;
	bool is_signed = t->dtype == DTYPE_I8 || t->dtype == DTYPE_I16 ||
			 t->dtype == DTYPE_I32 || t->dtype == DTYPE_I64;
	bool is_unsigned = t->dtype == DTYPE_U8 || t->dtype == DTYPE_U16 ||
			   t->dtype == DTYPE_U32 || t->dtype == DTYPE_BOOL;

	if (t->data_kind != DATA_BYTES || !tn_tensor_is_constant(t) ||
		!(is_signed || is_unsigned) || index < 0 || index >= t->elements ||
		(index + 1) * (int64_t)width > t->data_bytes)
		return false;
	for (size_t i = 0; i < width; i++)
		raw |= (uint64_t)t->data[(size_t)index * width + i] << (8 * i);
	if (is_signed && bits < 64 && (raw >> (bits - 1)) & 1)
		raw |= ~UINT64_C(0) << bits;
	memcpy(out, &raw, sizeof(raw));
	return true;
}
