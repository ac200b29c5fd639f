/* Quantisation as PyTorch's exports spell it: the scale is an argument of the op, where ours
 * belongs to the tensor of integers. */
#include <string.h>

#include "import/aten.h"

#include "base/banned.h"

/* False when the integers have another scale already, or are none. */
static bool set_scale(struct tn_foreign *f, tn_tensor_id id, float scale, int64_t zero)
{
	struct tn_tensor *t = tn_foreign_at(f, id);
	float *scales;
	int64_t *zeros;

	if (t->dtype != DTYPE_I8 && t->dtype != DTYPE_U8 && t->dtype != DTYPE_I16)
		return false;
	if (t->quant.n)
		return t->quant.n == 1 && t->quant.zero_point[0] == zero &&
		       memcmp(t->quant.scale, &scale, sizeof(scale)) == 0;
	scales = TN_NEW_ARRAY(f->im->arena, float, 1);
	zeros = TN_NEW_ARRAY(f->im->arena, int64_t, 1);
	if (!scales || !zeros) {
		f->tree->nomem = true;
		return false;
	}
	scales[0] = scale;
	zeros[0] = zero;
	t->quant = (struct tn_quant){ 1, 0, scales, zeros, false };
	return true;
}

/* All the integers of a type, from min to max? */
static bool is_whole_range(enum tn_dtype dtype, int64_t min, int64_t max)
{
	const int64_t half = dtype == DTYPE_I16 ? 32768 : 128;

	return dtype == DTYPE_U8 ? min == 0 && max == 255
				 : min == -half && max == half - 1;
}

bool tn_aten_quant(
	struct tn_foreign *f, double scale, int64_t zero, int64_t min, int64_t max)
{
	const struct tn_op *op = tn_foreign_newest_op(f);
	bool ok;

	if (!(scale >= 1e-30 && scale <= 1e30) || zero < min || zero > max ||
		min >= max || min < -32768 || max > 65535 || op->n_inputs != 1 ||
		op->n_outputs != 1 || op->inputs[0].i == TN_NONE ||
		op->outputs[0].i == TN_NONE)
		return false;
	if (op->kind == OP_DEQUANTIZE)
		return set_scale(f, op->inputs[0], (float)scale, zero);
	if (op->kind == OP_QUANTIZE)
		return is_whole_range(
			       tn_foreign_at(f, op->outputs[0])->dtype, min, max) &&
		       set_scale(f, op->outputs[0], (float)scale, zero);
	if (max - min != 255) /* of 8 bits, as our FAKE_QUANT is */
		return false;
	ok = tn_build_attr_float(&f->b, "min", (double)(min - zero) * scale) &&
	     tn_build_attr_float(&f->b, "max", (double)(max - zero) * scale) &&
	     tn_build_attr_int(&f->b, "num_bits", 8);
	f->tree->nomem = f->tree->nomem || !ok;
	return ok;
}
