#include "bind/binder.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "ir/window.h"

#include "base/banned.h"

void tn_binder_report(struct tn_binder *b, const char *rule, const char *fmt, ...)
{
	va_list args;
	const char *text;

	if (b->status == TN_OK)
		b->status = TN_ERR_REFUSED;
	va_start(args, fmt);
	text = tn_arena_vprintf(b->diags->arena, fmt, args);
	va_end(args);
	if (text)
		tn_diag_at(b->diags, SEVERITY_ERROR, rule, b->g->source, b->op->pointer,
			b->op->name, "%s %s", b->op->type, text);
	else
		b->status = TN_ERR_NOMEM;
}

const struct tn_tensor *tn_binder_in(const struct tn_binder *b, uint32_t k)
{
	if (k >= b->op->n_inputs || !tn_tensor_id_ok(b->g, b->op->inputs[k]))
		return NULL;
	return &b->g->tensors[b->op->inputs[k].i];
}

const struct tn_tensor *tn_binder_out(const struct tn_binder *b, uint32_t k)
{
	if (k >= b->op->n_outputs || !tn_tensor_id_ok(b->g, b->op->outputs[k]))
		return NULL;
	return &b->g->tensors[b->op->outputs[k].i];
}

static const char *type_name(const struct tn_tensor *t)
{
	return t ? tn_dtype_name(t->dtype) : "nothing";
}

bool tn_binder_no_types(struct tn_binder *b)
{
	const char *in = type_name(tn_binder_in(b, 0)),
		   *out = type_name(tn_binder_out(b, 0));

	if (b->op->n_inputs > 1)
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"has no kernel for %s, %s to %s", in,
			type_name(tn_binder_in(b, 1)), out);
	return tn_binder_refuse(
		b, TN_RULE_NO_KERNEL, "has no kernel for %s to %s", in, out);
}

bool tn_binder_types(struct tn_binder *b, enum tn_dtype in, enum tn_dtype out)
{
	const struct tn_tensor *x = tn_binder_in(b, 0), *y = tn_binder_out(b, 0);

	if (x && y && x->dtype == in && y->dtype == out)
		return true;
	return tn_binder_no_types(b);
}

bool tn_binder_nhwc(struct tn_binder *b)
{
	return tn_op_is_nhwc(b->op) || tn_binder_refuse(b, TN_RULE_NO_KERNEL,
					       "cannot run: its layout is not NHWC");
}

bool tn_binder_type(struct tn_binder *b, const struct tn_tensor *t, int32_t *out)
{
	static const struct {
		enum tn_dtype dtype;
		int32_t type;
	} types[] = {
		{ DTYPE_I8, TN_S8 },
		{ DTYPE_U8, TN_U8 },
		{ DTYPE_I16, TN_S16 },
		{ DTYPE_I32, TN_S32 },
		{ DTYPE_I64, TN_S64 },
		{ DTYPE_F32, TN_F32 },
		{ DTYPE_BOOL, TN_BOOL },
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		if (types[i].dtype != t->dtype)
			continue;
		*out = types[i].type;
		return true;
	}
	return tn_binder_no_types(b);
}

bool tn_binder_scale(struct tn_binder *b, const struct tn_tensor *t, struct tn_scale *out)
{
	struct tn_range range;

	if (t->quant.n != 1)
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"needs one scale for tensor '%s', which has %u", t->name,
			t->quant.n);
	if (t->quant.damaged)
		return tn_binder_refuse(b, TN_RULE_DAMAGED_SCALE,
			"needs the scale of tensor '%s', whose bits the file has lost",
			t->name);
	if (!(t->quant.scale[0] > 0.0f) || !isfinite(t->quant.scale[0]))
		return tn_binder_refuse(b, TN_RULE_DAMAGED_SCALE,
			"needs a positive scale for tensor '%s', which has %g", t->name,
			(double)t->quant.scale[0]);
	if (!tn_range_of(t->dtype, &range) || t->quant.zero_point[0] < range.min ||
		t->quant.zero_point[0] > range.max)
		return tn_binder_refuse(b, TN_RULE_DAMAGED_SCALE,
			"cannot use zero point %lld of tensor '%s': it is no %s",
			(long long)t->quant.zero_point[0], t->name,
			tn_dtype_name(t->dtype));
	out->scale = t->quant.scale[0];
	out->zero_point = (int32_t)t->quant.zero_point[0];
	return true;
}

bool tn_binder_multiplier(struct tn_binder *b, double real, struct tn_multiplier *out)
{
	if (tn_multiplier_of(real, out))
		return true;
	return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
		"needs a ratio of scales of %g, which fixed point does not reach", real);
}

static const struct tn_activation *activation_of(struct tn_binder *b)
{
	const char *name = tn_op_string(b->op, "activation", "NONE");
	const struct tn_activation *act = tn_activation_find(name);

	if (!act)
		tn_binder_report(
			b, TN_RULE_NO_KERNEL, "has no kernel with activation '%s'", name);
	return act;
}

bool tn_binder_activation(struct tn_binder *b, const struct tn_tensor *out,
	struct tn_scale scale, int32_t *out_min, int32_t *out_max)
{
	const struct tn_activation *act = activation_of(b);
	struct tn_range range;

	if (!act)
		return false;
	if (!tn_activation_range(act, out->dtype, scale.scale, scale.zero_point, &range))
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"cannot express activation '%s' in the scale of tensor '%s'",
			act->name, out->name);
	*out_min = range.min;
	*out_max = range.max;
	return true;
}

bool tn_binder_activation_f32(struct tn_binder *b, float *out_min, float *out_max)
{
	const struct tn_activation *act = activation_of(b);

	if (act)
		tn_activation_range_f32(act, out_min, out_max);
	return act != NULL;
}

bool tn_binder_ints(struct tn_binder *b, uint32_t k, const char *attr, int64_t *out,
	uint32_t max, uint32_t *out_n)
{
	const struct tn_tensor *t = tn_binder_in(b, k);
	const struct tn_attr *a = attr ? tn_op_attr(b->op, attr) : NULL;

	*out_n = 0;
	if (t) {
		if (t->data_kind != DATA_BYTES || !tn_tensor_is_constant(t))
			return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
				"needs a constant for operand '%s'", t->name);
		if (t->elements > max)
			return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
				"has more than %u values in operand '%s'", max, t->name);
		for (int64_t i = 0; i < t->elements; i++)
			if (!tn_tensor_int(t, i, &out[i]))
				return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
					"needs integers in operand '%s'", t->name);
		*out_n = (uint32_t)t->elements;
		return true;
	}
	if (!a)
		return false;
	if ((a->kind != ATTR_INTS && a->kind != ATTR_INT) || a->n > max)
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"needs at most %u integers in attribute '%s'", max, attr);
	for (size_t i = 0; i < a->n; i++)
		out[i] = a->kind == ATTR_INT ? a->v.i : a->v.ints[i];
	*out_n = (uint32_t)a->n;
	return true;
}

void *tn_binder_array(struct tn_binder *b, size_t count, size_t size)
{
	void *memory = tn_arena_array(b->arena, count, size);

	if (!memory)
		b->status = TN_ERR_NOMEM;
	return memory;
}

static struct tn_operand *operands(struct tn_binder *b, uint32_t n)
{
	struct tn_operand *list = tn_binder_array(b, n, sizeof(*list));

	for (uint32_t i = 0; list && i < n; i++)
		list[i].tensor.i = TN_NONE;
	return list;
}

void *tn_binder_call(
	struct tn_binder *b, enum tn_kernel_id kernel, uint32_t n_in, uint32_t n_out)
{
	const struct tn_kernel_info *info = &tn_kernels[kernel];
	void *params = tn_binder_array(b, 1, info->params->size);
	const struct tn_loop_order order = {
		.descending = b->variant.descending,
		.hold = (uint8_t)b->variant.hold,
	};

	b->call->kernel = info;
	b->call->in = operands(b, n_in);
	b->call->out = operands(b, n_out);
	if (!params || !b->call->in || !b->call->out)
		return NULL;
	memcpy(params, &order, sizeof(order));
	b->call->params = params;
	b->call->n_in = n_in;
	b->call->n_out = n_out;
	return params;
}

void tn_binder_use(struct tn_binder *b, uint32_t slot, uint32_t k)
{
	if (tn_binder_in(b, k))
		b->call->in[slot].tensor = b->op->inputs[k];
}

void tn_binder_give(struct tn_binder *b, uint32_t slot, uint32_t k)
{
	if (tn_binder_out(b, k))
		b->call->out[slot].tensor = b->op->outputs[k];
}

void *tn_binder_simple(struct tn_binder *b, enum tn_kernel_id kernel, uint32_t n_in)
{
	void *params = tn_binder_call(b, kernel, n_in, 1);

	if (!params)
		return NULL;
	for (uint32_t k = 0; k < n_in; k++)
		tn_binder_use(b, k, k);
	tn_binder_give(b, 0, 0);
	return params;
}
