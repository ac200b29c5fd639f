/* Sum or mean in single precision over whole planes, some rows at a time. */
#include "plane.h"

void tn_sum_rows_f32(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_sum_rows_f32_params *p = params;
	tn_f32 *sums = scratch;

	tn_plane_add_f32(&p->plane, in[0], sums);
	for (int32_t c = 0; p->plane.y_end == p->plane.height && c < p->plane.channels;
		c++)
		tn_store_f32(out[0], c, sums[c] / p->divisor);
}
