#include "driver/offline.h"

#include <string.h>

#include "driver/any_kernels.h"
#include "driver/command.h"
#include "export/tflite_offline.h"

#include "base/banned.h"

/* The runtime keeps variables, and handles to them, in memory of its own. */
static bool is_planned(const struct tn_run *trial, uint32_t i)
{
	const struct tn_tensor *t = &trial->graph.tensors[i];

	return trial->plan.tensors[i].region != TN_REGION_NONE && t->bytes > 0 &&
	       t->role != ROLE_VARIABLE;
}

static enum tn_status write(struct tn_run *run, const struct tn_run *trial)
{
	const uint32_t n = trial->graph.n_tensors;
	int64_t *offsets = TN_NEW_ARRAY(&run->arena, int64_t, n);
	struct tn_strbuf copy;
	enum tn_status status;

	if (!offsets)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < n; i++)
		offsets[i] = is_planned(trial, i) ? trial->plan.tensors[i].offset : -1;
	tn_strbuf_init(&copy);
	status = tn_export_offline(run->source, offsets, n, &run->diags, &copy);
	if (status == TN_OK && copy.failed)
		status = TN_ERR_NOMEM;
	if (status == TN_OK)
		status = tn_command_write(run, run->options->write_offline, &copy);
	tn_strbuf_release(&copy);
	return status;
}

enum tn_status tn_offline_write(struct tn_run *run)
{
	const struct tn_any_kernels how = { .reshapes_stay = true };
	struct tn_trial t;
	enum tn_status status = tn_any_kernels_plan(&t, run, &how);

	if (status == TN_OK)
		status = write(run, &t.run);
	if (status == TN_OK)
		tn_any_kernels_tell(run, "plan/offline", run->options->write_offline,
			t.run.plan.activation_bytes);
	tn_trial_end(&t);
	return status;
}
