#include "analysis/alias.h"

#include <inttypes.h>

#include "contract/contract.h"

bool tn_tensor_is_planned(const struct tn_tensor *t)
{
	return !tn_tensor_is_constant(t) && t->bytes >= 0;
}

/* Bytes from the first to behind the last element of a view. */
static int64_t extent_of(const struct tn_tensor *t)
{
	int64_t width = tn_dtype_bits(t->dtype) / 8, last = 0;

	if (!t->has_strides || !t->elements)
		return t->bytes;
	for (uint32_t d = 0; d < t->shape.rank; d++)
		last += (t->shape.dim[d] - 1) * t->stride[d];
	return (last + 1) * width;
}

static bool is_dense(const struct tn_tensor *t)
{
	int64_t dense[TN_RANK_MAX];

	if (!t->has_strides)
		return true;
	tn_shape_strides(&t->shape, dense);
	for (uint32_t d = 0; d < t->shape.rank; d++)
		if (t->shape.dim[d] > 1 && t->stride[d] != dense[d])
			return false;
	return true;
}

/* Views of the file first: a view's root is its own storage. tn_validate has checked that
 * the chain has no cycle and stays inside. Strides are relative to view_of's root. */
static struct tn_alias view_of_file(const struct tn_graph *g, uint32_t i)
{
	const struct tn_tensor *t = &g->tensors[i];
	struct tn_alias a = { { i }, 0, extent_of(t), is_dense(t) };

	for (uint32_t hops = 0; t->view_of.i != TN_NONE && hops < g->n_tensors; hops++) {
		a.offset += t->view_offset * (tn_dtype_bits(t->dtype) / 8);
		a.root = t->view_of;
		t = &g->tensors[t->view_of.i];
	}
	return a;
}

/* A root may since have become part of another one: a view of the file names the output of
 * an op that need not run. */
static struct tn_alias *settled(struct tn_aliases *al, uint32_t i)
{
	struct tn_alias *a = &al->of[i];

	while (al->of[a->root.i].root.i != a->root.i) {
		const struct tn_alias *up = &al->of[a->root.i];

		a->offset += up->offset;
		a->root = up->root;
	}
	return a;
}

/* May the output of this view op be the input's bytes? Not when a copy is what the
 * caller can tell apart: outputs beside preserved inputs, other outputs or state. */
static bool may_elide(
	const struct tn_graph *g, const struct tn_op *op, const struct tn_aliases *al)
{
	tn_tensor_id in = op->inputs[0], out = op->outputs[0];
	const struct tn_tensor *t_in = &g->tensors[in.i], *t_out = &g->tensors[out.i];
	const struct tn_tensor *root = &g->tensors[al->of[in.i].root.i];
	bool out_seen = tn_graph_is_output(g, out) || t_out->observed;

	if (!tn_tensor_is_planned(t_in) || !tn_tensor_is_planned(t_out))
		return false;
	if (t_out->view_of.i != TN_NONE || t_out->role == ROLE_VARIABLE || t_out->mutated)
		return false;
	if (!al->of[in.i].dense || root->role == ROLE_VARIABLE || root->mutated ||
		t_in->mutated)
		return false;
	if (out_seen) {
		bool input = root->role == ROLE_INPUT && !root->clobber;

		if (input || tn_graph_is_output(g, in) ||
			tn_graph_is_output(g, al->of[in.i].root))
			return false;
	}
	return true;
}

enum tn_status tn_aliases_find(
	const struct tn_graph *g, struct tn_arena *arena, struct tn_aliases *out)
{
	struct tn_aliases al = { .n_tensors = g->n_tensors, .n_ops = g->n_ops };
	struct tn_variant variants[TN_VARIANTS_MAX];

	al.of = TN_NEW_ARRAY(arena, struct tn_alias, g->n_tensors);
	al.elided = TN_NEW_ARRAY(arena, bool, g->n_ops);
	if (!al.of || !al.elided)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < g->n_tensors; i++)
		al.of[i] = view_of_file(g, i);
	for (uint32_t i = 0; i < g->n_ops; i++) {
		tn_op_id id = g->schedule[i];
		const struct tn_op *op = &g->ops[id.i];

		const struct tn_alias *in;

		if (tn_op_info(op->kind)->access != ACCESS_VIEW ||
			!tn_contract_variants(g, id, variants))
			continue;
		/* in schedule order, so that chains of views resolve to one root */
		in = settled(&al, op->inputs[0].i);
		if (!may_elide(g, op, &al))
			continue;
		al.elided[id.i] = true;
		al.of[op->outputs[0].i].root = in->root;
		al.of[op->outputs[0].i].offset = in->offset;
	}
	for (uint32_t i = 0; i < g->n_tensors; i++)
		(void)settled(&al, i);
	*out = al;
	return TN_OK;
}

void tn_aliases_print(
	const struct tn_graph *g, const struct tn_aliases *aliases, struct tn_strbuf *out)
{
	tn_strbuf_puts(out, "aliases:\n");
	for (uint32_t i = 0; i < g->n_tensors; i++) {
		const struct tn_alias *a = &aliases->of[i];

		if (a->root.i != i)
			tn_strbuf_printf(out,
				"  t%u '%s' is t%u [%" PRId64 ", %" PRId64 ")%s\n", i,
				g->tensors[i].name, a->root.i, a->offset,
				a->offset + a->extent, a->dense ? "" : " strided");
	}
	for (uint32_t i = 0; i < g->n_ops; i++)
		if (aliases->elided[i])
			tn_strbuf_printf(
				out, "  op%u '%s' need not run\n", i, g->ops[i].name);
}
