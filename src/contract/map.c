/* An output element copies one input element, or is a fill. Two shapes of it:
 *   separable  a table for each output dimension says what its coordinate adds to the
 *              input element's index (or that it is a fill): pad, slice, transpose, ...
 *   chunks     runs of one operand after the other: concatenation, pack, split, unpack */
#include <string.h>

#include "base/arena.h"
#include "base/checked.h"
#include "contract/walk.h"

#define FILL INT64_MIN

struct separable {
	uint32_t rank;
	int64_t dim[TN_RANK_MAX]; /* of the output, in its linear order */
	int64_t *from[TN_RANK_MAX]; /* by coordinate: input elements to add, or FILL */
	struct tn_arena *arena;
	bool out_of_memory;
};

/* Integers of a shape-like operand: the constant operand k, else the attribute. */
static bool ints_of(
	const struct tn_walk *w, uint32_t k, const char *attr, int64_t *out, int64_t n)
{
	const struct tn_tensor *t = tn_walk_input(w, k);

	for (int64_t i = 0; i < n; i++) {
		const struct tn_attr *a = tn_op_attr(w->op, attr);

		if (t) {
			if (t->elements != n || !tn_tensor_int(t, i, &out[i]))
				return false;
		} else if (!a || (int64_t)a->n != n ||
			   (a->kind != ATTR_INTS && a->kind != ATTR_INT)) {
			return false;
		} else {
			out[i] = tn_op_int_at(w->op, attr, (size_t)i, 0);
		}
	}
	return true;
}

/* A table for dimension d of n coordinates; NULL when only asked or out of memory. */
static int64_t *table(struct separable *s, uint32_t d, int64_t n)
{
	size_t count;

	s->dim[d] = n;
	if (!s->arena)
		return NULL;
	s->from[d] = tn_size_from_i64(n, &count) ? TN_NEW_ARRAY(s->arena, int64_t, count)
						 : NULL;
	if (!s->from[d])
		s->out_of_memory = true;
	return s->from[d];
}

/* Coordinate c of the output reads coordinate begin + c * step of the input. */
static void affine(struct separable *s, uint32_t d, int64_t n, int64_t begin,
	int64_t step, int64_t stride)
{
	int64_t *from = table(s, d, n);

	for (int64_t c = 0; from && c < n; c++)
		from[c] = (begin + c * step) * stride;
}

static bool pad_map(const struct tn_walk *w, const struct tn_tensor *in,
	const struct tn_tensor *out, struct separable *s)
{
	int64_t pads[2 * TN_RANK_MAX], stride[TN_RANK_MAX];
	const char *mode = tn_op_string(w->op, "mode", "");
	bool mirror = w->op->kind == OP_MIRROR_PAD;
	int64_t skip = strcmp(mode, "REFLECT") == 0 ? 1 : 0;

	s->rank = in->shape.rank;
	if (out->shape.rank != s->rank ||
		!ints_of(w, 1, "paddings", pads, 2 * (int64_t)s->rank))
		return false;
	tn_shape_strides(&in->shape, stride);
	for (uint32_t d = 0; d < s->rank; d++) {
		int64_t before = pads[2 * d], after = pads[2 * d + 1],
			n = in->shape.dim[d];
		int64_t *from;

		if (before < 0 || after < 0 || before > out->shape.dim[d] ||
			after > out->shape.dim[d] ||
			before + n + after != out->shape.dim[d])
			return false;
		if (mirror && (before > n - skip || after > n - skip))
			return false;
		from = table(s, d, out->shape.dim[d]);
		for (int64_t c = 0; from && c < out->shape.dim[d]; c++) {
			int64_t i = c - before;

			if (i < 0)
				i = mirror ? -i - 1 + skip : -1;
			else if (i >= n)
				i = mirror ? 2 * n - i - 1 - skip : -1;
			from[c] = i < 0 ? FILL : i * stride[d];
		}
	}
	return true;
}

static bool transpose_map(const struct tn_walk *w, const struct tn_tensor *in,
	const struct tn_tensor *out, struct separable *s)
{
	int64_t perm[TN_RANK_MAX], stride[TN_RANK_MAX];
	bool seen[TN_RANK_MAX] = { false };

	s->rank = in->shape.rank;
	if (out->shape.rank != s->rank || !ints_of(w, 1, "perm", perm, s->rank))
		return false;
	tn_shape_strides(&in->shape, stride);
	for (uint32_t d = 0; d < s->rank; d++) {
		if (perm[d] < 0)
			perm[d] += s->rank;
		if (perm[d] < 0 || perm[d] >= s->rank || seen[perm[d]] ||
			in->shape.dim[perm[d]] != out->shape.dim[d])
			return false;
		seen[perm[d]] = true;
		affine(s, d, out->shape.dim[d], 0, 1, stride[perm[d]]);
	}
	return true;
}

static bool slice_map(const struct tn_walk *w, const struct tn_tensor *in,
	const struct tn_tensor *out, struct separable *s)
{
	int64_t begin[TN_RANK_MAX], stride[TN_RANK_MAX];

	s->rank = in->shape.rank;
	if (out->shape.rank != s->rank || !ints_of(w, 1, "begin", begin, s->rank))
		return false;
	tn_shape_strides(&in->shape, stride);
	for (uint32_t d = 0; d < s->rank; d++) {
		if (begin[d] < 0 || begin[d] > in->shape.dim[d] ||
			out->shape.dim[d] > in->shape.dim[d] - begin[d])
			return false;
		affine(s, d, out->shape.dim[d], begin[d], 1, stride[d]);
	}
	return true;
}

/* Where a strided slice begins in a dimension of n elements. */
static int64_t slice_begin(int64_t begin, int64_t step, bool masked, int64_t n)
{
	if (masked)
		return step > 0 ? 0 : n - 1;
	if (begin < 0)
		begin += n;
	if (step > 0)
		return begin < 0 ? 0 : tn_min_i64(begin, n);
	return begin < -1 ? -1 : tn_min_i64(begin, n - 1);
}

static bool strided_slice_map(const struct tn_walk *w, const struct tn_tensor *in,
	const struct tn_tensor *out, struct separable *s)
{
	int64_t begin[TN_RANK_MAX], step[TN_RANK_MAX], stride[TN_RANK_MAX];
	int64_t begin_mask = tn_op_int(w->op, "begin_mask", 0);
	int64_t shrink = tn_op_int(w->op, "shrink_axis_mask", 0);
	uint32_t o = 0;

	s->rank = in->shape.rank;
	if (tn_op_int(w->op, "ellipsis_mask", 0) ||
		tn_op_int(w->op, "new_axis_mask", 0) ||
		!ints_of(w, 1, "begin", begin, s->rank) ||
		!ints_of(w, 3, "strides", step, s->rank))
		return false;
	tn_shape_strides(&in->shape, stride);
	for (uint32_t d = 0; d < s->rank; d++) {
		bool one = (shrink >> d) & 1;
		int64_t n = 1, from, last;

		if (!step[d] || step[d] < -(INT64_C(1) << 31) ||
			step[d] > INT64_C(1) << 31)
			return false;
		if (!one) {
			if (o >= out->shape.rank)
				return false;
			n = out->shape.dim[o++];
		}
		from = slice_begin(begin[d], step[d], !one && ((begin_mask >> d) & 1),
			in->shape.dim[d]);
		if (n > in->shape.dim[d])
			return false;
		last = from + (n - 1) * step[d];
		if (n > 0 && (from < 0 || from >= in->shape.dim[d] || last < 0 ||
				     last >= in->shape.dim[d]))
			return false;
		affine(s, d, n, from, step[d], stride[d]);
	}
	return o == out->shape.rank;
}

static bool broadcast_map(
	const struct tn_tensor *in, const struct tn_tensor *out, struct separable *s)
{
	int64_t stride[TN_RANK_MAX];

	s->rank = out->shape.rank;
	if (!tn_shape_broadcast_strides(&in->shape, &out->shape, stride))
		return false;
	for (uint32_t d = 0; d < s->rank; d++)
		affine(s, d, out->shape.dim[d], 0, 1, stride[d]);
	return true;
}

static bool reverse_map(const struct tn_walk *w, const struct tn_tensor *in,
	const struct tn_tensor *out, struct separable *s)
{
	const struct tn_tensor *axes = tn_walk_input(w, 1);
	int64_t stride[TN_RANK_MAX];
	bool back[TN_RANK_MAX] = { false };

	s->rank = in->shape.rank;
	if (!axes || !tn_shape_equal(&in->shape, &out->shape))
		return false;
	for (int64_t i = 0; i < axes->elements; i++) {
		int64_t axis;

		if (!tn_tensor_int(axes, i, &axis))
			return false;
		if (axis < 0)
			axis += s->rank;
		if (axis < 0 || axis >= s->rank)
			return false;
		back[axis] = true;
	}
	tn_shape_strides(&in->shape, stride);
	for (uint32_t d = 0; d < s->rank; d++)
		affine(s, d, in->shape.dim[d], back[d] ? in->shape.dim[d] - 1 : 0,
			back[d] ? -1 : 1, stride[d]);
	return true;
}

/* NHWC with block size b. To depth: output [n][h][w] [y][x][c] reads input pixel
 * (h*b + y, w*b + x); to space: output [n][h][y][w][x][c] reads [n][h][w] [y][x][c]. */
static bool block_map(const struct tn_walk *w, const struct tn_tensor *in,
	const struct tn_tensor *out, struct separable *s)
{
	bool to_depth = w->op->kind == OP_SPACE_TO_DEPTH;
	const struct tn_tensor *space = to_depth ? in : out, *deep = to_depth ? out : in;
	int64_t b = tn_op_int(w->op, "block_size", 0), n, h, wd, c;

	if (in->shape.rank != 4 || out->shape.rank != 4 || b < 1 || b > 1 << 16)
		return false;
	n = space->shape.dim[0];
	h = deep->shape.dim[1];
	wd = deep->shape.dim[2];
	c = space->shape.dim[3];
	if (deep->shape.dim[0] != n || h * b != space->shape.dim[1] ||
		wd * b != space->shape.dim[2] || c * b * b != deep->shape.dim[3])
		return false;
	s->rank = 6;
	if (to_depth) {
		affine(s, 0, n, 0, 1, h * b * wd * b * c);
		affine(s, 1, h, 0, 1, b * wd * b * c);
		affine(s, 2, wd, 0, 1, b * c);
		affine(s, 3, b, 0, 1, wd * b * c);
		affine(s, 4, b, 0, 1, c);
	} else {
		affine(s, 0, n, 0, 1, h * wd * b * b * c);
		affine(s, 1, h, 0, 1, wd * b * b * c);
		affine(s, 2, b, 0, 1, b * c);
		affine(s, 3, wd, 0, 1, b * b * c);
		affine(s, 4, b, 0, 1, c);
	}
	affine(s, 5, c, 0, 1, 1);
	return true;
}

static bool separable_of(const struct tn_walk *w, struct separable *s)
{
	const struct tn_tensor *in = tn_walk_input(w, 0), *out = tn_walk_output(w, 0);

	if (w->op->n_outputs != 1 || !in || !out || in->dtype != out->dtype ||
		in->elements < 0 || out->elements < 0)
		return false;
	switch (w->op->kind) {
	case OP_PAD:
	case OP_PADV2:
	case OP_MIRROR_PAD:
		return pad_map(w, in, out, s);
	case OP_TRANSPOSE:
		return transpose_map(w, in, out, s);
	case OP_SLICE:
		return slice_map(w, in, out, s);
	case OP_STRIDED_SLICE:
		return strided_slice_map(w, in, out, s);
	case OP_BROADCAST_TO:
		return broadcast_map(in, out, s);
	case OP_REVERSE_V2:
		return reverse_map(w, in, out, s);
	case OP_SPACE_TO_DEPTH:
	case OP_DEPTH_TO_SPACE:
		return block_map(w, in, out, s);
	default:
		return false;
	}
}

/* The input element that output element i copies, or FILL. */
static int64_t source_of(const struct separable *s, int64_t i)
{
	int64_t from = 0;

	for (uint32_t d = s->rank; d-- > 0;) {
		int64_t add = s->from[d][i % s->dim[d]];

		if (add == FILL)
			return FILL;
		from += add;
		i /= s->dim[d];
	}
	return from;
}

/* Elements in a row of the innermost dimension, when it is copied as it stands: then all
 * its steps but the first may be joined where only extremes count. */
static int64_t run_length(const struct tn_walk *w, const struct separable *s)
{
	uint32_t last = s->rank ? s->rank - 1 : 0;

	if (!w->extremes || !s->rank)
		return 1;
	for (int64_t c = 0; c < s->dim[last]; c++)
		if (s->from[last][c] == FILL || s->from[last][c] != s->from[last][0] + c)
			return 1;
	return s->dim[last];
}

static bool copy_step(struct tn_walk *w, int64_t from, int64_t to, int64_t n)
{
	int64_t width = tn_walk_width(tn_walk_output(w, 0));
	struct tn_access write = { 0, to * width, (to + n) * width };
	struct tn_access read = { 0, 0, 0 };

	if (from == FILL)
		return tn_walk_step(w, &read, 0, &write, 1);
	read = (struct tn_access){ 0, from * width, (from + n) * width };
	return tn_walk_step(w, &read, tn_walk_shares(w, 0) ? 1 : 0, &write, 1);
}

static void walk_separable(struct tn_walk *w, const struct separable *s)
{
	bool back = w->variant.descending;
	int64_t n = tn_walk_output(w, 0)->elements, run = run_length(w, s);

	for (int64_t t = 0; t < n; t += run) {
		int64_t i = back ? n - run - t : t; /* the run's least element */
		int64_t from = source_of(s, i);
		int64_t first = back ? run - 1 : 0, rest = back ? 0 : 1;

		if (from == FILL)
			first = rest = 0;
		if (!copy_step(w, from == FILL ? FILL : from + first, i + first,
			    from == FILL ? run : 1))
			return;
		if (run > 1 && from != FILL &&
			!copy_step(w, from + rest, i + rest, run - 1))
			return;
	}
}

/* The many operands of a concatenation or a split, as runs of bytes: `outer` times one
 * run of each. */
struct chunks {
	bool split; /* the many operands are outputs */
	uint32_t first; /* index of the first of the many */
	uint32_t n;
	uint32_t whole; /* index of the operand on the other side */
	int64_t outer, width;
};

static const struct tn_tensor *chunk(
	const struct tn_walk *w, const struct chunks *c, uint32_t k)
{
	return c->split ? tn_walk_output(w, k) : tn_walk_input(w, c->first + k);
}

static bool chunks_of(const struct tn_walk *w, struct chunks *c)
{
	const struct tn_tensor *whole;
	int64_t axis = tn_op_int(w->op, "axis", 0), total = 0;

	*c = (struct chunks){ .n = w->op->n_inputs, .outer = 1 };
	c->split = w->op->kind == OP_SPLIT || w->op->kind == OP_SPLIT_V ||
		   w->op->kind == OP_UNPACK;
	if (c->split) {
		const struct tn_tensor *t = NULL;

		c->n = w->op->n_outputs;
		if (w->op->kind == OP_SPLIT && w->op->n_inputs == 2) {
			t = tn_walk_input(w, 0);
			c->whole = 1;
		} else if (w->op->kind == OP_SPLIT_V && w->op->n_inputs == 3) {
			t = tn_walk_input(w, 2);
		}
		if (t && !tn_tensor_int(t, 0, &axis))
			return false;
		whole = tn_walk_input(w, c->whole);
	} else {
		if (w->op->n_outputs != 1)
			return false;
		whole = tn_walk_output(w, 0);
	}
	if (!whole || !c->n)
		return false;
	if (axis < 0)
		axis += whole->shape.rank;
	if (axis < 0 || axis >= whole->shape.rank)
		return false;
	for (int64_t d = 0; d < axis; d++)
		c->outer *= whole->shape.dim[d];
	c->width = tn_walk_width(whole);
	for (uint32_t k = 0; k < c->n; k++) {
		const struct tn_tensor *part = chunk(w, c, k);

		if (!part || part->dtype != whole->dtype || part->elements < 0 ||
			!c->outer || part->elements % c->outer ||
			!tn_add_i64(total, part->elements, &total))
			return false;
	}
	return total == whole->elements;
}

static bool chunk_step(struct tn_walk *w, const struct chunks *c, uint32_t k,
	int64_t part, int64_t whole)
{
	uint32_t in = c->split ? c->whole : c->first + k;
	int64_t from = c->split ? whole : part, to = c->split ? part : whole;
	struct tn_access read = { in, from * c->width, (from + 1) * c->width };
	struct tn_access write = { c->split ? k : 0, to * c->width, (to + 1) * c->width };

	return tn_walk_step(w, &read, tn_walk_shares(w, in) ? 1 : 0, &write, 1);
}

static void walk_chunks(struct tn_walk *w, const struct chunks *c, int64_t total)
{
	bool back = w->variant.descending;
	int64_t at = back ? total - 1 : 0;

	for (int64_t o = 0; o < c->outer; o++) {
		int64_t outer = back ? c->outer - 1 - o : o;

		for (uint32_t j = 0; j < c->n; j++) {
			uint32_t k = back ? c->n - 1 - j : j;
			int64_t len = chunk(w, c, k)->elements / c->outer;

			for (int64_t e = 0; e < len; e++) {
				int64_t i = outer * len + (back ? len - 1 - e : e);

				if (!chunk_step(w, c, k, i, at))
					return;
				at += back ? -1 : 1;
			}
		}
	}
}

bool tn_walk_map(struct tn_walk *w)
{
	struct separable s = { 0 };
	struct tn_arena arena;
	struct chunks c;

	switch (w->op->kind) {
	case OP_CONCATENATION:
	case OP_PACK:
	case OP_SPLIT:
	case OP_SPLIT_V:
	case OP_UNPACK:
		if (!chunks_of(w, &c))
			return false;
		if (w->fn)
			walk_chunks(w, &c,
				c.split ? tn_walk_input(w, c.whole)->elements
					: tn_walk_output(w, 0)->elements);
		return true;
	default:
		break;
	}
	if (!separable_of(w, &s))
		return false;
	if (!w->fn)
		return true;
	tn_arena_init(&arena);
	s.arena = &arena;
	(void)separable_of(w, &s);
	if (s.out_of_memory)
		w->out_of_memory = true;
	else
		walk_separable(w, &s);
	tn_arena_release(&arena);
	return true;
}
