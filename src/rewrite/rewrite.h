/* Graph rewriting: the same results with fewer ops, fewer tensors or smaller constants.
 *
 * Exact passes never change a bit of what a caller can see; the others change floats by
 * rounding and run only when they are named. Tensors keep their ids and names: a tensor
 * that no op uses any more needs no memory, one that a pass makes is added behind the
 * others. Ops are renumbered (`file_index` still says which op of the file it was).
 * Claims, branches and scopes speak of the file's ops and are not carried over. */
#ifndef TN_REWRITE_REWRITE_H
#define TN_REWRITE_REWRITE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/intern.h"
#include "base/status.h"
#include "base/vec.h"
#include "ir/graph.h"

enum tn_pass {
#define PASS(id, name, rule, exact, function, what) id,
#include "rewrite/passes.def"
#undef PASS
	PASS_COUNT
};

/* One bit for each pass. */
typedef uint32_t tn_pass_set;
#define TN_PASSES_NONE 0u

/* All exact passes. */
tn_pass_set tn_passes_exact(void);

/* All of them: to see what there is, not to run the result. */
tn_pass_set tn_passes_every(void);

const char *tn_pass_name(enum tn_pass pass);
const char *tn_pass_what(enum tn_pass pass);
const char *tn_pass_rule(enum tn_pass pass);
bool tn_pass_is_exact(enum tn_pass pass);

/* "all" (the exact ones), "none", or names with commas; *out_bad and *out_bad_len are the
 * word that is no pass when it returns false. */
bool tn_passes_parse(
	const char *list, tn_pass_set *out, const char **out_bad, size_t *out_bad_len);

/* Something that a pass did, or looked at and left. */
struct tn_rewrite {
	enum tn_pass pass;
	bool done;
	const char *op; /* that stays, or that was left alone */
	const char *gone; /* op that is no more; NULL: none */
	const char *tensor; /* that needs no memory any more; NULL: none */
	int64_t ram_bytes; /* of that tensor, or of the part of it that is gone */
	int64_t channels; /* that were removed; 0 for other passes */
	int64_t flash_bytes; /* of constants that nobody reads any more, less new ones */
	const char *why; /* not done: the reason */
	const char *witness; /* not done: the op that stands in the way; or NULL */
	const char *pointer; /* of the op in its file */
};

struct tn_rewrites {
	tn_pass_set passes; /* that were asked for */
	TN_VEC(struct tn_rewrite) list;
	int64_t ops_before, ops_after;
	int64_t constant_bytes_before, constant_bytes_after; /* of constants in use */
};

/* Reports what was done as what could be: a note for each, except for mere spelling. */
void tn_rewrites_report(const struct tn_rewrites *log, const struct tn_source *source,
	struct tn_diags *diags);

/* A graph that has passed tn_validate, rewritten until no pass finds anything more. With
 * no passes the graph itself. *out lives in the arena and points into *g. Never
 * TN_ERR_INPUT: what cannot be rewritten stays. */
enum tn_status TN_MUST_CHECK tn_rewrite(const struct tn_graph *g, tn_pass_set passes,
	struct tn_arena *arena, struct tn_strings *strings, struct tn_graph *out,
	struct tn_rewrites *out_log);

/* The list alone, as tn_rewrite would give it: without the counts of ops and bytes, for
 * there is no graph. */
enum tn_status TN_MUST_CHECK tn_rewrites_find(const struct tn_graph *g,
	tn_pass_set passes, struct tn_arena *arena, struct tn_strings *strings,
	struct tn_rewrites *out);

#endif
