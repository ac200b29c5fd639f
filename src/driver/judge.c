#include "driver/judge.h"

#include "claims/declared.h"

enum tn_status tn_judge_options(struct tn_run *run, struct tn_claim_options *out)
{
	const tenure_options *o = run->options;
	struct tn_declared *declared = NULL;
	enum tn_status status = TN_OK;

	*out = (struct tn_claim_options){ .profile = o->profile == TENURE_PROFILE_TRAINING
							     ? PROFILE_TRAINING
							     : PROFILE_INFERENCE,
		.execution = o->execution == TENURE_EXECUTION_PARALLEL
				     ? EXECUTION_PARALLEL
				     : EXECUTION_SEQUENTIAL,
		.allocation = (enum tn_allocation)o->allocation };
	if (!o->contracts.n)
		return TN_OK;
	declared = TN_NEW(&run->arena, struct tn_declared);
	if (!declared)
		return TN_ERR_NOMEM;
	for (size_t i = 0; i < o->contracts.n && status == TN_OK; i++)
		status = tn_declared_read(
			o->contracts.items[i], &run->arena, &run->diags, declared);
	out->declared = declared;
	return status;
}
