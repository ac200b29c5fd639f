/* Shape inference: ops that are met less often, each with a rule of its own. */
#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "import/onnx_infer.h"

#include "base/banned.h"

static enum tn_dtype dtype_attr(struct tn_onnx *x, const struct tn_onnx_node *n,
	const char *name, enum tn_dtype otherwise)
{
	int64_t number = tn_onnx_attr_int(x, n, name, 0);

	return number ? tn_onnx_dtype(number) : otherwise;
}

/* The shape of the operand, and its type unless an attribute says another. */
static void like(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	tn_infer_set(x, n, 0, dtype_attr(x, n, "dtype", tn_infer_dtype(n, 0)),
		tn_infer_shape(n, 0));
}

static void predicate(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	tn_infer_set(x, n, 0, DTYPE_BOOL, tn_infer_shape(n, 0));
}

static bool shape_of(const struct tn_ints *list, struct tn_shape *out)
{
	if (list->v.count > TN_RANK_MAX)
		return false;
	out->rank = (uint32_t)list->v.count;
	for (uint32_t i = 0; i < out->rank; i++)
		out->dim[i] = list->v.items[i];
	return true;
}

static void random_numbers(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	struct tn_shape s;

	if (tn_onnx_attr_ints(x, n, "shape", &x->list) && shape_of(&x->list, &s))
		tn_infer_set(x, n, 0, dtype_attr(x, n, "dtype", DTYPE_F32), &s);
}

static void multinomial(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	const struct tn_shape *in = tn_infer_shape(n, 0);
	struct tn_shape s = { .rank = 2 };

	if (!in || in->rank != 2)
		return;
	s.dim[0] = in->dim[0];
	s.dim[1] = tn_onnx_attr_int(x, n, "sample_size", 1);
	tn_infer_set(x, n, 0, dtype_attr(x, n, "dtype", DTYPE_I32), &s);
}

/* The values, and their one scale and zero point. */
static void dynamic_quantize(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	const struct tn_shape scalar = { .rank = 0 };

	tn_infer_set(x, n, 0, DTYPE_U8, tn_infer_shape(n, 0));
	tn_infer_set(x, n, 1, DTYPE_F32, &scalar);
	tn_infer_set(x, n, 2, DTYPE_U8, &scalar);
}

/* In training: means and variances, running ones first, as long as the operand's. */
static void batch_norm(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	tn_infer_set(x, n, 0, tn_infer_dtype(n, 0), tn_infer_shape(n, 0));
	for (uint32_t k = 1; k < n->n_out; k++)
		tn_infer_set(x, n, k, tn_infer_dtype(n, 3), tn_infer_shape(n, 3));
}

/* Before opset 10 the mask is of the data's type. */
static void dropout(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	tn_infer_set(x, n, 0, tn_infer_dtype(n, 0), tn_infer_shape(n, 0));
	tn_infer_set(x, n, 1, x->opset < 10 ? tn_infer_dtype(n, 0) : DTYPE_BOOL,
		tn_infer_shape(n, 0));
}

static void determinant(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	const struct tn_shape *in = tn_infer_shape(n, 0);
	struct tn_shape s;

	tn_infer_set(x, n, 0, tn_infer_dtype(n, 0), NULL);
	if (!in || in->rank < 2)
		return;
	s = *in;
	s.rank -= 2;
	tn_infer_set(x, n, 0, DTYPE_INVALID, &s);
}

/* [batch, channels, ...] sampled at [batch, ..., coordinates]. */
static void grid_sample(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	const struct tn_shape *in = tn_infer_shape(n, 0), *grid = tn_infer_shape(n, 1);
	struct tn_shape s;

	tn_infer_set(x, n, 0, tn_infer_dtype(n, 0), NULL);
	if (!in || !grid || in->rank < 3 || in->rank != grid->rank)
		return;
	s = *in;
	for (uint32_t i = 2; i < s.rank; i++)
		s.dim[i] = grid->dim[i - 1];
	tn_infer_set(x, n, 0, DTYPE_INVALID, &s);
}

static void affine_grid(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	struct tn_shape size, s = { .rank = 0 };

	tn_infer_set(x, n, 0, tn_infer_dtype(n, 0), NULL);
	if (!tn_infer_ints(x, n, "", 1, &x->list) || !shape_of(&x->list, &size) ||
		size.rank < 3)
		return;
	s.dim[s.rank++] = size.dim[0];
	for (uint32_t i = 2; i < size.rank; i++)
		s.dim[s.rank++] = size.dim[i];
	s.dim[s.rank++] = size.rank - 2;
	tn_infer_set(x, n, 0, DTYPE_INVALID, &s);
}

/* One result of a given size for each region. */
static void regions(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	const struct tn_shape *in = tn_infer_shape(n, 0), *rois = tn_infer_shape(n, 1);
	struct tn_shape s = { .rank = 4 };

	tn_infer_set(x, n, 0, tn_infer_dtype(n, 0), NULL);
	if (!in || !rois || in->rank != 4 || rois->rank != 2)
		return;
	s.dim[0] = rois->dim[0];
	s.dim[1] = in->dim[1];
	s.dim[2] = tn_onnx_attr_int(x, n, "output_height", 1);
	s.dim[3] = tn_onnx_attr_int(x, n, "output_width", 1);
	if (strcmp(n->type, "MaxRoiPool") == 0) {
		if (!tn_onnx_attr_ints(x, n, "pooled_shape", &x->list) ||
			x->list.v.count != 2)
			return;
		s.dim[2] = x->list.v.items[0];
		s.dim[3] = x->list.v.items[1];
	}
	tn_infer_set(x, n, 0, DTYPE_INVALID, &s);
}

static void loss(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	const struct tn_shape scalar = { .rank = 0 };
	bool each = strcmp(tn_onnx_attr_text(x, n, "reduction"), "none") == 0;

	tn_infer_set(
		x, n, 0, tn_infer_dtype(n, 0), each ? tn_infer_shape(n, 1) : &scalar);
	tn_infer_set(x, n, 1, tn_infer_dtype(n, 0), tn_infer_shape(n, 0));
}

static void signal_window(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	const enum tn_dtype dtype = dtype_attr(x, n, "output_datatype", DTYPE_F32);
	struct tn_shape s = { .rank = 1 };

	tn_infer_set(x, n, 0, dtype, NULL);
	if (!tn_infer_ints(x, n, "", 0, &x->list) || x->list.v.count != 1)
		return;
	s.dim[0] = x->list.v.items[0];
	tn_infer_set(x, n, 0, dtype, &s);
}

static void center_crop_pad(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	const struct tn_shape *in = tn_infer_shape(n, 0);
	struct tn_ints axes = { 0 }, sizes = { 0 };
	bool given = tn_onnx_attr_ints(x, n, "axes", &axes);
	struct tn_shape s;

	tn_infer_set(x, n, 0, tn_infer_dtype(n, 0), NULL);
	if (!in || !tn_infer_ints(x, n, "", 1, &sizes) ||
		sizes.v.count != (given ? axes.v.count : in->rank))
		return;
	s = *in;
	for (size_t i = 0; i < sizes.v.count; i++) {
		int64_t axis = given ? axes.v.items[i] : (int64_t)i;

		if (!tn_infer_axis(&axis, s.rank))
			return;
		s.dim[axis] = sizes.v.items[i];
	}
	tn_infer_set(x, n, 0, DTYPE_INVALID, &s);
}

/* [batch, channels * block, blocks] as an image. */
static void column_to_image(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	const struct tn_shape *in = tn_infer_shape(n, 0);
	struct tn_ints image = { 0 }, block = { 0 };
	struct tn_shape s = { .rank = 2 };
	int64_t all = 1;

	tn_infer_set(x, n, 0, tn_infer_dtype(n, 0), NULL);
	if (!in || in->rank != 3 || !tn_infer_ints(x, n, "", 1, &image) ||
		!tn_infer_ints(x, n, "", 2, &block) || image.v.count > TN_RANK_MAX - 2)
		return;
	for (size_t i = 0; i < block.v.count; i++)
		if (block.v.items[i] < 1 || !tn_mul_i64(all, block.v.items[i], &all))
			return;
	if (in->dim[1] % all)
		return;
	s.dim[0] = in->dim[0];
	s.dim[1] = in->dim[1] / all;
	for (size_t i = 0; i < image.v.count; i++)
		s.dim[s.rank++] = image.v.items[i];
	tn_infer_set(x, n, 0, DTYPE_INVALID, &s);
}

struct letters {
	int64_t dim[128]; /* of each letter; -1: not met */
	int times[128];
};

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* A term of an equation against a shape; false when they do not fit. */
static bool read_term(const char **text, const struct tn_shape *in, struct letters *l)
{
	uint32_t i = 0;

	for (; **text && **text != ',' && **text != '-'; ++*text) {
		const char c = **text;

		if (c == ' ')
			continue;
		if (!is_letter(c) || i == in->rank)
			return false;
		if (l->dim[(int)c] > 1 && in->dim[i] > 1 && l->dim[(int)c] != in->dim[i])
			return false;
		l->dim[(int)c] = tn_max_i64(l->dim[(int)c], in->dim[i++]);
		l->times[(int)c]++;
	}
	return i == in->rank;
}

/* Sums of products by letters: "ij,jk->ik". Without an arrow the result has the letters
 * that stand there once, sorted. Dots are not computed. */
static void einsum(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	const char *text = tn_onnx_attr_text(x, n, "equation");
	struct tn_shape s = { .rank = 0 };
	struct letters l = { .times = { 0 } };

	tn_infer_set(x, n, 0, tn_infer_dtype(n, 0), NULL);
	for (int c = 0; c < 128; c++)
		l.dim[c] = -1;
	for (uint32_t k = 0; k < n->n_in; k++) {
		const struct tn_shape *in = tn_infer_shape(n, k);

		if (!in || !read_term(&text, in, &l) ||
			(*text == ',') != (k + 1 < n->n_in))
			return;
		text += *text == ',';
	}
	if (*text && strncmp(text, "->", 2) != 0)
		return;
	for (int c = 0; !*text && c < 128; c++)
		if (l.times[c] == 1 && s.rank < TN_RANK_MAX)
			s.dim[s.rank++] = l.dim[c];
	for (text += *text ? 2 : 0; *text; text++) {
		if (*text == ' ')
			continue;
		if (!is_letter(*text) || l.dim[(int)*text] < 0 || s.rank == TN_RANK_MAX)
			return;
		s.dim[s.rank++] = l.dim[(int)*text];
	}
	tn_infer_set(x, n, 0, DTYPE_INVALID, &s);
}

static bool real_of(const struct tn_onnx_node *n, uint32_t k, double *out)
{
	const struct tn_tensor *t;

	if (k >= n->n_in || n->in[k].i == TN_NONE)
		return false;
	t = tn_foreign_at(&n->scope->graph->f, n->in[k]);
	if (t->data_kind != DATA_BYTES)
		return false;
	if (t->dtype == DTYPE_F32 && t->data_bytes == 4) {
		float value;

		memcpy(&value, t->data, sizeof(value));
		*out = (double)value;
		return true;
	}
	if (t->dtype != DTYPE_F64 || t->data_bytes != 8)
		return false;
	memcpy(out, t->data, sizeof(*out));
	return true;
}

static void range(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	struct tn_ints v[3];
	struct tn_shape s = { .rank = 1 };
	int64_t span, step;
	double real[3], count;

	tn_infer_set(x, n, 0, tn_infer_dtype(n, 0), NULL);
	if (real_of(n, 0, &real[0]) && real_of(n, 1, &real[1]) &&
		real_of(n, 2, &real[2])) {
		count = ceil((real[1] - real[0]) / real[2]);
		if (isnan(count) || count >= (double)TN_INFER_DIM_MAX)
			return;
		s.dim[0] = count > 0 ? (int64_t)count : 0;
		tn_infer_set(x, n, 0, DTYPE_INVALID, &s);
		return;
	}
	memset(v, 0, sizeof(v));
	for (uint32_t k = 0; k < 3; k++)
		if (!tn_infer_ints(x, n, "", k, &v[k]) || v[k].v.count != 1)
			return;
	step = v[2].v.items[0];
	if (!tn_sub_i64(v[1].v.items[0], v[0].v.items[0], &span) || !step ||
		step == INT64_MIN || span == INT64_MIN)
		return;
	if (step < 0) {
		step = -step;
		span = -span;
	}
	s.dim[0] = span > 0 ? (span - 1) / step + 1 : 0;
	tn_infer_set(x, n, 0, DTYPE_INVALID, &s);
}

/* The scales, of which there must be so many: an operand, or before opset 9 an attribute. */
static const float *scales_of(
	struct tn_onnx *x, const struct tn_onnx_node *n, size_t count)
{
	const bool early = strcmp(n->type, "Upsample") == 0 || x->opset < 11;
	const uint32_t k = early ? 1 : 2;
	struct tn_at frames, at, list, item;
	const struct tn_tensor *t;
	float *scales = TN_NEW_ARRAY(&x->tree.scratch, float, count);

	if (!scales) {
		x->tree.nomem = true;
		return NULL;
	}
	if (tn_onnx_attr(x, n, "scales", &frames, &at)) {
		if (tn_at_list(&x->tree, &at, "floats", &list) != count)
			return NULL;
		for (size_t i = 0; i < count; i++) {
			double value = 0;

			tn_at_item(&list, i, &item);
			tn_at_as_real(&x->tree, &item, &value);
			scales[i] = (float)value;
		}
		return scales;
	}
	if (k >= n->n_in || n->in[k].i == TN_NONE)
		return NULL;
	t = tn_foreign_at(&n->scope->graph->f, n->in[k]);
	if (t->dtype != DTYPE_F32 || t->data_kind != DATA_BYTES ||
		t->data_bytes != 4 * (int64_t)count)
		return NULL;
	memcpy(scales, t->data, 4 * count);
	return scales;
}

static bool size_of(float real, int64_t *out)
{
	if (!(real >= 0 && real < (float)TN_INFER_DIM_MAX))
		return false;
	*out = (int64_t)real;
	return true;
}

/* One scale for all axes, that no size is exceeded or none is missed by. False when a size
 * is out of range. */
static bool keep_aspect(struct tn_ints *sizes, const struct tn_shape *in,
	const int64_t *axes, bool not_larger)
{
	float scale = 0;

	for (size_t i = 0; i < sizes->v.count; i++) {
		float own = (float)sizes->v.items[i] / (float)in->dim[axes[i]];

		if (!i || (not_larger ? own < scale : own > scale))
			scale = own;
	}
	for (size_t i = 0; i < sizes->v.count; i++)
		if (!size_of(floorf(scale * (float)in->dim[axes[i]] + 0.5f),
			    &sizes->v.items[i]))
			return false;
	return true;
}

/* Sizes are given, or floors of the old ones times scales, in the floats that runtimes and
 * ONNX's own inference multiply. What a region crops is left to what the file says. */
static void resize(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	const struct tn_shape *in = tn_infer_shape(n, 0);
	const char *policy = tn_onnx_attr_text(x, n, "keep_aspect_ratio_policy");
	struct tn_ints given = { 0 }, sizes = { 0 };
	int64_t axes[TN_RANK_MAX];
	const float *scales;
	struct tn_shape s;
	size_t count;

	tn_infer_set(x, n, 0, tn_infer_dtype(n, 0), NULL);
	if (!in)
		return;
	s = *in;
	count = tn_onnx_attr_ints(x, n, "axes", &given) ? given.v.count : s.rank;
	if (count > s.rank)
		return;
	for (size_t i = 0; i < count; i++) {
		axes[i] = given.v.count ? given.v.items[i] : (int64_t)i;
		if (!tn_infer_axis(&axes[i], s.rank) || !in->dim[axes[i]])
			return;
	}
	if (strcmp(n->type, "Upsample") != 0 && tn_infer_ints(x, n, "", 3, &sizes) &&
		sizes.v.count == count) {
		if (policy[0] && strcmp(policy, "stretch") != 0 &&
			!keep_aspect(&sizes, in, axes, strcmp(policy, "not_larger") == 0))
			return;
		for (size_t i = 0; i < count; i++)
			s.dim[axes[i]] = sizes.v.items[i];
		tn_infer_set(x, n, 0, DTYPE_INVALID, &s);
		return;
	}
	scales = scales_of(x, n, count);
	if (!scales || strcmp(tn_onnx_attr_text(x, n, "coordinate_transformation_mode"),
			       "tf_crop_and_resize") == 0)
		return;
	for (size_t i = 0; i < count; i++)
		if (!size_of((float)in->dim[axes[i]] * scales[i], &s.dim[axes[i]]))
			return;
	tn_infer_set(x, n, 0, DTYPE_INVALID, &s);
}

tn_infer_fn *tn_infer_rare(const char *type)
{
	static const struct {
		const char *type;
		tn_infer_fn *fn;
	} rows[] = {
		{ "AffineGrid", affine_grid },
		{ "BatchNormalization", batch_norm },
		{ "Bernoulli", like },
		{ "BlackmanWindow", signal_window },
		{ "CenterCropPad", center_crop_pad },
		{ "Col2Im", column_to_image },
		{ "Det", determinant },
		{ "Dropout", dropout },
		{ "DynamicQuantizeLinear", dynamic_quantize },
		{ "Einsum", einsum },
		{ "EyeLike", like },
		{ "GridSample", grid_sample },
		{ "HammingWindow", signal_window },
		{ "HannWindow", signal_window },
		{ "IsInf", predicate },
		{ "IsNaN", predicate },
		{ "MaxRoiPool", regions },
		{ "Multinomial", multinomial },
		{ "NegativeLogLikelihoodLoss", loss },
		{ "RandomNormal", random_numbers },
		{ "RandomNormalLike", like },
		{ "RandomUniform", random_numbers },
		{ "RandomUniformLike", like },
		{ "Range", range },
		{ "Resize", resize },
		{ "RoiAlign", regions },
		{ "SoftmaxCrossEntropyLoss", loss },
		{ "Upsample", resize },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (strcmp(rows[i].type, type) == 0)
			return rows[i].fn;
	return NULL;
}
