/* tenure validate: emit, build, run; compare every layer bit for bit. */
#include <string.h>

#include "base/vec.h"
#include "driver/command.h"
#include "driver/progress.h"
#include "validate/validation.h"

static enum tn_status split(struct tn_run *run, const char ***out_items, uint32_t *out_n)
{
	TN_VEC(const char *) list = { 0 };
	const char *at = run->options->on;

	while (*at) {
		size_t len = strcspn(at, ",");
		const char *word = tn_arena_strndup(&run->arena, at, len);

		if (!word || !tn_vec_push(&run->arena, &list, word))
			return TN_ERR_NOMEM;
		at += len + (at[len] == ',');
	}
	*out_items = list.items;
	*out_n = (uint32_t)list.count;
	return TN_OK;
}

enum tn_status tn_command_validate(struct tn_run *run, struct tn_validation *out)
{
	const tenure_options *o = run->options;
	struct tn_progress progress;
	struct tn_validation_options how = { .seed = o->seed,
		.keep = o->keep_work != 0,
		.synthetic = run->synthetic,
		.watch = tn_progress_show,
		.user = &progress };
	const char **targets;
	enum tn_status status = split(run, &targets, &how.n_targets);

	if (status != TN_OK)
		return status;
	how.targets = targets;
	tn_progress_init(&progress, o);
	status = tn_validation_run(
		&run->graph, &run->plan, &how, &run->arena, &run->diags, out);
	tn_progress_end(&progress);
	return status;
}

int tenure_validate(const tenure_options *options, const char *graph)
{
	struct tn_run run;
	struct tn_strbuf out;
	struct tn_validation result;
	enum tn_status status;
	bool ran = false;

	tn_run_init(&run, options);
	tn_strbuf_init(&out);
	status = tn_command_plan(&run, graph);
	if (status == TN_OK) {
		status = tn_command_validate(&run, &result);
		ran = status == TN_OK || status == TN_ERR_REFUSED;
	}
	if (ran)
		tn_validation_print(&run.graph, &result, &out);
	if (status == TN_OK || status == TN_ERR_REFUSED) {
		enum tn_status wrote = tn_command_deliver(&run, &out);

		status = wrote == TN_OK ? status : wrote;
	}
	tn_strbuf_release(&out);
	return tn_command_end(&run, status);
}
