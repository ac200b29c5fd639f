/* The order in which ops run. */
#ifndef TN_ANALYSIS_ORDER_H
#define TN_ANALYSIS_ORDER_H

#include "base/arena.h"
#include "base/status.h"
#include "base/strbuf.h"
#include "ir/graph.h"

struct tn_order {
	tn_op_id *at; /* by position: the op that runs there */
	uint32_t *position; /* by op: where it runs */
	uint32_t n;
};

/* The order that the graph gives (a permutation: tn_validate has seen to it). */
enum tn_status TN_MUST_CHECK tn_order_given(
	const struct tn_graph *g, struct tn_arena *arena, struct tn_order *out);

/* The order in this list of op ids, a permutation. */
enum tn_status TN_MUST_CHECK tn_order_from(const struct tn_graph *g, const uint32_t *list,
	struct tn_arena *arena, struct tn_order *out);

void tn_order_print(
	const struct tn_graph *g, const struct tn_order *order, struct tn_strbuf *out);

#endif
