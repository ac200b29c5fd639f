/* Makes a graph: what readers use. Tensors and ops are added in file order; finish checks
 * what an index can break, fills the derived fields and gives the graph out. */
#ifndef TN_IR_BUILD_H
#define TN_IR_BUILD_H

#include "base/diag.h"
#include "base/intern.h"
#include "base/status.h"
#include "base/vec.h"
#include "ir/graph.h"

struct tn_build {
	struct tn_arena *arena; /* the graph's */
	struct tn_strings *strings;
	struct tn_diags *diags;
	const struct tn_source *source;
	TN_VEC(struct tn_tensor) tensors;
	TN_VEC(struct tn_op) ops;
	TN_VEC(tn_tensor_id) inputs;
	TN_VEC(tn_tensor_id) outputs;
	TN_VEC(tn_op_id) schedule; /* empty: file order */
	TN_VEC(struct tn_claim) claims;
	TN_VEC(struct tn_graph) subgraphs;
	bool failed; /* memory ran out */
};

void tn_build_init(struct tn_build *b, struct tn_arena *arena, struct tn_strings *strings,
	struct tn_diags *diags, const struct tn_source *source);

/* Room for so many tensors and ops, before the first of them: a hint that saves moving
 * them. */
void tn_build_expect(struct tn_build *b, size_t n_tensors, size_t n_ops);

/* A tensor with defaults (f32 scalar activation, no data, no view), its path rendered.
 * Valid until the next call; NULL on lack of memory. */
struct tn_tensor *tn_build_tensor(struct tn_build *b, const struct tn_path *path);

/* An op without operands; the same rules. */
struct tn_op *tn_build_op(struct tn_build *b, const struct tn_path *path);

/* Add an attribute to the newest op. Lists are copied. */
bool tn_build_attr_int(struct tn_build *b, const char *name, int64_t value);
bool tn_build_attr_bool(struct tn_build *b, const char *name, bool value);
bool tn_build_attr_float(struct tn_build *b, const char *name, double value);
bool tn_build_attr_string(struct tn_build *b, const char *name, const char *value);
bool tn_build_attr_ints(
	struct tn_build *b, const char *name, const int64_t *values, size_t n);
bool tn_build_attr_floats(
	struct tn_build *b, const char *name, const double *values, size_t n);
/* The texts are interned by the caller. */
bool tn_build_attr_strings(
	struct tn_build *b, const char *name, const char *const *values, size_t n);

/* Hands out the graph: ids out of range are reported and replaced by TN_NONE, sizes
 * computed, op names made unique non-empty, the schedule filled in. TN_ERR_NOMEM or
 * TN_OK; whether the graph makes sense is for tn_validate to say. */
enum tn_status TN_MUST_CHECK tn_build_finish(struct tn_build *b, struct tn_graph *out);

#endif
