/* BATCH_MATMUL. */
#include <string.h>

#include "bind/binder.h"
#include "bind/dims.h"

#include "base/banned.h"

/* Rows, depth and the strides of one side; `adjoint` swaps its last two dimensions. */
struct side {
	int64_t outer, inner, outer_stride, inner_stride;
};

static struct side side_of(const struct tn_shape *s, bool adjoint)
{
	int64_t rows = s->dim[s->rank - 2], columns = s->dim[s->rank - 1];

	if (adjoint)
		return (struct side){ columns, rows, 1, columns };
	return (struct side){ rows, columns, columns, 1 };
}

/* Strides of the batch dimensions of one operand, the output's batch dimensions being the
 * first `rank` of `out`. */
static bool batch_strides(const struct tn_shape *s, const struct tn_shape *out,
	uint32_t rank, int64_t stride[TN_RANK_MAX])
{
	struct tn_shape from = { s->rank - 2, { 0 } }, to = { rank, { 0 } };
	int64_t matrix = s->dim[s->rank - 2] * s->dim[s->rank - 1];

	memcpy(from.dim, s->dim, from.rank * sizeof(*from.dim));
	memcpy(to.dim, out->dim, rank * sizeof(*to.dim));
	if (!tn_shape_broadcast_strides(&from, &to, stride))
		return false;
	for (uint32_t d = 0; d < rank; d++)
		stride[d] *= matrix;
	return true;
}

static bool matmul_of(struct tn_binder *b, struct tn_matmul *m)
{
	const struct tn_tensor *x = tn_binder_in(b, 0), *y = tn_binder_in(b, 1);
	const struct tn_shape *out = &tn_binder_out(b, 0)->shape;
	int64_t x_stride[TN_RANK_MAX] = { 0 }, y_stride[TN_RANK_MAX] = { 0 };
	struct side left, right;
	struct tn_dims d;
	uint32_t batch;

	if (!x || !y)
		return false;
	if (x->shape.rank < 2 || y->shape.rank < 2 || out->rank < 2)
		return tn_binder_refuse(
			b, TN_RULE_NO_KERNEL, "needs operands of two dimensions or more");
	left = side_of(&x->shape, tn_op_int(b->op, "adj_x", 0) != 0);
	right = side_of(&y->shape, tn_op_int(b->op, "adj_y", 0) != 0);
	batch = out->rank - 2;
	if (left.inner != right.outer || out->dim[batch] != left.outer ||
		out->dim[batch + 1] != right.inner ||
		!batch_strides(&x->shape, out, batch, x_stride) ||
		!batch_strides(&y->shape, out, batch, y_stride))
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"cannot run: the shapes of its operands do not fit together");
	tn_dims_init(&d, 2);
	for (uint32_t i = 0; i < batch; i++) {
		const int64_t at[3] = { x_stride[i], y_stride[i], 0 };

		tn_dims_add(&d, out->dim[i], at);
	}
	tn_dims_finish(&d);
	m->batch.rank = (int32_t)d.rank;
	memcpy(m->batch.dim, d.dim, sizeof(m->batch.dim));
	memcpy(m->batch.stride_a, d.stride[0], sizeof(m->batch.stride_a));
	memcpy(m->batch.stride_b, d.stride[1], sizeof(m->batch.stride_b));
	m->rows = (int32_t)left.outer;
	m->columns = (int32_t)right.inner;
	m->depth = (int32_t)left.inner;
	m->a_row = (int32_t)left.outer_stride;
	m->a_step = (int32_t)left.inner_stride;
	m->b_column = (int32_t)right.inner_stride;
	m->b_step = (int32_t)right.outer_stride;
	return true;
}

/* The product of the two input scales is taken in single precision. */
static bool bind_int(struct tn_binder *b, const struct tn_matmul *matmul, bool wide)
{
	struct tn_matmul_params *p =
		tn_binder_simple(b, wide ? KERNEL_MATMUL_S16 : KERNEL_MATMUL_S8, 2);
	struct tn_scale x, y, out;
	struct tn_multiplier m;

	if (!p || !tn_binder_scale(b, tn_binder_in(b, 0), &x) ||
		!tn_binder_scale(b, tn_binder_in(b, 1), &y) ||
		!tn_binder_scale(b, tn_binder_out(b, 0), &out) ||
		!tn_binder_multiplier(
			b, (double)(x.scale * y.scale) / (double)out.scale, &m))
		return false;
	if (wide && (m.shift > 7 || x.zero_point || y.zero_point || out.zero_point))
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"has only a kernel for zero points 0 and ratios of scales below "
			"128");
	p->m = *matmul;
	p->a_offset = -x.zero_point;
	p->b_offset = -y.zero_point;
	p->multiplier = m.multiplier;
	p->shift = m.shift;
	p->out_offset = out.zero_point;
	return true;
}

bool tn_bind_matmul(struct tn_binder *b)
{
	struct tn_matmul_f32_params *p;
	struct tn_matmul m;
	enum tn_dtype dtype;

	if (!matmul_of(b, &m))
		return false;
	dtype = tn_binder_in(b, 0)->dtype;
	if (tn_binder_in(b, 1)->dtype != dtype || tn_binder_out(b, 0)->dtype != dtype)
		return tn_binder_no_types(b);
	if (dtype == DTYPE_I8 || dtype == DTYPE_I16)
		return bind_int(b, &m, dtype == DTYPE_I16);
	if (dtype != DTYPE_F32)
		return tn_binder_no_types(b);
	p = tn_binder_simple(b, KERNEL_MATMUL_F32, 2);
	if (p)
		p->m = m;
	return p != NULL;
}
