/* Fully connected layer of int8 for processors with MVE, some channels at a time. A row is
 * read in place when outputs are written one after the other, upwards; where all of it must
 * be read first, or where it would be read beyond the end of the input, it is copied. */
#include "row_s8.h"
#include "strip_s8.h"
#include "tenure/kernels.h"

static void run_row(const struct tn_mve_fc_params *p, struct tn_row *r)
{
	const int32_t block_words = (TN_VECTOR + TN_BLOCK * p->blocks + TN_VECTOR_WORDS);
	uint32_t n; /* unsigned: what is divided is never negative */

	for (uint32_t left = (uint32_t)p->out_n; left; left -= n) {
		n = left < TN_ROW_CHANNELS ? left : TN_ROW_CHANNELS;
		r->vectors = (int32_t)((n + TN_VECTOR - 1) / TN_VECTOR);
		r->groups = (int32_t)(n / TN_GROUP);
		r->rest = (int32_t)(n % TN_GROUP);
		tn_row_s8(r);
		r->stream += r->vectors * block_words;
		r->out += n;
	}
}

void tn_mve_fully_connected_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_mve_fc_params *p = params;
	const int32_t end = p->rows * p->in_n, padded = TN_BLOCK * p->blocks;
	struct tn_row r = { .sums = scratch,
		.blocks = p->blocks,
		.offset = p->offset,
		.floor = p->floor };
	int8_t *copy = (int8_t *)scratch + p->copy;

	tn_row_rounds(&r);
	for (int32_t t = 0; t < p->rows; t++) {
		int32_t row = p->order.descending ? p->rows - 1 - t : t;

		r.in = (const tn_s8 *)in[0] + row * p->in_n;
		r.out = (tn_s8 *)out[0] + row * p->out_n;
		r.stream = in[1];
		if (p->order.descending || p->order.hold ||
			row * p->in_n + padded > end) {
			tn_strip_copy(copy, r.in, p->in_n);
			r.in = copy;
		}
		run_row(p, &r);
	}
}
