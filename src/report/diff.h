/* Two versions of a model side by side: what became of the memory, of the op at the peak,
 * of the in-place decisions and of the findings. Read only, like every report.
 *
 * Ops are matched by type and by the name of their first output, then, between two that
 * are matched, from both ends by type and shapes: so a model that was trained again under
 * other names still compares. */
#ifndef TN_REPORT_DIFF_H
#define TN_REPORT_DIFF_H

#include "base/status.h"
#include "report/boxes.h"
#include "report/findings.h"
#include "report/view.h"

enum tn_diff_figure_id {
	DIFF_ARENA,
	DIFF_ACTIVATIONS,
	DIFF_SCRATCH,
	DIFF_BOUND,
	DIFF_DISJOINT,
	DIFF_NO_REUSE,
	DIFF_CONSTANTS,
	DIFF_PEAK_LIVE,
	DIFF_OPS,
	DIFF_TENSORS,
	DIFF_FIGURES
};

struct tn_diff_figure {
	const char *key; /* "arena_bytes" */
	const char *title; /* "arena" */
	bool is_bytes;
	int64_t before, after; /* -1: not known (there is no plan) */
};

/* One version. */
struct tn_diff_side {
	const struct tn_view *v;
	struct tn_boxes boxes; /* none without a plan */
	struct tn_load *loads; /* by position; NULL without a graph */
	uint32_t peak; /* position; TN_NONE: no ops */
	struct tn_findings findings;
	uint32_t *match; /* by op: the other version's op, or TN_NONE */
};

enum tn_diff_change {
	DIFF_SAME,
	DIFF_ADDED,
	DIFF_REMOVED,
	DIFF_RESIZED, /* ops: other bytes of outputs; the live bytes may differ anyhow */
	DIFF_WON, /* decisions: proved or legal as an overlap now, and it was not */
	DIFF_LOST, /* the other way round */
};

/* In the new version's order; an op that is gone stands where it was. */
struct tn_diff_op {
	enum tn_diff_change change;
	tn_op_id before, after; /* TN_NONE: not there */
	int64_t live_before, live_after; /* bytes in use while it runs; -1: not there */
};

/* Only decisions that changed, and those of ops that came or went if they are proved or
 * legal as overlaps. */
struct tn_diff_decision {
	enum tn_diff_change change;
	const struct tn_candidate *before, *after; /* NULL: not there */
};

struct tn_diff_finding {
	const struct tn_finding *finding;
	bool fixed; /* the old version had it, the new one has not; else it is new */
};

struct tn_diff_growth {
	bool asked;
	int64_t bytes; /* the limit, when it is one in bytes; else -1 */
	int64_t milli; /* the limit in thousandths of a percent; else -1 */
	bool exceeded; /* the arena grew by more than that */
};

struct tn_diff {
	struct tn_diff_side before, after;
	struct tn_diff_figure figures[DIFF_FIGURES];
	struct tn_diff_op *ops;
	uint32_t n_ops, n_added, n_removed, n_resized;
	struct tn_diff_decision *decisions;
	size_t n_decisions, n_won, n_lost;
	struct tn_diff_finding *findings; /* new ones first, each in the reports' order */
	size_t n_findings, n_new, n_fixed, n_kept;
	struct tn_diff_growth growth; /* filled by who asks for it */
};

/* All that *out points to is in the arena or in the views. */
enum tn_status TN_MUST_CHECK tn_diff_find(const struct tn_view *before,
	const struct tn_view *after, struct tn_arena *arena, struct tn_diff *out);

/* "1024", "4K" or "2.5%" (up to three decimals). False: it is neither. */
bool tn_diff_growth_parse(const char *text, struct tn_diff_growth *out);

/* Does the arena grow by more than the limit? Exact; false when one of them is not known. */
bool tn_diff_grown(const struct tn_diff *d, const struct tn_diff_growth *limit);

/* "same", "added", "removed", "resized", "won", "lost" */
const char *tn_diff_change_name(enum tn_diff_change change);

enum tn_status TN_MUST_CHECK tn_diff_text(
	const struct tn_diff *d, bool color, struct tn_strbuf *out);

/* "tenure.diff/1": figures {key: {before, after}}, peak {before, after: {op, position,
 * live_bytes, tensors[{name, bytes}]}}, ops[] (those that changed), decisions[], findings[]
 * {change, rule, severity, message, file, line}, growth. */
enum tn_status TN_MUST_CHECK tn_diff_json(const struct tn_diff *d, struct tn_strbuf *out);

enum tn_status TN_MUST_CHECK tn_diff_markdown(
	const struct tn_diff *d, struct tn_strbuf *out);

#endif
