/* What the readers of other frameworks' graphs share: tensors by the file's names, ops
 * with unique names, claims for the plans that files carry, and the last look at whether
 * an op is what its name says. */
#ifndef TN_IMPORT_FOREIGN_H
#define TN_IMPORT_FOREIGN_H

#include "import/names.h"
#include "import/tree.h"
#include "import/vocabulary.h"
#include "ir/build.h"

struct tn_ids {
	TN_VEC(tn_tensor_id) v;
};

struct tn_foreign {
	struct tn_tree *tree;
	struct tn_import *im;
	struct tn_build b; /* of the graph at hand */
	struct tn_names tensors; /* of the graph at hand, by the file's names */
	struct tn_names ops, claims; /* names that are taken */
	struct tn_ids in, out; /* of the op at hand; cleared by tn_foreign_op */
	const char *name; /* of the graph */
};

void tn_foreign_init(struct tn_foreign *f, struct tn_tree *tree);

/* Interned, without what is no UTF-8; never NULL, but nomem is set. */
const char *tn_foreign_text(struct tn_foreign *f, const char *text);

/* A tensor; a name that is taken already does not find it. Valid until the next call;
 * NULL only without memory. `shape` may be NULL: not known. */
struct tn_tensor *tn_foreign_tensor(struct tn_foreign *f, const struct tn_at *at,
	const char *name, enum tn_dtype dtype, const struct tn_shape *shape);

/* The element type of a name as NumPy, C, TVM, TensorRT, XLA or OpenVINO writes it, in
 * either case; DTYPE_INVALID when there is none. */
enum tn_dtype tn_foreign_dtype(const char *name);

/* Is this what frameworks call a parameter ("_param_1", "fc1_weight")? For files that do
 * not say which of their arguments are inputs. */
bool tn_foreign_is_parameter(const char *name);

/* TN_NONE when there is no such name. */
tn_tensor_id tn_foreign_find(const struct tn_foreign *f, const char *name);
struct tn_tensor *tn_foreign_at(struct tn_foreign *f, tn_tensor_id id);
/* The tensor that was made last. */
tn_tensor_id tn_foreign_newest(const struct tn_foreign *f);

/* The shape from a list of dimensions: numbers, or names that --dim gives a size. */
void tn_foreign_shape(
	struct tn_foreign *f, const struct tn_at *list, struct tn_shape *out);
/* From numbers; more than TN_RANK_MAX are reported at `at`. */
void tn_foreign_shape_of(struct tn_foreign *f, const struct tn_at *at,
	const struct tn_ints *dims, struct tn_shape *out);
/* The size that the text comes to (import/size_expr.h); TN_DIM_POISON after a report. */
int64_t tn_foreign_dim(struct tn_foreign *f, const struct tn_at *at, const char *text);
/* The shape that --shape gives the tensor, or NULL. */
const struct tn_shape *tn_foreign_given_shape(
	const struct tn_foreign *f, const char *name);

/* A constant's bytes when they are as many as the shape needs, else it stays without. */
void tn_foreign_data(
	struct tn_foreign *f, struct tn_tensor *t, const uint8_t *data, int64_t bytes);

/* An op, with its operands still to come: tn_foreign_in and _out collect them,
 * tn_foreign_close takes them. `name` NULL or "": made from the type. */
struct tn_op *tn_foreign_op(struct tn_foreign *f, const struct tn_at *at,
	enum tn_op_kind kind, const char *type, const char *name);
/* More in a file than it may have values are reported, and left out: lists that are named
 * many times make many operands of few values. */
void tn_foreign_in(struct tn_foreign *f, tn_tensor_id id);
void tn_foreign_out(struct tn_foreign *f, tn_tensor_id id);
void tn_foreign_close(struct tn_foreign *f);
struct tn_op *tn_foreign_newest_op(struct tn_foreign *f);

/* The graph's ends, in order. An input that is no activation keeps its role. */
void tn_foreign_input(struct tn_foreign *f, tn_tensor_id id, bool clobber);
void tn_foreign_output(struct tn_foreign *f, tn_tensor_id id);

/* A claim, valid until the next one; an id that is taken gets a number. NULL: no memory. */
struct tn_claim *tn_foreign_claim(
	struct tn_foreign *f, const struct tn_at *at, const char *kind, const char *id);
void tn_foreign_place(struct tn_foreign *f, struct tn_claim *plan, tn_tensor_id tensor,
	int64_t offset, int64_t size);

/* Ends the graph at hand. An op whose operands are not what its kind takes is no such op
 * and becomes one that is not known. */
enum tn_status TN_MUST_CHECK tn_foreign_finish(
	struct tn_foreign *f, struct tn_graph *out);

#endif
