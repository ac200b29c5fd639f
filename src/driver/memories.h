/* --region, --reserve, --owned and --pin, read against a graph. */
#ifndef TN_DRIVER_MEMORIES_H
#define TN_DRIVER_MEMORIES_H

#include "base/intern.h"
#include "ir/graph.h"
#include "lower/place.h"
#include "tenure/tenure.h"

/* No regions (n_regions 0) when none is asked for. TN_ERR_INPUT, all reported, when
 * something is wrong. Names are interned. */
enum tn_status TN_MUST_CHECK tn_memories_read(const tenure_options *options,
	const struct tn_graph *g, struct tn_arena *arena, struct tn_strings *strings,
	struct tn_diags *diags, struct tn_memories *out);

/* Is the value of a --reserve a mere size, that of --ram's or a board's memory? */
bool tn_reserve_plain(const char *text, int64_t *out);

#endif
