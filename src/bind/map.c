/* Ops that move elements along a table for each dimension: mirrored borders, resizing to
 * the nearest neighbour. */
#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "bind/binder.h"
#include "bind/dims.h"
#include "kernels/ref/float_math.h"

#include "base/banned.h"

/* Input coordinate of output coordinate `i` in dimension `d`. */
typedef int64_t coordinate_fn(const void *user, uint32_t d, int64_t i);

/* Starts the call. Trailing dimensions that are copied whole become one run. */
static bool bind_mapped(struct tn_binder *b, coordinate_fn *coordinate, const void *user)
{
	const struct tn_shape *in = &tn_binder_in(b, 0)->shape;
	const struct tn_shape *out = &tn_binder_out(b, 0)->shape;
	struct tn_mapped_params *p = tn_binder_simple(b, KERNEL_MAPPED, 1);
	int64_t stride[TN_RANK_MAX], run = 1, entries = 0;
	uint32_t rank = out->rank;
	int32_t *table;

	if (!p || !tn_binder_element_size(b, tn_binder_in(b, 0), &p->size))
		return false;
	tn_shape_strides(in, stride);
	for (; rank > 1; rank--) {
		int64_t n = out->dim[rank - 1];
		bool whole = n == in->dim[rank - 1];

		for (int64_t i = 0; whole && i < n; i++)
			whole = coordinate(user, rank - 1, i) == i;
		if (!whole)
			break;
		run *= n;
	}
	for (uint32_t d = 0; d < rank; d++)
		entries += out->dim[d];
	table = tn_binder_array(b, (size_t)entries, sizeof(*table));
	if (!table)
		return false;
	p->rank = (int32_t)rank;
	p->run = (int32_t)run;
	p->n_table = (uint32_t)entries;
	p->table = table;
	for (uint32_t d = 0; d < rank; d++) {
		p->dim[d] = (int32_t)out->dim[d];
		for (int64_t i = 0; i < out->dim[d]; i++)
			*table++ = (int32_t)(coordinate(user, d, i) * stride[d]);
	}
	return true;
}

struct mirror {
	const struct tn_shape *in;
	int64_t paddings[2 * TN_RANK_MAX];
	int64_t skip; /* 1: the border itself is not repeated */
};

static int64_t mirrored(const void *user, uint32_t d, int64_t i)
{
	const struct mirror *m = user;
	int64_t n = m->in->dim[d], at = i - m->paddings[2 * d];

	if (at < 0)
		return -at - 1 + m->skip;
	return at < n ? at : 2 * n - at - 1 - m->skip;
}

bool tn_bind_mirror_pad(struct tn_binder *b)
{
	const struct tn_tensor *in = tn_binder_in(b, 0), *out = tn_binder_out(b, 0);
	const char *mode = tn_op_string(b->op, "mode", "REFLECT");
	struct mirror m;
	uint32_t n;

	if (!in || !tn_binder_ints(b, 1, "paddings", m.paddings, 2 * TN_RANK_MAX, &n))
		return false;
	m.in = &in->shape;
	m.skip = strcmp(mode, "REFLECT") == 0;
	if (!m.skip && strcmp(mode, "SYMMETRIC") != 0)
		return tn_binder_refuse(
			b, TN_RULE_NO_KERNEL, "has no kernel with the mode '%s'", mode);
	if (n != 2 * in->shape.rank || in->shape.rank != out->shape.rank || n == 0 ||
		in->dtype != out->dtype)
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"cannot run: %u paddings for %u dimensions", n, in->shape.rank);
	for (uint32_t d = 0; d < in->shape.rank; d++) {
		int64_t before = m.paddings[2 * d], after = m.paddings[2 * d + 1];
		int64_t most = in->shape.dim[d] - m.skip;

		if (before < 0 || after < 0 || before > most || after > most ||
			in->shape.dim[d] + before + after != out->shape.dim[d])
			return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
				"cannot run: its paddings do not give the output's "
				"shape");
	}
	return bind_mapped(b, mirrored, &m);
}

struct resize {
	const struct tn_shape *in, *out;
	bool align_corners, half_pixel;
};

/* In single precision, whose rounding is part of the rule. */
static int64_t nearest(const void *user, uint32_t d, int64_t i)
{
	const struct resize *r = user;
	int64_t in = r->in->dim[d], out = r->out->dim[d], at;
	float scale = r->align_corners && out > 1 ? (float)(in - 1) / (float)(out - 1)
						  : (float)in / (float)out;
	float x = ((float)i + (r->half_pixel ? 0.5f : 0.0f)) * scale;

	if (d == 0 || d == 3)
		return i;
	at = (int64_t)(r->align_corners ? tn_round_f32_value(x) : tn_floor_f32_value(x));
	return tn_max_i64(0, tn_min_i64(at, in - 1));
}

bool tn_bind_resize_nearest(struct tn_binder *b)
{
	const struct tn_tensor *in = tn_binder_in(b, 0), *out = tn_binder_out(b, 0);
	struct resize r;

	if (!tn_binder_nhwc(b))
		return false;
	if (!in || in->dtype != out->dtype || in->shape.rank != 4 ||
		out->shape.rank != 4 || in->shape.dim[0] != out->shape.dim[0] ||
		in->shape.dim[3] != out->shape.dim[3])
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"cannot run: input and output are not NHWC of one type");
	if (in->elements == 0 && out->elements != 0)
		return tn_binder_refuse(
			b, TN_RULE_NO_KERNEL, "cannot run: an empty input");
	r = (struct resize){ &in->shape, &out->shape,
		tn_op_int(b->op, "align_corners", 0),
		tn_op_int(b->op, "half_pixel_centers", 0) };
	return bind_mapped(b, nearest, &r);
}

static bool bilinear_operands(struct tn_binder *b)
{
	const struct tn_tensor *in = tn_binder_in(b, 0), *out = tn_binder_out(b, 0);

	if (!in || in->dtype != out->dtype || in->shape.rank != 4 ||
		out->shape.rank != 4 || in->shape.dim[0] != out->shape.dim[0] ||
		in->shape.dim[3] != out->shape.dim[3] || in->elements < 1)
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"cannot run: input and output are not NHWC of one type");
	/* coordinates have 10 fractional bits in 32 */
	if (in->shape.dim[1] >= 1 << 20 || in->shape.dim[2] >= 1 << 20)
		return tn_binder_refuse(
			b, TN_RULE_NO_KERNEL, "has no kernel for sizes above 2^20");
	return true;
}

static bool bind_bilinear_s8(struct tn_binder *b, bool align, bool half)
{
	const int64_t *in = tn_binder_in(b, 0)->shape.dim;
	const int64_t *out = tn_binder_out(b, 0)->shape.dim;
	struct tn_resize_params *p = tn_binder_simple(b, KERNEL_RESIZE_BILINEAR_S8, 1);
	int64_t scale[2] = { 0, 0 };

	if (!p)
		return false;
	for (int d = 0; d < 2; d++) {
		bool aligned = align && out[d + 1] > 1;
		int64_t from = in[d + 1] - aligned, to = out[d + 1] - aligned;

		if (to > 0)
			scale[d] = (1024 * from + to / 2) / to;
	}
	*p = (struct tn_resize_params){ p->order, (int32_t)in[0], (int32_t)in[1],
		(int32_t)in[2], (int32_t)out[1], (int32_t)out[2], (int32_t)in[3], half,
		(int32_t)scale[0], (int32_t)scale[1] };
	return true;
}

static bool bind_bilinear_f32(struct tn_binder *b, bool align, bool half)
{
	const int64_t *in = tn_binder_in(b, 0)->shape.dim;
	const int64_t *out = tn_binder_out(b, 0)->shape.dim;
	struct tn_resize_f32_params *p =
		tn_binder_simple(b, KERNEL_RESIZE_BILINEAR_F32, 1);
	float scale[2] = { 0.0f, 0.0f };

	if (!p)
		return false;
	for (int d = 0; d < 2; d++) {
		bool aligned = align && out[d + 1] > 1;
		int64_t from = in[d + 1] - aligned, to = out[d + 1] - aligned;

		if (to > 0)
			scale[d] = (float)from / (float)to;
	}
	*p = (struct tn_resize_f32_params){ p->order, (int32_t)in[0], (int32_t)in[1],
		(int32_t)in[2], (int32_t)out[1], (int32_t)out[2], (int32_t)in[3], half,
		scale[0], scale[1] };
	return true;
}

bool tn_bind_resize_bilinear(struct tn_binder *b)
{
	bool align = tn_op_int(b->op, "align_corners", 0) != 0;
	bool half = tn_op_int(b->op, "half_pixel_centers", 0) != 0;

	if (!tn_binder_nhwc(b) || !bilinear_operands(b))
		return false;
	if (align && half)
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"cannot both align corners and use half pixel centres");
	if (tn_binder_in(b, 0)->dtype == DTYPE_I8)
		return bind_bilinear_s8(b, align, half);
	return tn_binder_types(b, DTYPE_F32, DTYPE_F32) &&
	       bind_bilinear_f32(b, align, half);
}
