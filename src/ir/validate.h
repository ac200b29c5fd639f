/* Does the graph make sense? Reports every error of the file, not only the first. */
#ifndef TN_IR_VALIDATE_H
#define TN_IR_VALIDATE_H

#include "base/diag.h"
#include "base/status.h"
#include "ir/graph.h"

/* TN_OK when no error was found (warnings may be); TN_ERR_INPUT when the graph must not
 * be used; TN_ERR_NOMEM. After TN_OK: ids are in range, every size is known and >= 0, the
 * schedule is a permutation of the ops in which each value is produced before it is read,
 * each tensor has one producer unless `mutated`, views resolve to a root without cycle
 * and stay inside it, constants have as many bytes as their shape says, quantisation
 * vectors fit their shapes, arity and known geometry hold. */
enum tn_status TN_MUST_CHECK tn_validate(
	const struct tn_graph *g, struct tn_diags *diags);

#endif
