/* From an op to a kernel call: which kernel runs, with which parameters and constants.
 * Computes what an interpreter would compute when it starts (multipliers, shifts, tables),
 * so that neither the executor nor an emitted program does. */
#ifndef TN_BIND_BIND_H
#define TN_BIND_BIND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/status.h"
#include "contract/contract.h"
#include "ir/graph.h"
#include "tenure/kernels.h"

/* One field of a parameter struct, for printing it as C. */
enum tn_field_type {
	FIELD_U8,
	FIELD_I32,
	FIELD_U32,
	FIELD_F32, /* also infinite, or no number, where the file says so */
	FIELD_I8_TABLE, /* pointer to constants */
	FIELD_I16_TABLE,
	FIELD_I32_TABLE,
};

struct tn_field {
	const char *name; /* a designator: "act_min", "order.hold" */
	enum tn_field_type type;
	uint32_t offset; /* in the struct */
	uint32_t count; /* elements of an array member, 1 for a scalar */
	uint32_t count_of; /* tables: offset of the uint32_t that counts the entries */
};

struct tn_params_info {
	const char *name; /* "tn_conv_params": the struct's tag */
	uint32_t size; /* bytes */
	const struct tn_field *fields;
	uint32_t n_fields;
};

struct tn_kernel_info {
	const char *symbol; /* "tn_conv_2d_s8" */
	const char *file; /* "ref/conv_2d_s8.c", under src/kernels */
	tn_kernel_fn *run;
	const struct tn_params_info *params;
};

/* An operand of a call: a tensor of the graph, or bytes that binding made (repacked
 * weights, a folded bias), or nothing. */
struct tn_operand {
	tn_tensor_id tensor; /* TN_NONE: see data */
	const void *data; /* with tensor TN_NONE: constant bytes, or NULL = absent */
	int64_t data_bytes;
};

struct tn_call {
	const struct tn_kernel_info *kernel;
	const void *params; /* points to the struct named by kernel->params */
	struct tn_operand *in;
	uint32_t n_in;
	struct tn_operand *out;
	uint32_t n_out;
};

/* TN_OK and *out filled (in the arena); TN_ERR_REFUSED when no kernel exists for this op
 * with these types and shapes, or when its constants are missing or damaged (the reason
 * is reported); TN_ERR_NOMEM. The graph must have passed tn_validate. */
enum tn_status TN_MUST_CHECK tn_bind(const struct tn_graph *g, tn_op_id op,
	struct tn_variant variant, struct tn_arena *arena, struct tn_diags *diags,
	struct tn_call *out);

/* A digest over the graph's kernel set: raised when a kernel's results or order change. */
uint64_t tn_kernels_digest(const struct tn_graph *g);

#endif
