/* The parts of the native reader; for import/native*.c only. */
#ifndef TN_IMPORT_NATIVE_H
#define TN_IMPORT_NATIVE_H

#include "import/json.h"
#include "import/names.h"
#include "import/side.h"
#include "ir/build.h"

#define NATIVE_TYPE    "native/type" /* a value of the wrong kind */
#define NATIVE_MISSING "native/missing" /* a member that must be there */
#define NATIVE_VALUE   "native/value" /* a value that means nothing */

struct tn_native {
	struct tn_import *im;
	struct tn_build *b; /* of the graph at hand */
	struct tn_arena *scratch; /* of the file */
	struct tn_names tensors, ops; /* of the graph at hand */
	struct tn_sides sides; /* the file's */
	int64_t made; /* bytes of constants that were made from seeds */
	size_t *place; /* by tensor: its place in the claim at hand + 1; 0 between claims */
	bool nomem;
};

/* The member, or NULL after a report. */
json_t *tn_native_member(struct tn_native *n, const struct tn_path *up,
	const json_t *object, const char *key);

/* The member when it is there and of this kind: reports another kind, not its absence. */
json_t *tn_native_list(struct tn_native *n, const struct tn_path *up,
	const json_t *object, const char *key);

/* The id of a tensor or op that is named; TN_NONE after a report. */
tn_tensor_id tn_native_tensor(
	struct tn_native *n, const struct tn_path *at, const json_t *name);
tn_op_id tn_native_op(struct tn_native *n, const struct tn_path *at, const json_t *name);

const char *tn_native_intern(struct tn_native *n, const char *text);

/* An optional flag of an object; false when absent. */
bool tn_native_flag(struct tn_native *n, const struct tn_path *up, const json_t *object,
	const char *key);

/* The number that a JSON value stands for: a number, "nan", "inf", "-inf", or the bits
 * of a float ("0x" and 8 digits) or a double (16 digits). */
bool tn_native_real(const json_t *value, double *out);

/* The lists of a graph. They report and go on. */
void tn_native_tensors(
	struct tn_native *n, const struct tn_path *up, const json_t *graph);
void tn_native_data(struct tn_native *n, const struct tn_path *up, const json_t *data,
	struct tn_tensor *t);
void tn_native_ops(struct tn_native *n, const struct tn_path *up, const json_t *graph);
/* What is left of control flow that the file has flattened; needs tensors and ops. */
void tn_native_flow(struct tn_native *n, const struct tn_path *up, const json_t *graph,
	struct tn_graph *out);
/* `unread`: what all of them rest on and could not be read; NULL: nothing. */
void tn_native_claims(struct tn_native *n, const struct tn_path *up, const json_t *graph,
	const char *unread);

#endif
