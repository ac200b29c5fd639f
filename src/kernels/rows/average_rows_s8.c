/* Average pooling of int8 over whole planes, some rows at a time. */
#include "plane.h"

void tn_average_rows_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_average_rows_params *p = params;
	const int32_t count = p->plane.height * p->plane.width;
	const int32_t channels = p->plane.channels;
	const int32_t min = p->act_min, max = p->act_max;
	tn_s32 *sums = scratch;
	tn_s8 *y = out[0];

	tn_plane_add_s8(&p->plane, in[0], sums);
	if (p->plane.y_end < p->plane.height)
		return;
	for (int32_t c = 0; c < channels; c++) {
		int32_t half = sums[c] > 0 ? count / 2 : -(count / 2);
		int32_t value = tn_wrap_add(sums[c], half) / count;

		tn_store_s8(y, c, tn_clamp_s32(value, min, max));
	}
}
