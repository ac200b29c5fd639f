/* A value that is passed through: half of what a unit reads goes into the whole that it
 * writes, as in ShuffleNet. The half lies in both wholes, so the two are one buffer, and
 * what the unit makes of the other half lies where that was. That is right when at no time
 * two different values with a byte in common are alive. */
#include "analysis/elider.h"
#include "base/checked.h"

/* More pairs of values than this are not compared: the op copies. */
#define COMPARED_MAX (UINT32_C(1) << 20)

struct tie {
	const struct tn_elider *e;
	int64_t begin, end; /* bytes of the whole that hold the operand */
	uint32_t compared;
};

/* Found once: when a tensor lives follows from the graph and the order, and not from what has
 * been left out since. */
static enum tn_status find_lives(struct tn_elider *e)
{
	return e->live.tensor
		       ? TN_OK
		       : tn_liveness_find(e->g, &e->order, e->al, e->arena, &e->live);
}

static bool overlap(int64_t a_lo, int64_t a_hi, int64_t b_lo, int64_t b_hi)
{
	return a_lo < b_hi && b_lo < a_hi;
}

/* Have the two, moved so many bytes, a byte in common that is not the operand's own? */
static bool share(
	const struct tie *t, uint32_t a, int64_t a_shift, uint32_t b, int64_t b_shift)
{
	const struct tn_alias *x = &t->e->al->of[a], *y = &t->e->al->of[b];
	int64_t lo = tn_max_i64(x->offset + a_shift, y->offset + b_shift);
	int64_t hi = tn_min_i64(
		x->offset + a_shift + x->extent, y->offset + b_shift + y->extent);

	return lo < hi && (lo < t->begin || hi > t->end);
}

/* A member of the one class that is alive with a member of the other in the same bytes:
 * the one that is written later, or TN_NONE. */
static uint32_t find_clash(
	struct tie *t, uint32_t root, int64_t shift, uint32_t other, int64_t other_shift)
{
	const struct tn_span *live = t->e->live.tensor;

	for (uint32_t a = root; a != TN_NONE; a = t->e->next[a])
		for (uint32_t b = other; b != TN_NONE; b = t->e->next[b])
			if (t->compared++ >= COMPARED_MAX ||
				(share(t, a, shift, b, other_shift) &&
					overlap(live[a].first, tn_span_end(&live[a]),
						live[b].first, tn_span_end(&live[b]))))
				return live[a].first > live[b].first ? a : b;
	return TN_NONE;
}

enum tn_status tn_tie_judge(struct tn_elider *e, const struct tn_op *op,
	const struct tn_moves *moves, uint32_t i, struct tn_no_copy *v)
{
	const struct tn_move *m = &moves->list[i];
	const struct tn_alias *a = &e->al->of[op->inputs[m->input].i];
	tn_tensor_id out = op->outputs[m->output];
	struct tie t = { .e = e, .begin = m->to, .end = m->to + m->bytes };
	int64_t shift = m->to - a->offset, end;
	enum tn_status status = find_lives(e);
	uint32_t clash;

	if (status != TN_OK)
		return status;
	if (a->root.i == out.i || shift < 0 ||
		!tn_add_i64(e->g->tensors[a->root.i].bytes, shift, &end) ||
		end > e->g->tensors[out.i].bytes) {
		v->fault = NO_COPY_LAYOUT;
		return TN_OK;
	}
	if (e->options->any_order) {
		v->fault = NO_COPY_REWRITTEN;
		return TN_OK;
	}
	clash = find_clash(&t, a->root.i, shift, out.i, 0);
	for (uint32_t k = 0; k < moves->n && clash == TN_NONE; k++) {
		const struct tn_move *n = &moves->list[k];
		const struct tn_alias *b = &e->al->of[op->inputs[n->input].i];

		if (k != i)
			clash = find_clash(
				&t, a->root.i, shift, b->root.i, n->to - b->offset);
	}
	if (clash != TN_NONE) {
		v->fault = NO_COPY_REWRITTEN;
		v->other = e->live.tensor[clash].producer;
	}
	return TN_OK;
}
