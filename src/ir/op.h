/* The op table: what is asked of an op by name, as data. */
#ifndef TN_IR_OP_H
#define TN_IR_OP_H

enum tn_op_kind {
#define OP(id, name, lo, hi, out, access) id,
#include "ir/op.def"
#undef OP
	OP_COUNT
};

/* How output bytes depend on input bytes. Weaker knowledge is the safe answer: whatever
 * a class cannot express is ACCESS_OPAQUE. */
enum tn_access_class {
	ACCESS_OPAQUE, /* any output byte may need any input byte, in any order */
	ACCESS_POINTWISE, /* element i needs element i of each operand (broadcast) */
	ACCESS_VIEW, /* the output's bytes are the input's bytes */
	ACCESS_WINDOW, /* an output pixel needs a window of the input */
	ACCESS_ROWS, /* an output row needs the whole input row */
	ACCESS_ROW_PASSES, /* like rows, and the row is read again while it is written */
	ACCESS_REDUCE, /* an output element needs the elements along the axes */
	ACCESS_MAP, /* an output element copies one input element */
	ACCESS_MATMUL, /* an output row needs its row and a whole matrix */
	ACCESS_PLACES, /* an output element needs a few places that are known or bounded */
};

#define TN_ARITY_ANY 255 /* no limit */

struct tn_op_info {
	const char *name;
	int min_inputs, max_inputs; /* TN_ARITY_ANY: no limit */
	int outputs; /* -1: any number */
	enum tn_access_class access;
};

const struct tn_op_info *tn_op_info(enum tn_op_kind kind);

/* By native name or a synonym of another vocabulary whose meaning is the same;
 * OP_UNKNOWN when nothing is known. */
enum tn_op_kind tn_op_kind_parse(const char *name);

#endif
