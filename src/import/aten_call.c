/* Arguments of PyTorch's operators: what they say about an op of the table, and which of
 * them make it another one. */
#include <string.h>

#include "import/aten.h"

#include "base/banned.h"

#define NOWHERE SIZE_MAX

/* An argument that must be as here, or the op is not the table's. */
static const struct {
	const char *op, *argument;
	size_t place;
	double neutral;
} neutral[] = {
	{ "add", "alpha", 2, 1 },
	{ "conv2d", "transposed", NOWHERE, 0 },
	{ "convolution", "transposed", 6, 0 },
	{ "elu", "alpha", 1, 1 },
	{ "elu", "scale", 2, 1 },
	{ "elu", "input_scale", 3, 1 },
	{ "round", "decimals", 1, 0 },
	{ "softplus", "beta", 1, 1 },
	{ "softplus", "threshold", 2, 20 },
	{ "sub", "alpha", 2, 1 },
};

/* A word likewise. */
static const struct {
	const char *op, *argument;
	size_t place;
	const char *neutral;
} words[] = {
	{ "conv2d", "padding", 4, "valid" },
	{ "div", "rounding_mode", 2, "" },
	{ "gelu", "approximate", 1, "none" },
};

/* A number that is an attribute of the op, and what it is when it is not given. */
static const struct {
	const char *op, *argument;
	size_t place;
	const char *attribute;
	bool has_default;
	double otherwise;
} numbers[] = {
	{ "clamp", "min", 1, "min", false, 0 },
	{ "clamp", "max", 2, "max", false, 0 },
	{ "hardtanh", "min_val", 1, "min", true, -1 },
	{ "hardtanh", "max_val", 2, "max", true, 1 },
	{ "leaky_relu", "negative_slope", 1, "alpha", true, 0.01 },
};

/* Where windows have their numbers. */
static const struct places {
	const char *op;
	size_t kernel, stride, pad, dilation, groups, ceil, counts, divisor;
} windows[] = {
	{ "avg_pool2d", 1, 2, 3, NOWHERE, NOWHERE, 4, 5, 6 },
	{ "conv2d", NOWHERE, 3, 4, 5, 6, NOWHERE, NOWHERE, NOWHERE },
	{ "convolution", NOWHERE, 3, 4, 5, 8, NOWHERE, NOWHERE, NOWHERE },
	{ "max_pool2d", 1, 2, 3, 4, NOWHERE, 5, NOWHERE, NOWHERE },
};

#define COUNT(list) (sizeof(list) / sizeof(*(list)))

static bool is_neutral(const struct tn_aten *a, const struct tn_aten_call *call)
{
	double value;

	for (size_t i = 0; i < COUNT(neutral); i++)
		if (strcmp(neutral[i].op, a->name) == 0 &&
			call->number(
				call, neutral[i].argument, neutral[i].place, &value) &&
			value != neutral[i].neutral)
			return false;
	for (size_t i = 0; i < COUNT(words); i++) {
		const char *text =
			strcmp(words[i].op, a->name) == 0
				? call->text(call, words[i].argument, words[i].place)
				: NULL;

		if (text && strcmp(text, words[i].neutral) != 0)
			return false;
	}
	/* bounds that are tensors would be taken for other operands */
	return strcmp(a->name, "clamp") != 0 ||
	       (!call->tensor(call, "min", 1) && !call->tensor(call, "max", 2));
}

static bool add_numbers(
	struct tn_foreign *f, const struct tn_aten *a, const struct tn_aten_call *call)
{
	bool ok = true;

	for (size_t i = 0; i < COUNT(numbers) && ok; i++) {
		double value = numbers[i].otherwise;

		if (strcmp(numbers[i].op, a->name) == 0 &&
			(call->number(
				 call, numbers[i].argument, numbers[i].place, &value) ||
				numbers[i].has_default))
			ok = tn_build_attr_float(&f->b, numbers[i].attribute, value);
	}
	return ok;
}

/* Two numbers, a single one counts for both; nothing changes when none is given. False for
 * what are no two numbers. */
static bool pair(
	const struct tn_aten_call *call, const char *name, size_t place, int64_t out[2])
{
	size_t n = place == NOWHERE ? 0 : call->ints(call, name, place, out, 2);

	if (n == 1)
		out[1] = out[0];
	return n <= 2;
}

static double number_or(
	const struct tn_aten_call *call, const char *name, size_t place, double otherwise)
{
	double value = otherwise;

	return place != NOWHERE && call->number(call, name, place, &value) ? value
									   : otherwise;
}

/* Each channel by itself: another op in the table. */
static bool is_depthwise(struct tn_foreign *f, const struct tn_op *op, int64_t groups)
{
	const struct tn_tensor *in, *filter;

	if (op->n_inputs < 2 || op->inputs[0].i == TN_NONE || op->inputs[1].i == TN_NONE)
		return false;
	in = tn_foreign_at(f, op->inputs[0]);
	filter = tn_foreign_at(f, op->inputs[1]);
	return groups > 1 && in->shape.rank == 4 && in->shape.dim[1] == groups &&
	       filter->shape.rank == 4 && filter->shape.dim[1] == 1;
}

static bool add_window(
	struct tn_foreign *f, const struct tn_aten *a, const struct tn_aten_call *call)
{
	const struct places *p = NULL;
	int64_t kernel[2] = { 0 }, stride[2] = { 1, 1 }, pad[4] = { 0 },
		dilation[2] = { 1, 1 };
	struct tn_op *op = tn_foreign_newest_op(f);
	double groups;
	bool ok = tn_build_attr_string(&f->b, "layout", "NCHW"), pool, understood;

	for (size_t i = 0; i < COUNT(windows) && !p; i++)
		if (strcmp(windows[i].op, a->name) == 0)
			p = &windows[i];
	if (!p || !ok)
		return ok;
	pool = p->kernel != NOWHERE;
	understood = pair(call, "kernel_size", p->kernel, kernel);
	if (pool)
		memcpy(stride, kernel, sizeof(stride));
	understood = understood && pair(call, "stride", p->stride, stride) &&
		     pair(call, "padding", p->pad, pad) &&
		     pair(call, "dilation", p->dilation, dilation);
	pad[2] = pad[0];
	pad[3] = pad[1];
	groups = number_or(call, "groups", p->groups, 1);
	if (!understood || number_or(call, "divisor_override", p->divisor, 0) != 0 ||
		!(groups >= 1 && groups <= INT32_MAX)) {
		op->kind = OP_UNKNOWN;
		return true;
	}
	if (!pool && is_depthwise(f, op, (int64_t)groups))
		op->kind = OP_DEPTHWISE_CONV_2D;
	if (pool)
		ok = tn_build_attr_ints(&f->b, "kernel", kernel, 2);
	ok = ok && tn_build_attr_ints(&f->b, "stride", stride, 2) &&
	     tn_build_attr_ints(&f->b, "pad", pad, 4) &&
	     tn_build_attr_ints(&f->b, "dilation", dilation, 2);
	if (groups > 1)
		ok = ok && tn_build_attr_int(&f->b, "group", (int64_t)groups);
	if (number_or(call, "ceil_mode", p->ceil, 0) != 0)
		ok = ok && tn_build_attr_int(&f->b, "ceil_mode", 1);
	if (p->counts != NOWHERE &&
		number_or(call, "count_include_pad", p->counts, 1) != 0)
		ok = ok && tn_build_attr_int(&f->b, "count_include_pad", 1);
	return ok;
}

/* input, scale, zero point, least and greatest integer */
static bool is_quant(struct tn_foreign *f, const struct tn_aten_call *call)
{
	static const char *const names[] = { "", "scale", "zero_point", "quant_min",
		"quant_max" };
	double value[COUNT(names)] = { 0 };

	for (size_t i = 1; i < COUNT(names); i++)
		if (!call->number(call, names[i], i, &value[i]) ||
			(i > 1 && !(value[i] >= -32768 && value[i] <= 65535)))
			return false;
	return tn_aten_quant(
		f, value[1], (int64_t)value[2], (int64_t)value[3], (int64_t)value[4]);
}

static bool add_norm(struct tn_foreign *f, const struct tn_aten_norm *n,
	const struct tn_aten_call *call)
{
	int64_t first;
	size_t rank = n->rows == TN_ATEN_NONE
			      ? 0
			      : call->ints(call, "normalized_shape", n->rows, &first, 1);
	bool ok;

	if (rank > TN_RANK_MAX) {
		tn_foreign_newest_op(f)->kind = OP_UNKNOWN;
		return true;
	}
	ok = tn_build_attr_int(
		&f->b, "axis", n->rows == TN_ATEN_NONE ? 1 : -(int64_t)rank);
	if (n->training != TN_ATEN_NONE)
		ok = ok && tn_build_attr_bool(&f->b, "training",
				   number_or(call, "training", n->training, 0) != 0);
	return ok && tn_build_attr_float(
			     &f->b, "epsilon", number_or(call, "eps", n->eps, 1e-5));
}

/* A list of dimensions, of a reduction or of all for a transposition; a single number is
 * another operator's. */
static bool add_dims(
	struct tn_foreign *f, const struct tn_aten *a, const struct tn_aten_call *call)
{
	const char *name = a->form == ATEN_REDUCE ? "dim" : "dims";
	int64_t dims[TN_RANK_MAX];
	double single;
	size_t n;

	if (call->number(call, name, 1, &single))
		return true;
	n = call->ints(call, name, 1, dims, TN_RANK_MAX);
	if (!n || n > TN_RANK_MAX)
		return true;
	return tn_build_attr_ints(
		&f->b, a->form == ATEN_REDUCE ? "axes" : "perm", dims, n);
}

/* Is the dimension the last one of the first operand? */
static bool is_last(
	struct tn_foreign *f, const struct tn_op *op, const struct tn_aten_call *call)
{
	double dim;

	if (!call->number(call, "dim", 1, &dim))
		return false;
	return dim == -1 ||
	       (op->n_inputs && op->inputs[0].i != TN_NONE &&
		       dim == (double)tn_foreign_at(f, op->inputs[0])->shape.rank - 1);
}

void tn_aten_attributes(
	struct tn_foreign *f, const struct tn_aten *a, const struct tn_aten_call *call)
{
	struct tn_op *op = tn_foreign_newest_op(f);
	double dim;
	bool ok = true;

	switch (a->form) {
	case ATEN_NORM:
		ok = add_norm(f, tn_aten_norm_of(a), call);
		break;
	case ATEN_QUANT:
		if (!is_quant(f, call))
			op->kind = OP_UNKNOWN;
		break;
	case ATEN_CONCAT:
		dim = number_or(call, "dim", 1, 0);
		if (dim >= -TN_RANK_MAX && dim < TN_RANK_MAX)
			ok = tn_build_attr_int(&f->b, "axis", (int64_t)dim);
		else
			op->kind = OP_UNKNOWN;
		break;
	case ATEN_ROW:
		if (!is_last(f, op, call))
			op->kind = OP_UNKNOWN;
		break;
	case ATEN_REDUCE:
	case ATEN_TRANSPOSE:
		ok = add_dims(f, a, call);
		break;
	case ATEN_WINDOW:
	case ATEN_PLAIN:
		if (op->kind == OP_UNKNOWN)
			break;
		if (!is_neutral(a, call))
			op->kind = OP_UNKNOWN;
		else
			ok = a->form == ATEN_WINDOW ? add_window(f, a, call)
						    : add_numbers(f, a, call);
		break;
	case ATEN_VIEW:
	case ATEN_SLICE:
		break;
	}
	f->tree->nomem = f->tree->nomem || !ok;
}
