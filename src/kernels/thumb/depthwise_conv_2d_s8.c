/* Depthwise 3x3 convolution of int8 for processors without DSP instructions: two pixels of a
 * row at a time, channel by channel, held until both have all of theirs. So all that the two
 * read is read before one of them is written: earlier than the steps of the contract ask for,
 * never later. */
#include "copy_s8.h"
#include "tenure/kernels.h"

/* Of a channel in the stream: its constants, and nine weights, column by column. */
#define WORDS (TN_CONSTANTS + 3)

#define TAPS 15 /* five columns, when the second window begins two behind the first */

struct work {
	const struct tn_thumb_depthwise_params *p;
	const int32_t *stream;
	const tn_s8 *zeros;
	const tn_s8 *plane[TAPS]; /* channel 0 of each tap, column by column */
	int8_t *held; /* all channels of the first pixel, then of the second */
};

/* The rows of a window: zeros with a step of 0 where they lie outside. */
struct lines {
	const tn_s8 *row[3];
	int32_t step[3]; /* from column to column */
};

static void set_planes(struct work *w, const struct lines *l, int32_t x)
{
	const int32_t in_w = w->p->g.in_w;
	const tn_s8 **plane = w->plane;

	for (int32_t n = 3 + w->p->g.stride_w; n > 0; n--, x++, plane += 3) {
		if (x >= 0 && x < in_w) {
			plane[0] = l->row[0] + x * l->step[0];
			plane[1] = l->row[1] + x * l->step[1];
			plane[2] = l->row[2] + x * l->step[2];
		} else {
			plane[0] = plane[1] = plane[2] = w->zeros;
		}
	}
}

/* A tap of the first pixel, of both, of the second; `second` taps further on. */
#define LOAD(i) x = tn_load_s8(w->plane[i], c)
#define FIRST(i)                                                                         \
	LOAD(i);                                                                         \
	a = tn_wrap_add(a, x * weights[i]);
#define SECOND(i)                                                                        \
	LOAD(i);                                                                         \
	b = tn_wrap_add(b, x * weights[(i)-second]);
#define BOTH(i)                                                                          \
	FIRST(i)                                                                         \
	b = tn_wrap_add(b, x * weights[(i)-second]);

/* What all channels of both pixels give, with windows that are one column apart. */
static void channels_1(struct work *w, int32_t n)
{
	enum { second = 3 };
	const int32_t *k = w->stream;

	for (int32_t c = 0; c < n; c++, k += WORDS) {
		const int8_t *weights = (const int8_t *)(k + TN_CONSTANTS);
		int32_t a = k[0], b = a, x;

		FIRST(0)
		FIRST(1)
		FIRST(2)
		BOTH(3)
		BOTH(4)
		BOTH(5)
		BOTH(6)
		BOTH(7)
		BOTH(8)
		SECOND(9)
		SECOND(10)
		SECOND(11)
		w->held[c] = (int8_t)tn_thumb_rescale(a, k);
		w->held[n + c] = (int8_t)tn_thumb_rescale(b, k);
	}
}

/* Two columns apart. */
static void channels_2(struct work *w, int32_t n)
{
	enum { second = 6 };
	const int32_t *k = w->stream;

	for (int32_t c = 0; c < n; c++, k += WORDS) {
		const int8_t *weights = (const int8_t *)(k + TN_CONSTANTS);
		int32_t a = k[0], b = a, x;

		FIRST(0)
		FIRST(1)
		FIRST(2)
		FIRST(3)
		FIRST(4)
		FIRST(5)
		BOTH(6)
		BOTH(7)
		BOTH(8)
		SECOND(9)
		SECOND(10)
		SECOND(11)
		SECOND(12)
		SECOND(13)
		SECOND(14)
		w->held[c] = (int8_t)tn_thumb_rescale(a, k);
		w->held[n + c] = (int8_t)tn_thumb_rescale(b, k);
	}
}

static void run_pair(
	struct work *w, const struct lines *l, int32_t x, int two, tn_s8 *out)
{
	const struct tn_geometry *g = &w->p->g;

	set_planes(w, l, x * g->stride_w - g->pad_left);
	if (g->stride_w == 1)
		channels_1(w, g->out_c);
	else
		channels_2(w, g->out_c);
	tn_copy_out(out + x * g->out_c, w->held, two ? 2 * g->out_c : g->out_c);
}

static void run_row(struct work *w, int32_t batch, int32_t y, const tn_s8 *in, tn_s8 *out)
{
	const struct tn_geometry *g = &w->p->g;
	const int32_t pairs = (g->out_w + 1) / 2, top = y * g->stride_h - g->pad_top;
	struct lines l;

	for (int32_t ky = 0; ky < 3; ky++) {
		const int32_t in_y = top + ky;
		const int inside = in_y >= 0 && in_y < g->in_h;

		l.row[ky] = inside ? in + (batch * g->in_rows + in_y % g->in_rows) *
						     g->in_w * g->in_c
				   : w->zeros;
		l.step[ky] = inside ? g->in_c : 0;
	}
	out += (batch * g->out_rows + y % g->out_rows) * g->out_w * g->out_c;
	for (int32_t t = 0; t < pairs; t++) {
		int32_t x = 2 * (w->p->order.descending ? pairs - 1 - t : t);

		run_pair(w, &l, x, x + 1 < g->out_w, out);
	}
}

void tn_thumb_depthwise_conv_2d_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_thumb_depthwise_params *p = params;
	const int32_t height = p->g.y_end - p->g.y_begin, rows = p->g.batches * height;
	struct work w = { .p = p, .stream = in[1], .zeros = in[2], .held = scratch };

	for (int32_t t = 0; t < rows; t++) {
		int32_t i = p->order.descending ? rows - 1 - t : t, batch = i / height;

		run_row(&w, batch, p->g.y_begin + i - batch * height, in[0], out[0]);
	}
}
