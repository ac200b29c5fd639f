#include "ir/constants.h"

#include <string.h>

#include "base/checked.h"

#include "base/banned.h"

/* Elements whose bytes are those of `zero`; width of a power of two up to 8. */
static int64_t count_equal(const struct tn_tensor *t, size_t width, uint64_t zero)
{
	int64_t n = 0;

	for (size_t at = 0; at + width <= (size_t)t->data_bytes; at += width) {
		uint64_t raw = 0;

		for (size_t i = 0; i < width; i++)
			raw |= (uint64_t)t->data[at + i] << (8 * i);
		n += raw == zero;
	}
	return n;
}

static void count_zeros(const struct tn_tensor *t, struct tn_constants_share *share)
{
	const int bits = tn_dtype_bits(t->dtype);
	uint64_t zero = 0, sign;

	if (t->data_kind != DATA_BYTES || bits < 8 || bits > 64 || bits % 8 != 0 ||
		t->data_bytes / (bits / 8) != t->elements)
		return;
	sign = UINT64_C(1) << (bits - 1);
	share->elements += t->elements;
	if (t->quant.n == 1 && bits < 64)
		zero = (uint64_t)t->quant.zero_point[0] & ((sign << 1) - 1);
	share->zeros += count_equal(t, (size_t)bits / 8, zero);
	if (tn_dtype_is_float(t->dtype)) /* minus zero */
		share->zeros += count_equal(t, (size_t)bits / 8, sign);
}

static bool add(
	const struct tn_graph *g, tn_tensor_id id, bool *seen, struct tn_constants *out)
{
	const struct tn_tensor *t;
	struct tn_constants_share *share;

	while (id.i != TN_NONE && g->tensors[id.i].view_of.i != TN_NONE && !seen[id.i]) {
		seen[id.i] = true;
		id = g->tensors[id.i].view_of;
	}
	if (id.i == TN_NONE || seen[id.i])
		return true;
	seen[id.i] = true;
	t = &g->tensors[id.i];
	if (!tn_tensor_is_constant(t) || t->bytes <= 0)
		return true;
	share = &out->of[t->dtype];
	share->tensors++;
	count_zeros(t, share);
	return tn_add_i64(share->bytes, t->bytes, &share->bytes) &&
	       tn_add_i64(out->bytes, t->bytes, &out->bytes);
}

enum tn_status tn_constants_find(
	const struct tn_graph *g, struct tn_arena *scratch, struct tn_constants *out)
{
	bool *seen = TN_NEW_ARRAY(scratch, bool, g->n_tensors);
	bool ok = true;

	*out = (struct tn_constants){ 0 };
	if (!seen)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < g->n_ops && ok; i++)
		for (uint32_t k = 0; k < g->ops[i].n_inputs && ok; k++)
			ok = add(g, g->ops[i].inputs[k], seen, out);
	for (uint32_t i = 0; i < g->n_outputs && ok; i++)
		ok = add(g, g->outputs[i], seen, out);
	return ok ? TN_OK : TN_ERR_INPUT;
}
