/* Inside contract/: the walkers, one for each access class. Each returns true when it
 * knows an order for this op with these shapes; with fn == NULL it only answers that. */
#ifndef TN_CONTRACT_WALK_H
#define TN_CONTRACT_WALK_H

#include "contract/contract.h"

struct tn_walk {
	const struct tn_graph *g;
	const struct tn_op *op;
	struct tn_variant variant;
	tn_step_fn *fn; /* NULL: only ask */
	void *user;
	bool runs; /* fn takes runs of steps */
	/* Only extremes are asked for: steps may be joined as long as the largest "write so
	 * far minus next read" (and its mirror) stays what the single steps give. */
	bool extremes;
	int64_t row_begin, row_end; /* of an image, half-open; both 0: all rows */
	bool any_length; /* only asked, by somebody who will not walk */
	bool stopped; /* fn asked to stop */
	bool out_of_memory;
};

/* Tensors of the operands; NULL when absent. */
const struct tn_tensor *tn_walk_input(const struct tn_walk *w, uint32_t k);
const struct tn_tensor *tn_walk_output(const struct tn_walk *w, uint32_t k);

/* The output, when those behind it are empty; else NULL. */
const struct tn_tensor *tn_walk_only_output(const struct tn_walk *w);

/* Does the operand share planned memory (a constant does not)? */
bool tn_walk_shares(const struct tn_walk *w, uint32_t input);

/* Bytes of one element; 0 when it is not a whole number of bytes. */
int64_t tn_walk_width(const struct tn_tensor *t);

/* Would the walk have more than TN_CONTRACT_ACCESSES_MAX accesses? */
bool tn_walk_is_long(const struct tn_walk *w);

/* Pointwise or a copy, and every operand that shares memory is as wide and as dense as the
 * output: step k reads element k of each and writes element k. */
bool tn_walk_is_uniform(const struct tn_walk *w);

/* Exactly n integers of a shape-like operand: the constant operand k, else the
 * attribute. */
bool tn_walk_ints(
	const struct tn_walk *w, uint32_t k, const char *attr, int64_t *out, int64_t n);

/* Hands the step to fn; false when the walk must stop. */
bool tn_walk_step(struct tn_walk *w, const struct tn_access *reads, uint32_t n_reads,
	const struct tn_access *writes, uint32_t n_writes);

/* The same for a run of `count` steps with one write each, one by one when fn does not take
 * runs: then the accesses are moved on. */
bool tn_walk_run(struct tn_walk *w, struct tn_access *reads, uint32_t n_reads,
	struct tn_access *write, int64_t count, int64_t read_by, int64_t write_by);

/* Blocks [first, end) (images, rows) do the same, each a fixed way further on in the input, and
 * `bytes` in the output, than the one before. */
struct tn_blocks {
	int64_t first, end;
	int64_t origin; /* bytes of the output before block 0 */
	int64_t bytes;
};

/* The block after this one, in the walk's direction. What a block adds to the extremes grows
 * or falls with its number, so the first two and the last tell it: where only extremes count,
 * joins the writes of those between, and returns the last. */
int64_t tn_walk_next(struct tn_walk *w, int64_t block, struct tn_blocks same);

struct tn_window;

/* Pixels that a window op must hold back so that its output may lie on its input; 1: no
 * buffer helps, or none is needed. Linear in the pixels. */
int64_t tn_window_ring(const struct tn_window *g, bool descending);

/* Does a reduction fold the two middle dimensions of four, and nothing else? */
bool tn_reduces_planes(const struct tn_walk *w);

bool tn_walk_pointwise(struct tn_walk *w);
bool tn_walk_view(struct tn_walk *w);
bool tn_walk_window(struct tn_walk *w);
bool tn_walk_rows(struct tn_walk *w);
bool tn_walk_row_passes(struct tn_walk *w);
bool tn_walk_reduce(struct tn_walk *w);
bool tn_walk_map(struct tn_walk *w);
bool tn_walk_chunks(struct tn_walk *w);
bool tn_walk_matmul(struct tn_walk *w);
bool tn_walk_places(struct tn_walk *w);

#endif
