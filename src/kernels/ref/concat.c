/* Tensors side by side: CONCATENATION and PACK. */
#include "elements.h"

void tn_concat(const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_chunks_params *p = params;
	int32_t n = (int32_t)p->n_runs, length = 0, at = 0;
	int down = p->order.descending;

	(void)scratch;
	for (int32_t k = 0; k < n; k++)
		length += p->run[k];
	if (down)
		at = p->outer * length;
	for (int32_t t = 0; t < p->outer; t++) {
		int32_t o = tn_step_index(p->order, t, p->outer);

		for (int32_t j = 0; j < n; j++) {
			int32_t k = tn_step_index(p->order, j, n), run = p->run[k];

			at -= down ? run : 0;
			tn_move_run((tn_u8 *)out[0] + at * p->size,
				(const tn_u8 *)in[k] + o * run * p->size, run, 1, p->size,
				down);
			at += down ? 0 : run;
		}
	}
}
