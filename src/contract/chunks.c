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
		c->outer *= whole->shape.dim[d];
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

static bool chunk_step(struct tn_walk *w, const struct chunks *c, uint32_t k,
	int64_t part, int64_t whole)
{
	uint32_t in = c->split ? c->whole : c->first + k;
	int64_t from = c->split ? whole : part, to = c->split ? part : whole;
	struct tn_access read = { in, from * c->width, (from + 1) * c->width };
	struct tn_access write = { c->split ? k : 0, to * c->width, (to + 1) * c->width };

	return tn_walk_step(w, &read, tn_walk_shares(w, in) ? 1 : 0, &write, 1);
}

static void walk_chunks(struct tn_walk *w, const struct chunks *c, int64_t total)
{
	bool back = w->variant.descending;
	int64_t at = back ? total - 1 : 0;

	for (int64_t o = 0; o < c->outer; o++) {
		int64_t outer = back ? c->outer - 1 - o : o;

		for (uint32_t j = 0; j < c->n; j++) {
			uint32_t k = back ? c->n - 1 - j : j;
			int64_t len = chunk(w, c, k)->elements / c->outer;

			for (int64_t e = 0; e < len; e++) {
				int64_t i = outer * len + (back ? len - 1 - e : e);

				if (!chunk_step(w, c, k, i, at))
					return;
				at += back ? -1 : 1;
			}
		}
	}
}

bool tn_walk_chunks(struct tn_walk *w)
{
	struct chunks c;

	if (!chunks_of(w, &c))
		return false;
	if (w->fn)
		walk_chunks(w, &c,
			c.split ? tn_walk_input(w, c.whole)->elements
				: tn_walk_output(w, 0)->elements);
	return true;
}
