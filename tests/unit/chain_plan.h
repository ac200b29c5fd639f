/* Plans with chains: in which the ops that the test says run as one, or the best. */
#ifndef TN_TESTS_CHAIN_PLAN_H
#define TN_TESTS_CHAIN_PLAN_H

#include "lower/lower.h"
#include "net.h"
#include "stream/choose.h"

struct chain_tables {
	struct tn_order order;
	struct tn_aliases aliases;
	struct tn_liveness live;
	struct tn_inplace inplace;
	struct tn_stream_view view;
};

enum chain_way { CHAIN_ANY, CHAIN_ASCENDING, CHAIN_DESCENDING };

/* Every failure ends the test. With `fed`, the first input comes row by row. */
void chain_analyse(struct net *n, bool fed, struct chain_tables *t);

/* The ops at pick's positions must form a chain that can run this way. Offsets are aligned
 * for the elements of tensor 0, no more. */
void chain_plan(struct net *n, const struct chain_tables *t, struct tn_stream_pick pick,
	enum chain_way way, struct tn_plan *out);

/* The plan that `tenure plan --stream auto` makes; with `input`, --stream-input. */
void chain_best(struct net *n, int64_t align, bool input, struct tn_plan *out);

/* The stream with one loop that runs once, in which events can be changed; there is room for
 * two more. */
struct tn_plan_stream chain_unrolled(
	struct tn_arena *arena, const struct tn_plan_stream *s);

#endif
