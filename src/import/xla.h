/* The parts of the reader of XLA's modules; for import/xla*.c only. */
#ifndef TN_IMPORT_XLA_H
#define TN_IMPORT_XLA_H

#include "import/foreign.h"

#define XLA_VALUE "xla/value"

/* An instruction's value: the arrays of its shape, tuples flattened. */
struct tn_xla_value {
	uint32_t graph; /* index in graphs */
	const json_t *shape;
	uint32_t first, n; /* in leaves */
	uint32_t op; /* TN_NONE: it is none */
	int64_t parameter; /* number, or -1 */
};

struct tn_xla_graph {
	struct tn_foreign f;
	struct tn_at computation;
	uint32_t root; /* index in values; TN_NONE: there is none */
};

struct tn_xla {
	struct tn_tree tree;
	struct tn_at module, computations;
	struct tn_names ids; /* of computations: decimal id -> index */
	uint32_t *number; /* by computation: index in graphs, or TN_NONE */
	TN_VEC(struct tn_xla_graph *) graphs; /* the entry first */
	TN_VEC(uint32_t) computation_of; /* by graph */
	struct tn_names values_by_id, values_by_name;
	TN_VEC(struct tn_xla_value) values;
	TN_VEC(tn_tensor_id) leaves; /* TN_NONE: no array (a token) */
	bool full; /* there were too many leaves */
	struct tn_ints list;
};

/* Leaves of a shape, and where the part at an index path starts. False when the path
 * leads nowhere. */
uint32_t tn_xla_count(const struct tn_xla *x, const json_t *shape);
bool tn_xla_part(const struct tn_xla *x, const json_t *shape, const struct tn_ints *path,
	uint32_t *out_first, const json_t **out_shape);

/* The value that an id (or, in old files, a name) at the place stands for; NULL after a
 * report. */
const struct tn_xla_value *tn_xla_find(struct tn_xla *x, const struct tn_at *at);

/* The graph of a computation, made when it was not yet; its number as a subgraph, or -1
 * after a report. */
int64_t tn_xla_call(struct tn_xla *x, const struct tn_at *id);

/* Reads the computation of a graph. */
void tn_xla_read_graph(struct tn_xla *x, uint32_t graph);

/* Buffer assignment and aliases as claims; when all graphs are read. */
void tn_xla_plan(struct tn_xla *x, const struct tn_at *root);
void tn_xla_aliases(struct tn_xla *x);

/* What the instruction, the newest op of the graph, writes over its operands: a claim for
 * each pair, and an attribute, for its kernel was made for it. */
void tn_xla_in_place(
	struct tn_xla *x, const struct tn_at *inst, const struct tn_xla_value *v);

#endif
