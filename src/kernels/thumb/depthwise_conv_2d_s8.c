/* Depthwise 3x3 convolution of int8 for processors without DSP instructions: two pixels of a
 * row at a time, channel by channel, held until both have all of theirs. So all that the two
 * read is read before one of them is written: earlier than the steps of the contract ask for,
 * never later. */
#include "copy_s8.h"
#include "dsp/lines_s8.h"

/* Of a channel in the stream: its constants, and nine weights, column by column. */
#define WORDS (TN_CONSTANTS + 3)

#define TAPS 15 /* five columns, when the second window begins two behind the first */

struct work {
	const struct tn_geometry *g;
	const int32_t *stream;
	const tn_s8 *tap[TAPS]; /* channel 0 of each, column by column */
	int8_t *held; /* all channels of the first pixel, then of the second */
};

/* A tap of the first pixel, of both, or of the second, which begins `second` taps behind. */
#define TAP(i)                                                                           \
	x = tn_load_s8(w->tap[i], c);                                                    \
	if ((i) < 9)                                                                     \
		a = tn_wrap_add(a, x * weights[(i) % 9]);                                \
	if ((i) >= second)                                                               \
		b = tn_wrap_add(b, x * weights[((i) + 9 - second) % 9]);

/* What all channels of both pixels give, with windows that are one or two columns apart. */
static inline __attribute__((always_inline)) void channels(
	struct work *w, int32_t n, const int32_t second)
{
	const int32_t *k = w->stream;

	for (int32_t c = 0; c < n; c++, k += WORDS) {
		const int8_t *weights = (const int8_t *)(k + TN_CONSTANTS);
		int32_t a = k[0], b = a, x;

		TAP(0)
		TAP(1)
		TAP(2)
		TAP(3)
		TAP(4)
		TAP(5)
		TAP(6)
		TAP(7)
		TAP(8)
		TAP(9)
		TAP(10)
		TAP(11)
		if (second == 6) {
			TAP(12)
			TAP(13)
			TAP(14)
		}
		w->held[c] = (int8_t)tn_thumb_rescale(a, k);
		w->held[n + c] = (int8_t)tn_thumb_rescale(b, k);
	}
}

static void pair(void *work, const struct tn_lines *l, int32_t x, int two, tn_s8 *out)
{
	struct work *w = work;
	const struct tn_geometry *g = w->g;

	tn_lines_taps(l, x * g->stride_w - g->pad_left, 3 + g->stride_w, w->tap);
	if (g->stride_w == 1)
		channels(w, g->out_c, 3);
	else
		channels(w, g->out_c, 6);
	tn_copy_out(out + x * g->out_c, w->held, two ? 2 * g->out_c : g->out_c);
}

void tn_thumb_depthwise_conv_2d_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_thumb_depthwise_params *p = params;
	struct work w = { .g = &p->g, .stream = in[1], .held = scratch };

	tn_lines_s8(&p->g, p->order, in[0], in[2], out[0], pair, &w);
}
