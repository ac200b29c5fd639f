/* DYNAMIC_UPDATE_SLICE: a tensor with a part of it replaced, where indices say. */
#include "elements.h"

void tn_update_slice(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_update_slice_params *p = params;
	int32_t outputs = tn_dims_count(p->dim, p->rank), start[TN_DIMS_MAX];

	(void)scratch;
	for (int32_t d = 0; d < p->rank; d++) {
		int32_t most = p->dim[d] - p->update_dim[d];
		int32_t at = tn_load_s32(in[2], d);

		start[d] = at < 0 ? 0 : at < most ? at : most;
	}
	for (int32_t t = 0; t < outputs; t++) {
		int32_t o = tn_step_index(p->order, t, outputs);
		int32_t rest = o, from = 0, stride = 1, inside = 1;

		for (int32_t d = p->rank - 1; d >= 0; d--) {
			int32_t i = rest % p->dim[d] - start[d];

			rest /= p->dim[d];
			inside = inside && i >= 0 && i < p->update_dim[d];
			from += i * stride;
			stride *= p->update_dim[d];
		}
		tn_move_run((tn_u8 *)out[0] + o * p->size,
			inside ? (const tn_u8 *)in[1] + from * p->size
			       : (const tn_u8 *)in[0] + o * p->size,
			1, 1, p->size, 0);
	}
}
