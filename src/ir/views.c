#include "ir/views.h"

#include "base/checked.h"

#define ON_THE_WAY (TN_NONE - 1) /* no tensor has so high a number, in 32 GB of them */

static bool is_view(const struct tn_graph *g, uint32_t i)
{
	return g->tensors[i].view_of.i < g->n_tensors;
}

/* Bits from the first of the tensor that it names, behind those of that one. */
static int64_t behind(const struct tn_tensor *t, int64_t bits)
{
	int64_t own;

	return tn_mul_i64(t->view_offset, tn_dtype_bits(t->dtype), &own) &&
			       tn_add_i64(bits, own, &own)
		       ? own
		       : 0;
}

bool tn_views_find(const struct tn_graph *g, struct tn_arena *arena, struct tn_views *out)
{
	uint32_t *chain = TN_NEW_ARRAY(arena, uint32_t, g->n_tensors);

	out->root = TN_NEW_ARRAY(arena, uint32_t, g->n_tensors);
	out->bits = TN_NEW_ARRAY(arena, int64_t, g->n_tensors);
	if (!chain || !out->root || !out->bits)
		return false;
	for (uint32_t i = 0; i < g->n_tensors; i++)
		out->root[i] = TN_NONE;
	for (uint32_t i = 0; i < g->n_tensors; i++) {
		uint32_t n = 0, at = i;

		for (; out->root[at] == TN_NONE && is_view(g, at);
			at = g->tensors[at].view_of.i) {
			out->root[at] = ON_THE_WAY;
			chain[n++] = at;
		}
		if (out->root[at] == TN_NONE || out->root[at] == ON_THE_WAY) {
			out->root[at] = at;
			out->bits[at] = 0;
		}
		while (n--) {
			const uint32_t t = chain[n], up = g->tensors[t].view_of.i;

			if (out->root[t] != ON_THE_WAY)
				continue; /* closed a cycle */
			out->root[t] = out->root[up];
			out->bits[t] = behind(&g->tensors[t], out->bits[up]);
		}
	}
	return true;
}

static bool is_named_anew(const struct tn_graph *g, const struct tn_op *op, uint32_t in,
	uint32_t out, bool same_place)
{
	if (op->kind == OP_UNKNOWN)
		return tn_op_int(op, "view", 0) != 0;
	return tn_op_info(op->kind)->access == ACCESS_VIEW && !tn_op_has_own_kernel(op) &&
	       same_place && g->tensors[in].bytes == g->tensors[out].bytes;
}

bool tn_views_name_anew(const struct tn_graph *g, const struct tn_views *views,
	const struct tn_op *op, uint32_t out)
{
	const uint32_t in = op->n_inputs ? op->inputs[0].i : TN_NONE;

	return g->tensors[out].view_of.i != TN_NONE && in < g->n_tensors &&
	       views->root[in] == views->root[out] &&
	       is_named_anew(g, op, in, out, views->bits[in] == views->bits[out]);
}

/* The tensor in whose storage it lies, and the bits from there to its first element. */
static uint32_t storage_of(const struct tn_graph *g, uint32_t i, int64_t *out_bits)
{
	*out_bits = 0;
	for (uint32_t hops = 0; i < g->n_tensors && is_view(g, i) && hops < g->n_tensors;
		hops++) {
		*out_bits = behind(&g->tensors[i], *out_bits);
		i = g->tensors[i].view_of.i;
	}
	return i;
}

bool tn_op_names_anew(const struct tn_graph *g, const struct tn_op *op, uint32_t out)
{
	const struct tn_tensor *t = &g->tensors[out];
	const uint32_t in = op->n_inputs ? op->inputs[0].i : TN_NONE;
	int64_t from, to;

	if (t->view_of.i == TN_NONE || in >= g->n_tensors)
		return false;
	if (t->view_of.i == in && in != out) /* most are: no way to go */
		return is_named_anew(g, op, in, out, t->view_offset == 0);
	return storage_of(g, in, &from) == storage_of(g, out, &to) &&
	       is_named_anew(g, op, in, out, from == to);
}

bool *tn_graph_updated_inputs(const struct tn_graph *g, struct tn_arena *arena)
{
	bool *out = TN_NEW_ARRAY(arena, bool, g->n_tensors);
	bool *input = tn_graph_input_flags(g, arena);
	struct tn_views views;

	if (!out || !input || !tn_views_find(g, arena, &views))
		return NULL;
	for (uint32_t i = 0; i < g->n_ops; i++)
		for (uint32_t k = 0; k < g->ops[i].n_outputs; k++) {
			const uint32_t t = g->ops[i].outputs[k].i;

			if (t < g->n_tensors &&
				!tn_views_name_anew(g, &views, &g->ops[i], t) &&
				(g->tensors[views.root[t]].role == ROLE_INPUT ||
					input[views.root[t]]))
				out[t] = true;
		}
	return out;
}
