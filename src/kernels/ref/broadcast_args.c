/* BROADCAST_ARGS: the shape that two shapes broadcast to. */
#include "elements.h"

/* Dimension `back` from the end; 1 beyond the first. */
static int32_t dimension(const void *shape, int32_t n, int32_t back)
{
	return back < n ? tn_load_s32(shape, n - 1 - back) : 1;
}

void tn_broadcast_args(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_broadcast_args_params *p = params;

	(void)scratch;
	for (int32_t t = 0; t < p->n; t++) {
		int32_t i = tn_step_index(p->order, t, p->n);
		int32_t a = dimension(in[0], p->n_a, p->n - 1 - i);
		int32_t b = dimension(in[1], p->n_b, p->n - 1 - i);

		tn_store_s32(out[0], i, a == 1 ? b : a);
	}
}
