/* An output element copies one input element, or is a fill: a table for each output
 * dimension says what its coordinate adds to the input element's index (or that it is a
 * fill). Concatenations and splits are in chunks.c. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/checked.h"
#include "contract/walk.h"
#include "ir/window.h"

#define FILL INT64_MIN

struct separable {
	uint32_t rank;
	int64_t dim[TN_RANK_MAX]; /* of the output, in its linear order */
	int64_t *from[TN_RANK_MAX]; /* by coordinate: input elements to add, or FILL */
	struct tn_arena *arena;
	bool out_of_memory;
};

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
	const char *mode = tn_op_string(w->op, "mode", "REFLECT"); /* as bind has it */
	bool mirror = w->op->kind == OP_MIRROR_PAD;
	int64_t skip = strcmp(mode, "REFLECT") == 0 ? 1 : 0;

	s->rank = in->shape.rank;
	if (out->shape.rank != s->rank ||
		!tn_walk_ints(w, 1, "paddings", pads, 2 * (int64_t)s->rank))
		return false;
	/* no kernel pads with an element that is computed in the graph */
	if (tn_op_operands(w->g, w->op) > 2 && tn_walk_shares(w, 2))
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
	if (out->shape.rank != s->rank || !tn_walk_ints(w, 1, "perm", perm, s->rank))
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
	if (out->shape.rank != s->rank || !tn_walk_ints(w, 1, "begin", begin, s->rank))
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
		!tn_walk_ints(w, 1, "begin", begin, s->rank) ||
		!tn_walk_ints(w, 3, "strides", step, s->rank))
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
		from = slice_begin(
			begin[d], step[d], (begin_mask >> d) & 1, in->shape.dim[d]);
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

	if (!tn_op_is_nhwc(w->op) || in->shape.rank != 4 || out->shape.rank != 4 ||
		b < 1 || b > 1 << 16)
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

/* Coordinates are single precision, whose rounding is part of the rule. */
static bool nearest_map(const struct tn_walk *w, const struct tn_tensor *in,
	const struct tn_tensor *out, struct separable *s)
{
	bool align = tn_op_int(w->op, "align_corners", 0) != 0;
	bool half = tn_op_int(w->op, "half_pixel_centers", 0) != 0;
	int64_t stride[TN_RANK_MAX];

	s->rank = 4;
	if (!tn_op_is_nhwc(w->op) || in->shape.rank != 4 || out->shape.rank != 4 ||
		in->elements < 1 || in->shape.dim[0] != out->shape.dim[0] ||
		in->shape.dim[3] != out->shape.dim[3])
		return false;
	tn_shape_strides(&in->shape, stride);
	affine(s, 0, out->shape.dim[0], 0, 1, stride[0]);
	for (uint32_t d = 1; d < 3; d++) {
		int64_t n_in = in->shape.dim[d], n = out->shape.dim[d];
		int64_t *from = table(s, d, n);
		float scale = align && n > 1 ? (float)(n_in - 1) / (float)(n - 1)
					     : (float)n_in / (float)n;

		for (int64_t i = 0; from && i < n; i++) {
			float x = ((float)i + (half ? 0.5f : 0.0f)) * scale;
			int64_t at = (int64_t)(align ? roundf(x) : floorf(x));

			from[i] = tn_max_i64(0, tn_min_i64(at, n_in - 1)) * stride[d];
		}
	}
	affine(s, 3, out->shape.dim[3], 0, 1, 1);
	return true;
}

/* Coordinate i of the image: its block lies in the batch, its pixel in the block. */
static void unblock(struct separable *s, uint32_t d, int64_t n, int64_t block,
	int64_t cut, int64_t block_stride, int64_t pixel_stride)
{
	int64_t *from = table(s, d, n);

	for (int64_t i = 0; from && i < n; i++)
		from[i] = (i + cut) % block * block_stride +
			  (i + cut) / block * pixel_stride;
}

/* Tensors of three dimensions have no width. */
static bool batch_to_space_map(const struct tn_walk *w, const struct tn_tensor *in,
	const struct tn_tensor *out, struct separable *s)
{
	int64_t block[2] = { 1, 1 }, cut[4] = { 0 }, have[2], want, image, stride[2];
	uint32_t spatial = in->shape.rank - 2;
	int64_t batches = out->shape.dim[0], c;

	if (in->shape.rank < 3 || in->shape.rank > 4 ||
		out->shape.rank != in->shape.rank || in->elements < 1 ||
		!tn_walk_ints(w, 1, "block_shape", block, spatial) ||
		!tn_walk_ints(w, 2, "crops", cut, 2 * (int64_t)spatial))
		return false;
	c = in->shape.dim[spatial + 1];
	for (uint32_t d = 0; d < 2; d++) {
		have[d] = d < spatial ? in->shape.dim[d + 1] : 1;
		want = d < spatial ? out->shape.dim[d + 1] : 1;
		if (block[d] < 1 || cut[2 * d] < 0 || cut[2 * d + 1] < 0 ||
			block[d] > INT32_MAX || cut[2 * d] > INT32_MAX ||
			cut[2 * d + 1] > INT32_MAX || have[d] > INT32_MAX ||
			have[d] * block[d] - cut[2 * d] - cut[2 * d + 1] != want)
			return false;
	}
	if (batches < 1 || batches > INT32_MAX || out->shape.dim[spatial + 1] != c ||
		!tn_mul_i64(block[0] * block[1], batches, &want) ||
		in->shape.dim[0] != want)
		return false;
	image = have[0] * have[1] * c;
	stride[0] = block[1] * batches * image;
	stride[1] = batches * image;
	s->rank = 4;
	unblock(s, 0, batches, 1, 0, 0, image);
	unblock(s, 1, out->shape.dim[1], block[0], cut[0], stride[0], have[1] * c);
	unblock(s, 2, spatial > 1 ? out->shape.dim[2] : 1, block[1], cut[2], stride[1],
		c);
	affine(s, 3, c, 0, 1, 1);
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
	case OP_RESIZE_NEAREST_NEIGHBOR:
		return nearest_map(w, in, out, s);
	case OP_BATCH_TO_SPACE_ND:
		return batch_to_space_map(w, in, out, s);
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
		int64_t add;

		assert(s->from[d] && s->dim[d] > 0); /* made for every dimension */
		add = s->from[d][i % s->dim[d]];

		if (add == FILL)
			return FILL;
		from += add;
		i /= s->dim[d];
	}
	return from;
}

/* How many elements, from coordinate c of dimension d on and `dir` each time, are copied
 * from places that lie `*by` elements apart, or are all fills. */
static int64_t run_length(
	const struct separable *s, uint32_t d, int64_t c, int64_t dir, int64_t *by)
{
	const int64_t *from = s->from[d], left = dir > 0 ? s->dim[d] - c : c + 1;
	int64_t n = 1;

	*by = left > 1 && from[c] != FILL && from[c + dir] != FILL
		      ? from[c + dir] - from[c]
		      : 0;
	while (n < left && (from[c] == FILL) == (from[c + n * dir] == FILL) &&
		(from[c] == FILL || from[c + n * dir] - from[c] == n * *by))
		n++;
	return n;
}

/* In runs along the innermost dimension that has any length. */
static void walk_separable(struct tn_walk *w, const struct separable *s)
{
	const int64_t width = tn_walk_width(tn_walk_output(w, 0));
	const int64_t n = tn_walk_output(w, 0)->elements;
	const int64_t dir = w->variant.descending ? -1 : 1;
	uint32_t d = s->rank ? s->rank - 1 : 0;
	int64_t run = 1;

	while (d > 0 && s->dim[d] == 1)
		d--;
	for (int64_t t = 0; t < n && !w->stopped; t += run) {
		int64_t i = dir < 0 ? n - 1 - t : t, from = source_of(s, i), by = 0;
		struct tn_access write = { 0, i * width, (i + 1) * width };
		struct tn_access read = { 0, from == FILL ? 0 : from * width, 0 };

		read.end = read.begin + width;
		if (s->rank)
			run = run_length(s, d, i % s->dim[d], dir, &by);
		tn_walk_run(w, &read, from != FILL && tn_walk_shares(w, 0) ? 1 : 0,
			&write, run, by * width, dir * width);
	}
}

/* One cycle, as the kernel goes through it. */
static bool walk_cycle(
	struct tn_walk *w, const struct separable *s, int64_t start, bool *seen)
{
	const int64_t width = tn_walk_width(tn_walk_output(w, 0));
	const uint32_t shared = tn_walk_shares(w, 0);
	int64_t at = start, from = source_of(s, start);
	struct tn_access reads[2] = { { 0, start * width, (start + 1) * width } };
	uint32_t kept = shared; /* the first step reads the element that is kept, too */

	while (from != start) {
		const struct tn_access write = { 0, at * width, (at + 1) * width };

		reads[kept] = (struct tn_access){ 0, from * width, (from + 1) * width };
		seen[at] = true;
		if (!tn_walk_step(w, reads, shared ? kept + 1 : 0, &write, 1))
			return false;
		kept = 0;
		at = from;
		from = source_of(s, at);
	}
	seen[at] = true;
	{
		const struct tn_access write = { 0, at * width, (at + 1) * width };

		return tn_walk_step(w, reads, at == start ? shared : 0, &write, 1);
	}
}

static void walk_cycles(struct tn_walk *w, const struct separable *s)
{
	const int64_t n = tn_walk_output(w, 0)->elements;
	size_t count;
	bool *seen =
		tn_size_from_i64(n, &count) ? TN_NEW_ARRAY(s->arena, bool, count) : NULL;

	if (!seen) {
		w->out_of_memory = true;
		return;
	}
	for (int64_t i = 0; i < n; i++)
		if (!seen[i] && !walk_cycle(w, s, i, seen))
			return;
}

bool tn_walk_map(struct tn_walk *w)
{
	struct separable s = { 0 };
	struct tn_arena arena;

	switch (w->op->kind) {
	case OP_CONCATENATION:
	case OP_PACK:
	case OP_SPLIT:
	case OP_SPLIT_V:
	case OP_UNPACK:
		return tn_walk_chunks(w);
	default:
		break;
	}
	if (!separable_of(w, &s))
		return false;
	if (!w->fn || !tn_walk_output(w, 0)->elements) /* no tables for nothing */
		return true;
	tn_arena_init(&arena);
	s.arena = &arena;
	(void)separable_of(w, &s);
	if (s.out_of_memory)
		w->out_of_memory = true;
	else if (w->variant.hold == HOLD_CYCLE)
		walk_cycles(w, &s);
	else
		walk_separable(w, &s);
	tn_arena_release(&arena);
	return true;
}
