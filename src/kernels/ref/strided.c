/* TRANSPOSE and relatives: the input read with other strides. */
#include "elements.h"

static int64_t load(const void *from, int32_t i, int32_t size)
{
	switch (size) {
	case 1:
		return tn_load_s8(from, i);
	case 2:
		return tn_load_s16(from, i);
	case 4:
		return tn_load_s32(from, i);
	default:
		return tn_load_s64(from, i);
	}
}

static void store(void *to, int32_t i, int32_t size, int64_t value)
{
	switch (size) {
	case 1:
		tn_store_s8(to, i, (int8_t)value);
		break;
	case 2:
		tn_store_s16(to, i, (int16_t)value);
		break;
	case 4:
		tn_store_s32(to, i, (int32_t)value);
		break;
	default:
		tn_store_s64(to, i, value);
		break;
	}
}

static int32_t source(const struct tn_strided_params *p, int32_t i)
{
	return p->base + tn_dims_offset(p->dim, p->stride, p->rank, i);
}

/* The output lies exactly on the input: each element is taken when its place has been
 * left, along the cycles of the permutation. `seen`: a bit for each element. */
static void cycles(
	const struct tn_strided_params *p, const void *in, void *out, tn_u8 *seen)
{
	int32_t n = tn_dims_count(p->dim, p->rank);

	for (int32_t i = 0; i < n / 8 + (n % 8 != 0); i++)
		seen[i] = 0;
	for (int32_t start = 0; start < n; start++) {
		int32_t at = start, from;
		int64_t kept;

		if (seen[start / 8] >> start % 8 & 1)
			continue;
		kept = load(in, start, p->size);
		while ((from = source(p, at)) != start) {
			store(out, at, p->size, load(in, from, p->size));
			seen[at / 8] = (tn_u8)(seen[at / 8] | 1 << at % 8);
			at = from;
		}
		store(out, at, p->size, kept);
		seen[at / 8] = (tn_u8)(seen[at / 8] | 1 << at % 8);
	}
}

void tn_strided(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_strided_params *p = params;
	int32_t last = p->rank - 1, n = p->dim[last];
	int32_t rows = tn_dims_count(p->dim, last);

	if (p->order.hold) {
		cycles(p, in[0], out[0], scratch);
		return;
	}
	for (int32_t t = 0; t < rows; t++) {
		int32_t r = tn_step_index(p->order, t, rows);
		int32_t from = p->base + tn_dims_offset(p->dim, p->stride, last, r);

		tn_move_run((tn_u8 *)out[0] + r * n * p->size,
			(const tn_u8 *)in[0] + from * p->size, n, p->stride[last],
			p->size, p->order.descending);
	}
}
