/* The parts of the reader of torch.export's graphs; for import/torch*.c only. */
#ifndef TN_IMPORT_TORCH_H
#define TN_IMPORT_TORCH_H

#include "import/aten.h"

#define TN_TORCH_RESULTS_MAX 1024 /* of one node */
#define TN_TORCH_VIEWS_MAX   64 /* of views */

struct tn_torch {
	struct tn_tree tree;
	struct tn_foreign f;
	struct tn_at graph, values;
	struct tn_ints list;
	TN_VEC(bool) written; /* by tensor: it holds something */
};

/* An argument of the node at hand. */
struct tn_torch_argument {
	struct tn_at at; /* the union's member */
	const char *key; /* "as_tensor" */
};

/* The names of the tensors that a node gives, in order. */
struct tn_torch_results {
	const char *name[TN_TORCH_RESULTS_MAX];
	size_t n;
};

/* The tensor of a name, made when it is met first; TN_NONE after a report. */
tn_tensor_id tn_torch_tensor(
	struct tn_torch *r, const struct tn_at *at, const char *name);

/* A write of a tensor that holds something already, or of its root. */
void tn_torch_mutate(struct tn_torch *r, tn_tensor_id id);

/* A name for a tensor that has one already. */
void tn_torch_also_named(struct tn_torch *r, const char *name, tn_tensor_id id);

/* Did the tensor hold something already? It does from now on. */
bool tn_torch_fill(struct tn_torch *r, tn_tensor_id id);

/* Adds what the node does: an op, views, or nothing. */
void tn_torch_read_node(struct tn_torch *r, const struct tn_at *node);

/* The one member of a union. */
bool tn_torch_member(const struct tn_at *arg, struct tn_torch_argument *out);

/* The argument of a name (or, for the first, of a place); false when it is not given. */
bool tn_torch_argument(struct tn_torch *r, const struct tn_at *node, const char *name,
	size_t place, struct tn_at frames[3], struct tn_torch_argument *out);
int64_t tn_torch_int(struct tn_torch *r, const struct tn_at *node, const char *name,
	int64_t otherwise);
void tn_torch_results(
	struct tn_torch *r, const struct tn_at *node, struct tn_torch_results *out);

/* Is the node a view, and not an op? Then its tensors are views from now on. */
bool tn_torch_read_view(
	struct tn_torch *r, const struct tn_at *node, const struct tn_aten *a);
void tn_torch_become_view(
	struct tn_torch *r, tn_tensor_id view, tn_tensor_id of, int64_t offset);

#endif
