/* Inside driver/: the parts of tn_repair_plan. */
#ifndef TN_DRIVER_REPAIR_PART_H
#define TN_DRIVER_REPAIR_PART_H

#include "driver/repair.h"

struct tn_mending {
	struct tn_run *run;
	const struct tn_graph *g;
	struct tn_plan *plan;
	struct tn_order order; /* of the plan */
	struct tn_liveness live; /* in that order */
	/* before anything was changed */
	struct tn_plan_tensor *was; /* by tensor */
	struct tn_plan_op *ran; /* by op */
	uint32_t n_was, n_ran, n_copies;
	bool *moved; /* by tensor */
	bool *run_again; /* by op: is elided no more */
	uint32_t *tried; /* by op: variants */
	struct tn_arena *arena;
	enum tn_status status; /* what went wrong meanwhile */
};

/* Keeps what was there before anything is changed; false: no memory. Then, at the end, a note
 * for each thing that differs. */
bool tn_mending_remember(struct tn_mending *m);
void tn_mending_tell(const struct tn_mending *m);

/* The sum; INT64_MAX when there is none: files may say anything. */
int64_t tn_mending_end(int64_t offset, int64_t bytes);

/* The tensor that owns the storage. */
uint32_t tn_mending_owner(const struct tn_mending *m, uint32_t tensor);

/* Bytes of an owner, with all views of it. */
int64_t tn_mending_extent(const struct tn_mending *m, uint32_t tensor);

/* Bytes of the region that a tensor may use; -1: none, the caller owns it. */
int64_t tn_mending_room(const struct tn_mending *m, uint32_t region);

/* The lowest place of that many bytes in the region that is free in the half-steps
 * [begin, end); -1: no memory. `self`, and the scratch of `self_op`, are not in its way. */
int64_t tn_mending_place(const struct tn_mending *m, uint32_t region, uint32_t self,
	uint32_t self_op, int64_t begin, int64_t end, int64_t bytes, int64_t align);

/* Puts in the copies of what ops destroy: new ops of the graph, with places of their own.
 * False: m->status. */
bool tn_mending_spare(struct tn_mending *m);

/* Gives the reader a copy of what has been overwritten, made before that happens: a new op
 * of the graph. False when there is no such copy, it would not end before `limit`, or
 * (m->status) memory ran out. */
bool tn_mending_copy(struct tn_mending *m, const struct tn_verdict *v, int64_t limit);

#endif
