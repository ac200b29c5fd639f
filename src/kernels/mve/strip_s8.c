#include "strip_s8.h"

/* Byte i of a row of columns is byte k = i % depth of its column, whose bytes go to
 * (i - k) * rows and on; what is behind the columns that fit is not stored. */
#if TN_MVE

static inline void set_lanes(uint8_t *lane, int32_t depth, int32_t rows)
{
	register uint32_t i __asm__("r2") = 0;
	register uint32_t end __asm__("r3") = (uint32_t)depth;

	__asm__ volatile("viwdup.u8 q1, %[i], %[end], #1\n\t"
			 "movs %[i], #0\n\t"
			 "vidup.u8 q0, %[i], #1\n\t"
			 "vsub.i8 q0, q0, q1\n\t"
			 "vmul.i8 q0, q0, %[rows]\n\t"
			 "vadd.i8 q0, q0, q1\n\t"
			 "vstrb.8 q0, [%[lane]]"
			 : [i] "+r"(i)
			 : [end] "r"(end), [rows] "r"(rows), [lane] "r"(lane)
			 : "q0", "q1", "cc", "memory");
}

#else

static void set_lanes(uint8_t *lane, int32_t depth, int32_t rows)
{
	for (int32_t i = 0; i < 16; i++) {
		int32_t k = i % depth;

		lane[i] = (uint8_t)((i - k) * rows + k);
	}
}

#endif

void tn_strip_init(struct tn_strip *s, int32_t depth, int32_t rows)
{
	int32_t step = depth * rows, columns = depth <= 8 ? 16 / depth : 0;

	if (columns && (columns - 1) * step + depth > 256)
		columns = (256 - depth) / step + 1;
	if (columns < 2)
		columns = 0;
	s->depth = depth;
	s->step = step;
	s->at_once = columns;
	if (columns)
		set_lanes(s->lane, depth, rows);
}

#if TN_MVE

/* Columns of a few bytes are scattered, sixteen bytes in one instruction. */
static void scatter(
	const struct tn_strip *s, int8_t *to, const tn_s8 *row, int32_t from, int32_t n)
{
	int32_t columns = s->at_once, bytes = columns * s->depth, times = n / columns;

	__asm__ volatile("vldrb.u8 q1, [%[lane]]\n\t"
			 "vctp.8 %[bytes]\n\t"
			 "wls lr, %[times], 2f\n"
			 "1:\n\t"
			 "vpstt\n\t"
			 "vldrbt.u8 q0, [%[row]]\n\t"
			 "vstrbt.8 q0, [%[to], q1]\n\t"
			 "add %[row], %[row], %[from]\n\t"
			 "add %[to], %[to], %[step]\n\t"
			 "le lr, 1b\n"
			 "2:\n\t"
			 "vctp.8 %[rest]\n\t"
			 "vpstt\n\t"
			 "vldrbt.u8 q0, [%[row]]\n\t"
			 "vstrbt.8 q0, [%[to], q1]\n\t"
			 : [row] "+r"(row), [to] "+r"(to)
			 : [lane] "r"(s->lane), [bytes] "r"(bytes), [times] "r"(times),
			 [from] "r"(columns * from), [step] "r"(columns * s->step),
			 [rest] "r"((n - times * columns) * s->depth)
			 : "q0", "q1", "lr", "memory");
}

#define LOAD_STORE                                                                       \
	"vldrb.u8 q0, [%[row]], #16\n\t"                                                 \
	"vstrb.8 q0, [%[to]], #16\n\t"

void tn_strip_copy(int8_t *to, const tn_s8 *row, int32_t n)
{
	__asm__ volatile("wlstp.8 lr, %[n], 2f\n"
			 "1:\n\t" LOAD_STORE "letp lr, 1b\n"
			 "2:\n\t"
			 : [row] "+r"(row), [to] "+r"(to)
			 : [n] "r"(n)
			 : "q0", "lr", "memory");
}

void tn_strip_store(tn_s8 *out, const int8_t *from, int32_t n)
{
	tn_strip_copy(out, from, n);
}

/* n columns, each moved by the given instructions. */
#define COLUMNS(move)                                                                    \
	__asm__ volatile("dls lr, %[n]\n"                                                \
			 "1:\n\t" move "add %[row], %[row], %[skip]\n\t"                 \
			 "add %[to], %[to], %[step]\n\t"                                 \
			 "le lr, 1b\n\t"                                                 \
			 : [row] "+r"(row), [to] "+r"(to)                                \
			 : [n] "r"(n), [skip] "r"(skip), [step] "r"(step)                \
			 : "q0", "lr", "memory")

/* n is not 0. */
static void columns_of(
	const struct tn_strip *s, int8_t *to, const tn_s8 *row, int32_t from, int32_t n)
{
	int32_t skip = from - s->depth, step = s->step - s->depth, bytes = s->depth;

	if (bytes == 16)
		COLUMNS(LOAD_STORE);
	else if (bytes == 32)
		COLUMNS(LOAD_STORE LOAD_STORE);
	else if (bytes == 64)
		COLUMNS(LOAD_STORE LOAD_STORE LOAD_STORE LOAD_STORE);
	else
		for (; n > 0; n--, row += from, to += s->step)
			tn_strip_copy(to, row, bytes);
}

void tn_strip_row(
	const struct tn_strip *s, int8_t *to, const tn_s8 *row, int32_t from, int32_t n)
{
	if (s->at_once)
		scatter(s, to, row, from, n);
	else if (n > 0)
		columns_of(s, to, row, from, n);
}

void tn_strip_fill(int8_t *to, int32_t n, int32_t value)
{
	__asm__ volatile("vdup.8 q0, %[value]\n\t"
			 "wlstp.8 lr, %[n], 2f\n"
			 "1:\n\t"
			 "vstrb.8 q0, [%[to]], #16\n\t"
			 "letp lr, 1b\n"
			 "2:\n\t"
			 : [to] "+r"(to)
			 : [n] "r"(n), [value] "r"(value)
			 : "q0", "lr", "memory");
}

#else

void tn_strip_copy(int8_t *to, const tn_s8 *row, int32_t n)
{
	for (int32_t i = 0; i < n; i++)
		to[i] = (int8_t)tn_load_s8(row, i);
}

void tn_strip_store(tn_s8 *out, const int8_t *from, int32_t n)
{
	for (int32_t i = 0; i < n; i++)
		tn_store_s8(out, i, from[i]);
}

void tn_strip_row(
	const struct tn_strip *s, int8_t *to, const tn_s8 *row, int32_t from, int32_t n)
{
	for (; n > 0; n--, row += from, to += s->step)
		tn_strip_copy(to, row, s->depth);
}

void tn_strip_fill(int8_t *to, int32_t n, int32_t value)
{
	for (int32_t i = 0; i < n; i++)
		to[i] = (int8_t)value;
}

#endif
