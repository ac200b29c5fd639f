/* When ops may run in parallel, only dependences order them. What two ops do to the same
 * bits must then be ordered by the graph itself. */
#include <stdlib.h>

#include "base/checked.h"
#include "claims/run.h"

#define OPS_MAX 16384 /* 32 MB of bits */

struct order {
	struct tn_run *r;
	const struct tn_model *m;
	uint64_t *after; /* by op: set of the ops that come after it */
	size_t words;
	uint32_t *position; /* by op: in the schedule of the graph */
	bool nomem;
};

static bool comes_after(const struct order *o, uint32_t a, uint32_t b)
{
	return o->after[a * o->words + b / 64] >> (b % 64) & 1;
}

/* The ranges that hold elements: one when they lie side by side. */
static int64_t ranges_of(const struct tn_form *f)
{
	return f->dense ? 1 : f->n;
}

static void range_at(const struct tn_form *f, int64_t i, int64_t *begin, int64_t *end)
{
	*begin = f->dense ? f->lo : tn_form_at(f, i);
	*end = f->dense ? f->hi : *begin + f->width;
}

/* Is one of the form's elements where something has been seen? */
static bool is_seen(
	struct order *o, struct tn_cells *seen, const struct tn_form *f, int64_t shift)
{
	for (int64_t i = 0; i < ranges_of(f); i++) {
		int64_t begin, end;
		struct tn_cell c;

		if (!tn_run_take(o->r, 1))
			return true;
		range_at(f, i, &begin, &end);
		c = tn_cells_at(seen, begin + shift);
		if (c.value != CELL_EMPTY || c.end < end + shift)
			return true;
	}
	return false;
}

/* Do elements of the two share a bit, when bit 0 of b's root is `shift` bits behind bit 0
 * of a's? Yes, when that is too much to look at. */
static bool elements_meet(
	struct order *o, const struct tn_form *a, const struct tn_form *b, int64_t shift)
{
	struct tn_cells seen = { 0 };
	struct tn_arena own;
	bool meet;

	if (a->lo >= b->hi + shift || b->lo + shift >= a->hi)
		return false;
	if (a->dense && b->dense)
		return true;
	tn_arena_init(&own);
	for (int64_t i = 0; i < ranges_of(a) && !o->nomem && !o->r->too_large; i++) {
		struct tn_cell c = { 0, 0, 0, 0, EVENT_NONE };

		range_at(a, i, &c.begin, &c.end);
		o->nomem = !tn_cells_put(&seen, &own, c);
		tn_run_take_change(o->r, &seen);
	}
	meet = o->nomem || o->r->too_large || is_seen(o, &seen, b, shift);
	tn_arena_release(&own);
	return meet;
}

/* Does b depend on a, which the graph runs before it? A view runs no code: it is written by
 * nobody, and who reads it depends on those that have written the bytes. */
static bool depends(struct order *o, uint32_t a, uint32_t b)
{
	const struct tn_op *x = &o->m->g->ops[a], *y = &o->m->g->ops[b];

	if (o->m->kernel[a].kind == KERNEL_VIEW || o->m->kernel[b].kind == KERNEL_VIEW ||
		!tn_run_take(o->r, 1 + ((int64_t)x->n_inputs + x->n_outputs) *
						   ((int64_t)y->n_inputs + y->n_outputs)))
		return false;
	for (uint32_t i = 0; i < x->n_inputs + x->n_outputs; i++) {
		const struct tn_form *f = tn_model_operand(o->m, a, i);

		for (uint32_t k = 0; f && k < y->n_inputs + y->n_outputs; k++) {
			const struct tn_form *h = tn_model_operand(o->m, b, k);

			if (!h || h->root != f->root ||
				(i < x->n_inputs && k < y->n_inputs &&
					!tn_model_updates(o->m, a, i) &&
					!tn_model_updates(o->m, b, k)))
				continue;
			if (elements_meet(o, f, h, 0))
				return true;
		}
	}
	return false;
}

static bool find_order(struct order *o)
{
	const struct tn_graph *g = o->m->g;

	o->words = ((size_t)g->n_ops + 63) / 64;
	o->after = TN_NEW_ARRAY(o->r->arena, uint64_t, o->words * g->n_ops);
	o->position = TN_NEW_ARRAY(o->r->arena, uint32_t, g->n_ops);
	if (!o->after || !o->position)
		return false;
	for (uint32_t i = 0; i < g->n_ops; i++)
		o->position[g->schedule[i].i] = i;
	for (uint32_t i = g->n_ops; i-- > 0 && !o->r->too_large;) {
		uint32_t a = g->schedule[i].i;

		for (uint32_t j = i + 1; j < g->n_ops; j++) {
			uint32_t b = g->schedule[j].i;

			if (comes_after(o, a, b) || !depends(o, a, b))
				continue;
			o->after[a * o->words + b / 64] |= UINT64_C(1) << (b % 64);
			for (size_t w = 0; w < o->words; w++)
				o->after[a * o->words + w] |= o->after[b * o->words + w];
		}
	}
	return !o->nomem;
}

static void lose(struct order *o, const struct tn_touch *a, const struct tn_touch *b)
{
	/* who reads is the victim; of two writers, the one that the graph has first */
	const struct tn_touch *victim = !b->writes ? b : a, *writer = victim == a ? b : a;
	struct tn_loss loss = { .kind = LOSS_UNORDERED,
		.victim = victim->tensor,
		.reader = victim->op,
		.operand = TN_NONE,
		.begin = tn_max_i64(a->begin, b->begin),
		.end = tn_min_i64(a->end, b->end),
		.found = { EVENT_OUTPUT, writer->op, writer->tensor, 0, 0 },
		.both_write = a->writes && b->writes,
		.expected = TN_NONE,
		.expected_ran = true,
		.other = writer->tensor,
		.need = -1,
		.have = -1,
		.align = -1,
		.claim = TN_NONE,
		.time = (uint32_t)o->r->losses->list.count };

	if (!tn_losses_add(o->r->losses, o->r->arena, loss))
		o->nomem = true;
}

static int by_address(const void *x, const void *y)
{
	const struct tn_touch *a = x, *b = y;

	if (a->world != b->world)
		return a->world < b->world ? -1 : 1;
	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	if (a->op != b->op)
		return a->op < b->op ? -1 : 1;
	if (a->tensor != b->tensor)
		return a->tensor < b->tensor ? -1 : 1;
	return (int)a->writes - (int)b->writes;
}

static void check_pair(
	struct order *o, const struct tn_touch *a, const struct tn_touch *b)
{
	int64_t shift;

	if (o->position[a->op] > o->position[b->op]) {
		const struct tn_touch *swap = a;

		a = b;
		b = swap;
	}
	if (a->op == b->op || (!a->writes && !b->writes) || comes_after(o, a->op, b->op))
		return;
	shift = tn_setting_address(o->r->s, b->tensor, 0) -
		tn_setting_address(o->r->s, a->tensor, 0);
	/* what lies between the elements of a strided tensor is not touched */
	if ((!o->m->form[a->tensor].dense || !o->m->form[b->tensor].dense) &&
		!elements_meet(o, &o->m->form[a->tensor], &o->m->form[b->tensor], shift))
		return;
	lose(o, a, b);
}

enum tn_status tn_run_unordered(struct tn_run *r)
{
	struct order o = { .r = r, .m = r->m };
	struct tn_touch *list = r->touches.items;
	size_t n = r->touches.count;

	if (r->m->g->n_ops > OPS_MAX) {
		r->too_large = true;
		return TN_OK;
	}
	if (!find_order(&o))
		return TN_ERR_NOMEM;
	if (n)
		qsort(list, n, sizeof(*list), by_address);
	for (size_t i = 0; i < n && !r->too_large; i++)
		for (size_t k = i + 1; k < n && list[k].world == list[i].world &&
				       list[k].begin < list[i].end && tn_run_take(r, 1);
			k++)
			check_pair(&o, &list[i], &list[k]);
	return o.nomem ? TN_ERR_NOMEM : TN_OK;
}
