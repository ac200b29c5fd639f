/* Fully connected layer of int8 for processors without DSP instructions, four channels at a
 * time. A row is read in place, as often as the steps say, and copied where they ask for all
 * of it first. */
#include "copy_s8.h"
#include "dot_s8.h"
#include "tenure/kernels.h"

/* Where a group of outputs begins. */
struct group {
	const int8_t *weights;
	const int32_t *k;
	tn_s8 *out;
};

static void four(const struct group *g, const tn_s8 *row, int32_t n)
{
	const int8_t *w = g->weights;
	const int32_t *k = g->k;
	struct tn_dot d = { row, { w, w + n, w + 2 * n, w + 3 * n },
		{ k[0], k[TN_CONSTANTS], k[2 * TN_CONSTANTS], k[3 * TN_CONSTANTS] } };

	tn_dot_4x1(&d, n);
	for (int32_t i = 0; i < 4; i++, k += TN_CONSTANTS)
		tn_store_s8(g->out, i, tn_thumb_rescale(d.sum[i], k));
}

/* At the end of an odd number one stands for two. */
static void two(const struct group *g, const tn_s8 *row, int32_t n, int32_t next)
{
	const int8_t *w = g->weights;
	const int32_t *u = g->k, *v = u + TN_CONSTANTS * next;
	struct tn_dot d = { row, { w, w + next * n, w, w }, { u[0], v[0] } };

	tn_dot_2x1(&d, n);
	tn_store_s8(g->out, next, tn_thumb_rescale(d.sum[1], v));
	tn_store_s8(g->out, 0, tn_thumb_rescale(d.sum[0], u));
}

/* The outputs of one row: fours, and behind them a two and a one. */
static void compute(const struct tn_thumb_fc_params *p, const void *const *in,
	const tn_s8 *row, tn_s8 *out)
{
	for (int32_t done = 0, n; done < p->out_n; done += n) {
		const int32_t left = p->out_n - done;
		const int32_t c = p->order.descending ? left : done;
		struct group g;

		n = left >= 4 ? 4 : left >= 2 ? 2 : 1;
		g.out = out + (p->order.descending ? c - n : c);
		g.weights = (const int8_t *)in[1] + (g.out - out) * p->in_n;
		g.k = (const int32_t *)in[2] + TN_CONSTANTS * (g.out - out);
		if (n == 4)
			four(&g, row, p->in_n);
		else
			two(&g, row, p->in_n, n - 1);
	}
}

void tn_thumb_fully_connected_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_thumb_fc_params *p = params;

	for (int32_t t = 0; t < p->rows; t++) {
		int32_t i = p->order.descending ? p->rows - 1 - t : t;
		const tn_s8 *row = (const tn_s8 *)in[0] + i * p->in_n;
		tn_s8 *y = (tn_s8 *)out[0] + i * p->out_n;

		if (p->order.hold) {
			tn_copy_in(scratch, row, p->in_n);
			row = scratch;
		}
		compute(p, in, row, y);
	}
}
