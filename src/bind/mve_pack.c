/* Packed weights of the set "mve", with the proof that they are exact. */
#include "bind/mve.h"

#include <string.h>

#include "kernels/mve/layout.h"

#include "base/banned.h"

/* The reference's second rounding moves ties of negative numbers away from zero, but only
 * where it shifts at all. */
bool tn_mve_rescales(const struct tn_packing *p)
{
	for (uint32_t i = 0; i < p->n_scales; i++) {
		if (p->shift[i] > 0 || p->shift[i] < -31 || p->multiplier[i] < 0)
			return false;
		if (!p->floor && p->shift[i] == 0 && p->multiplier[i] != 0)
			return false;
	}
	return true;
}

struct channels {
	const struct tn_packing *p;
	int32_t groups; /* whole ones */
	int32_t vectors;
};

static struct channels channels_of(const struct tn_packing *p)
{
	return (struct channels){ p, p->channels / TN_GROUP,
		(p->channels + TN_VECTOR - 1) / TN_VECTOR };
}

/* TN_NONE: none, in a vector that is filled up. */
static uint32_t lane_channel(const struct channels *x, int32_t vector, int32_t lane)
{
	int32_t c = tn_lane_channel(vector, lane, x->groups);

	return c < x->p->channels ? (uint32_t)c : TN_NONE;
}

/* With the input's zero point folded in; wraps as the kernel's sum does. */
static uint32_t bias_of(const struct tn_packing *p, uint32_t c)
{
	const int64_t n = (int64_t)p->rows * p->row;
	int64_t sum = 0;
	int32_t bias = 0;

	if (c == TN_NONE)
		return 0;
	for (int64_t i = 0; i < n; i++)
		sum += p->weights[c * n + i];
	if (p->bias)
		memcpy(&bias, (const uint8_t *)p->bias + 4 * (size_t)c, sizeof(bias));
	return (uint32_t)(bias + p->in_offset * sum);
}

static uint32_t *pack_constants(const struct channels *x, uint32_t *at)
{
	const struct tn_packing *p = x->p;

	for (int32_t v = 0; v < x->vectors; v++, at += TN_VECTOR_WORDS) {
		for (int32_t lane = 0; lane < TN_VECTOR; lane++) {
			uint32_t c = lane_channel(x, v, lane);
			uint32_t scale = p->n_scales == 1 ? 0 : c;

			at[lane] = c == TN_NONE ? 0 : (uint32_t)p->multiplier[scale];
			at[TN_VECTOR + lane] =
				c == TN_NONE ? 0 : (uint32_t)p->shift[scale];
		}
	}
	return at;
}

/* Weight i of a window in a strip: column by column, rows in a column, elements of a
 * pixel. */
static uint32_t weight(const struct tn_packing *p, int32_t depth, uint32_t c, int32_t i)
{
	const int32_t column = i / (p->rows * depth), y = i / depth % p->rows;

	if (c == TN_NONE || i >= p->rows * p->row)
		return 0;
	return (uint8_t)p->weights[((int64_t)c * p->rows + y) * p->row + column * depth +
				   i % depth];
}

/* Channels from `first` on, at most `most` of them. */
static struct tn_packing part_of(const struct tn_packing *p, int32_t first, int32_t most)
{
	struct tn_packing part = *p;

	part.channels = p->channels - first < most ? p->channels - first : most;
	part.weights += (int64_t)first * p->rows * p->row;
	if (p->bias)
		part.bias = (const uint8_t *)p->bias + 4 * (size_t)first;
	if (p->n_scales != 1) {
		part.multiplier += first;
		part.shift += first;
	}
	return part;
}

/* Biases and weights, vector after vector. */
static uint32_t *pack_vectors(
	const struct channels *x, int32_t depth, int32_t blocks, uint32_t *at)
{
	for (int32_t v = 0; v < x->vectors; v++) {
		for (int32_t lane = 0; lane < TN_VECTOR; lane++)
			*at++ = bias_of(x->p, lane_channel(x, v, lane));
		for (int32_t i = 0; i < TN_VECTOR * TN_BLOCK * blocks; i += 4) {
			int32_t lane = i / TN_BLOCK % TN_VECTOR;
			int32_t k = i / (TN_VECTOR * TN_BLOCK) * TN_BLOCK + i % TN_BLOCK;
			uint32_t c = lane_channel(x, v, lane);

			*at++ = weight(x->p, depth, c, k) |
				weight(x->p, depth, c, k + 1) << 8 |
				weight(x->p, depth, c, k + 2) << 16 |
				weight(x->p, depth, c, k + 3) << 24;
		}
	}
	return at;
}

bool tn_mve_pack_tile(struct tn_binder *b, const struct tn_packing *p, int32_t depth,
	uint32_t **out, size_t *out_words)
{
	const int32_t blocks = (p->rows * p->row + TN_BLOCK - 1) / TN_BLOCK;
	uint32_t *at;

	*out = NULL;
	if (!tn_mve_rescales(p))
		return true;
	/* each part but the last one has whole vectors */
	*out_words = ((size_t)p->channels + TN_VECTOR - 1) / TN_VECTOR *
		     (TN_VECTOR + TN_BLOCK * (size_t)blocks + TN_VECTOR_WORDS);
	*out = at = tn_binder_array(b, *out_words, sizeof(*at));
	if (!at)
		return false;
	for (int32_t first = 0; first < p->channels; first += TN_PART_CHANNELS) {
		const struct tn_packing part = part_of(p, first, TN_PART_CHANNELS);
		const struct channels x = channels_of(&part);

		at = pack_vectors(&x, depth, blocks, at);
		at = pack_constants(&x, at);
	}
	return true;
}

/* ---- fully connected ---- */

static uint32_t four_weights(const struct tn_packing *p, uint32_t c, int32_t i)
{
	uint32_t word = 0;

	for (int32_t k = 0; k < 4; k++)
		word |= weight(p, p->row, c, i + k) << 8 * k;
	return word;
}

/* `lanes` channels from a vector on: biases, then block after block. */
static uint32_t *pack_lanes(
	const struct channels *x, int32_t vector, int32_t lanes, uint32_t *at)
{
	const struct tn_packing *p = x->p;

	for (int32_t i = 0; i < lanes; i++)
		*at++ = bias_of(
			p, lane_channel(x, vector + i / TN_VECTOR, i % TN_VECTOR));
	for (int32_t k = 0; k < p->row; k += TN_BLOCK) {
		for (int32_t i = 0; i < lanes; i++) {
			uint32_t c =
				lane_channel(x, vector + i / TN_VECTOR, i % TN_VECTOR);

			for (int32_t byte = 0; byte < TN_BLOCK; byte += 4)
				*at++ = four_weights(p, c, k + byte);
		}
	}
	return at;
}

int32_t tn_mve_offset(const struct tn_packing *p)
{
	return p->floor ? TN_FLOOR_OFFSET : p->zero_point;
}

void tn_mve_conv_set(struct tn_mve_conv_params *out, const struct tn_geometry *g,
	const struct tn_mve_conv *conv, const struct tn_packing *p)
{
	out->g = *g;
	out->tile = (struct tn_mve_tile){
		.vectors = (g->out_c + TN_VECTOR - 1) / TN_VECTOR,
		.blocks = (int32_t)conv->blocks,
		.groups = g->out_c / TN_GROUP,
		.rest = g->out_c % TN_GROUP,
		.offset = tn_mve_offset(p),
		.floor = p->floor,
		/* a strip has the window's height; in place that is 1 */
		.in_step = g->stride_w * g->in_c * g->k_h,
		.out_step = g->out_c,
	};
	out->direct = conv->direct;
	out->whole = conv->direct && g->batches == 1 && g->in_c % TN_BLOCK == 0;
	out->room = (int32_t)conv->room;
	out->sums = (int32_t)conv->sums;
}

bool tn_mve_pack_rows(struct tn_binder *b, const struct tn_packing *p, uint32_t **out,
	size_t *out_words)
{
	const size_t blocks = ((size_t)p->row + TN_BLOCK - 1) / TN_BLOCK;
	uint32_t *at;

	*out = NULL;
	if (!tn_mve_rescales(p))
		return true;
	/* each part but the last one has whole vectors */
	*out_words = ((size_t)p->channels + TN_VECTOR - 1) / TN_VECTOR *
		     (TN_VECTOR + TN_BLOCK * blocks + TN_VECTOR_WORDS);
	*out = at = tn_binder_array(b, *out_words, sizeof(*at));
	if (!at)
		return false;
	for (int32_t first = 0; first < p->channels; first += TN_ROW_CHANNELS) {
		const struct tn_packing part = part_of(p, first, TN_ROW_CHANNELS);
		const struct channels x = channels_of(&part);

		for (int32_t v = 0; v < x.vectors; v += 2)
			at = pack_lanes(
				&x, v, v + 1 < x.vectors ? 2 * TN_VECTOR : TN_VECTOR, at);
		at = pack_constants(&x, at);
	}
	return true;
}

/* ---- depthwise ---- */

/* Byte i of a channel's record. */
static uint32_t record_byte(const struct tn_packing *p, uint32_t c, int32_t i)
{
	const int32_t tap = i - 6;

	if (tap < 0 || tap >= 9)
		return 0;
	return (uint8_t)p->weights[(int64_t)(tap % 3 * 3 + tap / 3) * p->channels + c];
}

static uint32_t depth_bias(const struct tn_packing *p, uint32_t c)
{
	int64_t sum = 0;
	int32_t bias = 0;

	for (int64_t tap = 0; tap < 9; tap++)
		sum += p->weights[tap * p->channels + c];
	if (p->bias)
		memcpy(&bias, (const uint8_t *)p->bias + 4 * (size_t)c, sizeof(bias));
	return (uint32_t)(bias + p->in_offset * sum);
}

bool tn_mve_pack_depthwise(struct tn_binder *b, const struct tn_packing *p,
	uint32_t **out, size_t *out_words)
{
	const struct channels x = channels_of(p);
	uint32_t *at;

	*out = NULL;
	if (!tn_mve_rescales(p))
		return true;
	*out_words =
		(size_t)x.groups * TN_DEPTH_WORDS + (size_t)x.vectors * TN_VECTOR_WORDS;
	*out = at = tn_binder_array(b, *out_words, sizeof(*at));
	if (!at)
		return false;
	for (int32_t group = 0; group < x.groups; group++) {
		const int32_t first = TN_GROUP_VECTORS * group;

		for (int32_t i = 0; i < TN_GROUP; i++)
			*at++ = depth_bias(p,
				lane_channel(&x, first + i / TN_VECTOR, i % TN_VECTOR));
		for (int32_t i = 0; i < TN_GROUP; i++) {
			uint32_t c =
				lane_channel(&x, first + i / TN_VECTOR, i % TN_VECTOR);

			for (int32_t k = 0; k < 24; k += 4)
				*at++ = record_byte(p, c, k) |
					record_byte(p, c, k + 1) << 8 |
					record_byte(p, c, k + 2) << 16 |
					record_byte(p, c, k + 3) << 24;
		}
	}
	(void)pack_constants(&x, at);
	return true;
}
