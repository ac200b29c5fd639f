/* Packed weights and rescaling constants, with the proof that they are exact. */
#include <string.h>

#include "bind/dsp.h"
#include "kernels/ref/fixed.h"

#include "base/banned.h"

bool tn_rescale_has_floor(int32_t zero_point, int32_t act_min, int32_t act_max)
{
	return zero_point == INT8_MIN && act_min == INT8_MIN && act_max == INT8_MAX;
}

static int32_t output_of(const struct tn_rescaling *r, int64_t sum)
{
	int32_t x = tn_requantize((int32_t)sum, r->multiplier, r->shift) + r->zero_point;

	return tn_clamp_s32(x, INT8_MIN, INT8_MAX);
}

/* May what is rescaled, at most the sum when there is no shift, wrap with the zero point? */
static bool may_wrap(const struct tn_rescaling *r)
{
	const int64_t room = -(int64_t)INT8_MIN;

	return r->shift == 0 &&
	       (r->least < INT32_MIN + room || r->most > INT32_MAX - room);
}

/* A channel that gives one value whatever its sum: rescaling is monotone. */
static bool is_constant(const struct tn_rescaling *r, int32_t out[3])
{
	if (r->least < INT32_MIN || r->most > INT32_MAX || r->shift > 0 || may_wrap(r) ||
		output_of(r, r->least) != output_of(r, r->most))
		return false;
	out[0] = 0;
	out[1] = 2 * output_of(r, r->most);
	out[2] = 1;
	return true;
}

static bool small(int64_t x, int bits)
{
	return x < INT64_C(1) << bits && x > -(INT64_C(1) << bits);
}

/* The rules of rescale.h. Neither the scaled sum nor what is added to its product, which
 * is below 2^30, leaves 32 bits. */
bool tn_rescale_pack(const struct tn_rescaling *r, bool floor, int bits, int32_t out[3])
{
	const int e = -r->shift, shift = floor ? e + bits - 1 : e;
	int64_t c;

	if (is_constant(r, out))
		return true;
	if (r->shift > 0 || shift < 0 || shift > 30 || r->multiplier < 0 ||
		!small(r->least, 31 - bits) || !small(r->most, 31 - bits))
		return false;
	if (floor)
		c = (INT64_C(1) << (bits - 2)) * (1 + (e ? INT64_C(1) << e : 0));
	else if (e >= 1)
		c = INT64_C(1) << (e - 1);
	else
		return false; /* the sign would count */
	c += r->zero_point * (INT64_C(1) << shift);
	if (!small(c, 30))
		return false;
	out[0] = r->multiplier;
	out[1] = (int32_t)c;
	out[2] = shift;
	return true;
}

/* ---- pairs of channels ---- */

struct tn_channel tn_packing_channel(
	const struct tn_packing *p, int32_t c, const int8_t *w, int64_t n, int64_t step)
{
	const uint32_t scale = p->n_scales == 1 ? 0 : (uint32_t)c;
	struct tn_channel out = { 0,
		{ p->multiplier[scale], p->shift[scale], p->zero_point, 0, 0 } };
	int64_t sum = 0, magnitude = 0;
	int32_t bias = 0;

	for (int64_t i = 0; i < n; i++) {
		sum += w[i * step];
		magnitude += w[i * step] < 0 ? -w[i * step] : w[i * step];
	}
	if (p->bias)
		memcpy(&bias, (const uint8_t *)p->bias + 4 * (size_t)c, sizeof(bias));
	out.bias = bias + p->in_offset * sum;
	out.rescaling.least = out.bias - 128 * magnitude;
	out.rescaling.most = out.bias + 128 * magnitude;
	return out;
}

static struct tn_channel row_channel(const struct tn_packing *p, int32_t c)
{
	const int64_t n = (int64_t)p->rows * p->row;

	return tn_packing_channel(p, c, p->weights + c * n, n, 1);
}

static int32_t weight(const struct tn_packing *p, int32_t c, int32_t row, int32_t i)
{
	if (c >= p->channels || i >= p->row)
		return 0;
	return p->weights[((int64_t)c * p->rows + row) * p->row + i];
}

/* A halfword is u + 256 v, so that its low byte is u alone. */
static bool pack_word(
	const struct tn_packing *p, int32_t c, int32_t row, int32_t i, uint32_t *out)
{
	*out = 0;
	for (int32_t k = 0; k < 2; k++) {
		int32_t u = weight(p, c, row, i + 2 * k);
		int32_t x = u + 256 * weight(p, c + 1, row, i + 2 * k);

		if (x < INT16_MIN || x > INT16_MAX)
			return false;
		*out |= ((uint32_t)x & 0xffff) << 16 * k;
	}
	return true;
}

static bool pack_rows(
	const struct tn_packing *p, int32_t c, int32_t row, int32_t end, uint32_t **at)
{
	for (; row < end; row++)
		for (int32_t i = 0; i < p->row; i += 4)
			for (int32_t odd = 0; odd < 2; odd++)
				if (!pack_word(p, c, row, i + odd, (*at)++))
					return false;
	return true;
}

static bool pack_constants(const struct tn_packing *p, const struct tn_channel pair[2],
	bool last, uint32_t **at)
{
	const int bits[2] = { p->floor ? 2 : 1, 8 };
	int32_t k[3];

	for (int i = 0; i < 2; i++) {
		if (!tn_rescale_pack(&pair[i].rescaling, p->floor, bits[i], k))
			return false;
		if (i && last)
			k[2] |= (int32_t)((uint32_t)1 << 31) |
				(p->channels % 2 ? 1 << 30 : 0);
		for (int n = 0; n < 3; n++)
			*(*at)++ = (uint32_t)k[n];
	}
	return true;
}

static bool pack_part(const struct tn_packing *p, int32_t row, int32_t end, uint32_t **at)
{
	for (int32_t c = 0; c < p->channels; c += 2) {
		struct tn_channel pair[2] = { row_channel(p, c), { 0 } };

		if (c + 1 < p->channels)
			pair[1] = row_channel(p, c + 1);
		if (row == 0) {
			*(*at)++ = (uint32_t)pair[0].bias;
			*(*at)++ = (uint32_t)pair[0].bias + 256 * (uint32_t)pair[1].bias;
		}
		if (!pack_rows(p, c, row, end, at))
			return false;
		if (end == p->rows && !pack_constants(p, pair, c + 2 >= p->channels, at))
			return false;
	}
	return true;
}

bool tn_dsp_pack_pairs(struct tn_binder *b, const struct tn_packing *p, uint32_t **out,
	size_t *out_words)
{
	uint32_t *at;

	*out_words = ((size_t)p->channels + 1) / 2 *
		     (8 + 2 * (size_t)p->rows * (((size_t)p->row + 3) / 4));
	*out = at = tn_binder_array(b, *out_words, sizeof(*at));
	if (!at)
		return false;
	for (int32_t row = 0; row < p->rows; row += p->part_rows) {
		int32_t end = row + p->part_rows < p->rows ? row + p->part_rows : p->rows;

		if (!pack_part(p, row, end, &at)) {
			*out = NULL;
			break;
		}
	}
	return true;
}

/* ---- six channels ---- */

static bool pack_six(const struct tn_packing *p, int32_t c, int32_t pairs, uint32_t **at)
{
	struct tn_channel x[6] = { { 0 } };

	for (int32_t i = 0; i < 2 * pairs && c + i < p->channels; i++)
		x[i] = row_channel(p, c + i);
	for (int32_t i = 0; i < pairs; i++) {
		*(*at)++ = (uint32_t)x[2 * i].bias;
		*(*at)++ = (uint32_t)x[2 * i].bias + 256 * (uint32_t)x[2 * i + 1].bias;
	}
	for (int32_t k = 0; k < p->row; k += 4)
		for (int32_t odd = 0; odd < 2; odd++)
			for (int32_t i = 0; i < pairs; i++)
				if (!pack_word(p, c + 2 * i, 0, k + odd, (*at)++))
					return false;
	for (int32_t i = 0; i < pairs; i++)
		if (!pack_constants(p, &x[2 * i], false, at))
			return false;
	return true;
}

bool tn_dsp_pack_sixes(struct tn_binder *b, const struct tn_packing *p, uint32_t **out,
	size_t *out_words)
{
	int32_t pairs;
	uint32_t *at;

	*out_words = ((size_t)p->channels + 1) / 2 * (8 + 2 * (((size_t)p->row + 3) / 4));
	*out = at = tn_binder_array(b, *out_words, sizeof(*at));
	if (!at)
		return false;
	for (int32_t c = 0; c < p->channels; c += 2 * pairs) {
		pairs = p->channels - c > 4 ? 3 : 1;
		if (!pack_six(p, c, pairs, &at)) {
			*out = NULL;
			break;
		}
	}
	return true;
}

/* ---- depthwise ---- */

static uint32_t halves(int32_t low, int32_t high)
{
	return ((uint32_t)low & 0xffff) | (uint32_t)high << 16;
}

bool tn_dsp_pack_depthwise(struct tn_binder *b, const struct tn_packing *p,
	uint32_t **out, size_t *out_words)
{
	const int bits = p->floor ? 2 : 1;
	const int32_t n = p->channels;
	uint32_t *at;

	/* what is left behind the fours comes with channels before it, in a four */
	*out_words = 8 * (((size_t)n + 3) / 4 * 4);
	*out = at = tn_binder_array(b, *out_words, sizeof(*at));
	if (!at)
		return false;
	for (int32_t i = 0; i < (n + 3) / 4 * 4; i++, at += 8) {
		const int32_t c = i < n / 4 * 4 ? i : n - 4 + i % 4;
		const int8_t *w = p->weights + c;
		struct tn_channel x = tn_packing_channel(p, c, w, 9, n);
		int32_t k[3], scaled[9];

		if (!tn_rescale_pack(&x.rescaling, p->floor, bits, k)) {
			*out = NULL;
			return true;
		}
		for (int tap = 0; tap < 9; tap++)
			scaled[tap] = w[tap * n] * (1 << bits);
		for (int column = 0; column < 3; column++)
			at[column] = halves(scaled[column], scaled[3 + column]);
		at[3] = halves(scaled[6], scaled[7]);
		at[4] = halves(k[2], scaled[8]);
		at[5] = (uint32_t)x.bias << bits;
		at[6] = (uint32_t)k[0];
		at[7] = (uint32_t)k[1];
	}
	return true;
}
