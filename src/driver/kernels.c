#include "driver/kernels.h"

#include <string.h>

#include "import/plan_json.h"

#include "base/banned.h"

/* Has the processor called so the DSP instructions? */
static bool has_dsp(const char *cpu, size_t len)
{
	static const char *const names[] = { "m4", "m7", "m33", "m55" };
	static const char family[] = "cortex-";
	const size_t skip = sizeof(family) - 1;

	if (len > skip && strncmp(cpu, family, skip) == 0) {
		cpu += skip;
		len -= skip;
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i]) == len && strncmp(cpu, names[i], len) == 0)
			return true;
	return false;
}

/* One of a list at least, and of the others only this machine, where all sets run. */
static bool all_have_dsp(const char *list)
{
	bool any = false;

	while (*list) {
		size_t len = strcspn(list, ",");

		if (has_dsp(list, len))
			any = true;
		else if (len != 4 || strncmp(list, "host", len) != 0)
			return false;
		list += len + (list[len] == ',');
	}
	return any;
}

static enum tn_status of_plan(struct tn_run *run)
{
	const char *name;
	enum tn_status status = tn_import_plan_kernels(
		run->plan_source, &run->arena, &run->strings, &run->diags, &name);

	if (status != TN_OK || !name || strcmp(name, "ref") == 0)
		return status;
	if (strcmp(name, "dsp") == 0) {
		run->graph.kernels = KERNELS_DSP;
		return TN_OK;
	}
	tn_diag_at(&run->diags, SEVERITY_ERROR, "plan/stale", run->plan_source,
		"/kernel_set", NULL,
		"the plan is for the kernel set '%s', which is unknown", name);
	return TN_ERR_INPUT;
}

enum tn_status tn_pipeline_kernels(struct tn_run *run)
{
	const tenure_options *o = run->options;

	run->graph.kernels = KERNELS_PORTABLE;
	if (o->kernels == TENURE_KERNELS_DSP)
		run->graph.kernels = KERNELS_DSP;
	if (o->kernels != TENURE_KERNELS_AUTO)
		return TN_OK;
	if (run->plan_source)
		return of_plan(run);
	if ((o->cpu && has_dsp(o->cpu, strlen(o->cpu))) || (o->on && all_have_dsp(o->on)))
		run->graph.kernels = KERNELS_DSP;
	return TN_OK;
}
