#include "driver/offline.h"

#include <inttypes.h>
#include <string.h>

#include "driver/command.h"
#include "driver/trial.h"
#include "export/tflite_offline.h"

#include "base/banned.h"

#define RUNTIME_ALIGN 16 /* bytes; TensorFlow Lite Micro's own for tensors */

/* Of the foreign kernels nothing is known. */
static bool forget_kernels(struct tn_graph *g, struct tn_arena *arena)
{
	struct tn_op *ops = TN_NEW_ARRAY(arena, struct tn_op, g->n_ops);

	if (!ops)
		return false;
	for (uint32_t i = 0; i < g->n_ops; i++) {
		ops[i] = g->ops[i];
		if (ops[i].kind != OP_RESHAPE)
			ops[i].kind = OP_UNKNOWN;
	}
	g->ops = ops;
	return true;
}

static enum tn_status plan(struct tn_run *run, struct tn_trial *t)
{
	struct tn_run *trial = &t->run;
	enum tn_status status;

	if (!tn_trial_start(t, run))
		return TN_ERR_NOMEM;
	trial->graph = run->read;
	if (!forget_kernels(&trial->graph, &trial->arena))
		return TN_ERR_NOMEM;
	t->options.overlap = TENURE_OVERLAP_NONE;
	t->options.schedule = TENURE_SCHEDULE_GIVEN;
	if (t->options.align < RUNTIME_ALIGN)
		t->options.align = RUNTIME_ALIGN;
	trial->memories.n_regions = trial->memories.n_pins = 0;
	status = tn_pipeline_solve(trial);
	if (status == TN_OK)
		status = tn_verify(&trial->graph, &trial->plan, &trial->arena,
				 &trial->diags, &trial->verdict) == TN_OK
				 ? TN_OK
				 : TN_ERR_INTERNAL;
	return status;
}

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

static void tell(struct tn_run *run, int64_t bytes)
{
	const int64_t ours = run->plan.activation_bytes;

	tn_diag_at(&run->diags, bytes > ours ? SEVERITY_WARNING : SEVERITY_NOTE,
		"plan/offline", run->source, NULL, NULL,
		"the plan in '%s' needs %" PRId64
		" B where tenure's kernels need %" PRId64
		": other kernels may read and write in any order, so nothing that is "
		"alive overlaps",
		run->options->write_offline, bytes, ours);
}

enum tn_status tn_offline_write(struct tn_run *run)
{
	struct tn_trial t;
	enum tn_status status = plan(run, &t);

	if (status == TN_OK)
		status = write(run, &t.run);
	if (status == TN_OK)
		tell(run, t.run.plan.activation_bytes);
	else if (status == TN_ERR_REFUSED)
		tn_diag_at(&run->diags, SEVERITY_ERROR, "plan/offline", run->source, NULL,
			NULL, "no plan for kernels of any kind was found");
	tn_trial_end(&t);
	return status;
}
