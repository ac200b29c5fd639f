/* A plan as ExecuTorch's programs hold one, in the JSON that flatc makes of them: each
 * tensor is a value with an allocation_info, memory 0 is reserved. */
#ifndef TN_EXPORT_PROGRAM_H
#define TN_EXPORT_PROGRAM_H

#include "base/diag.h"
#include "base/strbuf.h"
#include "ir/graph.h"

struct tn_program_place {
	int64_t memory; /* from 1; 0: in no planned memory */
	int64_t offset; /* bytes */
};

struct tn_program_plan {
	const struct tn_program_place *places; /* by tensor */
	const int64_t *sizes; /* by memory, the reserved one included; -1: as it was */
	uint32_t n_memories;
};

/* A program of one method with the graph's tensors as values, in their order, and behind
 * them what its calls need. Ops are called by the names of their types, outputs last and
 * twice; an op of the kind OP_RESHAPE whose output lies where its input is, is a view.
 * Constants are said to be in a segment, and are not written. TN_ERR_REFUSED, reported: a
 * view has no place in such a list. Lack of memory is in out->failed. */
enum tn_status TN_MUST_CHECK tn_export_program(const struct tn_graph *g,
	const struct tn_program_plan *plan, struct tn_diags *diags,
	struct tn_strbuf *out);

/* A copy of the program that the graph was read from, with the plan in place of its first
 * method's: of all tensors with a memory in `plan`, which need to have one in the file,
 * the place, and the sizes of the memories. All else stays, byte by byte. TN_ERR_INPUT,
 * reported: there is no such text in the file. Lack of memory is in out->failed. */
enum tn_status TN_MUST_CHECK tn_export_program_copy(const struct tn_graph *g,
	const struct tn_program_plan *plan, struct tn_arena *arena,
	struct tn_diags *diags, struct tn_strbuf *out);

#endif
