#include "driver/any_kernels.h"

#include <inttypes.h>
#include <string.h>

#include "base/banned.h"

#define RUNTIME_ALIGN 16 /* bytes; what runtimes align tensors to */

/* The output of an op that does nothing is its input under another name. */
static void become_view(struct tn_graph *g, struct tn_op *op)
{
	struct tn_tensor *t = &g->tensors[op->outputs[0].i];

	t->view_of = op->inputs[0];
	t->view_offset = 0;
	t->has_strides = false;
	op->n_inputs = op->n_outputs = 0;
}

static bool is_view(const struct tn_op *op)
{
	return strncmp(op->type, "executorch_prim::et_view", 24) == 0 && op->n_inputs &&
	       op->n_outputs == 1 && op->inputs[0].i != TN_NONE &&
	       op->inputs[0].i != op->outputs[0].i;
}

static bool forget_kernels(
	struct tn_graph *g, struct tn_arena *arena, const struct tn_any_kernels *how)
{
	struct tn_op *ops = TN_NEW_ARRAY(arena, struct tn_op, g->n_ops);

	if (!ops)
		return false;
	for (uint32_t i = 0; i < g->n_ops; i++) {
		ops[i] = g->ops[i];
		if (how->views && is_view(&ops[i]))
			become_view(g, &ops[i]);
		if (ops[i].kind != OP_RESHAPE || !how->reshapes_stay)
			ops[i].kind = OP_UNKNOWN;
	}
	g->ops = ops;
	return true;
}

/* What lies elsewhere takes no bytes here. */
static bool keep_memory(
	struct tn_graph *g, struct tn_arena *arena, const struct tn_claim *memory)
{
	bool *inside = TN_NEW_ARRAY(arena, bool, g->n_tensors);

	if (!inside)
		return false;
	for (uint32_t i = 0; i < g->n_tensors; i++)
		inside[i] = false;
	for (uint32_t i = 0; i < memory->n_places; i++)
		inside[memory->places[i].tensor.i] = true;
	for (uint32_t i = 0; i < g->n_tensors; i++) {
		struct tn_tensor *t = &g->tensors[i];

		if (inside[i] || t->role == ROLE_CONST)
			continue;
		t->bytes = t->elements = 0;
		t->shape = (struct tn_shape){ .rank = 1 };
		t->has_strides = false;
		t->view_of.i = TN_NONE;
	}
	return true;
}

enum tn_status tn_any_kernels_plan(
	struct tn_trial *t, struct tn_run *run, const struct tn_any_kernels *how)
{
	struct tn_run *trial = &t->run;
	enum tn_status status;
	struct tn_tensor *tensors;

	if (!tn_trial_start(t, run))
		return TN_ERR_NOMEM;
	trial->graph = run->read;
	tensors = TN_NEW_ARRAY(&trial->arena, struct tn_tensor, run->read.n_tensors);
	if (!tensors)
		return TN_ERR_NOMEM;
	if (run->read.n_tensors)
		memcpy(tensors, run->read.tensors,
			run->read.n_tensors * sizeof(*tensors));
	trial->graph.tensors = tensors;
	if (!forget_kernels(&trial->graph, &trial->arena, how) ||
		(how->memory && !keep_memory(&trial->graph, &trial->arena, how->memory)))
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
	else if (status == TN_ERR_REFUSED)
		tn_diag_at(&run->diags, SEVERITY_ERROR, "plan/offline", run->source, NULL,
			NULL, "no plan for kernels of any kind was found");
	return status;
}

void tn_any_kernels_tell(
	struct tn_run *run, const char *rule, const char *file, int64_t bytes)
{
	const int64_t ours = run->plan.activation_bytes;

	tn_diag_at(&run->diags, bytes > ours ? SEVERITY_WARNING : SEVERITY_NOTE, rule,
		run->source, NULL, NULL,
		"the plan in '%s' needs %" PRId64
		" B where tenure's kernels need %" PRId64
		": other kernels may read and write in any order, so nothing that is "
		"alive overlaps",
		file, bytes, ours);
}
