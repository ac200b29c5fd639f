/* Runs of one operand after the other: concatenation, pack, split, unpack. */
#include "base/checked.h"
#include "contract/walk.h"

/* The many operands of a concatenation or a split, as runs of bytes: `outer` times one
 * run of each. */
struct chunks {
	bool split; /* the many operands are outputs */
	uint32_t first; /* index of the first of the many */
	uint32_t n;
	uint32_t whole; /* index of the operand on the other side */
	int64_t outer, width;
};

static const struct tn_tensor *chunk(
	const struct tn_walk *w, const struct chunks *c, uint32_t k)
{
	return c->split ? tn_walk_output(w, k) : tn_walk_input(w, c->first + k);
}

static bool chunks_of(const struct tn_walk *w, struct chunks *c)
{
	const struct tn_tensor *whole;
	int64_t axis = tn_op_int(w->op, "axis", 0), total = 0;

	*c = (struct chunks){ .n = tn_op_operands(w->g, w->op), .outer = 1 };
	c->split = w->op->kind == OP_SPLIT || w->op->kind == OP_SPLIT_V ||
		   w->op->kind == OP_UNPACK;
	if (c->split) {
		const struct tn_tensor *t = NULL;

		c->n = w->op->n_outputs;
		if (w->op->kind == OP_SPLIT && w->op->n_inputs == 2) {
			t = tn_walk_input(w, 0);
			c->whole = 1;
		} else if (w->op->kind == OP_SPLIT_V && w->op->n_inputs == 3) {
			t = tn_walk_input(w, 2);
		}
		if (t && !tn_tensor_int(t, 0, &axis))
			return false;
		whole = tn_walk_input(w, c->whole);
	} else {
		if (w->op->n_outputs != 1)
			return false;
		whole = tn_walk_output(w, 0);
	}
	if (!whole || !c->n)
		return false;
	if (axis < 0)
		axis += whole->shape.rank;
	if (axis < 0 || axis >= whole->shape.rank)
		return false;
	for (int64_t d = 0; d < axis; d++)
		if (!tn_mul_i64(c->outer, whole->shape.dim[d], &c->outer))
			return false; /* of nothing */
	c->width = tn_walk_width(whole);
	for (uint32_t k = 0; k < c->n; k++) {
		const struct tn_tensor *part = chunk(w, c, k);

		if (!part || part->dtype != whole->dtype || part->elements < 0 ||
			!c->outer || part->elements % c->outer ||
			!tn_add_i64(total, part->elements, &total))
			return false;
	}
	return total == whole->elements;
}

/* One operand's run: the bytes that are read and written, and how. */
struct run {
	uint32_t in, out;
	bool shares;
	int64_t from, to; /* first element of either side */
	int64_t width;
};

static bool walk_run(struct tn_walk *w, const struct run *r, int64_t len)
{
	const int64_t first = w->variant.descending ? len - 1 : 0;
	const int64_t by = w->variant.descending ? -r->width : r->width;
	const int64_t from = (r->from + first) * r->width;
	const int64_t to = (r->to + first) * r->width;
	struct tn_access read = { r->in, from, from + r->width };
	struct tn_access write = { r->out, to, to + r->width };

	return tn_walk_run(w, &read, r->shares ? 1 : 0, &write, len, by, by);
}

static void walk_chunks(struct tn_walk *w, const struct chunks *c, int64_t total)
{
	bool back = w->variant.descending;
	int64_t at = back ? total : 0;

	for (int64_t o = 0; o < c->outer; o++) {
		int64_t outer = back ? c->outer - 1 - o : o;

		for (uint32_t j = 0; j < c->n; j++) {
			uint32_t k = back ? c->n - 1 - j : j;
			int64_t len = chunk(w, c, k)->elements / c->outer;
			struct run r = { .in = c->split ? c->whole : c->first + k,
				.out = c->split ? k : 0,
				.width = c->width };

			at -= back ? len : 0;
			r.from = c->split ? at : outer * len;
			r.to = c->split ? outer * len : at;
			r.shares = tn_walk_shares(w, r.in);
			if (!walk_run(w, &r, len))
				return;
			at += back ? 0 : len;
		}
	}
}

bool tn_walk_chunks(struct tn_walk *w)
{
	struct chunks c;
	int64_t total;

	if (!chunks_of(w, &c))
		return false;
	total = c.split ? tn_walk_input(w, c.whole)->elements
			: tn_walk_output(w, 0)->elements;
	if (w->fn && total)
		walk_chunks(w, &c, total);
	return true;
}
