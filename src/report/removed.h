/* Tensors that no op uses: those that rewrites have made unnecessary, and by which one. */
#ifndef TN_REPORT_REMOVED_H
#define TN_REPORT_REMOVED_H

#include "base/status.h"
#include "report/view.h"

struct tn_removed {
	const bool *unused; /* by tensor: no op reads or writes it, it is no constant, no
	                       state, and the caller has nothing to do with it */
	const struct tn_rewrite *
		*by; /* by tensor: the last rewrite that names it, of those
	                                 unused; NULL: none does, or it is in use */
};

enum tn_status TN_MUST_CHECK tn_removed_find(
	const struct tn_view *v, struct tn_arena *arena, struct tn_removed *out);

/* "activation", "input", "output", "constant", "variable", "scratch", and of what is not
 * in use "removed" or, where no rewrite says so, "unused" */
const char *tn_removed_role(
	const struct tn_view *v, const struct tn_removed *removed, tn_tensor_id id);

/* Of an unused one: "removed by the rewrite fuse-activation (...): 'relu' is no more,
 * 'conv' stays", "no op reads or writes it". */
void tn_removed_words(
	const struct tn_removed *removed, tn_tensor_id id, struct tn_strbuf *out);

#endif
