/* Ops whose output elements come from where indices say. An index that is a constant names
 * the one place; a computed one may name any, and is itself read before the run of
 * elements that it steers. */
#include "base/checked.h"
#include "contract/places.h"

/* Of dimensions [from, to); 0 when it overflows, as only that of an empty tensor can. */
static int64_t product(const struct tn_shape *s, int64_t from, int64_t to)
{
	int64_t n = 1;

	for (int64_t d = from; d < to; d++)
		if (!tn_mul_i64(n, s->dim[d], &n))
			return 0;
	return n;
}

/* Is i the first element of its run of `inner` in the order of the variant? */
static bool starts_run(const struct tn_places *s, int64_t i)
{
	return i % s->inner == (s->w->variant.descending ? s->inner - 1 : 0);
}

/* The value of a constant index; false when it is not known. */
static bool index_at(const struct tn_places *s, int64_t element, int64_t *out)
{
	return !tn_walk_shares(s->w, s->index) &&
	       tn_tensor_int(tn_walk_input(s->w, s->index), element, out);
}

/* ---- GATHER, EMBEDDING_LOOKUP ---- */

static uint32_t gather_reads(
	const struct tn_places *s, int64_t i, struct tn_access *reads)
{
	int64_t run = i / s->inner, row = run / s->out_w, k = 0;
	int64_t index = row / s->outer * s->out_w + run % s->out_w;
	int64_t first = row * s->along * s->inner;
	uint32_t n = 0;

	if (index_at(s, index, &k)) {
		if (k < 0 || k >= s->along)
			return 0;
		return tn_places_add(
			s, s->data, first + k * s->inner + i % s->inner, 1, reads, 0);
	}
	if (starts_run(s, i))
		n = tn_places_add(s, s->index, index, 1, reads, n);
	return tn_places_add(s, s->data, first + i % s->inner,
		(s->along - 1) * s->inner + 1, reads, n);
}

/* along: candidates of an index; out_w: indices of a batch. */
bool tn_places_gather(struct tn_places *s)
{
	bool embedding = s->w->op->kind == OP_EMBEDDING_LOOKUP;
	const struct tn_tensor *in, *at;
	int64_t axis = tn_op_int(s->w->op, "axis", 0), runs;
	int64_t batch = tn_op_int(s->w->op, "batch_dims", 0);

	s->data = embedding;
	s->index = !embedding;
	in = tn_walk_input(s->w, s->data);
	at = tn_walk_input(s->w, s->index);
	if (!in || !at || at->dtype != DTYPE_I32)
		return false;
	axis += axis < 0 ? in->shape.rank : 0;
	batch += batch < 0 ? at->shape.rank : 0;
	if (embedding)
		axis = batch = 0;
	if (batch < 0 || batch > axis || axis >= in->shape.rank || batch > at->shape.rank)
		return false;
	for (int64_t d = 0; d < batch; d++)
		if (in->shape.dim[d] != at->shape.dim[d])
			return false;
	s->outer = product(&in->shape, batch, axis);
	s->along = in->shape.dim[axis];
	s->inner = product(&in->shape, axis + 1, in->shape.rank);
	s->out_w = product(&at->shape, batch, at->shape.rank);
	s->reads = gather_reads;
	s->max_reads = 2;
	return tn_mul_i64(product(&in->shape, 0, axis), s->out_w, &runs) &&
	       tn_mul_i64(runs, s->inner, &runs) && runs == s->n;
}

/* ---- GATHER_ND ---- */

static uint32_t gather_nd_reads(
	const struct tn_places *s, int64_t i, struct tn_access *reads)
{
	int64_t tuple = i / s->inner, at = i % s->inner;
	bool known = true;
	uint32_t n = 0;

	for (int64_t d = 0; d < s->along && known; d++) {
		int64_t k = 0;

		known = index_at(s, tuple * s->along + d, &k);
		if (known && (k < 0 || k >= s->dim[d]))
			return 0;
		at += k * s->stride[d];
	}
	if (known)
		return tn_places_add(s, s->data, at, 1, reads, 0);
	if (starts_run(s, i))
		n = tn_places_add(s, s->index, tuple * s->along, s->along, reads, n);
	return tn_places_add(s, s->data, i % s->inner,
		tn_walk_input(s->w, s->data)->elements - s->inner + 1, reads, n);
}

bool tn_places_gather_nd(struct tn_places *s)
{
	const struct tn_tensor *in = tn_walk_input(s->w, 0), *at = tn_walk_input(s->w, 1);
	int64_t total;

	s->index = 1;
	if (!in || !at || at->dtype != DTYPE_I32 || at->shape.rank < 1 ||
		in->elements < 1)
		return false;
	s->along = at->shape.dim[at->shape.rank - 1];
	if (s->along < 1 || s->along > in->shape.rank)
		return false;
	tn_shape_strides(&in->shape, s->stride);
	for (int64_t d = 0; d < s->along; d++)
		s->dim[d] = in->shape.dim[d];
	s->inner = product(&in->shape, s->along, in->shape.rank);
	s->reads = gather_nd_reads;
	s->max_reads = 2;
	return tn_mul_i64(at->elements / s->along, s->inner, &total) && total == s->n;
}

/* ---- DYNAMIC_UPDATE_SLICE: operand, part, where it starts ---- */

/* With starts that are not known, an element may come from several of the part, and maybe
 * from none. */
static uint32_t update_reads(
	const struct tn_places *s, int64_t i, struct tn_access *reads)
{
	const struct tn_shape *in = &tn_walk_input(s->w, 0)->shape;
	const struct tn_tensor *part = tn_walk_input(s->w, 1);
	int64_t rest = i, from = 0, to = 0, stride = 1;
	bool may_be_inside = true, may_be_outside = false, known = true;
	int64_t first = s->w->variant.descending ? s->n - 1 : 0;
	uint32_t n = 0;

	for (int64_t d = in->rank; d-- > 0;) {
		int64_t size = part->shape.dim[d], last = in->dim[d] - size;
		int64_t c = rest % in->dim[d], lo = 0, hi = last, at = 0;

		rest /= in->dim[d];
		if (index_at(s, d, &at))
			lo = hi = tn_max_i64(0, tn_min_i64(at, last));
		else
			known = false;
		/* the part starts at lo at least, at hi at most */
		may_be_inside = may_be_inside && c >= lo && c < hi + size;
		may_be_outside = may_be_outside || c < hi || c >= lo + size;
		from += tn_max_i64(0, c - hi) * stride;
		to += tn_min_i64(size - 1, c - lo) * stride;
		stride *= size;
	}
	if (!known && i == first)
		n = tn_places_add(s, s->index, 0, in->rank, reads, n);
	if (may_be_outside || !may_be_inside)
		n = tn_places_add(s, 0, i, 1, reads, n);
	return may_be_inside ? tn_places_add(s, 1, from, to - from + 1, reads, n) : n;
}

bool tn_places_update_slice(struct tn_places *s)
{
	const struct tn_tensor *in = tn_walk_input(s->w, 0);
	const struct tn_tensor *part = tn_walk_input(s->w, 1), *at;

	s->index = 2;
	at = tn_walk_input(s->w, s->index);
	if (!in || !part || !at || at->dtype != DTYPE_I32 || in->dtype != part->dtype ||
		in->dtype != tn_walk_output(s->w, 0)->dtype ||
		!tn_shape_equal(&in->shape, &tn_walk_output(s->w, 0)->shape) ||
		part->shape.rank != in->shape.rank || at->elements != in->shape.rank)
		return false;
	for (uint32_t d = 0; d < in->shape.rank; d++)
		if (part->shape.dim[d] > in->shape.dim[d])
			return false;
	s->reads = update_reads;
	s->max_reads = 3;
	return true;
}

/* ---- FILL, and ops whose outputs are constants ---- */

static uint32_t fill_reads(const struct tn_places *s, int64_t i, struct tn_access *reads)
{
	(void)i;
	return tn_places_add(s, 1, 0, 1, reads, 0);
}

bool tn_places_fill(struct tn_places *s)
{
	const struct tn_tensor *value = tn_walk_input(s->w, 1);

	s->reads = fill_reads;
	s->max_reads = 1;
	return value && value->elements == 1 &&
	       value->dtype == tn_walk_output(s->w, 0)->dtype;
}

static uint32_t no_reads(const struct tn_places *s, int64_t i, struct tn_access *reads)
{
	(void)s;
	(void)i;
	(void)reads;
	return 0;
}

bool tn_places_nothing(struct tn_places *s)
{
	s->reads = no_reads;
	return true;
}

/* ---- BROADCAST_ARGS ---- */

static uint32_t broadcast_reads(
	const struct tn_places *s, int64_t i, struct tn_access *reads)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < 2; k++) {
		int64_t rank = tn_walk_input(s->w, k)->elements;

		if (s->n - 1 - i < rank)
			n = tn_places_add(s, k, rank - s->n + i, 1, reads, n);
	}
	return n;
}

bool tn_places_broadcast_args(struct tn_places *s)
{
	const struct tn_tensor *a = tn_walk_input(s->w, 0), *b = tn_walk_input(s->w, 1);

	s->reads = broadcast_reads;
	s->max_reads = 2;
	return a && b && a->dtype == DTYPE_I32 && b->dtype == DTYPE_I32 &&
	       tn_max_i64(a->elements, b->elements) == s->n;
}
