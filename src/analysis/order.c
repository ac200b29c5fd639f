#include "analysis/order.h"

enum tn_status tn_order_given(
	const struct tn_graph *g, struct tn_arena *arena, struct tn_order *out)
{
	struct tn_order order = { .n = g->n_ops };

	order.at = TN_NEW_ARRAY(arena, tn_op_id, g->n_ops);
	order.position = TN_NEW_ARRAY(arena, uint32_t, g->n_ops);
	if (!order.at || !order.position)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < g->n_ops; i++) {
		order.at[i] = g->schedule[i];
		order.position[g->schedule[i].i] = i;
	}
	*out = order;
	return TN_OK;
}

void tn_order_print(
	const struct tn_graph *g, const struct tn_order *order, struct tn_strbuf *out)
{
	tn_strbuf_puts(out, "order:\n");
	for (uint32_t i = 0; i < order->n; i++)
		tn_strbuf_printf(out, "  %u: op%u '%s'\n", i, order->at[i].i,
			g->ops[order->at[i].i].name);
}
