/* Ops that move elements. */
#include <string.h>

#include "gen_op.h"
#include "gen_part.h"

static bool is(const struct gen_op_kind *k, const char *type)
{
	return strcmp(k->type, type) == 0;
}

bool gen_make_pad(struct gen_site *s, const struct gen_op_kind *k)
{
	int in = gen_first(s, k, false), list;
	bool mirror = is(k, "MIRROR_PAD"), reflect = tn_gen_random(s->gen, 2);
	int64_t pads[2 * TN_RANK_MAX];
	struct tn_shape shape;

	if (in < 0)
		return false;
	shape = gen_at(s->gen, in)->shape;
	for (uint32_t d = 0; d < shape.rank; d++) {
		int64_t n = shape.dim[d], most = mirror ? n - reflect : 2;

		most = most < 2 ? most : 2;
		for (uint32_t e = 0; e < 2; e++) {
			pads[2 * d + e] = gen_range(s->gen, 0, (uint32_t)most);
			shape.dim[d] += pads[2 * d + e];
		}
	}
	list = gen_add_const(s->gen, DTYPE_I32, 2, (int64_t[]){ shape.rank, 2 });
	gen_at(s->gen, list)->data =
		gen_at(s->gen, gen_add_ints(s->gen, 2 * shape.rank, pads))->data;
	if (gen_out(s, k->out, shape.rank, shape.dim, in) < 0)
		return false;
	gen_emit(s, k,
		is(k, "PADV2")
			? GEN_IDS(in, list,
				  gen_add_const(s->gen, k->in, 1, (int64_t[]){ 1 }))
			: GEN_IDS(in, list));
	if (mirror)
		gen_need(tn_build_attr_string(
			&s->gen->build, "mode", reflect ? "REFLECT" : "SYMMETRIC"));
	return true;
}

bool gen_make_transpose(struct gen_site *s, const struct gen_op_kind *k)
{
	int in = gen_first(s, k, false), list;
	int64_t perm[TN_RANK_MAX], dim[TN_RANK_MAX];
	struct tn_shape shape;

	if (in < 0)
		return false;
	shape = gen_at(s->gen, in)->shape;
	for (uint32_t d = 0; d < shape.rank; d++) {
		uint32_t other = tn_gen_random(s->gen, d + 1);

		perm[d] = perm[other];
		perm[other] = d;
	}
	for (uint32_t d = 0; d < shape.rank; d++)
		dim[d] = shape.dim[perm[d]];
	list = gen_add_ints(s->gen, shape.rank, perm);
	(void)gen_out(s, k->out, shape.rank, dim, in);
	gen_emit(s, k, GEN_IDS(in, list));
	return true;
}

bool gen_make_concat(struct gen_site *s, const struct gen_op_kind *k)
{
	int in = gen_first(s, k, false), parts[5];
	uint32_t n = gen_range(s->gen, 1, 4), axis;
	struct tn_shape shape, part;

	if (in < 0)
		return false;
	shape = part = gen_at(s->gen, in)->shape;
	axis = tn_gen_random(s->gen, shape.rank);
	parts[0] = in;
	for (uint32_t i = 1; i < n; i++) {
		if (tn_gen_random(s->gen, 2))
			part.dim[axis] = gen_range(s->gen, 1, 4);
		parts[i] = gen_another(s, k->in, &part, in);
		shape.dim[axis] += part.dim[axis];
	}
	parts[n] = TN_GEN_END;
	if (gen_out(s, k->out, shape.rank, shape.dim, in) < 0)
		return false;
	gen_emit(s, k, parts);
	gen_need(tn_build_attr_int(&s->gen->build, "axis", axis));
	return true;
}

bool gen_make_pack(struct gen_site *s, const struct gen_op_kind *k)
{
	int in = gen_first(s, k, false), parts[5];
	uint32_t n = gen_range(s->gen, 1, 4), axis;
	struct tn_shape shape;

	if (in < 0 || gen_at(s->gen, in)->shape.rank > 3)
		return false;
	shape = gen_at(s->gen, in)->shape;
	parts[0] = in;
	for (uint32_t i = 1; i < n; i++)
		parts[i] = gen_another(s, k->in, &shape, in);
	parts[n] = TN_GEN_END;
	axis = tn_gen_random(s->gen, shape.rank + 1);
	memmove(shape.dim + axis + 1, shape.dim + axis,
		(shape.rank - axis) * sizeof(*shape.dim));
	shape.dim[axis] = n;
	if (gen_out(s, k->out, shape.rank + 1, shape.dim, in) < 0)
		return false;
	gen_emit(s, k, parts);
	gen_need(tn_build_attr_int(&s->gen->build, "axis", axis) &&
		 tn_build_attr_int(&s->gen->build, "values_count", n));
	return true;
}

bool gen_make_split(struct gen_site *s, const struct gen_op_kind *k)
{
	int in = gen_first(s, k, false), list;
	bool uneven = is(k, "SPLIT_V");
	int64_t axis, sizes[GEN_OUTPUTS_MAX], left;
	struct tn_shape shape;
	uint32_t n;

	if (in < 0)
		return false;
	shape = gen_at(s->gen, in)->shape;
	axis = tn_gen_random(s->gen, shape.rank);
	left = shape.dim[axis];
	n = gen_range(s->gen, 1, left < 3 ? (uint32_t)left : 3);
	if (!uneven && left % n)
		n = 1;
	for (uint32_t i = 0; i < n; i++) {
		sizes[i] = uneven ? gen_range(s->gen, 1, (uint32_t)(left - (n - 1 - i)))
				  : shape.dim[axis] / n;
		if (i + 1 == n)
			sizes[i] = left;
		left -= sizes[i];
	}
	for (uint32_t i = 0; i < n; i++) {
		struct tn_shape part = shape;

		part.dim[axis] = sizes[i];
		(void)gen_out(s, k->out, part.rank, part.dim, in);
	}
	list = gen_add_ints(s->gen, 1, &axis);
	if (uneven)
		gen_emit(s, k, GEN_IDS(in, gen_add_ints(s->gen, n, sizes), list));
	else
		gen_emit(s, k, GEN_IDS(list, in));
	gen_need(tn_build_attr_int(&s->gen->build, "num_splits", n));
	return true;
}

bool gen_make_unpack(struct gen_site *s, const struct gen_op_kind *k)
{
	int in = gen_first(s, k, false);
	struct tn_shape shape;
	uint32_t axis, n;

	if (in < 0)
		return false;
	shape = gen_at(s->gen, in)->shape;
	axis = tn_gen_random(s->gen, shape.rank);
	n = (uint32_t)shape.dim[axis];
	if (n > GEN_OUTPUTS_MAX || shape.rank < 2)
		return false;
	memmove(shape.dim + axis, shape.dim + axis + 1,
		(shape.rank - axis - 1) * sizeof(*shape.dim));
	for (uint32_t i = 0; i < n; i++)
		(void)gen_out(s, k->out, shape.rank - 1, shape.dim, in);
	gen_emit(s, k, GEN_IDS(in));
	gen_need(tn_build_attr_int(&s->gen->build, "axis", axis) &&
		 tn_build_attr_int(&s->gen->build, "num", n));
	return true;
}

bool gen_make_slice(struct gen_site *s, const struct gen_op_kind *k)
{
	int in = gen_first(s, k, false), at, size;
	int64_t begin[TN_RANK_MAX], dim[TN_RANK_MAX];
	struct tn_shape shape;

	if (in < 0)
		return false;
	shape = gen_at(s->gen, in)->shape;
	for (uint32_t d = 0; d < shape.rank; d++) {
		begin[d] = tn_gen_random(s->gen, 2)
				   ? 0
				   : tn_gen_random(s->gen, (uint32_t)shape.dim[d]);
		dim[d] = tn_gen_random(s->gen, 2)
				 ? shape.dim[d] - begin[d]
				 : gen_range(s->gen, 1,
					   (uint32_t)(shape.dim[d] - begin[d]));
	}
	at = gen_add_ints(s->gen, shape.rank, begin);
	size = gen_add_ints(s->gen, shape.rank, dim);
	(void)gen_out(s, k->out, shape.rank, dim, in);
	gen_emit(s, k, GEN_IDS(in, at, size));
	return true;
}

bool gen_make_strided_slice(struct gen_site *s, const struct gen_op_kind *k)
{
	int in = gen_first(s, k, false), a, b, c;
	int64_t begin[TN_RANK_MAX], end[TN_RANK_MAX], step[TN_RANK_MAX], dim[TN_RANK_MAX];
	int64_t begin_mask = 0, end_mask = 0, shrink = 0;
	struct tn_shape shape;
	uint32_t rank = 0;

	if (in < 0)
		return false;
	shape = gen_at(s->gen, in)->shape;
	for (uint32_t d = 0; d < shape.rank; d++) {
		int64_t n = shape.dim[d], count, room;
		const bool open = !tn_gen_random(s->gen, 4);

		step[d] = gen_range(s->gen, 1, 2);
		begin[d] = tn_gen_random(s->gen, (uint32_t)n);
		if (!tn_gen_random(s->gen, 4))
			step[d] = -step[d];
		if (open || tn_gen_random(s->gen, 2))
			begin[d] = step[d] > 0 ? 0 : n - 1;
		room = step[d] > 0 ? (n - 1 - begin[d]) / step[d] : begin[d] / -step[d];
		count = tn_gen_random(s->gen, 2)
				? room + 1
				: gen_range(s->gen, 1, (uint32_t)room + 1);
		if (!tn_gen_random(s->gen, 6)) {
			shrink |= INT64_C(1) << d;
			step[d] = 1;
			end[d] = begin[d] + 1;
		} else {
			end[d] =
				begin[d] + (count - 1) * step[d] + (step[d] > 0 ? 1 : -1);
			if (end[d] < 0)
				end_mask |= INT64_C(1) << d;
			dim[rank++] = end[d] < 0 ? room + 1 : count;
		}
		/* where the mask says that it starts at the edge, the list says nothing */
		if (open) {
			begin_mask |= INT64_C(1) << d;
			begin[d] = tn_gen_random(s->gen, (uint32_t)n);
		}
	}
	a = gen_add_ints(s->gen, shape.rank, begin);
	b = gen_add_ints(s->gen, shape.rank, end);
	c = gen_add_ints(s->gen, shape.rank, step);
	(void)gen_out(s, k->out, rank, dim, in);
	gen_emit(s, k, GEN_IDS(in, a, b, c));
	gen_need(tn_build_attr_int(&s->gen->build, "begin_mask", begin_mask) &&
		 tn_build_attr_int(&s->gen->build, "end_mask", end_mask) &&
		 tn_build_attr_int(&s->gen->build, "ellipsis_mask", 0) &&
		 tn_build_attr_int(&s->gen->build, "new_axis_mask", 0) &&
		 tn_build_attr_int(&s->gen->build, "shrink_axis_mask", shrink));
	return true;
}

bool gen_make_resize(struct gen_site *s, const struct gen_op_kind *k)
{
	int in = gen_first(s, k, true), list;
	uint32_t how = tn_gen_random(s->gen, 3);
	int64_t dim[4];

	if (in < 0)
		return false;
	memcpy(dim, gen_at(s->gen, in)->shape.dim, sizeof(dim));
	dim[1] = gen_range(s->gen, 1, 7);
	dim[2] = gen_range(s->gen, 1, 7);
	list = gen_add_ints(s->gen, 2, dim + 1);
	if (gen_out(s, k->out, 4, dim, in) < 0)
		return false;
	gen_emit(s, k, GEN_IDS(in, list));
	gen_need(tn_build_attr_bool(&s->gen->build, "align_corners", how == 1) &&
		 tn_build_attr_bool(&s->gen->build, "half_pixel_centers", how == 2));
	return true;
}

bool gen_make_block(struct gen_site *s, const struct gen_op_kind *k)
{
	int in = gen_first(s, k, true);
	bool deep = is(k, "SPACE_TO_DEPTH");
	int64_t dim[4], b = 2;

	if (in < 0)
		return false;
	memcpy(dim, gen_at(s->gen, in)->shape.dim, sizeof(dim));
	if (deep ? dim[1] % b || dim[2] % b : dim[3] % (b * b))
		return false;
	for (int i = 1; i < 3; i++)
		dim[i] = deep ? dim[i] / b : dim[i] * b;
	dim[3] = deep ? dim[3] * b * b : dim[3] / (b * b);
	(void)gen_out(s, k->out, 4, dim, in);
	gen_emit(s, k, GEN_IDS(in));
	gen_need(tn_build_attr_int(&s->gen->build, "block_size", b));
	return true;
}

bool gen_make_broadcast(struct gen_site *s, const struct gen_op_kind *k)
{
	int in = gen_first(s, k, false), list;
	struct tn_shape shape;

	if (in < 0)
		return false;
	shape = gen_at(s->gen, in)->shape;
	for (uint32_t d = 0; d < shape.rank; d++)
		if (shape.dim[d] == 1)
			shape.dim[d] = gen_range(s->gen, 1, 4);
	if (shape.rank < 4 && tn_gen_random(s->gen, 2)) {
		memmove(shape.dim + 1, shape.dim, shape.rank * sizeof(*shape.dim));
		shape.dim[0] = gen_range(s->gen, 1, 3);
		shape.rank++;
	}
	list = gen_add_ints(s->gen, shape.rank, shape.dim);
	if (gen_out(s, k->out, shape.rank, shape.dim, in) < 0)
		return false;
	gen_emit(s, k, GEN_IDS(in, list));
	return true;
}

bool gen_make_reverse(struct gen_site *s, const struct gen_op_kind *k)
{
	int in = gen_first(s, k, false), list;
	int64_t axes[TN_RANK_MAX];
	struct tn_shape shape;
	uint32_t n = 0;

	if (in < 0)
		return false;
	shape = gen_at(s->gen, in)->shape;
	for (uint32_t d = 0; d < shape.rank; d++)
		if (tn_gen_random(s->gen, 2) || (d + 1 == shape.rank && !n))
			axes[n++] = d;
	list = gen_add_ints(s->gen, n, axes);
	(void)gen_out(s, k->out, shape.rank, shape.dim, in);
	gen_emit(s, k, GEN_IDS(in, list));
	return true;
}
