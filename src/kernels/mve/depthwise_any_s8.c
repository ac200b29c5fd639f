/* Depthwise convolution of int8 with any window for processors with MVE, sixteen channels at a
 * time, what is left in eights: products of halfwords, those of even and of odd channels
 * apart. All that these read is read before one of them is written. */
#include <stddef.h>

#include "dsp/depthwise_any_s8.h"
#include "mve.h"

#define CHANNELS 16

#if TN_MVE

#define HALF 8

typedef int32_t words __attribute__((vector_size(16)));

struct sums {
	words even, odd;
};

static inline words all(int32_t x)
{
	words v;

	__asm__("vdup.16 %q0, %1" : "=w"(v) : "r"(x));
	return v;
}

/* Goes over the taps of a window; `products` are those of one tap, at %[at] and %[v]. First
 * VCTP sets so many lanes as %[v] says. */
#define TAPS(products)                                                                   \
	"vctp.16 %[v]\n\t"                                                               \
	"cmp %[rows], #0\n\t"                                                            \
	"beq 3f\n"                                                                       \
	"2:\n\t"                                                                         \
	"mov %[at], %[x]\n\t"                                                            \
	"mov %[v], %[w]\n\t"                                                             \
	"ldr lr, [%[window], %[taps]]\n\t"                                               \
	"dls lr, lr\n"                                                                   \
	"1:\n\t" products "le lr, 1b\n\t"                                                \
	"subs %[rows], #1\n\t"                                                           \
	"beq 3f\n\t"                                                                     \
	"ldr %[v], [%[window], %[w_row]]\n\t"                                            \
	"ldr %[at], [%[window], %[x_row]]\n\t"                                           \
	"add %[w], %[v]\n\t"                                                             \
	"add %[x], %[at]\n\t"                                                            \
	"ldr %[at], [%[window], %[end]]\n\t"                                             \
	"cmp %[x], %[at]\n\t"                                                            \
	"blo 2b\n\t"                                                                     \
	"ldr %[at], [%[window], %[back]]\n\t"                                            \
	"sub %[x], %[at]\n\t"                                                            \
	"b 2b\n"                                                                         \
	"3:"

#define TAP_RESULTS                                                                      \
	[x] "+r"(x), [w] "+r"(weights), [at] "=&l"(at), [v] "+l"(v), [rows] "+r"(rows)

/* Read from the window: as an operand in memory it might need a register of its own. */
#define AT(member) [member] "i"(offsetof(struct tn_any_window, member))

#define TAP_OPERANDS                                                                     \
	AT(taps), [x_step] "r"(w->x_step), [w_step] "r"(w->w_step),                      \
		[offset] "w"(all(offset)), [window] "r"(w), AT(end), AT(x_row),          \
		AT(w_row), AT(back)

/* Adds the products of n channels, at most eight. */
static inline TN_ALL_REGISTERS void some_products(const struct tn_any_window *w,
	int32_t offset, int32_t c, int32_t n, struct sums *s)
{
	const int8_t *weights = w->w + c;
	const tn_s8 *x = w->x + c, *at;
	int32_t rows = w->rows, v = n;

	__asm__ volatile(TAPS("vpstt\n\t"
			      "vldrbt.s16 q0, [%[at]]\n\t"
			      "vldrbt.s16 q1, [%[v]]\n\t"
			      "add %[at], %[x_step]\n\t"
			      "vadd.i16 q0, q0, %q[offset]\n\t"
			      "add %[v], %[w_step]\n\t"
			      "vmullb.s16 q2, q0, q1\n\t"
			      "vmullt.s16 q0, q0, q1\n\t"
			      "vadd.i32 %q[even], %q[even], q2\n\t"
			      "vadd.i32 %q[odd], %q[odd], q0\n\t")
			 : TAP_RESULTS, [even] "+w"(s->even), [odd] "+w"(s->odd)
			 : TAP_OPERANDS
			 : "q0", "q1", "q2", "lr", "cc", "memory");
}

/* Adds those of eight channels, and of n of the next eight. */
static inline TN_ALL_REGISTERS void products(const struct tn_any_window *w,
	int32_t offset, int32_t c, int32_t n, struct sums s[2])
{
	const int8_t *weights = w->w + c;
	const tn_s8 *x = w->x + c, *at;
	int32_t rows = w->rows, v = n;

	__asm__ volatile(TAPS("vldrb.s16 q0, [%[at]]\n\t"
			      "vldrb.s16 q1, [%[v]]\n\t"
			      "vadd.i16 q0, q0, %q[offset]\n\t"
			      "vmullb.s16 q2, q0, q1\n\t"
			      "vmullt.s16 q0, q0, q1\n\t"
			      "vadd.i32 %q[even], %q[even], q2\n\t"
			      "vadd.i32 %q[odd], %q[odd], q0\n\t"
			      "vpstt\n\t"
			      "vldrbt.s16 q0, [%[at], #8]\n\t"
			      "vldrbt.s16 q1, [%[v], #8]\n\t"
			      "vadd.i16 q0, q0, %q[offset]\n\t"
			      "add %[at], %[x_step]\n\t"
			      "vmullb.s16 q2, q0, q1\n\t"
			      "add %[v], %[w_step]\n\t"
			      "vmullt.s16 q0, q0, q1\n\t"
			      "vadd.i32 %q[more_even], %q[more_even], q2\n\t"
			      "vadd.i32 %q[more_odd], %q[more_odd], q0\n\t")
			 : TAP_RESULTS, [even] "+w"(s[0].even), [odd] "+w"(s[0].odd),
			 [more_even] "+w"(s[1].even), [more_odd] "+w"(s[1].odd)
			 : TAP_OPERANDS
			 : "q0", "q1", "q2", "lr", "cc", "memory");
}

/* The places of every second word; nobody computes them again. */
static inline words second_places(void)
{
	words places = { 0, 8, 16, 24 };

	__asm__("" : "+w"(places));
	return places;
}

/* Words of even or of odd channels, n of them. */
static inline words every_second(words places, const tn_s32 *at, int32_t n)
{
	words w;

	__asm__ volatile("vctp.32 %[n]\n\t"
			 "vpst\n\t"
			 "vldrwt.u32 %q[w], [%[at], %q[places]]"
			 : [w] "=&w"(w)
			 : [at] "r"(at), [places] "w"(places), [n] "r"(n)
			 : "memory");
	return w;
}

static inline words rescaled(words sum, words places, const tn_s32 *multipliers,
	const int8_t *shifts, int32_t n)
{
	__asm__ volatile("vctp.32 %[n]\n\t"
			 "vshr.u32 q2, %q[places], #2\n\t"
			 "vpstt\n\t"
			 "vldrwt.u32 q0, [%[multipliers], %q[places]]\n\t"
			 "vldrbt.s32 q1, [%[shifts], q2]\n\t"
			 "vqrdmulh.s32 %q[s], %q[s], q0\n\t"
			 "vshr.s32 q0, %q[s], #31\n\t"
			 "vadd.i32 %q[s], %q[s], q0\n\t"
			 "vrshl.s32 %q[s], %q[s], q1"
			 : [s] "+w"(sum)
			 : [multipliers] "r"(multipliers), [shifts] "r"(shifts),
			 [places] "w"(places), [n] "r"(n)
			 : "q0", "q1", "q2", "memory");
	return sum;
}

/* Channels c .. c + n - 1, at most eight. */
static inline void finish(const struct tn_conv_params *p, words places, int32_t c,
	int32_t n, const struct sums *s, tn_s8 *out)
{
	const tn_s32 *m = p->multiplier + c;
	const int8_t *e = p->shift + c;
	const words even = rescaled(s->even, places, m, e, (n + 1) / 2);
	const words odd = rescaled(s->odd, places, m + 1, e + 1, n / 2);

	__asm__ volatile("vqmovnb.s32 q0, %q[even]\n\t"
			 "vqmovnt.s32 q0, %q[odd]\n\t"
			 "vqadd.s16 q0, q0, %[offset]\n\t"
			 "vmax.s16 q0, q0, %q[min]\n\t"
			 "vctp.16 %[n]\n\t"
			 "vmin.s16 q0, q0, %q[max]\n\t"
			 "vpst\n\t"
			 "vstrbt.16 q0, [%[out]]"
			 :
			 : [even] "w"(even), [odd] "w"(odd), [n] "r"(n),
			 [min] "w"(all(p->act_min)), [max] "w"(all(p->act_max)),
			 [offset] "r"(p->out_offset), [out] "l"(out + c)
			 : "q0", "memory");
}

static inline struct sums start(words places, const tn_s32 *bias, int32_t n)
{
	struct sums s = { every_second(places, bias, (n + 1) / 2),
		every_second(places, bias + 1, n / 2) };

	return s;
}

/* More than eight. */
static __attribute__((noinline)) void sixteen(const struct tn_conv_params *p,
	const struct tn_any_window *w, const tn_s32 *bias, int32_t c, int32_t n,
	tn_s8 *out)
{
	const words places = second_places();
	struct sums s[2] = { start(places, bias + c, HALF),
		start(places, bias + c + HALF, n - HALF) };

	products(w, p->in_offset, c, n - HALF, s);
	finish(p, places, c, HALF, s, out);
	finish(p, places, c + HALF, n - HALF, s + 1, out);
}

static __attribute__((noinline)) void eight(const struct tn_conv_params *p,
	const struct tn_any_window *w, const tn_s32 *bias, int32_t c, int32_t n,
	tn_s8 *out)
{
	const words places = second_places();
	struct sums s = start(places, bias + c, n);

	some_products(w, p->in_offset, c, n, &s);
	finish(p, places, c, n, &s, out);
}

/* The n channels from c on, at most sixteen. */
static inline void some(const struct tn_conv_params *p, const struct tn_any_window *w,
	const tn_s32 *bias, int32_t c, int32_t n, tn_s8 *out)
{
	if (n > HALF)
		sixteen(p, w, bias, c, n, out);
	else
		eight(p, w, bias, c, n, out);
}

#else

static void some(const struct tn_conv_params *p, const struct tn_any_window *w,
	const tn_s32 *bias, int32_t c, int32_t n, tn_s8 *out)
{
	int32_t sum[CHANNELS];

	for (int32_t i = 0; i < n; i++)
		sum[i] = tn_any_sum(w, p->in_offset, c + i);
	for (int32_t i = 0; i < n; i++)
		tn_store_s8(out, c + i, tn_any_rescale(p, bias, c + i, sum[i]));
}

#endif

static __attribute__((noinline)) void pixel(const struct tn_conv_params *p,
	const struct tn_any_window *w, const tn_s32 *bias, tn_s8 *out)
{
	for (int32_t left = p->g.out_c, n; left > 0; left -= n) {
		n = left < CHANNELS ? left : CHANNELS;
		some(p, w, bias, p->order.descending ? left - n : p->g.out_c - left, n,
			out);
	}
}

void tn_mve_depthwise_any_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	(void)scratch;
	tn_any_s8(params, in, out[0], pixel);
}
