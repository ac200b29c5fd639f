/* The parts of the walk over a kernel's steps; for claims/steps*.c only. */
#ifndef TN_CLAIMS_STEPS_PART_H
#define TN_CLAIMS_STEPS_PART_H

#include "claims/steps.h"

struct tn_claim_walk {
	const struct tn_model *m;
	uint32_t id; /* of the op */
	const struct tn_op *op;
	const struct tn_kernel *kernel;
	const struct tn_walker *walker;
};

/* From coordinates of one tensor to the bit of an element of another. */
struct tn_map {
	int64_t base;
	int64_t stride[TN_RANK_MAX];
	bool repeats; /* one element serves several coordinates */
};

/* NULL when absent. */
const struct tn_form *tn_steps_in(const struct tn_claim_walk *w, uint32_t operand);
const struct tn_form *tn_steps_out(const struct tn_claim_walk *w, uint32_t output);

/* All: false when the walker ends the walk. An element at a bit is read or written; with
 * a source it moves, if such an operand's elements move at all. */
bool tn_steps_begin_step(struct tn_claim_walk *w);
bool tn_steps_begin_phase(struct tn_claim_walk *w);
bool tn_steps_read(struct tn_claim_walk *w, uint32_t operand, int64_t bit);
bool tn_steps_write(struct tn_claim_walk *w, uint32_t output, int64_t bit,
	uint32_t source, int64_t from);
bool tn_steps_whole(struct tn_claim_walk *w, uint32_t operand);
bool tn_steps_others(struct tn_claim_walk *w, uint32_t main);

/* Index of step t of n in the kernel's order. */
int64_t tn_steps_nth(const struct tn_claim_walk *w, int64_t t, int64_t n);

void tn_form_coordinates(const struct tn_form *f, int64_t i, int64_t out[TN_RANK_MAX]);
bool tn_map_broadcast(
	const struct tn_form *in, const struct tn_form *out, struct tn_map *map);
int64_t tn_map_at(const struct tn_map *map, uint32_t rank, const int64_t *at);

bool tn_steps_opaque(struct tn_claim_walk *w);
bool tn_steps_affine(struct tn_claim_walk *w);
bool tn_steps_split(struct tn_claim_walk *w);
bool tn_steps_concat(struct tn_claim_walk *w);
bool tn_steps_update(struct tn_claim_walk *w);
bool tn_steps_shift(struct tn_claim_walk *w);
bool tn_steps_sum(struct tn_claim_walk *w);
bool tn_steps_row(struct tn_claim_walk *w);
bool tn_steps_plane(struct tn_claim_walk *w);

#endif
