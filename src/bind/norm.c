/* Normalisations with parameters. */
#include <math.h>
#include <string.h>

#include "bind/binder.h"
#include "ir/norm.h"
#include "kernels/ref/float_math.h"

/* Float operands of the shapes that the op needs, and no activation behind it. */
static bool norm_of(struct tn_binder *b, struct tn_norm *out)
{
	const char *activation = tn_op_string(b->op, "activation", "NONE");
	const struct tn_activation *act = tn_activation_find(activation);
	const char *why;

	if (!tn_norm_of(b->g, b->op, out, &why))
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL, "cannot run: %s", why);
	if (!act || act->has_min || act->has_max)
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"has no kernel with activation '%s'", activation);
	if (!tn_binder_types(b, DTYPE_F32, DTYPE_F32))
		return false;
	for (uint32_t k = 1; k < b->op->n_outputs; k++)
		if (tn_binder_out(b, k)->elements &&
			tn_binder_out(b, k)->dtype != DTYPE_F32)
			return tn_binder_no_types(b);
	return true;
}

/* Parameters are constants: binding computes with them, and kernels read them at any
 * time. */
static bool check_parameter(struct tn_binder *b, uint32_t k)
{
	const struct tn_tensor *t = tn_binder_in(b, k);

	if (t && (!tn_tensor_is_constant(t) || t->data_kind != DATA_BYTES ||
			 t->data_bytes != t->bytes || t->dtype != DTYPE_F32))
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"needs f32 constants for operand '%s'", t->name);
	return true;
}

static bool epsilon_of(struct tn_binder *b, float *out)
{
	*out = (float)tn_op_float(b->op, "epsilon", 1e-5);
	return (*out >= 0.0f && isfinite(*out)) ||
	       tn_binder_refuse(
		       b, TN_RULE_NO_KERNEL, "cannot run: epsilon is %g", (double)*out);
}

static float value_of(const struct tn_binder *b, uint32_t k, int64_t c, float otherwise)
{
	const struct tn_tensor *t = tn_binder_in(b, k);
	float value = otherwise;

	if (t)
		memcpy(&value, t->data + (size_t)c * sizeof(value), sizeof(value));
	return value;
}

/* Operand `slot` of the call: n floats that binding makes. */
static float *made(struct tn_binder *b, uint32_t slot, int64_t n)
{
	float *data = tn_binder_array(b, (size_t)n, sizeof(*data));

	b->call->in[slot].data = data;
	b->call->in[slot].data_bytes = n * (int64_t)sizeof(*data);
	return data;
}

bool tn_bind_batch_norm(struct tn_binder *b)
{
	enum { SCALE = 1, OFFSET, MEAN, VARIANCE };
	struct tn_batch_norm_f32_params *p;
	float *factor, *offset, epsilon;
	struct tn_norm norm;

	if (!norm_of(b, &norm) || !epsilon_of(b, &epsilon))
		return false;
	for (uint32_t k = SCALE; k <= VARIANCE; k++)
		if (!check_parameter(b, k))
			return false;
	p = tn_binder_call(b, KERNEL_BATCH_NORM_F32, 4, 1);
	if (!p)
		return false;
	tn_binder_use(b, 0, 0);
	tn_binder_use(b, 1, MEAN);
	tn_binder_give(b, 0, 0);
	factor = made(b, 2, norm.n);
	offset = made(b, 3, norm.n);
	if (!factor || !offset)
		return false;
	for (int64_t c = 0; c < norm.n; c++) {
		float variance = value_of(b, VARIANCE, c, 1.0f) + epsilon;

		if (!(variance > 0.0f))
			return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
				"cannot run: the variance of channel %lld is %g",
				(long long)c, (double)(variance - epsilon));
		factor[c] = value_of(b, SCALE, c, 1.0f) / tn_sqrt_f32_value(variance);
		offset[c] = value_of(b, OFFSET, c, 0.0f);
	}
	p->outer = (int32_t)norm.outer;
	p->channels = (int32_t)norm.n;
	p->inner = (int32_t)norm.inner;
	return true;
}

bool tn_bind_layer_norm(struct tn_binder *b)
{
	struct tn_layer_norm_f32_params *p;
	struct tn_norm norm;

	if (!norm_of(b, &norm) || !check_parameter(b, 1) || !check_parameter(b, 2))
		return false;
	p = tn_binder_call(b, KERNEL_LAYER_NORM_F32, 3, b->op->n_outputs);
	if (!p || !epsilon_of(b, &p->epsilon))
		return false;
	for (uint32_t k = 0; k < 3; k++)
		tn_binder_use(b, k, k);
	for (uint32_t k = 0; k < b->op->n_outputs; k++)
		tn_binder_give(b, k, k);
	p->rows = (int32_t)norm.outer;
	p->n = (int32_t)norm.n;
	p->facts = (int32_t)b->op->n_outputs - 1;
	return true;
}
