/* The host executor: runs a graph's kernels over a plan's memory, or with every tensor in
 * memory of its own. Its digests are what every other way to run the graph is compared
 * with.
 *
 * With poison, the planned memory is filled with a pattern before a run, and after each op
 * every byte that no later op needs is overwritten with it: a plan that lets an op read
 * bytes it no longer owns gives other digests under another pattern. Guards around each
 * region, and in memory without sharing between all tensors, are checked after each op.
 * In a chain, the same after each of its events. */
#ifndef TN_EXEC_EXEC_H
#define TN_EXEC_EXEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/status.h"
#include "base/strbuf.h"
#include "bind/program.h"
#include "exec/life.h"

#define TN_POISON_NONE	   (-1)
#define TN_EXEC_GUARD	   64 /* bytes on each side of a region */
#define TN_EXEC_GUARD_BYTE 0xC3

struct tn_flow;
struct tn_exec_stream;

struct tn_exec_op {
	struct tn_flow *flow; /* If, While; else NULL */
	const void **in; /* the operands of the kernel */
	void **out;
	const void **row_in; /* in a chain: the same at one row */
	void **row_out;
	void *scratch;
};

struct tn_exec {
	const struct tn_graph *graph;
	const struct tn_graph *file; /* that holds the bodies; graph unless it is one */
	uint32_t depth; /* of a body */
	uint32_t *n_bodies; /* so far, shared by all within one graph */
	struct tn_program program;
	struct tn_diags *diags;
	uint8_t **regions; /* start of each region's memory; guards on both sides */
	uint8_t **inputs; /* by input index: what a run starts from */
	const uint8_t **bytes; /* by tensor id: where its value is; NULL: nowhere */
	struct tn_exec_op *ops; /* in running order */
	struct tn_exec_stream *streams; /* the plan's chains */
	uint8_t **
		whole; /* by tensor id: inside a chain, all rows that were made; else NULL */
	struct tn_life *life;
	uint8_t *needed; /* one byte for each of the largest region */
	int poison; /* the pattern, or TN_POISON_NONE */
	bool unshared; /* no plan was given */
};

/* The memory of a storage, whose region must not be TN_REGION_NONE. */
static inline uint8_t *tn_exec_at(const struct tn_exec *e, const struct tn_storage *s)
{
	return e->regions[s->region] + s->offset;
}

/* An activation that an op (or, with op TN_NONE, the caller) has just written. */
struct tn_exec_layer {
	tn_tensor_id tensor;
	tn_op_id op;
	const uint8_t *bytes;
	size_t size;
};

typedef void tn_layer_fn(void *user, const struct tn_exec_layer *layer);

/* Binds all ops over the plan, and those of bodies in memory of their own, or without sharing when it is NULL. TN_ERR_INPUT when the
 * plan does not fit the graph, an op has no kernel, or a constant or scale is missing or
 * damaged: each is reported. Variables are reset. Inputs are zero bytes until they are
 * set. Graph, plan and diags must outlive the executor, which lives in the arena. The
 * graph must have passed tn_validate. */
enum tn_status TN_MUST_CHECK tn_exec_new(const struct tn_graph *g,
	const struct tn_plan *plan, struct tn_arena *arena, struct tn_diags *diags,
	struct tn_exec **out);

/* Poison with the byte `pattern` (0..255) in the runs to come, or TN_POISON_NONE. */
void tn_exec_poison(struct tn_exec *e, int pattern);

/* Variables as they are before the first run: int8 every byte the zero point, all other
 * types zero bytes. */
void tn_exec_reset(struct tn_exec *e);

/* Sets graph input k for the runs to come; another size than the tensor's is reported and
 * TN_ERR_INPUT. */
enum tn_status TN_MUST_CHECK tn_exec_input(
	struct tn_exec *e, uint32_t k, const void *bytes, size_t size);

/* Sets every graph input k by the input rule with seed + k. */
void tn_exec_seed(struct tn_exec *e, uint32_t seed);

/* Runs once. Variables keep their bytes from one run to the next. `fn` (or NULL) sees the
 * graph inputs, then the outputs of each op right after it. TN_ERR_INTERNAL, reported,
 * when a kernel wrote outside its operands. */
enum tn_status TN_MUST_CHECK tn_exec_run(struct tn_exec *e, tn_layer_fn *fn, void *user);

/* A tensor's bytes now: a graph output after a run. NULL when it has none. */
const uint8_t *tn_exec_bytes(const struct tn_exec *e, tn_tensor_id id, size_t *out_size);

/* Runs once and appends one line of JSON for each activation, graph inputs first:
 * {"tensor": index in the file, "name":, "op": name or null, "bytes":, "fnv1a64":}. */
enum tn_status TN_MUST_CHECK tn_exec_dump_layers(
	struct tn_exec *e, struct tn_strbuf *out);

#endif
