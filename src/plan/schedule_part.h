/* A part of a schedule problem: neighbours in the given order that may be arranged anew
 * while all else stays, and the state of a run through it. For schedule*.c only. */
#ifndef TN_PLAN_SCHEDULE_PART_H
#define TN_PLAN_SCHEDULE_PART_H

#include "plan/schedule.h"

#define TN_PART_DONE UINT32_MAX
#define TN_PART_NONE UINT32_MAX

/* Ops and buffers have numbers of their own; ops are numbered in the given order. */
struct tn_part {
	uint32_t n_ops, n_buffers, n_ranks;
	uint32_t *op; /* by op: its number in the problem */
	struct tn_schedule_op *ops; /* n_ops + 1; first_pred is not used */
	uint32_t *touches;
	struct tn_schedule_pair *pairs;
	uint32_t *members; /* of the pairs */
	uint32_t n_members;
	uint32_t *first_next, *next; /* successors inside the part */
	uint32_t *waits; /* by op: predecessors inside the part */
	uint32_t *buffer; /* by buffer: its number in the problem */
	int64_t *size; /* by buffer */
	uint32_t *rank; /* by buffer: of its padding */
	const int64_t *pad; /* by rank, ascending */
	uint32_t *uses; /* by buffer: ops of the part that touch it */
	bool *there; /* by buffer: alive before the part */
	bool *stays; /* by buffer: alive behind it */
	int64_t load; /* alive before the part, also what it does not touch */
	uint32_t rank_apart; /* most padding of what is alive and not touched; or NONE */
	int64_t idle; /* bytes that nobody touches and that go with the part's first op */
	uint32_t rank_idle; /* most padding of these, or NONE */
	uint32_t
		*sole; /* by buffer: the op whose pairs end in it, NONE; n_ops: several */
};

struct tn_part_state {
	uint32_t *waits; /* by op: predecessors that have not run, or TN_PART_DONE */
	uint32_t *left; /* by buffer: ops to come that touch it */
	uint32_t *pads; /* by rank: live buffers */
	uint32_t top; /* above the highest rank of a live buffer */
	int64_t *shared; /* by an op's inputs or outputs: scratch, zero between uses */
	bool *active; /* by pair of an op: scratch */
	int64_t load; /* bytes alive between two ops */
	int64_t peak; /* so far */
	uint32_t done; /* ops */
	uint64_t hash; /* of the set of ops that have run */
};

/* What it means to run an op next. */
struct tn_part_step {
	int64_t cost; /* bytes while it runs */
	int64_t after; /* bytes alive behind it */
	bool free; /* no later op can need more because this one has run */
};

/* All of the problem. */
enum tn_status TN_MUST_CHECK tn_part_whole(
	const struct tn_schedule_problem *p, struct tn_arena *arena, struct tn_part *out);

/* Ops [begin, end) of `whole`, with what its state `at` (left as it was) has before them.
 * local[] is scratch, by buffer of the whole: all TN_PART_NONE, also afterwards. */
enum tn_status TN_MUST_CHECK tn_part_cut(const struct tn_part *whole,
	struct tn_part_state *at, uint32_t begin, uint32_t end, uint32_t *local,
	struct tn_arena *arena, struct tn_part *out);

bool tn_part_state_init(
	const struct tn_part *part, struct tn_arena *arena, struct tn_part_state *out);
void tn_part_state_start(const struct tn_part *part, struct tn_part_state *s);
void tn_part_state_copy(const struct tn_part *part, const struct tn_part_state *from,
	struct tn_part_state *to);

static inline bool tn_part_ready(const struct tn_part_state *s, uint32_t op)
{
	return s->waits[op] == 0;
}

struct tn_part_step tn_part_weigh(
	const struct tn_part *part, const struct tn_part_state *s, uint32_t op);

/* Runs the op, whose predecessors have run. */
void tn_part_run(const struct tn_part *part, struct tn_part_state *s, uint32_t op);

/* Pairs [first, end) of the part are one op's. */
struct tn_part_pairs {
	uint32_t first, end;
};

/* The most pairs that an op has. */
uint32_t tn_part_pairs_max(const struct tn_part *part);

/* What the op saves with those of its pairs that are active (never less with more of
 * them). shared[] is scratch, as long as the op has pairs, zero, also afterwards. */
int64_t tn_part_saving(
	const struct tn_part *part, uint32_t op, const bool *active, int64_t *shared);

uint64_t tn_part_hash(uint32_t op);

/* No order of the part has a smaller peak: the most that an op finds alive whatever ran
 * before it and is still to come. At most *nodes are spent. */
enum tn_status TN_MUST_CHECK tn_part_floor(
	const struct tn_part *part, int64_t *nodes, int64_t *out_floor);

/* Both look for an order of the part whose peak is below out->peak, where `floor` is as
 * good as anything less, and write it to out->order. `nodes` is spent, never below 0. */
struct tn_part_answer {
	uint32_t *order; /* n_ops of the part's ops */
	int64_t peak; /* of the order; on entry of what is known */
	int64_t bound; /* no order of the part is below it, or it is the floor */
};

enum tn_status TN_MUST_CHECK tn_part_beam(const struct tn_part *part, int64_t floor,
	int64_t *nodes, struct tn_part_answer *out);
enum tn_status TN_MUST_CHECK tn_part_exact(const struct tn_part *part, int64_t floor,
	int64_t *nodes, struct tn_part_answer *out);

#endif
