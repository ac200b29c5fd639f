#include "layout/turns.h"

#include <inttypes.h>

#include "base/checked.h"

static const char STREAM[] = "plan/stream";

bool tn_turns_init(
	struct tn_turns *t, const struct tn_layout *l, const struct tn_plan_stream *s)
{
	*t = (struct tn_turns){ .l = l,
		.s = s,
		.rows = TN_NEW_ARRAY(l->arena, struct tn_row_op, s->n),
		.done = TN_NEW_ARRAY(l->arena, int64_t, s->n) };
	return t->rows && t->done;
}

bool tn_turns_admit(struct tn_turns *t, uint32_t i, bool tangled)
{
	const struct tn_layout *l = t->l;
	const uint32_t op = l->plan->order[t->s->first + i];
	const struct tn_plan_op *p = &l->plan->ops[op];
	const struct tn_variant v = tn_layout_variant_of(p);
	const struct tn_verdict at = { .op = op, .tensor = TN_NONE };
	struct tn_row_op *rows = &t->rows[i];

	return tn_need(l->refusals,
		       !p->elided && l->operands[op].n && !l->operands[op].opaque &&
			       !tangled &&
			       tn_row_op_of(
				       l->g, (tn_op_id){ op }, i + 1 == t->s->n, rows),
		       &at, STREAM, "is in a chain and does not run row by row") &&
	       tn_layout_variant(l, op) &&
	       tn_need(l->refusals,
		       !tn_variant_is_buffered(v) && v.descending == t->s->descending &&
			       (rows->kind != ROWS_TOTAL || !v.descending),
		       &at, "plan/variant",
		       "is in a chain of the other direction, or holds rows back") &&
	       tn_need(l->refusals, p->scratch_bytes >= rows->state, &at,
		       "plan/scratch-size",
		       "has %" PRId64 " bytes of scratch, adds up in %" PRId64,
		       p->scratch_bytes, rows->state);
}

/* Index in the chain, or TN_NONE. */
static uint32_t index_of(const struct tn_turns *t, uint32_t op)
{
	const uint32_t at = op < t->l->g->n_ops ? t->l->position[op] : TN_NONE;

	return at != TN_NONE && at >= t->s->first && at - t->s->first < t->s->n
		       ? at - t->s->first
		       : TN_NONE;
}

/* Are these the rows that come next, of n of which some are done? */
static bool come_next(const struct tn_turn *r, int64_t n, int64_t done, bool descending)
{
	return r->begin < r->end && r->end - r->begin <= n - done &&
	       (descending ? r->end == n - done : r->begin == done);
}

static bool take_given(struct tn_turns *t, struct tn_turn *r)
{
	const struct tn_graph *g = t->l->g;
	const uint32_t i = t->s->input < g->n_tensors ? t->s->input : TN_NONE;
	const struct tn_verdict at = { .op = TN_NONE, .tensor = i };

	if (!tn_need(t->l->refusals,
		    t->s->fed &&
			    come_next(r, g->tensors[i].shape.dim[1], t->given, false),
		    &at, STREAM,
		    "rows %" PRId64 "..%" PRId64 " of an input come, which are not the "
		    "next ones",
		    r->begin, r->end))
		return false;
	t->given = r->end;
	return true;
}

static bool take_rows(struct tn_turns *t, struct tn_turn *r)
{
	const uint32_t i = index_of(t, r->op);
	const struct tn_verdict none = { .op = TN_NONE, .tensor = TN_NONE },
				at = { .op = r->op, .tensor = TN_NONE };

	if (!tn_need(t->l->refusals, i != TN_NONE, &none, STREAM,
		    "an event of a chain is of op %u, which is not in it", r->op) ||
		!tn_need(t->l->refusals,
			come_next(r, t->rows[i].n, t->done[i], t->s->descending), &at,
			STREAM,
			"runs rows %" PRId64 "..%" PRId64 " when %" PRId64 " of %" PRId64
			" are done",
			r->begin, r->end, t->done[i], t->rows[i].n))
		return false;
	r->total = t->rows[i].kind == ROWS_TOTAL;
	r->first = !t->done[i];
	t->done[i] += r->end - r->begin;
	return true;
}

static bool all_done(const struct tn_turns *t)
{
	const struct tn_graph *g = t->l->g;
	struct tn_verdict at = { .tensor = TN_NONE };
	int64_t n;

	for (uint32_t i = 0; i < t->s->n; i++) {
		at.op = t->l->plan->order[t->s->first + i];
		if (!tn_need(t->l->refusals, t->done[i] == t->rows[i].n, &at, STREAM,
			    "runs %" PRId64 " of %" PRId64 " rows", t->done[i],
			    t->rows[i].n))
			return false;
	}
	if (!t->s->fed)
		return true;
	at = (struct tn_verdict){ .op = TN_NONE, .tensor = t->s->input };
	n = g->tensors[t->s->input].shape.dim[1];
	return tn_need(t->l->refusals, t->given == n, &at, STREAM,
		"gets %" PRId64 " of %" PRId64 " rows", t->given, n);
}

/* The loop that the next event is in, or NULL. */
static const struct tn_plan_loop *next_loop(struct tn_turns *t)
{
	for (; t->loop < t->s->n_loops; t->loop++) {
		const struct tn_plan_loop *l = &t->s->loops[t->loop];

		if (t->event == l->n_events) {
			t->event = 0;
			t->pass++;
		}
		if (t->pass < l->times && l->n_events)
			return l;
		t->pass = 0;
	}
	return NULL;
}

bool tn_turns_next(struct tn_turns *t, struct tn_turn *out, bool *out_ok)
{
	const struct tn_plan_loop *l = next_loop(t);
	const struct tn_plan_event *e;

	if (!l) {
		*out_ok = all_done(t);
		return false;
	}
	e = &l->events[t->event++];
	*out = (struct tn_turn){ .op = e->op };
	if (!tn_mul_i64(t->pass, e->step, &out->begin) ||
		!tn_add_i64(out->begin, e->y, &out->begin) ||
		!tn_add_i64(out->begin, e->rows, &out->end))
		out->begin = out->end = -1;
	*out_ok = e->op == TN_PLAN_CALLER ? take_given(t, out) : take_rows(t, out);
	return *out_ok;
}
