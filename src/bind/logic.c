/* Relations, logic, selection, and the sum of many. */
#include <string.h>

#include "bind/binder.h"
#include "bind/dims.h"

#include "base/banned.h"

static int32_t relation_of(enum tn_op_kind kind)
{
	switch (kind) {
	case OP_EQUAL:
		return TN_EQUAL;
	case OP_NOT_EQUAL:
		return TN_NOT_EQUAL;
	case OP_GREATER:
		return TN_GREATER;
	case OP_GREATER_EQUAL:
		return TN_GREATER_EQUAL;
	case OP_LESS:
		return TN_LESS;
	default:
		return TN_LESS_EQUAL;
	}
}

static bool bind_compare_s8(struct tn_binder *b)
{
	struct tn_compare_s8_params *p = tn_binder_simple(b, KERNEL_COMPARE_S8, 2);
	struct tn_multiplier ma, mb;
	struct tn_scale sa, sb;

	if (!p || !tn_binder_broadcast(b, &p->shape) ||
		!tn_binder_scale(b, tn_binder_in(b, 0), &sa) ||
		!tn_binder_scale(b, tn_binder_in(b, 1), &sb) ||
		!tn_binder_multiplier(b, (double)sa.scale, &ma) ||
		!tn_binder_multiplier(b, (double)sb.scale, &mb))
		return false;
	p->relation = relation_of(b->op->kind);
	p->a_offset = -sa.zero_point;
	p->a_multiplier = ma.multiplier;
	p->a_shift = ma.shift;
	p->b_offset = -sb.zero_point;
	p->b_multiplier = mb.multiplier;
	p->b_shift = mb.shift;
	return true;
}

bool tn_bind_compare(struct tn_binder *b)
{
	const struct tn_tensor *x = tn_binder_in(b, 0), *y = tn_binder_in(b, 1);
	struct tn_compare_params *p;
	enum tn_kernel_id kernel;

	if (!x || !y)
		return false;
	if (x->dtype != y->dtype || tn_binder_out(b, 0)->dtype != DTYPE_BOOL)
		return tn_binder_no_types(b);
	switch (x->dtype) {
	case DTYPE_F32:
		kernel = KERNEL_COMPARE_F32;
		break;
	case DTYPE_I8:
		return bind_compare_s8(b);
	case DTYPE_I32:
	case DTYPE_I64:
	case DTYPE_BOOL:
		kernel = KERNEL_COMPARE_INT;
		break;
	default:
		return tn_binder_no_types(b);
	}
	p = tn_binder_simple(b, kernel, 2);
	if (!p)
		return false;
	p->relation = relation_of(b->op->kind);
	return tn_binder_broadcast(b, &p->shape) &&
	       tn_binder_element_size(b, x, &p->size);
}

bool tn_bind_logical(struct tn_binder *b)
{
	const struct tn_tensor *x = tn_binder_in(b, 0), *y = tn_binder_in(b, 1);
	struct tn_binary_params *p;

	if (!tn_binder_types(b, DTYPE_BOOL, DTYPE_BOOL))
		return false;
	if (b->op->kind == OP_LOGICAL_NOT) {
		struct tn_unary_params *u;

		if (x->elements != tn_binder_out(b, 0)->elements)
			return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
				"cannot run: its input and its output differ in size");
		u = tn_binder_simple(b, KERNEL_LOGICAL_NOT, 1);
		if (u)
			u->n = (int32_t)x->elements;
		return u != NULL;
	}
	if (!y || y->dtype != DTYPE_BOOL)
		return tn_binder_no_types(b);
	p = tn_binder_simple(b,
		b->op->kind == OP_LOGICAL_AND ? KERNEL_LOGICAL_AND : KERNEL_LOGICAL_OR,
		2);
	if (!p)
		return false;
	p->size = 1;
	return tn_binder_broadcast(b, &p->shape);
}

bool tn_bind_select(struct tn_binder *b)
{
	const struct tn_tensor *c = tn_binder_in(b, 0), *x = tn_binder_in(b, 1);
	const struct tn_tensor *y = tn_binder_in(b, 2), *out = tn_binder_out(b, 0);
	struct tn_select_params *p;
	struct tn_dims d;

	if (!c || !x || !y || !tn_dims_broadcast(b, 3, &d))
		return false;
	if (c->dtype != DTYPE_BOOL || x->dtype != out->dtype || y->dtype != out->dtype)
		return tn_binder_no_types(b);
	p = tn_binder_simple(b, KERNEL_SELECT, 3);
	if (!p)
		return false;
	p->rank = (int32_t)d.rank;
	memcpy(p->dim, d.dim, sizeof(p->dim));
	memcpy(p->stride_c, d.stride[0], sizeof(p->stride_c));
	memcpy(p->stride_a, d.stride[1], sizeof(p->stride_a));
	memcpy(p->stride_b, d.stride[2], sizeof(p->stride_b));
	return tn_binder_element_size(b, out, &p->size);
}

static bool bind_add_n_s8(struct tn_binder *b, uint32_t n)
{
	const int32_t left_shift = 20;
	struct tn_add_n_s8_params *p = tn_binder_simple(b, KERNEL_ADD_N_S8, n);
	struct tn_scale in, other, out;
	struct tn_multiplier mi, mo;
	double common;

	if (!p || !tn_binder_scale(b, tn_binder_in(b, 0), &in) ||
		!tn_binder_scale(b, tn_binder_out(b, 0), &out))
		return false;
	for (uint32_t k = 1; k < n; k++) {
		if (!tn_binder_scale(b, tn_binder_in(b, k), &other))
			return false;
		if (other.scale != in.scale || other.zero_point != in.zero_point)
			return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
				"has only a kernel for operands that are quantised "
				"alike");
	}
	common = 2.0 * (double)in.scale;
	if (!tn_binder_multiplier(b, (double)in.scale / common, &mi) ||
		!tn_binder_multiplier(
			b, common / ((double)(1 << left_shift) * (double)out.scale), &mo))
		return false;
	p->n = (int32_t)tn_binder_out(b, 0)->elements;
	p->operands = (int32_t)n;
	p->left_shift = left_shift;
	p->in_offset = -in.zero_point;
	p->in_multiplier = mi.multiplier;
	p->in_shift = mi.shift;
	p->out_offset = out.zero_point;
	p->out_multiplier = mo.multiplier;
	p->out_shift = mo.shift;
	return true;
}

bool tn_bind_add_n(struct tn_binder *b)
{
	const struct tn_tensor *out = tn_binder_out(b, 0);
	const uint32_t n = tn_op_operands(b->g, b->op);
	struct tn_add_n_f32_params *p;

	for (uint32_t k = 0; k < n; k++) {
		const struct tn_tensor *in = tn_binder_in(b, k);

		if (!in || in->dtype != out->dtype || in->elements != out->elements)
			return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
				"cannot run: operand %u differs in type or shape", k);
	}
	if (out->dtype == DTYPE_I8)
		return bind_add_n_s8(b, n);
	if (!tn_binder_types(b, DTYPE_F32, DTYPE_F32))
		return false;
	p = tn_binder_simple(b, KERNEL_ADD_N_F32, n);
	if (!p)
		return false;
	p->n = (int32_t)out->elements;
	p->operands = (int32_t)n;
	return true;
}
