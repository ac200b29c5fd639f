/* A whole graph as calls: every op bound, in the order in which it runs, with the place of
 * each operand in planned memory. What the executor walks and the emitter prints.
 *
 * Without a plan the tensors are laid out one after another, each in memory of its own
 * with a gap behind it, and so is the scratch of each op: nothing is shared. */
#ifndef TN_BIND_PROGRAM_H
#define TN_BIND_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/status.h"
#include "bind/bind.h"
#include "bind/row_call.h"
#include "ir/graph.h"
#include "plan/plan.h"

#define TN_PROGRAM_ALIGN 16 /* of tensors in memory of their own, and of any scratch */
#define TN_PROGRAM_GAP	 16 /* bytes, at least, behind each of them */

/* Bytes in a region; region TN_REGION_NONE: not in planned memory. */
struct tn_storage {
	uint32_t region;
	int64_t offset, bytes;
};

struct tn_program_op {
	tn_op_id op;
	struct tn_variant variant;
	bool elided; /* nothing runs */
	bool flow; /* If, While: bodies run, and there is no call */
	struct tn_call call;
	struct tn_row_call
		*rows; /* in a chain: the call for some rows; else NULL. `call` is
	                             its */
	struct tn_storage scratch; /* bytes 0: none */
};

struct tn_program {
	const struct tn_graph *graph;
	const struct tn_plan
		*plan; /* the one that was given, or the one without sharing */
	struct tn_program_op *ops; /* in the order in which they run */
	uint32_t n_ops;
	struct tn_storage
		*tensors; /* by tensor id; views resolved; region TN_REGION_NONE:
	                               a constant, or a tensor that nobody uses */
};

/* Where row y of a tensor of `rows` rows lies, in bytes from the tensor's start. */
int64_t tn_program_row(
	const struct tn_program *p, tn_tensor_id tensor, int64_t rows, int64_t y);

/* The variant that runs where no plan chose one. */
struct tn_variant tn_variant_first(const struct tn_graph *g, tn_op_id op);

/* The plan in which nothing is shared: one region, every tensor and scratch apart, no op
 * elided. Variants and order are those of `like`; with NULL, and for ops that it elides,
 * the graph's schedule and the first variant of each op. It lives in the arena. */
enum tn_status TN_MUST_CHECK tn_plan_unshared(const struct tn_graph *g,
	const struct tn_plan *like, struct tn_arena *arena, struct tn_diags *diags,
	struct tn_plan *out);

/* Binds the graph's ops. The plan may be NULL: nothing is shared. With `flow`, If and While
 * are left to the caller; else they have no kernel. Everything that is wrong is reported: a plan that does not fit
 * the graph, ops without kernel, constants that are missing or damaged; the status is
 * TN_ERR_INPUT then. Graph and plan must outlive the program, which lives in the arena.
 * The graph must have passed tn_validate. */
enum tn_status TN_MUST_CHECK tn_program_new(const struct tn_graph *g,
	const struct tn_plan *plan, bool flow, struct tn_arena *arena,
	struct tn_diags *diags, struct tn_program *out);

/* The byte that a variable is filled with before the first run: the zero point of int8,
 * 0 of any other type. */
uint8_t tn_variable_byte(const struct tn_tensor *t);

#endif
