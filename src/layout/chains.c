/* Chains and rings. */
#include <inttypes.h>

#include "base/checked.h"
#include "layout/part.h"

static const char STREAM[] = "plan/stream", RING[] = "plan/ring";

/* What comes in rows is an image, no view, and has none; nobody but ops looks at it. */
static bool has_rows(const struct tn_layout *l, uint32_t i, bool viewed)
{
	const struct tn_tensor *t = &l->g->tensors[i];
	const struct tn_extent *at = &l->storage->extent[i];

	return t->shape.rank == 4 && t->shape.dim[0] == 1 && t->bytes > 0 &&
	       t->bytes % t->shape.dim[1] == 0 && at->root == i && !viewed &&
	       at->begin == 0 && at->end == t->bytes && !t->observed &&
	       !tn_graph_is_output(l->g, (tn_tensor_id){ i });
}

/* A ring holds whole rows, of what ops or the caller make row by row. */
static void check_ring(const struct tn_layout *l, uint32_t i, bool viewed)
{
	const struct tn_tensor *t = &l->g->tensors[i];
	const int64_t ring = l->plan->tensors[i].ring_bytes;
	const struct tn_verdict v = { .op = TN_NONE, .tensor = i };

	tn_need(l->refusals,
		has_rows(l, i, viewed) && ring > 0 && ring <= t->bytes &&
			ring % (t->bytes / t->shape.dim[1]) == 0 &&
			(tn_plan_is_fed(l->plan, i) ||
				(!l->storage->given[i] && t->role == ROLE_ACT)),
		&v, RING, "'%s' cannot be a ring of %" PRId64 " bytes", t->name, ring);
}

/* The caller gives the rows of an input from the first to the last, to one chain. */
static void check_fed(
	const struct tn_layout *l, const struct tn_plan_stream *s, const bool *viewed)
{
	const uint32_t i = s->input;
	const struct tn_verdict v = { .op = TN_NONE,
		.tensor = i < l->g->n_tensors ? i : TN_NONE };
	uint32_t n = 0;

	for (uint32_t k = 0; k < l->plan->n_streams; k++)
		n += l->plan->streams[k].fed && l->plan->streams[k].input == i;
	tn_need(l->refusals,
		i < l->g->n_tensors && n == 1 && !s->descending &&
			tn_graph_is_input(l->g, (tn_tensor_id){ i }) &&
			l->storage->given[i] && !l->storage->constant[i] &&
			l->g->tensors[i].role == ROLE_INPUT && l->g->tensors[i].clobber &&
			l->plan->tensors[i].region != TN_REGION_NONE &&
			has_rows(l, i, viewed[i]),
		&v, STREAM, "cannot come row by row");
}

/* By root: the last chain, from 1, in which an op looked at makes it, or reads it. */
struct links {
	uint32_t *made, *wanted;
};

/* The positions of a chain are in the order of its ops, and what each makes is for a later
 * one: the last is what all are for. */
static void check_links(const struct tn_layout *l, uint32_t chain, struct links *links)
{
	const struct tn_plan_stream *s = &l->plan->streams[chain];

	for (uint32_t i = s->n; i-- > 0;) {
		const uint32_t op = l->plan->order[s->first + i];
		const struct tn_operands *o = &l->operands[op];
		const struct tn_verdict at = { .op = op, .tensor = TN_NONE };
		bool late = false, wanted = i + 1 == s->n;

		for (uint32_t k = 0; k < o->n; k++) {
			const struct tn_operand *t = &o->list[k];

			if (t->at.begin == t->at.end)
				continue;
			late = late || links->made[t->at.root] == chain + 1;
			wanted = wanted ||
				 (t->writes && links->wanted[t->at.root] == chain + 1);
		}
		tn_need(l->refusals, !late, &at, STREAM,
			"reads or makes what a later op of its chain makes");
		tn_need(l->refusals, wanted, &at, STREAM,
			"is in a chain, and no later op of it reads what it makes");
		for (uint32_t k = 0; k < o->n; k++) {
			const struct tn_operand *t = &o->list[k];

			if (t->at.begin < t->at.end)
				(t->writes ? links->made : links->wanted)[t->at.root] =
					chain + 1;
		}
	}
}

static void check_chains(const struct tn_layout *l, struct links *links)
{
	const struct tn_verdict v = { .op = TN_NONE, .tensor = TN_NONE };
	uint32_t end = 0;

	for (uint32_t i = 0; i < l->plan->n_streams; i++) {
		const struct tn_plan_stream *s = &l->plan->streams[i];

		if (!tn_need(l->refusals,
			    s->first >= end && s->n && s->first <= l->g->n_ops &&
				    s->n <= l->g->n_ops - s->first,
			    &v, STREAM, "chain %u is not behind the one before it", i))
			return;
		end = s->first + s->n;
		check_links(l, i, links);
	}
}

/* What is a ring belongs to ops of chains alone. */
static void check_users(const struct tn_layout *l)
{
	for (uint32_t p = 0; p < l->g->n_ops && !l->refusals->out->refusals; p++) {
		const uint32_t op = l->plan->order[p];
		const struct tn_operands *o = &l->operands[op];
		const struct tn_verdict at = { .op = op, .tensor = TN_NONE };
		bool ring = false;

		for (uint32_t k = 0; k < o->n; k++)
			ring = ring ||
			       (o->list[k].tensor != TN_NONE &&
				       l->plan->tensors[o->list[k].tensor].ring_bytes);
		tn_need(l->refusals, !ring || tn_plan_stream_at(l->plan, p), &at, RING,
			"uses a ring, and is in no chain");
	}
}

bool tn_layout_chains(const struct tn_layout *l)
{
	bool *viewed = TN_NEW_ARRAY(l->arena, bool, l->g->n_tensors);
	struct links links = { TN_NEW_ARRAY(l->arena, uint32_t, l->g->n_tensors),
		TN_NEW_ARRAY(l->arena, uint32_t, l->g->n_tensors) };

	if (!viewed || !links.made || !links.wanted)
		return false;
	check_chains(l, &links);
	for (uint32_t i = 0; i < l->g->n_tensors; i++)
		if (l->storage->extent[i].root != i)
			viewed[l->storage->extent[i].root] = true;
	for (uint32_t i = 0; i < l->g->n_tensors; i++)
		if (l->plan->tensors[i].ring_bytes)
			check_ring(l, i, viewed[i]);
	for (uint32_t i = 0; i < l->plan->n_streams; i++)
		if (l->plan->streams[i].fed)
			check_fed(l, &l->plan->streams[i], viewed);
	check_users(l);
	return true;
}
