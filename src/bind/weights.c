/* Constants of layers: bias and packed filters. */
#include "bind/binder.h"

bool tn_binder_bias(
	struct tn_binder *b, uint32_t k, enum tn_dtype dtype, int64_t channels)
{
	const struct tn_tensor *bias = tn_binder_in(b, k);

	if (!bias || (bias->dtype == dtype && bias->elements == channels))
		return true;
	return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
		"needs %lld values of type %s as bias '%s'", (long long)channels,
		tn_dtype_name(dtype), bias->name);
}

/* Readers give the type by name or by its number in TFLite's schema. */
static enum tn_dtype missing_bias_type(const struct tn_op *op)
{
	const char *name = tn_op_string(op, "quantized_bias_type", "");
	int number = (int)tn_op_int(op, "quantized_bias_type", -1);
	enum tn_dtype dtype = tn_dtype_parse(name);

	if (dtype == DTYPE_INVALID)
		dtype = tn_dtype_from_tflite_name(name);
	return dtype == DTYPE_INVALID ? tn_dtype_from_tflite(number) : dtype;
}

bool tn_binder_wide(struct tn_binder *b, bool narrow, bool *out)
{
	const struct tn_tensor *bias = tn_binder_in(b, 2);

	*out = bias ? bias->dtype == DTYPE_I64 : missing_bias_type(b->op) != DTYPE_I32;
	if (*out || narrow)
		return true;
	return tn_binder_refuse(
		b, TN_RULE_NO_KERNEL, "has only a kernel with a bias of 64 bits");
}

bool tn_binder_wide_shifts(struct tn_binder *b, const int8_t *shift, uint32_t n)
{
	for (uint32_t c = 0; c < n; c++)
		if (shift[c] > 7)
			return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
				"needs a ratio of scales that wide sums do not reach");
	return true;
}

/* Two weights a byte, low half first, flat over the whole tensor. */
bool tn_binder_unpack(struct tn_binder *b, uint32_t slot, const struct tn_tensor *filter)
{
	struct tn_operand *operand = &b->call->in[slot];
	int8_t *bytes;

	if (filter->dtype != DTYPE_I4)
		return true;
	if (filter->data_kind != DATA_BYTES || !tn_tensor_is_constant(filter) ||
		filter->data_bytes < (filter->elements + 1) / 2)
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"needs a constant for filter '%s'", filter->name);
	bytes = tn_binder_array(b, (size_t)filter->elements, 1);
	if (!bytes)
		return false;
	for (int64_t i = 0; i < filter->elements; i++) {
		int half = filter->data[i / 2] >> (i % 2 ? 4 : 0) & 15;

		bytes[i] = (int8_t)(half >= 8 ? half - 16 : half);
	}
	operand->tensor.i = TN_NONE;
	operand->data = bytes;
	operand->data_bytes = filter->elements;
	return true;
}

bool tn_binder_channels(struct tn_binder *b, const struct tn_tensor *x,
	const struct tn_tensor *filter, uint32_t axis, uint32_t channels,
	struct tn_conv_params *p)
{
	const struct tn_quant *q = &filter->quant;
	int32_t *multiplier = tn_binder_array(b, channels, sizeof(*multiplier));
	int8_t *shift = tn_binder_array(b, channels, sizeof(*shift));
	struct tn_scale in, out;
	struct tn_multiplier m;

	if (!multiplier || !shift || !tn_binder_scale(b, x, &in) ||
		!tn_binder_scale(b, tn_binder_out(b, 0), &out))
		return false;
	if (q->damaged)
		return tn_binder_refuse(b, TN_RULE_DAMAGED_SCALE,
			"needs the scales of tensor '%s', whose bits the file has lost",
			filter->name);
	if (q->n != 1 && (q->n != channels || q->axis != axis))
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"needs 1 or %u scales for filter '%s', which has %u", channels,
			filter->name, q->n);
	for (uint32_t c = 0; c < channels; c++) {
		double scale = (double)q->scale[q->n == 1 ? 0 : c];

		if (!tn_binder_multiplier(
			    b, (double)in.scale * scale / (double)out.scale, &m))
			return false;
		multiplier[c] = m.multiplier;
		shift[c] = (int8_t)m.shift;
	}
	p->in_offset = -in.zero_point;
	p->out_offset = out.zero_point;
	p->n_channels = channels;
	p->multiplier = multiplier;
	p->shift = shift;
	return tn_binder_activation(
		b, tn_binder_out(b, 0), out, &p->act_min, &p->act_max);
}
