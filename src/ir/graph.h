/* The graph: tensors (values), ops, an order. Only readers (through ir/build.h) and
 * rewrites write it; every stage takes it const and answers with a side table. */
#ifndef TN_IR_GRAPH_H
#define TN_IR_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "ir/dtype.h"
#include "ir/op.h"
#include "ir/shape.h"

typedef struct {
	uint32_t i;
} tn_tensor_id;
typedef struct {
	uint32_t i;
} tn_op_id;
#define TN_NONE UINT32_MAX /* no tensor, no op; index 0 is a real object */

enum tn_role {
	ROLE_ACT, /* an activation */
	ROLE_INPUT, /* caller-owned; preserved unless `clobber` */
	ROLE_OUTPUT, /* readable by the caller when the graph has run */
	ROLE_CONST, /* never written */
	ROLE_VARIABLE, /* keeps its bytes between invocations */
	ROLE_SCRATCH,
};

struct tn_quant {
	uint32_t n; /* scales: 0 not quantised, 1 per tensor, else shape.dim[axis] */
	uint32_t axis; /* dimension that the scales run along, when n > 1 */
	const float *scale;
	const int64_t *zero_point; /* n of them, never NULL when n > 0 */
	bool damaged; /* the export lost bits of a scale: plan from it, never execute */
};

enum tn_data_kind {
	DATA_NONE, /* not in the file */
	DATA_BYTES, /* little-endian, dense, row-major, `data_bytes` of them */
	DATA_MISSING, /* should be in the file, and is not */
};

struct tn_tensor {
	const char *name; /* interned; may be "" or not unique */
	enum tn_dtype dtype;
	struct tn_shape shape;
	enum tn_role role;
	bool clobber; /* an input that may be overwritten */
	bool mutated; /* may be the output of several ops: a non-SSA write */
	bool observed; /* must keep its value to the end */
	struct tn_quant quant;

	enum tn_data_kind data_kind;
	bool seeded; /* data came from `seed` by ir/seed.h (convert writes it back) */
	uint32_t seed;
	const uint8_t *data; /* lives in the graph's arena or in the source's text */
	int64_t data_bytes;

	tn_tensor_id view_of; /* TN_NONE: has storage of its own */
	int64_t view_offset; /* elements of the view's own dtype, from the first byte
	                         of the tensor named by view_of */
	bool has_strides; /* else dense */
	int64_t stride[TN_RANK_MAX]; /* elements of the view's own dtype */

	int64_t elements; /* -1: unknown shape (poison; reported once) */
	int64_t bytes; /* dense size of the value; -1: unknown */
	const char *pointer; /* JSON pointer of the tensor in its file */
	uint32_t file_index; /* index in the file's own list, for messages and goldens */
};

enum tn_attr_kind {
	ATTR_INT,
	ATTR_FLOAT,
	ATTR_BOOL,
	ATTR_STRING,
	ATTR_INTS,
	ATTR_FLOATS,
	ATTR_STRINGS,
};

struct tn_attr {
	const char *name; /* interned */
	enum tn_attr_kind kind;
	union {
		int64_t i; /* ATTR_INT, ATTR_BOOL */
		double f;
		const char *s;
		const int64_t *ints;
		const double *floats;
		const char *const *strings;
	} v;
	size_t n; /* length of a list; 1 otherwise */
};

struct tn_op {
	const char *name; /* interned; never empty: readers make one ("CONV_2D#3") */
	enum tn_op_kind kind;
	const char *type; /* as written in the file, interned */
	tn_tensor_id *inputs; /* TN_NONE: an optional input that is absent */
	uint32_t n_inputs;
	tn_tensor_id *outputs;
	uint32_t n_outputs;
	struct tn_attr *attrs; /* in file order */
	uint32_t n_attrs;
	const char *pointer;
	uint32_t file_index;
};

/* What a runtime or a person says about memory; judged by lint. Kinds and fields as in
 * docs/INPUT.md; unused fields are TN_NONE, NULL or -1. */
struct tn_claim_place {
	tn_tensor_id tensor;
	int64_t offset; /* bytes; -1 not given */
	int64_t size; /* bytes; -1 not given */
};

struct tn_claim {
	const char *id;
	const char *kind;
	tn_op_id op;
	tn_tensor_id in, out; /* inplace */
	tn_tensor_id tensor, of; /* reuse, alias, donate, const_fold */
	int64_t byte_offset;
	int64_t bytes; /* scratch */
	int64_t arena_bytes, align, base_address; /* plan; -1 not given */
	struct tn_claim_place *places;
	uint32_t n_places;
	tn_op_id *order; /* schedule */
	uint32_t n_order;
	const char *unread; /* what of it is not known, in words; NULL: nothing */
	const char *pointer;
};

/* Control flow that the file has flattened into its ops; what judges of claims must know
 * of it. Ops of two branches of one choice never run in the same run. */
struct tn_branch {
	const char *choice, *name; /* "If", "then" */
	tn_op_id *ops;
	uint32_t n_ops;
};

/* Tensors that belong to one body (a branch, a loop, a called graph). */
struct tn_scope {
	const char *name;
	tn_tensor_id *tensors;
	uint32_t n_tensors;
};

enum tn_graph_format {
	FORMAT_NATIVE,
	FORMAT_TFLITE,
	FORMAT_TFLITE_JSON,
	FORMAT_FOREIGN, /* of any other tool */
};

/* Whose kernels run the ops, and so whose contracts and scratch hold. The portable set is
 * behind every other one: it runs what that has no kernel for; DSP is behind MVE. In the
 * order of what they ask of a processor. */
enum tn_kernel_set {
	KERNELS_PORTABLE,
	KERNELS_THUMB,
	KERNELS_DSP,
	KERNELS_MVE,
	KERNELS_COUNT
};

struct tn_graph {
	const char *name;
	const struct tn_source *source;
	enum tn_graph_format format;
	struct tn_tensor *tensors;
	uint32_t n_tensors;
	struct tn_op *ops; /* in file order */
	uint32_t n_ops;
	tn_tensor_id *inputs;
	uint32_t n_inputs;
	tn_tensor_id *outputs;
	uint32_t n_outputs;
	tn_op_id *schedule; /* n_ops of them: the given total order */
	struct tn_claim *claims;
	uint32_t n_claims;
	uint32_t invocations; /* to judge state by; 1 unless the file says more */
	bool parallel; /* only dependences order the ops, not the schedule */
	const char *unrolled_op; /* of the loop that was unrolled; NULL: none */
	int64_t trip_count; /* how often; 0: none */
	struct tn_branch *branches; /* in file order */
	uint32_t n_branches;
	struct tn_scope *scopes; /* in file order */
	uint32_t n_scopes;
	struct tn_graph
		*subgraphs; /* bodies of control flow; not executed by themselves */
	uint32_t n_subgraphs;
	bool lossy; /* the format rounds floats: some scale or float constant may be damaged */
	enum tn_kernel_set kernels; /* the user's choice; no file says it */
};

/* "ref", "thumb", "dsp", "mve" */
const char *tn_kernel_set_name(enum tn_kernel_set set);

static inline bool tn_tensor_id_ok(const struct tn_graph *g, tn_tensor_id id)
{
	return id.i < g->n_tensors;
}

/* NULL when the op has no such attribute. */
const struct tn_attr *tn_op_attr(const struct tn_op *op, const char *name);
/* The value, or `otherwise` when absent or of another kind. An ATTR_BOOL counts as int. */
int64_t tn_op_int(const struct tn_op *op, const char *name, int64_t otherwise);
double tn_op_float(const struct tn_op *op, const char *name, double otherwise);
const char *tn_op_string(const struct tn_op *op, const char *name, const char *otherwise);
/* The names by which a graph in the native format says how the kernel of an op works and what
 * may lie where (docs/HAZARDS.md), NULL at the end. What a file of another format says by one
 * of them means something else. */
extern const char *const tn_declaring_attrs[];
bool tn_attr_declares(const char *name);
/* Does the op leave garbage in this input? `destroys` is true, a name or names. */
bool tn_op_destroys(const struct tn_graph *g, const struct tn_op *op, uint32_t input);
/* `order`: the op's kernel exists in this order alone. */
enum tn_op_order {
	OP_ORDER_ANY, /* it says nothing */
	OP_ORDER_ASCENDING, /* "asc", "ascending" */
	OP_ORDER_DESCENDING,
	OP_ORDER_UNKNOWN, /* it says something else */
};
enum tn_op_order tn_op_order(const struct tn_op *op);
/* Do its attributes tell of a kernel that reads and writes in another way than one pass over
 * its operands: passes, prezero, accumulate, reads_target, destroys, extra_tail_bytes, or an
 * order that nobody knows? */
bool tn_op_has_own_kernel(const struct tn_op *op);
/* Does the kernel, by its attributes, still read this input when it has begun to write: it
 * clears its output first, goes over it again, or reads its target at will? */
bool tn_op_reads_again(const struct tn_graph *g, const struct tn_op *op, uint32_t input);
/* Tensor i that the op's `scratch` names, or TN_NONE where there is none of that name; i below
 * tn_op_n_scratch. Inputs that are scratch by their role are not among them. */
size_t tn_op_n_scratch(const struct tn_op *op);
tn_tensor_id tn_op_scratch(const struct tn_graph *g, const struct tn_op *op, size_t i);
/* Of the `scratch_required` bytes, those that no scratch tensor of the op has. */
int64_t tn_op_scratch_missing(const struct tn_graph *g, const struct tn_op *op);
/* Bytes that its kernel writes past the end of each output, 0 or more: `extra_tail_bytes`.
 * INT64_MAX: it says no number. */
int64_t tn_op_tail(const struct tn_op *op);
/* By tensor: the largest tail of the ops that write it, but those that do not run (by op;
 * NULL: all run). NULL: out of memory. */
int64_t *tn_graph_tails(
	const struct tn_graph *g, const bool *elided, struct tn_arena *arena);
/* List element k (an ATTR_INT is a list of one), or `otherwise`. */
int64_t tn_op_int_at(
	const struct tn_op *op, const char *name, size_t k, int64_t otherwise);

/* Inputs without the scratch at the end: working memory is no operand. */
uint32_t tn_op_operands(const struct tn_graph *g, const struct tn_op *op);

/* Is its value in the file, and never written? What a variable has in the file is only the
 * value that it starts from. */
bool tn_tensor_is_constant(const struct tn_tensor *t);

/* The bytes that its elements lie in, relative to the first of element 0, half-open: with
 * the gaps between strides. False when they cannot be counted, or begin inside a byte. */
bool tn_tensor_span(const struct tn_tensor *t, int64_t *begin, int64_t *end);

/* Is the tensor in the list of graph inputs, of graph outputs? */
bool tn_graph_is_input(const struct tn_graph *g, tn_tensor_id id);
bool tn_graph_is_output(const struct tn_graph *g, tn_tensor_id id);

/* By tensor: the same, for who asks about all of them. NULL: no memory. */
bool *tn_graph_input_flags(const struct tn_graph *g, struct tn_arena *arena);
bool *tn_graph_output_flags(const struct tn_graph *g, struct tn_arena *arena);

/* Is the output only another name for what the first input is? Of an op that has a kernel
 * the attribute `view` says nothing: that would run. */
bool tn_op_names_anew(const struct tn_graph *g, const struct tn_op *op, uint32_t out);

/* By tensor: an input, or a view of one, that ops of the graph write. What they leave there
 * is a result for the caller, whether or not he wants the input back. NULL: no memory. */
bool *tn_graph_updated_inputs(const struct tn_graph *g, struct tn_arena *arena);

/* A constant's element as an integer (i8 to i64, u8 to u32, bool); false when the tensor
 * holds no such data or index. For shape-like operands (axes, paddings, begin). */
bool tn_tensor_int(const struct tn_tensor *t, int64_t index, int64_t *out);

#endif
