/* Chains: ops that run in parts, with rings of rows between them. Everything is as for ops,
 * but that an event replays some rows only, and that bytes of a ring come round. */
#include <inttypes.h>

#include "base/checked.h"
#include "contract/row_op.h"
#include "verify/check.h"

static const char STREAM[] = "plan/stream", RING[] = "plan/ring";

struct chain {
	struct tn_check *c;
	const struct tn_plan_stream *s;
	struct tn_row_op *rows; /* by op of the chain */
	int64_t *done; /* rows, by op of the chain */
	int64_t given; /* rows, by the caller */
};

bool tn_check_is_fed(const struct tn_check *c, uint32_t tensor)
{
	for (uint32_t i = 0; i < c->plan->n_streams; i++)
		if (c->plan->streams[i].fed && c->plan->streams[i].input == tensor)
			return true;
	return false;
}

/* Index in the chain, or TN_NONE. */
static uint32_t index_of(const struct chain *h, uint32_t op)
{
	const uint32_t at = op < h->c->g->n_ops ? h->c->position[op] : TN_NONE;

	return at != TN_NONE && at >= h->s->first && at - h->s->first < h->s->n
		       ? at - h->s->first
		       : TN_NONE;
}

static bool is_total(const struct chain *h, uint32_t i)
{
	return h->rows[i].kind == ROWS_TOTAL;
}

/* Does the op run row by row, in a variant that writes what it has read? */
static bool check_op(struct chain *h, uint32_t i)
{
	struct tn_check *c = h->c;
	const uint32_t op = c->plan->order[h->s->first + i];
	const struct tn_plan_op *p = &c->plan->ops[op];
	const struct tn_variant v = { p->descending != 0, (enum tn_hold)p->hold };
	const struct tn_verdict at = { .op = op, .tensor = TN_NONE };
	const struct tn_deed *deed = &c->ref.deeds[op];

	c->op = op;
	c->deed = deed;
	if (!tn_need(c,
		    !p->elided && deed->n && !deed->opaque && !deed->tangled &&
			    tn_row_op_of(c->g, (tn_op_id){ op }, i + 1 == h->s->n,
				    &h->rows[i]),
		    &at, STREAM, "is in a chain and does not run row by row") ||
		!tn_check_variant(c, p, v) ||
		!tn_need(c,
			!tn_variant_is_buffered(v) && v.descending == h->s->descending &&
				(!is_total(h, i) || !v.descending),
			&at, "plan/variant",
			"is in a chain of the other direction, or holds rows back"))
		return false;
	return tn_need(c, p->scratch_bytes >= h->rows[i].state, &at, "plan/scratch-size",
		"has %" PRId64 " bytes of scratch, adds up in %" PRId64, p->scratch_bytes,
		h->rows[i].state);
}

/* Are these the rows that come next, and the op's? */
static bool comes_next(
	struct chain *h, const struct tn_plan_event *e, uint32_t i, int64_t y)
{
	const struct tn_verdict at = { .op = e->op, .tensor = TN_NONE };
	const int64_t n = h->rows[i].n, done = h->done[i];
	const int64_t next = h->s->descending ? n - done - e->rows : done;

	return tn_need(h->c, e->rows > 0 && e->rows <= n - done && y == next, &at, STREAM,
		"runs rows %" PRId64 "..%" PRId64 " when %" PRId64 " of %" PRId64
		" are done",
		y, y + e->rows, done, n);
}

/* Sums last from the first row to the last; other scratch for an event. */
static bool scratch_held(struct chain *h, uint32_t i, bool after)
{
	const struct tn_plan_op *p = &h->c->plan->ops[h->c->op];

	return tn_check_garbage(h->c, p->scratch_region, p->scratch_offset,
		p->scratch_bytes, after || (is_total(h, i) && h->done[i]));
}

/* The caller writes rows of the input. */
static bool run_caller(struct chain *h, const struct tn_plan_event *e, int64_t y)
{
	struct tn_check *c = h->c;
	const uint32_t i = h->s->input;
	const struct tn_verdict at = { .op = TN_NONE, .tensor = i };
	const struct tn_tensor *t = &c->g->tensors[i];
	struct tn_touch touch = { .tensor = i, .at = c->ref.extent[i], .strict = true };
	struct tn_memory what = { 0 };
	int64_t row;

	if (!tn_need(c,
		    h->s->fed && e->rows > 0 && y == h->given &&
			    e->rows <= t->shape.dim[1] - y,
		    &at, STREAM,
		    "rows %" PRId64 "..%" PRId64 " of an input come, which are not the "
		    "next ones",
		    y, y + e->rows))
		return false;
	row = t->bytes / t->shape.dim[1];
	h->given += e->rows;
	if (!tn_memory_write(&what, c->arena, y * row, h->given * row, i, y * row))
		c->status = TN_ERR_NOMEM;
	else
		tn_check_put(c, &touch, &what, y * row, h->given * row);
	return c->status == TN_OK;
}

static bool run_event(struct chain *h, const struct tn_plan_event *e, int64_t y)
{
	struct tn_check *c = h->c;
	const struct tn_plan_op *p = &c->plan->ops[e->op < c->g->n_ops ? e->op : 0];
	const struct tn_verdict at = { .op = e->op,
		.tensor = TN_NONE,
		.region = p->scratch_region,
		.place = p->scratch_offset };
	const struct tn_verdict none = { .op = TN_NONE, .tensor = TN_NONE };
	const uint32_t i = index_of(h, e->op);
	bool held;

	if (!tn_need(c, i != TN_NONE, &none, STREAM,
		    "an event of a chain is of op %u, which is not in it", e->op) ||
		!comes_next(h, e, i, y))
		return false;
	c->op = e->op;
	c->deed = &c->ref.deeds[e->op];
	c->ran[e->op] = true;
	c->clean = false;
	held = scratch_held(h, i, false);
	tn_check_replay_rows(c,
		(struct tn_variant){ p->descending != 0, (enum tn_hold)p->hold },
		i + 1 == h->s->n, y, y + e->rows);
	if (c->lost)
		tn_diag_note(c->diags, "in rows %" PRId64 "..%" PRId64 " of '%s'", y,
			y + e->rows, c->g->ops[e->op].name);
	h->done[i] += e->rows;
	return tn_need(c, held && scratch_held(h, i, true), &at, "plan/scratch-overlap",
		       "does not find its scratch as it left it") &&
	       !c->lost && c->status == TN_OK;
}

static bool run_events(struct chain *h)
{
	for (uint32_t k = 0; k < h->s->n_loops; k++) {
		const struct tn_plan_loop *l = &h->s->loops[k];

		for (int64_t t = 0; t < l->times && l->n_events; t++)
			for (uint32_t i = 0; i < l->n_events; i++) {
				int64_t y;

				if (!tn_mul_i64(t, l->events[i].step, &y) ||
					!tn_add_i64(y, l->events[i].y, &y))
					y = -1;
				if (l->events[i].op == TN_PLAN_CALLER
						? !run_caller(h, &l->events[i], y)
						: !run_event(h, &l->events[i], y))
					return false;
			}
	}
	for (uint32_t i = 0; i < h->s->n; i++) {
		const struct tn_verdict at = { .op = h->c->plan->order[h->s->first + i],
			.tensor = TN_NONE };

		if (!tn_need(h->c, h->done[i] == h->rows[i].n, &at, STREAM,
			    "runs %" PRId64 " of %" PRId64 " rows", h->done[i],
			    h->rows[i].n))
			return false;
	}
	return !h->s->fed ||
	       tn_need(h->c, h->given == h->c->g->tensors[h->s->input].shape.dim[1],
		       &(struct tn_verdict){ .op = TN_NONE, .tensor = h->s->input },
		       STREAM, "gets %" PRId64 " of %" PRId64 " rows", h->given,
		       h->c->g->tensors[h->s->input].shape.dim[1]);
}

/* No event may overwrite rows of the result, read later or not: it is that of an op. */
static bool result_is_whole(struct chain *h)
{
	struct tn_check *c = h->c;
	struct tn_touch *t;

	c->op = c->plan->order[h->s->first + h->s->n - 1];
	c->deed = &c->ref.deeds[c->op];
	t = &c->deed->touches[c->g->ops[c->op].n_inputs]; /* it has one output */
	return tn_check_holds(c, t, &t->after, 0, t->at.end - t->at.begin, true, NULL);
}

void tn_check_stream(struct tn_check *c, const struct tn_plan_stream *s)
{
	struct chain h = { c, s, TN_NEW_ARRAY(c->arena, struct tn_row_op, s->n),
		TN_NEW_ARRAY(c->arena, int64_t, s->n), 0 };
	bool ok = true;

	if (!h.rows || !h.done) {
		c->status = TN_ERR_NOMEM;
		return;
	}
	for (uint32_t i = 0; i < s->n && ok; i++)
		ok = check_op(&h, i);
	if (ok && run_events(&h) && result_is_whole(&h)) {
		c->out->replayed += s->n;
		return;
	}
	for (uint32_t i = 0; i < s->n && c->status == TN_OK; i++) {
		c->op = c->plan->order[s->first + i];
		c->deed = &c->ref.deeds[c->op];
		c->ran[c->op] = true;
		tn_check_write_all(c); /* what follows is not the fault of its readers */
	}
}

/* ---- the layout ---- */

/* What comes in rows is an image, no view, and has none; nobody but ops looks at it. */
static bool has_rows(const struct tn_check *c, uint32_t i, bool viewed)
{
	const struct tn_tensor *t = &c->g->tensors[i];
	const struct tn_extent *at = &c->ref.extent[i];

	return t->shape.rank == 4 && t->shape.dim[0] == 1 && t->bytes > 0 &&
	       t->bytes % t->shape.dim[1] == 0 && at->root == i && !viewed &&
	       at->begin == 0 && at->end == t->bytes && !t->observed &&
	       !tn_graph_is_output(c->g, (tn_tensor_id){ i });
}

/* A ring holds whole rows, of what ops or the caller make row by row. */
static void check_ring(struct tn_check *c, uint32_t i, bool viewed)
{
	const struct tn_tensor *t = &c->g->tensors[i];
	const int64_t ring = c->plan->tensors[i].ring_bytes;
	const struct tn_verdict v = { .op = TN_NONE, .tensor = i };

	tn_need(c,
		has_rows(c, i, viewed) && ring > 0 && ring <= t->bytes &&
			ring % (t->bytes / t->shape.dim[1]) == 0 &&
			(tn_check_is_fed(c, i) ||
				(!c->ref.given[i] && t->role == ROLE_ACT)),
		&v, RING, "'%s' cannot be a ring of %" PRId64 " bytes", t->name, ring);
}

/* The caller gives the rows of an input from the first to the last, to one chain. */
static void check_fed(
	struct tn_check *c, const struct tn_plan_stream *s, const bool *viewed)
{
	const uint32_t i = s->input;
	const struct tn_verdict v = { .op = TN_NONE,
		.tensor = i < c->g->n_tensors ? i : TN_NONE };
	uint32_t n = 0;

	for (uint32_t k = 0; k < c->plan->n_streams; k++)
		n += c->plan->streams[k].fed && c->plan->streams[k].input == i;
	tn_need(c,
		i < c->g->n_tensors && n == 1 && !s->descending &&
			tn_graph_is_input(c->g, (tn_tensor_id){ i }) && c->ref.given[i] &&
			!c->ref.constant[i] && c->g->tensors[i].role == ROLE_INPUT &&
			c->g->tensors[i].clobber &&
			c->plan->tensors[i].region != TN_REGION_NONE &&
			has_rows(c, i, viewed[i]),
		&v, STREAM, "cannot come row by row");
}

/* By root: the last chain, from 1, in which an op looked at makes it, or reads it. */
struct links {
	uint32_t *made, *wanted;
};

/* The positions of a chain are in the order of its ops, and what each makes is for a later
 * one: the last is what all are for. */
static void check_links(struct tn_check *c, uint32_t chain, struct links *l)
{
	const struct tn_plan_stream *s = &c->plan->streams[chain];

	for (uint32_t i = s->n; i-- > 0;) {
		const uint32_t op = c->plan->order[s->first + i];
		const struct tn_deed *deed = &c->ref.deeds[op];
		const struct tn_verdict at = { .op = op, .tensor = TN_NONE };
		bool late = false, wanted = i + 1 == s->n;

		for (uint32_t k = 0; k < deed->n; k++) {
			const struct tn_touch *t = &deed->touches[k];

			if (t->at.begin == t->at.end)
				continue;
			late = late || l->made[t->at.root] == chain + 1;
			wanted = wanted ||
				 (t->writes && l->wanted[t->at.root] == chain + 1);
		}
		tn_need(c, !late, &at, STREAM,
			"reads or makes what a later op of its chain makes");
		tn_need(c, wanted, &at, STREAM,
			"is in a chain, and no later op of it reads what it makes");
		for (uint32_t k = 0; k < deed->n; k++) {
			const struct tn_touch *t = &deed->touches[k];

			if (t->at.begin < t->at.end)
				(t->writes ? l->made : l->wanted)[t->at.root] = chain + 1;
		}
	}
}

static void check_chains(struct tn_check *c, struct links *l)
{
	const struct tn_verdict v = { .op = TN_NONE, .tensor = TN_NONE };
	uint32_t end = 0;

	for (uint32_t i = 0; i < c->plan->n_streams; i++) {
		const struct tn_plan_stream *s = &c->plan->streams[i];

		if (!tn_need(c,
			    s->first >= end && s->n && s->first <= c->g->n_ops &&
				    s->n <= c->g->n_ops - s->first,
			    &v, STREAM, "chain %u is not behind the one before it", i))
			return;
		end = s->first + s->n;
		check_links(c, i, l);
	}
}

bool tn_check_streams(struct tn_check *c)
{
	bool *viewed = TN_NEW_ARRAY(c->arena, bool, c->g->n_tensors);
	struct links links = { TN_NEW_ARRAY(c->arena, uint32_t, c->g->n_tensors),
		TN_NEW_ARRAY(c->arena, uint32_t, c->g->n_tensors) };

	if (!viewed || !links.made || !links.wanted)
		return false;
	check_chains(c, &links);
	for (uint32_t i = 0; i < c->g->n_tensors; i++)
		if (c->ref.extent[i].root != i)
			viewed[c->ref.extent[i].root] = true;
	for (uint32_t i = 0; i < c->g->n_tensors; i++)
		if (c->plan->tensors[i].ring_bytes)
			check_ring(c, i, viewed[i]);
	for (uint32_t i = 0; i < c->plan->n_streams; i++)
		if (c->plan->streams[i].fed)
			check_fed(c, &c->plan->streams[i], viewed);
	for (uint32_t p = 0; p < c->g->n_ops && !c->out->refusals; p++) {
		const uint32_t op = c->plan->order[p];
		const struct tn_deed *deed = &c->ref.deeds[op];
		const struct tn_verdict at = { .op = op, .tensor = TN_NONE };
		bool ring = false;

		for (uint32_t k = 0; k < deed->n; k++)
			ring = ring || (deed->touches[k].tensor != TN_NONE &&
					       c->plan->tensors[deed->touches[k].tensor]
						       .ring_bytes);
		tn_need(c, !ring || tn_plan_stream_at(c->plan, p), &at, RING,
			"uses a ring, and is in no chain");
	}
	return true;
}
