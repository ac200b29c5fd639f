/* Conversions between types, as C converts: towards zero, then modulo. Floats that no
 * int32 holds saturate first, NaN becomes 0. */
#include "float_math.h"
#include "typed.h"

static void from_f32(const struct tn_cast_params *p, void *out, int32_t i, float x)
{
	if (p->to == TN_F32)
		tn_store_f32(out, i, x);
	else if (p->to == TN_BOOL)
		tn_store_s8(out, i, x != 0.0f);
	else if (p->to == TN_S64)
		tn_store_s64(out, i, tn_s32_of_f32(x));
	else
		tn_store_typed(out, i, p->to, tn_s32_of_f32(x));
}

static void from_int(const struct tn_cast_params *p, void *out, int32_t i, int64_t x)
{
	if (p->to == TN_F32)
		tn_store_f32(out, i, (float)x);
	else if (p->to == TN_BOOL)
		tn_store_s8(out, i, x != 0);
	else if (p->to == TN_S64)
		tn_store_s64(out, i, x);
	else
		tn_store_typed(out, i, p->to, (int32_t)x);
}

void tn_cast(const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_cast_params *p = params;

	(void)scratch;
	for (int32_t t = 0; t < p->n; t++) {
		int32_t i = tn_step_index(p->order, t, p->n);

		if (p->from == TN_F32)
			from_f32(p, out[0], i, tn_load_f32(in[0], i));
		else if (p->from == TN_S64)
			from_int(p, out[0], i, tn_load_s64(in[0], i));
		else
			from_int(p, out[0], i, tn_load_typed(in[0], i, p->from));
	}
}
