/* A memory plan: offsets by tensor, variants by op. Plain data that planner, verifier,
 * executor, emitter and reports share; it knows no graph, only indices into one. */
#ifndef TN_PLAN_PLAN_H
#define TN_PLAN_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"

#define TN_REGION_NONE                                                                   \
	UINT32_MAX /* not in planned memory: a constant, an unused tensor */

struct tn_plan_tensor {
	uint32_t region; /* index in regions, or TN_REGION_NONE */
	int64_t offset; /* bytes from the region's start */
	int64_t bytes; /* of the value */
	int64_t ring_bytes; /* 0: the whole value lies there; else byte b lies at
	                       offset + b % ring_bytes, which is a number of whole rows */
	int64_t first; /* half-step of its first write: op at position k writes in 2k+1;
	                    graph inputs and variables: 0 */
	int64_t last; /* half-step of its last read: op at position k reads in 2k;
	                    outputs and variables: 2 * number of ops */
};

struct tn_plan_op {
	uint8_t descending; /* the kernel variant that runs; see contract/contract.h */
	uint8_t hold;
	bool elided; /* nothing runs: the output's bytes are already in place */
	uint32_t scratch_region;
	int64_t scratch_offset;
	int64_t scratch_bytes; /* 0: no scratch */
};

struct tn_plan_region {
	const char *name;
	int64_t capacity; /* bytes; -1: no limit given */
	int64_t used; /* bytes: end of the highest tensor or scratch in it */
	int64_t align; /* of each offset in it */
	int64_t cost; /* per byte accessed */
	int64_t reserved; /* of the capacity, for other users of the memory, at its end */
	bool has_base;
	int64_t base; /* address of its first byte, when has_base */
	bool owned; /* by the caller: nothing but pinned tensors may be in it */
};

/* The user wants this tensor there. */
struct tn_plan_pin {
	uint32_t tensor, region;
	int64_t offset; /* in the region; -1: anywhere in it */
};

/* An op that was put into the graph, behind its last, before it was planned: it copies the
 * tensor to a new one, behind the last, before two ops run, and one of them reads that. */
struct tn_plan_copy {
	uint32_t tensor;
	uint32_t before; /* op that overwrites the tensor */
	uint32_t reader; /* op that reads the copy instead */
};

#define TN_PLAN_CALLER UINT32_MAX /* an event's op: the caller writes rows */

/* Rows [y, y + rows) of an op, in the first pass through its loop; `step` further on in
 * each next one. Rows of its output; of its input for an op that adds up all of them
 * (contract/row_op.h, ROWS_TOTAL); of the chain's input for TN_PLAN_CALLER. */
struct tn_plan_event {
	uint32_t op;
	int64_t y, rows, step;
};

/* Events that are repeated, one after the other. */
struct tn_plan_loop {
	struct tn_plan_event *events;
	uint32_t n_events;
	int64_t times; /* > 0 */
};

/* A chain: the ops at `n` positions of the order from `first` on, which do not run one
 * after the other but in parts, as the loops say. All that they touch lives for the whole
 * chain; a tensor between them may be a ring of rows. */
struct tn_plan_stream {
	uint32_t first, n;
	bool descending; /* rows from the last to the first */
	bool fed; /* the caller gives the rows of a graph input as the chain needs them */
	uint32_t input; /* tensor, when fed; it may be a ring */
	struct tn_plan_loop *loops;
	uint32_t n_loops;
};

struct tn_plan_digests {
	uint64_t graph, constants, kernels, contracts;
};

/* What two live values may do. */
enum tn_overlap_mode {
	OVERLAP_NONE, /* two live values never share a byte */
	OVERLAP_INPLACE, /* an output may lie exactly on an input */
	OVERLAP_FULL, /* any displacement that the contracts prove */
};

/* "none", "inplace", "full": by mode. */
extern const char *const tn_overlap_names[3];

/* Was the order of the ops searched for, and what is known of all orders? */
struct tn_plan_schedule {
	bool searched; /* else it is the graph's, and nobody looked */
	bool optimal; /* activation_bytes == bound_bytes: no order needs less */
	int64_t bound_bytes; /* lower bound of activation_bytes in any order */
	int64_t given_bytes; /* activation_bytes of our plan for the graph's order; -1: it
	                        did not fit */
};

/* Figures that a file gives and that nobody has computed again: they may be wrong. */
struct tn_plan_said {
	bool bound, disjoint; /* bound_bytes and optimal; disjoint_bound_bytes */
	bool others; /* what is known of other orders and other places: schedule,
	                access_cost_bound */
};

struct tn_plan {
	struct tn_plan_tensor *tensors; /* by tensor id */
	uint32_t n_tensors;
	struct tn_plan_op *ops; /* by op id */
	uint32_t n_ops;
	uint32_t *order; /* op ids in the order in which they run; n_ops of them */
	struct tn_plan_region *regions;
	uint32_t n_regions;
	struct tn_plan_pin *pins;
	uint32_t n_pins;
	struct tn_plan_copy *copies; /* one after the other */
	uint32_t n_copies;
	struct tn_plan_stream *streams; /* by position; none touches another */
	uint32_t n_streams;

	int64_t arena_bytes; /* all that the caller must provide, over all regions */
	int64_t activation_bytes; /* peak of the tensors, and of what ops in a chain keep from
	                             one row to the next */
	int64_t scratch_bytes; /* largest scratch of an op */
	int64_t bound_bytes; /* lower bound of activation_bytes, with these chains */
	bool optimal; /* activation_bytes == bound_bytes */
	int64_t no_reuse_bytes; /* every tensor in memory of its own, with what is written
	                           behind it, aligned as its region */
	int64_t disjoint_bound_bytes; /* largest sum of live tensors, no overlap at all */
	int64_t access_cost; /* sum over tensors of bytes read and written by the ops,
	                              times the cost per byte of their region */
	int64_t access_cost_bound; /* lower bound of it */
	enum tn_overlap_mode
		overlap; /* allowed when it was made: its bound is of such plans */
	int64_t align; /* bytes, that it was made with; 0: not known */
	struct tn_plan_schedule schedule;
	struct tn_plan_digests digests;
	struct tn_plan_said said;
};

/* A plan with nothing in it: no tensor placed, the ops in the order of their ids, regions
 * called "arena" without limit, aligned to 16. */
enum tn_status TN_MUST_CHECK tn_plan_init(struct tn_plan *plan, struct tn_arena *arena,
	uint32_t n_tensors, uint32_t n_ops, uint32_t n_regions);

/* no_reuse_bytes, of what is placed, with the bytes that are written behind each tensor;
 * INT64_MAX when there are more. */
int64_t tn_plan_no_reuse(const struct tn_plan *plan, const int64_t *tails);

/* Bytes of memory that the tensor takes: those of its ring, else of its value. */
static inline int64_t tn_plan_tensor_room(const struct tn_plan_tensor *t)
{
	return t->ring_bytes ? t->ring_bytes : t->bytes;
}

/* Does the caller give the rows of this tensor to a chain? */
bool tn_plan_is_fed(const struct tn_plan *plan, uint32_t tensor);

/* The stream that the op at a position of the order belongs to; NULL: none. */
const struct tn_plan_stream *tn_plan_stream_at(
	const struct tn_plan *plan, uint32_t position);

#endif
