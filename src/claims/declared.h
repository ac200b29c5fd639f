/* What somebody declares about kernels that are not in the built-in set: contract files
 * (rules/contracts.rng). A plan of another tool runs that tool's kernels: what their loops
 * do is nobody's guess, so an overlap is judged by what is declared, and that is listed as
 * an assumption. */
#ifndef TN_CLAIMS_DECLARED_H
#define TN_CLAIMS_DECLARED_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/status.h"
#include "contract/contract.h"
#include "ir/graph.h"

enum tn_declared_access {
	DECLARED_ELEMENT, /* one pass: element i is read in each operand, then written */
	DECLARED_LOOP, /* the loops of the built-in kernel of that op */
	DECLARED_BUFFERED, /* all is read before anything is written */
	DECLARED_UPDATE, /* the first operand element by element, or it lies there; the
	                    others at any time */
	DECLARED_UNSAFE, /* may read anything at any time */
	DECLARED_DISPLACEMENT, /* safe from this distance on */
};

/* Taps of a kernel: many convolutions are several kernels. */
enum tn_declared_window { WINDOW_ANY, WINDOW_1X1, WINDOW_1XN, WINDOW_KXK };

struct tn_declaration {
	const char *op; /* type as in the file, or name of op.def */
	enum tn_declared_access access;
	bool descending;
	enum tn_hold hold;
	int64_t displacement; /* bytes: input start - output start must be at least this */
	enum tn_declared_window window; /* the op must have */
	uint32_t dtypes; /* bit per enum tn_dtype; 0: all */
	const char *runtime; /* "CMSIS-NN" */
	const char *fact; /* what is declared, in words */
	const char *file;
	int line;
};

struct tn_declared {
	const struct tn_declaration *items; /* the last that fits counts */
	size_t n;
};

/* The variant of the built-in kernel that a plan's file says will run. */
struct tn_said_variant {
	bool said;
	struct tn_variant variant;
};

/* The declaration for the op, or NULL. `declared` may be NULL. */
const struct tn_declaration *tn_declared_find(
	const struct tn_declared *declared, const struct tn_graph *g, uint32_t op);

/* Adds what an XML file declares to *io; `name` is a file, or one of the packs that come
 * with the program ("cmsis-nn"). TN_ERR_INPUT, reported: it is no such file. */
enum tn_status TN_MUST_CHECK tn_declared_read(const char *name, struct tn_arena *arena,
	struct tn_diags *diags, struct tn_declared *io);

#endif
