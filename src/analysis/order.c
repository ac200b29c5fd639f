#include "analysis/order.h"

static enum tn_status allocate(
	const struct tn_graph *g, struct tn_arena *arena, struct tn_order *out)
{
	*out = (struct tn_order){ .at = TN_NEW_ARRAY(arena, tn_op_id, g->n_ops),
		.position = TN_NEW_ARRAY(arena, uint32_t, g->n_ops),
		.n = g->n_ops };
	return out->at && out->position ? TN_OK : TN_ERR_NOMEM;
}

static void put(struct tn_order *order, uint32_t position, tn_op_id op)
{
	order->at[position] = op;
	order->position[op.i] = position;
}

enum tn_status tn_order_given(
	const struct tn_graph *g, struct tn_arena *arena, struct tn_order *out)
{
	enum tn_status status = allocate(g, arena, out);

	for (uint32_t i = 0; status == TN_OK && i < g->n_ops; i++)
		put(out, i, g->schedule[i]);
	return status;
}

enum tn_status tn_order_from(const struct tn_graph *g, const uint32_t *list,
	struct tn_arena *arena, struct tn_order *out)
{
	enum tn_status status = allocate(g, arena, out);

	for (uint32_t i = 0; status == TN_OK && i < g->n_ops; i++)
		put(out, i, (tn_op_id){ list[i] });
	return status;
}

void tn_order_print(
	const struct tn_graph *g, const struct tn_order *order, struct tn_strbuf *out)
{
	tn_strbuf_puts(out, "order:\n");
	for (uint32_t i = 0; i < order->n; i++)
		tn_strbuf_printf(out, "  %u: op%u '%s'\n", i, order->at[i].i,
			g->ops[order->at[i].i].name);
}
