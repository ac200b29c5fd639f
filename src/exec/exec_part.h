/* Parts of the executor; for the files of exec only. */
#ifndef TN_EXEC_EXEC_PART_H
#define TN_EXEC_EXEC_PART_H

#include "exec/exec.h"

/* An executor for a body of the graph that e runs, in memory of its own. */
enum tn_status TN_MUST_CHECK tn_exec_new_body(const struct tn_exec *e,
	const struct tn_graph *body, struct tn_arena *arena, struct tn_exec **out);

#endif
