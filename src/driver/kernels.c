#include "driver/kernels.h"

#include <string.h>

#include "import/plan_json.h"

#include "base/banned.h"

/* The set for the processor called so, of len characters. */
static enum tn_kernel_set set_of(const char *cpu, size_t len)
{
	static const struct {
		const char *name;
		enum tn_kernel_set set;
	} rows[] = {
		{ "m0plus", KERNELS_THUMB },
		{ "m3", KERNELS_THUMB },
		{ "m4", KERNELS_DSP },
		{ "m7", KERNELS_DSP },
		{ "m33", KERNELS_DSP },
		{ "m55", KERNELS_MVE },
	};
	static const char family[] = "cortex-";
	const size_t skip = sizeof(family) - 1;

	if (len > skip && strncmp(cpu, family, skip) == 0) {
		cpu += skip;
		len -= skip;
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (strlen(rows[i].name) == len && strncmp(cpu, rows[i].name, len) == 0)
			return rows[i].set;
	return KERNELS_PORTABLE;
}

/* What all of a list run fast; this machine, where all sets run, has no say. */
static enum tn_kernel_set set_of_all(const char *list)
{
	enum tn_kernel_set all = KERNELS_COUNT;

	while (*list) {
		size_t len = strcspn(list, ",");

		if (len != 4 || strncmp(list, "host", len) != 0) {
			enum tn_kernel_set set = set_of(list, len);

			all = set < all ? set : all;
		}
		list += len + (list[len] == ',');
	}
	return all == KERNELS_COUNT ? KERNELS_PORTABLE : all;
}

/* By the name that plan files have. */
static bool set_find(const char *name, enum tn_kernel_set *out)
{
	for (uint32_t i = 0; i < KERNELS_COUNT; i++) {
		*out = (enum tn_kernel_set)i;
		if (strcmp(tn_kernel_set_name(*out), name) == 0)
			return true;
	}
	return false;
}

static enum tn_status of_plan(struct tn_run *run)
{
	const char *name;
	enum tn_status status = tn_plan_file_kernels(
		run->plan_parsed, &run->arena, &run->strings, &run->diags, &name);

	if (status != TN_OK || !name || set_find(name, &run->graph.kernels))
		return status;
	tn_diag_at(&run->diags, SEVERITY_ERROR, "plan/stale", run->plan_source,
		"/kernel_set", NULL,
		"the plan is for the kernel set '%s', which is unknown", name);
	return TN_ERR_INPUT;
}

enum tn_status tn_pipeline_kernels(struct tn_run *run)
{
	const tenure_options *o = run->options;

	/* the option's words are those of the sets, and one before them */
	run->graph.kernels =
		o->kernels == TENURE_KERNELS_AUTO
			? KERNELS_PORTABLE
			: (enum tn_kernel_set)(o->kernels - TENURE_KERNELS_REF);
	if (o->kernels != TENURE_KERNELS_AUTO)
		return TN_OK;
	if (run->plan_source)
		return of_plan(run);
	if (o->cpu)
		run->graph.kernels = set_of(o->cpu, strlen(o->cpu));
	if (o->on && run->graph.kernels == KERNELS_PORTABLE)
		run->graph.kernels = set_of_all(o->on);
	return TN_OK;
}
