/* ONNX's windows over one dimension, transposed convolutions and resizing, as ops of the
 * table: a line is an image of height 1, and the last two have kernels for channels last,
 * so they stand between transposes, which rewriting joins with those of other windows. */
#include <string.h>

#include "base/checked.h"
#include "import/onnx_spell.h"

#include "base/banned.h"

#define RANK 4

static const int64_t to_last[RANK] = { 0, 2, 3, 1 }, to_first[RANK] = { 0, 3, 1, 2 };

/* [batch, channels, length] as [batch, channels, 1, length]. */
static struct tn_shape as_image(const struct tn_shape *line)
{
	return (struct tn_shape){ .rank = RANK,
		.dim = { line->dim[0], line->dim[1], 1, line->dim[2] } };
}

static bool is_line(const struct tn_shape *s)
{
	int64_t elements;

	return s && s->rank == 3 && tn_shape_elements(s, &elements);
}

/* One number of a window becomes two; absent stays so. */
static void widen(struct tn_spell *s, const char *theirs, const char *ours)
{
	struct tn_ints list = { 0 };

	tn_onnx_attr_ints(s->x, s->n, theirs, &list);
	if (list.v.count == 1)
		tn_spell_ints(s, ours, (int64_t[]){ 1, list.v.items[0] }, 2);
	if (list.v.count == 2) /* both sides */
		tn_spell_ints(s, ours,
			(int64_t[]){ 0, list.v.items[0], 0, list.v.items[1] }, 4);
}

static void window_attributes(struct tn_spell *s)
{
	static const char *const numbers[] = { "group", "ceil_mode",
		"count_include_pad" };
	const char *pad = tn_onnx_attr_text(s->x, s->n, "auto_pad");

	tn_spell_text(s, "layout", "NCHW");
	widen(s, "kernel_shape", "kernel");
	widen(s, "strides", "stride");
	widen(s, "dilations", "dilation");
	if (pad[0] && strcmp(pad, "NOTSET") != 0)
		tn_spell_text(s, "auto_pad", pad);
	else
		widen(s, "pads", "pad");
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		int64_t value = tn_onnx_attr_int(s->x, s->n, numbers[i], -1);

		if (value >= 0)
			tn_spell_int(s, numbers[i], value);
	}
}

/* The filter with the dimension more; a constant stays one. */
static tn_tensor_id filter_of(struct tn_spell *s)
{
	const struct tn_tensor *t = tn_spell_in(s, 1);
	const struct tn_shape shape = as_image(&t->shape);
	tn_tensor_id id;

	if (tn_spell_is_constant(t) && !t->quant.n)
		return tn_spell_constant(s, "filter", t->dtype, &shape, t->data);
	id = tn_spell_tensor(s, "filter", t->dtype, &shape);
	tn_spell_op(s, OP_RESHAPE, "filter", &s->n->in[1], 1, id);
	return id;
}

static bool is_float(const struct tn_spell *s, uint32_t k)
{
	return tn_infer_dtype(s->n, k) == DTYPE_F32;
}

static bool line(struct tn_spell *s, enum tn_op_kind kind, uint32_t operands)
{
	const struct tn_tensor *out = tn_foreign_at(s->f, s->n->out[0]);
	tn_tensor_id in[3] = { { TN_NONE }, { TN_NONE }, { TN_NONE } }, result;
	struct tn_shape image;
	uint32_t n = operands;

	if (s->n->n_out != 1 || !is_line(tn_infer_shape(s->n, 0)) ||
		!is_line(&out->shape) || !is_float(s, 0) ||
		(operands > 1 && !is_line(tn_infer_shape(s->n, 1))))
		return false;
	image = as_image(tn_infer_shape(s->n, 0));
	in[0] = tn_spell_tensor(s, "image", DTYPE_F32, &image);
	image = as_image(&tn_foreign_at(s->f, s->n->out[0])->shape);
	result = tn_spell_tensor(s, "window", DTYPE_F32, &image);
	tn_spell_op(s, OP_RESHAPE, "image", s->n->in, 1, in[0]);
	if (operands > 1)
		in[1] = filter_of(s);
	if (operands > 1 && tn_spell_in(s, 2))
		in[n++] = s->n->in[2];
	tn_spell_op(s, kind, "window", in, n, result);
	window_attributes(s);
	tn_spell_op(s, OP_RESHAPE, NULL, &result, 1, s->n->out[0]);
	return true;
}

bool tn_spell_conv(struct tn_spell *s)
{
	return line(s, tn_onnx_kind(s->x, s->n), 2);
}

bool tn_spell_pool(struct tn_spell *s)
{
	const enum tn_op_kind kind = tn_onnx_kind(s->x, s->n);

	return line(s, kind, 1) || (kind == OP_MAX_POOL_2D && tn_spell_max_pool(s));
}

static void permuted(
	const struct tn_shape *from, const int64_t perm[RANK], struct tn_shape *to)
{
	*to = (struct tn_shape){ .rank = RANK };
	for (int i = 0; i < RANK; i++)
		to->dim[i] = from->dim[perm[i]];
}

/* A transposed operand, and its shape. */
static tn_tensor_id transposed(struct tn_spell *s, uint32_t k, const char *word,
	const int64_t perm[RANK], struct tn_shape *shape)
{
	const struct tn_shape from = *tn_infer_shape(s->n, k);
	tn_tensor_id id;

	permuted(&from, perm, shape);
	id = tn_spell_tensor(s, word, tn_infer_dtype(s->n, k), shape);
	tn_spell_op(s, OP_TRANSPOSE, word, &s->n->in[k], 1, id);
	tn_spell_ints(s, "perm", perm, RANK);
	return id;
}

static void put_back(struct tn_spell *s, tn_tensor_id last)
{
	tn_spell_op(s, OP_TRANSPOSE, NULL, &last, 1, s->n->out[0]);
	tn_spell_ints(s, "perm", to_first, RANK);
}

static bool is_image(const struct tn_shape *s)
{
	int64_t elements;

	return s && s->rank == RANK && tn_shape_elements(s, &elements);
}

static int64_t at(const struct tn_ints *list, size_t i, int64_t otherwise)
{
	return i < list->v.count ? list->v.items[i] : otherwise;
}

static bool is_all(const struct tn_ints *list, int64_t value)
{
	for (size_t i = 0; i < list->v.count; i++)
		if (list->v.items[i] != value)
			return false;
	return true;
}

/* What the window reaches of height and width, before `cut` is taken from its start; false
 * when the node's attributes are no such window. */
static bool reach(
	struct tn_spell *s, struct tn_shape *full, int64_t cut[2], int64_t stride[2])
{
	struct tn_ints pads = { 0 }, strides = { 0 }, dilations = { 0 }, given = { 0 };
	const struct tn_shape *in = tn_infer_shape(s->n, 0);
	const struct tn_shape *filter = tn_infer_shape(s->n, 1);
	const struct tn_shape *out = &tn_foreign_at(s->f, s->n->out[0])->shape;
	const char *pad = tn_onnx_attr_text(s->x, s->n, "auto_pad");

	tn_onnx_attr_ints(s->x, s->n, "pads", &pads);
	tn_onnx_attr_ints(s->x, s->n, "strides", &strides);
	tn_onnx_attr_ints(s->x, s->n, "dilations", &dilations);
	tn_onnx_attr_ints(s->x, s->n, "output_shape", &given);
	if ((pad[0] && strcmp(pad, "NOTSET") != 0) || given.v.count ||
		!is_all(&dilations, 1) || tn_onnx_attr_int(s->x, s->n, "group", 1) != 1 ||
		filter->dim[0] != in->dim[1] || filter->dim[1] != out->dim[1] ||
		in->dim[0] != out->dim[0])
		return false;
	*full = *out;
	for (size_t i = 0; i < 2; i++) {
		int64_t least;

		cut[i] = at(&pads, i, 0);
		stride[i] = at(&strides, i, 1);
		/* all of the window, and of the result what lies beyond it */
		if (cut[i] < 0 || stride[i] < 1 || in->dim[2 + i] < 1 ||
			!tn_mul_i64(in->dim[2 + i] - 1, stride[i], &least) ||
			!tn_add_i64(least, filter->dim[2 + i], &least) ||
			!tn_add_i64(out->dim[2 + i], cut[i], &full->dim[2 + i]))
			return false;
		full->dim[2 + i] = tn_max_i64(full->dim[2 + i], least);
	}
	return true;
}

/* The padding of a transposed convolution is what is cut off its result. */
bool tn_spell_conv_transpose(struct tn_spell *s)
{
	static const int64_t rows[RANK] = { 1, 2, 3, 0 }; /* IOHW to OHWI */
	int64_t cut[2], stride[2], begin[RANK] = { 0 }, end[RANK];
	static const int64_t one[RANK] = { 1, 1, 1, 1 };
	struct tn_shape full, last, unused, result;
	const struct tn_shape list = { .rank = 1, .dim = { RANK } };
	tn_tensor_id in[4], whole;
	int32_t sizes[RANK];
	uint32_t n = 3;

	if (s->n->n_out != 1 || s->n->n_in < 2 || !is_image(tn_infer_shape(s->n, 0)) ||
		!is_image(tn_infer_shape(s->n, 1)) || !is_float(s, 0) ||
		!is_float(s, 1) || !is_image(&tn_foreign_at(s->f, s->n->out[0])->shape) ||
		!reach(s, &full, cut, stride))
		return false;
	permuted(&full, to_last, &last);
	permuted(&tn_foreign_at(s->f, s->n->out[0])->shape, to_last, &result);
	for (int i = 0; i < RANK; i++) {
		if (last.dim[i] > INT32_MAX)
			return false;
		sizes[i] = (int32_t)last.dim[i];
		begin[i] = i == 1 || i == 2 ? cut[i - 1] : 0;
		end[i] = begin[i] + result.dim[i];
	}
	in[0] = tn_spell_constant(s, "sizes", DTYPE_I32, &list, sizes);
	in[1] = transposed(s, 1, "filter", rows, &unused);
	in[2] = transposed(s, 0, "last", to_last, &unused);
	if (tn_spell_in(s, 2))
		in[n++] = s->n->in[2];
	whole = tn_spell_tensor(s, "whole", DTYPE_F32, &last);
	tn_spell_op(s, OP_TRANSPOSE_CONV, "whole", in, n, whole);
	tn_spell_ints(s, "stride", stride, 2);
	tn_spell_text(s, "pad", "VALID");
	if (memcmp(last.dim, result.dim, sizeof(int64_t[RANK])) != 0) {
		const tn_tensor_id part = tn_spell_tensor(s, "part", DTYPE_F32, &result);

		tn_spell_op(s, OP_STRIDED_SLICE, "part", &whole, 1, part);
		tn_spell_ints(s, "begin", begin, RANK);
		tn_spell_ints(s, "end", end, RANK);
		tn_spell_ints(s, "strides", one, RANK);
		whole = part;
	}
	put_back(s, whole);
	return true;
}

/* Are sizes, when scales are given, exactly the operand's times these? Else a coordinate is
 * not what the sizes alone give. */
static bool are_exact(struct tn_spell *s, const struct tn_shape *in,
	const struct tn_shape *out, bool upsample)
{
	const struct tn_tensor *t = tn_spell_in(s, upsample || s->x->opset < 11 ? 1 : 2);
	int64_t elements;

	if (!upsample && s->x->opset >= 11 && tn_spell_in(s, 3))
		return true;
	if (!tn_spell_is_constant(t) || t->dtype != DTYPE_F32 ||
		!tn_shape_elements(&t->shape, &elements) || elements != RANK)
		return false;
	for (int i = 0; i < RANK; i++) {
		float scale;

		memcpy(&scale, t->data + 4 * i, sizeof(scale));
		if ((double)scale * (double)in->dim[i] != (double)out->dim[i])
			return false;
	}
	return true;
}

#define STEPS_MAX 4096 /* that are looked at one by one */

/* Is the element that the table's kernel takes, by a product of floats, that of a whole
 * factor? Products by a power of two are exact. */
static bool takes_whole_steps(int64_t in, int64_t out)
{
	const float scale = (float)in / (float)out;
	const int64_t factor = out / in;

	if (out % in || out >= 1 << 20)
		return false;
	if ((factor & (factor - 1)) == 0)
		return true;
	for (int64_t i = 0; i < out && out <= STEPS_MAX; i++)
		if ((int64_t)((float)i * scale) != i / factor)
			return false;
	return out <= STEPS_MAX;
}

/* By a whole factor, all these rules mean one element. */
static bool is_nearest(struct tn_spell *s, const struct tn_shape *in,
	const struct tn_shape *out, const char *where)
{
	const char *round = tn_onnx_attr_text(s->x, s->n, "nearest_mode");

	if (strcmp(where, "asymmetric") == 0
			? s->x->opset >= 11 && strcmp(round, "floor") != 0
			: strcmp(where, "half_pixel") != 0 ||
				  (round[0] && strcmp(round, "round_prefer_floor") != 0 &&
					  strcmp(round, "round_prefer_ceil") != 0))
		return false;
	return takes_whole_steps(in->dim[2], out->dim[2]) &&
	       takes_whole_steps(in->dim[3], out->dim[3]);
}

bool tn_spell_resize(struct tn_spell *s)
{
	const bool upsample = strcmp(s->n->type, "Upsample") == 0;
	const char *mode = tn_onnx_attr_text(s->x, s->n, "mode");
	const char *where =
		tn_onnx_attr_text(s->x, s->n, "coordinate_transformation_mode");
	struct tn_shape out = tn_foreign_at(s->f, s->n->out[0])->shape, last;
	const struct tn_shape *in = tn_infer_shape(s->n, 0);
	struct tn_ints axes = { 0 };
	bool nearest = !mode[0] || strcmp(mode, "nearest") == 0;
	tn_tensor_id from, to;

	if (upsample || s->x->opset < 11)
		where = "asymmetric";
	else if (!where[0])
		where = "half_pixel";
	else if (strcmp(where, "pytorch_half_pixel") == 0 && is_image(&out) &&
		 out.dim[2] > 1 && out.dim[3] > 1) /* of one element it takes the first */
		where = "half_pixel";
	if (s->n->n_out != 1 || !is_image(in) || !is_image(&out) || !is_float(s, 0) ||
		in->dim[0] != out.dim[0] || in->dim[1] != out.dim[1] || in->dim[2] < 1 ||
		in->dim[3] < 1 || out.dim[2] < 1 || out.dim[3] < 1 ||
		tn_onnx_attr_ints(s->x, s->n, "axes", &axes) ||
		tn_onnx_attr_int(s->x, s->n, "antialias", 0) ||
		tn_onnx_attr_text(s->x, s->n, "keep_aspect_ratio_policy")[0] ||
		!are_exact(s, in, &out, upsample) ||
		(nearest ? !is_nearest(s, in, &out, where)
			 : strcmp(mode, "linear") != 0 ||
					(strcmp(where, "half_pixel") != 0 &&
						strcmp(where, "asymmetric") != 0 &&
						strcmp(where, "align_corners") != 0)))
		return false;
	from = transposed(s, 0, "last", to_last, &last);
	permuted(&out, to_last, &last);
	to = tn_spell_tensor(s, "resized", DTYPE_F32, &last);
	tn_spell_op(s, nearest ? OP_RESIZE_NEAREST_NEIGHBOR : OP_RESIZE_BILINEAR,
		"resized", &from, 1, to);
	if (!nearest && strcmp(where, "half_pixel") == 0)
		tn_spell_int(s, "half_pixel_centers", 1);
	if (!nearest && strcmp(where, "align_corners") == 0)
		tn_spell_int(s, "align_corners", 1);
	put_back(s, to);
	return true;
}
