/* The parts of a run of one op; for claims/run_op.c and claims/run_write.c only. */
#ifndef TN_CLAIMS_RUN_OP_H
#define TN_CLAIMS_RUN_OP_H

#include "claims/run_part.h"

/* What is known about an operand while the op runs. */
struct tn_watched {
	bool meets; /* an output (or its own scratch) lies where it lies */
	bool checked; /* read whole since the last write to where it lies */
	bool lost;
	bool unmoved; /* is told to move onto itself what it has lost */
	size_t loss; /* index of the first loss */
	bool step_only; /* the loss is of one step: later ones do not add to it */
	int64_t lost_step;
};

struct tn_op_run {
	struct tn_pass *p;
	uint32_t op;
	const struct tn_op *o;
	const struct tn_kernel *k;
	const struct tn_instance *at;
	struct tn_watched *watched; /* by operand */
	/* by output: how often its bits are still to be written in this pass; NULL: once */
	struct tn_cells *left;
	uint32_t event; /* of what is written now; later ones belong to the same phase */
	int64_t step, pass;
	bool scratch_meets;
	bool outputs_meet; /* two outputs have common bits */
	bool reads_only,
		writes_only; /* a buffered kernel: first the one, then the other */
	/* a read of elements that move: it happens when they move to another place */
	bool pending;
	uint32_t pending_operand;
	int64_t pending_begin, pending_end;
};

uint32_t tn_op_run_tensor(const struct tn_op_run *r, uint32_t operand);
int64_t tn_op_run_address(const struct tn_op_run *r, uint32_t tensor, int64_t bit);

/* False: memory ran out, or the set is too large. All below return this. */
bool tn_op_run_going_on(const struct tn_op_run *r);

/* Do the two have the same elements at the same addresses? */
bool tn_op_run_coincide(const struct tn_op_run *r, uint32_t input, uint32_t output);

/* For the order between ops. */
void tn_op_run_touch(
	struct tn_op_run *r, uint32_t tensor, int64_t lo, int64_t hi, bool writes);

/* Before a walk whose writes count: which bits are written more than once? Then each
 * write asks whether it is the last of its bits. */
bool tn_op_run_count_writes(struct tn_op_run *r);
bool tn_op_run_is_last(struct tn_op_run *r, uint32_t output, int64_t begin, int64_t end);

/* Writes bits of an output: those of `contents` from `at`, or what nobody wants (NULL). */
bool tn_op_run_write(struct tn_op_run *r, uint32_t output, int64_t begin, int64_t end,
	struct tn_cells *contents, int64_t at);

/* Writes the results whole, for an op whose steps do not matter. */
bool tn_op_run_write_all(struct tn_op_run *r);

/* State that the op updates: what it leaves there. */
void tn_op_run_update_state(struct tn_op_run *r);

/* Writes what nobody wants. */
bool tn_op_run_garbage(struct tn_op_run *r, enum tn_event_kind kind, uint32_t tensor,
	int64_t lo, int64_t hi);
bool tn_op_run_garbage_elements(
	struct tn_op_run *r, enum tn_event_kind kind, uint32_t tensor);

/* Bits that the op writes twice, with different values: the output lies on itself. */
void tn_op_run_check_self(struct tn_op_run *r, uint32_t output);

#endif
