/* Constants and weights of the set thumb, with the proof that its roundings are exact. */
#include <string.h>

#include "bind/thumb.h"

#include "base/banned.h"

#define CONSTANTS TN_THUMB_CONSTANTS
#define TAPS	  9

/* Of channel c, whose n weights lie `step` apart from `weights` on. False: its roundings are
 * not the kernels'. */
static bool put_constants(const struct tn_packing *p, int32_t c, const int8_t *weights,
	int64_t n, int64_t step, uint32_t *out)
{
	const struct tn_channel x = tn_packing_channel(p, c, weights, n, step);
	int32_t k[3];

	if (!tn_rescale_pack(&x.rescaling, false, 1, k))
		return false;
	out[0] = (uint32_t)x.bias;
	for (int i = 0; i < 3; i++)
		out[1 + i] = (uint32_t)k[i];
	return true;
}

bool tn_thumb_pack_constants(
	struct tn_binder *b, const struct tn_packing *p, uint32_t **out)
{
	const int64_t n = (int64_t)p->rows * p->row;
	uint32_t *k = tn_binder_array(b, CONSTANTS * (size_t)p->channels, sizeof(*k));

	*out = k;
	for (int32_t c = 0; k && c < p->channels; c++)
		if (!put_constants(p, c, p->weights + c * n, n, 1, k + CONSTANTS * c))
			*out = NULL;
	return k != NULL;
}

bool tn_thumb_pack_depthwise(
	struct tn_binder *b, const struct tn_packing *p, uint32_t **out)
{
	const size_t words = TN_THUMB_DEPTHWISE;
	uint32_t *stream =
		tn_binder_array(b, words * (size_t)p->channels, sizeof(*stream));

	*out = stream;
	for (int32_t c = 0; stream && c < p->channels; c++) {
		uint32_t *at = stream + words * (size_t)c;

		memset(at, 0, words * sizeof(*at));
		if (!put_constants(p, c, p->weights + c, TAPS, p->channels, at))
			*out = NULL;
		for (int32_t i = 0; i < TAPS; i++) {
			uint8_t byte = (uint8_t)p->weights[(int64_t)(i % 3 * 3 + i / 3) *
								   p->channels +
							   c];

			at[CONSTANTS + i / 4] |= (uint32_t)byte << 8 * (i % 4);
		}
	}
	return stream != NULL;
}
