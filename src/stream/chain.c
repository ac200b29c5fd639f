#include "stream/chain.h"

#include "base/checked.h"

static bool planned(const struct tn_stream_view *v, uint32_t tensor)
{
	return tn_tensor_is_planned(&v->g->tensors[tensor]);
}

enum tn_status tn_stream_view_make(const struct tn_graph *g, const struct tn_order *order,
	const struct tn_aliases *aliases, const struct tn_liveness *live, uint32_t input,
	struct tn_arena *arena, struct tn_stream_view *out)
{
	*out = (struct tn_stream_view){ g, order, aliases, live,
		TN_NEW_ARRAY(arena, struct tn_row_op, g->n_ops),
		TN_NEW_ARRAY(arena, struct tn_row_op, g->n_ops),
		TN_NEW_ARRAY(arena, bool, g->n_tensors), input };
	if (!out->rows || !out->totals || !out->alone)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < g->n_ops; i++) {
		if (aliases->elided[i])
			continue;
		(void)tn_row_op_of(g, (tn_op_id){ i }, false, &out->rows[i]);
		(void)tn_row_op_of(g, (tn_op_id){ i }, true, &out->totals[i]);
	}
	for (uint32_t i = 0; i < g->n_tensors; i++)
		out->alone[i] = aliases->of[i].root.i == i && !aliases->parted[i];
	for (uint32_t i = 0; i < g->n_tensors; i++)
		if (aliases->of[i].root.i != i)
			out->alone[aliases->of[i].root.i] = false;
	return TN_OK;
}

bool tn_chain_may_have(const struct tn_stream_view *v, uint32_t position, bool last)
{
	uint32_t op = v->order->at[position].i;

	return (last ? v->totals : v->rows)[op].kind != ROWS_NONE;
}

/* State and values that the graph itself writes again do not come row by row. */
static bool is_plain(const struct tn_stream_view *v, uint32_t tensor)
{
	const struct tn_tensor *t = &v->g->tensors[tensor];
	const struct tn_tensor *root = &v->g->tensors[v->aliases->of[tensor].root.i];

	return planned(v, tensor) && t->role != ROLE_VARIABLE && !t->mutated &&
	       root->role != ROLE_VARIABLE && !root->mutated &&
	       v->aliases->of[tensor].dense;
}

/* Is the output of an op needed by nobody but ops of the chain behind it? */
static bool stays_inside(
	const struct tn_stream_view *v, const struct tn_chain *c, uint32_t tensor)
{
	const struct tn_span *span = &v->live->root[tensor];

	return v->alone[tensor] && span->reason == LIFE_READ &&
	       span->last < 2 * (int64_t)tn_chain_end(c);
}

static uint32_t producer_of(const struct tn_chain *c, uint32_t n, uint32_t tensor)
{
	for (uint32_t i = 0; i < n; i++)
		if (c->ops[i].out == tensor)
			return i;
	return TN_NONE;
}

/* Does something in the chain write the bytes of an input from outside as well? */
static bool is_written(
	const struct tn_stream_view *v, const struct tn_chain *c, uint32_t tensor)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (v->aliases->of[c->ops[i].out].root.i == v->aliases->of[tensor].root.i)
			return true;
	return false;
}

static bool add_sources(const struct tn_stream_view *v, const struct tn_chain *c,
	struct tn_chain_op *o, uint32_t index)
{
	const struct tn_op *op = &v->g->ops[o->op.i];

	for (uint32_t k = 0; k < op->n_inputs; k++) {
		uint32_t id = op->inputs[k].i;
		bool known = false;

		if (id == TN_NONE || !planned(v, id))
			continue;
		for (uint32_t i = 0; i < o->n_sources; i++)
			known = known || o->sources[i].tensor == id;
		if (known)
			continue;
		if (o->n_sources == TN_CHAIN_SOURCES_MAX || !is_plain(v, id))
			return false;
		o->sources[o->n_sources++] =
			(struct tn_chain_source){ id, producer_of(c, index, id),
				v->g->tensors[id].bytes / o->rows.in_h };
	}
	return o->n_sources > 0;
}

/* How many rows of the inputs from outside it takes to have row y of op i. */
static int64_t reach(const struct tn_chain *c, uint32_t i, int64_t y)
{
	int64_t need[TN_CHAIN_OPS_MAX] = { 0 }, begin, end, far = 0;

	need[i] = y + 1;
	for (uint32_t j = i + 1; j-- > 0;) {
		const struct tn_chain_op *o = &c->ops[j];

		if (!need[j])
			continue;
		tn_row_op_reads(&o->rows, need[j] - 1, &begin, &end);
		for (uint32_t k = 0; k < o->n_sources; k++) {
			uint32_t from = o->sources[k].producer;
			int64_t *to = from == TN_NONE ? &far : &need[from];

			*to = tn_max_i64(*to, end);
		}
	}
	return c->fed ? tn_max_i64(far, need[0]) : far;
}

/* What reaches least far is pulled first: its rows are then read before those that the
 * others pull on top of them. */
static void sort_sources(const struct tn_chain *c, struct tn_chain_op *o)
{
	int64_t far[TN_CHAIN_SOURCES_MAX], begin, end;

	if (o->n_sources < 2)
		return;
	tn_row_op_reads(&o->rows, o->rows.n / 2, &begin, &end);
	for (uint32_t k = 0; k < o->n_sources; k++) {
		struct tn_chain_source s = o->sources[k];
		int64_t mine = s.producer == TN_NONE || end <= begin
				       ? -1
				       : reach(c, s.producer, end - 1);
		uint32_t at = k;

		for (; at && far[at - 1] > mine; at--) {
			far[at] = far[at - 1];
			o->sources[at] = o->sources[at - 1];
		}
		far[at] = mine;
		o->sources[at] = s;
	}
}

static bool reads_input(const struct tn_stream_view *v, uint32_t first, uint32_t n)
{
	for (uint32_t i = 0; i < n && v->input != TN_NONE; i++) {
		const struct tn_op *op = &v->g->ops[v->order->at[first + i].i];

		for (uint32_t k = 0; k < op->n_inputs; k++)
			if (op->inputs[k].i == v->input)
				return true;
	}
	return false;
}

/* An image that the chain alone reads can come row by row. */
static bool add_caller(const struct tn_stream_view *v, struct tn_chain *c)
{
	const struct tn_tensor *t = &v->g->tensors[v->input];

	if (!is_plain(v, v->input) || reads_input(v, 0, c->first) ||
		!stays_inside(v, c, v->input) || t->shape.rank != 4 ||
		t->shape.dim[0] != 1)
		return false;
	c->ops[0] = (struct tn_chain_op){ .op = { TN_PLAN_CALLER },
		.rows = { .kind = ROWS_ELEMENTS,
			.n = t->shape.dim[1],
			.in_h = t->shape.dim[1] },
		.out = v->input,
		.out_row_bytes = t->bytes / t->shape.dim[1] };
	return true;
}

bool tn_chain_of(
	const struct tn_stream_view *v, uint32_t first, uint32_t n, struct tn_chain *out)
{
	out->first = first;
	out->fed = n <= v->order->n - first && reads_input(v, first, n);
	out->n = n + out->fed;
	if (out->n < 2 || out->n > TN_CHAIN_OPS_MAX || n > v->order->n - first ||
		(out->fed && !add_caller(v, out)))
		return false;
	for (uint32_t i = out->fed; i < out->n; i++) {
		struct tn_chain_op *o = &out->ops[i];
		tn_op_id id = v->order->at[first + i - out->fed];
		const struct tn_op *op = &v->g->ops[id.i];
		const bool last = i + 1 == out->n;
		const struct tn_tensor *result;

		*o = (struct tn_chain_op){ .op = id,
			.rows = (last ? v->totals : v->rows)[id.i] };
		if (o->rows.kind == ROWS_NONE)
			return false;
		o->out = op->outputs[0].i;
		if (!is_plain(v, o->out) || (!last && !stays_inside(v, out, o->out)))
			return false;
		result = &v->g->tensors[o->out];
		o->out_row_bytes = o->rows.kind == ROWS_TOTAL ? result->bytes
							      : result->bytes / o->rows.n;
		if (!add_sources(v, out, o, i))
			return false;
		sort_sources(out, o);
	}
	for (uint32_t i = 0; i < out->n; i++)
		for (uint32_t k = 0; k < out->ops[i].n_sources; k++)
			if (out->ops[i].sources[k].producer == TN_NONE &&
				is_written(v, out, out->ops[i].sources[k].tensor))
				return false;
	return true;
}

bool tn_chain_eats(
	const struct tn_stream_view *v, const struct tn_chain *c, uint32_t tensor)
{
	uint32_t root = v->aliases->of[tensor].root.i;
	const struct tn_span *span = &v->live->root[root];
	uint32_t out = c->ops[c->n - 1].out, own = v->aliases->of[out].root.i;

	return planned(v, root) && !v->aliases->parted[root] &&
	       span->reason == LIFE_READ && span->last < 2 * (int64_t)tn_chain_end(c) &&
	       own == out && !v->aliases->parted[own] &&
	       v->live->root[own].first > 2 * (int64_t)c->first;
}
