/* A PAD in front of a window: the window does the padding. The window of a convolution
 * leaves out what lies outside its input, which adds nothing to its sums; so does a pad
 * value of real 0, as long as no weight makes more of it (0 times infinity). */
#include <math.h>
#include <string.h>

#include "ir/window.h"
#include "rewrite/edit.h"

#include "base/banned.h"

/* Rows and columns before and behind; false when batch or channels are padded too. */
static bool pads_of(struct tn_edit *e, const struct tn_op *op, int64_t out[4])
{
	const struct tn_tensor *t = tn_edit_in(e, op, 1);
	const struct tn_attr *a = tn_op_attr(op, "paddings");
	int64_t v[8];

	if (t) {
		if (!tn_edit_is_constant(t) || t->elements != 8)
			return false;
		for (int i = 0; i < 8; i++)
			if (!tn_tensor_int(t, i, &v[i]))
				return false;
	} else if (a && a->kind == ATTR_INTS && a->n == 8) {
		memcpy(v, a->v.ints, sizeof(v));
	} else {
		return false;
	}
	out[0] = v[2];
	out[1] = v[4];
	out[2] = v[3];
	out[3] = v[5];
	for (int i = 0; i < 4; i++)
		if (out[i] < 0 || out[i] > INT32_MAX)
			return false;
	return v[0] == 0 && v[1] == 0 && v[6] == 0 && v[7] == 0;
}

/* Is the value that PADV2 names real 0? */
static bool pads_with_zero(struct tn_edit *e, const struct tn_op *op)
{
	const struct tn_tensor *in = tn_edit_in(e, op, 0), *v = tn_edit_in(e, op, 2);
	int64_t value;
	float real;

	if (op->kind != OP_PADV2 || !v)
		return op->kind == OP_PAD;
	if (!tn_edit_is_constant(v) || v->elements != 1 || v->dtype != in->dtype)
		return false;
	if (v->dtype == DTYPE_F32) {
		memcpy(&real, v->data, sizeof(real));
		return real <= 0.0f && real >= 0.0f;
	}
	return in->quant.n == 1 && tn_tensor_int(v, 0, &value) &&
	       value == in->quant.zero_point[0];
}

static bool weights_are_finite(const struct tn_tensor *filter)
{
	float value;

	for (int64_t i = 0; i < filter->elements; i++) {
		memcpy(&value, filter->data + 4 * i, sizeof(value));
		if (!isfinite(value))
			return false;
	}
	return true;
}

/* Does the op that gives the padded values clamp them to real 0 and above? */
static bool is_never_negative(struct tn_edit *e, const struct tn_op *pad)
{
	const struct tn_op *before = tn_edit_producer(e, pad, 0);
	const char *act = before ? tn_op_string(before, "activation", "NONE") : "NONE";

	if (!before || before->n_outputs != 1)
		return false;
	switch (before->kind) {
	case OP_RELU:
	case OP_RELU6:
		return true;
	case OP_CONV_2D:
	case OP_DEPTHWISE_CONV_2D:
	case OP_FULLY_CONNECTED:
	case OP_MAX_POOL_2D:
	case OP_AVERAGE_POOL_2D:
		return strcmp(act, "RELU") == 0 || strcmp(act, "RELU6") == 0;
	default:
		return false;
	}
}

/* Why padding inside the window would not be the same; NULL: it is. */
static const char *why_not(
	struct tn_edit *e, const struct tn_op *op, const struct tn_op *pad)
{
	const struct tn_tensor *in = tn_edit_in(e, pad, 0),
			       *filter = tn_edit_in(e, op, 1);

	if (!pads_with_zero(e, pad))
		return "it pads with another value than 0";
	if (!tn_edit_same_type(in, tn_edit_out(e, pad, 0)))
		return "it changes the scale as well";
	if (in->dtype != DTYPE_F32 && in->quant.n != 1)
		return "its zero point is not known";
	switch (op->kind) {
	case OP_CONV_2D:
	case OP_DEPTHWISE_CONV_2D:
		if (in->dtype == DTYPE_F32 &&
			(!tn_edit_is_constant(filter) || !weights_are_finite(filter)))
			return "a weight may be infinite";
		return NULL;
	case OP_MAX_POOL_2D:
		/* NaN and the sign of a zero make floats another matter */
		if (in->dtype == DTYPE_F32 || !is_never_negative(e, pad))
			return "a largest value below 0 would change";
		return NULL;
	default:
		return "the average would count fewer elements";
	}
}

/* The window over the input of the pad: [top, left, bottom, right]. */
static bool joined(const struct tn_edit *e, const struct tn_op *op, const int64_t pads[4],
	int64_t out[4])
{
	struct tn_window w;
	const char *why;
	int64_t bottom, right;

	if (!tn_window_of(&e->g, op, &w, &why))
		return false;
	bottom = (w.out_h - 1) * w.stride_h + (w.k_h - 1) * w.dilation_h + 1 - w.in_h -
		 w.pad_top;
	right = (w.out_w - 1) * w.stride_w + (w.k_w - 1) * w.dilation_w + 1 - w.in_w -
		w.pad_left;
	out[0] = pads[0] + w.pad_top;
	out[1] = pads[1] + w.pad_left;
	/* rows that no window reaches need no padding */
	out[2] = pads[2] + bottom > 0 ? pads[2] + bottom : 0;
	out[3] = pads[3] + right > 0 ? pads[3] + right : 0;
	/* each window must hold an element of the input, for a largest value */
	return op->kind != OP_MAX_POOL_2D ||
	       (out[0] < w.k_h && out[1] < w.k_w && out[2] < w.k_h && out[3] < w.k_w &&
		       w.dilation_h == 1 && w.dilation_w == 1);
}

/* Gives the op the window and the input of the pad; undone when the result is no window. */
static bool widen(struct tn_edit *e, struct tn_op *op, const struct tn_op *pad,
	const int64_t window[4])
{
	const tn_tensor_id between = op->inputs[0];
	const struct tn_op saved = *op;
	const bool changed = e->changed;
	struct tn_window w;
	const char *why;
	bool ok;

	tn_edit_attr_ints(e, op, "pad", window, 4);
	op->inputs[0] = pad->inputs[0];
	ok = !e->failed && tn_window_of(&e->g, op, &w, &why);
	op->inputs[0] = between;
	if (!ok) {
		*op = saved;
		e->changed = changed;
	}
	return ok;
}

static bool fold(struct tn_edit *e, struct tn_op *op, struct tn_op *pad)
{
	const tn_tensor_id between = op->inputs[0];
	int64_t pads[4], window[4];
	struct tn_rewrite *done;
	const char *why = why_not(e, op, pad);

	if (why) {
		tn_edit_left(e, pad, why, op);
		return false;
	}
	if (!tn_edit_stable(e, pad->inputs[0])) {
		tn_edit_left(e, pad, "its input is written again", op);
		return false;
	}
	if (!tn_edit_private(e, between)) {
		tn_edit_left_kept(e, pad, between, op);
		return false;
	}
	if (!pads_of(e, pad, pads) || !joined(e, op, pads, window) ||
		!widen(e, op, pad, window)) {
		tn_edit_left(e, pad, "its padding cannot be said as a window", op);
		return false;
	}
	done = tn_edit_done(e, op, pad);
	done->tensor = e->g.tensors[between.i].name;
	done->ram_bytes = e->g.tensors[between.i].bytes;
	tn_edit_set_input(e, op, 0, pad->inputs[0]);
	tn_edit_kill(e, pad);
	return true;
}

void tn_rewrite_pads(struct tn_edit *e)
{
	for (uint32_t i = 0; i < e->g.n_ops; i++) {
		struct tn_op *op = tn_edit_op(e, i), *pad;

		if (!op || tn_op_info(op->kind)->access != ACCESS_WINDOW)
			continue;
		do /* a PAD of a PAD: each turn removes one */
			pad = tn_edit_producer(e, op, 0);
		while (pad && (pad->kind == OP_PAD || pad->kind == OP_PADV2) &&
			tn_edit_in(e, pad, 0) && fold(e, op, pad));
	}
}
