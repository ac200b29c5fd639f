/* Reader of "tenure.plan/1", which report/plan_json.c writes. */
#ifndef TN_IMPORT_PLAN_JSON_H
#define TN_IMPORT_PLAN_JSON_H

#include "base/diag.h"
#include "base/intern.h"
#include "base/status.h"
#include "ir/graph.h"
#include "plan/plan.h"

/* A file of that format, parsed. It belongs to the arena, and its contents are freed when
 * it is closed; NULL closes nothing. */
struct tn_plan_file;

/* TN_ERR_INPUT, reported: no JSON. *out is to be closed whatever the status is. */
enum tn_status TN_MUST_CHECK tn_plan_file_open(const struct tn_source *source,
	struct tn_arena *arena, struct tn_diags *diags, struct tn_plan_file **out);
void tn_plan_file_close(struct tn_plan_file *file);

/* The kernel set that the plan was made for; NULL: the portable one. TN_ERR_INPUT when it
 * names no set, reported. */
enum tn_status TN_MUST_CHECK tn_plan_file_kernels(const struct tn_plan_file *file,
	struct tn_arena *arena, struct tn_strings *strings, struct tn_diags *diags,
	const char **out_name);

/* Reads a plan for this graph. `want` holds the digests of graph, constants, kernel set
 * and contracts as they are now; a plan that was made for others is refused by name (rule
 * plan/stale); NULL compares nothing.
 *
 * TN_OK: every index is in range, the order is a permutation, every number fits its field;
 * whether the plan is right is for tn_verify to say. TN_ERR_INPUT: no such plan, all
 * errors are reported with their places. TN_ERR_REFUSED: stale. TN_ERR_NOMEM. */
enum tn_status TN_MUST_CHECK tn_plan_file_read(const struct tn_plan_file *file,
	const struct tn_graph *g, const struct tn_plan_digests *want,
	struct tn_arena *arena, struct tn_strings *strings, struct tn_diags *diags,
	struct tn_plan *out);

/* The same for a file that is read for nothing else. */
enum tn_status TN_MUST_CHECK tn_import_plan_json(const struct tn_graph *g,
	const struct tn_source *source, const struct tn_plan_digests *want,
	struct tn_arena *arena, struct tn_strings *strings, struct tn_diags *diags,
	struct tn_plan *out);

#define TN_PLAN_COPIES_MAX 256 /* that a plan may ask for */

/* What the file's graph went through before it was planned, and must go through again
 * before the plan fits it. */
struct tn_plan_changes {
	const char
		*rewrite; /* passes with commas ("none" when it names none), interned */
	struct tn_plan_copy
		*copies; /* then these are inserted; indices are not checked */
	uint32_t n_copies;
};

enum tn_status TN_MUST_CHECK tn_plan_file_changes(const struct tn_plan_file *file,
	struct tn_arena *arena, struct tn_strings *strings, struct tn_diags *diags,
	struct tn_plan_changes *out);

/* How the plan was asked for, as far as its file says: what is to be given to a planner
 * that shall make the like. The defaults where it says nothing. */
struct tn_plan_asked {
	enum tn_overlap_mode overlap;
	int64_t align; /* bytes; a power of two */
	bool searched; /* the order of the ops */
	bool streams; /* chains that run row by row... */
	bool fed; /* ... of which one is fed by the caller */
	bool placed; /* several regions, or tensors that are pinned */
};

/* Asks nothing of the graph: of a stale plan, too. */
struct tn_plan_asked tn_plan_file_asked(const struct tn_plan_file *file);

#endif
