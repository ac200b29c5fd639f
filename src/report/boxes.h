/* The plan as rectangles: which bytes are taken from when to when, by whom. What every
 * picture and every listing of a plan is drawn from.
 *
 * A box is one buffer: a root with all of its views, or the scratch of an op. It is taken
 * in half-steps [begin, end). A value that op k reads last is still there while op k
 * writes, so begin and end of an input that dies at k and of k's output overlap in
 * half-step 2k + 1; where they share bytes then, the plan relies on a proof. */
#ifndef TN_REPORT_BOXES_H
#define TN_REPORT_BOXES_H

#include "base/status.h"
#include "report/view.h"

enum tn_box_kind { BOX_ACTIVATION, BOX_INPUT, BOX_OUTPUT, BOX_VARIABLE, BOX_SCRATCH };

struct tn_box {
	enum tn_box_kind kind;
	tn_tensor_id tensor; /* the root; TN_NONE: scratch */
	tn_op_id op; /* producer or owner of the scratch; TN_NONE: before the run */
	uint32_t region;
	int64_t begin, end; /* half-steps, half-open */
	int64_t last; /* half-step of the last read, or write when nobody reads */
	int64_t offset; /* bytes in the region */
	int64_t bytes; /* of memory, > 0 */
	int64_t ring_of; /* bytes of the value that comes round in them, part by part; 0:
	                    all of it lies there */
	uint32_t chain; /* boxes that are written in place of one another have the same
	                   number; TN_NONE: it is alone */
};

/* An op that writes its output over an input which it reads for the last time. A chain
 * (plan.h) counts as one op, its last: what it reads lives to its end, its output from its
 * start. */
struct tn_box_overlap {
	uint32_t under, over; /* boxes: the dying input, the output */
	tn_op_id op;
	uint32_t region;
	int64_t begin, end; /* bytes in the region that both hold */
	int64_t from, to; /* half-steps, half-open, in which they do */
};

struct tn_boxes {
	struct tn_box *list; /* by begin, then region, offset, tensor, op */
	uint32_t n;
	uint32_t *of; /* by tensor: its box (a view's is its root's), or TN_NONE */
	uint32_t *scratch_of; /* by op, or TN_NONE */
	tn_op_id *producer; /* by tensor: who writes it, first in the order; or TN_NONE */
	struct tn_box_overlap *overlaps; /* by over, then under */
	uint32_t n_overlaps;
	uint32_t n_chains;
	int64_t steps; /* half-steps of the run, the caller's last one included */
};

/* Needs graph and plan. Tensors whose place is broken (a foreign plan may hold anything)
 * have no box. */
enum tn_status TN_MUST_CHECK tn_boxes_find(
	const struct tn_view *v, struct tn_arena *arena, struct tn_boxes *out);

/* Does a tensor without a box live in the plan? Its value has no bytes, so that no picture
 * can show it, but it has a place, is written and is read. */
bool tn_boxes_empty(
	const struct tn_view *v, const struct tn_boxes *boxes, tn_tensor_id id);

/* "activation", "input", "output", "variable", "scratch" */
const char *tn_box_kind_name(enum tn_box_kind kind);

/* The tensor's name or "scratch of <op>". */
void tn_box_name(
	const struct tn_view *v, const struct tn_box *box, struct tn_strbuf *out);

/* What is in use while an op runs, by position in the order. */
struct tn_load {
	int64_t live_bytes; /* bytes that hold something, shared ones once, all regions */
	int64_t top; /* end of the highest one, in the busiest region */
};

/* With a plan from its boxes; without one the sum of the roots that are alive (then top
 * is the same number). *out_loads has n_ops entries; *out_peak is the position of the
 * highest top, among equals of the most live bytes; TN_NONE without ops. */
enum tn_status TN_MUST_CHECK tn_loads_find(const struct tn_view *v,
	struct tn_arena *arena, struct tn_load **out_loads, uint32_t *out_peak);

#endif
