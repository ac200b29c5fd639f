/* Inside analysis/: which of the ops that only hand bytes on need not run. */
#ifndef TN_ANALYSIS_ELIDE_H
#define TN_ANALYSIS_ELIDE_H

#include "analysis/alias.h"

/* Takes aliases that know the file's own views, and lets the operands of elided ops share
 * bytes. */
enum tn_status TN_MUST_CHECK tn_elide(const struct tn_graph *g,
	const struct tn_alias_options *options, struct tn_arena *arena,
	struct tn_aliases *al);

#endif
