/* Who must wait for whom: read after write, write after read, write after write, between
 * all members of an alias class, in the given order. */
#ifndef TN_ANALYSIS_HAZARDS_H
#define TN_ANALYSIS_HAZARDS_H

#include "analysis/alias.h"
#include "analysis/order.h"

enum tn_hazard_kind { HAZARD_RAW, HAZARD_WAR, HAZARD_WAW };

struct tn_hazard {
	enum tn_hazard_kind kind;
	tn_op_id from, to; /* `to` must come after `from` */
	tn_tensor_id root; /* the storage that both touch */
	int64_t begin, end; /* bytes of the root that both touch */
};

struct tn_hazards {
	struct tn_hazard *list;
	size_t n;
};

/* Edges of each access to the nearest earlier ones; the rest follows by transitivity. */
enum tn_status TN_MUST_CHECK tn_hazards_find(const struct tn_graph *g,
	const struct tn_order *order, const struct tn_aliases *aliases,
	struct tn_arena *arena, struct tn_hazards *out);

void tn_hazards_print(const struct tn_graph *g, const struct tn_hazards *hazards,
	struct tn_strbuf *out);

#endif
