#include "analysis/liveness.h"

#include <inttypes.h>

#include "base/checked.h"
#include "ir/views.h"

static void written(struct tn_span *s, int64_t step, tn_op_id op)
{
	if (s->producer.i == TN_NONE && step < s->first) {
		s->first = step;
		s->producer = op;
	}
	s->last = tn_max_i64(s->last, step);
}

static void read(struct tn_span *s, int64_t step, tn_op_id op)
{
	s->last = tn_max_i64(s->last, step);
	s->last_reader = op;
	s->reason = LIFE_READ;
}

/* Working memory is the op's from before its reads until after its writes. */
static void worked_in(struct tn_span *s, int64_t step, tn_op_id op)
{
	s->first = s->first < step ? s->first : step;
	read(s, step, op);
	s->last = tn_max_i64(s->last, step + 1);
}

/* By tensor: what the caller gives and gets. */
struct ends {
	const bool *input, *output, *updated;
};

static void pin_ends(const struct tn_graph *g, uint32_t i, const struct ends *ends,
	int64_t end, struct tn_span *s)
{
	const struct tn_tensor *t = &g->tensors[i];

	if (t->role == ROLE_VARIABLE || ends->input[i] || t->role == ROLE_INPUT) {
		s->first = 0;
		s->last = tn_max_i64(s->last, 0);
	}
	if (ends->output[i]) {
		s->last = end;
		s->reason = LIFE_OUTPUT;
	}
	if (t->observed) {
		s->last = end;
		s->reason = LIFE_OBSERVED;
	}
	if (ends->updated[i]) {
		s->last = end;
		s->reason = LIFE_OUTPUT;
	}
	if (t->role == ROLE_INPUT && !t->clobber) {
		s->last = end;
		s->reason = LIFE_PRESERVED;
	}
	if (t->role == ROLE_VARIABLE) {
		s->last = end;
		s->reason = LIFE_STATE;
	}
}

/* The class lives from its first write to its last read. */
static void merge(struct tn_span *root, const struct tn_span *member)
{
	if (member->first > member->last)
		return;
	if (root->first > root->last) {
		*root = *member;
		return;
	}
	if (member->first < root->first) {
		root->first = member->first;
		root->producer = member->producer;
	}
	if (member->last > root->last) {
		root->last = member->last;
		root->last_reader = member->last_reader;
		root->reason = member->reason;
	}
}

/* A view that only the writer of its storage fills is born with that, wherever the storage
 * itself has been put; what nobody writes holds undefined bytes from the start. */
static int64_t first_bytes(const struct tn_liveness *live, uint32_t root)
{
	return live->tensor[root].first == INT64_MAX ? 0 : live->tensor[root].first;
}

enum tn_status tn_liveness_find(const struct tn_graph *g, const struct tn_order *order,
	const struct tn_aliases *aliases, struct tn_arena *arena, struct tn_liveness *out)
{
	struct tn_liveness live = { .n_tensors = g->n_tensors,
		.end = 2 * (int64_t)order->n };
	const struct ends ends = { tn_graph_input_flags(g, arena),
		tn_graph_output_flags(g, arena), tn_graph_updated_inputs(g, arena) };
	struct tn_views views;
	const struct tn_span none = { INT64_MAX, -1, { TN_NONE }, { TN_NONE },
		LIFE_UNUSED };

	live.tensor = TN_NEW_ARRAY(arena, struct tn_span, g->n_tensors);
	live.root = TN_NEW_ARRAY(arena, struct tn_span, g->n_tensors);
	if (!live.tensor || !live.root || !ends.input || !ends.output || !ends.updated ||
		!tn_views_find(g, arena, &views))
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < g->n_tensors; i++)
		live.tensor[i] = live.root[i] = none;
	for (uint32_t p = 0; p < order->n; p++) {
		const struct tn_op *op = &g->ops[order->at[p].i];
		int64_t step = 2 * (int64_t)p;

		for (uint32_t k = 0; k < op->n_inputs; k++)
			if (op->inputs[k].i == TN_NONE)
				continue;
			else if (g->tensors[op->inputs[k].i].role == ROLE_SCRATCH)
				worked_in(&live.tensor[op->inputs[k].i], step,
					order->at[p]);
			else
				read(&live.tensor[op->inputs[k].i], step, order->at[p]);
		for (size_t i = 0; i < tn_op_n_scratch(op); i++)
			if (tn_op_scratch(g, op, i).i != TN_NONE)
				worked_in(&live.tensor[tn_op_scratch(g, op, i).i], step,
					order->at[p]);
		for (uint32_t k = 0; k < op->n_outputs; k++)
			if (op->outputs[k].i != TN_NONE)
				written(&live.tensor[op->outputs[k].i], step + 1,
					order->at[p]);
	}
	for (uint32_t i = 0; i < g->n_tensors; i++) {
		if (!tn_tensor_is_planned(&g->tensors[i])) {
			live.tensor[i] = none;
			continue;
		}
		pin_ends(g, i, &ends, live.end, &live.tensor[i]);
		if (live.tensor[i].first == INT64_MAX && live.tensor[i].last >= 0)
			live.tensor[i].first = first_bytes(&live, views.root[i]);
		merge(&live.root[aliases->of[i].root.i], &live.tensor[i]);
	}
	*out = live;
	return TN_OK;
}

int64_t tn_span_end(const struct tn_span *span)
{
	return span->last % 2 == 0 ? span->last + 2 : span->last + 1;
}

static const char *const reasons[] = {
	[LIFE_UNUSED] = "never read",
	[LIFE_READ] = "read",
	[LIFE_OUTPUT] = "output",
	[LIFE_OBSERVED] = "observed",
	[LIFE_PRESERVED] = "preserved input",
	[LIFE_STATE] = "state",
};

void tn_liveness_print(
	const struct tn_graph *g, const struct tn_liveness *live, struct tn_strbuf *out)
{
	tn_strbuf_printf(out, "liveness, half-steps 0 to %" PRId64 ":\n", live->end);
	for (uint32_t i = 0; i < g->n_tensors; i++) {
		const struct tn_span *s = &live->tensor[i];

		if (s->first <= s->last)
			tn_strbuf_printf(out,
				"  t%u '%s' [%" PRId64 ", %" PRId64 "] %s\n", i,
				g->tensors[i].name, s->first, s->last,
				reasons[s->reason]);
	}
}
