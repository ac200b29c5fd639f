/* Sum or mean of int8 over whole planes, some rows at a time. */
#include "plane.h"

void tn_sum_rows_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_sum_rows_params *p = params;
	tn_s32 *sums = scratch;

	tn_plane_add_s8(&p->plane, in[0], sums);
	for (int32_t c = 0; p->plane.y_end == p->plane.height && c < p->plane.channels;
		c++) {
		int32_t value = tn_requantize(
			tn_wrap_sub(sums[c], p->in_bias), p->multiplier, p->shift);

		value = tn_wrap_add(value, p->out_offset);
		tn_store_s8(out[0], c, tn_clamp_s32(value, p->out_min, p->out_max));
	}
}
