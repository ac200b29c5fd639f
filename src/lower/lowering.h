/* Inside lower/: the problem while it is made. */
#ifndef TN_LOWER_LOWERING_H
#define TN_LOWER_LOWERING_H

#include "base/vec.h"
#include "lower/lower.h"

/* Bytes [lo, hi) of a buffer are needed in [begin, end). */
struct tn_piece {
	int64_t lo, hi, begin, end;
};

/* By buffer: its pieces. A buffer whose bytes all live equally long is one piece. */
struct tn_pieces {
	struct tn_piece *list;
	uint32_t *first; /* n_buffers + 1 of them */
	bool *uncut; /* one piece only because there would be too many */
};

/* An op's pair in the problem, and what it is about: the op's output lies over an input
 * that dies in it. */
struct tn_pair_source {
	uint32_t position; /* of the op */
	int64_t lo, hi; /* the output's bytes in its buffer */
};

struct tn_lowering {
	const struct tn_tables *t;
	const struct tn_lower_options *options;
	struct tn_arena *arena;
	struct tn_lowered *out;
	int64_t *tail; /* by tensor: bytes behind it that its op writes as well */
	bool *tailed; /* by root: some member has a tail */
	TN_VEC(struct tn_buffer) buffers;
	TN_VEC(tn_tensor_id) roots;
	TN_VEC(struct tn_pair) pairs;
	TN_VEC(struct tn_pair_source) sources; /* of the pairs, in their order */
	TN_VEC(struct tn_group) groups;
	struct tn_pieces pieces;
};

/* In stream.c: buffers for what chains add up, and a pair for each input that dies in one. */
enum tn_status TN_MUST_CHECK tn_stream_states(struct tn_lowering *l);
enum tn_status TN_MUST_CHECK tn_stream_pairs(struct tn_lowering *l);

/* From buffer_of, shift_of and the tensors' lives. */
enum tn_status TN_MUST_CHECK tn_pieces_make(struct tn_lowering *l);

/* Adds a pair for every two buffers of which one has several pieces: they may overlap where
 * no two pieces meet in time. Behind the ops' own pairs. */
enum tn_status TN_MUST_CHECK tn_pieces_relate(struct tn_lowering *l);

#endif
