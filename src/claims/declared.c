#include "claims/declared.h"

#include <string.h>

#include "ir/window.h"

#include "base/banned.h"

static bool names(const struct tn_declaration *d, const struct tn_op *op)
{
	return strcmp(d->op, op->type) == 0 ||
	       (op->kind != OP_UNKNOWN && strcmp(d->op, tn_op_info(op->kind)->name) == 0);
}

static bool has_type(
	const struct tn_declaration *d, const struct tn_graph *g, const struct tn_op *op)
{
	tn_tensor_id first = { TN_NONE };

	if (!d->dtypes)
		return true;
	if (op->n_inputs)
		first = op->inputs[0];
	return first.i < g->n_tensors && (d->dtypes >> g->tensors[first.i].dtype & 1);
}

static bool has_window(
	const struct tn_declaration *d, const struct tn_graph *g, const struct tn_op *op)
{
	struct tn_window w;
	const char *why;

	if (d->window == WINDOW_ANY)
		return true;
	if (!tn_window_of(g, op, &w, &why))
		return false;
	return d->window == (w.k_h > 1		? WINDOW_KXK
				    : w.k_w > 1 ? WINDOW_1XN
						: WINDOW_1X1);
}

const struct tn_declaration *tn_declared_find(
	const struct tn_declared *declared, const struct tn_graph *g, uint32_t op)
{
	for (size_t i = declared ? declared->n : 0; i > 0; i--)
		if (names(&declared->items[i - 1], &g->ops[op]) &&
			has_type(&declared->items[i - 1], g, &g->ops[op]) &&
			has_window(&declared->items[i - 1], g, &g->ops[op]))
			return &declared->items[i - 1];
	return NULL;
}
