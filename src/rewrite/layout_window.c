/* One window with channels first, judged and changed. All that its attributes may say is
 * looked at: one that is not understood leaves the window as it is. */
#include <string.h>

#include "base/checked.h"
#include "rewrite/layout.h"
#include "rewrite/synonym.h"

#include "base/banned.h"

#define WINDOW_MAX (INT64_C(1) << 30)

struct sides {
	int64_t before, after;
};

struct window {
	int64_t kernel[2], stride[2], dilation[2];
	struct sides pad[2];
	bool pool, ceil;
	bool counts_padding; /* an average that divides by taps in the padding, too */
};

static const char *const known[] = { "activation", "auto_pad", "ceil_mode",
	"channels_last", "count_include_pad", "dilation", "group", "kernel", "layout",
	"pad", "stride" };

static const char *unknown_attribute(const struct tn_op *op)
{
	for (uint32_t i = 0; i < op->n_attrs; i++) {
		size_t k = 0;

		while (k < sizeof(known) / sizeof(*known) &&
			strcmp(known[k], op->attrs[i].name) != 0)
			k++;
		if (k == sizeof(known) / sizeof(*known))
			return op->attrs[i].name;
	}
	return NULL;
}

/* Two positive numbers, or as many times `otherwise`. */
static bool pair(
	const struct tn_op *op, const char *name, int64_t otherwise, int64_t out[2])
{
	const struct tn_attr *a = tn_op_attr(op, name);

	if (a && (a->kind != ATTR_INTS || a->n != 2))
		return false;
	for (uint32_t i = 0; i < 2; i++) {
		out[i] = tn_op_int_at(op, name, i, otherwise);
		if (out[i] < 1 || out[i] >= WINDOW_MAX)
			return false;
	}
	return true;
}

static int64_t span(const struct window *w, int i)
{
	return (w->kernel[i] - 1) * w->dilation[i] + 1; /* below 2^60 */
}

/* The output is as large as the input over the stride; an odd total pads more behind, or
 * in front. */
static struct sides same(const struct window *w, int i, int64_t in, bool lower)
{
	const int64_t out = (in + w->stride[i] - 1) / w->stride[i];
	const int64_t total = tn_max_i64((out - 1) * w->stride[i] + span(w, i) - in, 0);
	const int64_t less = total / 2;

	return lower ? (struct sides){ total - less, less }
		     : (struct sides){ less, total - less };
}

static bool read_pad(const struct tn_op *op, const struct tn_shape *in, struct window *w)
{
	const struct tn_attr *pad = tn_op_attr(op, "pad");
	const char *name = tn_op_string(op, "pad", "");
	const char *rule = tn_op_string(op, "auto_pad", "NOTSET");

	if (strcmp(rule, "NOTSET") == 0 || !rule[0])
		rule = pad && pad->kind == ATTR_STRING ? name : "NOTSET";
	for (int i = 0; i < 2; i++) {
		struct sides *s = &w->pad[i];

		if (strcmp(rule, "SAME") == 0 || strcmp(rule, "SAME_UPPER") == 0 ||
			strcmp(rule, "SAME_LOWER") == 0) {
			*s = same(w, i, in->dim[2 + i], strcmp(rule, "SAME_LOWER") == 0);
		} else if (strcmp(rule, "NOTSET") == 0 && pad) {
			if (pad->kind != ATTR_INTS || pad->n != 4)
				return false;
			s->before = pad->v.ints[i];
			s->after = pad->v.ints[2 + i];
		} else if (strcmp(rule, "VALID") != 0 && strcmp(rule, "NOTSET") != 0) {
			return false;
		}
		if (s->before < 0 || s->after < 0 || s->before >= WINDOW_MAX ||
			s->after >= WINDOW_MAX)
			return false;
	}
	return true;
}

/* Is the output as long as the window gives it? With ceil_mode the last one may hang over
 * the end, which is padding that nobody counts. */
static bool fits(struct window *w, int i, int64_t in, int64_t out)
{
	const int64_t room = in + w->pad[i].before + w->pad[i].after - span(w, i);
	const int64_t stride = w->stride[i];
	int64_t most;

	if (room < 0)
		return false;
	if (out == room / stride + 1)
		return true;
	most = (room + stride - 1) / stride + 1;
	if ((most - 1) * stride >= in + w->pad[i].before)
		most--;
	if (!w->ceil || out != most)
		return false;
	w->pad[i].after = (out - 1) * stride + span(w, i) - in - w->pad[i].before;
	return true;
}

static const char *filter_misfit(struct tn_layout *l, const struct tn_op *op)
{
	const struct tn_shape *in = &tn_edit_in(l->e, op, 0)->shape;
	const struct tn_shape *out = &tn_edit_out(l->e, op, 0)->shape;
	const struct tn_tensor *filter = tn_edit_in(l->e, op, 1);
	const int64_t groups = tn_op_int(op, "group", 1);

	if (!filter || !tn_layout_is_constant(filter))
		return "its weights are not constant";
	if (tn_dtype_bits(filter->dtype) < 8 || filter->shape.rank != TN_LAYOUT_RANK ||
		groups < 1 || in->dim[1] % groups ||
		filter->shape.dim[1] != in->dim[1] / groups ||
		filter->shape.dim[0] != out->dim[1] || out->dim[1] % groups ||
		(filter->quant.n > 1 && filter->quant.axis != 0))
		return "the filter does not fit the operands";
	if (op->kind == OP_DEPTHWISE_CONV_2D && groups != in->dim[1])
		return "the filter does not fit the operands";
	return NULL;
}

static const char *read_window(
	struct tn_layout *l, const struct tn_op *op, struct window *w)
{
	const struct tn_shape *in = &tn_edit_in(l->e, op, 0)->shape;
	const struct tn_shape *out = &tn_edit_out(l->e, op, 0)->shape;
	const struct tn_tensor *filter = tn_edit_in(l->e, op, 1);
	const char *why;

	*w = (struct window){ .pool = op->kind != OP_CONV_2D &&
				      op->kind != OP_DEPTHWISE_CONV_2D };
	for (int i = 0; i < TN_LAYOUT_RANK; i++)
		if (in->dim[i] >= WINDOW_MAX || out->dim[i] >= WINDOW_MAX)
			return "a dimension is 2^30 or more";
	if (!w->pool && (why = filter_misfit(l, op)) != NULL)
		return why;
	if (w->pool && (out->dim[1] != in->dim[1] || op->n_inputs != 1))
		return "the channels do not fit";
	if (!pair(op, "kernel", w->pool ? 0 : 1, w->kernel) ||
		!pair(op, "stride", 1, w->stride) ||
		!pair(op, "dilation", 1, w->dilation))
		return "kernel, stride or dilation is not two positive numbers";
	for (int i = 0; i < 2 && !w->pool; i++) {
		if (tn_op_attr(op, "kernel") && w->kernel[i] != filter->shape.dim[2 + i])
			return "the filter does not fit the operands";
		w->kernel[i] = filter->shape.dim[2 + i];
		if (w->kernel[i] < 1 || w->kernel[i] >= WINDOW_MAX)
			return "the filter does not fit the operands";
	}
	if (w->pool && (w->dilation[0] != 1 || w->dilation[1] != 1))
		return "no kernel pools with a dilation";
	if (tn_op_int(op, "channels_last", 0) || !read_pad(op, in, w))
		return "its padding is not understood";
	w->ceil = w->pool && tn_op_int(op, "ceil_mode", 0) != 0;
	w->counts_padding = op->kind == OP_AVERAGE_POOL_2D &&
			    tn_op_int(op, "count_include_pad", 0) != 0;
	return NULL;
}

static const char *judge(struct tn_layout *l, const struct tn_op *op)
{
	const struct tn_tensor *in = tn_edit_in(l->e, op, 0);
	const struct tn_tensor *out = tn_edit_out(l->e, op, 0);
	struct window w;
	const char *why = read_window(l, op, &w);

	if (why)
		return why;
	if (out->shape.dim[0] != in->shape.dim[0])
		return "the batches do not fit";
	for (int i = 0; i < 2; i++) {
		const int64_t n = in->shape.dim[2 + i], m = out->shape.dim[2 + i];

		if (!fits(&w, i, n, m))
			return "the output's height or width is not what stride and "
			       "padding give";
		if (w.pool && (w.pad[i].before >= span(&w, i) ||
				      (m - 1) * w.stride[i] >= n + w.pad[i].before))
			return "a window lies in the padding";
		if (w.counts_padding && (w.pad[i].before || w.pad[i].after))
			return "no kernel counts the padding in an average";
	}
	return NULL;
}

bool tn_layout_takes_window(
	struct tn_layout *l, const struct tn_op *op, const char **out_why)
{
	*out_why = "an operand is not of four dimensions, has views or several writers";
	if (op->n_outputs != 1 || !tn_edit_in(l->e, op, 0) || !tn_edit_out(l->e, op, 0) ||
		!tn_layout_may_change(l, op->inputs[0]) ||
		!tn_layout_may_change(l, op->outputs[0]))
		return false;
	*out_why = "an attribute of it is not understood";
	if (unknown_attribute(op))
		return false;
	*out_why = judge(l, op);
	return !*out_why;
}

/* OIHW becomes OHWI; of a depthwise filter, where I is 1, 1HWO. */
static void change_filter(struct tn_layout *l, struct tn_op *op)
{
	static const int64_t rows[] = { 0, 2, 3, 1 }, channels[] = { 1, 2, 3, 0 };
	const struct tn_shape from = tn_edit_in(l->e, op, 1)->shape;
	const tn_tensor_id id = tn_layout_permuted(l, op->inputs[1], &from,
		op->kind == OP_DEPTHWISE_CONV_2D ? channels : rows);

	if (!l->e->failed)
		tn_edit_set_input(l->e, op, 1, id);
}

void tn_layout_change_window(struct tn_layout *l, struct tn_op *op)
{
	const struct tn_shape in = tn_edit_in(l->e, op, 0)->shape;
	const struct tn_shape out = tn_edit_out(l->e, op, 0)->shape;
	const char *activation = tn_op_string(op, "activation", "NONE");
	struct window w;
	int64_t pad[4];

	if (read_window(l, op, &w))
		return; /* it was judged */
	for (int i = 0; i < 2; i++) {
		fits(&w, i, in.dim[2 + i], out.dim[2 + i]);
		pad[i] = w.pad[i].before;
		pad[2 + i] = w.pad[i].after;
	}
	if (!w.pool)
		change_filter(l, op);
	tn_synonym_rename(l->e, op, op->kind);
	tn_edit_drop_attrs(op);
	tn_edit_attr_ints(l->e, op, "stride", w.stride, 2);
	if (w.pool)
		tn_edit_attr_ints(l->e, op, "kernel", w.kernel, 2);
	else
		tn_edit_attr_ints(l->e, op, "dilation", w.dilation, 2);
	tn_edit_attr_ints(l->e, op, "pad", pad, 4);
	tn_edit_attr_string(l->e, op, "activation", activation);
}
