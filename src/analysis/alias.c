#include "analysis/alias.h"

#include <inttypes.h>

#include "analysis/elide.h"
#include "base/checked.h"
#include "ir/views.h"

bool tn_tensor_is_planned(const struct tn_tensor *t)
{
	return !tn_tensor_is_constant(t) && t->bytes >= 0;
}

/* The bytes from the first to behind the last element of a view, seen from element 0. No
 * overflow: tn_validate has seen to it that they lie inside the root. */
static void extent_of(const struct tn_tensor *t, int64_t *begin, int64_t *end)
{
	int64_t low = 0, high = 0, bits = tn_dtype_bits(t->dtype);

	*begin = 0;
	*end = t->bytes;
	if (!t->has_strides || t->elements <= 0)
		return;
	for (uint32_t d = 0; d < t->shape.rank; d++) {
		int64_t *edge = t->stride[d] < 0 ? &low : &high, far = 0;

		(void)tn_mul_i64(t->shape.dim[d] - 1, t->stride[d], &far);
		(void)tn_add_i64(*edge, far, edge);
	}
	*begin = low * bits / 8;
	*end = ((high + 1) * bits + 7) / 8;
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

/* Views of the file: a view's root is its own storage. tn_validate has checked that the
 * chain has no cycle, stays inside and starts at whole bytes. */
static enum tn_status view_of_file(const struct tn_graph *g, const struct tn_views *views,
	uint32_t i, struct tn_alias *out)
{
	const struct tn_tensor *t = &g->tensors[i];
	const int64_t start = views->bits[i] / 8;
	int64_t begin, end;

	extent_of(t, &begin, &end);
	*out = (struct tn_alias){
		.root = { views->root[i] }, .start = start, .dense = is_dense(t)
	};
	return tn_add_i64(start, begin, &out->offset) &&
			       tn_sub_i64(end, begin, &out->extent)
		       ? TN_OK
		       : TN_ERR_INPUT;
}

enum tn_status tn_aliases_choose(const struct tn_graph *g,
	const struct tn_alias_options *options, struct tn_arena *arena,
	struct tn_aliases *out)
{
	static const struct tn_alias_options plain = { .align = 16 };
	struct tn_aliases al = { .n_tensors = g->n_tensors, .n_ops = g->n_ops };
	enum tn_status status = TN_OK;
	struct tn_views views;

	al.of = TN_NEW_ARRAY(arena, struct tn_alias, g->n_tensors);
	al.elided = TN_NEW_ARRAY(arena, bool, g->n_ops);
	al.parted = TN_NEW_ARRAY(arena, bool, g->n_tensors);
	al.tied = TN_NEW_ARRAY(arena, bool, g->n_tensors);
	al.may_elide = TN_NEW_ARRAY(arena, bool, g->n_ops);
	if (!al.of || !al.elided || !al.parted || !al.tied || !al.may_elide ||
		!tn_views_find(g, arena, &views))
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < g->n_tensors && status == TN_OK; i++)
		status = view_of_file(g, &views, i, &al.of[i]);
	if (status == TN_OK)
		status = tn_elide(g, options ? options : &plain, arena, &al);
	*out = al;
	return status;
}

enum tn_status tn_aliases_find(
	const struct tn_graph *g, struct tn_arena *arena, struct tn_aliases *out)
{
	return tn_aliases_choose(g, NULL, arena, out);
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
