/* The schedule problem, as a value: which order of the ops needs the least memory at its
 * worst moment. No graph, no tensor: ops are numbers with predecessors, buffers are bytes
 * that ops touch.
 *
 * A buffer is alive from the first op that touches it (or from the start) until behind the
 * last one (or to the end). While an op runs, the buffers alive before it, those born by it
 * and those that die behind it are there together: the step costs the sum of their sizes,
 * less the padding of one of them (the topmost needs none), less what its pairs save. This
 * is the quantity that tn_bound takes the maximum of, so the least peak of all orders is
 * the least bound of all orders.
 *
 * Pairs. An input of the op and an output, each of one or several buffers; when all of the
 * input dies at the op and all of the output is born by it, variant v of the op's kernel lets
 * them share share[v] bytes. */
#ifndef TN_PLAN_SCHEDULE_H
#define TN_PLAN_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"
#include "plan/problem.h"

struct tn_schedule_buffer {
	int64_t size; /* bytes, rounded up to the alignment */
	int64_t pad; /* of these, the bytes behind the value */
	bool from_start; /* alive before the first op; at the first op if none touches it */
	bool to_end; /* alive behind the last op */
};

struct tn_schedule_pair {
	uint32_t a, b; /* input, output: numbers of the op's own, from 0 each */
	uint32_t first_a, first_b,
		end; /* in members: a's buffers, then b's up to the end */
	int64_t size_a, size_b; /* bytes that each can share at most */
	int64_t share[TN_GROUP_VARIANTS_MAX]; /* bytes, by variant of the op */
	int64_t reach_a[TN_GROUP_VARIANTS_MAX]; /* of a, from one of its ends: b gets no
	                                           further; that end is the same for all
	                                           pairs of the op */
	int64_t reach_b[TN_GROUP_VARIANTS_MAX]; /* the same of b for a */
};

struct tn_schedule_op {
	uint32_t first_pred, first_touch, first_pair; /* up to the next op's */
	uint32_t n_variants;
	bool idle; /* nothing runs: it costs what is alive before it, or behind it */
};

struct tn_schedule_problem {
	uint32_t n_ops, n_buffers;
	struct tn_schedule_op *ops; /* n_ops + 1 of them, the last one ends the lists */
	uint32_t *preds; /* ops that must run before; repetitions do no harm */
	uint32_t *touches; /* buffers, each once for an op */
	struct tn_schedule_pair *pairs; /* each couple once for an op */
	uint32_t *members; /* buffers of the pairs' ends, pair by pair */
	struct tn_schedule_buffer *buffers;
	uint32_t *given; /* an order that respects the predecessors */
	bool estimated; /* a plan may need less than an order costs: nothing is proved */
};

struct tn_schedule {
	uint32_t *order;
	int64_t peak; /* of the order */
	int64_t given_peak; /* of the given order, never less */
	int64_t bound; /* proved: no order has a smaller peak */
	bool optimal; /* peak == bound */
	int64_t nodes; /* effort spent: about so many steps were weighed */
};

/* Looks for an order with a smaller peak; the given order stays when there is none. Exact
 * where `nodes` (<= 0: the default) and memory linear in the problem suffice, best effort
 * beyond. The same problem and limit give the same order on every machine. Sizes whose sum
 * overflows: TN_ERR_INPUT. */
enum tn_status TN_MUST_CHECK tn_schedule_search(const struct tn_schedule_problem *p,
	int64_t nodes, struct tn_arena *arena, struct tn_schedule *out);

/* The peak of one order that respects the predecessors. */
enum tn_status TN_MUST_CHECK tn_schedule_peak(const struct tn_schedule_problem *p,
	const uint32_t *order, struct tn_arena *scratch, int64_t *out_peak);

#endif
