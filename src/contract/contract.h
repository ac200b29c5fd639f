/* Kernel contracts: in which steps a kernel variant reads its inputs and writes its
 * outputs. A step first reads all of its read ranges, then writes its write ranges. The
 * contract belongs to the variant of the kernel that will run (src/kernels), is computed
 * by walking its loops, and is the ground that proofs, planner and verifier share. Steps
 * that are alike but for where they are come as one run.
 *
 * Variants. `descending` runs the same steps from last to first. `hold` says how much of
 * the output is kept in scratch before it is written:
 *   HOLD_NONE   one output element a step
 *   HOLD_PIXEL  the channels of one output pixel (windows) or one output row (fully
 *               connected, matrix products) a step: all reads of the step come before its writes
 *
 * Variants with a buffer: windows whose output, in the same order, is written some pixels
 * later, so that it may lie exactly on its input. How many is what the shape needs.
 *   HOLD_RING      the buffer holds pixels: step t reads the window of pixel t, then writes
 *                  pixel t - (n - 1); the last n - 1 steps read nothing
 *   HOLD_CYCLE     a transpose, cycle after cycle of its permutation: the element that a
 *                  cycle starts from is kept, each place takes the element that belongs
 *                  there, the last one takes the kept one; the buffer has a bit for each
 *                  element. Only exactly on its input, or apart from it
 *   HOLD_CHANNEL   one channel after the other (depthwise, pooling), all of its pixels as
 *                  above; the buffer holds n elements of one channel
 *
 * Loop orders (HOLD_NONE; ascending):
 *   ACCESS_POINTWISE   output element i = 0..n-1: reads element i of each operand
 *                      (broadcast), writes i
 *   ACCESS_WINDOW      batch, out y, out x, out channel: reads the valid taps of the
 *                      window (all channels, or its own channel: depthwise and pooling)
 *   ACCESS_ROWS        row, output: reads the whole input row
 *   ACCESS_ROW_PASSES  row, element: the first step of a row reads the whole row, step i
 *                      reads element i, writes element i; outputs behind the first get
 *                      what is known of the row (LAYER_NORM) in a step before them
 *   ACCESS_REDUCE      output element: reads the elements that are folded into it
 *   ACCESS_MAP         output element by linear index (SPLIT, UNPACK: input element by
 *                      linear index): reads the one source element or nothing (a fill)
 *   ACCESS_VIEW        element i: reads i, writes i
 *   ACCESS_MATMUL      row, column: reads the row of the first operand, the column of the
 *                      second
 *   ACCESS_PLACES      output element (CUMSUM: column by column): reads a few elements; of
 *                      those that a computed index may name all, and the index itself
 *                      before the first element of its run
 * Constant operands are read but take no part: they never share memory. */
#ifndef TN_CONTRACT_CONTRACT_H
#define TN_CONTRACT_CONTRACT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "ir/graph.h"

enum tn_hold { HOLD_NONE, HOLD_PIXEL, HOLD_RING, HOLD_CHANNEL, HOLD_CYCLE };

struct tn_variant {
	bool descending;
	enum tn_hold hold;
};

#define TN_VARIANTS_MAX 8

struct tn_access {
	uint32_t operand; /* index in op->inputs (reads) or op->outputs (writes) */
	int64_t begin, end; /* bytes from the operand's start, half-open */
};

/* A step, or a run of them: each step's reads lie `read_by` bytes behind those of the one
 * before it, its writes `write_by`. */
struct tn_step {
	const struct tn_access *reads;
	uint32_t n_reads;
	const struct tn_access *writes;
	uint32_t n_writes;
	int64_t count; /* > 0; the accesses are those of the first step */
	int64_t read_by, write_by; /* may be negative */
};

/* false stops the walk */
typedef bool tn_step_fn(void *user, const struct tn_step *step);

/* The variants that exist for this op with these shapes, in order of preference: those
 * that need no scratch first, ascending first, those with a buffer last. 0: opaque, the op
 * may read any input byte at any time and no overlap is ever allowed (run it as
 * { false, HOLD_NONE }). An op with an `order` has the plain one in that order alone. */
uint32_t tn_contract_variants(
	const struct tn_graph *g, tn_op_id op, struct tn_variant out[TN_VARIANTS_MAX]);

/* "none", "pixel", "ring", "channel", "cycle"; what it means, for people ("" for none). */
const char *tn_hold_name(enum tn_hold hold);
const char *tn_hold_text(enum tn_hold hold);

/* Does the variant have a buffer, that is: more than a pixel or a row? */
bool tn_variant_is_buffered(struct tn_variant v);

/* Pixels (HOLD_RING) or elements (HOLD_CHANNEL) that its buffer holds; 1 for the others. */
int64_t tn_contract_ring(const struct tn_graph *g, tn_op_id op, struct tn_variant v);

/* What the distance between input and output must be a multiple of: the bytes of a pixel
 * for HOLD_CHANNEL, where each channel keeps to its own bytes; those of the tensor for
 * HOLD_CYCLE; else 1. */
int64_t tn_contract_grain(const struct tn_graph *g, tn_op_id op, struct tn_variant v);

/* Bytes of scratch that the variant needs with the graph's kernel set; its alignment is 16.
 * The steps are the same for every set: a kernel of another set may read earlier and write
 * later than they say, never the other way round, so that what they allow is safe. */
int64_t tn_contract_scratch(const struct tn_graph *g, tn_op_id op, struct tn_variant v);

/* Calls fn for each step in the order of the variant. For an opaque op: one step that
 * reads all and writes all, and TN_ERR_REFUSED is returned after it, so that nobody takes
 * it for an order. Linear in the steps. */
enum tn_status TN_MUST_CHECK tn_contract_walk(const struct tn_graph *g, tn_op_id op,
	struct tn_variant v, tn_step_fn *fn, void *user);

/* The same steps in the same order, but fn may get a run of several at once. */
enum tn_status TN_MUST_CHECK tn_contract_runs(const struct tn_graph *g, tn_op_id op,
	struct tn_variant v, tn_step_fn *fn, void *user);

/* A walk of more accesses than these takes seconds. An op that would need one has no
 * variant (it is opaque, so it shares no memory), unless all its steps are alike: then
 * nobody needs to walk them. */
#define TN_CONTRACT_ACCESSES_MAX ((int64_t)1 << 27)

/* Would the op have variants if its shapes were smaller? */
bool tn_contract_gives_up(const struct tn_graph *g, tn_op_id op);

/* Is a walk of the op longer than that? Only uniform ops have variants all the same. */
bool tn_contract_is_long(const struct tn_graph *g, tn_op_id op);

/* Step k of n reads element k of every input that shares memory and writes element k of
 * the one output, all of one width; descending: from the last element to the first. */
bool tn_contract_is_uniform(const struct tn_graph *g, tn_op_id op);

/* The displacement rule for one input and one output, in bytes. Ascending: safe when
 * (input start - output start) >= d. Descending: safe when (output start - input start)
 * >= d. TN_DISPLACEMENT_FREE: any placement is safe. TN_DISPLACEMENT_NEVER: none but a
 * disjoint one (opaque). Source: d = max over t of (w_end(t) - r_min(t)), w_end the end of
 * all writes up to step t, r_min the least byte read after t; mirrored for descending. */
#define TN_DISPLACEMENT_FREE  (-INT64_MAX)
#define TN_DISPLACEMENT_NEVER INT64_MAX
enum tn_status TN_MUST_CHECK tn_contract_displacement(const struct tn_graph *g,
	tn_op_id op, struct tn_variant v, uint32_t input, uint32_t output,
	int64_t *out_d);

/* A digest over everything in this module that a plan relies on (a version number that is
 * raised when a loop order changes). */
uint64_t tn_contract_digest(void);

#endif
