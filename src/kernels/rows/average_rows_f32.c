/* Average pooling in single precision over whole planes, some rows at a time. */
#include "plane.h"

void tn_average_rows_f32(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_average_rows_f32_params *p = params;
	const float count = (float)(p->plane.height * p->plane.width);
	tn_f32 *sums = scratch;

	tn_plane_add_f32(&p->plane, in[0], sums);
	for (int32_t c = 0; p->plane.y_end == p->plane.height && c < p->plane.channels;
		c++)
		tn_store_f32(out[0], c,
			tn_clamp_f32_value(sums[c] / count, p->act_min, p->act_max));
}
